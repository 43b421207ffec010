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

/* False if memory runs out. */
static bool groups_init(dispatch *d)
{
    unsigned size = d->cfg->gpu.cluster.size, n = (d->sms + size - 1) / size;

    if (size == 1)
        return true;
    d->group = calloc(n, sizeof *d->group);
    if (!d->group)
        return false;
    for (unsigned i = 0; i < n; i++) {
        unsigned left = d->sms - i * size;

        d->group[i].first = i * size;
        d->group[i].members = left < size ? left : size;
    }
    return true;
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
    if (!d->free || !d->launch || !line_init(d, &d->line) || !groups_init(d) ||
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
    free(d->group);
    free(d);
}

/* ---- Which SMs match ---- */

static group *group_of(const dispatch *d, unsigned i)
{
    return d->group ? &d->group[i / d->cfg->gpu.cluster.size] : NULL;
}

static bool has_room(const dispatch *d, const line *q, unsigned i)
{
    return sm_has_room(&d->free[i], &d->launch[q->launch[0]].need);
}

/* CTAs that SMs can run in step with each other. */
static uint64_t left_for_rows(const queued *l)
{
    return l->next < l->alike ? l->alike - l->next : 0;
}

/* So have all members, for which the first stands? */
static bool row_fits(const dispatch *d, const line *q, const group *g)
{
    const queued *l = &d->launch[q->launch[0]];
    bool fits = q->launch[0] == g->owner && left_for_rows(l) >= g->members;

    for (unsigned i = g->first; fits && i < g->first + g->members; i++)
        fits = has_room(d, q, i);
    return fits;
}

static bool is_candidate(const dispatch *d, const line *q, unsigned i)
{
    const group *g = group_of(d, i);

    if (!q->count)
        return false;
    if (!g || g->way == DISPATCH_SINGLY)
        return has_room(d, q, i);
    return g->way == DISPATCH_ROWS && i == g->first && row_fits(d, q, g);
}

/* Has SM `i` room for the head of `q` now? */
static void look_at(dispatch *d, line *q, unsigned i)
{
    const group *g = group_of(d, i);

    if (g && g->way == DISPATCH_ROWS)
        i = g->first;
    uint64_t *word = &q->match[i / 64], bit = (uint64_t)1 << i % 64;
    bool fits = is_candidate(d, q, i);

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

void dispatch_group(dispatch *d, unsigned first, dispatch_way way,
                    unsigned owner)
{
    group *g = group_of(d, first);

    MUST(g && g->first == first && !d->row.left);
    if (g->way == way && (way != DISPATCH_ROWS || g->owner == owner))
        return;
    g->way = DISPATCH_NONE;
    for (unsigned i = 0; i < g->members; i++)
        look_at(d, &d->line, first + i);
    g->way = way;
    g->owner = owner;
    for (unsigned i = 0; i < g->members; i++)
        look_at(d, &d->line, first + i);
}

bool dispatch_head(const dispatch *d, unsigned *n, uint64_t *left)
{
    const line *q = &d->line;

    if (!q->count)
        return false;
    *n = q->launch[0];
    *left = left_for_rows(&d->launch[*n]);
    return true;
}

bool dispatch_vacant(const dispatch *d, unsigned i)
{
    return d->free[i].ctas == d->have.ctas;
}

bool dispatch_would_fit(const dispatch *d, unsigned i)
{
    const line *q = &d->line;

    return q->count && !q->room && has_room(d, q, i);
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
    for (unsigned i = 0; d->group && i < d->sms; i += d->cfg->gpu.cluster.size)
        group_of(d, i)->way = DISPATCH_SINGLY;
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
    d->launch[n].alike = d->launch[n].total;
    q->launch[q->count++] = n;
    if (q->count == 1)
        look_at_all(d, q);
}

void dispatch_alike(dispatch *d, unsigned n, uint64_t ctas)
{
    d->launch[n].alike = ctas;
    look_at_all(d, &d->line);
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

/* The next CTA of the row. */
static void hand_out(dispatch *d, line *q, dispatch_order *out)
{
    row *r = &d->row;
    queued *l = &d->launch[r->launch];
    unsigned to = r->to++;

    *out = order_of(d, r->launch, to, r->when);
    reserve(d, r->launch, to);
    l->next++;
    if (--r->left)
        return;
    if (l->next == l->total)
        next_launch(d, q);
    else if (d->group && left_for_rows(l) < d->cfg->gpu.cluster.size)
        look_at_all(d, q); /* too few for some rows */
    else
        look_at(d, q, to);
}

bool dispatch_next(dispatch *d, uint64_t now, uint64_t end, dispatch_order *out)
{
    line *q = &d->line;

    if (!d->row.left) {
        uint64_t when = dispatch_wakes(d, now);

        if (when >= end)
            return false;
        unsigned to = d->how->choose(d, q);
        const group *g = group_of(d, to);
        bool single = !g || g->way == DISPATCH_SINGLY;
        d->row = (row){.launch = q->launch[0],
                       .to = to,
                       .left = single ? 1 : g->members,
                       .when = when};
        d->free_at = when + d->cfg->gpu.dispatch_interval;
    }
    hand_out(d, q, out);
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
