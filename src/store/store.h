/* src/store/store.h - results kept in a file: runs with their configuration,
 * launches, counters, series. The file is an SQLite database; schema.sql is
 * its format, docs/results.md describes it.
 *
 * Each store_add is one transaction: whatever goes wrong after it, a full disk
 * or a kill, what was added stays readable. Files may lie on shared folders;
 * one process at a time writes to a file, others wait up to a minute. Not
 * thread-safe; borrows what it is given only during the call. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/strbuf.h"
#include "config/sheet.h"
#include "report/program.h"

enum { STORE_VERSION = 1, STORE_LAUNCHES = 1000, STORE_LAUNCH_STATS = 32 };

typedef struct store store;

/* For reading. ST_INPUT: no such file, or it cannot be read; ST_CONFIG: it is
 * no results file, or one of a newer version; one error is in `dg`. */
status store_open(const char *path, diag *dg, store **out);
/* The same; but *out is NULL if the file was begun and has nothing yet, because
 * another process is about to write it, or failed to. */
status store_open_begun(const char *path, diag *dg, store **out);
/* Do its runs say whether they are sampled (column `sampled`)? Older files have
 * none that are. */
bool store_knows_sampled(store *s);
/* For adding, made if it is not there; the same errors. */
status store_create(const char *path, diag *dg, store **out);
/* As store_open for a new file that no other process uses yet, several times as
 * fast: a kill leaves it damaged, and the caller must sync it to the disk
 * before it gets its final name. */
status store_create_private(const char *path, diag *dg, store **out);
void store_close(store *s); /* NULL is fine */
const char *store_path(const store *s);

/* ---- Adding ---- */

typedef struct store_study {
    const char *uid; /* NULL: a new one is made */
    const char *kind, *name, *about, *command, *plan; /* as in the schema */
    uint64_t places;                                  /* 0: unknown */
} store_study;

/* Gives its number; that of the row that is there if the uid exists. */
status store_add_study(store *s, const store_study *t, diag *dg,
                       int64_t *study);

typedef struct store_factor {
    const char *name, *value;
} store_factor;

typedef struct store_run {
    const char *id; /* 32 hexadecimal digits; NULL: one never used before */
    const char *workload, *size;
    const char *status, *why; /* "pass" */
    int exit_code, signal;
    double started;       /* seconds since 1970 */
    double wall_s, cpu_s; /* cpu_s, max_rss 0: unknown */
    uint64_t max_rss;
    const char *build; /* compiler and kind */
    const char *command;
    /* Where the values of each GPU of `program` come from; NULL: unknown. */
    const config_sheet *const *sheets;
    /* NULL: it did not start, and on which GPUs is unknown either; without
     * processes: only these are. */
    const report_program *program;
    const char *output; /* standard output, NULL: none */
    size_t output_size;
    const char *tail; /* the last lines of one that failed; NULL, "": none */
    const char *waterfall; /* trace/waterfall.h, NULL: none */
    size_t waterfall_size;
    /* Launches that have a row, the first ones and those that failed, 0:
     * STORE_LAUNCHES; and, of those, with their own counters and energy.
     * STORE_LAUNCH_STATS is a good number. What kernels sum up is of all. */
    uint64_t launches, launch_stats;
    /* Its place; study 0: none. */
    int64_t study;
    uint64_t number;
    const char *label;
    const store_factor *factors;
    size_t factor_count;
} store_run;

/* What is added until store_end is one transaction: fewer waits for the disk.
 * They nest. */
status store_begin(store *s, diag *dg);
status store_end(store *s, diag *dg);
void store_cancel(store *s); /* in place of store_end: nothing is added */

/* A run of the same id that passed is kept and only gets the new place; one
 * that did not is replaced. */
status store_add(store *s, const store_run *r, diag *dg);

/* ---- Queries ---- */

/* A query under way. Parameters ?1, ?2, ... are bound in order. Beside SQLite's
 * functions there is the aggregate geomean(x). */
typedef struct store_query store_query;

/* `types` has a letter per argument: 't' const char * (NULL is fine), 'i'
 * int64_t, 'r' double. NULL: the query is wrong, which is a bug of the caller,
 * or the file is damaged: one error is in `dg`. */
store_query *store_select(store *s, diag *dg, const char *sql,
                          const char *types, ...);
/* The next row; false at the end or after an error, which is in `dg`. */
bool store_next(store_query *q, diag *dg);
int store_columns(const store_query *q);
const char *store_column(const store_query *q, int i); /* its name */
bool store_null(const store_query *q, int i);
bool store_number(const store_query *q, int i); /* no text */
/* Valid until the next call of store_next. */
const char *store_text(const store_query *q, int i); /* NULL: null */
const void *store_blob(const store_query *q, int i, size_t *size);
int64_t store_int(const store_query *q, int i);
double store_real(const store_query *q, int i); /* NAN: null */
void store_done(store_query *q);                /* NULL is fine */

/* Appends a text as SQL says it: 'it''s'. */
void store_quote(const char *text, strbuf *out);

/* Runs statements without a result. */
status store_do(store *s, const char *sql, diag *dg);

/* ---- Bringing together ---- */

/* Adds all that is in `from`, in one transaction; runs that are there already
 * are kept, but for those that failed and passed in `from`. */
status store_merge(store *to, const char *from, diag *dg);

#endif
