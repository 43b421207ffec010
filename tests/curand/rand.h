/* tests/curand/rand.h - generators for tests. */
#ifndef TESTS_CURAND_RAND_H
#define TESTS_CURAND_RAND_H

#include <stdlib.h>

#include "curand/rand_api.h"

enum { OK = CURAND_STATUS_SUCCESS };

static inline void *array(size_t count, size_t size)
{
    void *at = calloc(count, size);

    if (!at)
        abort();
    return at;
}

static inline curandGenerator_t host_generator(curandRngType_t type)
{
    curandGenerator_t g = NULL;

    if (curandCreateGeneratorHost(&g, type) != CURAND_STATUS_SUCCESS)
        abort();
    return g;
}

/* The first `count` words of a seed, in a new array. */
static inline unsigned *host_words(curandRngType_t type, uint64_t seed,
                                   size_t count)
{
    curandGenerator_t g = host_generator(type);
    unsigned *out = array(count, sizeof *out);

    if (curandSetPseudoRandomGeneratorSeed(g, seed) != CURAND_STATUS_SUCCESS ||
        curandGenerate(g, out, count) != CURAND_STATUS_SUCCESS)
        abort();
    curandDestroyGenerator(g);
    return out;
}

static const curandRngType_t pseudo_types[] = {
    CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
    CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_PHILOX4_32_10};
static const curandRngType_t quasi_types[] = {
    CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
    CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64};

#endif
