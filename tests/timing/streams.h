/* tests/timing/streams.h - kernels to launch in several streams, and what comes
 * out. Included once by each test program, which links the whole library. */
#ifndef TIMING_STREAMS_H
#define TIMING_STREAMS_H

#include "runtime/streams.h"
#include "timing/rig.h"

enum { MAX = 64, WORDS = 4096 };

/* inc: p[i] += i * loops. rev: o = p reversed in each 128, through shared
 * memory. own: o[i] = k + its thread, through local memory. */
static const char text[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".extern .shared .align 4 .b8 more[];\n"
    ".visible .entry inc(.param .u64 p, .param .u32 loops)\n"
    "{ .reg .u64 %rd<5>; .reg .u32 %r<10>; .reg .pred %q<3>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r8, [loops];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.u32 %r5, %r2, %r3, %r4;\n"
    "mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r6, [%rd3];\n"
    "L: add.u32 %r6, %r6, %r5; sub.u32 %r8, %r8, 1;\n"
    "setp.ne.u32 %q2, %r8, 0; @%q2 bra L;\n"
    "st.global.u32 [%rd3], %r6; ret; }\n"
    ".visible .entry rev(.param .u64 p, .param .u64 o)\n"
    "{ .reg .u64 %rd<9>; .reg .u32 %r<10>; .shared .align 4 .b8 s[512];\n"
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd4, [o];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.u32 %r5, %r2, %r3, %r4;\n"
    "mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r6, [%rd3];\n"
    "mov.u32 %r7, s; shl.b32 %r8, %r4, 2; add.u32 %r7, %r7, %r8;\n"
    "st.shared.u32 [%r7], %r6; bar.sync 0;\n"
    "mov.u32 %r7, s; add.u32 %r7, %r7, 508; sub.u32 %r7, %r7, %r8;\n"
    "ld.shared.u32 %r6, [%r7];\n"
    "add.u64 %rd3, %rd4, %rd2; st.global.u32 [%rd3], %r6; ret; }\n"
    ".visible .entry own(.param .u64 o, .param .u32 k)\n"
    "{ .reg .u64 %rd<9>; .reg .u32 %r<10>; .local .align 4 .b8 l[64];\n"
    "ld.param.u64 %rd1, [o]; ld.param.u32 %r1, [k];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.u32 %r5, %r2, %r3, %r4; and.b32 %r6, %r5, 15;\n"
    "mul.wide.u32 %rd2, %r6, 4; mov.u64 %rd3, l; add.u64 %rd3, %rd3, %rd2;\n"
    "add.u32 %r7, %r5, %r1; st.local.u32 [%rd3], %r7;\n"
    "bar.sync 0; ld.local.u32 %r8, [%rd3];\n"
    "mul.wide.u32 %rd2, %r5, 4; add.u64 %rd4, %rd1, %rd2;\n"
    "st.global.u32 [%rd4], %r8; ret; }\n"
    ".visible .entry await(.param .u64 p, .param .u64 o)\n"
    "{ .reg .u64 %rd<3>; .reg .u32 %r<3>; .reg .pred %q<2>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [o];\n"
    "L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %q1, %r1, 0;\n"
    "@%q1 bra L; st.global.u32 [%rd2], %r1; ret; }\n"
    ".visible .entry post(.param .u64 p, .param .u32 k)\n"
    "{ .reg .u64 %rd<2>; .reg .u32 %r<2>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [k];\n"
    "st.global.u32 [%rd1], %r1; ret; }\n"
    ".visible .entry bad(.param .u64 p)\n"
    "{ .reg .u64 %rd<3>; .reg .u32 %r<3>; mov.u64 %rd1, 64;\n"
    "ld.global.u32 %r1, [%rd1]; ld.param.u64 %rd2, [p];\n"
    "st.global.u32 [%rd2], %r1; ret; }\n";

typedef struct bench {
    rig *r;
    rt_device *d;
    rt_module *m;
    rt_launch launch[MAX];
    unsigned stream[MAX], streams;
    uint64_t params[MAX][2];
    size_t count;
    /* what came out */
    rt_part part[MAX]; /* by number in the list */
    unsigned group[MAX], groups;
    uint64_t cycles, insts; /* of all groups */
} bench;

static inline bench *bench_new(const char *name, const char *const *sets,
                               const rt_options *opt)
{
    bench *b = calloc(1, sizeof *b);

    CHECK(b != NULL);
    b->r = rig_new(name, sets);
    b->d = rt_device_new(b->r->cfg, opt, b->r->dg);
    CHECK(b->d != NULL);
    rig_must(b->r, rt_module_load_text(b->d, "t.ptx", text, strlen(text),
                                       b->r->dg, &b->m));
    b->streams = 1;
    return b;
}

static inline void bench_free(bench *b)
{
    rt_device_free(b->d);
    rig_free(b->r);
    free(b);
}

static inline uint64_t words(bench *b, uint32_t first)
{
    uint64_t at = rt_alloc(rt_device_memory(b->d), WORDS * 4, "words");
    uint32_t v[WORDS];

    CHECK(at != 0);
    for (unsigned i = 0; i < WORDS; i++)
        v[i] = first + i;
    CHECK(rt_write(rt_device_memory(b->d), at, v, sizeof v));
    return at;
}

static inline uint32_t word(bench *b, uint64_t at, unsigned i)
{
    uint32_t v;

    CHECK(rt_read(rt_device_memory(b->d), at + 4 * (uint64_t)i, &v, sizeof v));
    return v;
}

/* Appends a launch; returns its number. */
static inline size_t add(bench *b, unsigned stream, const char *kernel,
                         unsigned ctas, unsigned threads, uint64_t p,
                         uint64_t q)
{
    size_t n = b->count++;

    b->params[n][0] = p;
    b->params[n][1] = q;
    b->stream[n] = stream;
    b->streams = stream >= b->streams ? stream + 1 : b->streams;
    b->launch[n] =
        (rt_launch){.module = b->m,
                    .kernel = rt_module_kernel(b->m, kernel, b->r->dg),
                    .grid = {ctas, 1, 1},
                    .block = {threads, 1, 1},
                    .params = b->params[n],
                    .counters = true,
                    .max_cycles = 1000000};
    CHECK(b->launch[n].kernel != NULL);
    return n;
}

static inline void ended(void *arg, const rt_result *sum, const rt_part *part,
                         size_t n)
{
    bench *b = arg;
    uint64_t insts = 0;

    for (size_t i = 0; i < n; i++) {
        b->part[part[i].number] = part[i];
        b->group[part[i].number] = b->groups;
        CHECK(part[i].start >= sum->start);
        CHECK(part[i].start + part[i].cycles <= sum->start + sum->cycles);
        CHECK(!i || part[i - 1].start + part[i - 1].cycles <=
                        part[i].start + part[i].cycles);
        insts += part[i].warp_insts;
    }
    if (sum->status == ST_OK)
        CHECK_EQ(insts, sum->warp_insts);
    b->cycles += sum->cycles;
    b->insts += sum->warp_insts;
    b->groups++;
}

static inline status bench_run(bench *b)
{
    const rt_streams s = {.device = b->d,
                          .launch = b->launch,
                          .stream = b->stream,
                          .count = b->count,
                          .streams = b->streams,
                          .group = {.ended = ended, .arg = b}};

    return rt_run_streams(&s, b->r->dg);
}

static inline uint64_t end_of(const bench *b, size_t n)
{
    return b->part[n].start + b->part[n].cycles;
}

/* The sum of a counter over all that ran. */
static inline uint64_t counted(const bench *b, const char *pattern)
{
    size_t matched;
    uint64_t v = stats_sum(rt_stats(b->d), NULL, pattern, &matched);

    CHECK(matched > 0);
    return v;
}

static const rt_options plain = {.threads = 1};

/* The text of all notes. */
static inline char *notes_of(const bench *b)
{
    strbuf s = {0};

    strbuf_puts(&s, "");
    for (size_t i = 0; i < diag_count(b->r->dg); i++)
        if (diag_get(b->r->dg, i)->level == DIAG_NOTE)
            strbuf_printf(&s, "%s\n", diag_get(b->r->dg, i)->text);
    return s.text;
}

#endif
