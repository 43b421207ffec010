/* y = A x for a sparse matrix in CSR form, one row per thread. */
#include "../cuda_lite.h"

extern "C" __global__ void spmv(const unsigned *start, const unsigned *column,
                                const float *value, const float *x, float *y,
                                unsigned rows)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row >= rows)
        return;
    unsigned end = start[row + 1];
    float sum = 0;
    for (unsigned i = start[row]; i < end; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}
