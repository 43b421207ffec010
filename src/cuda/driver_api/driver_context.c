#include "cuda/driver_api/driver_context.h"

#include <stdlib.h>

#include "cuda/driver_api/driver_call.h"
#include "cuda/memory/range.h"
#include "cuda/stream/stream.h"

enum {
    KNOWN_FLAGS = 0xff,
    API_VERSION_2 = 3020, /* of cuCtxCreate_v2 and later */
};

struct cu_context {
    drv_object o;
    cu_device *device;
    unsigned flags;
    unsigned version;
    unsigned long long number; /* cuCtxGetId */
    bool primary;
};

/* Part of the process's state; with the lock. */
static struct {
    CUcontext primary[CU_DEVICES_MAX];
    unsigned retained[CU_DEVICES_MAX]; /* primary ones, so many times */
    unsigned made[CU_DEVICES_MAX];     /* others that live */
    unsigned long long numbers;
} st;

static CUcontext new_context(cu_device *d, unsigned flags)
{
    CUcontext c = drv_object_new(CU_CONTEXT, sizeof *c,
                                 offsetof(struct cu_context, o), free);

    if (!c)
        return NULL;
    c->device = d;
    c->flags = flags;
    c->version = API_VERSION_2;
    c->number = ++st.numbers;
    return c;
}

CUcontext context_primary(cu_device *d)
{
    CUcontext *at = &st.primary[d->number];

    if (!*at && (*at = new_context(d, 0)))
        (*at)->primary = true;
    return *at;
}

bool context_is_current(void) { return cu_thread_get()->depth > 0; }

static CUcontext context_of(const cu_bound *b)
{
    if (!b->made)
        return context_primary(&cu_get()->devices[b->device]);
    return drv_find_held(b->made, CU_CONTEXT) ? b->made : NULL; /* destroyed */
}

CUcontext context_current(void)
{
    const cu_thread *t = cu_thread_get();

    return t->depth ? context_of(&t->contexts[t->depth - 1]) : NULL;
}

static CUcontext get_context(CUcontext handle)
{
    if (drv_find_held(handle, CU_CONTEXT))
        return handle;
    cu_fail(cudaErrorDeviceUninitialized,
            "%p is no context, or one that was destroyed", (void *)handle);
    return NULL;
}

cu_device *context_device(CUcontext handle)
{
    CUcontext c = get_context(handle);

    return c ? c->device : NULL;
}

/* ---- The stack of a thread ---- */

static void set_top(CUcontext c)
{
    cu_current_set(c->device->number, c->primary ? NULL : c);
}

static cudaError_t push(CUcontext c)
{
    cu_thread *t = cu_thread_get();

    if (t->depth == CU_CONTEXTS_MAX)
        return cu_fail(cudaErrorInvalidValue,
                       "more than %d contexts on the stack of a thread",
                       CU_CONTEXTS_MAX);
    t->depth++;
    set_top(c);
    return cudaSuccess;
}

static void pop(void)
{
    cu_thread *t = cu_thread_get();

    if (--t->depth)
        t->device = t->contexts[t->depth - 1].device;
}

DRIVER_WITH(cuCtxPushCurrent_v2, (CUcontext handle), (handle), DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    CUcontext c = get_context(handle);

    return c ? push(c) : cudaErrorDeviceUninitialized;
}

DRIVER(cuCtxPopCurrent_v2, (CUcontext * out), (out))
{
    CUDA_CALL_BROKEN();

    if (out)
        *out = context_current();
    pop();
    return cudaSuccess;
}

DRIVER_WITH(cuCtxSetCurrent, (CUcontext handle), (handle), DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    CUcontext c = handle ? get_context(handle) : NULL;

    if (handle && !c)
        return cudaErrorDeviceUninitialized;
    if (c)
        set_top(c);
    else if (cu_thread_get()->depth)
        pop();
    return cudaSuccess;
}

DRIVER_WITH(cuCtxGetCurrent, (CUcontext * out), (out), DRIVER_INIT)
{
    CUDA_CALL_BROKEN();

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the context");
    *out = context_current();
    return cudaSuccess;
}

DRIVER(cuCtxGetDevice, (CUdevice * out), (out)) { return cudaGetDevice(out); }

/* Of version 13: of any context. */
DRIVER_WITH(cuCtxGetDevice_v2, (CUdevice * out, CUcontext handle),
            (out, handle), DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    CUcontext c = handle ? get_context(handle) : context_current();

    if (!c)
        return cudaErrorDeviceUninitialized;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the device");
    *out = c->device->number;
    return cudaSuccess;
}

/* ---- Making and ending ---- */

static cudaError_t create(CUcontext *out, unsigned flags, CUdevice number)
{
    CUDA_CALL_BROKEN();
    cu_device *d = device_get(number);

    if (!d)
        return cudaErrorInvalidDevice;
    if (!out || flags & ~(unsigned)KNOWN_FLAGS)
        return cu_fail(cudaErrorInvalidValue,
                       "no place for the context, or flags 0x%x", flags);
    CUcontext c = new_context(d, flags);
    if (!c)
        return cu_fail(cudaErrorMemoryAllocation, "no memory for a context");
    st.made[number]++;
    *out = c;
    return push(c);
}

DRIVER_WITH(cuCtxCreate_v2, (CUcontext * out, unsigned flags, CUdevice number),
            (out, flags, number), DRIVER_INIT)
{
    return create(out, flags, number);
}

/* The parameters are about how many SMs it may use. */
DRIVER_WITH(cuCtxCreate_v3,
            (CUcontext * out, void *list, int count, unsigned flags,
             CUdevice number),
            (out, list, count, flags, number), DRIVER_INIT)
{
    (void)list;
    return count ? cudaErrorUnsupportedExecAffinity
                 : create(out, flags, number);
}

DRIVER_WITH(cuCtxCreate_v4,
            (CUcontext * out, const CUctxCreateParams *how, unsigned flags,
             CUdevice number),
            (out, how, flags, number), DRIVER_INIT)
{
    return how && (how->numExecAffinityParams || how->cigParams)
               ? cudaErrorUnsupportedExecAffinity
               : create(out, flags, number);
}

/* What a device has goes with its last context. Called with the lock. */
static void end_if_last(cu_device *d)
{
    if (st.made[d->number] || st.retained[d->number])
        return;
    device_wait(d);
    range_give_all(d);
    d->sticky = cudaSuccess;
    d->peers = 0;
}

/* Where it is current in other threads, they find that it was destroyed. */
DRIVER_WITH(cuCtxDestroy_v2, (CUcontext handle), (handle), DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    CUcontext c = get_context(handle);

    if (!c)
        return cudaErrorDeviceUninitialized;
    if (c->primary)
        return cu_fail(cudaErrorDeviceUninitialized,
                       "a primary context is released, not destroyed");
    if (context_current() == c)
        pop();
    st.made[c->device->number]--;
    end_if_last(c->device);
    drv_release(&c->o);
    return cudaSuccess;
}

DRIVER(cuCtxAttach, (CUcontext * out, unsigned flags), (out, flags))
{
    CUDA_CALL_BROKEN();
    CUcontext c = context_current();

    if (!c)
        return cudaErrorContextIsDestroyed;
    if (!out || flags)
        return cu_fail(cudaErrorInvalidValue, "no place for the context, or "
                                              "flags");
    c->o.refs++;
    *out = c;
    return cudaSuccess;
}

DRIVER_WITH(cuCtxDetach, (CUcontext handle), (handle), DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    CUcontext c = get_context(handle);

    if (!c)
        return cudaErrorDeviceUninitialized;
    if (c->o.refs > 1)
        drv_release(&c->o);
    return cudaSuccess;
}

/* ---- Primary contexts ---- */

DRIVER_WITH(cuDevicePrimaryCtxRetain, (CUcontext * out, CUdevice number),
            (out, number), DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    cu_device *d = device_get(number);

    if (!d)
        return cudaErrorInvalidDevice;
    if (!out || !(*out = context_primary(d)))
        return cu_fail(cudaErrorInvalidValue, "no place for the context");
    st.retained[number]++;
    d->active = true;
    return cudaSuccess;
}

DRIVER_WITH(cuDevicePrimaryCtxRelease_v2, (CUdevice number), (number),
            DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    cu_device *d = device_get(number);

    if (!d)
        return cudaErrorInvalidDevice;
    if (!st.retained[number])
        return cu_fail(cudaErrorDeviceUninitialized,
                       "the primary context of device %d is not retained",
                       number);
    if (!--st.retained[number]) {
        end_if_last(d);
        d->active = false;
    }
    return cudaSuccess;
}

DRIVER_WITH(cuDevicePrimaryCtxReset_v2, (CUdevice number), (number),
            DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    cu_device *d = device_get(number);

    if (!d)
        return cudaErrorInvalidDevice;
    if (!st.made[number]) {
        st.retained[number] = 0;
        end_if_last(d);
        d->active = false;
    }
    return cudaSuccess;
}

DRIVER_WITH(cuDevicePrimaryCtxGetState,
            (CUdevice number, unsigned *flags, int *active),
            (number, flags, active), DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    const cu_device *d = device_get(number);

    if (!d)
        return cudaErrorInvalidDevice;
    if (flags)
        *flags = d->flags;
    if (active)
        *active = d->active;
    return cudaSuccess;
}

DRIVER_WITH(cuDevicePrimaryCtxSetFlags_v2, (CUdevice number, unsigned flags),
            (number, flags), DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    cu_device *d = device_get(number);

    if (!d)
        return cudaErrorInvalidDevice;
    if (flags & ~(unsigned)KNOWN_FLAGS)
        return cu_fail(cudaErrorInvalidValue, "flags 0x%x", flags);
    d->flags = flags;
    return cudaSuccess;
}

/* ---- Settings and questions ---- */

DRIVER(cuCtxSynchronize, (void), ()) { return cudaDeviceSynchronize(); }

/* Of version 13: of any context. */
DRIVER_WITH(cuCtxSynchronize_v2, (CUcontext handle), (handle), DRIVER_INIT)
{
    CUDA_CALL();
    cu_device *d = context_device(handle ? handle : context_current());

    return d ? device_wait(d) : cudaErrorDeviceUninitialized;
}

DRIVER(cuCtxGetFlags, (unsigned *out), (out))
{
    CUDA_CALL();

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the flags");
    const CUcontext c = context_current();
    if (!c)
        return cudaErrorContextIsDestroyed;
    *out = c->primary ? c->device->flags : c->flags;
    return cudaSuccess;
}

DRIVER_WITH(cuCtxGetApiVersion, (CUcontext handle, unsigned *out),
            (handle, out), DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    CUcontext c = handle ? get_context(handle) : context_current();

    if (!c)
        return cudaErrorDeviceUninitialized;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the version");
    *out = c->version;
    return cudaSuccess;
}

DRIVER_WITH(cuCtxGetId, (CUcontext handle, unsigned long long *out),
            (handle, out), DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    CUcontext c = handle ? get_context(handle) : context_current();

    if (!c)
        return cudaErrorDeviceUninitialized;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the number");
    *out = c->number;
    return cudaSuccess;
}

DRIVER(cuCtxGetLimit, (size_t * out, int what), (out, what))
{
    return cudaDeviceGetLimit(out, what);
}

DRIVER(cuCtxSetLimit, (int what, size_t value), (what, value))
{
    return cudaDeviceSetLimit(what, value);
}

DRIVER(cuCtxGetCacheConfig, (int *out), (out))
{
    return cudaDeviceGetCacheConfig(out);
}

DRIVER(cuCtxSetCacheConfig, (int preference), (preference))
{
    return cudaDeviceSetCacheConfig(preference);
}

DRIVER(cuCtxGetSharedMemConfig, (int *out), (out))
{
    return cudaDeviceGetSharedMemConfig(out);
}

DRIVER(cuCtxSetSharedMemConfig, (int preference), (preference))
{
    return cudaDeviceSetSharedMemConfig(preference);
}

DRIVER(cuCtxGetStreamPriorityRange, (int *least, int *greatest),
       (least, greatest))
{
    return cudaDeviceGetStreamPriorityRange(least, greatest);
}

DRIVER(cuCtxResetPersistingL2Cache, (void), ())
{
    return cudaCtxResetPersistingL2Cache();
}

/* ---- Peers ---- */

static cudaError_t peer_of(CUcontext handle, int *number)
{
    CUDA_CALL();
    const cu_device *d = context_device(handle);

    if (!d)
        return cudaErrorDeviceUninitialized;
    *number = d->number;
    return cudaSuccess;
}

DRIVER(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags), (peer, flags))
{
    int number;
    cudaError_t code = peer_of(peer, &number);

    return code == cudaSuccess ? cudaDeviceEnablePeerAccess(number, flags)
                               : code;
}

DRIVER(cuCtxDisablePeerAccess, (CUcontext peer), (peer))
{
    int number;
    cudaError_t code = peer_of(peer, &number);

    return code == cudaSuccess ? cudaDeviceDisablePeerAccess(number) : code;
}
