/* src/sass/sass_text.h - instructions as the vendor's tools write them. */
#ifndef SASS_TEXT_H
#define SASS_TEXT_H

#include "base/strbuf.h"
#include "sass/encoding.h"

/* Appends what `w` at the byte address `address` is, guard first, without what
 * separates lines; e is what sass_find says of it. */
void sass_put(const sass_table *t, const sass_encoding *e, sass_word w,
              uint64_t address, strbuf *out);

/* Appends its control information as [B------:R-:W-:Y:S00]: the barriers that
 * it waits for, those of its reads and its writes, whether another warp may
 * come first (Y), and the cycles to the next instruction. */
void sass_put_control(sass_word w, strbuf *out);

#endif
