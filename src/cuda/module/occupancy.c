#include "cuda/module/occupancy.h"

#include "cuda/module/module.h"
#include "sm/sm.h"

unsigned occupancy_of(const cu_device *d, const isa_kernel *k, unsigned threads,
                      uint32_t shared, int carveout)
{
    exec_launch l = {.kernel = k,
                     .hints = {.carveout = (uint8_t)(carveout + 1)},
                     .threads = threads,
                     .warps = (threads + ISA_WARP - 1) / ISA_WARP,
                     .shared_bytes =
                         k->shared_reserved + k->shared_bytes + shared};

    return threads ? sm_occupancy(d->drv->cfg, &l, NULL, NULL, NULL) : 0;
}

/* ---- The API ---- */

static cudaError_t count_blocks(int *out, const void *symbol, int threads,
                                size_t shared)
{
    cudaError_t code = cudaErrorInvalidDeviceFunction;
    cu_function *f = function_get(symbol);
    const isa_kernel *k = f ? function_code(f, cu_current(), &code) : NULL;

    if (!k)
        return code;
    const config *c = cu_current()->drv->cfg;
    if (!out || threads <= 0 || (unsigned)threads > c->gpu.max.cta_threads)
        return cu_fail(cudaErrorInvalidValue,
                       "blocks of %d threads: 1 to %u are possible", threads,
                       c->gpu.max.cta_threads);
    *out = 0;
    if (k->shared_bytes + shared <= c->sm.shared_per_cta &&
        !(k->max_threads && (unsigned)threads > k->max_threads))
        *out = (int)occupancy_of(cu_current(), k, (unsigned)threads,
                                 (uint32_t)shared, f->carveout);
    return cudaSuccess;
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *out, const void *symbol, int threads, size_t shared)
{
    CUDA_CALL();
    return count_blocks(out, symbol, threads, shared);
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out, const void *symbol, int threads, size_t shared, unsigned flags)
{
    CUDA_CALL();
    (void)flags; /* they are about caches that globals do not share */
    return count_blocks(out, symbol, threads, shared);
}

/* The most with which still so many blocks fit. */
EXPORT cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out,
                                                             const void *symbol,
                                                             int blocks,
                                                             int threads)
{
    CUDA_CALL();
    const config *c = cu_current()->drv->cfg;
    size_t low = 0, high = c->sm.shared_per_cta;
    int count;
    cudaError_t code = count_blocks(&count, symbol, threads, 0);

    if (code != cudaSuccess)
        return code;
    if (!out || blocks <= 0 || blocks > count)
        return cu_fail(cudaErrorInvalidValue,
                       "%d blocks of an SM: 1 to %d fit even without", blocks,
                       count);
    while (low < high) {
        size_t mid = low + (high - low + 1) / 2;

        code = count_blocks(&count, symbol, threads, mid);
        if (code != cudaSuccess)
            return code;
        if (count >= blocks)
            low = mid;
        else
            high = mid - 1;
    }
    *out = low;
    return cudaSuccess;
}
