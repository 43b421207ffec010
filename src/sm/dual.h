/* src/sm/dual.h - issue by Kepler's control codes: sm_issue_dual of sm/issue.h.
 * Each instruction has a code of 8 bits, which says after how many
 * cycles its warp issues again, or that it issues together with the next one
 * [PPOPP:control-codes]. Of a pair for one kind of unit the first takes the
 * scheduler's own, the second the one shared with the neighbour, which goes to
 * one of them in a cycle; a pair issues whole or not at all. What codes do
 * beyond the published measurements is inferred from these: see
 * docs/mechanisms/dual-issue.md. Owns when warps may issue and whose turn it
 * is; borrows nothing. */
#ifndef SM_DUAL_H
#define SM_DUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/decode.h"
#include "sm/limits.h"
#include "sm/units.h"

enum { DUAL_NOBODY = SM_WARPS };

typedef struct sm_dual {
    bool alternates;                /* the shared units' priority */
    bool turns;                     /* CFG_SCHEDULER_TURN */
    uint64_t when[SM_WARPS];        /* next issue of the warp, at the soonest */
    uint64_t stamp[SM_WARPS];       /* the cycle after its last one */
    uint8_t turn[SM_SCHEDULERS];    /* warp or DUAL_NOBODY */
    uint8_t owner[SM_SCHEDULERS];   /* of the unit shared with a scheduler:
                                         who had it last, plus one */
    uint64_t opened[SM_SCHEDULERS]; /* when it issued the first of a group */
    uint8_t shares[SM_SCHEDULERS][UNIT_KINDS]; /* with which schedulers */
    bool issuing; /* the schedulers have their cycle */
    uint8_t done; /* schedulers that had their go in this cycle, a bit each */
} sm_dual;

struct sm;

/* The cycle from which on warp `w` may issue; 0: it goes on in this one, as the
 * second of a pair. */
static inline uint64_t sm_dual_not_before(const sm_dual *d, unsigned w,
                                          uint64_t now)
{
    return d->issuing && d->when[w] == now + 1 ? 0 : d->when[w];
}

/* NULL where control codes do not count. */
sm_dual *sm_dual_new(const config *cfg, const sm_units *units);
void sm_dual_free(sm_dual *d); /* NULL is fine */

/* What the codes of a kernel's instructions mean. */
void sm_dual_load(const config *cfg, sm_inst *inst, uint32_t count);

/* The warp that scheduler `n` issues from while it can; DUAL_NOBODY: none. */
unsigned sm_dual_current(const struct sm *s, unsigned n);

#endif
