/* src/text/csv_rows.h - lines of CSV, read row by row [RFC4180:format]: cells
 * in quotes may hold commas, line ends and, doubled, quotes; a quote elsewhere
 * is a character like others. Lives in an arena; borrows the text. */
#ifndef TEXT_CSV_ROWS_H
#define TEXT_CSV_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct csv_rows {
    const char *at, *end;
    unsigned line; /* from 1, in which the next row begins */
} csv_rows;

typedef struct csv_row {
    const char **cells;
    size_t count;
    unsigned line; /* in which it begins */
    bool open;     /* the text ends within quotes */
} csv_row;

csv_rows csv_rows_of(const char *text, size_t size);
/* The next row that is not empty; false at the end. */
bool csv_rows_next(csv_rows *r, arena *mem, csv_row *out);

#endif
