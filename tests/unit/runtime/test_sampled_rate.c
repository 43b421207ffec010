/* Gaps of a long launch: when there is one, how long it is, what it is charged.
 * A generation is 10 CTAs here, a CTA is 100 warp instructions. */
#include <math.h>

#include "runtime/sampled_rate.h"
#include "test.h"

enum { GENERATION = 10, CTA_INSTS = 100, TOTAL = 10000 };

typedef struct machine {
    sampled_rate rate;
    uint64_t now, timed, skipped; /* cycle; CTAs */
} machine;

static bool is_near(double a, double b) { return fabs(a - b) < 1e-6; }

static machine machine_of(void)
{
    machine m = {.now = 5000};

    sampled_rate_init(&m.rate, GENERATION, m.now);
    return m;
}

/* A generation ends that took so many cycles; returns the CTAs that are left
 * out then, which are as long as the others. */
static uint64_t run(machine *m, uint64_t cycles)
{
    m->now += cycles;
    m->timed += GENERATION;
    uint64_t insts = m->timed * CTA_INSTS;
    uint64_t gap = sampled_rate_look(&m->rate, m->now, m->timed, insts,
                                     TOTAL - m->timed - m->skipped, 0);

    if (gap)
        sampled_rate_gap(&m->rate, m->now, m->now, m->timed, insts,
                         gap * CTA_INSTS);
    m->skipped += gap;
    return gap;
}

TEST(a_steady_launch_is_left_out_ever_longer)
{
    machine m = machine_of();

    CHECK_EQ(run(&m, 300), 0); /* caches are cold: it tells nothing */
    CHECK_EQ(run(&m, 100), 0);
    CHECK_EQ(run(&m, 100), 40); /* two agree */
    CHECK_EQ(run(&m, 150), 0);  /* it settles */
    CHECK_EQ(run(&m, 100), 80);
    CHECK_EQ(run(&m, 150), 0);
    CHECK_EQ(run(&m, 100), 160);
    sampled_cycles is = sampled_rate_guess(&m.rate);
    CHECK(is_near(is.cycles, 2800)); /* 28 generations of 100 cycles */
    CHECK(is_near(is.error, 0));
    /* The other side of the last one is not known. */
    CHECK(is.spread > 10 && is.spread < 1600 * 0.05);
}

TEST(nothing_is_left_out_of_what_changes)
{
    machine m = machine_of();

    for (unsigned i = 0; i < 20; i++)
        CHECK_EQ(run(&m, 100 + 20 * (i % 2)), 0);
    CHECK(is_near(sampled_rate_guess(&m.rate).cycles, 0));
}

TEST(a_gap_between_two_rates_is_charged_the_mean)
{
    machine m = machine_of();

    run(&m, 100);
    run(&m, 100);
    CHECK_EQ(run(&m, 100), 40);
    run(&m, 100);
    CHECK_EQ(run(&m, 300), 0); /* another rate: a third of it */
    sampled_cycles is = sampled_rate_guess(&m.rate);
    /* 4000 instructions at the mean of 10 and 10 / 3 a cycle */
    CHECK(is_near(is.cycles, 600));
    CHECK(is_near(is.spread, 300)); /* between 400 and 1200 */
    CHECK_EQ(run(&m, 300), 20);     /* known again, short again */
}

TEST(the_end_of_a_launch_is_timed)
{
    machine m = machine_of();
    uint64_t insts = 0;

    for (unsigned i = 1; i < 3; i++)
        CHECK_EQ(sampled_rate_look(&m.rate, m.now += 100, 10 * i, insts += 1000,
                                   100, 0),
                 0);
    CHECK_EQ(sampled_rate_look(&m.rate, m.now += 100, 30, insts += 1000, 55, 0),
             25);
    CHECK(!sampled_rate_over(&m.rate, 40));
    CHECK(sampled_rate_over(&m.rate, 39));
    CHECK_EQ(sampled_rate_look(&m.rate, m.now += 100, 40, insts += 1000, 39, 0),
             0);
}

TEST(part_of_a_generation_tells_nothing)
{
    machine m = machine_of();

    for (unsigned i = 1; i < 60; i++)
        CHECK_EQ(sampled_rate_look(&m.rate, m.now + 10 * i, i % 10, 100 * i,
                                   5000, 0),
                 0);
}

/* Three slices of 1000 cycles at 10 instructions a cycle, then a gap. */
static sampled_rate in_slices(void)
{
    sampled_rate r;

    sampled_rate_init_slices(&r, 1000, 0);
    CHECK_EQ(sampled_rate_look(&r, 1000, 1000, 2000, UINT64_MAX / 2, 64), 0);
    CHECK_EQ(sampled_rate_look(&r, 2000, 2000, 12000, UINT64_MAX / 2, 64), 0);
    CHECK_EQ(sampled_rate_look(&r, 3000, 3000, 22000, UINT64_MAX / 2, 64),
             4000);
    /* It runs empty for 50 cycles, in which 100 are executed. */
    sampled_rate_gap(&r, 3000, 3050, 3050, 22100, 40000);
    return r;
}

TEST(what_it_takes_to_run_empty_and_to_fill_is_charged_as_the_gap)
{
    sampled_rate r = in_slices();

    CHECK(is_near(sampled_rate_guess(&r).cycles, 40100 / 10 - 50));
    CHECK_EQ(sampled_rate_look(&r, 4050, 4050, 31100, UINT64_MAX / 2, 64), 0);
    CHECK_EQ(sampled_rate_look(&r, 5050, 5050, 41100, UINT64_MAX / 2, 64),
             8000);
    CHECK(is_near(sampled_rate_guess(&r).cycles, 49100 / 10 - 50 - 1000));
}

TEST(where_warps_have_ended_behind_a_gap_the_rate_before_counts)
{
    sampled_rate r = in_slices();

    sampled_rate_look(&r, 4050, 4050, 31100, UINT64_MAX / 2, 32);
    sampled_rate_look(&r, 5050, 5050, 36100, UINT64_MAX / 2, 32); /* half */
    CHECK(is_near(sampled_rate_guess(&r).cycles, 49100 / 10 - 50 - 1000));
    CHECK(sampled_rate_guess(&r).spread > 100);
    /* Of as many, the mean of both. */
    r = in_slices();
    sampled_rate_look(&r, 4050, 4050, 31100, UINT64_MAX / 2, 64);
    sampled_rate_look(&r, 5050, 5050, 36100, UINT64_MAX / 2, 64);
    CHECK(is_near(sampled_rate_guess(&r).cycles, 49100 / 7.5 - 50 - 1000));
}
