/* c = a b for n x n matrices, n a multiple of 16: each CTA of 16 x 16 computes
 * one tile of c from tiles of a and b in shared memory. */
#include "../cuda_lite.h"

extern "C" __global__ void sgemm(const float *a, const float *b, float *c,
                                 unsigned n)
{
    __shared__ float ta[16][16], tb[16][16];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float sum = 0;

    for (unsigned k = 0; k < n; k += 16) {
        ta[ty][tx] = a[row * n + k + tx];
        tb[ty][tx] = b[(k + ty) * n + col];
        __syncthreads();
        for (unsigned i = 0; i < 16; i++)
            sum += ta[ty][i] * tb[i][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
