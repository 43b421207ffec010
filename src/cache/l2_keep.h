/* src/cache/l2_keep.h - which line of a set goes first, where lines of a slice
 * have priorities (l2.persisting). Lines that are to go first do so; those that
 * are to stay are the last, and at most a share of each set: what comes on top
 * of it is as other lines are. docs/mechanisms/residency.md. */
#ifndef CACHE_L2_KEEP_H
#define CACHE_L2_KEEP_H

#include "cache/l2_impl.h"

struct l2_keep {
    uint8_t *line;  /* [slot] MEM_KEEP_NORMAL, FIRST or LAST */
    uint32_t most;  /* lines of a set that may stay, as programs say */
    uint32_t aside; /* the same by access windows */
};

/* NULL where lines have none. */
l2_keep *l2_keep_new(const l2_config *cfg);
void l2_keep_free(l2_keep *k); /* NULL is fine */

uint32_t l2_keep_victim(const l2 *b, uint32_t set);

/* A slot of a set for another line, as mem_tags_victim_in. */
static inline uint32_t l2_victim(const l2 *b, uint32_t set)
{
    return __builtin_expect(b->keep != NULL, 0)
               ? l2_keep_victim(b, set)
               : mem_tags_victim_in(&b->tags, set);
}

/* The line in `slot` was taken for `m`; or `m` found it there. */
void l2_keep_taken(l2 *b, uint32_t slot, mem_keep is);
void l2_keep_found(l2 *b, uint32_t slot, mem_keep is);
/* The line in `slot`, which holds one, is being replaced. */
void l2_keep_replaced(l2 *b, uint32_t slot);

/* A message that accesses nothing, for a line in `slot`, or for none. */
void l2_keep_order(l2 *b, const mem_msg *m, uint32_t slot);

#endif
