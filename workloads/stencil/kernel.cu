/* One step of a five-point stencil on an n x n grid; the border stays. CTAs of
 * 32 x 8 keep their tile and its rim in shared memory. */
#include "../cuda_lite.h"

extern "C" __global__ void stencil(const float *in, float *out, unsigned n,
                                   float centre, float side)
{
    __shared__ float tile[10][34];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    bool inside = x < n && y < n;

    if (inside) {
        tile[ty + 1][tx + 1] = in[y * n + x];
        if (ty == 0 && y > 0)
            tile[0][tx + 1] = in[(y - 1) * n + x];
        if (ty == 7 && y + 1 < n)
            tile[9][tx + 1] = in[(y + 1) * n + x];
        if (tx == 0 && x > 0)
            tile[ty + 1][0] = in[y * n + x - 1];
        if (tx == 31 && x + 1 < n)
            tile[ty + 1][33] = in[y * n + x + 1];
    }
    __syncthreads();
    if (!inside)
        return;
    float v = tile[ty + 1][tx + 1];
    if (x > 0 && y > 0 && x + 1 < n && y + 1 < n)
        v = centre * v + side * (tile[ty][tx + 1] + tile[ty + 2][tx + 1] +
                                 tile[ty + 1][tx] + tile[ty + 1][tx + 2]);
    out[y * n + x] = v;
}
