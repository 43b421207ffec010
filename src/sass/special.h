/* src/sass/special.h - what does not follow from the rows of encoding.def:
 * names of special registers, aliases, and habits of the vendor's printer. */
#ifndef SASS_SPECIAL_H
#define SASS_SPECIAL_H

#include "base/strbuf.h"
#include "sass/encoding.h"

/* Is the guard of `e` a uniform predicate? */
bool sass_guard_uniform(const sass_encoding *e);

/* The name of a special register, by its number in S2R. */
void sass_put_special(unsigned number, strbuf *out);

/* Its number; false: no special register has that name. */
bool sass_special_named(const char *name, size_t length, unsigned *number);

/* The operation of isa/sreg.def that it is; ISA_SREGS: none. */
unsigned sass_special(unsigned number);

/* Can `e` have one of the next? */
bool sass_has_alias(const sass_encoding *e);

/* What a product prints behind its name where it does something simpler: .MOV,
 * .SHL, .IADD. */
void sass_put_alias(const sass_encoding *e, sass_word w, strbuf *out);

/* How an immediate prints, as in encoding.def. */
char sass_immediate(const sass_encoding *e, sass_word w);

/* Constants of half pairs print with a blank, but not these. */
bool sass_spaceless(const sass_encoding *e);

/* Operands are separated by blanks alone. */
bool sass_tight(const sass_encoding *e);

#endif
