/* tests/hardware/curves/stream.c - bandwidth of memory by occupancy: a thread
 * has one double, dynamic shared memory limits how many CTAs an SM takes, as in
 * gpu-benches' gpu-stream [GPUB:stream]. */
#include "bench.h"

enum { DOUBLE = 8 };

static void *make_kernel(bench *b, bool scale)
{
    bench_ptx p;
    bench_ptx_begin(&p, 2, "sm_30"); /* from, to */

    fputs("mul.wide.u32 %rd1, %r91, 8;\nadd.u64 %rd2, %rd91, %rd1;\n"
          "ld.global.f64 %fd1, [%rd2];\nadd.u64 %rd3, %rd92, %rd1;\n",
          p.to);
    if (scale)
        fputs("mul.f64 %fd1, %fd1, 0d3FF3333333333333;\n", p.to);
    else
        fputs("setp.neu.f64 %p1, %fd1, 0d405EC00000000000;\n@%p1 ret;\n", p.to);
    fputs("st.global.f64 [%rd3], %fd1;\n", p.to);
    return bench_ptx_end(b, &p);
}

/* Dynamic shared memory with which an SM takes so many CTAs and no more. */
static unsigned shared_for(const bench *b, unsigned ctas)
{
    unsigned all = (unsigned)cu_attribute(&b->cu, &b->is, CU_SM_SHARED);

    return all / (ctas + 1) / 256 * 256 + 256;
}

typedef struct row {
    unsigned threads, ctas; /* of an SM */
    bool few;
} row;

static const row rows[] = {{32, 1, false},  {64, 1, true},   {64, 2, false},
                           {128, 2, false}, {192, 2, false}, {256, 2, false},
                           {384, 2, false}, {512, 2, false}, {768, 2, false},
                           {1024, 2, true}};

/* GB/s of one array: of what the whole has more than its second fourth, in the
 * time that it takes longer, so that the launch's own costs are no part of it.
 * A fourth is as much as the L2 at least, and neither finds there what the
 * other left. */
static double bandwidth(bench *b, void *kernel, const row *r, size_t bytes,
                        cu_pointer from, cu_pointer to)
{
    unsigned ctas = (unsigned)(bytes / DOUBLE / r->threads);
    double all[BENCH_REPEATS];

    for (unsigned i = 0; i < b->repeat; i++) {
        bench_launch l = {.ctas = ctas,
                          .threads = r->threads,
                          .shared = shared_for(b, r->ctas),
                          .arguments = {b->out, from, to}};
        double ms = bench_run(b, kernel, &l);

        l.ctas = ctas / 4;
        l.arguments[1] += bytes / 4;
        l.arguments[2] += bytes / 4;
        ms -= bench_run(b, kernel, &l);
        all[i] = (double)(ctas - l.ctas) * r->threads * DOUBLE * 1e-6 / ms;
    }
    return bench_middle(all, b->repeat);
}

void curve_stream(bench *b)
{
    void *kernel[] = {make_kernel(b, false), make_kernel(b, true)};
    size_t least = 24 << 20, bytes = 4 * b->l2_bytes;
    unsigned limit = (unsigned)cu_attribute(&b->cu, &b->is, CU_SM_THREADS);

    bytes = bytes < least ? least : bytes;
    bytes -= bytes % (DOUBLE << 16);
    size_t most = b->level == QUICK ? bytes : 2 * bytes;
    cu_pointer from = bench_alloc(b, most), to = bench_alloc(b, most);
    bool good = from && to && kernel[0] && kernel[1] &&
                bench_ok(b, b->cu.fill(from, 0, most), "cuMemsetD8") &&
                bench_ok(b, b->cu.fill(to, 0, most), "cuMemsetD8");
    for (unsigned i = 0; good && i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];

        if ((b->level == QUICK && !r->few) || r->threads * r->ctas > limit)
            continue;
        /* Of few threads many times what is in flight is less. */
        size_t part = r->threads * r->ctas * 4 < limit ? bytes : most;

        double x = 100.0 * r->threads * r->ctas / limit;

        for (unsigned k = 0; k < 2; k++)
            if (bench_wants(b, k ? "scale" : "read", x))
                bench_point(b, k ? "scale" : "read", x,
                            bandwidth(b, kernel[k], r, part, from, to) *
                                (k + 1));
    }
    b->failed |= !good;
    bench_free(b, from);
    bench_free(b, to);
}
