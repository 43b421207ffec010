/* workloads/scan/ref.c - an exclusive prefix sum. */
#include "tool/workload.h"

static void gen(wl *w, unsigned n)
{
    unsigned ctas = (n + 255) / 256;
    uint32_t sum = 0;

    wl_require(w, n <= 65536, "at most 65536");
    uint32_t *in = wl_input_u32(w, "in", n);
    uint32_t *out = wl_expect_u32(w, "out", n);

    for (unsigned i = 0; i < n; i++) {
        in[i] = wl_below(w, 1000);
        out[i] = sum;
        sum += in[i];
    }
    wl_zero(w, "sums", WL_U32, ctas);
    wl_zero(w, "offsets", WL_U32, ctas);
    wl_expect_u32(w, "total", 1)[0] = sum;
    wl_launch(w, "scan_blocks", DIM1(ctas), DIM1(256), "in, out, sums, %u", n);
    wl_launch(w, "scan_blocks", DIM1(1), DIM1(256), "sums, offsets, total, %u",
              ctas);
    wl_launch(w, "add_sums", DIM1(ctas), DIM1(256), "out, offsets, %u", n);
}

const workload wl_scan = {"scan", "exclusive prefix sum", 65536, "elements",
                          gen};
