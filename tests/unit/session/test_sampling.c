/* Which launches are timed, and what the others are charged: against launches
 * whose cycles are known. */
#include <math.h>

#include "base/must.h"
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

/* What grids of a thousand instructions a CTA take: as long as one CTA takes up
 * to 500 of them, then more; in waves of 320 CTAs; twice as much for each once
 * the data do not fit a cache. */
static double knee(double ctas) { return fmax(5000, 10 * ctas); }
static double waves(double ctas) { return 3000 * ceil(ctas / 320) + 1000; }
static double cache(double ctas)
{
    return 4000 + 8 * ctas + 8 * fmax(0, ctas - 2000);
}

/* Orders of sizes. */
static uint64_t growing(unsigned n) { return 10 + 10 * n; }
static uint64_t falling(unsigned n) { return 4000 - 10 * n; }
static uint64_t up_and_down(unsigned n)
{
    return 10 + 20 * (n < 200 ? n : 399 - n);
}
static uint64_t squares(unsigned n)
{
    return (uint64_t)(400 - n) * (400 - n) / 40 + 1;
}

static run go_sizes(uint64_t seed, double (*cycles)(double ctas),
                    uint64_t (*size)(unsigned n))
{
    sampling *s = sampling_new();
    run all = {0};
    rng r;

    rng_init(&r, seed, "sizes");
    for (unsigned i = 0; i < 400; i++) {
        uint64_t ctas = size(i);
        double is = cycles((double)ctas) * (0.99 + 0.001 * rng_below(&r, 21));
        uint32_t group;

        all.is += is;
        if (sampling_is_timed(s, &kernel, ctas, &group)) {
            sampling_timed(s, group, ctas, 1000 * ctas, (uint64_t)is, false);
            all.guessed += is;
            all.timed++;
        } else {
            sampling_guess g = sampling_computed(s, group, ctas, 1000 * ctas);

            all.guessed += g.cycles;
            all.variance += g.spread * g.spread;
            all.error += g.error;
        }
    }
    sampling_free(s);
    return all;
}

/* Launches of another size each time: a tenth of them tells of the others. */
TEST(sizes_lie_on_lines)
{
    double (*const cycles[])(double) = {knee, waves, cache};
    uint64_t (*const size[])(unsigned) = {growing, falling, up_and_down,
                                          squares};
    unsigned runs = 0, held = 0;

    for (unsigned c = 0; c < COUNTOF(cycles); c++)
        for (unsigned o = 0; o < COUNTOF(size); o++)
            for (unsigned seed = 0; seed < 10; seed++) {
                run r = go_sizes(seed, cycles[c], size[o]);

                CHECK(r.timed <= 50);
                CHECK(off(&r) < (cycles[c] == waves ? 0.04 : 0.02));
                CHECK(interval(&r) < 0.2);
                held += off(&r) <= interval(&r);
                runs++;
            }
    printf("%u of %u\n", held, runs);
    CHECK(held >= runs * 95 / 100);
}

/* Equal grids in which the data make the work, as of a graph that is searched
 * level by level: the last one tells nothing of how long the next will be. */
TEST(sizes_made_by_data_are_timed)
{
    const launch level[] = {{196731, 13391},   {197511, 12426},
                            {204228, 13559},   {255332, 14444},
                            {630649, 44424},   {2209786, 156837},
                            {3351468, 204404}, {3456152, 99743},
                            {1458991, 29533},  {201006, 12294}};
    sampling *s = sampling_new();
    uint32_t group;

    for (unsigned i = 0; i < COUNTOF(level); i++) {
        CHECK(sampling_is_timed(s, &kernel, 2048, &group));
        sampling_timed(s, group, 2048, level[i].insts, level[i].cycles, false);
    }
    sampling_free(s);
}

/* Every 32 launches there is less to do, and with those, and on the way there,
 * each eighth takes half as long again: as kernels have it that go through a
 * matrix by columns, of which eight lie in a sector. */
static launch columns(unsigned n, rng *r)
{
    return (launch){427000 - 13336 * (n / 32),
                    (n % 8 ? 575000 : 830000) + rng_below(r, 10000)};
}

TEST(what_comes_with_a_new_size_is_not_all)
{
    run r = go(1024, columns);

    CHECK(r.timed <= 110);
    CHECK(off(&r) < 0.05);
    CHECK(off(&r) <= interval(&r));
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
