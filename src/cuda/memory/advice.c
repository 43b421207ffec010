/* Where managed memory lies, and hints about it: it lies where all devices and
 * the program reach it, at no cost (docs/cuda.md). */
#include "cuda/generation.h"
#include "cuda/memory/range.h"
#include "cuda/stream/stream.h"

static cudaError_t check_managed(const void *at, size_t size)
{
    const cu_range *r = range_find(at);

    if (!r || (r->kind != CU_RANGE_MANAGED && r->kind != CU_RANGE_VARIABLE))
        return cu_fail(cudaErrorInvalidValue, "%p is no managed memory", at);
    if (size > r->size - ((uintptr_t)at - r->addr))
        return cu_fail(cudaErrorInvalidValue,
                       "%zu bytes at %p are more than the allocation has", size,
                       at);
    return cudaSuccess;
}

/* Up to generation 12 the place is the number of a device, and the stream
 * follows it; then it is a cudaMemLocation, of the same register, and flags
 * stand between. */
EXPORT cudaError_t cudaMemPrefetchAsync(const void *at, size_t size,
                                        uint64_t place, uint64_t next,
                                        cudaStream_t last)
{
    CUDA_CALL();
    cudaStream_t stream = cu_program_generation() < CUDA_13
                              ? (cudaStream_t)(uintptr_t)next
                              : last;

    (void)place;
    return stream_get(stream) ? check_managed(at, size)
                              : cudaErrorInvalidResourceHandle;
}

EXPORT cudaError_t cudaMemPrefetchAsync_v2(const void *at, size_t size,
                                           cudaMemLocation place,
                                           unsigned flags, cudaStream_t stream)
{
    CUDA_CALL();

    (void)place, (void)flags;
    return stream_get(stream) ? check_managed(at, size)
                              : cudaErrorInvalidResourceHandle;
}

EXPORT cudaError_t cudaMemAdvise(const void *at, size_t size, int advice,
                                 uint64_t place)
{
    CUDA_CALL();

    (void)advice, (void)place;
    return check_managed(at, size);
}

EXPORT cudaError_t cudaMemAdvise_v2(const void *at, size_t size, int advice,
                                    cudaMemLocation place)
{
    CUDA_CALL();

    (void)advice, (void)place;
    return check_managed(at, size);
}

EXPORT cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *at,
                                            size_t size, unsigned flags)
{
    CUDA_CALL();

    (void)flags;
    return stream_get(stream) ? check_managed(at, size)
                              : cudaErrorInvalidResourceHandle;
}
