#include "gpu/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "mem/port.h"

/* A policy names the SM for the next CTA. The resident CTAs of each SM are
 * the only state it sees; what else a rival needs, it keeps itself. */
typedef struct policy {
    unsigned (*choose)(dispatch *d); /* an SM with room; there is one */
} policy;

struct dispatch {
    const policy *how;
    unsigned sms, per_sm, interval;
    unsigned *resident; /* per SM: CTAs there or on their way */
    unsigned room;      /* SMs that could take one more */
    unsigned turn;      /* round robin: SM to ask first */
    uint32_t grid[3];
    uint64_t next, total, finished;
    uint64_t free_at; /* cycle in which the next CTA may leave */
};

static unsigned round_robin(dispatch *d)
{
    while (d->resident[d->turn] >= d->per_sm)
        d->turn = (d->turn + 1) % d->sms;
    unsigned sm = d->turn;
    d->turn = (d->turn + 1) % d->sms;
    return sm;
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
    d->resident = calloc(d->sms, sizeof *d->resident);
    if (!d->resident) {
        free(d);
        return NULL;
    }
    return d;
}

void dispatch_free(dispatch *d)
{
    if (!d)
        return;
    free(d->resident);
    free(d);
}

void dispatch_start(dispatch *d, const uint32_t grid[3], unsigned per_sm,
                    uint64_t first)
{
    memcpy(d->grid, grid, sizeof d->grid);
    memset(d->resident, 0, d->sms * sizeof *d->resident);
    d->per_sm = per_sm;
    d->room = per_sm ? d->sms : 0;
    d->turn = 0;
    d->next = d->finished = 0;
    d->total = (uint64_t)grid[0] * grid[1] * grid[2];
    d->free_at = first;
}

uint64_t dispatch_wakes(const dispatch *d, uint64_t now)
{
    if (d->next == d->total || !d->room)
        return NEVER;
    return d->free_at > now ? d->free_at : now;
}

bool dispatch_next(dispatch *d, uint64_t now, uint64_t end, dispatch_order *out)
{
    uint64_t when = dispatch_wakes(d, now);

    if (when >= end)
        return false;
    unsigned sm = d->how->choose(d);
    uint64_t n = d->next++;
    *out = (dispatch_order){
        .when = when,
        .number = n,
        .id = {(uint32_t)(n % d->grid[0]),
               (uint32_t)(n / d->grid[0] % d->grid[1]),
               (uint32_t)(n / d->grid[0] / d->grid[1])},
        .sm = sm,
    };
    if (++d->resident[sm] == d->per_sm)
        d->room--;
    d->free_at = when + d->interval;
    return true;
}

void dispatch_done(dispatch *d, unsigned sm, unsigned count)
{
    if (count && d->resident[sm] == d->per_sm)
        d->room++;
    d->resident[sm] -= count;
    d->finished += count;
}

uint64_t dispatch_finished(const dispatch *d) { return d->finished; }
uint64_t dispatch_total(const dispatch *d) { return d->total; }
