/* workloads/vecadd/ref.c - the sum of two vectors. */
#include "tool/workload.h"

static void gen(wl *w, unsigned n)
{
    float *a = wl_input_f32(w, "a", n), *b = wl_input_f32(w, "b", n);
    float *c = wl_expect_f32(w, "c", n, 0);

    for (unsigned i = 0; i < n; i++) {
        a[i] = wl_uniform(w, -1, 1);
        b[i] = wl_uniform(w, -1, 1);
        c[i] = a[i] + b[i];
    }
    wl_launch(w, "vecadd", DIM1((n + 255) / 256), DIM1(256), "a, b, c, %u", n);
}

const workload wl_vecadd = {"vecadd", "sum of two vectors", 1u << 20,
                            "elements", gen};
