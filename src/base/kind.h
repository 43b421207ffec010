/* src/base/kind.h - what kind of file was given where another was expected,
 * judged by its first bytes, its name and words in it. */
#ifndef BASE_KIND_H
#define BASE_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

typedef enum file_kind {
    FILE_UNKNOWN, /* as far as one sees, it may be what it should be */
#define KIND(id, what, advice) FILE_##id,
#include "base/kind.def"
#undef KIND
} file_kind;

/* Judged by the first bytes, the name and words in the text. */
file_kind file_kind_of(const char *path, const char *text, size_t size);

/* Where the text begins behind blanks and comments, as PTX and assembly have
 * them: of both the first word is a directive, with a dot. */
const char *file_first_word(const char *text, size_t size);

/* Of a file that should be YAML, and of the kind `wanted`, called `name`: false
 * after an error that it is empty or something else. */
bool file_kind_is_yaml(const char *path, const char *text, size_t size,
                       file_kind wanted, const char *name, diag *dg);

/* Adds the error "PATH: error: this is no WANTED: it is ...; what to do". */
void file_kind_refuse(const char *path, file_kind k, const char *wanted,
                      diag *dg);

#endif
