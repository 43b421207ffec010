/* src/base/rng.c - xoshiro256** by Blackman and Vigna, seeded by splitmix64. */
#include "base/rng.h"

#include <string.h>

#include "base/hash.h"

static uint64_t rotl(uint64_t x, int k) { return x << k | x >> (64 - k); }

static uint64_t splitmix64(uint64_t *x)
{
    uint64_t z = (*x += 0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void rng_init(rng *r, uint64_t seed, const char *name)
{
    uint64_t x = hash_bytes(name, strlen(name), seed);

    for (int i = 0; i < 4; i++)
        r->s[i] = splitmix64(&x); /* never all zero: splitmix is a bijection */
}

uint64_t rng_u64(rng *r)
{
    uint64_t *s = r->s;
    uint64_t result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

/* Lemire's multiply and reject: exactly uniform. */
uint32_t rng_below(rng *r, uint32_t n)
{
    uint32_t least = -n % n; /* 2^32 mod n */
    uint64_t m;

    do
        m = (rng_u64(r) >> 32) * n;
    while ((uint32_t)m < least);
    return (uint32_t)(m >> 32);
}

double rng_unit(rng *r) { return (double)(rng_u64(r) >> 11) * 0x1p-53; }
