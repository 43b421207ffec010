/* workloads/montecarlo/ref.c - the same points counted with integers: x*x +
 * y*y < 2^52. */
#include "tool/workload.h"

enum { DRAWS = 32 };

static void gen(wl *w, unsigned n)
{
    uint32_t *total = wl_expect_u32(w, "total", 2); /* a 64-bit number */
    uint32_t *hits = wl_expect_u32(w, "hits", n);
    uint64_t sum = 0;

    for (unsigned i = 0; i < n; i++) {
        uint64_t s = (i + 1) * 0x9e3779b97f4a7c15u;

        for (unsigned d = 0; d < DRAWS; d++) {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            uint64_t x = s & 0x3ffffff, y = s >> 38;

            hits[i] += x * x + y * y < 1ull << 52;
        }
        sum += hits[i];
    }
    total[0] = (uint32_t)sum;
    total[1] = (uint32_t)(sum >> 32);
    wl_launch(w, "montecarlo", DIM1((n + 127) / 128), DIM1(128),
              "total, hits, %u, %u", n, DRAWS);
}

const workload wl_montecarlo = {"montecarlo", "pi by chance, 64-bit arithmetic",
                                8192, "threads", gen};
