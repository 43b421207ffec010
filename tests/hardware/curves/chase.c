/* tests/hardware/curves/chase.c - latency of loads by working set: one thread
 * follows pointers through lines of 128 bytes in random order, as gpu-benches'
 * gpu-latency does [GPUB:latency]. */
#include <stdlib.h>

#include "bench.h"

enum { LINE = 128, UNROLL = 16, PAGE = 2 << 20 };

/* Kernels: `link` makes line at[i] point to line at[i + 1], `touch` reads the
 * lines in the order in which they will be followed, `chase` follows. */
typedef struct chase_kernels {
    void *link, *touch, *chase;
} chase_kernels;

static void *make_link(bench *b)
{
    bench_ptx p;
    bench_ptx_begin(&p, 3, "sm_30"); /* lines, order, count */

    fputs("cvt.u64.u32 %rd1, %r91;\nsetp.ge.u64 %p1, %rd1, %rd93;\n@%p1 ret;\n"
          "shl.b64 %rd2, %rd1, 3;\nadd.u64 %rd2, %rd2, %rd92;\n"
          "ld.global.u64 %rd3, [%rd2];\nadd.u64 %rd4, %rd1, 1;\n"
          "setp.eq.u64 %p2, %rd4, %rd93;\nselp.u64 %rd4, 0, %rd4, %p2;\n"
          "shl.b64 %rd4, %rd4, 3;\nadd.u64 %rd4, %rd4, %rd92;\n"
          "ld.global.u64 %rd5, [%rd4];\nadd.u64 %rd3, %rd3, %rd91;\n"
          "add.u64 %rd5, %rd5, %rd91;\nst.global.u64 [%rd3], %rd5;\n",
          p.to);
    return bench_ptx_end(b, &p);
}

static void *make_touch(bench *b)
{
    bench_ptx p;
    bench_ptx_begin(&p, 3, "sm_30"); /* lines, order, count */

    fputs("cvt.u64.u32 %rd1, %r91;\nsetp.ge.u64 %p1, %rd1, %rd93;\n@%p1 ret;\n"
          "shl.b64 %rd2, %rd1, 3;\nadd.u64 %rd2, %rd2, %rd92;\n"
          "ld.global.cg.u64 %rd3, [%rd2];\nadd.u64 %rd3, %rd3, %rd91;\n"
          "ld.global.cg.u64 %rd4, [%rd3];\nsetp.ne.u64 %p2, %rd4, 1;\n"
          "@%p2 ret;\nst.global.u64 [%rd90], %rd4;\n",
          p.to);
    return bench_ptx_end(b, &p);
}

static void follow(bench_ptx *p, const char *label, const char *count)
{
    fprintf(p->to, "mov.u64 %%rd1, %s;\n%s:\n", count, label);
    for (unsigned i = 0; i < UNROLL; i++)
        fputs("ld.global.u64 %rd2, [%rd2];\n", p->to);
    fprintf(p->to,
            "sub.u64 %%rd1, %%rd1, %d;\nsetp.gt.s64 %%p1, %%rd1, 0;\n"
            "@%%p1 bra %s;\n",
            UNROLL, label);
}

static void *make_chase(bench *b)
{
    bench_ptx p;
    bench_ptx_begin(&p, 3, "sm_30"); /* first, before, timed */

    fputs("mov.u64 %rd2, %rd91;\n", p.to);
    follow(&p, "WARM", "%rd92");
    bench_ptx_start(&p);
    follow(&p, "TIMED", "%rd93");
    fputs("cvt.u32.u64 %r1, %rd2;\n", p.to);
    bench_ptx_stop(&p, "%r1");
    return bench_ptx_end(b, &p);
}

static bool make_kernels(bench *b, chase_kernels *k)
{
    k->link = make_link(b);
    k->touch = make_touch(b);
    k->chase = make_chase(b);
    if (!k->link || !k->touch || !k->chase)
        b->failed = true;
    return k->link && k->touch && k->chase;
}

static uint64_t next(uint64_t *seed) /* splitmix64 */
{
    uint64_t x = *seed += 0x9e3779b97f4a7c15;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* Offsets of n lines, one somewhere in each n-th part of `bytes`, shuffled. */
static uint64_t *make_order(size_t bytes, size_t n)
{
    uint64_t *at = malloc(n * sizeof *at), seed = 1;
    size_t part = bytes / LINE / n;

    for (size_t i = 0; at && i < n; i++)
        at[i] = (i * part + next(&seed) % part) * LINE;
    for (size_t i = n; at && i > 1; i--) {
        size_t j = (size_t)(next(&seed) % i);
        uint64_t x = at[i - 1];

        at[i - 1] = at[j];
        at[j] = x;
    }
    return at;
}

static unsigned whole(size_t n) /* trips of the unrolled loop, as loads */
{
    return (unsigned)((n + UNROLL - 1) / UNROLL * UNROLL);
}

/* Cycles of a load that follows n lines at `lines`, in the order at `order`. */
static double follow_lines(bench *b, const chase_kernels *k, cu_pointer lines,
                           cu_pointer order, uint64_t first, size_t n)
{
    /* What the caches may hold is followed once before it is timed: an L2 may
     * keep it near this SM. The rest comes from where `touch` left it. */
    bool held = n < 8192 || n * LINE <= 2 * b->l2_bytes;
    unsigned before = whole(held ? n : 1024);
    unsigned timed = whole(n < 2048 ? 2048 : n < 8192 ? n : 8192);
    bench_launch all = {.ctas = (unsigned)((n + 255) / 256),
                        .threads = 256,
                        .arguments = {b->out, lines, order, n}};
    bench_launch one = {.ctas = 1,
                        .threads = 1,
                        .arguments = {b->out, lines + first, before, timed}};

    if (bench_run(b, k->link, &all) < 0 || bench_run(b, k->touch, &all) < 0)
        return 0;
    return bench_median(b, k->chase, &one, bench_cycles) / timed;
}

/* `n` lines, one in each n-th part of `bytes`. */
static double chase(bench *b, const chase_kernels *k, size_t bytes, size_t n)
{
    uint64_t *at = make_order(bytes, n);
    cu_pointer lines = at ? bench_alloc(b, bytes) : 0;
    cu_pointer order = lines ? bench_alloc(b, n * sizeof *at) : 0;
    double cycles = 0;

    if (order &&
        bench_ok(b, b->cu.to_device(order, at, n * sizeof *at), "cuMemcpyHtoD"))
        cycles = follow_lines(b, k, lines, order, at[0], n);
    bench_free(b, order);
    bench_free(b, lines);
    free(at);
    return cycles;
}

/* kB; the last ones of each level by a multiple. */
static const double sizes[] = {
    4.1,     20.2,    40.9,    57.1,   78.9,   107.4,  120.8,   125.4,
    140.9,   146.2,   158.2,   170.6,  199,    231.6,  313.8,   424.5,
    574.4,   1046.5,  1905.2,  3465,   4671.6, 5424,   6297.6,  7311.8,
    8489.2,  11442.1, 15422.1, 20785,  24000,  28000,  32520.6, 41000,
    50880.9, 66061.4, 107282,  232847, 672655, 1943180};
static const double few[] = {20.2, 107.4, 199, 1046.5, 15422.1};

void curve_chase(bench *b)
{
    bench_xs x = bench_xs_of(b, BENCH_XS(sizes), BENCH_XS(few));
    /* Beyond what is in no cache a part of the lines does. */
    size_t most =
        3 * b->l2_bytes / LINE < 262144 ? 262144 : 3 * b->l2_bytes / LINE;
    chase_kernels k;

    if (!make_kernels(b, &k))
        return;
    for (unsigned i = 0; i < x.count; i++) {
        size_t bytes = (size_t)(x.at[i] * 1024) / LINE * LINE;
        size_t n = bytes / LINE < most ? bytes / LINE : most;

        if (b->level == USUAL && !b->asked_count && x.at[i] > 110000)
            break;
        bench_point(b, "", x.at[i],
                    chase(b, &k, bytes / n / LINE * LINE * n, n));
    }
}

void curve_pages(bench *b)
{
    size_t bytes = 0;
    chase_kernels k;

    if (!make_kernels(b, &k) ||
        !bench_ok(b, b->cu.device_bytes(&bytes, b->is.number),
                  "cuDeviceTotalMem"))
        return;
    for (size_t n = 4; n * PAGE <= bytes / 2; n *= 2) {
        if (n > 64 && b->level == QUICK)
            break;
        if (n > 1024 && b->level == USUAL)
            break;
        bench_point(b, "", (double)n, chase(b, &k, n * PAGE, n));
    }
}
