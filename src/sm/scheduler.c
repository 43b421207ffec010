#include "sm/scheduler.h"

#include "base/bits.h"
#include "base/must.h"
#include "sm/limits.h"

void sm_scheduler_init(sm_scheduler *s, const config *cfg, unsigned number)
{
    *s = (sm_scheduler){
        .policy = cfg->sm.issue.scheduler,
        .active_limit = cfg->sm.issue.two_level_active,
        .last = 63,
    };
    for (unsigned w = number; w < SM_WARPS; w += cfg->sm.issue.schedulers)
        s->mask |= (uint64_t)1 << w;
}

/* The first warp of `set` after `last`, cyclically. */
static unsigned next_after(uint64_t set, unsigned last)
{
    uint64_t above = set & (~(uint64_t)1 << last);

    return bits_ctz64(above ? above : set);
}

static unsigned oldest(uint64_t set, const sm_ages *ages)
{
    for (unsigned i = 0; i < ages->count; i++)
        if (set & ages->cta[i])
            return bits_ctz64(set & ages->cta[i]);
    return bits_ctz64(set);
}

static unsigned youngest(uint64_t set, const sm_ages *ages)
{
    for (unsigned i = ages->count; i-- > 0;)
        if (set & ages->cta[i])
            return 63 - bits_clz64(set & ages->cta[i]);
    return 63 - bits_clz64(set);
}

/* Under two_level only the active set may issue. It loses warps that wait for
 * long and takes in ready ones, in turn, while it has room. */
uint64_t sm_scheduler_eligible(sm_scheduler *s, uint64_t ready, uint64_t slow,
                               uint64_t now)
{
    if (s->held_until > now)
        return ready & (uint64_t)1 << s->held;
    if (s->rests == now)
        return ready & ~((uint64_t)1 << s->last);
    if (s->policy != CFG_SCHEDULER_TWO_LEVEL)
        return ready;
    s->active &= ~slow;
    while (bits_popcount64(s->active) < s->active_limit && (ready & ~s->active))
        s->active |= (uint64_t)1 << next_after(ready & ~s->active, s->last);
    return ready & s->active;
}

unsigned sm_scheduler_pick(const sm_scheduler *s, uint64_t ready,
                           const sm_ages *ages)
{
    switch (s->policy) {
    case CFG_SCHEDULER_GTO:
        return ready >> s->last & 1 ? s->last : oldest(ready, ages);
    case CFG_SCHEDULER_CGGTY: /* [HUERTA:issue] */
        return ready >> s->last & 1 ? s->last : youngest(ready, ages);
    case CFG_SCHEDULER_OLDEST:
        return oldest(ready, ages);
    case CFG_SCHEDULER_LRR:
    case CFG_SCHEDULER_TWO_LEVEL: /* among its active set */
    case CFG_SCHEDULER_TURN:      /* at the end of a turn, see sm/dual.c */
        return next_after(ready, s->last);
    }
    MUST(!"a policy of config/enums.def");
}
