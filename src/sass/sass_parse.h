/* src/sass/sass_parse.h - instructions from the text that the vendor's tools
 * write, the inverse of sass_text.h: both walk along the same encodings. */
#ifndef SASS_PARSE_H
#define SASS_PARSE_H

#include "sass/encoding.h"

/* Where names of places in the code are. */
typedef struct sass_labels {
    bool (*find)(void *context, const char *name, size_t length,
                 uint64_t *address);
    void *context;
} sass_labels;

/* The instruction at byte `address` that `text` says, guard first, without
 * control codes; `*out` has none. Modifiers are in the vendor's order. Numbers
 * are decimal or hexadecimal; an immediate that is a floating-point number may
 * be its bits, in hexadecimal. Where a jump goes is an address or one of
 * `labels` (NULL: there are none); so may a whole immediate be one that begins
 * with a dot. False if it is none: `*where` is how far it
 * was understood. */
bool sass_parse(const sass_table *t, const char *text, uint64_t address,
                const sass_labels *labels, sass_word *out, const char **where);

/* [B------:R-:W-:Y:S00] at `*text`, as sass_put_control has it, into `*w`;
 * `*text` is then behind it. False: it is none. */
bool sass_parse_control(const char **text, sass_word *w);

#endif
