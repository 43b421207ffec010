/* out = transpose of the n x n matrix in, one element per thread. */
#include "../cuda_lite.h"

extern "C" __global__ void transpose(const float *in, float *out, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
             y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}
