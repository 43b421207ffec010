/* workloads/histogram/ref.c - how often each byte value occurs. */
#include "tool/workload.h"

static void gen(wl *w, unsigned n)
{
    unsigned words = (n + 3) / 4;
    uint32_t *in = wl_input_u32(w, "in", words);
    uint32_t *bins = wl_expect_u32(w, "bins", 256);

    for (unsigned i = 0; i < words; i++)
        for (unsigned b = 0; b < 4; b++) {
            /* the smaller of two: low values collide more often */
            unsigned x = wl_below(w, 256), y = wl_below(w, 256);
            unsigned v = x < y ? x : y;

            in[i] |= v << 8 * b;
            bins[v]++;
        }
    wl_launch(w, "histogram", DIM1((words + 1023) / 1024), DIM1(256),
              "in, bins, %u", words);
}

const workload wl_histogram = {"histogram", "byte histogram with atomics",
                               1u << 20, "bytes", gen};
