/* src/codegen/lower_half.c - f16, bf16 and their pairs. A scalar lives in the
 * lower half of a register; what the upper one holds does not matter. */
#include "codegen/lower.h"

static bool is_bf16(ptx_type t)
{
    return t == PTX_TYPE_BF16 || t == PTX_TYPE_BF16X2;
}

/* Finishes the operation added last: modifiers, and d = s. */
static void done(lower *l, const ptx_inst *in, cg_src s)
{
    cg_inst *i = cb_last(&l->b);

    lo_float_mods(in, i);
    CG_PUT(i, HFMT, is_bf16(lo_type(in, 0)) ? HFMT_BF16 : HFMT_F16);
    if (ptx_has(in, PTX_FLAG_RELU)) { /* max with zero; NaN becomes NaN */
        s = cb_op(&l->b, ISA_HMNMX2, s, cg_zero(), cb_none());
        i = cb_last(&l->b);
        i->psrc[0] = (cg_pred){0, true};
        CG_PUT(i, NANP, 1);
        CG_PUT(i, HFMT, is_bf16(lo_type(in, 0)) ? HFMT_BF16 : HFMT_F16);
    }
    lo_set(l, &in->ops[0], s);
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
    cg_src d = cb_op(&l->b, ISA_HMUL2, lo_src(l, &in->ops[1], t),
                     lo_src(l, &in->ops[2], t), cb_none());

    cb_last(&l->b)->fuse = !in->round && l->u->opt->contract;
    done(l, in, d);
}

void lo_fma_half(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src d = cb_op(&l->b, ISA_HFMA2, lo_src(l, &in->ops[1], t),
                     lo_src(l, &in->ops[2], t), lo_src(l, &in->ops[3], t));

    done(l, in, d);
}

void lo_minmax_half(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src d;
    cg_inst *i;

    if (in->nops > 3 || ptx_has(in, PTX_FLAG_XORSIGN)) {
        lo_unsupported(l, NULL);
        return;
    }
    d = cb_op(&l->b, ISA_HMNMX2, lo_src(l, &in->ops[1], t),
              lo_src(l, &in->ops[2], t), cb_none());
    i = cb_last(&l->b);
    i->psrc[0] = (cg_pred){0, in->op == PTX_MAX};
    CG_PUT(i, NANP, ptx_has(in, PTX_FLAG_NAN));
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
