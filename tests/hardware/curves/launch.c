/* tests/hardware/curves/launch.c - what a launch costs, and the clock that
 * turns times into cycles. */
#include "bench.h"

/* Microseconds of the timer that a spin takes. */
enum { SPIN_US = 400 };

static void *make_spin(bench *b)
{
    bench_ptx p;
    bench_ptx_begin(&p, 1, "sm_30"); /* nanoseconds */

    fputs("mov.u64 %rd1, %globaltimer;\nWAIT:\nmov.u64 %rd2, %globaltimer;\n"
          "setp.eq.u64 %p1, %rd1, %rd2;\n@%p1 bra WAIT;\n"
          "mov.u64 %rd3, %clock64;\nadd.u64 %rd4, %rd2, %rd91;\nSPIN:\n"
          "mov.u64 %rd5, %globaltimer;\nsetp.lt.u64 %p2, %rd5, %rd4;\n"
          "@%p2 bra SPIN;\nmov.u64 %rd6, %clock64;\nsub.u64 %rd6, %rd6, %rd3;\n"
          "sub.u64 %rd5, %rd5, %rd2;\nst.global.u64 [%rd90], %rd6;\n"
          "st.global.u64 [%rd90+8], %rd5;\n",
          p.to);
    return bench_ptx_end(b, &p);
}

/* Cycles in a microsecond of the timer. */
static double clock_mhz(bench *b, void *kernel, const bench_launch *l)
{
    uint64_t passed[2] = {0, 0};

    if (bench_run(b, kernel, l) < 0 ||
        !bench_ok(b, b->cu.to_host(passed, b->out, sizeof passed),
                  "cuMemcpyDtoH") ||
        !passed[1])
        return 0;
    return (double)passed[0] * 1e3 / (double)passed[1];
}

double bench_clock(bench *b)
{
    void *kernel = make_spin(b);
    bench_launch l = {
        .ctas = 1, .threads = 1, .arguments = {b->out, SPIN_US * 1000}};

    return kernel ? bench_median(b, kernel, &l, clock_mhz) * 1e3 : 0;
}

void curve_clock(bench *b) { bench_point(b, "", 1, bench_clock(b) * 1e-3); }

void curve_launch(bench *b)
{
    bench_ptx p;
    bench_ptx_begin(&p, 0, "sm_30");
    void *kernel = bench_ptx_end(b, &p);
    double clock = kernel ? bench_clock(b) : 0;

    /* The first launch brings code and what the driver puts off. */
    bench_launch first = {.ctas = 1, .threads = 32, .arguments = {b->out}};
    if (kernel)
        bench_run(b, kernel, &first);
    for (unsigned n = 1; clock > 0 && n <= 64; n *= 4) {
        bench_launch l = {
            .ctas = b->sms * n, .threads = 128, .arguments = {b->out}};
        double ms = bench_median(b, kernel, &l, bench_run);

        bench_point(b, "", n, ms * clock);
    }
    b->failed |= !(clock > 0);
}
