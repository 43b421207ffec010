/* One step of a seven-point stencil on n x n x n values; the surface stays. An
 * thread has one column, from the lowest layer up. */
#include "../cuda_lite.h"

extern "C" __global__ void stencil(const float *in, float *out, unsigned n,
                                   float centre, float side)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
             y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= n || y >= n)
        return;
    bool inside = x > 0 && y > 0 && x + 1 < n && y + 1 < n;
    unsigned i = y * n + x, layer = n * n;
    float below, own = in[i], above = in[i + layer];
    out[i] = own;
    for (unsigned z = 1; z + 1 < n; z++) {
        i += layer;
        below = own;
        own = above;
        above = in[i + layer];
        out[i] =
            inside ? centre * own + side * (in[i - 1] + in[i + 1] + in[i - n] +
                                            in[i + n] + below + above)
                   : own;
    }
    out[i + layer] = above;
}
