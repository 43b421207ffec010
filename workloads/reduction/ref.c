/* workloads/reduction/ref.c - a sum in double precision. */
#include "tool/workload.h"

static void gen(wl *w, unsigned n)
{
    unsigned ctas = (n + 1023) / 1024;
    float *in = wl_input_f32(w, "in", n);
    double sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += in[i] = wl_uniform(w, 0, 1);
    wl_zero(w, "partial", WL_F32, ctas);
    wl_expect_f32(w, "out", 1, 1e-5)[0] = (float)sum;
    wl_launch(w, "reduce_sum", DIM1(ctas), DIM1(256), "in, partial, %u", n);
    wl_launch(w, "reduce_sum", DIM1(1), DIM1(256), "partial, out, %u", ctas);
}

const workload wl_reduction = {"reduction", "sum of an array", 1u << 20,
                               "elements", gen};
