#include "unit/store/thing.h"

/* A file of one study with one run at place `number`. */
static void make(const char *name, const char *study, uint64_t number,
                 const char *id, const char *verdict, const char *ways)
{
    thing *t = thing_new();
    store *s = create(name, t->dg);
    store_factor f = {"l1.ways", ways};
    char set[32];

    snprintf(set, sizeof set, "l1.ways=%s", ways);
    CHECK_EQ(config_sheet_set(t->sheet, set, CONFIG_FROM_AXIS, t->dg), ST_OK);
    CHECK_EQ(store_add_study(s,
                             &(store_study){.uid = study,
                                            .kind = "sweep",
                                            .command = "heddle sweep"},
                             t->dg, &t->run.study),
             ST_OK);
    t->run.id = id;
    t->run.status = verdict;
    t->run.number = number;
    t->run.factors = &f;
    t->run.factor_count = 1;
    t->run.output = "text";
    t->run.output_size = 4;
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    store_close(s);
    thing_free(t);
}

static void merge(store *s, const char *name, diag *dg)
{
    CHECK_EQ(store_merge(s, in_folder(name), dg), ST_OK);
    CHECK_EQ(diag_count(dg), 0);
}

/* Every row of every table, in order, without the numbers of rows. */
static char *contents(store *s, diag *dg)
{
    return ask(s, dg,
               "SELECT group_concat(x, char(10)) FROM (SELECT x FROM ("
               "SELECT uid || kind || command AS x FROM study UNION ALL "
               "SELECT id || workload || status || cycles FROM run UNION ALL "
               "SELECT uid || number || id FROM point JOIN study USING(study)"
               " JOIN run USING(run) UNION ALL "
               "SELECT uid || number || f.name || value FROM factor f"
               " JOIN study USING(study) UNION ALL "
               "SELECT id || path || value || origin FROM run_config"
               " JOIN run USING(run) UNION ALL "
               "SELECT id || process || seq || kernel || path || value"
               " FROM launch_stat JOIN run USING(run) UNION ALL "
               "SELECT id || kernel || path || value FROM run_kernel_stat"
               " JOIN run USING(run) UNION ALL "
               "SELECT id || kind || content FROM artifact JOIN run USING(run)"
               ") ORDER BY x)");
}

TEST(merging_brings_everything_and_twice_is_once)
{
    diag *dg = diag_new();
    store *s;
    char *once, *twice, *other;

    make("a.db", "study", 0, "a", "pass", "2");
    make("b.db", "study", 1, "b", "pass", "4");
    make("c.db", "other", 0, "a", "pass", "2"); /* the run of a.db */
    s = create("all.db", dg);
    merge(s, "a.db", dg);
    merge(s, "b.db", dg);
    merge(s, "c.db", dg);
    CHECK_ASK(s, dg, "SELECT count(*) FROM study", "2");
    CHECK_ASK(s, dg, "SELECT count(*) FROM run", "2");
    CHECK_ASK(s, dg, "SELECT count(*) FROM point", "3");
    CHECK_ASK(s, dg, "SELECT count(*) FROM configuration", "2");
    CHECK_ASK(s, dg,
              "SELECT group_concat(value) FROM (SELECT value FROM run_config"
              " WHERE path = 'l1.ways' ORDER BY run)",
              "2,4");
    once = contents(s, dg);
    for (int i = 0; i < 2; i++) {
        merge(s, "b.db", dg);
        merge(s, "a.db", dg);
        merge(s, "all.db", dg); /* itself */
    }
    twice = contents(s, dg);
    CHECK(once && twice && !strcmp(once, twice));
    store_close(s);
    /* Another order gives the same. */
    s = create("other.db", dg);
    merge(s, "c.db", dg);
    merge(s, "all.db", dg);
    other = contents(s, dg);
    CHECK(other && !strcmp(once, other));
    CHECK_ASK(s, dg, "SELECT count(*) FROM pragma_foreign_key_check", "0");
    CHECK_ASK(s, dg, "SELECT * FROM pragma_integrity_check", "ok");
    free(once);
    free(twice);
    free(other);
    store_close(s);
    diag_free(dg);
}

TEST(a_run_that_failed_gives_way_to_one_that_passed)
{
    diag *dg = diag_new();
    store *s;

    make("bad.db", "study", 0, "a", "crash", "2");
    make("good.db", "study", 0, "a", "pass", "4");
    make("retry.db", "study", 0, "b", "pass", "8");
    s = create("all.db", dg);
    merge(s, "bad.db", dg);
    CHECK_ASK(s, dg, "SELECT status FROM result", "crash");
    merge(s, "good.db", dg);
    CHECK_ASK(s, dg, "SELECT status FROM result", "pass");
    CHECK_ASK(s, dg, "SELECT value FROM run_config WHERE path = 'l1.ways'",
              "4");
    CHECK_ASK(s, dg, "SELECT count(*) FROM kernel", "1");
    merge(s, "bad.db", dg);   /* not back */
    merge(s, "retry.db", dg); /* the place is taken by one that passed */
    CHECK_ASK(s, dg, "SELECT id || status FROM result", "apass");
    CHECK_ASK(s, dg, "SELECT count(*) FROM run", "2");
    store_close(s);
    make("again.db", "study", 0, "a", "timeout", "8");
    make("other.db", "study", 0, "c", "timeout", "8");
    s = create("bad2.db", dg);
    merge(s, "bad.db", dg);
    merge(s, "again.db", dg);
    merge(s, "other.db", dg); /* a failure is no better than another */
    CHECK_ASK(s, dg, "SELECT id || status FROM result", "acrash");
    merge(s, "retry.db", dg);
    CHECK_ASK(s, dg, "SELECT id || status FROM result", "bpass");
    store_close(s);
    diag_free(dg);
}

TEST(a_file_that_cannot_be_merged_leaves_the_others)
{
    diag *dg = diag_new();
    store *s;

    make("a.db", "study", 0, "a", "pass", "2");
    make("cut.db", "study", 1, "b", "pass", "2");
    make("lying.db", "study", 2, "c", "pass", "2");
    CHECK_EQ(truncate(in_folder("cut.db"), 40000), 0);
    CHECK_EQ(store_create(in_folder("lying.db"), dg, &s), ST_OK);
    CHECK_EQ(store_do(s,
                      "PRAGMA foreign_keys = 0;"
                      "UPDATE factor SET study = 77;"
                      "UPDATE kernel_stat SET name = name + 7000",
                      dg),
             ST_OK);
    store_close(s);
    s = create("all.db", dg);
    CHECK_EQ(store_begin(s, dg), ST_OK);
    merge(s, "a.db", dg);
    CHECK_EQ(store_merge(s, in_folder("cut.db"), dg), ST_CONFIG);
    CHECK_EQ(store_merge(s, in_folder("none.db"), dg), ST_INPUT);
    CHECK_EQ(store_merge(s, in_folder("lying.db"), dg), ST_CONFIG);
    CHECK_EQ(diag_errors(dg), 3);
    CHECK(strstr(diag_get(dg, 2)->text, "contradict"));
    CHECK_EQ(store_end(s, dg), ST_OK);
    CHECK_ASK(s, dg, "SELECT group_concat(id) FROM run", "a");
    store_close(s);
    diag_free(dg);
}
