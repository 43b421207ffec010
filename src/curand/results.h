/* src/curand/results.h - numbers of distributions from the words of generators,
 * for the host and for devices. */
#ifndef CURAND_RESULTS_H
#define CURAND_RESULTS_H

#include "curand/elementary.h"

/* What the words of a generator are. */
enum {
    RAND_WORD_BITS, /* 32 or 64 random bits */
    RAND_WORD_MRG,  /* 1 to RAND_MRG_M1, as MRG32k3a has them */
    RAND_WORD_HALF  /* 32 bits that are to become a double */
};

#define RAND_MRG_NORM 2.328306549295727688e-10 /* 1 / (m1 + 1) [RNGSTREAMS] */

/* ---- Uniform: above 0, at most 1 ---- */

RAND_FN float rand_uniform_f(rand_u32 word, int kind)
{
    if (kind == RAND_WORD_MRG)
        return (float)(word * RAND_MRG_NORM);
    return (float)word * 2.3283064365386963e-10f + 1.1641532182693481e-10f;
}

RAND_FN double rand_uniform_d(rand_u64 word, int kind)
{
    if (kind == RAND_WORD_MRG)
        return (double)word * RAND_MRG_NORM;
    if (kind == RAND_WORD_HALF)
        return ((double)word + 0.5) * 2.3283064365386963e-10;
    return ((double)(word >> 11) + 1.0) * 1.1102230246251565e-16;
}

/* ---- Normal ---- */

/* Two of mean 0 and deviation 1 from two uniform ones [BOXMULLER]. */
RAND_FN void rand_box_muller_f(float u, float v, float *a, float *b)
{
    float r = __builtin_sqrtf(-2.0f * rand_log_f(u)), sine, cosine;

    rand_turn_f(v, &sine, &cosine);
    *a = r * sine;
    *b = r * cosine;
}

RAND_FN void rand_box_muller_d(double u, double v, double *a, double *b)
{
    double r = __builtin_sqrt(-2.0 * rand_log(u)), sine, cosine;

    rand_turn(v, &sine, &cosine);
    *a = r * sine;
    *b = r * cosine;
}

/* From one word of a Sobol sequence, which pairs would spoil. */
RAND_FN double rand_normal_of(rand_u64 word, int kind)
{
    double p = kind == RAND_WORD_HALF
                   ? ((double)word + 0.5) * 2.3283064365386963e-10
                   : ((double)(word >> 12) + 0.5) * 2.2204460492503131e-16;

    return rand_normal_inverse(p); /* p is below 1 */
}

/* ---- Numbers in the place of words ---- */

/* A normal distribution, or the exponentials of one. */
typedef struct rand_normal {
    double mean, deviation;
    int log;
} rand_normal;

RAND_FN void rand_put_uniform(rand_u32 *at, int kind)
{
    *at = rand_to_bits_f(rand_uniform_f(*at, kind));
}

RAND_FN void rand_put_uniform_double(rand_u64 *at, int kind)
{
    *at = rand_to_bits(rand_uniform_d(*at, kind));
}

RAND_FN rand_u32 rand_scaled_f(float z, const rand_normal *n)
{
    float x = (float)n->mean + (float)n->deviation * z;

    return rand_to_bits_f(n->log ? rand_exp_f(x) : x);
}

RAND_FN rand_u64 rand_scaled(double z, const rand_normal *n)
{
    double x = n->mean + n->deviation * z;

    return rand_to_bits(n->log ? rand_exp(x) : x);
}

/* Two of them. */
RAND_FN void rand_put_normals(rand_u32 *at, int kind, const rand_normal *n)
{
    float a, b;

    rand_box_muller_f(rand_uniform_f(at[0], kind), rand_uniform_f(at[1], kind),
                      &a, &b);
    at[0] = rand_scaled_f(a, n);
    at[1] = rand_scaled_f(b, n);
}

RAND_FN void rand_put_normals_double(rand_u64 *at, int kind,
                                     const rand_normal *n)
{
    double a, b;

    rand_box_muller_d(rand_uniform_d(at[0], kind), rand_uniform_d(at[1], kind),
                      &a, &b);
    at[0] = rand_scaled(a, n);
    at[1] = rand_scaled(b, n);
}

/* One, of a Sobol sequence. */
RAND_FN void rand_put_normal(rand_u32 *at, int kind, const rand_normal *n)
{
    *at = rand_scaled_f((float)rand_normal_of(*at, kind), n);
}

RAND_FN void rand_put_normal_double(rand_u64 *at, int kind,
                                    const rand_normal *n)
{
    *at = rand_scaled(rand_normal_of(*at, kind), n);
}

/* ---- Discrete ---- */

/* A discrete distribution: at[i] / 2^32 is the probability of numbers up to
 * first + i; the last is 2^32. */
typedef struct rand_limits {
    const rand_u64 *at;
    rand_u32 count, first;
} rand_limits;

RAND_FN void rand_put_discrete(rand_u32 *at, int kind, const rand_limits *t)
{
    rand_u32 low = 0, high = t->count - 1;
    rand_u64 x = *at;

    if (kind == RAND_WORD_MRG)
        x = (rand_u64)((double)(x - 1) * (4294967296.0 / 4294967087.0));
    while (low < high) { /* the first limit above x */
        rand_u32 mid = low + (high - low) / 2;
        if (t->at[mid] > x)
            high = mid;
        else
            low = mid + 1;
    }
    *at = t->first + low;
}

#endif
