/* tests/unit/sm/hazard/test_oracle.c - the oracle by itself, and readers that
 * are slower than a younger writer. */
#include "sm/hazard/oracle.h"
#include "unit/sm/bench.h"
#include "unit/sm/rig.h"

enum {
    PAIR,
    READ_LOW,
    READ_HIGH,
    READ_LAST,
    WRITE_HIGH,
    COMPARE,
    GUARDED,
    SELECT,
    LOAD
};

typedef struct judge {
    bench b;
    sm_oracle *o;
} judge;

static void judge_init(judge *j, cfg_hazard hazard)
{
    isa_inst in[] = {
        [PAIR] = op3(ISA_DADD, 4, 8, 10),
        [READ_LOW] = op3(ISA_FADD, 0, 4, 1),
        [READ_HIGH] = op3(ISA_FADD, 0, 5, 1),
        [READ_LAST] = op3(ISA_FADD, 0, 1, 5),
        [WRITE_HIGH] = op3(ISA_FADD, 5, 1, 1),
        [COMPARE] = op3(ISA_ISETP, ISA_RZ, 1, 2),
        [GUARDED] = op3(ISA_FADD, 3, 1, 2),
        [SELECT] = op3(ISA_SEL, 3, 1, 2),
        [LOAD] = op3(ISA_LDG, 5, 2, ISA_RZ),
    };
    bool ok = true;

    in[COMPARE].pdst[0] = 2;
    in[GUARDED].guard = 2;
    in[SELECT].psrc[0] = 2;
    in[LOAD].src_kind[1] = SRC_NONE;
    memset(j, 0, sizeof *j);
    config_defaults(&j->b.cfg);
    j->b.cfg.sm.issue.oracle = true;
    j->b.cfg.sm.issue.hazard = hazard;
    bench_start(&j->b, in, COUNTOF(in));
    j->o = sm_oracle_new(&j->b.cfg);
    CHECK(ok && j->o);
}

static void judge_fini(judge *j)
{
    sm_oracle_free(j->o);
    bench_fini(&j->b);
}

static bool allows(judge *j, unsigned warp, unsigned i, uint64_t now)
{
    return sm_oracle_allows(j->o, warp, &j->b.code.inst[i], now);
}

static void pend(judge *j, unsigned i, uint64_t now)
{
    sm_oracle_pend(j->o, 0, &j->b.code.inst[i], true, now);
}

static bool lands(judge *j, unsigned i, unsigned first, unsigned n,
                  uint64_t now)
{
    return sm_oracle_write(j->o, 0, &j->b.code.inst[i], first, n, now);
}

TEST(nothing_touches_what_is_pending)
{
    judge j;

    judge_init(&j, CFG_HAZARD_SCOREBOARD);
    for (unsigned i = 0; i <= LOAD; i++)
        CHECK(allows(&j, 0, i, 0));
    pend(&j, PAIR, 0);
    CHECK(!allows(&j, 0, READ_LOW, 99));
    CHECK(!allows(&j, 0, READ_HIGH, 99));
    CHECK(!allows(&j, 0, READ_LAST, 99));
    CHECK(!allows(&j, 0, WRITE_HIGH, 99));
    CHECK(!allows(&j, 0, PAIR, 99));
    CHECK(allows(&j, 0, GUARDED, 99));
    CHECK(allows(&j, 1, READ_HIGH, 99)); /* of another warp */
    CHECK(lands(&j, PAIR, 0, 1, 100));
    CHECK(allows(&j, 0, READ_LOW, 100));
    CHECK(!allows(&j, 0, READ_HIGH, 100));
    CHECK(lands(&j, PAIR, 1, 1, 101));
    CHECK(allows(&j, 0, WRITE_HIGH, 101));
    judge_fini(&j);
}

/* Guards see a predicate after others do. */
TEST(predicates_are_pending_for_guards_of_their_own)
{
    judge j;

    judge_init(&j, CFG_HAZARD_SCOREBOARD);
    pend(&j, COMPARE, 0);
    CHECK(!allows(&j, 0, SELECT, 5));
    CHECK(!allows(&j, 0, GUARDED, 5));
    CHECK(!allows(&j, 0, COMPARE, 5));
    CHECK(lands(&j, COMPARE, 0, 0, 5));
    CHECK(allows(&j, 0, SELECT, 5));
    CHECK(!allows(&j, 0, GUARDED, 5));
    sm_oracle_guard(j.o, 0, &j.b.code.inst[COMPARE]);
    CHECK(allows(&j, 0, GUARDED, 6));
    judge_fini(&j);
}

/* With control codes a result may follow another into its register if it is
 * due later, and nobody knows when what comes from memory is. */
TEST(results_may_follow_each_other_with_control_codes)
{
    judge j;

    judge_init(&j, CFG_HAZARD_CODES);
    unsigned pair = j.b.code.inst[PAIR].latency;
    unsigned one = j.b.code.inst[WRITE_HIGH].latency;
    pend(&j, PAIR, 100);
    CHECK(!allows(&j, 0, WRITE_HIGH, 100 + pair - one));
    CHECK(allows(&j, 0, WRITE_HIGH, 100 + pair - one + 1));
    CHECK(!allows(&j, 0, READ_HIGH, 100 + pair));
    CHECK(lands(&j, PAIR, 0, 2, 100 + pair));
    pend(&j, LOAD, 200);
    CHECK(!allows(&j, 0, WRITE_HIGH, 10000));
    judge_fini(&j);
}

/* A register is written when all older readers have it, not before. */
TEST(writers_wait_for_readers)
{
    judge j;

    judge_init(&j, CFG_HAZARD_SCOREBOARD);
    sm_oracle_read(j.o, 0, &j.b.code.inst[READ_HIGH], 50);
    sm_oracle_read(j.o, 0, &j.b.code.inst[READ_HIGH], 40); /* the later one */
    sm_oracle_read(j.o, 1, &j.b.code.inst[READ_HIGH], 90);
    for (unsigned i = 0; i < 2; i++) {
        pend(&j, WRITE_HIGH, 30);
        CHECK_EQ(lands(&j, WRITE_HIGH, 0, 1, 49 + i), i);
    }
    pend(&j, PAIR, 30); /* of two registers, the one that is read */
    CHECK(lands(&j, PAIR, 0, 1, 49));
    CHECK(!lands(&j, PAIR, 1, 1, 49));
    judge_fini(&j);
}

/* ---- In the pipeline ---- */

/* One bank serves one register a cycle, and so many readers of three registers
 * come first: the last has its operands after 3 n cycles. The MOV behind them
 * takes 4 from its issue in cycle n, in a unit of its own, and reads nothing.
 */
static int overtakes(unsigned readers, const char *more)
{
    char settings[512];
    strbuf b = {0};
    int at = -1;

    snprintf(settings, sizeof settings,
             "sm.fetch.perfect=true\nsm.fetch.buffer=16\nsm.fetch.width=4\n"
             "sm.issue.schedulers=1\nsm.constant.perfect=true\n"
             "sm.rf.collect=units\nsm.rf.banks=1\nsm.rf.collectors=64\n"
             "sm.rf.results=64\nsm.op.move.latency=4\n"
             "sm.op.move.unit=alu\n"
             "sm.op.fp32.interval=1\nsm.issue.oracle=true\n%s",
             more);
    rig *r = rig_new(settings);
    for (unsigned i = 0; i < readers; i++)
        strbuf_printf(&b, "FFMA R%u, R1, R2, R3\n", 10 + i);
    strbuf_puts(&b, "MOV R1, 0x5\nEXIT\n");
    rig_program(r, "", b.text, 1, 32);
    rig_run(r, 10000);
    if (sm_fault(r->s)) {
        CHECK_EQ(sm_fault(r->s)->kind, FAULT_OVERWRITE);
        at = (int)sm_fault(r->s)->pc;
    }
    strbuf_fini(&b);
    rig_free(r);
    return at;
}

/* An instruction whose lanes are all predicated off writes nothing, so it may
 * be through before an older reader has its operands. */
TEST(what_is_predicated_off_overtakes_nobody)
{
    judge j;

    judge_init(&j, CFG_HAZARD_SCOREBOARD);
    sm_oracle_read(j.o, 0, &j.b.code.inst[READ_HIGH], 50);
    sm_oracle_pend(j.o, 0, &j.b.code.inst[WRITE_HIGH], false, 30);
    CHECK(lands(&j, WRITE_HIGH, 0, 1, 31));
    pend(&j, WRITE_HIGH, 32); /* nothing of that stays behind */
    CHECK(!lands(&j, WRITE_HIGH, 0, 1, 33));
    judge_fini(&j);

    rig *r = rig_new("sm.fetch.perfect=true\nsm.fetch.buffer=16\n"
                     "sm.fetch.width=4\nsm.issue.schedulers=1\n"
                     "sm.constant.perfect=true\nsm.rf.collect=units\n"
                     "sm.rf.banks=1\nsm.rf.collectors=64\n"
                     "sm.rf.results=64\nsm.op.fp32.interval=1\n");
    strbuf b = {0};

    for (unsigned i = 0; i < 40; i++)
        strbuf_printf(&b, "FFMA R%u, R1, R2, R3\n", 10 + i);
    strbuf_puts(&b, "@!PT LDG R1, [RZ]\nEXIT\n");
    rig_program(r, "", b.text, 1, 32);
    rig_run(r, 10000);
    CHECK(!sm_fault(r->s));
    CHECK_EQ(sm_warp_insts(r->s), 42);
    strbuf_fini(&b);
    rig_free(r);
}

TEST(results_that_overtake_readers_are_found)
{
    for (unsigned n = 1; n <= 6; n++)
        CHECK_EQ(overtakes(n, ""), 3 * n > n + 4 ? (int)n : -1);
    /* Banks that are wide enough, or that none waits for. */
    CHECK_EQ(overtakes(6, "sm.rf.read_ports=3\n"), -1);
    CHECK_EQ(overtakes(6, "sm.rf.collect=none\n"), -1);
    CHECK_EQ(overtakes(6, "sm.rf.collect=fixed\n"), -1);
    CHECK_EQ(overtakes(6, "sm.issue.hazard=table\nsm.table.slots=8\n"), 6);
}
