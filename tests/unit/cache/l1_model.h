/* tests/unit/cache/l1_model.h - what an L1 must do, cycle by cycle: the rules
 * of docs/architecture.md and of the queues in front of it, written down in the
 * simplest way, with searches in place of tables. Shares no code with the
 * cache but the hash that gives the set of a line. Here: everything but which
 * request is next, which is in l1_model_queue.h. */
#ifndef L1_MODEL_H
#define L1_MODEL_H

#include "cache/l1.h"
#include "isa/isa.h"
#include "mem/spread.h"
#include "test.h"

enum {
    MODEL_LINES = 1024,
    MODEL_MSHRS = 160,
    MODEL_WAITING = 160,
    MODEL_QUEUES = 32,
    MODEL_DEPTH = 64,
    MODEL_LIST = 4096,
    MODEL_ACTS = 160,
};

typedef enum model_cause {
    CAUSE_NONE,
    CAUSE_CSF,
    CAUSE_ENTRY,
    CAUSE_MERGE,
    CAUSE_MQF,
    CAUSE_DATA,
    CAUSE_REPLY,
    CAUSE_QF,    /* the request queue is full */
    CAUSE_ORDER, /* earlier requests come first */
    CAUSES
} model_cause;

typedef enum model_what {
    DO_HIT,
    DO_MERGE,
    DO_MISS,
    DO_KEEP,
    DO_PASS,
} model_what;

typedef struct model_line {
    bool used;
    uint64_t addr, touched;
    uint8_t valid, dirty, partial, pending;
} model_line;

typedef struct model_mshr {
    bool used;
    uint64_t addr;
    uint8_t awaited;
    unsigned waiting;
    mem_msg by[MODEL_WAITING];
} model_mshr;

/* A list of messages, each due at `when`. */
typedef struct model_list {
    mem_msg at[MODEL_LIST];
    unsigned first, count;
} model_list;

/* Counters of the L1 that have the same meaning under every policy. */
#define MODEL_COUNTERS(X)                                                      \
    X(global_reads)                                                            \
    X(global_read_hits)                                                        \
    X(global_read_merges)                                                      \
    X(global_read_misses)                                                      \
    X(global_read_sector_misses)                                               \
    X(global_read_bypasses)                                                    \
    X(local_reads)                                                             \
    X(local_read_hits)                                                         \
    X(local_read_merges)                                                       \
    X(local_read_misses)                                                       \
    X(local_read_sector_misses)                                                \
    X(local_read_bypasses)                                                     \
    X(global_writes)                                                           \
    X(global_write_hits)                                                       \
    X(local_writes)                                                            \
    X(local_write_hits)                                                        \
    X(atomics)                                                                 \
    X(tag_lookups)                                                             \
    X(read_sectors)                                                            \
    X(write_sectors)                                                           \
    X(fills)                                                                   \
    X(fill_sectors)                                                            \
    X(evictions)                                                               \
    X(drops)                                                                   \
    X(writebacks)                                                              \
    X(writeback_sectors)                                                       \
    X(requests_sent)                                                           \
    X(sent_bytes)                                                              \
    X(received_bytes)                                                          \
    X(replies)                                                                 \
    X(blocked_cycles)                                                          \
    X(stall_set_full)                                                          \
    X(stall_mshr_entry)                                                        \
    X(stall_mshr_merge)                                                        \
    X(stall_miss_queue)                                                        \
    X(stall_data_port)                                                         \
    X(stall_reply)                                                             \
    X(stall_queue_full)                                                        \
    X(stall_order)                                                             \
    X(input_blocked)                                                           \
    X(refused_set_full)                                                        \
    X(refused_mshr_entry)                                                      \
    X(refused_mshr_merge)                                                      \
    X(refused_miss_queue)                                                      \
    X(refused_data_port)                                                       \
    X(refused_reply)                                                           \
    X(refused_queue_full)                                                      \
    X(refused_order)                                                           \
    X(network_blocked)                                                         \
    X(mshr_occupancy)                                                          \
    X(miss_queue_occupancy)                                                    \
    X(read_latency)                                                            \
    X(read_replies)                                                            \
    X(miss_latency)

/* Counters of request queues. */
#define MODEL_QUEUE_COUNTERS(X)                                                \
    X(entered)                                                                 \
    X(bypassed)                                                                \
    X(passed)                                                                  \
    X(around)                                                                  \
    X(heads_set_full)                                                          \
    X(heads_mshr_entry)                                                        \
    X(heads_mshr_merge)                                                        \
    X(heads_miss_queue)                                                        \
    X(heads_data_port)                                                         \
    X(heads_reply)

typedef struct model_queue {
    struct {
        mem_msg m;
        uint64_t turn;   /* requests that entered a queue before it */
        unsigned waited; /* grants to others while it could be performed */
    } at[MODEL_DEPTH];
    unsigned count;
} model_queue;

/* One request performed. */
typedef struct model_act {
    mem_msg m;
    trace_access how;
} model_act;

typedef struct model {
    const config *cfg;
    const l1_ports *port;
    unsigned ways; /* of a set that are used */
    mem_spread spread;
    model_line line[MODEL_LINES];
    model_mshr mshr[MODEL_MSHRS];
    uint64_t clock; /* of touches */
    model_list misses, hits, fills;
    unsigned most_hits, most_fills;
    uint64_t data_at, fill_free;
    model_queue queue[MODEL_QUEUES];
    unsigned first; /* queue, in round-robin order */
    uint64_t turns, granted;
    mem_msg fence[64];         /* by warp: to be answered, if of that kind */
    uint32_t refused[1 << 17]; /* by tag, bit for each cause */
    unsigned longest;          /* any head has waited, in grants */
    unsigned most;             /* any queue has held */
    /* This cycle: */
    uint64_t now;
    unsigned taken;         /* requests out of the port */
    unsigned heads[CAUSES]; /* refused, by cause */
    model_cause input;      /* why the oldest arrival waits */
    model_act act[MODEL_ACTS];
    unsigned acts;
    mem_msg sent[8], reply[16];
    unsigned sends, replies;
    bool received;
    model_cause cause;
#define X(id) uint64_t id;
    struct {
        MODEL_COUNTERS(X)
        MODEL_QUEUE_COUNTERS(X)
        uint64_t grants[32], held[20], held_by[32], early[20], late[20];
        uint64_t reserved_taken[14];
    } st;
#undef X
} model;

/* -- lists ---------------------------------------------------------------- */

static mem_msg *list_add(model_list *l, const mem_msg *m, uint64_t when)
{
    CHECK(l->count < MODEL_LIST);
    mem_msg *slot = &l->at[(l->first + l->count++) % MODEL_LIST];
    *slot = *m;
    slot->when = when;
    return slot;
}

static mem_msg *list_first(model_list *l)
{
    return l->count ? &l->at[l->first % MODEL_LIST] : NULL;
}

static void list_drop(model_list *l)
{
    l->first++;
    l->count--;
}

/* Message i of a port, if it is visible; NULL if not. */
static const mem_msg *port_at(const mem_port *p, uint64_t now, unsigned i)
{
    const mem_msg *m = &p->ring[(p->head + i) & p->mask];

    return i < p->count && m->when <= now ? m : NULL;
}

static unsigned port_room(const mem_port *p, uint64_t now)
{
    unsigned held = p->pop_cycle == now ? p->popped : 0;

    return p->capacity - p->count - held;
}

/* -- tags and MSHRs ------------------------------------------------------- */

static unsigned sectors_of(unsigned mask)
{
    return (unsigned)__builtin_popcount(mask);
}

static unsigned model_set(const model *b, uint64_t addr)
{
    uint64_t upper;

    return mem_spread_of(&b->spread, addr / 128, &upper);
}

static model_line *model_way(model *b, unsigned set, unsigned way)
{
    return &b->line[set * b->cfg->l1.ways + way];
}

static model_line *model_find(model *b, uint64_t addr)
{
    for (unsigned w = 0; w < b->ways; w++) {
        model_line *l = model_way(b, model_set(b, addr), w);

        if (l->used && l->addr == addr)
            return l;
    }
    return NULL;
}

/* Lines of a set with sectors awaited. */
static unsigned model_reserved(model *b, unsigned set)
{
    unsigned n = 0;

    for (unsigned w = 0; w < b->ways; w++)
        n += model_way(b, set, w)->pending != 0;
    return n;
}

static model_line *model_victim(model *b, uint64_t addr)
{
    model_line *best = NULL;

    for (unsigned w = 0; w < b->ways; w++) {
        model_line *l = model_way(b, model_set(b, addr), w);

        if (!l->used)
            return l;
        if (!l->pending && (!best || l->touched < best->touched))
            best = l;
    }
    return best;
}

static void model_touch(model *b, model_line *l) { l->touched = ++b->clock; }

static model_mshr *model_entry(model *b, uint64_t addr)
{
    for (unsigned i = 0; i < b->cfg->l1.mshrs; i++)
        if (b->mshr[i].used && b->mshr[i].addr == addr)
            return &b->mshr[i];
    return NULL;
}

static unsigned model_entries(const model *b)
{
    unsigned n = 0;

    for (unsigned i = 0; i < b->cfg->l1.mshrs; i++)
        n += b->mshr[i].used;
    return n;
}

/* -- replies, fills and misses -------------------------------------------- */

static void model_replies(model *b)
{
    unsigned room = port_room(b->port->to_lsu, b->now);

    for (unsigned i = 0; i < b->cfg->l1.tag_ports; i++) {
        mem_msg *h = list_first(&b->hits), *f = list_first(&b->fills);
        bool hit = h && (!f || h->when <= f->when);
        mem_msg *m = hit ? h : f;

        if (!m || m->when > b->now || !room--)
            return;
        uint64_t took = b->now + b->port->to_lsu->latency - m->born;
        b->st.replies++;
        if (m->kind == MEM_DATA && !m->atom) {
            b->st.read_replies++;
            b->st.read_latency += took;
            b->st.miss_latency += hit ? 0 : took;
        }
        b->reply[b->replies++] = *m;
        list_drop(hit ? &b->hits : &b->fills);
    }
}

static void model_send(model *b, const mem_msg *m)
{
    list_add(&b->misses, m, b->now + b->cfg->l1.miss_latency);
}

static void model_evict(model *b, model_line *l)
{
    if (l->used) {
        b->st.evictions++;
        if (l->dirty) {
            mem_msg w = {.addr = l->addr,
                         .kind = MEM_WRITE,
                         .client = CLIENT_L1,
                         .sectors = l->dirty,
                         .partial = l->partial != 0,
                         .payload = (uint16_t)(32 * sectors_of(l->dirty))};

            b->st.writebacks++;
            b->st.writeback_sectors += sectors_of(l->dirty);
            model_send(b, &w);
        }
    }
    *l = (model_line){0};
}

static model_line *model_place(model *b, uint64_t addr)
{
    model_line *l = model_victim(b, addr);

    CHECK(l != NULL);
    model_evict(b, l);
    *l = (model_line){.used = true, .addr = addr};
    model_touch(b, l);
    return l;
}

static void model_answer(model *b, const mem_msg *m)
{
    list_add(&b->fills, m,
             b->now + b->cfg->l1.fill_latency - b->port->to_lsu->latency);
}

static void model_land(model *b, const mem_msg *m, model_mshr *e)
{
    model_line *l = model_find(b, m->addr);
    unsigned kept = 0;

    if (!l)
        l = model_place(b, m->addr);
    l->valid |= m->sectors;
    l->partial &= (uint8_t)~m->sectors;
    l->pending &= (uint8_t)~m->sectors;
    e->awaited &= (uint8_t)~m->sectors;
    for (unsigned i = 0; i < e->waiting; i++) {
        mem_msg w = e->by[i];

        if (w.sectors & e->awaited) {
            e->by[kept++] = w;
            continue;
        }
        w.kind = MEM_DATA;
        w.payload = (uint16_t)(32 * sectors_of(w.sectors));
        model_answer(b, &w);
    }
    e->waiting = kept;
    e->used = e->awaited != 0;
    unsigned bytes = 32 * sectors_of(m->sectors);
    b->fill_free =
        b->now + (bytes + b->cfg->l1.fill_bytes - 1) / b->cfg->l1.fill_bytes;
    b->st.fills++;
    b->st.fill_sectors += sectors_of(m->sectors);
}

static void model_fills(model *b)
{
    const mem_msg *m = port_at(b->port->from_net, b->now, 0);
    unsigned room = b->most_fills - b->fills.count;

    if (!m)
        return;
    if (m->client == CLIENT_L1) {
        model_mshr *e = model_entry(b, m->addr);

        CHECK(e != NULL);
        if (b->now < b->fill_free || room < e->waiting)
            return;
        model_land(b, m, e);
    } else {
        if (!room)
            return;
        model_answer(b, m);
    }
    b->st.received_bytes += m->payload;
    b->received = true;
}

static void model_departures(model *b)
{
    mem_msg *m = list_first(&b->misses);

    if (!m || m->when > b->now)
        return;
    if (!port_room(b->port->to_net, b->now)) {
        b->st.network_blocked++;
        return;
    }
    b->st.requests_sent++;
    b->st.sent_bytes += m->payload;
    b->sent[b->sends++] = *m;
    list_drop(&b->misses);
}

/* -- one request ---------------------------------------------------------- */

static bool model_cached(const model *b, const mem_msg *m)
{
    return m->local ? b->cfg->l1.locals : b->cfg->l1.globals;
}

/* A read that has nothing to do with the lines here. */
static bool model_past(const model *b, const mem_msg *m)
{
    return !model_cached(b, m) || m->hint == CACHE_CG || m->hint == CACHE_CV;
}

static cfg_l1_write model_policy(const model *b, const mem_msg *m)
{
    if (!model_cached(b, m))
        return CFG_L1_WRITE_EVICT;
    return m->local ? b->cfg->l1.local_write : b->cfg->l1.write;
}

static bool model_data_busy(const model *b)
{
    return b->data_at >= (b->now + 1) * b->cfg->l1.data_bytes;
}

static bool model_queue_full(const model *b, unsigned messages)
{
    return b->misses.count + messages > b->cfg->l1.miss_queue;
}

/* Sectors fetched together with those of `mask`. */
static uint8_t model_widen(const model *b, uint8_t mask)
{
    unsigned group = b->cfg->l1.sector / 32, all = 0;

    for (unsigned s = 0; s < 4; s++)
        for (unsigned t = 0; t < 4; t++)
            if (mask >> t & 1 && t / group == s / group)
                all |= 1u << s;
    return (uint8_t)all;
}

static uint8_t model_have(model *b, const mem_msg *m)
{
    model_line *l = model_find(b, m->addr);

    return l ? l->valid & (uint8_t)~l->partial : 0;
}

static uint8_t model_missing(model *b, const mem_msg *m)
{
    model_mshr *e = model_entry(b, m->addr);

    return model_widen(b, m->sectors) & (uint8_t)~model_have(b, m) &
           (uint8_t) ~(e ? e->awaited : 0);
}

/* Do as many as may wait for one of these sectors already? */
static bool model_crowded(const model *b, const model_mshr *e, uint8_t sectors)
{
    for (unsigned s = 0; s < 8; s++) {
        unsigned n = 0;

        for (unsigned i = 0; i < e->waiting; i++)
            n += e->by[i].sectors >> s & 1;
        if ((sectors >> s & 1) && n >= b->cfg->l1.merges)
            return true;
    }
    return false;
}

/* A line that is to be placed; what it throws out may be dirty. */
static model_cause model_slot(model *b, const mem_msg *m, unsigned *messages)
{
    model_line *l = model_victim(b, m->addr);

    if (!l)
        return CAUSE_CSF;
    *messages += l->used && l->dirty;
    return CAUSE_NONE;
}

/* What a read that misses lacks: room in an MSHR, whose absence is `mshr`, or
 * in the miss queue for what it `needs`. That simulator asks for a place there
 * before it looks whether any is needed. */
static model_cause model_lack(const model *b, model_cause mshr, unsigned needs,
                              unsigned asks)
{
    bool first = b->cfg->l1.cause_order == CFG_CAUSE_ORDER_GPGPUSIM;

    if (mshr)
        return first && model_queue_full(b, asks) ? CAUSE_MQF : mshr;
    return needs && model_queue_full(b, needs) ? CAUSE_MQF : CAUSE_NONE;
}

static model_cause model_read(model *b, const mem_msg *m, model_what *what)
{
    unsigned messages = 1;
    model_cause lack = CAUSE_NONE;

    if (!(m->sectors & (uint8_t)~model_have(b, m))) {
        *what = DO_HIT;
        if (model_data_busy(b))
            return CAUSE_DATA;
        return b->hits.count == b->most_hits ? CAUSE_REPLY : CAUSE_NONE;
    }
    model_mshr *e = model_entry(b, m->addr);
    if (e) {
        *what = DO_MERGE;
        return model_lack(
            b, model_crowded(b, e, m->sectors) ? CAUSE_MERGE : CAUSE_NONE,
            model_missing(b, m) ? 1 : 0, 1);
    }
    *what = DO_MISS;
    if (!model_find(b, m->addr) && b->cfg->l1.alloc == CFG_ALLOC_ON_MISS)
        lack = model_slot(b, m, &messages);
    if (lack)
        return lack;
    return model_lack(
        b, model_entries(b) == b->cfg->l1.mshrs ? CAUSE_ENTRY : CAUSE_NONE,
        messages, messages);
}

static model_cause model_write(model *b, const mem_msg *m, model_what *what)
{
    unsigned messages = 0;
    bool present = model_find(b, m->addr) != NULL;

    *what = model_policy(b, m) == CFG_L1_WRITE_BACK ? DO_KEEP : DO_PASS;
    if (present && model_data_busy(b))
        return CAUSE_DATA;
    if (*what == DO_PASS)
        return model_queue_full(b, 1) ? CAUSE_MQF : CAUSE_NONE;
    if (m->ack && b->hits.count == b->most_hits)
        return CAUSE_REPLY;
    if (present)
        return CAUSE_NONE;
    model_cause lack = model_slot(b, m, &messages);
    if (lack)
        return lack;
    return model_queue_full(b, messages) ? CAUSE_MQF : CAUSE_NONE;
}

/* What keeps `m` from being performed now; *what it will be. */
static model_cause model_outcome(model *b, const mem_msg *m, model_what *what)
{
    if (m->kind == MEM_WRITE)
        return model_write(b, m, what);
    if (m->kind == MEM_READ && !model_past(b, m))
        return model_read(b, m, what);
    *what = DO_PASS;
    return model_queue_full(b, 1) ? CAUSE_MQF : CAUSE_NONE;
}

static void model_use_data(model *b, unsigned mask)
{
    uint64_t from = b->now * b->cfg->l1.data_bytes;

    b->data_at =
        (b->data_at > from ? b->data_at : from) + 32 * sectors_of(mask);
}

static void model_ready(model *b, const mem_msg *m, mem_kind kind)
{
    mem_msg *r = list_add(
        &b->hits, m, b->now + b->cfg->l1.latency - b->port->to_lsu->latency);

    r->kind = (uint8_t)kind;
    r->hit = kind == MEM_DATA;
    r->payload = kind == MEM_DATA ? (uint16_t)(32 * sectors_of(m->sectors)) : 0;
}

static void model_miss(model *b, const mem_msg *m)
{
    uint8_t fetch = model_missing(b, m);
    model_mshr *e = model_entry(b, m->addr);
    model_line *l = model_find(b, m->addr);
    bool place = b->cfg->l1.alloc == CFG_ALLOC_ON_MISS;

    if (!e) {
        for (e = b->mshr; e->used; e++)
            ;
        *e = (model_mshr){.used = true, .addr = m->addr};
    }
    if (l)
        model_touch(b, l);
    else if (place)
        l = model_place(b, m->addr);
    e->by[e->waiting++] = *m;
    e->awaited |= fetch;
    if (place && fetch) {
        bool first = !l->pending;

        l->pending |= fetch;
        unsigned n = model_reserved(b, model_set(b, m->addr));
        b->st.reserved_taken[n < 12 ? n : n < 16 ? 12 : 13] += first;
    }
    if (!fetch)
        return;
    mem_msg f = {.addr = m->addr,
                 .kind = MEM_READ,
                 .client = CLIENT_L1,
                 .sectors = fetch};
    model_send(b, &f);
}

static void model_keep(model *b, const mem_msg *m)
{
    model_line *l = model_find(b, m->addr);

    if (l)
        model_touch(b, l);
    else
        l = model_place(b, m->addr);
    if (m->partial)
        l->partial |= m->sectors & (uint8_t)~l->valid;
    else
        l->partial &= (uint8_t)~m->sectors;
    l->valid |= m->sectors;
    l->dirty |= m->sectors;
    if (m->ack)
        model_ready(b, m, MEM_ACK);
}

static void model_pass(model *b, const mem_msg *m)
{
    model_line *l = model_find(b, m->addr);

    model_send(b, m);
    if (m->kind == MEM_WRITE && model_policy(b, m) == CFG_L1_WRITE_THROUGH) {
        if (l)
            model_touch(b, l);
    } else if (l && !l->pending && !l->dirty) {
        *l = (model_line){0};
        b->st.drops++;
    }
}

static trace_access model_count(model *b, const mem_msg *m, model_what what)
{
    bool present = model_find(b, m->addr) != NULL;
    bool fetches = what != DO_HIT && model_missing(b, m);
#define COUNT_IN(id) (m->local ? &b->st.local_##id : &b->st.global_##id)

    b->st.tag_lookups++;
    if (m->kind == MEM_WRITE) {
        ++*COUNT_IN(writes);
        *COUNT_IN(write_hits) += present;
        return what == DO_KEEP || present ? ACCESS_WRITE : ACCESS_PASS;
    }
    if (m->kind != MEM_READ) {
        b->st.atomics++;
        return ACCESS_PASS;
    }
    ++*COUNT_IN(reads);
    if (what == DO_PASS) {
        ++*COUNT_IN(read_bypasses);
        return ACCESS_PASS;
    }
    if (what == DO_HIT) {
        ++*COUNT_IN(read_hits);
        return ACCESS_HIT;
    }
    if (!fetches) {
        ++*COUNT_IN(read_merges);
        return ACCESS_MERGE;
    }
    if (present || what == DO_MERGE) {
        ++*COUNT_IN(read_sector_misses);
        return ACCESS_SECTOR;
    }
    ++*COUNT_IN(read_misses);
    return ACCESS_MISS;
#undef COUNT_IN
}

static void model_perform(model *b, const mem_msg *m, model_what what)
{
    bool present = model_find(b, m->addr) != NULL;

    b->act[b->acts++] = (model_act){*m, model_count(b, m, what)};
    if (m->kind == MEM_WRITE && (present || what == DO_KEEP)) {
        model_use_data(b, m->sectors);
        b->st.write_sectors += sectors_of(m->sectors);
    }
    switch (what) {
    case DO_HIT:
        model_use_data(b, m->sectors);
        b->st.read_sectors += sectors_of(m->sectors);
        model_touch(b, model_find(b, m->addr));
        model_ready(b, m, MEM_DATA);
        break;
    case DO_MERGE:
    case DO_MISS:
        model_miss(b, m);
        break;
    case DO_KEEP:
        model_keep(b, m);
        break;
    case DO_PASS:
        model_pass(b, m);
        break;
    }
}

static unsigned model_round(unsigned n)
{
    unsigned p = 1;

    while (p < n)
        p *= 2;
    return p;
}

static model *model_new(const config *cfg, const l1_ports *port, unsigned ways)
{
    model *b = calloc(1, sizeof *b);

    CHECK(b != NULL);
    CHECK(cfg->l1.sets * cfg->l1.ways <= MODEL_LINES);
    CHECK(cfg->l1.mshrs <= MODEL_MSHRS && 4 * cfg->l1.merges <= MODEL_WAITING);
    b->cfg = cfg;
    b->port = port;
    b->ways = ways ? ways : cfg->l1.ways;
    mem_spread_init(&b->spread, cfg->l1.sets, cfg->l1.index);
    /* Room as the pipelines behind the tags have it. */
    b->most_hits = model_round((cfg->l1.latency + 1) * cfg->l1.tag_ports);
    b->most_fills = model_round(4 * cfg->l1.merges + cfg->l1.fill_latency + 64);
    return b;
}

#endif
