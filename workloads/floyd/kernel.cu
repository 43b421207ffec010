/* Ways over vertex k, which do not change row and column k. */
#include "../cuda_lite.h"

extern "C" __global__ void pass(unsigned *d, unsigned n, unsigned k)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
             y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < n && y < n)
        d[y * n + x] = min(d[y * n + x], d[y * n + k] + d[k * n + x]);
}
