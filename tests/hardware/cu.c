#include "cu.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *load(cu_driver *cu)
{
    static char why[160];
    const struct {
        void *to;
        const char *name;
    } rows[] = {
        {&cu->init, "cuInit"},
        {&cu->version, "cuDriverGetVersion"},
        {&cu->error_name, "cuGetErrorName"},
        {&cu->device_get, "cuDeviceGet"},
        {&cu->device_name, "cuDeviceGetName"},
        {&cu->device_attribute, "cuDeviceGetAttribute"},
        {&cu->device_bytes, "cuDeviceTotalMem_v2"},
        {&cu->context_retain, "cuDevicePrimaryCtxRetain"},
        {&cu->context_set, "cuCtxSetCurrent"},
        {&cu->module_load, "cuModuleLoadDataEx"},
        {&cu->module_unload, "cuModuleUnload"},
        {&cu->function, "cuModuleGetFunction"},
        {&cu->function_attribute, "cuFuncSetAttribute"},
        {&cu->alloc, "cuMemAlloc_v2"},
        {&cu->free, "cuMemFree_v2"},
        {&cu->fill, "cuMemsetD8_v2"},
        {&cu->to_device, "cuMemcpyHtoD_v2"},
        {&cu->to_host, "cuMemcpyDtoH_v2"},
        {&cu->launch, "cuLaunchKernel"},
        {&cu->synchronize, "cuCtxSynchronize"},
        {&cu->ctas_per_sm, "cuOccupancyMaxActiveBlocksPerMultiprocessor"},
        {&cu->event_new, "cuEventCreate"},
        {&cu->event_free, "cuEventDestroy_v2"},
        {&cu->event_record, "cuEventRecord"},
        {&cu->event_wait, "cuEventSynchronize"},
        {&cu->event_ms, "cuEventElapsedTime"},
    };
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);

    if (!lib)
        return "there is no CUDA driver here (libcuda.so.1)";
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        void *f = dlsym(lib, rows[k].name);

        if (!f) {
            snprintf(why, sizeof why, "the CUDA driver here has no %s",
                     rows[k].name);
            return why;
        }
        memcpy(rows[k].to, &f, sizeof f);
    }
    void *f = dlsym(lib, "cuTensorMapEncodeTiled");
    memcpy(&cu->tensor_map_tiled, &f, sizeof f);
    return NULL;
}

const char *cu_error_name(const cu_driver *cu, int status)
{
    static char number[32];
    const char *name = NULL;

    if (!cu->error_name(status, &name) && name)
        return name;
    snprintf(number, sizeof number, "error %d", status);
    return number;
}

const char *cu_open(cu_driver *cu, cu_device *d)
{
    static char why[160];
    void *context = NULL;
    const char *none = load(cu);
    int status;

    memset(d, 0, sizeof *d);
    if (none)
        return none;
    if ((status = cu->init(0)) || (status = cu->version(&d->version)) ||
        (status = cu->device_get(&d->number, 0)) ||
        (status = cu->device_name(d->name, sizeof d->name, d->number)) ||
        (status = cu->context_retain(&context, d->number)) ||
        (status = cu->context_set(context))) {
        snprintf(why, sizeof why, "no CUDA device: the driver says %s",
                 cu_error_name(cu, status));
        return why;
    }
    d->major = cu_attribute(cu, d, CU_MAJOR);
    d->minor = cu_attribute(cu, d, CU_MINOR);
    return NULL;
}

int cu_attribute(const cu_driver *cu, const cu_device *d, int what)
{
    int value = 0;

    return cu->device_attribute(&value, what, d->number) ? 0 : value;
}

void *cu_module(const cu_driver *cu, const char *ptx, const char *name)
{
    enum { LOG = 5, LOG_SIZE = 6 }; /* options of the driver's compiler */
    char log[2048] = "";
    int options[] = {LOG, LOG_SIZE};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    void *module = NULL;
    int status = cu->module_load(&module, ptx, 2, options, values);

    if (!status)
        return module;
    fprintf(stderr, "%s: %s\n", name, *log ? log : cu_error_name(cu, status));
    return NULL;
}
