/* src/sm/hazard/kepler_codes.c - Kepler's control codes are trusted: a code
 * says how long a warp waits, which covers results of fixed latency, and nobody
 * looks for their hazards. A scoreboard, or a table, remains for the others:
 * memory, and what is slower than codes wait [GK110:scheduling].
 *
 * The compiler counts from issue to result. A result that comes later than it
 * counted - its operands met in a bank, or the result bus was taken - holds up
 * all that follows in the warp by as much, as if it had issued later. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sm/hazard/control_codes.h"
#include "sm/limits.h"

typedef struct waits {
    sm_hazard base; /* inner: of slow results */
    sm_stats *st;
    struct {
        const sm_inst *last; /* that has issued, */
        uint64_t when, late; /* in that cycle, so much late */
        uint64_t as_of; /* counts as issued then: it, and those before it */
        uint64_t held;  /* the next may issue then, at the soonest */
        bool second;    /* `last` is the second of a pair */
    } warp[SM_WARPS];
} waits;

static inline waits *waits_of(sm_hazard *h) { return (waits *)h; }

static sm_why check(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    return h->inner->ops->check(h->inner, warp, si);
}

static sm_why second(sm_hazard *h, unsigned warp, const sm_inst *si,
                     bool counted)
{
    return sm_hazard_second(h->inner, warp, si, counted);
}

/* What `last` does to the next issue. The first of a pair leaves it to the
 * second, whose code tells how long to wait. */
static void hold(waits *c, unsigned warp)
{
    const sm_inst *si = c->warp[warp].last;
    uint64_t as_of = c->warp[warp].when + c->warp[warp].late;

    if (as_of > c->warp[warp].as_of)
        c->warp[warp].as_of = as_of;
    as_of = c->warp[warp].as_of;
    c->warp[warp].held = 0;
    if (!si->heads && as_of > c->warp[warp].when)
        c->warp[warp].held =
            as_of + (c->warp[warp].second ? si->second : si->alone);
}

static void issued(sm_hazard *h, unsigned warp, const sm_inst *si,
                   uint64_t delay)
{
    waits *c = waits_of(h);
    bool follows = c->warp[warp].last && c->warp[warp].when == *h->now;

    if (h->inner->ops->issued)
        h->inner->ops->issued(h->inner, warp, si, delay);
    c->warp[warp].second = follows;
    c->warp[warp].last = si;
    c->warp[warp].when = *h->now;
    c->warp[warp].late = si->flags & INST_RESULT && !si->slow ? delay : 0;
    hold(c, warp);
}

static void delayed(sm_hazard *h, unsigned warp, uint64_t delay)
{
    waits *c = waits_of(h);

    if (c->warp[warp].last->slow)
        return;
    c->warp[warp].late += delay;
    hold(c, warp);
}

static uint64_t not_before(const sm_hazard *h, unsigned warp)
{
    return ((const waits *)h)->warp[warp].held;
}

static void reserve(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    waits *c = waits_of(h);

    if (!si->slow)
        return;
    c->st->code_late++;
    c->st->code_late_regs += si->in->dst_regs;
    h->inner->ops->reserve(h->inner, warp, si);
}

static void release(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    if (si->slow)
        h->inner->ops->release(h->inner, warp, si);
}

static void release_guard(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    if (si->slow)
        h->inner->ops->release_guard(h->inner, warp, si);
}

/* The warp slot has another warp. */
static uint64_t begin(sm_hazard *h, unsigned warp)
{
    waits *c = waits_of(h);

    memset(&c->warp[warp], 0, sizeof c->warp[warp]);
    return h->inner->ops->begin ? h->inner->ops->begin(h->inner, warp) : 0;
}

static uint64_t end(sm_hazard *h, unsigned warp)
{
    return h->inner->ops->end ? h->inner->ops->end(h->inner, warp) : 0;
}

static bool idle(const sm_hazard *h, unsigned warp)
{
    return h->inner->ops->idle(h->inner, warp);
}

static void settle(sm_hazard *h, uint64_t now)
{
    if (h->inner->ops->settle)
        h->inner->ops->settle(h->inner, now);
}

static void destroy(sm_hazard *h)
{
    h->inner->ops->free(h->inner);
    free(h);
}

static const sm_hazard_ops ops = {
    .free = destroy,
    .check = check,
    .second = second,
    .not_before = not_before,
    .issued = issued,
    .delayed = delayed,
    .reserve = reserve,
    .release = release,
    .release_guard = release_guard,
    .begin = begin,
    .end = end,
    .idle = idle,
    .settle = settle,
};

sm_hazard *sm_kepler_codes_new(const config *cfg, sm_stats *st)
{
    waits *c = new0(1, sizeof *c);

    c->base.ops = &ops;
    c->base.inner =
        cfg->sm.dual.pending == CFG_PENDING_TABLE
            ? sm_table_new(cfg, cfg->sm.table.slots, cfg->sm.table.group, st)
            : sm_scoreboard_new();
    c->st = st;
    return &c->base;
}
