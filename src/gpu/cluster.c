#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "cache/l1.h"
#include "cache/tlb.h"
#include "gpu/node.h"
#include "sm/let_go.h"
#include "sm/observe/trace.h"

/* Ports of one SM, by direction. */
enum {
    LSU_L1,
    L1_LSU,
    L1_NET,
    NET_L1,
    ICACHE_NET,
    NET_ICACHE,
    CONST_NET,
    NET_CONST,
    LSU_RO,
    RO_LSU,
    RO_NET,
    NET_RO,
    TMA_NET,
    NET_TMA,
    SM_CGA, /* to other SMs of the GPC and back: requests, */
    CGA_SM,
    SM_CGA_REPLY, /* and replies */
    CGA_SM_REPLY,
    SM_PORTS
};

/* Small queues: what waits, waits in the blocks, where it is counted. Two
 * slots and one cycle of latency pass one message a cycle. */
enum { PORT_SLOTS = 2, PORT_LATENCY = 1 };

enum { BLOCK_SM, BLOCK_L1, BLOCK_END, SM_BLOCKS };

typedef struct order_queue { /* CTAs on their way, in order of cycles */
    dispatch_order *ring;
    unsigned room, head, count;
} order_queue;

typedef struct core {
    sm *sm;
    l1 *l1;
    l1 *ro; /* NULL: textures go through the L1 */
    noc_end *end;
    noc_end *cga[CLUSTER_CGA_ENDS]; /* NULL: no thread-block clusters */
    mem_port port[SM_PORTS];
    order_queue orders;
    bool bulk;   /* it has a tensor memory accelerator */
    bool linked; /* it had CTAs of a cluster: only then may `cga` have work */
    bool busy;
    bool shares; /* is one of several that may share a front end */
} core;

struct cluster {
    unsigned count;
    core *core;
    block *blocks; /* SM_BLOCKS of each core */
    mem_view *view;
    unsigned first;   /* SM */
    uint64_t ordered; /* CTAs that it has been given */
    event_log log;
};

/* Is there a message for the SM? */
static bool has_reply(const core *c, uint64_t now)
{
    return mem_port_peek(&c->port[L1_LSU], now) ||
           (c->ro && mem_port_peek(&c->port[RO_LSU], now)) ||
           mem_port_peek(&c->port[NET_ICACHE], now) ||
           mem_port_peek(&c->port[NET_CONST], now) ||
           (c->bulk && mem_port_peek(&c->port[NET_TMA], now)) ||
           (c->linked && (mem_port_peek(&c->port[CGA_SM], now) ||
                          mem_port_peek(&c->port[CGA_SM_REPLY], now)));
}

static inline void start_orders(core *c, uint64_t now)
{
    order_queue *q = &c->orders;

    while (q->count && q->ring[q->head].when <= now &&
           (!c->shares || sm_cluster_starts(c->sm, q->ring[q->head].row))) {
        const dispatch_order *o = &q->ring[q->head];

        sm_cta_start(c->sm, now, o->launch, o->id, o->number, o->cga, o->rank);
        q->head = (q->head + 1) % q->room;
        q->count--;
        c->busy = true;
        if (c->shares)
            sm_cluster_receive(c->sm, now);
    }
    MUST(!q->count || q->ring[q->head].when > now || c->shares);
}

/* When a member of a cluster has work: at `next` by its own doing, or when a
 * word of another member or a CTA comes. */
static uint64_t tick_member(core *c, uint64_t now, uint64_t next)
{
    const order_queue *q = &c->orders;
    uint64_t t = sm_cluster_next(c->sm);

    next = t < next ? t : next;
    if (!q->count)
        return next;
    t = q->ring[q->head].when;
    if (t <= now) /* it awaits others, or the next cycle */
        t = sm_cluster_starts(c->sm, q->ring[q->head].row) ? now + 1 : NEVER;
    return t < next ? t : next;
}

/* An SM without CTAs is left alone, so that its slots are those of the cycles
 * from launch to completion also when every cycle is ticked. */
static uint64_t tick_sm(void *self, uint64_t now)
{
    core *c = self;
    const order_queue *q = &c->orders;
    bool received = c->shares && sm_cluster_receive(c->sm, now);

    start_orders(c, now);
    uint64_t next = c->busy ? now : sm_expects(c->sm, now);
    if (next == now || received || has_reply(c, now))
        next = sm_tick(c->sm, now);
    if (c->busy && sm_idle(c->sm))
        c->busy = false;
    if (c->shares)
        return tick_member(c, now, next);
    if (q->count && q->ring[q->head].when < next)
        next = q->ring[q->head].when;
    return next;
}

static uint64_t tick_l1(void *self, uint64_t now) { return l1_tick(self, now); }

static uint64_t tick_traced(void *self, uint64_t now)
{
    core *c = self;
    uint64_t a = l1_tick_traced(c->l1, now);
    uint64_t b = c->ro ? l1_tick_traced(c->ro, now) : NEVER;

    return a < b ? a : b;
}

/* Both caches of an SM that has two. */
static uint64_t tick_caches(void *self, uint64_t now)
{
    core *c = self;
    uint64_t a = l1_tick(c->l1, now), b = l1_tick(c->ro, now);

    return a < b ? a : b;
}

static uint64_t tick_end(void *self, uint64_t now)
{
    return noc_end_tick(self, now);
}

/* And those towards other SMs of the GPC. */
static uint64_t tick_ends(void *self, uint64_t now)
{
    core *c = self;
    uint64_t next = noc_end_tick(c->end, now);

    for (unsigned k = 0; c->linked && k < CLUSTER_CGA_ENDS; k++)
        next = mem_earlier(next, noc_end_tick(c->cga[k], now));
    return next;
}

/* When what is on its way to the SM arrives. */
static uint64_t arrives_at(const core *c)
{
    uint64_t next = noc_end_next(c->end);

    for (unsigned k = 0; c->linked && k < CLUSTER_CGA_ENDS; k++)
        next = mem_earlier(next, noc_end_next(c->cga[k]));
    return next;
}

static void add_in(block *b, mem_port *p) { b->in[b->ins++] = p; }
static void add_out(block *b, mem_port *p) { b->out[b->outs++] = p; }

static void wire_read_only(core *c, block *b)
{
    mem_port *p = c->port;

    noc_end_add_source(c->end, &p[RO_NET]);
    noc_end_add_sink(c->end, 1u << CLIENT_RO, &p[NET_RO]);
    add_in(&b[BLOCK_SM], &p[RO_LSU]);
    add_out(&b[BLOCK_SM], &p[LSU_RO]);
    b[BLOCK_L1].tick = tick_caches;
    b[BLOCK_L1].self = c;
    add_in(&b[BLOCK_L1], &p[LSU_RO]);
    add_in(&b[BLOCK_L1], &p[NET_RO]);
    add_out(&b[BLOCK_L1], &p[RO_LSU]);
    add_out(&b[BLOCK_L1], &p[RO_NET]);
    add_in(&b[BLOCK_END], &p[RO_NET]);
    add_out(&b[BLOCK_END], &p[NET_RO]);
}

static void wire_bulk(core *c, block *b)
{
    mem_port *p = c->port;

    noc_end_add_source(c->end, &p[TMA_NET]);
    noc_end_add_sink(c->end, 1u << CLIENT_TMA, &p[NET_TMA]);
    add_in(&b[BLOCK_SM], &p[NET_TMA]);
    add_out(&b[BLOCK_SM], &p[TMA_NET]);
    add_in(&b[BLOCK_END], &p[TMA_NET]);
    add_out(&b[BLOCK_END], &p[NET_TMA]);
}

static void wire_cga(core *c, block *b)
{
    static const uint8_t out[] = {SM_CGA, SM_CGA_REPLY};
    static const uint8_t in[] = {CGA_SM, CGA_SM_REPLY};
    mem_port *p = c->port;

    for (unsigned k = 0; k < CLUSTER_CGA_ENDS; k++) {
        noc_end_add_source(c->cga[k], &p[out[k]]);
        noc_end_add_sink(c->cga[k], 1u << CLIENT_LSU | 1u << CLIENT_TMA,
                         &p[in[k]]);
        add_in(&b[BLOCK_SM], &p[in[k]]);
        add_out(&b[BLOCK_SM], &p[out[k]]);
        add_in(&b[BLOCK_END], &p[out[k]]);
        add_out(&b[BLOCK_END], &p[in[k]]);
    }
    b[BLOCK_END].tick = tick_ends;
    b[BLOCK_END].self = c;
}

static void core_wire(core *c, block *b)
{
    mem_port *p = c->port;

    noc_end_add_source(c->end, &p[L1_NET]);
    noc_end_add_source(c->end, &p[ICACHE_NET]);
    noc_end_add_source(c->end, &p[CONST_NET]);
    noc_end_add_sink(c->end, 1u << CLIENT_L1 | 1u << CLIENT_LSU, &p[NET_L1]);
    noc_end_add_sink(c->end, 1u << CLIENT_ICACHE, &p[NET_ICACHE]);
    noc_end_add_sink(c->end, 1u << CLIENT_CONST, &p[NET_CONST]);
    b[BLOCK_SM] = (block){.tick = tick_sm,
                          .self = c,
                          .due.next = NEVER,
                          .ins = 3,
                          .outs = 3,
                          .in = {&p[L1_LSU], &p[NET_ICACHE], &p[NET_CONST]},
                          .out = {&p[LSU_L1], &p[ICACHE_NET], &p[CONST_NET]}};
    b[BLOCK_L1] = (block){.tick = tick_l1,
                          .self = c->l1,
                          .due.next = NEVER,
                          .ins = 2,
                          .outs = 2,
                          .in = {&p[LSU_L1], &p[NET_L1]},
                          .out = {&p[L1_LSU], &p[L1_NET]}};
    b[BLOCK_END] = (block){.tick = tick_end,
                           .self = c->end,
                           .due.next = NEVER,
                           .ins = 3,
                           .outs = 3,
                           .in = {&p[L1_NET], &p[ICACHE_NET], &p[CONST_NET]},
                           .out = {&p[NET_L1], &p[NET_ICACHE], &p[NET_CONST]}};
    if (!c->ro && !c->bulk)
        noc_end_take_first(c->end);
    if (c->ro)
        wire_read_only(c, b);
    if (c->bulk)
        wire_bulk(c, b);
    if (c->cga[0])
        wire_cga(c, b);
    for (unsigned i = 0; i < SM_BLOCKS; i++)
        block_connect(&b[i]);
}

static unsigned port_slots(const config *cfg, unsigned port)
{
    return port == LSU_L1   ? cfg->l1.queue_depth
           : port == LSU_RO ? cfg->rocache.queue_depth
                            : PORT_SLOTS;
}

static void read_only_init(core *c, const config *cfg, unsigned id, stats *reg,
                           const mmu *m)
{
    mem_port *p = c->port;
    config *own = new_array(1, sizeof *own);
    char path[32];
    l1_ports lp = {.node = (uint16_t)id,
                   .client = CLIENT_RO,
                   .mmu = m,
                   .from_lsu = &p[LSU_RO],
                   .to_lsu = &p[RO_LSU],
                   .to_net = &p[RO_NET],
                   .from_net = &p[NET_RO]};

    l1_read_only_config(cfg, own);
    snprintf(path, sizeof path, "sm[%u].ro", id);
    c->ro = l1_new(own, reg, path, &lp);
    free(own);
}

/* Networks of requests and of replies. */
static void cga_init(core *c, const config *cfg, unsigned id, stats *reg)
{
    static const char *const names[] = {"request", "reply"};
    noc_end_config ec = noc_cga_end(cfg, id);
    char path[32];

    for (unsigned k = 0; k < CLUSTER_CGA_ENDS; k++) {
        snprintf(path, sizeof path, "cga.%s[%u]", names[k], id);
        c->cga[k] = noc_end_new(&ec, cfg, reg, path);
    }
}

static void core_init(core *c, block *b, const config *cfg, unsigned id,
                      mem_view *view, stats *reg, const mmu *m)
{
    char path[32];
    mem_port *p = c->port;

    for (unsigned i = 0; i < SM_PORTS; i++)
        mem_port_init(&p[i], port_slots(cfg, i), PORT_LATENCY);
    sm_ports sp = {.l1_reorders = l1_reorders(cfg),
                   .to_l1 = &p[LSU_L1],
                   .from_l1 = &p[L1_LSU],
                   .to_net_i = &p[ICACHE_NET],
                   .from_net_i = &p[NET_ICACHE],
                   .to_net_c = &p[CONST_NET],
                   .from_net_c = &p[NET_CONST]};
    if (cfg->rocache.sets) {
        sp.to_ro = &p[LSU_RO];
        sp.from_ro = &p[RO_LSU];
    }
    if (cfg->sm.tma.queue && cfg->gpu.cluster.size == 1) {
        c->bulk = true;
        sp.to_net_t = &p[TMA_NET];
        sp.from_net_t = &p[NET_TMA];
    }
    if (cfg->gpu.cga.most) {
        sp.to_cga = &p[SM_CGA];
        sp.from_cga = &p[CGA_SM];
        sp.to_cga_reply = &p[SM_CGA_REPLY];
        sp.from_cga_reply = &p[CGA_SM_REPLY];
    }
    l1_ports lp = {.node = (uint16_t)id,
                   .client = CLIENT_L1,
                   .mmu = m,
                   .from_lsu = &p[LSU_L1],
                   .to_lsu = &p[L1_LSU],
                   .to_net = &p[L1_NET],
                   .from_net = &p[NET_L1]};
    noc_end_config ec = noc_sm_end(cfg, id);

    c->orders.room = cfg->sm.ctas + 1;
    c->orders.ring = new0(c->orders.room, sizeof *c->orders.ring);
    snprintf(path, sizeof path, "sm[%u]", id);
    c->sm = sm_new(cfg, id, reg, path, &sp, view);
    snprintf(path, sizeof path, "sm[%u].l1", id);
    c->l1 = l1_new(cfg, reg, path, &lp);
    snprintf(path, sizeof path, "noc.sm[%u]", id);
    c->end = noc_end_new(&ec, cfg, reg, path);
    if (cfg->rocache.sets)
        read_only_init(c, cfg, id, reg, m);
    if (cfg->gpu.cga.most)
        cga_init(c, cfg, id, reg);
    core_wire(c, b);
}

static void join(cluster *c)
{
    sm *member[4];
    uint64_t *wake[4];

    MUST(c->count <= COUNTOF(member));
    for (unsigned i = 0; i < c->count; i++) {
        member[i] = c->core[i].sm;
        wake[i] = &c->blocks[i * SM_BLOCKS + BLOCK_SM].due.next;
        c->core[i].shares = true;
    }
    sm_cluster_join(member, wake, c->count);
}

cluster *cluster_new(const config *cfg, unsigned first, mem_image *image,
                     stats *reg, const mmu *m)
{
    cluster *c = new0(1, sizeof *c);

    c->first = first;
    c->count = cfg->gpu.cluster.size;
    if (first + c->count > cfg->gpu.sms)
        c->count = cfg->gpu.sms - first;
    c->core = new0(c->count, sizeof *c->core);
    c->blocks = new0(c->count * SM_BLOCKS, sizeof *c->blocks);
    c->view = mem_view_new(image, false);
    for (unsigned i = 0; i < c->count; i++)
        core_init(&c->core[i], &c->blocks[i * SM_BLOCKS], cfg, first + i,
                  c->view, reg, m);
    if (c->count > 1)
        join(c);
    return c;
}

void cluster_free(cluster *c)
{
    if (!c)
        return;
    for (unsigned i = 0; c->core && i < c->count; i++) {
        core *one = &c->core[i];

        sm_free(one->sm);
        l1_free(one->l1);
        l1_free(one->ro);
        noc_end_free(one->end);
        for (unsigned k = 0; k < CLUSTER_CGA_ENDS; k++)
            noc_end_free(one->cga[k]);
        for (unsigned p = 0; p < SM_PORTS; p++)
            mem_port_fini(&one->port[p]);
        free(one->orders.ring);
    }
    free(c->core);
    free(c->blocks);
    mem_view_free(c->view);
    free(c->log.event);
    free(c);
}

unsigned cluster_sms(const cluster *c) { return c->count; }
sm *cluster_sm(const cluster *c, unsigned i) { return c->core[i].sm; }
noc_end *cluster_end(const cluster *c, unsigned i) { return c->core[i].end; }
noc_end *cluster_cga_end(const cluster *c, unsigned i, unsigned k)
{
    return c->core[i].cga[k];
}
mem_view *cluster_view(const cluster *c) { return c->view; }

void cluster_clear(cluster *c, bool keep)
{
    for (unsigned i = 0; i < c->count; i++) {
        MUST(!c->core[i].orders.count && !c->core[i].busy);
        sm_clear(c->core[i].sm, keep);
    }
}

void cluster_carve(cluster *c, const config_carve *carve)
{
    for (unsigned i = 0; i < c->count; i++) {
        l1_reset(c->core[i].l1, carve->sets, carve->ways);
        if (c->core[i].ro)
            l1_reset(c->core[i].ro, 0, 0);
    }
}

void cluster_launch(cluster *c, unsigned n, const exec_launch *l,
                    const sm_place *at, uint64_t now, const sm *twin)
{
    for (unsigned i = 0; i < c->count; i++) {
        sm_launch(c->core[i].sm, n, l, at, now, twin);
        twin = twin ? twin : c->core[i].sm;
    }
}

sm_cluster_mode cluster_mode(const cluster *c)
{
    return sm_cluster_mode_of(c->core[0].sm);
}

void cluster_form(cluster *c, uint64_t now)
{
    sm_cluster_form(c->core[0].sm, now);
}

bool cluster_aligned(const cluster *c, unsigned *launch)
{
    for (unsigned i = 0; i < c->count; i++)
        if (c->core[i].orders.count)
            return false;
    return sm_cluster_aligned(c->core[0].sm, launch);
}

void cluster_align(cluster *c, uint64_t now)
{
    sm_cluster_align(c->core[0].sm, now);
}

void cluster_dissolve(cluster *c, uint64_t now, sm_dissolve_cause cause)
{
    sm_cluster_dissolve(c->core[0].sm, now, cause);
}

bool cluster_idle(const cluster *c)
{
    for (unsigned i = 0; i < c->count; i++)
        if (c->core[i].busy || c->core[i].orders.count)
            return false;
    return true;
}

void cluster_cga_release(cluster *c, unsigned i, uint64_t when, uint32_t serial)
{
    block *b = &c->blocks[i * SM_BLOCKS + BLOCK_SM];

    sm_cga_release(c->core[i].sm, when, serial);
    b->due.next = mem_earlier(b->due.next, when);
}

void cluster_dependent_free(cluster *c, unsigned n, uint64_t when)
{
    for (unsigned i = 0; i < c->count; i++) {
        block *b = &c->blocks[i * SM_BLOCKS + BLOCK_SM];

        sm_dependent_free(c->core[i].sm, n, when);
        if (c->core[i].busy && when < b->due.next)
            b->due.next = when;
    }
}

void cluster_order(cluster *c, const dispatch_order *o, unsigned i)
{
    core *one = &c->core[i];
    order_queue *q = &one->orders;

    MUST(q->count < q->room);
    q->ring[(q->head + q->count++) % q->room] = *o;
    c->ordered++;
    one->linked |= o->cga != NULL;
    cluster_wake(c, i, o->when);
}

void cluster_wake(cluster *c, unsigned i, uint64_t when)
{
    block *b = &c->blocks[i * SM_BLOCKS + BLOCK_SM];

    b->due.next = mem_earlier(b->due.next, when);
}

uint64_t cluster_ordered(const cluster *c) { return c->ordered; }

void cluster_run(cluster *c, uint64_t from, uint64_t to, node_pace pace)
{
    for (unsigned i = 0; i < c->count; i++) {
        block *b = &c->blocks[i * SM_BLOCKS + BLOCK_END];
        uint64_t t = arrives_at(&c->core[i]);

        b->due.next = mem_earlier(b->due.next, t);
        /* What the L1 sends in a cycle is the last only in the usual order. */
        noc_end_window(c->core[i].end, pace.reverse ? 0 : to);
        sm_set_window(c->core[i].sm, to);
        sm_set_eager(c->core[i].sm, pace.no_skip);
    }
    if (c->count == 1) /* a constant lets the compiler unroll the loops */
        blocks_run(c->blocks, SM_BLOCKS, from, to, pace);
    else
        blocks_run(c->blocks, c->count * SM_BLOCKS, from, to, pace);
}

uint64_t cluster_next(const cluster *c)
{
    uint64_t next = blocks_due(c->blocks, c->count * SM_BLOCKS);

    for (unsigned i = 0; i < c->count; i++) {
        uint64_t t = arrives_at(&c->core[i]);
        next = t < next ? t : next;
    }
    return next;
}

void cluster_ask(cluster *c, mmu *m)
{
    for (unsigned i = 0; i < c->count; i++) {
        mmu_take(m, l1_tlb(c->core[i].l1));
        if (c->core[i].ro)
            mmu_take(m, l1_tlb(c->core[i].ro));
    }
}

uint64_t cluster_answered(cluster *c)
{
    for (unsigned i = 0; i < c->count; i++) {
        block *b = &c->blocks[i * SM_BLOCKS + BLOCK_L1];
        uint64_t t = l1_tlb(c->core[i].l1)->next;

        b->due.next = mem_earlier(b->due.next, t);
        t = c->core[i].ro ? l1_tlb(c->core[i].ro)->next : NEVER;
        b->due.next = mem_earlier(b->due.next, t);
    }
    return cluster_next(c);
}

void cluster_settle(cluster *c, uint64_t end, uint64_t now)
{
    for (unsigned i = 0; i < c->count; i++) {
        sm_finish_stats(c->core[i].sm, end);
        l1_settle(c->core[i].l1, now);
        if (c->core[i].ro)
            l1_settle(c->core[i].ro, now);
    }
}

event_log *cluster_trace(cluster *c, const trace_filter *f)
{
    c->log.filter = *f;
    for (unsigned i = 0; i < c->count; i++) {
        core *one = &c->core[i];
        unsigned id = c->first + i;

        if (id < f->first_sm || id > f->last_sm)
            continue;
        sm_trace_begin(one->sm, &c->log);
        l1_trace(one->l1, &c->log, 2 * id);
        if (one->ro)
            l1_trace(one->ro, &c->log, 2 * id + 1);
        noc_end_trace(one->end, &c->log);
        c->blocks[i * SM_BLOCKS + BLOCK_L1].tick = tick_traced;
        c->blocks[i * SM_BLOCKS + BLOCK_L1].self = one;
    }
    return &c->log;
}

void cluster_trace_end(cluster *c)
{
    for (unsigned i = 0; i < c->count; i++) {
        core *one = &c->core[i];

        sm_trace_end(one->sm);
        l1_trace(one->l1, NULL, 0);
        if (one->ro)
            l1_trace(one->ro, NULL, 0);
        noc_end_trace(one->end, NULL);
        block *b = &c->blocks[i * SM_BLOCKS + BLOCK_L1];
        b->tick = one->ro ? tick_caches : tick_l1;
        b->self = one->ro ? (void *)one : (void *)one->l1;
    }
    c->log.count = 0;
}

void cluster_dump(const cluster *c, FILE *f)
{
    for (unsigned i = 0; i < c->count; i++) {
        const core *one = &c->core[i];

        if (!one->busy && noc_end_idle(one->end))
            continue;
        sm_dump(one->sm, f);
        l1_dump(one->l1, f);
        if (one->ro)
            l1_dump(one->ro, f);
        noc_end_dump(one->end, f);
    }
}
