/* tests/unit/sm/hazard/test_control_codes.c - control codes that are trusted:
 * right ones run, wrong ones are found out. */
#include "unit/sm/bench.h"
#include "unit/sm/dual_random.h"
#include "unit/sm/property.h"
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
    b.cfg.gpu.arch = CFG_ARCH_FERMI;
    CHECK(sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    CHECK(strstr(no.why, "Kepler or Volta, and Fermi has none"));
    b.cfg.gpu.arch = CFG_ARCH_KEPLER;
    CHECK(sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    CHECK_EQ(no.pc, 1);
    b.cfg.gpu.arch = CFG_ARCH_VOLTA;
    CHECK(sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    CHECK_EQ(no.pc, 1);
    CHECK(strstr(no.why, "has no control information"));
    b.inst[1].ctl |= 1u << CTL_HAS;
    CHECK(!sm_hazard_refuses(&b.cfg, &b.kernel, &no));
    bench_fini(&b);
}

/* ---- Kepler: times alone ---- */

static const char trusts[] =
    "k20\nsm.issue.hazard=codes\nsm.fetch.perfect=true\n"
    "sm.constant.perfect=true\nsm.issue.predicate=4\n";

/* As runs(). */
static int waits(const char *more, const char *text, uint64_t *end)
{
    char settings[512];
    int at = -1;

    snprintf(settings, sizeof settings, "%s%s", trusts, more);
    rig *r = rig_new(settings);
    rig_program(r, ".shared 256", text, 1, 32);
    *end = rig_run(r, 10000);
    if (sm_fault(r->s)) {
        CHECK_EQ(sm_fault(r->s)->kind, FAULT_HAZARD);
        at = (int)sm_fault(r->s)->pc;
    }
    rig_free(r);
    return at;
}

/* An addition takes 9 cycles, and 4 more to a guard: code 0x20 + n waits n + 1
 * of them. */
TEST(waits_cover_fixed_latencies)
{
    uint64_t end, before = 0;
    char text[256];

    for (unsigned wait = 7; wait < 12; wait++) {
        snprintf(text, sizeof text,
                 "{0x%02x} FADD R1, R2, R3;\n{0x29} FADD R4, R1, R3;\n"
                 "{0x20} EXIT;\n",
                 0x20 + wait - 1);
        CHECK_EQ(waits("", text, &end), wait < 9 ? 1 : -1);
        CHECK(wait < 10 || end == before + 1); /* trusted, if too long, too */
        before = end;
    }
    for (unsigned wait = 12; wait < 15; wait++) {
        snprintf(text, sizeof text,
                 "{0x%02x} ISETP.LT.AND P0, PT, R1, R2, PT;\n"
                 "{0x29} @P0 FADD R4, R1, R3;\n{0x20} EXIT;\n",
                 0x20 + wait - 1);
        CHECK_EQ(waits("", text, &end), wait < 13 ? 1 : -1);
    }
}

/* Memory, and a reciprocal of 18 cycles, are tracked whatever the code says. */
TEST(slow_results_are_tracked)
{
    static const char *const slow[] = {"LDS R1, [RZ]", "MUFU.RCP R1, R2",
                                       "SHFL.BFLY PT, R1, R2, 0x1, R3"};
    static const char *const how[] = {
        "", "sm.dual.pending=table\nsm.table.slots=1\n"};
    uint64_t end;

    for (unsigned i = 0; i < COUNTOF(slow); i++)
        for (unsigned k = 0; k < COUNTOF(how); k++) {
            char text[256];

            snprintf(text, sizeof text,
                     "{0x20} %s;\n{0x29} FADD R4, R1, R3;\n{0x20} EXIT;\n",
                     slow[i]);
            CHECK_EQ(waits(how[k], text, &end), -1);
            CHECK(end > 18);
        }
}

/* Of one slot the second reciprocal waits for the first; sums need none. */
TEST(only_slow_results_take_slots)
{
    const char *text = "{0x20} MUFU.RCP R1, R2;\n{0x20} FADD R4, R2, R3;\n"
                       "{0x20} FADD R5, R2, R3;\n{0x20} MUFU.RCP R6, R2;\n"
                       "{0x20} EXIT;\n";
    uint64_t one, two;

    CHECK_EQ(waits("sm.dual.pending=table\nsm.table.slots=1\n", text, &one),
             -1);
    CHECK_EQ(waits("sm.dual.pending=table\nsm.table.slots=2\n", text, &two),
             -1);
    CHECK_EQ(one, two + 18 - 4); /* unit busy for four cycles in both */
}

/* Three operands of one bank come two cycles late, and so does the result: who
 * follows is held up as much, by itself and behind the second of a pair. */
TEST(late_results_hold_up_what_follows)
{
    static const char *const operands[] = {"R8, R17, R28", "R8, R16, R24"};
    uint64_t alone[2], pair[2];

    for (unsigned i = 0; i < COUNTOF(operands); i++) {
        char text[256];

        snprintf(text, sizeof text,
                 "{0x28} FFMA R1, %s;\n"
                 "{0x29} FADD R4, R1, R3;\n{0x20} EXIT;\n",
                 operands[i]);
        CHECK_EQ(waits("", text, &alone[i]), -1);
        snprintf(text, sizeof text,
                 "{0x20} NOP;\n{0x04} FFMA R1, %s;\n"
                 "{0x28} FADD R9, R5, R5;\n" /* the fourth bank */
                 "{0x29} FADD R4, R1, R3;\n{0x20} EXIT;\n",
                 operands[i]);
        CHECK_EQ(waits("", text, &pair[i]), -1);
    }
    CHECK_EQ(alone[1], alone[0] + 2);
    CHECK_EQ(pair[1], pair[0] + 2);
}

/* Every code of a program waits its longest, 32 cycles. */
static char *patient(char *text)
{
    for (char *at = text; (at = strstr(at, "{0x")); at += 3)
        memcpy(at + 3, "3f", 2);
    return text;
}

/* Whoever waits longer than any result of fixed latency takes is right, and
 * the rest is tracked. */
static const char *long_waits_are_right(const char *settings, const char *text)
{
    outcome all = with(settings, "sm.issue.hazard=scoreboard\n%.0u", 0, text);
    char codes[1024];

    snprintf(codes, sizeof codes, "%ssm.issue.hazard=codes\n", settings);
    outcome quick = run(codes, text, true), slow = run(codes, text, false);
    if (all.broken || quick.broken || slow.broken)
        return quick.broken  ? quick.broken
               : slow.broken ? slow.broken
                             : all.broken;
    if (quick.memory != all.memory || quick.order != all.order)
        return "another result";
    return quick.end != slow.end || quick.stats != slow.stats
               ? "skipping changes something"
               : NULL;
}

/* Any codes: the same results, or the oracle stops the run. */
static const char *wrong_ones_are_found(const char *settings, const char *text)
{
    const char *why = long_waits_are_right(settings, text);

    return why && strcmp(why, "the oracle objects") ? why : NULL;
}

TEST(waits_of_random_programs)
{
    static const char *const how[] = {
        "", "sm.dual.pending=table\nsm.table.slots=4\n",
        "sm.issue.width=1\nsm.issue.release=next\n",
        ("sm.warps=16\nsm.dual.pending=table\nsm.table.slots=4\n"
         "sm.table.group=2\nsm.table.mask=true\n"),
        "sm.issue.scheduler=gto\nsm.rf.collect=units\n"};
    char settings[512];

    for (unsigned i = 0; i < COUNTOF(how); i++) {
        snprintf(settings, sizeof settings, "k20\n%s", how[i]);
        holds(long_waits_are_right, settings, patient(dual_program(80 + i)));
        holds(wrong_ones_are_found, settings, dual_program(90 + i));
    }
}
