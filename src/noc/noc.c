#include "noc/noc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "mem/gpc.h"
#include "mem/spread.h"

typedef struct noc_stats {
#define STAT(id, unit, help) uint64_t id;
#include "noc/noc_stats.def"
#undef STAT
} noc_stats;

static const stat_desc noc_desc[] = {
#define STAT(id, unit, help) STAT_DESC(noc_stats, id, unit, help),
#include "noc/noc_stats.def"
#undef STAT
};

const stats_block noc_stats_block = {"noc[*]", "one end of the crossbar",
                                     noc_desc, COUNTOF(noc_desc)};

enum { NIL = UINT32_MAX };

/* A message that arrives in a later cycle. Kept in one list per cycle, in the
 * order of insertion, which noc_end_exchange makes the order of sources. */
typedef struct cell {
    mem_msg msg;
    uint32_t next;
} cell;

typedef struct wheel {
    cell *cells;
    uint32_t room, free;
    uint32_t *head, *tail; /* by cycle & mask */
    uint64_t *used;        /* bit set of lists that hold something */
    uint32_t mask;
    uint32_t lists; /* that hold something */
    uint64_t from;  /* nothing earlier than this is held */
    uint64_t next;  /* first cycle that holds something, or NEVER */
} wheel;

typedef struct credit {
    uint64_t when; /* it can be used from this cycle on */
    uint16_t peer; /* the end that gives it, or that gets it back */
} credit;

typedef struct credit_list {
    credit *at;
    uint32_t count, room;
} credit_list;

/* A link: free from cycle (free_at / num) of the core on. Times are scaled by
 * the numerator of the clock ratio, so that they stay whole. */
typedef struct link {
    uint64_t free_at;
    unsigned bytes;
} link;

struct noc_end {
    noc_end_config cfg;
    unsigned sms;
    unsigned sources, turn;
    mem_port *source[NOC_PORTS];
    mem_port *sink[CLIENTS];
    uint64_t window_end; /* see noc_end_window */
    mem_taker taker;
    link out, in;
    uint16_t *credits;      /* per end: messages that may still leave; but for
                               those in `returns` */
    uint64_t starved_since; /* first cycle without credit, NEVER if none */
    wheel arrivals;
    uint32_t first, last; /* arrived messages that wait, cells of arrivals */
    uint32_t out_count, out_room;
    mem_msg *outbox;     /* sent in this window */
    credit_list given;   /* in this window */
    credit_list returns; /* credits that come back, or have, in any order:
                            looked into only when one is missed */
    uint64_t *due;       /* see noc_end_set_due */
    event_log *log;      /* NULL: not traced */
    noc_stats st;
    unsigned spacing;    /* of slices' ends */
    unsigned half, near; /* slices of a partition, the first of this SM's; half
                             is 0 if there is one partition */
    mem_route route;     /* slice of an address */
};

/* ---- Wheel ---- */

static void wheel_init(wheel *w, unsigned span)
{
    uint32_t lists = 64;

    while (lists < span)
        lists *= 2;
    memset(w, 0, sizeof *w);
    w->mask = lists - 1;
    w->next = NEVER;
    w->head = new_array(lists, sizeof *w->head);
    w->tail = new_array(lists, sizeof *w->tail);
    w->used = new0(lists / 64, sizeof *w->used);
    w->free = NIL;
}

static void wheel_fini(wheel *w)
{
    free(w->cells);
    free(w->head);
    free(w->tail);
    free(w->used);
}

static __attribute__((noinline)) void more_cells(wheel *w)
{
    uint32_t more = w->room ? w->room : 64;

    w->cells = renew(w->cells, w->room + more, sizeof *w->cells);
    for (uint32_t i = 0; i < more; i++)
        w->cells[w->room + i].next = i + 1 < more ? w->room + i + 1 : NIL;
    w->free = w->room;
    w->room += more;
}

static uint32_t cell_new(wheel *w)
{
    if (__builtin_expect(w->free == NIL, 0))
        more_cells(w);
    uint32_t c = w->free;
    w->free = w->cells[c].next;
    return c;
}

static void cell_free(wheel *w, uint32_t c)
{
    w->cells[c].next = w->free;
    w->free = c;
}

static inline cell *wheel_add(wheel *w, uint64_t when)
{
    uint32_t c = cell_new(w), l = when & w->mask;

    MUST(when >= w->from && when - w->from <= w->mask);
    w->cells[c].next = NIL;
    if (w->used[l / 64] >> (l % 64) & 1) {
        w->cells[w->tail[l]].next = c;
    } else {
        w->used[l / 64] |= 1ull << (l % 64);
        w->head[l] = c;
        w->lists++;
    }
    w->tail[l] = c;
    w->next = when < w->next ? when : w->next;
    return &w->cells[c];
}

/* The first cycle with an entry. */
static uint64_t wheel_search(const wheel *w)
{
    if (!w->lists)
        return NEVER;
    for (uint64_t t = w->from;;) {
        uint32_t l = t & w->mask;
        uint64_t bits = w->used[l / 64] >> (l % 64);

        if (bits)
            return t + bits_ctz64(bits);
        t += 64 - l % 64;
    }
}

/* Takes the list of the first cycle; its end is NIL. */
static inline uint32_t wheel_take(wheel *w, uint32_t *tail)
{
    uint32_t l = w->next & w->mask;

    w->used[l / 64] &= ~(1ull << (l % 64));
    w->from = w->next + 1;
    *tail = w->tail[l];
    w->lists--;
    w->next = wheel_search(w);
    return w->head[l];
}

/* ---- Construction ---- */

unsigned noc_window(const config *cfg)
{
    unsigned w = cfg->gpu.window, most = cfg->noc.latency;

    if (cfg->gpu.cga.most && cfg->gpu.cga.latency < most)
        most = cfg->gpu.cga.latency;
    if (cfg->l2.partitions > 1 && cfg->l2.link.latency < most)
        most = cfg->l2.link.latency;
    return w && w < most ? w : most;
}

/* Ends of a slice. */
static unsigned slice_ends(const config *cfg)
{
    return cfg->l2.partitions > 1 ? 1 + NOC_LINKS : 1;
}

unsigned noc_ends(const config *cfg)
{
    return cfg->gpu.sms + cfg->l2.slices * slice_ends(cfg);
}

unsigned noc_counterpart(const config *cfg, unsigned slice)
{
    return (slice + cfg->l2.slices / 2) % cfg->l2.slices;
}

static noc_end_config end_config(const config *cfg, unsigned id)
{
    return (noc_end_config){
        .id = id,
        .name = id,
        .ends = noc_ends(cfg),
        .latency = cfg->noc.latency,
        .window = noc_window(cfg),
        .header_bytes = cfg->noc.header_bytes,
        .credits = cfg->noc.buffer,
        .clock = config_clock_ratio(cfg, cfg->noc.clock_khz),
    };
}

noc_end_config noc_sm_end(const config *cfg, unsigned id)
{
    noc_end_config c = end_config(cfg, id);

    c.out_bytes = cfg->noc.request_bytes;
    c.in_bytes = cfg->noc.reply_bytes;
    return c;
}

noc_end_config noc_slice_end(const config *cfg, unsigned slice)
{
    noc_end_config c = end_config(cfg, cfg->gpu.sms + slice * slice_ends(cfg));

    c.name = cfg->gpu.sms + slice;
    c.out_bytes = cfg->noc.partition_out_bytes;
    c.in_bytes = cfg->noc.partition_in_bytes;
    return c;
}

noc_end_config noc_link_end(const config *cfg, unsigned slice, noc_link which)
{
    noc_end_config c = noc_slice_end(cfg, slice);

    c.id += 1 + which;
    c.latency = cfg->l2.link.latency;
    c.out_bytes = c.in_bytes = cfg->l2.link.bytes;
    return c;
}

noc_end_config noc_cga_end(const config *cfg, unsigned id)
{
    noc_end_config c = end_config(cfg, id);

    c.ends = cfg->gpu.sms;
    c.latency = cfg->gpu.cga.latency;
    c.out_bytes = c.in_bytes = cfg->gpu.cga.link_bytes;
    c.credits = cfg->gpu.cga.buffer;
    c.clock = (config_ratio){1, 1};
    c.direct = true;
    return c;
}

noc_end *noc_end_new(const noc_end_config *cfg, const config *machine,
                     stats *reg, const char *path)
{
    noc_end *e = new0(1, sizeof *e);

    MUST(cfg->window >= 1 && cfg->window <= cfg->latency);
    e->cfg = *cfg;
    e->sms = machine->gpu.sms;
    mem_route_init(&e->route, machine);
    e->spacing = slice_ends(machine);
    if (machine->l2.partitions > 1 && cfg->id < e->sms) {
        e->half = machine->l2.slices / 2;
        e->near = mem_gpc_partition(machine, cfg->id) * e->half;
    }
    e->out.bytes = cfg->out_bytes;
    e->in.bytes = cfg->in_bytes;
    e->first = e->last = NIL;
    e->starved_since = NEVER;
    e->credits = new_array(cfg->ends, sizeof *e->credits);
    unsigned span = cfg->latency + 2 * cfg->window + 1;
    wheel_init(&e->arrivals, span);
    for (unsigned i = 0; i < cfg->ends; i++)
        e->credits[i] = (uint16_t)cfg->credits;
    stats_add(reg, path, noc_desc, COUNTOF(noc_desc), &e->st);
    return e;
}

void noc_end_free(noc_end *e)
{
    if (!e)
        return;
    wheel_fini(&e->arrivals);
    free(e->credits);
    free(e->outbox);
    free(e->given.at);
    free(e->returns.at);
    free(e);
}

void noc_end_add_source(noc_end *e, mem_port *from)
{
    MUST(e->sources < NOC_PORTS);
    e->source[e->sources++] = from;
}

void noc_end_add_sink(noc_end *e, unsigned clients, mem_port *to)
{
    for (unsigned c = 0; c < CLIENTS; c++)
        if (clients >> c & 1)
            e->sink[c] = to;
}

/* ---- Links ---- */

static bool link_free(const noc_end *e, const link *l, uint64_t now)
{
    return l->free_at < (now + 1) * e->cfg.clock.num;
}

/* The first core cycle in which the link is free. */
static uint64_t link_next(const noc_end *e, const link *l)
{
    return l->free_at / e->cfg.clock.num;
}

static void link_take(const noc_end *e, link *l, uint64_t now, unsigned bytes)
{
    uint64_t start = now * e->cfg.clock.num;
    unsigned flits = (bytes + l->bytes - 1) / l->bytes;

    if (l->free_at < start)
        l->free_at = start;
    l->free_at += (uint64_t)(flits ? flits : 1) * e->cfg.clock.den;
}

void noc_end_trace(noc_end *e, event_log *log) { e->log = log; }

/* The SM that `m` comes from or goes to, at one of its ends. */
static __attribute__((cold)) void trace_noc_event(const noc_end *e,
                                                  uint64_t now, trace_kind kind,
                                                  const mem_msg *m)
{
    bool reply = m->kind == MEM_DATA || m->kind == MEM_ACK;

    if (e->log)
        event_log_request(e->log, now, kind, e->cfg.name,
                          reply ? m->dst : m->src, m, m->sectors, 0);
}

/* ---- Credits ---- */

static void add_credit(credit_list *l, unsigned peer, uint64_t when)
{
    GROW(l->at, l->count + 1, l->room);
    l->at[l->count++] = (credit){when, (uint16_t)peer};
}

/* Counts the credits that have come back by `now`. */
static __attribute__((noinline)) void take_credits(noc_end *e, uint64_t now)
{
    credit_list *l = &e->returns;
    uint32_t left = 0;

    for (uint32_t i = 0; i < l->count; i++)
        if (l->at[i].when <= now)
            e->credits[l->at[i].peer]++;
        else
            l->at[left++] = l->at[i];
    l->count = left;
}

/* When the next of them does. */
static __attribute__((noinline)) uint64_t next_credit(const noc_end *e)
{
    uint64_t next = NEVER;

    for (uint32_t i = 0; i < e->returns.count; i++)
        next = mem_earlier(next, e->returns.at[i].when);
    return next;
}

static bool has_credit(noc_end *e, unsigned to, uint64_t now)
{
    if (__builtin_expect(e->credits[to] == 0, 0))
        take_credits(e, now);
    return e->credits[to] != 0;
}

/* ---- Receiving ---- */

static void take_arrivals(noc_end *e, uint64_t last)
{
    wheel *w = &e->arrivals;
    uint32_t tail;

    while (w->next <= last) {
        uint32_t head = wheel_take(w, &tail);

        if (e->first == NIL)
            e->first = head;
        else
            w->cells[e->last].next = head;
        e->last = tail;
    }
}

/* When `m`, the first that waits, can come over the link. */
static inline uint64_t comes_at(const noc_end *e, const mem_msg *m,
                                uint64_t now)
{
    uint64_t at = m->when > now ? m->when : now;

    return link_free(e, &e->in, at) ? at : link_next(e, &e->in);
}

/* May it be delivered before its cycle `at`? There has to be room for it,
 * whatever the receiver does until then. */
static inline bool is_certain(const noc_end *e, const mem_msg *m,
                              const mem_port *to, uint64_t now, uint64_t at)
{
    return at < e->window_end && !m->traced && mem_port_room(to, now) > 0;
}

/* The next cycle in which a waiting message could be delivered. */
static uint64_t deliver(noc_end *e, uint64_t now)
{
    wheel *w = &e->arrivals;

    while (e->first != NIL) {
        uint32_t c = e->first;
        mem_msg *m = &w->cells[c].msg;
        unsigned bytes = e->cfg.header_bytes + m->payload;
        uint64_t at = comes_at(e, m, now);
        mem_port *to = e->sink[m->client];

        MUST(to != NULL);
        if (at > now && !is_certain(e, m, to, now, at))
            return at;
        if (at == now && mem_port_full(to, now))
            return mem_port_retry(to, now);
        mem_port_put(to, at, m);
        link_take(e, &e->in, at, bytes);
        add_credit(&e->given, m->src, at + e->cfg.latency);
        if (__builtin_expect(m->traced, 0))
            trace_noc_event(e, at, TRACE_NET_DELIVER, m);
        e->st.in_messages++;
        e->st.in_bytes += bytes;
        e->st.in_wait += at - m->when;
        e->first = w->cells[c].next;
        cell_free(w, c);
    }
    e->last = NIL;
    return NEVER;
}

/* ---- Sending ---- */

/* Requests go to the slice of their address, replies where they came from. */
static uint16_t destination(const noc_end *e, const mem_msg *m)
{
    if (e->cfg.id >= e->sms || e->cfg.direct)
        return m->dst;
    uint32_t slice = mem_route_slice(&e->route, m->addr);

    if (__builtin_expect(e->half, 0))
        slice = (e->near + slice % e->half) * e->spacing;
    return (uint16_t)(e->sms + slice);
}

static void send_message(noc_end *e, const mem_msg *m, uint16_t dst,
                         uint64_t now)
{
    unsigned bytes = e->cfg.header_bytes + m->payload;

    GROW(e->outbox, e->out_count + 1, e->out_room);
    mem_msg *slot = &e->outbox[e->out_count++];
    *slot = *m;
    slot->src = (uint16_t)e->cfg.id;
    slot->dst = dst;
    if (__builtin_expect(slot->traced, 0))
        trace_noc_event(e, now, TRACE_NET_SEND, slot);
    slot->when = now + e->cfg.latency;
    e->credits[dst]--;
    link_take(e, &e->out, now, bytes);
    e->st.out_messages++;
    e->st.out_bytes += bytes;
}

static void starve(noc_end *e, uint64_t now, bool starved)
{
    if (e->starved_since != NEVER) {
        e->st.out_wait += now - e->starved_since;
        e->starved_since = NEVER;
    }
    if (starved)
        e->starved_since = now;
}

/* Sends the first message, by turns of the sources, that can leave. If there
 * is none: *starved if that is for credits; *next is when there is another. */
static bool send_one(noc_end *e, uint64_t now, bool *starved, uint64_t *next)
{
    *starved = false;
    *next = NEVER;
    for (unsigned i = 0, at = e->turn; i < e->sources; i++) {
        mem_port *p = e->source[at];
        mem_msg *m = mem_port_peek(p, now);

        at = at + 1 < e->sources ? at + 1 : 0;
        if (!m) {
            *next = mem_earlier(*next, mem_port_next(p));
            continue;
        }
        uint16_t dst = destination(e, m);
        if (!has_credit(e, dst, now)) {
            *starved = true;
            continue;
        }
        send_message(e, m, dst, now);
        mem_port_pop(p, now);
        e->turn = at;
        return true;
    }
    return false;
}

/* A mem_taker: sends `m`, which would be seen in cycle `at`, if it would leave
 * in that cycle. */
static bool take_at_once(void *self, unsigned source, uint64_t at,
                         const mem_msg *m)
{
    noc_end *e = self;

    for (unsigned i = 0; i < e->sources; i++)
        if (e->source[i]->count)
            return false;
    if (at >= e->window_end || m->traced || !link_free(e, &e->out, at))
        return false;
    uint16_t dst = destination(e, m);
    if (!has_credit(e, dst, at))
        return false;
    send_message(e, m, dst, at);
    e->turn = source + 1 < e->sources ? source + 1 : 0;
    return true;
}

void noc_end_take_first(noc_end *e)
{
    e->taker = (mem_taker){take_at_once, e, 0};
    e->source[0]->taker = &e->taker;
}

void noc_end_window(noc_end *e, uint64_t end) { e->window_end = end; }

/* When the first message of a source is there, perhaps already. */
static uint64_t next_at_source(const noc_end *e)
{
    uint64_t next = NEVER;

    for (unsigned i = 0; i < e->sources; i++)
        next = mem_earlier(next, mem_port_next(e->source[i]));
    return next;
}

/* The next cycle in which something could leave. */
static uint64_t send_messages(noc_end *e, uint64_t now)
{
    uint64_t next = next_at_source(e);
    bool starved;

    if (next > now)
        return next; /* so it does not starve */
    while (link_free(e, &e->out, now))
        if (!send_one(e, now, &starved, &next)) {
            starve(e, now, starved);
            return next; /* a returning credit wakes a starved end */
        }
    starve(e, now, false);
    return next_at_source(e) == NEVER ? NEVER : link_next(e, &e->out);
}

uint64_t noc_end_tick(noc_end *e, uint64_t now)
{
    uint64_t next = NEVER, last = e->window_end - 1;

    take_arrivals(e, e->window_end > now ? last : now);
    if (e->first != NIL)
        next = deliver(e, now);
    next = mem_earlier(next, send_messages(e, now));
    return mem_earlier(next, noc_end_next(e));
}

uint64_t noc_end_next(const noc_end *e)
{
    /* a returning credit wakes only an end that lacks one */
    if (__builtin_expect(e->starved_since != NEVER, 0))
        return mem_earlier(e->arrivals.next, next_credit(e));
    return e->arrivals.next;
}

void noc_end_set_due(noc_end *e, uint64_t *due) { e->due = due; }

bool noc_end_idle(const noc_end *e)
{
    for (unsigned i = 0; i < e->sources; i++)
        if (e->source[i]->count)
            return false;
    return e->first == NIL && !e->arrivals.lists && !e->out_count;
}

/* ---- Between windows ---- */

static void wake(noc_end *e)
{
    uint64_t next = noc_end_next(e);

    if (e->due && next < *e->due)
        *e->due = next;
}

/* It arrives in a cycle from `now` on. */
static void hand_over(noc_end *e, const mem_msg *m, uint64_t now)
{
    if (e->arrivals.from < now)
        e->arrivals.from = now;
    wheel_add(&e->arrivals, m->when)->msg = *m;
    wake(e);
}

static void give_back(noc_end *e, unsigned peer, uint64_t when, uint64_t now)
{
    if (e->returns.count == e->returns.room)
        take_credits(e, now - 1);
    add_credit(&e->returns, peer, when);
    if (e->starved_since != NEVER)
        wake(e);
}

uint64_t noc_end_exchange(noc_end *e, noc_end *const *ends, unsigned count,
                          uint64_t now)
{
    uint64_t moved = e->out_count;

    for (uint32_t k = 0; k < e->out_count; k++) {
        const mem_msg *m = &e->outbox[k];

        MUST(m->dst < count);
        hand_over(ends[m->dst], m, now);
    }
    e->out_count = 0;
    for (uint32_t k = 0; k < e->given.count; k++) {
        const credit *c = &e->given.at[k];

        give_back(ends[c->peer], e->cfg.id, c->when, now);
    }
    e->given.count = 0;
    return moved;
}

/* Cells in use; slow. */
static uint32_t held(const wheel *w)
{
    uint32_t n = w->room;

    for (uint32_t c = w->free; c != NIL; c = w->cells[c].next)
        n--;
    return n;
}

void noc_end_dump(const noc_end *e, FILE *f)
{
    fprintf(f,
            "noc end %u: %" PRIu32 " arriving, %" PRIu32
            " credits coming back, or back and not missed",
            e->cfg.id, held(&e->arrivals), e->returns.count);
    for (unsigned i = 0; i < e->sources; i++)
        fprintf(f, ", source %u holds %" PRIu32, i, e->source[i]->count);
    fputs(e->first == NIL ? "\n" : ", a message waits for its receiver\n", f);
}
