/* src/sass/assemble_read.h - what the readers of statements share: the place
 * that is read, messages, operands of directives. A directive is given what is
 * behind its name; false: an error is in the diag. */
#ifndef SASS_ASSEMBLE_READ_H
#define SASS_ASSEMBLE_READ_H

#include "sass/assemble.h"
#include "sass/assemble_parts.h"
#include "sass/parse_parts.h"

typedef struct assembler {
    source_text s;
    sass_table *table;
    sass_coder *coder;
    const char *text;  /* of the file, comments as blanks, lines ended by 0 */
    const char *begin; /* of the line that is read */
    unsigned line;
    part *in; /* NULL: in none */
} assembler;

bool stmt_wrong_at(assembler *a, unsigned line, unsigned column,
                   unsigned length, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Characters up to a blank, a comma or the end; at least 1. */
unsigned stmt_word_length(const char *at);

/* What stands at `at` in the line that is read. */
#define WRONG(a, at, ...)                                                      \
    stmt_wrong_at((a), (a)->line, (unsigned)((at) - (a)->begin) + 1,           \
                  stmt_word_length(at), __VA_ARGS__)

/* ---- Operands ---- */

void stmt_skip(const char **at); /* blanks */
bool stmt_at_end(const char *at);
bool stmt_in_symbol(char c);
bool stmt_get_number(assembler *a, const char **at, uint64_t most,
                     uint64_t *value);
bool stmt_get_small(assembler *a, const char **at, uint32_t most,
                    uint32_t *value);
/* A name as in files: letters, digits, _ $ and dots, or anything in quotes. */
bool stmt_get_name(assembler *a, const char **at, const char **name);

/* Where the next byte or instruction of a part goes. */
uint64_t stmt_here(const part *p);

bool stmt_add_label(assembler *a, const char *name, const char *at);

/* ---- Directives: assemble_data.c ---- */

bool stmt_registers(assembler *a, const char **at);
bool stmt_shared(assembler *a, const char **at);
bool stmt_frame(assembler *a, const char **at);
bool stmt_stack(assembler *a, const char **at);
bool stmt_barriers(assembler *a, const char **at);
bool stmt_param_base(assembler *a, const char **at);
bool stmt_max_threads(assembler *a, const char **at);
bool stmt_req_threads(assembler *a, const char **at);
bool stmt_cluster(assembler *a, const char **at);
bool stmt_max_cluster(assembler *a, const char **at);
bool stmt_param(assembler *a, const char **at);
bool stmt_extern(assembler *a, const char **at);
bool stmt_byte(assembler *a, const char **at);
bool stmt_word(assembler *a, const char **at);
bool stmt_zero(assembler *a, const char **at);
bool stmt_align(assembler *a, const char **at);
bool stmt_object(assembler *a, const char **at);
bool stmt_inner(assembler *a, const char **at);
bool stmt_reloc(assembler *a, const char **at);

#endif
