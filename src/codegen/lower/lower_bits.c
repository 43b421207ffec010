/* src/codegen/lower/lower_bits.c - logic, shifts, bit fields, moves. */
#include "codegen/lower/context.h"

enum { STYPE_U32, STYPE_S32, STYPE_U64, STYPE_S64 };

/* ---- logic ------------------------------------------------------------- */

static unsigned logic_table(ptx_op op)
{
    return op == PTX_AND  ? LUT_A & LUT_B
           : op == PTX_OR ? LUT_A | LUT_B
                          : LUT_A ^ LUT_B;
}

void lop_logic(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    unsigned lut = logic_table(in->op);
    cg_src x, y;

    if (t == PTX_TYPE_PRED) {
        cg_pred p = lo_pred(l, &in->ops[1]), q = lo_pred(l, &in->ops[2]);

        lo_set_pred(l, &in->ops[0],
                    cg_p(cb_plop(&l->b, lut, p, q, (cg_pred){0})));
        return;
    }
    x = lo_src(l, &in->ops[1], t);
    y = lo_src(l, &in->ops[2], t);
    lo_set(l, &in->ops[0],
           lo_is64(t) ? cb_lop64(&l->b, lut, x, y)
                      : cb_lop(&l->b, lut, x, y, cg_zero()));
}

void lop_not(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    unsigned lut = ~LUT_A & 0xff;
    cg_src x;

    if (t == PTX_TYPE_PRED) {
        lo_set_pred(l, &in->ops[0], cg_not(lo_pred(l, &in->ops[1])));
        return;
    }
    x = lo_src(l, &in->ops[1], t);
    lo_set(l, &in->ops[0],
           lo_is64(t) ? cb_lop64(&l->b, lut, x, cg_zero())
                      : cb_lop(&l->b, lut, x, cg_zero(), cg_zero()));
}

void lop_lop3(lower *l, const ptx_inst *in)
{
    /* lop3.b32 d, a, b, c, lut;  lop3.or.b32 d|p, a, b, c, lut, q; */
    const ptx_operand *d = &in->ops[0];
    lo_args s = lo_sources(l, in, PTX_TYPE_B32);
    cg_src r = cb_lop(&l->b, (uint8_t)in->ops[4].imm, s.a, s.b, s.c);
    cg_inst *i;

    i = cb_last(&l->b);
    if (d->kind == PTX_OPD_PAIR) {
        unsigned lut =
            in->boolop == PTX_BOOL_OR ? LUT_A | LUT_B : LUT_A & LUT_B;

        i->pdst[0] = cg_reg_new(l->b.f, CG_PRED);
        lo_set_pred(l, &d->elems[1],
                    cg_p(cb_plop(&l->b, lut, cg_p(i->pdst[0]),
                                 lo_pred(l, &in->ops[5]), (cg_pred){0})));
        d = &d->elems[0];
    }
    lo_set(l, d, r);
}

/* cnot: 1 if the operand is zero. */
void lop_cnot(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t);
    vreg p;

    if (lo_is64(t))
        x = cb_or(&l->b, cg_word(x, 0), cg_word(x, 1));
    else if (lo_is16(t))
        x = cb_zext(&l->b, x, ptx_type_bits(t));
    p = cb_isetp(&l->b, CMP_EQ, false, x, cg_zero());
    x = cb_sel(&l->b, cg_p(p), cg_imm(1), cg_zero());
    lo_set(l, &in->ops[0], lo_is64(t) ? cb_pair(&l->b, x, cg_zero()) : x);
}

/* ---- shifts ------------------------------------------------------------ */

static cg_src emit_funnel_shift(lower *l, unsigned op, cg_src x, cg_src n,
                                unsigned stype, bool high)
{
    cg_src d = cb_op(&l->b, op, cg_word(x, 0), n, cg_word(x, 1));

    CG_PUT(cb_last(&l->b), STYPE, stype);
    CG_PUT(cb_last(&l->b), HI, high);
    return d;
}

cg_src lo_shl64(lower *l, cg_src x, cg_src n)
{
    cg_build *b = &l->b;

    if (n.kind == SRC_IMM) {
        cg_src d;

        if ((uint64_t)n.val > 63)
            return cg_zero();
        d = cb_op(b, CG_SHL64, x, cb_none(), cb_none());
        cb_last(b)->lut = (uint8_t)n.val;
        return d;
    }
    cg_src low = cb_shl(b, cg_word(x, 0), n);
    return cb_pair(b, low,
                   emit_funnel_shift(l, ISA_SHF_L, x, n, STYPE_U64, true));
}

cg_src lo_shr64(lower *l, bool sign, cg_src x, cg_src n)
{
    cg_build *b = &l->b;
    cg_src fill, high = cg_word(x, 1);

    if (n.kind == SRC_IMM && n.val >= 32) {
        fill = sign ? cb_shr(b, true, high, cg_imm(31)) : cg_zero();
        n = cg_imm(n.val - 32);
        if (n.kind == SRC_IMM)
            high = cb_shr(b, sign, high, n);
        return cb_pair(b, high, fill);
    }
    fill = emit_funnel_shift(l, ISA_SHF_R, x, n, sign ? STYPE_S64 : STYPE_U64,
                             false);
    return cb_pair(b, fill, cb_shr(b, sign, high, n));
}

void lop_shl(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t);
    cg_src n = lo_src(l, &in->ops[2], PTX_TYPE_U32);

    lo_set(l, &in->ops[0],
           lo_is64(t) ? lo_shl64(l, x, n) : cb_shl(&l->b, x, n));
}

void lop_shr(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t);
    cg_src n = lo_src(l, &in->ops[2], PTX_TYPE_U32);

    lo_set(l, &in->ops[0],
           lo_is64(t) ? lo_shr64(l, lo_signed(t), x, n)
                      : cb_shr(&l->b, lo_signed(t), lo_ext(l, x, t), n));
}

void lop_shf(lower *l, const ptx_inst *in)
{
    bool left = ptx_has_sub(in, PTX_SUB_L);
    cg_src low = lo_src(l, &in->ops[1], PTX_TYPE_B32);
    cg_src high = lo_src(l, &in->ops[2], PTX_TYPE_B32);
    cg_src n = lo_src(l, &in->ops[3], PTX_TYPE_U32);
    cg_src d = cb_op(&l->b, left ? ISA_SHF_L : ISA_SHF_R, low, n, high);

    CG_PUT(cb_last(&l->b), HI, left);
    CG_PUT(cb_last(&l->b), WRAP, ptx_has_sub(in, PTX_SUB_WRAP));
    lo_set(l, &in->ops[0], d);
}

/* ---- bit fields -------------------------------------------------------- */

/* Position and length as the operand of BFE and BFI; 8 bits of each count. */
static cg_src bit_field_operand(lower *l, cg_src pos, cg_src len)
{
    bool known = (pos.kind == SRC_IMM || !pos.reg) &&
                 (len.kind == SRC_IMM || !len.reg) && pos.kind != SRC_CONST &&
                 len.kind != SRC_CONST;

    if (known)
        return cg_imm((pos.val & 0xff) | (len.val & 0xff) << 8);
    return cb_op(&l->b, ISA_PRMT, pos, cg_imm(0x5540), len);
}

/* The field of 64 bits: shifted down, cut off, its sign spread. */
static cg_src bfe64(lower *l, bool sign, cg_src x, cg_src pos, cg_src len)
{
    cg_build *b = &l->b;
    cg_src ones = cg_imm(-1), top, keep, field_bits, spread;
    vreg p, empty;

    pos = cb_and(b, pos, cg_imm(0xff));
    len = cb_and(b, len, cg_imm(0xff));
    field_bits = lo_shr64(l, sign, x, pos);
    keep = lo_shl64(l, cb_pair(b, ones, ones), len); /* bits above the field */
    field_bits = cb_lop64(b, LUT_A & ~LUT_B, field_bits, keep);
    if (!sign)
        return field_bits;
    top = cb_op(b, ISA_IADD3, pos, len, cg_imm(-1));
    p = cb_isetp(b, CMP_LT, true, top, cg_imm(63));
    top = cb_sel(b, cg_p(p), top, cg_imm(63));
    top = cb_and(b, cg_word(lo_shr64(l, false, x, top), 0), cg_imm(1));
    empty = cb_isetp(b, CMP_EQ, false, len, cg_zero());
    top = cb_sel(b, cg_p(empty), cg_zero(), top);
    spread = cb_add(b, cg_zero(), cg_neg(top));
    top = cb_lop(b, LUT_A | (LUT_B & LUT_C), cg_word(field_bits, 0),
                 cg_word(keep, 0), spread);
    return cb_pair(b, top,
                   cb_lop(b, LUT_A | (LUT_B & LUT_C), cg_word(field_bits, 1),
                          cg_word(keep, 1), spread));
}

void lop_bfe(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t), d;
    cg_src pos = lo_src(l, &in->ops[2], PTX_TYPE_U32);
    cg_src len = lo_src(l, &in->ops[3], PTX_TYPE_U32);

    if (lo_is64(t)) {
        lo_set(l, &in->ops[0], bfe64(l, lo_signed(t), x, pos, len));
        return;
    }
    d = cb_op(&l->b, ISA_BFE, x, bit_field_operand(l, pos, len), cb_none());
    CG_PUT(cb_last(&l->b), U32, !lo_signed(t));
    lo_set(l, &in->ops[0], d);
}

void lop_bfi(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t), y = lo_src(l, &in->ops[2], t);
    cg_src pos = lo_src(l, &in->ops[3], PTX_TYPE_U32);
    cg_src len = lo_src(l, &in->ops[4], PTX_TYPE_U32), ones = cg_imm(-1), m;

    if (!lo_is64(t)) {
        lo_set(l, &in->ops[0],
               cb_op(b, ISA_BFI, x, bit_field_operand(l, pos, len), y));
        return;
    }
    pos = cb_and(b, pos, cg_imm(0xff));
    len = cb_and(b, len, cg_imm(0xff));
    ones = cb_pair(b, ones, ones);
    m = lo_shl64(l, ones, len); /* zeros where the field is, before its shift */
    m = cb_lop64(b, ~LUT_A & 0xff, m, cg_zero());
    m = lo_shl64(l, m, pos);
    x = lo_shl64(l, x, pos);
    ones = cb_lop(b, (LUT_A & LUT_C) | (LUT_B & ~LUT_C & 0xff), cg_word(x, 0),
                  cg_word(y, 0), cg_word(m, 0));
    lo_set(l, &in->ops[0],
           cb_pair(b, ones,
                   cb_lop(b, (LUT_A & LUT_C) | (LUT_B & ~LUT_C & 0xff),
                          cg_word(x, 1), cg_word(y, 1), cg_word(m, 1))));
}

void lop_bmsk(lower *l, const ptx_inst *in)
{
    lo_args s = lo_sources(l, in, PTX_TYPE_B32);
    cg_src d = cb_op(&l->b, ISA_BMSK, s.a, s.b, cb_none());

    CG_PUT(cb_last(&l->b), WRAP, ptx_has_sub(in, PTX_SUB_WRAP));
    lo_set(l, &in->ops[0], d);
}

void lop_szext(lower *l, const ptx_inst *in)
{
    lo_args s = lo_sources(l, in, PTX_TYPE_B32);
    cg_src d = cb_op(&l->b, ISA_SGXT, s.a, s.b, cb_none());

    CG_PUT(cb_last(&l->b), U32, !lo_signed(lo_type(in, 0)));
    CG_PUT(cb_last(&l->b), WRAP, ptx_has_sub(in, PTX_SUB_WRAP));
    lo_set(l, &in->ops[0], d);
}

/* ---- counting ---------------------------------------------------------- */

static cg_src one_source(lower *l, unsigned op, cg_src x)
{
    return cb_op(&l->b, op, x, cb_none(), cb_none());
}

static cg_src find_one(lower *l, cg_src x, bool sign, bool shift)
{
    cg_src d = one_source(l, ISA_FLO, x);

    CG_PUT(cb_last(&l->b), U32, !sign);
    CG_PUT(cb_last(&l->b), SH, shift);
    return d;
}

/* Leading zeros: FLO gives -1 for zero, so 31 - FLO is 32. */
void lop_clz(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t), d, low;

    if (!lo_is64(t)) {
        d = find_one(l, x, false, false);
        lo_set(l, &in->ops[0], cb_add(b, cg_imm(31), cg_neg(d)));
        return;
    }
    vreg p = cb_isetp(b, CMP_EQ, false, cg_word(x, 1), cg_zero());
    d = find_one(l, cb_sel(b, cg_p(p), cg_word(x, 0), cg_word(x, 1)), false,
                 false);
    low = cb_sel(b, cg_p(p), cg_imm(63), cg_imm(31));
    lo_set(l, &in->ops[0], cb_add(b, low, cg_neg(d)));
}

void lop_bfind(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    ptx_type t = lo_type(in, 0);
    bool shift = ptx_has(in, PTX_FLAG_SHIFTAMT);
    cg_src x = lo_src(l, &in->ops[1], t), d, low, high;

    if (!lo_is64(t)) {
        lo_set(l, &in->ops[0], find_one(l, x, lo_signed(t), shift));
        return;
    }
    low = cg_word(x, 0);
    high = cg_word(x, 1);
    if (lo_signed(t)) { /* a negative number: its first zero */
        cg_src sign = cb_shr(b, true, high, cg_imm(31));

        low = cb_xor(b, low, sign);
        high = cb_xor(b, high, sign);
    }
    vreg p = cb_isetp(b, CMP_EQ, false, high, cg_zero());
    d = find_one(l, cb_sel(b, cg_p(p), low, high), false, shift);
    cg_src add = cb_sel(b, (cg_pred){p, !shift}, cg_imm(32), cg_zero());
    vreg none = cb_isetp(b, CMP_EQ, false, d, cg_imm(-1));
    d = cb_sel(b, cg_p(none), d, cb_add(b, d, add));
    lo_set(l, &in->ops[0], d);
}

void lop_popc(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t), d;

    d = one_source(l, ISA_POPC, cg_word(x, 0));
    if (lo_is64(t))
        d = cb_add(&l->b, d, one_source(l, ISA_POPC, cg_word(x, 1)));
    lo_set(l, &in->ops[0], d);
}

void lop_brev(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t), d;

    d = one_source(l, ISA_BREV, cg_word(x, 0));
    if (lo_is64(t))
        d = cb_pair(&l->b, one_source(l, ISA_BREV, cg_word(x, 1)), d);
    lo_set(l, &in->ops[0], d);
}

/* Where the n-th one of `m` stands, counting from the lowest, n at least 1;
 * beyond 31 if there is none: which half of what is left it is in, and so
 * on. */
static cg_src nth_one(lower *l, cg_src m, cg_src n)
{
    cg_build *b = &l->b;
    cg_src at = cg_zero(), count, below;
    vreg up;

    for (unsigned half = 32; half; half /= 2) {
        below = half == 32 ? m : cb_zext(b, m, half);
        count = one_source(l, ISA_POPC, below);
        up = cb_isetp(b, CMP_GT, false, n, count);
        count = cb_sel(b, cg_p(up), count, cg_zero());
        n = cb_add(b, n, cg_neg(count));
        below = cb_sel(b, cg_p(up), cg_imm(half), cg_zero());
        m = cb_shr(b, false, m, below);
        at = cb_add(b, at, below);
    }
    return at;
}

/* fns: from bit `base` on the n-th one upwards, or for negative n downwards;
 * n = 0: base, if it is one. Downwards is upwards in the reversed word. */
void lop_fns(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    lo_args s = lo_sources(l, in, PTX_TYPE_B32);
    vreg down = cb_isetp(b, CMP_LT, true, s.c, cg_zero());
    vreg here = cb_isetp(b, CMP_EQ, true, s.c, cg_zero()), none;
    cg_src m = one_source(l, ISA_BREV, s.a), base, n, at, only;

    m = cb_sel(b, cg_p(down), m, s.a);
    base = cb_reg(b, s.b, 1);
    at = cb_add(b, cg_imm(31), cg_neg(base));
    base = cb_sel(b, cg_p(down), at, base);
    n = one_source(l, ISA_IABS, s.c);
    n = cb_sel(b, cg_p(here), cg_imm(1), n);
    m = cb_shr(b, false, m, base);
    only = cb_and(b, m, cg_imm(1));
    m = cb_sel(b, cg_p(here), only, m);
    at = nth_one(l, m, n);
    none = cb_isetp(b, CMP_GT, false, at, cg_imm(31));
    at = cb_add(b, at, base);
    m = cb_add(b, cg_imm(31), cg_neg(at));
    at = cb_sel(b, cg_p(down), m, at);
    lo_set(l, &in->ops[0], cb_sel(b, cg_p(none), cg_imm(-1), at));
}

/* ---- moving bytes ------------------------------------------------------ */

void lop_prmt(lower *l, const ptx_inst *in)
{
    static const struct {
        ptx_sub sub;
        enum isa_prmt mode;
    } modes[] = {
        {PTX_SUB_F4E, PRMT_F4E}, {PTX_SUB_B4E, PRMT_B4E},
        {PTX_SUB_RC8, PRMT_RC8}, {PTX_SUB_ECL, PRMT_ECL},
        {PTX_SUB_ECR, PRMT_ECR}, {PTX_SUB_RC16, PRMT_RC16},
    };
    lo_args s = lo_sources(l, in, PTX_TYPE_B32);
    cg_src d = cb_op(&l->b, ISA_PRMT, s.a, s.c, s.b);

    for (unsigned i = 0; i < COUNTOF(modes); i++)
        if (ptx_has_sub(in, modes[i].sub))
            CG_PUT(cb_last(&l->b), PRMTOP, modes[i].mode);
    lo_set(l, &in->ops[0], d);
}

/* Elements of `bits` bits each, packed into the words of a new register. */
static cg_src pack_elements(lower *l, const ptx_operand *v, unsigned bits)
{
    static const ptx_type types[] = {PTX_TYPE_B8, PTX_TYPE_B16, PTX_TYPE_B32,
                                     PTX_TYPE_B64};
    cg_build *b = &l->b;
    unsigned words = v->nelems * bits / 32, n = words ? words : 1;
    vreg d = cg_reg_new(b->f, cg_class_of_words(n));
    cg_src e[8] = {{0}};

    for (unsigned i = 0; i < v->nelems && i < 8; i++)
        e[i] = lo_src(l, &v->elems[i],
                      types[bits == 8    ? 0
                            : bits == 16 ? 1
                                         : bits / 32 + 1]);
    for (unsigned i = 0; i < n; i++) {
        cg_src s = e[i];

        if (bits == 64)
            s = cg_word(e[i / 2], i & 1);
        if (bits == 16)
            s = cb_op(b, ISA_PRMT, e[2 * i], cg_imm(0x5410), e[2 * i + 1]);
        if (bits == 8) {
            s = cb_op(b, ISA_PRMT, e[4 * i], cg_imm(0x0040), e[4 * i + 1]);
            if (v->nelems == 4) {
                cg_src t = cb_op(b, ISA_PRMT, e[2], cg_imm(0x0040), e[3]);
                s = cb_op(b, ISA_PRMT, s, cg_imm(0x5410), t);
            }
        }
        cb_to(b, ISA_MOV, cb_dstw(d, i), cb_none(), s, cb_none());
    }
    return cg_r(d);
}

static void unpack_elements(lower *l, const ptx_operand *v, cg_src s,
                            unsigned bits)
{
    for (unsigned i = 0; i < v->nelems; i++) {
        unsigned at = i * bits;
        cg_src e = cg_word(s, at / 32);

        if (v->elems[i].kind == PTX_OPD_SINK)
            continue;
        if (bits == 64)
            e = cb_pair(&l->b, e, cg_word(s, at / 32 + 1));
        else if (at % 32)
            e = cb_shr(&l->b, false, e, cg_imm(at % 32));
        lo_set(l, &v->elems[i], e);
    }
}

/* mov.v4.u32 {a, b, c, d}, %tid; and {e, f, g, h}. */
static void move_parts(lower *l, const ptx_inst *in)
{
    const ptx_operand *d = &in->ops[0], *s = &in->ops[1];
    cg_src e[4];

    for (unsigned i = 0; i < in->vec && i < COUNTOF(e); i++) {
        ptx_operand one = *s;

        one.sel = (uint8_t)i;
        e[i] = lo_src(l, s->kind == PTX_OPD_VEC ? &s->elems[i] : &one,
                      lo_type(in, 0));
    }
    for (unsigned i = 0; i < in->vec && i < COUNTOF(e); i++)
        lo_set(l, &d->elems[i], e[i]);
}

void lop_mov(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    const ptx_operand *d = &in->ops[0], *s = &in->ops[1];
    unsigned bits = ptx_type_bits(t);

    if (t == PTX_TYPE_PRED)
        lo_set_pred(l, d, lo_pred(l, s));
    else if (s->kind == PTX_OPD_VEC && d->kind == PTX_OPD_REG)
        lo_set(l, d, pack_elements(l, s, bits / s->nelems));
    else if (in->vec > 1)
        move_parts(l, in);
    else if (d->kind == PTX_OPD_VEC)
        unpack_elements(l, d, lo_src(l, s, t), bits / d->nelems);
    else
        lo_set(l, d, lo_src(l, s, t));
}
