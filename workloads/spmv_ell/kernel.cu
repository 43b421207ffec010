/* y = A x for a sparse matrix in ELLPACK form, one row per thread: value k of
 * all rows, then value k + 1. Rows are filled up with zeros. */
#include "../cuda_lite.h"

extern "C" __global__ void spmv_ell(const unsigned *column, const float *value,
                                    const float *x, float *y, unsigned rows,
                                    unsigned width)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (row >= rows)
        return;
    for (unsigned k = 0; k < width; k++)
        sum += value[k * rows + row] * x[column[k * rows + row]];
    y[row] = sum;
}
