/* What compilers put into a program's constructors: they register its fat
 * binaries, kernels and variables, by address on the host.
 *
 * It happens before main, and for programs that never use a GPU too: so nothing
 * is made, compiled or even unpacked here. */
#include "cuda/module/registry.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "cuda/stream/stream.h"
#include "driver/checkpoint.h"

/* Part of the process's state; with the lock. */
static struct {
    map *functions; /* address on the host -> cu_function */
    map *variables; /* -> cu_variable */
    cu_module *first;
    unsigned modules;
} st;

static map *made(map **m)
{
    if (!*m)
        *m = map_new();
    return *m;
}

/* The handle that the program passes back: it is the module, but for compilers
 * that look into it: their first pointer leads to the code. */
cu_module *module_of_handle(void **handle)
{
    return drv_find_held(handle, CU_MODULE) ? (cu_module *)handle : NULL;
}

/* ---- What programs call ---- */

EXPORT void **__cudaRegisterFatBinary(void *wrapper)
{
    DRV_LOCK();
    char name[32];
    fatbin *code;
    diag *dg = diag_new();

    snprintf(name, sizeof name, "program %u", ++st.modules);
    status is = fatbin_open_loaded(name, wrapper, dg, &code);
    cu_module *m = is == ST_OK ? module_of(name, code) : NULL;
    if (is != ST_OK)
        diag_print(dg, stderr, false);
    diag_free(dg);
    if (m) {
        m->next = st.first;
        st.first = m;
    }
    return (void **)m;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

/* At exit: what still runs may need it, and the process ends anyway. A library
 * that is unloaded registers the same again if it comes back. */
EXPORT void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

EXPORT void __cudaRegisterFunction(void **handle, const char *host,
                                   char *device_name, const char *name,
                                   int thread_limit, void *tid, void *bid,
                                   void *block, void *grid, int *warp)
{
    DRV_LOCK();
    cu_module *m = module_of_handle(handle);
    cu_function *f = m ? module_add_function(m, name) : NULL;

    (void)device_name, (void)thread_limit, (void)tid, (void)bid;
    (void)block, (void)grid, (void)warp;
    if (f)
        map_put(made(&st.functions), (uintptr_t)host, (uintptr_t)f);
}

static cu_variable *add_variable(void **handle, const void *host,
                                 const char *name, size_t size, bool constant)
{
    cu_module *m = module_of_handle(handle);
    cu_variable *v = m ? alloc_try_zeroed(1, sizeof *v) : NULL;

    if (!v)
        return NULL;
    *v = (cu_variable){.next = m->variables,
                       .module = m,
                       .host = host,
                       .name = name,
                       .size = size,
                       .constant = constant};
    m->variables = v;
    map_put(made(&st.variables), (uintptr_t)host, (uintptr_t)v);
    return v;
}

EXPORT void __cudaRegisterVar(void **handle, char *host, char *device_address,
                              const char *name, int external, size_t size,
                              int constant, int global)
{
    DRV_LOCK();

    (void)device_address, (void)external, (void)global;
    add_variable(handle, host, name, size, constant != 0);
}

EXPORT void __cudaRegisterManagedVar(void **handle, void **host,
                                     char *device_address, const char *name,
                                     int external, size_t size, int constant,
                                     int global)
{
    DRV_LOCK();
    cu_variable *v = add_variable(handle, host, name, size, constant != 0);

    (void)device_address, (void)external, (void)global;
    if (v)
        v->managed = host;
}

/* ---- Managed variables ---- */

/* The program reads and writes them through a pointer, which leads to the
 * variable of device 0 from here on: simulated memory is the program's own, and
 * all devices see it. */
static void place_managed(cu_module *m)
{
    cu_state *s = NULL;

    for (cu_variable *v = m->variables; v; v = v->next) {
        uint64_t addr, size;

        if (!v->managed || (!s && !(s = cu_get())))
            continue;
        if (variable_place(v, &s->devices[0], &addr, &size) != cudaSuccess)
            continue;
        *v->managed = (void *)(uintptr_t)addr;
        drv_shares(addr, size);
    }
}

EXPORT char __cudaInitModule(void **handle)
{
    DRV_LOCK();
    cu_module *m = module_of_handle(handle);

    if (m)
        place_managed(m);
    return 1;
}

/* ---- Looking up ---- */

cu_function *function_get(const void *symbol)
{
    uint64_t found;

    if (st.functions && map_get(st.functions, (uintptr_t)symbol, &found))
        return (cu_function *)(uintptr_t)found;
    if (drv_find_held(symbol, CU_FUNCTION))
        return (cu_function *)(uintptr_t)symbol;
    cu_fail(cudaErrorInvalidDeviceFunction,
            "%p is no kernel that the program has registered", symbol);
    return NULL;
}

cu_variable *variable_get(const void *symbol)
{
    uint64_t found;

    if (st.variables && map_get(st.variables, (uintptr_t)symbol, &found))
        return (cu_variable *)(uintptr_t)found;
    cu_fail(cudaErrorInvalidSymbol,
            "%p is no variable that the program has registered", symbol);
    return NULL;
}

/* From 13 on programs ask for a handle once, and launch by that. */
EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *symbol)
{
    CUDA_CALL();
    cu_function *f = function_get(symbol);

    if (!f || !out)
        return cudaErrorInvalidDeviceFunction;
    *out = (cudaKernel_t)f;
    return cudaSuccess;
}

EXPORT cudaError_t cudaGetKernel(cudaKernel_t *out, const void *symbol)
{
    CUDA_CALL();
    cu_function *f = function_get(symbol);

    if (!f || !out)
        return cudaErrorInvalidDeviceFunction;
    *out = (cudaKernel_t)f;
    return cudaSuccess;
}

EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *symbol)
{
    CUDA_CALL();
    cu_function *f = function_get(symbol);

    if (!f || !out)
        return cudaErrorInvalidDeviceFunction;
    *out = (cudaFunction_t)f;
    return cudaSuccess;
}
