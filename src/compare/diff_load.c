/* src/compare/diff_load.c - a side from a file: what kind of file it is, and
 * which of its runs are meant; see diff.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/must.h"
#include "compare/diff.h"
#include "study/kernels_load.h"
#include "study/measure_load.h"

enum { TOLD = 8 }; /* runs in a message */

/* ---- Words ---- */

const char *diff_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

static bool exists(const char *path)
{
    struct stat at;

    return !stat(path, &at);
}

/* The file that a word names, and the choice behind its colon, or NULL. Names
 * of files may have colons. In the arena. */
static const char *split_choice(const char *word, arena *mem,
                                const char **choice)
{
    const char *colon = strchr(word, ':');

    *choice = NULL;
    if (exists(word))
        return word;
    for (; colon; colon = strchr(colon + 1, ':')) {
        const char *path = arena_strndup(mem, word, (size_t)(colon - word));

        if (exists(path)) {
            *choice = colon + 1;
            return path;
        }
    }
    colon = strchr(word, ':');
    return colon ? arena_strndup(mem, word, (size_t)(colon - word)) : word;
}

/* A sweep's folder has its results in a file. */
static const char *file_in(const char *path, arena *mem)
{
    const char *inside = arena_printf(mem, "%s/results.db", path);

    return exists(inside) ? inside : path;
}

static bool path_ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);

    return n > m && !strcmp(path + n - m, end);
}

/* The first character that is no blank; 0: there is none. */
static int first_letter(const char *path, bool *is_database)
{
    static const char magic[] = "SQLite format 3";
    char head[256];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0, i = 0;

    if (f)
        fclose(f);
    *is_database = n >= sizeof magic && !memcmp(head, magic, sizeof magic);
    while (i < n && strchr(" \t\r\n", head[i]))
        i++;
    return i < n ? (unsigned char)head[i] : 0;
}

bool diff_is_result(const char *word)
{
    arena *mem = arena_new();
    const char *choice, *path;
    bool is, database = false;

    path = file_in(split_choice(word, mem, &choice), mem);
    is = path_ends_in(path, ".db") || path_ends_in(path, ".json");
    if (exists(path))
        is |= first_letter(path, &database) == '{' || database;
    arena_free(mem);
    return is;
}

/* ---- Runs of a results file ---- */

typedef struct stored_run {
    int64_t run, study, number, config;
    const char *workload, *size, *version, *status, *label, *gpu;
} stored_run;

typedef struct loader {
    store *s;
    arena *mem;
    diag *dg;
    const char *word;
    stored_run *run;
    size_t count, room;
} loader;

static const char *text_at(const loader *l, const store_query *q, int column)
{
    return store_null(q, column) ? NULL
                                 : arena_strdup(l->mem, store_text(q, column));
}

static void add_run(loader *l, const stored_run *r)
{
    ARENA_GROW(l->mem, l->run, l->count, l->room);
    l->run[l->count++] = *r;
}

/* A run that is in several studies is there as often. */
static void read_runs(loader *l)
{
    store_query *q = store_select(
        l->s, l->dg,
        "SELECT r.run, coalesce(p.study, 0), coalesce(p.number, 0),"
        " coalesce(d.config, 0), r.workload, r.size, r.version, r.status,"
        " p.label, d.gpu FROM run r LEFT JOIN point p USING(run)"
        " LEFT JOIN device d ON d.run = r.run AND d.device = 0"
        " ORDER BY p.study, p.number, r.run",
        "");

    while (q && store_next(q, l->dg))
        add_run(l, &(stored_run){.run = store_int(q, 0),
                                 .study = store_int(q, 1),
                                 .number = store_int(q, 2),
                                 .config = store_int(q, 3),
                                 .workload = text_at(l, q, 4),
                                 .size = text_at(l, q, 5),
                                 .version = text_at(l, q, 6),
                                 .status = text_at(l, q, 7),
                                 .label = text_at(l, q, 8),
                                 .gpu = text_at(l, q, 9)});
    store_done(q);
}

/* "3 (study 1, spmv, 48K, gtx480)". */
static void put_runs(const loader *l, strbuf *out)
{
    for (size_t i = 0; i < l->count && i < TOLD; i++) {
        const stored_run *r = &l->run[i];

        strbuf_printf(out, "%s%" PRId64 " (study %" PRId64 ", %s%s%s%s%s, %s)",
                      i ? ", " : "", r->run, r->study, r->workload,
                      r->size ? "/" : "", r->size ? r->size : "",
                      r->label ? ", " : "", r->label ? r->label : "",
                      r->gpu ? r->gpu : "no GPU");
    }
    if (l->count > TOLD)
        strbuf_printf(out, " and %zu more, see 'heddle results list'",
                      l->count - TOLD);
}

/* ---- Choosing ---- */

/* What was varied at the place of the run; NULL: nothing of that name. */
static const char *factor_of(const loader *l, const stored_run *r,
                             const char *name)
{
    store_query *q =
        store_select(l->s, l->dg,
                     "SELECT value FROM factor WHERE study = ?1 AND number = ?2"
                     " AND (name = ?3 OR name LIKE '%.' || ?3)",
                     "iit", r->study, r->number, name);
    const char *value = q && store_next(q, l->dg) ? text_at(l, q, 0) : NULL;

    store_done(q);
    return value;
}

static const char *value_of_run(const loader *l, const stored_run *r,
                                const char *name)
{
    const struct {
        const char *name, *value;
    } known[] = {{"workload", r->workload}, {"size", r->size},
                 {"side", r->label},        {"gpu", r->gpu},
                 {"status", r->status},     {"version", r->version}};

    if (!strcmp(name, "run"))
        return arena_printf(l->mem, "%" PRId64, r->run);
    if (!strcmp(name, "study"))
        return arena_printf(l->mem, "%" PRId64, r->study);
    for (size_t i = 0; i < COUNTOF(known); i++)
        if (!strcmp(known[i].name, name))
            return known[i].value;
    return factor_of(l, r, name);
}

/* Keeps the runs that have that value; the number of those that have any. */
static size_t keep_if(loader *l, const char *name, const char *value)
{
    size_t n = 0, any = 0;

    for (size_t i = 0; i < l->count; i++) {
        const char *is = value_of_run(l, &l->run[i], name);

        any += is != NULL;
        if (is && !strcmp(is, value))
            l->run[n++] = l->run[i];
    }
    l->count = n;
    return any;
}

static status choose_runs(loader *l, const char *choice)
{
    char *rest = arena_strdup(l->mem, choice), *one;
    strbuf runs = {0};

    put_runs(l, &runs);
    while ((one = strsep(&rest, ","))) {
        char *is = strchr(one, '=');
        const char *name = is ? one : "run";
        size_t any;

        if (is)
            *is = 0;
        any = keep_if(l, name, is ? is + 1 : one);
        if (!l->count && !diag_errors(l->dg)) {
            if (any)
                diag_error(l->dg, "%s: no run has %s=%s; there are %.600s",
                           l->word, name, is ? is + 1 : one, runs.text);
            else
                diag_error(l->dg,
                           "%s: nothing is called '%s'; runs are chosen by "
                           "run, study, workload, size, side, gpu, status, "
                           "version or what was varied",
                           l->word, name);
        }
        if (diag_errors(l->dg))
            break;
    }
    strbuf_fini(&runs);
    return diag_errors(l->dg) ? ST_USAGE : ST_OK;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Runs that stand in several studies once. */
static void drop_twins(loader *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->count; i++) {
        bool seen = false;

        for (size_t k = 0; k < n && !seen; k++)
            seen = l->run[k].run == l->run[i].run;
        if (!seen)
            l->run[n++] = l->run[i];
    }
    l->count = n;
}

/* One run of each workload, all on one machine. */
static status check_runs(const loader *l)
{
    strbuf runs = {0};
    bool twice = false, machines = false;

    for (size_t i = 0; i < l->count; i++) {
        machines |= l->run[i].config != l->run[0].config;
        for (size_t k = 0; k < i; k++)
            twice |= same_text(l->run[i].workload, l->run[k].workload) &&
                     same_text(l->run[i].size, l->run[k].size);
    }
    if (!twice && !machines)
        return ST_OK;
    put_runs(l, &runs);
    diag_error(l->dg,
               "%s: %s; choose with FILE:RUN or FILE:NAME=VALUE, such as "
               "study=%" PRId64 "; there are %.600s",
               l->word,
               twice ? "several runs of a workload"
                     : "runs on several configurations",
               l->run[0].study, runs.text);
    strbuf_fini(&runs);
    return ST_USAGE;
}

/* Cycles of sampled runs are of what was timed: no figure of them is that of
 * the other side's. */
static status refuse_sampled(const loader *l)
{
    for (size_t i = 0; i < l->count && store_knows_sampled(l->s); i++) {
        store_query *q =
            store_select(l->s, l->dg, "SELECT sampled FROM run WHERE run = ?1",
                         "i", l->run[i].run);
        bool sampled = q && store_next(q, l->dg) && !store_null(q, 0);

        store_done(q);
        if (!sampled)
            continue;
        diag_error(l->dg,
                   "%s: run %" PRId64 " (%s) is sampled: its counters are of "
                   "what was timed, and are not compared; run it without "
                   "--sample",
                   l->word, l->run[i].run, l->run[i].workload);
        return ST_USAGE;
    }
    return ST_OK;
}

/* ---- Loading ---- */

static void load_runs(const loader *l, diff_side *out)
{
    const stored_run *first = &l->run[0];
    config *usual = ARENA_NEW(l->mem, config);

    out->cfg = stored_config(l->s, first->run, 0, l->mem, l->dg);
    if (!out->cfg) {
        config_defaults(usual);
        out->cfg = usual;
        out->guessed = true;
    }
    out->gpu = first->gpu ? first->gpu : "?";
    out->version = first->version;
    out->side = first->label;
    for (size_t i = 1; i < l->count; i++)
        if (!same_text(l->run[i].label, first->label))
            out->side = NULL;
    out->entries = ARENA_ARRAY(l->mem, diff_entry, l->count);
    for (size_t i = 0; i < l->count && !diag_errors(l->dg); i++) {
        diff_entry *e = &out->entries[out->count++];
        bool whole = false;

        *e = (diff_entry){.name = l->run[i].workload, .size = l->run[i].size};
        measure_load(l->s, l->run[i].run, out->cfg, l->mem, l->dg, &e->run,
                     &whole);
        e->run.output_unknown = !whole;
    }
}

static status load_store(const char *path, const char *choice, loader *l,
                         diff_side *out)
{
    status st = store_open(path, l->dg, &l->s);

    if (st != ST_OK)
        return st;
    read_runs(l);
    if (diag_errors(l->dg)) {
        st = ST_IO;
    } else if (!l->count) {
        diag_error(l->dg, "%s has no runs", path);
        st = ST_CONFIG;
    } else {
        st = choice ? choose_runs(l, choice) : ST_OK;
        drop_twins(l);
        st = st == ST_OK ? check_runs(l) : st;
        st = st == ST_OK ? refuse_sampled(l) : st;
    }
    if (st == ST_OK) {
        load_runs(l, out);
        st = diag_errors(l->dg) ? ST_IO : ST_OK;
    }
    store_close(l->s);
    return st;
}

status diff_load(const char *word, arena *mem, diag *dg, diff_side *out)
{
    loader l = {.mem = mem, .dg = dg, .word = word};
    const char *choice, *path = file_in(split_choice(word, mem, &choice), mem);
    bool database;
    char *text = NULL;
    size_t size;
    status st;

    *out = (diff_side){.from = word};
    if (!exists(path) || first_letter(path, &database) != '{')
        return load_store(path, choice, &l, out);
    if (choice) {
        diag_error(dg, "%s: JSON is a single run: there is nothing to choose",
                   word);
        return ST_USAGE;
    }
    st = file_read(path, dg, &text, &size);
    if (st == ST_OK)
        st = diff_load_json(path, text, size, mem, dg, out);
    free(text);
    return st;
}
