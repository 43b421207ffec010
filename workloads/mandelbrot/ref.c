/* workloads/mandelbrot/ref.c - escape times in 64-bit integers, without the
 * kernel's shortcut for orbits that repeat. */
#include "tool/workload.h"

static unsigned escape(int64_t cx, int64_t cy, unsigned max)
{
    int64_t x = 0, y = 0;

    for (unsigned i = 0; i < max; i++) {
        int64_t x2 = x * x >> 12, y2 = y * y >> 12;

        if (x2 + y2 > 4 * 4096)
            return i;
        y = (x * y >> 11) + cy;
        x = x2 - y2 + cx;
    }
    return max;
}

static void gen(wl *w, unsigned n)
{
    const unsigned max = 256;

    wl_require(w, n <= 16384, "at most 16384");
    uint32_t *steps = wl_expect_u32(w, "steps", (size_t)n * n);

    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0; x < n; x++)
            steps[(size_t)y * n + x] =
                escape((int64_t)x * 12288 / n - 8192,
                       (int64_t)y * 8192 / n - 4096, max);
    wl_launch(w, "mandelbrot", DIM2((n + 15) / 16, (n + 7) / 8), DIM2(16, 8),
              "steps, %u, %u", n, max);
}

const workload wl_mandelbrot = {"mandelbrot", "escape times, divergent loops",
                                256, "rows", gen};
