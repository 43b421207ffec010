/* src/cache/l1_mascar.c - see the header. Arrivals are tried in their order; a
 * load that is refused goes to the end of the queue of those put aside, whose
 * head is tried in cycles in which no arrival can be performed, and goes to the
 * end again if it is refused. So a look-up is made in each cycle. */
#include "cache/l1_mascar.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cache/l1_impl.h"
#include "cache/l1_queues.h"

typedef struct mascar {
    l1_queue base;
    l1_queues q; /* one: what is put aside */
    unsigned depth, mshrs_left, places_left;
    bool owner;       /* one warp has memory for itself while it is saturated */
    bool told;        /* what the SM knows */
    uint64_t since;   /* of `told`: first cycle not in the counters */
    unsigned gone;    /* requests taken from the port in this cycle */
    l1_refusal front; /* why the oldest arrival waits */
    uint32_t front_noted;   /* bit set of l1_refusal, so far */
    l1_refusal tried;       /* what the last serve refused, or L1_OK */
    uint32_t tag[L1_WARPS]; /* of the instruction that a warp has aside */
} mascar;

/* ---- saturation ---- */

static bool few_mshrs(const mascar *r)
{
    const l1 *b = r->base.cache;
    uint64_t used = mem_mshr_count(b->mshr);

    return used && used + r->mshrs_left > b->cfg.mshrs;
}

static bool few_places(const mascar *r)
{
    const l1 *b = r->base.cache;
    uint64_t used = (uint64_t)b->misses.count + b->untranslated.count;

    return used && used + r->places_left > b->cfg.miss_queue;
}

static bool is_saturated(const mascar *r)
{
    return few_mshrs(r) || few_places(r);
}

static void count_saturated(mascar *r, uint64_t now)
{
    if (r->told)
        r->q.st.saturated += now - r->since;
    r->since = now;
}

/* True if the port to the SM has no room for it. */
static bool tell_sm(mascar *r, uint64_t now)
{
    bool saturated = is_saturated(r);
    mem_msg m = {.kind = MEM_PRESSURE, .client = CLIENT_LSU};

    if (!r->owner || saturated == r->told)
        return false;
    m.payload = saturated;
    if (!mem_port_push(r->base.cache->port.to_lsu, now, &m))
        return true;
    count_saturated(r, now);
    r->told = saturated;
    return false;
}

/* ---- what may be performed ---- */

/* True if a request to the line that is older than `turn` is aside. */
static bool older_aside(const mascar *r, uint64_t addr, uint64_t turn)
{
    if (r->q.order.ignored)
        return false;
    for (uint32_t k = 0; k < r->q.held; k++) {
        const l1_entry *e = l1_queues_at(&r->q, 0, k);

        if (e->msg.addr == addr && e->turn < turn)
            return true;
    }
    return false;
}

/* A load that needs more from memory while that is for another warp. */
static l1_refusal hold_back(const mascar *r, const mem_msg *m, const l1_plan *p)
{
    if (!r->owner || m->kind != MEM_READ || m->owner || !p->fetch)
        return L1_OK;
    if (few_mshrs(r))
        return L1_MSHR_ENTRY;
    return few_places(r) ? L1_MISS_QUEUE : L1_OK;
}

static l1_refusal find_and_refuse(mascar *r, uint64_t now, const mem_msg *m,
                                  bool can_wait, l1_plan *p)
{
    l1 *b = r->base.cache;

    l1_find(b, m, p);
    l1_refusal why = l1_refuse(b, now, m, p);
    return why || !can_wait ? why : hold_back(r, m, p);
}

/* May `m` be put aside? Of a warp only one instruction may have loads there, so
 * that its accesses stay in their order. */
static bool has_room(const mascar *r, const mem_msg *m)
{
    return m->kind == MEM_READ && !l1_passes(r->base.cache, m) &&
           r->q.held < r->depth &&
           (!r->q.order.held[m->warp] || r->tag[m->warp] == m->tag);
}

/* ---- serving ---- */

static void take_arrival(mascar *r, uint64_t now)
{
    mem_port_pop(r->base.from, now);
    r->front_noted = 0;
    r->gone++;
}

static l1_refusal try_arrival(mascar *r, uint64_t now, const mem_msg *m)
{
    l1 *b = r->base.cache;
    l1_plan plan;

    if (l1_order_waits(&r->q.order, m) || older_aside(r, m->addr, UINT64_MAX))
        return L1_ORDER;
    l1_refusal why = find_and_refuse(r, now, m, has_room(r, m), &plan);
    if (why)
        return why;
    l1_perform(b, now, m, &plan);
    if (l1_passes(b, m))
        r->q.st.passed++;
    else
        l1_queues_bypass(&r->q, 0);
    take_arrival(r, now);
    return L1_OK;
}

static bool put_aside(mascar *r, uint64_t now, const mem_msg *m, l1_refusal why)
{
    uint32_t noted = r->front_noted;

    if (why == L1_DATA_PORT || why == L1_REPLY || !has_room(r, m) ||
        l1_order_waits(&r->q.order, m))
        return false;
    r->tag[m->warp] = m->tag;
    l1_queues_push(&r->q, now, 0, m);
    l1_queues_at(&r->q, 0, r->q.held - 1)->noted = noted;
    take_arrival(r, now);
    return true;
}

/* The first one whose line no older one waits for: there always is one. */
static l1_refusal try_aside(mascar *r, uint64_t now)
{
    const l1_entry *e = l1_queues_at(&r->q, 0, 0);
    l1_plan plan;

    while (older_aside(r, e->msg.addr, e->turn)) {
        l1_queues_rotate(&r->q, 0);
        e = l1_queues_at(&r->q, 0, 0);
    }
    r->q.st.probes++;
    r->q.st.probes_again++;
    l1_refusal why = find_and_refuse(r, now, &e->msg, true, &plan);
    if (!why) {
        l1_perform(r->base.cache, now, &e->msg, &plan);
        l1_queues_pop(&r->q, now, 0);
        return L1_OK;
    }
    l1_refused(r->base.cache, now, &e->msg, why,
               &l1_queues_at(&r->q, 0, 0)->noted);
    l1_queues_rotate(&r->q, 0);
    return why;
}

static l1_refusal mascar_serve(l1_queue *base, uint64_t now)
{
    mascar *r = (mascar *)base;
    const mem_msg *m = mem_port_peek(base->from, now);
    l1_refusal why = L1_EMPTY;

    r->front = r->tried = L1_OK;
    if (m && m->kind != MEM_FENCE) {
        why = try_arrival(r, now, m);
        if (why == L1_OK)
            return L1_OK;
        l1_refused(base->cache, now, m, why, &r->front_noted);
        r->tried = why;
        if (!put_aside(r, now, m, why))
            r->front = why;
        else if (why != L1_ORDER) /* which took no look-up */
            return why;
    }
    if (!r->q.held)
        return why;
    l1_refusal aside = try_aside(r, now);
    if (aside == L1_OK || why >= L1_QUEUE_FULL)
        why = r->tried = aside;
    return why;
}

/* ---- the rest of the interface ---- */

static void take_fences(mascar *r, uint64_t now)
{
    const mem_msg *m;

    while ((m = mem_port_peek(r->base.from, now)) && m->kind == MEM_FENCE) {
        l1_order_fence(&r->q.order, m);
        mem_port_pop(r->base.from, now);
        r->gone++;
    }
}

static unsigned mascar_accept(l1_queue *base, uint64_t now)
{
    mascar *r = (mascar *)base;
    unsigned news = r->q.held ? L1_TRY : 0; /* other heads have their turn */

    take_fences(r, now);
    base->input = r->gone ? L1_OK : r->front;
    if (r->gone)
        news |= L1_TRY | L1_AGAIN;
    r->gone = 0;
    if (tell_sm(r, now))
        news |= L1_AGAIN;
    if (l1_order_answer(&r->q.order, base->cache->port.to_lsu, now))
        news |= L1_AGAIN;
    return news;
}

static uint64_t mascar_next(const l1_queue *base, uint64_t now)
{
    const mascar *r = (const mascar *)base;

    return r->owner && r->told != is_saturated(r)
               ? now + 1
               : l1_queues_next(&r->q, base->from, now);
}

static uint32_t mascar_count(const l1_queue *base)
{
    const mascar *r = (const mascar *)base;

    return l1_queues_count(&r->q) + base->from->count;
}

static void mascar_stalled(l1_queue *base, uint64_t n)
{
    mascar *r = (mascar *)base;

    l1_queues_stalled(&r->q, r->tried, n);
}

static void mascar_settle(l1_queue *base, uint64_t now)
{
    mascar *r = (mascar *)base;

    count_saturated(r, now);
    l1_queues_settle(&r->q, now);
}

static void mascar_dump(const l1_queue *base, FILE *f)
{
    const mascar *r = (const mascar *)base;

    if (base->input)
        fprintf(f, "  oldest arrival: %s\n", l1_refusals[base->input]);
    if (r->told)
        fprintf(f, "  memory is saturated\n");
    l1_queues_dump(&r->q, base->cache, f);
}

static void mascar_free(l1_queue *base)
{
    l1_queues_fini(&((mascar *)base)->q);
    free(base);
}

static const l1_queue_ops mascar_ops = {.serve = mascar_serve,
                                        .accept = mascar_accept,
                                        .next = mascar_next,
                                        .count = mascar_count,
                                        .free = mascar_free,
                                        .stalled = mascar_stalled,
                                        .settle = mascar_settle,
                                        .dump = mascar_dump};

l1_queue *l1_mascar_new(const config *cfg, stats *reg, const char *name)
{
    mascar *r = new0(1, sizeof *r);

    r->base.ops = &mascar_ops;
    r->depth = cfg->l1.mascar.depth;
    r->owner = cfg->l1.mascar.owner;
    r->mshrs_left = cfg->l1.mascar.mshrs_left;
    r->places_left = cfg->l1.mascar.places_left;
    l1_queues_init(&r->q, cfg, 1, r->depth ? r->depth : 1, reg, name);
    return &r->base;
}
