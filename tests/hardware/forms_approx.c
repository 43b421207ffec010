/* tests/hardware/forms_approx.c - approximations and the errors the manual
 * allows them [PTX85:ex2] [PTX85:lg2] [PTX85:sin] [PTX85:rcp] [PTX85:rsqrt]
 * [PTX85:sqrt] [PTX85:tanh] [PTX85:div]. The reference is the exact value
 * rounded once. */
#include "number.h"

#include <math.h>

enum { EX2, LG2, SIN, COS, RCP, RSQRT, SQRT, TANH, DIV };

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

static long double function(int op, long double a, long double b)
{
    switch (op) {
    case EX2:
        return exp2l(a);
    case LG2:
        return log2l(a);
    case SIN:
        return sinl(a);
    case COS:
        return cosl(a);
    case RCP:
        return 1 / a;
    case RSQRT:
        return 1 / sqrtl(a);
    case SQRT:
        return sqrtl(a);
    case TANH:
        return tanhl(a);
    default:
        return a / b;
    }
}

static uint64_t one_ref(const hw_form *f, uint64_t x, uint64_t y)
{
    bool upper = f->type == HW_F64 && f->ftz;
    /* Those of double precision with .ftz see and give upper halves only. */
    hw_number a = hw_unpack(f->type, upper ? x >> 32 << 32 : x, f->ftz);
    hw_number b = hw_unpack(f->type, y, f->ftz);

    return hw_pack(f->type, hw_from_double(function(f->op, plain(a), plain(b))),
                   HW_RN, f->ftz, false);
}

static uint64_t approx_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t d = one_ref(f, in->v[0][i], in->v[1][i]);

    if (f->n == 2)
        d |= one_ref(f, in->v[0][i] >> 16, in->v[1][i] >> 16) << 16;
    return d;
}

static const struct {
    const char *text;
    int op;
    hw_type type;
    int ftz; /* 0 without, 1 with, 2 both */
    hw_bound bound;
} rows[] = {
    /* A step of a subnormal result is more than the relative bound. */
    {"ex2.approx%s.f32", EX2, HW_F32, 2, {1, 0x1p-22, 0, 0, INFINITY}},
    /* Relative outside of (0.5, 2), absolute inside. */
    {"lg2.approx%s.f32", LG2, HW_F32, 2, {0, 0x1p-22, 0x1p-22, 0, INFINITY}},
    {"sin.approx%s.f32", SIN, HW_F32, 2, {0, 0, 0x1.6ap-21, 0, 6.2831}},
    {"cos.approx%s.f32", COS, HW_F32, 2, {0, 0, 0x1.6ap-21, 0, 6.2831}},
    {"rcp.approx%s.f32", RCP, HW_F32, 2, {1, 0, 0, 0, INFINITY}},
    {"rsqrt.approx%s.f32", RSQRT, HW_F32, 2, {0, 0x1.1p-23, 0, 0, INFINITY}},
    {"sqrt.approx%s.f32", SQRT, HW_F32, 2, {0, 0x1p-23, 0, 0, INFINITY}},
    {"tanh.approx.f32", TANH, HW_F32, 0, {0, 0x1p-11, 0, 0, INFINITY}},
    {"div.approx%s.f32", DIV, HW_F32, 2, {2, 0, 0, 0x1p-126, 0x1p126}},
    {"div.full%s.f32", DIV, HW_F32, 2, {2, 0, 0, 0, INFINITY}},
    /* The manual states no bound for doubles: what an upper word can hold. */
    {"rcp.approx.ftz.f64", RCP, HW_F64, 1, {0, 0x1p-19, 0, 0, INFINITY}},
    {"rsqrt.approx.f64", RSQRT, HW_F64, 0, {0, 0x1p-19, 0, 0, INFINITY}},
    {"rsqrt.approx.ftz.f64", RSQRT, HW_F64, 1, {0, 0x1p-19, 0, 0, INFINITY}},
    {"ex2.approx.f16", EX2, HW_F16, 0, {1, 0x1p-9, 0, 0, INFINITY}},
    {"ex2.approx.f16x2", EX2, HW_F16X2, 0, {1, 0x1p-9, 0, 0, INFINITY}},
    {"ex2.approx.ftz.bf16", EX2, HW_BF16, 1, {1, 0x1p-7, 0, 0, INFINITY}},
    {"ex2.approx.ftz.bf16x2", EX2, HW_BF16X2, 1, {1, 0x1p-7, 0, 0, INFINITY}},
    {"tanh.approx.f16", TANH, HW_F16, 0, {0, 0, 0x1p-10, 0, INFINITY}},
    {"tanh.approx.f16x2", TANH, HW_F16X2, 0, {0, 0, 0x1p-10, 0, INFINITY}},
    {"tanh.approx.bf16", TANH, HW_BF16, 0, {0, 0, 0x1p-8, 0, INFINITY}},
    {"tanh.approx.bf16x2", TANH, HW_BF16X2, 0, {0, 0, 0x1p-8, 0, INFINITY}},
};

void hw_forms_approx(hw_list *l)
{
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++)
        for (int ftz = rows[k].ftz == 1; ftz <= (rows[k].ftz > 0); ftz++) {
            hw_type t = rows[k].type;
            hw_form *f = hw_list_add(l, "approximations", approx_ref, t, t,
                                     rows[k].op == DIV ? t : HW_NONE, HW_NONE);
            f->class = HW_APPROX;
            f->op = rows[k].op;
            f->type = t;
            f->n = t == HW_F16X2 || t == HW_BF16X2 ? 2 : 1;
            f->ftz = ftz;
            f->bound = rows[k].bound;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
            hw_name(f, rows[k].text, ftz ? ".ftz" : "");
#pragma GCC diagnostic pop
        }
}
