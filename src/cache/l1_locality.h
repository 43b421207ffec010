/* src/cache/l1_locality.h - which lines an L1 keeps, by how often they were
 * referenced lately: tags with a count, more than there are lines, which
 * remember lines that are not kept [LI15:tag-store]. Owns its tags. Lines are
 * addresses, sets are those of the L1. */
#ifndef CACHE_L1_LOCALITY_H
#define CACHE_L1_LOCALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

typedef struct l1_locality l1_locality;

/* NULL: l1.bypass has another value. */
l1_locality *l1_locality_new(const __typeof__(((config *)0)->l1) *cfg);
void l1_locality_free(l1_locality *f);  /* NULL is fine */
void l1_locality_clear(l1_locality *f); /* likewise; forgets all lines */

/* Would a load of it now be kept? Changes nothing. Holds until one of the next
 * two is called with the same set. */
bool l1_locality_keeps(const l1_locality *f, uint32_t set, uint64_t line);
/* A load of it is performed; true if the line was not remembered. */
bool l1_locality_note(l1_locality *f, uint32_t set, uint64_t line);
/* It was replaced by another of its set. */
void l1_locality_evict(l1_locality *f, uint32_t set, uint64_t line);

#endif
