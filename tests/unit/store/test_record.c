/* stats/launch_record.def: each row arrives in every format that it names. */
#include "report/record.h"

#include <math.h>

#include "report/launch.h"
#include "thing.h"

#define SET_STATUS(x, i)  ST_FAULT
#define SET_COUNT(x, i)   1000 + (i)
#define SET_NUMBER(x, i)  1000 + (i)
#define SET_SECONDS(x, i) 0.5 + (i)
#define SET_TEXT(x, i)    #x

/* A launch in which no two numbers are the same, if that can be. */
static void fill(thing *t)
{
    report_launch *l = &t->launches[0];

#define RESULT(id, kind, ...) l->id = SET_##kind(id, RECORD_##id);
#define SHOWN(...)
#include "stats/launch_record.def"
#undef RESULT
#undef SHOWN
    t->fake->kernel = (isa_kernel){.name = "name",
                                   .registers = 21,
                                   .shared_bytes = 22,
                                   .local_bytes = 23,
                                   .spill_bytes = 24};
    l->shared_bytes = 30;
    l->error = "went-wrong";
    l->device = 25;
    for (uint32_t i = 0; i < 3; i++) {
        l->grid[i] = 31 + i;
        l->block[i] = 41 + i;
    }
    fake_set(t->fake, "sm[0].cycles", 900);
    fake_set(t->fake, "sm[0].shared_passes", 400);
    fake_set(t->fake, "dram[0].reads", 64);
    fake_set(t->fake, "dram[0].row_hits", 16);
    t->process.launch_count = 1;
}

typedef struct shown {
    thing *t;
    store *s;
    record_values v;
    char *json, *csv, *text; /* json: without blanks */
} shown;

static char *print(const report_program *p,
                   void (*write)(const report_program *, FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    CHECK(to);
    write(p, to);
    fclose(to);
    return text;
}

static void squeeze(char *text)
{
    char *to = text;

    for (; *text; text++)
        if (*text != ' ' && *text != '\n')
            *to++ = *text;
    *to = '\0';
}

static char *text_of(const report_launch *l)
{
    const report_options plain = {.width = 0};
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    CHECK(to);
    launch_text(&plain, l, NULL, to);
    fclose(to);
    return text;
}

static shown show(void)
{
    shown x = {.t = thing_new()};
    const report_launch *l = &x.t->launches[0];
    figures f;

    fill(x.t);
    figures_compute(l, &f);
    x.v = record_of(l, &f);
    x.json = print(&x.t->program, report_program_json);
    squeeze(x.json);
    x.csv = print(&x.t->program, report_program_csv);
    x.text = text_of(l);
    x.s = create("record.db", x.t->dg);
    CHECK_EQ(store_add(x.s, &x.t->run, x.t->dg), ST_OK);
    return x;
}

static void forget(shown *x)
{
    store_close(x->s);
    thing_free(x->t);
    free(x->json);
    free(x->csv);
    free(x->text);
}

/* Is what stands at `at` the value? `i` counts the three of a triple. */
static bool is_value(const shown *x, const record_row *r, unsigned i,
                     const char *at, const char *none)
{
    const record_value *v = &x->v.of[r - record_rows];
    char letter = record_letter(r->kind);

    if (letter == 't')
        return !strncmp(at, v->text, strlen(v->text));
    if (letter == 'u')
        return strtoull(at, NULL, 10) ==
               (r->kind == RECORD_TRIPLE ? v->triple[i] : v->count);
    if (isnan(record_real(&x->v, r)))
        return !strncmp(at, none, strlen(none));
    return fabs(strtod(at, NULL) - record_real(&x->v, r)) <=
           1e-8 * fabs(record_real(&x->v, r));
}

/* Keys of objects in the launch may be the same as others. */
static bool in_json(const shown *x, const record_row *r)
{
    char key[64];

    snprintf(key, sizeof key, "\"%s\":", r->json);
    for (const char *at = x->json; (at = strstr(at, key));) {
        at += strlen(key);
        at += *at == '"' || *at == '[';
        if (r->kind == RECORD_FLAG ? !strncmp(at, "false", 5)
                                   : is_value(x, r, 0, at, "null"))
            return true;
    }
    return false;
}

/* The cell below a name of the first line; NULL: there is none. */
static const char *cell_of(const char *table, const char *name)
{
    const char *row = strchr(table, '\n') + 1;
    size_t n = strlen(name);

    for (const char *at = table; at < row; at = strpbrk(at, ",\n") + 1) {
        if (!strncmp(at, name, n) && strchr(",\n", at[n]))
            return row;
        row = strpbrk(row, ",\n") + 1;
    }
    return NULL;
}

static bool in_sql(const shown *x, const record_row *r, const char *name,
                   unsigned i)
{
    char sql[96];

    snprintf(sql, sizeof sql, "SELECT coalesce(%s, 'none') FROM launch", name);
    char *is = ask(x->s, x->t->dg, sql);
    bool good = is && is_value(x, r, i, is, "none");
    free(is);
    return good;
}

/* Names with what a triple has behind them. */
static void check_names(const shown *x, const record_row *r)
{
    bool three = r->kind == RECORD_TRIPLE;

    for (unsigned i = 0; i < (three ? 3 : 1); i++) {
        const char *rest = three ? record_triple[i] : "";
        char name[64];

        snprintf(name, sizeof name, "%s%s", r->csv ? r->csv : "", rest);
        const char *cell = r->csv ? cell_of(x->csv, name) : NULL;
        if (r->csv && (!cell || !is_value(x, r, i, cell, ",")))
            TEST_FAIL("%s is not in CSV: %.20s", name, cell ? cell : "no cell");
        if (!r->sql)
            continue;
        snprintf(name, sizeof name, "%.*s%s", record_sql_name(r), r->sql, rest);
        if (!in_sql(x, r, name, i))
            TEST_FAIL("%s is not in SQL", name);
    }
}

TEST(every_row_of_the_record_arrives_in_every_format)
{
    shown x = show();

    for (const record_row *r = record_rows; r < record_rows + RECORD_ROWS;
         r++) {
        if (r->json && !in_json(&x, r))
            TEST_FAIL("%s is not in JSON", r->json);
        if (r->text && !strstr(x.text, r->text))
            TEST_FAIL("%s is not in the text", r->text);
        check_names(&x, r);
    }
    forget(&x);
}

TEST(a_column_that_an_older_file_lacks_is_left_out)
{
    thing *t = thing_new();
    store *s = create("older.db", t->dg);

    CHECK_EQ(store_do(s, "ALTER TABLE launch DROP COLUMN limiter", t->dg),
             ST_OK);
    CHECK_EQ(store_add(s, &t->run, t->dg), ST_OK);
    CHECK_ASK(s, t->dg, "SELECT ctas_per_sm || ' ' || host_s FROM launch",
              "8 0.0");
    store *to = create("newer.db", t->dg);
    t->run.id = "ffff2233445566778899aabbccddeeff";
    CHECK_EQ(store_add(to, &t->run, t->dg), ST_OK);
    CHECK_EQ(store_merge(to, in_folder("older.db"), t->dg), ST_OK);
    CHECK_ASK(to, t->dg, "SELECT ctas_per_sm FROM launch", "8");
    CHECK_ASK(to, t->dg,
              "SELECT count(limiter) || ' of ' || count(*) FROM launch",
              "2 of 4");
    store_close(s);
    store_close(to);
    thing_free(t);
}
