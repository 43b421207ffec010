/* src/base/diag.h - messages about the user's input, collected, printed later.
 * Owns copies of every text it is given. Not thread-safe. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum diag_level { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR } diag_level;

typedef struct diag diag;

typedef struct diag_item {
    diag_level level;
    const char *file; /* NULL: no place */
    unsigned line;    /* from 1; 0: the file as a whole */
    unsigned column;  /* from 1; 0: the line as a whole */
    unsigned length;  /* characters to underline, at least 1 */
    const char *text;
} diag_item;

diag *diag_new(void);
void diag_free(diag *dg); /* NULL is fine */

/* Remembers the text of `file`, so that messages can show the line. */
void diag_source(diag *dg, const char *file, const char *text, size_t size);

/* Adds one message; the printf-style text has no newline at its end. After
 * 1000 errors further ones are only counted. */
void diag_add(diag *dg, diag_level level, const char *file, unsigned line,
              unsigned column, unsigned length, const char *fmt, ...)
    __attribute__((format(printf, 7, 8)));

/* An error without a place. */
void diag_error(diag *dg, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

size_t diag_count(const diag *dg);
size_t diag_errors(const diag *dg);
const diag_item *diag_get(const diag *dg, size_t i);
void diag_clear(diag *dg);

/* file:line:col: error: text, the source line and a caret below it. */
void diag_print(const diag *dg, FILE *to, bool colour);

#endif
