/* src/text/csv.h - lines of CSV, written cell by cell [RFC4180:format]: texts
 * are quoted where they must be, what is no number is empty. */
#ifndef TEXT_CSV_H
#define TEXT_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct csv {
    FILE *to;
    bool begun; /* the line has a cell */
} csv;

csv csv_start(FILE *to);
void csv_text(csv *c, const char *s); /* NULL: empty */
void csv_u64(csv *c, uint64_t v);
void csv_real(csv *c, double v);
/* One or several cells, none of which needs quotes. */
__attribute__((format(printf, 2, 3))) void csv_format(csv *c,
                                                      const char *format, ...);
void csv_empty(csv *c, unsigned cells);
/* Of columns: one in two parts, or several: "a,b". */
void csv_name(csv *c, const char *name, const char *rest);
void csv_names(csv *c, const char *names);
void csv_line(csv *c); /* ends it */

#endif
