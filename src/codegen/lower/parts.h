/* src/codegen/lower/parts.h - a kernel and the functions that it calls, each of
 * which is compiled once. */
#ifndef CODEGEN_LOWER_PARTS_H
#define CODEGEN_LOWER_PARTS_H

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

#endif
