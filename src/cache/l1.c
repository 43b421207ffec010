/* src/cache/l1.c - the stages of the L1, last to first: replies leave, fills
 * land, misses leave, requests are tried, requests are accepted. So what a
 * fill or a departure frees is seen by the requests of the same cycle. */
#include "cache/l1.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cache/l1_impl.h"

static const stat_desc l1_desc[] = {
#define STAT(id, unit, help) STAT_DESC(l1_stats, id, unit, help),
#define HIST(id, bins, of, unit, help)                                         \
    STAT_HIST(l1_stats, id, bins, of, unit, help)
#include "cache/l1_stats.def"
#undef STAT
#undef HIST
};

const stats_block l1_stats_block = {"sm[*].l1", "L1 data cache", l1_desc,
                                    COUNTOF(l1_desc)};

const stats_block l1_read_only_stats_block = {
    "sm[*].ro", "texture and read-only cache, where an SM has one", l1_desc,
    COUNTOF(l1_desc)};

void l1_read_only_config(const config *cfg, config *out)
{
    *out = *cfg;
    out->l1 = (l1_config){
        .globals = true,
        .sets = cfg->rocache.sets,
        .ways = cfg->rocache.ways,
        .line = MEM_LINE,
        .sector = cfg->rocache.sector,
        .carveout = CFG_CARVEOUT_FIXED,
        .alloc = CFG_ALLOC_ON_MISS,
        .write = CFG_L1_WRITE_EVICT, /* it never sees a store */
        .local_write = CFG_L1_WRITE_EVICT,
        .index = cfg->rocache.index,
        .latency = cfg->rocache.latency,
        .perfect = cfg->l1.perfect,
        .miss_latency = cfg->rocache.miss_latency,
        .fill_latency = cfg->rocache.fill_latency,
        .mshrs = cfg->rocache.mshrs,
        .merges = cfg->rocache.merges,
        .miss_queue = cfg->rocache.miss_queue,
        .queue = CFG_L1_QUEUE_FIFO,
        .ordered = true,
        .values = CFG_L1_VALUES_START, /* what it holds does not change */
        .bypass = CFG_L1_BYPASS_NONE,
        .queue_depth = cfg->rocache.queue_depth,
        .tag_ports = 1,
        .data_bytes = cfg->rocache.data_bytes,
        .fill_bytes = cfg->rocache.fill_bytes,
    };
}

l1 *l1_new(const config *cfg, stats *reg, const char *name,
           const l1_ports *ports)
{
    l1 *b = new0(1, sizeof *b);

    MUST(cfg->l1.line == MEM_LINE && cfg->l1.sector >= MEM_SECTOR);
    MUST(cfg->l1.latency > ports->to_lsu->latency);
    MUST(cfg->l1.fill_latency > ports->to_lsu->latency);
    b->cfg = cfg->l1;
    b->port = *ports;
    b->mshr = mem_mshr_new(b->cfg.mshrs, b->cfg.merges);
    /* Fills never wait for the miss queue, or replies would wait for requests:
     * the evictions they cause may exceed its capacity. */
    uint64_t misses = b->cfg.miss_queue;
    if (b->cfg.alloc == CFG_ALLOC_ON_FILL &&
        (b->cfg.write == CFG_L1_WRITE_BACK ||
         b->cfg.local_write == CFG_L1_WRITE_BACK))
        misses += (uint64_t)b->cfg.mshrs * (MEM_LINE / MEM_SECTOR);
    uint64_t hits = (uint64_t)(b->cfg.latency + 1) * b->cfg.tag_ports;
    uint64_t merges = (uint64_t)b->cfg.merges * (MEM_LINE / MEM_SECTOR);
    uint64_t fills = merges + b->cfg.fill_latency + 64;
    mem_tags_init(&b->tags, b->cfg.sets, b->cfg.ways, b->cfg.line,
                  b->cfg.index);
    mem_ring_init(&b->misses, misses);
    mem_ring_init(&b->untranslated, ports->mmu ? misses : 0);
    b->locality = l1_locality_new(&cfg->l1);
    tlb_init(&b->tlb, cfg, ports->mmu, ports->node);
    mem_ring_init(&b->hits, hits);
    mem_ring_init(&b->fills, fills);
    stats_add(reg, name, l1_desc, COUNTOF(l1_desc), &b->st);
    b->queue = l1_queue_new(cfg, reg, name, b, ports->from_lsu);
    return b;
}

void l1_free(l1 *b)
{
    if (!b)
        return;
    l1_queue_free(b->queue);
    mem_mshr_free(b->mshr);
    l1_locality_free(b->locality);
    mem_tags_fini(&b->tags);
    mem_ring_fini(&b->misses);
    mem_ring_fini(&b->untranslated);
    tlb_fini(&b->tlb);
    mem_ring_fini(&b->hits);
    mem_ring_fini(&b->fills);
    free(b);
}

bool l1_idle(const l1 *b)
{
    bool idle = !b->misses.count && !b->untranslated.count && !b->hits.count &&
                !b->fills.count && !b->expected && !mem_mshr_count(b->mshr) &&
                !b->queue->ops->count(b->queue) && !b->port.from_net->count;

    if (idle)
        MUST_CHECK(b->unanswered == 0);
    return idle;
}

tlb *l1_tlb(l1 *b) { return &b->tlb; }

void l1_reset(l1 *b, uint32_t sets, uint32_t ways)
{
    MUST(l1_idle(b));
    mem_tags_spread(&b->tags, sets ? sets : b->cfg.sets);
    mem_tags_clear(&b->tags, ways ? ways : b->cfg.ways);
    l1_locality_clear(b->locality);
}

void l1_trace(l1 *b, event_log *log, unsigned unit)
{
    b->log = log;
    b->unit = unit;
    memset(b->level, 0, sizeof b->level);
}

const char *const l1_refusals[] = {
    "not blocked",      "set full",           "no MSHR",
    "MSHR list full",   "miss queue full",    "data array busy",
    "reply queue full", "request queue full", "requests before it come first"};

/* -- counters ----------------------------------------------------------- */

/* Where the cycles and the requests of each refusal are counted. */
static const struct {
    size_t cycles, requests;
} refusal_stat[L1_REFUSALS] = {
#define ROW(refusal, id)                                                       \
    [refusal] = {offsetof(l1_stats, stall_##id),                               \
                 offsetof(l1_stats, refused_##id)}
    ROW(L1_SET_FULL, set_full),     ROW(L1_MSHR_ENTRY, mshr_entry),
    ROW(L1_MSHR_MERGE, mshr_merge), ROW(L1_MISS_QUEUE, miss_queue),
    ROW(L1_DATA_PORT, data_port),   ROW(L1_REPLY, reply),
    ROW(L1_QUEUE_FULL, queue_full), ROW(L1_ORDER, order),
#undef ROW
};

static uint64_t *stat_at(l1 *b, size_t offset)
{
    return (uint64_t *)((char *)&b->st + offset);
}

/* Requests waited in `n` cycles. */
static __attribute__((noinline)) void charge_blocked(l1 *b, uint64_t n)
{
    if (b->stall) {
        b->st.blocked_cycles += n;
        *stat_at(b, refusal_stat[b->stall].cycles) += n;
        if (b->queue->ops->stalled)
            b->queue->ops->stalled(b->queue, n);
    }
    if (b->input) {
        b->st.input_blocked += n;
        if (b->input >= L1_QUEUE_FULL)
            *stat_at(b, refusal_stat[b->input].cycles) += n;
    }
}

/* Nothing has changed since the last tick, whose cycle is charged, too. */
static void charge_l1_cycles(l1 *b, uint64_t now)
{
    MUST_CHECK(now >= b->accounted);
    uint64_t n = now - b->accounted;

    b->accounted = now;
    b->st.mshr_occupancy += n * mem_mshr_count(b->mshr);
    b->st.miss_queue_occupancy += n * b->misses.count;
    if (b->stall | b->input | b->net_blocked) {
        b->st.network_blocked += n * b->net_blocked;
        charge_blocked(b, n);
    }
}

void l1_settle(l1 *b, uint64_t now)
{
    charge_l1_cycles(b, now);
    if (b->queue->ops->settle)
        b->queue->ops->settle(b->queue, now);
}

void l1_refused(l1 *b, uint64_t now, const mem_msg *m, l1_refusal why,
                uint32_t *noted)
{
    b->waits |= 1u << why;
    if (why == L1_DATA_PORT)
        b->data_free = b->data_at / b->cfg.data_bytes;
    if (*noted >> why & 1)
        return;
    *noted |= 1u << why;
    ++*stat_at(b, refusal_stat[why].requests);
    if (b->log && m->traced)
        event_log_request(b->log, now, TRACE_L1_REFUSE, b->unit, b->port.node,
                          m, why, 0);
}

static void count_latency(l1 *b, uint64_t now, const mem_msg *m, bool hit)
{
    uint64_t cycles = now + b->port.to_lsu->latency - m->born;

    b->st.read_replies++;
    b->st.read_latency += cycles;
    if (hit)
        return;
    b->st.miss_latency += cycles;
    b->st.miss_cycles[bins_cycles(cycles)]++;
}

/* -- stages ------------------------------------------------------------- */

/* True if what was refused last may be so for `why`. */
static bool waits_for(const l1 *b, l1_refusal why)
{
    return b->waits >> why & 1;
}

/* When the next reply is due. */
static inline uint64_t next_reply(const l1 *b)
{
    return mem_earlier(mem_ring_next(&b->hits), mem_ring_next(&b->fills));
}

/* At most one message leaves for each tag port, the longest due first. False if
 * one was due and the port full. */
static inline bool l1_reply_stage(l1 *b, uint64_t now)
{
    for (unsigned i = 0; next_reply(b) <= now && i < b->cfg.tag_ports; i++) {
        bool hit = mem_ring_next(&b->hits) <= mem_ring_next(&b->fills);
        mem_ring *from = hit ? &b->hits : &b->fills;
        mem_msg *m = mem_ring_at(from, 0);

        /* The port overwrites `when` of its own copy only. */
        if (!mem_port_answer(b->port.to_lsu, now, m))
            return false;
        b->changed |= waits_for(b, L1_REPLY);
        if (m->kind == MEM_DATA && !m->atom)
            count_latency(b, now, m, hit);
        mem_ring_pop(from);
        b->st.replies++;
        MUST_CHECK(b->unanswered > 0);
        b->unanswered--;
    }
    return true;
}

static uint32_t fill_slot(l1 *b, uint64_t now, const mem_msg *m,
                          const mem_mshr_entry *e)
{
    if (b->cfg.alloc == CFG_ALLOC_ON_MISS)
        return e->slot;
    uint32_t slot = mem_tags_find(&b->tags, m->addr);
    if (slot == MEM_NO_SLOT) {
        slot = mem_tags_victim(&b->tags, m->addr);
        l1_evict(b, now, slot);
        mem_tags_take(&b->tags, slot, m->addr);
    }
    return slot;
}

static __attribute__((cold)) void note_fill(const l1 *b, uint64_t now,
                                            const mem_msg *m)
{
    if (b->log)
        event_log_request(b->log, now, TRACE_L1_FILL, b->unit, b->port.node, m,
                          0, 0);
}

/* Reply to a request that got what it waited for: `m`, but for its kind and
 * the bytes it carries. */
static void reply_to(l1 *b, uint64_t now, const mem_msg *m, unsigned kind,
                     unsigned bytes)
{
    uint64_t due = now + b->cfg.fill_latency - b->port.to_lsu->latency;
    mem_msg *r = mem_ring_push(&b->fills, m, due);

    r->kind = (uint8_t)kind;
    r->payload = (uint16_t)bytes;
    if (__builtin_expect(r->traced, 0))
        note_fill(b, now, r);
}

static bool land_fill(l1 *b, uint64_t now, const mem_msg *m)
{
    mem_mshr_entry *e = mem_mshr_at(b->mshr, m->tag);
    unsigned sectors = mem_sectors_count(m->sectors);
    const mem_msg *w;

    if (now < b->fill_free || mem_ring_room(&b->fills) < e->waiting)
        return false;
    MUST_CHECK(e->line == m->addr && !(m->sectors & ~e->awaited));
    mem_tags_fill(&b->tags, fill_slot(b, now, m, e), m->sectors);
    b->changed |=
        !b->queue->ops->forget || b->queue->ops->forget(b->queue, m->addr);
    mem_mshr_arrive(b->mshr, m->tag, m->sectors);
    while ((w = mem_mshr_next(b->mshr, m->tag)))
        reply_to(b, now, w, MEM_DATA, mem_sectors_bytes(w->sectors));
    b->fill_free = now + bits_div_up(sectors * MEM_SECTOR, b->cfg.fill_bytes);
    b->st.fills++;
    b->st.fill_sectors += sectors;
    return true;
}

/* Returns when the next message may be taken, NEVER if that takes an arrival
 * or the departure of a reply. */
static inline uint64_t l1_fill_stage(l1 *b, uint64_t now)
{
    const mem_msg *m = mem_port_peek(b->port.from_net, now);

    if (!m)
        return mem_port_next(b->port.from_net);
    if (m->client == b->port.client) {
        if (!land_fill(b, now, m))
            return now < b->fill_free ? b->fill_free : NEVER;
    } else {
        if (!mem_ring_room(&b->fills))
            return NEVER;
        MUST_CHECK(b->expected > 0);
        b->expected--;
        reply_to(b, now, m, m->kind, m->payload);
    }
    b->st.received_bytes += m->payload;
    mem_port_pop(b->port.from_net, now);
    return mem_port_next(b->port.from_net);
}

/* Translations have arrived: what waited for them goes on, in order. */
static __attribute__((noinline)) void translate(l1 *b, uint64_t now)
{
    for (uint32_t n = b->untranslated.count; n; n--) {
        mem_msg m = *mem_ring_front(&b->untranslated);

        mem_ring_pop(&b->untranslated);
        if (!tlb_ready(&b->tlb, now, m.addr)) {
            mem_ring_push(&b->untranslated, &m, m.when);
            continue;
        }
        b->st.tlb_wait += now - m.when;
        mem_ring_push(&b->misses, &m, now + b->cfg.miss_latency);
    }
    tlb_fill(&b->tlb, now);
}

static inline void l1_miss_stage(l1 *b, uint64_t now)
{
    if (b->tlb.next <= now)
        translate(b, now);
    b->net_blocked = false;
    if (mem_ring_next(&b->misses) > now)
        return;
    const mem_msg *m = mem_ring_at(&b->misses, 0);
    if (!mem_port_send(b->port.to_net, now, m)) {
        b->net_blocked = true;
        return;
    }
    b->changed |= waits_for(b, L1_MISS_QUEUE);
    b->st.requests_sent++;
    b->st.sent_bytes += m->payload;
    mem_ring_pop(&b->misses);
}

/* Returns the first cycle in which a request might be performed, NEVER if that
 * takes a fill, a departure or an arrival, which have their own wake-ups. */
static inline uint64_t l1_tag_stage(l1 *b, uint64_t now)
{
    l1_queue *queue = b->queue;
    const l1_queue_ops *q = queue->ops;
    unsigned done = 0, news = 0;
    l1_refusal why = b->stall;

    if (queue->fifo && mem_port_next(b->port.from_lsu) > now) {
        b->stall = b->input = L1_OK;
        b->changed = false;
        return mem_port_next(b->port.from_lsu);
    }
    /* What was refused is refused again while nothing has changed. */
    if (!b->stall || b->changed || now >= b->data_free ||
        (q->fresh && q->fresh(queue, now))) {
        b->data_free = NEVER;
        b->waits = 0;
        while (done < b->cfg.tag_ports &&
               (why = queue->fifo ? l1_fifo_serve(queue, now)
                                  : q->serve(queue, now)) == L1_OK)
            done++;
        b->stall = done || why == L1_EMPTY ? L1_OK : why;
        b->input = b->stall;
    }
    if (q->accept) {
        news = q->accept(queue, now);
        b->input = queue->input;
    }
    b->changed = news & L1_TRY;
    if (done == b->cfg.tag_ports || why == L1_EMPTY)
        return q->next(queue, now);
    /* After a success, what was refused in this cycle may not be next. */
    return done || news ? now + 1 : b->data_free;
}

uint64_t l1_tick(l1 *b, uint64_t now)
{
    charge_l1_cycles(b, now);
    bool replies = l1_reply_stage(b, now);
    uint64_t next = l1_fill_stage(b, now);
    l1_miss_stage(b, now);
    next = mem_earlier(next, l1_tag_stage(b, now));
    next = mem_earlier(next, replies ? next_reply(b)
                                     : mem_port_retry(b->port.to_lsu, now));
    next =
        mem_earlier(next, b->net_blocked ? mem_port_retry(b->port.to_net, now)
                                         : mem_ring_next(&b->misses));
    next = mem_earlier(next, b->tlb.next);
    return next > now ? next : now + 1;
}

uint64_t l1_tick_traced(l1 *b, uint64_t now)
{
    uint64_t next = l1_tick(b, now);

    if (!b->log->filter.queues)
        return next;
    event_log_level(b->log, now, TRACE_L1_LEVEL, b->unit, TRACE_QUEUE_L1_MSHR,
                    mem_mshr_count(b->mshr), &b->level[0]);
    event_log_level(b->log, now, TRACE_L1_LEVEL, b->unit, TRACE_QUEUE_L1_MISS,
                    b->misses.count, &b->level[1]);
    if (b->queue->ops->accept)
        event_log_level(
            b->log, now, TRACE_L1_LEVEL, b->unit, TRACE_QUEUE_L1_REQUEST,
            b->queue->ops->count(b->queue) - b->port.from_lsu->count,
            &b->level[2]);
    return next;
}

/* -- hang report -------------------------------------------------------- */

static void dump_l1_entry(void *arg, uint32_t e, const mem_mshr_entry *m)
{
    fprintf(arg,
            "  mshr %" PRIu32 ": line 0x%" PRIx64
            " sectors 0x%x awaited, %" PRIu32 " waiting\n",
            e, m->line, m->awaited, m->waiting);
}

void l1_dump(const l1 *b, FILE *f)
{
    fprintf(f,
            "l1 of node %u: %s; %" PRIu32 " requests waiting, %" PRIu32
            " misses to send, %" PRIu32 " to translate, %" PRIu32 "+%" PRIu32
            " replies to hand out, %" PRIu32 " awaited past the cache\n",
            b->port.node, l1_refusals[b->stall], b->queue->ops->count(b->queue),
            b->misses.count, b->untranslated.count, b->hits.count,
            b->fills.count, b->expected);
    if (b->queue->ops->dump)
        b->queue->ops->dump(b->queue, f);
    mem_mshr_each(b->mshr, dump_l1_entry, f);
}
