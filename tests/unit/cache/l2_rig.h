/* tests/unit/cache/l2_rig.h - an L2 slice with a scripted network in front and
 * a DRAM of fixed latency behind it. */
#ifndef L2_RIG_H
#define L2_RIG_H

#include "test.h"

#include "cache/l2.h"
#include "exec/exec.h"
#include "mem/ring.h"

enum { RIG_TAGS = 1 << 15 };

typedef struct rig {
    config cfg;
    stats *reg;
    mem_image *image;
    mem_view *view;
    uint64_t base; /* of an allocation of 1 MiB */
    l2 *b;
    mem_port from_net, to_net, to_dram, from_dram;
    mem_ring script; /* requests, due when the network offers them */
    mem_ring memory; /* replies underway, due at from_dram */
    mem_ring sent;   /* all that reached DRAM, `when` it did */
    uint64_t latency;
    unsigned net_latency; /* of the port to the network */
    bool net_stuck;       /* takes no replies */
    uint64_t stuck_every; /* the same, in every other span of so long */
    bool no_skip, reversed;
    uint64_t now, next, wake;
    unsigned entered, owed, done;
    uint64_t at[RIG_TAGS]; /* cycle in which the reply was visible */
    uint8_t kind[RIG_TAGS];
    uint32_t order[RIG_TAGS]; /* tags as they were answered */
} rig;

/* The only slice, 4 sets of 2 ways; hit 20, miss 6, fill 8, atomics 5 more;
 * DRAM takes 100. */
static inline rig *rig_new(void)
{
    rig *r = calloc(1, sizeof *r);

    config_defaults(&r->cfg);
    r->cfg.gpu.clock_khz = 1000000;
    r->cfg.l2.clock_khz = 0;
    r->cfg.l2.slices = r->cfg.dram.channels = 1;
    r->cfg.l2.sets = 4;
    r->cfg.l2.ways = 2;
    r->cfg.l2.index = CFG_INDEX_MOD;
    r->cfg.l2.latency = 20;
    r->cfg.l2.miss_latency = 6;
    r->cfg.l2.fill_latency = 8;
    r->cfg.l2.atomic_latency = 5;
    r->cfg.l2.mshrs = 4;
    r->cfg.l2.merges = 3;
    r->cfg.l2.miss_queue = 4;
    r->cfg.l2.data_bytes = 128;
    r->latency = 100;
    r->net_latency = 1;
    r->image = mem_image_new(1 << 21);
    r->base = mem_alloc(r->image, 1 << 20, "a");
    return r;
}

static void rig_start(rig *r)
{
    r->reg = stats_new();
    r->view = mem_view_new(r->image, false);
    mem_port_init(&r->from_net, 4, 1);
    mem_port_init(&r->to_net, 4, r->net_latency);
    mem_port_init(&r->to_dram, 4, 1);
    mem_port_init(&r->from_dram, 4, 1);
    mem_ring_init(&r->script, RIG_TAGS);
    mem_ring_init(&r->memory, RIG_TAGS);
    mem_ring_init(&r->sent, RIG_TAGS);
    l2_ports p = {.from_net = &r->from_net,
                  .to_net = &r->to_net,
                  .to_dram = &r->to_dram,
                  .from_dram = &r->from_dram,
                  .view = r->view,
                  .slice = 7,
                  .node = 9};
    r->b = l2_new(&r->cfg, r->reg, "l2", &p);
    CHECK(r->b != NULL);
}

static void rig_free(rig *r)
{
    l2_free(r->b);
    stats_free(r->reg);
    mem_view_free(r->view);
    mem_image_free(r->image);
    mem_port_fini(&r->from_net);
    mem_port_fini(&r->to_net);
    mem_port_fini(&r->to_dram);
    mem_port_fini(&r->from_dram);
    mem_ring_fini(&r->script);
    mem_ring_fini(&r->memory);
    mem_ring_fini(&r->sent);
    free(r);
}

static inline uint64_t rig_stat(const rig *r, const char *id)
{
    char name[96];
    uint64_t v;

    snprintf(name, sizeof name, "l2.%s", id);
    CHECK(stats_find(r->reg, NULL, name, &v));
    return v;
}

static uint32_t rig_ask(rig *r, uint64_t when, mem_msg m)
{
    m.tag = r->entered++;
    m.src = (uint16_t)(m.tag % 5);
    m.client = CLIENT_L1;
    if (!m.sectors)
        m.sectors = 0xf;
    r->owed += m.kind != MEM_WRITE || m.ack;
    mem_ring_push(&r->script, &m, when);
    return m.tag;
}

static inline uint32_t rig_read(rig *r, uint64_t when, uint64_t addr,
                                uint8_t sectors)
{
    return rig_ask(
        r, when, (mem_msg){.kind = MEM_READ, .addr = addr, .sectors = sectors});
}

static inline uint32_t rig_write(rig *r, uint64_t when, uint64_t addr,
                                 uint8_t sectors, bool partial)
{
    return rig_ask(r, when,
                   (mem_msg){.kind = MEM_WRITE,
                             .addr = addr,
                             .sectors = sectors,
                             .ack = true,
                             .partial = partial});
}

static bool rig_stuck(const rig *r)
{
    return r->net_stuck || (r->stuck_every && r->now / r->stuck_every % 2 == 1);
}

static void rig_network(rig *r)
{
    mem_msg *m;

    while (!rig_stuck(r) && (m = mem_port_peek(&r->to_net, r->now))) {
        CHECK(m->tag < r->entered && !r->at[m->tag]);
        CHECK_EQ(m->dst, m->tag % 5);
        CHECK_EQ(m->src, 9);
        r->at[m->tag] = r->now;
        r->kind[m->tag] = m->kind;
        r->order[r->done++] = m->tag;
        mem_port_pop(&r->to_net, r->now);
    }
    while ((m = mem_ring_front(&r->script)) && m->when <= r->now) {
        if (!mem_port_push(&r->from_net, r->now, m))
            break;
        mem_ring_pop(&r->script);
    }
}

static void rig_dram(rig *r)
{
    mem_msg *m;

    while ((m = mem_port_peek(&r->to_dram, r->now))) {
        CHECK_EQ(m->src, 7);
        mem_ring_push(&r->sent, m, r->now);
        if (m->kind == MEM_READ) {
            mem_msg back = *m;
            back.kind = MEM_DATA;
            mem_ring_push(&r->memory, &back, r->now + r->latency);
        }
        mem_port_pop(&r->to_dram, r->now);
    }
    while ((m = mem_ring_front(&r->memory)) && m->when <= r->now) {
        if (!mem_port_push(&r->from_dram, r->now, m))
            break;
        mem_ring_pop(&r->memory);
    }
}

static uint64_t min64(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Runs until cycle `end` (not included), or until nothing is left to do. */
static void rig_run(rig *r, uint64_t end)
{
    bool over = false;

    while (r->now < end && !over) {
        if (r->reversed) {
            rig_dram(r);
            rig_network(r);
        }
        if (r->no_skip || r->next <= r->now || r->wake <= r->now)
            r->next = l2_tick(r->b, r->now);
        if (!r->reversed) {
            rig_network(r);
            rig_dram(r);
        }
        uint64_t first = min64(r->next, mem_port_next(&r->to_dram));
        if (!rig_stuck(r))
            first = min64(first, mem_port_next(&r->to_net));
        first = min64(first, mem_ring_next(&r->script));
        first = min64(first, mem_ring_next(&r->memory));
        r->wake = min64(mem_port_wake(&r->from_net, r->now),
                        mem_port_wake(&r->from_dram, r->now));
        first = min64(first, r->wake);
        over = first == NEVER && r->done == r->owed;
        if (r->stuck_every)
            first =
                min64(first, (r->now / r->stuck_every + 1) * r->stuck_every);
        r->now = over || r->no_skip || first <= r->now ? r->now + 1
                                                       : min64(first, end);
    }
    l2_settle(r->b, r->now);
}

#endif
