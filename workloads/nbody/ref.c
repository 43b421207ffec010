/* workloads/nbody/ref.c - gravity between all pairs, in double precision. */
#include <math.h>

#include "tool/workload.h"

static void gen(wl *w, unsigned n)
{
    const double soft2 = 0.0625; /* exact in binary */

    wl_require(w, n % 256 == 0, "must be a multiple of 256");
    float *body = wl_input_f32(w, "body", (size_t)n * 4);
    float *accel = wl_expect_f32(w, "accel", (size_t)n * 4, 1e-3);

    for (unsigned i = 0; i < n; i++) {
        for (unsigned d = 0; d < 3; d++)
            body[4 * i + d] = wl_uniform(w, -8, 8);
        body[4 * i + 3] = wl_uniform(w, 0, 1);
    }
    for (unsigned i = 0; i < n; i++) {
        double a[3] = {0};

        for (unsigned j = 0; j < n; j++) {
            double r[3], r2 = soft2;

            for (unsigned d = 0; d < 3; d++) {
                r[d] = (double)body[4 * j + d] - body[4 * i + d];
                r2 += r[d] * r[d];
            }
            for (unsigned d = 0; d < 3; d++)
                a[d] += body[4 * j + 3] * r[d] / (r2 * sqrt(r2));
        }
        for (unsigned d = 0; d < 3; d++)
            accel[4 * i + d] = (float)a[d];
    }
    wl_launch(w, "nbody", DIM1(n / 256), DIM1(256), "body, accel, %u, %g", n,
              soft2);
}

const workload wl_nbody = {"nbody", "gravity between all pairs", 1024, "bodies",
                           gen};
