/* src/sass/listing.h - a cubin as text, as users of the vendor's disassembler
 * know it: for people and for programs that read such listings. */
#ifndef SASS_LISTING_H
#define SASS_LISTING_H

#include "base/strbuf.h"
#include "sass/cubin.h"

/* Appends the code of all functions, or of `only` (a kernel as isa_name_is
 * knows it, or a function; NULL: all). False: there is no such function. */
bool sass_list(const cubin *c, const char *only, strbuf *out);

/* Appends sections, kernels and attributes, also those that nobody knows. */
void sass_list_info(const cubin *c, strbuf *out);

#endif
