/* src/store/query.c - statements: those that are kept, those of readers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "store/store_impl.h"

/* ---- Kept ones ---- */

static const char *const kept_sql[KEPT_COUNT] = {
#define KEPT(id, sql) sql,
#include "store/kept.def"
#undef KEPT
};

/* Appends the columns of a table, each as `form` says it, which has its name
 * once or twice. */
static bool put_query_columns(store *s, const char *table, const char *form,
                              strbuf *out)
{
    sqlite3_stmt *q;
    const char *comma = "";

    if (sqlite3_prepare_v2(s->db,
                           "SELECT name FROM pragma_table_info(?1)"
                           " WHERE NOT pk ORDER BY cid",
                           -1, &q, NULL) != SQLITE_OK)
        return false;
    sqlite3_bind_text(q, 1, table, -1, SQLITE_STATIC);
    for (; sqlite3_step(q) == SQLITE_ROW; comma = ", ") {
        strbuf_puts(out, comma);
        for (const char *at = form; *at; at++)
            if (*at == '@')
                strbuf_puts(out, (const char *)sqlite3_column_text(q, 0));
            else
                strbuf_putc(out, *at);
    }
    return sqlite3_finalize(q) == SQLITE_OK;
}

/* With what stands for the columns, see kept.def. */
static bool put_statement(store *s, const char *sql, strbuf *out)
{
    static const char *const words[][2] = {
        {"@names", "@"}, {"@values", ":@"}, {"@updates", "@ = excluded.@"}};
    char table[32] = "";

    sscanf(sql, "INSERT INTO %31[a-z]", table);
    while (*sql) {
        size_t i = 0, n;

        while (i < COUNTOF(words) &&
               strncmp(sql, words[i][0], strlen(words[i][0])) != 0)
            i++;
        if (i < COUNTOF(words) &&
            !put_query_columns(s, table, words[i][1], out))
            return false;
        n = i < COUNTOF(words) ? strlen(words[i][0]) : 0;
        if (!n)
            strbuf_putc(out, *sql);
        sql += n ? n : 1;
    }
    return true;
}

sqlite3_stmt *store_kept(store *s, kept which)
{
    sqlite3_stmt **at = &s->kept[which];
    strbuf sql = {0};

    if (*at)
        sqlite3_reset(*at);
    else if (put_statement(s, kept_sql[which], &sql))
        sqlite3_prepare_v3(s->db, sql.text, -1, SQLITE_PREPARE_PERSISTENT, at,
                           NULL);
    strbuf_fini(&sql);
    return *at;
}

/* Binds by letters as store_put has them. */
static void bind_all(sqlite3_stmt *stmt, const char *types, va_list ap)
{
    const void *blob;

    for (int i = 1; types[i - 1]; i++)
        switch (types[i - 1]) {
        case 't':
            sqlite3_bind_text(stmt, i, va_arg(ap, const char *), -1,
                              SQLITE_TRANSIENT);
            break;
        case 'i':
            sqlite3_bind_int64(stmt, i, va_arg(ap, int64_t));
            break;
        case 'u':
            sqlite3_bind_int64(stmt, i, store_integer(va_arg(ap, uint64_t)));
            break;
        case 'r':
            /* NAN becomes null, SQLite has none. */
            sqlite3_bind_double(stmt, i, va_arg(ap, double));
            break;
        case 'b':
            blob = va_arg(ap, const void *);
            sqlite3_bind_blob64(stmt, i, blob, va_arg(ap, size_t),
                                SQLITE_TRANSIENT);
            break;
        default:
            MUST(types[i - 1] == 'n');
            sqlite3_bind_null(stmt, i);
        }
}

int store_put(store *s, kept which, const char *types, ...)
{
    sqlite3_stmt *stmt = store_kept(s, which);
    va_list ap;

    if (!stmt)
        return sqlite3_errcode(s->db);
    va_start(ap, types);
    bind_all(stmt, types, ap);
    va_end(ap);
    return sqlite3_step(stmt);
}

int store_argument(sqlite3_stmt *stmt, const char *column)
{
    char name[64];

    snprintf(name, sizeof name, ":%s", column);
    return sqlite3_bind_parameter_index(stmt, name);
}

int store_put_cells(store *s, kept which, const store_cell *cell, size_t n)
{
    sqlite3_stmt *stmt = store_kept(s, which);

    if (!stmt)
        return sqlite3_errcode(s->db);
    sqlite3_clear_bindings(stmt);
    for (size_t k = 0; k < n; k++) {
        int i = store_argument(stmt, cell[k].column);

        if (i && cell[k].type == 't')
            sqlite3_bind_text(stmt, i, cell[k].text, -1, SQLITE_TRANSIENT);
        else if (i && cell[k].type == 'u')
            sqlite3_bind_int64(stmt, i, store_integer(cell[k].number));
        else if (i && cell[k].type == 'i')
            sqlite3_bind_int64(stmt, i, (int64_t)cell[k].number);
        else if (i)
            sqlite3_bind_double(stmt, i, cell[k].real);
    }
    return sqlite3_step(stmt);
}

int64_t store_got(store *s, kept which)
{
    return sqlite3_column_int64(s->kept[which], 0);
}

int64_t store_added(store *s) { return sqlite3_last_insert_rowid(s->db); }

/* ---- Texts with a number ---- */

void store_forget(store *s)
{
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        strmap_free(s->known[i]);
        s->known[i] = strmap_new();
    }
    arena_free(s->texts);
    s->texts = arena_new();
}

/* Adds a row with `text` and what more there is, unless it is there. */
static int64_t row_number(store *s, known_text what, kept find, kept add,
                          const char *types, const char *text,
                          const char *more[3])
{
    uintptr_t got = (uintptr_t)strmap_get(s->known[what], text);
    int rc;

    if (got)
        return (int64_t)got;
    rc = store_put(s, find, "t", text);
    if (rc == SQLITE_ROW) {
        got = (uintptr_t)store_got(s, find);
    } else if (rc == SQLITE_DONE) {
        rc = store_put(s, add, types, text, more[0], more[1], more[2]);
        got = rc == SQLITE_DONE ? (uintptr_t)store_added(s) : 0;
    }
    if (got)
        strmap_put(s->known[what], arena_strdup(s->texts, text), (void *)got);
    return (int64_t)got;
}

int64_t store_name(store *s, const char *path, const char *unit,
                   const char *kind, const char *help)
{
    return row_number(s, KNOWN_NAME, KEPT_FIND_NAME, KEPT_ADD_NAME, "tttt",
                      path, (const char *[]){unit, kind, help});
}

int64_t store_origin(store *s, const char *text)
{
    return row_number(s, KNOWN_ORIGIN, KEPT_FIND_ORIGIN, KEPT_ADD_ORIGIN, "t",
                      text, (const char *[3]){NULL});
}

int64_t store_parameter(store *s, const char *path, const char *unit,
                        const char *help)
{
    return row_number(s, KNOWN_PARAMETER, KEPT_FIND_PARAMETER,
                      KEPT_ADD_PARAMETER, "ttt", path,
                      (const char *[]){unit, help, NULL});
}

/* ---- Readers ---- */

struct store_query {
    store *store;
    sqlite3_stmt *stmt;
};

store_query *store_select(store *s, diag *dg, const char *sql,
                          const char *types, ...)
{
    store_query *q;
    sqlite3_stmt *stmt = NULL;
    va_list ap;

    if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK || !stmt) {
        store_failed(s, dg);
        return NULL;
    }
    va_start(ap, types);
    bind_all(stmt, types, ap);
    va_end(ap);
    q = new_array(1, sizeof *q);
    *q = (store_query){s, stmt};
    return q;
}

bool store_next(store_query *q, diag *dg)
{
    int rc = sqlite3_step(q->stmt);

    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        store_failed(q->store, dg);
    return rc == SQLITE_ROW;
}

int store_columns(const store_query *q)
{
    return sqlite3_column_count(q->stmt);
}

const char *store_column(const store_query *q, int i)
{
    return sqlite3_column_name(q->stmt, i);
}

bool store_null(const store_query *q, int i)
{
    return sqlite3_column_type(q->stmt, i) == SQLITE_NULL;
}

bool store_number(const store_query *q, int i)
{
    int type = sqlite3_column_type(q->stmt, i);

    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

const char *store_text(const store_query *q, int i)
{
    return (const char *)sqlite3_column_text(q->stmt, i);
}

const void *store_blob(const store_query *q, int i, size_t *size)
{
    const void *at = sqlite3_column_blob(q->stmt, i);

    *size = (size_t)sqlite3_column_bytes(q->stmt, i);
    return at;
}

int64_t store_int(const store_query *q, int i)
{
    return sqlite3_column_int64(q->stmt, i);
}

double store_real(const store_query *q, int i)
{
    return store_null(q, i) ? NAN : sqlite3_column_double(q->stmt, i);
}

void store_done(store_query *q)
{
    if (!q)
        return;
    sqlite3_finalize(q->stmt);
    free(q);
}

void store_quote(const char *text, strbuf *out)
{
    strbuf_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            strbuf_putc(out, '\'');
        strbuf_putc(out, *text);
    }
    strbuf_putc(out, '\'');
}

/* ---- Functions ---- */

typedef struct geomean {
    double sum; /* of logarithms */
    int64_t count;
} geomean;

static void geomean_step(sqlite3_context *c, int n, sqlite3_value **v)
{
    geomean *g = sqlite3_aggregate_context(c, sizeof *g);

    (void)n;
    if (!g || sqlite3_value_type(v[0]) == SQLITE_NULL)
        return;
    g->sum += log(sqlite3_value_double(v[0])); /* NAN below 0: NULL */
    g->count++;
}

static void geomean_final(sqlite3_context *c)
{
    geomean *g = sqlite3_aggregate_context(c, 0);

    if (g && g->count)
        sqlite3_result_double(c, exp(g->sum / (double)g->count));
}

int store_functions(store *s)
{
    return sqlite3_create_function(s->db, "geomean", 1,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                   NULL, geomean_step, geomean_final);
}

status store_do(store *s, const char *sql, diag *dg)
{
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return ST_OK;
    return store_failed(s, dg);
}
