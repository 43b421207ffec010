/* Read barriers of control codes: who waits for one issues in the first cycle
 * after the registers have been read, and no scoreboard stays up. And code of
 * the vendor that issues while a register is pending is counted. */
#include "unit/sm/bench.h"
#include "unit/sm/rig.h"

static const char trusts[] = "v100\nsm.issue.hazard=codes\n"
                             "sm.fetch.perfect=true\nsm.constant.perfect=true\n"
                             "sm.rf.results=64\n";

/* So long that no result is awaited at the end. */
#define TAIL                                                                   \
    "[B------:R-:W-:-:S15] NOP\n[B------:R-:W-:-:S15] NOP\n"                   \
    "[B------:R-:W-:-:S15] NOP\n[B------:R-:W-:-:S15] NOP\n"                   \
    "[B------:R-:W-:-:S01] EXIT\n"

typedef struct outcome {
    uint64_t end, late, counts;
} outcome;

/* `ctas` CTAs of one warp, one at a time. */
static outcome runs(const char *more, const char *text, unsigned ctas)
{
    char settings[512];
    outcome out;

    snprintf(settings, sizeof settings, "%s%ssm.ctas=1\n", trusts, more);
    rig *r = rig_new(settings);
    rig_program(r, ".shared 256", text, ctas, 32);
    out.end = rig_run(r, 20000);
    if (sm_fault(r->s))
        TEST_FAIL("fault %d at %u", (int)sm_fault(r->s)->kind,
                  sm_fault(r->s)->pc);
    out.late = rig_stat(r, "bank_waits");
    out.counts = rig_stat(r, "code_counts");
    rig_free(r);
    return out;
}

/* `first`, which has `codes`, and behind it, after `stall` cycles, a move that
 * waits for the scoreboards of `wait`. */
static outcome behind(const char *more, const char *codes, const char *first,
                      unsigned stall, const char *wait)
{
    char text[512];

    snprintf(text, sizeof text,
             "[B------:R-:W-:-:S15] MOV R6, RZ\n"
             "[B------:%s:-:S%02u] %s\n"
             "[%s:R-:W-:-:S15] MOV R30, RZ\n" TAIL,
             codes, stall, first, wait);
    return runs(more, text, 1);
}

/* Cycles from the issue of `first` to that of who waits for it: the stall count
 * that does the same. With fewer it is as late, with more it is later. */
static unsigned distance(const char *more, const char *codes, const char *first)
{
    enum { LONGEST = 15 };
    outcome got = behind(more, codes, first, 1, "B0-----");
    unsigned n = 1;

    while (n < LONGEST &&
           behind(more, "R-:W-", first, n, "B------").end < got.end)
        n++;
    for (unsigned stall = 1; stall <= LONGEST; stall++) {
        outcome waits = behind(more, codes, first, stall, "B0-----");
        outcome stalls =
            behind(more, "R-:W-", first, stall < n ? n : stall, "B------");

        CHECK_EQ(waits.end, stalls.end);
        CHECK_EQ(waits.counts, 1);
        CHECK_EQ(stalls.counts, 0);
    }
    return n;
}

static const struct {
    const char *settings;
    unsigned window; /* in which operands are read */
} how[] = {
    {"sm.rf.collect=none\n", 0},
    {"sm.rf.collect=units\n", 1},
    {"sm.rf.collect=fixed\nsm.rf.read_window=1\n", 1},
    {"sm.rf.collect=fixed\nsm.rf.read_window=3\n", 3},
    {"sm.rf.collect=fixed\nsm.rf.read_window=5\n", 5},
};

TEST(sums_have_read_behind_the_window)
{
    for (unsigned i = 0; i < COUNTOF(how); i++)
        CHECK_EQ(distance(how[i].settings, "R0:W-", "FADD R1, R2, R3"),
                 how[i].window + 1);
}

/* Three operands of one bank come late, and hold up all that is behind. */
TEST(conflicts_of_banks_hold_up_readers)
{
    static const char *const text[] = {"FFMA R1, R8, R17, R24",
                                       "FFMA R1, R8, R16, R24"};
    uint64_t most = 0;

    for (unsigned i = 0; i < COUNTOF(how); i++) {
        outcome out[2];

        for (unsigned k = 0; k < 2; k++) {
            out[k] = behind(how[i].settings, "R0:W-", text[k], 1, "B0-----");
            CHECK_EQ(distance(how[i].settings, "R0:W-", text[k]),
                     how[i].window + 1);
        }
        CHECK_EQ(out[1].end - out[0].end, out[1].late - out[0].late);
        most = out[1].late > most ? out[1].late : most;
    }
    CHECK(most > 0);
}

/* The load/store unit takes them later. */
TEST(stores_have_read_when_the_unit_has_them)
{
    for (unsigned i = 0; i < COUNTOF(how); i++)
        for (unsigned latency = 1; latency < 6; latency++) {
            char more[128];

            snprintf(more, sizeof more, "%ssm.lsu.latency=%u\n",
                     how[i].settings, latency);
            CHECK_EQ(distance(more, "R0:W-", "STS [R6], R2"),
                     how[i].window + 1 + latency);
            CHECK_EQ(distance(more, "R0:W-", "LDS R1, [R6]"),
                     how[i].window + 1 + latency);
        }
}

/* What does not execute has read, too. */
TEST(a_guard_that_fails_leaves_no_barrier_up)
{
    for (unsigned i = 0; i < COUNTOF(how); i++)
        CHECK_EQ(distance(how[i].settings, "R0:W-", "@!PT FADD R1, R2, R3"),
                 how[i].window + 1);
}

/* A load goes up twice, once for its address and once for its result. */
TEST(one_scoreboard_for_both_waits_for_the_later)
{
    const char *load = "LDS R1, [R6]";
    outcome read = behind("", "R0:W1", load, 2, "B0-----");
    outcome result = behind("", "R0:W1", load, 2, "B-1----");
    outcome both = behind("", "R0:W0", load, 2, "B0-----");
    outcome neither = behind("", "R0:W1", load, 2, "B--2345");

    CHECK(neither.end <= read.end);
    CHECK(read.end < result.end);
    CHECK_EQ(both.end, result.end);
    CHECK_EQ(read.counts, 2);
    CHECK_EQ(both.counts, 2);
}

/* A store and a sum count one scoreboard: the store is the later one, whoever
 * comes first. */
TEST(two_readers_of_one_scoreboard_are_waited_for)
{
    static const char two[] = "[B------:R-:W-:-:S15] MOV R6, RZ\n"
                              "[B------:R%c:W-:-:S01] STS [R6], R2\n"
                              "[B------:R%c:W-:-:S01] FADD R1, R2, R3\n"
                              "[B0-----:R-:W-:-:S15] MOV R30, RZ\n" TAIL;
    static const char codes[][2] = {{'0', '0'}, {'0', '-'}, {'-', '0'}};
    outcome out[3];

    for (unsigned i = 0; i < 3; i++) {
        char text[512];

        snprintf(text, sizeof text, two, codes[i][0], codes[i][1]);
        out[i] = runs("sm.lsu.latency=6\n", text, 1);
    }
    CHECK_EQ(out[0].counts, 2);
    CHECK_EQ(out[0].end, out[1].end);
    CHECK(out[2].end < out[1].end);
}

/* The next CTA has the warp of the last one, whose barriers nobody waited for;
 * a scoreboard left up would hold it for ever. */
TEST(warps_begin_with_no_scoreboard_up)
{
    const char *text = "[B"
                       "012345:R-:W-:-:S15] MOV R6, RZ\n"
                       "[B------:R0:W-:-:S01] STS [R6], R2\n"
                       "[B------:R1:W1:-:S01] LDS R1, [R6]\n"
                       "[B------:R2:W-:-:S01] FADD R3, R2, R2\n"
                       "[B------:R3:W4:-:S01] MUFU.RCP R4, R2\n"
                       "[B------:R5:W5:-:S01] @!PT LDS R8, [R6]\n"
                       "[B------:R-:W-:-:S01] EXIT\n";

    for (unsigned i = 0; i < COUNTOF(how); i++)
        CHECK_EQ(runs(how[i].settings, text, 5).counts, 5 * (5 + 3));
}

/* ---- the policy alone ---- */

static isa_inst coded(unsigned read, unsigned write, unsigned wait)
{
    isa_inst in = op3(ISA_FADD, 1, 2, 3);

    in.ctl = 1u << CTL_HAS | read << CTL_READ_BAR | write << CTL_WRITE_BAR |
             wait << CTL_WAIT;
    return in;
}

/* Each of two instructions in turn goes up for its reads and results, and
 * down, in all orders of what comes back. */
TEST(scoreboards_balance_to_zero)
{
    static const uint8_t orders[][4] = {{0, 1, 2, 3}, {1, 0, 3, 2},
                                        {2, 3, 0, 1}, {3, 2, 1, 0},
                                        {0, 2, 1, 3}, {3, 1, 2, 0}};

    for (unsigned r = 0; r < 6; r++)
        for (unsigned w = 0; w < 6; w++)
            for (unsigned o = 0; o < COUNTOF(orders); o++) {
                isa_inst in[] = {coded(r, w, 0), coded(7, 7, 1u << r),
                                 coded(7, 7, 1u << w)};
                unsigned reads = 2, results = 2;
                uint64_t now = 0;
                bench b;

                memset(&b, 0, sizeof b);
                config_defaults(&b.cfg);
                b.cfg.sm.issue.hazard = CFG_HAZARD_CODES;
                b.cfg.gpu.arch = CFG_ARCH_VOLTA;
                bench_start(&b, in, COUNTOF(in));
                sm_hazard_attach(b.h, &now, NULL, NULL);
                for (unsigned k = 0; k < 2; k++) {
                    b.h->ops->issued(b.h, 3, &b.code.inst[0], 0);
                    b.h->ops->reserve(b.h, 3, &b.code.inst[0]);
                }
                for (unsigned k = 0; k < 4; k++) {
                    unsigned of_r = reads + (r == w ? results : 0);
                    unsigned of_w = results + (r == w ? reads : 0);

                    CHECK(!b.h->ops->idle(b.h, 3));
                    CHECK_EQ(ask(&b, 3, 1) != WHY_READY, of_r != 0);
                    CHECK_EQ(ask(&b, 3, 2) != WHY_READY, of_w != 0);
                    CHECK_EQ(ask(&b, 2, 1), WHY_READY); /* another warp */
                    if (orders[o][k] < 2) {
                        b.h->ops->read(b.h, 3, &b.code.inst[0]);
                        reads--;
                    } else {
                        b.h->ops->release(b.h, 3, &b.code.inst[0]);
                        results--;
                    }
                }
                CHECK(b.h->ops->idle(b.h, 3));
                CHECK_EQ(ask(&b, 3, 1), WHY_READY);
                CHECK_EQ(b.st.code_counts, 4);
                bench_fini(&b);
            }
}

/* ---- code_early ---- */

/* A sum of 4 cycles and one that reads it after `stall`. */
static unsigned early(bool vendor, bool oracle, unsigned stall)
{
    char text[256], settings[512];
    unsigned n;

    snprintf(settings, sizeof settings,
             "%ssm.rf.collect=none\nsm.op.fp32.latency=4\nsm.issue.oracle=%s\n",
             trusts, oracle ? "true" : "false");
    snprintf(text, sizeof text,
             "[B------:R-:W-:-:S%02u] FADD R1, R2, R3\n"
             "[B------:R-:W-:-:S05] FADD R4, R1, R3\n"
             "[B------:R-:W-:-:S01] EXIT\n",
             stall);
    rig *r = rig_new(settings);
    rig_program(r, "", text, 1, 32);
    if (vendor)
        r->program->kernels[0].bank0 = BANK0_SM70;
    rig_run(r, 10000);
    CHECK_EQ(sm_fault(r->s) != NULL, stall < 4 && (!vendor || oracle));
    n = (unsigned)rig_stat(r, "code_early");
    rig_free(r);
    return n;
}

TEST(the_vendors_code_goes_on_and_is_counted)
{
    for (unsigned stall = 1; stall < 7; stall++)
        for (unsigned k = 0; k < 4; k++)
            CHECK_EQ(early(k & 1, k & 2, stall), k == 1 && stall < 4);
}
