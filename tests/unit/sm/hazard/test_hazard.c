/* tests/unit/sm/hazard/test_hazard.c - the earliest cycle of a dependent
 * instruction, from both sides, and what blocks what. */
#include "base/rng.h"
#include "unit/sm/bench.h"
#include "unit/sm/rig.h"

TEST(scoreboard_blocks_readers_and_writers_of_pending_registers)
{
    isa_inst in[] = {
        op3(ISA_FADD, 5, 1, 2), /* writes R5 */
        op3(ISA_FADD, 6, 5, 2), /* reads R5 */
        op3(ISA_FADD, 5, 1, 2), /* writes R5 too */
        op3(ISA_FADD, 7, 1, 2), /* has nothing to do with it */
    };
    bench b;

    bench_init(&b, in, 4);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(ask(&b, 0, i), WHY_READY);
    b.h->ops->reserve(b.h, 0, &b.code.inst[0]);
    CHECK_EQ(ask(&b, 0, 1), WHY_RAW_ALU);
    CHECK_EQ(ask(&b, 0, 2), WHY_WAW);
    CHECK_EQ(ask(&b, 0, 3), WHY_READY);
    CHECK_EQ(ask(&b, 1, 1), WHY_READY); /* another warp's R5 */
    b.h->ops->release(b.h, 0, &b.code.inst[0]);
    CHECK_EQ(ask(&b, 0, 1), WHY_READY);
    CHECK_EQ(ask(&b, 0, 2), WHY_READY);
    bench_fini(&b);
}

TEST(pairs_block_both_registers)
{
    isa_inst in[] = {
        op3(ISA_DADD, 4, 8, 10), /* writes R4, R5 */
        op3(ISA_FADD, 0, 5, 1),  op3(ISA_FADD, 0, 4, 1),
        op3(ISA_FADD, 0, 6, 1),  op3(ISA_FADD, 5, 1, 1),
    };
    bench b;

    bench_init(&b, in, 5);
    b.h->ops->reserve(b.h, 3, &b.code.inst[0]);
    CHECK_EQ(ask(&b, 3, 1), WHY_RAW_ALU);
    CHECK_EQ(ask(&b, 3, 2), WHY_RAW_ALU);
    CHECK_EQ(ask(&b, 3, 3), WHY_READY);
    CHECK_EQ(ask(&b, 3, 4), WHY_WAW);
    bench_fini(&b);
}

TEST(zero_register_and_true_predicate_never_wait)
{
    isa_inst in[] = {op3(ISA_FADD, ISA_RZ, 1, 2),
                     op3(ISA_FADD, 0, ISA_RZ, ISA_RZ)};
    bench b;

    bench_init(&b, in, 2);
    b.h->ops->reserve(b.h, 0, &b.code.inst[0]);
    CHECK_EQ(ask(&b, 0, 0), WHY_READY);
    CHECK_EQ(ask(&b, 0, 1), WHY_READY);
    bench_fini(&b);
}

TEST(predicates_block_until_released_for_guards)
{
    isa_inst in[3] = {op3(ISA_ISETP, ISA_RZ, 1, 2), op3(ISA_FADD, 3, 1, 2),
                      op3(ISA_SEL, 3, 1, 2)};
    bench b;

    in[0].pdst[0] = 2;
    in[1].guard = 2;   /* @P2 FADD */
    in[2].psrc[0] = 2; /* SEL ..., P2 */
    bench_init(&b, in, 3);
    b.h->ops->reserve(b.h, 0, &b.code.inst[0]);
    CHECK_EQ(ask(&b, 0, 1), WHY_RAW_PRED);
    CHECK_EQ(ask(&b, 0, 2), WHY_RAW_PRED);
    b.h->ops->release(b.h, 0, &b.code.inst[0]);
    CHECK_EQ(ask(&b, 0, 1), WHY_RAW_PRED); /* a guard waits longer */
    CHECK_EQ(ask(&b, 0, 2), WHY_READY);
    b.h->ops->release_guard(b.h, 0, &b.code.inst[0]);
    CHECK_EQ(ask(&b, 0, 1), WHY_READY);
    bench_fini(&b);
}

/* Against a list of pending registers, kept the plain way. */
TEST(scoreboard_agrees_with_a_list_of_registers)
{
    isa_inst in[8];
    bool pending[256] = {false};
    unsigned flying[8], fly = 0;
    rng r;

    rng_init(&r, 7, "scoreboard");
    for (unsigned i = 0; i < 8; i++)
        in[i] = op3(i % 2 ? ISA_DADD : ISA_FADD, 2 * rng_below(&r, 8),
                    2 * rng_below(&r, 8), 2 * rng_below(&r, 8));
    bench b;
    bench_init(&b, in, 8);
    for (unsigned step = 0; step < 5000; step++) {
        unsigned i = rng_below(&r, 8);
        const isa_inst *p = &b.inst[i];
        bool hit = false;

        for (unsigned k = 0; k < p->dst_regs; k++)
            hit |= pending[p->dst + k];
        for (unsigned s = 0; s < 3; s++)
            for (unsigned k = 0; k < p->src_regs[s]; k++)
                hit |= p->src[s] != ISA_RZ && pending[p->src[s] + k];
        CHECK_EQ(ask(&b, 9, i) != WHY_READY, hit);
        if (!hit && fly < 8) {
            b.h->ops->reserve(b.h, 9, &b.code.inst[i]);
            for (unsigned k = 0; k < p->dst_regs; k++)
                pending[p->dst + k] = true;
            flying[fly++] = i;
        } else if (fly) {
            unsigned at = rng_below(&r, fly), out = flying[at];
            flying[at] = flying[--fly];
            b.h->ops->release(b.h, 9, &b.code.inst[out]);
            for (unsigned k = 0; k < b.inst[out].dst_regs; k++)
                pending[b.inst[out].dst + k] = false;
        }
    }
    bench_fini(&b);
}

/* ---- in the pipeline ---- */

static const char plain[] =
    "sm.fetch.perfect=true\nsm.fetch.buffer=16\nsm.fetch.width=4\n"
    "sm.issue.schedulers=1\nsm.rf.collect=none\nsm.constant.perfect=true\n"
    "sm.op.fp32.latency=10\nsm.op.int_cmp.latency=10\n";

/* End of a program of one warp, with further settings. */
static uint64_t end_of(const char *more, const char *text)
{
    char settings[512];
    rig *r;

    snprintf(settings, sizeof settings, "%s%s", plain, more);
    r = rig_new(settings);
    rig_program(r, "", text, 1, 32);
    uint64_t end = rig_run(r, 10000);
    rig_check_sum(r);
    rig_free(r);
    return end;
}

/* The dependent instruction issues `latency` cycles after its source: filling
 * the gap with latency - 1 independent ones costs nothing, one more costs one
 * cycle. */
TEST(dependent_issues_at_latency_not_before)
{
    char text[1024];
    uint64_t end[12];

    for (unsigned gap = 0; gap < 12; gap++) {
        strbuf b = {0};
        strbuf_puts(&b, "FADD R1, R2, R3\n");
        for (unsigned i = 0; i < gap; i++)
            strbuf_printf(&b, "FADD R%u, R2, R3\n", 10 + i);
        strbuf_puts(&b, "FADD R4, R1, R3\nEXIT\n");
        snprintf(text, sizeof text, "%s", b.text);
        end[gap] = end_of("", text);
        strbuf_fini(&b);
    }
    for (unsigned gap = 0; gap <= 9; gap++)
        CHECK_EQ(end[gap], end[0]);
    CHECK_EQ(end[10], end[0] + 1);
    CHECK_EQ(end[11], end[0] + 2);
}

TEST(release_next_makes_results_visible_one_cycle_later)
{
    const char *text = "FADD R1, R2, R3\nFADD R1, R1, R3\nFADD R1, R1, R3\n"
                       "EXIT\n";
    CHECK_EQ(end_of("sm.issue.release=next\n", text), end_of("", text) + 3);
}

TEST(overwriting_waits_for_the_first_writer)
{
    const char *waw = "FADD R1, R2, R3\nFADD R1, R4, R3\nEXIT\n";
    const char *free_ = "FADD R1, R2, R3\nFADD R5, R4, R3\nEXIT\n";

    CHECK_EQ(end_of("", waw), end_of("", free_) + 9);
    /* Without tracking, only the end of the last result matters. */
    CHECK_EQ(end_of("sm.issue.hazard=none\n", waw), end_of("", free_));
}

TEST(guards_wait_longer_than_other_readers)
{
    const char *guard = "ISETP.LT.AND P0, PT, R1, R2, PT\n"
                        "@P0 FADD R3, R2, R3\nEXIT\n";
    const char *value = "ISETP.LT.AND P0, PT, R1, R2, PT\n"
                        "SEL R3, R2, R3, P0\nEXIT\n";

    CHECK_EQ(end_of("sm.issue.predicate=8\n", guard),
             end_of("sm.issue.predicate=0\n", guard) + 8);
    CHECK_EQ(end_of("sm.issue.predicate=8\nsm.op.move.latency=10\n", value),
             end_of("sm.issue.predicate=0\nsm.op.move.latency=10\n", value));
}
