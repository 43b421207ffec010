/* src/codegen/flow/align.h - multiples of which powers of two the words of a
 * function are: what makes an access wider. Lives in the arena given, borrows
 * the function. */
#ifndef CODEGEN_FLOW_ALIGN_H
#define CODEGEN_FLOW_ALIGN_H

#include "codegen/ir/ir.h"

typedef struct cg_align {
    const cg_func *f;
    uint8_t *zeros; /* by word: this many low bits are 0 in all its values */
} cg_align;

cg_align *cg_align_new(arena *a, const cg_func *f);

/* The low bits of an address: register plus offset, and no more than that of
 * `src`, that are 0 for certain, at most 32. */
unsigned cg_align_of(const cg_align *al, const cg_src *src);

#endif
