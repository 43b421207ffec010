/* src/sass/cubin_parts.h - the parts of the reader of cubins: each fills in
 * what it reads and is called in this order. False after an error. */
#ifndef SASS_CUBIN_PARTS_H
#define SASS_CUBIN_PARTS_H

#include "sass/cubin.h"

enum {
    CUBIN_OTHER_ENTRY = 0x10, /* cubin_symbol.other of a kernel */
    CUBIN_LEAST_SM = 20,
};

/* What is wrong with a section; always false. */
bool cubin_damaged(const cubin *c, const char *section, const char *what,
                   diag *dg);

/* cubin_info.c: attributes, and what functions have of them. */
bool cubin_read_info(cubin *c, diag *dg);

/* cubin_line.c: lines of functions. */
bool cubin_read_lines(cubin *c, diag *dg);

#endif
