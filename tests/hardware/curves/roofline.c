/* tests/hardware/curves/roofline.c - streamed loads and multiply-adds by
 * arithmetic intensity: each thread reads two arrays of floats and does so many
 * multiply-adds with each pair of elements, as in gpu-benches' gpu-roofline
 * [GPUB:roofline]. All SMs are full, and all CTAs are there at once. */
#include "bench.h"

enum {
    THREADS = 256,
    PUBLISHED_ROWS = 4000, /* pairs of elements of a thread */
    STEP = THREADS * 4     /* bytes between two of them */
};

/* A float of each array is read for 2 + 2n operations. */
static double intensity(unsigned n) { return (2 + 2 * n) / 8.0; }

/* `n` multiply-adds with each pair, two pairs side by side. Parameters: the
 * arrays, then how many twos of pairs. */
static void *make_kernel(bench *b, unsigned n)
{
    bench_ptx p;
    bench_ptx_begin(&p, 3, "sm_30");

    fprintf(p.to,
            "cvt.u32.u64 %%r70, %%rd93;\nmul.lo.u32 %%r71, %%r92, %d;\n"
            "mul.lo.u32 %%r71, %%r71, %%r70;\nadd.u32 %%r71, %%r71, %%r90;\n"
            "mul.wide.u32 %%rd1, %%r71, 4;\nadd.u64 %%rd2, %%rd91, %%rd1;\n"
            "add.u64 %%rd3, %%rd92, %%rd1;\nmov.f32 %%f9, 0f00000000;\n",
            2 * THREADS);
    fprintf(p.to,
            "LOOP:\nld.global.f32 %%f1, [%%rd2];\nld.global.f32 %%f2, "
            "[%%rd3];\nld.global.f32 %%f3, [%%rd2+%d];\nld.global.f32 %%f4, "
            "[%%rd3+%d];\nsub.f32 %%f5, %%f1, %%f2;\nsub.f32 %%f6, %%f3, "
            "%%f4;\nneg.f32 %%f7, %%f2;\n",
            STEP, STEP);
    for (unsigned i = 0; i < n; i++)
        fputs("fma.rn.f32 %f5, %f5, %f1, %f7;\n"
              "fma.rn.f32 %f6, %f6, %f1, %f7;\n",
              p.to);
    fprintf(p.to,
            "add.f32 %%f8, %%f5, %%f6;\nadd.f32 %%f9, %%f9, %%f8;\n"
            "add.u64 %%rd2, %%rd2, %d;\nadd.u64 %%rd3, %%rd3, %d;\n"
            "sub.u32 %%r70, %%r70, 1;\nsetp.ne.u32 %%p1, %%r70, 0;\n"
            "@%%p1 bra LOOP;\nsetp.ne.u32 %%p2, %%r90, 0;\n@%%p2 ret;\n"
            "mul.wide.u32 %%rd4, %%r92, 4;\nadd.u64 %%rd4, %%rd90, %%rd4;\n"
            "st.global.f32 [%%rd4], %%f9;\n",
            2 * STEP, 2 * STEP);
    return bench_ptx_end(b, &p);
}

/* Twos of pairs of a thread: with `--full` as published, else as many as take
 * some tens of microseconds. All warps begin with their loads; where operations
 * matter as well it takes a while until some load as others multiply. */
static unsigned twos_for(const bench *b, unsigned n)
{
    unsigned twos = (n < 30 ? 256 : 1024) / (16 + n);

    if (b->level == FULL)
        return PUBLISHED_ROWS / 2;
    return twos < 2 ? 2 : twos;
}

/* Bytes a millisecond, by what the double takes longer, so that the launch and
 * the first and last loads are no part of it. */
static double speed(bench *b, void *kernel, unsigned ctas, unsigned twos,
                    cu_pointer from, size_t array)
{
    double bytes = 2.0 * ctas * THREADS * 2 * twos * 4;
    double all[BENCH_REPEATS];

    for (unsigned i = 0; i < b->repeat; i++) {
        size_t third = array / 3;
        bench_launch l = {.ctas = ctas,
                          .threads = THREADS,
                          .arguments = {b->out, from, from + array, 2 * twos}};
        double ms = bench_run(b, kernel, &l);

        /* Of what no cache holds. */
        l.arguments[1] += 2 * third;
        l.arguments[2] += 2 * third;
        l.arguments[3] = twos;
        all[i] = bytes / (ms - bench_run(b, kernel, &l));
    }
    return bench_middle(all, b->repeat);
}

static void measure(bench *b, double x)
{
    unsigned n = (unsigned)(4 * x - 1 + 0.5), ctas;
    unsigned threads = (unsigned)cu_attribute(&b->cu, &b->is, CU_SM_THREADS);
    unsigned twos = twos_for(b, n);
    void *kernel = make_kernel(b, n);

    ctas = b->sms * (threads / THREADS);
    size_t array = (size_t)3 * ctas * THREADS * 2 * twos * 4;
    cu_pointer from = bench_alloc(b, 2 * array);
    if (kernel && from &&
        bench_ok(b, b->cu.fill(from, 0, 2 * array), "cuMemsetD8")) {
        double gb = speed(b, kernel, ctas, twos, from, array) * 1e-6;

        bench_point(b, "GB/s", intensity(n), gb);
        bench_point(b, "GFLOP/s", intensity(n), gb * intensity(n));
    } else
        b->failed = true;
    bench_free(b, from);
}

void curve_roofline(bench *b)
{
    static const double usual[] = {0.25,  1.25,  2.25,  6.25,  8.25,  12.25,
                                   16.25, 24.25, 40.25, 64.25, 100.25};
    static const double few[] = {0.25, 16.25};
    bench_xs xs = bench_xs_of(b, BENCH_XS(usual), BENCH_XS(few));

    for (unsigned i = 0; i < xs.count; i++)
        if (!i || xs.at[i] != xs.at[i - 1]) /* a file has two lines of each */
            measure(b, xs.at[i]);
}
