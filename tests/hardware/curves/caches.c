/* tests/hardware/curves/caches.c - bandwidth of caches by working set: a CTA on
 * each SM reads the same two arrays of floats again and again, as gpu-benches'
 * gpu-cache does [GPUB:cache]; and cycles of a warp's load from the L1 by
 * stride, as its gpu-strides [GPUB:strides]. */
#include "bench.h"

enum { THREADS = 512, FLOAT = 4, STEP = THREADS * FLOAT, UNROLL = 32 };

/* `loads` of each array at offsets that the instructions have, as many times as
 * `count` says; behind each the base moves on, if the arrays are longer. */
static void loop(bench_ptx *p, const char *label, const char *count,
                 unsigned loads, bool moves)
{
    fprintf(p->to, "mov.u64 %%rd1, %s;\n%s:\n", count, label);
    for (unsigned from = 0; from < loads; from += UNROLL / 2) {
        unsigned n = loads - from < UNROLL / 2 ? loads - from : UNROLL / 2;

        for (unsigned i = 0; i < n; i++)
            fprintf(p->to,
                    "ld.global.nc.f32 %%f%u, [%%rd3+%u];\n"
                    "ld.global.nc.f32 %%f%u, [%%rd4+%u];\n",
                    10 + i, (from + i) * STEP, 50 + i, (from + i) * STEP);
        for (unsigned i = 0; i < n; i++)
            fprintf(p->to, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n",
                    1 + i % 4, 10 + i, 50 + i, 1 + i % 4);
    }
    /* The base is what it was, which the compiler cannot know. */
    if (!moves)
        fputs("add.u64 %rd3, %rd3, %rd95;\nadd.u64 %rd4, %rd4, %rd95;\n",
              p->to);
    else
        fprintf(p->to,
                "add.u64 %%rd3, %%rd3, %u;\nsetp.ge.u64 %%p2, %%rd3, %%rd5;\n"
                "@%%p2 mov.u64 %%rd3, %%rd6;\nadd.u64 %%rd4, %%rd3, %%rd92;\n",
                loads * STEP);
    fprintf(p->to,
            "sub.u64 %%rd1, %%rd1, 1;\nsetp.gt.s64 %%p1, %%rd1, 0;\n"
            "@%%p1 bra %s;\n",
            label);
}

/* Parameters: the arrays, one's bytes, trips before, trips that are timed,
 * zero. */
static void *make_kernel(bench *b, unsigned loads, bool moves)
{
    bench_ptx p;
    bench_ptx_begin(&p, 5, "sm_35");

    fputs("mul.wide.u32 %rd3, %r90, 4;\nadd.u64 %rd3, %rd3, %rd91;\n"
          "mov.u64 %rd6, %rd3;\nadd.u64 %rd4, %rd3, %rd92;\n"
          "mov.u64 %rd5, %rd4;\nmov.f32 %f1, 0f00000000;\n"
          "mov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\nmov.f32 %f4, %f1;\n",
          p.to);
    loop(&p, "WARM", "%rd93", loads, moves);
    bench_ptx_start(&p);
    loop(&p, "TIMED", "%rd94", loads, moves);
    fputs("add.f32 %f1, %f1, %f2;\nadd.f32 %f3, %f3, %f4;\n"
          "add.f32 %f1, %f1, %f3;\nmov.b32 %r1, %f1;\n",
          p.to);
    bench_ptx_stop(&p, "%r1");
    return bench_ptx_end(b, &p);
}

/* kB: fewer would measure the loop; beyond 350 multiples of 128, as a trip
 * reads 128. */
static const double sizes[] = {16,   32,    64,    96,    112,   120,  128,
                               172,  236,   328,   640,   1152,  2560, 4736,
                               8832, 16640, 31104, 58368, 131072};
static const double few[] = {32, 640};

/* Bytes that an SM gets in a cycle, of the slowest. */
static double bandwidth(bench *b, unsigned kb)
{
    size_t half = (size_t)kb * 512;
    unsigned rounds = (unsigned)(half / STEP);
    bool moves = kb > 350;
    unsigned loads = moves ? UNROLL : rounds;
    unsigned pass = rounds / loads;
    unsigned trips = pass * 2 * loads >= 512 ? pass : 256 / loads;
    void *kernel = make_kernel(b, loads, moves);
    cu_pointer at = kernel ? bench_alloc(b, 2 * half) : 0;
    double cycles = 0;

    /* A part is enough of what the caches behind the L1 hold. */
    if (trips * loads > 1024)
        trips = 1024 / loads;
    bench_launch l = {.ctas = b->sms,
                      .threads = THREADS,
                      .arguments = {b->out, at, half, pass, trips, 0}};
    if (at && bench_ok(b, b->cu.fill(at, 0, 2 * half), "cuMemsetD8"))
        cycles = bench_median(b, kernel, &l, bench_cycles);
    bench_free(b, at);
    return cycles > 0 ? (double)trips * loads * 2 * STEP / cycles : 0;
}

void curve_caches(bench *b)
{
    bench_xs x = bench_xs_of(b, BENCH_XS(sizes), BENCH_XS(few));

    for (unsigned i = 0; i < x.count; i++)
        if (b->level != USUAL || b->asked_count || x.at[i] <= 1200)
            bench_point(b, "", x.at[i], bandwidth(b, (unsigned)x.at[i]));
}

/* ---- Strides ---- */

enum { STRIDE_THREADS = 1024, STRIDE_LOADS = 8, STRIDE_TRIPS = 32 };

static void *make_strides(bench *b, unsigned bytes)
{
    bench_ptx p;
    bench_ptx_begin(&p, 3, "sm_35"); /* array, zero, stride */
    const char *type = bytes == 4 ? "f32" : "f64";
    const char *r = bytes == 4 ? "f" : "fd";

    fprintf(p.to,
            "and.b32 %%r1, %%r90, 63;\ncvt.u64.u32 %%rd1, %%r1;\n"
            "mul.lo.u64 %%rd1, %%rd1, %%rd93;\nadd.u64 %%rd1, %%rd1, %%rd91;\n"
            "mov.%s %%%s1, %s;\nld.global.nc.%s %%%s2, [%%rd1];\n"
            "mov.u32 %%r2, %d;\nmov.u32 %%r3, 0;\nLOOP:\n"
            "setp.ne.u32 %%p2, %%r3, 1;\n@%%p2 bra BODY;\n",
            type, r, bytes == 4 ? "0f00000000" : "0d0000000000000000", type, r,
            2 * STRIDE_TRIPS);
    /* The first half brings everything into the L1; then the clock starts. */
    bench_ptx_start(&p);
    fputs("BODY:\nadd.u64 %rd1, %rd1, %rd92;\n", p.to);
    for (unsigned i = 0; i < STRIDE_LOADS; i++)
        fprintf(p.to, "ld.global.nc.%s %%%s%u, [%%rd1+%u];\n", type, r, 10 + i,
                4 * i * bytes);
    for (unsigned i = 0; i < STRIDE_LOADS; i += 2)
        fprintf(p.to, "fma.rn.%s %%%s1, %%%s%u, %%%s%u, %%%s1;\n", type, r, r,
                10 + i, r, 11 + i, r);
    fprintf(p.to,
            "sub.u32 %%r2, %%r2, 1;\nsetp.eq.u32 %%p3, %%r2, %d;\n"
            "selp.u32 %%r3, 1, 0, %%p3;\nsetp.ne.u32 %%p1, %%r2, 0;\n"
            "@%%p1 bra LOOP;\n",
            STRIDE_TRIPS);
    fprintf(p.to, bytes == 4 ? "mov.b32 %%r1, %%f1;\n"
                             : "cvt.rni.s32.f64 %%r1, %%fd1;\n");
    bench_ptx_stop(&p, "%r1");
    return bench_ptx_end(b, &p);
}

void curve_strides(bench *b)
{
    cu_pointer at = bench_alloc(b, 1 << 16);
    unsigned most = b->level == QUICK ? 4 : 17;

    if (!at || !bench_ok(b, b->cu.fill(at, 0, 1 << 16), "cuMemsetD8"))
        return;
    for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
        void *kernel = make_strides(b, bytes);

        for (unsigned stride = 0; kernel && stride <= most; stride++) {
            bench_launch l = {
                .ctas = 1,
                .threads = STRIDE_THREADS,
                .arguments = {b->out, at, 0, (uint64_t)stride * bytes}};
            const char *line = bytes == 4 ? "float" : "double";

            if (!bench_wants(b, line, stride))
                continue;
            double cycles = bench_median(b, kernel, &l, bench_cycles);

            bench_point(b, line, stride,
                        cycles * WARP /
                            (STRIDE_THREADS * STRIDE_LOADS * STRIDE_TRIPS));
        }
    }
    bench_free(b, at);
}
