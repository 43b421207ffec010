/* c = a b for n x n matrices, one element of c per thread. */
#include "../cuda_lite.h"

extern "C" __global__ void sgemm(const float *a, const float *b, float *c,
                                 unsigned n)
{
    unsigned col = blockIdx.x * blockDim.x + threadIdx.x,
             row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    if (col >= n || row >= n)
        return;
    for (unsigned k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
