/* src/gpu/makespan.h - how long threads take for items that they take one by
 * one, as those of a team do (gpu/team.h). */
#ifndef GPU_MAKESPAN_H
#define GPU_MAKESPAN_H

#include <stdint.h>

enum { MAKESPAN_THREADS = 64 }; /* at most */

/* `cost` is of each item, in the order in which they are taken; whoever is free
 * first takes the next. When the last has ended. */
uint64_t makespan(const uint64_t *cost, unsigned n, unsigned threads);

/* `order` becomes the numbers below n, those of the largest `key` first, equal
 * ones in order. */
void makespan_longest_first(const uint64_t *key, unsigned n, unsigned *order);

#endif
