/* tests/hardware/number.c - exact arithmetic for the reference. */
#include "number.h"

#include <math.h>

#define TOP 124 /* where the leading bit of a finite number stands */

typedef struct format {
    unsigned bits, mant;
    int emin; /* exponent of the last bit of a subnormal */
} format;

static format format_of(hw_type t)
{
    switch (t) {
    case HW_F16:
    case HW_F16X2:
        return (format){16, 10, -24};
    case HW_BF16:
    case HW_BF16X2:
        return (format){16, 7, -133};
    case HW_F64:
        return (format){64, 52, -1074};
    case HW_NONE:
    case HW_U8:
    case HW_S8:
    case HW_U16:
    case HW_S16:
    case HW_U32:
    case HW_S32:
    case HW_U64:
    case HW_S64:
    case HW_F32:
    case HW_AMOUNT:
    case HW_TYPES:
        break;
    }
    return (format){32, 23, -149};
}

/* Right by n, what falls out stays visible in the lowest bit. */
static hw_u128 jam(hw_u128 m, int n)
{
    if (n <= 0)
        return m;
    if (n > 127)
        return m != 0;
    return m >> n | ((m & (((hw_u128)1 << n) - 1)) != 0);
}

static hw_number normal(hw_number v)
{
    if (v.kind != HW_FINITE)
        return v;
    if (!v.m) {
        v.kind = HW_ZERO;
        return v;
    }
    while (v.m >> (TOP + 1)) {
        v.m = jam(v.m, 1);
        v.e++;
    }
    while (!(v.m >> TOP)) {
        v.m <<= 1;
        v.e--;
    }
    return v;
}

hw_number hw_unpack(hw_type t, uint64_t bits, bool ftz)
{
    format f = format_of(t);
    uint64_t m = bits & (((uint64_t)1 << f.mant) - 1);
    unsigned ebits = f.bits - 1 - f.mant;
    unsigned e = (unsigned)(bits >> f.mant) & ((1u << ebits) - 1);
    hw_number v = {.kind = HW_FINITE, .minus = bits >> (f.bits - 1) & 1};

    if (e == (1u << ebits) - 1) {
        v.kind = m ? HW_NOT : HW_INF;
        return v;
    }
    if (e == 0 && (ftz || !m)) {
        v.kind = HW_ZERO;
        return v;
    }
    v.m = e ? m | (uint64_t)1 << f.mant : m;
    v.e = f.emin + (e ? (int)e - 1 : 0);
    return normal(v);
}

static bool goes_up(hw_u128 rest, hw_u128 half, bool odd, bool minus,
                    hw_round round)
{
    switch (round) {
    case HW_RN:
        return rest > half || (rest == half && odd);
    case HW_RM:
        return rest && minus;
    case HW_RP:
        return rest && !minus;
    case HW_RZ:
        break;
    }
    return false;
}

/* The integer nearest to m * 2^e in units of 2^unit. */
static hw_u128 cut(hw_number v, int unit, hw_round round)
{
    int n = unit - v.e;

    if (n <= 0)
        return v.m << -n;
    if (n > 126) {
        v.m = 1;
        n = 3;
    }
    hw_u128 rest = v.m & (((hw_u128)1 << n) - 1), m = v.m >> n;
    return m + goes_up(rest, (hw_u128)1 << (n - 1), m & 1, v.minus, round);
}

static uint64_t not_a_number(hw_type t)
{
    return t == HW_F64               ? 0x7ff8000000000000
           : format_of(t).bits == 16 ? 0x7fff
                                     : 0x7fffffff;
}

static uint64_t pack_finite(format f, hw_number v, hw_round round)
{
    uint64_t inf = (((uint64_t)1 << (f.bits - 1 - f.mant)) - 1) << f.mant;
    int unit = v.e + TOP - (int)f.mant;

    if (unit < f.emin)
        unit = f.emin;
    /* A carry out of the mantissa runs into the exponent, as it should. */
    uint64_t m = (uint64_t)cut(v, unit, round);
    if (unit - f.emin >= 1 << (f.bits - 1 - f.mant))
        m = inf;
    else
        m += (uint64_t)(unit - f.emin) << f.mant;
    if (m < inf)
        return m;
    return round == HW_RZ || round == (v.minus ? HW_RP : HW_RM) ? inf - 1 : inf;
}

uint64_t hw_pack(hw_type t, hw_number v, hw_round round, bool ftz, bool sat)
{
    format f = format_of(t);
    uint64_t inf = (((uint64_t)1 << (f.bits - 1 - f.mant)) - 1) << f.mant;
    uint64_t one = inf / 2 & ~(((uint64_t)1 << f.mant) - 1), m = 0;

    if (v.kind == HW_NOT)
        return sat ? 0 : not_a_number(t);
    if (v.kind == HW_INF)
        m = inf;
    if (v.kind == HW_FINITE)
        m = pack_finite(f, v, round);
    if (ftz && m < (uint64_t)1 << f.mant)
        m = 0;
    if (sat)
        return v.minus ? 0 : m > one ? one : m;
    return m | (uint64_t)v.minus << (f.bits - 1);
}

hw_number hw_from_int(bool minus, uint64_t magnitude)
{
    return normal((hw_number){HW_FINITE, minus, magnitude, 0});
}

hw_number hw_from_double(long double v)
{
    int e;
    hw_number n = {HW_FINITE, signbit(v), 0, 0};

    if (isnan(v) || isinf(v)) {
        n.kind = isnan(v) ? HW_NOT : HW_INF;
        return n;
    }
    n.m = (hw_u128)ldexpl(frexpl(fabsl(v), &e), 64);
    n.e = e - 64;
    return normal(n);
}

hw_number hw_neg(hw_number a)
{
    a.minus = !a.minus;
    return a;
}

static hw_number not_number(void) { return (hw_number){.kind = HW_NOT}; }

hw_number hw_add(hw_number a, hw_number b, hw_round round)
{
    if (a.kind == HW_NOT || b.kind == HW_NOT ||
        (a.kind == HW_INF && b.kind == HW_INF && a.minus != b.minus))
        return not_number();
    if (a.kind == HW_INF || b.kind == HW_INF)
        return a.kind == HW_INF ? a : b;
    if (a.kind == HW_ZERO && b.kind == HW_ZERO) {
        a.minus = a.minus == b.minus ? a.minus : round == HW_RM;
        return a;
    }
    if (a.kind == HW_ZERO || b.kind == HW_ZERO)
        return a.kind == HW_ZERO ? b : a;
    if (a.e < b.e || (a.e == b.e && a.m < b.m)) {
        hw_number t = a;
        a = b;
        b = t;
    }
    b.m = jam(b.m, a.e - b.e);
    if (a.minus == b.minus) {
        a.m += b.m;
    } else {
        a.m -= b.m;
        if (!a.m)
            a.minus = round == HW_RM;
    }
    return normal(a);
}

hw_number hw_mul(hw_number a, hw_number b)
{
    bool minus = a.minus != b.minus;

    if (a.kind == HW_NOT || b.kind == HW_NOT ||
        (a.kind == HW_INF && b.kind == HW_ZERO) ||
        (a.kind == HW_ZERO && b.kind == HW_INF))
        return not_number();
    if (a.kind == HW_INF || b.kind == HW_INF)
        return (hw_number){.kind = HW_INF, .minus = minus};
    if (a.kind == HW_ZERO || b.kind == HW_ZERO)
        return (hw_number){.kind = HW_ZERO, .minus = minus};
    /* Operands have at most 64 bits, all at the top. */
    return normal((hw_number){HW_FINITE, minus,
                              (a.m >> (TOP - 63)) * (b.m >> (TOP - 63)) >> 2,
                              a.e + b.e + 2 * (TOP - 63) + 2});
}

hw_number hw_div(hw_number a, hw_number b)
{
    bool minus = a.minus != b.minus;

    if (a.kind == HW_NOT || b.kind == HW_NOT ||
        (a.kind == b.kind && a.kind != HW_FINITE))
        return not_number();
    if (a.kind == HW_INF || b.kind == HW_ZERO)
        return (hw_number){.kind = HW_INF, .minus = minus};
    if (a.kind == HW_ZERO || b.kind == HW_INF)
        return (hw_number){.kind = HW_ZERO, .minus = minus};
    hw_u128 by = b.m >> (TOP - 52), q = a.m / by;
    return normal((hw_number){HW_FINITE, minus, q << 1 | (a.m % by != 0),
                              a.e - b.e - (TOP - 52) - 1});
}

hw_number hw_sqrt(hw_number a)
{
    if (a.kind == HW_ZERO || a.kind == HW_NOT)
        return a;
    if (a.minus)
        return not_number();
    if (a.kind == HW_INF)
        return a;
    if (a.e & 1) { /* bits of 64 at most, so one more fits */
        a.m <<= 1;
        a.e--;
    }
    hw_u128 root = 0, rest = a.m;
    for (int k = 62; k >= 0; k--) {
        hw_u128 t = (root << 1 | (hw_u128)1 << k) << k;
        if (t <= rest) {
            rest -= t;
            root |= (hw_u128)1 << k;
        }
    }
    return normal(
        (hw_number){HW_FINITE, false, root << 1 | (rest != 0), a.e / 2 - 1});
}

int hw_order(hw_number a, hw_number b)
{
    int sa = a.kind == HW_ZERO ? 0 : a.minus ? -1 : 1;
    int sb = b.kind == HW_ZERO ? 0 : b.minus ? -1 : 1, size;

    if (sa != sb)
        return sa < sb ? -1 : 1;
    if (!sa || (a.kind == HW_INF && b.kind == HW_INF))
        return 0;
    if (a.kind == HW_INF || b.kind == HW_INF)
        size = a.kind == HW_INF ? 1 : -1;
    else if (a.e != b.e)
        size = a.e < b.e ? -1 : 1;
    else
        size = a.m < b.m ? -1 : a.m > b.m;
    return sa * size;
}

hw_number hw_integral(hw_number a, hw_round round)
{
    if (a.kind != HW_FINITE || a.e >= 0)
        return a;
    a.m = cut(a, 0, round);
    a.e = 0;
    return normal(a);
}

uint64_t hw_to_int(hw_number a, hw_round round, bool is_signed, unsigned bits)
{
    uint64_t top = (uint64_t)1 << (bits - 1);
    uint64_t most = is_signed ? top - 1 : top * 2 - 1;
    uint64_t least = is_signed ? top : 0; /* magnitude */
    uint64_t limit = a.minus ? least : most, v = limit;

    if (a.kind == HW_ZERO)
        return 0;
    if (a.kind == HW_FINITE && a.e + TOP < 65) {
        hw_u128 whole = cut(a, 0, round);
        v = whole > limit ? limit : (uint64_t)whole;
    }
    return a.minus ? 0 - v : v;
}
