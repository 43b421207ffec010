/* src/codegen/lower/lower.h - from PTX instructions to operations on virtual
 * registers: a kernel and what it calls. */
#ifndef CODEGEN_LOWER_LOWER_H
#define CODEGEN_LOWER_LOWER_H

#include "codegen/ir/ir.h"
#include "codegen/unit/unit.h"

typedef struct lo_part { /* a function that the kernel calls */
    const ptx_func *fn;
    cg_func *f;
    const ptx_inst *slow; /* see lower_slow.c; NULL: `fn` itself */
} lo_part;

typedef struct lo_parts {
    lo_part *part; /* [0]: the kernel itself */
    uint32_t n, room;
    map *of;          /* ptx_func * -> cg_func * */
    uint32_t inlined; /* PTX instructions of functions taken in */
    bool has_table;   /* of handles, at `table` in CBANK_CODE */
    uint32_t table;
} lo_parts;

/* Compiles the body of `fn` into `f`, and the functions it calls into parts
 * of their own. */
void lower_kernel(cg_unit *u, const ptx_func *fn, cg_func *f, isa_kernel *k,
                  lo_parts *parts);

#endif
