/* tests/unit/sm/hazard/test_table.c - the table of pending results: the
 * source's example [LUT], the encodings that fail, and what is easily got
 * wrong. */
#include "sm/hazard/table.h"
#include "sm/state.h"
#include "unit/sm/bench.h"
#include "unit/sm/dies.h"
#include "unit/sm/rig.h"

static void table(bench *b, unsigned slots, const isa_inst *in, unsigned n)
{
    memset(b, 0, sizeof *b);
    config_defaults(&b->cfg);
    b->cfg.sm.issue.hazard = CFG_HAZARD_TABLE;
    b->cfg.sm.table.slots = slots;
    bench_start(b, in, n);
}

static void take(bench *b, unsigned warp, unsigned i)
{
    b->h->ops->reserve(b->h, warp, &b->code.inst[i]);
}

static void write_back(bench *b, unsigned warp, unsigned i)
{
    b->h->ops->release(b->h, warp, &b->code.inst[i]);
    b->h->ops->release_guard(b->h, warp, &b->code.inst[i]);
}

/* Slot `i` of the warp holds `regs` registers from `rid` on. */
static bool holds(const bench *b, unsigned warp, unsigned i, unsigned rid,
                  unsigned regs)
{
    uint8_t r;

    return sm_table_slot(b->h, warp, i, &r) == (1u << regs) - 1 && r == rid;
}

static isa_inst load(unsigned dst, unsigned bits)
{
    isa_inst in = op3(ISA_LDG, dst, 2, ISA_RZ);

    in.src_kind[1] = SRC_NONE;
    ISA_PUT(&in, SIZE, bits == 128 ? SIZE_128 : SIZE_64);
    return in;
}

/* The example of the source, s2 to s5: w0 only reads, w1 writes R5 and then
 * reads it. */
TEST(example_of_the_source)
{
    isa_inst in[] = {
        op3(ISA_FADD, ISA_RZ, 2, ISA_RZ), /* I0.1 reads R2 */
        op3(ISA_FADD, 5, 1, ISA_RZ),      /* I1.1: R5 <- R1 */
        op3(ISA_FADD, ISA_RZ, 5, ISA_RZ), /* I1.2 reads R5 */
    };
    bench b;

    table(&b, 4, in, 3);
    CHECK_EQ(ask(&b, 0, 0), WHY_READY);
    take(&b, 0, 0);
    CHECK_EQ(sm_table_used(b.h, 0), 0); /* it writes nothing */
    CHECK_EQ(ask(&b, 1, 1), WHY_READY);
    take(&b, 1, 1);
    CHECK(holds(&b, 1, 0, 5, 1));
    CHECK_EQ(sm_table_used(b.h, 1), 1);
    CHECK_EQ(ask(&b, 1, 2), WHY_RAW_ALU); /* the next round */
    CHECK_EQ(ask(&b, 0, 2), WHY_READY);   /* R5 of another warp */
    write_back(&b, 1, 1);
    CHECK_EQ(sm_table_used(b.h, 1), 0);
    CHECK_EQ(ask(&b, 1, 2), WHY_READY);
    bench_fini(&b);
}

/* Its other example: warp x is full, Rm waits until Rx is written back, and
 * finds its place in Rx's slot. */
TEST(example_of_a_full_entry)
{
    isa_inst in[6];
    bench b;

    for (unsigned i = 0; i < 6; i++)
        in[i] = op3(ISA_FADD, 10 + i, 1, 2);
    table(&b, 4, in, 6);
    for (unsigned i = 0; i < 4; i++)
        take(&b, 7, i);
    CHECK_EQ(ask(&b, 7, 4), WHY_TABLE);
    CHECK_EQ(ask(&b, 6, 4), WHY_READY);
    write_back(&b, 7, 2);
    CHECK_EQ(ask(&b, 7, 4), WHY_READY);
    take(&b, 7, 4);
    CHECK(holds(&b, 7, 2, 14, 1));
    CHECK_EQ(ask(&b, 7, 5), WHY_TABLE);
    bench_fini(&b);
}

/* Only who writes waits for a slot, unless a full entry blocks all. */
TEST(a_full_entry_lets_readers_pass)
{
    isa_inst in[] = {op3(ISA_FADD, 10, 1, 2), op3(ISA_FADD, ISA_RZ, 1, 2),
                     op3(ISA_FADD, ISA_RZ, 10, 2), isa_new(ISA_BARSYNC),
                     op3(ISA_FADD, 10, 1, 2)};
    bench b;

    for (unsigned strict = 0; strict < 2; strict++) {
        memset(&b, 0, sizeof b);
        config_defaults(&b.cfg);
        b.cfg.sm.issue.hazard = CFG_HAZARD_TABLE;
        b.cfg.sm.table.slots = 1;
        b.cfg.sm.table.full_blocks = strict;
        bench_start(&b, in, 5);
        take(&b, 0, 0);
        CHECK_EQ(ask(&b, 0, 1), strict ? WHY_TABLE : WHY_READY);
        CHECK_EQ(ask(&b, 0, 2), WHY_RAW_ALU); /* named before FULL */
        CHECK_EQ(ask(&b, 0, 3), strict ? WHY_TABLE : WHY_READY);
        CHECK_EQ(ask(&b, 0, 4), WHY_WAW);
        bench_fini(&b);
    }
}

/* A slot stands for rid to rid + off, whichever side of the comparison is the
 * wide one. */
TEST(wide_results_are_compared_as_intervals)
{
    isa_inst in[] = {load(4, 128),
                     load(8, 64),
                     op3(ISA_FADD, 0, 7, 1),
                     op3(ISA_FADD, 0, 3, 1),
                     op3(ISA_DADD, 0, 6, 12),
                     op3(ISA_FADD, 7, 1, 1),
                     op3(ISA_DADD, 8, 12, 12)};
    bench b;

    table(&b, 4, in, 7);
    take(&b, 0, 0);
    take(&b, 0, 1);
    CHECK(holds(&b, 0, 0, 4, 4));
    CHECK(holds(&b, 0, 1, 8, 2));
    CHECK_EQ(ask(&b, 0, 2), WHY_RAW_MEM); /* R7 in R4..R7 */
    CHECK_EQ(ask(&b, 0, 3), WHY_READY);
    CHECK_EQ(ask(&b, 0, 4), WHY_RAW_MEM); /* R6, R7 */
    CHECK_EQ(ask(&b, 0, 5), WHY_RAW_MEM); /* overwrites R7: what it awaits */
    CHECK_EQ(ask(&b, 0, 6), WHY_RAW_MEM);
    write_back(&b, 0, 0);
    CHECK_EQ(ask(&b, 0, 2), WHY_READY);
    CHECK_EQ(ask(&b, 0, 5), WHY_READY);
    bench_fini(&b);
}

/* With o bits of offset a result of n registers takes ceil(n / 2^o) slots, all
 * of them or none. */
TEST(a_wide_result_takes_several_slots_at_once)
{
    isa_inst in[] = {load(4, 128), load(8, 128), op3(ISA_FADD, 0, 1, 1)};
    bench b;

    memset(&b, 0, sizeof b);
    config_defaults(&b.cfg);
    b.cfg.sm.issue.hazard = CFG_HAZARD_TABLE;
    b.cfg.sm.table.slots = 3;
    b.cfg.sm.table.offset_bits = 1;
    bench_start(&b, in, 3);
    take(&b, 0, 0);
    CHECK_EQ(sm_table_used(b.h, 0), 2);
    CHECK(holds(&b, 0, 0, 4, 2));
    CHECK(holds(&b, 0, 1, 6, 2));
    CHECK_EQ(ask(&b, 0, 1), WHY_TABLE); /* one slot is not enough */
    CHECK_EQ(ask(&b, 0, 2), WHY_READY);
    CHECK_EQ(sm_table_used(b.h, 0), 2);
    write_back(&b, 0, 0);
    CHECK_EQ(sm_table_used(b.h, 0), 0);
    CHECK_EQ(ask(&b, 0, 1), WHY_READY);
    bench_fini(&b);
}

TEST(the_zero_register_takes_no_slot)
{
    isa_inst in[] = {op3(ISA_FADD, ISA_RZ, 1, 2), op3(ISA_FADD, 0, 255, 255)};
    bench b;

    table(&b, 1, in, 2);
    take(&b, 0, 0);
    CHECK_EQ(sm_table_used(b.h, 0), 0);
    CHECK_EQ(ask(&b, 0, 1), WHY_READY);
    bench_fini(&b);
}

/* FFMA R0, R1, R2, R0: waits for the old R0, then stands for the new. */
TEST(a_result_that_is_a_source_too)
{
    isa_inst in[] = {op3(ISA_FADD, 0, 3, 4), op3(ISA_FFMA, 0, 1, 2)};
    bench b;

    in[1].src[2] = 0;
    in[1].src_kind[2] = SRC_REG;
    table(&b, 2, in, 2);
    take(&b, 0, 0);
    CHECK_EQ(ask(&b, 0, 1), WHY_RAW_ALU);
    write_back(&b, 0, 0);
    CHECK_EQ(ask(&b, 0, 1), WHY_READY);
    take(&b, 0, 1);
    CHECK_EQ(ask(&b, 0, 1), WHY_RAW_ALU);
    bench_fini(&b);
}

/* A register and a predicate: both or none. */
TEST(two_kinds_of_results_are_taken_together)
{
    isa_inst in[] = {op3(ISA_SHFL, 3, 1, 2), op3(ISA_FADD, 9, 1, 2),
                     op3(ISA_SEL, 4, 1, 2), op3(ISA_FADD, 5, 1, 2)};
    bench b;

    in[0].pdst[0] = 2;
    in[2].psrc[0] = 2;
    in[3].guard = 2;
    table(&b, 1, in, 4);
    take(&b, 0, 1);
    CHECK_EQ(ask(&b, 0, 0), WHY_TABLE);
    CHECK_EQ(ask(&b, 0, 2), WHY_TABLE); /* P2 is not pending */
    write_back(&b, 0, 1);
    take(&b, 0, 0);
    CHECK_EQ(ask(&b, 0, 2), WHY_RAW_PRED);
    CHECK_EQ(ask(&b, 0, 3), WHY_RAW_PRED);
    write_back(&b, 0, 0);
    CHECK_EQ(ask(&b, 0, 2), WHY_READY);
    CHECK_EQ(ask(&b, 0, 3), WHY_READY);
    bench_fini(&b);
}

/* The two readings of "0 means empty", as the table has them. */
TEST(zero_cannot_mean_empty)
{
    isa_inst in[] = {op3(ISA_FADD, 0, 1, 2), op3(ISA_FADD, 3, 0, 2)};
    bench b;

    for (unsigned e = 0; e < 3; e++) {
        memset(&b, 0, sizeof b);
        config_defaults(&b.cfg);
        b.cfg.sm.issue.hazard = CFG_HAZARD_TABLE;
        b.cfg.sm.table.empty = (cfg_table_empty)e;
        bench_start(&b, in, 2);
        bool match = e == CFG_TABLE_EMPTY_ZERO_MATCH;
        CHECK_EQ(ask(&b, 0, 1), match ? WHY_RAW_ALU : WHY_READY);
        if (!match) {
            take(&b, 0, 0);
            CHECK_EQ(ask(&b, 0, 1), e == CFG_TABLE_EMPTY_ZERO_SKIP
                                        ? WHY_READY /* missed */
                                        : WHY_RAW_ALU);
        }
        bench_fini(&b);
    }
}

TEST(instructions_that_never_fit_are_refused)
{
    isa_inst in[] = {op3(ISA_FADD, 0, 1, 2), load(60, 128)};
    sm_refusal no;
    bench b;

    table(&b, 4, in, 2);
    CHECK(!sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    b.cfg.sm.table.slots = 1;
    CHECK(!sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    b.cfg.sm.table.offset_bits = 0;
    CHECK(sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    CHECK_EQ(no.pc, 1);
    CHECK_EQ(no.need, 4);
    CHECK_EQ(no.have, 1);
    b.cfg.sm.table.slots = 4;
    b.cfg.sm.table.rid_bits = 6; /* R60 to R63 */
    CHECK(!sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    b.cfg.sm.table.rid_bits = 5;
    CHECK(sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    CHECK_EQ(no.pc, 1);
    CHECK_EQ(no.need, 64);
    CHECK_EQ(no.have, 32);
    b.cfg.sm.issue.hazard = CFG_HAZARD_UNLIMITED;
    CHECK(!sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    bench_fini(&b);
}

/* Where 0 means empty, what would be missed or wait for ever is refused. */
TEST(results_in_r0_are_refused_where_0_means_empty)
{
    static const struct {
        cfg_table_empty empty;
        unsigned dst, src;
        bool refused;
    } rows[] = {
        {CFG_TABLE_EMPTY_VALID, 0, 0, false},
        {CFG_TABLE_EMPTY_ZERO_SKIP, 3, 0, false},
        {CFG_TABLE_EMPTY_ZERO_SKIP, 0, 3, true},
        {CFG_TABLE_EMPTY_ZERO_MATCH, 3, 4, false},
        {CFG_TABLE_EMPTY_ZERO_MATCH, 3, 0, true},
        {CFG_TABLE_EMPTY_ZERO_MATCH, 0, 3, true},
    };

    for (unsigned i = 0; i < COUNTOF(rows); i++) {
        isa_inst in[] = {op3(ISA_FADD, 3, 1, 2),
                         op3(ISA_FADD, rows[i].dst, 2, rows[i].src)};
        sm_refusal no = {0};
        bench b;

        table(&b, 4, in, 2);
        b.cfg.sm.table.empty = rows[i].empty;
        CHECK_EQ(sm_hazard_refuses(&b.cfg, &b.kernel, &no), rows[i].refused);
        CHECK_EQ(no.pc, rows[i].refused);
        CHECK_EQ(no.why != NULL, rows[i].refused);
        CHECK_EQ(sm_hazard_lacks_r0(&b.cfg),
                 rows[i].empty != CFG_TABLE_EMPTY_VALID);
        b.cfg.sm.issue.hazard = CFG_HAZARD_UNLIMITED;
        CHECK_EQ(sm_hazard_refuses(&b.cfg, &b.kernel, &no), rows[i].refused);
        b.cfg.sm.issue.hazard = CFG_HAZARD_SCOREBOARD;
        CHECK(!sm_hazard_refuses(&b.cfg, &b.kernel, &no));
        CHECK(!sm_hazard_lacks_r0(&b.cfg));
        bench_fini(&b);
    }
}

/* ---- In the pipeline ---- */

static const char plain[] =
    "sm.fetch.perfect=true\nsm.fetch.buffer=16\nsm.fetch.width=4\n"
    "sm.issue.schedulers=1\nsm.rf.collect=none\nsm.constant.perfect=true\n"
    "sm.issue.oracle=true\nsm.issue.hazard=table\n";

static rig *machine(const char *more, const char *text, unsigned threads)
{
    char settings[512];
    rig *r;

    snprintf(settings, sizeof settings, "%s%s", plain, more);
    r = rig_new(settings);
    rig_program(r, ".shared 256", text, 1, threads);
    return r;
}

static uint64_t end_of(const char *more, const char *text)
{
    rig *r = machine(more, text, 32);
    uint64_t end = rig_run(r, 10000);

    CHECK(!sm_fault(r->s));
    rig_check_sum(r);
    CHECK_EQ(rig_stat(r, "table_writes"), rig_stat(r, "table_frees"));
    rig_free(r);
    return end;
}

/* Two instructions: the reader of R0 issues too early, or never. */
static const char uses_r0[] = "FADD R0, R1, R2\nFADD R3, R0, R2\nEXIT\n";

TEST(zero_skip_lets_a_hazard_through)
{
    rig *r = machine("sm.table.empty=zero_skip\n", uses_r0, 32);

    rig_run(r, 10000);
    CHECK(sm_fault(r->s));
    CHECK_EQ(sm_fault(r->s)->kind, FAULT_HAZARD);
    CHECK_EQ(sm_fault(r->s)->pc, 1);
    rig_free(r);
}

TEST(zero_match_waits_for_ever)
{
    rig *r = machine("sm.table.empty=zero_match\n", uses_r0, 32);

    while (r->now < 5000)
        rig_step(r);
    sm_finish_stats(r->s, r->now);
    CHECK_EQ(r->ended, 0);
    CHECK(!sm_fault(r->s));
    CHECK_EQ(rig_stat(r, "warp_insts"), 0); /* not even the writer of R0 */
    CHECK_EQ(sm_tick(r->s, r->now), NEVER); /* and knows it */
    rig_free(r);
}

/* A machine whose R0 is never written does not mind. */
TEST(the_encodings_agree_without_register_0)
{
    const char *text = "FADD R4, R1, R2\nFADD R3, R4, R2\nEXIT\n";
    uint64_t end = end_of("", text);

    CHECK_EQ(end_of("sm.table.empty=zero_skip\n", text), end);
    CHECK_EQ(end_of("sm.table.empty=zero_match\n", text), end);
}

/* k slots hold k results: the first one more waits until the first of them is
 * written. */
TEST(results_wait_for_slots)
{
    for (unsigned n = 1; n <= 8; n++) {
        strbuf b = {0};
        char set[64];

        for (unsigned i = 0; i < n; i++)
            strbuf_printf(&b, "FADD R%u, R1, R2\n", 4 + i);
        strbuf_puts(&b, "EXIT\n");
        for (unsigned slots = 1; slots <= 8; slots++) {
            /* Result i issues at i, but not before result i - slots, which
             * takes 10 cycles, is written. */
            uint64_t at[8], free_at = end_of("sm.issue.hazard=scoreboard\n"
                                             "sm.op.fp32.latency=10\n",
                                             b.text);
            for (unsigned i = 0; i < n; i++) {
                at[i] = i ? at[i - 1] + 1 : 0;
                if (i >= slots && at[i - slots] + 10 > at[i])
                    at[i] = at[i - slots] + 10;
            }
            snprintf(set, sizeof set,
                     "sm.table.slots=%u\nsm.op.fp32.latency=10\n", slots);
            CHECK_EQ(end_of(set, b.text), free_at + at[n - 1] - (n - 1));
        }
        strbuf_fini(&b);
    }
}

/* Instructions without a lane, predicated off, still give their slots back;
 * branches, stores and barriers pass a full entry. */
TEST(no_slot_leaks)
{
    const char *text =
        "ISETP.LT.AND P0, PT, R1, R1, PT\nMOV R6, RZ\n"
        "@P0 LDS R4, [R6]\n@P0 FADD R5, R1, R2\n@!P0 LDS R4, [R6]\n"
        "STS [R6], R1\nBAR.SYNC 0x0\n@P0 BRA over\nFADD R5, R4, R2\n"
        "over:\n@P0 SHFL.BFLY PT, R7, R1, 0x1, R2\nEXIT\n";

    for (unsigned slots = 1; slots <= 4; slots++) {
        char set[64];

        snprintf(set, sizeof set, "sm.table.slots=%u\n", slots);
        end_of(set, text);
    }
}

/* The slot of a warp that has ended is not used again before its last result
 * is written: 64 CTAs, one warp at a time, each with a load that nobody
 * waits for. */
TEST(a_warp_that_ended_keeps_its_entry)
{
    rig *r = rig_new("sm.issue.hazard=table\nsm.table.slots=1\nsm.warps=1\n"
                     "sm.ctas=1\nsm.issue.schedulers=1\n");
    uint64_t data = mem_alloc(r->image, 4096, "data");

    rig_param(r, 0, data);
    rig_program(r, "",
                "MOV R4, c[0x0][0x140]\nMOV R5, c[0x0][0x144]\n"
                "LDG.E R6, [R4]\nEXIT\n",
                64, 32);
    rig_run(r, 100000);
    CHECK(!sm_fault(r->s));
    CHECK_EQ(rig_stat(r, "table_frees"), 64 * 3);
    rig_free(r);
}

/* A load of as many transactions as lanes waits in the load/store unit, and
 * again and again for the L1: it took its slot when it issued, once. */
TEST(memory_instructions_that_wait_keep_their_slot)
{
    rig *r = rig_new("sm.issue.hazard=table\nsm.table.slots=2\n"
                     "sm.lsu.queue=1\nsm.lsu.pending=1\n");
    uint64_t data = mem_alloc(r->image, 65536, "data");

    rig_param(r, 0, data);
    rig_program(r, "",
                "S2R R0, SR_TID.X\nMOV R1, 0x100\n"
                "IMAD.WIDE.U32 R4, R0, R1, c[0x0][0x140]\n"
                "LDG.E R6, [R4]\nLDG.E R7, [R4+0x80]\nLDG.E R8, [R4]\n"
                "FADD R9, R6, R7\nFADD R9, R9, R8\nEXIT\n",
                1, 128);
    rig_run(r, 100000);
    CHECK(!sm_fault(r->s));
    CHECK_EQ(rig_stat(r, "tx_loads"), 4 * 3 * 32);
    CHECK_EQ(rig_stat(r, "table_writes"), 4 * 8);
    CHECK_EQ(rig_stat(r, "table_frees"), 4 * 8);
    rig_free(r);
}

#ifdef HEDDLE_CHECKS
static void start_cta(void *arg)
{
    uint32_t id[3] = {0, 0, 0};

    sm_cta_start(((rig *)arg)->s, 0, 0, id, 0, NULL, 0);
}

/* A warp whose entry still holds something of the warp before would wait for
 * what never comes, or lose what does. */
TEST(a_warp_starts_with_an_empty_entry)
{
    static const char *const hazard[] = {"table", "unlimited", "scoreboard",
                                         "none"};

    for (unsigned i = 0; i < 4; i++) {
        char settings[64];

        snprintf(settings, sizeof settings, "sm.issue.hazard=%s\n", hazard[i]);
        rig *r = rig_new(settings);
        rig_program(r, ".shared 256", "MOV R6, RZ\nLDS R4, [R6]\nEXIT\n", 1,
                    32);
        CHECK(!dies(start_cta, r));
        r->s->hazards.policy->ops->reserve(
            r->s->hazards.policy, 0, &r->s->launches.grid[0].code.inst[1]);
        CHECK(dies(start_cta, r));
        rig_free(r);
    }
}
#endif

/* Its time in slots is that of its loads and results: what a result holds is
 * counted from issue to write-back, in each of those cycles. */
TEST(slots_are_counted_by_the_cycle)
{
    rig *r = machine("sm.op.fp32.latency=10\nsm.issue.hazard=unlimited\n",
                     "FADD R4, R1, R2\nFADD R5, R1, R2\nFADD R6, R4, R5\n"
                     "EXIT\n",
                     32);

    rig_run(r, 10000);
    /* At t, t + 1 and t + 11, ten cycles each. */
    CHECK_EQ(rig_stat(r, "table_slot_cycles"), 30);
    CHECK_EQ(r->s->st.table_held[1], 1 + 1 + 10);
    CHECK_EQ(r->s->st.table_held[2], 9);
    CHECK_EQ(r->s->st.table_held[3], 0);
    CHECK_EQ(r->s->st.table_held[0], rig_stat(r, "warp_cycles") - 21);
    CHECK_EQ(r->s->st.table_life[0], 3);
    rig_free(r);
}

/* So are those of results that are still on their way, and none of them twice.
 */
TEST(slots_are_counted_at_any_time)
{
    static const char set[] = "sm.op.fp32.latency=10\n";
    static const char text[] = "FADD R4, R1, R2\nFADD R5, R1, R2\nEXIT\n";
    rig *r = machine(set, text, 32);

    while (rig_stat(r, "table_writes") < 2)
        rig_step(r);
    for (unsigned i = 0; i < 5; i++) { /* 1, then 2 in each cycle */
        sm_finish_stats(r->s, r->now);
        CHECK_EQ(rig_stat(r, "table_slot_cycles"), 3 + 2 * i);
        CHECK_EQ(stats_sum(r->reg, NULL, "sm.table_held_*", NULL),
                 rig_stat(r, "warp_cycles"));
        rig_step(r);
    }
    rig_run(r, 10000);
    CHECK_EQ(rig_stat(r, "table_slot_cycles"), 20);
    rig_free(r);
}

/* Both sides of a branch share the entry of their warp. */
TEST(paths_of_a_warp_share_its_entry)
{
    const char *text =
        "S2R R0, SR_TID.X\nISETP.LT.AND P0, PT, R0, 0x10, PT\n"
        "MOV R6, RZ\nSSY join\n@P0 BRA else\nLDS R4, [R6]\nSYNC\n"
        "else:\nFADD R5, R%u, R2\nSYNC\njoin:\nEXIT\n";
    char same[512], other[512];

    snprintf(same, sizeof same, text, 4);
    snprintf(other, sizeof other, text, 8);
    CHECK(end_of("", same) >= end_of("", other));
    CHECK_EQ(end_of("", same), end_of("sm.issue.hazard=scoreboard\n", same));
}

/* ---- One access a cycle ---- */

/* The cycle in which instruction `pc` of each warp issued last, from what the
 * registers of a clock say. */
static uint64_t polls(const char *more, const char *text, unsigned threads,
                      uint64_t *checks, uint64_t *writes)
{
    rig *r = machine(more, text, threads);
    uint64_t end = rig_run(r, 10000);

    CHECK(!sm_fault(r->s));
    rig_check_sum(r);
    CHECK_EQ(rig_stat(r, "table_writes"), rig_stat(r, "table_frees"));
    *checks = rig_stat(r, "poll_cycles_check");
    *writes = rig_stat(r, "poll_cycles_wb");
    rig_free(r);
    return end;
}

/* A warp alone is polled each cycle: what the scoreboard issues in a cycle is
 * checked in it and issues in the next; a result of `latency` cycles is
 * written in one in which nothing is checked, so that who waits for it is
 * checked one cycle later. */
TEST(serial_access_by_one_warp)
{
    const char *chain = "FADD R4, R1, R2\nFADD R5, R4, R2\nFADD R6, R5, R2\n"
                        "EXIT\n";
    const char *set = "sm.op.fp32.latency=10\n";
    const char *serial = "sm.op.fp32.latency=10\nsm.table.mode=serial\n";
    uint64_t checks, writes, end = polls(set, chain, 32, &checks, &writes);

    CHECK_EQ(checks, 0);
    /* One more for the first, two more for each that waits; EXIT follows the
     * last in the next cycle in both. The last result keeps the warp. */
    uint64_t slow = polls(serial, chain, 32, &checks, &writes);
    CHECK_EQ(writes, 3);
    CHECK_EQ(slow, end + 1 + 2 * 2);
}

/* A write-back takes the turn of who would pass: a slot of the scheduler that
 * is lost to it is a stall of its own. */
TEST(turns_lost_to_write_backs_are_told_apart)
{
    static const char text[] =
        "FADD R4, R1, R2\nFADD R5, R1, R2\nFADD R6, R1, R2\n"
        "FADD R7, R1, R2\nFADD R8, R1, R2\nFADD R9, R1, R2\nEXIT\n";
    rig *r = machine("sm.table.slots=8\nsm.op.fp32.latency=3\n"
                     "sm.table.mode=serial\n",
                     text, 32);

    rig_run(r, 10000);
    /* The first is written while others wait for their turn; with 6 checks
     * from cycle t on and issues from t + 1, writes come in t + 4 and, each
     * other cycle at least being a check's, later. */
    CHECK(rig_stat(r, "stall_table_write") > 0);
    CHECK(rig_stat(r, "stall_table_write") <= rig_stat(r, "poll_cycles_wb"));
    CHECK_EQ(rig_stat(r, "poll_cycles_wb"), 6);
    rig_check_sum(r);
    rig_free(r);
    r = machine("sm.table.slots=8\nsm.op.fp32.latency=3\nsm.table.ready=1\n",
                text, 32);
    rig_run(r, 10000);
    CHECK_EQ(rig_stat(r, "stall_table_write"), 0);
    rig_free(r);
}

/* Two warps take turns; the literal example: w0 passes, w1 passes, w0 ..., w1
 * is blocked until its result has been written. */
TEST(serial_access_takes_turns)
{
    const char *text = "FADD R4, R1, R2\nFADD R5, R4, R2\nEXIT\n";
    uint64_t checks, writes, end[5];

    for (unsigned warps = 1; warps <= 4; warps++) {
        end[warps] = polls("sm.op.fp32.latency=4\nsm.table.mode=serial\n", text,
                           32 * warps, &checks, &writes);
        CHECK_EQ(writes, 2 * warps);
        CHECK(checks >= 3 * warps); /* each instruction, and blocked ones */
        CHECK(warps == 1 || end[warps] > end[warps - 1]);
    }
}

/* With a place for it, and nothing else to do, an instruction issues a cycle
 * after it was checked: checks and issues overlap. */
TEST(a_buffer_of_checked_instructions_costs_a_cycle)
{
    strbuf b = {0};

    for (unsigned i = 0; i < 12; i++)
        strbuf_printf(&b, "FADD R%u, R1, R2\n", 4 + i);
    strbuf_puts(&b, "EXIT\n");
    uint64_t end = end_of("sm.table.slots=16\n", b.text);
    CHECK_EQ(end_of("sm.table.slots=16\nsm.table.ready=1\n", b.text), end + 1);
    CHECK_EQ(end_of("sm.table.slots=16\nsm.table.ready=4\n", b.text), end + 1);
    strbuf_fini(&b);
}

/* Four results come in one cycle to a buffer for one and a port for one: the
 * port takes one in each cycle, and those that find no room wait 1 + 2 + ...
 * cycles in their pipelines. */
TEST(write_backs_wait_for_room)
{
    static const char set[] =
        "sm.op.fp32.latency=8\nsm.op.int_add.latency=7\n"
        "sm.op.logic.latency=6\nsm.op.move.latency=5\nsm.rf.results=64\n";
    static const char text[] = "FADD R4, R1, R2\nIADD3 R5, R1, R2, RZ\n"
                               "LOP3.LUT R6, R1, R2, RZ, 0x96\n"
                               "MOV R7, 0x5\nEXIT\n";
    char more[256];

    snprintf(more, sizeof more, "%ssm.table.ports=1\nsm.table.buffer=1\n", set);
    rig *r = machine(more, text, 32);
    CHECK_EQ(rig_run(r, 10000), end_of(set, text) + 3);
    CHECK_EQ(rig_stat(r, "table_write_waits"), 3 + 2 + 1);
    CHECK_EQ(rig_stat(r, "poll_cycles_wb"), 4);
    rig_free(r);
}

/* Ports as wide as all that is written in a cycle change nothing. */
TEST(enough_ports_are_none)
{
    const char *text = "S2R R0, SR_TID.X\nFADD R4, R1, R2\nLDS R5, [R6]\n"
                       "MUFU.RCP R7, R4\nFADD R8, R7, R5\nEXIT\n";
    uint64_t checks, writes;

    CHECK_EQ(polls("sm.table.ports=8\n", text, 256, &checks, &writes),
             polls("", text, 256, &checks, &writes));
    CHECK(polls("sm.table.mode=serial\nsm.table.buffer=1\n", text, 256, &checks,
                &writes) >
          polls("sm.table.ports=1\n", text, 256, &checks, &writes));
}
