#include "codegen/ir/build.h"

cg_build cb_before(cg_func *f, cg_inst *in)
{
    return (cg_build){.f = f, .b = in->block, .before = in, .line = in->line};
}

cg_inst *cb_emit(cg_build *b, unsigned op)
{
    cg_inst *in = cg_inst_new(b->f, op);

    in->line = b->line;
    in->guard = b->guard;
    if (b->before)
        cg_insert_before(in, b->before);
    else
        cg_append(b->b, in);
    return in;
}

cg_inst *cb_last(const cg_build *b)
{
    return b->before ? b->before->prev : b->b->last;
}

cg_inst *cb_to(cg_build *b, unsigned op, cg_dst d, cg_src x, cg_src y, cg_src z)
{
    cg_inst *in = cb_emit(b, op);

    in->dst = d;
    in->src[0] = x;
    in->src[1] = y;
    in->src[2] = z;
    return in;
}

cg_src cb_op(cg_build *b, unsigned op, cg_src x, cg_src y, cg_src z)
{
    cg_inst *in = cb_to(b, op, (cg_dst){0}, x, y, z);

    in->dst.reg = cg_reg_new(b->f, cg_class_of_words(cg_dst_words(in)));
    return cg_r(in->dst.reg);
}

void cb_copy(cg_build *b, vreg d, cg_src s, unsigned words)
{
    for (unsigned i = 0; i < words; i++)
        cb_to(b, ISA_MOV, cb_dstw(d, i), cb_none(), cg_word(s, i), cb_none());
}

cg_src cb_reg(cg_build *b, cg_src s, unsigned words)
{
    if (s.kind == SRC_REG && !s.mod)
        return s;
    vreg v = cg_reg_new(b->f, cg_class_of_words(words));
    cb_copy(b, v, s, words);
    return cg_r(v);
}

cg_src cb_pair(cg_build *b, cg_src low, cg_src high)
{
    vreg v = cg_reg_new(b->f, CG_W2);

    cb_to(b, ISA_MOV, cb_dstw(v, 0), cb_none(), low, cb_none());
    cb_to(b, ISA_MOV, cb_dstw(v, 1), cb_none(), high, cb_none());
    return cg_r(v);
}

/* ---- 32 bits ----------------------------------------------------------- */

cg_src cb_add3(cg_build *b, cg_src x, cg_src y, cg_src z)
{
    return cb_op(b, ISA_IADD3, x, y, z);
}

cg_src cb_add(cg_build *b, cg_src x, cg_src y)
{
    return cb_add3(b, x, y, cg_zero());
}

cg_src cb_mad(cg_build *b, cg_src x, cg_src y, cg_src z)
{
    return cb_op(b, ISA_IMAD, x, y, z);
}

cg_src cb_mul(cg_build *b, cg_src x, cg_src y)
{
    return cb_mad(b, x, y, cg_zero());
}

cg_src cb_mulhi(cg_build *b, bool is_signed, cg_src x, cg_src y)
{
    cg_src r = cb_op(b, ISA_IMADHI, x, y, cg_zero());

    CG_PUT(cb_last(b), U32, !is_signed);
    return r;
}

cg_src cb_wide(cg_build *b, bool is_signed, cg_src x, cg_src y, cg_src z)
{
    cg_src r = cb_op(b, ISA_IMADW, x, y, z);

    CG_PUT(cb_last(b), U32, !is_signed);
    return r;
}

cg_src cb_shl(cg_build *b, cg_src x, cg_src n)
{
    return cb_op(b, ISA_SHL, x, n, cb_none());
}

cg_src cb_shr(cg_build *b, bool is_signed, cg_src x, cg_src n)
{
    cg_src r = cb_op(b, ISA_SHR, x, n, cb_none());

    CG_PUT(cb_last(b), U32, !is_signed);
    return r;
}

cg_src cb_sel(cg_build *b, cg_pred p, cg_src x, cg_src y)
{
    cg_src r = cb_op(b, ISA_SEL, x, y, cb_none());

    cb_last(b)->psrc[0] = p;
    return r;
}

cg_src cb_sext(cg_build *b, cg_src x, unsigned bits)
{
    if (bits >= 32)
        return x;
    return cb_op(b, ISA_SGXT, x, cg_imm((int64_t)bits), cb_none());
}

cg_src cb_zext(cg_build *b, cg_src x, unsigned bits)
{
    if (bits >= 32)
        return x;
    return cb_and(b, x, cg_imm((1 << bits) - 1));
}

cg_src cb_sreg(cg_build *b, isa_sreg r)
{
    cg_src s = cb_op(b, ISA_S2R, cb_none(), cb_none(), cb_none());

    cb_last(b)->lut = (uint8_t)r;
    return s;
}

cg_src cb_lop(cg_build *b, unsigned lut, cg_src x, cg_src y, cg_src z)
{
    cg_src r = cb_op(b, ISA_LOP3, x, y, z);

    cb_last(b)->lut = (uint8_t)lut;
    return r;
}

cg_src cb_and(cg_build *b, cg_src x, cg_src y)
{
    return cb_lop(b, LUT_A & LUT_B, x, y, cg_zero());
}

cg_src cb_or(cg_build *b, cg_src x, cg_src y)
{
    return cb_lop(b, LUT_A | LUT_B, x, y, cg_zero());
}

cg_src cb_xor(cg_build *b, cg_src x, cg_src y)
{
    return cb_lop(b, LUT_A ^ LUT_B, x, y, cg_zero());
}

vreg cb_plop(cg_build *b, unsigned lut, cg_pred x, cg_pred y, cg_pred z)
{
    cg_inst *in = cb_emit(b, ISA_PLOP3);

    in->lut = (uint8_t)lut;
    in->pdst[0] = cg_reg_new(b->f, CG_PRED);
    in->psrc[0] = x;
    in->psrc[1] = y;
    in->psrc[2] = z;
    return in->pdst[0];
}

vreg cb_isetp(cg_build *b, enum isa_cmp cmp, bool is_signed, cg_src x, cg_src y)
{
    cg_inst *in = cb_to(b, ISA_ISETP, (cg_dst){0}, x, y, cb_none());

    in->pdst[0] = cg_reg_new(b->f, CG_PRED);
    CG_PUT(in, ICMP, cmp);
    CG_PUT(in, U32, !is_signed);
    return in->pdst[0];
}

vreg cb_isetp64(cg_build *b, enum isa_cmp cmp, bool is_signed, cg_src x,
                cg_src y)
{
    vreg low = cb_isetp(b, cmp, false, cg_word(x, 0), cg_word(y, 0));
    vreg all = cb_isetp(b, cmp, is_signed, cg_word(x, 1), cg_word(y, 1));
    cg_inst *in = cb_last(b);

    CG_PUT(in, EX, 1);
    in->psrc[1] = cg_p(low);
    return all;
}

vreg cb_fsetp(cg_build *b, unsigned op, enum isa_cmp cmp, cg_src x, cg_src y)
{
    cg_inst *in = cb_to(b, op, (cg_dst){0}, x, y, cb_none());

    in->pdst[0] = cg_reg_new(b->f, CG_PRED);
    CG_PUT(in, FCMP, cmp);
    return in->pdst[0];
}

/* ---- 64 bits ----------------------------------------------------------- */

cg_src cb_add64(cg_build *b, cg_src x, cg_src y)
{
    return cb_op(b, CG_ADD64, x, y, cb_none());
}

cg_src cb_sel64(cg_build *b, cg_pred p, cg_src x, cg_src y)
{
    cg_src low = cb_sel(b, p, cg_word(x, 0), cg_word(y, 0));

    return cb_pair(b, low, cb_sel(b, p, cg_word(x, 1), cg_word(y, 1)));
}

cg_src cb_lop64(cg_build *b, unsigned lut, cg_src x, cg_src y)
{
    cg_src low = cb_lop(b, lut, cg_word(x, 0), cg_word(y, 0), cg_zero());

    return cb_pair(b, low,
                   cb_lop(b, lut, cg_word(x, 1), cg_word(y, 1), cg_zero()));
}

/* ---- control flow ------------------------------------------------------ */

cg_block *cb_branch(cg_build *b, cg_pred p, cg_block *to)
{
    cg_inst *in = cb_emit(b, ISA_BRA);
    cg_block *next = cg_block_new(b->f);

    in->guard = p;
    in->target = to;
    b->b->fall = p.reg || p.neg ? next : NULL;
    cg_block_append(b->f, next);
    b->b = next;
    return next;
}

void cb_enter(cg_build *b, cg_block *next)
{
    cg_inst *last = b->b->last;

    if (!last || !cg_is_branch(last) ||
        (last->op == ISA_BRA && last->guard.reg))
        b->b->fall = next;
    cg_block_append(b->f, next);
    b->b = next;
}
