/* src/codegen/opt/expand.c - 64-bit integer operations as pairs of 32-bit ones
 * linked by carry predicates. */
#include "codegen/ir/build.h"
#include "codegen/ir/pass.h"

/* An operand that a negation or a second constant keeps from its place. */
static cg_src plain_operand(cg_build *b, cg_src s)
{
    if (s.kind == SRC_REG)
        return s;
    uint8_t mod = s.mod;

    s.mod = 0;
    s = cb_reg(b, s, 1);
    s.mod = mod;
    return s;
}

static cg_src half(cg_src s, unsigned i)
{
    uint8_t mod = s.mod;

    s.mod = 0;
    s = cg_word(s, i);
    s.mod = mod; /* of zero too: the carry counts */
    return s;
}

static void expand_add64(cg_build *b, cg_inst *in)
{
    cg_src x[2], y[2];
    cg_inst *low, *high;
    vreg carry = cg_reg_new(b->f, CG_PRED);

    for (unsigned i = 0; i < 2; i++) {
        x[i] = half(in->src[0], i);
        y[i] = half(in->src[1], i);
        if (x[i].kind != SRC_REG && y[i].kind != SRC_REG)
            x[i] = plain_operand(b, x[i]);
        if (y[i].kind == SRC_IMM && y[i].mod)
            y[i] = plain_operand(b, y[i]);
        if (x[i].kind == SRC_IMM && x[i].mod)
            x[i] = plain_operand(b, x[i]);
    }
    low = cb_to(b, ISA_IADD3, in->dst, x[0], y[0], cg_zero());
    low->pdst[0] = carry;
    high = cb_to(b, ISA_IADD3X, cb_dstw(in->dst.reg, in->dst.off + 1u), x[1],
                 y[1], cg_zero());
    high->psrc[0] = cg_p(carry);
    high->psrc[1] = (cg_pred){0, true};
}

/* x y = xl yl + 2^32 (xl yh + xh yl), modulo 2^64. */
static void mul(cg_build *b, cg_inst *in)
{
    cg_src x = in->src[0], y = in->src[1], w, h;

    w = cb_wide(b, false, plain_operand(b, cg_word(x, 0)), cg_word(y, 0),
                cg_zero());
    h = cb_mad(b, plain_operand(b, cg_word(x, 0)), cg_word(y, 1),
               cg_word(w, 1));
    h = cb_mad(b, plain_operand(b, cg_word(x, 1)), cg_word(y, 0), h);
    cb_to(b, ISA_MOV, in->dst, cb_none(), cg_word(w, 0), cb_none());
    cb_to(b, ISA_MOV, cb_dstw(in->dst.reg, in->dst.off + 1u), cb_none(), h,
          cb_none());
}

static void shl(cg_build *b, cg_inst *in)
{
    cg_src x = in->src[0], h;
    cg_dst high = cb_dstw(in->dst.reg, in->dst.off + 1u);
    unsigned n = in->lut;

    if (n >= 32) {
        cb_to(b, ISA_MOV, in->dst, cb_none(), cg_zero(), cb_none());
        if (n == 32)
            cb_to(b, ISA_MOV, high, cb_none(), cg_word(x, 0), cb_none());
        else
            cb_to(b, ISA_SHL, high, cg_word(x, 0), cg_imm(n - 32), cb_none());
        return;
    }
    if (!n) {
        cb_to(b, ISA_MOV, in->dst, cb_none(), cg_word(x, 0), cb_none());
        cb_to(b, ISA_MOV, high, cb_none(), cg_word(x, 1), cb_none());
        return;
    }
    h = cb_op(b, ISA_SHF_L, plain_operand(b, cg_word(x, 0)), cg_imm(n),
              plain_operand(b, cg_word(x, 1)));
    CG_PUT(cb_last(b), STYPE, 2); /* U64 */
    CG_PUT(cb_last(b), HI, 1);
    cb_to(b, ISA_SHL, in->dst, cg_word(x, 0), cg_imm(n), cb_none());
    cb_to(b, ISA_MOV, high, cb_none(), h, cb_none());
}

/* (A << n) + B */
static void lea(cg_build *b, cg_inst *in)
{
    cg_src x = in->src[0], y = in->src[1], xl = plain_operand(b, cg_word(x, 0)),
           h;
    vreg carry = cg_reg_new(b->f, CG_PRED);
    cg_inst *i;

    /* The upper word first: the lower one may replace an operand. */
    vreg low = cg_reg_new(b->f, CG_W1);
    i = cb_to(b, ISA_LEA, cb_dst(low), xl, cg_word(y, 0), cb_none());
    i->lut = in->lut;
    i->pdst[0] = carry;
    h = cb_op(b, ISA_LEAHI, xl, cg_word(y, 1), plain_operand(b, cg_word(x, 1)));
    cb_last(b)->lut = in->lut;
    cb_last(b)->psrc[0] = cg_p(carry);
    cb_to(b, ISA_MOV, in->dst, cb_none(), cg_r(low), cb_none());
    cb_to(b, ISA_MOV, cb_dstw(in->dst.reg, in->dst.off + 1u), cb_none(), h,
          cb_none());
}

/* The halves of a result may replace those of an operand: each is written
 * after the last read of its like. */
void cg_expand(cg_func *f)
{
    static void (*const expand[])(cg_build *, cg_inst *) = {
        [CG_ADD64 - ISA_COUNT] = expand_add64,
        [CG_MUL64 - ISA_COUNT] = mul,
        [CG_SHL64 - ISA_COUNT] = shl,
        [CG_LEA64 - ISA_COUNT] = lea,
    };

    for (uint32_t i = 0; i < f->nblocks; i++) {
        CG_EACH_SAFE(in, f->blocks[i])
        {
            if (in->op < ISA_COUNT || in->op >= CG_USE)
                continue;
            cg_build b = cb_before(f, in);
            b.guard = in->guard;
            expand[in->op - ISA_COUNT](&b, in);
            cg_remove(in);
        }
    }
}
