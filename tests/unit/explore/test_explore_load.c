/* tests/unit/explore/test_explore_load.c - points out of results files that
 * were written row by row. */
#include "explore/explore_load.h"

#include <math.h>
#include <unistd.h>

#include "explore/explore_text.h"
#include "test.h"

typedef struct place {
    char path[32];
    store *db;
    arena *mem;
    diag *dg;
    explore *e;
    explore_study *studies;
    size_t count;
} place;

static void sql(place *p, const char *text)
{
    if (store_do(p->db, text, p->dg) != ST_OK)
        TEST_FAIL("%s", diag_get(p->dg, 0)->text);
}

/* Two studies: a sweep of l1.sets by two workloads, of which one point failed,
 * and a comparison of l1.ways whose base says nothing of it. */
static place begin(void)
{
    place p = {.path = "/tmp/heddle-explore-XXXXXX",
               .mem = arena_new(),
               .dg = diag_new()};
    int fd = mkstemp(p.path);

    CHECK(fd >= 0);
    close(fd);
    unlink(p.path);
    CHECK_EQ(store_create(p.path, p.dg, &p.db), ST_OK);
    sql(&p,
        "INSERT INTO study(study, uid, kind, name, about, command, plan,"
        " created) VALUES"
        "(1, 'aaaa1111', 'sweep', 'space', 'about it', 'heddle sweep p.yaml',"
        " 'the plan', '2026-11-21T10:00:00Z'),"
        "(2, 'bbbb2222', 'compare', NULL, NULL, 'heddle compare', NULL,"
        " '2026-11-21T11:00:00Z');"
        "INSERT INTO run(run, id, workload, status, why, started, version,"
        " build, host, launches, failed, timed, cycles, time_s, warp_insts,"
        " thread_insts, energy_j, storage_bits) VALUES"
        "(1, '1', 'a', 'pass', NULL, '', '', '', '', 2, 0, 2, 100, 1e-3, 50,"
        " 1600, 0.5, 1000),"
        "(2, '2', 'b', 'pass', NULL, '', '', '', '', 1, 0, 1, 200, 2e-3, 80,"
        " 1600, NULL, 1000),"
        "(3, '3', 'a', 'pass', NULL, '', '', '', '', 2, 0, 2, 50, 0.5e-3, 50,"
        " 1600, 0.25, 0),"
        "(4, '4', 'b', 'timeout', 'too long', '', '', '', '', 0, 0, 0, 0, 0,"
        " 0, 0, NULL, NULL),"
        "(5, '5', 'a', 'pass', NULL, '', '', '', '', 2, 0, 2, 40, 0.4e-3, 50,"
        " 1600, 0.25, 1000);"
        "INSERT INTO point VALUES(1, 0, 1, NULL), (1, 1, 2, NULL),"
        " (1, 2, 3, NULL), (1, 3, 4, NULL), (2, 0, 1, 'old'),"
        " (2, 1, 5, 'new');"
        "INSERT INTO factor VALUES"
        "(1, 0, 'l1.sets', '16'), (1, 0, 'workload', 'a'),"
        "(1, 1, 'l1.sets', '16'), (1, 1, 'workload', 'b'),"
        "(1, 2, 'l1.sets', '32'), (1, 2, 'workload', 'a'),"
        "(1, 3, 'l1.sets', '32'), (1, 3, 'workload', 'b'),"
        "(2, 0, 'workload', 'a'), (2, 0, 'side', 'old'),"
        "(2, 1, 'workload', 'a'), (2, 1, 'side', 'new'),"
        "(2, 1, 'l1.ways', '8');"
        "INSERT INTO parameter VALUES(1, 'l1.ways', '', ''),"
        " (2, 'l1.sets', '', '');"
        "INSERT INTO configuration VALUES(1, 'x'), (2, 'y');"
        "INSERT INTO origin VALUES(1, 'default');"
        "INSERT INTO config VALUES(1, 1, '4', 1), (1, 2, '16', 1),"
        " (2, 1, '8', 1), (2, 2, '16', 1);"
        "INSERT INTO device VALUES(1, 0, 'gtx480', 1), (2, 0, 'gtx480', 1),"
        " (3, 0, 'gtx480', 1), (4, 0, 'gtx480', 1), (5, 0, 'gtx480', 2);"
        "INSERT INTO name VALUES(1, 'sm[*].issued', 'slot', 'counter', '');"
        "INSERT INTO kernel VALUES(1, 1, 0, 'k', 1, 1, 0, 1, 1.0, 1, 1, 1.0,"
        "  NULL, NULL, NULL),"
        " (2, 1, 0, 'l', 1, 1, 0, 1, 1.0, 1, 1, 1.0, NULL, NULL, NULL);"
        "INSERT INTO kernel_stat VALUES(1, 1, 30), (2, 1, 12);");
    return p;
}

static void end(place *p)
{
    store_close(p->db);
    unlink(p->path);
    diag_free(p->dg);
    arena_free(p->mem);
}

static status load(place *p, const char *study, const char *show)
{
    explore_source from = {&study, study != NULL, &show, show != NULL, NULL};

    return explore_load(p->db, p->mem, &from, p->dg, &p->e, &p->studies,
                        &p->count);
}

TEST(a_sweep_is_read_with_its_failures)
{
    place p = begin();
    const explore_config *c;

    CHECK_EQ(load(&p, "space", NULL), ST_OK);
    CHECK_EQ(p.count, 1);
    CHECK_STR(p.studies[0].plan, "the plan");
    CHECK_EQ(p.studies[0].points, 4);
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->config_count, 2);
    CHECK_EQ(p.e->axis_count, 1);
    CHECK_EQ(p.e->points, 4);
    CHECK_EQ(p.e->counting, 3);
    c = &p.e->configs[1];
    CHECK(c->cells[0].ratio[EXPLORE_BY_SPEEDUP] == 2);
    CHECK(c->cells[0].ratio[EXPLORE_BY_EDP] == 0.25);
    CHECK(isnan(c->bits)); /* 0 is not known */
    CHECK_STR(c->cells[1].status, "timeout");
    CHECK_STR(c->cells[1].why, "too long");
    CHECK(isnan(p.e->configs[0].cells[1].energy_j));
    end(&p);
}

TEST(what_a_side_does_not_say_is_its_configuration)
{
    place p = begin();

    CHECK_EQ(load(&p, "2", NULL), ST_OK);
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_EQ(p.e->varying, 1);
    CHECK_STR(p.e->axes[0].name, "l1.ways");
    CHECK_STR(p.e->axes[0].values[0], "4");
    CHECK_STR(p.e->axes[0].values[1], "8");
    CHECK_STR(p.e->configs[1].label, "new");
    CHECK_EQ(p.e->base, 0);
    end(&p);
}

TEST(studies_are_joined_where_they_differ)
{
    place p = begin();
    const char *both[] = {"aaaa", "bbbb2222"};
    explore_source from = {both, 2, NULL, 0, NULL};

    CHECK_EQ(explore_load(p.db, p.mem, &from, p.dg, &p.e, &p.studies, &p.count),
             ST_OK);
    CHECK_EQ(p.count, 2);
    CHECK_EQ(
        explore_finish(p.e, &(explore_options){.allow_missing = true}, p.dg),
        ST_OK);
    /* Sets 16 and ways 4 is a point of both. */
    CHECK_EQ(p.e->varying, 2);
    CHECK_EQ(p.e->config_count, 3);
    CHECK_EQ(p.e->points, 6); /* the comparison knows nothing of b */
    end(&p);
}

TEST(which_study_must_be_said_if_there_are_several)
{
    place p = begin();

    CHECK_EQ(load(&p, NULL, NULL), ST_USAGE);
    CHECK(strstr(diag_get(p.dg, 0)->text, "--study"));
    CHECK(strstr(diag_get(p.dg, 0)->text, "1 (sweep space, 4 points)"));
    CHECK_EQ(load(&p, "3", NULL), ST_USAGE);
    CHECK_EQ(load(&p, "", NULL), ST_USAGE);
    end(&p);
}

TEST(figures_are_made_of_counters_and_sums)
{
    place p = begin();
    const explore_config *c;

    CHECK_EQ(load(&p, "1", "ipc=sm[*].issued/cycles"), ST_OK);
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    CHECK_STR(p.e->figures[0], "ipc");
    c = &p.e->configs[0];
    CHECK(explore_wanted_figure(p.e, c, 0, 0) == 0.42); /* (30 + 12) / 100 */
    CHECK(explore_wanted_figure(p.e, c, 0, 1) == 0);    /* no row */
    CHECK(explore_wanted_figure(p.e, c, 0, EXPLORE_NONE) == 0.21);
    c = &p.e->configs[1];
    CHECK(isnan(explore_wanted_figure(p.e, c, 0, 1)));
    CHECK(isnan(explore_wanted_figure(p.e, c, 0, EXPLORE_NONE)));
    CHECK_EQ(load(&p, "1", "sm[*].isued"), ST_USAGE);
    CHECK(strstr(diag_get(p.dg, 0)->text, "sm[*].issued"));
    CHECK_EQ(load(&p, "1", "1+"), ST_USAGE);
    end(&p);
}

/* ---- What it looks like ---- */

static char *print(place *p,
                   void (*to)(const explore *, const explore_view *, FILE *))
{
    explore_view v = {.studies = p->studies,
                      .study_count = p->count,
                      .rows = 30,
                      .plots = true};
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    to(p->e, &v, f);
    fclose(f);
    return text;
}

TEST(no_line_is_wider_than_a_page)
{
    static const char *const paths[] = {
        "sm.issue.scheduler",
        "sm.issue.hazard",
        "l1.mshr.entries",
        "l2.mshr.entries",
        "dram.scheduler",
        "noc.some.very.long.path",
        "another.very.long.name.of.an.axis.that.no.table.has.room.for"};
    place p = begin();
    char *text, *line;

    p.e = explore_begin(p.mem, NULL, 0);
    for (unsigned i = 0; i < 1 << 7; i++) {
        explore_factor f[7];

        for (unsigned k = 0; k < 7; k++)
            f[k] = (explore_factor){
                paths[k], i >> k & 1 ? "a value that is rather long"
                                     : "another-value-that-has-no-blank-in-it-"
                                       "and-is-even-longer-than-the-first"};
        f[6].value = i >> 6 ? "16" : "200";
        explore_add(p.e, &(explore_fact){.number = i,
                                         .workload = "a-workload-with-a-name",
                                         .status = "pass",
                                         .time_s = 1 + i % 7 + i / 64,
                                         .energy_j = 1 + i % 5,
                                         .bits = 1 + i % 3,
                                         .factors = f,
                                         .factor_count = 7});
    }
    CHECK_EQ(explore_finish(
                 p.e, &(explore_options){.crossovers = EXPLORE_CROSSES}, p.dg),
             ST_OK);
    text = print(&p, explore_text);
    CHECK(strstr(text, "128 configurations; 30 of them"));
    CHECK(strstr(text, "crosses at"));
    for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strlen(line) > 100)
            TEST_FAIL("%zu columns: %s", strlen(line), line);
    free(text);
    end(&p);
}

TEST(a_refused_mean_is_null_and_said_so)
{
    place p = begin();
    char *text;

    CHECK_EQ(load(&p, "1", NULL), ST_OK);
    CHECK_EQ(explore_finish(p.e, &(explore_options){0}, p.dg), ST_OK);
    text = print(&p, explore_text);
    CHECK(strstr(text, "REFUSED"));
    CHECK(strstr(text, "#2 lacks 1 of 2 workloads: b (timeout)"));
    free(text);
    text = print(&p, explore_csv);
    CHECK(strstr(text, "\n2,,32,a,2,pass,,0,50,0.0005,0.25,,2,0.5,0.25,,,,1,"));
    free(text);
    text = print(&p, explore_json);
    CHECK(strstr(text, "\"complete\": false"));
    free(text);
    end(&p);
}
