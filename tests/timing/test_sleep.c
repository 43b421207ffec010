/* tests/timing/test_sleep.c - front ends without power: those of SMs that have
 * no warp, when they sleep and what waking costs; and those of SMs that
 * another one issues for, which must do nothing at all. */
#include "timing/rig.h"

#include "base/must.h"
#include "energy/energy.h"

/* ---- sm.fetch.front_end=gated ---- */

enum { SLEEP = 16, WAKE = 10, MORE = 4 };

static rig *rig_with(const char *preset, const char *front, unsigned latency,
                     unsigned sms)
{
    char late[48], many[32];
    const char *sets[] = {"gpu.cta.latency=0",
                          "sm.fetch.perfect=true",
                          "sm.constant.perfect=true",
                          "sm.fetch.sleep=16",
                          "sm.fetch.wake=10",
                          front,
                          late,
                          many,
                          NULL};

    snprintf(late, sizeof late, "gpu.launch_latency=%u", latency);
    snprintf(many, sizeof many, "gpu.sms=%u", sms);
    return rig_new(preset, sets);
}

static const char private[] = "sm.fetch.front_end=private";
static const char gated[] = "sm.fetch.front_end=gated";

/* So long that what waits for no CTA falls asleep meanwhile. */
static uint64_t run_adds(rig *r, unsigned ctas, unsigned warps)
{
    char *text = rig_text("", "IADD3 R%u, R2, R3, RZ;", 60);
    uint64_t cycles = rig_run(r, text, ctas, 32 * warps, 0, 0);

    free(text);
    return cycles;
}

/* The SM waits for its CTA from cycle 0 to that of the launch: the power ends
 * SLEEP cycles after that, and is back WAKE cycles after it is wanted. */
TEST(a_front_end_sleeps_if_no_warp_comes_and_takes_time_to_wake)
{
    for (unsigned i = 0; i < RIG_GPUS; i++)
        for (unsigned wait = SLEEP - MORE; wait <= SLEEP + MORE; wait++) {
            rig *a = rig_with(rig_gpus[i], private, wait, 1);
            rig *b = rig_with(rig_gpus[i], gated, wait, 1);
            uint64_t as_ever = run_adds(a, 1, 4);
            uint64_t cycles = run_adds(b, 1, 4);
            bool slept = wait > SLEEP;

            CHECK_EQ(cycles, as_ever + (slept ? WAKE : 0));
            CHECK_EQ(rig_count(b, "sm[0].wakes"), slept);
            CHECK_EQ(rig_count(b, "sm[0].sleeps"), slept);
            CHECK_EQ(rig_count(b, "sm[0].gated_idle"),
                     slept ? wait - SLEEP : 0);
            CHECK_EQ(rig_count(b, "sm[0].gated_active"), 0);
            CHECK_EQ(rig_count(b, "sm[0].stall_waking"),
                     slept ? WAKE * b->cfg->sm.issue.schedulers : 0);
            rig_free(a);
            rig_free(b);
        }
}

/* With a warp in each SM from the first cycle to the last, all is as it is
 * without a switch: every counter. */
TEST(where_nothing_is_idle_gated_is_private)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        rig *a = rig_with(rig_gpus[i], private, 0, 1);
        rig *b = rig_with(rig_gpus[i], gated, 0, 1);

        CHECK_EQ(run_adds(a, 20, 8), run_adds(b, 20, 8));
        const stats *reg = rt_stats(a->d);
        for (size_t k = 0; k < stats_count(reg); k++)
            CHECK_EQ(a->last.counters[k], b->last.counters[k]);
        CHECK_EQ(rig_count(b, "sm[*].sleeps"), 0);
        rig_free(a);
        rig_free(b);
    }
}

/* One CTA and four SMs: three never wake. */
TEST(who_gets_no_cta_sleeps_until_the_end)
{
    for (unsigned i = 0; i < RIG_GPUS; i++) {
        rig *r = rig_with(rig_gpus[i], gated, 0, 4);
        uint64_t cycles = run_adds(r, 1, 4);

        CHECK(cycles > SLEEP);
        CHECK_EQ(rig_count(r, "sm[*].sleeps"), 3);
        CHECK_EQ(rig_count(r, "sm[*].wakes"), 0);
        CHECK_EQ(rig_count(r, "sm[*].gated_idle"), 3 * (cycles - SLEEP));
        rig_free(r);
    }
}

/* Each launch begins with front ends that have power, whatever was before. */
TEST(a_launch_does_not_know_of_those_before)
{
    rig *r = rig_with("v100", gated, 20, 2);
    uint64_t first = run_adds(r, 1, 4);

    CHECK_EQ(rig_count(r, "sm[*].wakes"), 1);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(run_adds(r, 1, 4), first);
        CHECK_EQ(rig_count(r, "sm[*].wakes"), 1);
        CHECK_EQ(rig_count(r, "sm[*].sleeps"), 2);
    }
    rig_free(r);
}

/* ---- gpu.cluster.size ---- */

enum { CTAS = 12, WARPS = 3, LOOPS = 5 };

/* A warp loads, stores and branches in each of LOOPS, then exits. */
static const char loop[] = ".shared 1024\nS2R R0, SR_TID.X\nSHL R6, R0, 0x2\n"
                           "MOV R8, 0x5\nagain:\nLDS R7, [R6]\n"
                           "IADD3 R7, R7, R8, RZ\nSTS [R6], R7\n"
                           "IADD3 R8, R8, 0xffffffff, RZ\n"
                           "ISETP.NE.AND P0, PT, R8, RZ, PT\n@P0 BRA again\n";

enum { OF_WARP = 3 + 6 * LOOPS + 1 };

static rig *cluster(const char *preset, const char *size, const char *policy)
{
    const char *sets[] = {"gpu.sms=2", "gpu.cluster.slip=0", size, policy,
                          NULL};

    return rig_new(preset, sets);
}

/* What fetches, decodes, holds instructions, chooses and knows of pending
 * results; energy of a front end is of these. */
static const char *const front[] = {
    "fetches",          "fetched",          "flushed",         "l0i_misses",
    "l1i_accesses",     "l1i_misses",       "icache_requests", "l15_accesses",
    "issued",           "hazard_checks",    "hazard_operands", "hazard_writes",
    "hazard_regs",      "hazard_parts",     "code_counts",     "table_compares",
    "table_searches",   "table_remembered", "table_writes",    "table_frees",
    "table_slot_cycles"};

static uint64_t of(const rig *r, unsigned sm, const char *id)
{
    char name[64];

    snprintf(name, sizeof name, "sm[%u].%s", sm, id);
    return rig_count(r, name);
}

TEST(a_sleeping_front_end_does_nothing)
{
    static const char *const policies[] = {"sm.issue.hazard=scoreboard",
                                           "sm.issue.hazard=table",
                                           "sm.issue.hazard=unlimited"};

    for (unsigned i = RIG_SHARING; i < RIG_GPUS; i++)
        for (unsigned k = 0; k < COUNTOF(policies); k++) {
            rig *r = cluster(rig_gpus[i], "gpu.cluster.size=2", policies[k]);

            rig_run(r, loop, CTAS, 32 * WARPS, 0, 0);
            CHECK_EQ(rig_count(r, "sm[*].parted_*"), 0);
            for (unsigned n = 0; n < COUNTOF(front); n++)
                CHECK_EQ(of(r, 1, front[n]), 0);
            CHECK(of(r, 0, "fetched") >= CTAS / 2 * WARPS * OF_WARP);
            CHECK(of(r, 1, "gated_active") > 0);
            CHECK_EQ(of(r, 0, "gated_active") + of(r, 0, "gated_idle"), 0);
            CHECK_EQ(of(r, 1, "sleeps"), 1);
            rig_free(r);
        }
}

/* Each member has half of the CTAs. */
TEST(what_members_tell_is_counted)
{
    uint64_t warps = CTAS / 2 * WARPS;

    for (unsigned i = RIG_SHARING; i < RIG_GPUS; i++) {
        rig *r = cluster(rig_gpus[i], "gpu.cluster.size=2",
                         "sm.issue.hazard=scoreboard");

        rig_run(r, loop, CTAS, 32 * WARPS, 0, 0);
        CHECK_EQ(of(r, 0, "issued"), warps * OF_WARP);
        CHECK_EQ(of(r, 0, "broadcasts"), warps * OF_WARP);
        CHECK_EQ(of(r, 1, "followed"), warps * OF_WARP);
        CHECK_EQ(of(r, 1, "warp_insts"), warps * OF_WARP);
        CHECK_EQ(of(r, 1, "acks"), warps * LOOPS);
        CHECK_EQ(of(r, 1, "credits"), warps * 2 * LOOPS);
        CHECK_EQ(of(r, 1, "outcomes"), warps * (LOOPS + 1));
        CHECK_EQ(of(r, 0, "acks") + of(r, 0, "outcomes") + of(r, 0, "credits") +
                     of(r, 0, "followed") + of(r, 1, "broadcasts"),
                 0);
        rig_free(r);
    }
}

/* ---- Energy ---- */

static energy energy_of(const rig *r)
{
    const stats *reg = rt_stats(r->d);
    uint64_t *totals = calloc(stats_total_count(reg), sizeof *totals);
    energy e;

    CHECK(totals != NULL);
    stats_totals(reg, r->last.counters, totals);
    energy_compute(r->cfg, reg, totals, r->last.cycles, &e);
    free(totals);
    return e;
}

static uint64_t sum_of(const energy *e)
{
    uint64_t fj = 0;

    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        fj += e->part_fj[i];
    return fj;
}

static uint64_t front_of(const energy *e)
{
    return energy_kind_fj(e, ENERGY_FRONT) +
           energy_kind_fj(e, ENERGY_STATIC_FRONT);
}

/* Sharing always, parting at once and again, and never: the parts are the
 * total, and each cycle of an SM's front end is in one state. */
TEST(energy_sums_to_the_total_in_every_state)
{
    static const char *const more[] = {"gpu.cluster.slip=0",
                                       "gpu.cluster.slip=1"};
    static const char *const sizes[] = {
        "gpu.cluster.size=1", "gpu.cluster.size=2", "gpu.cluster.size=4"};

    for (unsigned i = RIG_SHARING; i < RIG_GPUS; i++)
        for (unsigned n = 0; n < COUNTOF(sizes) * COUNTOF(more); n++) {
            const char *sets[] = {"gpu.sms=4",
                                  sizes[n / COUNTOF(more)],
                                  more[n % COUNTOF(more)],
                                  "gpu.cluster.slip_window=16",
                                  "gpu.cluster.reform=row",
                                  NULL};
            rig *r = rig_new(rig_gpus[i], sets);

            rig_run(r, loop, 27, 32 * WARPS, 0, 0);
            energy e = energy_of(r);
            CHECK(e.total_fj > 0);
            CHECK_EQ(sum_of(&e), e.total_fj);
            CHECK_EQ(rig_count(r, "sm[*].cycles"), 4 * r->last.cycles);
            CHECK(rig_count(r, "sm[*].gated_active") <=
                  rig_count(r, "sm[*].active_cycles"));
            CHECK(rig_count(r, "sm[*].gated_idle") <=
                  rig_count(r, "sm[*].cycles") -
                      rig_count(r, "sm[*].active_cycles"));
            CHECK(rig_count(r, "sm[*].wakes") <= rig_count(r, "sm[*].sleeps"));
            CHECK_EQ(rig_count(r, "sm[*].issued") +
                         rig_count(r, "sm[*].followed"),
                     rig_count(r, "sm[*].warp_insts"));
            rig_free(r);
        }
}

/* Two SMs that share all the time spend on their front ends what one does, and
 * what the other's stacks, links and leakage take: at most 45 % are saved. */
TEST(front_ends_of_two_cost_little_more_than_one)
{
    for (unsigned i = RIG_SHARING; i < RIG_GPUS; i++) {
        rig *alone = cluster(rig_gpus[i], "gpu.cluster.size=1",
                             "sm.issue.hazard=scoreboard");
        rig *two = cluster(rig_gpus[i], "gpu.cluster.size=2",
                           "sm.issue.hazard=scoreboard");

        run_adds(alone, 8 * CTAS, WARPS);
        run_adds(two, 8 * CTAS, WARPS);
        energy a = energy_of(alone), b = energy_of(two);
        double saved = 1 - (double)front_of(&b) / (double)front_of(&a);
        if (saved < 0.40 || saved > 0.45)
            TEST_FAIL("%s: %.1f %% of the front ends' energy saved",
                      rig_gpus[i], 100 * saved);
        rig_free(alone);
        rig_free(two);
    }
}
