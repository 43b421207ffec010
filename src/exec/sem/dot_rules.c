#include "exec/sem/dot_rules.h"

#include <math.h>

#include "base/must.h"

enum {
    FAR = -4096, /* no least exponent */
    LIMBS = 24,  /* of 32 bits, the first from 2^-LOW on */
    LOW = 384,
};

/* V100 [FASI:V100] [KHATTAK:V100], A100 [FASI:A100] [KHATTAK:A100] and H100
 * [KHATTAK:H100]: with results in single precision, and in halves. */
static const dot_rules volta[] = {{4, 0, false, false, FAR},
                                  {4, 0, true, false, -19}};
static const dot_rules ampere[] = {{8, 1, false, false, -132},
                                   {8, 1, true, false, -20}};
static const dot_rules ampere_tf32 = {4, 1, false, false, -132};
static const dot_rules hopper[] = {{16, 2, false, false, -133},
                                   {16, 2, true, false, -21}};
static const dot_rules hopper_tf32 = {8, 2, false, false, -133};
static const dot_rules hopper_fp8[] = {{32, -10, false, false, -133},
                                       {32, -10, true, false, -133}};
static const dot_rules exact[] = {{32, 0, false, true, FAR},
                                  {32, 0, true, true, FAR}};

const dot_rules *dot_rules_of(cfg_numerics chosen, cfg_numerics own,
                              dot_form form, bool half)
{
    cfg_numerics g = chosen == CFG_NUMERICS_INSTRUCTION ? own : chosen;

    if (g == CFG_NUMERICS_EXACT)
        return &exact[half];
    if (form >= DOT_E4M3)
        return &hopper_fp8[half];
    if (g == CFG_NUMERICS_HOPPER)
        return form == DOT_TF32 ? &hopper_tf32 : &hopper[half];
    if (g == CFG_NUMERICS_AMPERE || form != DOT_F16)
        return form == DOT_TF32 ? &ampere_tf32 : &ampere[half];
    return &volta[half];
}

/* Adds v * 2^(32 i - LOW), part by part. */
static void add_term(int64_t limb[LIMBS], double v)
{
    int e, at;
    uint64_t sig = (uint64_t)ldexp(frexp(fabs(v), &e), 53), low, high;

    at = e - 53 + LOW;
    MUST(at >= 0 && at / 32 + 3 < LIMBS);
    low = sig << at % 32;
    high = at % 32 ? sig >> (64 - at % 32) : 0;
    for (int i = 0; i < 3; i++) {
        int64_t part = (int64_t)(i < 2 ? low >> 32 * i & UINT32_MAX : high);

        limb[at / 32 + i] += v < 0 ? -part : part;
    }
}

/* Makes the limbs digits of |sum|; true if the sum is negative. */
static bool settle(int64_t limb[LIMBS])
{
    int64_t carry = 0;

    for (int i = 0; i < LIMBS; i++) {
        int64_t t = limb[i] + carry;

        carry = t >> 32;
        limb[i] = t & UINT32_MAX;
    }
    if (carry >= 0)
        return false;
    for (int i = 0; i < LIMBS; i++)
        limb[i] = -limb[i];
    for (int i = 0, c = 0; i < LIMBS; i++) {
        int64_t t = limb[i] + c;

        c = (int)(t >> 32);
        limb[i] = t & UINT32_MAX;
    }
    return true;
}

static bool bit_of(const int64_t limb[LIMBS], int at)
{
    return at >= 0 && limb[at / 32] >> at % 32 & 1;
}

float dot_exact(const double *term, unsigned n, bool half)
{
    int digits = half ? 11 : 24, least = half ? -24 : -149;
    int64_t limb[LIMBS] = {0};
    int top = 32 * LIMBS - 1, unit;
    bool minus, rest = false;
    uint64_t m = 0;

    for (unsigned i = 0; i < n; i++)
        if (isfinite(term[i]) && term[i] != 0)
            add_term(limb, term[i]);
    minus = settle(limb);
    while (top >= 0 && !bit_of(limb, top))
        top--;
    unit = top - digits + 1 > least + LOW ? top - digits + 1 : least + LOW;
    for (int i = top; i >= unit; i--)
        m = 2 * m + bit_of(limb, i);
    for (int i = 0; i < unit - 1; i++)
        rest |= bit_of(limb, i);
    m += bit_of(limb, unit - 1) && (rest || m & 1);
    if (half && ldexp((double)m, unit - LOW) >= 65536)
        return minus ? -INFINITY : INFINITY;
    return (float)ldexp(minus ? -(double)m : (double)m, unit - LOW);
}
