/* y = L x, one row per thread; row r has r + 1 values. */
#include "../cuda_lite.h"

extern "C" __global__ void multiply(const float *l, const float *x, float *y,
                                    unsigned n)
{
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (r >= n)
        return;
    for (unsigned c = 0; c <= r; c++)
        sum += l[c * n + r] * x[c];
    y[r] = sum;
}
