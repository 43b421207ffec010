/* src/codegen/lower/lower_div.c - integer division. A reciprocal from the
 * special function unit, made precise by Newton steps in integers; always a
 * little too small, so that two corrections of the quotient are enough. By
 * zero, which the manual leaves open: all ones, remainders of 32 and 64 bits
 * too, as in the machine code of NVIDIA's compiler [PTXAS13:rem]; of 16 bits
 * the dividend. */
#include "codegen/lower/context.h"

typedef struct quotient {
    cg_src q, r;
} quotient;

static cg_src emit_conversion(cg_build *b, unsigned op, cg_src s,
                              enum isa_itype type)
{
    cg_src d = cb_op(b, op, s, cb_none(), cb_none());
    cg_inst *i = cb_last(b);

    if (op == ISA_I2F || op == ISA_I2F_L) {
        CG_PUT(i, ITYPE, type);
        CG_PUT(i, RND, RND_RP);
    } else {
        CG_PUT(i, DTYPE, type);
        CG_PUT(i, RNDI, RNDI_TRUNC);
    }
    return d;
}

/* x += y where p holds; a guard is cheaper than a choice. */
static void add_if(cg_build *b, cg_pred p, vreg x, cg_src y)
{
    cb_to(b, ISA_IADD3, cb_dst(x), cg_r(x), y, cg_zero())->guard = p;
}

static void negate_if(cg_build *b, cg_pred p, vreg x)
{
    cb_to(b, ISA_IADD3, cb_dst(x), cg_zero(), cg_neg(cg_r(x)), cg_zero())
        ->guard = p;
}

static void ones_if(cg_build *b, cg_pred p, vreg x)
{
    cb_to(b, ISA_MOV, cb_dst(x), cb_none(), cg_imm(-1), cb_none())->guard = p;
}

typedef struct division { /* quotient and remainder being made */
    vreg q, r;
} division;

/* r >= d: one more in the quotient, d less in the remainder; the last time
 * only what is wanted. */
static void correct32(cg_build *b, division v, cg_src d, bool last,
                      bool want_rem)
{
    cg_pred p = cg_p(cb_isetp(b, CMP_GE, false, cg_r(v.r), d));

    add_if(b, p, v.q, cg_imm(1));
    if (!last || want_rem)
        add_if(b, p, v.r, cg_neg(d));
}

static division udiv32(cg_build *b, cg_src n, cg_src d, bool want_rem)
{
    cg_src f = emit_conversion(b, ISA_I2F, d, ITYPE_U32), r, t, q;
    division v;

    r = cb_op(b, ISA_MUFU, f, cb_none(), cb_none());
    CG_PUT(cb_last(b), MUFUFN, MUFU_RCP);
    /* times 2^32, less two units in the last place */
    r = emit_conversion(b, ISA_F2I, cb_add(b, r, cg_imm(0x0ffffffe)),
                        ITYPE_U32);
    t = cb_mul(b, cb_add(b, cg_zero(), cg_neg(d)), r);
    r = cb_op(b, ISA_IMADHI, r, t, r);
    CG_PUT(cb_last(b), U32, 1);
    q = cb_mulhi(b, false, r, n);
    t = cb_add(b, cg_zero(), cg_neg(q));
    v.r = cg_reg_new(b->f, CG_W1);
    cb_copy(b, v.r, cb_mad(b, t, d, n), 1);
    v.q = cg_reg_new(b->f, CG_W1);
    cb_copy(b, v.q, q, 1);
    correct32(b, v, d, false, want_rem);
    correct32(b, v, d, true, want_rem);
    return v;
}

static cg_src div32(cg_build *b, bool sign, bool narrow, bool want_rem,
                    cg_src n, cg_src d)
{
    cg_src n1 = n, d1 = d;
    division v;
    vreg p;

    if (sign) {
        n1 = cb_op(b, ISA_IABS, n, cb_none(), cb_none());
        d1 = cb_op(b, ISA_IABS, d, cb_none(), cb_none());
    }
    v = udiv32(b, n1, d1, want_rem);
    if (sign) {
        p = cb_isetp(b, CMP_LT, true, want_rem ? n : cb_xor(b, n, d),
                     cg_zero());
        negate_if(b, cg_p(p), want_rem ? v.r : v.q);
    }
    p = cb_isetp(b, CMP_EQ, false, d, cg_zero());
    if (!want_rem || !narrow)
        ones_if(b, cg_p(p), want_rem ? v.r : v.q);
    return cg_r(want_rem ? v.r : v.q);
}

/* ---- 64 bits ----------------------------------------------------------- */

static cg_src emit_mul64(cg_build *b, cg_src x, cg_src y)
{
    return cb_op(b, CG_MUL64, x, y, cb_none());
}

static cg_src neg64(cg_build *b, cg_src x)
{
    return cb_add64(b, cg_zero(), cg_neg(x));
}

static quotient correct64(cg_build *b, quotient v, cg_src d)
{
    vreg p = cb_isetp64(b, CMP_GE, false, v.r, d);

    return (quotient){
        cb_sel64(b, cg_p(p), cb_add64(b, v.q, cg_imm(1)), v.q),
        cb_sel64(b, cg_p(p), cb_add64(b, v.r, cg_neg(d)), v.r),
    };
}

static quotient udiv64(lower *l, cg_src n, cg_src d)
{
    cg_build *b = &l->b;
    cg_src f = emit_conversion(b, ISA_I2F_L, d, ITYPE_U64), r,
           minus = neg64(b, d);
    quotient v;

    r = cb_op(b, ISA_MUFU, f, cb_none(), cb_none());
    CG_PUT(cb_last(b), MUFUFN, MUFU_RCP);
    r = emit_conversion(b, ISA_F2I_L, cb_add(b, r, cg_imm(0x1ffffffe)),
                        ITYPE_U64);
    for (unsigned i = 0; i < 2; i++)
        r = cb_add64(b, r, lo_mulhi64(l, false, r, emit_mul64(b, minus, r)));
    v.q = lo_mulhi64(l, false, n, r);
    v.r = cb_add64(b, n, cg_neg(emit_mul64(b, v.q, d)));
    return correct64(b, correct64(b, v, d), d);
}

/* Both operands fit into 32 bits more often than not. */
static quotient udiv64_by_size(lower *l, cg_src n, cg_src d)
{
    cg_build *b = &l->b;
    cg_block *longer = cg_block_new(b->f), *join = cg_block_new(b->f);
    vreg q = cg_reg_new(b->f, CG_W2), r = cg_reg_new(b->f, CG_W2);
    cg_src high = cb_or(b, cg_word(n, 1), cg_word(d, 1));
    vreg p = cb_isetp(b, CMP_NE, false, high, cg_zero());
    quotient v;
    division w;

    cb_branch(b, cg_p(p), longer);
    w = udiv32(b, cg_word(n, 0), cg_word(d, 0), true);
    cb_copy(b, q, cb_pair(b, cg_r(w.q), cg_zero()), 2);
    cb_copy(b, r, cb_pair(b, cg_r(w.r), cg_zero()), 2);
    cb_branch(b, (cg_pred){0}, join);
    cb_enter(b, longer);
    v = udiv64(l, n, d);
    cb_copy(b, q, v.q, 2);
    cb_copy(b, r, v.r, 2);
    cb_enter(b, join);
    return (quotient){cg_r(q), cg_r(r)};
}

static cg_src emit_abs64(cg_build *b, cg_src x)
{
    vreg p = cb_isetp(b, CMP_LT, true, cg_word(x, 1), cg_zero());

    return cb_sel64(b, cg_p(p), neg64(b, x), x);
}

static quotient div64(lower *l, bool sign, cg_src n, cg_src d)
{
    cg_build *b = &l->b;
    cg_src ones = cg_imm(-1);
    quotient v;
    vreg p;

    v = sign ? udiv64_by_size(l, emit_abs64(b, n), emit_abs64(b, d))
             : udiv64_by_size(l, n, d);
    if (sign) {
        p = cb_isetp(b, CMP_LT, true, cb_xor(b, cg_word(n, 1), cg_word(d, 1)),
                     cg_zero());
        v.q = cb_sel64(b, cg_p(p), neg64(b, v.q), v.q);
        p = cb_isetp(b, CMP_LT, true, cg_word(n, 1), cg_zero());
        v.r = cb_sel64(b, cg_p(p), neg64(b, v.r), v.r);
    }
    p = cb_isetp(b, CMP_EQ, false, cb_or(b, cg_word(d, 0), cg_word(d, 1)),
                 cg_zero());
    v.q = cb_sel64(b, cg_p(p), ones, v.q);
    v.r = cb_sel64(b, cg_p(p), ones, v.r);
    return v;
}

void lo_div_int(lower *l, const ptx_inst *in, bool want_rem)
{
    ptx_type t = lo_type(in, 0);
    lo_skip skip = lo_skip_begin(l);
    bool sign = lo_signed(t);
    unsigned words = lo_words(t);
    cg_src n, d;
    quotient v;

    n = cb_reg(&l->b, lo_ext(l, lo_src(l, &in->ops[1], t), t), words);
    d = cb_reg(&l->b, lo_ext(l, lo_src(l, &in->ops[2], t), t), words);
    if (lo_is64(t)) {
        v = div64(l, sign, n, d);
        lo_set(l, &in->ops[0], want_rem ? v.r : v.q);
    } else {
        lo_set(l, &in->ops[0],
               div32(&l->b, sign, ptx_type_bits(t) == 16, want_rem, n, d));
    }
    lo_skip_end(l, skip);
}
