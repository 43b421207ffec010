/* One pass of a radix-2 Stockham FFT of n complex numbers: `run` counts up
 * 1, 2, 4, ... n/2 over the passes. One butterfly per thread. */
#include "../cuda_lite.h"

extern "C" __global__ void fft_pass(const float2 *in, float2 *out, unsigned n,
                                    unsigned run)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n / 2)
        return;
    unsigned k = i & (run - 1);
    float angle = -3.14159265f * (float)k / (float)run;
    float c = __cosf(angle), s = __sinf(angle);
    float2 a = in[i], b = in[i + n / 2];
    float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    unsigned j = 2 * i - k;
    out[j] = make_float2(a.x + t.x, a.y + t.y);
    out[j + run] = make_float2(a.x - t.x, a.y - t.y);
}
