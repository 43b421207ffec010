#include "cuda/driver_api/driver_call.h"

#include "cuda/driver_api/driver_context.h"

static cudaError_t refuse(const char *function, cudaError_t code,
                          const char *why)
{
    const char *before = drv_enter(function);

    cu_fail(code, "%s", why);
    drv_leave(&before);
    return code;
}

cudaError_t driver_enter(driver_entered *e, const char *function,
                         driver_need need, bool per_thread)
{
    cu_thread *t = cu_thread_get();

    *e = (driver_entered){t->driver, t->per_thread};
    t->driver = function;
    t->per_thread = per_thread;
    if (need == DRIVER_NOTHING)
        return cudaSuccess;
    const cu_state *s = cu_get();
    if (!s)
        return cudaErrorInitializationError;
    t->runtime = false;
    if (!atomic_load(&s->initialised))
        return refuse(function, cudaErrorInitializationError,
                      "there was no cuInit");
    if (need == DRIVER_CONTEXT && !context_is_current())
        return refuse(function, cudaErrorDeviceUninitialized,
                      "no context is current: see cuCtxSetCurrent");
    return cudaSuccess;
}

/* The runtime API has codes that this one lacks. */
static CUresult driver_code(cudaError_t code)
{
    if (code == cudaErrorInvalidDeviceFunction)
        return cudaErrorInvalidResourceHandle;
    if (code == cudaErrorInvalidSymbol)
        return cudaErrorSymbolNotFound;
    return cu_error_driver(code) ? code : cudaErrorInvalidValue;
}

CUresult driver_leave(const driver_entered *e, cudaError_t code)
{
    cu_thread *t = cu_thread_get();

    t->driver = e->before;
    t->per_thread = e->per_thread;
    return driver_code(code);
}

/* ---- Beginning, errors ---- */

DRIVER_WITH(cuInit, (unsigned flags), (flags), DRIVER_NOTHING)
{
    cu_state *s = cu_get();
    CUDA_CALL_BROKEN();

    if (flags)
        return cu_fail(cudaErrorInvalidValue, "flags 0x%x must be 0", flags);
    atomic_store(&s->initialised, true);
    return s->device_count ? cudaSuccess : cudaErrorNoDevice;
}

DRIVER_WITH(cuDriverGetVersion, (int *out), (out), DRIVER_NOTHING)
{
    return cudaDriverGetVersion(out);
}

DRIVER_WITH(cuGetErrorName, (CUresult code, const char **out), (code, out),
            DRIVER_NOTHING)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = cu_error_driver(code);
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER_WITH(cuGetErrorString, (CUresult code, const char **out), (code, out),
            DRIVER_NOTHING)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = cu_error_driver(code) ? cu_error_text(code) : NULL;
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER(cuProfilerStart, (void), ()) { return cudaSuccess; }

DRIVER(cuProfilerStop, (void), ()) { return cudaSuccess; }
