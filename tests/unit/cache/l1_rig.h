/* tests/unit/cache/l1_rig.h - an L1 with a scripted load and store unit in
 * front and a memory of fixed latency behind it. */
#ifndef L1_RIG_H
#define L1_RIG_H

#include "test.h"

#include "cache/l1.h"
#include "isa/isa.h"
#include "mem/ring.h"

enum { RIG_TAGS = 1 << 17 };

typedef struct rig {
    config cfg;
    stats *reg;
    l1 *b;
    mem_port from_lsu, to_lsu, to_net, from_net;
    mem_ring script;      /* requests, due when the LSU offers them */
    mem_ring memory;      /* replies underway, due at from_net */
    mem_ring sent;        /* all that reached the network, `when` it did */
    uint64_t latency;     /* of the memory, port to port */
    uint32_t jitter;      /* up to so many cycles more, each answer its own */
    uint32_t period;      /* the memory takes one message in so many cycles */
    uint64_t ready;       /* when it takes the next */
    bool deaf;            /* the LSU takes no replies */
    bool net_stuck;       /* the network takes nothing */
    uint64_t stuck_every; /* the same, in every other span of so long */
    uint64_t chaos; /* not 0: all that surrounds the L1 rests now and then */
    bool no_skip;
    void (*observe)(struct rig *r, bool after); /* of each tick */
    void (*answered)(struct rig *r, const mem_msg *m);
    void *observer;
    uint32_t net_slots, lsu_slots; /* of the ports to them, 4 */
    bool saturated;                /* memory, as the L1 said last */
    unsigned told;                 /* times that it said so */
    bool stop;                     /* a run ends with this cycle */
    bool reversed;                 /* order of the neighbours within a cycle */
    uint64_t now, next, wake;
    unsigned entered, done, silent; /* writes nobody answers */
    uint64_t at[RIG_TAGS];          /* cycle in which the reply was visible */
    uint64_t taken[RIG_TAGS];       /* cycle in which the request was pushed */
    uint8_t kind[RIG_TAGS];         /* of the reply */
} rig;

/* Small and slow enough to count by hand: 4 sets of 2 ways, hit 10, miss 3,
 * fill 5; one line a cycle; the memory takes 100. */
static inline rig *rig_new(void)
{
    rig *r = calloc(1, sizeof *r);

    config_defaults(&r->cfg);
    r->cfg.l1.sets = 4;
    r->cfg.l1.ways = 2;
    r->cfg.l1.index = CFG_INDEX_MOD;
    r->cfg.l1.latency = 10;
    r->cfg.l1.miss_latency = 3;
    r->cfg.l1.fill_latency = 5;
    r->cfg.l1.mshrs = 4;
    r->cfg.l1.merges = 3;
    r->cfg.l1.miss_queue = 4;
    r->cfg.l1.fill_bytes = 128;
    r->latency = 100;
    r->net_slots = r->lsu_slots = 4;
    return r;
}

static void rig_start(rig *r)
{
    r->reg = stats_new();
    mem_port_init(&r->from_lsu, r->lsu_slots, 1);
    mem_port_init(&r->to_lsu, 4, 1);
    mem_port_init(&r->to_net, r->net_slots, 1);
    mem_port_init(&r->from_net, 4, 1);
    mem_ring_init(&r->script, RIG_TAGS);
    mem_ring_init(&r->memory, RIG_TAGS);
    mem_ring_init(&r->sent, RIG_TAGS);
    l1_ports p = {&r->from_lsu, &r->to_lsu, &r->to_net, &r->from_net, 3,
                  CLIENT_L1,    NULL};
    r->b = l1_new(&r->cfg, r->reg, "l1", &p);
    CHECK(r->b != NULL);
}

static void rig_free(rig *r)
{
    l1_free(r->b);
    stats_free(r->reg);
    mem_port_fini(&r->from_lsu);
    mem_port_fini(&r->to_lsu);
    mem_port_fini(&r->to_net);
    mem_port_fini(&r->from_net);
    mem_ring_fini(&r->script);
    mem_ring_fini(&r->memory);
    mem_ring_fini(&r->sent);
    free(r);
}

static inline uint64_t rig_stat(const rig *r, const char *id)
{
    char name[128];
    uint64_t v;

    snprintf(name, sizeof name, "l1.%s", id);
    CHECK(stats_find(r->reg, NULL, name, &v));
    return v;
}

/* The bin from `least` on of a histogram. */
static inline uint64_t rig_bin(const rig *r, const char *id, unsigned least)
{
    char name[96];

    snprintf(name, sizeof name, "%s_%u", id, least);
    return rig_stat(r, name);
}

/* The LSU offers it in cycle `when`: seen by the L1 one later, at the
 * earliest. Returns its tag. Calls must come in order of `when`. */
static uint32_t rig_ask(rig *r, uint64_t when, mem_msg m)
{
    m.tag = r->entered++;
    m.client = CLIENT_LSU;
    m.born = when;
    r->silent += m.kind == MEM_WRITE && !m.ack;
    if (!m.sectors)
        m.sectors = 0xf;
    mem_ring_push(&r->script, &m, when);
    return m.tag;
}

static inline uint32_t rig_load(rig *r, uint64_t when, uint64_t addr)
{
    return rig_ask(r, when, (mem_msg){.kind = MEM_READ, .addr = addr});
}

static uint64_t rig_mix(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return x >> 29 ^ x >> 40;
}

enum { RIG_SPAN = 8 };

typedef enum rig_part {
    RIG_LSU,    /* asks nothing */
    RIG_DEAF,   /* it takes no replies */
    RIG_NET,    /* takes nothing */
    RIG_MEMORY, /* gives no answers */
} rig_part;

/* Every part rests in a third of the spans, each in its own. */
static bool rig_rests(const rig *r, rig_part part)
{
    return r->chaos &&
           rig_mix(r->chaos + 4 * (r->now / RIG_SPAN) + part) % 3 == 0;
}

static void rig_lsu(rig *r)
{
    mem_msg *m;

    while (!r->deaf && !rig_rests(r, RIG_DEAF) &&
           (m = mem_port_peek(&r->to_lsu, r->now))) {
        if (m->kind == MEM_PRESSURE) {
            CHECK_EQ(m->payload, !r->saturated); /* told once */
            r->saturated = m->payload;
            r->told++;
            mem_port_pop(&r->to_lsu, r->now);
            continue;
        }
        CHECK(m->tag < r->entered && !r->at[m->tag]);
        r->at[m->tag] = r->now;
        r->kind[m->tag] = m->kind;
        r->done++;
        if (r->answered)
            r->answered(r, m);
        mem_port_pop(&r->to_lsu, r->now);
    }
    while (!rig_rests(r, RIG_LSU) && (m = mem_ring_front(&r->script)) &&
           m->when <= r->now) {
        if (!mem_port_push(&r->from_lsu, r->now, m))
            break;
        r->taken[m->tag] = r->now;
        mem_ring_pop(&r->script);
    }
}

static bool rig_stuck(const rig *r)
{
    return r->net_stuck ||
           (r->stuck_every && r->now / r->stuck_every % 2 == 1) ||
           rig_rests(r, RIG_NET) || r->now < r->ready;
}

/* Answers may overtake one another. */
static void rig_remember(rig *r, const mem_msg *m)
{
    uint32_t i = r->memory.count;
    uint64_t when = r->now + r->latency;

    if (r->jitter)
        when += rig_mix(m->addr + 8 * r->sent.count) % r->jitter;
    mem_ring_push(&r->memory, m, when);
    for (; i && mem_ring_at(&r->memory, i - 1)->when > when; i--) {
        mem_msg last = *mem_ring_at(&r->memory, i);

        *mem_ring_at(&r->memory, i) = *mem_ring_at(&r->memory, i - 1);
        *mem_ring_at(&r->memory, i - 1) = last;
    }
    r->memory.next = mem_ring_front(&r->memory)->when;
}

static void rig_network(rig *r)
{
    mem_msg *m;

    while (!rig_stuck(r) && (m = mem_port_peek(&r->to_net, r->now))) {
        bool reply = m->kind != MEM_WRITE || m->ack;
        mem_msg back = *m;

        CHECK_EQ(m->src, 3);
        mem_ring_push(&r->sent, m, r->now);
        mem_port_pop(&r->to_net, r->now);
        back.kind =
            m->kind == MEM_READ || m->kind == MEM_ATOMIC ? MEM_DATA : MEM_ACK;
        back.payload = back.kind == MEM_DATA
                           ? (uint16_t)(32 * __builtin_popcount(m->sectors))
                           : 0;
        if (reply)
            rig_remember(r, &back);
        r->ready = r->period ? r->now + r->period : 0;
    }
    while (!rig_rests(r, RIG_MEMORY) && (m = mem_ring_front(&r->memory)) &&
           m->when <= r->now) {
        if (!mem_port_push(&r->from_net, r->now, m))
            break;
        mem_ring_pop(&r->memory);
    }
}

static uint64_t min64(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Runs until cycle `end` (not included), or until nothing is left to do. */
static void rig_run(rig *r, uint64_t end)
{
    bool over = false;

    while (r->now < end && !over && !r->stop) {
        if (r->reversed) {
            rig_network(r);
            rig_lsu(r);
        }
        if (r->observe)
            r->observe(r, false);
        if (r->no_skip || r->next <= r->now || r->wake <= r->now)
            r->next = l1_tick(r->b, r->now);
        if (r->observe)
            r->observe(r, true);
        if (!r->reversed) {
            rig_lsu(r);
            rig_network(r);
        }
        uint64_t first =
            min64(r->next, r->deaf ? NEVER : mem_port_next(&r->to_lsu));
        if (!rig_stuck(r))
            first = min64(first, mem_port_next(&r->to_net));
        first = min64(first, mem_ring_next(&r->script));
        first = min64(first, mem_ring_next(&r->memory));
        r->wake = min64(mem_port_wake(&r->from_lsu, r->now),
                        mem_port_wake(&r->from_net, r->now));
        first = min64(first, r->wake);
        over = first == NEVER && r->done + r->silent == r->entered;
        if (r->stuck_every)
            first =
                min64(first, (r->now / r->stuck_every + 1) * r->stuck_every);
        if (r->chaos)
            first = min64(first, (r->now / RIG_SPAN + 1) * RIG_SPAN);
        if (r->now < r->ready)
            first = min64(first, r->ready);
        r->now = over || r->no_skip || first <= r->now ? r->now + 1
                                                       : min64(first, end);
    }
    l1_settle(r->b, r->now);
}

#endif
