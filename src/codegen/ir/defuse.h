/* src/codegen/ir/defuse.h - definitions and uses of each word and predicate. A
 * snapshot: correct until operations are added or changed, other than by the
 * functions below. Lives in the arena given, borrows the function. */
#ifndef CODEGEN_IR_DEFUSE_H
#define CODEGEN_IR_DEFUSE_H

#include "codegen/ir/ir.h"
#include "ptx/graph.h"

typedef struct cg_du {
    cg_inst *def;   /* the only one; of several, any */
    uint32_t ndefs; /* guarded ones and parts of wide ones included */
    uint32_t nuses;
    bool ssa; /* one definition, and it dominates all uses */
} cg_du;

typedef struct cg_defuse {
    cg_func *f;
    arena *mem;
    cg_du *of; /* by word */
    uint32_t room;
    graph *g; /* of the blocks, by id */
    uint32_t *idom;
    uint32_t *in, *out; /* of the dominator tree, for cg_dominates */
} cg_defuse;

/* Numbers the function (cg_number) and reads all of it. */
cg_defuse *cg_defuse_new(arena *a, cg_func *f);

graph *cg_graph(arena *a, const cg_func *f); /* blocks by id */

/* Numbers the function and fills in the depths of its blocks. */
void cg_find_depths(cg_func *f);

/* Block a dominates block b. */
bool cg_block_dominates(const cg_defuse *d, const cg_block *a,
                        const cg_block *b);

/* True if a word of this register is written once and before all uses. */
static inline const cg_du *cg_du_of(const cg_defuse *d, vreg v, unsigned off)
{
    return &d->of[cg_word_of(d->f, v, off)];
}

/* The definition that writes exactly the words of operand `s` read with
 * `words` words; NULL if there is none such, or it is not the only one. */
cg_inst *cg_def_of(const cg_defuse *d, const cg_src *s, unsigned words);

/* The operand always has the value that it has here: constants, and words
 * with one definition that dominates their uses. */
bool cg_is_stable(const cg_defuse *d, const cg_src *s, unsigned words);

/* The predicate's only definition, NULL as above. */
cg_inst *cg_pred_def(const cg_defuse *d, vreg p);

/* Makes room for registers added since, each with one definition. */
void cg_defuse_define(cg_defuse *d, cg_inst *in);

/* Counts the uses of an operation, by +1 or -1. */
void cg_defuse_count(cg_defuse *d, const cg_inst *in, int by);

#endif
