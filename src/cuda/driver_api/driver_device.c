/* Devices, by number. */
#include <string.h>

#include "cuda/device/properties.h"
#include "cuda/driver_api/driver_call.h"

DRIVER_WITH(cuDeviceGetCount, (int *out), (out), DRIVER_INIT)
{
    return cudaGetDeviceCount(out);
}

static cudaError_t check_device(int number)
{
    CUDA_CALL_BROKEN();
    return device_get(number) ? cudaSuccess : cudaErrorInvalidDevice;
}

DRIVER_WITH(cuDeviceGet, (CUdevice * out, int number), (out, number),
            DRIVER_INIT)
{
    cudaError_t code = check_device(number);

    if (code == cudaSuccess && !out)
        return cudaErrorInvalidValue;
    if (code == cudaSuccess)
        *out = number;
    return code;
}

DRIVER_WITH(cuDeviceGetAttribute, (int *out, int what, CUdevice number),
            (out, what, number), DRIVER_INIT)
{
    return cudaDeviceGetAttribute(out, what, number);
}

DRIVER_WITH(cuDeviceGetName, (char *out, int room, CUdevice number),
            (out, room, number), DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    const cu_device *d = device_get(number);

    if (!d)
        return cudaErrorInvalidDevice;
    if (!out || room <= 0)
        return cu_fail(cudaErrorInvalidValue, "no place for the name");
    snprintf(out, (size_t)room, "%s", d->drv->cfg->gpu.name);
    return cudaSuccess;
}

DRIVER_WITH(cuDeviceTotalMem_v2, (size_t * out, CUdevice number), (out, number),
            DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    const cu_device *d = device_get(number);

    if (!d)
        return cudaErrorInvalidDevice;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the size");
    *out = drv_device_bytes(d->drv);
    return cudaSuccess;
}

DRIVER_WITH(cuDeviceComputeCapability,
            (int *major, int *minor, CUdevice number), (major, minor, number),
            DRIVER_INIT)
{
    CUDA_CALL_BROKEN();
    const cu_device *d = device_get(number);

    if (!d)
        return cudaErrorInvalidDevice;
    if (!major || !minor)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    *major = (int)d->drv->cfg->gpu.capability / 10;
    *minor = (int)d->drv->cfg->gpu.capability % 10;
    return cudaSuccess;
}

static cudaError_t get_uuid(cudaUUID_t *out, CUdevice number)
{
    CUDA_CALL_BROKEN();
    const cu_device *d = device_get(number);

    if (!d)
        return cudaErrorInvalidDevice;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    device_uuid(d, out->bytes);
    return cudaSuccess;
}

DRIVER_WITH(cuDeviceGetUuid, (cudaUUID_t * out, CUdevice number), (out, number),
            DRIVER_INIT)
{
    return get_uuid(out, number);
}

DRIVER_WITH(cuDeviceGetUuid_v2, (cudaUUID_t * out, CUdevice number),
            (out, number), DRIVER_INIT)
{
    return get_uuid(out, number);
}

DRIVER_WITH(cuDeviceGetPCIBusId, (char *out, int room, CUdevice number),
            (out, room, number), DRIVER_INIT)
{
    return cudaDeviceGetPCIBusId(out, room, number);
}

DRIVER_WITH(cuDeviceGetByPCIBusId, (CUdevice * out, const char *id), (out, id),
            DRIVER_INIT)
{
    return cudaDeviceGetByPCIBusId(out, id);
}

DRIVER_WITH(cuDeviceCanAccessPeer, (int *out, CUdevice device, CUdevice peer),
            (out, device, peer), DRIVER_INIT)
{
    return cudaDeviceCanAccessPeer(out, device, peer);
}

/* Devices differ in nothing here: rank 0, access, no atomics, arrays. */
DRIVER_WITH(cuDeviceGetP2PAttribute,
            (int *out, int what, CUdevice device, CUdevice peer),
            (out, what, device, peer), DRIVER_INIT)
{
    enum { RANK = 1, ACCESS = 2, ATOMICS = 3, ARRAYS = 4 };
    CUDA_CALL_BROKEN();

    if (!device_get(device) || !device_get(peer) || device == peer)
        return cudaErrorInvalidDevice;
    if (!out || what < RANK || what > ARRAYS)
        return cu_fail(cudaErrorInvalidValue, "no attribute %d", what);
    *out = what == ACCESS || what == ARRAYS;
    return cudaSuccess;
}

DRIVER_WITH(cuDeviceGetDefaultMemPool, (cudaMemPool_t * out, CUdevice number),
            (out, number), DRIVER_INIT)
{
    return cudaDeviceGetDefaultMemPool(out, number);
}

DRIVER_WITH(cuDeviceGetMemPool, (cudaMemPool_t * out, CUdevice number),
            (out, number), DRIVER_INIT)
{
    return cudaDeviceGetMemPool(out, number);
}

DRIVER_WITH(cuDeviceSetMemPool, (CUdevice number, cudaMemPool_t pool),
            (number, pool), DRIVER_INIT)
{
    return cudaDeviceSetMemPool(number, pool);
}
