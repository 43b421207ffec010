#include "gpu/dispatch/dispatch_time.h"

#include "base/must.h"
#include "mem/port.h"

/* What SMs lack for the heads that could leave in cycle `t`, by bits, and the
 * next cycle in which another could; *waits: none can yet. */
static unsigned wanted(const dispatch *d, uint64_t t, uint64_t *next,
                       bool *waits)
{
    unsigned lacks = 0;

    *waits = true;
    for (unsigned k = 0; k < d->lines; k++) {
        const line *q = &d->line[k];
        const queued *l = line_head(d, q);

        if (!l)
            continue;
        if (l->first > t) {
            *next = l->first < *next ? l->first : *next;
            continue;
        }
        MUST_CHECK(!q->room); /* or it would have left */
        *waits = false;
        for (unsigned n = 0; n < LACKS; n++)
            lacks |= (unsigned)(q->lacking[n] != 0) << n;
    }
    return lacks;
}

static uint64_t *stall(dispatch_stats *st, unsigned lacks)
{
    switch (lacks) {
    case 0:
        return &st->stall_cluster;
    case 1 << LACK_CTAS:
        return &st->stall_ctas;
    case 1 << LACK_WARPS:
        return &st->stall_warps;
    case 1 << LACK_REGISTERS:
        return &st->stall_registers;
    case 1 << LACK_SHARED:
        return &st->stall_shared;
    case 1 << LACK_PIECES:
        return &st->stall_pieces;
    case 1 << LACK_LIMIT:
        return &st->stall_limit;
    default:
        return &st->stall_several;
    }
}

/* What cycles from `t` on, in which no CTA leaves, are charged to; lowers
 * *until to the first that may be another matter. */
static uint64_t *doing(dispatch *d, uint64_t t, uint64_t *until)
{
    uint64_t next = NEVER, *counter;
    bool waits;

    if (!d->waiting)
        return &d->st.nothing_left;
    if (d->requests && d->depth) /* else the rest of a block */
        return &d->st.wait_tree;
    if (t < d->pause_at) {
        next = d->pause_at;
        counter = &d->st.wait_interval;
    } else if (t < d->free_at) {
        next = d->free_at;
        counter = &d->st.wait_warps;
    } else {
        unsigned lacks = wanted(d, t, &next, &waits);

        counter = waits ? &d->st.wait_launch : stall(&d->st, lacks);
    }
    *until = next < *until ? next : *until;
    return counter;
}

void time_charge(dispatch *d, uint64_t now)
{
    while (d->charged < now) {
        uint64_t until = now;
        uint64_t *counter = doing(d, d->charged, &until);

        *counter += until - d->charged;
        d->charged = until;
    }
}

void time_leave(dispatch *d, uint64_t when)
{
    time_charge(d, when);
    MUST(d->charged == when);
    d->charged++;
    d->st.leaving++;
}
