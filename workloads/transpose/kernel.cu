/* out = transpose of the n x n matrix in, by 32 x 32 tiles; CTAs of 32 x 8.
 * The tile's rows are one word longer, so that columns hit 32 banks. */
#include "../cuda_lite.h"

extern "C" __global__ void transpose(const float *in, float *out, unsigned n)
{
    __shared__ float tile[32][33];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned x = blockIdx.x * 32, y = blockIdx.y * 32;

    for (unsigned r = ty; r < 32; r += 8)
        if (y + r < n && x + tx < n)
            tile[r][tx] = in[(y + r) * n + x + tx];
    __syncthreads();
    for (unsigned r = ty; r < 32; r += 8)
        if (x + r < n && y + tx < n)
            out[(x + r) * n + y + tx] = tile[tx][r];
}
