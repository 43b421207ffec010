/* Allocating and freeing: cudaMalloc and its relatives. */
#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "cuda/generation.h"
#include "cuda/memory/range.h"
#include "cuda/stream/capture.h"
#include "driver/room.h"

enum { PITCH_ALIGN = 512 }; /* bytes from a row to the next: a multiple */

/* No bytes are no allocation: the pointer is NULL. */
static cudaError_t allocate(void **out, cu_range_kind kind, size_t size,
                            unsigned flags, const char *name)
{
    uint64_t addr = 0;

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the pointer");
    cudaError_t code = captures ? capture_check_call() : cudaSuccess;
    if (code != cudaSuccess)
        return code;
    if (size > PTRDIFF_MAX)
        return cu_fail(cudaErrorMemoryAllocation,
                       "%zu bytes are more than there can be", size);
    if (size) {
        code = range_take(cu_current(), kind, size, flags, name, &addr);
        if (code != cudaSuccess)
            return code;
    }
    cu_device_use(cu_current());
    *out = (void *)(uintptr_t)addr;
    return cudaSuccess;
}

EXPORT cudaError_t cudaMalloc(void **out, size_t size)
{
    CUDA_CALL();
    return allocate(out, CU_RANGE_DEVICE, size, 0, "cudaMalloc");
}

EXPORT cudaError_t cudaMallocManaged(void **out, size_t size, unsigned flags)
{
    CUDA_CALL();

    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return cu_fail(cudaErrorInvalidValue,
                       "flags 0x%x: cudaMemAttachGlobal (1) or "
                       "cudaMemAttachHost (2)",
                       flags);
    if (!size)
        return cu_fail(cudaErrorInvalidValue, "0 bytes of managed memory");
    return allocate(out, CU_RANGE_MANAGED, size, flags, "cudaMallocManaged");
}

EXPORT cudaError_t cudaMallocHost(void **out, size_t size)
{
    CUDA_CALL();
    return allocate(out, CU_RANGE_HOST, size, 0, "cudaMallocHost");
}

EXPORT cudaError_t cudaHostAlloc(void **out, size_t size, unsigned flags)
{
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped |
                           cudaHostAllocWriteCombined;
    CUDA_CALL();

    if (flags & ~known)
        return cu_fail(cudaErrorInvalidValue, "flags 0x%x: there are 0x%x",
                       flags, known);
    return allocate(out, CU_RANGE_HOST, size, flags, "cudaHostAlloc");
}

/* ---- Pitched ---- */

static cudaError_t allocate_rows(void **out, size_t *pitch, size_t width,
                                 size_t rows, const char *name)
{
    if (!out || !pitch)
        return cu_fail(cudaErrorInvalidValue, "no place for the pointer or "
                                              "the pitch");
    size_t each = bits_align_up(width, PITCH_ALIGN);
    if (each < width || (rows && each > PTRDIFF_MAX / rows))
        return cu_fail(cudaErrorMemoryAllocation,
                       "%zu rows of %zu bytes are more than there can be", rows,
                       width);
    cudaError_t code = allocate(out, CU_RANGE_DEVICE, each * rows, 0, name);
    if (code == cudaSuccess)
        *pitch = each;
    return code;
}

EXPORT cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width,
                                   size_t height)
{
    CUDA_CALL();
    return allocate_rows(out, pitch, width, height, "cudaMallocPitch");
}

EXPORT cudaError_t cudaMalloc3D(cudaPitchedPtr *out, cudaExtent size)
{
    CUDA_CALL();

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the pointer");
    if (size.depth && size.height > PTRDIFF_MAX / size.depth)
        return cu_fail(cudaErrorMemoryAllocation,
                       "%zu slices of %zu rows are more than there can be",
                       size.depth, size.height);
    out->xsize = size.width;
    out->ysize = size.height;
    return allocate_rows(&out->ptr, &out->pitch, size.width,
                         size.height * size.depth, "cudaMalloc3D");
}

/* ---- Freeing ---- */

static const char *kind_name(cu_range_kind kind)
{
    switch (kind) {
    case CU_RANGE_DEVICE:
        return "device memory, which cudaFree frees";
    case CU_RANGE_MANAGED:
        return "managed memory, which cudaFree frees";
    case CU_RANGE_HOST:
        return "page-locked memory, which cudaFreeHost frees";
    case CU_RANGE_VARIABLE:
        return "a variable of a module";
    case CU_RANGE_ARRAY:
        return "an array, which cudaFreeArray frees";
    case CU_RANGE_MAPPED:
        return "mapped memory, which cuMemUnmap unmaps";
    }
    return "memory";
}

static cudaError_t free_range(void *at, bool host)
{
    cu_range *r = range_at(at);

    if (!at)
        return cudaSuccess;
    if (!r && (r = range_find(at)))
        return cu_fail(cudaErrorInvalidValue,
                       "%p lies %llu bytes inside of an allocation: free its "
                       "first byte, %p",
                       at, (unsigned long long)((uintptr_t)at - r->addr),
                       (void *)(uintptr_t)r->addr);
    if (!r)
        return cu_fail(cudaErrorInvalidValue,
                       "%p is not allocated, or was freed before", at);
    if (host != (r->kind == CU_RANGE_HOST) || r->kind == CU_RANGE_VARIABLE ||
        r->kind == CU_RANGE_ARRAY || r->kind == CU_RANGE_MAPPED)
        return cu_fail(cudaErrorInvalidValue, "%p is %s", at,
                       kind_name(r->kind));
    range_wait_for_use();
    r = range_at(at); /* another thread may have freed it meanwhile */
    if (r)
        range_give(r);
    return cudaSuccess;
}

EXPORT cudaError_t cudaFree(void *at)
{
    CUDA_CALL();
    cu_device_use(cu_current()); /* cudaFree(0) is how programs start it */
    return free_range(at, false);
}

EXPORT cudaError_t cudaFreeHost(void *at)
{
    CUDA_CALL();
    return free_range(at, true);
}

/* ---- Questions ---- */

EXPORT cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    CUDA_CALL();
    drv_device *d = cu_current()->drv;

    if (!left || !all)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    *left = drv_room_left(&d, 1);
    *all = drv_device_bytes(d);
    return cudaSuccess;
}

static cudaMemoryType type_of(const cu_range *r)
{
    if (!r)
        return cudaMemoryTypeUnregistered;
    switch (r->kind) {
    case CU_RANGE_MANAGED:
        return cudaMemoryTypeManaged;
    case CU_RANGE_HOST:
        return cudaMemoryTypeHost;
    case CU_RANGE_DEVICE:
    case CU_RANGE_VARIABLE:
    case CU_RANGE_ARRAY:
    case CU_RANGE_MAPPED:
        return cudaMemoryTypeDevice;
    }
    return cudaMemoryTypeUnregistered;
}

EXPORT cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out,
                                            const void *at)
{
    /* Before 13 the structure ends there. */
    const size_t old = offsetof(cudaPointerAttributes, reserved);
    cudaPointerAttributes is = {.device = -2};
    CUDA_CALL();

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    const cu_range *r = range_find(at);
    is.type = type_of(r);
    if (r)
        is.device = r->device->number;
    if (r)
        is.devicePointer = (void *)(uintptr_t)at;
    if (!r || r->kind == CU_RANGE_HOST || r->kind == CU_RANGE_MANAGED)
        is.hostPointer = (void *)(uintptr_t)at;
    memcpy(out, &is, cu_program_generation() < CUDA_13 ? old : sizeof is);
    return cudaSuccess;
}

EXPORT cudaError_t cudaHostGetDevicePointer(void **out, void *host,
                                            unsigned flags)
{
    CUDA_CALL();

    if (!out || flags)
        return cu_fail(cudaErrorInvalidValue,
                       "flags 0x%x must be 0, and there must be a place for "
                       "the pointer",
                       flags);
    const cu_range *r = range_find(host);
    if (!r || r->kind != CU_RANGE_HOST)
        return cu_fail(cudaErrorInvalidValue,
                       "%p is no memory of cudaHostAlloc, cudaMallocHost or "
                       "cudaHostRegister",
                       host);
    *out = (void *)(uintptr_t)(r->addr + (uint64_t)r->to_device +
                               range_offset(r, host));
    return cudaSuccess;
}

EXPORT cudaError_t cudaHostGetFlags(unsigned *out, void *host)
{
    CUDA_CALL();
    const cu_range *r = range_find(host);

    if (!out || !r || r->kind != CU_RANGE_HOST)
        return cu_fail(cudaErrorInvalidValue,
                       "%p is no memory of cudaHostAlloc", host);
    *out = r->flags;
    return cudaSuccess;
}
