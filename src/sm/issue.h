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
    uint64_t warps; /* that can issue */
    sm_why why;     /* the stall if none can */
    uint64_t retry; /* cycle in which that ends by itself, NEVER if an event
                       has to come */
} sm_slot;

/* The slot of scheduler `n` in cycle `t`, if nothing happens until then. */
sm_slot sm_slot_at(struct sm *s, unsigned n, uint64_t t);

/* Warp `w` of scheduler `n`, one of sm_slot.warps, issues its next instruction;
 * `again`: it has issued one before in this cycle, in the same slot. */
void sm_issue_warp(struct sm *s, unsigned n, unsigned w, bool again);

/* All schedulers issue or charge a stall. */
void sm_issue_tick(struct sm *s);

#endif
