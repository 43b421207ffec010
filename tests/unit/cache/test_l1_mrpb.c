/* tests/unit/cache/test_l1_mrpb.c - queues by warp or CTA in front of the L1:
 * who goes first, what goes around the cache, what stays in order. */
#include "base/rng.h"
#include "cache/l1_impl.h"
#include "l1_rig.h"
#include "mem/event_log.h"

/* 4 sets of 2 ways, lines of 128 bytes: lines 0, 4, 8, ... share a set. */
static uint64_t line(unsigned n) { return 0x8000 + 128ull * n; }

static rig *mrpb_rig(unsigned queues, unsigned depth)
{
    rig *r = rig_new();

    r->cfg.l1.queue = CFG_L1_QUEUE_MRPB;
    r->cfg.l1.mrpb.queues = queues;
    r->cfg.l1.mrpb.depth = depth;
    return r;
}

static uint32_t ask(rig *r, uint64_t when, unsigned warp, unsigned n,
                    mem_kind kind)
{
    return rig_ask(r, when,
                   (mem_msg){.kind = (uint8_t)kind,
                             .addr = line(n),
                             .warp = (uint8_t)warp,
                             .ack = kind == MEM_WRITE});
}

/* ---- Around the cache ---- */

/* The third line of a set: at once, or when the first has returned. It is not
 * in the cache afterwards. */
TEST(a_load_whose_set_is_full_goes_around)
{
    for (int bypass = 0; bypass < 2; bypass++) {
        rig *r = mrpb_rig(8, 4);

        r->cfg.l1.mrpb.bypass = bypass;
        rig_start(r);
        for (unsigned i = 0; i < 3; i++)
            ask(r, 0, 0, 4 * i, MEM_READ);
        rig_run(r, 60);
        CHECK_EQ(r->sent.count, bypass ? 3 : 2);
        rig_run(r, 1000);
        CHECK_EQ(r->done, 3);
        CHECK_EQ(rig_stat(r, "queue.around"), bypass);
        CHECK_EQ(rig_stat(r, "global_read_bypasses"), bypass);
        CHECK_EQ(rig_stat(r, "global_read_misses"), 3 - bypass);
        CHECK_EQ(rig_stat(r, "stall_set_full") > 0, !bypass);
        ask(r, 1000, 0, 8, MEM_READ);
        rig_run(r, 2000);
        CHECK_EQ(rig_stat(r, "global_read_hits"), !bypass);
        rig_free(r);
    }
}

/* A store of the local memory of threads, which is kept, is no load. */
TEST(stores_wait_for_their_set)
{
    rig *r = mrpb_rig(8, 4);

    rig_start(r);
    ask(r, 0, 0, 0, MEM_READ);
    ask(r, 0, 0, 4, MEM_READ);
    rig_ask(
        r, 0,
        (mem_msg){.kind = MEM_WRITE, .addr = line(8), .local = 1, .ack = 1});
    rig_run(r, 60);
    CHECK_EQ(r->done, 0);
    rig_run(r, 1000);
    CHECK_EQ(r->done, 3);
    CHECK(rig_stat(r, "stall_set_full") > 0);
    rig_free(r);
}

/* Neither hits nor merges are affected, whatever their set is like. */
TEST(loads_of_lines_awaited_merge)
{
    rig *r = mrpb_rig(8, 4);

    rig_start(r);
    ask(r, 0, 0, 0, MEM_READ);
    ask(r, 0, 1, 4, MEM_READ);
    ask(r, 0, 2, 4, MEM_READ);
    rig_run(r, 1000);
    CHECK_EQ(rig_stat(r, "global_read_merges"), 1);
    CHECK_EQ(rig_stat(r, "queue.around"), 0);
    rig_free(r);
}

/* ---- Who goes first ---- */

/* Warp 0's load fills the miss queue of one; then warps 3, 2, 1, 2 ask, which
 * their queues hold until the network moves. Fills `order` with the lines in
 * the order in which they leave. */
static void drained(cfg_mrpb_drain drain, unsigned order[4])
{
    rig *r = mrpb_rig(4, 4);
    static const unsigned warps[4] = {3, 2, 1, 2};

    r->cfg.l1.miss_queue = 1;
    r->cfg.l1.mrpb.drain = drain;
    r->net_stuck = true;
    rig_start(r);
    /* As many as the port to the network and the miss queue take. */
    for (unsigned i = 0; i < 5; i++)
        rig_ask(r, 0,
                (mem_msg){.kind = MEM_READ,
                          .addr = line(40 + i),
                          .hint = CACHE_CG,
                          .warp = 0});
    for (unsigned i = 0; i < 4; i++)
        ask(r, 20, warps[i], i, MEM_READ);
    rig_run(r, 60);
    CHECK_EQ(r->sent.count, 0);
    r->net_stuck = false;
    rig_run(r, 2000);
    CHECK_EQ(r->done, 9);
    for (unsigned i = 0; i < 4; i++)
        order[i] =
            (unsigned)((mem_ring_at(&r->sent, 5 + i)->addr - line(0)) / 128);
    rig_free(r);
}

TEST(queues_are_drained_in_the_order_of_the_policy)
{
    unsigned order[4];

    drained(CFG_MRPB_DRAIN_FIXED, order); /* warps 1, 2, 2, 3 */
    CHECK(order[0] == 2 && order[1] == 1 && order[2] == 3 && order[3] == 0);
    drained(CFG_MRPB_DRAIN_LONGEST, order); /* 2 has two; then the lowest */
    CHECK(order[0] == 1 && order[1] == 2 && order[2] == 3 && order[3] == 0);
    drained(CFG_MRPB_DRAIN_GREEDY, order); /* the next after 0, to its end */
    CHECK(order[0] == 2 && order[1] == 1 && order[2] == 3 && order[3] == 0);
}

/* Warps of one CTA have a queue each, or one together. */
TEST(a_signature_is_the_warp_or_the_cta)
{
    for (int cta = 0; cta < 2; cta++) {
        rig *r = mrpb_rig(4, 1);

        r->cfg.l1.mrpb.signature =
            cta ? CFG_MRPB_SIGNATURE_CTA : CFG_MRPB_SIGNATURE_WARP;
        r->cfg.l1.miss_queue = 1;
        r->cfg.l1.mshrs = 8;
        r->net_stuck = true;
        rig_start(r);
        for (unsigned i = 0; i < 8; i++)
            rig_ask(r, i < 5 ? 0 : 50,
                    (mem_msg){.kind = MEM_READ,
                              .addr = line(i),
                              .warp = (uint8_t)(i < 5 ? 0 : i - 4),
                              .cta = 3});
        rig_run(r, 200);
        /* Four in the port to the network, one miss; then a queue of one, or
         * those of warps 1, 2, 3; the port of the LSU has the others. */
        CHECK_EQ(r->b->queue->ops->count(r->b->queue), 3);
        CHECK_EQ(r->from_lsu.count, cta ? 2 : 0);
        r->net_stuck = false;
        rig_run(r, 2000);
        CHECK_EQ(r->done, 8);
        rig_free(r);
    }
}

/* ---- What stays in order ---- */

/* Warp 1 stores to a line, which drops it; warp 0, whose queue comes first,
 * loads it a cycle later: it must not find what was there before. */
TEST(requests_to_a_line_keep_their_order)
{
    rig *r = mrpb_rig(4, 4);

    r->cfg.l1.miss_queue = 1;
    r->cfg.l1.write = CFG_L1_WRITE_EVICT;
    rig_start(r);
    ask(r, 0, 0, 0, MEM_READ);
    rig_run(r, 500);
    r->net_stuck = true;
    for (unsigned i = 0; i < 5; i++)
        rig_ask(r, 500,
                (mem_msg){.kind = MEM_READ,
                          .addr = line(40 + i),
                          .hint = CACHE_CG,
                          .warp = 0});
    rig_run(r, 550);
    ask(r, 550, 1, 0, MEM_WRITE);
    ask(r, 551, 0, 0, MEM_READ);
    rig_run(r, 600);
    CHECK_EQ(rig_stat(r, "global_read_hits"), 0);
    r->net_stuck = false;
    rig_run(r, 2000);
    CHECK_EQ(r->done, 8);
    CHECK_EQ(rig_stat(r, "global_read_hits"), 0);
    CHECK_EQ(rig_stat(r, "global_read_misses"), 2);
    rig_free(r);
}

/* ---- Anything ---- */

enum { REQUESTS = 300, LIMIT = 200000 };

static void random_machine(rig *r, rng *g)
{
    __typeof__(r->cfg.l1) *c = &r->cfg.l1;

    c->queue = CFG_L1_QUEUE_MRPB;
    c->mrpb.signature = (cfg_mrpb_signature)rng_below(g, 2);
    c->mrpb.queues = 1 + rng_below(g, 9);
    c->mrpb.depth = 1 + rng_below(g, 5);
    c->mrpb.drain = (cfg_mrpb_drain)rng_below(g, 3);
    c->mrpb.bypass = rng_below(g, 4) > 0;
    c->sets = 1u << rng_below(g, 4);
    c->ways = 1 + rng_below(g, 3);
    c->alloc = rng_below(g, 4) ? CFG_ALLOC_ON_MISS : CFG_ALLOC_ON_FILL;
    c->write = rng_below(g, 2) ? CFG_L1_WRITE_EVICT : CFG_L1_WRITE_BACK;
    c->mshrs = 1u << rng_below(g, 6);
    c->miss_queue = 2 + rng_below(g, 4);
    c->tag_ports = 1 + rng_below(g, 2);
    r->jitter = rng_below(g, 100);
    r->latency = 1 + rng_below(g, 100);
    r->chaos = rng_below(g, 2) ? 1 + rng_below(g, 1000) : 0;
}

static mem_msg random_request(rng *g, uint64_t when)
{
    static const uint8_t hints[] = {CACHE_CA, CACHE_CA, CACHE_CG, CACHE_CV};
    unsigned what = rng_below(g, 20);
    mem_msg m = {.kind = what < 14   ? MEM_READ
                         : what < 18 ? MEM_WRITE
                         : what < 19 ? MEM_ATOMIC
                                     : MEM_REDUCE,
                 .addr = line(rng_below(g, 40)),
                 .warp = (uint8_t)rng_below(g, 12),
                 .sectors = (uint8_t)(1 + rng_below(g, 15)),
                 .born = when,
                 .traced = true};

    m.cta = m.warp / 4;
    m.local = rng_below(g, 4) == 0;
    m.addr |= (uint64_t)m.local << 40;
    m.hint = m.kind == MEM_READ ? hints[rng_below(g, 4)] : 0;
    m.ordered = m.hint == CACHE_CV;
    m.ack = m.kind == MEM_WRITE && rng_below(g, 2);
    return m;
}

/* An access that is performed is that of the oldest request to its line, and
 * those of a warp are performed in their order, as it has one queue. */
static void check_order(const event_log *log, const mem_msg *asked)
{
    bool done[REQUESTS] = {false};
    unsigned performed = 0;

    for (size_t i = 0; i < log->count; i++) {
        const trace_event *e = &log->event[i];
        unsigned k = 0;

        if (e->kind != TRACE_L1_ACCESS)
            continue;
        while (k < REQUESTS && (done[k] || asked[k].addr != e->addr))
            k++;
        CHECK(k < REQUESTS);
        CHECK_EQ(asked[k].born, e->cycle - e->inst);
        done[k] = true;
        performed++;
        for (unsigned before = 0; before < k; before++)
            CHECK(done[before] || asked[before].warp != asked[k].warp);
    }
    CHECK_EQ(performed, REQUESTS);
}

/* A hash of all that can be seen of a run. */
static uint64_t random_run(unsigned seed, bool no_skip, bool traced)
{
    rig *r = rig_new();
    mem_msg asked[REQUESTS];
    event_log log = {.filter = {.to = NEVER}};
    uint64_t when = 0, hash = 0;
    rng g;

    rng_init(&g, seed, "mrpb");
    random_machine(r, &g);
    rig_start(r);
    r->no_skip = no_skip;
    if (traced)
        l1_trace(r->b, &log, 0);
    for (unsigned i = 0; i < REQUESTS; i++) {
        when += 1 + (rng_below(&g, 4) ? 0 : rng_below(&g, 60));
        asked[i] = random_request(&g, when);
        rig_ask(r, when, asked[i]);
    }
    rig_run(r, LIMIT);
    CHECK(l1_idle(r->b));
    CHECK_EQ(r->done + r->silent, REQUESTS);
    CHECK_EQ(rig_stat(r, "queue.entered"), REQUESTS);
    l1_settle(r->b, LIMIT + 1);
    for (unsigned i = 0; i < REQUESTS; i++)
        hash = (hash ^ r->at[i]) * 0x100000001b3u;
    for (size_t i = 0; i < stats_count(r->reg); i++)
        hash = (hash ^ stats_get(r->reg, i).value) * 0x100000001b3u;
    if (traced)
        check_order(&log, asked);
    free(log.event);
    rig_free(r);
    return hash;
}

TEST(random_requests_are_answered_once_and_in_order)
{
    for (unsigned seed = 0; seed < 60; seed++) {
        uint64_t slow = random_run(seed, true, true);

        if (random_run(seed, false, false) != slow)
            TEST_FAIL("seed %u: skipping changes something", seed);
    }
}
