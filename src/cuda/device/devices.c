/* Devices: which there are, which one a thread uses, what can be set. */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "cuda/device/device_limits.h"
#include "cuda/device/properties.h"
#include "cuda/memory/array.h"
#include "cuda/memory/range.h"
#include "cuda/stream/stream.h"

cu_device *device_get(int number)
{
    cu_state *s = cu_get();

    if (number >= 0 && number < s->device_count)
        return &s->devices[number];
    cu_fail(cudaErrorInvalidDevice, "device %d: there are %d, from 0", number,
            s->device_count);
    return NULL;
}

EXPORT cudaError_t cudaGetDeviceCount(int *out)
{
    CUDA_CALL();

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the number");
    *out = cu_get()->device_count;
    return cudaSuccess;
}

EXPORT cudaError_t cudaGetDevice(int *out)
{
    CUDA_CALL();

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the number");
    *out = cu_thread_get()->device;
    return cudaSuccess;
}

EXPORT cudaError_t cudaSetDevice(int number)
{
    CUDA_CALL();

    if (!device_get(number))
        return cudaErrorInvalidDevice;
    cu_current_set(number, NULL);
    return cudaSuccess;
}

EXPORT cudaError_t cudaInitDevice(int number, unsigned flags, unsigned with)
{
    CUDA_CALL();

    (void)flags, (void)with;
    return device_get(number) ? cudaSuccess : cudaErrorInvalidDevice;
}

/* The devices are as they are: the order of preference changes nothing. */
EXPORT cudaError_t cudaSetValidDevices(int *devices, int count)
{
    CUDA_CALL();

    for (int i = 0; devices && i < count; i++)
        if (!device_get(devices[i]))
            return cudaErrorInvalidDevice;
    return cudaSuccess;
}

EXPORT cudaError_t cudaChooseDevice(int *out, const void *properties)
{
    CUDA_CALL();

    (void)properties;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the number");
    *out = 0;
    return cudaSuccess;
}

/* ---- Properties ---- */

static cudaError_t get_properties(void *out, int number, cu_generation g)
{
    const cu_device *d = device_get(number);

    if (!d)
        return cudaErrorInvalidDevice;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the properties");
    device_properties(d, g, out);
    return cudaSuccess;
}

/* Of generation 12, where the other name means what 11 had. */
EXPORT cudaError_t cudaGetDeviceProperties_v2(void *out, int number)
{
    CUDA_CALL();
    return get_properties(out, number, CUDA_12);
}

EXPORT cudaError_t cudaGetDeviceProperties(void *out, int number)
{
    CUDA_CALL();
    cu_generation g = cu_program_generation();

    return get_properties(out, number, g == CUDA_12 ? CUDA_11 : g);
}

EXPORT cudaError_t cudaDeviceGetAttribute(int *out, int what, int number)
{
    CUDA_CALL();
    const cu_device *d = device_get(number);
    int64_t value;

    if (!d)
        return cudaErrorInvalidDevice;
    if (!out || !device_attribute(d, what, &value))
        return cu_fail(cudaErrorInvalidValue, "no attribute %d of devices",
                       what);
    *out = value > INT32_MAX ? INT32_MAX : (int)value;
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceGetPCIBusId(char *out, int room, int number)
{
    CUDA_CALL();
    const cu_device *d = device_get(number);
    char id[24];

    if (!d)
        return cudaErrorInvalidDevice;
    snprintf(id, sizeof id, "0000:%02x:00.0", (unsigned)number + 1);
    if (!out || room <= (int)strlen(id))
        return cu_fail(cudaErrorInvalidValue, "%d bytes are too little room",
                       room);
    strcpy(out, id);
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceGetByPCIBusId(int *out, const char *id)
{
    CUDA_CALL();
    unsigned domain, bus, slot;

    if (!out || !id || sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3 ||
        domain || slot || !bus || bus > (unsigned)cu_get()->device_count)
        return cu_fail(cudaErrorInvalidValue, "no device on '%s'",
                       id ? id : "NULL");
    *out = (int)bus - 1;
    return cudaSuccess;
}

/* ---- Settings ---- */

EXPORT cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    CUDA_CALL();
    cu_current()->flags = flags; /* how a thread waits: nothing to choose */
    return cudaSuccess;
}

EXPORT cudaError_t cudaGetDeviceFlags(unsigned *out)
{
    enum { ALWAYS_MAPS = 8 }; /* cudaDeviceMapHost */
    CUDA_CALL();

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the flags");
    *out = cu_current()->flags | ALWAYS_MAPS;
    return cudaSuccess;
}

/* What caches prefer is the configuration's business: 0 is no preference. */
EXPORT cudaError_t cudaDeviceSetCacheConfig(int preference)
{
    CUDA_CALL();
    (void)preference;
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceGetCacheConfig(int *out)
{
    CUDA_CALL();

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    *out = 0;
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceSetSharedMemConfig(int preference)
{
    CUDA_CALL();
    (void)preference;
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceGetSharedMemConfig(int *out)
{
    enum { FOUR_BYTES = 1 };
    CUDA_CALL();

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    *out = FOUR_BYTES;
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    CUDA_CALL();

    if (least)
        *least = 0;
    if (greatest)
        *greatest = 0;
    return cudaSuccess;
}

EXPORT cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    CUDA_CALL();
    cu_device *d = cu_current();
    cudaError_t code = device_wait(d);

    if (code == cudaSuccess)
        rt_persist_no_more(d->drv->rt);
    return code;
}

/* ---- Peers ---- */

/* All devices share one memory, so each can reach the others'. */
EXPORT cudaError_t cudaDeviceCanAccessPeer(int *out, int device, int peer)
{
    CUDA_CALL();

    if (!device_get(device) || !device_get(peer))
        return cudaErrorInvalidDevice;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    *out = device != peer;
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    CUDA_CALL();
    cu_device *d = cu_current();

    (void)flags;
    if (!device_get(peer) || peer == d->number)
        return cu_fail(cudaErrorInvalidDevice, "device %d is no peer", peer);
    if (d->peers >> peer & 1)
        return cu_fail(cudaErrorPeerAccessAlreadyEnabled,
                       "access to device %d was enabled before", peer);
    d->peers |= 1ull << peer;
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    CUDA_CALL();
    cu_device *d = cu_current();

    if (!device_get(peer))
        return cudaErrorInvalidDevice;
    if (!(d->peers >> peer & 1))
        return cu_fail(cudaErrorPeerAccessNotEnabled,
                       "access to device %d was not enabled", peer);
    d->peers &= ~(1ull << peer);
    return cudaSuccess;
}

/* ---- The end ---- */

/* Streams that the program made stay valid until it destroys them: after a
 * reset it may not use them any more. */
EXPORT cudaError_t cudaDeviceReset(void)
{
    CUDA_CALL_BROKEN();
    cu_device *d = cu_current();

    if (!d->active)
        return cudaSuccess;
    device_wait(d);
    array_give_all(d);
    range_give_all(d);
    device_limits_reset(d);
    d->sticky = cudaSuccess;
    d->peers = 0;
    cu_thread_get()->last = cudaSuccess;
    return cudaSuccess;
}

EXPORT cudaError_t cudaProfilerStart(void) { return cudaSuccess; }

EXPORT cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
