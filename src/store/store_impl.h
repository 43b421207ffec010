/* src/store/store_impl.h - what the files of this folder share: the open
 * database, its statements, transactions, errors. */
#ifndef STORE_STORE_IMPL_H
#define STORE_STORE_IMPL_H

#include <sqlite3.h>

#include "base/arena.h"
#include "base/map.h"
#include "store/store.h"

/* Statements that are prepared once. */
typedef enum kept {
#define KEPT(id, sql) KEPT_##id,
#include "store/kept.def"
#undef KEPT
    KEPT_COUNT
} kept;

/* Texts that have a number. */
typedef enum known_text {
    KNOWN_NAME,
    KNOWN_PARAMETER,
    KNOWN_ORIGIN,
    KNOWN_COUNT
} known_text;

struct store {
    sqlite3 *db;
    char *path;
    unsigned depth; /* transactions begun, one in the other */
    sqlite3_stmt *kept[KEPT_COUNT];
    /* The numbers of texts that are in the file; emptied when something is
     * undone. */
    strmap *known[KNOWN_COUNT];
    arena *texts;
};

/* An error about the file: what SQLite said last, put into words. Returns
 * ST_IO, ST_NOMEM, or ST_CONFIG if the file is damaged or none of ours. */
status store_failed(store *s, diag *dg);

/* Adds our functions; an SQLite code. */
int store_functions(store *s);

/* ---- Transactions, which nest ---- */

status store_enter(store *s, diag *dg);
/* Keeps what was done since store_enter if `good`, or undoes it; the status is
 * ST_OK only if it is kept. */
status store_leave(store *s, bool good, diag *dg);

/* ---- Statements ---- */

/* The statement, ready for new arguments; NULL: an error, see store_failed. */
sqlite3_stmt *store_kept(store *s, kept which);

/* Binds arguments from number 1 on and runs one without rows, or to its first
 * row. A letter for each: 't' const char *, 'i' int64_t, 'u' uint64_t (more
 * than INT64_MAX becomes that), 'r' double (NAN is null), 'b' const void * and
 * size_t, 'n' nothing: null. SQLITE_ROW, SQLITE_DONE or an error. */
int store_put(store *s, kept which, const char *types, ...);
/* The value of a column, NULL: null. */
typedef struct store_cell {
    const char *column;
    char type; /* as letters of store_put: 't', 'i', 'u' or 'r' */
    const char *text;
    uint64_t number;
    double real;
} store_cell;

/* The same of a statement with @values: columns that the table lacks, as an
 * older version made it, are left out; those without a cell are null. */
int store_put_cells(store *s, kept which, const store_cell *cell, size_t n);
/* The number of the argument of a column, 0: it has none. */
int store_argument(sqlite3_stmt *stmt, const char *column);
/* Column 0 of the row that store_put came to. */
int64_t store_got(store *s, kept which);
/* The number of the row that was added last. */
int64_t store_added(store *s);

static inline int64_t store_integer(uint64_t v)
{
    return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

/* Makes the cache of numbers, empty. */
void store_forget(store *s);

/* The number of a text, which is added if it is not there; 0: an error. */
int64_t store_name(store *s, const char *path, const char *unit,
                   const char *kind, const char *help);
int64_t store_origin(store *s, const char *text);
int64_t store_parameter(store *s, const char *path, const char *unit,
                        const char *help);

#endif
