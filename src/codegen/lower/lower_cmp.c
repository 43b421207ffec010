/* src/codegen/lower/lower_cmp.c - comparisons and selections. */
#include "codegen/lower/context.h"

/* PTX comparisons as codes of ISETP and FSETP. */
static const uint8_t cmps[PTX_CMP_COUNT] = {
    [PTX_CMP_EQ] = CMP_EQ,   [PTX_CMP_NE] = CMP_NE,   [PTX_CMP_LT] = CMP_LT,
    [PTX_CMP_LE] = CMP_LE,   [PTX_CMP_GT] = CMP_GT,   [PTX_CMP_GE] = CMP_GE,
    [PTX_CMP_LO] = CMP_LT,   [PTX_CMP_LS] = CMP_LE,   [PTX_CMP_HI] = CMP_GT,
    [PTX_CMP_HS] = CMP_GE,   [PTX_CMP_EQU] = CMP_EQU, [PTX_CMP_NEU] = CMP_NEU,
    [PTX_CMP_LTU] = CMP_LTU, [PTX_CMP_LEU] = CMP_LEU, [PTX_CMP_GTU] = CMP_GTU,
    [PTX_CMP_GEU] = CMP_GEU, [PTX_CMP_NUM] = CMP_NUM, [PTX_CMP_NAN] = CMP_NAN,
};

enum isa_cmp lo_compare(const ptx_inst *in)
{
    return (enum isa_cmp)cmps[in->cmp];
}

static bool compares_signed(const ptx_inst *in, ptx_type t)
{
    bool unsigned_cmp = in->cmp == PTX_CMP_LO || in->cmp == PTX_CMP_LS ||
                        in->cmp == PTX_CMP_HI || in->cmp == PTX_CMP_HS;

    return lo_signed(t) && !unsigned_cmp;
}

static cg_inst *compare_float(lower *l, const ptx_inst *in, ptx_type t,
                              cg_src x, cg_src y)
{
    unsigned op = t == PTX_TYPE_F64 ? ISA_DSETP
                  : lo_is_half(t)   ? ISA_HSETP2
                                    : ISA_FSETP;
    cg_inst *i;

    cb_fsetp(&l->b, op, (enum isa_cmp)cmps[in->cmp], x, y);
    i = cb_last(&l->b);
    if (t != PTX_TYPE_F64)
        CG_PUT(i, FTZ, ptx_has(in, PTX_FLAG_FTZ));
    if (t == PTX_TYPE_BF16 || t == PTX_TYPE_BF16X2)
        CG_PUT(i, HFMT, HFMT_BF16);
    return i;
}

/* The comparison of setp or set, combined with predicate `c`; the
 * instruction, whose first result is the predicate. */
static cg_inst *emit_comparison(lower *l, const ptx_inst *in, ptx_type t,
                                cg_src x, cg_src y, const cg_pred *c)
{
    enum isa_cmp cmp = (enum isa_cmp)cmps[in->cmp];
    bool sign = compares_signed(in, t);
    cg_inst *i;

    if (ptx_type_kind(t) == PTX_KIND_FLOAT) {
        i = compare_float(l, in, t, x, y);
    } else if (lo_is64(t)) {
        cb_isetp64(&l->b, cmp, sign, x, y);
        i = cb_last(&l->b);
    } else {
        x = lo_ext(l, x, t); /* one after the other, for every host compiler */
        y = lo_ext(l, y, t);
        cb_isetp(&l->b, cmp, sign, x, y);
        i = cb_last(&l->b);
    }
    if (c) {
        i->psrc[0] = *c;
        CG_PUT(i, BOOL,
               in->boolop == PTX_BOOL_OR    ? BOOL_OR
               : in->boolop == PTX_BOOL_XOR ? BOOL_XOR
                                            : BOOL_AND);
    }
    return i;
}

void lop_setp(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    const ptx_operand *d = &in->ops[0];
    cg_src x = lo_src(l, &in->ops[1], t), y = lo_src(l, &in->ops[2], t);
    cg_pred c = {0};
    cg_inst *i;

    if (in->boolop)
        c = lo_pred(l, &in->ops[3]);
    i = emit_comparison(l, in, t, x, y, in->boolop ? &c : NULL);
    if (d->kind == PTX_OPD_PAIR) {
        i->pdst[1] = cg_reg_new(l->b.f, CG_PRED);
        lo_set_pred(l, &d->elems[1], cg_p(i->pdst[1]));
        d = &d->elems[0];
    }
    lo_set_pred(l, d, cg_p(i->pdst[0]));
}

/* set.cmp.f16x2.f16x2 and set.cmp.u32.f16x2: a value for each half. */
static void set_halves(lower *l, const ptx_inst *in, ptx_type to, ptx_type t)
{
    cg_src x = lo_src(l, &in->ops[1], t), y = lo_src(l, &in->ops[2], t);
    cg_src d = cb_op(&l->b, ISA_HSET2, x, y, cb_none());
    cg_inst *i = cb_last(&l->b);

    CG_PUT(i, FCMP, cmps[in->cmp]);
    CG_PUT(i, FTZ, ptx_has(in, PTX_FLAG_FTZ));
    CG_PUT(i, BF, ptx_type_kind(to) == PTX_KIND_FLOAT);
    CG_PUT(i, HFMT, t == PTX_TYPE_BF16 || t == PTX_TYPE_BF16X2);
    if (in->boolop) {
        i->psrc[0] = lo_pred(l, &in->ops[3]);
        CG_PUT(i, BOOL,
               in->boolop == PTX_BOOL_OR    ? BOOL_OR
               : in->boolop == PTX_BOOL_XOR ? BOOL_XOR
                                            : BOOL_AND);
    }
    lo_set(l, &in->ops[0], d);
}

void lop_set(lower *l, const ptx_inst *in)
{
    ptx_type to = lo_type(in, 0), t = lo_type(in, 1);
    cg_src x, y, yes = cg_imm(-1);
    cg_pred c = {0};
    cg_inst *i;

    if (ptx_type_lanes(t) > 1) {
        set_halves(l, in, to, t);
        return;
    }
    x = lo_src(l, &in->ops[1], t);
    y = lo_src(l, &in->ops[2], t);
    if (in->boolop)
        c = lo_pred(l, &in->ops[3]);
    i = emit_comparison(l, in, t, x, y, in->boolop ? &c : NULL);
    if (to == PTX_TYPE_F32)
        yes = cg_imm(0x3f800000);
    else if (to == PTX_TYPE_F16)
        yes = cg_imm(0x3c00);
    else if (to == PTX_TYPE_BF16)
        yes = cg_imm(0x3f80);
    lo_set(l, &in->ops[0], cb_sel(&l->b, cg_p(i->pdst[0]), yes, cg_zero()));
}

void lop_selp(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t), y = lo_src(l, &in->ops[2], t);
    cg_pred p = lo_pred(l, &in->ops[3]);

    lo_set(l, &in->ops[0],
           lo_is64(t) ? cb_sel64(&l->b, p, x, y) : cb_sel(&l->b, p, x, y));
}

/* slct: a if c >= 0, else b (also when c is NaN). */
void lop_slct(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0), tc = lo_type(in, 1);
    cg_src x = lo_src(l, &in->ops[1], t), y = lo_src(l, &in->ops[2], t);
    cg_src c = lo_src(l, &in->ops[3], tc);
    vreg p;

    if (tc == PTX_TYPE_F32) {
        p = cb_fsetp(&l->b, ISA_FSETP, CMP_GE, c, cg_zero());
        CG_PUT(cb_last(&l->b), FTZ, ptx_has(in, PTX_FLAG_FTZ));
    } else {
        p = cb_isetp(&l->b, CMP_GE, true, c, cg_zero());
    }
    lo_set(l, &in->ops[0],
           lo_is64(t) ? cb_sel64(&l->b, cg_p(p), x, y)
                      : cb_sel(&l->b, cg_p(p), x, y));
}

/* ---- testp ------------------------------------------------------------- */

/* The class follows from the upper word of the magnitude: `inf` is the first
 * value beyond the finite ones, `least` the first normal one. Zero counts as
 * normal [PTX85:testp]. `low` is the lower word of a double, else zero. */
static vreg test_number(lower *l, ptx_sub what, cg_src high, cg_src low,
                        int64_t inf, int64_t least)
{
    cg_build *b = &l->b;
    cg_src mag = cb_and(b, high, cg_imm(0x7fffffff)), rest;
    vreg p, q;

    if (what == PTX_SUB_FINITE)
        return cb_isetp(b, CMP_LT, false, mag, cg_imm(inf));
    if (what == PTX_SUB_INFINITE) {
        p = cb_isetp(b, CMP_EQ, false, mag, cg_imm(inf));
        q = cb_isetp(b, CMP_EQ, false, low, cg_zero());
        return cb_plop(b, LUT_A & LUT_B, cg_p(p), cg_p(q), (cg_pred){0});
    }
    if (what == PTX_SUB_NUMBER || what == PTX_SUB_NOTANUMBER) {
        q = cb_isetp(b, CMP_NE, false, low, cg_zero());
        rest = cb_sel(b, cg_p(q), cg_imm(1), cg_zero());
        rest = cb_add(b, mag, rest); /* infinity with a tail is no number */
        return cb_isetp(b, what == PTX_SUB_NUMBER ? CMP_LE : CMP_GT, false,
                        rest, cg_imm(inf));
    }
    rest = cb_or(b, mag, low);
    p = cb_isetp(b, CMP_LT, false, mag, cg_imm(least));
    q = cb_isetp(b, CMP_NE, false, rest, cg_zero());
    p = cb_plop(b, LUT_A & LUT_B, cg_p(p), cg_p(q), (cg_pred){0});
    if (what == PTX_SUB_SUBNORMAL)
        return p;
    q = cb_isetp(b, CMP_LT, false, mag, cg_imm(inf));
    return cb_plop(b, ~LUT_A & LUT_B & 0xff, cg_p(p), cg_p(q), (cg_pred){0});
}

void lop_testp(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t);
    ptx_sub what = (ptx_sub)in->subs[0];
    vreg p;

    if (lo_is64(t))
        p = test_number(l, what, cg_word(x, 1), cg_word(x, 0), 0x7ff00000,
                        0x00100000);
    else
        p = test_number(l, what, x, cg_zero(), 0x7f800000, 0x00800000);
    lo_set_pred(l, &in->ops[0], cg_p(p));
}
