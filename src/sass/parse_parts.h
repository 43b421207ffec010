/* src/sass/parse_parts.h - what the readers of instructions share: each takes
 * what it wants at `*at`, behind blanks, and moves `*at` behind it; false: it
 * is not there, and `*at` is anywhere. */
#ifndef SASS_PARSE_PARTS_H
#define SASS_PARSE_PARTS_H

#include "sass/sass_parse.h"

static inline void sass_set(sass_word *w, unsigned bit, unsigned width,
                            uint64_t value)
{
    sass_word mask = (sass_word)((UINT64_C(2) << (width - 1)) - 1) << bit;

    *w = (*w & ~mask) | ((sass_word)value << bit & mask);
}

/* Exactly this text. */
bool sass_read_text(const char **at, const char *text);
/* The same, if it is there. */
bool sass_read_maybe(const char **at, const char *text);

/* A whole number, with or without a sign: decimal or hexadecimal. */
bool sass_read_number(const char **at, int64_t *value);
/* One that fits into `width` bits of `*w`, with a sign or without one. */
bool sass_read_signed(const char **at, sass_word *w, unsigned bit,
                      unsigned width);
bool sass_read_unsigned(const char **at, sass_word *w, unsigned bit,
                        unsigned width);

/* R0 to R254, RZ; UR0 to UR62, URZ. */
bool sass_read_register(const char **at, bool uniform, unsigned *number);

/* A number up to `most` behind letters: B3, SB5. */
bool sass_read_counted(const char **at, const char *letters, unsigned most,
                       unsigned *number);

/* P0, !P0, PT; UP0: three bits, then its complement where that can be. */
bool sass_read_predicate(const char **at, bool uniform, bool complement,
                         unsigned *number);

/* A place in the code: a number or a label. */
bool sass_read_place(const char **at, const sass_labels *labels,
                     uint64_t *address);

/* An operand of one or two operations: a row of shape.def. */
bool sass_parse_shape(unsigned shape, const char **at, unsigned sm,
                      uint64_t address, const sass_labels *labels,
                      sass_word *w);

#endif
