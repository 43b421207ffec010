/* tests/hardware/curves/l2.c - bandwidth of the L2 and of what is behind it by
 * working set: CTAs of 1024 threads read 512 kB of doubles each, and as many
 * different pieces as fit the set follow each other, so that neighbours read
 * the same piece only if there are few, as gpu-benches' gpu-l2-cache does
 * [GPUB:l2-cache]. */
#include "bench.h"

enum {
    THREADS = 1024,
    LOADS = 64,
    DOUBLE = 8,
    PIECE = THREADS * LOADS * DOUBLE
};

/* Parameters: the array, pieces, what no sum is. CTA c has piece c modulo
 * pieces; of it two neighbouring rows of threads in each step, each step a
 * whole set apart from the next. */
static void *make_kernel(bench *b)
{
    bench_ptx p;
    bench_ptx_begin(&p, 3, "sm_35");

    fputs("mov.u32 %r1, %ctaid.x;\ncvt.u32.u64 %r2, %rd92;\n"
          "rem.u32 %r1, %r1, %r2;\nshl.b32 %r1, %r1, 14;\n"
          "cvt.u64.u32 %rd1, %r1;\nadd.u64 %rd1, %rd1, %rd91;\n"
          "mul.wide.u32 %rd2, %r90, 8;\nadd.u64 %rd1, %rd1, %rd2;\n"
          "shl.b64 %rd3, %rd92, 14;\nmov.f64 %fd1, 0d0000000000000000;\n"
          "mov.u32 %r3, 0;\nLOOP:\n",
          p.to);
    for (unsigned i = 0; i < 4; i++)
        fprintf(p.to,
                "ld.global.nc.f64 %%fd%u, [%%rd1];\n"
                "ld.global.nc.f64 %%fd%u, [%%rd1+%u];\n"
                "add.u64 %%rd1, %%rd1, %%rd3;\n",
                10 + i, 20 + i, THREADS * DOUBLE);
    for (unsigned i = 0; i < 4; i++)
        fprintf(p.to, "fma.rn.f64 %%fd1, %%fd%u, %%fd%u, %%fd1;\n", 10 + i,
                20 + i);
    fprintf(p.to,
            "add.u32 %%r3, %%r3, 8;\nsetp.lt.u32 %%p1, %%r3, %d;\n"
            "@%%p1 bra LOOP;\nsetp.neu.f64 %%p2, %%fd1, 0d405EC00000000000;\n"
            "@%%p2 ret;\nst.global.f64 [%%rd90], %%fd1;\n",
            LOADS);
    return bench_ptx_end(b, &p);
}

/* GB/s of what `ctas` more CTAs read in the time that they take longer: the
 * first launch has brought in what the L2 holds. */
static double bandwidth(bench *b, void *kernel, cu_pointer at, unsigned pieces)
{
    /* Those that are at once, and at least once around. */
    unsigned wave = 2 * b->sms;
    unsigned first = wave > pieces ? wave : (pieces + wave - 1) / wave * wave;
    double all[BENCH_REPEATS];

    for (unsigned i = 0; i < b->repeat; i++) {
        bench_launch l = {.ctas = first,
                          .threads = THREADS,
                          .arguments = {b->out, at, pieces}};
        double ms = bench_run(b, kernel, &l); /* fills the L2 */

        l.ctas = first + 2 * wave;
        ms = bench_run(b, kernel, &l);
        l.ctas = first;
        ms -= bench_run(b, kernel, &l);
        all[i] = 2.0 * wave * PIECE * 1e-6 / ms;
    }
    return bench_middle(all, b->repeat);
}

static const double sizes[] = {1536, 2560, 8704, 15360, 30720, 63488};
static const double few[] = {2560, 8704};

void curve_l2(bench *b)
{
    bench_xs x = bench_xs_of(b, BENCH_XS(sizes), BENCH_XS(few));
    void *kernel = make_kernel(b);

    for (unsigned i = 0; kernel && i < x.count; i++) {
        unsigned pieces = (unsigned)(x.at[i] * 1024) / PIECE;
        size_t bytes = (size_t)(pieces ? pieces : 1) * PIECE;
        cu_pointer at = bench_alloc(b, bytes);

        if (at && bench_ok(b, b->cu.fill(at, 0, bytes), "cuMemsetD8"))
            bench_point(b, "", x.at[i],
                        bandwidth(b, kernel, at, pieces ? pieces : 1));
        bench_free(b, at);
    }
    b->failed |= !kernel;
}
