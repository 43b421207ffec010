/* Modules and libraries: code that the program loads. A library is a module,
 * and a kernel of it a function: what they run on is the current device. */
#include <stdlib.h>

#include "base/file.h"
#include "cuda/driver_api/driver_call.h"
#include "cuda/driver_api/jit.h"
#include "cuda/module/module.h"
#include "cuda/stream/stream.h"

/* ---- Loading ---- */

/* What each kernel takes, as compilers say when they are asked. */
static void tell_kernels(cu_module *m, diag *dg)
{
    const isa_program *p = rt_module_program(module_load(m, cu_current()));

    for (uint32_t i = 0; i < p->kernel_count; i++) {
        const isa_kernel *k = &p->kernels[i];

        diag_add(dg, DIAG_NOTE, NULL, 0, 0, 0,
                 "kernel '%s': %u registers, %u bytes of shared memory, %u "
                 "bytes of local memory, of these %u for spilled registers",
                 k->name, isa_kernel_begins_with(k), k->shared_bytes,
                 k->local_bytes, k->spill_bytes);
    }
}

static cudaError_t load(cu_module **out, const char *name, const void *image,
                        size_t size, const jit_options *opt)
{
    static unsigned count; /* with the lock */
    char own[32];
    CUDA_CALL();

    if (!out || !image)
        return cu_fail(cudaErrorInvalidValue,
                       "no place for the module, or no code");
    cudaError_t code = jit_check(opt);
    if (code != cudaSuccess)
        return code;
    diag *dg = diag_new();
    snprintf(own, sizeof own, "module %u", ++count);
    code =
        module_new(name ? name : own, image, size, jit_registers(opt), dg, out);
    if (code == cudaSuccess)
        tell_kernels(*out, dg);
    jit_log(opt, dg);
    diag_free(dg);
    return code;
}

static cudaError_t load_file(cu_module **out, const char *path,
                             const jit_options *opt)
{
    diag *dg = diag_new();
    char *data = NULL;
    size_t size;
    cudaError_t code = cudaErrorFileNotFound;

    if (path && file_read(path, dg, &data, &size) == ST_OK)
        code = load(out, path, data, size, opt);
    free(data);
    diag_free(dg);
    return code;
}

DRIVER(cuModuleLoad, (CUmodule * out, const char *path), (out, path))
{
    return load_file((cu_module **)out, path, &(jit_options){0});
}

DRIVER(cuModuleLoadData, (CUmodule * out, const void *image), (out, image))
{
    return load((cu_module **)out, NULL, image, 0, &(jit_options){0});
}

DRIVER(cuModuleLoadFatBinary, (CUmodule * out, const void *image), (out, image))
{
    return load((cu_module **)out, NULL, image, 0, &(jit_options){0});
}

DRIVER(cuModuleLoadDataEx,
       (CUmodule * out, const void *image, unsigned count, const int *what,
        void **value),
       (out, image, count, what, value))
{
    return load((cu_module **)out, NULL, image, 0,
                &(jit_options){count, what, value});
}

static cudaError_t unload(const void *handle)
{
    CUDA_CALL();
    cu_module *m = module_get(handle);

    if (!m)
        return cudaErrorInvalidResourceHandle;
    if (!module_is_loaded(m))
        return cu_fail(cudaErrorInvalidResourceHandle,
                       "module %p is of the program itself, which did not "
                       "load it",
                       handle);
    device_wait(cu_current());
    module_unload(m);
    return cudaSuccess;
}

DRIVER(cuModuleUnload, (CUmodule handle), (handle)) { return unload(handle); }

DRIVER(cuModuleGetLoadingMode, (int *out), (out))
{
    enum { EAGER = 1 };

    if (!out)
        return cudaErrorInvalidValue;
    *out = EAGER;
    return cudaSuccess;
}

/* ---- What is in it ---- */

static cudaError_t get_function(cu_function **out, const void *handle,
                                const char *name)
{
    CUDA_CALL();
    cu_module *m = module_get(handle);

    if (!m)
        return cudaErrorInvalidResourceHandle;
    if (!out || !name)
        return cu_fail(cudaErrorInvalidValue,
                       "no name, or no place for the kernel");
    cu_function *f = module_function(m, name);
    if (!f)
        return cudaErrorSymbolNotFound;
    *out = f;
    return cudaSuccess;
}

static cudaError_t get_global(CUdeviceptr *addr, size_t *bytes,
                              const void *handle, const char *name)
{
    CUDA_CALL();
    cu_module *m = module_get(handle);
    uint64_t at, size;

    if (!m)
        return cudaErrorInvalidResourceHandle;
    if (!name)
        return cu_fail(cudaErrorInvalidValue, "there is no name");
    cudaError_t code = module_variable(m, cu_current(), name, &at, &size);
    if (code != cudaSuccess)
        return code;
    if (addr)
        *addr = at;
    if (bytes)
        *bytes = size;
    return cudaSuccess;
}

static cudaError_t count_kernels(unsigned *out, const void *handle)
{
    CUDA_CALL();
    cu_module *m = module_get(handle);

    if (!m)
        return cudaErrorInvalidResourceHandle;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the number");
    for (*out = 0; module_kernel_name(m, *out);)
        ++*out;
    return cudaSuccess;
}

static cudaError_t list_kernels(cu_function **out, unsigned room,
                                const void *handle)
{
    CUDA_CALL();
    cu_module *m = module_get(handle);
    const char *name;

    if (!m)
        return cudaErrorInvalidResourceHandle;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the functions");
    for (unsigned i = 0; i < room && (name = module_kernel_name(m, i)); i++)
        if (!(out[i] = module_function(m, name)))
            return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

DRIVER(cuModuleGetFunction,
       (CUfunction * out, CUmodule handle, const char *name),
       (out, handle, name))
{
    return get_function((cu_function **)out, handle, name);
}

DRIVER(cuModuleGetGlobal_v2,
       (CUdeviceptr * addr, size_t *bytes, CUmodule handle, const char *name),
       (addr, bytes, handle, name))
{
    return get_global(addr, bytes, handle, name);
}

DRIVER(cuModuleGetFunctionCount, (unsigned *out, CUmodule handle),
       (out, handle))
{
    return count_kernels(out, handle);
}

DRIVER(cuModuleEnumerateFunctions,
       (CUfunction * out, unsigned room, CUmodule handle), (out, room, handle))
{
    return list_kernels((cu_function **)out, room, handle);
}

/* ---- Libraries, which both APIs have ---- */

/* Options of the library are about code that the program keeps. */
#define LIBRARY(driver, runtime, parameters, arguments, ...)                   \
    DRIVER(driver, parameters, arguments) { return __VA_ARGS__; }              \
    EXPORT cudaError_t runtime parameters;                                     \
    EXPORT cudaError_t runtime parameters { return __VA_ARGS__; }

LIBRARY(cuLibraryLoadData, cudaLibraryLoadData,
        (CUlibrary * out, const void *image, const int *what, void **value,
         unsigned count, const int *options, void **option_values,
         unsigned option_count),
        (out, image, what, value, count, options, option_values, option_count),
        ((void)options, (void)option_values, (void)option_count,
         load((cu_module **)out, NULL, image, 0,
              &(jit_options){count, what, value})))
LIBRARY(cuLibraryLoadFromFile, cudaLibraryLoadFromFile,
        (CUlibrary * out, const char *path, const int *what, void **value,
         unsigned count, const int *options, void **option_values,
         unsigned option_count),
        (out, path, what, value, count, options, option_values, option_count),
        ((void)options, (void)option_values, (void)option_count,
         load_file((cu_module **)out, path,
                   &(jit_options){count, what, value})))
LIBRARY(cuLibraryUnload, cudaLibraryUnload, (CUlibrary handle), (handle),
        unload(handle))
LIBRARY(cuLibraryGetKernel, cudaLibraryGetKernel,
        (CUkernel * out, CUlibrary handle, const char *name),
        (out, handle, name), get_function((cu_function **)out, handle, name))
LIBRARY(cuLibraryGetGlobal, cudaLibraryGetGlobal,
        (CUdeviceptr * addr, size_t *bytes, CUlibrary handle, const char *name),
        (addr, bytes, handle, name), get_global(addr, bytes, handle, name))
LIBRARY(cuLibraryGetManaged, cudaLibraryGetManaged,
        (CUdeviceptr * addr, size_t *bytes, CUlibrary handle, const char *name),
        (addr, bytes, handle, name), get_global(addr, bytes, handle, name))
LIBRARY(cuLibraryGetKernelCount, cudaLibraryGetKernelCount,
        (unsigned *out, CUlibrary handle), (out, handle),
        count_kernels(out, handle))
LIBRARY(cuLibraryEnumerateKernels, cudaLibraryEnumerateKernels,
        (CUkernel * out, unsigned room, CUlibrary handle), (out, room, handle),
        list_kernels((cu_function **)out, room, handle))

DRIVER(cuLibraryGetModule, (CUmodule * out, CUlibrary handle), (out, handle))
{
    CUDA_CALL();

    if (!module_get(handle))
        return cudaErrorInvalidResourceHandle;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the module");
    *out = (CUmodule)handle;
    return cudaSuccess;
}
