#include "store/store.h"

#include <math.h>

#include "unit/store/thing.h"

/* ---- Adding ---- */

TEST(a_run_can_be_asked_for)
{
    thing *t = thing_new();
    store *s = create("run.db", t->dg);
    const store_study study = {
        .kind = "compare", .name = "l1-size", .command = "heddle compare"};
    const store_factor factors[] = {{"side", "base"}, {"l1.ways", "2"}};
    int64_t number = 0;

    CHECK_EQ(store_add_study(s, &study, t->dg, &number), ST_OK);
    t->run.study = number;
    t->run.number = 3;
    t->run.label = "base";
    t->run.factors = factors;
    t->run.factor_count = 2;
    t->run.output = "hello\n";
    t->run.output_size = 6;
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    CHECK_ASK(s, t->dg, "SELECT workload || size || status FROM run",
              "saxpysmallpass");
    CHECK_ASK(s, t->dg, "SELECT started FROM run", "1970-01-01T00:00:01Z");
    CHECK_ASK(s, t->dg,
              "SELECT launches || ' ' || timed || ' ' || cycles || ' ' ||"
              " warp_insts || ' ' || thread_insts || ' ' || threads FROM run",
              "2 2 2000 1000 16000 2");
    CHECK_ASK(s, t->dg, "SELECT memory_hash FROM run", "0000000000001234");
    CHECK_ASK(s, t->dg, "SELECT storage_bits > 1e6 FROM run", "1");
    CHECK_ASK(s, t->dg, "SELECT group_concat(name || '=' || value) FROM factor",
              "l1.ways=2,side=base");
    CHECK_ASK(s, t->dg, "SELECT ipc FROM result WHERE number = 3", "0.5");
    CHECK_ASK(s, t->dg, "SELECT content FROM artifact WHERE kind = 'stdout'",
              "hello\n");
    store_close(s);
    thing_free(t);
}

TEST(every_parameter_is_there_with_its_origin)
{
    thing *t = thing_new();
    store *s = create("config.db", t->dg);
    char count[32];

    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    snprintf(count, sizeof count, "%zu", config_param_count());
    CHECK_ASK(s, t->dg, "SELECT count(*) FROM run_config", count);
    CHECK_ASK(s, t->dg,
              "SELECT value || ' ' || origin FROM run_config"
              " WHERE path = 'l1.ways'",
              "2 --set l1.ways=2");
    CHECK_ASK(s, t->dg,
              "SELECT origin LIKE 'configs/v100.yaml:%:%' FROM run_config"
              " WHERE path = 'gpu.sms'",
              "1");
    /* The same once more is the same rows. */
    t->run.id = NULL;
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    CHECK_ASK(s, t->dg, "SELECT count(*) FROM configuration", "1");
    CHECK_ASK(s, t->dg, "SELECT count(DISTINCT config) FROM device", "1");
    CHECK_ASK(s, t->dg, "SELECT count(*) FROM run", "2");
    store_close(s);
    thing_free(t);
}

TEST(counters_of_kernels_are_sums_and_zeros_have_no_row)
{
    thing *t = thing_new();
    store *s = create("stat.db", t->dg);

    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    CHECK_ASK(s, t->dg,
              "SELECT value FROM run_stat WHERE path = 'sm[*].issued'", "1000");
    CHECK_ASK(s, t->dg, "SELECT count(*) FROM kernel_stat WHERE value = 0",
              "0");
    /* launch_stats is 1: only the first launch has its own. */
    CHECK_ASK(s, t->dg,
              "SELECT group_concat(seq || ':' || value) FROM launch_stat"
              " WHERE path = 'sm[*].slots'",
              "0:2000");
    CHECK_ASK(s, t->dg,
              "SELECT typeof(value) FROM launch_stat"
              " WHERE path = 'sm[*].slots'",
              "integer");
    /* Parts of energy make the whole. */
    CHECK_ASK(s, t->dg,
              "SELECT abs(sum(value) / (SELECT energy_j FROM run) - 1) < 1e-12"
              " FROM run_stat WHERE path LIKE 'energy.%'",
              "1");
    store_close(s);
    thing_free(t);
}

/* Two launches of the kernel, each with 3 and 4 loads. */
TEST(histograms_are_of_kernels_by_bin)
{
    thing *t = thing_new();
    store *s = create("hist.db", t->dg);

    fake_set(t->fake, "sm[0].load_latency_96", 3);
    fake_set(t->fake, "sm[0].load_latency_4096", 4);
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    CHECK_ASK(s, t->dg,
              "SELECT group_concat(lo || '-' || ifnull(hi, 'end') || '=' || n)"
              " FROM hist JOIN name USING(name)"
              " WHERE path = 'sm[*].load_latency' AND unit = 'cycle'",
              "96-128=6,4096-end=8");
    CHECK_ASK(s, t->dg, "SELECT count(*) FROM hist", "2");
    CHECK_ASK(s, t->dg,
              "SELECT count(*) FROM name WHERE path LIKE '%\\_96'"
              " ESCAPE '\\'",
              "0");
    store_close(s);
    thing_free(t);
}

TEST(launches_beyond_the_limit_are_in_sums_only_but_for_failed_ones)
{
    thing *t = thing_new();
    store *s = create("limit.db", t->dg);

    t->process.launch_count = 3;
    t->launches[2].status = ST_FAULT;
    t->run.launches = 1;
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    CHECK_ASK(s, t->dg, "SELECT group_concat(seq || ':' || status) FROM launch",
              "0:ok,2:fault");
    CHECK_ASK(s, t->dg, "SELECT launches FROM kernel", "3");
    CHECK_ASK(s, t->dg,
              "SELECT value FROM run_stat WHERE path = 'sm[*].issued'", "1500");
    store_close(s);
    thing_free(t);
}

TEST(a_counter_beyond_the_integers_of_sql_saturates)
{
    thing *t = thing_new();
    store *s = create("big.db", t->dg);

    fake_set(t->fake, "l2[0].reads", UINT64_MAX - 5);
    t->process.launch_count = 1;
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    CHECK_ASK(s, t->dg, "SELECT value FROM run_stat WHERE path = 'l2[*].reads'",
              "9223372036854775807");
    store_close(s);
    thing_free(t);
}

TEST(series_are_by_part_and_end_of_step)
{
    thing *t = thing_new();
    store *s = create("series.db", t->dg);
    energy e = {.cycles = 100, .total_fj = 5000};

    e.part_fj[ENERGY_L1] = 5000;
    energy_series_add(&t->launches[0].series, 0, &e);
    energy_series_add(&t->launches[0].series, 100, &e);
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    CHECK_ASK(s, t->dg,
              "SELECT group_concat(path || '@' || cycle || '=' || value)"
              " FROM series JOIN name USING(name)",
              "energy.l1@100=5.0e-12,energy.l1@200=5.0e-12");
    store_close(s);
    energy_series_fini(&t->launches[0].series);
    thing_free(t);
}

TEST(a_run_that_passed_stays_and_one_that_failed_is_replaced)
{
    thing *t = thing_new();
    store *s = create("again.db", t->dg);
    int64_t study = 0;

    CHECK_EQ(store_add_study(s,
                             &(store_study){.kind = "run", .command = "heddle"},
                             t->dg, &study),
             ST_OK);
    t->run.status = "crash";
    t->run.study = study;
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    t->run.status = "pass";
    t->run.workload = "second";
    t->run.number = 1;
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    CHECK_ASK(s, t->dg, "SELECT count(*) || workload || status FROM run",
              "1secondpass");
    CHECK_ASK(s, t->dg, "SELECT count(*) FROM launch", "2");
    CHECK_ASK(s, t->dg, "SELECT count(*) FROM kernel", "1");
    t->run.workload = "third";
    t->run.number = 2;
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    CHECK_ASK(s, t->dg, "SELECT workload FROM run", "second");
    CHECK_ASK(s, t->dg,
              "SELECT group_concat(number || ':' || workload)"
              " FROM result",
              "0:second,1:second,2:second");
    store_close(s);
    thing_free(t);
}

TEST(texts_are_never_taken_for_sql)
{
    static const char evil[] = "'); DROP TABLE run; --\"\n\xff";
    thing *t = thing_new();
    store *s = create("evil.db", t->dg);
    int64_t study;
    store_factor f = {evil, evil};

    t->fake->kernel.name = t->run.workload = t->run.label = evil;
    CHECK_EQ(store_add_study(
                 s,
                 &(store_study){
                     .uid = evil, .kind = evil, .name = evil, .command = evil},
                 t->dg, &study),
             ST_OK);
    t->run.study = study;
    t->run.factors = &f;
    t->run.factor_count = 1;
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    CHECK_ASK(s, t->dg, "SELECT workload FROM run", evil);
    CHECK_ASK(s, t->dg, "SELECT name FROM kernel", evil);
    store_close(s);
    thing_free(t);
}

TEST(what_is_cancelled_leaves_nothing)
{
    thing *t = thing_new();
    store *s = create("cancel.db", t->dg);

    CHECK_EQ(store_begin(s, t->dg), ST_OK);
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    store_cancel(s);
    CHECK_ASK(s, t->dg, "SELECT count(*) FROM run", "0");
    CHECK_ASK(s, t->dg, "SELECT count(*) FROM name", "0");
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    CHECK_ASK(s, t->dg,
              "SELECT value FROM run_stat WHERE path = 'sm[*].issued'", "1000");
    store_close(s);
    thing_free(t);
}

/* ---- Opening ---- */

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(in_folder(name), "wb");

    CHECK(f);
    CHECK_EQ(fwrite(data, 1, size, f), size);
    CHECK_EQ(fclose(f), 0);
}

static void check_refused(const char *path, status want, const char *words)
{
    diag *dg = diag_new();
    store *s = NULL;

    CHECK(dg);
    CHECK_EQ(store_open(path, dg, &s), want);
    CHECK(!s);
    CHECK_EQ(diag_errors(dg), 1);
    if (!strstr(first_error(dg), words))
        TEST_FAIL("'%s' does not say '%s'", first_error(dg), words);
    diag_free(dg);
}

TEST(what_is_no_results_file_is_refused)
{
    char text[5000];
    diag *dg = diag_new();
    store *s = NULL;

    memset(text, 'x', sizeof text);
    write_file("text.db", text, sizeof text);
    write_file("empty.db", "", 0);
    check_refused(in_folder("none.db"), ST_INPUT, "No such file");
    check_refused(folder, ST_INPUT, "a folder");
    check_refused(in_folder("text.db"), ST_CONFIG, "no results file");
    check_refused(in_folder("empty.db"), ST_CONFIG, "empty");
    /* An empty file is as good as none to write to, the others are not. */
    CHECK_EQ(store_create(in_folder("text.db"), dg, &s), ST_CONFIG);
    CHECK_EQ(store_create(in_folder("empty.db"), dg, &s), ST_OK);
    store_close(s);
    CHECK_EQ(store_create(in_folder("no/such/folder.db"), dg, &s), ST_IO);
    diag_free(dg);
}

TEST(a_file_of_a_newer_version_or_of_others_is_refused)
{
    diag *dg = diag_new();
    store *s = create("newer.db", dg);
    char words[64];

    CHECK_EQ(store_do(s, "PRAGMA user_version = 77", dg), ST_OK);
    store_close(s);
    snprintf(words, sizeof words,
             "version 77, and this Heddle knows versions "
             "up to %d",
             STORE_VERSION);
    check_refused(in_folder("newer.db"), ST_CONFIG, words);
    CHECK_EQ(store_create(in_folder("newer.db"), dg, &s), ST_CONFIG);
    s = create("next.db", dg);
    snprintf(words, sizeof words, "PRAGMA user_version = %d",
             STORE_VERSION + 1);
    CHECK_EQ(store_do(s, words, dg), ST_OK);
    store_close(s);
    check_refused(in_folder("next.db"), ST_CONFIG, "a newer Heddle wrote it");
    s = create("other.db", dg);
    CHECK_EQ(store_do(s, "PRAGMA application_id = 1", dg), ST_OK);
    store_close(s);
    check_refused(in_folder("other.db"), ST_CONFIG, "another SQLite file");
    diag_free(dg);
}

TEST(a_file_that_was_cut_off_is_refused)
{
    thing *t = thing_new();
    store *s = create("cut.db", t->dg);

    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    store_close(s);
    CHECK_EQ(truncate(in_folder("cut.db"), 20000), 0);
    check_refused(in_folder("cut.db"), ST_CONFIG, "cut off");
    CHECK_EQ(truncate(in_folder("cut.db"), 50), 0);
    check_refused(in_folder("cut.db"), ST_CONFIG, "cut off");
    thing_free(t);
}

TEST(names_that_sqlite_gives_a_meaning_are_files)
{
    diag *dg = diag_new();
    char here[4096];
    store *s = NULL;

    CHECK(getcwd(here, sizeof here));
    CHECK_EQ(chdir(folder), 0);
    CHECK_EQ(store_create(":memory:", dg, &s), ST_OK);
    store_close(s);
    CHECK_EQ(store_create("file:x?mode=ro", dg, &s), ST_OK);
    store_close(s);
    CHECK_EQ(access(":memory:", F_OK), 0);
    CHECK_EQ(access("file:x?mode=ro", F_OK), 0);
    CHECK_EQ(chdir(here), 0);
    diag_free(dg);
}

TEST(a_reader_does_not_write)
{
    diag *dg = diag_new();
    store *s = create("reader.db", dg);

    store_close(s);
    CHECK_EQ(store_open(in_folder("reader.db"), dg, &s), ST_OK);
    CHECK(store_do(s, "DELETE FROM run", dg) != ST_OK);
    store_close(s);
    diag_free(dg);
}

TEST(a_wrong_question_is_an_error)
{
    diag *dg = diag_new();
    store *s = create("wrong.db", dg);

    CHECK(!store_select(s, dg, "SELECT x FROM nowhere", ""));
    CHECK_STR(first_error(dg), "no such table: nowhere");
    store_close(s);
    diag_free(dg);
}

TEST(arguments_and_columns_have_types)
{
    diag *dg = diag_new();
    store *s = create("types.db", dg);
    store_query *q = store_select(s, dg, "SELECT ?1 AS a, ?2 AS b, ?3 AS c, ?4",
                                  "tirt", "x", (int64_t)-5, 0.5, NULL);

    CHECK(q);
    CHECK(store_next(q, dg));
    CHECK_EQ(store_columns(q), 4);
    CHECK_STR(store_column(q, 1), "b");
    CHECK_STR(store_text(q, 0), "x");
    CHECK(!store_number(q, 0));
    CHECK_EQ(store_int(q, 1), -5);
    CHECK(store_real(q, 2) == 0.5);
    CHECK(store_null(q, 3));
    CHECK(isnan(store_real(q, 3)));
    CHECK(!store_next(q, dg));
    CHECK_EQ(diag_count(dg), 0);
    store_done(q);
    store_close(s);
    diag_free(dg);
}
