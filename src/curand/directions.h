/* src/curand/directions.h - direction vectors of Sobol sequences, by the
 * numbers of Joe and Kuo [JOEKUO08], and their scrambled form. */
#ifndef CURAND_DIRECTIONS_H
#define CURAND_DIRECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RAND_DIMENSIONS_MAX = 20000 };

/* Vectors of the first `dimensions` dimensions: of 32 bits each 32, of 64 bits
 * each 64. Scrambled, they are multiplied by a random lower triangular matrix;
 * cuRAND's is not published, so this is ours. */
void rand_directions32(unsigned dimensions, bool scrambled, uint32_t *out);
void rand_directions64(unsigned dimensions, bool scrambled, uint64_t *out);

/* What is added without carry to each number of a scrambled dimension. */
uint64_t rand_scramble_constant(unsigned dimension);

/* third_party/joe-kuo/numbers.bin, which cmake builds in. */
extern const unsigned char rand_joe_kuo[];

#endif
