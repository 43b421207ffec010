/* workloads/resize/ref.c - linear interpolation in double precision. The image
 * goes on beyond its edges with the texels there. */
#include "tool/workload.h"

#include <math.h>

static double texel(const float *in, long x, long y, long n)
{
    x = x < 0 ? 0 : x >= n ? n - 1 : x;
    y = y < 0 ? 0 : y >= n ? n - 1 : y;
    return (double)in[y * n + x];
}

/* Texels have their values at their centres. */
static double between(const float *in, double u, double v, long n)
{
    double x = floor(u - 0.5), y = floor(v - 0.5);
    double a = u - 0.5 - x, b = v - 0.5 - y;
    long i = (long)x, j = (long)y;

    return (1 - b) *
               ((1 - a) * texel(in, i, j, n) + a * texel(in, i + 1, j, n)) +
           b * ((1 - a) * texel(in, i, j + 1, n) +
                a * texel(in, i + 1, j + 1, n));
}

static void gen(wl *w, unsigned n)
{
    const double step = 0.40625; /* 104 / 256 */
    unsigned m = n * 2 + 3;
    float *in = wl_input_f32(w, "in", (size_t)n * n);
    float *out = wl_expect_f32(w, "out", (size_t)m * m, 1e-5);

    wl_image(w, "in", n, n);
    wl_image(w, "out", m, m);
    wl_sampler(w, "smooth", "filter: linear, address: edge");
    for (size_t i = 0; i < (size_t)n * n; i++)
        in[i] = wl_uniform(w, 0, 1);
    wl_launch(w, "resize", DIM2((m + 15) / 16, (m + 7) / 8), DIM2(16, 8),
              "{texture: [in, smooth]}, smooth, out, %u, %g", m, step);
    for (size_t i = 0; i < (size_t)m * m; i++) {
        double u = (double)(i % m) * step + 0.5;
        double v = (double)(i / m) * step + 0.5;
        double sum = between(in, u + 0.5, v, n) + between(in, u - 0.5, v, n) +
                     between(in, u, v + 0.5, n) + between(in, u, v - 0.5, n);

        out[i] = (float)(2 * between(in, u, v, n) - 0.25 * sum);
    }
}

const workload wl_resize = {"resize", "image magnified and sharpened", 256,
                            "rows", gen};
