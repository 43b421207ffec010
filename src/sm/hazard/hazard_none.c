/* src/sm/hazard/hazard_none.c - no tracking of results whose latency is fixed:
 * they count as ready at once. Values are right because operands are read and
 * written at issue; the time is a bound that no tracking can beat. What comes
 * at an unknown cycle - loads, atomics, barrier reductions - is not written at
 * issue, so it is tracked by a scoreboard all the same. */
#include <stdlib.h>

#include "sm/hazard/hazard.h"

#include "base/alloc.h"

typedef struct none {
    sm_hazard base;
    sm_hazard *late; /* scoreboard of INST_LATE results */
} none;

static sm_hazard *late_of(const sm_hazard *h)
{
    return ((const none *)h)->late;
}

static sm_why none_check(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    return late_of(h)->ops->check(late_of(h), warp, si);
}

static void none_reserve(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    if (si->flags & INST_LATE)
        late_of(h)->ops->reserve(late_of(h), warp, si);
}

static void none_release(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    if (si->flags & INST_LATE)
        late_of(h)->ops->release(late_of(h), warp, si);
}

static void none_release_part(sm_hazard *h, unsigned warp, const sm_inst *si,
                              unsigned first, unsigned n)
{
    if (si->flags & INST_LATE)
        late_of(h)->ops->release_part(late_of(h), warp, si, first, n);
}

static void none_release_guard(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    if (si->flags & INST_LATE)
        late_of(h)->ops->release_guard(late_of(h), warp, si);
}

static bool none_idle(const sm_hazard *h, unsigned warp)
{
    return late_of(h)->ops->idle(late_of(h), warp);
}

static void none_destroy(sm_hazard *h)
{
    late_of(h)->ops->free(late_of(h));
    free(h);
}

static const sm_hazard_ops ops = {
    .free = none_destroy,
    .check = none_check,
    .reserve = none_reserve,
    .release = none_release,
    .release_part = none_release_part,
    .release_guard = none_release_guard,
    .idle = none_idle,
};

sm_hazard *sm_hazard_none_new(void)
{
    none *n = new0(1, sizeof *n);

    n->base.ops = &ops;
    n->late = sm_scoreboard_new();
    return &n->base;
}
