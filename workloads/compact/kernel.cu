/* Appends the values below `bound` to `out`. */
#include "../cuda_lite.h"

extern "C" __global__ void compact(const unsigned *in, unsigned *out,
                                   unsigned *length, unsigned bound, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && in[i] < bound)
        out[atomicAdd(length, 1u)] = in[i];
}
