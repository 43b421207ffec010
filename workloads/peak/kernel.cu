/* Eight chains of 32 multiply-adds: each instruction is independent of the
 * seven before it. */
#include "../cuda_lite.h"

extern "C" __global__ void peak(float *x, float a, float b, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[8], sum = 0;

    if (i >= n)
        return;
#pragma unroll
    for (unsigned c = 0; c < 8; c++)
        v[c] = x[i] + c;
#pragma unroll
    for (unsigned s = 0; s < 32; s++)
#pragma unroll
        for (unsigned c = 0; c < 8; c++)
            v[c] = fmaf(v[c], a, b);
#pragma unroll
    for (unsigned c = 0; c < 8; c++)
        sum += v[c];
    x[i] = sum;
}
