/* src/sm/scheduler.h - which of the ready warps issues.
 * Warps are bits of a mask; warp w belongs to scheduler w modulo their number.
 * Every policy is one function from the ready warps to one of them. Owns its
 * state; borrows the table of ages. */
#ifndef SM_SCHEDULER_H
#define SM_SCHEDULER_H

#include <stdint.h>

#include "config/config.h"
#include "sm/limits.h"

/* Resident CTAs, oldest first, as masks of their warps. Within a CTA the lower
 * warp counts as older. */
typedef struct sm_ages {
    uint32_t count;
    uint64_t cta[SM_WARPS];
} sm_ages;

typedef struct sm_scheduler {
    uint64_t mask; /* warps that belong to it */
    cfg_scheduler policy;
    uint32_t last;         /* warp that issued last */
    uint64_t active;       /* two_level: warps of the inner level */
    uint32_t active_limit; /* two_level: how many they may be */
    uint64_t rests; /* cggty: cycle in which `last` must not issue; 0: none */
    /* sm.constant.hold: before this cycle only `held` may issue, whose constant
     * is awaited. */
    uint64_t held_until;
    uint32_t held;
} __attribute__((aligned(64))) sm_scheduler;

void sm_scheduler_init(sm_scheduler *s, const config *cfg, unsigned number);

/* Those of `ready` that the policy considers in cycle `now`; `slow` are warps
 * that wait for something long or are not there. Asking again changes nothing.
 */
uint64_t sm_scheduler_eligible(sm_scheduler *s, uint64_t ready, uint64_t slow,
                               uint64_t now);

/* The cycle behind `now` in which a ready warp that it leaves out in `now` is
 * considered again without anything else happening; or UINT64_MAX. */
static inline uint64_t sm_scheduler_until(const sm_scheduler *s, uint64_t now)
{
    if (s->held_until > now)
        return s->held_until;
    return s->rests == now ? now + 1 : UINT64_MAX;
}

/* The first of `ready`, which is not empty and eligible. When it issues, the
 * caller notes it in `last`. */
unsigned sm_scheduler_pick(const sm_scheduler *s, uint64_t ready,
                           const sm_ages *ages);

#endif
