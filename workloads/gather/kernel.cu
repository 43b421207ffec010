/* Each thread looks up `loads` values of a table at random and weighs the last
 * ones most. The indices are coalesced, the values lie all over the table. */
#include "../cuda_lite.h"

extern "C" __global__ void gather(const unsigned *index, const float *table,
                                  float *out, unsigned n, unsigned loads)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (i >= n)
        return;
    for (unsigned k = 0; k < loads; k++)
        sum = 0.75f * sum + table[index[k * n + i]];
    out[i] = sum;
}
