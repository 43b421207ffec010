/* tests/unit/validate/test_truth.c - truth files: what they mean, and what is
 * said about wrong ones. */
#include "validate/truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

static const truth_places places = {"/p", "/i"};

static truth *good(const char *text)
{
    diag *dg = diag_new();
    truth *t = NULL;

    if (truth_read_text("d/t.yaml", text, strlen(text), &places, dg, &t) !=
        ST_OK)
        diag_print(dg, stderr, false);
    CHECK(t != NULL);
    diag_free(dg);
    return t;
}

/* "line:column: text" of the first error. */
static const char *error(const char *text)
{
    static char out[512];
    diag *dg = diag_new();
    truth *t = NULL;

    CHECK_EQ(truth_read_text("t.yaml", text, strlen(text), &places, dg, &t),
             ST_CONFIG);
    CHECK(!t && diag_errors(dg) > 0);
    const diag_item *it = diag_get(dg, 0);

    CHECK_STR(it->file, "t.yaml");
    snprintf(out, sizeof out, "%u:%u: %s", it->line, it->column, it->text);
    diag_free(dg);
    return out;
}

TEST(rows_take_what_they_do_not_say_from_every_row)
{
    truth *t = good("name: mine\n"
                    "device: Tesla V100\n"
                    "gpu: k20\n"
                    "programs: [{name: nn, run: ['{programs}/nn', "
                    "'{inputs}/x']}]\n"
                    "every_row: {source: 'me 1', input: likely, class: "
                    "memory}\n"
                    "rows:\n"
                    "  - {name: a, program: nn, value: 1e3}\n"
                    "  - {name: b, program: nn, kernel: 'k*', metric: time_s, "
                    "unit: us, value: 2.5, fitted: true, gpu: v100, input: "
                    "same}\n"
                    "  - {name: c, launch: l.yaml, value: 3, metric: "
                    "'sm[*].l1.global_reads / cycles'}\n"
                    "  - {name: d, probe: caches, metric: load.l1, value: 28, "
                    "unit: cycle}\n");
    const truth_row *r = t->rows;

    CHECK_EQ(t->count, 4);
    CHECK_STR(t->name, "mine");
    CHECK_STR(t->device, "Tesla V100");
    CHECK_STR(r[0].metric, "cycles");
    CHECK_STR(r[0].unit, "cycles");
    CHECK_STR(r[0].gpu, "k20");
    CHECK(r[0].program == &t->suite->programs[0] && !r[0].fitted);
    CHECK(r[0].value == 1000 && r[0].scale == 1);
    CHECK_EQ(r[0].input, TRUTH_LIKELY);
    CHECK_STR(r[1].gpu, "v100");
    CHECK(r[1].scale == 1e6 && r[1].fitted);
    CHECK_EQ(r[1].input, TRUTH_SAME);
    CHECK_STR(r[1].class, "memory");
    CHECK_STR(r[2].unit, "");
    CHECK(strstr(r[2].launch_file, "/l.yaml"));
    CHECK(!r[3].formula && r[2].formula);
    CHECK_STR(r[3].probe, "caches");
    CHECK_STR(t->suite->words[0].value, "/p");
    truth_free(t);
}

TEST(a_machine_may_stand_beside_the_file)
{
    static const char *const gpus[][2] = {{"k20", "k20"},
                                          {"m/mine.yaml", "d/m/mine.yaml"},
                                          {"/m/mine.yaml", "/m/mine.yaml"}};

    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        char text[256];

        snprintf(text, sizeof text,
                 "name: t\ngpu: %s\nprograms:\n"
                 "  - {name: p, run: [\"{programs}/p\"]}\n"
                 "rows:\n  - {name: a, program: p, value: 1, source: s}\n",
                 gpus[i][0]);
        truth *t = good(text);
        CHECK_STR(t->rows[0].gpu, gpus[i][1]);
        truth_free(t);
    }
}

TEST(other_simulators_by_value_and_by_error)
{
    truth *t = good("rows: [{name: a, launch: l.yaml, value: 200, source: s, "
                    "others: {X: 220, Y: -10 %, Z: +25%}}]\n");
    const truth_other *o = t->rows[0].others;

    CHECK_EQ(t->rows[0].other_count, 3);
    CHECK(o[0].value == 220 && o[1].value == 180 && o[2].value == 250);
    CHECK_STR(o[2].name, "Z");
    truth_free(t);
}

TEST(halves_are_by_names_and_nothing_else)
{
    unsigned reporting = 0;

    for (unsigned i = 0; i < 1000; i++) {
        char name[16], text[256];

        snprintf(name, sizeof name, "row %u", i);
        reporting += truth_half_of("t", name) == TRUTH_HALF_REPORTING;
        if (i >= 4)
            continue;
        snprintf(text, sizeof text,
                 "name: t\nhalves: true\nrows:\n  - {name: %s, launch: l, "
                 "value: %u, source: s}\n",
                 name, 1 + 1000 * i);
        truth *t = good(text);
        CHECK_EQ(t->rows[0].half, truth_half_of("t", name));
        truth_free(t);
    }
    /* Of 1000 fair draws 500, and beyond 5 sigma of them once in a million. */
    CHECK(reporting > 420 && reporting < 580);
    truth *t = good("rows: [{name: a, launch: l, value: 1, source: s}]\n");
    CHECK_EQ(t->rows[0].half, TRUTH_HALF_NONE);
    truth_free(t);
}

TEST(nothing_is_fitted_to_the_half_that_reports)
{
    for (unsigned i = 0; i < 8; i++) {
        char name[16], text[256];

        snprintf(name, sizeof name, "row %u", i);
        snprintf(text, sizeof text,
                 "{name: t, halves: true, rows: [{name: %s, launch: l, value: "
                 "1, source: s, fitted: true}]}\n",
                 name);
        if (truth_half_of("t", name) == TRUTH_HALF_REPORTING)
            CHECK(strstr(error(text), "is in the half that only reports"));
        else
            truth_free(good(text));
    }
}

TEST(points_of_a_file_are_rows)
{
    char path[] = "/tmp/pointsXXXXXX", text[512];
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");

    fputs("# made up\ncurve,line,x,value,part,source\n"
          "chase,,4.1,27.9,flat,[ME]\nstream,read,50,746,edge,[ME]\n"
          "other,,1,1,flat,[ME]\n",
          f);
    fclose(f);
    snprintf(text, sizeof text,
             "name: t\npoints: %s\nprograms:\n"
             "  - {name: chase, run: [\"{programs}/c\"]}\n"
             "  - {name: stream, run: [\"{programs}/c\"]}\n",
             path);
    truth *t = good(text);
    CHECK_EQ(t->count, 2); /* nothing measures the third */
    CHECK_STR(t->rows[0].name, "chase 4.1");
    CHECK_STR(t->rows[0].prints, "chase,,4.1,");
    CHECK(t->rows[0].program == &t->suite->programs[0]);
    CHECK_STR(t->rows[1].name, "stream read 50");
    CHECK_STR(t->rows[1].class, "edge");
    CHECK_STR(t->rows[1].source, "[ME]");
    CHECK(t->rows[1].value == 746);
    truth_free(t);
    f = fopen(path, "w");
    fputs("chase,,4.1,fast,flat,[ME]\n", f);
    fclose(f);
    CHECK(strstr(error(text), "line 1: 'fast' is no number above 0"));
    remove(path);
}

#define ROW(text) "rows: [{name: a, source: s, " text "}]\n"

TEST(wrong_rows_are_refused_with_the_place)
{
    CHECK_STR(error("name: x\n"), "1:1: there are no rows");
    CHECK_STR(error("rows: [{source: s}]\n"), "1:8: a row needs a name");
    CHECK_STR(error(ROW("value: 1")),
              "1:8: row 'a' needs one of program, launch and probe");
    CHECK_STR(error(ROW("launch: l, probe: caches, metric: x, value: 1")),
              "1:8: row 'a' needs one of program, launch and probe");
    CHECK_STR(error(ROW("launch: l")), "1:8: row 'a' has no value");
    CHECK_STR(error("rows: [{name: a, launch: l, value: 1}]\n"),
              "1:8: row 'a' has no source: who measured it, and where it is "
              "published");
    CHECK_STR(error(ROW("launch: l, value: 0")),
              "1:47: value: '0' is no number above 0");
    CHECK_STR(error(ROW("launch: l, value: 1 k")),
              "1:47: value: '1 k' is no number above 0");
    CHECK_STR(error(ROW("launch: l, value: nan")),
              "1:47: value: 'nan' is no number");
    CHECK_STR(error(ROW("launch: l, value: 1, input: sure")),
              "1:57: unknown certainty of the input 'sure' (did you mean "
              "'same'?)");
    CHECK_STR(error(ROW("launch: l, value: 1, fitted: yes")),
              "1:58: fitted: expected true or false");
    CHECK_STR(error(ROW("launch: l, value: 1, valu: 2")),
              "1:50: unknown key 'valu' (did you mean 'value'?)");
    CHECK_STR(
        error("programs: [{name: nn, run: [x]}]\n" ROW("program: n, value: 1")),
        "2:38: unknown program 'n'; there are nn");
    CHECK_STR(error(ROW("probe: cache, metric: load.l1, value: 1")),
              "1:36: unknown probe 'cache' (did you mean 'caches'?)");
    CHECK_STR(error("rows: [{name: a, launch: l, value: 1, source: s}, {name: "
                    "a, launch: l, value: 1, source: s}]\n"),
              "1:58: there are two rows 'a'");
}

TEST(wrong_metrics_are_refused)
{
    CHECK_STR(error(ROW("launch: l, value: 1, metric: cycle")),
              "1:58: 'cycle' is neither cycles nor time_s nor a counter of "
              "'heddle list stats'");
    CHECK_STR(
        error(ROW("launch: l, value: 1, kernel: k, metric: "
                  "'sm[*].l1.global_reads'")),
        "1:69: 'sm[*].l1.global_reads' is known of all kernels together; of "
        "one there are cycles and time_s");
    CHECK_STR(error(ROW("launch: l, value: 1, unit: s")),
              "1:56: cycles have the unit cycles, not 's'");
    CHECK_STR(error(ROW("launch: l, value: 1, metric: time_s, unit: h")),
              "1:72: time_s has the unit s, ms, us or ns, not 'h'");
    CHECK_STR(error(ROW("probe: caches, value: 1")),
              "1:8: row 'a' needs as its metric the name of a value of that "
              "probe, such as load.l1");
}
