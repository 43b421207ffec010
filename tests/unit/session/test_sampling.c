/* Which launches are timed, and what the others are charged: against launches
 * whose cycles are known. */
#include <math.h>

#include "base/rng.h"
#include "session/sampling.h"
#include "test.h"

static const sampling_launch kernel = {.code = "k", .block = {32, 1, 1}};

typedef struct run {
    unsigned timed;
    double guessed, is; /* cycles of all: timed or guessed; as they are */
    double variance, error;
} run;

typedef struct launch {
    uint64_t insts, cycles;
} launch;

/* `count` launches that take what `of` says. */
static run go_from(uint64_t seed, unsigned count,
                   launch (*of)(unsigned n, rng *r))
{
    sampling *s = sampling_new();
    run all = {0};
    rng r;

    rng_init(&r, seed, "launches");
    for (unsigned i = 0; i < count; i++) {
        uint32_t group;
        bool timed = sampling_is_timed(s, &kernel, 4, &group);
        launch l = of(i, &r);

        all.is += (double)l.cycles;
        if (timed) {
            sampling_timed(s, group, 4, l.insts, l.cycles, false);
            all.timed++;
            all.guessed += (double)l.cycles;
        } else {
            sampling_guess g = sampling_computed(s, group, 4, l.insts);

            all.guessed += g.cycles;
            all.variance += g.spread * g.spread;
            all.error += g.error;
        }
    }
    sampling_free(s);
    return all;
}

static run go(unsigned count, launch (*of)(unsigned n, rng *r))
{
    return go_from(5, count, of);
}

static double off(const run *r) { return fabs(r->guessed / r->is - 1); }

static double interval(const run *r)
{
    return 2 * sqrt(r->variance + r->error * r->error) / r->is;
}

static launch equal(unsigned n, rng *r)
{
    (void)r;
    return (launch){1000, n ? 5000 : 9000}; /* the first one is cold */
}

TEST(launches_that_are_equal_are_timed_a_few_times)
{
    run r = go(10000, equal);

    CHECK(r.timed >= 3 && r.timed <= 150);
    CHECK(off(&r) < 1e-9);
    CHECK(interval(&r) < 1e-9);
}

static launch noisy(unsigned n, rng *r)
{
    (void)n;
    return (launch){1000, 4500 + rng_below(r, 1000)};
}

/* 95 of 100 intervals would hold what is true if the first launches had told as
 * much as all of them do. */
TEST(noise_is_in_the_interval)
{
    enum { RUNS = 60 };
    unsigned held = 0;

    for (unsigned seed = 0; seed < RUNS; seed++) {
        run r = go_from(seed, 3000, noisy);

        CHECK(r.timed <= 200);
        CHECK(off(&r) < 0.03);
        CHECK(interval(&r) < 0.05);
        held += off(&r) <= interval(&r);
    }
    printf("%u of %u\n", held, RUNS);
    CHECK(held >= RUNS * 8 / 10);
}

/* Two kinds in turns, with the same number of instructions. */
static launch turns(unsigned n, rng *r)
{
    (void)r;
    return (launch){1000, n % 2 ? 5000 : 7000};
}

TEST(what_alternates_is_not_missed)
{
    run r = go(2000, turns);

    CHECK(off(&r) < 0.05);
    CHECK(off(&r) <= interval(&r));
}

/* Ever fewer instructions, of which each takes as long. */
static launch shrinking(unsigned n, rng *r)
{
    uint64_t insts = 100000 - 90 * n;

    (void)r;
    return (launch){insts, 2000 + 3 * insts};
}

TEST(cycles_follow_instructions)
{
    run r = go(1000, shrinking);

    CHECK(r.timed < 300);
    CHECK(off(&r) < 0.02);
}

/* Grids that grow, as in a wave front: instructions follow CTAs. */
TEST(grids_of_any_size_tell_of_each_other)
{
    sampling *s = sampling_new();
    double guessed = 0, is = 0;
    unsigned timed = 0;

    for (unsigned i = 1; i <= 1000; i++) {
        uint64_t ctas = 100 + i, insts = 50 * ctas, cycles = 3000 + 10 * ctas;
        uint32_t group;

        is += (double)cycles;
        if (sampling_is_timed(s, &kernel, ctas, &group)) {
            sampling_timed(s, group, ctas, insts, cycles, false);
            guessed += (double)cycles;
            timed++;
        } else {
            guessed += sampling_computed(s, group, ctas, insts).cycles;
        }
    }
    CHECK(timed < 300);
    CHECK(fabs(guessed / is - 1) < 0.02);
    sampling_free(s);
}

/* After 500 launches the same takes twice as long. */
static launch changing(unsigned n, rng *r)
{
    (void)r;
    return (launch){1000, n < 500 ? 5000 : 10000};
}

TEST(a_change_is_found)
{
    run r = go(5000, changing);

    CHECK(r.timed < 300);
    CHECK(off(&r) < 0.08);
}

TEST(other_blocks_and_codes_are_other_groups)
{
    sampling *s = sampling_new();
    sampling_launch l = kernel;
    uint32_t first, group;

    sampling_is_timed(s, &l, 4, &first);
    for (unsigned i = 0; i < 1000; i++) {
        l.block[0] = 33 + i;
        CHECK(sampling_is_timed(s, &l, 4, &group));
        CHECK_EQ(group, i + 1);
    }
    l = kernel;
    l.code = "other";
    sampling_is_timed(s, &l, 4, &group);
    CHECK_EQ(group, 1001);
    l.device = 1;
    sampling_is_timed(s, &l, 4, &group);
    CHECK_EQ(group, 1002);
    l.shared_bytes = 4;
    sampling_is_timed(s, &l, 4, &group);
    CHECK_EQ(group, 1003);
    sampling_is_timed(s, &kernel, 4, &group);
    CHECK_EQ(group, first);
    sampling_free(s);
}

/* Launches in flight behind one another take less than each alone; the first of
 * two that are timed together is not what the others are charged. */
TEST(what_a_launch_adds_behind_another_counts)
{
    sampling *s = sampling_new();
    bool before = false;
    double guessed = 0;
    unsigned computed = 0;

    for (unsigned i = 0; i < 3000; i++) {
        uint32_t group;
        bool timed = sampling_is_timed(s, &kernel, 4, &group);

        if (timed) {
            sampling_timed(s, group, 4, 100, before ? 4000 : 5000, before);
        } else {
            guessed += sampling_computed(s, group, 4, 100).cycles;
            computed++;
        }
        before = timed;
    }
    CHECK(computed > 2800);
    CHECK(fabs(guessed / computed - 4000) < 1);
    sampling_free(s);
}
