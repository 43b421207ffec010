/* tests/hardware/curves/operations.c - latency and throughput of operations:
 * a row of the table is one. In its text D is the register that one operation
 * hands to the next, E and F hold values that nothing changes. No compiler
 * makes one operation of two of a row. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef enum bank { R32, F32, F64, H2 } bank;

typedef struct operation {
    const char *line, *text;
    bank in;
    const char *target;
} operation;

static const operation operations[] = {
    {"mad.lo.s32", "mad.lo.s32 D, D, E, F;", R32, "sm_30"},
    {"lop3.b32", "lop3.b32 D, D, E, F, 0x96;", R32, "sm_50"},
    {"shf.l.b32", "shf.l.wrap.b32 D, D, E, F;", R32, "sm_35"},
    {"popc.b32", "popc.b32 D, D;", R32, "sm_30"},
    {"add.f32", "add.f32 D, D, E;", F32, "sm_30"},
    {"mul.f32", "mul.f32 D, D, E;", F32, "sm_30"},
    {"fma.f32", "fma.rn.f32 D, D, E, F;", F32, "sm_30"},
    {"fma.f64", "fma.rn.f64 D, D, E, F;", F64, "sm_30"},
    {"add.f64", "add.f64 D, D, E;", F64, "sm_30"},
    {"fma.f16x2", "fma.rn.f16x2 D, D, E, F;", H2, "sm_53"},
    {"ex2.approx.f32", "ex2.approx.ftz.f32 D, D;", F32, "sm_30"},
    {"rsqrt.approx.f32", "rsqrt.approx.ftz.f32 D, D;", F32, "sm_30"},
    {"shfl.bfly", "shfl.sync.bfly.b32 D, D, 1, 31, 0xffffffff;", R32, "sm_30"},
};

static const char *const banks[] = {"%r", "%f", "%fd", "%r"};

/* The text with register `d` for D; 61 and 62 are E and F. */
static void write_operation(FILE *to, const operation *o, unsigned d)
{
    for (const char *c = o->text; *c; c++)
        if (*c == 'D')
            fprintf(to, "%s%u", banks[o->in], d);
        else if (*c == 'E' || *c == 'F')
            fprintf(to, "%s%d", banks[o->in], *c == 'E' ? 61 : 62);
        else
            fputc(*c, to);
    fputc('\n', to);
}

/* A register gets a value that the compiler cannot know, from a parameter. */
static void set(FILE *to, bank in, unsigned reg, unsigned parameter)
{
    if (in == R32 || in == H2)
        fprintf(to, "cvt.u32.u64 %%r%u, %%rd9%u;\n", reg, parameter);
    else if (in == F32)
        fprintf(to, "cvt.rn.f32.u64 %%f%u, %%rd9%u;\n", reg, parameter);
    else
        fprintf(to, "cvt.rn.f64.u64 %%fd%u, %%rd9%u;\n", reg, parameter);
}

static void join(FILE *to, bank in, unsigned chains)
{
    for (unsigned i = 0; i < chains; i++) {
        const char *from = banks[in];

        if (in == F64)
            fprintf(to, "cvt.rzi.s32.f64 %%r1, %%fd%u;\n", 10 + i);
        else if (in == F32)
            fprintf(to, "mov.b32 %%r1, %s%u;\n", from, 10 + i);
        else
            fprintf(to, "mov.u32 %%r1, %s%u;\n", from, 10 + i);
        fprintf(to,
                i ? "xor.b32 %%r2, %%r2, %%r1;\n" : "mov.u32 %%r2, %%r1;\n");
    }
}

enum { TRIPS = 4, BODY = 256 };

/* `chains` of operations side by side, BODY of them in a trip. */
static void *make_kernel(bench *b, const operation *o, unsigned chains)
{
    bench_ptx p;
    bench_ptx_begin(&p, 2, o->target); /* values */

    for (unsigned i = 0; i < chains; i++)
        set(p.to, o->in, 10 + i, 1 + i % 2);
    set(p.to, o->in, 61, 1);
    set(p.to, o->in, 62, 2);
    /* The first trip brings the code into the instruction caches. */
    fprintf(p.to, "mov.u32 %%r70, %d;\nLOOP:\n", TRIPS + 1);
    fprintf(p.to, "setp.ne.u32 %%p1, %%r70, %d;\n@%%p1 bra BODY;\n", TRIPS);
    bench_ptx_start(&p);
    fputs("BODY:\n", p.to);
    for (unsigned i = 0; i < BODY; i++)
        write_operation(p.to, o, 10 + i % chains);
    fputs("sub.u32 %r70, %r70, 1;\nsetp.ne.u32 %p2, %r70, 0;\n"
          "@%p2 bra LOOP;\n",
          p.to);
    join(p.to, o->in, chains);
    bench_ptx_stop(&p, "%r2");
    return bench_ptx_end(b, &p);
}

static double measure(bench *b, const operation *o, unsigned chains,
                      unsigned threads)
{
    void *kernel = make_kernel(b, o, chains);
    /* 1 and 2 for integers, 1.0 and 2.0 in halves. */
    uint64_t one = o->in == H2 ? 0x3c003c00 : 1;
    uint64_t two = o->in == H2 ? 0x40004000 : 2;
    bench_launch l = {
        .ctas = 1, .threads = threads, .arguments = {b->out, one, two}};

    return kernel ? bench_median(b, kernel, &l, bench_cycles) / (TRIPS * BODY)
                  : 0;
}

/* ---- Loads that wait for the one before ---- */

/* A word of shared or global memory that is its own address. */
static double pointer(bench *b, const char *space)
{
    bench_ptx p;
    bench_ptx_begin(&p, 1, "sm_35"); /* memory */
    bool shared = !strcmp(space, "shared");
    cu_pointer at = bench_alloc(b, 256);
    bench_launch l = {.ctas = 1, .threads = 1, .arguments = {b->out, at}};

    fputs(".shared .align 8 .b8 own[8];\n", p.to);
    fputs(shared ? "mov.u32 %r1, own;\nst.shared.u32 [%r1], %r1;\n"
                 : "mov.u64 %rd1, %rd91;\nst.global.u64 [%rd1], %rd1;\n"
                   "membar.gl;\n",
          p.to);
    fprintf(p.to, "mov.u32 %%r70, %d;\nLOOP:\n", TRIPS + 1);
    fprintf(p.to, "setp.ne.u32 %%p1, %%r70, %d;\n@%%p1 bra BODY;\n", TRIPS);
    bench_ptx_start(&p);
    fputs("BODY:\n", p.to);
    for (unsigned i = 0; i < BODY; i++)
        fputs(shared ? "ld.shared.u32 %r1, [%r1];\n"
                     : "ld.global.u64 %rd1, [%rd1];\n",
              p.to);
    fputs("sub.u32 %r70, %r70, 1;\nsetp.ne.u32 %p2, %r70, 0;\n"
          "@%p2 bra LOOP;\n",
          p.to);
    fputs(shared ? "" : "cvt.u32.u64 %r1, %rd1;\n", p.to);
    bench_ptx_stop(&p, "%r1");
    void *kernel = bench_ptx_end(b, &p);
    double cycles =
        kernel && at ? bench_median(b, kernel, &l, bench_cycles) : 0;
    bench_free(b, at);
    return cycles / (TRIPS * BODY);
}

/* ---- The curves ---- */

/* Devices before that have no such operation. */
static bool has(const bench *b, const operation *o)
{
    return atoi(o->target + 3) <= 10 * b->is.major + b->is.minor;
}

void curve_latency(bench *b)
{
    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
        if (has(b, &operations[i]))
            bench_point(b, operations[i].line, 1,
                        measure(b, &operations[i], 1, WARP));
    bench_point(b, "ld.shared.u32", 1, pointer(b, "shared"));
    bench_point(b, "ld.global.u64", 1, pointer(b, "global"));
}

void curve_throughput(bench *b)
{
    enum { THREADS = 1024, CHAINS = 4 };

    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (!has(b, &operations[i]))
            continue;
        double cycles = measure(b, &operations[i], CHAINS, THREADS);
        bench_point(b, operations[i].line, 1,
                    cycles > 0 ? THREADS / cycles : 0);
    }
}
