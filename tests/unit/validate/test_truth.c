/* tests/unit/validate/test_truth.c - truth files: what they mean, and what is
 * said about wrong ones. */
#include "validate/truth.h"

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
