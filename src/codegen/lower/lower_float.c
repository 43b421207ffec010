/* src/codegen/lower/lower_float.c - single and double precision, special
 * functions; division and roots are in lower_fdiv.c. */
#include "codegen/lower/context.h"

static const uint8_t roundings[PTX_ROUND_COUNT] = {
    [PTX_ROUND_RN] = RND_RN,
    [PTX_ROUND_RM] = RND_RM,
    [PTX_ROUND_RP] = RND_RP,
    [PTX_ROUND_RZ] = RND_RZ,
};

bool lo_is_half(ptx_type t)
{
    return t == PTX_TYPE_F16 || t == PTX_TYPE_F16X2 || t == PTX_TYPE_BF16 ||
           t == PTX_TYPE_BF16X2;
}

cg_src lo_fneg(cg_src s, unsigned bits)
{
    if (s.kind != SRC_IMM) {
        s.mod ^= SRC_NEG;
        return s;
    }
    if (bits == 64)
        return cg_imm((int64_t)((uint64_t)s.val ^ 1ull << 63));
    return cg_imm((int32_t)((uint32_t)s.val ^ 1u << 31));
}

cg_src lo_fabs(cg_src s, unsigned bits)
{
    if (s.kind != SRC_IMM) {
        s.mod = SRC_ABS;
        return s;
    }
    return cg_imm(bits == 64 ? s.val & INT64_MAX : s.val & INT32_MAX);
}

unsigned lo_rounding(const ptx_inst *in) { return roundings[in->round]; }

void lo_float_mods(const ptx_inst *in, cg_inst *to)
{
    isa_mod_set has = isa_table[to->op].mods;

    if (has >> MOD_RND & 1)
        CG_PUT(to, RND, roundings[in->round]);
    if (has >> MOD_FTZ & 1)
        CG_PUT(to, FTZ, ptx_has(in, PTX_FLAG_FTZ));
    if (has >> MOD_SAT & 1)
        CG_PUT(to, SAT, ptx_has(in, PTX_FLAG_SAT));
}

static bool known_type(lower *l, ptx_type t)
{
    if (t == PTX_TYPE_F32 || t == PTX_TYPE_F64)
        return true;
    lo_unsupported(l, "not of this type; convert to .f32");
    return false;
}

/* The operands of add, sub, mul and fma. In the mixed forms all but the last
 * are halves, whose values single precision has [PTX85:mixed-precision]. */
static lo_args float_operands(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0), half = lo_type(in, 1);
    lo_args s;

    if (in->ntypes < 2)
        return lo_sources(l, in, t);
    s = lo_sources(l, in, half);
    s.a = lo_half_to_f32(l, half, s.a, false);
    if (in->nops == 3) {
        s.b = lo_src(l, &in->ops[2], t); /* a number of its own type */
    } else {
        s.b = lo_half_to_f32(l, half, s.b, false);
        s.c = lo_src(l, &in->ops[3], t);
    }
    return s;
}

static cg_src one_float(lower *l, const ptx_inst *in, unsigned op, lo_args s)
{
    cg_src d = cb_op(&l->b, op, s.a, s.b, s.c);
    cg_inst *i = cb_last(&l->b);

    lo_float_mods(in, i);
    i->fuse = !in->round && l->u->opt->contract;
    return d;
}

static lo_args words_of(lo_args s, unsigned word)
{
    return (lo_args){cg_word(s.a, word), cg_word(s.b, word),
                     cg_word(s.c, word)};
}

/* d = a op b op c with the modifiers of the instruction; pairs of singles are
 * two operations. */
static void arithmetic(lower *l, const ptx_inst *in, unsigned op, lo_args s)
{
    cg_src low, high;

    if (lo_type(in, 0) != PTX_TYPE_F32X2) {
        lo_set(l, &in->ops[0], one_float(l, in, op, s));
        return;
    }
    low = one_float(l, in, op, words_of(s, 0));
    high = one_float(l, in, op, words_of(s, 1));
    lo_set(l, &in->ops[0], cb_pair(&l->b, low, high));
}

void lo_add_float(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    lo_args s;

    if (lo_is_half(t)) {
        lo_add_half(l, in);
        return;
    }
    s = float_operands(l, in);
    if (in->op == PTX_SUB)
        s.b = lo_fneg(s.b, ptx_type_bits(t));
    arithmetic(l, in, t == PTX_TYPE_F64 ? ISA_DADD : ISA_FADD, s);
}

void lo_mul_float(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);

    if (lo_is_half(t))
        lo_mul_half(l, in);
    else
        arithmetic(l, in, t == PTX_TYPE_F64 ? ISA_DMUL : ISA_FMUL,
                   float_operands(l, in));
}

void lo_fma_float(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);

    if (lo_is_half(t))
        lo_fma_half(l, in);
    else
        arithmetic(l, in, t == PTX_TYPE_F64 ? ISA_DFMA : ISA_FFMA,
                   float_operands(l, in));
}

/* x + -0 is x with its sign modifiers applied; the simplifier makes modifiers
 * of the readers out of it. */
static void signs(lower *l, const ptx_inst *in, cg_src x)
{
    bool wide = lo_is64(lo_type(in, 0));
    cg_src d = cb_op(&l->b, wide ? ISA_DADD : ISA_FADD, x, cg_neg(cg_zero()),
                     cb_none());

    lo_float_mods(in, cb_last(&l->b));
    lo_set(l, &in->ops[0], d);
}

void lo_abs_float(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);

    if (lo_is_half(t))
        lo_sign_half(l, in);
    else if (known_type(l, t))
        signs(l, in, lo_fabs(lo_src(l, &in->ops[1], t), ptx_type_bits(t)));
}

void lo_neg_float(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);

    if (lo_is_half(t))
        lo_sign_half(l, in);
    else if (known_type(l, t))
        signs(l, in, lo_fneg(lo_src(l, &in->ops[1], t), ptx_type_bits(t)));
}

/* The lesser of two, or for max the greater. */
static cg_src float_min_max(lower *l, const ptx_inst *in, cg_src x, cg_src y)
{
    bool wide = lo_is64(lo_type(in, 0));
    cg_src d = cb_op(&l->b, wide ? ISA_DMNMX : ISA_FMNMX, x, y, cb_none());
    cg_inst *i = cb_last(&l->b);

    i->psrc[0] = (cg_pred){0, in->op == PTX_MAX};
    lo_float_mods(in, i);
    CG_PUT(i, NANP, ptx_has(in, PTX_FLAG_NAN));
    if (!wide)
        CG_PUT(i, XSIGN, ptx_has(in, PTX_FLAG_XORSIGN));
    return d;
}

void lo_minmax_float(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    lo_args s;
    cg_src d;

    if (lo_is_half(t)) {
        lo_minmax_half(l, in);
        return;
    }
    if (!known_type(l, t))
        return;
    s = lo_sources(l, in, t);
    if (in->nops == 3) {
        lo_set(l, &in->ops[0], float_min_max(l, in, s.a, s.b));
        return;
    }
    if (ptx_has(in, PTX_FLAG_ABS)) {
        s.a = lo_fabs(s.a, 32);
        s.b = lo_fabs(s.b, 32);
        s.c = lo_fabs(s.c, 32);
    }
    d = float_min_max(l, in, s.a, s.b);
    lo_set(l, &in->ops[0], float_min_max(l, in, d, s.c));
}

/* d takes the sign of the first and the magnitude of the second operand. */
void lop_copysign(lower *l, const ptx_inst *in)
{
    unsigned lut = ((LUT_A & LUT_C) | (LUT_B & ~LUT_C)) & 0xff;
    ptx_type t = lo_type(in, 0);
    cg_src x = lo_src(l, &in->ops[1], t), y = lo_src(l, &in->ops[2], t), d;
    unsigned top = lo_is64(t);

    d = cb_lop(&l->b, lut, cg_word(x, top), cg_word(y, top), cg_imm(INT32_MIN));
    lo_set(l, &in->ops[0], lo_is64(t) ? cb_pair(&l->b, cg_word(y, 0), d) : d);
}

/* ---- special functions ------------------------------------------------- */

static cg_src emit_mufu_ftz(lower *l, enum isa_mufu fn, cg_src x, bool ftz)
{
    cg_src d = cb_op(&l->b, ISA_MUFU, x, cb_none(), cb_none());

    CG_PUT(cb_last(&l->b), MUFUFN, fn);
    CG_PUT(cb_last(&l->b), FTZ, ftz);
    return d;
}

/* v = v op k where p holds. */
static void where(lower *l, cg_pred p, unsigned op, cg_src v, cg_src k)
{
    cg_pred old = l->b.guard;

    l->b.guard = p;
    cb_to(&l->b, op, cb_dst(v.reg), v, k, cb_none());
    l->b.guard = old;
}

static cg_src changeable(lower *l, cg_src s)
{
    vreg v = cg_reg_new(l->b.f, CG_W1);

    cb_copy(&l->b, v, s, 1);
    return cg_r(v);
}

/* 2^x: the unit flushes tiny results, so they are computed as a square. */
static cg_src lower_ex2(lower *l, cg_src x)
{
    vreg tiny = cb_fsetp(&l->b, ISA_FSETP, CMP_LT, x,
                         cg_imm((int32_t)0xc2fc0000)); /* -126 */
    cg_src v = changeable(l, x), d;

    where(l, cg_p(tiny), ISA_FMUL, v, cg_imm(0x3f000000)); /* 0.5 */
    d = changeable(l, emit_mufu_ftz(l, MUFU_EX2, v, false));
    where(l, cg_p(tiny), ISA_FMUL, d, d);
    return d;
}

/* The function of a denormal is that of it times 2^24, corrected. */
static cg_src mufu_of_denormal(lower *l, enum isa_mufu fn, cg_src x,
                               unsigned op, int32_t correction)
{
    vreg tiny = cb_fsetp(&l->b, ISA_FSETP, CMP_LT, lo_fabs(x, 32),
                         cg_imm(0x00800000)); /* 2^-126 */
    cg_src v = changeable(l, x), d;

    where(l, cg_p(tiny), ISA_FMUL, v, cg_imm(0x4b800000)); /* 2^24 */
    d = changeable(l, emit_mufu_ftz(l, fn, v, false));
    where(l, cg_p(tiny), op, d, cg_imm(correction));
    return d;
}

/* The unit counts revolutions. */
static cg_src circle(lower *l, enum isa_mufu fn, cg_src x, bool ftz)
{
    cg_src turns = cb_op(&l->b, ISA_FMUL, x, cg_imm(0x3e22f983), cb_none());

    CG_PUT(cb_last(&l->b), RND, RND_RZ);
    CG_PUT(cb_last(&l->b), FTZ, ftz);
    return emit_mufu_ftz(l, fn, turns, ftz);
}

void lop_mufu(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    bool ftz = ptx_has(in, PTX_FLAG_FTZ);
    lo_skip skip = {NULL};
    cg_src x, d;

    if (lo_is_half(t)) {
        lo_mufu_half(l, in);
        return;
    }
    skip = lo_skip_begin(l);
    x = cb_reg(&l->b, lo_src(l, &in->ops[1], t), 1);
    if (in->op == PTX_SIN) {
        d = circle(l, MUFU_SIN, x, ftz);
    } else if (in->op == PTX_COS) {
        d = circle(l, MUFU_COS, x, ftz);
    } else if (in->op == PTX_EX2) {
        d = ftz ? emit_mufu_ftz(l, MUFU_EX2, x, true) : lower_ex2(l, x);
    } else if (in->op == PTX_LG2) {
        d = ftz ? emit_mufu_ftz(l, MUFU_LG2, x, true)
                : mufu_of_denormal(l, MUFU_LG2, x, ISA_FADD,
                                   (int32_t)0xc1c00000); /* -24 */
    } else {
        d = emit_mufu_ftz(l, MUFU_TANH, x, ftz);
    }
    lo_set(l, &in->ops[0], d);
    lo_skip_end(l, skip);
}

/* r (1 + e/2 + 3/8 e^2) with e = 1 - x r^2; *good: the result is a number. */
static cg_src refine_rsqrt64(lower *l, cg_src x, cg_src r, vreg *good)
{
    cg_src e = cb_op(&l->b, ISA_DMUL, r, r, cb_none()), h;

    e = cb_op(&l->b, ISA_DFMA, lo_fneg(x, 64), e, cg_imm(0x3ff0000000000000));
    h = cb_op(&l->b, ISA_DFMA, e, cg_imm(0x3fd8000000000000),
              cg_imm(0x3fe0000000000000));
    e = cb_op(&l->b, ISA_DMUL, r, e, cb_none());
    h = cb_op(&l->b, ISA_DFMA, h, e, r);
    *good = cb_fsetp(&l->b, ISA_DSETP, CMP_NUM, h, h);
    return h;
}

/* With .ftz only the upper word counts. Without, subnormal numbers are
 * multiplied by 2^108 first; what has no finite result keeps the first
 * estimate, but NaNs, which need not show in the upper word, stay. */
static void rsqrt64(lower *l, const ptx_inst *in)
{
    cg_src x = cb_reg(&l->b, lo_src(l, &in->ops[1], PTX_TYPE_F64), 2), r, k, h;
    vreg tiny, good, number;

    if (ptx_has(in, PTX_FLAG_FTZ)) {
        h = emit_mufu_ftz(l, MUFU_RSQ64H, cg_word(x, 1), false);
        lo_set(l, &in->ops[0], cb_pair(&l->b, cg_zero(), h));
        return;
    }
    tiny = cb_fsetp(&l->b, ISA_DSETP, CMP_LT, lo_fabs(x, 64),
                    cg_imm(0x0010000000000000));
    k = cb_sel(&l->b, cg_p(tiny), cg_imm(0x46b00000), cg_imm(0x3ff00000));
    x = cb_op(&l->b, ISA_DMUL, x, cb_pair(&l->b, cg_zero(), k), cb_none());
    h = emit_mufu_ftz(l, MUFU_RSQ64H, cg_word(x, 1), false);
    r = cb_pair(&l->b, cg_zero(), h);
    h = refine_rsqrt64(l, x, r, &good);
    number = cb_fsetp(&l->b, ISA_DSETP, CMP_NUM, x, x);
    r = cb_sel64(&l->b, cg_p(number), r, x);
    h = cb_sel64(&l->b, cg_p(good), h, r);
    k = cb_sel(&l->b, cg_p(tiny), cg_imm(0x43500000), cg_imm(0x3ff00000));
    h = cb_op(&l->b, ISA_DMUL, h, cb_pair(&l->b, cg_zero(), k), cb_none());
    lo_set(l, &in->ops[0], h);
}

void lop_rsqrt(lower *l, const ptx_inst *in)
{
    ptx_type t = lo_type(in, 0);
    lo_skip skip;
    cg_src x;

    if (t == PTX_TYPE_F64) {
        rsqrt64(l, in);
        return;
    }
    if (!known_type(l, t))
        return;
    skip = lo_skip_begin(l);
    x = cb_reg(&l->b, lo_src(l, &in->ops[1], t), 1);
    lo_set(l, &in->ops[0],
           ptx_has(in, PTX_FLAG_FTZ)
               ? emit_mufu_ftz(l, MUFU_RSQ, x, true)
               : mufu_of_denormal(l, MUFU_RSQ, x, ISA_FMUL,
                                  0x45800000)); /* 2^12 */
    lo_skip_end(l, skip);
}
