/* src/store/pivot.c - SQL for a table whose rows, columns and
 * values the user named. What is asked for each run or kernel is a row of
 * `base`: r1, r2,
 * ... name its row of the table, c its column, v1, v2, ... are values. */
#include "store/pivot.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/suggest.h"
#include "report/counters.h"

enum { COLUMNS_MOST = 500, NAMES_MOST = 16 };

typedef struct maker {
    store *store;
    const store_pivot *p;
    diag *dg;
    arena *mem;
    bool kernels; /* a row of `base` is a kernel, else a run */
} maker;

/* ---- Names ---- */

/* Of runs, and of kernels where that differs; NULL: neither has it. */
typedef struct word {
    const char *name, *run, *kernel;
} word;

#define BOTH(name, expression)                                                 \
    {                                                                          \
        name, "r." expression, "k." expression                                 \
    }
#define RUN(name, expression)                                                  \
    {                                                                          \
        name, expression, expression                                           \
    }

static const word words[] = {
    RUN("workload", "r.workload"),
    RUN("size", "r.size"),
    {"kernel", NULL, "k.name"},
    RUN("side", "coalesce(p.label, (SELECT f.value FROM factor f WHERE f.study"
                " = p.study AND f.number = p.number AND f.name = 'side'))"),
    RUN("gpu", "(SELECT d.gpu FROM device d WHERE d.run = r.run"
               " ORDER BY d.device LIMIT 1)"),
    {"device", "0", "k.device"},
    RUN("study", "p.study"),
    RUN("kind", "s.kind"),
    RUN("point", "p.number"),
    RUN("run", "r.run"),
    RUN("status", "r.status"),
    RUN("version", "r.version"),
    RUN("build", "r.build"),
    RUN("host", "r.host"),
    RUN("started", "r.started"),
    RUN("threads", "r.threads"),
    RUN("wall_s", "r.wall_s"),
    RUN("cpu_s", "r.cpu_s"),
    RUN("max_rss", "r.max_rss"),
    RUN("memory_hash", "r.memory_hash"),
    RUN("storage_bits", "r.storage_bits"),
    BOTH("launches", "launches"),
    BOTH("timed", "timed"),
    BOTH("failed", "failed"),
    BOTH("cycles", "cycles"),
    BOTH("time_s", "time_s"),
    BOTH("warp_insts", "warp_insts"),
    BOTH("thread_insts", "thread_insts"),
    BOTH("energy_j", "energy_j"),
    BOTH("sampled", "sampled"),
    BOTH("estimated_cycles", "estimated_cycles"),
    BOTH("half_interval_95", "half_interval_95"),
    {"ipc", "CAST(r.warp_insts AS REAL) / nullif(r.cycles, 0)",
     "CAST(k.warp_insts AS REAL) / nullif(k.cycles, 0)"},
    {"power_w", "r.energy_j / nullif(r.time_s, 0)",
     "k.energy_j / nullif(k.time_s, 0)"},
    {"edp", "r.energy_j * r.time_s", "k.energy_j * k.time_s"},
};

/* The first column of every row of a query with one argument. */
static size_t query_texts(maker *m, const char *sql, const char *argument,
                          const char **out, size_t room)
{
    store_query *q = store_select(m->store, m->dg, sql, "t", argument);
    size_t n = 0;

    while (q && n < room && store_next(q, m->dg))
        out[n++] =
            arena_strdup(m->mem, store_text(q, 0) ? store_text(q, 0) : "");
    store_done(q);
    return n;
}

static status unknown_pivot_name(maker *m, const char *name)
{
    enum { ROOM = 4096 };
    const char **all = ARENA_ARRAY(m->mem, const char *, ROOM + COUNTOF(words));
    const char *near;
    size_t n = 0;

    for (size_t i = 0; i < COUNTOF(words); i++)
        all[n++] = words[i].name;
    n += query_texts(
        m,
        "SELECT DISTINCT name FROM factor WHERE ?1 IS NULL UNION ALL"
        " SELECT path FROM parameter UNION ALL SELECT path FROM name",
        NULL, all + n, ROOM);
    near = suggest_nearest(name, all, n);
    if (near)
        diag_error(m->dg, "'%s' is not known there (did you mean '%s'?)", name,
                   near);
    else
        diag_error(m->dg,
                   "'%s' is not known there: neither a word like "
                   "workload, kernel or ipc, nor a factor, a parameter "
                   "or a counter",
                   name);
    return ST_USAGE;
}

/* Is there such a counter, by its path or the end of it, without [*]? */
static bool is_counter(const char *name)
{
    size_t size, n = strlen(name);
    char *text = NULL, *rest, *line;
    FILE *to = open_memstream(&text, &size);
    bool found = false;

    MUST(to != NULL);
    report_counter_list(to);
    fclose(to);
    for (rest = text; (line = strsep(&rest, "\n")) && !found;) {
        char *end = line;

        line[strcspn(line, " ")] = '\0';
        found = !strcmp(line, name);
        for (const char *at = line; *at; at++)
            if (strncmp(at, "[*]", 3) != 0)
                *end++ = *at;
            else
                at += 2;
        *end = '\0';
        found |= (size_t)(end - line) >= n && !strcmp(end - n, name) &&
                 ((size_t)(end - line) == n || end[-1 - (ptrdiff_t)n] == '.');
    }
    free(text);
    return found;
}

/* The counter whose path is `name`, or, without the [*] of its blocks, is that
 * or ends in it behind a dot. */
static status counter_sql(maker *m, const char *name, strbuf *out)
{
    const char *found[2], *path;
    size_t n =
        query_texts(m, "SELECT path FROM name WHERE path = ?1", name, found, 1);
    strbuf quoted = {0};

    if (!n)
        n = query_texts(
            m,
            "SELECT path FROM name WHERE substr('.' || replace(path,"
            " '[*]', ''), -length(?1) - 1) = '.' || ?1"
            " ORDER BY path",
            name, found, 2);
    if (!n && !is_counter(name))
        return unknown_pivot_name(m, name);
    if (!n) { /* what is 0 has no row */
        strbuf_printf(out, "CASE WHEN %c.timed THEN 0 END",
                      m->kernels ? 'k' : 'r');
        return ST_OK;
    }
    path = found[0];
    if (n > 1) {
        diag_error(m->dg, "'%s' may be '%s' or '%s'", name, found[0], found[1]);
        return ST_USAGE;
    }
    store_quote(path, &quoted);
    if (m->kernels)
        strbuf_printf(out,
                      "CASE WHEN k.timed THEN coalesce((SELECT t.value FROM"
                      " kernel_stat t JOIN name n ON n.name = t.name WHERE"
                      " t.kernel = k.kernel AND n.path = %s), 0) END",
                      quoted.text);
    else
        strbuf_printf(out,
                      "CASE WHEN r.timed THEN coalesce((SELECT sum(t.value)"
                      " FROM kernel q JOIN kernel_stat t ON t.kernel = q.kernel"
                      " JOIN name n ON n.name = t.name WHERE q.run = r.run AND"
                      " n.path = %s), 0) END",
                      quoted.text);
    strbuf_fini(&quoted);
    return ST_OK;
}

/* What `name` is for a row of `base`. */
static status expression(maker *m, const char *name, strbuf *out)
{
    const char *found[1];
    strbuf quoted = {0};

    for (size_t i = 0; i < COUNTOF(words); i++)
        if (!strcmp(words[i].name, name)) {
            strbuf_puts(out, m->kernels ? words[i].kernel : words[i].run);
            return ST_OK;
        }
    store_quote(name, &quoted);
    if (query_texts(m, "SELECT name FROM factor WHERE name = ?1 LIMIT 1", name,
                    found, 1))
        strbuf_printf(out,
                      "(SELECT f.value FROM factor f WHERE f.study = p.study"
                      " AND f.number = p.number AND f.name = %s)",
                      quoted.text);
    else if (query_texts(m, "SELECT path FROM parameter WHERE path = ?1", name,
                         found, 1))
        strbuf_printf(
            out,
            "(SELECT c.value FROM device d JOIN config c USING(config)"
            " JOIN parameter a USING(parameter) WHERE d.run = r.run"
            " AND a.path = %s ORDER BY d.device LIMIT 1)",
            quoted.text);
    strbuf_fini(&quoted);
    return out->size ? ST_OK : counter_sql(m, name, out);
}

/* A value may be a quotient of two. */
static status value_sql(maker *m, const char *name, strbuf *out)
{
    const char *slash = strchr(name, '/');
    strbuf over = {0}, under = {0};
    status st;

    if (!slash)
        return expression(m, name, out);
    st = expression(m, arena_strndup(m->mem, name, (size_t)(slash - name)),
                    &over);
    if (st == ST_OK)
        st = expression(m, slash + 1, &under);
    if (st == ST_OK)
        strbuf_printf(out, "CAST((%s) AS REAL) / nullif((%s), 0)", over.text,
                      under.text);
    strbuf_fini(&over);
    strbuf_fini(&under);
    return st;
}

/* ---- Lists ---- */

typedef struct names {
    const char *name[NAMES_MOST];
    size_t count;
} names;

static status split_names(maker *m, const char *list, names *out)
{
    out->count = 0;
    while (list && *list) {
        size_t n = strcspn(list, ",");

        if (out->count == NAMES_MOST) {
            diag_error(m->dg, "more than %d names: %s", NAMES_MOST, list);
            return ST_USAGE;
        }
        if (n)
            out->name[out->count++] = arena_strndup(m->mem, list, n);
        list += n + (list[n] == ',');
    }
    return ST_OK;
}

/* Lists and conditions that name kernels make rows of kernels. */
static bool names_kernels(const store_pivot *p)
{
    const char *const lists[] = {p->rows, p->columns, p->values};

    for (size_t i = 0; i < COUNTOF(lists); i++)
        for (const char *at = lists[i]; at && *at;
             at += strcspn(at, ",/"), at += *at != '\0')
            if (!strncmp(at, "kernel", 6) && strcspn(at, ",/") == 6)
                return true;
    for (unsigned i = 0; i < p->where_count; i++)
        if (!strncmp(p->where[i], "kernel=", 7))
            return true;
    return false;
}

/* ---- The base ---- */

static status add_where(maker *m, strbuf *out)
{
    for (unsigned i = 0; i < m->p->where_count; i++) {
        const char *text = m->p->where[i], *equals = strchr(text, '=');
        strbuf e = {0};
        status st;

        if (!m->kernels && !strncmp(text, "kernel=", 7))
            continue;

        if (!equals || equals == text) {
            diag_error(m->dg, "--where: '%s' is not like NAME=VALUE", text);
            return ST_USAGE;
        }
        st = expression(m, arena_strndup(m->mem, text, (size_t)(equals - text)),
                        &e);
        if (st == ST_OK) {
            strbuf_printf(out, " AND CAST((%s) AS TEXT) GLOB ", e.text);
            store_quote(equals + 1, out);
        }
        strbuf_fini(&e);
        if (st != ST_OK)
            return st;
    }
    return ST_OK;
}

static status add_study(maker *m, strbuf *out)
{
    const char *study = m->p->study;
    char *end;

    if (!study)
        return ST_OK;
    if (!strcmp(study, "last")) {
        strbuf_puts(out, " AND p.study = (SELECT max(study) FROM study)");
        return ST_OK;
    }
    long long number = strtoll(study, &end, 10);
    if (end == study || *end) {
        diag_error(m->dg, "--study: '%s' is no number and not 'last'", study);
        return ST_USAGE;
    }
    strbuf_printf(out, " AND p.study = %lld", number);
    return ST_OK;
}

/* FROM and WHERE of it, all runs, failed ones too. */
static status add_source(maker *m, strbuf *out)
{
    status st;

    strbuf_puts(out, " FROM run r LEFT JOIN point p ON p.run = r.run"
                     " LEFT JOIN study s ON s.study = p.study");
    if (m->kernels)
        strbuf_puts(out, " JOIN kernel k ON k.run = r.run");
    strbuf_puts(out, " WHERE 1");
    st = add_study(m, out);
    return st == ST_OK ? add_where(m, out) : st;
}

static status add_named(maker *m, const char *name, const char *as, size_t i,
                        strbuf *out)
{
    strbuf e = {0};
    status st = value_sql(m, name, &e);

    if (st == ST_OK)
        strbuf_printf(out, ", %s AS %s%zu", e.text, as, i);
    strbuf_fini(&e);
    return st;
}

/* Several names of columns are one key, their values between blanks. */
static status add_column(maker *m, const names *columns, strbuf *out)
{
    strbuf_puts(out, ", ''");
    for (size_t i = 0; i < columns->count; i++) {
        strbuf e = {0};
        status st = expression(m, columns->name[i], &e);

        if (st == ST_OK)
            strbuf_printf(out, " || %scoalesce(%s, '-')", i ? "' ' || " : "",
                          e.text);
        strbuf_fini(&e);
        if (st != ST_OK)
            return st;
    }
    strbuf_puts(out, " AS c");
    return ST_OK;
}

static status make_base(maker *m, const names *rows, const names *columns,
                        const names *values, strbuf *out)
{
    status st = ST_OK;

    strbuf_printf(out,
                  "WITH base AS MATERIALIZED (SELECT row_number() OVER"
                  " (ORDER BY p.study, p.number, r.run%s) AS o",
                  m->kernels ? ", k.kernel" : "");
    for (size_t i = 0; i < rows->count && st == ST_OK; i++)
        st = add_named(m, rows->name[i], "r", i + 1, out);
    if (st == ST_OK && columns->count)
        st = add_column(m, columns, out);
    for (size_t i = 0; i < values->count && st == ST_OK; i++)
        st = add_named(m, values->name[i], "v", i + 1, out);
    if (st == ST_OK)
        st = add_source(m, out);
    strbuf_puts(out, " AND r.status = 'pass')");
    return st;
}

/* ---- What is not there ---- */

/* The first of the runs that did not pass. */
static status check_failed(maker *m)
{
    bool kernels = m->kernels;
    strbuf sql = {0};
    store_query *q;
    status st;
    int64_t n = 0;

    strbuf_puts(&sql, "SELECT count(*), min(r.workload || ': ' || r.status)");
    m->kernels = false; /* who failed may have none */
    st = add_source(m, &sql);
    m->kernels = kernels;
    if (st == ST_OK) {
        strbuf_puts(&sql, " AND r.status <> 'pass'");
        q = store_select(m->store, m->dg, sql.text, "");
        if (q && store_next(q, m->dg) && (n = store_int(q, 0)))
            diag_add(m->dg, m->p->allow_missing ? DIAG_NOTE : DIAG_ERROR,
                     store_path(m->store), 0, 0, 1,
                     "%" PRId64 " run%s did not pass, such as %s%s", n,
                     n == 1 ? "" : "s", store_text(q, 1),
                     m->p->allow_missing ? "; left out"
                                         : "; --allow-missing leaves them out");
        store_done(q);
    }
    strbuf_fini(&sql);
    if (st != ST_OK)
        return st;
    return n && !m->p->allow_missing ? ST_MISMATCH : ST_OK;
}

/* Of sampled runs the figures are those of what was timed. */
static status tell_sampled(maker *m)
{
    strbuf sql = {0};
    store_query *q;
    status st;

    if (!store_knows_sampled(m->store))
        return ST_OK;
    strbuf_puts(&sql, "SELECT count(DISTINCT r.run), min(r.workload)");
    st = add_source(m, &sql);
    if (st == ST_OK) {
        strbuf_puts(&sql, " AND r.sampled IS NOT NULL");
        q = store_select(m->store, m->dg, sql.text, "");
        if (q && store_next(q, m->dg) && store_int(q, 0))
            diag_add(m->dg, DIAG_NOTE, store_path(m->store), 0, 0, 1,
                     "%" PRId64 " run%s sampled, such as %s: all figures are "
                     "of what was timed but estimated_cycles and its "
                     "half_interval_95",
                     store_int(q, 0), store_int(q, 0) == 1 ? " is" : "s are",
                     store_text(q, 1));
        store_done(q);
    }
    strbuf_fini(&sql);
    return st;
}

/* Places of a study are numbered from 0; where it is unknown how many it has,
 * those between others are missed. */
static status check_points(maker *m)
{
    strbuf sql = {0};
    store_query *q;
    int64_t n = 0;
    status st;

    strbuf_puts(&sql, "SELECT p.study, coalesce(s.places, max(p.number) + 1) -"
                      " count(p.number) AS n FROM study s LEFT JOIN point p"
                      " USING(study) WHERE 1");
    st = add_study(m, &sql);
    strbuf_puts(&sql, " GROUP BY p.study HAVING n > 0");
    q = st == ST_OK ? store_select(m->store, m->dg, sql.text, "") : NULL;
    if (q && store_next(q, m->dg) && (n = store_int(q, 1)))
        diag_add(m->dg, m->p->allow_missing ? DIAG_NOTE : DIAG_ERROR,
                 store_path(m->store), 0, 0, 1,
                 "study %" PRId64 " lacks %" PRId64 " of its runs%s",
                 store_int(q, 0), n,
                 m->p->allow_missing ? ""
                                     : "; --allow-missing goes on without");
    store_done(q);
    strbuf_fini(&sql);
    if (st != ST_OK)
        return st;
    return n && !m->p->allow_missing ? ST_MISMATCH : ST_OK;
}

/* A cell of several different values needs to be told what they become. */
static status check_single(maker *m, const strbuf *base, const names *rows,
                           bool columns, const names *values)
{
    strbuf sql = {0};
    store_query *q;
    bool several;

    strbuf_printf(&sql, "%s SELECT max(1", base->text);
    for (size_t i = 0; i < values->count; i++)
        strbuf_printf(&sql, ", count(DISTINCT v%zu)", i + 1);
    strbuf_puts(&sql, ") AS n, ''");
    for (size_t i = 0; i < rows->count; i++)
        strbuf_printf(&sql, " || %scoalesce(r%zu, '-')", i ? "' ' || " : "",
                      i + 1);
    strbuf_printf(&sql, "%s FROM base GROUP BY r1", columns ? ", c" : ", ''");
    for (size_t i = 1; i < rows->count; i++)
        strbuf_printf(&sql, ", r%zu", i + 1);
    strbuf_printf(&sql, "%s HAVING n > 1 LIMIT 1", columns ? ", c" : "");
    q = store_select(m->store, m->dg, sql.text, "");
    strbuf_fini(&sql);
    if (!q)
        return ST_CONFIG;
    several = store_next(q, m->dg);
    if (several)
        diag_error(m->dg,
                   "there are %" PRId64 " different values for %s%s%s: name "
                   "more in --rows, choose with --where or --study, or say "
                   "what they become with --aggregate",
                   store_int(q, 0), store_text(q, 1), columns ? " and " : "",
                   store_text(q, 2));
    store_done(q);
    return several ? ST_MISMATCH : ST_OK;
}

/* ---- The table ---- */

static const char *function(maker *m)
{
    static const struct {
        const char *name, *sql;
    } list[] = {{"sum", "sum"},
                {"mean", "avg"},
                {"geomean", "geomean"},
                {"min", "min"},
                {"max", "max"}};

    for (size_t i = 0; i < COUNTOF(list); i++)
        if (!strcmp(m->p->aggregate ? m->p->aggregate : "max", list[i].name))
            return list[i].sql;
    diag_error(m->dg, "--aggregate: '%s' is not sum, mean, geomean, min or max",
               m->p->aggregate);
    return NULL;
}

static void quote_name(const char *name, strbuf *out)
{
    strbuf_putc(out, '"');
    for (; *name; name++) {
        if (*name == '"')
            strbuf_putc(out, '"');
        strbuf_putc(out, *name);
    }
    strbuf_putc(out, '"');
}

/* A column for each value at each key, in the order in which keys come. */
static status add_cells(maker *m, const strbuf *base, const char *function_name,
                        const names *values, strbuf *out)
{
    const char **keys = ARENA_ARRAY(m->mem, const char *, COLUMNS_MOST + 1);
    strbuf sql = {0};
    size_t n;

    strbuf_printf(&sql,
                  "%s SELECT c FROM base WHERE ?1 IS NULL GROUP BY c"
                  " ORDER BY min(o)",
                  base->text);
    n = query_texts(m, sql.text, NULL, keys, COLUMNS_MOST + 1);
    strbuf_fini(&sql);
    if (n > COLUMNS_MOST / values->count) {
        diag_error(m->dg, "more than %zu columns; exchange --rows and --cols?",
                   COLUMNS_MOST / values->count);
        return ST_USAGE;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < values->count; k++) {
            strbuf_printf(out, ", %s(CASE WHEN c = ", function_name);
            store_quote(keys[i], out);
            strbuf_printf(out, " THEN v%zu END) AS ", k + 1);
            quote_name(
                values->count == 1
                    ? keys[i]
                    : arena_printf(m->mem, "%s %s", keys[i], values->name[k]),
                out);
        }
    return ST_OK;
}

static status make_table(maker *m, const strbuf *base, const names *rows,
                         bool columns, const names *values, strbuf *out)
{
    const char *f = function(m);
    status st = ST_OK;

    if (!f)
        return ST_USAGE;
    if (!m->p->aggregate)
        st = check_single(m, base, rows, columns, values);
    if (st != ST_OK)
        return st;
    strbuf_printf(out, "%s SELECT ", base->text);
    for (size_t i = 0; i < rows->count; i++) {
        strbuf_printf(out, "%sr%zu AS ", i ? ", " : "", i + 1);
        quote_name(rows->name[i], out);
    }
    if (columns)
        st = add_cells(m, base, f, values, out);
    else
        for (size_t i = 0; i < values->count; i++) {
            strbuf_printf(out, ", %s(v%zu) AS ", f, i + 1);
            quote_name(values->name[i], out);
        }
    strbuf_puts(out, " FROM base GROUP BY ");
    for (size_t i = 0; i < rows->count; i++)
        strbuf_printf(out, "%sr%zu", i ? ", " : "", i + 1);
    strbuf_puts(out, " ORDER BY min(o)");
    return st;
}

status store_pivot_query(store *s, const store_pivot *p, strbuf *sql,
                         size_t *keys, diag *dg)
{
    maker m = {s, p, dg, arena_new(), names_kernels(p)};
    names rows, columns, values;
    strbuf base = {0};
    status st;

    MUST(m.mem != NULL);
    st = split_names(&m, p->rows, &rows);
    if (st == ST_OK)
        st = split_names(&m, p->columns, &columns);
    if (st == ST_OK)
        st = split_names(&m, p->values, &values);
    if (st == ST_OK && (!rows.count || !values.count)) {
        diag_error(dg, "--rows and --value need names");
        st = ST_USAGE;
    }
    if (st == ST_OK)
        st = make_base(&m, &rows, &columns, &values, &base);
    if (st == ST_OK)
        st = tell_sampled(&m);
    if (st == ST_OK)
        st = check_failed(&m);
    if (st == ST_OK)
        st = check_points(&m);
    if (st == ST_OK)
        st = make_table(&m, &base, &rows, columns.count != 0, &values, sql);
    *keys = rows.count;
    strbuf_fini(&base);
    arena_free(m.mem);
    return st == ST_OK && diag_errors(dg) ? ST_CONFIG : st;
}
