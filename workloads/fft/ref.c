/* workloads/fft/ref.c - the Fourier transform by its definition, in double
 * precision: n^2 steps, so n is kept small. */
#include <math.h>

#include "tool/workload.h"

static void gen(wl *w, unsigned n)
{
    unsigned passes = 0;

    wl_require(w, n >= 2 && n <= 16384 && (n & (n - 1)) == 0,
               "must be a power of two from 2 to 16384");
    while (1u << passes < n)
        passes++;
    float *in = wl_input_f32(w, "a", (size_t)n * 2);
    float *out = wl_expect_f32(w, passes % 2 ? "b" : "a", (size_t)n * 2, 1e-3);
    double *root = wl_scratch(w, n * 2 * sizeof *root);

    wl_zero(w, "b", WL_F32, (size_t)n * 2);
    for (unsigned i = 0; i < n; i++) {
        root[2 * i] = cos(2 * acos(-1) * i / n);
        root[2 * i + 1] = -sin(2 * acos(-1) * i / n);
        in[2 * i] = wl_uniform(w, -1, 1);
        in[2 * i + 1] = wl_uniform(w, -1, 1);
    }
    for (unsigned f = 0; f < n; f++) {
        double re = 0, im = 0;

        for (unsigned i = 0; i < n; i++) {
            const double *r = &root[2 * ((uint64_t)f * i % n)];

            re += in[2 * i] * r[0] - in[2 * i + 1] * r[1];
            im += in[2 * i] * r[1] + in[2 * i + 1] * r[0];
        }
        out[2 * f] = (float)re;
        out[2 * f + 1] = (float)im;
    }
    for (unsigned p = 0; p < passes; p++)
        wl_launch(w, "fft_pass", DIM1((n / 2 + 127) / 128), DIM1(128),
                  "%s, %u, %u", p % 2 ? "b, a" : "a, b", n, 1u << p);
}

const workload wl_fft = {"fft", "radix-2 Stockham FFT", 4096, "points", gen};
