/* tests/unit/sweep/test_sweep_folder.c - the folder of a sweep: states, claims,
 * finished points, merging, plans that change. */
#include "sweep/sweep_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "test.h"

static char root[] = "/tmp/heddle-folder-test-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[256];
    diag *dg = diag_new();

    snprintf(path, sizeof path, "%s/%s", root, name);
    CHECK_EQ(file_write(path, text, strlen(text), dg), ST_OK);
    diag_free(dg);
}

static void sweep_up(void)
{
    char line[300];

    snprintf(line, sizeof line, "rm -rf %s", root);
    CHECK_EQ(system(line), 0);
}

static bool is_there(const char *path) { return access(path, F_OK) == 0; }

/* Three points in a folder of that name. */
static sweep_folder *make(const char *name, const char *ways, sweep_plan **p)
{
    char dir[256], text[256];
    diag *dg = diag_new();
    sweep_folder *f = NULL;
    static bool made;

    if (!made) {
        made = mkdtemp(root) != NULL;
        atexit(sweep_up);
        put("k.ptx", "//\n");
        put("a.yaml", "program: k.ptx\nlaunches: [{grid: [1]}]\n");
    }
    snprintf(dir, sizeof dir, "%s/%s", root, name);
    snprintf(text, sizeof text,
             "gpus: [gtx480]\nworkloads: [a.yaml]\naxes: {l1.ways: [%s]}\n",
             ways);
    CHECK_EQ(sweep_plan_read_text("p.yaml", root, text, strlen(text), dg, p),
             ST_OK);
    CHECK_EQ(sweep_plan_expand(*p, dg), ST_OK);
    CHECK_EQ(sweep_plan_identify(*p, "/", NULL, dg), ST_OK);
    CHECK_EQ(sweep_folder_make(dir, *p, "/", dg, &f), ST_OK);
    diag_print(dg, stderr, false);
    diag_free(dg);
    return f;
}

static void drop(sweep_folder *f, sweep_plan *p)
{
    sweep_folder_close(f);
    sweep_plan_free(p);
}

/* What a point's process does. */
static void finish(sweep_folder *f, size_t point, const char *how)
{
    arena *mem = arena_new();
    diag *dg = diag_new();
    store_run r = {.id = sweep_folder_plan(f)->points[point].id,
                   .workload = "a",
                   .status = how,
                   .why = "because",
                   .build = "b"};
    store *s = NULL;

    CHECK_EQ(store_create_private(sweep_folder_tmp(f, point, mem), dg, &s),
             ST_OK);
    CHECK_EQ(store_add(s, &r, dg), ST_OK);
    store_close(s);
    CHECK_EQ(sweep_folder_finish(f, point, !strcmp(how, "pass"), dg), ST_OK);
    diag_print(dg, stderr, false);
    diag_free(dg);
    arena_free(mem);
}

static void merge(sweep_folder *f)
{
    diag *dg = diag_new();

    CHECK_EQ(sweep_folder_merge(f, true, dg), ST_OK);
    CHECK_EQ(sweep_folder_scan(f, true, dg), ST_OK);
    CHECK_EQ(diag_errors(dg), 0);
    diag_free(dg);
}

/* One number that results.db has. */
static int64_t ask(const sweep_folder *f, const char *sql)
{
    diag *dg = diag_new();
    store *s = NULL;
    store_query *q;
    int64_t n = -1;

    CHECK_EQ(sweep_folder_results(f, dg, &s), ST_OK);
    q = s ? store_select(s, dg, sql, "") : NULL;
    if (q && store_next(q, dg))
        n = store_int(q, 0);
    store_done(q);
    store_close(s);
    diag_free(dg);
    return n;
}

TEST(a_point_is_claimed_by_one_and_runs_while_its_lock_is_held)
{
    sweep_plan *p, *q;
    sweep_folder *f = make("claim", "2, 4, 6", &p),
                 *g = make("claim", "2, 4, 6", &q);
    diag *dg = diag_new();
    int fd, other, copy;

    CHECK_EQ(sweep_folder_claim(f, 1, &fd), SWEEP_MINE);
    CHECK_EQ(sweep_folder_claim(g, 1, &other), SWEEP_TAKEN);
    CHECK_EQ(sweep_folder_claim(g, 0, &other), SWEEP_MINE);
    sweep_folder_release(g, 0, other);
    CHECK_EQ(sweep_folder_scan(g, true, dg), ST_OK);
    CHECK_EQ(sweep_folder_state(g, 1), SWEEP_RUNNING);
    CHECK_EQ(sweep_folder_count(g, SWEEP_LEFT), 2);
    copy = dup(fd); /* as a child has it */
    close(fd);
    CHECK_EQ(sweep_folder_claim(g, 1, &other), SWEEP_TAKEN);
    close(copy); /* both are dead */
    CHECK_EQ(sweep_folder_claim(g, 1, &other), SWEEP_MINE);
    sweep_folder_release(g, 1, other);
    CHECK_EQ(sweep_folder_count(g, SWEEP_LEFT), 3);
    diag_free(dg);
    drop(f, p);
    drop(g, q);
}

TEST(a_finished_point_is_nobodys_before_and_after_it_is_merged)
{
    sweep_plan *p, *q;
    sweep_folder *f = make("finish", "2, 4, 6", &p),
                 *g = make("finish", "2, 4, 6", &q);
    arena *mem = arena_new();
    int fd;

    CHECK_EQ(sweep_folder_claim(f, 0, &fd), SWEEP_MINE);
    finish(f, 0, "pass");
    sweep_folder_release(f, 0, fd);
    CHECK_EQ(sweep_folder_claim(g, 0, &fd), SWEEP_FINISHED);
    CHECK_EQ(sweep_folder_state(g, 0), SWEEP_DONE);
    CHECK_EQ(sweep_folder_claim(f, 1, &fd), SWEEP_MINE);
    finish(f, 1, "crash");
    sweep_folder_release(f, 1, fd);
    merge(f);
    CHECK(!is_there(sweep_folder_file(f, 0, mem)));
    CHECK_EQ(sweep_folder_count(f, SWEEP_DONE), 1);
    CHECK_EQ(sweep_folder_count(f, SWEEP_FAILED), 1);
    CHECK_EQ(sweep_folder_claim(g, 1, &fd), SWEEP_FINISHED);
    CHECK_EQ(sweep_folder_state(g, 1), SWEEP_FAILED);
    CHECK_EQ(ask(f, "SELECT count(*) FROM point JOIN factor"
                    " USING(study, number) WHERE name = 'l1.ways'"),
             2);
    arena_free(mem);
    drop(f, p);
    drop(g, q);
}

TEST(failures_that_are_forgotten_are_left_again)
{
    sweep_plan *p;
    sweep_folder *f = make("forget", "2, 4, 6", &p);
    diag *dg = diag_new();
    int fd;

    for (size_t i = 0; i < 3; i++) {
        CHECK_EQ(sweep_folder_claim(f, i, &fd), SWEEP_MINE);
        finish(f, i, i == 1 ? "pass" : "timeout");
        sweep_folder_release(f, i, fd);
    }
    CHECK_EQ(sweep_folder_forget_failed(f, dg), ST_OK);
    CHECK_EQ(sweep_folder_count(f, SWEEP_LEFT), 2);
    CHECK_EQ(sweep_folder_state(f, 1), SWEEP_DONE);
    CHECK_EQ(sweep_folder_claim(f, 0, &fd), SWEEP_MINE);
    finish(f, 0, "pass");
    sweep_folder_release(f, 0, fd);
    merge(f);
    CHECK_EQ(ask(f, "SELECT count(*) FROM run WHERE status = 'pass'"), 2);
    diag_free(dg);
    drop(f, p);
}

TEST(a_file_that_was_cut_off_is_no_result)
{
    sweep_plan *p;
    sweep_folder *f = make("cut", "2, 4, 6", &p);
    arena *mem = arena_new();
    diag *dg = diag_new();
    int fd;

    CHECK_EQ(sweep_folder_claim(f, 0, &fd), SWEEP_MINE);
    finish(f, 0, "pass");
    sweep_folder_release(f, 0, fd);
    CHECK_EQ(truncate(sweep_folder_file(f, 0, mem), 5000), 0);
    CHECK_EQ(sweep_folder_merge(f, true, dg), ST_OK);
    CHECK_EQ(sweep_folder_scan(f, false, dg), ST_OK);
    CHECK_EQ(sweep_folder_state(f, 0), SWEEP_LEFT);
    CHECK_EQ(diag_count(dg), 1);
    CHECK(strstr(diag_get(dg, 0)->text, "must run again") != NULL);
    diag_free(dg);
    arena_free(mem);
    drop(f, p);
}

/* Overwrites the first page of a table or index of results.db. */
static void damage(const sweep_folder *f, const char *sql)
{
    int64_t page = ask(f, sql), size = ask(f, "PRAGMA page_size");
    char path[300], rubbish[64];
    int fd;

    snprintf(path, sizeof path, "%s/results.db", sweep_folder_path(f));
    memset(rubbish, 0xff, sizeof rubbish);
    fd = open(path, O_WRONLY);
    CHECK_EQ(pwrite(fd, rubbish, sizeof rubbish, (page - 1) * size),
             (ssize_t)sizeof rubbish);
    close(fd);
}

/* With nothing in it. */
static void touch(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0666);

    CHECK(fd >= 0);
    close(fd);
}

TEST(what_a_running_point_writes_is_left_alone)
{
    sweep_plan *p;
    sweep_folder *f = make("running", "2, 4", &p);
    arena *mem = arena_new();
    const char *tmp = sweep_folder_tmp(f, 0, mem);
    int fd;

    CHECK_EQ(sweep_folder_claim(f, 0, &fd), SWEEP_MINE);
    touch(tmp);
    merge(f);
    CHECK(is_there(tmp));
    close(fd); /* killed */
    merge(f);
    CHECK(!is_there(tmp));
    arena_free(mem);
    drop(f, p);
}

TEST(who_passed_counts_more_than_who_failed)
{
    sweep_plan *p;
    sweep_folder *f = make("both", "2, 4", &p);
    arena *mem = arena_new();
    const char *id = p->points[0].id;
    diag *dg = diag_new();

    touch(sweep_folder_file(f, 0, mem));
    touch(arena_printf(mem, "%s/points/%s.bad", sweep_folder_path(f), id));
    CHECK_EQ(sweep_folder_scan(f, false, dg), ST_OK);
    CHECK_EQ(sweep_folder_state(f, 0), SWEEP_DONE);
    CHECK_EQ(sweep_folder_count(f, SWEEP_DONE), 1);
    CHECK_EQ(sweep_folder_count(f, SWEEP_FAILED), 0);
    diag_free(dg);
    arena_free(mem);
    drop(f, p);
}

/* Two variants that are the same machine: one run has both places. */
TEST(points_that_are_the_same_run_once)
{
    sweep_plan *p;
    sweep_folder *f = make("same",
                           "2], w: {a: {l1.sets: 32}, b: {l1.sets: 32}}, "
                           "l1.mshrs: [16",
                           &p);
    int fd;

    CHECK_EQ(p->count, 2);
    CHECK_STR(p->points[0].id, p->points[1].id);
    CHECK_EQ(sweep_folder_claim(f, 1, &fd), SWEEP_MINE);
    CHECK_EQ(sweep_folder_count(f, SWEEP_RUNNING), 2);
    finish(f, 1, "pass");
    sweep_folder_release(f, 1, fd);
    CHECK_EQ(sweep_folder_count(f, SWEEP_DONE), 2);
    merge(f);
    CHECK_EQ(ask(f, "SELECT count(*) FROM run"), 1);
    CHECK_EQ(ask(f, "SELECT count(*) FROM point"), 2);
    CHECK_EQ(ask(f, "SELECT count(DISTINCT value) FROM factor"
                    " WHERE name = 'w'"),
             2);
    drop(f, p);
}

TEST(a_list_of_points_that_is_damaged_is_refused)
{
    sweep_plan *p;
    sweep_folder *f = make("list", "2, 4", &p), *g = NULL;
    diag *dg = diag_new();
    char path[300], *text;
    size_t size;

    snprintf(path, sizeof path, "%s/points.txt", sweep_folder_path(f));
    CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
    *strstr(text, p->points[1].id) = 'z';
    CHECK_EQ(file_write(path, text, size, dg), ST_OK);
    CHECK_EQ(sweep_folder_open(sweep_folder_path(f), dg, &g), ST_CONFIG);
    CHECK_EQ(diag_errors(dg), 1);
    CHECK(strstr(diag_get(dg, 0)->text, "damaged") != NULL);
    free(text);
    diag_free(dg);
    drop(f, p);
}

TEST(damaged_merged_results_cost_no_finished_point)
{
    sweep_plan *p;
    sweep_folder *f = make("damaged", "2, 4, 6", &p);
    arena *mem = arena_new();
    diag *dg = diag_new();
    int fd;

    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(sweep_folder_claim(f, i, &fd), SWEEP_MINE);
        finish(f, i, "pass");
        sweep_folder_release(f, i, fd);
        if (i == 0) {
            merge(f);
            damage(f, "SELECT rootpage FROM sqlite_schema"
                      " WHERE name = 'sqlite_autoindex_run_1'");
        }
    }
    CHECK_EQ(sweep_folder_merge(f, true, dg), ST_CONFIG);
    CHECK_EQ(diag_errors(dg), 1);
    CHECK(strstr(diag_get(dg, 0)->file, "results.db") != NULL);
    CHECK(is_there(sweep_folder_file(f, 1, mem)));
    diag_free(dg);
    arena_free(mem);
    drop(f, p);
}

TEST(a_changed_plan_keeps_what_it_has_and_tells_who_is_at_work)
{
    sweep_plan *p, *q;
    sweep_folder *f = make("change", "2, 4", &p), *g;
    int fd;

    CHECK_EQ(sweep_folder_claim(f, 0, &fd), SWEEP_MINE);
    finish(f, 0, "pass");
    sweep_folder_release(f, 0, fd);
    merge(f);
    CHECK(!sweep_folder_changed(f));
    g = make("change", "8, 2", &q);
    CHECK(sweep_folder_changed(f) && !sweep_folder_changed(g));
    CHECK_EQ(sweep_folder_state(g, 0), SWEEP_LEFT);
    CHECK_EQ(sweep_folder_state(g, 1), SWEEP_DONE);
    merge(g);
    CHECK_EQ(ask(g, "SELECT count(*) FROM study"), 1);
    CHECK_EQ(ask(g, "SELECT number FROM point"), 1);
    drop(f, p);
    drop(g, q);
}

TEST(who_opens_a_folder_sees_the_same_points)
{
    sweep_plan *p;
    sweep_folder *f = make("open", "2, 4, 6", &p), *g = NULL, *one = NULL;
    diag *dg = diag_new();
    sweep_factor factors[4];

    CHECK_EQ(sweep_folder_open(sweep_folder_path(f), dg, &g), ST_OK);
    CHECK_EQ(sweep_folder_plan(g)->count, 3);
    CHECK_STR(sweep_folder_plan(g)->points[2].id, p->points[2].id);
    CHECK_STR(sweep_folder_uid(g), sweep_folder_uid(f));
    CHECK_EQ(sweep_folder_open_point(sweep_folder_path(f), p->points[2].id, dg,
                                     &one),
             ST_OK);
    CHECK_EQ(sweep_plan_factors(sweep_folder_plan(one), 0, factors), 3);
    CHECK_STR(factors[2].value, "6");
    CHECK_EQ(sweep_folder_open_point(sweep_folder_path(f), "none", dg, &one),
             ST_CONFIG);
    CHECK_EQ(sweep_folder_open("/tmp", dg, &one), ST_CONFIG);
    diag_free(dg);
    sweep_folder_close(one);
    sweep_folder_close(g);
    drop(f, p);
}
