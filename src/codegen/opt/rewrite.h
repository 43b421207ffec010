/* src/codegen/opt/rewrite.h - what the patterns in combine_*.c are written in:
 * questions about an operation and those that define its operands, and changes
 * that keep definitions and uses true. */
#ifndef CODEGEN_OPT_REWRITE_H
#define CODEGEN_OPT_REWRITE_H

#include "codegen/ir/build.h"
#include "codegen/ir/defuse.h"

typedef struct combine {
    cg_defuse *d;
    cg_func *f;
    bool volta;
} combine;

/* The definition of operand `s` of `in`, NULL if it is not the only one, or
 * if its own operands may have changed since. */
cg_inst *co_def(const combine *c, const cg_inst *in, const cg_src *s,
                unsigned words);
cg_inst *co_pred_def(const combine *c, const cg_inst *in, vreg p);

/* No word of the operand has another use. */
bool co_only_use(const combine *c, const cg_src *s, unsigned words);

/* The operand is a constant. */
bool co_known(const cg_src *s, int64_t *value);

/* The operand is the register that reads zero. */
static inline bool co_is_zero(const cg_src *s)
{
    return s->kind == SRC_REG && !s->reg;
}

/* The pair s is 32 bits extended with zeros or with their sign: `low`. */
bool co_extended(const combine *c, const cg_inst *in, const cg_src *s,
                 cg_src *low, bool *is_signed);

/* Makes `in` a different operation with the same destination; its modifiers
 * and source predicates are gone. */
void co_become(combine *c, cg_inst *in, unsigned op, cg_src x, cg_src y,
               cg_src z);
void co_copy(combine *c, cg_inst *in, cg_src s); /* of as many words */
void co_set_src(combine *c, cg_inst *in, unsigned i, cg_src s);
void co_set_psrc(combine *c, cg_inst *in, unsigned i, cg_pred p);

/* A value computed before `in`, in a new register. */
cg_src co_value(combine *c, cg_inst *in, unsigned op, cg_src x, cg_src y,
                cg_src z);

#endif
