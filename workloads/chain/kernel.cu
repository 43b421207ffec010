/* 256 multiply-adds, each of which needs the one before. */
#include "../cuda_lite.h"

extern "C" __global__ void chain(float *x, float a, float b, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float v = x[i];
#pragma unroll
    for (unsigned s = 0; s < 256; s++)
        v = fmaf(v, a, b);
    x[i] = v;
}
