/* tests/unit/cache/test_l2_stress.c - random requests on random slices: each
 * is answered once, atomics add up, and neither skipping nor the order of the
 * neighbours changes a reply's cycle or a counter. */
#include "l2_rig.h"

#include "l2_config.h"

enum { REQUESTS = 600, LINES = 40 };

static mem_atom atoms[REQUESTS];

static mem_atom random_atom(rng *g, uint64_t line, uint8_t sectors)
{
    mem_atom a = {.op = ATOM_ADD, .type = ATYPE_U32};

    for (unsigned l = 0; l < 32; l++) {
        unsigned word = rng_below(g, 32);
        if (!(sectors >> word / 8 & 1))
            continue;
        a.lanes |= 1u << l;
        a.addr[l] = line + word * 4;
        a.a[l] = 1 + rng_below(g, 9);
    }
    return a;
}

static uint64_t random_script(rig *r, rng *g)
{
    uint64_t when = 0, sum = 0;

    for (unsigned i = 0; i < REQUESTS; i++) {
        mem_msg m = {.addr = r->base + (uint64_t)rng_below(g, LINES) * 128,
                     .sectors = (uint8_t)(1 + rng_below(g, 15))};
        unsigned what = rng_below(g, 20);
        m.kind = what < 9    ? MEM_READ
                 : what < 15 ? MEM_WRITE
                 : what < 18 ? MEM_ATOMIC
                             : MEM_REDUCE;
        m.ack = m.kind == MEM_WRITE && rng_below(g, 2);
        m.partial = m.kind == MEM_WRITE && rng_below(g, 2);
        if (m.kind == MEM_ATOMIC || m.kind == MEM_REDUCE) {
            atoms[i] = random_atom(g, m.addr, m.sectors);
            for (unsigned l = 0; l < 32; l++)
                sum += atoms[i].a[l];
            m.atom = &atoms[i];
        }
        when += rng_below(g, 40) ? rng_below(g, 3) : rng_below(g, 1000);
        rig_ask(r, when, m);
    }
    return sum;
}

static rig *stress(unsigned seed, bool no_skip, bool reversed)
{
    rig *r = rig_new();
    rng g;
    uint64_t sum, got = 0;

    rng_init(&g, seed, "l2");
    random_l2(&r->cfg, &g);
    r->latency = 1 + rng_below(&g, 200);
    rig_start(r);
    sum = random_script(r, &g);
    r->no_skip = no_skip;
    r->stuck_every = seed % 3 ? 0 : 1 + seed * 7;
    if (seed % 2) {
        r->to_net.space = &r->next;
        r->to_dram.space = &r->next;
    }
    r->reversed = reversed;
    rig_run(r, 400000);
    CHECK_EQ(r->done, r->owed);
    CHECK(l2_idle(r->b));
    l2_settle(r->b, 400000);
    for (uint64_t a = 0; a < LINES * 128; a += 4) {
        uint32_t x;
        mem_view_read(r->view, r->base + a, &x, 4);
        got += x;
    }
    CHECK_EQ(got, sum);
    return r;
}

TEST(every_request_is_performed_once)
{
    for (unsigned seed = 0; seed < 60; seed++) {
        rig *r = stress(seed, false, false);
        CHECK_EQ(rig_stat(r, "reads") + rig_stat(r, "writes") +
                     rig_stat(r, "atomics") + rig_stat(r, "reductions"),
                 r->entered);
        CHECK_EQ(rig_stat(r, "replies"), r->owed);
        CHECK_EQ(rig_stat(r, "read_hits") + rig_stat(r, "read_merges") +
                     rig_stat(r, "read_misses") +
                     rig_stat(r, "read_sector_misses"),
                 rig_stat(r, "reads"));
        CHECK_EQ(rig_stat(r, "write_hits") + rig_stat(r, "write_misses"),
                 rig_stat(r, "writes"));
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
                if (a->at[i] != b->at[i])
                    TEST_FAIL("seed %u way %d: request %u at %" PRIu64
                              " or %" PRIu64,
                              seed, how, i, a->at[i], b->at[i]);
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
