/* workloads/bitonic/ref.c - sorted keys, by qsort. */
#include <stdlib.h>

#include "tool/workload.h"

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void gen(wl *w, unsigned n)
{
    wl_require(w, n >= 512 && (n & (n - 1)) == 0,
               "must be a power of two from 512");
    uint32_t *data = wl_input_u32(w, "data", n);
    uint32_t *sorted = wl_expect_u32(w, "data", n);
    wl_dim chunks = DIM1(n / 512), cta = DIM1(256);

    for (unsigned i = 0; i < n; i++)
        sorted[i] = data[i] = wl_random(w);
    qsort(sorted, n, sizeof *sorted, compare);
    wl_launch(w, "bitonic_local", chunks, cta, "data");
    for (unsigned k = 1024; k <= n; k *= 2) {
        for (unsigned j = k / 2; j >= 512; j /= 2)
            wl_launch(w, "bitonic_global", chunks, cta, "data, %u, %u", k, j);
        wl_launch(w, "bitonic_merge", chunks, cta, "data, %u", k);
    }
}

const workload wl_bitonic = {"bitonic", "bitonic sort of integers", 16384,
                             "keys", gen};
