/* src/codegen/lower/lower_video.c - video instructions: on bytes and halves of
 * registers, one at a time [PTX85:scalar-video-instructions] or all of them
 * [PTX85:simd-video-instructions]. From plain integer operations: machines
 * have had no others for them since Maxwell. Intermediate results have the
 * 33 and 34 bits that the manual gives them; without .sat their lowest 32
 * count. */
#include "codegen/lower/context.h"

#include <string.h>

enum { WORD = 32 };

/* ---- parts ------------------------------------------------------------- */

static bool is_signed_video(ptx_type t) { return t == PTX_TYPE_S32; }

static cg_src greater(lower *l, bool max, bool sign, cg_src x, cg_src y)
{
    cg_src d = cb_op(&l->b, ISA_IMNMX, x, y, cb_none());

    CG_PUT(cb_last(&l->b), U32, !sign);
    cb_last(&l->b)->psrc[0] = (cg_pred){0, max};
    return d;
}

/* `bits` bits of `s` from `at` on, extended. */
static cg_src extract_part(lower *l, cg_src s, unsigned at, unsigned bits,
                           bool sign)
{
    cg_src d;

    if (bits == WORD)
        return s;
    d = cb_op(&l->b, ISA_BFE, s, cg_imm((int64_t)(at | bits << 8)), cb_none());
    CG_PUT(cb_last(&l->b), U32, !sign);
    return d;
}

static cg_src insert_bits(lower *l, cg_src s, unsigned at, unsigned bits,
                          cg_src into)
{
    return cb_op(&l->b, ISA_BFI, s, cg_imm((int64_t)(at | bits << 8)), into);
}

/* Where .b0 to .b3, .h0, .h1 of an operand lie; no part is all of it. */
static bool part_of_operand(lower *l, const ptx_operand *o, unsigned *at,
                            unsigned *bits)
{
    unsigned n = WORD, k = 0;

    if (o->part) {
        n = o->part[0] == 'b' ? 8 : 16;
        k = (unsigned)(o->part[1] - '0');
        if (strlen(o->part) != 2 || k >= WORD / n) {
            lo_unsupported(l, "a part is one of .b0 to .b3, .h0, .h1");
            return false;
        }
    }
    *at = k * n;
    *bits = n;
    return true;
}

/* ---- one value --------------------------------------------------------- */

/* A source: a word, and the sign bits above it. */
typedef struct value {
    cg_src word;
    bool sign;
} value;

static bool source_part(lower *l, const ptx_operand *o, ptx_type t, value *v)
{
    unsigned at, bits;

    if (!part_of_operand(l, o, &at, &bits))
        return false;
    v->sign = is_signed_video(t);
    v->word = extract_part(l, cb_reg(&l->b, lo_src(l, o, PTX_TYPE_U32), 1), at,
                           bits, v->sign);
    return true;
}

static cg_src widen_value(lower *l, value v)
{
    cg_src high = v.sign ? cb_shr(&l->b, true, v.word, cg_imm(31)) : cg_zero();

    return cb_pair(&l->b, v.word, high);
}

/* x op y in 32 bits; both have the same signedness. */
static cg_src op32(lower *l, ptx_op op, value x, value y)
{
    cg_build *b = &l->b;
    cg_src low, high;

    if (op == PTX_VADD)
        return cb_add(b, x.word, y.word);
    if (op == PTX_VSUB)
        return cb_add(b, x.word, cg_neg(y.word));
    if (op == PTX_VMIN || op == PTX_VMAX)
        return greater(l, op == PTX_VMAX, x.sign, x.word, y.word);
    low = greater(l, false, x.sign, x.word, y.word);
    high = greater(l, true, x.sign, x.word, y.word);
    return cb_add(b, high, cg_neg(low));
}

/* The same in 64 bits, which hold every value. */
static cg_src op64(lower *l, ptx_op op, value x, value y)
{
    cg_build *b = &l->b;
    cg_src u = widen_value(l, x), v = widen_value(l, y), low, high;
    vreg less;

    if (op == PTX_VADD)
        return cb_add64(b, u, v);
    if (op == PTX_VSUB)
        return cb_add64(b, u, cg_neg(v));
    less = cb_isetp64(b, CMP_LT, true, u, v);
    if (op == PTX_VMIN)
        return cb_sel64(b, cg_p(less), u, v);
    high = cb_sel64(b, cg_p(less), v, u);
    if (op == PTX_VMAX)
        return high;
    low = cb_sel64(b, cg_p(less), u, v);
    return cb_add64(b, high, cg_neg(low));
}

/* .sat: the word nearest to `s` that a destination of `bits` bits holds.
 * `sign`: s counts as signed. */
static cg_src saturate_word(lower *l, cg_src s, bool sign, unsigned bits,
                            bool to_sign)
{
    cg_build *b = &l->b;
    int64_t least = to_sign ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t most = least + ((int64_t)1 << bits) - 1;
    vreg p;

    if (sign) {
        p = cb_isetp64(b, CMP_LT, true, s, cg_imm(least));
        s = cb_sel64(b, cg_p(p), cg_imm(least), s);
    }
    p = cb_isetp64(b, CMP_GT, sign, s, cg_imm(most));
    return cb_sel(b, cg_p(p), cg_imm((int32_t)most), cg_word(s, 0));
}

/* The second operation with operand c, or the place within it. */
static void lower_second_op(lower *l, const ptx_inst *in, cg_src s)
{
    cg_build *b = &l->b;
    bool sign = in->op != PTX_VSET && is_signed_video(lo_type(in, 0));
    bool max = ptx_has_sub(in, PTX_SUB_MAX);
    unsigned at, bits;
    cg_src c;

    if (!part_of_operand(l, &in->ops[0], &at, &bits))
        return;
    if (in->nops > 3) {
        c = lo_src(l, &in->ops[3], PTX_TYPE_U32);
        if (ptx_has_sub(in, PTX_SUB_ADD))
            s = cb_add(b, s, c);
        else if (max || ptx_has_sub(in, PTX_SUB_MIN))
            s = greater(l, max, sign, s, c);
        else
            s = insert_bits(l, s, at, bits, c);
    }
    lo_set(l, &in->ops[0], s);
}

void lop_video(lower *l, const ptx_inst *in)
{
    bool sat = ptx_has(in, PTX_FLAG_SAT);
    unsigned at, bits;
    value x, y;
    cg_src d;

    if (!part_of_operand(l, &in->ops[0], &at, &bits) ||
        !source_part(l, &in->ops[1], lo_type(in, 1), &x) ||
        !source_part(l, &in->ops[2], lo_type(in, 2), &y))
        return;
    if (!sat && x.sign == y.sign) {
        lower_second_op(l, in, op32(l, in->op, x, y));
        return;
    }
    d = op64(l, in->op, x, y);
    if (sat)
        d = saturate_word(l, d, true, bits, is_signed_video(lo_type(in, 0)));
    lower_second_op(l, in, cg_word(d, 0));
}

/* vshl and vshr: amounts of up to 32, or modulo 32. */
void lop_vshift(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    bool left = in->op == PTX_VSHL;
    unsigned at, bits;
    value x, n;
    cg_src d;

    if (!part_of_operand(l, &in->ops[0], &at, &bits) ||
        !source_part(l, &in->ops[1], lo_type(in, 1), &x) ||
        !source_part(l, &in->ops[2], PTX_TYPE_U32, &n))
        return;
    n.word = ptx_has_sub(in, PTX_SUB_WRAP)
                 ? cb_and(b, n.word, cg_imm(31))
                 : greater(l, false, false, n.word, cg_imm(32));
    d = widen_value(l, x);
    d = left ? lo_shl64(l, d, n.word) : lo_shr64(l, x.sign, d, n.word);
    d = cb_reg(b, d, 2);
    if (ptx_has(in, PTX_FLAG_SAT))
        d = saturate_word(l, d, x.sign, bits, is_signed_video(lo_type(in, 0)));
    lower_second_op(l, in, cg_word(d, 0));
}

/* The comparison is that of the numbers, whatever their types. */
void lop_vset(lower *l, const ptx_inst *in)
{
    enum isa_cmp cmp = lo_compare(in);
    value x, y;
    vreg p;

    if (!source_part(l, &in->ops[1], lo_type(in, 0), &x) ||
        !source_part(l, &in->ops[2], lo_type(in, 1), &y))
        return;
    if (x.sign == y.sign) {
        p = cb_isetp(&l->b, cmp, x.sign, x.word, y.word);
    } else {
        cg_src u = widen_value(l, x), v = widen_value(l, y);

        p = cb_isetp64(&l->b, cmp, true, u, v);
    }
    lower_second_op(l, in, cb_sel(&l->b, cg_p(p), cg_imm(1), cg_zero()));
}

/* ---- vmad -------------------------------------------------------------- */

typedef struct long_word { /* 96 bits, the upper 32 being sign */
    cg_src w[3];
} long_word;

/* x * y as 96 bits: the unsigned product, less 2^32 times the other factor
 * for each negative one. */
static long_word long_product(lower *l, value x, value y)
{
    cg_build *b = &l->b;
    cg_src p = cb_wide(b, false, x.word, y.word, cg_zero()), t;
    cg_src high = cg_word(p, 1);
    long_word r;

    if (x.sign) {
        t = cb_shr(b, true, x.word, cg_imm(31));
        t = cb_and(b, t, y.word);
        high = cb_add(b, high, cg_neg(t));
    }
    if (y.sign) {
        t = cb_shr(b, true, y.word, cg_imm(31));
        t = cb_and(b, t, x.word);
        high = cb_add(b, high, cg_neg(t));
    }
    r.w[0] = cg_word(p, 0);
    r.w[1] = high;
    r.w[2] = x.sign || y.sign ? cb_shr(b, true, high, cg_imm(31)) : cg_zero();
    return r;
}

static cg_src inverted(lower *l, cg_src s)
{
    return cb_lop(&l->b, ~LUT_A & 0xff, s, cg_zero(), cg_zero());
}

/* x + y + one */
static long_word long_sum(lower *l, long_word x, long_word y, bool one)
{
    cg_pred carry = {0, !one}; /* register 0 is true */
    long_word r;

    for (unsigned i = 0; i < 3; i++) {
        cg_inst *in =
            cb_to(&l->b, ISA_IADD3X, (cg_dst){0}, x.w[i], y.w[i], cg_zero());

        in->dst.reg = cg_reg_new(l->b.f, CG_W1);
        in->psrc[0] = carry;
        in->psrc[1] = (cg_pred){0, true};
        r.w[i] = cg_r(in->dst.reg);
        if (i < 2) {
            in->pdst[0] = cg_reg_new(l->b.f, CG_PRED);
            carry = cg_p(in->pdst[0]);
        }
    }
    return r;
}

/* The lowest word of `r` shifted down, limited if `sat`. */
static cg_src scale_long(lower *l, long_word r, unsigned down, bool sign,
                         bool sat)
{
    cg_build *b = &l->b;
    cg_src fits, limit, s;
    vreg p;

    if (down) {
        for (unsigned i = 0; i < 2; i++)
            r.w[i] = cb_op(b, ISA_SHF_R, r.w[i], cg_imm(down), r.w[i + 1]);
        r.w[2] = cb_shr(b, true, r.w[2], cg_imm(down));
    }
    if (!sat)
        return r.w[0];
    if (!sign) {
        fits = cb_or(b, r.w[1], r.w[2]);
        p = cb_isetp(b, CMP_EQ, false, fits, cg_zero());
        return cb_sel(b, cg_p(p), r.w[0], cg_imm(-1));
    }
    s = cb_shr(b, true, r.w[0], cg_imm(31));
    fits = cb_lop(b, (LUT_A ^ LUT_B) | (LUT_A ^ LUT_C), s, r.w[1], r.w[2]);
    p = cb_isetp(b, CMP_EQ, false, fits, cg_zero());
    limit = cb_shr(b, true, r.w[2], cg_imm(31));
    limit = cb_xor(b, limit, cg_imm(INT32_MAX));
    return cb_sel(b, cg_p(p), r.w[0], limit);
}

/* d = (a b + c) >> scale; a minus before one factor or before c; .po: plus
 * one. The result is signed if a source is, or a minus is there. */
void lop_vmad(lower *l, const ptx_inst *in)
{
    bool minus = in->ops[1].negated != in->ops[2].negated;
    bool minus_c = in->ops[3].negated, one = ptx_has(in, PTX_FLAG_PO);
    unsigned down = ptx_has_sub(in, PTX_SUB_SHR7)    ? 7
                    : ptx_has_sub(in, PTX_SUB_SHR15) ? 15
                                                     : 0;
    long_word r, z;
    value x, y;
    bool sign;

    if (!source_part(l, &in->ops[1], lo_type(in, 1), &x) ||
        !source_part(l, &in->ops[2], lo_type(in, 2), &y))
        return;
    sign = x.sign || y.sign || minus || minus_c;
    r = long_product(l, x, y);
    z.w[0] = cb_reg(&l->b, lo_src(l, &in->ops[3], PTX_TYPE_U32), 1);
    if (!one && minus)
        for (unsigned i = 0; i < 3; i++)
            r.w[i] = inverted(l, r.w[i]);
    else if (!one && minus_c)
        z.w[0] = inverted(l, z.w[0]);
    z.w[1] = sign ? cb_shr(&l->b, true, z.w[0], cg_imm(31)) : cg_zero();
    z.w[2] = z.w[1];
    r = long_sum(l, r, z, one || minus || minus_c);
    lo_set(l, &in->ops[0],
           scale_long(l, r, down, sign, ptx_has(in, PTX_FLAG_SAT)));
}

/* ---- all parts --------------------------------------------------------- */

/* A SIMD instruction: `lanes` parts of `bits` bits. */
typedef struct simd {
    const ptx_inst *in;
    ptx_op op; /* as if on one value */
    unsigned lanes, bits;
    ptx_type d, a, b;
    cg_src x, y; /* the registers that a and b pick from */
} simd;

static const struct {
    uint8_t op, as, lanes;
} simd_ops[] = {
    {PTX_VADD2, PTX_VADD, 2},         {PTX_VADD4, PTX_VADD, 4},
    {PTX_VSUB2, PTX_VSUB, 2},         {PTX_VSUB4, PTX_VSUB, 4},
    {PTX_VMIN2, PTX_VMIN, 2},         {PTX_VMIN4, PTX_VMIN, 4},
    {PTX_VMAX2, PTX_VMAX, 2},         {PTX_VMAX4, PTX_VMAX, 4},
    {PTX_VABSDIFF2, PTX_VABSDIFF, 2}, {PTX_VABSDIFF4, PTX_VABSDIFF, 4},
    {PTX_VSET2, PTX_VSET, 2},         {PTX_VSET4, PTX_VSET, 4},
    {PTX_VAVRG2, PTX_VAVRG2, 2},      {PTX_VAVRG4, PTX_VAVRG2, 4},
};

/* Which part a lane takes: digits, the highest lane first; 0.. are parts of a,
 * the next ones parts of b, which are the default. */
static bool picked(lower *l, const simd *s, const ptx_operand *o,
                   unsigned first, unsigned lane, unsigned *k)
{
    *k = first + lane;
    if (!o->part)
        return true;
    *k = s->lanes * 2;
    if (strlen(o->part) == s->lanes + 1 &&
        (o->part[0] == 'b') == (s->lanes == 4))
        *k = (unsigned)(o->part[s->lanes - lane] - '0');
    if (*k < 2 * s->lanes)
        return true;
    lo_unsupported(l, s->lanes == 2 ? "a selection is .h and two digits up to 3"
                                    : "a selection is .b and four digits up "
                                      "to 7");
    return false;
}

static cg_src picked_part(lower *l, const simd *s, unsigned k, ptx_type t)
{
    unsigned at = k % s->lanes * s->bits;

    return extract_part(l, k < s->lanes ? s->x : s->y, at, s->bits,
                        is_signed_video(t));
}

/* x op y of parts, which 32 bits hold. */
static cg_src part_op(lower *l, const simd *s, cg_src x, cg_src y)
{
    cg_build *b = &l->b;
    value u = {x, true}, v = {y, true};
    bool sign = is_signed_video(s->d);
    cg_src d, odd;

    if (s->op == PTX_VSET) {
        vreg p = cb_isetp(b, lo_compare(s->in), true, x, y);

        return cb_sel(b, cg_p(p), cg_imm(1), cg_zero());
    }
    if (s->op == PTX_VAVRG2) { /* half of the sum, away from zero */
        d = cb_add(b, x, y);
        odd = cb_shr(b, true, d, cg_imm(31));
        d = cb_add3(b, d, odd, cg_imm(1));
        d = cb_shr(b, true, d, cg_imm(1));
    } else {
        d = op32(l, s->op, u, v);
    }
    if (ptx_has(s->in, PTX_FLAG_SAT)) {
        int64_t least = sign ? -((int64_t)1 << (s->bits - 1)) : 0;

        d = greater(l, true, true, d, cg_imm(least));
        d = greater(l, false, true, d,
                    cg_imm(least + ((int64_t)1 << s->bits) - 1));
    }
    return d;
}

/* Lanes that the destination names, all if it names none. */
static bool lane_mask(lower *l, const simd *s, unsigned *mask)
{
    const char *part = s->in->ops[0].part;

    *mask = (1u << s->lanes) - 1;
    if (!part)
        return true;
    *mask = 0;
    for (const char *c = part + 1; *c; c++)
        *mask |= 1u << ((unsigned)(*c - '0') & 31);
    if ((part[0] == 'b') == (s->lanes == 4) && *mask >> s->lanes == 0)
        return true;
    lo_unsupported(l, s->lanes == 2 ? "a mask is .h0, .h1 or .h10"
                                    : "a mask is .b and digits up to 3");
    return false;
}

/* What the machine has an operation for. */
static bool is_vabsdiff4(const ptx_inst *in)
{
    return in->op == PTX_VABSDIFF4 && !in->ops[0].part && !in->ops[1].part &&
           !in->ops[2].part && !ptx_has(in, PTX_FLAG_SAT) &&
           lo_type(in, 1) == lo_type(in, 2);
}

static void vabsdiff4(lower *l, const ptx_inst *in)
{
    bool add = ptx_has_sub(in, PTX_SUB_ADD);
    lo_args s = lo_sources(l, in, PTX_TYPE_U32);
    cg_src d = cb_op(&l->b, ISA_VABSDIFF4, s.a, s.b, add ? s.c : cg_zero());

    CG_PUT(cb_last(&l->b), U32, !is_signed_video(lo_type(in, 1)));
    CG_PUT(cb_last(&l->b), SAD, add);
    lo_set(l, &in->ops[0], d);
}

static simd simd_of(lower *l, const ptx_inst *in)
{
    simd s = {.in = in};
    unsigned types = in->ntypes == 3;
    lo_args from = lo_sources(l, in, PTX_TYPE_U32);

    for (unsigned i = 0; i < COUNTOF(simd_ops); i++)
        if (simd_ops[i].op == in->op) {
            s.op = (ptx_op)simd_ops[i].as;
            s.lanes = simd_ops[i].lanes;
        }
    s.bits = WORD / s.lanes;
    s.d = lo_type(in, 0);
    s.a = lo_type(in, types);
    s.b = lo_type(in, types + 1);
    s.x = cb_reg(&l->b, from.a, 1);
    s.y = cb_reg(&l->b, from.b, 1);
    return s;
}

void lop_simd(lower *l, const ptx_inst *in)
{
    bool add = ptx_has_sub(in, PTX_SUB_ADD);
    cg_src c = cg_zero(), d, u, v;
    unsigned mask, i, j;
    simd s;

    if (is_vabsdiff4(in)) {
        vabsdiff4(l, in);
        return;
    }
    s = simd_of(l, in);
    if (!lane_mask(l, &s, &mask))
        return;
    if (in->nops > 3)
        c = lo_src(l, &in->ops[3], PTX_TYPE_U32);
    d = c;
    for (unsigned lane = 0; lane < s.lanes; lane++) {
        if (!(mask >> lane & 1))
            continue;
        if (!picked(l, &s, &in->ops[1], 0, lane, &i) ||
            !picked(l, &s, &in->ops[2], s.lanes, lane, &j))
            return;
        u = picked_part(l, &s, i, s.a);
        v = picked_part(l, &s, j, s.b);
        u = part_op(l, &s, u, v);
        d = add ? cb_add(&l->b, d, u)
                : insert_bits(l, u, lane * s.bits, s.bits, d);
    }
    lo_set(l, &in->ops[0], d);
}
