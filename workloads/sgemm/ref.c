/* workloads/sgemm/ref.c - a matrix product in double precision. */
#include "tool/workload.h"

static void gen(wl *w, unsigned n)
{
    wl_require(w, n % 16 == 0, "must be a multiple of 16");
    size_t items = (size_t)n * n;
    float *a = wl_input_f32(w, "a", items), *b = wl_input_f32(w, "b", items);
    float *c = wl_expect_f32(w, "c", items, 1e-4);
    double *row = wl_scratch(w, n * sizeof *row);

    for (size_t i = 0; i < items; i++) {
        a[i] = wl_uniform(w, -1, 1);
        b[i] = wl_uniform(w, -1, 1);
    }
    for (unsigned y = 0; y < n; y++) {
        for (unsigned x = 0; x < n; x++)
            row[x] = 0;
        for (unsigned k = 0; k < n; k++)
            for (unsigned x = 0; x < n; x++)
                row[x] += (double)a[(size_t)y * n + k] * b[(size_t)k * n + x];
        for (unsigned x = 0; x < n; x++)
            c[(size_t)y * n + x] = (float)row[x];
    }
    wl_launch(w, "sgemm", DIM2(n / 16, n / 16), DIM2(16, 16), "a, b, c, %u", n);
}

const workload wl_sgemm = {"sgemm", "matrix product by 16 x 16 tiles", 256,
                           "rows", gen};
