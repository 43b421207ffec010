/* src/curand/recurrence.h - one step of each generator, for the host and for
 * devices. */
#ifndef CURAND_RECURRENCE_H
#define CURAND_RECURRENCE_H

#include "curand/portable.h"

/* ---- XORWOW [XORSHIFT:xorwow] ---- */

enum { RAND_XORWOW_WORDS = 6 }; /* x, y, z, w, v, d */

typedef struct rand_xorwow {
    rand_u32 x[RAND_XORWOW_WORDS];
} rand_xorwow;

RAND_FN rand_u32 rand_xorwow_next(rand_xorwow *s)
{
    rand_u32 t = s->x[0] ^ (s->x[0] >> 2), v = s->x[4];

    s->x[0] = s->x[1];
    s->x[1] = s->x[2];
    s->x[2] = s->x[3];
    s->x[3] = v;
    s->x[4] = (v ^ (v << 4)) ^ (t ^ (t << 1));
    s->x[5] += 362437;
    return s->x[5] + s->x[4];
}

/* ---- MRG32k3a [MRG99:MRG32k3a] ---- */

#define RAND_MRG_M1 4294967087ull
#define RAND_MRG_M2 4294944443ull

enum { RAND_MRG_WORDS = 6 };

typedef struct rand_mrg { /* three of each component, the oldest first */
    rand_u32 x[RAND_MRG_WORDS];
} rand_mrg;

/* 1 to RAND_MRG_M1. */
RAND_FN rand_u32 rand_mrg_next(rand_mrg *s)
{
    rand_u64 a = 1403580ull * s->x[1] + 810728ull * (RAND_MRG_M1 - s->x[0]);
    rand_u64 b = 527612ull * s->x[5] + 1370589ull * (RAND_MRG_M2 - s->x[3]);

    a %= RAND_MRG_M1;
    b %= RAND_MRG_M2;
    s->x[0] = s->x[1];
    s->x[1] = s->x[2];
    s->x[2] = (rand_u32)a;
    s->x[3] = s->x[4];
    s->x[4] = s->x[5];
    s->x[5] = (rand_u32)b;
    return (rand_u32)(a > b ? a - b : a + RAND_MRG_M1 - b);
}

/* ---- Philox4x32-10 [PHILOX:philox4x32] ---- */

/* Turns the counter into four random words. */
RAND_FN void rand_philox(rand_u32 counter[4], rand_u32 key0, rand_u32 key1)
{
    for (int round = 0; round < 10; round++) {
        rand_u64 a = 0xd2511f53ull * counter[0];
        rand_u64 b = 0xcd9e8d57ull * counter[2];
        counter[0] = (rand_u32)(b >> 32) ^ counter[1] ^ key0;
        counter[1] = (rand_u32)b;
        counter[2] = (rand_u32)(a >> 32) ^ counter[3] ^ key1;
        counter[3] = (rand_u32)a;
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
}

/* ---- MT19937 [MT98] ---- */

enum { RAND_MT_WORDS = 624, RAND_MT_MIDDLE = 397 };

/* The word that takes the place of `old`, from it, its successor and the one
 * RAND_MT_MIDDLE after it. */
RAND_FN rand_u32 rand_mt_twist(rand_u32 old, rand_u32 next, rand_u32 middle)
{
    rand_u32 y = (old & 0x80000000u) | (next & 0x7fffffffu);

    return middle ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
}

RAND_FN rand_u32 rand_mt_temper(rand_u32 y)
{
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

/* ---- Sobol [SOBOL:gray-code] ---- */

/* Point n of a dimension with these direction vectors: those whose bits are set
 * in n's Gray code, summed without carry. */
RAND_FN rand_u32 rand_sobol32(rand_u64 n, const rand_u32 *vectors)
{
    rand_u32 gray = (rand_u32)(n ^ (n >> 1)), x = 0;

    for (int i = 0; gray; i++, gray >>= 1)
        x ^= gray & 1 ? vectors[i] : 0;
    return x;
}

RAND_FN rand_u64 rand_sobol64(rand_u64 n, const rand_u64 *vectors)
{
    rand_u64 gray = n ^ (n >> 1), x = 0;

    for (int i = 0; gray; i++, gray >>= 1)
        x ^= gray & 1 ? vectors[i] : 0;
    return x;
}

#endif
