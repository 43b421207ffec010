/* Sums in[0..n): each CTA of 256 adds a grid-strided share and leaves one
 * partial sum. Shuffles inside a warp, shared memory between warps. */
#include "../cuda_lite.h"

extern "C" __global__ void reduce_sum(const float *in, float *out, unsigned n)
{
    __shared__ float part[8];
    unsigned t = threadIdx.x;
    float sum = 0;

    for (unsigned i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        sum += in[i];
    for (unsigned d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < 8 ? part[t] : 0;
        for (unsigned d = 4; d; d /= 2)
            sum += __shfl_down_sync(~0u, sum, d);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}
