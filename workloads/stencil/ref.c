/* workloads/stencil/ref.c - heat on a plate, in double precision. */
#include "tool/workload.h"

enum { STEPS = 4 };
static const double centre = 0.5, side = 0.125; /* exact in binary */

static void step(const double *in, double *out, unsigned n)
{
    for (size_t i = 0; i < (size_t)n * n; i++) {
        size_t x = i % n, y = i / n;
        int edge = x == 0 || y == 0 || x == n - 1 || y == n - 1;

        out[i] = edge ? in[i]
                      : centre * in[i] + side * (in[i - n] + in[i + n] +
                                                 in[i - 1] + in[i + 1]);
    }
}

static void gen(wl *w, unsigned n)
{
    size_t items = (size_t)n * n;
    float *a = wl_input_f32(w, "a", items);
    float *last = wl_expect_f32(w, STEPS % 2 ? "b" : "a", items, 1e-5);
    double *v[2];

    v[0] = wl_scratch(w, items * sizeof **v);
    v[1] = wl_scratch(w, items * sizeof **v);
    wl_zero(w, "b", WL_F32, items);
    for (size_t i = 0; i < items; i++)
        v[0][i] = a[i] = wl_uniform(w, 0, 100);
    for (unsigned s = 0; s < STEPS; s++) {
        step(v[s % 2], v[(s + 1) % 2], n);
        wl_launch(w, "stencil", DIM2((n + 31) / 32, (n + 7) / 8), DIM2(32, 8),
                  "%s, %u, %g, %g", s % 2 ? "b, a" : "a, b", n, centre, side);
    }
    for (size_t i = 0; i < items; i++)
        last[i] = (float)v[STEPS % 2][i];
}

const workload wl_stencil = {"stencil", "five-point stencil, 4 steps", 512,
                             "rows", gen};
