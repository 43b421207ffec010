/* src/cli/commands/results.h - parts of `heddle results`: what a query gives,
 * printed, and the query of a table with rows and columns that the user chose.
 */
#ifndef CLI_COMMANDS_RESULTS_H
#define CLI_COMMANDS_RESULTS_H

#include "base/strbuf.h"
#include "cli/cli.h"
#include "store/store.h"

enum {
    RESULTS_TEXT,
    RESULTS_JSON,
    RESULTS_CSV,
    RESULTS_JSONL,
    RESULTS_PLAIN, /* a text whose numbers are not grouped */
};

/* Prints all rows; a text has `width` columns, its first `keys` ones stand in
 * every part. In texts numbers are short, in data they keep their digits. What
 * goes wrong is in `dg`. */
void results_print(store_query *q, int format, size_t keys, unsigned width,
                   FILE *to, diag *dg);

/* Names separated by commas; of configurations, factors, counters. */
typedef struct results_pivot {
    const char *rows, *columns, *values; /* columns NULL: none */
    const char *aggregate;               /* NULL: one value only */
    const char *study;                   /* a number or "last"; NULL: all */
    const char **where;                  /* NAME=PATTERN */
    unsigned where_count;
    bool allow_missing;
} results_pivot;

/* Makes the query; `keys` of its columns name rows. What the user must know of
 * what is left out is in `dg` as notes. ST_USAGE: a name is unknown;
 * ST_MISMATCH: runs failed or are missing, or a cell has several values. */
status results_pivot_make(store *s, const results_pivot *p, strbuf *sql,
                          size_t *keys, diag *dg);

#endif
