/* src/store/store.c - opening, making and closing results files, transactions,
 * and messages about errors. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "report/record.h"
#include "store/store_impl.h"

#include "store_schema.inc"

enum {
    APPLICATION = 0x4864646c, /* "Hddl" */
    BUSY_MS = 60000,
};

/* The line of the schema in place of which stand the columns of the record. */
#define RECORD_MARK "    @record\n"

/* ---- Errors ---- */

#define ERROR(dg, path, ...)                                                   \
    diag_add(dg, DIAG_ERROR, path, 0, 0, 1, __VA_ARGS__)

static const char *because(int error)
{
    return error ? strerror(error) : "unknown reason";
}

status store_failed(store *s, diag *dg)
{
    int code = sqlite3_extended_errcode(s->db);
    int error = sqlite3_system_errno(s->db);

    switch (code & 0xff) {
    case SQLITE_NOMEM:
        ERROR(dg, s->path, "out of memory");
        return ST_NOMEM;
    case SQLITE_NOTADB:
        ERROR(dg, s->path, "this is no results file");
        return ST_CONFIG;
    case SQLITE_CORRUPT:
        ERROR(dg, s->path, "the file is damaged or was cut off");
        return ST_CONFIG;
    case SQLITE_FULL:
        ERROR(dg, s->path, "cannot write: the disk is full");
        return ST_IO;
    case SQLITE_BUSY:
        ERROR(dg, s->path,
              "another process has been writing to it for a minute");
        return ST_IO;
    case SQLITE_READONLY:
        if (code == SQLITE_READONLY_ROLLBACK)
            ERROR(dg, s->path,
                  "a write to it was interrupted; who may write "
                  "to it must open it first");
        else
            ERROR(dg, s->path, "cannot write: no permission");
        return ST_IO;
    case SQLITE_CANTOPEN:
        ERROR(dg, s->path, "cannot open it or its journal beside it: %s",
              because(error));
        return ST_IO;
    case SQLITE_IOERR:
        ERROR(dg, s->path, "cannot read or write: %s",
              error ? because(error) : sqlite3_errmsg(s->db));
        return ST_IO;
    default:
        ERROR(dg, s->path, "%s", sqlite3_errmsg(s->db));
        return ST_CONFIG;
    }
}

/* ---- Opening ---- */

/* SQLite gives ":memory:" and the empty name a meaning. */
static char *plain_path(const char *path)
{
    char *out = NULL;

    if (asprintf(&out, "%s%s", *path == '/' ? "" : "./", path) < 0)
        out = NULL;
    MUST(out != NULL);
    return out;
}

/* Opens without looking at what is in it, but with our settings. */
static status connect_to(const char *path, int flags, diag *dg, store **out)
{
    store *s = new0(1, sizeof *s);
    char *plain = plain_path(path);
    int rc;

    s->path = new_text(path);
    store_forget(s);
    rc = sqlite3_open_v2(plain, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    free(plain);
    if (rc == SQLITE_OK) {
        sqlite3_busy_timeout(s->db, BUSY_MS);
        sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        rc = sqlite3_exec(s->db,
                          "PRAGMA trusted_schema = 0;"
                          "PRAGMA cell_size_check = 1;"
                          "PRAGMA foreign_keys = 1",
                          NULL, NULL, NULL);
    }
    if (rc == SQLITE_OK)
        rc = store_functions(s);
    if (rc != SQLITE_OK) {
        status st = store_failed(s, dg);

        store_close(s);
        return st;
    }
    *out = s;
    return ST_OK;
}

/* Is there a file that could be one? It is not opened: closing it would drop
 * the locks that this process may have on it. */
static status check_file(const char *path, diag *dg)
{
    struct stat sb;

    if (stat(path, &sb) != 0 ||
        faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0) {
        ERROR(dg, path, "cannot open: %s", strerror(errno));
        return ST_IO;
    }
    if (S_ISREG(sb.st_mode))
        return ST_OK;
    ERROR(dg, path, "this is %s, no results file",
          S_ISDIR(sb.st_mode) ? "a folder" : "no regular file");
    return ST_IO;
}

/* One number of the file. False: an error. */
static bool query_number(store *s, const char *sql, int64_t *out)
{
    sqlite3_stmt *q;
    bool good = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK;

    if (!good)
        return false;
    good = sqlite3_step(q) == SQLITE_ROW;
    *out = good ? sqlite3_column_int64(q, 0) : 0;
    return sqlite3_finalize(q) == SQLITE_OK && good;
}

/* Is it a results file of a known version? *empty: it has no tables yet. */
static status identify_file(store *s, bool *empty, diag *dg)
{
    int64_t application, version, tables;

    if (!query_number(s, "SELECT count(*) FROM sqlite_schema", &tables) ||
        !query_number(s, "PRAGMA application_id", &application) ||
        !query_number(s, "PRAGMA user_version", &version))
        return store_failed(s, dg);
    *empty = !tables && !application && !version;
    if (*empty)
        return ST_OK;
    if (application != APPLICATION) {
        ERROR(dg, s->path, "this is no results file, but another SQLite file");
        return ST_CONFIG;
    }
    if (version > STORE_VERSION) {
        ERROR(dg, s->path,
              "a newer Heddle wrote it: its format is version %lld, and this "
              "Heddle knows versions up to %d",
              (long long)version, STORE_VERSION);
        return ST_CONFIG;
    }
    if (version < 1 || !tables) {
        ERROR(dg, s->path, "the file is damaged or was cut off");
        return ST_CONFIG;
    }
    return ST_OK;
}

/* Read-write if that may be, so that what another process left half done can
 * be undone; nothing else is written. */
status store_open_begun(const char *path, diag *dg, store **out)
{
    status st = check_file(path, dg);
    store *s = NULL;
    bool empty = false;

    if (st == ST_OK)
        st = connect_to(path, SQLITE_OPEN_READWRITE, dg, &s);
    if (st == ST_OK)
        st = identify_file(s, &empty, dg);
    if (st == ST_OK && sqlite3_exec(s->db, "PRAGMA query_only = 1", NULL, NULL,
                                    NULL) != SQLITE_OK)
        st = store_failed(s, dg);
    if (st == ST_OK)
        *out = empty ? NULL : s;
    if (st != ST_OK || empty)
        store_close(s);
    return st == ST_IO ? ST_INPUT : st;
}

status store_open(const char *path, diag *dg, store **out)
{
    store *s;
    status st = store_open_begun(path, dg, &s);

    if (st == ST_OK && !s) {
        ERROR(dg, path, "the file is empty: nothing was written to it");
        st = ST_CONFIG;
    }
    if (st == ST_OK)
        *out = s;
    return st;
}

static status make_tables(store *s, diag *dg)
{
    strbuf b = {0};
    int rc;

    const char *mark = strstr(store_schema, RECORD_MARK);

    MUST(mark != NULL);
    strbuf_write(&b, store_schema, (size_t)(mark - store_schema));
    record_sql_columns(&b);
    strbuf_puts(&b, mark + strlen(RECORD_MARK));
    strbuf_printf(&b, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                  APPLICATION, STORE_VERSION);
    rc = sqlite3_exec(s->db, b.text, NULL, NULL, NULL);
    strbuf_fini(&b);
    return rc == SQLITE_OK ? ST_OK : store_failed(s, dg);
}

bool store_knows_sampled(store *s)
{
    int64_t there = 0;

    return query_number(s,
                        "SELECT count(*) FROM pragma_table_info('run') WHERE"
                        " name = 'sampled'",
                        &there) &&
           there > 0;
}

/* A file that was made before launches were sampled gets the columns: without
 * them what is sampled would look as if it were simulated in full. */
static status add_columns(store *s, diag *dg)
{
    static const char *const tables[] = {"run", "kernel"};
    record_id row[RECORD_ROWS];
    size_t rows = record_sql_rows(row);
    strbuf b = {0};
    int rc;

    for (size_t i = 0; i < COUNTOF(tables); i++)
        strbuf_printf(&b,
                      "ALTER TABLE %s ADD COLUMN sampled INTEGER;"
                      "ALTER TABLE %s ADD COLUMN estimated_cycles REAL;"
                      "ALTER TABLE %s ADD COLUMN half_interval_95 REAL;",
                      tables[i], tables[i], tables[i]);
    for (size_t k = 0; k < rows; k++) {
        const record_row *r = &record_rows[row[k]];

        if (r->group == RECORD_ESTIMATE)
            strbuf_printf(&b, "ALTER TABLE launch ADD COLUMN %.*s INTEGER;",
                          record_sql_name(r), r->sql);
    }
    rc = sqlite3_exec(s->db, b.text, NULL, NULL, NULL);
    strbuf_fini(&b);
    return rc == SQLITE_OK ? ST_OK : store_failed(s, dg);
}

/* Two processes may come at once: the second finds the tables. */
static status make_file(store *s, diag *dg)
{
    bool empty;
    status st = identify_file(s, &empty, dg);

    if (st != ST_OK || (!empty && store_knows_sampled(s)))
        return st;
    st = store_enter(s, dg);
    if (st != ST_OK)
        return st;
    st = identify_file(s, &empty, dg);
    if (st == ST_OK && empty)
        st = make_tables(s, dg);
    else if (st == ST_OK && !store_knows_sampled(s))
        st = add_columns(s, dg);
    if (st == ST_OK)
        return store_leave(s, true, dg);
    store_leave(s, false, dg);
    return st;
}

status store_create(const char *path, diag *dg, store **out)
{
    store *s = NULL;
    status st = ST_OK;

    if (access(path, F_OK) == 0)
        st = check_file(path, dg);
    if (st == ST_OK)
        st = connect_to(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, dg,
                        &s);
    if (st == ST_OK && sqlite3_db_readonly(s->db, "main")) {
        ERROR(dg, path, "cannot write: no permission");
        st = ST_IO;
    }
    if (st == ST_OK)
        st = make_file(s, dg);
    if (st == ST_OK)
        *out = s;
    else
        store_close(s);
    return st;
}

status store_create_private(const char *path, diag *dg, store **out)
{
    store *s = NULL;
    status st =
        connect_to(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, dg, &s);

    /* Small pages: most tables of a run have few rows. */
    if (st == ST_OK && sqlite3_exec(s->db,
                                    "PRAGMA page_size = 1024;"
                                    "PRAGMA locking_mode = EXCLUSIVE;"
                                    "PRAGMA journal_mode = MEMORY;"
                                    "PRAGMA synchronous = OFF",
                                    NULL, NULL, NULL) != SQLITE_OK)
        st = store_failed(s, dg);
    if (st == ST_OK)
        st = make_file(s, dg);
    if (st == ST_OK)
        *out = s;
    else
        store_close(s);
    return st;
}

void store_close(store *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < KEPT_COUNT; i++)
        sqlite3_finalize(s->kept[i]);
    sqlite3_close_v2(s->db); /* undoes a transaction that was not ended */
    for (size_t i = 0; i < KNOWN_COUNT; i++)
        strmap_free(s->known[i]);
    arena_free(s->texts);
    free(s->path);
    free(s);
}

const char *store_path(const store *s) { return s->path; }

/* ---- Transactions ---- */

/* Every write is inside of one; IMMEDIATE waits for its turn at once, where
 * waiting later could be a deadlock. */
status store_enter(store *s, diag *dg)
{
    const char *sql = s->depth ? "SAVEPOINT inner" : "BEGIN IMMEDIATE";

    if (s->depth && sqlite3_get_autocommit(s->db)) {
        ERROR(dg, s->path, "what was written before was undone");
        return ST_IO;
    }
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_failed(s, dg);
    s->depth++;
    return ST_OK;
}

static void undo(store *s)
{
    /* Some errors, a full disk among them, undo everything by themselves. */
    if (!sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db,
                     s->depth ? "ROLLBACK TO inner; RELEASE inner" : "ROLLBACK",
                     NULL, NULL, NULL);
    store_forget(s);
}

status store_leave(store *s, bool good, diag *dg)
{
    status st = ST_IO;

    MUST(s->depth > 0);
    s->depth--;
    for (size_t i = 0; i < KEPT_COUNT; i++) /* COMMIT waits for none */
        if (s->kept[i])
            sqlite3_reset(s->kept[i]);
    if (good && sqlite3_get_autocommit(s->db)) {
        ERROR(dg, s->path, "what was written before was undone");
    } else if (good) {
        if (sqlite3_exec(s->db, s->depth ? "RELEASE inner" : "COMMIT", NULL,
                         NULL, NULL) == SQLITE_OK)
            return ST_OK;
        st = store_failed(s, dg);
    }
    undo(s);
    return st;
}

status store_begin(store *s, diag *dg) { return store_enter(s, dg); }
status store_end(store *s, diag *dg) { return store_leave(s, true, dg); }
void store_cancel(store *s) { store_leave(s, false, NULL); }
