/* src/sm/issue.h - the schedulers' cycle: choose a ready warp, execute its next
 * instruction, and book what it uses. */
#ifndef SM_ISSUE_H
#define SM_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/stats.h"

struct sm;

/* What a scheduler can do in a cycle. */
typedef struct sm_slot {
    bool issues;    /* some warp can issue */
    sm_why why;     /* the stall if none can */
    uint64_t retry; /* cycle in which that ends by itself, NEVER if an event
                       has to come */
} sm_slot;

/* The slot of scheduler `n` in cycle `t`, if nothing happens until then. */
sm_slot sm_slot_at(struct sm *s, unsigned n, uint64_t t);

/* All schedulers issue or charge a stall. */
void sm_issue_tick(struct sm *s);

#endif
