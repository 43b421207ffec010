/* src/sm/hazard/uniform.h - pending uniform registers and predicates of warps.
 * They have a scoreboard of their own beside the policy that tracks the
 * registers of lanes, whichever that is: every policy treats them alike. Under
 * control codes, which are trusted, it only tells the oracle.
 *
 * A result of the uniform datapath is seen there first, and later by other
 * units (sm.uniform): a view each. Uniform operands are read at issue. */
#ifndef SM_HAZARD_UNIFORM_H
#define SM_HAZARD_UNIFORM_H

#include "config/config.h"
#include "isa/isa.h"
#include "sm/stats.h"

/* Who sees a result: the later ones last. */
typedef enum uniform_view {
    VIEW_UNIFORM, /* the uniform datapath */
    VIEW_LANES,   /* units of fixed latency */
    VIEW_LATE,    /* of unknown latency: loads, stores, and the like */
    VIEW_GUARD,   /* guards, and an index of ULDC */
    UNIFORM_VIEWS
} uniform_view;

typedef struct sm_uniform sm_uniform;

/* NULL where the family has none. */
sm_uniform *sm_uniform_new(const config *cfg);
void sm_uniform_free(sm_uniform *u); /* NULL is fine */

/* Cycles from the result to a view of it. */
unsigned sm_uniform_delay(const config *cfg, const isa_inst *in,
                          uniform_view view);

/* WHY_READY, or what `in`, which has uniform operands, waits for. */
sm_why sm_uniform_check(const sm_uniform *u, unsigned warp, const isa_inst *in);
/* `in` issues: its uniform results are pending in all views. */
void sm_uniform_pend(sm_uniform *u, unsigned warp, const isa_inst *in);
/* They are no longer in this one. */
void sm_uniform_release(sm_uniform *u, unsigned warp, const isa_inst *in,
                        uniform_view view);
/* Nothing of the warp is pending. */
bool sm_uniform_idle(const sm_uniform *u, unsigned warp);

#endif
