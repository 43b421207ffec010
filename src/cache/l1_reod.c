/* src/cache/l1_reod.c - see the header. A head is looked up in tags and MSHRs
 * once, when it becomes one, and again when a fill has changed its set: nothing
 * else can, as requests of a set share a queue. What stands in its way is
 * worked out of that whenever something has changed; but heads that only a fill
 * of their set can help are parked until then. */
#include "cache/l1_reod.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "cache/l1_impl.h"
#include "cache/l1_queues.h"

/* The head of a queue and the outcome of its last look-up. */
typedef struct reod_head {
    bool planned; /* `plan` holds */
    bool probed;  /* it was looked up, perhaps in vain */
    bool parked;  /* refused until a fill changes its set */
    uint8_t why;  /* l1_refusal: the last one, if there was any */
    l1_plan plan;
} reod_head;

typedef struct reod {
    l1_queue base;
    l1_queues q;
    cfg_reod_select select;
    bool bypass_empty;
    unsigned tag_ports;
    unsigned turn;        /* the queue that is first in round-robin order */
    unsigned gone;        /* requests taken from the port in this cycle */
    unsigned used;        /* blind: tag ports, in this cycle */
    reod_head *head;      /* of each queue */
    uint16_t *queue_of;   /* [set] */
    uint64_t served;      /* last cycle in which a port served */
    l1_refusal front;     /* of the port's oldest in that cycle */
    l1_refusal stuck;     /* why it cannot enter, until a head is performed */
    uint32_t front_noted; /* bit set, likewise so far */
    uint32_t tried[L1_REFUSALS]; /* heads that the last serve refused */
    uint64_t *parked;            /* bit set of queues */
    uint32_t parks[L1_REFUSALS]; /* how many, by cause */
    bool parks_merges;           /* such a refusal cannot get another name */
} reod;

/* ---- where requests are ---- */

static uint32_t set_of(const reod *r, uint64_t addr)
{
    return mem_tags_set(&r->base.cache->tags, addr);
}

/* Of its set. */
static unsigned queue_of(const reod *r, const mem_msg *m)
{
    return r->queue_of[set_of(r, m->addr)];
}

static const mem_msg *head_of(const reod *r, unsigned i)
{
    return &l1_queues_at(&r->q, i, 0)->msg;
}

static void park(reod *r, unsigned i, l1_refusal why)
{
    r->head[i].parked = true;
    r->parked[i / 64] |= (uint64_t)1 << i % 64;
    r->parks[why]++;
}

/* Its set has changed. */
static void look_again(reod *r, unsigned i)
{
    reod_head *h = &r->head[i];

    h->planned = false;
    if (!h->parked)
        return;
    h->parked = false;
    r->parked[i / 64] &= ~((uint64_t)1 << i % 64);
    r->parks[h->why]--;
}

static void advance_turn(reod *r, unsigned i)
{
    r->turn = i + 1 == r->q.queues ? 0 : i + 1;
}

/* ---- the front of the port ---- */

static bool same_line_waits(const reod *r, const mem_msg *m)
{
    unsigned i = queue_of(r, m);

    for (uint32_t k = 0; k < r->q.queue[i].count && !r->q.order.ignored; k++)
        if (l1_queues_at(&r->q, i, k)->msg.addr == m->addr)
            return true;
    return false;
}

/* True if `m` must not be performed, or enter, yet. */
static bool must_wait(const reod *r, const mem_msg *m)
{
    return l1_order_waits(&r->q.order, m) ||
           (l1_passes(r->base.cache, m) && same_line_waits(r, m));
}

/* True if `m`, the oldest arrival, may be performed from the port. */
static bool is_direct(const reod *r, const mem_msg *m)
{
    if (l1_passes(r->base.cache, m))
        return true;
    return r->bypass_empty && m->kind != MEM_FENCE &&
           !r->q.queue[queue_of(r, m)].count;
}

static bool reod_fresh(const l1_queue *base, uint64_t now)
{
    const reod *r = (const reod *)base;
    const mem_msg *m = mem_port_peek(base->from, now);

    return m && !r->front && is_direct(r, m);
}

/* The oldest arrival, if it may be performed from the port, does so when no
 * head can be: it cannot starve, as nothing enters meanwhile. */
static l1_refusal serve_front(reod *r, uint64_t now)
{
    l1 *b = r->base.cache;
    const mem_msg *m = mem_port_peek(r->base.from, now);
    l1_plan plan;

    r->front = L1_OK;
    if (!m || !is_direct(r, m))
        return L1_EMPTY;
    l1_refusal why = L1_ORDER;
    if (!must_wait(r, m)) {
        l1_find(b, m, &plan);
        why = l1_refuse(b, now, m, &plan);
    }
    if (why) {
        l1_refused(b, now, m, why, &r->front_noted);
        r->front = why;
        return why;
    }
    l1_perform(b, now, m, &plan);
    unsigned i = queue_of(r, m);
    if (l1_passes(b, m)) {
        r->q.st.passed++;
        look_again(r, i); /* it may have dropped a line */
    } else {
        l1_queues_bypass(&r->q, i);
        advance_turn(r, i);
    }
    mem_port_pop(r->base.from, now);
    r->front_noted = 0;
    r->gone++;
    return L1_OK;
}

/* ---- selection ---- */

static l1_refusal try_head(reod *r, uint64_t now, unsigned i)
{
    l1 *b = r->base.cache;
    reod_head *h = &r->head[i];
    const mem_msg *m = head_of(r, i);

    if (!h->planned) {
        l1_find(b, m, &h->plan);
        r->q.st.probes++;
        r->q.st.probes_again += h->probed;
        h->planned = h->probed = true;
    }
    l1_refusal why = l1_refuse(b, now, m, &h->plan);
    if (why) {
        l1_refused(b, now, m, why, &r->q.queue[i].noted);
        r->tried[why]++;
        h->why = (uint8_t)why;
        return why;
    }
    l1_perform(b, now, m, &h->plan);
    l1_queues_pop(&r->q, now, i);
    r->stuck = L1_OK;
    h->planned = h->probed = false;
    advance_turn(r, i);
    return L1_OK;
}

/* The next queue after *i in round-robin order, beginning with `turn`, that
 * holds something; false at the end. *i is UINT_MAX at first. */
static bool next_head(const reod *r, unsigned *i)
{
    bool first = *i == UINT32_MAX, wrapped = !first && *i < r->turn;
    unsigned at = l1_queues_filled(&r->q, first ? r->turn : *i + 1);

    if (at == r->q.queues && !wrapped) {
        at = l1_queues_filled(&r->q, 0);
        wrapped = true;
    }
    *i = at;
    return at < r->q.queues && (!wrapped || at < r->turn);
}

/* The first queue of [i, end) whose head may go, `end` if there is none. */
static unsigned open_from(const reod *r, unsigned i, unsigned end)
{
    for (; i < end; i = (i / 64 + 1) * 64) {
        uint64_t bits = (r->q.filled[i / 64] & ~r->parked[i / 64]) >> i % 64;

        if (bits) {
            i += bits_ctz64(bits);
            break;
        }
    }
    return i < end ? i : end;
}

/* Tries those of [i, end) in turn. */
static bool serve_open(reod *r, uint64_t now, unsigned i, unsigned end)
{
    for (i = open_from(r, i, end); i < end; i = open_from(r, i + 1, end)) {
        l1_refusal why = try_head(r, now, i);

        if (why == L1_OK)
            return true;
        if (why == L1_SET_FULL || (why == L1_MSHR_MERGE && r->parks_merges))
            park(r, i, why);
    }
    return false;
}

static l1_refusal serve_aware(reod *r, uint64_t now)
{
    unsigned turn = r->turn, first = UINT32_MAX;

    memcpy(r->tried, r->parks, sizeof r->tried);
    if (serve_open(r, now, turn, r->q.queues) || serve_open(r, now, 0, turn))
        return L1_OK;
    l1_refusal why = serve_front(r, now);
    return why == L1_OK || !next_head(r, &first)
               ? why
               : (l1_refusal)r->head[first].why;
}

/* A refusal costs a tag port its cycle. */
static l1_refusal serve_blind(reod *r, uint64_t now)
{
    l1_refusal first = L1_EMPTY;

    while (r->used < r->tag_ports) {
        unsigned i = UINT32_MAX;

        r->used++;
        if (!next_head(r, &i))
            return serve_front(r, now);
        l1_refusal why = try_head(r, now, i);
        advance_turn(r, i);
        if (why == L1_OK)
            return L1_OK;
        if (first == L1_EMPTY)
            first = why;
    }
    return first;
}

static bool set_full(const reod *r, unsigned i)
{
    const mem_tags *t = &r->base.cache->tags;

    return t->reserved[set_of(r, head_of(r, i)->addr)] == t->live_ways;
}

static l1_refusal serve_setbit(reod *r, uint64_t now)
{
    l1_refusal first = L1_OK;

    for (unsigned i = UINT32_MAX; next_head(r, &i);) {
        if (!set_full(r, i)) {
            l1_refusal why = try_head(r, now, i);
            return why == L1_OK || !first ? why : first;
        }
        l1_refused(r->base.cache, now, head_of(r, i), L1_SET_FULL,
                   &r->q.queue[i].noted);
        r->tried[L1_SET_FULL]++;
        first = L1_SET_FULL;
    }
    l1_refusal why = serve_front(r, now);
    return why == L1_OK || !first ? why : first;
}

static l1_refusal reod_serve(l1_queue *base, uint64_t now)
{
    reod *r = (reod *)base;

    if (r->served != now) {
        r->served = now;
        r->front = L1_OK;
    }
    memset(r->tried, 0, sizeof r->tried);
    switch (r->select) {
    case CFG_REOD_SELECT_AWARE:
        return serve_aware(r, now);
    case CFG_REOD_SELECT_BLIND:
        return serve_blind(r, now);
    case CFG_REOD_SELECT_SETBIT:
        return serve_setbit(r, now);
    }
    return L1_EMPTY;
}

/* ---- acceptance ---- */

/* Why the oldest arrival cannot enter; L1_OK: it has entered. */
static l1_refusal admit_arrival(reod *r, uint64_t now, const mem_msg *m,
                                unsigned *news)
{
    unsigned i = queue_of(r, m);
    l1_line *q = &r->q.queue[i];

    if (must_wait(r, m))
        return L1_ORDER;
    if (l1_queues_full(&r->q, i))
        return L1_QUEUE_FULL;
    if (!q->count) {
        *news |= L1_TRY;
        q->noted = r->front_noted & ~(1u << L1_QUEUE_FULL | 1u << L1_ORDER);
    }
    l1_queues_push(&r->q, now, i, m);
    mem_port_pop(r->base.from, now);
    r->front_noted = 0;
    r->front = L1_OK;
    return L1_OK;
}

/* Moves arrivals until one has to stay; returns why. */
static l1_refusal take_arrivals(reod *r, uint64_t now, unsigned *news)
{
    l1 *b = r->base.cache;
    mem_port *from = r->base.from;
    l1_refusal why = L1_OK;
    const mem_msg *m;

    for (unsigned n = 0; (m = mem_port_peek(from, now)) && !why; n++) {
        if (n == r->tag_ports) {
            *news |= L1_AGAIN;
            return L1_OK;
        }
        if (m->kind == MEM_FENCE) {
            l1_order_fence(&r->q.order, m);
            mem_port_pop(from, now);
            r->gone++;
            continue;
        }
        if (l1_passes(b, m)) { /* serve deals with it */
            if (!r->front)
                *news |= L1_TRY;
            return r->front ? r->front : L1_ORDER;
        }
        r->stuck = why = admit_arrival(r, now, m, news);
        if (why)
            l1_refused(b, now, m, why, &r->front_noted);
        else
            r->gone++;
    }
    return why;
}

static unsigned reod_accept(l1_queue *base, uint64_t now)
{
    reod *r = (reod *)base;
    l1 *b = base->cache;
    unsigned news = 0;
    l1_refusal why = r->stuck;

    if (!why)
        why = take_arrivals(r, now, &news);
    if (l1_order_answer(&r->q.order, b->port.to_lsu, now))
        news |= L1_AGAIN;
    if (r->select == CFG_REOD_SELECT_BLIND && r->q.held)
        news |= L1_TRY; /* other heads have their turn */
    base->input = r->gone ? L1_OK : why;
    if (r->gone && why)
        news |= L1_AGAIN; /* in the next cycle it will be blocked */
    r->gone = r->used = 0;
    return news;
}

/* ---- ---- */

static uint64_t reod_next(const l1_queue *base, uint64_t now)
{
    return l1_queues_next(&((const reod *)base)->q, base->from, now);
}

static uint32_t reod_count(const l1_queue *base)
{
    return l1_queues_count(&((const reod *)base)->q) + base->from->count;
}

static bool reod_forget(l1_queue *base, uint64_t addr)
{
    reod *r = (reod *)base;
    const l1 *b = base->cache;
    unsigned i = r->queue_of[set_of(r, addr)];

    look_again(r, i);
    return r->q.queue[i].count || b->waits >> L1_MSHR_ENTRY & 1 ||
           !r->parks_merges;
}

static void reod_stalled(l1_queue *base, uint64_t n)
{
    reod *r = (reod *)base;

    for (unsigned why = 0; why < L1_REFUSALS; why++)
        if (r->tried[why])
            l1_queues_stalled(&r->q, (l1_refusal)why, n * r->tried[why]);
}

static void reod_settle(l1_queue *base, uint64_t now)
{
    l1_queues_settle(&((reod *)base)->q, now);
}

static void reod_dump(const l1_queue *base, FILE *f)
{
    const reod *r = (const reod *)base;

    fprintf(f, "  queue %u has its turn\n", r->turn);
    if (base->input)
        fprintf(f, "  oldest arrival: %s\n", l1_refusals[base->input]);
    l1_queues_dump(&r->q, base->cache, f);
}

static void reod_free(l1_queue *base)
{
    reod *r = (reod *)base;

    l1_queues_fini(&r->q);
    free(r->head);
    free(r->queue_of);
    free(r->parked);
    free(r);
}

static const l1_queue_ops reod_ops = {.serve = reod_serve,
                                      .accept = reod_accept,
                                      .next = reod_next,
                                      .count = reod_count,
                                      .free = reod_free,
                                      .forget = reod_forget,
                                      .fresh = reod_fresh,
                                      .stalled = reod_stalled,
                                      .settle = reod_settle,
                                      .dump = reod_dump};

/* Blocks of neighbouring sets are as equal as they can be where the queues do
 * not divide the sets. */
static void map_sets(reod *r, const config *cfg)
{
    for (unsigned set = 0; set < cfg->l1.sets; set++)
        r->queue_of[set] =
            (uint16_t)(cfg->l1.reod.map == CFG_REOD_MAP_MOD
                           ? set % r->q.queues
                           : (uint64_t)set * r->q.queues / cfg->l1.sets);
}

l1_queue *l1_reod_new(const config *cfg, stats *reg, const char *name)
{
    reod *r = new0(1, sizeof *r);

    MUST(cfg->l1.reod.queues <= cfg->l1.sets);
    r->base.ops = &reod_ops;
    r->select = cfg->l1.reod.select;
    r->bypass_empty = cfg->l1.reod.bypass_empty;
    r->tag_ports = cfg->l1.tag_ports;
    r->head = new0(cfg->l1.reod.queues, sizeof *r->head);
    r->queue_of = new0(cfg->l1.sets, sizeof *r->queue_of);
    r->parked = new0(bits_div_up(cfg->l1.reod.queues, 64), sizeof *r->parked);
    r->parks_merges = cfg->l1.cause_order == CFG_CAUSE_ORDER_SOURCE;
    l1_queues_init(&r->q, cfg, cfg->l1.reod.queues, cfg->l1.reod.depth, reg,
                   name);
    map_sets(r, cfg);
    return &r->base;
}
