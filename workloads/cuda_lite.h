/* workloads/cuda_lite.h - what kernels in CUDA C use of CUDA, so that clang
 * compiles them to PTX without a CUDA toolkit: names and meanings are CUDA's
 * [CUDA12:c++-extensions]. tools/ptxcc includes it before each; the headers of
 * workloads/cuda have the names that programs include. With nvcc it is empty.
 */
#ifndef CUDA_LITE_H
#define CUDA_LITE_H
#ifndef __NVCC__

#define __host__               __attribute__((host))
#define __global__             __attribute__((global))
#define __device__             __attribute__((device))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __noinline__           __attribute__((noinline))
#define __forceinline__        inline __attribute__((always_inline))
#define __align__(n)           __attribute__((aligned(n)))
#define __restrict__ __restrict
/* What is inlined of it counts as the line that calls it. */
#define CUDA_LITE static __device__ __forceinline__ __attribute__((nodebug))

#include "cuda/lite/vector.h"

#define CUDA_LITE_DIM(type, name, reg)                                         \
    CUDA_LITE type cuda_lite_##name()                                          \
    {                                                                          \
        return {(unsigned)__nvvm_read_ptx_sreg_##reg##_x(),                    \
                (unsigned)__nvvm_read_ptx_sreg_##reg##_y(),                    \
                (unsigned)__nvvm_read_ptx_sreg_##reg##_z()};                   \
    }
CUDA_LITE_DIM(uint3, thread, tid)
CUDA_LITE_DIM(uint3, block, ctaid)
CUDA_LITE_DIM(dim3, block_dim, ntid)
CUDA_LITE_DIM(dim3, grid_dim, nctaid)
#define threadIdx cuda_lite_thread()
#define blockIdx  cuda_lite_block()
#define blockDim  cuda_lite_block_dim()
#define gridDim   cuda_lite_grid_dim()
static constexpr int warpSize = 32;

#include "cuda/lite/math.h"

#include "cuda/lite/integer.h"
#include "cuda/lite/warp.h"

#include "cuda/lite/atomic.h"
#include "cuda/lite/host.h"
#include "cuda/lite/memory.h"
#include "cuda/lite/texture.h"

#include "cuda/lite/runtime.h"

#endif
#endif
