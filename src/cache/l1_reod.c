/* src/cache/l1_reod.c - see the header. A head is looked up in tags and MSHRs
 * once, when it becomes one, and again when a fill has changed its set: nothing
 * else can, as requests of a set share a queue. What stands in its way is
 * worked out of that whenever something has changed. */
#include "cache/l1_reod.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cache/l1_impl.h"
#include "cache/l1_order.h"
#include "cache/l1_queues.h"
#include "stats/bins.h"

typedef struct reod_entry {
    mem_msg msg;
    uint64_t turn; /* requests that entered before it */
    uint32_t set;
} reod_entry;

typedef struct reod_queue {
    reod_entry *entry; /* a ring of `depth` */
    uint32_t head, count;
    uint32_t noted; /* bit set of l1_refusal: of its head, so far */
    bool planned;   /* `plan` is that of its head */
    bool probed;    /* its head was looked up, perhaps in vain */
    l1_plan plan;
    uint64_t since; /* first cycle not in the counters */
} reod_queue;

typedef struct reod {
    l1_queue base;
    cfg_reod_select select;
    bool bypass_empty;
    unsigned queues, depth, tag_ports, words;
    unsigned turn; /* the queue that is first in round-robin order */
    unsigned gone; /* requests taken from the port in this cycle */
    unsigned used; /* blind: tag ports, in this cycle */
    reod_queue *queue;
    reod_entry *store;
    uint64_t *filled;   /* bit set of queues that hold something */
    uint16_t *queue_of; /* [set] */
    uint32_t held;      /* in all queues */
    l1_order order;
    uint64_t served;             /* last cycle in which a port served */
    l1_refusal front;            /* of the port's oldest in that cycle */
    uint32_t front_noted;        /* bit set, likewise so far */
    uint32_t tried[L1_REFUSALS]; /* heads that the last serve refused */
    uint64_t entered, performed;
    l1_queue_stats st;
} reod;

/* ---- queues ---- */

static uint32_t set_of(const reod *r, uint64_t addr)
{
    return mem_tags_set(&r->base.cache->tags, addr);
}

static reod_entry *entry_at(const reod *r, const reod_queue *q, uint32_t i)
{
    uint32_t at = q->head + i;

    return &q->entry[at < r->depth ? at : at - r->depth];
}

/* The first queue from number `i` on that holds something, or a number past
 * them. */
static unsigned filled_from(const reod *r, unsigned i)
{
    if (i >= r->queues)
        return r->queues;
    unsigned w = i / 64;
    uint64_t bits = r->filled[w] >> i % 64 << i % 64;
    while (!bits && ++w < r->words)
        bits = r->filled[w];
    return bits ? 64 * w + bits_ctz64(bits) : r->queues;
}

/* Queue `i` holds what it does from cycle `now` on. */
static void account(reod *r, unsigned i, uint64_t now)
{
    reod_queue *q = &r->queue[i];
    uint64_t n = now - q->since;

    if (!n)
        return;
    r->st.held[bins_depths(q->count)] += n;
    r->st.held_by[bins_queues(i)] += n * q->count;
    q->since = now;
}

static void push(reod *r, uint64_t now, unsigned i, uint32_t set,
                 const mem_msg *m)
{
    reod_queue *q = &r->queue[i];

    MUST_CHECK(q->count < r->depth);
    account(r, i, now);
    *entry_at(r, q, q->count) = (reod_entry){*m, r->entered++, set};
    r->filled[i / 64] |= (uint64_t)1 << i % 64;
    l1_order_enter(&r->order, m);
    r->held++;
    q->count++;
    r->st.entered++;
}

/* A request of queue `i` was performed, of which `turn` entered before. */
static void grant(reod *r, unsigned i, uint64_t turn)
{
    uint64_t done = r->performed++;

    r->st.grants[bins_queues(i)]++;
    r->st.early[bins_depths(turn > done ? turn - done : 0)]++;
    r->st.late[bins_depths(turn < done ? done - turn : 0)]++;
}

static void pop(reod *r, uint64_t now, unsigned i)
{
    reod_queue *q = &r->queue[i];
    const reod_entry *e = entry_at(r, q, 0);

    account(r, i, now);
    l1_order_leave(&r->order, &e->msg);
    grant(r, i, e->turn);
    q->head = q->head + 1 == r->depth ? 0 : q->head + 1;
    q->planned = q->probed = false;
    q->noted = 0;
    r->held--;
    if (!--q->count)
        r->filled[i / 64] &= ~((uint64_t)1 << i % 64);
}

/* ---- the front of the port ---- */

static bool same_line_waits(const reod *r, const mem_msg *m)
{
    const reod_queue *q = &r->queue[r->queue_of[set_of(r, m->addr)]];

    for (uint32_t i = 0; i < q->count; i++)
        if (entry_at(r, q, i)->msg.addr == m->addr)
            return true;
    return false;
}

/* True if `m` must not be performed, or enter, yet. */
static bool must_wait(const reod *r, const mem_msg *m)
{
    return l1_order_waits(&r->order, m) ||
           (l1_passes(r->base.cache, m) && same_line_waits(r, m));
}

/* True if `m`, the oldest arrival, may be performed from the port. */
static bool is_direct(const reod *r, const mem_msg *m)
{
    if (l1_passes(r->base.cache, m))
        return true;
    return r->bypass_empty && m->kind != MEM_FENCE &&
           !r->queue[r->queue_of[set_of(r, m->addr)]].count;
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
    unsigned i = r->queue_of[set_of(r, m->addr)];
    if (l1_passes(b, m)) {
        r->st.passed++;
        r->queue[i].planned = false; /* it may have dropped a line */
    } else {
        r->st.bypassed++;
        grant(r, i, r->entered++);
        r->turn = i + 1 == r->queues ? 0 : i + 1;
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
    reod_queue *q = &r->queue[i];
    const mem_msg *m = &entry_at(r, q, 0)->msg;

    if (!q->planned) {
        l1_find(b, m, &q->plan);
        q->planned = true;
        r->st.probes++;
        r->st.probes_again += q->probed;
        q->probed = true;
    }
    l1_refusal why = l1_refuse(b, now, m, &q->plan);
    if (why) {
        l1_refused(b, now, m, why, &q->noted);
        r->tried[why]++;
        return why;
    }
    l1_perform(b, now, m, &q->plan);
    pop(r, now, i);
    r->turn = i + 1 == r->queues ? 0 : i + 1;
    return L1_OK;
}

/* The next queue after *i in round-robin order, beginning with `turn`, that
 * holds something; false at the end. *i is UINT_MAX at first. */
static bool next_head(const reod *r, unsigned *i)
{
    bool first = *i == UINT32_MAX, wrapped = !first && *i < r->turn;
    unsigned at = filled_from(r, first ? r->turn : *i + 1);

    if (at == r->queues && !wrapped) {
        at = filled_from(r, 0);
        wrapped = true;
    }
    *i = at;
    return at < r->queues && (!wrapped || at < r->turn);
}

static l1_refusal serve_aware(reod *r, uint64_t now)
{
    l1_refusal first = L1_OK;

    for (unsigned i = UINT32_MAX; next_head(r, &i);) {
        l1_refusal why = try_head(r, now, i);

        if (why == L1_OK)
            return L1_OK;
        if (!first)
            first = why;
    }
    l1_refusal why = serve_front(r, now);
    return why == L1_OK || !first ? why : first;
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
        r->turn = i + 1 == r->queues ? 0 : i + 1;
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

    return t->reserved[entry_at(r, &r->queue[i], 0)->set] == t->live_ways;
}

static l1_refusal serve_setbit(reod *r, uint64_t now)
{
    l1_refusal first = L1_OK;

    for (unsigned i = UINT32_MAX; next_head(r, &i);) {
        if (!set_full(r, i)) {
            l1_refusal why = try_head(r, now, i);
            return why == L1_OK || !first ? why : first;
        }
        l1_refused(r->base.cache, now, &entry_at(r, &r->queue[i], 0)->msg,
                   L1_SET_FULL, &r->queue[i].noted);
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
static l1_refusal enter(reod *r, uint64_t now, const mem_msg *m, unsigned *news)
{
    uint32_t set = set_of(r, m->addr);
    unsigned i = r->queue_of[set];
    reod_queue *q = &r->queue[i];

    if (must_wait(r, m))
        return L1_ORDER;
    if (q->count == r->depth)
        return L1_QUEUE_FULL;
    if (!q->count) {
        *news |= L1_TRY;
        q->noted = r->front_noted & ~(1u << L1_QUEUE_FULL | 1u << L1_ORDER);
    }
    push(r, now, i, set, m);
    mem_port_pop(r->base.from, now);
    r->front_noted = 0;
    r->front = L1_OK;
    return L1_OK;
}

static unsigned reod_accept(l1_queue *base, uint64_t now)
{
    reod *r = (reod *)base;
    l1 *b = base->cache;
    unsigned news = 0;
    l1_refusal why = L1_OK;
    const mem_msg *m;

    for (unsigned n = 0; (m = mem_port_peek(base->from, now)) && !why; n++) {
        if (n == r->tag_ports) {
            news |= L1_AGAIN;
            break;
        }
        if (m->kind == MEM_FENCE) {
            l1_order_fence(&r->order, m);
            mem_port_pop(base->from, now);
            r->gone++;
            continue;
        }
        if (l1_passes(b, m)) { /* serve deals with it */
            if (!r->front)
                news |= L1_TRY;
            why = r->front ? r->front : L1_ORDER;
            break;
        }
        why = enter(r, now, m, &news);
        if (why)
            l1_refused(b, now, m, why, &r->front_noted);
        else
            r->gone++;
    }
    if (l1_order_answer(&r->order, b->port.to_lsu, now))
        news |= L1_AGAIN;
    if (r->select == CFG_REOD_SELECT_BLIND && r->held)
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
    const reod *r = (const reod *)base;
    uint64_t next = mem_port_next(base->from);

    if (r->held || l1_order_count(&r->order) || next <= now)
        return now + 1;
    return next;
}

static uint32_t reod_count(const l1_queue *base)
{
    const reod *r = (const reod *)base;

    return r->held + l1_order_count(&r->order) + base->from->count;
}

static void reod_forget(l1_queue *base, uint64_t addr)
{
    reod *r = (reod *)base;

    r->queue[r->queue_of[set_of(r, addr)]].planned = false;
}

static void reod_stalled(l1_queue *base, uint64_t n)
{
    reod *r = (reod *)base;

    r->st.heads_set_full += n * r->tried[L1_SET_FULL];
    r->st.heads_mshr_entry += n * r->tried[L1_MSHR_ENTRY];
    r->st.heads_mshr_merge += n * r->tried[L1_MSHR_MERGE];
    r->st.heads_miss_queue += n * r->tried[L1_MISS_QUEUE];
    r->st.heads_data_port += n * r->tried[L1_DATA_PORT];
    r->st.heads_reply += n * r->tried[L1_REPLY];
}

static void reod_settle(l1_queue *base, uint64_t now)
{
    reod *r = (reod *)base;

    for (unsigned i = 0; i < r->queues; i++)
        account(r, i, now);
}

static void reod_dump(const l1_queue *base, FILE *f)
{
    const reod *r = (const reod *)base;

    if (base->input)
        fprintf(f, "  oldest arrival: %s\n", l1_refusals[base->input]);
    for (unsigned i = filled_from(r, 0); i < r->queues;
         i = filled_from(r, i + 1)) {
        const reod_queue *q = &r->queue[i];
        const reod_entry *e = entry_at(r, q, 0);

        fprintf(f,
                "  queue %u: %" PRIu32 " of %u, first line 0x%" PRIx64
                " of set %" PRIu32 ", warp %u%s\n",
                i, q->count, r->depth, e->msg.addr, e->set, e->msg.warp,
                i == r->turn ? ", its turn" : "");
    }
}

static void reod_free(l1_queue *base)
{
    reod *r = (reod *)base;

    free(r->queue);
    free(r->store);
    free(r->filled);
    free(r->queue_of);
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
                           ? set % r->queues
                           : (uint64_t)set * r->queues / cfg->l1.sets);
}

l1_queue *l1_reod_new(const config *cfg, stats *reg, const char *name)
{
    reod *r = calloc(1, sizeof *r);
    char path[64];

    if (!r)
        return NULL;
    r->base.ops = &reod_ops;
    r->select = cfg->l1.reod.select;
    r->bypass_empty = cfg->l1.reod.bypass_empty;
    r->queues = cfg->l1.reod.queues;
    r->depth = cfg->l1.reod.depth;
    r->tag_ports = cfg->l1.tag_ports;
    r->words = bits_div_up(r->queues, 64);
    MUST(r->queues <= cfg->l1.sets);
    r->queue = calloc(r->queues, sizeof *r->queue);
    r->store = calloc((size_t)r->queues * r->depth, sizeof *r->store);
    r->filled = calloc(r->words, sizeof *r->filled);
    r->queue_of = calloc(cfg->l1.sets, sizeof *r->queue_of);
    if (!r->queue || !r->store || !r->filled || !r->queue_of) {
        reod_free(&r->base);
        return NULL;
    }
    for (unsigned i = 0; i < r->queues; i++)
        r->queue[i].entry = &r->store[(size_t)i * r->depth];
    map_sets(r, cfg);
    snprintf(path, sizeof path, "%s.queue", name);
    stats_add(reg, path, l1_queue_stats_block.desc, l1_queue_stats_block.count,
              &r->st);
    return &r->base;
}
