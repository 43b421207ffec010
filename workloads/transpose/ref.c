/* workloads/transpose/ref.c - the transpose of a square matrix. */
#include "tool/workload.h"

static void gen(wl *w, unsigned n)
{
    float *in = wl_input_f32(w, "in", (size_t)n * n);
    float *out = wl_expect_f32(w, "out", (size_t)n * n, 0);
    unsigned tiles = (n + 31) / 32;

    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0; x < n; x++)
            out[(size_t)x * n + y] = in[(size_t)y * n + x] =
                wl_uniform(w, -1, 1);
    wl_launch(w, "transpose", DIM2(tiles, tiles), DIM2(32, 8), "in, out, %u",
              n);
}

const workload wl_transpose = {"transpose", "matrix transpose by tiles", 512,
                               "rows", gen};
