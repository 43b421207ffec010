/* src/cache/l2.c - the stages of a slice, last to first, once for each of its
 * own cycles: a reply leaves, a fill lands, a miss leaves, a request is
 * tried. */
#include "cache/l2.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cache/l2_far.h"
#include "cache/l2_impl.h"
#include "cache/l2_keep.h"

static const stat_desc l2_desc[] = {
#define STAT(id, unit, help) STAT_DESC(l2_stats, id, unit, help),
#define HIST(id, bins, of, unit, help)                                         \
    STAT_HIST(l2_stats, id, bins, of, unit, help)
#include "cache/l2_stats.def"
#undef STAT
#undef HIST
};

const stats_block l2_stats_block = {"l2[*]", "slice of the L2 cache", l2_desc,
                                    COUNTOF(l2_desc)};

mem_mshr *l2_mshr_new(const l2_config *cfg)
{
    return cfg->coalescer ? mem_mshr_new_shared(cfg->mshrs, cfg->coalescer)
                          : mem_mshr_new(cfg->mshrs, cfg->merges);
}

l2 *l2_new(const config *cfg, stats *reg, const char *name,
           const l2_ports *ports)
{
    l2 *b = new0(1, sizeof *b);

    MUST(cfg->l2.line == MEM_LINE && cfg->l2.sector >= MEM_SECTOR);
    b->cfg = cfg->l2;
    b->clock = config_clock_ratio(cfg, b->cfg.clock_khz);
    b->port = *ports;
    mem_route_init(&b->route, cfg);
    b->mshr = l2_mshr_new(&b->cfg);
    uint64_t merges = (uint64_t)b->cfg.merges * (MEM_LINE / MEM_SECTOR);
    if (b->cfg.coalescer)
        merges = b->cfg.coalescer + 1;
    uint64_t replies = b->cfg.latency + merges + 16;
    mem_tags_init(&b->tags, b->cfg.sets, b->cfg.ways, b->cfg.line,
                  b->cfg.index);
    mem_ring_init(&b->misses, b->cfg.miss_queue);
    mem_ring_init(&b->hits, replies);
    mem_ring_init(&b->fills, replies);
    mem_ring_init(&b->atoms, replies);
    b->keep = l2_keep_new(&b->cfg);
    if (ports->to_home)
        b->far = l2_far_new(b, replies);
    stats_add(reg, name, l2_desc, COUNTOF(l2_desc), &b->st);
    return b;
}

void l2_free(l2 *b)
{
    if (!b)
        return;
    mem_mshr_free(b->mshr);
    mem_tags_fini(&b->tags);
    mem_ring_fini(&b->misses);
    mem_ring_fini(&b->hits);
    mem_ring_fini(&b->fills);
    mem_ring_fini(&b->atoms);
    l2_keep_free(b->keep);
    l2_far_free(b->far);
    free(b);
}

bool l2_idle(const l2 *b)
{
    bool idle = !b->misses.count && !b->hits.count && !b->fills.count &&
                !b->atoms.count && !mem_mshr_count(b->mshr) &&
                !b->port.from_net->count && !b->port.from_dram->count &&
                (!b->far || l2_far_idle(b));

    if (idle)
        MUST_CHECK(b->unanswered == 0);
    return idle;
}

void l2_trace(l2 *b, event_log *log)
{
    b->log = log;
    b->level[0] = b->level[1] = 0;
}

const char *const l2_refusals[] = {
    "not blocked",      "set full",         "no MSHR",
    "MSHR list full",   "miss queue full",  "data array busy",
    "atomic unit busy", "reply queue full", "other partition to answer"};

/* -- counters ----------------------------------------------------------- */

static const struct {
    size_t cycles, requests;
} refusal_stat[L2_REFUSALS] = {
#define ROW(refusal, id)                                                       \
    [refusal] = {offsetof(l2_stats, stall_##id),                               \
                 offsetof(l2_stats, refused_##id)}
    ROW(L2_SET_FULL, set_full),     ROW(L2_MSHR_ENTRY, mshr_entry),
    ROW(L2_MSHR_MERGE, mshr_merge), ROW(L2_MISS_QUEUE, miss_queue),
    ROW(L2_DATA_PORT, data_port),   ROW(L2_ATOMIC_UNIT, atomic_unit),
    ROW(L2_REPLY, reply),           ROW(L2_FAR, far),
#undef ROW
};

static uint64_t *stat_at(l2 *b, size_t offset)
{
    return (uint64_t *)((char *)&b->st + offset);
}

/* Something waited in `n` own cycles. */
static __attribute__((noinline)) void charge_blocked_cycles(l2 *b, uint64_t n)
{
    b->st.network_blocked += n * b->net_blocked;
    b->st.dram_blocked += n * b->dram_blocked;
    if (b->stall) {
        b->st.blocked_cycles += n;
        *stat_at(b, refusal_stat[b->stall].cycles) += n;
    }
}

/* Charges own cycles before `own`: nothing has changed since the last one that
 * was simulated, the first of them. */
static inline void charge_cycles(l2 *b, uint64_t own)
{
    MUST_CHECK(own >= b->accounted);
    uint64_t n = own - b->accounted;

    b->accounted = own;
    b->st.mshr_occupancy += n * mem_mshr_count(b->mshr);
    b->st.miss_queue_occupancy += n * b->misses.count;
    if (l2_parted(b))
        b->st.home_blocked += n * (b->far->stall != L2_OK);
    if (b->stall | b->net_blocked | b->dram_blocked)
        charge_blocked_cycles(b, n);
}

void l2_settle(l2 *b, uint64_t now)
{
    charge_cycles(b, mem_clock_from_core(b->clock, now));
}

/* An event of the request or reply `m`, which concerns SM `sm`. */
static __attribute__((cold)) void trace_l2_event(const l2 *b, uint64_t now,
                                                 trace_kind kind, unsigned sm,
                                                 const mem_msg *m, uint32_t a)
{
    if (b->log)
        event_log_request(b->log, now, kind, b->port.slice, sm, m, a,
                          m->sectors);
}

static trace_access l2_trace_access(const mem_msg *m, const l2_plan *p)
{
    if (m->kind == MEM_WRITE)
        return p->present ? ACCESS_HIT : ACCESS_WRITE;
    if (!p->wait)
        return ACCESS_HIT;
    if (!p->fetch)
        return ACCESS_MERGE;
    return p->present ? ACCESS_SECTOR : ACCESS_MISS;
}

/* -- stages ------------------------------------------------------------- */

/* When the next reply is due. */
static inline uint64_t next_reply(const l2 *b)
{
    uint64_t next =
        mem_earlier(mem_ring_next(&b->hits), mem_ring_next(&b->fills));

    next = mem_earlier(next, mem_ring_next(&b->atoms));
    return l2_parted(b) ? mem_earlier(next, mem_ring_next(&b->far->released))
                        : next;
}

/* Where it is, hits first. */
static mem_ring *earliest_reply(l2 *b, uint64_t next)
{
    return mem_ring_next(&b->hits) == next    ? &b->hits
           : mem_ring_next(&b->fills) == next ? &b->fills
           : mem_ring_next(&b->atoms) == next ? &b->atoms
                                              : &b->far->released;
}

static inline void l2_reply_stage(l2 *b, uint64_t now, uint64_t own)
{
    uint64_t next = next_reply(b);

    b->net_blocked = false;
    if (next > own)
        return;
    mem_ring *from = earliest_reply(b, next);
    const mem_msg *m = mem_ring_at(from, 0);
    if (!mem_port_send(b->port.to_net, now, m)) {
        b->net_blocked = true;
        return;
    }
    b->changed |= l2_parted(b) || b->stall == L2_REPLY;
    if (__builtin_expect(m->traced, 0))
        trace_l2_event(b, now, TRACE_L2_REPLY, m->dst, m, 0);
    b->st.replies++;
    b->st.sent_bytes += m->payload;
    mem_ring_pop(from);
    MUST_CHECK(b->unanswered > 0);
    b->unanswered--;
}

/* A request that is refused for the data array stays so until that is free,
 * whatever is filled, but atomics that a fill has performed come before. */
static inline void refuse_after_fill(l2 *b, uint64_t own)
{
    if (b->stall == L2_DATA_PORT && own >= b->atom_free && !l2_parted(b))
        b->retry_at = l2_retry(b, L2_DATA_PORT);
    else
        b->changed = true;
}

static inline void l2_fill_stage(l2 *b, uint64_t now, uint64_t own)
{
    const mem_msg *m = mem_port_peek(b->port.from_dram, now);

    if (!m || !l2_fill_fits(b, m))
        return;
    l2_fill(b, own, m);
    refuse_after_fill(b, own);
    mem_port_pop(b->port.from_dram, now);
}

static inline void l2_miss_stage(l2 *b, uint64_t now, uint64_t own)
{
    b->dram_blocked = false;
    if (mem_ring_next(&b->misses) > own)
        return;
    if (!mem_port_push(b->port.to_dram, now, mem_ring_at(&b->misses, 0))) {
        b->dram_blocked = true;
        return;
    }
    b->changed |= l2_parted(b) || b->stall == L2_MISS_QUEUE;
    mem_ring_pop(&b->misses);
}

/* True if a request was performed. */
static inline __attribute__((always_inline)) bool
l2_tag_stage(l2 *b, uint64_t now, uint64_t own)
{
    const mem_msg *m = mem_port_peek(b->port.from_net, now);
    l2_plan plan;

    if (!m) {
        b->changed = false;
        return false;
    }
    /* What was refused is refused again while nothing has changed. */
    if (b->stall && !b->changed && own < b->retry_at)
        return false;
    b->changed = false;
    b->stall = l2_plan_request(b, own, m, &plan);
    b->retry_at = l2_retry(b, b->stall);
    if (b->stall) {
        if (!(b->refused >> b->stall & 1)) {
            ++*stat_at(b, refusal_stat[b->stall].requests);
            if (m->traced)
                trace_l2_event(b, now, TRACE_L2_REFUSE, m->src, m, b->stall);
        }
        b->refused |= 1u << b->stall;
        return false;
    }
    b->refused = 0;
    b->st.received_bytes += m->payload;
    if (__builtin_expect(m->traced, 0))
        trace_l2_event(b, now, TRACE_L2_ACCESS, m->src, m,
                       l2_trace_access(m, &plan));
    l2_perform(b, own, m, &plan);
    mem_port_pop(b->port.from_net, now);
    return true;
}

/* A request of the counterpart, or of an SM: one look-up of the tags in a
 * cycle, in turns where both want it. */
static __attribute__((noinline)) void l2_tag_stages(l2 *b, uint64_t now,
                                                    uint64_t own)
{
    l2_far *f = b->far;
    bool home = f->turn, done;

    f->changed |= b->changed;
    done = home ? l2_far_home_stage(b, now, own) : l2_tag_stage(b, now, own);
    if (!done) {
        home = !home;
        done =
            home ? l2_far_home_stage(b, now, own) : l2_tag_stage(b, now, own);
    }
    if (!done)
        return;
    f->turn = !home;
    *(home ? &b->changed : &f->changed) = true;
}

/* First own cycle after `own` in which anything can happen, given that what
 * comes through ports, and room in them, wakes the slice by itself. */
static inline uint64_t next_own(const l2 *b, uint64_t now, uint64_t own)
{
    uint64_t next = b->net_blocked ? NEVER : next_reply(b);

    if (!b->dram_blocked)
        next = mem_earlier(next, mem_ring_next(&b->misses));
    if (l2_parted(b))
        next = mem_earlier(next, l2_far_next(b, now, own));
    if (b->stall)
        next = mem_earlier(next, b->retry_at);
    else if (mem_port_next(b->port.from_net) <= now)
        return own + 1;
    /* A fill that did not fit waits for a reply to leave. */
    const mem_msg *fill = mem_port_peek(b->port.from_dram, now);
    if (next <= own || (fill && l2_fill_fits(b, fill)))
        return own + 1;
    return next;
}

uint64_t l2_tick(l2 *b, uint64_t now)
{
    uint64_t end, next, own = mem_clock_span(b->clock, now, &end);

    /* Between two own cycles: messages wait for the next one. */
    if (own == end)
        return mem_clock_to_core(b->clock, own);
    for (; own < end; own++) {
        charge_cycles(b, own);
        l2_reply_stage(b, now, own);
        l2_fill_stage(b, now, own);
        l2_miss_stage(b, now, own);
        if (l2_parted(b)) {
            l2_far_stages(b, now, own);
            l2_tag_stages(b, now, own);
        } else {
            l2_tag_stage(b, now, own);
        }
    }
    next = mem_clock_to_core(b->clock, next_own(b, now, own - 1));
    if (b->net_blocked)
        next = mem_earlier(next, mem_port_retry(b->port.to_net, now));
    if (b->dram_blocked)
        next = mem_earlier(next, mem_port_retry(b->port.to_dram, now));
    if (l2_parted(b))
        next = mem_earlier(next, l2_far_retry(b, now));
    return next;
}

uint64_t l2_tick_traced(l2 *b, uint64_t now)
{
    uint64_t next = l2_tick(b, now);

    if (!b->log->filter.queues)
        return next;
    event_log_level(b->log, now, TRACE_L2_LEVEL, b->port.slice,
                    TRACE_QUEUE_L2_MSHR, mem_mshr_count(b->mshr), &b->level[0]);
    event_log_level(b->log, now, TRACE_L2_LEVEL, b->port.slice,
                    TRACE_QUEUE_L2_MISS, b->misses.count, &b->level[1]);
    return next;
}

/* -- hang report -------------------------------------------------------- */

static void dump_l2_entry(void *arg, uint32_t e, const mem_mshr_entry *m)
{
    fprintf(arg,
            "  mshr %" PRIu32 ": line 0x%" PRIx64
            " sectors 0x%x awaited, %" PRIu32 " waiting\n",
            e, m->line, m->awaited, m->waiting);
}

void l2_dump(const l2 *b, FILE *f)
{
    fprintf(f,
            "l2 slice %u: %s; %" PRIu32 " requests waiting, %" PRIu32
            " misses to send, %" PRIu32 "+%" PRIu32 "+%" PRIu32
            " replies to hand out\n",
            b->port.slice, l2_refusals[b->stall], b->port.from_net->count,
            b->misses.count, b->hits.count, b->fills.count, b->atoms.count);
    mem_mshr_each(b->mshr, dump_l2_entry, f);
}
