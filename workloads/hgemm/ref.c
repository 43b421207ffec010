/* workloads/hgemm/ref.c - a product of matrices of halves in double precision.
 * Elements are multiples of 1/256 between -1 and 1, which halves hold. */
#include "tool/workload.h"

/* v / 256 as a half; |v| is at most 256. */
static uint32_t half_of(int v)
{
    unsigned sign = v < 0 ? 0x8000 : 0, m = v < 0 ? (unsigned)-v : (unsigned)v;
    unsigned exp = 15 + 2; /* of 2^10 / 256 */

    if (!m)
        return 0;
    for (; m < 1024; exp--)
        m *= 2;
    return sign | exp << 10 | (m & 1023);
}

static void gen(wl *w, unsigned n)
{
    wl_require(w, n % 64 == 0, "must be a multiple of 64");
    size_t items = (size_t)n * n;
    uint32_t *a = wl_input_u32(w, "a", items / 2); /* two halves each */
    uint32_t *b = wl_input_u32(w, "b", items / 2);
    float *c = wl_expect_f32(w, "c", items, 1e-4);
    int *va = wl_scratch(w, items * sizeof *va);
    int *vb = wl_scratch(w, items * sizeof *vb);

    for (size_t i = 0; i < items; i++) {
        va[i] = (int)wl_below(w, 513) - 256;
        vb[i] = (int)wl_below(w, 513) - 256;
        a[i / 2] |= half_of(va[i]) << 16 * (i % 2);
        b[i / 2] |= half_of(vb[i]) << 16 * (i % 2);
    }
    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0; x < n; x++) {
            int64_t sum = 0; /* exact, in units of 2^-16 */

            for (unsigned k = 0; k < n; k++)
                sum += (int64_t)va[(size_t)y * n + k] * vb[(size_t)k * n + x];
            c[(size_t)y * n + x] = (float)((double)sum / 65536);
        }
    wl_launch(w, "hgemm", DIM2(n / 64, n / 64), DIM1(128), "a, b, c, %u", n);
}

const workload wl_hgemm = {"hgemm", "matrix product of halves on tensor cores",
                           256, "rows", gen};
