/* tests/unit/sm/hazard/test_control_codes.c - control codes that are trusted:
 * right ones run, wrong ones are found out. */
#include "unit/sm/bench.h"
#include "unit/sm/rig.h"

/* Runs `text` on one warp; the instruction that issued too early, or -1. */
static int runs(const char *text, uint64_t *end)
{
    rig *r = rig_new("v100\nsm.issue.hazard=codes\nsm.fetch.perfect=true\n"
                     "sm.constant.perfect=true\nsm.rf.collect=none\n"
                     "sm.rf.results=64\nsm.op.fp32.latency=4\n"
                     "sm.op.int_cmp.latency=5\nsm.issue.predicate=8\n");
    int at = -1;

    rig_program(r, ".shared 256", text, 1, 32);
    *end = rig_run(r, 10000);
    if (sm_fault(r->s)) {
        CHECK_EQ(sm_fault(r->s)->kind, FAULT_HAZARD);
        at = (int)sm_fault(r->s)->pc;
    }
    rig_free(r);
    return at;
}

/* FADD takes 4 cycles: a stall count of 3 before its reader is too few. */
TEST(stall_counts_cover_fixed_latencies)
{
    uint64_t end[6];

    for (unsigned stall = 1; stall < 6; stall++) {
        char text[256];

        snprintf(text, sizeof text,
                 "[B------:R-:W-:-:S%02u] FADD R1, R2, R3\n"
                 "[B------:R-:W-:-:S05] FADD R4, R1, R3\n"
                 "[B------:R-:W-:-:S01] EXIT\n",
                 stall);
        CHECK_EQ(runs(text, &end[stall]), stall < 4 ? 1 : -1);
    }
    CHECK_EQ(end[5], end[4] + 1); /* trusted, where more than needed too */
}

/* A guard needs eight cycles more. */
TEST(guards_need_longer_stalls)
{
    for (unsigned stall = 11; stall < 15; stall++) {
        uint64_t end;
        char text[256];

        snprintf(text, sizeof text,
                 "[B------:R-:W-:-:S%02u] ISETP.LT.AND P0, PT, R1, R2, PT\n"
                 "[B------:R-:W-:-:S05] @P0 FADD R4, R1, R3\n"
                 "[B------:R-:W-:-:S01] EXIT\n",
                 stall);
        CHECK_EQ(runs(text, &end), stall < 13 ? 1 : -1);
    }
}

/* A load counts scoreboard 2; who reads its result waits for that. */
TEST(scoreboards_cover_loads)
{
    static const char *const wait[] = {"B--2---", "B------", "B-1----"};

    for (unsigned i = 0; i < 3; i++) {
        uint64_t end;
        char text[256];

        snprintf(text, sizeof text,
                 "[B------:R-:W-:-:S05] MOV R6, RZ\n"
                 "[B------:R-:W2:-:S02] LDS R1, [R6]\n"
                 "[%s:R-:W-:-:S05] FADD R4, R1, R3\n"
                 "[B------:R-:W-:-:S01] EXIT\n",
                 wait[i]);
        CHECK_EQ(runs(text, &end), i ? 2 : -1);
    }
}

/* Two loads count one scoreboard, which is zero when both are there; and what a
 * predicate counts is there when guards see it. */
TEST(scoreboards_count)
{
    uint64_t end;

    CHECK_EQ(runs("[B------:R-:W-:-:S05] MOV R6, RZ\n"
                  "[B------:R-:W2:-:S02] LDS R1, [R6]\n"
                  "[B------:R-:W2:-:S02] LDS R8, [R6]\n"
                  "[B--2---:R-:W-:-:S05] FADD R4, R8, R3\n"
                  "[B------:R-:W-:-:S01] EXIT\n",
                  &end),
             -1);
    CHECK_EQ(runs("[B------:R-:W0:-:S02] ISETP.LT.AND P0, PT, R1, R2, PT\n"
                  "[B0-----:R-:W-:-:S05] @P0 FADD R4, R1, R3\n"
                  "[B------:R-:W-:-:S01] EXIT\n",
                  &end),
             -1);
}

/* A result may follow another into the same register, not overtake it. */
TEST(results_stay_in_order)
{
    const char *follows = "[B------:R-:W-:-:S01] FADD R1, R2, R3\n"
                          "[B------:R-:W-:-:S05] FADD R1, R2, R2\n"
                          "[B------:R-:W-:-:S01] EXIT\n";
    const char *overtakes = "[B------:R-:W-:-:S01] ISETP.LT.AND P0, PT, R1, "
                            "R2, PT\n"
                            "[B------:R-:W-:-:S01] MUFU.RCP R1, R2\n"
                            "[B------:R-:W-:-:S05] FADD R1, R2, R3\n"
                            "[B------:R-:W-:-:S01] EXIT\n";
    uint64_t end;

    CHECK_EQ(runs(follows, &end), -1);
    CHECK_EQ(runs(overtakes, &end), 2);
}

TEST(codes_are_refused_where_there_are_none)
{
    isa_inst in[] = {op3(ISA_FADD, 0, 1, 2), op3(ISA_FADD, 3, 1, 2)};
    sm_refusal no;
    bench b;

    in[0].ctl |= 1u << CTL_HAS;
    bench_init(&b, in, 2);
    b.cfg.sm.issue.hazard = CFG_HAZARD_CODES;
    b.cfg.gpu.arch = CFG_ARCH_KEPLER;
    CHECK(sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    CHECK(strstr(no.why, "needs the control information of Volta"));
    b.cfg.gpu.arch = CFG_ARCH_VOLTA;
    CHECK(sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    CHECK_EQ(no.pc, 1);
    CHECK(strstr(no.why, "has no control information"));
    b.inst[1].ctl |= 1u << CTL_HAS;
    CHECK(!sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    bench_fini(&b);
}
