/* Long launches of which parts are timed: what they leave in memory, how they
 * fail, and which of them are timed whole. */
#include "config/sheet.h"
#include "runtime/flight.h"
#include "runtime/runtime.h"
#include "test.h"

enum { CTAS = 2000, NOWHERE = CTAS }; /* 31 generations on two SMs */
enum { BEHIND = 5 << 20 };            /* bytes behind what CTAs store */

/* CTA i stores 3 i + 64, after a loop; CTA `bad` stores it elsewhere. */
#define KERNEL(load, more)                                                     \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 p, .param .u32 bad)\n"                      \
    "{ .reg .u64 %rd<4>; .reg .u32 %r<8>; .reg .pred %q<2>;\n"                 \
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [bad];\n"                       \
    "mov.u32 %r2, %ctaid.x; mul.lo.u32 %r3, %r2, 3; mov.u32 %r4, 0;\n"         \
    "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2;\n"                   \
    "loop: add.u32 %r3, %r3, 1; add.u32 %r4, %r4, 1;\n"                        \
    "setp.lt.u32 %q1, %r4, 64; @%q1 bra loop;\n" load " %r5, [%rd2];\n" more   \
    "setp.ne.u32 %q1, %r2, %r1; @%q1 bra good; mov.u64 %rd2, 64;\n"            \
    "good: st.global.u32 [%rd2], %r3; ret; }\n"

#define LOAD  "ld.global.u32"
#define PLAIN KERNEL(LOAD, "")

typedef struct bench {
    config_sheet *sheet;
    diag *dg;
    rt_device *d;
    struct {
        uint64_t at;
        uint32_t bad;
    } params;
    rt_launch l;
    launch_outcome sum; /* of the group */
    rt_event e;
    uint32_t out[CTAS];
} bench;

static void note_sum(void *arg, const rt_result *sum, const rt_part *part,
                     size_t n)
{
    bench *b = arg;

    CHECK_EQ(n, 1);
    CHECK_EQ(part->estimated, sum->estimated);
    CHECK_EQ(part->warp_insts, sum->warp_insts);
    b->sum = sum->outcome;
}

static status run_grid(bench *b, const char *text, bool sampled, uint32_t bad,
                       uint32_t ctas, uint32_t threads)
{
    rt_options opt = {.threads = 1};
    rt_module *m;

    *b = (bench){.dg = diag_new(), .sheet = config_sheet_new()};
    CHECK_EQ(config_sheet_load(b->sheet, "v100", b->dg), ST_OK);
    CHECK_EQ(config_sheet_set(b->sheet, "gpu.sms=2", CONFIG_FROM_SET, b->dg),
             ST_OK);
    b->d = rt_device_new(config_sheet_values(b->sheet), &opt, b->dg);
    if (rt_module_load_text(b->d, "t.ptx", text, strlen(text), b->dg, &m))
        TEST_FAIL("%s", diag_get(b->dg, 0)->text);
    b->params.at =
        rt_alloc(rt_device_memory(b->d), sizeof b->out + BEHIND, "out");
    b->params.bad = bad;
    b->l = (rt_launch){.module = m,
                       .kernel = rt_module_kernel(m, NULL, b->dg),
                       .grid = {ctas, 1, 1},
                       .block = {threads, 1, 1},
                       .sampled = sampled,
                       .params = &b->params};
    rt_flight *f =
        rt_flight_new(b->d, &(rt_group){.ended = note_sum, .arg = b});
    CHECK_EQ(rt_flight_prepare(f, &b->l, 0, b->dg), ST_OK);
    rt_flight_begin(f);
    status st = rt_flight_advance(f, 0, &b->e, b->dg);
    rt_flight_free(f);
    CHECK(rt_read(rt_device_memory(b->d), b->params.at, b->out, sizeof b->out));
    return st;
}

static status run(bench *b, const char *text, bool sampled, uint32_t bad)
{
    return run_grid(b, text, sampled, bad, CTAS, 32);
}

static void stop(bench *b)
{
    rt_device_free(b->d);
    config_sheet_free(b->sheet);
    diag_free(b->dg);
}

TEST(all_of_it_is_done_and_told)
{
    bench part, all;

    CHECK_EQ(run(&part, PLAIN, true, NOWHERE), ST_OK);
    CHECK_EQ(run(&all, PLAIN, false, NOWHERE), ST_OK);
    for (uint32_t i = 0; i < CTAS; i++)
        CHECK_EQ(part.out[i], 3 * i + 64);
    CHECK_EQ(part.sum.ctas, CTAS);
    CHECK_EQ(part.sum.warp_insts, all.sum.warp_insts);
    CHECK_EQ(part.sum.thread_insts, all.sum.thread_insts);
    CHECK(part.sum.cycles < all.sum.cycles / 2);
    uint64_t told = part.sum.cycles + part.sum.estimated;
    CHECK(told > all.sum.cycles * 97 / 100 &&
          told < all.sum.cycles * 103 / 100);
    CHECK_EQ(all.sum.estimated, 0);
    stop(&part);
    stop(&all);
}

/* Wherever the CTA is that fails. */
TEST(a_gap_can_fail)
{
    bench b;

    for (uint32_t bad = 150; bad < CTAS; bad += 370) {
        CHECK_EQ(run(&b, PLAIN, true, bad), ST_FAULT);
        CHECK_EQ(b.e.part.fault.kind, FAULT_BOUNDS);
        CHECK_EQ(b.e.part.fault.cta[0], bad);
        CHECK(diag_count(b.dg) > 0);
        stop(&b);
    }
}

TEST(what_may_wait_for_others_is_timed_whole)
{
    static const char *const texts[] = {
        KERNEL("ld.volatile.global.u32", ""),
        KERNEL("ld.acquire.gpu.global.u32", ""),
        KERNEL(LOAD, "atom.global.exch.b32 %r5, [%rd2], %r3;"),
        KERNEL(LOAD, "atom.global.cas.b32 %r5, [%rd2], %r5, %r3;"),
    };
    bench b;

    for (size_t i = 0; i < COUNTOF(texts); i++) {
        CHECK_EQ(run(&b, texts[i], true, NOWHERE), ST_OK);
        CHECK_EQ(b.sum.estimated, 0);
        stop(&b);
    }
    CHECK_EQ(run(&b, KERNEL(LOAD, "atom.global.add.u32 %r5, [%rd2], %r3;"),
                 true, NOWHERE),
             ST_OK);
    CHECK(b.sum.estimated > 0);
    stop(&b);
}

/* ---- Few CTAs, and long ones ---- */

/* One generation and a half on two SMs. */
enum { LONG_CTAS = 96, LONG_THREADS = 64, ROUNDS = 400, FAULTS_AT = 300 };

/* In each round threads of two warps swap what they have by shared memory, and
 * add 1; CTA i stores what thread 5 has and i. CTA `bad` fails in round 300.
 * `more` is done in each round. */
#define ROUND(more)                                                            \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 p, .param .u32 bad)\n"                      \
    "{ .reg .u64 %rd<4>; .reg .u32 %r<12>; .reg .pred %q<4>;\n"                \
    ".shared .u32 s[64];\n"                                                    \
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [bad];\n"                       \
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; mov.u32 %r4, 0;\n"            \
    "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2;\n"                   \
    "mov.u32 %r5, s; shl.b32 %r6, %r3, 2; add.u32 %r6, %r5, %r6;\n"            \
    "xor.b32 %r7, %r3, 32; shl.b32 %r7, %r7, 2; add.u32 %r7, %r5, %r7;\n"      \
    "mov.u32 %r8, %r3; setp.eq.u32 %q2, %r2, %r1;\n"                           \
    "loop: st.shared.u32 [%r6], %r8; bar.sync 0;\n"                            \
    "ld.shared.u32 %r8, [%r7]; bar.sync 0; " more "\n"                         \
    "add.u32 %r8, %r8, 1; add.u32 %r4, %r4, 1;\n"                              \
    "setp.eq.and.u32 %q3, %r4, 300, %q2; @%q3 mov.u64 %rd2, 64;\n"             \
    "@%q3 st.global.u32 [%rd2], %r8;\n"                                        \
    "setp.lt.u32 %q1, %r4, 400; @%q1 bra loop;\n"                              \
    "add.u32 %r8, %r8, %r2; setp.eq.u32 %q1, %r3, 5;\n"                        \
    "@%q1 st.global.u32 [%rd2], %r8; ret; }\n"

static status run_long(bench *b, const char *text, bool sampled, uint32_t bad)
{
    return run_grid(b, text, sampled, bad, LONG_CTAS, LONG_THREADS);
}

TEST(warps_of_long_ctas_are_forwarded)
{
    bench part, all;

    CHECK_EQ(run_long(&part, ROUND(""), true, NOWHERE), ST_OK);
    CHECK_EQ(run_long(&all, ROUND(""), false, NOWHERE), ST_OK);
    for (uint32_t i = 0; i < LONG_CTAS; i++)
        CHECK_EQ(part.out[i], 5 + ROUNDS + i);
    CHECK_EQ(part.sum.ctas, LONG_CTAS);
    CHECK_EQ(part.sum.warp_insts, all.sum.warp_insts);
    CHECK_EQ(part.sum.thread_insts, all.sum.thread_insts);
    CHECK(part.sum.cycles < all.sum.cycles * 3 / 4);
    uint64_t told = part.sum.cycles + part.sum.estimated;
    CHECK(told > all.sum.cycles * 95 / 100 &&
          told < all.sum.cycles * 105 / 100);
    stop(&part);
    stop(&all);
}

/* Thirteen generations: CTAs come and go within gaps, which are longer than
 * CTAs; the last ones are timed. */
TEST(ctas_begin_and_end_while_warps_are_forwarded)
{
    enum { MANY = 800 };
    bench part, all;

    CHECK_EQ(run_grid(&part, ROUND(""), true, NOWHERE, MANY, LONG_THREADS),
             ST_OK);
    CHECK_EQ(run_grid(&all, ROUND(""), false, NOWHERE, MANY, LONG_THREADS),
             ST_OK);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK_EQ(part.out[i], 5 + ROUNDS + i);
    CHECK_EQ(part.sum.ctas, MANY);
    CHECK_EQ(part.sum.warp_insts, all.sum.warp_insts);
    CHECK_EQ(part.sum.thread_insts, all.sum.thread_insts);
    CHECK(part.sum.cycles < all.sum.cycles / 4);
    uint64_t told = part.sum.cycles + part.sum.estimated;
    CHECK(told > all.sum.cycles * 95 / 100 &&
          told < all.sum.cycles * 105 / 100);
    stop(&part);
    stop(&all);
}

TEST(a_warp_can_fail_while_it_is_forwarded)
{
    bench b;

    for (uint32_t bad = 0; bad < LONG_CTAS; bad += 31) {
        CHECK_EQ(run_long(&b, ROUND(""), true, bad), ST_FAULT);
        CHECK_EQ(b.e.part.fault.kind, FAULT_BOUNDS);
        CHECK_EQ(b.e.part.fault.cta[0], bad);
        stop(&b);
    }
}

/* A clock and an atomic that others see are not passed without time. */
TEST(what_needs_time_is_not_forwarded)
{
    static const char *const texts[] = {
        ROUND("mov.u32 %r9, %clock; st.volatile.shared.u32 [%r6], %r9;"),
        ROUND("red.global.add.u32 [%rd1+4096], 1;"),
    };
    bench b;

    for (size_t i = 0; i < COUNTOF(texts); i++) {
        CHECK_EQ(run_long(&b, texts[i], true, NOWHERE), ST_OK);
        for (uint32_t k = 0; k < LONG_CTAS; k++)
            CHECK_EQ(b.out[k], 5 + ROUNDS + k);
        CHECK(b.sum.estimated < b.sum.cycles / 8);
        stop(&b);
    }
    CHECK_EQ(b.out[1024], LONG_CTAS * LONG_THREADS * ROUNDS);
}

/* ---- What is left of gaps in the L2 ---- */

/* What the L2 fetches if the same is launched once more, all of it timed, of
 * lines of 128 bytes. */
static uint64_t fetched_again(bench *b)
{
    rt_result again;
    size_t matched;

    b->l.sampled = false;
    b->l.counters = true;
    CHECK_EQ(rt_run(b->d, &b->l, b->dg, &again), ST_OK);
    uint64_t n =
        stats_sum(rt_stats(b->d), again.counters, "l2[*].fills", &matched);
    CHECK(matched > 0);
    return n;
}

/* 63 lines of which 32 CTAs each have a part. */
TEST(the_l2_has_what_left_out_ctas_accessed)
{
    bench b;

    CHECK_EQ(run(&b, KERNEL(LOAD, "add.u32 %r3, %r3, %r5;"), true, NOWHERE),
             ST_OK);
    CHECK(b.sum.estimated > b.sum.cycles);
    CHECK(fetched_again(&b) <= 1); /* parameters lie elsewhere */
    stop(&b);
}

/* Each CTA reads a line of its own in each round, 38,400 of 49,152 that there
 * is room for, though not in each set. */
TEST(the_l2_has_what_forwarded_warps_accessed)
{
    bench b;

    CHECK_EQ(run_long(&b,
                      ROUND("mad.lo.u32 %r9, %r4, 96, %r2;"
                            "mul.wide.u32 %rd3, %r9, 128;"
                            "add.u64 %rd3, %rd1, %rd3;"
                            "ld.global.u32 %r10, [%rd3+8192];"
                            "add.u32 %r8, %r8, %r10;"),
                      true, NOWHERE),
             ST_OK);
    CHECK(b.sum.estimated > b.sum.cycles / 4);
    CHECK(fetched_again(&b) < LONG_CTAS * ROUNDS / 20);
    stop(&b);
}
