/* src/sm/memory/owner.h - while the L1 says that memory is saturated, one warp,
 * the owner, alone issues accesses to global and local memory, until it waits
 * for something long; all others compute [MASCAR:abstract]. Part of the SM;
 * asked by its schedulers (sm/slot.h). */
#ifndef SM_MEMORY_OWNER_H
#define SM_MEMORY_OWNER_H

#include <stdbool.h>
#include <stdint.h>

struct sm;

typedef struct sm_owner {
    bool saturated; /* as the L1 said last */
    bool chosen;    /* `warp` holds */
    uint8_t warp;   /* slot */
} sm_owner;

/* The L1 says so. */
void sm_owner_saturated(struct sm *s, bool saturated);

/* Before schedulers choose, while memory is saturated: the warp that had it
 * waits, so another one that wants it becomes the owner. */
void sm_owner_turn(struct sm *s);
/* True if that would change something now. */
bool sm_owner_due(const struct sm *s);

/* Those of `warps`, all ready, that may issue: who computes goes before the
 * owner's access. Changes nothing. */
uint64_t sm_owner_eligible(const struct sm *s, uint64_t warps);

#endif
