/* src/exec/half.h - half precision and bfloat16 values of 16 bits, without
 * branches so that lane loops over them become vector code. Pure functions. */
#ifndef EXEC_HALF_H
#define EXEC_HALF_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "isa/isa.h"

enum { HALF_NAN = 0x7fff }; /* canonical, of both formats [PTX85:fma] */

static inline uint32_t half_float_bits(float f)
{
    uint32_t u;

    memcpy(&u, &f, 4);
    return u;
}

static inline float half_bits_float(uint32_t u)
{
    float f;

    memcpy(&f, &u, 4);
    return f;
}

static inline float half_f16_to_float(uint32_t h)
{
    uint32_t u = (h & 0x7fff) << 13, exp = u & 0x0f800000;
    uint32_t special = exp == 0x0f800000 ? (128u - 16) << 23 : 0;
    /* A denormal counts units of 2^-24: as the fraction of 2^-14, minus it. */
    float small = half_bits_float(u + (113u << 23)) - 0x1p-14f;
    uint32_t r = u + ((127u - 15) << 23) + special;

    r = exp == 0 ? half_float_bits(small) : r;
    return half_bits_float(r | (h & 0x8000) << 16);
}

/* Round to nearest even. */
static inline uint32_t half_f16_from_float(float f)
{
    uint32_t u = half_float_bits(f), sign = u >> 16 & 0x8000;

    u &= 0x7fffffff;
    uint32_t odd = u >> 13 & 1;
    uint32_t normal = (u - (112u << 23) + 0xfff + odd) >> 13;
    /* Adding 1/2 lines the last bit up with units of 2^-24. */
    uint32_t small =
        half_float_bits(half_bits_float(u) + 0.5f) - half_float_bits(0.5f);
    uint32_t r = u < 113u << 23 ? small : normal;

    r = u >= 143u << 23 ? 0x7c00 : r;
    r |= sign;
    return u > 0x7f800000 ? HALF_NAN : r;
}

static inline float half_bf16_to_float(uint32_t h)
{
    return half_bits_float(h << 16);
}

static inline uint32_t half_bf16_from_float(float f)
{
    uint32_t u = half_float_bits(f);
    uint32_t r = (u + 0x7fff + (u >> 16 & 1)) >> 16;

    return (u & 0x7fffffff) > 0x7f800000 ? HALF_NAN : r;
}

/* Makes the last bit of s odd if the exact value is s + err, err not 0 and
 * below half a unit of s: then rounding s once more, to fewer digits, rounds
 * the exact value. */
static inline float half_odd(float s, float err)
{
    uint32_t u = half_float_bits(s), v = half_float_bits(err);
    uint32_t inexact = err < 0.0f || err > 0.0f ? 1 : 0;
    uint32_t toward = (u ^ v) >> 31; /* err points to zero */

    return half_bits_float(u & 1 ? u : inexact ? (u - toward) | 1 : u);
}

/* A double as the float that half_odd would make of it. */
static inline float half_narrow(double d)
{
    float f = (float)d;
    double err = d - (double)f;
    uint32_t u = half_float_bits(f);
    uint32_t inexact = err < 0.0 || err > 0.0 ? 1 : 0;
    uint32_t toward = (u >> 31) ^ (err < 0.0 ? 1 : 0);

    return half_bits_float(u & 1 ? u : inexact ? (u - toward) | 1 : u);
}

/* a + b of scalars, and of both halves of a word. */
static inline uint32_t half_add(uint32_t a, uint32_t b, enum isa_hfmt format)
{
    /* 24 digits are enough for a sum of 11 to be rounded twice. */
    if (format == HFMT_F16)
        return half_f16_from_float(half_f16_to_float(a) + half_f16_to_float(b));
    return half_bf16_from_float(half_bf16_to_float(a) + half_bf16_to_float(b));
}

static inline uint32_t half_add2(uint32_t a, uint32_t b, enum isa_hfmt format)
{
    return half_add(a & 0xffff, b & 0xffff, format) |
           half_add(a >> 16, b >> 16, format) << 16;
}

#endif
