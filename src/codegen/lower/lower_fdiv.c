/* src/codegen/lower/lower_fdiv.c - floating-point division, reciprocal and
 * square root, correctly rounded where PTX names a rounding. Each has a fast
 * path for operands of ordinary size and a slow one for the others, which is
 * jumped over. */
#include "codegen/lower/context.h"

#define ONE64  INT64_C(0x3ff0000000000000)
#define HALF64 INT64_C(0x3fe0000000000000)

enum { ONE32 = 0x3f800000, HALF32 = 0x3f000000 };

/* ---- short names ------------------------------------------------------- */

static cg_src fma32(lower *l, cg_src x, cg_src y, cg_src z)
{
    return cb_op(&l->b, ISA_FFMA, x, y, z);
}

static cg_src mul32(lower *l, cg_src x, cg_src y)
{
    return cb_op(&l->b, ISA_FMUL, x, y, cb_none());
}

static cg_src fma64(lower *l, cg_src x, cg_src y, cg_src z)
{
    return cb_op(&l->b, ISA_DFMA, x, y, z);
}

static cg_src emit_dmul(lower *l, cg_src x, cg_src y)
{
    return cb_op(&l->b, ISA_DMUL, x, y, cb_none());
}

static cg_src emit_mufu(lower *l, enum isa_mufu fn, cg_src x)
{
    cg_src d = cb_op(&l->b, ISA_MUFU, x, cb_none(), cb_none());

    CG_PUT(cb_last(&l->b), MUFUFN, fn);
    return d;
}

/* A double whose upper word MUFU computes. */
static cg_src mufu64(lower *l, enum isa_mufu fn, cg_src x)
{
    return cb_pair(&l->b, cg_zero(), emit_mufu(l, fn, cg_word(x, 1)));
}

static cg_src to_double(lower *l, cg_src x, bool ftz)
{
    cg_src d = cb_op(&l->b, ISA_F2F_DS, x, cb_none(), cb_none());

    CG_PUT(cb_last(&l->b), FTZ, ftz);
    return d;
}

static cg_src to_single(lower *l, const ptx_inst *in, cg_src x)
{
    cg_src d = cb_op(&l->b, ISA_F2F_SD, x, cb_none(), cb_none());

    lo_float_mods(in, cb_last(&l->b));
    return d;
}

/* ---- a / b ------------------------------------------------------------- */

/* a / b of doubles that are single-precision numbers, to a unit in the last
 * place. Where the steps end in NaN or zero the product of a and the first
 * reciprocal is right: it has the proper infinity, zero or NaN. */
static cg_src near_quotient(lower *l, cg_src a, cg_src b)
{
    cg_src r0 = mufu64(l, MUFU_RCP64H, b), q0 = emit_dmul(l, a, r0), e, r, q;
    vreg good;

    e = fma64(l, lo_fneg(b, 64), r0, cg_imm(ONE64));
    e = fma64(l, e, e, e);
    r = fma64(l, r0, e, r0);
    q = emit_dmul(l, a, r);
    e = fma64(l, lo_fneg(b, 64), q, a);
    q = fma64(l, e, r, q);
    good = cb_fsetp(&l->b, ISA_DSETP, CMP_GT, lo_fabs(q, 64), cg_zero());
    return cb_sel64(&l->b, cg_p(good), q, q0);
}

static cg_src slow_div32(lower *l, const ptx_inst *in, cg_src a, cg_src b)
{
    bool ftz = ptx_has(in, PTX_FLAG_FTZ);
    /* not as arguments: their order of evaluation is the host compiler's */
    cg_src x = to_double(l, a, ftz), y = to_double(l, b, ftz);

    return to_single(l, in, near_quotient(l, x, y));
}

static cg_src fast_div32(lower *l, cg_src a, cg_src b)
{
    cg_src minus = lo_fneg(b, 32), r = emit_mufu(l, MUFU_RCP, b), e, q;

    e = fma32(l, minus, r, cg_imm(ONE32));
    r = fma32(l, r, e, r);
    q = mul32(l, a, r);
    for (unsigned i = 0; i < 2; i++) {
        e = fma32(l, minus, q, a);
        q = fma32(l, e, r, q);
    }
    return q;
}

static cg_src fast_rcp32(lower *l, cg_src b)
{
    cg_src r = emit_mufu(l, MUFU_RCP, b);
    cg_src e = fma32(l, lo_fneg(b, 32), r, cg_imm(ONE32));

    return fma32(l, r, e, r);
}

/* d = the quotient; a is 1 for a reciprocal. */
static void div_rn32(lower *l, const ptx_inst *in, cg_src a, cg_src b,
                     bool reciprocal)
{
    cg_block *join;
    cg_inst *check;
    vreg d;

    if (in->round != PTX_ROUND_RN) {
        lo_set(l, &in->ops[0], slow_div32(l, in, a, b));
        return;
    }
    join = cg_block_new(l->b.f);
    d = cg_reg_new(l->b.f, CG_W1);
    check = cb_to(&l->b, ISA_FCHK, (cg_dst){0}, a, b, cb_none());
    check->pdst[0] = cg_reg_new(l->b.f, CG_PRED);
    cb_copy(&l->b, d, reciprocal ? fast_rcp32(l, b) : fast_div32(l, a, b), 1);
    cb_branch(&l->b, (cg_pred){check->pdst[0], true}, join);
    if (!lo_slow_call(l, in, d, a, b))
        cb_copy(&l->b, d, slow_div32(l, in, a, b), 1);
    cb_enter(&l->b, join);
    lo_set(l, &in->ops[0], cg_r(d));
}

/* div.full: operands of large size are divided by 4 first, small ones
 * multiplied by 2^24, so that the reciprocal is a normal number. */
static cg_src div_full32(lower *l, const ptx_inst *in, cg_src a, cg_src b)
{
    cg_build *u = &l->b;
    bool ftz = ptx_has(in, PTX_FLAG_FTZ);
    vreg big = cb_fsetp(u, ISA_FSETP, CMP_GT, lo_fabs(b, 32),
                        cg_imm(0x7e800000)); /* 2^126 */
    vreg tiny = cb_fsetp(u, ISA_FSETP, CMP_LT, lo_fabs(b, 32),
                         cg_imm(0x00800000)); /* 2^-126 */
    cg_src k = cb_sel(u, cg_p(big), cg_imm(0x3e800000), cg_imm(ONE32)), q;

    k = cb_sel(u, cg_p(tiny), cg_imm(0x4b800000), k);
    a = mul32(l, a, k);
    CG_PUT(cb_last(u), FTZ, ftz);
    b = mul32(l, b, k);
    CG_PUT(cb_last(u), FTZ, ftz);
    q = mul32(l, a, emit_mufu(l, MUFU_RCP, b));
    CG_PUT(cb_last(u), FTZ, ftz);
    return q;
}

static cg_src div_approx32(lower *l, const ptx_inst *in, cg_src a, cg_src b)
{
    bool ftz = ptx_has(in, PTX_FLAG_FTZ);
    cg_src r = emit_mufu(l, MUFU_RCP, b), q;

    CG_PUT(cb_last(&l->b), FTZ, ftz);
    q = mul32(l, a, r);
    CG_PUT(cb_last(&l->b), FTZ, ftz);
    return q;
}

/* ---- doubles ----------------------------------------------------------- */

/* q plus a correction that is less than half a unit of q, has the sign of the
 * exact one, and is zero only if that is: x y, x being exact. So the last
 * rounding, if it has a direction, is that of the exact result. */
static cg_src round_directed(lower *l, unsigned rnd, cg_src x, cg_src y,
                             cg_src q)
{
    q = fma64(l, x, y, q);
    CG_PUT(cb_last(&l->b), RND, rnd);
    return q;
}

/* The quotient of doubles of ordinary size, correctly rounded; *left is what
 * remains of a, if the rounding is to nearest. */
static cg_src quotient64(lower *l, unsigned rnd, cg_src a, cg_src b,
                         cg_src *left)
{
    cg_src minus = lo_fneg(b, 64), r = mufu64(l, MUFU_RCP64H, b), e, q;

    e = fma64(l, minus, r, cg_imm(ONE64));
    e = fma64(l, e, e, e);
    r = fma64(l, r, e, r);
    e = fma64(l, minus, r, cg_imm(ONE64));
    r = fma64(l, r, e, r);
    q = emit_dmul(l, a, r);
    e = fma64(l, minus, q, a);
    q = fma64(l, e, r, q);
    e = fma64(l, minus, q, a);
    q = fma64(l, e, r, q);
    if (left || rnd)
        e = fma64(l, minus, q, a);
    if (left)
        *left = e;
    return rnd ? round_directed(l, rnd, e, r, q) : q;
}

static cg_src exponent_of(lower *l, cg_src high)
{
    cg_src d = cb_op(&l->b, ISA_BFE, high, cg_imm(20 | 11 << 8), cb_none());

    CG_PUT(cb_last(&l->b), U32, 1);
    return d;
}

typedef struct parts { /* x = m 2^e with 1 <= |m| < 2, unless special */
    cg_src m, e;
    vreg special; /* zero, infinity or NaN */
} parts;

static parts split_double(lower *l, cg_src x)
{
    cg_build *b = &l->b;
    cg_src e = exponent_of(l, cg_word(x, 1)), up, high;
    vreg tiny = cb_isetp(b, CMP_EQ, false, e, cg_zero()), big;
    parts p;

    up = emit_dmul(l, x, cg_imm(INT64_C(0x4350000000000000))); /* 2^54 */
    x = cb_sel64(b, cg_p(tiny), up, x);
    e = exponent_of(l, cg_word(x, 1));
    high =
        cb_lop(b, (LUT_A & LUT_B) | LUT_C, cg_word(x, 1),
               cb_reg(b, cg_imm((int32_t)0x800fffff), 1), cg_imm(0x3ff00000));
    p.m = cb_pair(b, cg_word(x, 0), high);
    /* Zero has exponent 0 still, infinities and NaNs have 2047. */
    up = cb_add(b, e, cg_imm(-1));
    big = cb_isetp(b, CMP_GE, false, up, cg_imm(0x7fe));
    p.special = big;
    p.e = cb_sel(b, cg_p(tiny), cb_add(b, e, cg_imm(-54)), e);
    return p;
}

/* q 2^k as a denormal, where q is the rounded quotient and the sign of `left`
 * (relative to that of a) gives the side of the exact quotient that it is on:
 * the exact quotient is truncated to an integer, and the lost bits decide the
 * rounding. */
static cg_src denormal(lower *l, cg_src q, cg_src k, cg_src left, cg_src a)
{
    cg_build *b = &l->b;
    cg_src high, m, n, lost, s, sticky;
    vreg over, any, up;

    /* left and a of opposite signs: q is too large; take one unit off */
    over = cb_isetp(b, CMP_LT, true, cb_xor(b, cg_word(left, 1), cg_word(a, 1)),
                    cg_zero());
    any = cb_fsetp(b, ISA_DSETP, CMP_NEU, left, cg_zero());
    over = cb_plop(b, LUT_A & LUT_B, cg_p(over), cg_p(any), (cg_pred){0});
    m = cb_add64(b, q, cb_sel64(b, cg_p(over), cg_imm(-1), cg_zero()));
    s = cb_add3(b, cg_imm(1), cg_neg(exponent_of(l, cg_word(m, 1))), cg_neg(k));
    high = cb_lop(b, (LUT_A & LUT_B) | LUT_C, cg_word(m, 1),
                  cb_reg(b, cg_imm(0x000fffff), 1), cg_imm(0x00100000));
    m = cb_pair(b, cg_word(m, 0), high);
    /* two more bits below: the half, and whether anything is lost */
    m = lo_shl64(l, m, cg_imm(2));
    m = cb_reg(b, m, 2);
    n = lo_shr64(l, false, m, s);
    lost = cb_lop64(b, LUT_A ^ LUT_B, lo_shl64(l, n, s), m);
    sticky = cb_or(b, cg_word(lost, 0), cg_word(lost, 1));
    up = cb_isetp(b, CMP_NE, false, sticky, cg_zero());
    any = cb_plop(b, LUT_A | LUT_B, cg_p(up), cg_p(any), (cg_pred){0});
    /* n has the result in bits 2 and up, the half in bit 1; ties to even */
    sticky = cb_sel(b, cg_p(any), cg_imm(1), cg_zero());
    sticky = cb_lop(b, LUT_A | LUT_B, cg_word(n, 0), sticky, cg_zero());
    sticky = cb_and(b, sticky, cg_imm(7));
    up = cb_isetp(b, CMP_EQ, false, sticky, cg_imm(6));
    over = cb_isetp(b, CMP_EQ, false, cb_and(b, sticky, cg_imm(3)), cg_imm(3));
    up = cb_plop(b, LUT_A | LUT_B, cg_p(up), cg_p(over), (cg_pred){0});
    n = lo_shr64(l, false, n, cg_imm(2));
    n = cb_add64(b, n, cb_sel64(b, cg_p(up), cg_imm(1), cg_zero()));
    high = cb_lop(b, (LUT_A & LUT_B) | LUT_C, cg_word(q, 1), cg_imm(INT32_MIN),
                  cg_word(n, 1));
    return cb_pair(b, cg_word(n, 0), high);
}

/* 2^k */
static cg_src power_of_two(lower *l, cg_src k)
{
    cg_src high = cb_op(&l->b, ISA_LEA, k, cg_imm(ONE64 >> 32), cb_none());

    cb_last(&l->b)->lut = 20;
    return cb_pair(&l->b, cg_zero(), high);
}

/* Any a and b. A quotient that is rounded in a direction may be rounded so
 * again on its way to a denormal; one to the nearest must not. */
static cg_src slow_div64(lower *l, unsigned rnd, cg_src a, cg_src b)
{
    cg_build *u = &l->b;
    parts x = split_double(l, a), y = split_double(l, b);
    cg_src k = cb_add(u, x.e, cg_neg(y.e)), left, q, e, normal, tiny, half, r;
    vreg special, number, low;

    q = quotient64(l, rnd, x.m, y.m, &left);
    e = cb_add(u, exponent_of(l, cg_word(q, 1)), k);
    /* An exponent above 2046 becomes infinity by two multiplications; beyond
     * 2000 it does not matter how large it is. */
    k = cb_op(u, ISA_IMNMX, k, cg_imm(2000), cb_none());
    if (rnd) { /* nor below -2000 */
        k = cb_op(u, ISA_IMNMX, k, cg_imm(-2000), cb_none());
        cb_last(u)->psrc[0] = (cg_pred){0, true};
    }
    half = cb_shr(u, true, k, cg_imm(1));
    r = cb_add(u, k, cg_neg(half));
    normal = emit_dmul(l, q, power_of_two(l, half));
    CG_PUT(cb_last(u), RND, rnd);
    normal = emit_dmul(l, normal, power_of_two(l, r));
    CG_PUT(cb_last(u), RND, rnd);
    if (!rnd) {
        tiny = denormal(l, q, k, left, x.m);
        low = cb_isetp(u, CMP_LT, true, e, cg_imm(1));
        normal = cb_sel64(u, cg_p(low), tiny, normal);
    }
    /* Zeros, infinities, NaNs: a times 0 or infinity, or half of it, or
     * times b, a NaN that need not show in the upper word. */
    special = cb_plop(u, LUT_A | LUT_B, cg_p(x.special), cg_p(y.special),
                      (cg_pred){0});
    r = mufu64(l, MUFU_RCP64H, b);
    number = cb_fsetp(u, ISA_DSETP, CMP_NUM, b, b);
    r = cb_sel64(u, cg_p(number), r, b);
    half = cb_lop(u, (LUT_A & LUT_B) | LUT_C, cg_word(b, 1), cg_imm(INT32_MIN),
                  cb_reg(u, cg_imm(HALF64 >> 32), 1));
    r = cb_sel64(u, cg_p(y.special), r, cb_pair(u, cg_zero(), half));
    return cb_sel64(u, cg_p(special), emit_dmul(l, a, r), normal);
}

static void div_round64(lower *l, const ptx_inst *in, cg_src a, cg_src b)
{
    cg_build *u = &l->b;
    cg_block *join = cg_block_new(u->f);
    vreg d = cg_reg_new(u->f, CG_W2), p, q, r;
    unsigned rnd = lo_rounding(in);
    cg_src ea, eb;

    a = cb_reg(u, a, 2);
    b = cb_reg(u, b, 2);
    /* ordinary: exponents within 900 of 0 and of each other */
    ea = exponent_of(l, cg_word(a, 1));
    eb = exponent_of(l, cg_word(b, 1));
    p = cb_isetp(u, CMP_LT, false, cb_add(u, ea, cg_imm(-123)), cg_imm(1800));
    q = cb_isetp(u, CMP_LT, false, cb_add(u, eb, cg_imm(-123)), cg_imm(1800));
    r = cb_isetp(u, CMP_LT, false, cb_add3(u, ea, cg_neg(eb), cg_imm(900)),
                 cg_imm(1800));
    p = cb_plop(u, LUT_A & LUT_B & LUT_C, cg_p(p), cg_p(q), cg_p(r));
    cb_copy(u, d, quotient64(l, rnd, a, b, NULL), 2);
    cb_branch(u, cg_p(p), join);
    if (!lo_slow_call(l, in, d, a, b))
        cb_copy(u, d, slow_div64(l, rnd, a, b), 2);
    cb_enter(u, join);
    lo_set(l, &in->ops[0], cg_r(d));
}

void lo_div_float(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    lo_skip skip = lo_skip_begin(l);
    cg_src a = lo_src(l, &in->ops[1], t), b = lo_src(l, &in->ops[2], t);

    if (t == PTX_TYPE_F64) {
        div_round64(l, in, a, b);
    } else if (t != PTX_TYPE_F32) {
        lo_unsupported(l, "not of this type; convert to .f32");
    } else {
        a = cb_reg(&l->b, a, 1);
        b = cb_reg(&l->b, b, 1);
        if (ptx_has(in, PTX_FLAG_APPROX))
            lo_set(l, &in->ops[0], div_approx32(l, in, a, b));
        else if (ptx_has(in, PTX_FLAG_FULL))
            lo_set(l, &in->ops[0], div_full32(l, in, a, b));
        else
            div_rn32(l, in, a, b, false);
    }
    lo_skip_end(l, skip);
}

void lop_rcp(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    bool approx = ptx_has(in, PTX_FLAG_APPROX);
    lo_skip skip = lo_skip_begin(l);
    cg_src b = lo_src(l, &in->ops[1], t);

    if (t == PTX_TYPE_F64 && approx) {
        lo_set(l, &in->ops[0], mufu64(l, MUFU_RCP64H, cb_reg(&l->b, b, 2)));
    } else if (t == PTX_TYPE_F64) {
        div_round64(l, in, cg_imm(ONE64), b);
    } else if (t != PTX_TYPE_F32) {
        lo_unsupported(l, "not of this type; convert to .f32");
    } else if (approx) {
        cg_src d = emit_mufu(l, MUFU_RCP, cb_reg(&l->b, b, 1));

        CG_PUT(cb_last(&l->b), FTZ, ptx_has(in, PTX_FLAG_FTZ));
        lo_set(l, &in->ops[0], d);
    } else {
        cg_src one = cb_reg(&l->b, cg_imm(ONE32), 1);

        div_rn32(l, in, one, cb_reg(&l->b, b, 1), true);
    }
    lo_skip_end(l, skip);
}

/* ---- square roots ------------------------------------------------------ */

/* Goldschmidt's steps for g = sqrt(x) and h = 1 / (2 g), then the remainder
 * decides the last bit. */
static cg_src root32(lower *l, cg_src x)
{
    cg_src r = emit_mufu(l, MUFU_RSQ, x), g = mul32(l, x, r), e, h;

    h = mul32(l, r, cg_imm(HALF32));
    e = fma32(l, lo_fneg(h, 32), g, cg_imm(HALF32));
    g = fma32(l, g, e, g);
    h = fma32(l, h, e, h);
    e = fma32(l, lo_fneg(g, 32), g, x);
    return fma32(l, e, h, g);
}

static cg_src root64(lower *l, unsigned rnd, cg_src x)
{
    cg_src r = mufu64(l, MUFU_RSQ64H, x), g = emit_dmul(l, x, r), e, h;

    h = emit_dmul(l, r, cg_imm(HALF64));
    for (unsigned i = 0; i < 2; i++) {
        e = fma64(l, lo_fneg(h, 64), g, cg_imm(HALF64));
        g = fma64(l, g, e, g);
        h = fma64(l, h, e, h);
    }
    for (unsigned i = 0; i < 2; i++) {
        e = fma64(l, lo_fneg(g, 64), g, x);
        g = fma64(l, e, h, g);
    }
    if (!rnd)
        return g;
    e = fma64(l, lo_fneg(g, 64), g, x);
    return round_directed(l, rnd, e, h, g);
}

static cg_src slow_sqrt32(lower *l, const ptx_inst *in, cg_src x)
{
    cg_src g = root64(l, RND_RN, to_double(l, x, ptx_has(in, PTX_FLAG_FTZ)));
    cg_src s = to_single(l, in, g);
    vreg good = cb_fsetp(&l->b, ISA_DSETP, CMP_NUM, g, g);
    cg_src special = emit_mufu(l, MUFU_SQRT, x);

    CG_PUT(cb_last(&l->b), FTZ, ptx_has(in, PTX_FLAG_FTZ));
    return cb_sel(&l->b, cg_p(good), s, special);
}

static void sqrt_rn32(lower *l, const ptx_inst *in, cg_src x)
{
    cg_build *b = &l->b;
    cg_block *join;
    vreg d, p;

    if (in->round != PTX_ROUND_RN) {
        lo_set(l, &in->ops[0], slow_sqrt32(l, in, x));
        return;
    }
    join = cg_block_new(b->f);
    d = cg_reg_new(b->f, CG_W1);
    /* from 2^-100 to the largest finite number */
    p = cb_isetp(b, CMP_LT, false, cb_add(b, x, cg_imm(-0x0d800000)),
                 cg_imm(0x7f800000 - 0x0d800000));
    cb_copy(b, d, root32(l, x), 1);
    cb_branch(b, cg_p(p), join);
    if (!lo_slow_call(l, in, d, x, cb_none()))
        cb_copy(b, d, slow_sqrt32(l, in, x), 1);
    cb_enter(b, join);
    lo_set(l, &in->ops[0], cg_r(d));
}

/* Tiny numbers are multiplied by 2^108 first. Zero, infinity and NaN are
 * their own roots, a negative number has none. */
static cg_src slow_sqrt64(lower *l, unsigned rnd, cg_src x)
{
    cg_build *b = &l->b;
    cg_src up = emit_dmul(l, x, cg_imm(INT64_C(0x46b0000000000000)));
    cg_src g = root64(l, rnd, up), nan = cg_imm(0x7fffffff), s;
    vreg good = cb_fsetp(b, ISA_DSETP, CMP_NUM, g, g), neg;

    g = emit_dmul(l, g, cg_imm(INT64_C(0x3c90000000000000))); /* 2^-54 */
    s = cb_op(b, ISA_DADD, x, x, cb_none());
    neg = cb_fsetp(b, ISA_DSETP, CMP_LT, x, cg_zero());
    s = cb_pair(b, cg_word(s, 0), cb_sel(b, cg_p(neg), nan, cg_word(s, 1)));
    return cb_sel64(b, cg_p(good), g, s);
}

static void sqrt_round64(lower *l, const ptx_inst *in, cg_src x)
{
    cg_build *b = &l->b;
    cg_block *join = cg_block_new(b->f);
    vreg d = cg_reg_new(b->f, CG_W2), p;
    unsigned rnd = lo_rounding(in);
    cg_src e;

    e = cb_shr(b, false, cg_word(x, 1), cg_imm(20)); /* with the sign */
    p = cb_isetp(b, CMP_LT, false, cb_add(b, e, cg_imm(-123)), cg_imm(1924));
    cb_copy(b, d, root64(l, rnd, x), 2);
    cb_branch(b, cg_p(p), join);
    if (!lo_slow_call(l, in, d, x, cb_none()))
        cb_copy(b, d, slow_sqrt64(l, rnd, x), 2);
    cb_enter(b, join);
    lo_set(l, &in->ops[0], cg_r(d));
}

void lop_sqrt(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    lo_skip skip = lo_skip_begin(l);
    cg_src x = cb_reg(&l->b, lo_src(l, &in->ops[1], t), lo_words(t));

    if (t == PTX_TYPE_F64) {
        sqrt_round64(l, in, x);
    } else if (t != PTX_TYPE_F32) {
        lo_unsupported(l, "not of this type; convert to .f32");
    } else if (ptx_has(in, PTX_FLAG_APPROX)) {
        cg_src d = emit_mufu(l, MUFU_SQRT, x);

        CG_PUT(cb_last(&l->b), FTZ, ptx_has(in, PTX_FLAG_FTZ));
        lo_set(l, &in->ops[0], d);
    } else {
        sqrt_rn32(l, in, x);
    }
    lo_skip_end(l, skip);
}

/* ---- the slow halves, called ------------------------------------------- */

cg_src lo_slow_result(lower *l, const ptx_inst *in, cg_src a, cg_src b)
{
    bool wide = lo_type(in, 0) == PTX_TYPE_F64;

    if (in->op == PTX_SQRT)
        return wide ? slow_sqrt64(l, lo_rounding(in), a)
                    : slow_sqrt32(l, in, a);
    return wide ? slow_div64(l, lo_rounding(in), a, b)
                : slow_div32(l, in, a, b);
}
