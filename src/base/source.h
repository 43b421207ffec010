/* src/base/source.h - the text of source files, by file and line, for reports
 * and listings. Owns the texts it read; a file that is not there has no lines,
 * which is no error. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct sources sources;

/* Reads `count` files. One that is not at its path is looked for, by its last
 * name, in the folder of `beside` (a path; NULL: nowhere). */
sources *sources_new(const char *const *paths, uint32_t count,
                     const char *beside);
void sources_free(sources *s); /* NULL is fine */

/* Takes `text` (copied) as file number `file`, from 0. */
void sources_put(sources *s, uint32_t file, const char *text, size_t size);

/* Takes `text` (copied) as the program's own in an intermediate language, which
 * is none of its files where it tells of other lines. */
void sources_put_program(sources *s, const char *text, size_t size);
/* NULL: it is not known. Ends with a NUL. */
const char *sources_program(const sources *s);

/* Line `line`, from 1, of file number `file` without blanks around it and
 * without a NUL behind it; NULL if there is none. */
const char *sources_line(const sources *s, uint32_t file, uint32_t line,
                         size_t *length);
/* The same with the blanks in front of it; never without its text. */
const char *sources_indented(const sources *s, uint32_t file, uint32_t line,
                             size_t *length);

#endif
