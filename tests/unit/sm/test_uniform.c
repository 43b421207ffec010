/* tests/unit/sm/test_uniform.c - when results of the uniform datapath are seen,
 * and by whom; what is executed there once. */
#include "rig.h"
#include "sm/hazard/hazard.h"

/* Cycles of NAK's table for Ampere, from writer to reader [NAK80:uniform]. */
enum { TO_UNIFORM = 4, TO_LANES = 6, TO_LATE = 9, TO_GUARD = 11, OF_MOVE = 2 };

#define AMPERE                                                                 \
    "gpu.arch=ampere\nsm.fetch.perfect=true\nsm.fetch.buffer=16\n"             \
    "sm.fetch.width=4\nsm.issue.schedulers=1\nsm.rf.collect=none\n"            \
    "sm.constant.perfect=true\nsm.constant.operand=0\n"                        \
    "sm.unit.uniform.private=1\n"                                              \
    "sm.op.uniform.unit=uniform\nsm.op.uniform.interval=1\n"                   \
    "sm.op.umove.unit=uniform\n"

/* Cycles of a program of `n` copies of `text`. */
static uint64_t cycles_of(const char *settings, const char *text, unsigned n)
{
    rig *r = rig_new(settings);
    strbuf b = {0};
    uint64_t end;

    for (unsigned i = 0; i < n; i++)
        strbuf_printf(&b, "%s\n", text);
    strbuf_puts(&b, "EXIT\n");
    rig_program(r, ".shared 64", b.text, 1, 32);
    strbuf_fini(&b);
    end = rig_run(r, 100000);
    CHECK(!sm_fault(r->s));
    rig_check_sum(r);
    rig_free(r);
    return end;
}

/* From the issue of a writer to that of its reader, in a round of both where
 * the writer needs what the reader gives. */
static uint64_t round_of(const char *settings, const char *text)
{
    uint64_t few = cycles_of(settings, text, 8);

    return (cycles_of(settings, text, 24) - few) / 16;
}

TEST(the_datapath_sees_its_results_first)
{
    CHECK_EQ(round_of(AMPERE, "UIADD3 UR4, UR4, 1, URZ"), TO_UNIFORM);
    CHECK_EQ(round_of(AMPERE, "UISETP.LT.AND UP0, UPT, UR4, UR5, UP0"),
             TO_UNIFORM);
    CHECK_EQ(round_of(AMPERE, "USEL UR4, UR5, UR6, UP0\n"
                              "UISETP.LT.AND UP0, UPT, UR4, UR5, UPT"),
             2 * TO_UNIFORM);
}

/* R2UR is the way back, of its own latency. */
TEST(lanes_see_them_later)
{
    static const char set[] = AMPERE "sm.op.int_add.latency=3\n"
                                     "sm.op.vote.latency=7\n";

    CHECK_EQ(round_of(set, "UIADD3 UR4, UR5, 1, URZ\n"
                           "IADD3 R0, R1, UR4, RZ\n"
                           "R2UR UR5, R0"),
             TO_LANES + 3 + 7);
    CHECK_EQ(round_of(AMPERE "sm.op.logic.latency=5\nsm.op.vote.latency=7\n",
                      "UISETP.LT.AND UP0, UPT, UR4, UR5, UPT\n"
                      "PLOP3.LUT P0, PT, PT, UP0, 0x80\n"
                      "@P0 R2UR UR5, R0"),
             TO_LANES + 5 + 7); /* pending though no lane is active */
}

TEST(loads_and_guards_see_them_last)
{
    static const char load[] = "UIADD3 UR4, UR4, 1, URZ\nLDS R0, [UR4+3]";

    CHECK_EQ(round_of(AMPERE, "UISETP.LT.AND UP0, UPT, UR4, UR5, UPT\n"
                              "@UP0 UIADD3 UR4, UR4, 1, URZ"),
             TO_GUARD + TO_UNIFORM);
    CHECK_EQ(round_of(AMPERE "sm.op.vote.latency=7\nsm.op.bits.latency=5\n",
                      "UIADD3 UR4, UR5, 1, URZ\nPOPC R0, UR4\nR2UR UR5, R0"),
             TO_LATE + 5 + 7);
    CHECK_EQ(cycles_of(AMPERE, load, 1) -
                 cycles_of(AMPERE "sm.uniform.late=0\n", load, 1),
             TO_LATE - TO_UNIFORM);
}

TEST(moves_are_seen_by_all_at_once)
{
    static const char set[] = AMPERE "sm.op.int_add.latency=3\n"
                                     "sm.op.vote.latency=7\n";

    CHECK_EQ(round_of(AMPERE, "UMOV UR4, UR5\nUMOV UR5, UR4"), 2 * OF_MOVE);
    CHECK_EQ(round_of(set, "UMOV UR4, UR5\nIADD3 R0, R1, UR4, RZ\n"
                           "R2UR UR5, R0"),
             OF_MOVE + 3 + 7);
}

TEST(others_do_not_wait)
{
    CHECK_EQ(round_of(AMPERE, "UIADD3 UR4, UR4, 1, URZ\n"
                              "UIADD3 UR5, UR5, 1, URZ\n"
                              "UIADD3 UR6, UR6, 1, URZ\n"
                              "UIADD3 UR7, UR7, 1, URZ"),
             4);
    CHECK_EQ(round_of(AMPERE "sm.op.uniform.interval=2\n",
                      "UIADD3 UR4, UR4, 1, URZ\n"
                      "UIADD3 UR5, UR5, 1, URZ\n"
                      "UIADD3 UR6, UR6, 1, URZ\n"
                      "UIADD3 UR7, UR7, 1, URZ"),
             8);
}

/* Each policy waits alike: the sum 0 + ... + 9 is right, the oracle watches. */
TEST(every_policy_tracks_them)
{
    static const char *const policy[] = {"scoreboard", "table", "unlimited",
                                         "counted"};

    for (unsigned i = 0; i < COUNTOF(policy); i++) {
        char set[1024];
        rig *r;

        snprintf(set, sizeof set,
                 "%ssm.issue.hazard=%s\nsm.issue.oracle=true\n", AMPERE,
                 policy[i]);
        r = rig_new(set);
        rig_program(r, ".shared 64",
                    "UMOV UR8, URZ\nUMOV UR9, URZ\n"
                    "top: UIADD3 UR9, UR9, UR8, URZ\n"
                    "UIADD3 UR8, UR8, 1, URZ\n"
                    "UISETP.LT.AND UP0, UPT, UR8, 10, UPT\n"
                    "PLOP3.LUT P0, PT, PT, UP0, 0x80\n"
                    "@P0 BRA top\n"
                    "MOV R0, UR9\nMOV R1, 4\nSTS [R1], R0\nEXIT",
                    1, 32);
        rig_run(r, 100000);
        CHECK(!sm_fault(r->s));
        CHECK_EQ(rig_stat(r, "warp_insts"), 2 + 10 * 5 + 4);
        CHECK_EQ(rig_stat(r, "inst_uniform"), 30);
        CHECK_EQ(rig_stat(r, "inst_umove"), 2);
        CHECK_EQ(rig_stat(r, "uniform_writes"), 2 + 10 * 2);
        CHECK_EQ(rig_stat(r, "uniform_reads"), 10 * 4 + 1);
        CHECK(rig_stat(r, "uniform_waits") > 0);
        rig_free(r);
    }
}

static unsigned fault_of(const char *text)
{
    rig *r = rig_new(AMPERE "sm.issue.hazard=codes\n");
    unsigned kind;

    rig_program(r, "", text, 1, 32);
    rig_run(r, 100000);
    kind = sm_fault(r->s) ? sm_fault(r->s)->kind : FAULT_NONE;
    rig_free(r);
    return kind;
}

TEST(control_codes_are_trusted_and_the_oracle_looks)
{
    CHECK_EQ(fault_of("[B------:R-:W-:-:S04] UIADD3 UR4, UR4, 1, URZ\n"
                      "[B------:R-:W-:-:S06] UIADD3 UR5, UR4, 1, URZ\n"
                      "[B------:R-:W-:-:S15] MOV R0, UR5\n"
                      "[B------:R-:W-:-:S01] EXIT"),
             FAULT_NONE);
    CHECK_EQ(fault_of("[B------:R-:W-:-:S03] UIADD3 UR4, UR4, 1, URZ\n"
                      "[B------:R-:W-:-:S06] UIADD3 UR5, UR4, 1, URZ\n"
                      "[B------:R-:W-:-:S01] EXIT"),
             FAULT_HAZARD);
    CHECK_EQ(fault_of("[B------:R-:W-:-:S05] UIADD3 UR5, UR4, 1, URZ\n"
                      "[B------:R-:W-:-:S15] MOV R0, UR5\n"
                      "[B------:R-:W-:-:S01] EXIT"),
             FAULT_HAZARD);
    CHECK_EQ(fault_of("[B------:R-:W0:-:S02] R2UR UR5, R1\n"
                      "[B0-----:R-:W-:-:S15] MOV R0, UR5\n"
                      "[B------:R-:W-:-:S01] EXIT"),
             FAULT_NONE);
    CHECK_EQ(fault_of("[B------:R-:W0:-:S02] R2UR UR5, R1\n"
                      "[B------:R-:W-:-:S15] MOV R0, UR5\n"
                      "[B------:R-:W-:-:S01] EXIT"),
             FAULT_HAZARD);
}

TEST(sms_that_share_a_front_end_refuse_them)
{
    rig *r = rig_new(AMPERE);
    config cfg = *config_sheet_values(r->sheet);
    sm_refusal no;

    rig_program(r, "", "MOV R0, R1\nMOV R0, UR1\nEXIT", 1, 32);
    CHECK(!sm_hazard_refuses(&cfg, r->launch.kernel, &no));
    cfg.gpu.cluster.size = 2;
    CHECK(sm_hazard_refuses(&cfg, r->launch.kernel, &no));
    CHECK_EQ(no.pc, 1);
    rig_free(r);
}
