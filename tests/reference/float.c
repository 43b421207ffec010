/* tests/reference/float.c - floating-point arithmetic of all formats
 * [PTX85:floating-point-instructions] [PTX85:half-precision-floating-point-
 * instructions]: exact, then rounded once. Approximations are the exact value
 * rounded to nearest, which no bound of the manual excludes. NaNs come out as
 * the canonical one of their format. */
#include <math.h>

#include "reference/state.h"

hw_type ref_float(ptx_type t)
{
    if (t == PTX_TYPE_F16 || t == PTX_TYPE_F16X2)
        return HW_F16;
    if (t == PTX_TYPE_BF16 || t == PTX_TYPE_BF16X2)
        return HW_BF16;
    if (t == PTX_TYPE_F32 || t == PTX_TYPE_F32X2)
        return HW_F32;
    if (t == PTX_TYPE_F64)
        return HW_F64;
    return HW_NONE;
}

hw_round ref_round(const ptx_inst *in)
{
    switch (in->round) {
    case PTX_ROUND_RZ:
    case PTX_ROUND_RZI:
        return HW_RZ;
    case PTX_ROUND_RM:
    case PTX_ROUND_RMI:
        return HW_RM;
    case PTX_ROUND_RP:
    case PTX_ROUND_RPI:
        return HW_RP;
    default:
        return HW_RN;
    }
}

hw_number ref_unpack(ptx_type t, uint64_t v, bool ftz)
{
    return hw_unpack(ref_float(t), v, ftz);
}

uint64_t ref_sum(ptx_type t, uint64_t a, uint64_t b, bool ftz)
{
    hw_type f = ref_float(t);
    unsigned bits = hw_bits(f);
    uint64_t d = 0;

    for (unsigned k = 0; k < ptx_type_bits(t); k += bits) {
        hw_number x = hw_unpack(f, a >> k, ftz), y = hw_unpack(f, b >> k, ftz);
        d |= hw_pack(f, hw_add(x, y, HW_RN), HW_RN, ftz, false) << k;
    }
    return d;
}

/* ---- one value of each operand ---- */

typedef struct args {
    const ptx_inst *in;
    hw_type type;    /* of the operation */
    hw_type from[3]; /* of the operands, where they are less precise */
    bool ftz;
    hw_round round;
    uint64_t v[3];
} args;

static hw_number operand(const args *x, unsigned n)
{
    return hw_unpack(x->from[n], x->v[n], x->ftz);
}

static long double plain(hw_number v)
{
    long double r = 0;

    switch (v.kind) {
    case HW_NOT:
        return NAN;
    case HW_INF:
        r = INFINITY;
        break;
    case HW_ZERO:
        break;
    case HW_FINITE:
        r = ldexpl((long double)(uint64_t)(v.m >> 61), v.e + 61);
    }
    return v.minus ? -r : r;
}

static uint64_t function(const args *x)
{
    long double a = plain(operand(x, 0)), d;

    if (x->in->op == PTX_EX2) {
        d = exp2l(a);
    } else if (x->in->op == PTX_LG2) {
        d = log2l(a);
    } else if (x->in->op == PTX_SIN) {
        d = sinl(a);
    } else if (x->in->op == PTX_COS) {
        d = cosl(a);
    } else if (x->in->op == PTX_TANH) {
        d = tanhl(a);
    } else {
        d = 1 / sqrtl(a);
    }
    return hw_pack(x->type, hw_from_double(d), HW_RN, x->ftz, false);
}

/* The lesser or greater: -0 is less than +0; a NaN only if both are, or by
 * .NaN if one is. */
static hw_number lesser(const ptx_inst *in, hw_number a, hw_number b)
{
    if (a.kind == HW_NOT || b.kind == HW_NOT) {
        if (ptx_has(in, PTX_FLAG_NAN) || a.kind == b.kind)
            return (hw_number){.kind = HW_NOT};
        return a.kind == HW_NOT ? b : a;
    }
    int order = hw_order(a, b);
    if (order == 0)
        order = (int)b.minus - (int)a.minus;
    return (order < 0) == (in->op == PTX_MIN) ? a : b;
}

static uint64_t minimum(const args *x)
{
    hw_number v[3] = {operand(x, 0), operand(x, 1), operand(x, 2)}, r;
    bool xorsign = ptx_has(x->in, PTX_FLAG_XORSIGN);
    bool minus = v[0].minus != v[1].minus;

    for (unsigned k = 0; ptx_has(x->in, PTX_FLAG_ABS) && k < 3; k++)
        v[k].minus = false;
    r = lesser(x->in, v[0], v[1]);
    if (x->in->nops > 3)
        r = lesser(x->in, r, v[2]);
    if (xorsign && r.kind != HW_NOT)
        r.minus = minus;
    return hw_pack(x->type, r, HW_RN, x->ftz, false);
}

static uint64_t sign(const args *x)
{
    uint64_t top = (uint64_t)1 << (hw_bits(x->type) - 1);
    uint64_t v = x->v[0];

    if (x->ftz && operand(x, 0).kind == HW_ZERO)
        v &= top;
    return x->in->op == PTX_ABS ? v & ~top : v ^ top;
}

static hw_number arithmetic(const args *x)
{
    hw_number a = operand(x, 0), b = operand(x, 1);

    if (x->in->op == PTX_ADD)
        return hw_add(a, b, x->round);
    if (x->in->op == PTX_SUB)
        return hw_add(a, hw_neg(b), x->round);
    if (x->in->op == PTX_MUL)
        return hw_mul(a, b);
    if (x->in->op == PTX_DIV)
        return hw_div(a, b);
    if (x->in->op == PTX_RCP)
        return hw_div(hw_from_int(false, 1), a);
    if (x->in->op == PTX_SQRT)
        return hw_sqrt(a);
    return hw_add(hw_mul(a, b), operand(x, 2), x->round);
}

static uint64_t one(const args *x)
{
    hw_number r;

    if (x->in->op == PTX_MIN || x->in->op == PTX_MAX)
        return minimum(x);
    if (x->in->op == PTX_ABS || x->in->op == PTX_NEG)
        return sign(x);
    if (x->in->op == PTX_EX2 || x->in->op == PTX_LG2 || x->in->op == PTX_SIN ||
        x->in->op == PTX_COS || x->in->op == PTX_TANH || x->in->op == PTX_RSQRT)
        return function(x);
    r = arithmetic(x);
    if (ptx_has(x->in, PTX_FLAG_RELU) && r.kind != HW_NOT && r.minus)
        r = (hw_number){.kind = HW_ZERO};
    return hw_pack(x->type, r, x->round, x->ftz, ptx_has(x->in, PTX_FLAG_SAT));
}

/* ---- instructions: one operation on all lanes of the type ---- */

/* Mixed precision, as add.f32.f16: the last type is that of the operands but
 * the one that is added. */
static ptx_type operand_type(const ptx_inst *in, unsigned n)
{
    bool added = in->op == PTX_FMA ? n == 2 : n == 1;

    return ref_type(in, in->ntypes > 1 && !added ? 1 : 0);
}

static void lanes(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    unsigned sources = in->nops - 1u, bits;
    args x = {.in = in,
              .type = ref_float(type),
              .ftz = ptx_has(in, PTX_FLAG_FTZ),
              .round = ref_round(in)};
    uint64_t v[3] = {0}, d = 0;

    if (!x.type || sources > 3 || ptx_has(in, PTX_FLAG_OOB)) {
        ref_unknown(t, in);
        return;
    }
    for (unsigned k = 0; k < 3; k++) {
        x.from[k] = ref_float(operand_type(in, k));
        if (k < sources)
            v[k] = ref_get(t, &in->ops[k + 1], operand_type(in, k));
    }
    bits = hw_bits(x.type);
    for (unsigned at = 0; at < ptx_type_bits(type); at += bits) {
        for (unsigned k = 0; k < 3; k++)
            x.v[k] = v[k] >> at & ref_mask(bits);
        d |= one(&x) << at;
    }
    ref_put(t, &in->ops[0], type, d);
}

void ref_fma(ref_thread *t, const ptx_inst *in) { lanes(t, in); }

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see and give the upper halves
 * of doubles only; the lower one of the result is zero. */
void ref_unary(ref_thread *t, const ptx_inst *in)
{
    ptx_operand upper = in->ops[1];
    ptx_inst half = *in;
    ptx_operand ops[2] = {in->ops[0], upper};

    if (ref_type(in, 0) != PTX_TYPE_F64 || !ptx_has(in, PTX_FLAG_FTZ)) {
        lanes(t, in);
        return;
    }
    ops[1] = (ptx_operand){
        .kind = PTX_OPD_IMM,
        .imm = (int64_t)(ref_get(t, &upper, PTX_TYPE_F64) >> 32 << 32)};
    half.ops = ops;
    lanes(t, &half);
    if (ops[0].kind == PTX_OPD_REG)
        t->top->reg[ops[0].reg] &= ~(ref_bits)UINT32_MAX;
}

/* Sign of a, the rest of b. */
void ref_copysign(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    uint64_t top = (uint64_t)1 << (ptx_type_bits(type) - 1);
    uint64_t a = ref_get(t, &in->ops[1], type);
    uint64_t b = ref_get(t, &in->ops[2], type);

    ref_put(t, &in->ops[0], type, (a & top) | (b & ~top));
}

void ref_testp(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    uint64_t a = ref_get(t, &in->ops[1], type);
    hw_kind kind = ref_unpack(type, a, false).kind;
    bool small = kind == HW_FINITE && ref_unpack(type, a, true).kind == HW_ZERO;
    bool r;

    if (ptx_has_sub(in, PTX_SUB_FINITE))
        r = kind == HW_FINITE || kind == HW_ZERO;
    else if (ptx_has_sub(in, PTX_SUB_INFINITE))
        r = kind == HW_INF;
    else if (ptx_has_sub(in, PTX_SUB_NUMBER))
        r = kind != HW_NOT;
    else if (ptx_has_sub(in, PTX_SUB_NOTANUMBER))
        r = kind == HW_NOT;
    else if (ptx_has_sub(in, PTX_SUB_SUBNORMAL))
        r = small;
    else /* normal; zero counts */
        r = kind == HW_ZERO || (kind == HW_FINITE && !small);
    ref_put_pred(t, &in->ops[0], r);
}
