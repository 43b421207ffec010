/* src/curand/discrete.h - tables of Poisson distributions. */
#ifndef CURAND_DISCRETE_H
#define CURAND_DISCRETE_H

#include <stdbool.h>
#include <stdint.h>

/* limits[i] / 2^32 is the probability of numbers up to first + i, rounded; the
 * last limit is 2^32. */
typedef struct rand_table {
    uint64_t *limits;
    double *chance; /* of first + i alone */
    uint32_t count, first;
} rand_table;

enum { RAND_POISSON_MAX = 400000 }; /* the mean [CURAND13:poisson] */

/* False if memory runs out. */
bool rand_table_poisson(double mean, rand_table *out);
void rand_table_free(rand_table *t);

#endif
