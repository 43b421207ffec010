/* tests/unit/gpu/contract_blocks.h - the blocks that meet others through
 * mem/port.h, each of random shape on a bench. */
#ifndef CONTRACT_BLOCKS_H
#define CONTRACT_BLOCKS_H

#include "cache/l1.h"
#include "cache/l2.h"
#include "contract.h"
#include "dram/dram.h"
#include "isa/isa.h"
#include "mem/clock.h"
#include "noc/noc.h"
#include "unit/cache/l1_config.h"
#include "unit/cache/l2_config.h"
#include "unit/dram/dram_config.h"

static uint64_t min64(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t line(const bench *b, rng *g, unsigned lines)
{
    return b->base + (uint64_t)rng_below(g, lines) * MEM_LINE;
}

static uint8_t sectors(rng *g) { return (uint8_t)(1 + rng_below(g, 15)); }

/* A write, with or without acknowledgement and whole sectors. */
static void make_write(mem_msg *m, rng *g)
{
    m->kind = MEM_WRITE;
    m->ack = rng_below(g, 2);
    m->partial = rng_below(g, 2);
}

/* -- L1 ----------------------------------------------------------------- */

static uint64_t tick_l1(void *self, uint64_t now) { return l1_tick(self, now); }

static void place_l1(bench *b, rng *g, const config *c, mem_client client)
{
    uint64_t soon = min64(c->l1.latency, c->l1.fill_latency) - 1;
    face *lsu = face_add(b, g, true, (unsigned)min64(soon, 4));
    face *net = face_add(b, g, false, 4);
    l1_ports p = {.from_lsu = &lsu->to,
                  .to_lsu = &lsu->from,
                  .to_net = &net->from,
                  .from_net = &net->to,
                  .node = 3,
                  .client = (uint8_t)client};

    b->own = l1_new(c, b->reg, "l1", &p);
    MUST(b->own != NULL);
    part *cache = part_add(b, b->own, tick_l1);
    part_face(cache, lsu);
    part_face(cache, net);
    /* A hit, or a read that meets its fill. */
    b->least = 1 + min64(c->l1.latency, c->l1.fill_latency);
}

static void build_l1(bench *b, rng *g)
{
    random_l1(&b->cfg, g);
    place_l1(b, g, &b->cfg, CLIENT_L1);
}

static void build_l1_queues(bench *b, rng *g)
{
    random_l1(&b->cfg, g);
    do
        random_l1_queues(&b->cfg, g, 32);
    while (b->cfg.l1.queue == CFG_L1_QUEUE_FIFO);
    random_l1_rivals(&b->cfg, g);
    b->cfg.l1.mascar.owner = false; /* faces know of answers only */
    place_l1(b, g, &b->cfg, CLIENT_L1);
}

static void build_read_only(bench *b, rng *g)
{
    config c;

    b->cfg.rocache.sets = 1u << rng_below(g, 4);
    b->cfg.rocache.ways = 1 + rng_below(g, 4);
    b->cfg.rocache.latency = 2 + rng_below(g, 20);
    b->cfg.rocache.fill_latency = 2 + rng_below(g, 10);
    b->cfg.rocache.mshrs = 1 + rng_below(g, 8);
    b->cfg.rocache.merges = 1 + rng_below(g, 8);
    b->cfg.rocache.miss_queue = 2 + rng_below(g, 8);
    l1_read_only_config(&b->cfg, &c);
    place_l1(b, g, &c, CLIENT_RO);
}

static void free_l1(bench *b) { l1_free(b->own); }

static bool idle_l1(const bench *b) { return l1_idle(b->own); }

static void settle_l1(bench *b, uint64_t now) { l1_settle(b->own, now); }

static void make_read_only(bench *b, const face *f, rng *g, mem_msg *m)
{
    (void)f;
    m->kind = MEM_READ;
    m->client = CLIENT_LSU;
    m->addr = line(b, g, 48);
    m->sectors = sectors(g);
    m->warp = (uint8_t)rng_below(g, 12);
    m->cta = m->warp / 2;
}

static void make_l1(bench *b, const face *f, rng *g, mem_msg *m)
{
    static const uint8_t hints[] = {CACHE_CA, CACHE_CA, CACHE_CS, CACHE_CG,
                                    CACHE_CV};
    unsigned what = rng_below(g, 20);

    make_read_only(b, f, g, m);
    m->hint = hints[rng_below(g, 5)];
    m->ordered = m->hint == CACHE_CV || rng_below(g, 20) == 0;
    m->local = m->addr % 512 == 0;
    if (what >= 18)
        m->kind = what == 18 ? MEM_ATOMIC : MEM_REDUCE;
    else if (what >= 12)
        make_write(m, g);
}

/* -- L2 ----------------------------------------------------------------- */

typedef struct l2_own {
    l2 *l2;
    mem_atom atom[ASKS];
} l2_own;

static uint64_t tick_l2(void *self, uint64_t now) { return l2_tick(self, now); }

static void build_l2(bench *b, rng *g)
{
    l2_own *own = b->own = calloc(1, sizeof *own);
    config *c = &b->cfg;
    face *net = face_add(b, g, true, 4), *mem = face_add(b, g, false, 4);
    l2_ports p = {.from_net = &net->to,
                  .to_net = &net->from,
                  .to_dram = &mem->from,
                  .from_dram = &mem->to,
                  .view = b->view,
                  .slice = 7,
                  .node = 9};

    c->gpu.clock_khz = 1000000;
    c->l2.slices = c->dram.channels = 1;
    random_l2(c, g);
    MUST(own != NULL);
    own->l2 = l2_new(c, b->reg, "l2", &p);
    MUST(own->l2 != NULL);
    part *slice = part_add(b, own->l2, tick_l2);
    part_face(slice, net);
    part_face(slice, mem);
    /* The slice takes the port's cycles off its latency, whatever its clock is
     * (l2_access.c, reply()): with a slow clock an answer comes so much sooner.
     */
    uint64_t port = net->from.latency;
    uint64_t inside = min64(c->l2.latency, c->l2.fill_latency);
    b->least = 1 + port +
               mem_clock_to_core(config_clock_ratio(c, c->l2.clock_khz),
                                 inside > port ? inside - port : 0);
}

static void free_l2(bench *b)
{
    l2_own *own = b->own;

    l2_free(own->l2);
    free(own);
}

static bool idle_l2(const bench *b) { return l2_idle(((l2_own *)b->own)->l2); }

static void settle_l2(bench *b, uint64_t now)
{
    l2_settle(((l2_own *)b->own)->l2, now);
}

/* Each lane adds to a word of the line. */
static void make_atom(mem_atom *a, const mem_msg *m, rng *g)
{
    *a = (mem_atom){.op = ATOM_ADD, .type = ATYPE_U32};
    for (unsigned l = 0; l < 32; l++) {
        unsigned word = rng_below(g, 32);

        if (!(m->sectors >> word / 8 & 1))
            continue;
        a->lanes |= 1u << l;
        a->addr[l] = m->addr + word * 4;
        a->a[l] = 1 + rng_below(g, 9);
    }
}

static void make_l2(bench *b, const face *f, rng *g, mem_msg *m)
{
    unsigned what = rng_below(g, 20);

    (void)f;
    m->client = (uint8_t)rng_below(g, CLIENT_L2);
    m->src = (uint16_t)rng_below(g, 5);
    m->addr = line(b, g, 40);
    m->sectors = sectors(g);
    m->kind = MEM_READ;
    if (what >= 15) {
        m->kind = what < 18 ? MEM_ATOMIC : MEM_REDUCE;
        m->atom = &((l2_own *)b->own)->atom[m->tag];
        make_atom(m->atom, m, g);
    } else if (what >= 9) {
        make_write(m, g);
    }
}

/* -- DRAM --------------------------------------------------------------- */

static uint64_t tick_dram(void *self, uint64_t now)
{
    return dram_tick(self, now);
}

static void build_dram(bench *b, rng *g)
{
    config *c = &b->cfg;
    unsigned slices = 1u << rng_below(g, 3);
    dram_ports p = {.slices = slices};

    c->gpu.clock_khz = 1000000;
    c->l2.slices = slices;
    c->l2.interleave = 256;
    c->dram.channels = 1;
    random_dram(c, g);
    for (unsigned i = 0; i < slices; i++) {
        face *f = face_add(b, g, true, 4);

        p.from_l2[i] = &f->to;
        p.to_l2[i] = &f->from;
    }
    b->own = dram_new(c, b->reg, "dram", &p);
    MUST(b->own != NULL);
    part *channel = part_add(b, b->own, tick_dram);
    for (unsigned i = 0; i < slices; i++)
        part_face(channel, &b->face[i]);
    b->least = 2 + c->dram.latency;
}

static void free_dram(bench *b) { dram_free(b->own); }

static bool idle_dram(const bench *b) { return dram_idle(b->own); }

static void settle_dram(bench *b, uint64_t now) { dram_settle(b->own, now); }

/* To the slice of its address. */
static void make_dram(bench *b, const face *f, rng *g, mem_msg *m)
{
    mem_route r;

    mem_route_init(&r, &b->cfg);
    m->client = CLIENT_L2;
    m->kind = rng_below(g, 3) ? MEM_READ : MEM_WRITE;
    m->sectors = sectors(g);
    do
        m->addr = line(b, g, rng_below(g, 4) ? 64 : 1 << 14);
    while (mem_route_slice(&r, m->addr) != (uint32_t)(f - b->face));
}

/* -- crossbar ----------------------------------------------------------- */

enum { SMS = 2, SLICES = 2, ENDS = SMS + SLICES };

typedef struct noc_own {
    noc_end *end[ENDS];
} noc_own;

static uint64_t tick_end(void *self, uint64_t now)
{
    return noc_end_tick(self, now);
}

static void random_noc(config *c, rng *g)
{
    c->gpu.clock_khz = 1000000;
    c->gpu.sms = SMS;
    c->l2.slices = c->dram.channels = SLICES;
    c->noc.clock_khz = rng_below(g, 2) ? 0 : 500000;
    c->noc.latency = 1 + rng_below(g, 20);
    c->gpu.window = 1 + rng_below(g, c->noc.latency);
    c->noc.buffer = 1 + rng_below(g, 8);
    c->noc.header_bytes = 8;
    c->noc.request_bytes = 8u << rng_below(g, 4);
    c->noc.reply_bytes = 8u << rng_below(g, 4);
    c->noc.partition_in_bytes = 8u << rng_below(g, 4);
    c->noc.partition_out_bytes = 8u << rng_below(g, 4);
}

static void build_noc(bench *b, rng *g)
{
    noc_own *own = b->own = calloc(1, sizeof *own);

    MUST(own != NULL);
    random_noc(&b->cfg, g);
    for (unsigned i = 0; i < ENDS; i++) {
        noc_end_config c =
            i < SMS ? noc_sm_end(&b->cfg, i) : noc_slice_end(&b->cfg, i - SMS);
        face *f = face_add(b, g, i < SMS, 4);
        char path[16];

        snprintf(path, sizeof path, "noc[%u]", i);
        own->end[i] = noc_end_new(&c, &b->cfg, b->reg, path);
        MUST(own->end[i] != NULL);
        noc_end_add_source(own->end[i], &f->to);
        noc_end_add_sink(own->end[i], (1u << CLIENTS) - 1, &f->from);
        part_face(part_add(b, own->end[i], tick_end), f);
    }
    b->window = noc_window(&b->cfg);
    b->least = 2 * (b->cfg.noc.latency + 2) + 1;
}

static void free_noc(bench *b)
{
    noc_own *own = b->own;

    for (unsigned i = 0; i < ENDS; i++)
        noc_end_free(own->end[i]);
    free(own);
}

static bool idle_noc(const bench *b)
{
    const noc_own *own = b->own;

    for (unsigned i = 0; i < ENDS; i++)
        if (!noc_end_idle(own->end[i]))
            return false;
    return true;
}

static void settle_noc(bench *b, uint64_t now) { (void)b, (void)now; }

/* What was sent in the window that ended arrives, and wakes. */
static void window_noc(bench *b, uint64_t now)
{
    noc_own *own = b->own;

    for (unsigned i = 0; i < ENDS; i++)
        noc_end_exchange(own->end[i], own->end, ENDS, now);
    for (unsigned i = 0; i < ENDS; i++) {
        block *k = &b->part[i].block;

        k->due.next = min64(k->due.next, noc_end_next(own->end[i]));
    }
}

/* Requests go to the slice of their address, answers to who asked. */
static bool belongs_noc(const bench *b, const face *f, const mem_msg *m)
{
    unsigned end = (unsigned)(f - b->face);
    mem_route r;

    mem_route_init(&r, &b->cfg);
    return end < SMS ? m->dst == end
                     : mem_route_slice(&r, m->addr) == end - SMS;
}

static void make_noc(bench *b, const face *f, rng *g, mem_msg *m)
{
    (void)f;
    m->client = (uint8_t)rng_below(g, CLIENTS);
    m->addr = line(b, g, 512);
    m->sectors = sectors(g);
    m->kind = MEM_READ;
    if (rng_below(g, 2)) {
        make_write(m, g);
        m->payload = mem_sectors_bytes(m->sectors);
    }
}

#endif
