/* src/cache/l1_mrpb.c - see the header. One request is looked up for each tag
 * port and cycle, as with a FIFO: the order of requests changes, the cache
 * behind them does not. */
#include "cache/l1_mrpb.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cache/l1_impl.h"
#include "cache/l1_queues.h"

typedef struct mrpb {
    l1_queue base;
    l1_queues q;
    cfg_mrpb_signature signature;
    cfg_mrpb_drain drain;
    bool bypass;
    unsigned tag_ports;
    unsigned last;    /* the queue served last */
    uint32_t noted;   /* bit set of l1_refusal: of the oldest arrival */
    l1_refusal tried; /* what the last serve refused, or L1_OK */
} mrpb;

/* ---- which queue ---- */

static unsigned queue_of(const mrpb *r, const mem_msg *m)
{
    unsigned of = r->signature == CFG_MRPB_SIGNATURE_CTA ? m->cta : m->warp;

    return of % r->q.queues;
}

/* True if a request to the line of `e` that came before it still waits. */
static bool older_waits(const mrpb *r, const l1_entry *e)
{
    if (r->q.order.ignored)
        return false;
    for (unsigned i = l1_queues_filled(&r->q, 0); i < r->q.queues;
         i = l1_queues_filled(&r->q, i + 1))
        for (uint32_t k = 0; k < r->q.queue[i].count; k++) {
            const l1_entry *x = l1_queues_at(&r->q, i, k);

            if (x->turn >= e->turn)
                break;
            if (x->msg.addr == e->msg.addr)
                return true;
        }
    return false;
}

/* Is `i` to be drained before `than`? */
static bool goes_before(const mrpb *r, unsigned i, unsigned than)
{
    unsigned n = r->q.queues;

    switch (r->drain) {
    case CFG_MRPB_DRAIN_FIXED:
        return i < than;
    case CFG_MRPB_DRAIN_LONGEST:
        return r->q.queue[i].count > r->q.queue[than].count;
    case CFG_MRPB_DRAIN_GREEDY: /* it, until it is empty; then the next */
        return (i + n - r->last) % n < (than + n - r->last) % n;
    }
    return false;
}

/* The queue to be served; the number of queues if all are empty. There always
 * is one otherwise: the head of the oldest request may go. */
static unsigned choose_queue(const mrpb *r)
{
    unsigned best = r->q.queues;

    for (unsigned i = l1_queues_filled(&r->q, 0); i < r->q.queues;
         i = l1_queues_filled(&r->q, i + 1))
        if ((best == r->q.queues || goes_before(r, i, best)) &&
            !older_waits(r, l1_queues_at(&r->q, i, 0)))
            best = i;
    return best;
}

/* ---- serving ---- */

/* A load whose set is full bypasses the cache. */
static bool goes_around(const mrpb *r, const mem_msg *m, l1_plan *p)
{
    if (!r->bypass || m->kind != MEM_READ || p->act != L1_ACT_MISS)
        return false;
    l1_go_around(p);
    return true;
}

static l1_refusal mrpb_serve(l1_queue *base, uint64_t now)
{
    mrpb *r = (mrpb *)base;
    l1 *b = base->cache;
    unsigned i = choose_queue(r);
    l1_plan plan;
    bool around = false;

    r->tried = L1_OK;
    if (i == r->q.queues)
        return L1_EMPTY;
    const mem_msg *m = &l1_queues_at(&r->q, i, 0)->msg;
    l1_find(b, m, &plan);
    l1_refusal why = l1_refuse(b, now, m, &plan);
    if (why == L1_SET_FULL && goes_around(r, m, &plan)) {
        around = true;
        why = l1_refuse(b, now, m, &plan);
    }
    if (why) {
        l1_refused(b, now, m, why, &r->q.queue[i].noted);
        r->tried = why;
        return why;
    }
    l1_perform(b, now, m, &plan);
    r->q.st.around += around;
    l1_queues_pop(&r->q, now, i);
    r->last = i;
    return L1_OK;
}

/* ---- acceptance ---- */

/* Puts an arrival where it belongs; false: its queue is full. */
static bool enqueue_arrival(mrpb *r, uint64_t now, const mem_msg *m)
{
    unsigned i = queue_of(r, m);

    if (m->kind == MEM_FENCE) {
        l1_order_fence(&r->q.order, m);
    } else if (l1_queues_full(&r->q, i)) {
        l1_refused(r->base.cache, now, m, L1_QUEUE_FULL, &r->noted);
        return false;
    } else {
        l1_queues_push(&r->q, now, i, m);
        r->noted = 0;
    }
    mem_port_pop(r->base.from, now);
    return true;
}

static unsigned mrpb_accept(l1_queue *base, uint64_t now)
{
    mrpb *r = (mrpb *)base;
    unsigned n = 0;
    bool full = false;
    const mem_msg *m;

    while (n < r->tag_ports && (m = mem_port_peek(base->from, now))) {
        full = !enqueue_arrival(r, now, m);
        if (full)
            break;
        n++;
    }
    base->input = full && !n ? L1_QUEUE_FULL : L1_OK;
    bool again = l1_order_answer(&r->q.order, base->cache->port.to_lsu, now);
    if (n) /* what came may be drained first; more may come */
        return L1_TRY | L1_AGAIN;
    return again ? L1_AGAIN : 0;
}

/* ---- the rest of the interface ---- */

static uint64_t mrpb_next(const l1_queue *base, uint64_t now)
{
    return l1_queues_next(&((const mrpb *)base)->q, base->from, now);
}

static uint32_t mrpb_count(const l1_queue *base)
{
    return l1_queues_count(&((const mrpb *)base)->q) + base->from->count;
}

static void mrpb_stalled(l1_queue *base, uint64_t n)
{
    mrpb *r = (mrpb *)base;

    l1_queues_stalled(&r->q, r->tried, n);
}

static void mrpb_settle(l1_queue *base, uint64_t now)
{
    l1_queues_settle(&((mrpb *)base)->q, now);
}

static void mrpb_dump(const l1_queue *base, FILE *f)
{
    if (base->input)
        fprintf(f, "  oldest arrival: %s\n", l1_refusals[base->input]);
    l1_queues_dump(&((const mrpb *)base)->q, base->cache, f);
}

static void mrpb_free(l1_queue *base)
{
    l1_queues_fini(&((mrpb *)base)->q);
    free(base);
}

static const l1_queue_ops mrpb_ops = {.serve = mrpb_serve,
                                      .accept = mrpb_accept,
                                      .next = mrpb_next,
                                      .count = mrpb_count,
                                      .free = mrpb_free,
                                      .stalled = mrpb_stalled,
                                      .settle = mrpb_settle,
                                      .dump = mrpb_dump};

l1_queue *l1_mrpb_new(const config *cfg, stats *reg, const char *name)
{
    mrpb *r = new0(1, sizeof *r);

    r->base.ops = &mrpb_ops;
    r->signature = cfg->l1.mrpb.signature;
    r->drain = cfg->l1.mrpb.drain;
    r->bypass = cfg->l1.mrpb.bypass;
    r->tag_ports = cfg->l1.tag_ports;
    l1_queues_init(&r->q, cfg, cfg->l1.mrpb.queues, cfg->l1.mrpb.depth, reg,
                   name);
    return &r->base;
}
