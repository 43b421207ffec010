/* tests/unit/sweep/test_sweep_plan.c - plans of sweeps: what they mean, which
 * points they have, and what is said about wrong ones. */
#include "sweep/sweep_plan.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "test.h"

static char folder[] = "/tmp/heddle-sweep-test-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[256];
    diag *dg = diag_new();

    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_EQ(file_write(path, text, strlen(text), dg), ST_OK);
    diag_free(dg);
}

static void sweep_up(void)
{
    char line[300];

    snprintf(line, sizeof line, "rm -rf %s", folder);
    CHECK_EQ(system(line), 0);
}

/* A folder with two launch files and their program. */
static void make_folder(void)
{
    static bool made;

    if (made)
        return;
    made = mkdtemp(folder) != NULL;
    atexit(sweep_up);
    CHECK(made);
    put("k.ptx", "// no kernel, but a file\n");
    put("a.yaml", "program: k.ptx\nlaunches: [{grid: [1]}]\n");
    put("b.yaml", "program: k.ptx\nlaunches: [{grid: [2]}]\n");
    put("suite.yaml", "programs:\n"
                      "  - {name: one, run: [./k.ptx, x], sizes: [small, "
                      "big], tags: [t]}\n"
                      "  - {name: two, run: [./k.ptx]}\n");
}

static status read_plan(const char *text, diag *dg, sweep_plan **out)
{
    status st;

    make_folder();
    st = sweep_plan_read_text("plan.yaml", folder, text, strlen(text), dg, out);
    return st == ST_OK ? sweep_plan_expand(*out, dg) : st;
}

static sweep_plan *good(const char *text)
{
    diag *dg = diag_new();
    sweep_plan *p = NULL;

    if (read_plan(text, dg, &p) != ST_OK)
        diag_print(dg, stderr, false);
    CHECK(p != NULL && !diag_errors(dg));
    diag_free(dg);
    return p;
}

/* "line:column: text" of the first error. */
static const char *error(const char *text)
{
    static char out[512];
    diag *dg = diag_new();
    sweep_plan *p = NULL;

    CHECK_EQ(read_plan(text, dg, &p), ST_CONFIG);
    CHECK(diag_errors(dg) > 0);
    const diag_item *it = diag_get(dg, 0);

    CHECK_STR(it->file, "plan.yaml");
    snprintf(out, sizeof out, "%u:%u: %s", it->line, it->column, it->text);
    diag_free(dg);
    if (p)
        sweep_plan_free(p);
    return out;
}

/* Labels of all points, a line each. */
static const char *points(const sweep_plan *p)
{
    static char out[4096];
    size_t n = 0;

    *out = '\0';
    for (size_t i = 0; i < p->count; i++)
        n += (size_t)snprintf(out + n, sizeof out - n, "%s\n",
                              sweep_plan_label(p, i));
    return out;
}

#define HEAD "gpus: [gtx480]\nworkloads: [a.yaml]\n"

TEST(the_last_axis_goes_fastest_and_workloads_faster_still)
{
    sweep_plan *p = good("gpus: [gtx480, k20]\n"
                         "workloads: [a.yaml, b.yaml]\n"
                         "axes:\n"
                         "  l1.ways: [2, 4]\n"
                         "  sm.issue.scheduler: [gto, lrr]\n"
                         "where: gpu = gtx480 or l1.ways = 4\n");

    CHECK_STR(points(p), "gtx480 l1.ways=2 sm.issue.scheduler=gto a\n"
                         "gtx480 l1.ways=2 sm.issue.scheduler=gto b\n"
                         "gtx480 l1.ways=2 sm.issue.scheduler=lrr a\n"
                         "gtx480 l1.ways=2 sm.issue.scheduler=lrr b\n"
                         "gtx480 l1.ways=4 sm.issue.scheduler=gto a\n"
                         "gtx480 l1.ways=4 sm.issue.scheduler=gto b\n"
                         "gtx480 l1.ways=4 sm.issue.scheduler=lrr a\n"
                         "gtx480 l1.ways=4 sm.issue.scheduler=lrr b\n"
                         "k20 l1.ways=4 sm.issue.scheduler=gto a\n"
                         "k20 l1.ways=4 sm.issue.scheduler=gto b\n"
                         "k20 l1.ways=4 sm.issue.scheduler=lrr a\n"
                         "k20 l1.ways=4 sm.issue.scheduler=lrr b\n");
    CHECK_EQ(p->filtered, 4);
    CHECK_EQ(p->machine_count, 6);
    sweep_plan_free(p);
}

TEST(ranges_have_both_ends_and_keep_to_their_steps)
{
    sweep_plan *p = good(HEAD "axes:\n"
                              "  l1.ways: {from: 2, to: 9, step: 3}\n"
                              "  l1.sets: {from: 16, to: 64, factor: 2}\n"
                              "except: l1.sets = 32\n");

    CHECK_STR(points(p), "gtx480 l1.ways=2 l1.sets=16 a\n"
                         "gtx480 l1.ways=2 l1.sets=64 a\n"
                         "gtx480 l1.ways=5 l1.sets=16 a\n"
                         "gtx480 l1.ways=5 l1.sets=64 a\n"
                         "gtx480 l1.ways=8 l1.sets=16 a\n"
                         "gtx480 l1.ways=8 l1.sets=64 a\n");
    sweep_plan_free(p);
}

TEST(axes_that_are_zipped_go_together)
{
    sweep_plan *p = good(HEAD "axes:\n"
                              "  l1.ways: [2, 4]\n"
                              "  l1.alloc: [on_miss, on_fill]\n"
                              "  l1.sets: [32, 64]\n"
                              "zip: [[l1.sets, l1.ways]]\n");

    CHECK_STR(points(p), "gtx480 l1.ways=2 l1.alloc=on_miss l1.sets=32 a\n"
                         "gtx480 l1.ways=2 l1.alloc=on_fill l1.sets=32 a\n"
                         "gtx480 l1.ways=4 l1.alloc=on_miss l1.sets=64 a\n"
                         "gtx480 l1.ways=4 l1.alloc=on_fill l1.sets=64 a\n");
    CHECK_EQ(p->group_count, 2);
    sweep_plan_free(p);
}

TEST(variants_set_several_parameters_and_mechanisms_are_variants)
{
    sweep_plan *p =
        good(HEAD "axes:\n"
                  "  cache:\n"
                  "    as-is: {}\n"
                  "    big: {l1.sets: 64, l1.ways: 6, l1.carveout: fixed}\n"
                  "  sched: {mechanism: scheduler}\n"
                  "where: [cache = big, sched != oldest]\n");
    config_sheet *s = sweep_plan_sheet(p, &p->machines[1]);

    CHECK_STR(points(p), "gtx480 cache=big sched=lrr a\n"
                         "gtx480 cache=big sched=gto a\n"
                         "gtx480 cache=big sched=two-level a\n");
    CHECK_EQ(config_sheet_values(s)->l1.sets, 64);
    CHECK_EQ(config_sheet_values(s)->l1.ways, 6);
    CHECK_EQ(config_sheet_origin(s, config_param_find("l1.ways")).kind,
             CONFIG_FROM_AXIS);
    config_sheet_free(s);
    sweep_plan_free(p);
}

TEST(the_base_of_a_point_differs_in_what_base_names)
{
    sweep_plan *p = good("gpus: [gtx480]\n"
                         "workloads: [a.yaml, b.yaml]\n"
                         "axes:\n"
                         "  l1.ways: [2, 4]\n"
                         "  sm.issue.scheduler: [gto, lrr]\n"
                         "except: l1.ways = 4 and sm.issue.scheduler = lrr and "
                         "workload = b\n"
                         "base: {sm.issue.scheduler: lrr}\n");

    /* 2 gto a b, 2 lrr a b, 4 gto a b, 4 lrr a */
    CHECK_EQ(p->count, 7);
    sweep_plan_free(p);
}

TEST(suites_give_programs_by_name_tag_and_size)
{
    sweep_plan *p = good("gpus: [gtx480]\n"
                         "workloads:\n"
                         "  - {suite: suite.yaml, sizes: [small, big]}\n"
                         "  - {suite: ., tags: [t], name: again}\n"
                         "  - {program: [./k.ptx, 7], name: mine}\n");
    sweep_factor f[4];

    CHECK_STR(points(p), "gtx480 one/small\ngtx480 one/big\ngtx480 two\n"
                         "gtx480 again/one\ngtx480 mine\n");
    CHECK_EQ(p->suite_count, 1);
    CHECK_EQ(sweep_plan_factors(p, 1, f), 3);
    CHECK_STR(f[1].name, "size");
    CHECK_STR(f[1].value, "big");
    CHECK_EQ(sweep_plan_factors(p, 2, f), 2);
    sweep_plan_free(p);
}

TEST(conditions_know_and_or_not_and_numbers)
{
    static const struct {
        const char *where;
        size_t count; /* of ways 2, 4, 6, 8 */
    } rows[] = {
        {"l1.ways < 6", 2},
        {"not l1.ways < 6", 2},
        {"l1.ways >= 4 and l1.ways <= 6", 2},
        {"l1.ways = 2 or l1.ways == 8 and l1.ways != 8", 1},
        {"(l1.ways = 2 or l1.ways = 8) and not (l1.ways = 8)", 1},
        {"8 > l1.ways", 3},
        {"gpu = 'gtx480'", 4},
        {"l1.sets < l1.ways", 0},
        {"workload != a", 0},
        {"sm.issue.scheduler = gto or l1.ways > 0x6", 1},
    };

    for (size_t i = 0; i < COUNTOF(rows); i++) {
        char text[512];
        diag *dg = diag_new();
        sweep_plan *p = NULL;

        snprintf(text, sizeof text,
                 HEAD "axes: {l1.ways: [2, 4, 6, 8]}\n"
                      "set: {sm.issue.scheduler: lrr}\nwhere: \"%s\"\n",
                 rows[i].where);
        CHECK_EQ(read_plan(text, dg, &p), rows[i].count ? ST_OK : ST_CONFIG);
        CHECK(p && p->count == rows[i].count);
        sweep_plan_free(p);
        diag_free(dg);
    }
}

TEST(errors_have_places_and_the_nearest_name)
{
    CHECK_STR(error(HEAD "axis: {}\n"),
              "3:1: unknown key 'axis' (did you mean 'axes'?)");
    CHECK_STR(error("gpus: [k20, gtx48]\nworkloads: [a.yaml]\n"),
              "1:13: unknown preset 'gtx48' (did you mean 'gtx480'?)");
    CHECK_STR(error(HEAD "axes: {l1.wayz: [2]}\n"),
              "3:8: unknown parameter 'l1.wayz' (did you mean 'l1.ways'?); an "
              "axis of another name has variants: {NAME: {PARAMETER: VALUE}, "
              "...}");
    CHECK_STR(error(HEAD "axes: {l1.alloc: [on_mis]}\n"),
              "3:19: l1.alloc must be on_miss or on_fill, not 'on_mis' (did "
              "you mean 'on_miss'?)");
    CHECK_STR(error(HEAD "axes: {l1.ways: [2, 4, 2]}\n"),
              "3:24: l1.ways has the value 2 twice");
    CHECK_STR(error(HEAD "axes: {l1.ways: {from: 8, to: 2}}\n"),
              "3:17: the range ends before it begins");
    CHECK_STR(error(HEAD "axes: {l1.ways: [2]}\nset: {l1.ways: 4}\n"),
              "3:18: l1.ways is given by 'set' and by 'l1.ways'");
    CHECK_STR(
        error(HEAD "axes: {x: {mechanism: schedular}}\n"),
        "3:23: unknown mechanism 'schedular' (did you mean 'scheduler'?)");
    CHECK_STR(error(HEAD "axes: {l1.ways: [2], l1.sets: [16, 32]}\n"
                         "zip: [[l1.ways, l1.sets]]\n"),
              "4:17: axes that go together have as many values: 'l1.ways' has "
              "1, 'l1.sets' has 2");
    CHECK_STR(error(HEAD "axes: {l1.ways: [2]}\nbase: {l1.ways: 4}\n"),
              "4:17: unknown l1.ways '4'; there are 2");
    CHECK_STR(error(HEAD "options: {code: elf}\n"),
              "3:17: code must be auto, ptx or sass, not 'elf'");
    CHECK(!strncmp(error("workloads: [c.yaml]\ngpus: gtx480\n"),
                   "1:13: there is no file '", 24));
}

TEST(errors_in_conditions_have_their_column)
{
    CHECK_STR(error(HEAD "where: l1.ways < big\n"),
              "3:18: l1.ways is a number, 'big' is none");
    CHECK_STR(error(HEAD "where: \"l1.ways <\"\n"),
              "3:18: expected a parameter, an axis or a value");
    CHECK_STR(error(HEAD "where: l1.wayz < 3\n"),
              "3:8: 'l1.wayz' is no parameter and no axis (did you mean "
              "'l1.ways'?)");
    CHECK_STR(error(HEAD "where: workload = aa\n"),
              "3:19: unknown workload 'aa'; there are a");
    CHECK_STR(error(HEAD "where: (l1.ways < 3\n"), "3:20: expected )");
    CHECK_STR(error(HEAD "where: sm.issue.scheduler < gto\n"),
              "3:29: 'sm.issue.scheduler' and 'gto' cannot be compared so: "
              "only numbers have an order");
}

TEST(machines_that_cannot_be_are_refused_or_left_out)
{
    const char *text = HEAD "axes: {l1.sets: [32, 33]}\n";
    char skip[256];

    CHECK(strstr(error(text), "1:8: gtx480 l1.sets=33: ") != NULL);
    snprintf(skip, sizeof skip, "%sinvalid: skip\n", text);
    sweep_plan *p = good(skip);

    CHECK_STR(points(p), "gtx480 l1.sets=32 a\n");
    CHECK_EQ(p->invalid, 1);
    sweep_plan_free(p);
}

static const char *ids(const char *text, char out[2][POINT_ID_SIZE])
{
    sweep_plan *p = good(text);
    diag *dg = diag_new();

    CHECK_EQ(sweep_plan_identify(p, "/", NULL, dg), ST_OK);
    for (size_t i = 0; i < 2 && i < p->count; i++)
        memcpy(out[i], p->points[i].id, POINT_ID_SIZE);
    diag_free(dg);
    sweep_plan_free(p);
    return out[0];
}

TEST(ids_are_of_the_machine_and_the_content_of_files)
{
    char a[2][POINT_ID_SIZE], b[2][POINT_ID_SIZE];

    ids(HEAD "axes: {l1.ways: [2, 4]}\n", a);
    CHECK(strcmp(a[0], a[1]) != 0);
    /* Another way to say the same; what does not change results. */
    ids("gpus: [gtx480]\nname: x\nworkloads: [{launch: a.yaml, name: other}]\n"
        "axes: {w: {big: {l1.ways: 4}, small: {l1.ways: 2}}}\n"
        "options: {threads: 2}\nlimits: {time_s: 5}\n",
        b);
    CHECK_STR(a[0], b[1]);
    CHECK_STR(a[1], b[0]);
    ids(HEAD "set: {l1.ways: 2}\noptions: {max_cycles: 5}\n", b);
    CHECK(strcmp(a[0], b[0]) != 0);
    ids(HEAD "set: {l1.ways: 2}\noptions: {code: ptx}\n", b);
    CHECK(strcmp(a[0], b[0]) != 0);
    ids(HEAD "set: {l1.ways: 2}\noptions: {code: auto}\n", b);
    CHECK_STR(a[0], b[0]);
    ids(HEAD "set: {l1.ways: 2}\n", b);
    CHECK_STR(a[0], b[0]);
    put("k.ptx", "// another program\n");
    ids(HEAD "set: {l1.ways: 2}\n", b);
    CHECK(strcmp(a[0], b[0]) != 0);
}

TEST(what_a_workload_needs_must_be_there)
{
    sweep_plan *p = good("gpus: [gtx480]\n"
                         "workloads: [{program: [./none], name: gone}]\n");
    diag *dg = diag_new();

    CHECK_EQ(sweep_plan_identify(p, "/", NULL, dg), ST_CONFIG);
    CHECK(strstr(diag_get(dg, 0)->text, "workload 'gone' needs") != NULL);
    CHECK_EQ(diag_get(dg, 0)->line, 2);
    diag_free(dg);
    sweep_plan_free(p);
}

TEST(a_plan_of_ten_thousand_points_is_expanded)
{
    sweep_plan *p = good(HEAD "axes:\n"
                              "  gpu.hang_cycles: {from: 100000, to: 109900, "
                              "step: 100}\n"
                              "  dram.queue: {from: 1, to: 100}\n");

    CHECK_EQ(p->count, 10000);
    CHECK_STR(sweep_plan_label(p, 9999),
              "gtx480 gpu.hang_cycles=109900 dram.queue=100 a");
    sweep_plan_free(p);
}
