/* tests/unit/validate/test_validate.c - rows from runs whose numbers were made
 * up, and their scores. */
#include "validate/validate.h"

#include <math.h>

#include "test.h"

typedef struct fake {
    truth *t;
    validate v;
    measure_run run;
    measure_kernel kernels[3];
    measure_counter counters[2];
} fake;

static void begin(fake *f, const char *text)
{
    static const truth_places places = {"/p", "/i"};
    diag *dg = diag_new();

    memset(f, 0, sizeof *f);
    if (truth_read_text("t.yaml", text, strlen(text), &places, dg, &f->t) !=
        ST_OK)
        diag_print(dg, stderr, false);
    CHECK(f->t != NULL);
    diag_free(dg);
    f->v = (validate){.mem = arena_new(), .count = f->t->count};
    f->v.rows = ARENA_ARRAY(f->v.mem, validate_row, f->t->count);
    for (size_t i = 0; i < f->t->count; i++)
        f->v.rows[i] = (validate_row){f->t, &f->t->rows[i], NAN, "not yet"};
    f->kernels[0] = (measure_kernel){"scan<int, 256>", 4, 1000, 0, 1e-6};
    f->kernels[1] = (measure_kernel){"scan<float, 256>", 1, 1500, 0, 1.5e-6};
    f->kernels[2] = (measure_kernel){"scan2", 1, 7000, 0, 7e-6};
    f->counters[0] =
        (measure_counter){.name = "sm[*].l1.global_reads", .value = 475};
    f->run.done = true;
    f->run.sum.kernels = f->kernels;
    f->run.sum.kernel_count = 3;
    f->run.sum.counters = f->counters;
    f->run.sum.counter_count = 1;
    f->run.sum.timed = f->run.sum.launches = 6;
    f->run.sum.cycles = 9500;
    f->run.sum.time_s = 9.5e-6;
}

static void end(fake *f)
{
    truth_free(f->t);
    arena_free(f->v.mem);
}

#define ROW(name, rest)                                                        \
    "  - {name: " name ", launch: l, source: s, value: 1000" rest "}\n"

static double ours(fake *f, size_t i)
{
    validate_take_run(&f->v, &f->v.rows[i], &f->run);
    return f->v.rows[i].ours;
}

TEST(values_that_a_program_prints)
{
    static const char out[] = "# head\nchase,,4,33.5\nchase,,41,205\nx 7";
    fake f;

    begin(&f, "programs: [{name: p, run: [a]}]\n"
              "every_row: {source: s}\nrows:\n"
              "  - {name: a, program: p, value: 33, prints: 'chase,,4,'}\n"
              "  - {name: b, program: p, value: 33, prints: 'chase,,41,'}\n"
              "  - {name: c, program: p, value: 33, prints: 'x '}\n"
              "  - {name: d, program: p, value: 33, prints: 'hase,,4,'}\n");
    f.run.result.out = (suite_output){out, sizeof out - 1};
    CHECK(ours(&f, 0) == 33.5);
    CHECK(ours(&f, 1) == 205);
    CHECK(ours(&f, 2) == 7);
    CHECK(isnan(ours(&f, 3)));
    CHECK_STR(f.v.rows[3].why, "it printed no line 'hase,,4,...'");
    end(&f);
}

TEST(values_of_a_run)
{
    fake f;

    begin(&f,
          "rows:\n" ROW("all", "") ROW("of a template", ", kernel: scan")
              ROW("of one", ", kernel: 'scan<int, 256>'")
                  ROW("time", ", metric: time_s, unit: ns")
                      ROW("share", ", metric: 'sm[*].l1.global_reads / cycles'")
                          ROW("of all", ", kernel: 'scan*'"));
    CHECK(ours(&f, 0) == 9500);
    CHECK(ours(&f, 1) == 500); /* 2,500 cycles of five launches */
    CHECK(ours(&f, 2) == 250);
    CHECK(fabs(ours(&f, 3) - 9500) < 1e-6);
    CHECK(ours(&f, 4) == 0.05);
    CHECK(fabs(ours(&f, 5) - 9500.0 / 6) < 1e-9);
    CHECK(fabs(validate_error(&f.v.rows[1]) + 0.5) < 1e-12);
    end(&f);
}

TEST(runs_without_a_value_say_why)
{
    fake f;

    begin(&f, "rows:\n" ROW("a", ", kernel: scam")
                  ROW("b", ", metric: 'sm[*].l1.local_reads'"));
    CHECK(isnan(ours(&f, 0)));
    CHECK_STR(f.v.rows[0].why,
              "no launch of a kernel 'scam' was timed; these were: scan<int, "
              "256>, scan<float, 256>, scan2");
    CHECK(isnan(ours(&f, 1)));
    CHECK_STR(f.v.rows[1].why,
              "the GPU that was simulated has no 'sm[*].l1.local_reads'");
    f.run.result.verdict = SUITE_CRASH;
    f.run.result.why = "signal 11";
    CHECK(isnan(ours(&f, 0)));
    CHECK_STR(f.v.rows[0].why, "crash: signal 11");
    f.run.result.verdict = SUITE_PASS;
    f.run.sum.failed = 2;
    ours(&f, 0);
    CHECK_STR(f.v.rows[0].why, "2 of its launches failed");
    f.run.done = false;
    ours(&f, 0);
    CHECK_STR(f.v.rows[0].why, "it was not run");
    CHECK(isnan(validate_error(&f.v.rows[0])));
    end(&f);
}

static const validate_score *score(const fake *f, const char *group,
                                   const char *name)
{
    for (size_t i = 0; i < f->v.score_count; i++)
        if (!strcmp(f->v.scores[i].group, group) &&
            !strcmp(f->v.scores[i].name, name))
            return &f->v.scores[i];
    TEST_FAIL("no score %s %s", group, name);
}

TEST(scores_by_what_rows_have_in_common)
{
    fake f;

    begin(&f,
          "rows:\n" ROW("a", ", class: x, input: same")
              ROW("b", ", class: y, fitted: true, others: {O: +50 %}")
                  ROW("c", ", class: y, input: same") ROW("d", ", class: y"));
    f.v.rows[0] = (validate_row){f.t, &f.t->rows[0], 1100, NULL};
    f.v.rows[1] = (validate_row){f.t, &f.t->rows[1], 1200, NULL};
    f.v.rows[2] = (validate_row){f.t, &f.t->rows[2], 600, NULL};
    validate_finish(&f.v);
    CHECK_EQ(f.v.measured, 3);
    CHECK_EQ(validate_all(&f.v)->rows, 4);
    CHECK(fabs(validate_all(&f.v)->is.mape - 0.7 / 3) < 1e-12);
    CHECK_EQ(validate_all(&f.v)->is.worst, 2);
    CHECK(fabs(score(&f, "class", "x")->is.mape - 0.1) < 1e-12);
    CHECK(fabs(score(&f, "class", "y")->is.mape - 0.3) < 1e-12);
    CHECK_EQ(score(&f, "class", "y")->rows, 3);
    CHECK_EQ(score(&f, "class", "y")->is.worst, 2);
    CHECK(fabs(score(&f, "input", "same")->is.mape - 0.25) < 1e-12);
    CHECK(fabs(score(&f, "parameters", "fitted")->is.mape - 0.2) < 1e-12);
    CHECK(fabs(score(&f, "parameters", "checked")->is.mape - 0.25) < 1e-12);
    CHECK(fabs(score(&f, "with O", "ours")->is.mape - 0.2) < 1e-12);
    CHECK(fabs(score(&f, "with O", "its own")->is.mape - 0.5) < 1e-12);
    end(&f);
}

TEST(values_of_probes)
{
    fake f;
    probe_found found;

    begin(&f,
          "rows:\n"
          "  - {name: a, probe: caches, metric: load.l1, value: 28, source: "
          "s}\n"
          "  - {name: b, probe: caches, metric: load.l2, value: 28, source: "
          "s}\n");
    probe_found_init(&found);
    probe_found_number(&found, "caches", "load.l1", "x", "cycle", 35);
    probe_found_word(&found, "caches", "load.l2", "x", "none");
    validate_take_probe(&f.v.rows[0], &found, f.v.mem);
    validate_take_probe(&f.v.rows[1], &found, f.v.mem);
    CHECK(fabs(validate_error(&f.v.rows[0]) - 0.25) < 1e-12);
    CHECK_STR(f.v.rows[1].why, "'load.l2' is a word, 'none', no number");
    validate_take_probe(&f.v.rows[1], NULL, f.v.mem);
    CHECK_STR(f.v.rows[1].why, "its probe did not come to an end");
    probe_found_fini(&found);
    end(&f);
}
