/* tests/unit/compare/test_compare_draws.c - workloads whose inputs are drawn
 * anew for each null, with numbers that were made up, by hand. */
#include <math.h>

#include "compare/compare.h"
#include "test.h"

enum { SIDES = 2, DRAWS = 3 };

typedef struct fake {
    compare c;
    config cfg;
    report_gpu gpu;
    measure_side sides[SIDES * DRAWS];
    compare_workload workload;
    measure_run runs[SIDES * DRAWS];
    measure_counter counters[SIDES * DRAWS];
} fake;

/* `time` of both sides of each draw; a counter that is ten times that. */
static void begin(fake *f, const double time[DRAWS][SIDES])
{
    memset(f, 0, sizeof *f);
    config_defaults(&f->cfg);
    f->gpu = (report_gpu){"gtx480", &f->cfg};
    f->c = (compare){.mem = arena_new(),
                     .sides = f->sides,
                     .side_count = SIDES,
                     .nulls = DRAWS - 1,
                     .workloads = &f->workload,
                     .count = 1};
    f->workload = (compare_workload){
        .is = {.name = "mix", .label = "mix"}, .runs = f->runs, .drawn = true};
    for (unsigned i = 0; i < SIDES * DRAWS; i++) {
        measure_run *r = &f->runs[i];

        f->sides[i] = (measure_side){.label = i % SIDES ? "new" : "old",
                                     .assignments = "",
                                     .gpus = &f->gpu,
                                     .gpu_count = 1};
        f->counters[i] = (measure_counter){
            .name = "sm[*].slots",
            .unit = "slot",
            .value = (uint64_t)(10 * time[i / SIDES][i % SIDES])};
        r->done = true;
        r->result.verdict = SUITE_PASS;
        r->result.out = (suite_output){"", 0};
        r->sum.timed = r->sum.launches = 1;
        r->sum.time_s = time[i / SIDES][i % SIDES];
        r->sum.cycles = (uint64_t)r->sum.time_s;
        r->sum.energy_fj = 1 + i % SIDES * (i / SIDES);
        r->sum.counters = &f->counters[i];
        r->sum.counter_count = 1;
        r->sum.memory_hash = i / SIDES; /* other inputs, other results */
        r->sum.has_hash = true;
    }
}

static bool near(double a, double b) { return fabs(a - b) < 1e-12; }

/* 2, 4 and 1: their mean is 2, and the band of three so unequal ones is wide.
 * Times, counters and energy are those of all draws together. */
TEST(a_speedup_is_the_mean_of_the_draws)
{
    static const double time[DRAWS][SIDES] = {{200, 100}, {400, 100}, {50, 50}};
    fake f;

    begin(&f, time);
    compare_finish(&f.c);
    const compare_pair *p = &f.workload.pairs[1];
    CHECK(p->why == NULL);
    CHECK(near(p->speedup, 2));
    CHECK_EQ(p->band.draws, 3);
    CHECK(near(p->band.mean, 2));
    CHECK(p->band.low < 1 && p->band.high > 4);
    CHECK_EQ(compare_verdict(&f.c, p), 0);
    CHECK(near(f.c.summaries[1].speedup.geometric, 2));
    CHECK_EQ(f.workload.sums[0]->cycles, 650);
    CHECK_EQ(f.workload.sums[1]->cycles, 250);
    CHECK_EQ(f.workload.values[0][0], 6500);
    CHECK_EQ(f.workload.values[1][0], 2500);
    CHECK(near(p->energy, (1 + 2 + 3) / 3.));
    CHECK(near(p->edp, 2 * 250 / 650.));
    arena_free(f.c.mem);
}

/* What is not drawn has the speed-up of the comparison, and its nulls make the
 * band only. */
TEST(nulls_of_the_same_inputs_are_no_draws)
{
    static const double time[DRAWS][SIDES] = {{200, 100}, {400, 100}, {50, 50}};
    fake f;

    begin(&f, time);
    f.workload.drawn = false;
    compare_finish(&f.c);
    CHECK(near(f.workload.pairs[1].speedup, 2));
    CHECK_EQ(f.workload.sums[0]->cycles, 200);
    CHECK_EQ(f.workload.values[1][0], 1000);
    arena_free(f.c.mem);
}

/* Sides must agree in every draw, and no draw may fail. */
TEST(a_draw_that_differs_leaves_the_workload_out)
{
    static const double time[DRAWS][SIDES] = {{2, 1}, {2, 1}, {2, 1}};
    fake f;

    begin(&f, time);
    f.runs[1 * SIDES + 1].sum.memory_hash = 7;
    compare_finish(&f.c);
    CHECK(strstr(f.workload.pairs[1].why, "draw 2: memory has other") != NULL);
    CHECK(!compare_complete(&f.c, 1));
    arena_free(f.c.mem);

    begin(&f, time);
    f.runs[2 * SIDES].result.verdict = SUITE_CRASH;
    compare_finish(&f.c);
    CHECK(strstr(f.workload.pairs[1].why, "draw 3: old: crash") != NULL);
    arena_free(f.c.mem);
}
