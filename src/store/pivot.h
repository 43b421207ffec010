/* src/store/pivot.h - the query of a table whose rows, columns and values the
 * user named. */
#ifndef STORE_PIVOT_H
#define STORE_PIVOT_H

#include "store/store.h"

/* Names separated by commas; of configurations, factors, counters. */
typedef struct store_pivot {
    const char *rows, *columns, *values; /* columns NULL: none */
    const char *aggregate;               /* NULL: one value only */
    const char *study;                   /* a number or "last"; NULL: all */
    const char **where;                  /* NAME=PATTERN */
    unsigned where_count;
    bool allow_missing;
} store_pivot;

/* Makes the query; `keys` of its columns name rows. What the user must know of
 * what is left out is in `dg` as notes. ST_USAGE: a name is unknown;
 * ST_MISMATCH: runs failed or are missing, or a cell has several values. */
status store_pivot_query(store *s, const store_pivot *p, strbuf *sql,
                         size_t *keys, diag *dg);

#endif
