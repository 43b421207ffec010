/* Memory: allocating, freeing, questions. */
#include <string.h>

#include "cuda/driver_api/driver_call.h"
#include "cuda/driver_api/driver_context.h"
#include "cuda/memory/range.h"

/* ---- Allocating and freeing ---- */

/* The driver API refuses to allocate nothing. */
#define ALLOCATE(name, out, size, ...)                                         \
    ((out) && !(size) ? cudaErrorInvalidValue : name(__VA_ARGS__))

DRIVER(cuMemAlloc_v2, (CUdeviceptr * out, size_t size), (out, size))
{
    return ALLOCATE(cudaMalloc, out, size, (void **)out, size);
}

DRIVER(cuMemAllocPitch_v2,
       (CUdeviceptr * out, size_t *pitch, size_t width, size_t rows,
        unsigned element),
       (out, pitch, width, rows, element))
{
    if (element != 4 && element != 8 && element != 16)
        return cudaErrorInvalidValue;
    return ALLOCATE(cudaMallocPitch, out, width && rows, (void **)out, pitch,
                    width, rows);
}

DRIVER(cuMemAllocManaged, (CUdeviceptr * out, size_t size, unsigned flags),
       (out, size, flags))
{
    return cudaMallocManaged((void **)out, size, flags);
}

DRIVER(cuMemAllocHost_v2, (void **out, size_t size), (out, size))
{
    return ALLOCATE(cudaMallocHost, out, size, out, size);
}

DRIVER(cuMemHostAlloc, (void **out, size_t size, unsigned flags),
       (out, size, flags))
{
    return ALLOCATE(cudaHostAlloc, out, size, out, size, flags);
}

DRIVER(cuMemFree_v2, (CUdeviceptr at), (at))
{
    return cudaFree((void *)(uintptr_t)at);
}

DRIVER(cuMemFreeHost, (void *at), (at)) { return cudaFreeHost(at); }

DRIVER(cuMemHostRegister_v2, (void *at, size_t size, unsigned flags),
       (at, size, flags))
{
    return cudaHostRegister(at, size, flags);
}

DRIVER(cuMemHostUnregister, (void *at), (at)) { return cudaHostUnregister(at); }

DRIVER(cuMemGetInfo_v2, (size_t * left, size_t *all), (left, all))
{
    return cudaMemGetInfo(left, all);
}

/* ---- In the order of streams ---- */

DRIVER_STREAM(cuMemAllocAsync, _ptsz,
              (CUdeviceptr * out, size_t size, CUstream s), (out, size, s))
{
    return cudaMallocAsync((void **)out, size, s);
}

DRIVER_STREAM(cuMemAllocFromPoolAsync, _ptsz,
              (CUdeviceptr * out, size_t size, CUmemoryPool p, CUstream s),
              (out, size, p, s))
{
    return cudaMallocFromPoolAsync((void **)out, size, p, s);
}

DRIVER_STREAM(cuMemFreeAsync, _ptsz, (CUdeviceptr at, CUstream s), (at, s))
{
    return cudaFreeAsync((void *)(uintptr_t)at, s);
}

DRIVER(cuMemPoolCreate, (CUmemoryPool * out, const void *how), (out, how))
{
    return cudaMemPoolCreate(out, how);
}

DRIVER(cuMemPoolDestroy, (CUmemoryPool p), (p))
{
    return cudaMemPoolDestroy(p);
}

DRIVER(cuMemPoolTrimTo, (CUmemoryPool p, size_t keep), (p, keep))
{
    return cudaMemPoolTrimTo(p, keep);
}

DRIVER(cuMemPoolSetAttribute, (CUmemoryPool p, int what, void *value),
       (p, what, value))
{
    return cudaMemPoolSetAttribute(p, what, value);
}

DRIVER(cuMemPoolGetAttribute, (CUmemoryPool p, int what, void *out),
       (p, what, out))
{
    return cudaMemPoolGetAttribute(p, what, out);
}

DRIVER(cuMemPoolSetAccess, (CUmemoryPool p, const void *list, size_t count),
       (p, list, count))
{
    return cudaMemPoolSetAccess(p, list, count);
}

DRIVER(cuMemPoolGetAccess, (int *out, CUmemoryPool p, cudaMemLocation *place),
       (out, p, place))
{
    return cudaMemPoolGetAccess(out, p, place);
}

/* ---- Hints ---- */

static cudaError_t prefetch(CUdeviceptr at, size_t size, CUstream s)
{
    return cudaMemPrefetchAsync_v2((void *)(uintptr_t)at, size,
                                   (cudaMemLocation){0, 0}, 0, s);
}

DRIVER_STREAM(cuMemPrefetchAsync, _ptsz,
              (CUdeviceptr at, size_t size, CUdevice to, CUstream s),
              (at, size, to, s))
{
    (void)to;
    return prefetch(at, size, s);
}

DRIVER_STREAM(cuMemPrefetchAsync_v2, _ptsz,
              (CUdeviceptr at, size_t size, cudaMemLocation to, unsigned flags,
               CUstream s),
              (at, size, to, flags, s))
{
    (void)to, (void)flags;
    return prefetch(at, size, s);
}

DRIVER(cuMemAdvise, (CUdeviceptr at, size_t size, int advice, CUdevice place),
       (at, size, advice, place))
{
    return cudaMemAdvise((void *)(uintptr_t)at, size, advice, (uint64_t)place);
}

DRIVER(cuMemAdvise_v2,
       (CUdeviceptr at, size_t size, int advice, cudaMemLocation place),
       (at, size, advice, place))
{
    return cudaMemAdvise_v2((void *)(uintptr_t)at, size, advice, place);
}

/* ---- Questions ---- */

DRIVER(cuMemHostGetDevicePointer_v2,
       (CUdeviceptr * out, void *host, unsigned flags), (out, host, flags))
{
    return cudaHostGetDevicePointer((void **)out, host, flags);
}

DRIVER(cuMemHostGetFlags, (unsigned *out, void *host), (out, host))
{
    return cudaHostGetFlags(out, host);
}

DRIVER(cuMemGetAddressRange_v2,
       (CUdeviceptr * first, size_t *size, CUdeviceptr at), (first, size, at))
{
    CUDA_CALL();
    const cu_range *r = range_find((void *)(uintptr_t)at);

    if (!r)
        return cu_fail(cudaErrorSymbolNotFound,
                       "0x%llx is not allocated, or was freed", at);
    if (first)
        *first = r->addr;
    if (size)
        *size = r->size;
    return cudaSuccess;
}

enum { /* CUpointer_attribute */
       POINTER_CONTEXT = 1,
       POINTER_TYPE,
       POINTER_DEVICE,
       POINTER_HOST,
       POINTER_SYNC = 6,
       POINTER_NUMBER,
       POINTER_MANAGED,
       POINTER_ORDINAL,
       POINTER_OLD_IPC,
       POINTER_FIRST,
       POINTER_SIZE,
       POINTER_MAPPED,
       POINTER_HANDLES,
       POINTER_RDMA,
       POINTER_ACCESS,
       POINTER_POOL,
};

static void put(void *to, const void *value, size_t size)
{
    memcpy(to, value, size);
}

#define PUT(type, value) put(to, &(type){(value)}, sizeof(type))

static bool is_of_host(const cu_range *r) { return r->kind == CU_RANGE_HOST; }

/* False: there is no such attribute, or this pointer does not have it. */
static bool put_attribute(void *to, int what, uint64_t at, const cu_range *r)
{
    bool seen = is_of_host(r) || r->kind == CU_RANGE_MANAGED;

    switch (what) {
    case POINTER_CONTEXT:
        return PUT(CUcontext, context_primary(r->device)), true;
    case POINTER_TYPE:
        return PUT(unsigned,
                   is_of_host(r) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE),
               true;
    case POINTER_DEVICE:
        return PUT(uint64_t, range_device_address(r, at)), true;
    case POINTER_HOST:
        return seen ? (PUT(uint64_t, at), true) : false;
    case POINTER_SYNC:
    case POINTER_OLD_IPC:
    case POINTER_RDMA:
        return PUT(int, 0), true;
    case POINTER_NUMBER:
        return PUT(uint64_t, r->addr), true; /* never used twice */
    case POINTER_MANAGED:
        return PUT(int, r->kind == CU_RANGE_MANAGED), true;
    case POINTER_ORDINAL:
        return PUT(int, r->device->number), true;
    case POINTER_FIRST:
        return PUT(uint64_t, r->addr), true;
    case POINTER_SIZE:
        return PUT(size_t, r->size), true;
    case POINTER_MAPPED:
        return PUT(int, 1), true;
    case POINTER_HANDLES:
        return PUT(uint64_t, 0), true;
    case POINTER_ACCESS:
        return PUT(int, 3), true; /* reads and writes */
    case POINTER_POOL:
        return PUT(CUmemoryPool, (CUmemoryPool)r->pool), true;
    default:
        return false;
    }
}

DRIVER(cuPointerGetAttribute, (void *out, int what, CUdeviceptr at),
       (out, what, at))
{
    CUDA_CALL();
    const cu_range *r = range_find((void *)(uintptr_t)at);

    if (!out || !r)
        return cu_fail(cudaErrorInvalidValue,
                       "0x%llx is not allocated, or was freed", at);
    if (!put_attribute(out, what, at, r))
        return cu_fail(cudaErrorInvalidValue,
                       "0x%llx has no attribute %d of pointers", at, what);
    return cudaSuccess;
}

static size_t attribute_bytes(int what)
{
    return what == POINTER_TYPE || what == POINTER_SYNC ||
                   what == POINTER_MANAGED || what == POINTER_ORDINAL ||
                   what == POINTER_OLD_IPC || what == POINTER_MAPPED ||
                   what == POINTER_RDMA || what == POINTER_ACCESS
               ? sizeof(int)
               : sizeof(uint64_t);
}

/* Of a pointer that is none of the driver's all are 0, but for its device. */
DRIVER(cuPointerGetAttributes,
       (unsigned count, const int *what, void **out, CUdeviceptr at),
       (count, what, out, at))
{
    CUDA_CALL();
    const cu_range *r = range_find((void *)(uintptr_t)at);

    if (count && (!what || !out))
        return cu_fail(cudaErrorInvalidValue, "no attributes");
    for (unsigned i = 0; i < count; i++) {
        memset(out[i], what[i] == POINTER_ORDINAL && !r ? 0xfe : 0,
               attribute_bytes(what[i]));
        if (r)
            put_attribute(out[i], what[i], at, r);
        else if (what[i] == POINTER_ORDINAL)
            put(out[i], &(int){-2}, sizeof(int));
    }
    return cudaSuccess;
}

DRIVER(cuPointerSetAttribute, (const void *value, int what, CUdeviceptr at),
       (value, what, at))
{
    CUDA_CALL();

    (void)value;
    if (what != POINTER_SYNC || !range_find((void *)(uintptr_t)at))
        return cu_fail(cudaErrorInvalidValue,
                       "attribute %d of pointers cannot be set", what);
    return cudaSuccess; /* copies are in order */
}
