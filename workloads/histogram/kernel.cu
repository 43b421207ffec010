/* Counts bytes: each CTA counts its share in shared memory with atomics and
 * adds the 256 sums to the result. `in` holds four bytes a word. */
#include "../cuda_lite.h"

extern "C" __global__ void histogram(const unsigned *in, unsigned *bins,
                                     unsigned words)
{
    __shared__ unsigned own[256];
    unsigned t = threadIdx.x;

    own[t] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * 256 + t; i < words; i += gridDim.x * 256) {
        unsigned v = in[i];
        for (unsigned b = 0; b < 4; b++)
            atomicAdd(&own[v >> 8 * b & 255], 1u);
    }
    __syncthreads();
    if (own[t])
        atomicAdd(&bins[t], own[t]);
}
