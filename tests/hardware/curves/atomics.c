/* tests/hardware/curves/atomics.c - atomics of 32 bits: one that waits for the
 * one before, and many, by how many lanes of a warp share an address. */
#include "bench.h"

enum { TRIPS = 32, BODY = 16 };

static void begin_loop(bench_ptx *p, unsigned trips)
{
    fprintf(p->to, "mov.u32 %%r70, %u;\nLOOP:\n", trips + 1);
    fprintf(p->to, "setp.ne.u32 %%p1, %%r70, %u;\n@%%p1 bra BODY;\n", trips);
    bench_ptx_start(p);
    fputs("BODY:\n", p->to);
}

static void end_loop(bench_ptx *p)
{
    fputs("sub.u32 %r70, %r70, 1;\nsetp.ne.u32 %p2, %r70, 0;\n"
          "@%p2 bra LOOP;\n",
          p->to);
}

/* Cycles of an atomic whose address is what the one before gave: 0 is added to
 * a word of zero. */
static double latency(bench *b, const char *space, cu_pointer at)
{
    bench_ptx p;
    bench_ptx_begin(&p, 1, "sm_30");
    bool global = *space == 'g';
    bench_launch l = {.ctas = 1, .threads = 1, .arguments = {b->out, at}};

    fputs(".shared .align 8 .b8 own[8];\nmov.u32 %r1, own;\nmov.u32 %r2, 0;\n"
          "st.shared.u32 [%r1], %r2;\n",
          p.to);
    begin_loop(&p, TRIPS);
    for (unsigned i = 0; i < BODY; i++)
        fputs(global ? "cvt.u64.u32 %rd2, %r2;\nadd.u64 %rd3, %rd91, %rd2;\n"
                       "atom.global.add.u32 %r2, [%rd3], 0;\n"
                     : "add.u32 %r3, %r1, %r2;\n"
                       "atom.shared.add.u32 %r2, [%r3], 0;\n",
              p.to);
    end_loop(&p);
    bench_ptx_stop(&p, "%r2");
    void *kernel = bench_ptx_end(b, &p);

    return kernel ? bench_median(b, kernel, &l, bench_cycles) / (TRIPS * BODY)
                  : 0;
}

void curve_atomic_latency(bench *b)
{
    cu_pointer at = bench_alloc(b, 256);

    if (!at || !bench_ok(b, b->cu.fill(at, 0, 256), "cuMemsetD8"))
        return;
    bench_point(b, "global", 1, latency(b, "global", at));
    bench_point(b, "shared", 1, latency(b, "shared", at));
    bench_free(b, at);
}

/* ---- Many ---- */

enum { THREADS = 512, MANY = 4 };

/* Lane i of each warp takes word i >> shift; warps have words of their own, so
 * that what meets is what a warp brings. Nothing waits for the old values. */
static void *make_many(bench *b, bool global)
{
    bench_ptx p;
    bench_ptx_begin(&p, 2, "sm_30"); /* words, shift */

    fprintf(p.to, ".shared .align 16 .b8 own[%d];\n", THREADS * 4);
    fputs("cvt.u32.u64 %r1, %rd92;\nand.b32 %r2, %r90, 31;\n"
          "shr.u32 %r2, %r2, %r1;\nshr.u32 %r3, %r90, 5;\n"
          "shl.b32 %r3, %r3, 5;\nadd.u32 %r2, %r2, %r3;\n"
          "shl.b32 %r2, %r2, 2;\nmov.u32 %r4, own;\nadd.u32 %r4, %r4, %r2;\n"
          "mov.u32 %r5, 0;\nst.shared.u32 [%r4], %r5;\n"
          "mad.lo.u32 %r6, %r92, 2048, %r2;\ncvt.u64.u32 %rd1, %r6;\n"
          "add.u64 %rd1, %rd1, %rd91;\n",
          p.to);
    begin_loop(&p, MANY);
    for (unsigned i = 0; i < BODY; i++)
        fputs(global ? "red.global.add.u32 [%rd1], 1;\n"
                     : "red.shared.add.u32 [%r4], 1;\n",
              p.to);
    end_loop(&p);
    /* The last ones' answers come behind all others. */
    fputs(global ? "atom.global.add.u32 %r5, [%rd1], 0;\n"
                 : "atom.shared.add.u32 %r5, [%r4], 0;\n",
          p.to);
    fputs("add.u32 %r5, %r5, 0;\nmin.u32 %r5, %r5, 0x10000000;\n"
          "setp.eq.u32 %p5, %r5, 77;\n@%p5 st.shared.u32 [%r4], %r5;\n",
          p.to);
    bench_ptx_stop(&p, "%r5");
    return bench_ptx_end(b, &p);
}

void curve_atomics(bench *b)
{
    static const char *const line[] = {"global", "shared"};
    cu_pointer at = bench_alloc(b, (size_t)b->sms * 2048);

    if (!at ||
        !bench_ok(b, b->cu.fill(at, 0, (size_t)b->sms * 2048), "cuMemsetD8"))
        return;
    for (unsigned k = 0; k < 2; k++) {
        void *kernel = make_many(b, !k);

        b->failed |= !kernel;
        for (unsigned shift = 0; kernel && shift <= 5; shift++) {
            bench_launch l = {.ctas = k ? 1 : b->sms,
                              .threads = THREADS,
                              .arguments = {b->out, at, shift}};

            bench_point(b, line[k], 1u << shift,
                        bench_median(b, kernel, &l, bench_cycles) * WARP /
                            (THREADS * BODY * MANY));
        }
    }
    bench_free(b, at);
}
