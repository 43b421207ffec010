/* src/codegen/ir/build.h - adds operations at a place in a function. The calls
 * that return an operand put the result into a new virtual register.
 * Borrows the function. */
#ifndef CODEGEN_IR_BUILD_H
#define CODEGEN_IR_BUILD_H

#include "codegen/ir/ir.h"

typedef struct cg_build {
    cg_func *f;
    cg_block *b;     /* appends here ... */
    cg_inst *before; /* ... or inserts before this one, if not NULL */
    cg_pred guard;   /* of every operation added */
    uint32_t line;
} cg_build;

/* A builder that inserts before `in`, unguarded. */
cg_build cb_before(cg_func *f, cg_inst *in);

cg_inst *cb_emit(cg_build *b, unsigned op);
cg_inst *cb_to(cg_build *b, unsigned op, cg_dst d, cg_src x, cg_src y,
               cg_src z);
cg_src cb_op(cg_build *b, unsigned op, cg_src x, cg_src y, cg_src z);
static inline cg_src cb_none(void) { return (cg_src){0}; }
static inline cg_dst cb_dst(vreg v) { return (cg_dst){v, 0}; }
static inline cg_dst cb_dstw(vreg v, unsigned off)
{
    return (cg_dst){v, (uint8_t)off};
}
cg_inst *cb_last(const cg_build *b); /* the operation added last */

/* Copies `words` words from wide operand s to register d. */
void cb_copy(cg_build *b, vreg d, cg_src s, unsigned words);
cg_src cb_reg(cg_build *b, cg_src s, unsigned words); /* s in a register */
cg_src cb_pair(cg_build *b, cg_src low, cg_src high);

cg_src cb_add(cg_build *b, cg_src x, cg_src y);
cg_src cb_add3(cg_build *b, cg_src x, cg_src y, cg_src z);
cg_src cb_mul(cg_build *b, cg_src x, cg_src y);
cg_src cb_mad(cg_build *b, cg_src x, cg_src y, cg_src z);
cg_src cb_mulhi(cg_build *b, bool is_signed, cg_src x, cg_src y);
cg_src cb_wide(cg_build *b, bool is_signed, cg_src x, cg_src y, cg_src z);
cg_src cb_shl(cg_build *b, cg_src x, cg_src n);
cg_src cb_shr(cg_build *b, bool is_signed, cg_src x, cg_src n);
cg_src cb_sel(cg_build *b, cg_pred p, cg_src x, cg_src y);
cg_src cb_sext(cg_build *b, cg_src x, unsigned bits); /* to 32 */
cg_src cb_zext(cg_build *b, cg_src x, unsigned bits);
cg_src cb_sreg(cg_build *b, isa_sreg r);

/* Three-input logic; LUT_A & LUT_B is the table of a & b. */
enum { LUT_A = 0xf0, LUT_B = 0xcc, LUT_C = 0xaa };
cg_src cb_lop(cg_build *b, unsigned lut, cg_src x, cg_src y, cg_src z);
cg_src cb_and(cg_build *b, cg_src x, cg_src y);
cg_src cb_or(cg_build *b, cg_src x, cg_src y);
cg_src cb_xor(cg_build *b, cg_src x, cg_src y);
vreg cb_plop(cg_build *b, unsigned lut, cg_pred x, cg_pred y, cg_pred z);

vreg cb_isetp(cg_build *b, enum isa_cmp cmp, bool is_signed, cg_src x,
              cg_src y);
vreg cb_isetp64(cg_build *b, enum isa_cmp cmp, bool is_signed, cg_src x,
                cg_src y);
vreg cb_fsetp(cg_build *b, unsigned op, enum isa_cmp cmp, cg_src x, cg_src y);

/* 64 bits */
cg_src cb_add64(cg_build *b, cg_src x, cg_src y);
cg_src cb_sel64(cg_build *b, cg_pred p, cg_src x, cg_src y);
cg_src cb_lop64(cg_build *b, unsigned lut, cg_src x, cg_src y);

/* Control flow: ends the block with a branch to `to` under `p`, goes on in a
 * new block, which is returned. Only for builders that append. */
cg_block *cb_branch(cg_build *b, cg_pred p, cg_block *to);
/* Ends the block with a jump, or falls, into `next`, and goes on there. */
void cb_enter(cg_build *b, cg_block *next);

#endif
