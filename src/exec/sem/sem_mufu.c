/* src/exec/sem/sem_mufu.c - the special function unit.
 *
 * Our own algorithms: + - * / and square root of the host, which IEEE 754
 * fixes to the bit, on doubles, and one rounding to single precision at the
 * end. So all hosts agree and the error stays below one unit in the last
 * place, well inside the bounds of the manual [PTX85:ex2] and the like.
 * Hardware interpolates in tables and differs in the last bits. */
#include "exec/sem/sem.h"

#include <math.h>

/* Adding it to a double below 2^51 leaves the nearest integer in the low bits
 * of the sum. */
#define TO_INT 0x1.8p52

/* 2^x for |x| < 1000, relative error below 2^-31: the Taylor series. */
static inline double exp2_core(double x)
{
    double shifted = x + TO_INT, f = x - (shifted - TO_INT), p;
    uint64_t n = sem_bits64(shifted) - sem_bits64(TO_INT);

    /* ln(2)^k / k! */
    p = 0x1.62c0223a5c824p-20 * f + 0x1.ffcbfc588b0c7p-17;
    p = p * f + 0x1.430912f86c787p-13;
    p = p * f + 0x1.5d87fe78a6731p-10;
    p = p * f + 0x1.3b2ab6fba4e77p-7;
    p = p * f + 0x1.c6b08d704a0c0p-5;
    p = p * f + 0x1.ebfbdff82c58fp-3;
    p = p * f + 0x1.62e42fefa39efp-1;
    p = p * f + 1.0;
    return p * sem_double((n + 1023) << 52);
}

static void ex2_row(float d[ISA_WARP], const float a[ISA_WARP])
{
    LANES(l)
    {
        double x = a[l] > -160.0f ? a[l] : -160.0f;
        x = x < 130.0 ? x : 130.0;
        float r = (float)exp2_core(x);
        d[l] = a[l] != a[l] ? a[l] : r;
    }
}

/* log2(2^e m) = e + 2/ln(2) atanh((m-1)/(m+1)), m in [sqrt(1/2), sqrt(2)). */
static void lg2(float d[ISA_WARP], const float a[ISA_WARP])
{
    LANES(l)
    {
        uint64_t u = sem_bits64(a[l]);
        uint64_t up = u - 0x3fe6a09e667f3bcd; /* sqrt(1/2) */
        double e = sem_double((up >> 52) + sem_bits64(TO_INT));
        double m = sem_double((up & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
        double s = (m - 1.0) / (m + 1.0), q = s * s, p;

        e -= TO_INT;
        e = e >= 2048.0 ? e - 4096.0 : e; /* `up` was below zero */
        /* 2 / ln(2) / (2k + 1) */
        p = 0.2623081892525388 * q + 0.3205988979753252;
        p = p * q + 0.4121985831111324;
        p = p * q + 0.5770780163555853;
        p = p * q + 0.9617966939259756;
        p = p * q + 2.8853900817779268;
        float r = (float)(e + p * s);
        r = a[l] == 0.0f ? -INFINITY : r;
        r = a[l] == INFINITY ? INFINITY : r;
        r = a[l] < 0.0f || a[l] != a[l] ? NAN : r;
        d[l] = r;
    }
}

/* sin(2 pi f) for |f| <= 1/4, the Taylor series. */
static inline double sin_core(double f)
{
    double y = f * 6.283185307179586477, q = y * y, p;

    p = 1.0 / 6227020800.0 * q - 1.0 / 39916800.0;
    p = p * q + 1.0 / 362880.0;
    p = p * q - 1.0 / 5040.0;
    p = p * q + 1.0 / 120.0;
    p = p * q - 1.0 / 6.0;
    return p * q * y + y;
}

static inline double fraction(float x)
{
    double v = x < 0x1p50f ? x : 0.0;

    v = v > -0x1p50f ? v : 0.0;
    return v - ((v + TO_INT) - TO_INT);
}

static void sine(float d[ISA_WARP], const float a[ISA_WARP])
{
    LANES(l)
    {
        double f = fraction(a[l]), g = f > 0.25 ? 0.5 - f : f;
        g = f < -0.25 ? -0.5 - f : g;
        float r = (float)sin_core(g);
        r = a[l] == 0.0f ? a[l] : r;
        d[l] = a[l] - a[l] == 0.0f ? r : NAN;
    }
}

static void cosine(float d[ISA_WARP], const float a[ISA_WARP])
{
    LANES(l)
    {
        double f = fraction(a[l]), g = f < 0.0 ? 0.25 + f : 0.25 - f;
        float r = (float)sin_core(g);
        d[l] = a[l] - a[l] == 0.0f ? r : NAN;
    }
}

static void hyperbolic(float d[ISA_WARP], const float a[ISA_WARP])
{
    LANES(l)
    {
        double x = a[l], q, p, m = x < 0.0 ? -x : x;
        m = m < 20.0 ? m : 20.0;
        double t = exp2_core(m * 2.885390081777927),
               big = (t - 1.0) / (t + 1.0);
        big = x < 0.0 ? -big : big;
        q = x * x;
        p = 62.0 / 2835.0 * q - 17.0 / 315.0;
        p = p * q + 2.0 / 15.0;
        p = p * q - 1.0 / 3.0;
        float r = (float)(m < 0.125 ? x * (1.0 + p * q) : big);
        d[l] = a[l] != a[l] ? a[l] : r;
    }
}

/* A is the upper word of a double, the result that of its reciprocal or
 * reciprocal square root, rounded to nearest; the lower words count as zero.
 * Denormals are flushed; a NaN becomes 0x7fffffff [PTX85:rcp.approx.ftz.f64].
 * Relative error below 2^-20. */
static void upper(sem *x, bool root)
{
    uint32_t ta[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_fetch_raw(x, 0, ta);
    unsigned mod = x->in->src_mod[0];
    uint32_t keep = mod & SRC_ABS ? 0x7fffffff : UINT32_MAX;
    uint32_t flip = mod & SRC_NEG ? 0x80000000 : 0;

    LANES(l)
    {
        uint32_t h = (a[l] & keep) ^ flip;
        h &= h & 0x7ff00000 ? UINT32_MAX : 0x80000000;
        double v = sem_double((uint64_t)h << 32);
        double r = 1.0 / (root ? sqrt(v) : v);
        uint32_t u = (uint32_t)((sem_bits64(r) + 0x80000000) >> 32);
        u &= u & 0x7ff00000 ? UINT32_MAX : 0x80000000;
        d[l] = r != r ? 0x7fffffff : u;
    }
    sem_put(x, d);
}

SEM(MUFU)
{
    float ta[ISA_WARP], d[ISA_WARP];
    bool ftz = ISA_GET(x->in, FTZ);
    unsigned fn = ISA_GET(x->in, MUFUFN);

    if (fn == MUFU_RCP64H || fn == MUFU_RSQ64H) {
        upper(x, fn == MUFU_RSQ64H);
        return;
    }
    const float *a = sem_row_f32(x, 0, ftz, ta);
    switch (fn) {
    case MUFU_COS:
        cosine(d, a);
        break;
    case MUFU_SIN:
        sine(d, a);
        break;
    case MUFU_EX2:
        ex2_row(d, a);
        break;
    case MUFU_LG2:
        lg2(d, a);
        break;
    case MUFU_RCP:
        LANES(l) d[l] = 1.0f / a[l];
        break;
    case MUFU_RSQ:
        LANES(l) d[l] = (float)(1.0 / sqrt((double)a[l]));
        break;
    case MUFU_SQRT:
        LANES(l) d[l] = sqrtf(a[l]);
        break;
    default:
        hyperbolic(d, a);
    }
    LANES(l) d[l] = sem_canon(d[l]);
    sem_put_f32(x, d, ftz, ISA_GET(x->in, SAT));
}
