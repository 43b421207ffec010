/* heddle results. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/must.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/keep.h"
#include "store/pivot.h"
#include "store/rows.h"

enum {
    RUNS_SHOWN = 40,
    BATCH = 256, /* files merged in one transaction */
};

typedef struct results_args {
    store_pivot pivot;
    const char *output;
    int format;     /* -1: not given */
    unsigned width; /* 0: not given */
    bool all, quiet;
    diag *dg;
    arena *mem;
} results_args;

/* ---- Arguments ---- */

static void take_format(cli_args *a, results_args *x)
{
    static const char *const names[] = {"text", "json", "csv", "jsonl"};

    for (x->format = 0; x->format < (int)COUNTOF(names); x->format++)
        if (!strcmp(names[x->format], a->value))
            return;
    cli_usage(a->command, "--format: '%s' is not text, json, csv or jsonl",
              a->value);
    a->wrong = true;
}

static void take_results_option(cli_args *a, results_args *x)
{
    const struct {
        const char *name, **to;
    } texts[] = {
        {"rows", &x->pivot.rows},    {"cols", &x->pivot.columns},
        {"value", &x->pivot.values}, {"aggregate", &x->pivot.aggregate},
        {"study", &x->pivot.study},  {"output", &x->output}};
    store_pivot *p = &x->pivot;

    for (size_t i = 0; i < COUNTOF(texts); i++)
        if (cli_is(a, texts[i].name))
            *texts[i].to = a->value;
    if (cli_is(a, "format"))
        take_format(a, x);
    if (cli_is(a, "width"))
        cli_take_width(a, &x->width);
    x->all |= cli_is(a, "all");
    x->quiet |= cli_is(a, "quiet");
    p->allow_missing |= cli_is(a, "allow-missing");
    if (!cli_is(a, "where"))
        return;
    p->where = renew(p->where, p->where_count + 1, sizeof *p->where);
    p->where[p->where_count++] = a->value;
}

/* A sweep's folder stands for the file in it. */
static const char *file_of(results_args *x, const char *path)
{
    return file_is_folder(path) ? arena_printf(x->mem, "%s/results.db", path)
                                : path;
}

static store *open_results_file(results_args *x, const char *path, int *code)
{
    store *s = NULL;

    *code = cli_exit_code(store_open(file_of(x, path), x->dg, &s));
    return s;
}

/* ---- Output ---- */

/* An error is printed later, with the others. */
static int print_query(results_args *x, store *s, const char *sql, size_t keys,
                       FILE *to)
{
    store_query *q = store_select(s, x->dg, sql, "");

    if (q)
        store_rows_print(q, x->format < 0 ? ROWS_TEXT : x->format, keys,
                         cli_text_width(to, x->width), to, x->dg);
    store_done(q);
    return diag_errors(x->dg) ? cli_exit_code(ST_CONFIG) : 0;
}

/* ---- list ---- */

#define RUN_COLUMNS                                                            \
    "p.study AS study, r.workload AS workload, r.size AS size, p.label AS"     \
    " side, (SELECT group_concat(gpu, '+') FROM device d WHERE d.run = r.run)" \
    " AS gpu, r.status AS status, r.launches AS launches, r.cycles AS cycles," \
    " round(CAST(r.warp_insts AS REAL) / nullif(r.cycles, 0), 4) AS ipc,"      \
    " r.energy_j AS energy_j%s"
#define RUN_SOURCE                                                             \
    " FROM run r LEFT JOIN point p USING(run) LEFT JOIN study s USING(study)"

static const char *studies_sql =
    "SELECT s.study AS study, kind, coalesce(s.name, '') AS name, created,"
    " count(r.run) AS runs, count(r.run) - coalesce(sum(r.status = 'pass'), 0)"
    " AS \"not passed\", round(sum(r.wall_s), 2) AS wall_s FROM study s"
    " LEFT JOIN point p USING(study) LEFT JOIN run r USING(run)";

/* More columns, where a run of the file is sampled: the others' cycles are not
 * of the same kind. */
static const char *sampled_columns(results_args *x, store *s)
{
    store_query *q;
    bool any;

    if (!store_knows_sampled(s))
        return "";
    q = store_select(s, x->dg,
                     "SELECT 1 FROM run WHERE sampled IS NOT NULL LIMIT 1", "");
    any = q && store_next(q, x->dg);
    store_done(q);
    return any ? ", r.sampled AS sampled, round(r.estimated_cycles) AS"
                 " estimated_cycles, r.half_interval_95 AS half_interval_95"
               : "";
}

static int list_text(results_args *x, store *s, const char *where, FILE *to)
{
    char *runs = arena_printf(
        x->mem,
        "SELECT " RUN_COLUMNS RUN_SOURCE " WHERE %s ORDER BY p.study, p.number,"
        " r.run LIMIT %d",
        sampled_columns(x, s), where, x->all ? -1 : RUNS_SHOWN);
    char *count =
        arena_printf(x->mem, "SELECT count(*)" RUN_SOURCE " WHERE %s", where);
    store_query *q;
    int code = print_query(
        x, s,
        arena_printf(x->mem, "%s WHERE %s GROUP BY 1", studies_sql, where), 1,
        to);

    fputc('\n', to);
    if (!code)
        code = print_query(x, s, runs, 4, to);
    q = store_select(s, x->dg, count, "");
    if (q && store_next(q, x->dg) && store_int(q, 0) > RUNS_SHOWN && !x->all)
        fprintf(to, "and %lld more runs; --all lists them\n",
                (long long)store_int(q, 0) - RUNS_SHOWN);
    store_done(q);
    return code;
}

static int list_runs(results_args *x, const char *path)
{
    const char *study = x->pivot.study, *where = "1";
    int code;
    store *s = open_results_file(x, path, &code);
    FILE *to;

    if (!s)
        return code;
    if (study && !strcmp(study, "last"))
        where = "s.study = (SELECT max(study) FROM study)";
    else if (study)
        where = arena_printf(x->mem, "s.study = %ld", strtol(study, NULL, 10));
    to = cli_output("results", x->output);
    if (!to) {
        code = cli_exit_code(ST_IO);
    } else {
        if (x->format <= ROWS_TEXT)
            code = list_text(x, s, where, to);
        else
            code = print_query(
                x, s,
                arena_printf(x->mem,
                             "SELECT " RUN_COLUMNS
                             ", r.time_s AS time_s, p.number AS point,"
                             " r.id AS id, r.why AS why,"
                             " r.exit_code AS exit_code, r.started AS started,"
                             " r.wall_s AS wall_s, r.version AS version,"
                             " s.kind AS kind, s.name AS name, s.command AS"
                             " command" RUN_SOURCE
                             " WHERE %s ORDER BY p.study, p.number, r.run",
                             sampled_columns(x, s), where),
                0, to);
        code = cli_output_end("results", x->output, to, code);
    }
    store_close(s);
    return code;
}

/* ---- table ---- */

static int make_table(results_args *x, const char *path)
{
    store_pivot *p = &x->pivot;
    strbuf sql = {0};
    size_t keys = 0;
    int code;
    store *s = open_results_file(x, path, &code);
    status st;
    FILE *to;

    if (!s)
        return code;
    p->rows = p->rows ? p->rows : "workload";
    p->values = p->values    ? p->values
                : p->columns ? "cycles"
                             : "cycles,time_s,ipc";
    st = store_pivot_query(s, p, &sql, &keys, x->dg);
    code = cli_exit_code(st);
    if (st == ST_OK && (to = cli_output("results", x->output))) {
        code = print_query(x, s, sql.text, keys, to);
        code = cli_output_end("results", x->output, to, code);
    } else if (st == ST_OK) {
        code = cli_exit_code(ST_IO);
    }
    strbuf_fini(&sql);
    store_close(s);
    return code;
}

/* ---- sql ---- */

static int answer_query(results_args *x, const char *path, const char *sql)
{
    int code;
    store *s = open_results_file(x, path, &code);
    FILE *to = s ? cli_output("results", x->output) : NULL;

    x->format = x->format <= ROWS_TEXT ? ROWS_PLAIN : x->format;
    if (to) {
        code = print_query(x, s, sql, 1, to);
        code = cli_output_end("results", x->output, to, code);
    } else if (s) {
        code = cli_exit_code(ST_IO);
    }
    store_close(s);
    return code;
}

/* ---- export ---- */

/* All tables and views of the file. */
static size_t tables(results_args *x, store *s, const char **out, size_t room)
{
    store_query *q = store_select(
        s, x->dg,
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
        " AND name NOT LIKE 'sqlite%'",
        "");
    size_t n = 0;

    while (q && n < room && store_next(q, x->dg))
        out[n++] = arena_strdup(x->mem, store_text(q, 0));
    store_done(q);
    return n;
}

static int export_one(results_args *x, store *s, const char *name, FILE *to)
{
    strbuf sql = {0};
    int code;

    strbuf_printf(&sql, "SELECT * FROM \"%s\"", name);
    code = print_query(x, s, sql.text, 0, to);
    strbuf_fini(&sql);
    return code;
}

static int export_to_folder(results_args *x, store *s, const char *name)
{
    static const char *const ends[] = {"txt", "json", "csv", "jsonl"};
    const char *path =
        arena_printf(x->mem, "%s/%s.%s", x->output, name, ends[x->format]);
    FILE *to = cli_output("results", path);

    if (!to)
        return cli_exit_code(ST_IO);
    return cli_output_end("results", path, to, export_one(x, s, name, to));
}

/* The names, or all tables. */
static int export_all(results_args *x, store *s, const char *const *names,
                      size_t count)
{
    const char *there[64];
    size_t n = tables(x, s, there, COUNTOF(there));
    int code = 0;

    for (size_t i = 0; i < count; i++) {
        bool known = false;

        for (size_t k = 0; k < n; k++)
            known |= !strcmp(there[k], names[i]);
        if (!known) {
            const char *near = suggest_nearest(names[i], there, n);

            return cli_usage(cli_find("results"), "no table '%s'%s%s%s",
                             names[i], near ? " (did you mean '" : "",
                             near ? near : "", near ? "'?)" : "");
        }
    }
    if (!count) {
        names = there;
        count = n;
    }
    if (!x->output || !strcmp(x->output, "-")) {
        if (count != 1)
            return cli_usage(cli_find("results"),
                             "only one table fits into standard output: name "
                             "it, or a folder with --output");
        return cli_finish(export_one(x, s, names[0], stdout));
    }
    if (mkdir(x->output, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "heddle results: cannot make %s: %s\n", x->output,
                strerror(errno));
        return cli_exit_code(ST_IO);
    }
    for (size_t i = 0; i < count && !code; i++)
        code = export_to_folder(x, s, names[i]);
    return code;
}

static int export_tables(results_args *x, char **operands)
{
    const char *const *names = (const char *const *)operands + 1;
    size_t n = 0;
    int code;
    store *s = open_results_file(x, operands[0], &code);

    if (!s)
        return code;
    x->format = x->format < 0 ? ROWS_CSV : x->format;
    while (names[n])
        n++;
    code = export_all(x, s, names, n);
    store_close(s);
    return code;
}

/* ---- merge ---- */

typedef struct paths {
    const char **path;
    size_t count, room;
} paths;

static void add_path(paths *p, const char *path)
{
    GROW(p->path, p->count + 1, p->room);
    p->path[p->count++] = path;
}

static int path_by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The results files in a folder, in order. False: it cannot be read. */
static bool add_folder(results_args *x, const char *folder, paths *p)
{
    DIR *d = opendir(folder);
    size_t first = p->count;

    if (!d)
        return false;
    for (struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);

        if (n > 3 && !strcmp(e->d_name + n - 3, ".db"))
            add_path(p, arena_printf(x->mem, "%s/%s", folder, e->d_name));
    }
    closedir(d);
    if (p->count > first)
        qsort(p->path + first, p->count - first, sizeof *p->path, path_by_name);
    return true;
}

/* A folder stands for the files in it, that of a sweep also for those of
 * points that were not merged yet. */
static bool add_input(results_args *x, const char *path, paths *p)
{
    if (!file_is_folder(path)) {
        add_path(p, path);
        return true;
    }
    if (!add_folder(x, path, p)) {
        fprintf(stderr, "heddle results: cannot read %s: %s\n", path,
                strerror(errno));
        return false;
    }
    add_folder(x, arena_printf(x->mem, "%s/points", path), p);
    return true;
}

/* A file that is wrong is reported and left out; the others are merged. */
static int merge_files(results_args *x, store *to, const paths *p)
{
    bool terminal = !x->quiet && isatty(STDERR_FILENO);
    double shown = clock_s() + 1;
    size_t bad = 0;

    for (size_t i = 0; i < p->count; i += BATCH) {
        if (store_begin(to, x->dg) != ST_OK)
            return cli_exit_code(ST_IO);
        for (size_t k = i; k < p->count && k < i + BATCH; k++) {
            if (terminal && clock_s() > shown) {
                fprintf(stderr, "\r\033[K%zu of %zu files", k, p->count);
                shown = clock_s() + 0.1;
            }
            bad += store_merge(to, p->path[k], x->dg) != ST_OK;
        }
        if (store_end(to, x->dg) != ST_OK)
            return cli_exit_code(ST_IO);
    }
    if (terminal)
        fputs("\r\033[K", stderr);
    if (bad)
        diag_add(x->dg, DIAG_NOTE, NULL, 0, 0, 0,
                 "%zu of %zu files were left out, the others are merged", bad,
                 p->count);
    return bad ? cli_exit_code(ST_INPUT) : 0;
}

static int merge_paths(results_args *x, char **operands)
{
    paths p = {0};
    store *to = NULL;
    int code = 0;

    for (size_t i = 1; operands[i] && !code; i++)
        if (!add_input(x, operands[i], &p))
            code = cli_exit_code(ST_INPUT);
    if (!code && !p.count) {
        diag_add(x->dg, DIAG_ERROR, operands[1], 0, 0, 0,
                 "there is no results file in it");
        code = cli_exit_code(ST_INPUT);
    }
    if (!code)
        code = cli_exit_code(store_create(operands[0], x->dg, &to));
    if (!code)
        code = merge_files(x, to, &p);
    store_close(to);
    free(p.path);
    return code;
}

/* ---- open ---- */

static int open_shell(results_args *x, const char *path)
{
    const char *file = file_of(x, path);
    int code;
    store *s = open_results_file(x, path, &code);

    if (!s)
        return code;
    store_close(s);
    execlp("sqlite3", "sqlite3", "-readonly", "-header", "-box", "--", file,
           (char *)NULL);
    fprintf(stderr,
            "heddle results: cannot start sqlite3 (%s); the package sqlite3 "
            "has it.\nWithout it: heddle results sql %s 'SELECT * FROM "
            "result'\n",
            strerror(errno), file);
    return cli_exit_code(ST_IO);
}

/* ---- The command ---- */

static int start_results(results_args *x, cli_args *a)
{
    char **operands = cli_operands(a);
    const char *what = operands[0], *path = what ? operands[1] : NULL;
    const char *second = path ? operands[2] : NULL;

    if (what && path && !second) {
        if (!strcmp(what, "list"))
            return list_runs(x, path);
        if (!strcmp(what, "table"))
            return make_table(x, path);
        if (!strcmp(what, "open"))
            return open_shell(x, path);
    }
    if (what && path && !strcmp(what, "export"))
        return export_tables(x, operands + 1);
    if (what && second && !strcmp(what, "merge"))
        return merge_paths(x, operands + 1);
    if (what && second && !operands[3] && !strcmp(what, "sql"))
        return answer_query(x, path, second);
    return cli_usage(a->command,
                     "expected 'list FILE', 'table FILE', 'merge OUT IN...', "
                     "'export FILE [TABLE...]', 'sql FILE QUERY' or 'open "
                     "FILE'");
}

int cli_results(int argc, char **argv)
{
    cli_args a = cli_start("results", argc, argv);
    results_args x = {.format = -1, .dg = diag_new(), .mem = arena_new()};
    int code = 2;

    while (cli_next(&a))
        take_results_option(&a, &x);
    if (!a.wrong)
        code = start_results(&x, &a);
    cli_report(x.dg);
    free(x.pivot.where);
    arena_free(x.mem);
    diag_free(x.dg);
    return cli_finish(code);
}
