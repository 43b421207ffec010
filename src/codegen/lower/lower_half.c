/* src/codegen/lower/lower_half.c - f16, bf16 and their pairs. A scalar lives in
 * the lower half of a register; what the upper one holds does not matter. */
#include "codegen/lower/context.h"

static bool is_bf16(ptx_type t)
{
    return t == PTX_TYPE_BF16 || t == PTX_TYPE_BF16X2;
}

static unsigned format_of(ptx_type t)
{
    return is_bf16(t) ? HFMT_BF16 : HFMT_F16;
}

/* The lesser or greater of each half; a NaN gives a NaN. */
static cg_src half_min_max(lower *l, ptx_type t, bool max, cg_src s, cg_src by)
{
    cg_src d = cb_op(&l->b, ISA_HMNMX2, s, by, cb_none());
    cg_inst *i = cb_last(&l->b);

    i->psrc[0] = (cg_pred){0, max};
    CG_PUT(i, NANP, 1);
    CG_PUT(i, HFMT, format_of(t));
    return d;
}

cg_src lo_relu_half(lower *l, ptx_type t, cg_src s)
{
    return half_min_max(l, t, true, s, cg_zero());
}

cg_src lo_finite_half(lower *l, ptx_type t, cg_src s)
{
    int32_t most = is_bf16(t) ? 0x7f7f7f7f : 0x7bff7bff;

    s = half_min_max(l, t, false, s, cg_imm(most));
    return half_min_max(
        l, t, true, s, cg_imm((int32_t)((uint32_t)most ^ 1u << 31 ^ 1u << 15)));
}

/* Finishes the operation added last: modifiers, and d = s. */
static void done(lower *l, const ptx_inst *in, cg_src s)
{
    ptx_type t = lo_type(in, 0);
    cg_inst *i = cb_last(&l->b);

    lo_float_mods(in, i);
    CG_PUT(i, HFMT, format_of(t));
    if (ptx_has(in, PTX_FLAG_RELU))
        s = lo_relu_half(l, t, s);
    lo_set(l, &in->ops[0], s);
}

/* A scalar half, or one of a pair, in single precision: exact. */
cg_src lo_half_to_f32(lower *l, ptx_type t, cg_src s, bool upper)
{
    cg_src d;

    if (is_bf16(t))
        return upper ? cb_and(&l->b, s, cg_imm((int32_t)0xffff0000))
                     : cb_shl(&l->b, s, cg_imm(16));
    d = cb_op(&l->b, ISA_F2F_SH, s, cb_none(), cb_none());
    CG_PUT(cb_last(&l->b), SWZA, upper ? SWZ_H1_H1 : SWZ_H0_H0);
    return d;
}

void lo_add_half(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t), y = lo_src(l, &in->ops[2], t), d;

    if (in->op == PTX_SUB)
        y = cg_neg(cb_reg(&l->b, y, 1));
    d = cb_op(&l->b, ISA_HADD2, x, y, cb_none());
    cb_last(&l->b)->fuse = !in->round && l->u->opt->contract;
    done(l, in, d);
}

void lo_mul_half(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    lo_args s = lo_sources(l, in, t);
    cg_src d = cb_op(&l->b, ISA_HMUL2, s.a, s.b, cb_none());

    cb_last(&l->b)->fuse = !in->round && l->u->opt->contract;
    done(l, in, d);
}

/* All ones in the halves of `s` that are not the NaN which stands for an
 * element out of bounds. The manual names that NaN but not its bits; all ones
 * is our choice [guess]. */
static cg_src in_bounds(lower *l, cg_src s)
{
    cg_build *b = &l->b;
    cg_src any =
        cb_lop(b, ~LUT_A & LUT_B & 0xff, s, cg_imm(0x7fff7fff), cg_zero());

    any = cb_add(b, any, cg_imm(0x7fff7fff)); /* top bit: some lower is 0 */
    any = cb_lop(b, (LUT_A | (~LUT_B & 0xff)) & LUT_C, any, s,
                 cg_imm((int32_t)0x80008000));
    /* from the top bit of a half to all of it */
    return cb_op(b, ISA_PRMT, any, cg_imm(0xbb99), cg_zero());
}

void lo_fma_half(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    lo_args s = lo_sources(l, in, t);
    cg_src keep, d;

    if (!ptx_has(in, PTX_FLAG_OOB)) {
        done(l, in, cb_op(&l->b, ISA_HFMA2, s.a, s.b, s.c));
        return;
    }
    keep = in_bounds(l, s.a);
    keep = cb_and(&l->b, keep, in_bounds(l, s.b));
    d = cb_op(&l->b, ISA_HFMA2, s.a, s.b, s.c);
    done(l, in, d);
    lo_set(l, &in->ops[0], cb_and(&l->b, cg_r(lo_dst(l, &in->ops[0])), keep));
}

void lo_minmax_half(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    lo_args s = lo_sources(l, in, t);
    cg_src d;
    cg_inst *i;

    if (in->nops > 3) {
        lo_unsupported(l, "three operands are single precision's");
        return;
    }
    d = cb_op(&l->b, ISA_HMNMX2, s.a, s.b, cb_none());
    i = cb_last(&l->b);
    i->psrc[0] = (cg_pred){0, in->op == PTX_MAX};
    CG_PUT(i, NANP, ptx_has(in, PTX_FLAG_NAN));
    CG_PUT(i, XSIGN, ptx_has(in, PTX_FLAG_XORSIGN));
    done(l, in, d);
}

/* neg and abs change bits; flushing denormals takes an addition. */
void lo_sign_half(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    bool abs = in->op == PTX_ABS;
    cg_src x = lo_src(l, &in->ops[1], t), d;

    if (!ptx_has(in, PTX_FLAG_FTZ)) {
        lo_set(l, &in->ops[0],
               abs ? cb_and(&l->b, x, cg_imm(0x7fff7fff))
                   : cb_xor(&l->b, x, cg_imm((int32_t)0x80008000)));
        return;
    }
    x = cb_reg(&l->b, x, 1);
    x.mod = abs ? SRC_ABS : SRC_NEG;
    d = cb_op(&l->b, ISA_HADD2, x, cg_neg(cg_zero()), cb_none());
    done(l, in, d);
}

/* ---- special functions ------------------------------------------------- */

/* In single precision, rounded once more: well inside the bounds that the
 * manual gives [PTX85:ex2] [PTX85:tanh]. */
static cg_src lower_half_mufu(lower *l, const ptx_inst *in, ptx_type t,
                              cg_src s, bool upper)
{
    cg_src d = lo_half_to_f32(l, t, s, upper);

    d = cb_op(&l->b, ISA_MUFU, d, cb_none(), cb_none());
    CG_PUT(cb_last(&l->b), MUFUFN, in->op == PTX_EX2 ? MUFU_EX2 : MUFU_TANH);
    CG_PUT(cb_last(&l->b), FTZ, ptx_has(in, PTX_FLAG_FTZ));
    return d;
}

void lo_mufu_half(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src s = lo_src(l, &in->ops[1], t), low, high = cg_zero(), d;

    low = lower_half_mufu(l, in, t, s, false);
    if (ptx_type_lanes(t) > 1)
        high = lower_half_mufu(l, in, t, s, true);
    d = cb_op(&l->b, ISA_F2FP, high, low, cb_none());
    CG_PUT(cb_last(&l->b), HFMT, format_of(t));
    lo_set(l, &in->ops[0], d);
}
