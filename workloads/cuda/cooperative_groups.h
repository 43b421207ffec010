/* workloads/cuda/cooperative_groups.h - the grid, the CTA and tiles of a warp
 * as groups [CUDA12:cooperative-groups]; see cuda_lite.h. Grids of one program
 * that wait for all their CTAs run one after another. */
#ifndef CUDA_LITE_COOPERATIVE_GROUPS_H
#define CUDA_LITE_COOPERATIVE_GROUPS_H
#include "../cuda_lite.h"

#define CUDA_LITE_GROUP __device__ __forceinline__ __attribute__((nodebug))

namespace cooperative_groups
{
static __device__ unsigned cuda_lite_arrived, cuda_lite_round;

struct thread_block {
    CUDA_LITE_GROUP unsigned size() const
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    CUDA_LITE_GROUP unsigned thread_rank() const
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
               threadIdx.x;
    }
    CUDA_LITE_GROUP void sync() const { __syncthreads(); }
};

struct grid_group {
    CUDA_LITE_GROUP unsigned num_blocks() const
    {
        return gridDim.x * gridDim.y * gridDim.z;
    }
    CUDA_LITE_GROUP unsigned long long size() const
    {
        return (unsigned long long)num_blocks() * thread_block().size();
    }
    CUDA_LITE_GROUP unsigned long long thread_rank() const
    {
        unsigned cta =
            (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;

        return (unsigned long long)cta * thread_block().size() +
               thread_block().thread_rank();
    }
    /* The last CTA to arrive begins the next round, for which others wait. */
    CUDA_LITE_GROUP void sync() const
    {
        __syncthreads();
        if (thread_block().thread_rank() == 0) {
            volatile unsigned *round = &cuda_lite_round;
            unsigned is = *round;

            __threadfence();
            if (atomicInc(&cuda_lite_arrived, num_blocks() - 1) ==
                num_blocks() - 1)
                atomicAdd(&cuda_lite_round, 1u);
            else
                while (*round == is)
                    ;
            __threadfence();
        }
        __syncthreads();
    }
};

template <unsigned LiteSize> struct thread_block_tile {
    CUDA_LITE_GROUP unsigned size() const { return LiteSize; }
    CUDA_LITE_GROUP unsigned thread_rank() const
    {
        return thread_block().thread_rank() % LiteSize;
    }
    CUDA_LITE_GROUP unsigned mask() const
    {
        unsigned lane = thread_block().thread_rank() % 32;

        return (LiteSize == 32 ? 0xffffffff : (1u << LiteSize % 32) - 1)
               << lane / LiteSize * LiteSize;
    }
    CUDA_LITE_GROUP void sync() const { __syncwarp(mask()); }
    template <class LiteType>
    CUDA_LITE_GROUP LiteType shfl(LiteType v, int from) const
    {
        return __shfl_sync(mask(), v, from, LiteSize);
    }
    template <class LiteType>
    CUDA_LITE_GROUP LiteType shfl_down(LiteType v, unsigned by) const
    {
        return __shfl_down_sync(mask(), v, (int)by, LiteSize);
    }
};

CUDA_LITE grid_group this_grid() { return {}; }
CUDA_LITE thread_block this_thread_block() { return {}; }
template <unsigned LiteSize>
CUDA_LITE thread_block_tile<LiteSize> tiled_partition(thread_block)
{
    return {};
}
} // namespace cooperative_groups

#endif
