/* The sum of `width` values of each row. Items that are neighbours read places
 * that are a row apart: none of the loads is coalesced. */
#include "../cuda_lite.h"

extern "C" __global__ void sum_rows(const float *in, float *out, unsigned rows,
                                    unsigned pitch, unsigned width)
{
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (r >= rows)
        return;
    for (unsigned c = 0; c < width; c++)
        sum += in[r * pitch + c];
    out[r] = sum;
}
