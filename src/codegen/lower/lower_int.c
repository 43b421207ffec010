/* src/codegen/lower/lower_int.c - integer addition and multiplication. */
#include "codegen/lower/context.h"

/* ---- with carry -------------------------------------------------------- */

/* x + y + z at the width of one word, reading and writing the carry flag. */
static cg_src add_word(lower *l, cg_src x, cg_src y, bool in, bool out)
{
    cg_inst *i =
        cb_to(&l->b, in ? ISA_IADD3X : ISA_IADD3, (cg_dst){0}, x, y, cg_zero());

    i->dst.reg = cg_reg_new(l->b.f, CG_W1);
    if (in) {
        i->psrc[0] = cg_p(l->carry);
        i->psrc[1] = (cg_pred){0, true};
    }
    if (out)
        l->carry = i->pdst[0] = cg_reg_new(l->b.f, CG_PRED);
    return cg_r(i->dst.reg);
}

static cg_src add_flags(lower *l, cg_src x, cg_src y, bool negate, bool wide,
                        bool in, bool out)
{
    cg_src yl = cg_word(y, 0), yh = cg_word(y, 1);

    if (in && !l->carry) { /* the carry was never set: nothing to add */
        cg_inst *i = cb_emit(&l->b, ISA_PLOP3);

        i->lut = negate ? 0xff : 0;
        l->carry = i->pdst[0] = cg_reg_new(l->b.f, CG_PRED);
    }
    if (negate) { /* an immediate takes no modifier */
        yl = cg_neg(cb_reg(&l->b, yl, 1));
        yh = cg_neg(cb_reg(&l->b, yh, 1));
    }
    cg_src low = add_word(l, cg_word(x, 0), yl, in, out || wide);
    if (!wide)
        return low;
    return cb_pair(&l->b, low, add_word(l, cg_word(x, 1), yh, true, out));
}

static cg_src negated_source(lower *l, cg_src s, unsigned words)
{
    if (s.kind == SRC_IMM)
        return cg_imm(words > 1 ? -s.val : (int32_t)(uint32_t)-s.val);
    return cg_neg(s);
    (void)l;
}

/* d = a + b, or a - b, kept within the range of s32. */
static cg_src add_sat(lower *l, cg_src x, cg_src y, bool sub)
{
    cg_build *b = &l->b;
    cg_src d = cb_add(b, x, sub ? negated_source(l, y, 1) : y);
    unsigned differ = LUT_A ^ LUT_B, odd = LUT_A ^ LUT_C;
    cg_src over = cb_lop(b, (sub ? differ : ~differ) & odd & 0xff, x, y, d);
    cg_src limit =
        cb_xor(b, cb_shr(b, true, x, cg_imm(31)), cg_imm(0x7fffffff));
    vreg p = cb_isetp(b, CMP_LT, true, over, cg_zero());

    return cb_sel(b, cg_p(p), limit, d);
}

static void add_int(lower *l, const ptx_inst *in, bool sub)
{
    ptx_type t = lo_type(in, 0);
    bool wide = lo_is64(t);
    cg_src x = lo_src(l, &in->ops[1], t), y = lo_src(l, &in->ops[2], t), d;

    if (ptx_has(in, PTX_FLAG_CC))
        d = add_flags(l, x, y, sub, wide, false, true);
    else if (ptx_has(in, PTX_FLAG_SAT))
        d = add_sat(l, x, y, sub);
    else if (wide)
        d = cb_add64(&l->b, x, sub ? negated_source(l, y, 2) : y);
    else
        d = cb_add(&l->b, x, sub ? negated_source(l, y, 1) : y);
    lo_set(l, &in->ops[0], d);
}

/* Two sums of 16 bits: the upper one is that of the words without the lower
 * half of b, which sends nothing up. */
static void add_halves(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    lo_args s = lo_sources(l, in, PTX_TYPE_B32);
    cg_src high = cb_and(b, s.b, cg_imm((int32_t)0xffff0000)), low;

    if (in->op == PTX_SUB) {
        high = cg_neg(high);
        s.b = negated_source(l, s.b, 1);
    }
    low = cb_add(b, s.a, s.b);
    high = cb_add(b, s.a, high);
    lo_set(l, &in->ops[0], cb_op(b, ISA_PRMT, low, cg_imm(0x7610), high));
}

void lop_add(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);

    if (ptx_type_kind(t) == PTX_KIND_FLOAT)
        lo_add_float(l, in);
    else if (ptx_type_lanes(t) > 1)
        add_halves(l, in);
    else
        add_int(l, in, in->op == PTX_SUB);
}

void lop_addc(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t), y = lo_src(l, &in->ops[2], t);

    lo_set(l, &in->ops[0],
           add_flags(l, x, y, in->op == PTX_SUBC, lo_is64(t), true,
                     ptx_has(in, PTX_FLAG_CC)));
}

/* ---- products ---------------------------------------------------------- */

/* The upper 64 bits of a 128-bit product. */
cg_src lo_mulhi64(lower *l, bool is_signed, cg_src x, cg_src y)
{
    cg_build *b = &l->b;
    cg_src xl = cg_word(x, 0), xh = cg_word(x, 1), yl = cg_word(y, 0),
           yh = cg_word(y, 1);
    cg_src t = cb_wide(b, false, xl, yl, cg_zero());
    cg_src u = cb_wide(b, false, xh, yl, cb_pair(b, cg_word(t, 1), cg_zero()));
    cg_src v = cb_wide(b, false, xl, yh, cb_pair(b, cg_word(u, 0), cg_zero()));
    cg_src h = cb_wide(b, false, xh, yh, cb_pair(b, cg_word(u, 1), cg_zero()));

    h = cb_add64(b, h, cb_pair(b, cg_word(v, 1), cg_zero()));
    if (!is_signed)
        return h;
    cg_src mx = cb_shr(b, true, xh, cg_imm(31));
    cg_src my = cb_shr(b, true, yh, cg_imm(31));
    cg_src cx = cb_lop64(b, LUT_A & LUT_B, y, cb_pair(b, mx, mx));
    cg_src cy = cb_lop64(b, LUT_A & LUT_B, x, cb_pair(b, my, my));

    h = cb_add64(b, h, cg_neg(cx));
    return cb_add64(b, h, cg_neg(cy));
}

static cg_src lower_product(lower *l, ptx_half half, ptx_type t, cg_src x,
                            cg_src y)
{
    cg_build *b = &l->b;
    bool sign = lo_signed(t);

    if (lo_is64(t))
        return half == PTX_HALF_HI ? lo_mulhi64(l, sign, x, y)
                                   : cb_op(b, CG_MUL64, x, y, cb_none());
    if (lo_is16(t)) {
        if (half == PTX_HALF_LO)
            return cb_mul(b, x, y);
        x = lo_ext(l, x, t);
        y = lo_ext(l, y, t);
        cg_src p = cb_mul(b, x, y);

        return half == PTX_HALF_HI ? cb_shr(b, sign, p, cg_imm(16)) : p;
    }
    if (half == PTX_HALF_WIDE)
        return cb_wide(b, sign, x, y, cg_zero());
    return half == PTX_HALF_HI ? cb_mulhi(b, sign, x, y) : cb_mul(b, x, y);
}

void lop_mul(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    lo_args s;

    if (ptx_type_kind(t) == PTX_KIND_FLOAT) {
        lo_mul_float(l, in);
        return;
    }
    s = lo_sources(l, in, t);
    lo_set(l, &in->ops[0], lower_product(l, (ptx_half)in->half, t, s.a, s.b));
}

static cg_src mad_int(lower *l, const ptx_inst *in, ptx_type t)
{
    cg_build *b = &l->b;
    bool wide = in->half == PTX_HALF_WIDE, sign = lo_signed(t);
    cg_src x = lo_src(l, &in->ops[1], t), y = lo_src(l, &in->ops[2], t), z;

    if (wide && t != PTX_TYPE_U16 && t != PTX_TYPE_S16)
        return cb_wide(b, sign, x, y, lo_src(l, &in->ops[3], PTX_TYPE_S64));
    z = lo_src(l, &in->ops[3], wide ? PTX_TYPE_S32 : t);
    if (in->half == PTX_HALF_LO && !lo_is64(t))
        return cb_mad(b, x, y, z);
    if (ptx_has(in, PTX_FLAG_SAT)) /* mad.hi.sat.s32 */
        return add_sat(l, lower_product(l, PTX_HALF_HI, t, x, y), z, false);
    if (in->half == PTX_HALF_HI && ptx_type_bits(t) == 32) {
        cg_src d = cb_op(b, ISA_IMADHI, x, y, z);

        CG_PUT(cb_last(b), U32, !sign);
        return d;
    }
    x = lower_product(l, (ptx_half)in->half, t, x, y);
    return lo_is64(t) ? cb_add64(b, x, z) : cb_add(b, x, z);
}

void lop_mad(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);

    if (ptx_type_kind(t) == PTX_KIND_FLOAT)
        lo_fma_float(l, in);
    else if (ptx_has(in, PTX_FLAG_CC))
        lop_madc(l, in);
    else
        lo_set(l, &in->ops[0], mad_int(l, in, t));
}

void lop_fma(lower *l, const ptx_inst *in) { lo_fma_float(l, in); }

/* mad.cc and madc: the product first, then the addition with the flag. */
void lop_madc(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    lo_args s = lo_sources(l, in, t);
    cg_src p = lower_product(l, (ptx_half)in->half, t, s.a, s.b);

    lo_set(l, &in->ops[0],
           add_flags(l, p, s.c, false, lo_is64(t), in->op == PTX_MADC,
                     ptx_has(in, PTX_FLAG_CC)));
}

/* mul24 and mad24: operands of 24 bits; .hi is bits 47..16 of the product. */
void lop_mad24(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    ptx_type t = lo_type(in, 0);
    bool sign = lo_signed(t), add = in->op == PTX_MAD24;
    cg_src x = lo_src(l, &in->ops[1], t), y = lo_src(l, &in->ops[2], t), z, d;

    x = sign ? cb_sext(b, x, 24) : cb_zext(b, x, 24);
    y = sign ? cb_sext(b, y, 24) : cb_zext(b, y, 24);
    z = add ? lo_src(l, &in->ops[3], t) : cg_zero();
    if (in->half == PTX_HALF_LO) {
        d = cb_mad(b, x, y, z);
    } else {
        cg_src w = cb_wide(b, sign, x, y, cg_zero());

        d = cb_op(b, ISA_SHF_R, cg_word(w, 0), cg_imm(16), cg_word(w, 1));
        CG_PUT(cb_last(b), STYPE, ITYPE_U32 + 2); /* U64 */
        if (ptx_has(in, PTX_FLAG_SAT))
            d = add_sat(l, d, z, false);
        else if (add)
            d = cb_add(b, d, z);
    }
    lo_set(l, &in->ops[0], d);
}

/* ---- one and two operands ---------------------------------------------- */

void lop_sad(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    ptx_type t = lo_type(in, 0);
    bool sign = lo_signed(t);
    cg_src x = lo_src(l, &in->ops[1], t), y = lo_src(l, &in->ops[2], t);
    cg_src z = lo_src(l, &in->ops[3], t);

    if (lo_is64(t)) {
        vreg p = cb_isetp64(b, CMP_LT, sign, x, y);
        cg_src big = cb_sel64(b, cg_p(p), y, x);
        cg_src small = cb_sel64(b, cg_p(p), x, y);

        lo_set(l, &in->ops[0], cb_add64(b, cb_add64(b, big, cg_neg(small)), z));
        return;
    }
    x = lo_ext(l, x, t);
    y = lo_ext(l, y, t);
    cg_src lo = cb_op(b, ISA_IMNMX, x, y, cb_none());
    CG_PUT(cb_last(b), U32, !sign);
    cg_src hi = cb_op(b, ISA_IMNMX, x, y, cb_none());
    CG_PUT(cb_last(b), U32, !sign);
    cb_last(b)->psrc[0] = (cg_pred){0, true};
    lo_set(l, &in->ops[0], cb_add3(b, hi, cg_neg(lo), z));
}

static cg_src lower_abs64(lower *l, cg_src x)
{
    vreg p = cb_isetp(&l->b, CMP_LT, true, cg_word(x, 1), cg_zero());

    return cb_sel64(&l->b, cg_p(p), cb_add64(&l->b, cg_zero(), cg_neg(x)), x);
}

void lop_abs(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src x;

    if (ptx_type_kind(t) == PTX_KIND_FLOAT) {
        lo_abs_float(l, in);
        return;
    }
    x = lo_src(l, &in->ops[1], t);
    if (lo_is64(t))
        x = lower_abs64(l, cb_reg(&l->b, x, 2));
    else
        x = cb_op(&l->b, ISA_IABS, lo_ext(l, x, t), cb_none(), cb_none());
    lo_set(l, &in->ops[0], x);
}

void lop_neg(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src x;

    if (ptx_type_kind(t) == PTX_KIND_FLOAT) {
        lo_neg_float(l, in);
        return;
    }
    x = lo_src(l, &in->ops[1], t);
    if (lo_is64(t))
        x = cb_add64(&l->b, cg_zero(), negated_source(l, x, 2));
    else
        x = cb_add(&l->b, cg_zero(), negated_source(l, x, 1));
    lo_set(l, &in->ops[0], x);
}

/* min or max of 32 bits, .relu: not below zero. */
static cg_src integer_min_max(lower *l, const ptx_inst *in, bool sign, cg_src x,
                              cg_src y)
{
    x = cb_op(&l->b, ISA_IMNMX, x, y, cb_none());
    CG_PUT(cb_last(&l->b), U32, !sign);
    cb_last(&l->b)->psrc[0] = (cg_pred){0, in->op == PTX_MAX};
    if (ptx_has(in, PTX_FLAG_RELU)) {
        x = cb_op(&l->b, ISA_IMNMX, x, cg_zero(), cb_none());
        cb_last(&l->b)->psrc[0] = (cg_pred){0, true};
    }
    return x;
}

static void minmax_halves(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    lo_args s = lo_sources(l, in, PTX_TYPE_B32);
    bool sign = lo_signed(lo_type(in, 0));
    cg_src d[2], x, y;

    for (unsigned i = 0; i < 2; i++) {
        cg_src at = cg_imm(16 * i | 16 << 8);

        x = cb_op(b, ISA_BFE, s.a, at, cb_none());
        CG_PUT(cb_last(b), U32, !sign);
        y = cb_op(b, ISA_BFE, s.b, at, cb_none());
        CG_PUT(cb_last(b), U32, !sign);
        d[i] = integer_min_max(l, in, sign, x, y);
    }
    lo_set(l, &in->ops[0], cb_op(b, ISA_PRMT, d[0], cg_imm(0x5410), d[1]));
}

void lop_minmax(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    bool sign = lo_signed(t), min = in->op == PTX_MIN;
    cg_src x, y;

    if (ptx_type_kind(t) == PTX_KIND_FLOAT) {
        lo_minmax_float(l, in);
        return;
    }
    if (ptx_type_lanes(t) > 1) {
        minmax_halves(l, in);
        return;
    }
    x = lo_src(l, &in->ops[1], t);
    y = lo_src(l, &in->ops[2], t);
    if (lo_is64(t)) {
        vreg p = cb_isetp64(&l->b, min ? CMP_LT : CMP_GT, sign, x, y);

        lo_set(l, &in->ops[0], cb_sel64(&l->b, cg_p(p), x, y));
        return;
    }
    x = lo_ext(l, x, t);
    y = lo_ext(l, y, t);
    lo_set(l, &in->ops[0], integer_min_max(l, in, sign, x, y));
}

void lop_div(lower *l, const ptx_inst *in)
{
    if (ptx_type_kind(lo_type(in, 0)) == PTX_KIND_FLOAT)
        lo_div_float(l, in);
    else
        lo_div_int(l, in, false);
}

void lop_rem(lower *l, const ptx_inst *in) { lo_div_int(l, in, true); }

void lop_dp(lower *l, const ptx_inst *in)
{
    unsigned op = in->op == PTX_DP4A ? ISA_IDP4A : ISA_IDP2A;
    ptx_type ta = lo_type(in, 0), tb = lo_type(in, 1);
    lo_args s = lo_sources(l, in, PTX_TYPE_B32);
    cg_src d = cb_op(&l->b, op, s.a, s.b, s.c);
    cg_inst *i = cb_last(&l->b);

    CG_PUT(i, AU8, !lo_signed(ta));
    CG_PUT(i, BU8, !lo_signed(tb));
    if (op == ISA_IDP2A)
        CG_PUT(i, DOTHI, in->half == PTX_HALF_HI);
    lo_set(l, &in->ops[0], d);
}
