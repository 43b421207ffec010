#include "gpu/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "gpu/dispatch_policy.h"
#include "mem/port.h"

/* Are there load registers? */
static bool by_weight(const dispatch *d)
{
    return d->cfg->gpu.dispatch == CFG_DISPATCH_LOAD_WEIGHT;
}

static bool line_init(dispatch *d, line *q)
{
    q->launch = calloc(d->cfg->gpu.concurrent, sizeof *q->launch);
    q->match = calloc((d->sms + 63) / 64, sizeof *q->match);
    return q->launch && q->match &&
           (!d->how->key || max_tree_init(&q->keys, d->sms));
}

static void line_fini(line *q)
{
    free(q->launch);
    free(q->match);
    max_tree_fini(&q->keys);
}

dispatch *dispatch_new(const config *cfg)
{
    dispatch *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->cfg = cfg;
    d->how = policy_of(cfg);
    d->sms = cfg->gpu.sms;
    d->free = calloc(d->sms, sizeof *d->free);
    d->launch = calloc(cfg->gpu.concurrent, sizeof *d->launch);
    if (!d->free || !d->launch || !line_init(d, &d->line) ||
        (by_weight(d) && !load_weight_init(&d->load, cfg))) {
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
    line_fini(&d->line);
    load_weight_fini(&d->load);
    free(d->free);
    free(d->launch);
    free(d);
}

/* ---- Which SMs match ---- */

/* Has SM `i` room for the head of `q` now? */
static void look_at(dispatch *d, line *q, unsigned i)
{
    uint64_t *word = &q->match[i / 64], bit = (uint64_t)1 << i % 64;
    bool fits =
        q->count && sm_has_room(&d->free[i], &d->launch[q->launch[0]].need);

    if (fits != ((*word & bit) != 0)) {
        *word ^= bit;
        q->room += fits ? 1 : -1u;
    }
    if (d->how->key)
        max_tree_set(&q->keys, i, fits ? POLICY_KEYS + d->how->key(d, i) : 0);
}

static void look_at_all(dispatch *d, line *q)
{
    for (unsigned i = 0; i < d->sms; i++)
        look_at(d, q, i);
}

/* Takes what a CTA of launch `n` needs out of SM `i`, all of it at once, or
 * gives it back. */
static void reserve(dispatch *d, unsigned n, unsigned i)
{
    const queued *l = &d->launch[n];

    sm_resources_take(&d->free[i], &l->need);
    if (by_weight(d))
        load_weight_take(&d->load, i, l->weight * l->need.warps);
}

static void release(dispatch *d, unsigned n, unsigned i)
{
    const queued *l = &d->launch[n];

    sm_resources_give(&d->free[i], &l->need);
    if (by_weight(d))
        load_weight_give(&d->load, i, l->weight * l->need.warps);
}

/* ---- Launches ---- */

void dispatch_clear(dispatch *d, const sm_resources *have)
{
    d->have = *have;
    for (unsigned i = 0; i < d->sms; i++)
        d->free[i] = *have;
    if (by_weight(d))
        load_weight_clear(&d->load);
    d->turn = 0;
    rng_init(&d->random, d->cfg->gpu.seed, "gpu.dispatch");
    d->free_at = 0;
    look_at_all(d, &d->line);
}

void dispatch_start(dispatch *d, unsigned n, const uint32_t grid[3],
                    const sm_resources *need, uint64_t first)
{
    line *q = &d->line;

    d->launch[n] = (queued){
        .grid = {grid[0], grid[1], grid[2]},
        .need = *need,
        .weight = load_weight_of_warp(d->cfg, need),
        .total = (uint64_t)grid[0] * grid[1] * grid[2],
        .first = first,
    };
    q->launch[q->count++] = n;
    if (q->count == 1)
        look_at_all(d, q);
}

/* All CTAs of the first launch have been handed out. */
static void next_launch(dispatch *d, line *q)
{
    q->count--;
    memmove(q->launch, q->launch + 1, q->count * sizeof *q->launch);
    look_at_all(d, q);
}

/* ---- Handing out ---- */

uint64_t dispatch_wakes(const dispatch *d, uint64_t now)
{
    const line *q = &d->line;

    if (!q->room)
        return NEVER;
    uint64_t when = d->free_at > now ? d->free_at : now;
    uint64_t first = d->launch[q->launch[0]].first;

    return first > when ? first : when;
}

static dispatch_order order_of(const dispatch *d, unsigned n, unsigned to,
                               uint64_t when)
{
    const queued *l = &d->launch[n];

    return (dispatch_order){
        .when = when,
        .number = l->next,
        .id = {(uint32_t)(l->next % l->grid[0]),
               (uint32_t)(l->next / l->grid[0] % l->grid[1]),
               (uint32_t)(l->next / l->grid[0] / l->grid[1])},
        .sm = to,
        .launch = n,
    };
}

bool dispatch_next(dispatch *d, uint64_t now, uint64_t end, dispatch_order *out)
{
    uint64_t when = dispatch_wakes(d, now);
    line *q = &d->line;

    if (when >= end)
        return false;
    unsigned n = q->launch[0], to = d->how->choose(d, q);
    queued *l = &d->launch[n];
    *out = order_of(d, n, to, when);
    reserve(d, n, to);
    d->free_at = when + d->cfg->gpu.dispatch_interval;
    if (++l->next == l->total)
        next_launch(d, q);
    else
        look_at(d, q, to);
    return true;
}

void dispatch_done(dispatch *d, unsigned n, unsigned on)
{
    release(d, n, on);
    d->launch[n].finished++;
    look_at(d, &d->line, on);
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
