/* src/text/table.h - a table for people, never wider than it may be: what does
 * not fit follows below, under the same first columns. Lives in an arena. */
#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"

enum { TABLE_WIDTH = 100 }; /* the default */

typedef struct table table;

/* Of so many columns of text. */
table *table_new(arena *mem, unsigned width);
/* `key`: stands in every part. All columns come before the first cell. */
void table_column(table *t, const char *head, bool left, bool key);
/* The next cell, row by row; longer than 24 columns it loses its middle. */
void table_cell(table *t, const char *text);
void table_print(const table *t, unsigned indent, FILE *to);

/* The text in so many columns: "sm.issue.sche..ler=two_level". */
const char *table_fit(arena *mem, const char *text, size_t columns);

#endif
