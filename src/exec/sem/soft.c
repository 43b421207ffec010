/* src/exec/sem/soft.c */
#include "exec/sem/soft.h"

#include <string.h>

#include "base/bits.h"

typedef unsigned __int128 u128;

static const struct format {
    int digits, emin, emax; /* of the significand, with the leading one */
    unsigned width;
} formats[] = {
    [SOFT_F16] = {11, -14, 15, 16},
    [SOFT_BF16] = {8, -126, 127, 16},
    [SOFT_F32] = {24, -126, 127, 32},
    [SOFT_F64] = {53, -1022, 1023, 64},
};

static int top_bit(u128 m)
{
    uint64_t hi = (uint64_t)(m >> 64);

    return hi ? 127 - (int)bits_clz64(hi) : 63 - (int)bits_clz64((uint64_t)m);
}

static uint64_t assemble(const struct format *f, bool sign, int field,
                         uint64_t significand)
{
    uint64_t fraction = significand & bits_mask64((unsigned)f->digits - 1);

    return (uint64_t)sign << (f->width - 1) |
           (uint64_t)field << (f->digits - 1) | fraction;
}

static uint64_t infinity(const struct format *f, bool sign)
{
    return assemble(f, sign, 2 * f->emax + 1, 0);
}

static uint64_t too_large(const struct format *f, bool sign, enum isa_rnd rnd)
{
    if (rnd == RND_RN || (rnd == RND_RP && !sign) || (rnd == RND_RM && sign))
        return infinity(f, sign);
    return infinity(f, sign) - 1; /* the largest finite number */
}

uint64_t soft_round(bool sign, int exp, u128 m, soft_format to,
                    enum isa_rnd rnd)
{
    const struct format *f = &formats[to];

    if (!m)
        return assemble(f, sign, 0, 0);
    int lead = exp + top_bit(m);
    int unit = (lead > f->emin ? lead : f->emin) - (f->digits - 1);
    int drop = unit - exp; /* bits of m below the last of the result */
    u128 q, rest = 0, half = 0;

    if (drop <= 0) {
        q = m << -drop;
    } else if (drop > 128) {
        q = 0;
        rest = 1;
        half = 2;
    } else {
        q = drop == 128 ? 0 : m >> drop;
        rest = drop == 128 ? m : m & (((u128)1 << drop) - 1);
        half = (u128)1 << (drop - 1);
    }
    if (rnd == RND_RN)
        q += rest > half || (rest && rest == half && (q & 1));
    else
        q += rest && ((rnd == RND_RP && !sign) || (rnd == RND_RM && sign));
    if (q >> f->digits) {
        q >>= 1;
        unit++;
    }
    bool normal = q >> (f->digits - 1) != 0;
    int field = normal ? unit + f->digits - 1 + f->emax : 0;
    if (field > 2 * f->emax)
        return too_large(f, sign, rnd);
    return assemble(f, sign, field, (uint64_t)q);
}

typedef struct number {
    bool sign;
    int exp;
    u128 m; /* value m * 2^exp */
} number;

static number unpack_double(double d)
{
    uint64_t u;

    memcpy(&u, &d, 8);
    int field = (int)(u >> 52 & 0x7ff);
    uint64_t m = u & bits_mask64(52);
    return (number){
        .sign = u >> 63,
        .exp = (field ? field : 1) - 1075,
        .m = field ? m | (uint64_t)1 << 52 : m,
    };
}

static bool is_finite(double d) { return d - d == 0; }

/* Not finite, so the same in every format and rounding. */
static uint64_t encode_special(double d, soft_format to)
{
    const struct format *f = &formats[to];

    if (d != d)
        return infinity(f, false) | 1;
    return infinity(f, d < 0);
}

/* Moves the leading one to bit 125, which leaves room for a sum. */
static void normalise(number *n)
{
    int up = 125 - top_bit(n->m);

    n->m <<= up;
    n->exp -= up;
}

/* a + b for numbers of at most 106 bits. What alignment drops goes into the
 * lowest bit: it lies far below the digits of any format then. */
static number add_numbers(number a, number b, enum isa_rnd rnd)
{
    if (!a.m && !b.m) {
        a.sign = a.sign == b.sign ? a.sign : rnd == RND_RM;
        return a;
    }
    if (!a.m || !b.m)
        return a.m ? a : b;
    normalise(&a);
    normalise(&b);
    if (a.exp < b.exp || (a.exp == b.exp && a.m < b.m)) {
        number t = a;
        a = b;
        b = t;
    }
    int down = a.exp - b.exp;
    u128 low = down > 127 ? 0 : b.m >> down;
    if (down > 127 || low << down != b.m)
        low |= 1;
    a.m = a.sign == b.sign ? a.m + low : a.m - low;
    if (!a.m)
        a.sign = rnd == RND_RM;
    return a;
}

uint64_t soft_fma(double a, double b, double c, soft_format f, enum isa_rnd rnd)
{
    if (!is_finite(a) || !is_finite(b) || !is_finite(c)) {
        /* No overflow on the way: a finite product of floats or doubles next
         * to an infinite c is decided by c. */
        if (is_finite(a) && is_finite(b))
            return encode_special(c, f);
        return encode_special(a * b + c, f);
    }
    number p = unpack_double(a), q = unpack_double(b), r;

    p.sign ^= q.sign;
    p.exp += q.exp;
    p.m *= q.m;
    r = add_numbers(p, unpack_double(c), rnd);
    return soft_round(r.sign, r.exp, r.m, f, rnd);
}

uint64_t soft_add(double a, double b, soft_format f, enum isa_rnd rnd)
{
    if (!is_finite(a) || !is_finite(b))
        return encode_special(a + b, f);
    number r = add_numbers(unpack_double(a), unpack_double(b), rnd);

    return soft_round(r.sign, r.exp, r.m, f, rnd);
}

uint64_t soft_mul(double a, double b, soft_format f, enum isa_rnd rnd)
{
    if (!is_finite(a) || !is_finite(b))
        return encode_special(a * b, f);
    number p = unpack_double(a), q = unpack_double(b);

    return soft_round(p.sign ^ q.sign, p.exp + q.exp, p.m * q.m, f, rnd);
}

uint64_t soft_convert(double a, soft_format f, enum isa_rnd rnd)
{
    if (!is_finite(a))
        return encode_special(a, f);
    number n = unpack_double(a);

    return soft_round(n.sign, n.exp, n.m, f, rnd);
}
