/* tests/unit/cache/test_l1_stress.c - random requests: everything is answered
 * exactly once, and neither skipping nor the order of the neighbours within a
 * cycle changes a reply's cycle or a counter. */
#include "l1_rig.h"

#include "base/rng.h"

static void random_config(rig *r, rng *g)
{
    static const cfg_l1_write local[] = {CFG_L1_WRITE_BACK,
                                         CFG_L1_WRITE_THROUGH};
    static const cfg_l1_write global[] = {
        CFG_L1_WRITE_EVICT, CFG_L1_WRITE_THROUGH, CFG_L1_WRITE_BACK};

    r->cfg.l1.sets = 1u << rng_below(g, 4);
    r->cfg.l1.ways = 1 + rng_below(g, 4);
    r->cfg.l1.index = (cfg_index)rng_below(g, 3);
    r->cfg.l1.sector = 32u << rng_below(g, 3);
    r->cfg.l1.alloc = rng_below(g, 2) ? CFG_ALLOC_ON_MISS : CFG_ALLOC_ON_FILL;
    r->cfg.l1.write = global[rng_below(g, 3)];
    r->cfg.l1.local_write = local[rng_below(g, 2)];
    r->cfg.l1.globals = rng_below(g, 4) > 0;
    r->cfg.l1.locals = rng_below(g, 4) > 0;
    r->cfg.l1.latency = 2 + rng_below(g, 20);
    r->cfg.l1.miss_latency = 1 + rng_below(g, 10);
    r->cfg.l1.fill_latency = 2 + rng_below(g, 10);
    r->cfg.l1.mshrs = 1 + rng_below(g, 16);
    r->cfg.l1.merges = 1 + rng_below(g, 6);
    r->cfg.l1.miss_queue = 2 + rng_below(g, 6);
    r->cfg.l1.tag_ports = 1 + rng_below(g, 3);
    r->cfg.l1.data_bytes = 32u << rng_below(g, 3);
    r->cfg.l1.fill_bytes = 32u << rng_below(g, 3);
    r->latency = 1 + rng_below(g, 300);
}

/* A burst of dense requests, a quiet time, and so on. */
static void random_script(rig *r, rng *g, unsigned n)
{
    static const uint8_t hints[] = {CACHE_CA, CACHE_CA, CACHE_CA,
                                    CACHE_CS, CACHE_CG, CACHE_CV};
    uint64_t when = 0;

    for (unsigned i = 0; i < n; i++) {
        mem_msg m = {.addr = 0x8000 + (uint64_t)rng_below(g, 48) * 128,
                     .sectors = (uint8_t)(1 + rng_below(g, 15)),
                     .hint = hints[rng_below(g, 6)]};
        unsigned what = rng_below(g, 20);
        m.local = m.addr % 512 == 0;
        m.kind = what < 12 ? MEM_READ : what < 18 ? MEM_WRITE : MEM_ATOMIC;
        if (what == 19)
            m.kind = MEM_REDUCE;
        m.ack = m.kind == MEM_WRITE;
        m.partial = m.ack && rng_below(g, 2);
        when += rng_below(g, 40) ? rng_below(g, 3) : rng_below(g, 1000);
        rig_ask(r, when, m);
    }
}

static rig *stress(unsigned seed, bool no_skip, bool reversed)
{
    rig *r = rig_new();
    rng g;

    rng_init(&g, seed, "l1");
    random_config(r, &g);
    rig_start(r);
    random_script(r, &g, 600);
    r->no_skip = no_skip;
    r->stuck_every = seed % 3 ? 0 : 1 + seed * 7;
    if (seed % 2) {
        r->to_lsu.space = &r->next;
        r->to_net.space = &r->next;
    }
    r->reversed = reversed;
    rig_run(r, 200000);
    CHECK_EQ(r->done, r->entered);
    CHECK(l1_idle(r->b));
    l1_settle(r->b, 200000);
    return r;
}

TEST(every_request_is_answered_once_with_the_right_kind)
{
    for (unsigned seed = 0; seed < 60; seed++) {
        rig *r = stress(seed, false, false);
        uint64_t performed =
            rig_stat(r, "global_reads") + rig_stat(r, "local_reads") +
            rig_stat(r, "global_writes") + rig_stat(r, "local_writes") +
            rig_stat(r, "atomics");
        CHECK_EQ(performed, r->entered);
        CHECK_EQ(rig_stat(r, "replies"), r->entered);
        for (int local = 0; local < 2; local++) {
            char id[64];
            uint64_t sum = 0;
            static const char *const out[] = {"hits", "merges", "misses",
                                              "sector_misses", "bypasses"};
            for (unsigned i = 0; i < 5; i++) {
                snprintf(id, sizeof id, "%s_read_%s",
                         local ? "local" : "global", out[i]);
                sum += rig_stat(r, id);
            }
            snprintf(id, sizeof id, "%s_reads", local ? "local" : "global");
            CHECK_EQ(sum, rig_stat(r, id));
        }
        rig_free(r);
    }
}

TEST(skipping_and_tick_order_change_nothing)
{
    for (unsigned seed = 0; seed < 40; seed++) {
        rig *a = stress(seed, false, false);
        for (int how = 1; how < 4; how++) {
            rig *b = stress(seed, how & 1, how & 2);
            for (unsigned i = 0; i < a->entered; i++)
                CHECK_EQ(a->at[i], b->at[i]);
            for (size_t i = 0; i < stats_count(a->reg); i++) {
                stats_item x = stats_get(a->reg, i), y = stats_get(b->reg, i);
                if (x.value != y.value)
                    TEST_FAIL("seed %u: %s is %" PRIu64 " or %" PRIu64, seed,
                              x.desc->id, x.value, y.value);
            }
            rig_free(b);
        }
        rig_free(a);
    }
}

TEST(stress_reaches_every_refusal)
{
    static const char *const ids[] = {"stall_set_full",   "stall_mshr_entry",
                                      "stall_mshr_merge", "stall_miss_queue",
                                      "stall_data_port",  "stall_reply"};
    uint64_t sum[6] = {0};

    for (unsigned seed = 0; seed < 60; seed++) {
        rig *r = stress(seed, false, false);
        for (unsigned i = 0; i < 6; i++)
            sum[i] += rig_stat(r, ids[i]);
        rig_free(r);
    }
    for (unsigned i = 0; i < 5; i++) /* the fake LSU takes every reply */
        CHECK(sum[i] > 0);
    CHECK_EQ(sum[5], 0);
}
