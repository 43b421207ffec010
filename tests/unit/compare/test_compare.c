/* tests/unit/compare/test_compare.c - what a comparison makes of runs whose
 * numbers were made up, computed by hand. */
#include "compare/compare.h"

#include <math.h>

#include "base/strbuf.h"
#include "compare/compare_cost.h"
#include "compare/compare_part.h"
#include "compare/compare_view.h"
#include "config/param.h"
#include "report/counters.h"
#include "study/formula.h"
#include "test.h"

enum { COUNTERS = 7, WORKLOADS = 2 };

typedef struct fake {
    compare c;
    config cfg;
    report_gpu gpu;
    measure_side sides[2];
    compare_workload workloads[WORKLOADS];
    measure_run runs[WORKLOADS][2];
    measure_counter counters[WORKLOADS][2][COUNTERS];
} fake;

/* In the order of `names`. */
static void set(fake *f, unsigned w, unsigned s, double time,
                const uint64_t values[COUNTERS])
{
    static const char *const names[COUNTERS][2] = {
        {"sm[*].slots", "slot"},          {"sm[*].issued", "slot"},
        {"sm[*].stall_raw_mem", "slot"},  {"sm[*].stall_raw_alu", "slot"},
        {"sm[*].l1.reads", "request"},    {"sm[*].l1.read_hits", "request"},
        {"sm[*].l1.full_cycles", "warp"},
    };
    measure_run *r = &f->runs[w][s];

    for (unsigned i = 0; i < COUNTERS; i++)
        f->counters[w][s][i] = (measure_counter){
            .name = names[i][0], .unit = names[i][1], .value = values[i]};
    r->done = true;
    r->result.verdict = SUITE_PASS;
    r->result.out = (suite_output){"", 0};
    r->sum.timed = r->sum.launches = 1;
    r->sum.time_s = time;
    r->sum.cycles = (uint64_t)time;
    r->sum.counters = f->counters[w][s];
    r->sum.counter_count = COUNTERS;
    r->sum.has_hash = true;
    r->sum.level[LEVEL_L1] = "L1";
    r->sum.bytes[LEVEL_L1] = 100 + s;
}

static void begin(fake *f)
{
    memset(f, 0, sizeof *f);
    config_defaults(&f->cfg);
    f->gpu = (report_gpu){"gtx480", &f->cfg};
    f->sides[0] = (measure_side){
        .label = "old", .assignments = "", .gpus = &f->gpu, .gpu_count = 1};
    f->sides[1] = f->sides[0];
    f->sides[1].label = "new";
    f->sides[1].assignments = "a.b=1";
    f->c = (compare){.mem = arena_new(),
                     .sides = f->sides,
                     .side_count = 2,
                     .workloads = f->workloads,
                     .count = WORKLOADS};
    for (unsigned w = 0; w < WORKLOADS; w++)
        f->workloads[w] = (compare_workload){
            .is = {.name = w ? "two" : "one", .label = w ? "two" : "one"},
            .runs = f->runs[w]};
    set(f, 0, 0, 200, (uint64_t[]){200, 100, 80, 20, 1000, 100, 5});
    set(f, 0, 1, 100, (uint64_t[]){100, 100, 0, 0, 1000, 600, 9});
    set(f, 1, 0, 100, (uint64_t[]){100, 50, 50, 0, 10, 10, 5});
    set(f, 1, 1, 200, (uint64_t[]){200, 50, 150, 0, 10, 10, 7});
    /* Half the energy in half the time; twice in twice. */
    f->runs[0][0].sum.energy_fj = f->runs[1][1].sum.energy_fj = 40;
    f->runs[0][1].sum.energy_fj = f->runs[1][0].sum.energy_fj = 20;
}

static bool near(double a, double b) { return fabs(a - b) < 1e-12; }

static const compare_reason *reason(const fake *f, const compare_reason *r,
                                    const char *name)
{
    for (size_t i = 0; i < f->c.reason_count; i++)
        if (!strcmp(r[i].name, name))
            return &r[i];
    CHECK(false);
    return r;
}

TEST(speedups_slots_and_traffic)
{
    fake f;
    const compare_summary *y;

    begin(&f);
    compare_finish(&f.c);
    y = &f.c.summaries[1];
    CHECK(f.workloads[0].pairs[1].speedup == 2);
    CHECK(f.workloads[1].pairs[1].speedup == 0.5);
    CHECK(near(y->speedup.geometric, 1));
    CHECK_EQ(y->missing, 0);
    CHECK(compare_complete(&f.c, 1) && compare_good(&f.c));
    /* One: 80 of 200 slots become none; two: 50 of 100 become 150. */
    const compare_reason *one =
        reason(&f, f.workloads[0].pairs[1].reasons, "raw_mem");
    CHECK(near(one->base, 0.4) && near(one->variant, 0));
    const compare_reason *all = reason(&f, y->reasons, "raw_mem");
    CHECK(near(all->base, (0.4 + 0.5) / 2) && near(all->variant, 0.75));
    const compare_reason *issued = reason(&f, y->reasons, "issued");
    CHECK(near(issued->base, 0.5) && near(issued->variant, 0.5));
    CHECK_EQ(y->bytes[LEVEL_L1][0], 200);
    CHECK_EQ(y->bytes[LEVEL_L1][1], 202);
    arena_free(f.c.mem);
}

TEST(energy)
{
    fake f;

    begin(&f);
    compare_finish(&f.c);
    CHECK(near(f.workloads[0].pairs[1].energy, 0.5));
    CHECK(near(f.workloads[0].pairs[1].edp, 0.25));
    CHECK(near(f.workloads[1].pairs[1].edp, 4));
    CHECK(near(f.c.summaries[1].edp.geometric, 1));
    CHECK_EQ(f.c.summaries[1].energy.count, 2);
    arena_free(f.c.mem);
    begin(&f);
    f.runs[1][0].sum.energy_fj = 0; /* not known of one: no mean */
    compare_finish(&f.c);
    CHECK(isnan(f.workloads[1].pairs[1].energy));
    CHECK_EQ(f.c.summaries[1].energy.count, 0);
    CHECK_EQ(f.c.summaries[1].speedup.count, 2);
    arena_free(f.c.mem);
}

/* A quarter and the half of the base's energy of the part; 6 of 60 fJ. */
TEST(the_part_that_a_comparison_is_about)
{
    fake f;
    config table;
    report_gpu other = {"gtx480", &table};

    begin(&f);
    table = f.cfg;
    table.sm.issue.hazard = CFG_HAZARD_TABLE;
    f.sides[1].gpus = &other;
    f.runs[0][0].sum.part_fj[ENERGY_HAZARD] = 8;
    f.runs[0][1].sum.part_fj[ENERGY_HAZARD] = 2;
    f.runs[1][0].sum.part_fj[ENERGY_HAZARD] = 8;
    f.runs[1][1].sum.part_fj[ENERGY_HAZARD] = 4;
    compare_finish(&f.c);
    CHECK(!compare_part_sides(&f.c));
    f.c.part = "hazard";
    const compare_part_side *y = compare_part_sides(&f.c);
    CHECK(near(y[0].energy.geometric, 1));
    CHECK(near(y[1].energy.geometric, sqrt(0.125)));
    CHECK(near(y[1].energy.least, 0.25) && near(y[1].energy.most, 0.5));
    CHECK_EQ(y[1].fj, 6);
    CHECK(near(y[1].share, 0.1));
    /* 48 warps of 63 registers or 4 slots of 9 bits, and 7 predicates. */
    CHECK_EQ(y[0].bits, f.cfg.gpu.sms * f.cfg.sm.warps * (63 + 7));
    CHECK_EQ(y[1].bits, f.cfg.gpu.sms * f.cfg.sm.warps * (36 + 7));
    CHECK_EQ(y[0].compared, 0);
    CHECK_EQ(y[1].compared,
             f.cfg.gpu.sms * f.cfg.sm.issue.schedulers * 4 * 4 * 6);
    CHECK(y[0].exists && y[1].exists);
    /* As fast, in the mean, with less of both. */
    CHECK(!y[0].front && y[1].front);
    f.runs[1][1].sum.time_s = 201; /* a little slower */
    compare_finish(&f.c);
    y = compare_part_sides(&f.c);
    CHECK(y[0].front && y[1].front);
    arena_free(f.c.mem);
}

/* It has no structure and spends nothing, but beats nobody by that. */
TEST(bounds_are_on_no_front)
{
    fake f;
    config bound;
    report_gpu other = {"gtx480", &bound};

    begin(&f);
    bound = f.cfg;
    bound.sm.issue.hazard = CFG_HAZARD_UNLIMITED;
    f.sides[1].gpus = &other;
    f.runs[0][0].sum.part_fj[ENERGY_HAZARD] = 8;
    f.runs[1][0].sum.part_fj[ENERGY_HAZARD] = 8;
    f.c.part = "hazard";
    compare_finish(&f.c);
    const compare_part_side *y = compare_part_sides(&f.c);
    CHECK(y[0].front && !y[1].front && !y[1].exists);
    CHECK_EQ(y[1].energy.count, 0);
    CHECK(compare_part_ratio(&f.c, &f.workloads[0], 1) == 0);
    arena_free(f.c.mem);
}

/* Hits moved by 500 beside 1000 reads in one of two workloads: 25 %. Cycles
 * and slots are no movers. */
TEST(movers)
{
    fake f;
    const compare_summary *y;

    begin(&f);
    compare_finish(&f.c);
    y = &f.c.summaries[1];
    CHECK_EQ(y->mover_count, 1);
    CHECK_STR(y->movers[0].name, "sm[*].l1.read_hits");
    CHECK(near(y->movers[0].weight, 0.25));
    CHECK_EQ(y->movers[0].base, 110);
    CHECK_EQ(y->movers[0].variant, 610);
    CHECK(near(compare_weight(3, 1, 8), 0.25));
    CHECK(compare_weight(0, 0, 0) == 0);
    arena_free(f.c.mem);
}

static void expect_left_out(fake *f, unsigned w, const char *why)
{
    const compare_summary *y;

    compare_finish(&f->c);
    y = &f->c.summaries[1];
    CHECK(f->workloads[w].pairs[1].why != NULL);
    CHECK(strstr(f->workloads[w].pairs[1].why, why) != NULL);
    CHECK(isnan(f->workloads[w].pairs[1].speedup));
    CHECK_EQ(y->missing, 1);
    CHECK_EQ(y->speedup.count, 1);
    CHECK(!compare_complete(&f->c, 1) && !compare_good(&f->c));
    f->c.allow_missing = true;
    CHECK(compare_complete(&f->c, 1));
    arena_free(f->c.mem);
}

TEST(failures_are_left_out)
{
    fake f;

    begin(&f);
    f.runs[0][1].result.verdict = SUITE_CRASH;
    expect_left_out(&f, 0, "new: crash");
    begin(&f);
    f.runs[1][0].done = false;
    expect_left_out(&f, 1, "old: not run to its end");
    begin(&f);
    f.runs[1][1].sum.failed = 3;
    expect_left_out(&f, 1, "new: 3 of its launches did not end well");
    begin(&f);
    f.runs[0][0].sum.time_s = 0;
    expect_left_out(&f, 0, "old: no launch was timed");
}

TEST(results_that_differ)
{
    fake f;

    begin(&f);
    f.runs[0][1].sum.memory_hash = 1;
    expect_left_out(&f, 0, "RESULTS DIFFER: new: memory");
    begin(&f);
    f.runs[0][1].sum.launches = 2;
    expect_left_out(&f, 0, "RESULTS DIFFER: new: it launched 2 kernels, not 1");
    begin(&f);
    f.runs[1][1].result.out = (suite_output){"sum 4\n", 6};
    expect_left_out(&f, 1, "RESULTS DIFFER: new: line 1");
    begin(&f);
    f.runs[1][1].sum.has_hash = false;
    expect_left_out(&f, 1, "RESULTS DIFFER: new: only one side");
    begin(&f);
    suite_program any = {.expect = {.any_memory = true}};
    f.workloads[0].is.program = &any;
    f.runs[0][1].sum.memory_hash = 1;
    compare_finish(&f.c);
    CHECK(!f.workloads[0].pairs[1].note && compare_good(&f.c));
    arena_free(f.c.mem);
    begin(&f);
    f.runs[0][1].sum.memory_hash = 1;
    f.c.allow_different = true;
    compare_finish(&f.c);
    CHECK(f.workloads[0].pairs[1].note && !f.workloads[0].pairs[1].why);
    CHECK(compare_good(&f.c));
    arena_free(f.c.mem);
}

TEST(interrupted)
{
    fake f;

    begin(&f);
    f.c.interrupted = true;
    compare_finish(&f.c);
    CHECK(!compare_good(&f.c));
    arena_free(f.c.mem);
}

/* ---- Output ---- */

static bool same(const char *a, const char *b, const char *ignore)
{
    arena *mem = arena_new();
    const char *why = compare_output((suite_output){a, strlen(a)},
                                     (suite_output){b, strlen(b)}, ignore, mem);
    bool is = !why;

    arena_free(mem);
    return is;
}

TEST(output_but_for_times)
{
    CHECK(same("a\nb\n", "a\nb\n", NULL));
    CHECK(!same("a\nb\n", "a\nc\n", NULL));
    CHECK(!same("a\n", "a\nb\n", NULL));
    CHECK(same("Elapsed time: 12.5 ms\n", "Elapsed time: 9 ms\n", NULL));
    CHECK(same("1.2e-5 s\n", "  3 s\n", NULL));
    CHECK(same("copied at 120.5 GB/s\n", "copied at 99 GB/s\n", NULL));
    CHECK(!same("sum 12.5\n", "sum 12.6\n", NULL)); /* no time */
    CHECK(!same("time 3: PASS\n", "time 3: FAIL\n", NULL));
    CHECK(!same("residual 1\n", "residual 2\n", "^sum"));
    CHECK(same("sum 1\n", "sum 2\n", "^sum"));
    CHECK(!same("sum 1\n", "error 2\n", "^sum"));
}

/* ---- Tables ---- */

static void expect_text_fits(unsigned columns)
{
    fake f;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    begin(&f);
    f.workloads[0].is.label =
        "a name that is much too long for the column it has";
    f.sides[1].label = "sets=64,ways=6,mshrs=128,merges=16,queue_depth=64";
    f.sides[1].assignments = "l1.sets=64,l1.ways=6,l1.mshrs=128,l1.merges=16,"
                             "l1.queue_depth=64,l1.index=xor,l1.latency=2";
    f.runs[0][0].sum.cycles = UINT64_C(123456789012345);
    f.runs[1][0].sum.has_hash = f.runs[1][1].sum.has_hash = false;
    f.c.view = mechanism_find("l1-alloc")->view;
    compare_finish(&f.c);
    compare_text(&f.c, 1, columns, to);
    fclose(to);
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        CHECK(strcspn(at, "\n") <= (columns ? 80 : 100));
    CHECK(strstr(text, "2.000 x") && strstr(text, "0.500 x"));
    CHECK(strstr(text, "memory is not compared"));
    CHECK(strstr(text, "geometric mean") && strstr(text, "1.000 x"));
    CHECK(strstr(text, "of 2 workloads: 1 faster, 1 slower, 0 the same"));
    CHECK(strstr(text, "  slower: two 0.500 x\n"));
    CHECK(strstr(text, "l1.latency=2")); /* not cut */
    free(text);
    arena_free(f.c.mem);
}

TEST(text_fits)
{
    expect_text_fits(0);
    expect_text_fits(80);
}

/* Half as many schedulers for the same work in the same time: slots are half,
 * but shares of the time add up to what it was. */
TEST(shares_with_other_schedulers)
{
    fake f;

    begin(&f);
    set(&f, 0, 1, 200, (uint64_t[]){100, 60, 40, 0, 1000, 100, 5});
    compare_finish(&f.c);
    const compare_reason *r = f.workloads[0].pairs[1].reasons;
    CHECK(near(reason(&f, r, "issued")->variant, 0.6));
    CHECK(near(reason(&f, r, "raw_mem")->variant, 0.4));
    arena_free(f.c.mem);
}

/* ---- Views ---- */

static const view split = {
    .title = "slots lost",
    .items = {{VIEW_PART, "mem", "sm[*].stall_raw_mem", NULL},
              {VIEW_PART, "alu", "sm[*].stall_raw_alu", NULL},
              {VIEW_BESIDE, "used", "sm[*].issued", NULL},
              {VIEW_FIGURE, "hit %",
               "100 * sm[*].l1.read_hits / sm[*].l1.reads", NULL}}};

/* One: of 80 + 20 slots none is left, two: of 50 + 0 three times as many. All
 * together 130 + 20 against 150. */
TEST(parts_are_shares_of_the_bases_sum)
{
    fake f;
    const compare_workload *w = f.workloads;
    size_t n;

    begin(&f);
    f.c.view = &split;
    compare_finish(&f.c);
    CHECK(near(compare_view_whole(&f.c, w[0].view[0]), 100));
    CHECK(near(compare_view_shown(&f.c, w[0].view[0], w[0].view[0], 1), 0.2));
    CHECK(near(compare_view_shown(&f.c, w[0].view[0], w[0].view[1], 0), 0));
    CHECK(near(compare_view_shown(&f.c, w[1].view[0], w[1].view[1], 0), 3));
    CHECK(near(compare_view_shown(&f.c, w[1].view[0], w[1].view[1], 2), 1));
    CHECK(near(compare_view_shown(&f.c, w[0].view[0], w[0].view[1], 3), 60));
    CHECK(near(compare_view_mean(&f.c, 1, 0, &n), 1.5));
    CHECK_EQ(n, 2);
    double *const *all = f.c.view_all;
    CHECK(near(compare_view_shown(&f.c, all[0], all[0], 0), 130. / 150));
    CHECK(near(compare_view_shown(&f.c, all[0], all[1], 0), 1));
    CHECK(near(all[0][3], 100 * 110. / 1010)); /* of sums, no mean */
    arena_free(f.c.mem);
}

TEST(no_shares_of_nothing)
{
    fake f;
    size_t n;

    begin(&f);
    f.c.view = &split;
    set(&f, 0, 0, 200, (uint64_t[]){200, 100, 0, 0, 0, 0, 5});
    compare_finish(&f.c);
    double *const *one = f.workloads[0].view;
    CHECK(isnan(compare_view_shown(&f.c, one[0], one[1], 0)));
    CHECK(isnan(compare_view_shown(&f.c, one[0], one[0], 3)));
    CHECK(near(compare_view_mean(&f.c, 1, 0, &n), 3));
    CHECK_EQ(n, 1);
    arena_free(f.c.mem);
    begin(&f);
    f.c.view = &split;
    f.runs[1][1].result.verdict = SUITE_CRASH; /* it does not count */
    compare_finish(&f.c);
    CHECK(near(compare_view_mean(&f.c, 0, 0, &n), 0.8));
    CHECK_EQ(n, 1);
    CHECK(near(compare_view_whole(&f.c, f.c.view_all[0]), 100));
    arena_free(f.c.mem);
}

/* 1, 3, none and 4 in bins from 0, 2, 4 and 8: a mean of (6 + 32) / 8; of the
 * three that have any, Jain's index is 64 / (3 * 26). */
TEST(figures_of_histograms)
{
    static const view bins = {
        .title = "",
        .items = {{VIEW_FIGURE, "mean", "mean(a.h)", NULL},
                  {VIEW_FIGURE, "jain", "2 * jain(a.h) / 2", NULL},
                  {VIEW_FIGURE, "none", "mean(a.g)", NULL}}};
    static const uint64_t from[4] = {0, 2, 4, 8}, value[4] = {1, 3, 0, 4};
    measure_counter counters[4];
    fake f;

    begin(&f);
    f.c.view = &bins;
    for (unsigned i = 0; i < 4; i++)
        counters[i] =
            (measure_counter){arena_printf(f.c.mem, "a.h_%d", (int)from[i]),
                              "x", value[i], "a.h", from[i]};
    f.runs[0][0].sum.counters = counters;
    f.runs[0][0].sum.counter_count = 4;
    compare_finish(&f.c);
    CHECK(near(f.workloads[0].view[0][0], 38. / 8));
    CHECK(near(f.workloads[0].view[0][1], 64. / 78));
    CHECK(isnan(f.workloads[0].view[0][2]));
    arena_free(f.c.mem);
}

/* Every formula of the table is one, and has counters of blocks that exist. */
TEST(views_of_mechanisms)
{
    arena *mem = arena_new();
    diag *dg = diag_new();

    for (size_t m = 0; m < mechanism_count(); m++) {
        const view *v = mechanism_get(m)->view;

        for (size_t i = 0; v && i < view_count(v); i++) {
            formula *f = NULL;

            CHECK(strlen(v->items[i].name) <= 8);
            CHECK(!i || v->items[i].kind >= v->items[i - 1].kind);
            CHECK_EQ(formula_parse(v->items[i].formula, mem, dg, &f), ST_OK);
            for (size_t k = 0; f && k < formula_count(f); k++) {
                const char *of;

                view_name is = view_name_of(formula_name(f, k), mem, &of);

                if (is == VIEW_BASE)
                    is = view_name_of(of, mem, &of);
                if (is == VIEW_COUNTER)
                    CHECK(report_counter_known(of, NULL));
                if (is == VIEW_MEAN || is == VIEW_JAIN)
                    CHECK(report_histogram_known(of));
            }
        }
    }
    diag_free(dg);
    arena_free(mem);
}

/* Of 400 fJ the base spends 150 and 50 on its front ends, the other side 60 of
 * 260. Then one workload has spent so much that nobody knows it. */
TEST(energy_parameters_and_the_base_in_a_formula)
{
    static const view powers = {
        .title = "powers",
        .items = {
            {VIEW_FIGURE, "front", "energy.front_end / energy.all", NULL},
            {VIEW_FIGURE, "saved",
             "1 - energy.front_end / base(energy.front_end)", NULL},
            {VIEW_FIGURE, "sms", "gpu.sms / base(gpu.sms)", NULL},
            {VIEW_FIGURE, "link", "energy.link + energy.gate.gated", NULL},
            {VIEW_FIGURE, "reads", "sm[*].issued - base(sm[*].issued)", NULL}}};
    fake f;
    config more;
    report_gpu gpu4;

    begin(&f);
    more = f.cfg;
    more.gpu.sms = 4 * f.cfg.gpu.sms;
    gpu4 = (report_gpu){"four", &more};
    f.sides[1].gpus = &gpu4;
    for (unsigned w = 0; w < WORKLOADS; w++) {
        uint64_t *base = f.runs[w][0].sum.part_fj;
        uint64_t *side = f.runs[w][1].sum.part_fj;

        base[ENERGY_FETCH] = 150;
        base[ENERGY_FRONT_STATIC] = 50;
        base[ENERGY_BOARD] = side[ENERGY_BOARD] = 200;
        side[ENERGY_SCHEDULER] = 30;
        side[ENERGY_LINK] = 20;
        side[ENERGY_WAKE] = 10;
    }
    f.c.view = &powers;
    compare_finish(&f.c);
    double *const *v = f.workloads[0].view;
    CHECK(near(v[0][0], 0.5) && near(v[1][0], 60. / 260));
    CHECK(near(v[0][1], 0) && near(v[1][1], 0.7));
    CHECK(near(v[0][2], 1) && near(v[1][2], 4));
    CHECK(near(v[0][3], 90) && near(v[1][3], 110));
    CHECK(near(f.workloads[1].view[1][4], 0));
    CHECK(near(f.c.view_all[1][1], 0.7)); /* 120 of 400 */
    CHECK(near(f.c.view_all[1][3], 130));
    f.runs[1][0].sum.too_much = true;
    compare_finish(&f.c);
    CHECK(near(f.workloads[0].view[1][1], 0.7));
    CHECK(isnan(f.workloads[1].view[1][1]));
    CHECK(isnan(f.c.view_all[1][1]));
    CHECK(near(f.c.view_all[1][2], 4));
    arena_free(f.c.mem);
}

/* A counter that the base does not have is 0 there. */
TEST(counters_of_one_side)
{
    fake f;

    begin(&f);
    f.runs[0][0].sum.counter_count = f.runs[1][0].sum.counter_count = 5;
    compare_finish(&f.c);
    CHECK_STR(f.c.summaries[1].movers[0].name, "sm[*].l1.read_hits");
    CHECK_EQ(f.c.summaries[1].movers[0].base, 0);
    CHECK_EQ(f.c.summaries[1].movers[0].variant, 610);
    arena_free(f.c.mem);
}

/* Every assignment is "PATH=VALUE", named once, and has a rival. */
TEST(mechanisms)
{
    for (size_t i = 0; i < mechanism_count(); i++) {
        const mechanism *m = mechanism_get(i);

        CHECK(mechanism_find(m->name) == m);
        CHECK(strchr(m->against, ':') && strchr(m->against, '='));
        CHECK(m->with[0] != NULL);
        CHECK(!m->needs == !m->without);
        CHECK(!m->needs || config_param_find(m->needs));
        CHECK(strlen(m->about) <= 100);
        for (int k = 0; k < MECHANISM_VARIANTS && m->with[k]; k++)
            CHECK(strchr(m->with[k], ':') && strchr(m->with[k], '='));
    }
    CHECK(mechanism_find("nonsense") == NULL);
}

/* Twice the ways: 128 lines more in each of 15 SMs, and an age bit in each. */
TEST(bits_of_the_structures_that_differ)
{
    fake f;
    config large;
    report_gpu of_large = {"gtx480", &large};
    compare_cost x;

    begin(&f);
    compare_cost_of(&f.sides[0], &f.sides[1], &x);
    CHECK_EQ(x.count, 0);
    large = f.cfg;
    large.l1.ways *= 2;
    f.sides[1].gpus = &of_large;
    compare_cost_of(&f.sides[0], &f.sides[1], &x);
    CHECK_EQ(x.count, 4);
    CHECK_STR(x.changed[0].is->id, "l1_data");
    CHECK_EQ(x.changed[0].bits[1] - x.changed[0].bits[0], 15 * 16384 * 8);
    CHECK_STR(x.changed[1].is->id, "l1_masks");
    CHECK_STR(x.changed[2].is->id, "l1_tags");
    CHECK_EQ(x.changed[2].bits[0], 15 * 128 * (28 + 4 + 2));
    CHECK_EQ(x.changed[2].bits[1], 15 * 256 * (28 + 4 + 3));
    CHECK_EQ(x.changed[2].compared[1], 15 * 8 * 29);
    CHECK_STR(x.changed[3].is->id, "l1_mshrs");
    CHECK_EQ(x.sum[1].bulk_bits - x.sum[0].bulk_bits, 15 * 16384 * 8);
    arena_free(f.c.mem);
}

/* ---- Bands ---- */

/* No two change the same, none changes nothing, and what is left of a latency
 * is allowed. */
TEST(each_null_is_another)
{
    arena *mem = arena_new();
    const char *told[COMPARE_NULLS_MOST];
    config cfg;

    config_defaults(&cfg);
    for (size_t k = 0; k < COMPARE_NULLS_MOST; k++) {
        told[k] = compare_null_assignments(&cfg, k + 1, mem);
        CHECK(*told[k]);
        for (size_t i = 0; i < k; i++)
            CHECK(strcmp(told[i], told[k]) != 0);
    }
    arena_free(mem);
}

/* The first null gains 4 times on one and 4 times on two; the second fails. */
TEST(bands_of_a_comparison)
{
    fake f;
    measure_run runs[WORKLOADS][6];
    const band *b;

    begin(&f);
    memset(runs, 0, sizeof runs);
    for (unsigned w = 0; w < WORKLOADS; w++) {
        memcpy(runs[w], f.runs[w], sizeof f.runs[w]);
        memcpy(runs[w] + 2, f.runs[w], sizeof f.runs[w]);
        memcpy(runs[w] + 4, f.runs[w], sizeof f.runs[w]);
        runs[w][2].sum.time_s = 4 * runs[w][3].sum.time_s;
        f.workloads[w].runs = runs[w];
    }
    runs[1][5].result.verdict = SUITE_FAIL;
    f.c.nulls = 2;
    compare_finish(&f.c);
    b = &f.workloads[0].pairs[1].band; /* 2, 4, 2 */
    CHECK_EQ(b->draws, 3);
    CHECK(near(b->mean, exp(4 * log(2) / 3)));
    b = &f.workloads[1].pairs[1].band; /* 0.5, 4 */
    CHECK_EQ(b->draws, 2);
    CHECK(near(b->mean, sqrt(2)));
    b = &f.c.summaries[1].band; /* 1, 4 */
    CHECK_EQ(b->draws, 2);
    CHECK(near(b->mean, 2));
    CHECK_EQ(f.c.summaries[1].same, 2);
    CHECK_EQ(f.c.summaries[1].faster, 0);
    arena_free(f.c.mem);
}
