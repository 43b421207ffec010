#include "gpu/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "mem/port.h"

/* A policy names the SM for the head. What SMs have free is the only state it
 * sees; what else a rival needs, it keeps itself. */
typedef struct policy {
    unsigned (*choose)(dispatch *d); /* an SM with room; there is one */
} policy;

typedef struct queued { /* a launch */
    uint32_t grid[3];
    sm_resources need; /* of a CTA */
    uint64_t next, total, finished;
    uint64_t first; /* cycle in which the first may leave */
} queued;

struct dispatch {
    const policy *how;
    unsigned sms, interval;
    sm_resources have;  /* of an empty SM */
    sm_resources *free; /* per SM: but for CTAs there or on their way */
    bool *fits;         /* per SM: the head does */
    unsigned room;      /* SMs that it fits */
    unsigned turn;      /* round robin: SM to ask first */
    queued *launch;
    unsigned *queue;  /* those with CTAs left, in order */
    unsigned count;   /* of them */
    uint64_t free_at; /* cycle in which the next CTA may leave */
};

static unsigned round_robin(dispatch *d)
{
    while (!d->fits[d->turn])
        d->turn = (d->turn + 1) % d->sms;
    unsigned it = d->turn;
    d->turn = (d->turn + 1) % d->sms;
    return it;
}

static const policy policies[] = {
    [CFG_DISPATCH_ROUND_ROBIN] = {round_robin},
};

dispatch *dispatch_new(const config *cfg)
{
    dispatch *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->how = &policies[cfg->gpu.dispatch];
    d->sms = cfg->gpu.sms;
    d->interval = cfg->gpu.dispatch_interval;
    d->free = calloc(d->sms, sizeof *d->free);
    d->fits = calloc(d->sms, sizeof *d->fits);
    d->launch = calloc(cfg->gpu.concurrent, sizeof *d->launch);
    d->queue = calloc(cfg->gpu.concurrent, sizeof *d->queue);
    if (!d->free || !d->fits || !d->launch || !d->queue) {
        dispatch_free(d);
        return NULL;
    }
    d->have = sm_resources_of(cfg);
    dispatch_clear(d, &d->have);
    return d;
}

void dispatch_free(dispatch *d)
{
    if (!d)
        return;
    free(d->free);
    free(d->fits);
    free(d->launch);
    free(d->queue);
    free(d);
}

/* Does the head fit SM `i` now? */
static void look_at(dispatch *d, unsigned i)
{
    bool fits =
        d->count && sm_has_room(&d->free[i], &d->launch[d->queue[0]].need);

    d->room += fits;
    d->room -= d->fits[i];
    d->fits[i] = fits;
}

static void look_at_all(dispatch *d)
{
    for (unsigned i = 0; i < d->sms; i++)
        look_at(d, i);
}

void dispatch_clear(dispatch *d, const sm_resources *have)
{
    d->have = *have;
    for (unsigned i = 0; i < d->sms; i++)
        d->free[i] = *have;
    d->turn = 0;
    d->free_at = 0;
    look_at_all(d);
}

void dispatch_start(dispatch *d, unsigned n, const uint32_t grid[3],
                    const sm_resources *need, uint64_t first)
{
    queued *q = &d->launch[n];

    *q = (queued){
        .grid = {grid[0], grid[1], grid[2]},
        .need = *need,
        .total = (uint64_t)grid[0] * grid[1] * grid[2],
        .first = first,
    };
    d->queue[d->count++] = n;
    if (d->count == 1)
        look_at_all(d);
}

uint64_t dispatch_wakes(const dispatch *d, uint64_t now)
{
    if (!d->room)
        return NEVER;
    uint64_t when = d->free_at > now ? d->free_at : now;
    uint64_t first = d->launch[d->queue[0]].first;

    return first > when ? first : when;
}

/* All CTAs of the head's launch have been handed out. */
static void next_launch(dispatch *d)
{
    d->count--;
    memmove(d->queue, d->queue + 1, d->count * sizeof *d->queue);
    look_at_all(d);
}

bool dispatch_next(dispatch *d, uint64_t now, uint64_t end, dispatch_order *out)
{
    uint64_t when = dispatch_wakes(d, now);

    if (when >= end)
        return false;
    unsigned to = d->how->choose(d);
    queued *q = &d->launch[d->queue[0]];
    uint64_t n = q->next++;
    *out = (dispatch_order){
        .when = when,
        .number = n,
        .id = {(uint32_t)(n % q->grid[0]),
               (uint32_t)(n / q->grid[0] % q->grid[1]),
               (uint32_t)(n / q->grid[0] / q->grid[1])},
        .sm = to,
        .launch = d->queue[0],
    };
    sm_resources_take(&d->free[to], &q->need);
    d->free_at = when + d->interval;
    if (q->next == q->total)
        next_launch(d);
    else
        look_at(d, to);
    return true;
}

void dispatch_done(dispatch *d, unsigned n, unsigned on)
{
    sm_resources_give(&d->free[on], &d->launch[n].need);
    d->launch[n].finished++;
    look_at(d, on);
}

const sm_resources *dispatch_offer(const dispatch *d) { return &d->have; }

uint64_t dispatch_finished(const dispatch *d, unsigned n)
{
    return d->launch[n].finished;
}

uint64_t dispatch_total(const dispatch *d, unsigned n)
{
    return d->launch[n].total;
}
