/* src/store/rows.h - what a query gives, as text, JSON or CSV. */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include "store/store.h"

enum {
    ROWS_TEXT,
    ROWS_JSON,
    ROWS_CSV,
    ROWS_JSONL,
    ROWS_PLAIN, /* a text whose numbers are not grouped */
};

/* Prints all rows; a text has `width` columns, its first `keys` ones stand in
 * every part. In texts numbers are short, in data they keep their digits. What
 * goes wrong is in `dg`. */
void store_rows_print(store_query *q, int format, size_t keys, unsigned width,
                      FILE *to, diag *dg);

#endif
