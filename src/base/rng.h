/* src/base/rng.h - seeded random numbers, the same on every host. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

typedef struct rng {
    uint64_t s[4];
} rng; /* xoshiro256** */

/* Streams with different names are independent: adding one changes no other. */
void rng_init(rng *r, uint64_t seed, const char *name);
uint64_t rng_u64(rng *r);
uint32_t rng_below(rng *r, uint32_t n); /* uniform in 0..n-1; n > 0 */
double rng_unit(rng *r);                /* uniform in [0, 1), 53 bits */

#endif
