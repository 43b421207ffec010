/* src/sm/issue.h - the schedulers' cycle: choose a ready warp, execute its next
 * instruction, and book what it uses.
 *
 * Every instruction goes through one executor. What differs is who chooses it,
 * the issue policy: a scheduler by itself (single), a scheduler by Kepler's
 * control codes (dual, sm/dual.h), or the master of the cluster (remote,
 * sm/cluster/cluster_slave.c). */
#ifndef SM_ISSUE_H
#define SM_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/stats.h"

struct sm;
struct sm_inst;

/* What a scheduler can do in a cycle. */
typedef struct sm_slot {
    uint64_t warps; /* that can issue */
    sm_why why;     /* the stall if none can */
    uint64_t retry; /* cycle in which that ends by itself, NEVER if an event
                       has to come */
} sm_slot;

/* What besides its operands decides whether a warp is ready. */
enum {
    GATE_HAZARD = 1 << 0, /* sm_hazard_ops.not_before */
    GATE_CODES = 1 << 1,  /* sm_dual_not_before() */
    GATE_STATE = 1 << 2,  /* the hazard table's own stage, or the front end */
};

typedef struct sm_issue_policy {
    /* All schedulers issue or charge a stall. NULL: sm_issue_tick(). */
    void (*tick)(struct sm *s);
    /* Behind it, the fetch ports: the next cycle in which they have work.
     * NULL: sm_fetch_tick(). */
    uint64_t (*fetch)(struct sm *s);
    /* Warp `w` has ended. May be NULL. */
    void (*warp_ended)(struct sm *s, unsigned w);
    /* Of units of a kind a scheduler takes its own first, not the one that has
     * been free for longest. */
    bool own_unit_first;
} sm_issue_policy;

extern const sm_issue_policy sm_issue_single, sm_issue_dual, sm_issue_remote;

/* Each scheduler issues by itself, or charges a stall. */
void sm_issue_tick(struct sm *s);

/* The slot of scheduler `n` in cycle `t`, if nothing happens until then. */
sm_slot sm_slot_at(struct sm *s, unsigned n, uint64_t t);

/* ---- for issue policies ---- */

/* Warp `w` of scheduler `n`, one of sm_slot.warps, issues its next instruction;
 * `again`: it has issued one before in this cycle, in the same slot. */
void sm_issue_warp(struct sm *s, unsigned n, unsigned w, bool again);

/* Scheduler `n` issues from the best warp whose unit is free, or waits. */
void sm_issue_schedule(struct sm *s, unsigned n);

/* Executes the head of warp `w`, which was issued in cycle `when`, in the slot
 * of scheduler `n`: takes that, unless the master of the cluster issued it. */
void sm_issue_execute(struct sm *s, unsigned n, unsigned w, uint64_t when);
/* `si` is for warps `w` of other SMs of the cluster, and here there is none, or
 * it has ended: only operands, unit and result take their ways, as there, so
 * that what comes behind it takes as long as there. The second counts it as an
 * instruction without lanes. */
void sm_issue_pass(struct sm *s, unsigned n, unsigned w,
                   const struct sm_inst *si);
void sm_issue_count_empty(struct sm *s, unsigned n, unsigned w,
                          const struct sm_inst *si);

#endif
