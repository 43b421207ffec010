/* y = A x for a sparse matrix in CSR form, one row per warp: lane i takes the
 * values i, i + 32, ... of the row; shuffles add the lanes. */
#include "../cuda_lite.h"

extern "C" __global__ void spmv_vector(const unsigned *start,
                                       const unsigned *column,
                                       const float *value, const float *x,
                                       float *y, unsigned rows)
{
    unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;

    if (row >= rows)
        return; /* the whole warp */
    unsigned end = start[row + 1];
    float sum = 0;
    for (unsigned i = start[row] + lane; i < end; i += 32)
        sum += value[i] * x[column[i]];
    for (unsigned d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}
