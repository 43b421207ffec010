#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "cache/l2.h"
#include "dram/dram.h"
#include "gpu/node.h"

enum {
    NET_L2,
    L2_NET,
    L2_DRAM,
    DRAM_L2,
    NEAR_L2, /* from the counterpart's side, of a line with its home here */
    L2_HOME,
    LINK_L2,
    L2_LINK,
    SLICE_PORTS
};
enum { PORT_SLOTS = 2, PORT_LATENCY = 1 };

/* Of a slice: its ends, the first at the crossbar, and the L2. */
enum { SLICE_ENDS = 1 + NOC_LINKS, SLICE_BLOCKS = SLICE_ENDS + 1 };

typedef struct slice {
    l2 *l2;
    noc_end *end[SLICE_ENDS];
    mem_port port[SLICE_PORTS];
} slice;

struct partition {
    unsigned count; /* slices */
    unsigned ends;  /* of each slice */
    slice *slice;
    dram *dram;
    block *blocks; /* ends and L2 of each slice, then the DRAM channel */
    unsigned nblocks;
    mem_view *view;
    event_log log;
};

static uint64_t tick_l2(void *self, uint64_t now) { return l2_tick(self, now); }

static uint64_t tick_l2_traced(void *self, uint64_t now)
{
    return l2_tick_traced(self, now);
}

static uint64_t tick_dram(void *self, uint64_t now)
{
    return dram_tick(self, now);
}

static uint64_t tick_end(void *self, uint64_t now)
{
    return noc_end_tick(self, now);
}

/* Wires an end of the crossbar or of a link, its only source and its only
 * sink. */
static void wire_end(slice *s, unsigned which, block *b, mem_port *from,
                     mem_port *to)
{
    noc_end *e = s->end[which];

    noc_end_add_source(e, from);
    noc_end_add_sink(e, (1u << CLIENTS) - 1, to);
    b[which] = (block){.tick = tick_end,
                       .self = e,
                       .due.next = NEVER,
                       .ins = 1,
                       .in = {from},
                       .outs = 1,
                       .out = {to}};
    block_connect(&b[which]);
}

/* Its ends at the links to the counterpart. */
static void slice_links(slice *s, block *b, const config *cfg, unsigned id,
                        l2_ports *lp, stats *reg)
{
    static const char *const name[] = {"noc.ask[%u]", "noc.answer[%u]"};
    unsigned other = noc_counterpart(cfg, id);
    mem_port *p = s->port;
    char path[32];

    for (noc_link k = NOC_LINK_ASK; k < NOC_LINKS; k++) {
        noc_end_config ec = noc_link_end(cfg, id, k);

        snprintf(path, sizeof path, name[k], id);
        s->end[1 + k] = noc_end_new(&ec, cfg, reg, path);
    }
    lp->to_home = &p[L2_HOME];
    lp->from_near = &p[NEAR_L2];
    lp->to_link = &p[L2_LINK];
    lp->from_link = &p[LINK_L2];
    lp->home_end = (uint16_t)noc_link_end(cfg, other, NOC_LINK_ASK).id;
    lp->link_end = (uint16_t)noc_link_end(cfg, other, NOC_LINK_ANSWER).id;
    wire_end(s, 1 + NOC_LINK_ASK, b, &p[L2_HOME], &p[NEAR_L2]);
    wire_end(s, 1 + NOC_LINK_ANSWER, b, &p[L2_LINK], &p[LINK_L2]);
}

static void slice_init(slice *s, block *b, const config *cfg, unsigned id,
                       mem_view *view, stats *reg)
{
    char path[32];
    mem_port *p = s->port;
    bool links = cfg->l2.partitions > 1;

    for (unsigned i = 0; i < SLICE_PORTS; i++)
        mem_port_init(&p[i], i == NET_L2 ? cfg->l2.queue : PORT_SLOTS,
                      PORT_LATENCY);
    noc_end_config ec = noc_slice_end(cfg, id);
    l2_ports lp = {.from_net = &p[NET_L2],
                   .to_net = &p[L2_NET],
                   .to_dram = &p[L2_DRAM],
                   .from_dram = &p[DRAM_L2],
                   .view = view,
                   .slice = (uint16_t)id,
                   .node = (uint16_t)ec.id};

    if (links)
        slice_links(s, b, cfg, id, &lp, reg);
    snprintf(path, sizeof path, "l2[%u]", id);
    s->l2 = l2_new(cfg, reg, path, &lp);
    snprintf(path, sizeof path, "noc.l2[%u]", id);
    s->end[0] = noc_end_new(&ec, cfg, reg, path);
    wire_end(s, 0, b, &p[L2_NET], &p[NET_L2]);
    config_ratio clock = config_clock_ratio(cfg, cfg->l2.clock_khz);
    if (clock.num <= clock.den) /* one reply in a cycle */
        noc_end_take_first(s->end[0]);
    block *own = &b[links ? SLICE_ENDS : 1];
    *own = (block){.tick = tick_l2,
                   .self = s->l2,
                   .due.next = NEVER,
                   .ins = links ? 4 : 2,
                   .in = {&p[NET_L2], &p[DRAM_L2], &p[NEAR_L2], &p[LINK_L2]},
                   .outs = links ? 4 : 2,
                   .out = {&p[L2_NET], &p[L2_DRAM], &p[L2_HOME], &p[L2_LINK]}};
    block_connect(own);
}

partition *partition_new(const config *cfg, unsigned channel, mem_image *image,
                         stats *reg)
{
    partition *p = new0(1, sizeof *p);
    char path[32];

    p->count = cfg->l2.slices / cfg->dram.channels;
    p->ends = cfg->l2.partitions > 1 ? SLICE_ENDS : 1;
    p->nblocks = (p->ends + 1) * p->count + 1;
    p->slice = new0(p->count, sizeof *p->slice);
    p->blocks = new0(p->nblocks, sizeof *p->blocks);
    p->view = mem_view_new(image, false);
    for (unsigned i = 0; i < p->count; i++)
        slice_init(&p->slice[i], &p->blocks[(p->ends + 1) * i], cfg,
                   channel * p->count + i, p->view, reg);

    block *b = &p->blocks[(p->ends + 1) * p->count];
    dram_ports dp = {.slices = p->count, .channel = channel};

    MUST(p->count <= BLOCK_PORTS && p->count <= DRAM_SLICES);
    *b = (block){.tick = tick_dram,
                 .due.next = NEVER,
                 .ins = p->count,
                 .outs = p->count};
    for (unsigned i = 0; i < p->count; i++) {
        dp.from_l2[i] = b->in[i] = &p->slice[i].port[L2_DRAM];
        dp.to_l2[i] = b->out[i] = &p->slice[i].port[DRAM_L2];
    }
    snprintf(path, sizeof path, "dram[%u]", channel);
    block_connect(b);
    b->self = p->dram = dram_new(cfg, reg, path, &dp);
    return p;
}

void partition_free(partition *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < p->count; i++) {
        slice *s = &p->slice[i];

        l2_free(s->l2);
        for (unsigned k = 0; k < p->ends; k++)
            noc_end_free(s->end[k]);
        for (unsigned k = 0; k < SLICE_PORTS; k++)
            mem_port_fini(&s->port[k]);
    }
    dram_free(p->dram);
    free(p->slice);
    free(p->blocks);
    mem_view_free(p->view);
    free(p->log.event);
    free(p);
}

unsigned partition_ends(const partition *p) { return p->count * p->ends; }

noc_end *partition_end(const partition *p, unsigned i)
{
    return p->slice[i / p->ends].end[i % p->ends];
}

void partition_pair(partition *p, partition *q)
{
    for (unsigned i = 0; i < p->count; i++)
        l2_pair(p->slice[i].l2, q->slice[i].l2);
}

mem_view *partition_view(const partition *p) { return p->view; }

void partition_copied(partition *p, unsigned i, uint64_t line, uint8_t sectors)
{
    l2_copied(p->slice[i].l2, line, sectors);
}

void partition_touched(partition *p, unsigned i, uint64_t line, uint8_t sectors,
                       bool store)
{
    l2_touched(p->slice[i].l2, line, sectors, store);
}

void partition_persist(partition *p, uint64_t bytes)
{
    for (unsigned i = 0; i < p->count; i++)
        l2_persist(p->slice[i].l2, bytes);
}

void partition_persist_no_more(partition *p)
{
    for (unsigned i = 0; i < p->count; i++)
        l2_persist_no_more(p->slice[i].l2);
}

void partition_run(partition *p, uint64_t from, uint64_t to, node_pace pace)
{
    block *b = p->blocks;

    for (unsigned i = 0; i < p->count; i++, b++)
        for (unsigned k = 0; k < p->ends; k++, b++) {
            uint64_t t = noc_end_next(p->slice[i].end[k]);

            b->due.next = mem_earlier(b->due.next, t);
            noc_end_window(p->slice[i].end[k], to);
        }
    if (p->nblocks == 5) /* a constant lets the compiler unroll the loops */
        blocks_run(p->blocks, 5, from, to, pace);
    else
        blocks_run(p->blocks, p->nblocks, from, to, pace);
}

uint64_t partition_next(const partition *p)
{
    uint64_t next = blocks_due(p->blocks, p->nblocks);

    for (unsigned i = 0; i < p->count; i++)
        for (unsigned k = 0; k < p->ends; k++) {
            uint64_t t = noc_end_next(p->slice[i].end[k]);

            next = t < next ? t : next;
        }
    return next;
}

void partition_settle(partition *p, uint64_t now)
{
    for (unsigned i = 0; i < p->count; i++)
        l2_settle(p->slice[i].l2, now);
    dram_settle(p->dram, now);
}

static void set_log(partition *p, event_log *log)
{
    for (unsigned i = 0; i < p->count; i++) {
        l2_trace(p->slice[i].l2, log);
        p->blocks[(p->ends + 1) * i + p->ends].tick =
            log ? tick_l2_traced : tick_l2;
        noc_end_trace(p->slice[i].end[0], log);
    }
    dram_trace(p->dram, log);
}

event_log *partition_trace(partition *p)
{
    set_log(p, &p->log);
    return &p->log;
}

void partition_trace_end(partition *p)
{
    set_log(p, NULL);
    p->log.count = 0;
}

static bool partition_idle(const partition *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        if (!l2_idle(p->slice[i].l2))
            return false;
        for (unsigned k = 0; k < p->ends; k++)
            if (!noc_end_idle(p->slice[i].end[k]))
                return false;
    }
    return dram_idle(p->dram);
}

void partition_dump(const partition *p, FILE *f)
{
    if (partition_idle(p))
        return;
    for (unsigned i = 0; i < p->count; i++) {
        l2_dump(p->slice[i].l2, f);
        for (unsigned k = 0; k < p->ends; k++)
            noc_end_dump(p->slice[i].end[k], f);
    }
    dram_dump(p->dram, f);
}
