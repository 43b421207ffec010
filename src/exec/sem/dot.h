/* src/exec/sem/dot.h - the sum of products that a tensor core makes, for VEC
 * elements of the result at once.
 *
 * Products are exact and not normalised: their exponent is the sum of the
 * factors'. All of a block and the accumulator are shifted right to the
 * largest exponent among them, which cuts off what lies below 2^-23 of it, or
 * below 2^-24 with the extra bit of later generations; the integer sum is
 * rounded once, to zero for a float, to nearest for a half. Factors, results
 * and the accumulator may be denormal [FASI] [KHATTAK]. Pure functions. */
#ifndef EXEC_SEM_DOT_H
#define EXEC_SEM_DOT_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/half.h"

enum {
    DOT_VEC = 16,
    DOT_K = 16,     /* most products of an element of the result */
    DOT_FAR = 4096, /* minus it: the exponent of zero */
};
#define DOT_EACH(v) for (unsigned v = 0; v < DOT_VEC; v++)

/* Factors: value = sig * 2^(exp - fraction digits). */
typedef struct dot_side {
    int32_t sig[DOT_K][DOT_VEC], exp[DOT_K][DOT_VEC];
    uint32_t raw[DOT_K][DOT_VEC]; /* bits of the same value as a float */
} dot_side;

/* How a generation sums. */
typedef struct dot_rules {
    uint8_t block;    /* products summed before a rounding */
    uint8_t extra;    /* bits kept below those of a float */
    uint8_t fraction; /* digits of a factor behind the point */
    bool half;        /* results are halves */
    int16_t floor;    /* least exponent that is aligned to */
} dot_rules;

/* Element [k][v] of a side from the bits of a half, bfloat16, or tf32, which is
 * a float whose last 13 bits are ignored [PTX85:mma]. */
static inline void dot_put(dot_side *s, unsigned k, unsigned v, uint32_t bits,
                           unsigned form)
{
    uint32_t u = form == HFORM_F16    ? half_float_bits(half_f16_to_float(bits))
                 : form == HFORM_BF16 ? bits << 16
                                      : bits & ~0x1fffu;
    uint32_t field, sig;

    if (form == HFORM_F16) {
        field = bits >> 10 & 31;
        sig = (bits & 0x3ff) | (field ? 0x400 : 0);
        s->exp[k][v] = (int32_t)(field ? field : 1) - 15;
    } else {
        unsigned low = form == HFORM_BF16 ? 16 : 13;

        field = u >> 23 & 255;
        sig = (u & 0x7fffff) >> low | (field ? 0x800000u >> low : 0);
        s->exp[k][v] = (int32_t)(field ? field : 1) - 127;
    }
    if (!sig)
        s->exp[k][v] = -DOT_FAR;
    s->sig[k][v] = u >> 31 ? -(int32_t)sig : (int32_t)sig;
    s->raw[k][v] = u;
}

/* |x| >> n with the sign of x. */
static inline int32_t dot_shift(int32_t x, int32_t n)
{
    uint32_t m = x < 0 ? -(uint32_t)x : (uint32_t)x;

    m = n > 31 ? 0 : m >> n;
    return x < 0 ? -(int32_t)m : (int32_t)m;
}

static inline double dot_scale(int32_t exp)
{
    uint64_t u = (uint64_t)(exp < -900 ? 123 : exp + 1023) << 52;
    double d;

    memcpy(&d, &u, 8);
    return d;
}

/* sum * 2^exp to zero, as a float. */
static inline uint32_t dot_float(int32_t sum, int32_t exp)
{
    uint32_t m = sum < 0 ? -(uint32_t)sum : (uint32_t)sum, u;
    double d = (double)(int32_t)m; /* below 2^31 */
    uint64_t bits;
    int32_t cut;

    memcpy(&bits, &d, 8);
    cut = (int32_t)(bits >> 52) - 1022 - 24;   /* digits too many */
    cut = cut > -149 - exp ? cut : -149 - exp; /* denormal */
    cut = cut > 0 ? cut : 0;
    m = cut > 31 ? 0 : m >> cut << cut;
    u = half_float_bits((float)((double)(int32_t)m * dot_scale(exp)));
    return m ? u | (sum < 0 ? 0x80000000 : 0) : 0;
}

/* sum * 2^exp to nearest, as a half. */
static inline uint32_t dot_half(int32_t sum, int32_t exp)
{
    return sum ? half_f16_from_float(half_narrow(sum * dot_scale(exp))) : 0;
}

/* One block: d = c + the products [k, k + block). c and d are floats, of the
 * value of a half if results are halves. */
static inline void dot_block(const dot_side *a, const dot_side *b, unsigned k,
                             const dot_rules *r, const uint32_t c[DOT_VEC],
                             uint32_t d[DOT_VEC])
{
    int32_t top[DOT_VEC], sum[DOT_VEC], cexp[DOT_VEC];
    int32_t up = 23 + r->extra - 2 * r->fraction;

    DOT_EACH(v)
    {
        int32_t field = (int32_t)(c[v] >> 23 & 255);
        int32_t sig = (int32_t)(c[v] & 0x7fffff) | (field ? 0x800000 : 0);

        cexp[v] = sig ? (field ? field : 1) - 127 : -DOT_FAR;
        sum[v] = (c[v] >> 31 ? -sig : sig) * (1 << r->extra);
        top[v] = cexp[v] > r->floor ? cexp[v] : r->floor;
    }
    for (unsigned i = k; i < k + r->block; i++)
        DOT_EACH(v)
        {
            int32_t e = a->exp[i][v] + b->exp[i][v];
            top[v] = e > top[v] ? e : top[v];
        }
    DOT_EACH(v) sum[v] = dot_shift(sum[v], top[v] - cexp[v]);
    for (unsigned i = k; i < k + r->block; i++)
        DOT_EACH(v)
        {
            int32_t e = a->exp[i][v] + b->exp[i][v];
            int32_t p = a->sig[i][v] * b->sig[i][v] * (1 << up);
            sum[v] += dot_shift(p, top[v] - e);
        }
    DOT_EACH(v) top[v] -= 23 + r->extra;
    if (r->half) {
        DOT_EACH(v)
        d[v] = half_float_bits(half_f16_to_float(dot_half(sum[v], top[v])));
    } else {
        DOT_EACH(v) d[v] = dot_float(sum[v], top[v]);
    }
}

/* True if some exponent field is all ones: an infinity or NaN. */
static inline bool dot_is_special(const uint32_t c[DOT_VEC])
{
    uint32_t any = 0;

    DOT_EACH(v) any |= (c[v] & 0x7f800000) == 0x7f800000;
    return any;
}

static inline bool dot_side_special(const dot_side *s, unsigned k)
{
    bool any = false;

    for (unsigned i = 0; i < k; i++)
        any |= dot_is_special(s->raw[i]);
    return any;
}

/* Puts infinities and the one NaN where they belong: products and sums of the
 * finite values cannot leave the range of a double. */
static inline void dot_infinities(const dot_side *a, const dot_side *b,
                                  unsigned k, const uint32_t c[DOT_VEC],
                                  uint32_t d[DOT_VEC])
{
    DOT_EACH(v)
    {
        double s = half_bits_float(c[v]);

        for (unsigned i = 0; i < k; i++)
            s += (double)half_bits_float(a->raw[i][v]) *
                 half_bits_float(b->raw[i][v]);
        if (s != s)
            d[v] = 0x7fffffff;
        else if (s - s != 0.0)
            d[v] = s < 0 ? 0xff800000 : 0x7f800000;
    }
}

/* d = c + the k products of each element, block by block. `special`: some
 * factor is an infinity or NaN. */
static inline void dot_sum(const dot_side *a, const dot_side *b, unsigned k,
                           const dot_rules *r, bool special,
                           const uint32_t c[DOT_VEC], uint32_t d[DOT_VEC])
{
    uint32_t acc[DOT_VEC];

    memcpy(acc, c, sizeof acc);
    for (unsigned i = 0; i < k; i += r->block) {
        uint32_t next[DOT_VEC];

        dot_block(a, b, i, r, acc, next);
        memcpy(acc, next, sizeof acc);
    }
    if (special || dot_is_special(c))
        dot_infinities(a, b, k, c, acc);
    memcpy(d, acc, sizeof acc);
}

#endif
