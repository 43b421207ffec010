/* src/sass/cubin_write.h - a cubin as a file. */
#ifndef SASS_CUBIN_WRITE_H
#define SASS_CUBIN_WRITE_H

#include "base/strbuf.h"
#include "sass/cubin.h"

enum { /* types and flags of sections, as ptxas writes them */
       CUBIN_T_BYTES = 1,
       CUBIN_T_EMPTY = 8, /* it has a size, but no bytes in the file */
       CUBIN_T_INFO = 0x70000000,
       CUBIN_F_WRITE = 1,
       CUBIN_F_ALLOC = 2,
       CUBIN_F_CODE = 4,
       CUBIN_F_INFO = 0x40, /* `info` is a section */
};

/* Appends the file that cubin_read makes `c` of: its sections, symbols (local
 * ones first) and relocations, which all have addends of their own; what
 * follows from them (tables of symbols, names and relocations, headers of
 * segments) is made here. For 7.5 on it is of CUDA 13, for 7.0 of CUDA 12. */
void cubin_write(const cubin *c, strbuf *out);

#endif
