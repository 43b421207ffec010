/* tests/hardware/curves/shared.c - cycles of a warp's load of shared memory by
 * width, by lanes that meet in a bank and by lanes that share an address: the
 * accesses of gpu_shm_microbench [KZW:README]. */
#include "bench.h"

enum { THREADS = 768, LOADS = 64, TRIPS = 8, ELEMENTS = 640 };

/* Thread i of each 128 reads element ((i & mask) << 5) + (i >> shift), and
 * those behind it. */
typedef struct pattern {
    const char *line[3]; /* for 1, 2 and 4 words */
    unsigned x, mask, shift;
} pattern;

#define WIDTHS(more)                                                           \
    {                                                                          \
        "32 bits" more, "64 bits" more, "128 bits" more                        \
    }

static const pattern patterns[] = {
    {WIDTHS(""), 1, 0, 0},
    {WIDTHS(""), 2, 1, 1},
    {WIDTHS(""), 4, 3, 2},
    {WIDTHS(""), 8, 7, 3},
    {WIDTHS(""), 16, 15, 4},
    {WIDTHS(" one address"), 2, 0, 1},
    {WIDTHS(" one address"), 4, 0, 2},
    {WIDTHS(" one address"), 8, 0, 3},
    {WIDTHS(" one address"), 16, 0, 4},
    {WIDTHS(" one address"), 32, 0, 5},
};

static void *make_kernel(bench *b, unsigned words)
{
    static const char *const load[] = {"", "f32 %f10", "v2.f32 {%f10, %f11}",
                                       "", "v4.f32 {%f10, %f11, %f12, %f13}"};
    bench_ptx p;
    bench_ptx_begin(&p, 2, "sm_30"); /* mask, shift */

    fprintf(p.to,
            ".shared .align 16 .b8 own[%u];\ncvt.u32.u64 %%r1, %%rd91;\n"
            "cvt.u32.u64 %%r2, %%rd92;\nand.b32 %%r3, %%r90, 127;\n"
            "and.b32 %%r4, %%r3, %%r1;\nshl.b32 %%r4, %%r4, 5;\n"
            "shr.u32 %%r5, %%r3, %%r2;\nadd.u32 %%r4, %%r4, %%r5;\n"
            "mul.lo.u32 %%r4, %%r4, %u;\nmov.u32 %%r5, own;\n"
            "add.u32 %%r4, %%r4, %%r5;\nmov.u32 %%r6, %d;\n"
            "shl.b32 %%r8, %%r3, 2;\nadd.u32 %%r8, %%r8, %%r5;\n"
            "mov.f32 %%f1, 0f00000000;\nmov.f32 %%f2, %%f1;\n"
            "mov.f32 %%f3, %%f1;\nmov.f32 %%f4, %%f1;\n"
            "st.shared.f32 [%%r8], %%f1;\n",
            ELEMENTS * 4 * words, 4 * words, TRIPS);
    bench_ptx_start(&p);
    fputs("LOOP:\n", p.to);
    for (unsigned i = 0; i < LOADS; i++) {
        fprintf(p.to, "ld.shared.%s, [%%r4+%u];\n", load[words], 4 * words * i);
        for (unsigned w = 0; w < words; w++)
            fprintf(p.to, "add.f32 %%f%u, %%f%u, %%f%u;\n", 1 + w, 1 + w,
                    10 + w);
    }
    /* A store that may change what is read, or one trip's loads were all. */
    fputs("st.shared.f32 [%r8], %f1;\nsub.u32 %r6, %r6, 1;\n"
          "setp.ne.u32 %p1, %r6, 0;\n@%p1 bra LOOP;\nadd.f32 %f1, %f1, %f2;\n"
          "add.f32 %f3, %f3, %f4;\nadd.f32 %f1, %f1, %f3;\nmov.b32 %r1, %f1;\n",
          p.to);
    bench_ptx_stop(&p, "%r1");
    return bench_ptx_end(b, &p);
}

void curve_shared(bench *b)
{
    for (unsigned k = 0; k < 3; k++) {
        void *kernel = make_kernel(b, 1u << k);

        for (unsigned i = 0; kernel && i < sizeof patterns / sizeof *patterns;
             i++) {
            const pattern *p = &patterns[i];
            bench_launch l = {.ctas = 1,
                              .threads = THREADS,
                              .arguments = {b->out, p->mask, p->shift}};

            if (bench_wants(b, p->line[k], p->x))
                bench_point(b, p->line[k], p->x,
                            bench_median(b, kernel, &l, bench_cycles) * WARP /
                                (THREADS * LOADS * TRIPS));
        }
        b->failed |= !kernel;
    }
}
