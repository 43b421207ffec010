/* tests/unit/explore/test_explore.c - what points say, of numbers that were
 * made up and results computed by hand. */
#include "explore/explore.h"

#include <math.h>

#include "base/rng.h"
#include "test.h"

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

typedef struct place {
    arena *mem;
    diag *dg;
    explore *e;
} place;

static place begin(void)
{
    place p = {arena_new(), diag_new(), NULL};

    p.e = explore_begin(p.mem, NULL, 0);
    return p;
}

static void end(place *p)
{
    diag_free(p->dg);
    arena_free(p->mem);
}

/* Two factors, energy = 2 * time. */
static void add(place *p, uint64_t number, const char *sets, const char *queue,
                const char *workload, double time, double bits)
{
    explore_factor factors[] = {{"l1.sets", sets}, {"sm.queue", queue}};
    explore_fact f = {.number = number,
                      .workload = workload,
                      .status = "pass",
                      .time_s = time,
                      .cycles = time,
                      .energy_j = 2 * time,
                      .bits = bits,
                      .factors = factors,
                      .factor_count = 2};

    explore_add(p->e, &f);
}

static void add_failed(place *p, uint64_t number, const char *sets,
                       const char *queue, const char *workload,
                       const char *verdict)
{
    explore_factor factors[] = {{"l1.sets", sets}, {"sm.queue", queue}};
    explore_fact f = {.number = number,
                      .workload = workload,
                      .status = verdict,
                      .why = "because",
                      .time_s = NAN,
                      .factors = factors,
                      .factor_count = 2};

    explore_add(p->e, &f);
}

/* Sets 16, 64, 32 and queues; "a" takes 1600 / sets with both, "b" 100 with
 * fifo and sets with reod: so reod over fifo is 1 for a and 100 / sets for b.
 */
static place grid(void)
{
    static const char *const sets[] = {"16", "64", "32"};
    static const double n[] = {16, 64, 32};
    place p = begin();

    for (unsigned i = 0; i < 3; i++) {
        add(&p, 4 * i, sets[i], "fifo", "a", 1600 / n[i], 100 * n[i]);
        add(&p, 4 * i + 1, sets[i], "fifo", "b", 100, 100 * n[i]);
        add(&p, 4 * i + 2, sets[i], "reod", "a", 1600 / n[i], 100 * n[i] + 7);
        add(&p, 4 * i + 3, sets[i], "reod", "b", n[i], 100 * n[i] + 7);
    }
    return p;
}

static const explore_config *config_at(const explore *e, size_t sets,
                                       size_t queue)
{
    size_t i = explore_at(e, (size_t[]){sets, queue});

    CHECK(i != EXPLORE_NONE);
    return &e->configs[i];
}

TEST(axes_are_in_order_and_have_short_names)
{
    place p = grid();

    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->axis_count, 2);
    CHECK_EQ(p.e->varying, 2);
    CHECK_STR(p.e->axes[0].name, "l1.sets");
    CHECK_STR(p.e->axes[0].tag, "sets");
    CHECK_STR(p.e->axes[0].values[1], "32");
    CHECK(p.e->axes[0].numbers[2] == 64);
    CHECK(p.e->axes[0].logarithmic);
    CHECK_STR(p.e->axes[1].values[0], "fifo");
    CHECK(!p.e->axes[1].numbers);
    CHECK_EQ(p.e->workload_count, 2);
    CHECK_EQ(p.e->config_count, 6);
    CHECK_EQ(p.e->points, 12);
    CHECK_EQ(p.e->counting, 12);
    end(&p);
}

TEST(ratios_are_those_to_the_first_configuration)
{
    place p = grid();
    const explore_config *c;

    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->base, 0);
    c = config_at(p.e, 2, 1); /* 64, reod */
    CHECK(near(c->cells[0].ratio[EXPLORE_BY_SPEEDUP], 4));
    CHECK(near(c->cells[1].ratio[EXPLORE_BY_SPEEDUP], 100. / 64));
    CHECK(near(c->cells[1].ratio[EXPLORE_BY_ENERGY], 0.64));
    CHECK(near(c->cells[1].ratio[EXPLORE_BY_EDP], 0.64 * 0.64));
    CHECK(near(c->mean[EXPLORE_BY_SPEEDUP].geometric, 2.5)); /* sqrt(6.25) */
    CHECK(near(c->mean[EXPLORE_BY_EDP].geometric, 1 / 6.25));
    CHECK(c->bits == 6407);
    c = config_at(p.e, 0, 0);
    CHECK(c->mean[EXPLORE_BY_SPEEDUP].geometric == 1);
    end(&p);
}

TEST(a_base_of_one_axis_is_one_of_each_configuration)
{
    place p = grid();
    explore_factor base = {"queue", "fifo"};
    const explore_config *c;

    CHECK_EQ(explore_finish(
                 p.e, &(explore_options){.base = &base, .base_count = 1}, p.dg),
             ST_OK);
    CHECK_EQ(p.e->base, EXPLORE_NONE);
    c = config_at(p.e, 0, 1); /* 16, reod over 16, fifo */
    CHECK(near(c->cells[0].ratio[EXPLORE_BY_SPEEDUP], 1));
    CHECK(near(c->cells[1].ratio[EXPLORE_BY_SPEEDUP], 6.25));
    CHECK(near(c->mean[EXPLORE_BY_SPEEDUP].geometric, 2.5));
    CHECK(config_at(p.e, 2, 0)->mean[EXPLORE_BY_SPEEDUP].geometric == 1);
    end(&p);
}

TEST(fronts_do_not_depend_on_the_base)
{
    place p = grid(), q = grid();
    explore_factor base = {"queue", "reod"};

    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(explore_finish(
                 q.e, &(explore_options){.base = &base, .base_count = 1}, q.dg),
             ST_OK);
    for (size_t i = 0; i < p.e->config_count; i++)
        CHECK_EQ(p.e->configs[i].fronts, q.e->configs[i].fronts);
    CHECK_EQ(q.e->reference, 1); /* 16, reod */
    /* 64, fifo over it: 4 and 16 / 100. */
    CHECK(near(explore_against(q.e, config_at(q.e, 2, 0), EXPLORE_BY_SPEEDUP,
                               EXPLORE_NONE),
               0.8));
    end(&p);
    end(&q);
}

/* Bits 1600, 3200, 6400 with fifo, 7 more with reod; speed 1, sqrt 2, 2, and
 * 2.5 with any reod. */
TEST(fronts_are_those_of_the_means)
{
    static const uint64_t bits[] = {2, 0}, energy[] = {2, 6, 10};
    place p = grid();

    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->fronts[0].count, 3); /* equal ones are all on it */
    CHECK_EQ(p.e->fronts[1].count, 2);
    for (size_t i = 0; i < 3; i++)
        CHECK_EQ(p.e->configs[p.e->fronts[0].members[i]].number, energy[i]);
    for (size_t i = 0; i < 2; i++)
        CHECK_EQ(p.e->configs[p.e->fronts[1].members[i]].number, bits[i]);
    CHECK_EQ(p.e->configs[0].fronts, 1u << 1 | 1u << 3);
    end(&p);
}

/* Four configurations of one workload: slower ones take less of the part, the
 * last but one less than it could; of the last nothing is known. */
TEST(fronts_of_a_part_of_the_energy)
{
    static const struct {
        const char *sets;
        double time, joules, bits;
    } row[] = {{"1", 100, 8, 4000},
               {"2", 110, 2, 1000},
               {"3", 120, 4, 500},
               {"4", 130, 4, 600},
               {"5", 90, 0, 0}};
    place p = begin();

    for (unsigned i = 0; i < 5; i++) {
        explore_factor factor = {"slots", row[i].sets};
        explore_fact f = {.number = i,
                          .workload = "a",
                          .status = "pass",
                          .time_s = row[i].time,
                          .cycles = row[i].time,
                          .energy_j = 100,
                          .bits = 9000,
                          .part_j = row[i].joules,
                          .part_bits = row[i].bits,
                          .factors = &factor,
                          .factor_count = 1};

        explore_add(p.e, &f);
    }
    p.e->part = "hazard";
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->front_count, 3);
    CHECK(near(
        explore_figure(p.e, &p.e->configs[1], EXPLORE_BY_PART, EXPLORE_NONE),
        0.25));
    CHECK(explore_figure(p.e, &p.e->configs[2], EXPLORE_BY_PART_BITS,
                         EXPLORE_NONE) == 500);
    CHECK(isnan(explore_figure(p.e, &p.e->configs[4], EXPLORE_BY_PART_BITS,
                               EXPLORE_NONE)));
    CHECK_EQ(p.e->configs[0].fronts, 7);
    CHECK_EQ(p.e->configs[1].fronts, 7);
    CHECK_EQ(p.e->configs[2].fronts, 6); /* 1 has less energy */
    CHECK_EQ(p.e->configs[3].fronts, 0);
    CHECK_EQ(p.e->configs[4].fronts, 0);
    CHECK_EQ(p.e->fronts[0].unknown, 1);
    end(&p);
}

TEST(a_base_that_is_not_there_is_refused)
{
    place p = grid(), q = grid();
    explore_factor value = {"l1.sets", "48"}, axis = {"l1.set", "16"};

    CHECK_EQ(explore_finish(p.e,
                            &(explore_options){.base = &value, .base_count = 1},
                            p.dg),
             ST_USAGE);
    CHECK(strstr(diag_get(p.dg, 0)->text, "16, 32, 64"));
    CHECK_EQ(explore_finish(
                 q.e, &(explore_options){.base = &axis, .base_count = 1}, q.dg),
             ST_USAGE);
    CHECK(strstr(diag_get(q.dg, 0)->text, "l1.sets"));
    end(&p);
    end(&q);
}

TEST(a_mean_over_holes_is_refused)
{
    place p = begin();
    const explore_config *c;

    for (unsigned allowed = 0; allowed < 2; allowed++) {
        place q = begin();

        add(&q, 0, "16", "x", "a", 10, 1);
        add(&q, 1, "16", "x", "b", 10, 1);
        add(&q, 2, "32", "x", "a", 5, 1);
        add_failed(&q, 3, "32", "x", "b", "timeout");
        CHECK_EQ(explore_finish(
                     q.e, &(explore_options){.allow_missing = allowed}, q.dg),
                 ST_OK);
        c = config_at(q.e, 1, 0);
        CHECK_EQ(c->holes, 1);
        CHECK_EQ(explore_complete(q.e, c), allowed);
        if (allowed)
            CHECK(near(explore_figure(q.e, c, EXPLORE_BY_SPEEDUP, EXPLORE_NONE),
                       2));
        else
            CHECK(isnan(
                explore_figure(q.e, c, EXPLORE_BY_SPEEDUP, EXPLORE_NONE)));
        CHECK(near(explore_figure(q.e, c, EXPLORE_BY_SPEEDUP, 0), 2));
        CHECK_EQ(q.e->cause_count, 1);
        CHECK_STR(q.e->causes[0].status, "timeout");
        CHECK_EQ(q.e->causes[0].count, 1);
        CHECK_EQ(q.e->fronts[0].unknown, !allowed);
        CHECK_EQ(q.e->effects[0].holes, 1);
        CHECK_EQ(isnan(q.e->effects[0].speed), !allowed);
        end(&q);
    }
    end(&p);
}

/* Where each configuration has a base of its own. */
TEST(a_mean_over_holes_is_refused_against_any_base)
{
    explore_factor base = {"queue", "x"};

    for (unsigned allowed = 0; allowed < 2; allowed++) {
        explore_options o = {
            .base = &base, .base_count = 1, .allow_missing = allowed};
        place p = begin();
        double v;

        add(&p, 0, "16", "x", "a", 10, 1);
        add(&p, 1, "16", "x", "b", 10, 1);
        add(&p, 2, "32", "x", "a", 5, 1);
        add_failed(&p, 3, "32", "x", "b", "timeout");
        add(&p, 4, "16", "y", "a", 5, 1);
        add(&p, 5, "16", "y", "b", 5, 1);
        CHECK_EQ(explore_finish(p.e, &o, p.dg), ST_OK);
        CHECK_EQ(p.e->base, EXPLORE_NONE);
        CHECK_EQ(p.e->reference, 0);
        v = explore_against(p.e, config_at(p.e, 1, 0), EXPLORE_BY_SPEEDUP,
                            EXPLORE_NONE);
        CHECK(allowed ? near(v, 2) : isnan(v));
        CHECK(near(explore_against(p.e, config_at(p.e, 0, 1),
                                   EXPLORE_BY_SPEEDUP, EXPLORE_NONE),
                   2));
        end(&p);
    }
}

/* Of an axis without a base all values are held against each other. */
TEST(values_without_a_base_cross_each_other)
{
    explore_factor base = {"sets", "16"};
    explore_options o = {
        .base = &base, .base_count = 1, .between = "queue", .along = "sets"};
    place p = grid();

    CHECK_EQ(explore_finish(p.e, &o, p.dg), ST_OK);
    CHECK_EQ(p.e->cross_count, 1);
    CHECK_EQ(p.e->crosses[0].from, 0);
    CHECK_EQ(p.e->crosses[0].to, 1);
    end(&p);
}

TEST(a_base_that_failed_makes_holes_in_all)
{
    place p = begin();

    add_failed(&p, 0, "16", "x", "a", "crash");
    add(&p, 1, "32", "x", "a", 5, 1);
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->configs[1].holes, 1);
    CHECK(p.e->configs[1].cells[0].counts);
    CHECK(!explore_complete(p.e, &p.e->configs[1]));
    end(&p);
}

TEST(absent_and_untimed_points_are_holes)
{
    place p = begin();

    add(&p, 0, "16", "x", "a", 10, 1);
    add(&p, 1, "16", "x", "b", 10, 1);
    add(&p, 2, "32", "x", "a", 0, 1);
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_STR(p.e->configs[1].cells[0].status, "untimed");
    CHECK_STR(p.e->configs[1].cells[1].status, "missing");
    CHECK_EQ(p.e->configs[1].holes, 2);
    CHECK_EQ(p.e->counting, 2);
    end(&p);
}

TEST(what_is_known_wins_over_what_is_missing)
{
    place p = begin();

    add_failed(&p, 0, "16", "x", "a", "missing");
    add_failed(&p, 1, "16", "x", "b", "missing");
    add_failed(&p, 1, "16", "x", "b", "timeout");
    add(&p, 0, "16", "x", "a", 10, 1);
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->config_count, 1);
    CHECK(p.e->configs[0].cells[0].counts);
    CHECK_STR(p.e->configs[0].cells[1].status, "timeout");
    end(&p);
}

TEST(of_equal_failures_the_first_is_told)
{
    place p = begin();

    add_failed(&p, 9, "16", "x", "a", "crash");
    add_failed(&p, 3, "16", "x", "a", "timeout");
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_STR(p.e->configs[0].cells[0].status, "timeout");
    CHECK_EQ(p.e->configs[0].cells[0].number, 3);
    end(&p);
}

TEST(equal_numbers_are_one_value)
{
    place p = begin();

    add(&p, 0, "16", "8", "a", 10, 1);
    add(&p, 1, "16", "8.0", "b", 10, 1);
    add(&p, 2, "16", "1K", "a", 10, 1);
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->axes[0].count, 2);
    CHECK(p.e->axes[0].numbers[1] == 1024);
    CHECK_EQ(p.e->config_count, 2);
    end(&p);
}

TEST(energy_that_one_workload_lacks_has_no_mean)
{
    place p = begin();
    explore_factor f = {"l1.sets", "32"};

    for (unsigned i = 0; i < 2; i++) {
        f.value = i ? "32" : "16";
        add(&p, 2 * i, f.value, "x", "a", 10, 1);
        explore_add(
            p.e,
            &(explore_fact){.number = 2 * i + 1,
                            .workload = "b",
                            .status = "pass",
                            .time_s = 5,
                            .energy_j = NAN,
                            .factors = (explore_factor[]){f, {"sm.queue", "x"}},
                            .factor_count = 2});
    }
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->configs[1].mean[EXPLORE_BY_SPEEDUP].count, 2);
    CHECK(isnan(explore_figure(p.e, &p.e->configs[1], EXPLORE_BY_ENERGY,
                               EXPLORE_NONE)));
    CHECK_EQ(p.e->fronts[0].unknown, 2);
    end(&p);
}

TEST(the_same_point_with_other_results_is_refused)
{
    place p = begin(), q = begin();

    add(&p, 0, "16", "x", "a", 10, 1);
    add(&p, 7, "0x10", "x", "a", 10, 1); /* the same value */
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->config_count, 1);
    add(&q, 0, "16", "x", "a", 10, 1);
    add(&q, 7, "16", "x", "a", 11, 1);
    CHECK_EQ(explore_finish(q.e, &(explore_options){0}, q.dg), ST_MISMATCH);
    CHECK(strstr(diag_get(q.dg, 0)->text, "points 0 and 7"));
    end(&p);
    end(&q);
}

TEST(axes_that_go_together_are_one)
{
    place p = begin();

    add(&p, 0, "16", "small", "a", 10, 1);
    add(&p, 1, "32", "large", "a", 8, 1);
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->axis_count, 1);
    CHECK_STR(p.e->axes[0].name, "l1.sets+sm.queue");
    CHECK_STR(p.e->axes[0].tag, "sets+queue");
    CHECK_STR(p.e->axes[0].values[1], "32+large");
    CHECK(p.e->axes[0].numbers[1] == 32);
    end(&p);
}

TEST(the_side_of_a_comparison_is_a_label)
{
    place p = begin();
    static const char *const names[] = {"old", "new"};

    for (unsigned i = 0; i < 2; i++) {
        explore_factor f[] = {{"l1.ways", i ? "8" : "4"}, {"side", names[i]}};

        explore_add(p.e, &(explore_fact){.number = i,
                                         .workload = "w",
                                         .status = "pass",
                                         .time_s = 2 - i,
                                         .factors = f,
                                         .factor_count = 2});
    }
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->axis_count, 1);
    CHECK_STR(p.e->axes[0].name, "l1.ways");
    CHECK_STR(p.e->configs[1].label, "new");
    end(&p);
}

TEST(sides_are_compared_on_their_gpu)
{
    static const char *const rows[][4] = {{"f", "old", "4", "a"},
                                          {"f", "new", "8", "a"},
                                          {"k", "old", "6", "a"},
                                          {"k", "new", "8", "a"}};
    static const double times[] = {10, 5, 3, 1};
    place p = begin();

    for (unsigned i = 0; i < 4; i++) {
        explore_factor f[] = {
            {"gpu", rows[i][0]}, {"side", rows[i][1]}, {"l1.ways", rows[i][2]}};

        explore_add(p.e, &(explore_fact){.number = i,
                                         .workload = rows[i][3],
                                         .status = "pass",
                                         .time_s = times[i],
                                         .factors = f,
                                         .factor_count = 3});
    }
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_STR(p.e->base_side, "old");
    CHECK_EQ(p.e->base, EXPLORE_NONE);
    CHECK(p.e->configs[1].mean[EXPLORE_BY_SPEEDUP].geometric == 2);
    CHECK(p.e->configs[2].mean[EXPLORE_BY_SPEEDUP].geometric == 1);
    CHECK(near(p.e->configs[3].mean[EXPLORE_BY_SPEEDUP].geometric, 3));
    end(&p);
}

TEST(effects_are_over_pairs_that_differ_in_nothing_else)
{
    place p = grid();
    const explore_effect *f;

    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->effect_count, 2);
    /* Queue: ratios 1, 1, 1, 100/16, 100/32, 100/64. */
    f = &p.e->effects[0];
    CHECK_STR(p.e->axes[f->axis].tag, "queue");
    CHECK_EQ(f->step_count, 1);
    CHECK_EQ(f->pairs, 6);
    CHECK(near(f->speed, sqrt(100. / 32)));
    CHECK(near(f->steps[0].speedup.geometric, sqrt(100. / 32)));
    CHECK(near(f->steps[0].energy.geometric, sqrt(32. / 100)));
    /* Sets, each step: 2 and 1 with fifo, 2 and 1/2 with reod. */
    f = &p.e->effects[1];
    CHECK_EQ(f->step_count, 2);
    CHECK(near(f->steps[0].speedup.geometric, pow(2, 0.25)));
    CHECK(near(f->steps[0].speedup.least, 0.5));
    CHECK(near(f->speed, pow(2, 0.75)));
    CHECK_EQ(f->enough, 2);
    end(&p);
}

TEST(enough_is_where_the_gain_ends)
{
    static const double times[] = {100, 80, 79.5, 90};
    static const char *const sets[] = {"16", "32", "64", "128"};
    place p = begin();

    for (unsigned i = 0; i < 4; i++)
        add(&p, i, sets[i], "x", "a", times[i], 1);
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->effects[0].enough, 1); /* 80 / 79.5 is less than 1.01 */
    end(&p);
    p = begin();
    for (unsigned i = 0; i < 4; i++)
        add(&p, i, sets[i], "x", "a", times[i], 1);
    CHECK_EQ(explore_finish(p.e, &(explore_options){.fade = 0.005}, p.dg),
             ST_OK);
    CHECK_EQ(p.e->effects[0].enough, 2);
    end(&p);
}

static const explore_cross *find_cross(const explore *e, size_t workload)
{
    for (size_t i = 0; i < e->cross_count; i++)
        if (e->crosses[i].along == 0 && e->crosses[i].workload == workload)
            return &e->crosses[i];
    return NULL;
}

TEST(a_variant_overtakes_where_the_line_says)
{
    /* Reod over fifo, workload b: sets / 50 after the swap below, in the
     * logarithm of sets a straight line: 1 at 50. */
    static const char *const sets[] = {"16", "32", "64"};
    static const double n[] = {16, 32, 64};
    place p = begin();
    const explore_cross *c;

    for (unsigned i = 0; i < 3; i++) {
        add(&p, 2 * i, sets[i], "fifo", "b", n[i], 1);
        add(&p, 2 * i + 1, sets[i], "reod", "b", 50, 1);
    }
    CHECK_EQ(explore_finish(p.e, &(explore_options){.by_workload = true}, p.dg),
             ST_OK);
    c = find_cross(p.e, EXPLORE_NONE);
    CHECK(c != NULL);
    CHECK_EQ(c->line.count, 3);
    CHECK_EQ(c->event_count, 1);
    CHECK(c->events[0].rising);
    CHECK(near(c->events[0].at, 50));
    CHECK_STR(p.e->axes[0].values[c->places[c->events[0].from]], "32");
    CHECK_EQ(c->fade_count, 1);
    CHECK(near(c->fades[0].at, 50.5));
    CHECK_EQ(c->nearest, 2); /* 64 / 50 is nearer than 32 / 50 */
    c = find_cross(p.e, 0);
    CHECK(c && near(c->events[0].at, 50));
    end(&p);
}

TEST(lines_cross_the_base_where_it_is_one)
{
    static const char *const sets[] = {"16", "32", "64"};
    static const double n[] = {16, 32, 64};
    place p = begin();
    const explore_cross *c;

    /* Base: fifo at 16 takes 50; reod takes sets: 1 at 50. */
    for (unsigned i = 0; i < 3; i++) {
        add(&p, 2 * i, sets[i], "fifo", "b", i ? 10 : 50, 1);
        add(&p, 2 * i + 1, sets[i], "reod", "b", n[i], 1);
    }
    CHECK_EQ(explore_finish(p.e, &(explore_options){.between = "base"}, p.dg),
             ST_OK);
    CHECK_EQ(p.e->cross_count, 2);
    c = &p.e->crosses[0]; /* what crosses stands first */
    CHECK_EQ(c->between, EXPLORE_NONE);
    CHECK_STR(p.e->axes[1].values[p.e->configs[c->config].at[1]], "reod");
    CHECK_EQ(c->event_count, 1);
    CHECK(!c->events[0].rising);
    CHECK(near(c->events[0].at, 50));
    /* 50/16 at its best, 50/64 at its worst. */
    CHECK(near(c->most, 3.125));
    CHECK(near(c->least, 0.78125));
    CHECK(near(c->effect, 1.28));
    CHECK(near(p.e->crosses[1].effect, 1));
    end(&p);
}

TEST(crossovers_of_a_mean_with_a_hole_are_not_known)
{
    place p = begin();
    const explore_cross *c;

    add(&p, 0, "16", "fifo", "a", 1, 1);
    add(&p, 1, "16", "reod", "a", 2, 1);
    add(&p, 2, "32", "fifo", "a", 1, 1);
    add_failed(&p, 3, "32", "reod", "a", "timeout");
    add(&p, 4, "64", "fifo", "a", 4, 1);
    add(&p, 5, "64", "reod", "a", 2, 1);
    for (unsigned i = 0; i < 6; i++) /* 1.5 everywhere */
        add(&p, 6 + i, (const char *[]){"16", "32", "64"}[i / 2],
            i % 2 ? "reod" : "fifo", "b", i % 2 ? 2 : 3, 1);
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    c = find_cross(p.e, EXPLORE_NONE);
    CHECK_EQ(c->event_count, 1);
    CHECK_EQ(c->events[0].unknown, 1);
    /* Means: sqrt(3/4), not known, sqrt(3). */
    CHECK(near(c->events[0].at, 64. / 3));
    end(&p);
}

TEST(limits_are_about_figures_and_axes)
{
    place p = grid();
    explore_limit l;
    bool unknown = false;
    const explore_config *c;

    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    c = config_at(p.e, 2, 1);
    CHECK_EQ(explore_limit_parse(p.e, "bits<=6407", p.dg, &l), ST_OK);
    CHECK(explore_within(p.e, c, &l, &unknown));
    CHECK_EQ(explore_limit_parse(p.e, "bits<6407", p.dg, &l), ST_OK);
    CHECK(!explore_within(p.e, c, &l, &unknown));
    CHECK_EQ(explore_limit_parse(p.e, "l1.sets>=64", p.dg, &l), ST_OK);
    CHECK(explore_within(p.e, c, &l, &unknown));
    CHECK_EQ(explore_limit_parse(p.e, "queue=fifo", p.dg, &l), ST_OK);
    CHECK(!explore_within(p.e, c, &l, &unknown));
    CHECK(!unknown);
    CHECK_EQ(explore_limit_parse(p.e, "bitss<=1", p.dg, &l), ST_USAGE);
    CHECK_EQ(explore_limit_parse(p.e, "bits", p.dg, &l), ST_USAGE);
    CHECK_EQ(explore_limit_parse(p.e, "bits<=many", p.dg, &l), ST_USAGE);
    end(&p);
}

TEST(the_best_come_first_and_the_equal_by_number)
{
    place p = grid();
    explore_order o;
    size_t *order;

    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(explore_order_parse(p.e, "speedup", p.dg, &o), ST_OK);
    order = explore_sorted(p.e, &o);
    /* reod is 2.5 everywhere; fifo 1, sqrt(2), 2. */
    CHECK_EQ(p.e->configs[order[0]].number, 2);
    CHECK_EQ(p.e->configs[order[1]].number, 6);
    CHECK_EQ(p.e->configs[order[2]].number, 10);
    CHECK_EQ(p.e->configs[order[3]].number, 4);
    CHECK_EQ(p.e->configs[order[5]].number, 0);
    CHECK_EQ(explore_order_parse(p.e, "sped", p.dg, &o), ST_USAGE);
    end(&p);
}

/* ---- Order ---- */

static bool same_real(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void check_same(const explore *a, const explore *b)
{
    CHECK_EQ(a->config_count, b->config_count);
    for (size_t i = 0; i < a->config_count; i++) {
        const explore_config *c = &a->configs[i], *d = &b->configs[i];

        CHECK_EQ(c->number, d->number);
        CHECK_EQ(c->fronts, d->fronts);
        CHECK_EQ(c->base, d->base);
        for (unsigned r = 0; r < EXPLORE_RATIOS; r++)
            CHECK(same_real(c->mean[r].geometric, d->mean[r].geometric));
    }
    CHECK_EQ(a->cross_count, b->cross_count);
    for (size_t i = 0; i < a->cross_count; i++)
        CHECK_EQ(a->crosses[i].event_count, b->crosses[i].event_count);
    for (size_t i = 0; i < a->effect_count; i++) {
        CHECK_EQ(a->effects[i].axis, b->effects[i].axis);
        CHECK(same_real(a->effects[i].speed, b->effects[i].speed));
    }
}

TEST(nothing_depends_on_the_order_of_the_points)
{
    enum { POINTS = 60, ROUNDS = 20 };
    static const char *const sets[] = {"8", "16", "32", "64", "128"};
    static const char *const queues[] = {"fifo", "reod", "age"};
    static const char *const names[] = {"a", "b", "c", "d"};
    unsigned order[POINTS];
    place first = begin();
    rng r;

    rng_init(&r, 3, "order");
    for (unsigned round = 0; round < ROUNDS; round++) {
        place p = begin();

        for (unsigned i = 0; i < POINTS; i++) {
            unsigned k = round ? rng_below(&r, i + 1) : i;

            order[i] = order[k];
            order[k] = i;
        }
        for (unsigned i = 0; i < POINTS; i++) {
            unsigned n = order[i], w = n % 4, q = n / 4 % 3, s = n / 12;

            if (n == 17)
                add_failed(&p, n, sets[s], queues[q], names[w], "timeout");
            else
                add(&p, n, sets[s], queues[q], names[w], 1 + n * 37 % 11,
                    1 + n / 4 * 13 % 7);
        }
        CHECK_EQ(
            explore_finish(p.e, &(explore_options){.by_workload = true}, p.dg),
            ST_OK);
        if (round)
            check_same(first.e, p.e);
        else {
            end(&first);
            first = p;
            continue;
        }
        end(&p);
    }
    CHECK(first.e->cross_count > 0);
    end(&first);
}
