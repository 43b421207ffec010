/* tests/unit/gpu/dispatch/test_dispatch_edges.c - CTAs, warps and machines that
 * are a special case, one by one. test_dispatch_rules.c has all of them at
 * random but for the pipelined tree. */
#include "unit/gpu/rig.h"

#include "base/rng.h"
#include "mem/port.h" /* NEVER */

/* SMs that hold little. */
static rig *small(unsigned sms)
{
    rig *r = rig_new(sms, CFG_DISPATCH_LOAD_WEIGHT);

    r->cfg.sm.ctas = 8;
    r->cfg.sm.warps = 16;
    r->cfg.sm.threads = 512;
    r->cfg.sm.registers = 1024;
    r->cfg.sm.warp_unit = 1;
    r->cfg.sm.shared_bytes = 64;
    return r;
}

static void launch(rig *r, unsigned n, unsigned ctas, unsigned warps,
                   unsigned registers, unsigned shared)
{
    const uint32_t grid[3] = {ctas, 1, 1};
    const sm_resources need = {.ctas = 1,
                               .warps = warps,
                               .threads = 32 * warps,
                               .registers = registers,
                               .shared_bytes = shared};

    dispatch_start(r->d, n, grid, &need, 0);
}

/* The SM of the next CTA, which leaves in cycle `when`. */
static unsigned next(rig *r, uint64_t when)
{
    dispatch_order o;

    CHECK(dispatch_next(r->d, when, when + 1, &o));
    CHECK_EQ(o.when, when);
    return o.sm;
}

static void nothing(rig *r, uint64_t when)
{
    dispatch_order o;

    CHECK(!dispatch_next(r->d, when, when + 1, &o));
}

static void warp_ends(rig *r, uint64_t now, unsigned on, unsigned n,
                      uint64_t number, unsigned warp)
{
    const sm_done w = {
        .number = number, .cycle = now - 1, .launch = n, .warp = warp};

    dispatch_done(r->d, now, on, &w);
}

TEST(one_sm_that_a_cta_fills)
{
    rig *r = small(1);

    rig_begin(r);
    launch(r, 0, 2, 16, 1024, 64);
    CHECK_EQ(next(r, 0), 0);
    CHECK_EQ(r->d->load.left[0], 0);
    nothing(r, 1);
    CHECK_EQ(dispatch_wakes(r->d, 1), NEVER);
    rig_cta_ends(r, 2, 0, 0, 0, 0);
    CHECK_EQ(next(r, 2), 0);
    rig_cta_ends(r, 3, 0, 0, 1, 0);
    CHECK_EQ(r->d->load.left[0], 16);
    rig_free(r);
}

TEST(a_grid_without_ctas_holds_up_nobody)
{
    rig *r = small(2);

    rig_begin(r);
    launch(r, 0, 0, 4, 0, 0);
    launch(r, 1, 1, 4, 0, 0);
    CHECK_EQ(dispatch_total(r->d, 0), 0);
    CHECK_EQ(next(r, 0), 0);
    nothing(r, 1);
    CHECK_EQ(rig_count(r, "ctas"), 1);
    rig_free(r);
}

/* Both registers say 0, and only SM 1 matches: a valid bit tells. */
TEST(an_sm_without_weight_left_can_match)
{
    rig *r = small(2);

    rig_begin(r);
    launch(r, 0, 1, 16, 0, 64);
    launch(r, 1, 1, 16, 0, 0);
    launch(r, 2, 1, 0, 0, 10);
    CHECK_EQ(next(r, 0), 0);
    CHECK_EQ(next(r, 1), 1);
    CHECK_EQ(r->d->load.left[0] + r->d->load.left[1], 0);
    CHECK_EQ(next(r, 2), 1);
    rig_free(r);
}

/* One warp is sent in a cycle; those of a CTA that is told to have ended have
 * been, and those before it, so that the next CTA's come at once. */
TEST(weights_follow_the_warps_that_are_sent)
{
    rig *r = small(1);

    r->cfg.gpu.load_weight.update = CFG_LOAD_UPDATE_WARP;
    rig_begin(r);
    launch(r, 0, 3, 4, 0, 0);
    CHECK_EQ(next(r, 0), 0);
    CHECK_EQ(next(r, 1), 0);
    CHECK_EQ(r->d->load.left[0], 15);
    rig_cta_ends(r, 2, 0, 0, 0, 0);
    CHECK_EQ(r->d->load.left[0], 12);
    CHECK_EQ(next(r, 2), 0);
    CHECK(load_weight_look(&r->d->load, 0, 4));
    CHECK_EQ(r->d->load.left[0], 10);
    CHECK(load_weight_look(&r->d->load, 0, 100));
    CHECK_EQ(r->d->load.left[0], 8);
    CHECK(!load_weight_look(&r->d->load, 0, 101));
    rig_free(r);
}

TEST(a_warp_that_ends_frees_its_slot_but_no_shared_memory)
{
    rig *r = small(1);

    r->cfg.gpu.cta.release = CFG_CTA_RELEASE_WARP;
    rig_begin(r);
    launch(r, 0, 1, 16, 1024, 64);
    launch(r, 1, 1, 1, 64, 1);
    CHECK_EQ(next(r, 0), 0);
    warp_ends(r, 1, 0, 0, 0, 3);
    nothing(r, 1);
    CHECK_EQ(r->d->free[0].warps, 1);
    CHECK_EQ(r->d->free[0].registers, 64);
    CHECK_EQ(r->d->load.left[0], 1);
    CHECK_EQ(r->d->free[0].shared_bytes, 0);
    rig_cta_ends(r, 5, 0, 0, 0, 1);
    CHECK_EQ(rig_count(r, "stall_several"), 0); /* in cycle 0 it left */
    CHECK_EQ(rig_count(r, "stall_shared"), 4);
    CHECK_EQ(next(r, 5), 0);
    rig_free(r);
}

/* Two CTAs with 25 of 64 each, a third between them ends: 14 + 24 are left,
 * of which 30 cannot be had. */
TEST(enough_in_pieces_is_not_enough)
{
    rig *r = small(1);

    r->cfg.gpu.cta.allocation = CFG_ALLOCATION_CONTIGUOUS;
    rig_begin(r);
    launch(r, 0, 1, 1, 0, 24);
    launch(r, 1, 1, 1, 0, 26);
    launch(r, 2, 1, 1, 0, 30);
    CHECK_EQ(next(r, 0), 0);
    CHECK_EQ(next(r, 1), 0);
    nothing(r, 2);
    CHECK_EQ(rig_count(r, "scattered"), 0);
    rig_cta_ends(r, 3, 0, 0, 0, 0);
    CHECK_EQ(r->d->free[0].shared_bytes, 38);
    nothing(r, 3);
    CHECK_EQ(rig_count(r, "scattered"), 1);
    rig_cta_ends(r, 9, 0, 1, 0, 0);
    CHECK_EQ(rig_count(r, "stall_shared"), 1);
    CHECK_EQ(rig_count(r, "stall_pieces"), 6);
    CHECK_EQ(next(r, 9), 0);
    rig_free(r);
}

TEST(two_queues_compete)
{
    rig *r = small(1);

    r->cfg.gpu.cta.queues = 2;
    rig_begin(r);
    launch(r, 0, 3, 10, 0, 0);
    launch(r, 1, 4, 3, 0, 0);
    CHECK_EQ(next(r, 0), 0); /* of 0 */
    CHECK_EQ(next(r, 1), 0); /* of 1: 3 slots are left */
    CHECK_EQ(next(r, 2), 0); /* of 1, since 0 does not fit */
    nothing(r, 3);
    CHECK_EQ(r->d->launch[0].next, 1);
    CHECK_EQ(r->d->launch[1].next, 2);
    rig_cta_ends(r, 4, 0, 0, 0, 0);
    CHECK_EQ(next(r, 4), 0); /* 0 again has its turn */
    CHECK_EQ(r->d->launch[0].next, 2);
    rig_free(r);
}

TEST(sms_that_are_off_get_nothing_under_any_policy)
{
    for (unsigned how = 0; how <= CFG_DISPATCH_LOAD_WEIGHT; how++) {
        rig *r = small(5);

        r->cfg.gpu.dispatch = (cfg_dispatch)how;
        snprintf(r->cfg.gpu.cta.disabled, sizeof r->cfg.gpu.cta.disabled,
                 "0,3-4");
        rig_begin(r);
        launch(r, 0, 100, 4, 0, 0);
        for (unsigned i = 0; i < 8; i++) {
            unsigned on = next(r, i);

            CHECK(on == 1 || on == 2);
        }
        nothing(r, 8);
        rig_free(r);
    }
}

/* 8 SMs: three levels. What leaves in the cycle itself or later is not seen, so
 * the lowest of equals is named four times in a row. */
TEST(a_pipelined_tree_sees_what_was_three_cycles_ago)
{
    rig *r = small(8);
    dispatch_order o;

    r->cfg.gpu.load_weight.tree = CFG_LOAD_TREE_PIPELINED;
    rig_begin(r);
    launch(r, 0, 8, 4, 0, 0);
    static const unsigned want[] = {0, 0, 0, 0, 1, 1, 1, 1};
    for (unsigned i = 0; i < 8; i++) {
        CHECK(dispatch_next(r->d, 0, 100, &o));
        CHECK_EQ(o.number, i);
        CHECK_EQ(o.when, 3 + i);
        CHECK_EQ(o.sm, want[i]);
    }
    CHECK_EQ(rig_count(r, "wait_tree"), 3);
    CHECK_EQ(rig_count(r, "retries"), 0);
    rig_free(r);
}

/* One fits each: what was named in the cycles behind is asked for again, in
 * order, the cycle after it was found to be full. */
TEST(a_pipelined_tree_looks_again)
{
    rig *r = small(4);
    dispatch_order o;

    r->cfg.gpu.load_weight.tree = CFG_LOAD_TREE_PIPELINED;
    rig_begin(r);
    launch(r, 0, 4, 16, 0, 0);
    static const unsigned when[] = {2, 6, 10, 14};
    for (unsigned i = 0; i < 4; i++) {
        CHECK(dispatch_next(r->d, 0, 100, &o));
        CHECK_EQ(o.number, i);
        CHECK_EQ(o.sm, i);
        CHECK_EQ(o.when, when[i]);
    }
    CHECK_EQ(rig_count(r, "retries"), 3);
    CHECK(!dispatch_next(r->d, 100, 200, &o));
    rig_free(r);
}

/* Two levels for four SMs: what is asked for in a cycle leaves two later, and
 * its four warps are sent before the next is asked for, which is more than the
 * interval. */
TEST(a_pipelined_tree_is_asked_when_warps_have_been_sent)
{
    rig *r = small(4);
    dispatch_order o;

    r->cfg.gpu.load_weight.tree = CFG_LOAD_TREE_PIPELINED;
    r->cfg.gpu.cta.overlap = false;
    r->cfg.gpu.dispatch_interval = 5;
    rig_begin(r);
    launch(r, 0, 3, 4, 0, 0);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(dispatch_next(r->d, 0, 100, &o));
        CHECK_EQ(o.when, 2 + 6 * i);
    }
    rig_free(r);
}

/* Rows go to a cluster that is the launch's, in the order of members, the last
 * CTA to its first; others wait although SMs have room. */
TEST(rows_are_for_the_owner_of_a_cluster)
{
    rig *r = small(4);

    r->cfg.gpu.cluster.size = 2;
    rig_begin(r);
    launch(r, 0, 2, 4, 0, 0);
    launch(r, 1, 5, 4, 0, 0);
    dispatch_group(r->d, 0, 0, DISPATCH_ROWS, 0);
    dispatch_group(r->d, 0, 2, DISPATCH_NONE, 0);
    CHECK_EQ(next(r, 0), 0);
    CHECK_EQ(next(r, 0), 1);
    nothing(r, 1);
    CHECK_EQ(dispatch_wakes(r->d, 2), NEVER);
    dispatch_group(r->d, 6, 0, DISPATCH_ROWS, 1);
    CHECK_EQ(rig_count(r, "stall_cluster"), 5);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(next(r, 6 + i / 2), i % 2);
    CHECK_EQ(next(r, 8), 0);
    nothing(r, 9);
    CHECK_EQ(rig_count(r, "stall_several"), 0);
    rig_free(r);
}

/* Seven CTAs, of which the last two have fewer warps: rows of four and of one,
 * and each of the others by itself; or in no row, so that they wait. */
TEST(smaller_ctas_are_rows_of_their_own_or_in_none)
{
    for (unsigned lone = 0; lone < 2; lone++) {
        rig *r = small(8);
        dispatch_order o;

        r->cfg.gpu.cluster.size = 4;
        rig_begin(r);
        launch(r, 0, 7, 1, 0, 0);
        dispatch_alike(r->d, 0, 5, lone);
        dispatch_group(r->d, 0, 0, DISPATCH_ROWS, 0);
        dispatch_group(r->d, 0, 4, DISPATCH_ROWS, 0);
        for (unsigned i = 0; i < 7; i++) {
            if (i == 5 && !lone)
                break;
            CHECK(dispatch_next(r->d, 0, 100, &o));
            CHECK_EQ(o.number, i);
            CHECK_EQ(o.row, i < 4 ? 4 : 1);
            CHECK_EQ(o.sm, i < 4 ? i : i % 2 ? 0 : 4);
        }
        CHECK(!dispatch_next(r->d, 0, 100, &o));
        rig_free(r);
    }
}

/* Of clusters by themselves or not, the one with fewest CTAs gets what is left:
 * SM 2 has none, SM 0 and 1 one each. */
TEST(a_short_row_goes_where_the_policy_says)
{
    rig *r = small(3);

    r->cfg.gpu.cluster.size = 2;
    r->cfg.gpu.dispatch = CFG_DISPATCH_LEAST_CTAS;
    rig_begin(r);
    launch(r, 0, 5, 1, 0, 0);
    dispatch_group(r->d, 0, 0, DISPATCH_ROWS, 0);
    CHECK_EQ(next(r, 0), 0);
    CHECK_EQ(next(r, 0), 1);
    CHECK_EQ(next(r, 1), 2);
    CHECK_EQ(next(r, 2), 0);
    CHECK_EQ(next(r, 2), 1);
    nothing(r, 9);
    rig_free(r);
}

/* Rotating ties do not need to see it. */
TEST(a_pipelined_tree_spreads_if_ties_rotate)
{
    rig *r = small(4);
    dispatch_order o;

    r->cfg.gpu.load_weight.tree = CFG_LOAD_TREE_PIPELINED;
    r->cfg.gpu.load_weight.ties = CFG_TIES_ROTATING;
    rig_begin(r);
    launch(r, 0, 4, 16, 0, 0);
    for (unsigned i = 0; i < 4; i++) {
        CHECK(dispatch_next(r->d, 0, 100, &o));
        CHECK_EQ(o.sm, i);
        CHECK_EQ(o.when, 2 + i);
    }
    CHECK_EQ(rig_count(r, "ties"), 4);
    rig_free(r);
}

/* Random needs and ends: each CTA leaves once and in order, to an SM that has
 * room when it leaves, and at the end everything has come back. */
TEST(a_pipelined_tree_loses_nothing)
{
    rng rnd;

    rng_init(&rnd, 3, "dispatch.edges");
    for (unsigned round = 0; round < 60; round++) {
        rig *r = small(1 + rng_below(&rnd, 20));
        unsigned held[20][4] = {{0}}, left = 0, sent[4] = {0};
        dispatch_order o;
        uint64_t last = 0;

        r->cfg.gpu.load_weight.tree = CFG_LOAD_TREE_PIPELINED;
        r->cfg.gpu.load_weight.ties = (cfg_ties)rng_below(&rnd, 2);
        r->cfg.gpu.cta.queues = 1 + rng_below(&rnd, 3);
        r->cfg.gpu.cta.overlap = rng_below(&rnd, 2);
        rig_begin(r);
        for (unsigned n = 0; n < 4; n++) {
            unsigned ctas = 1 + rng_below(&rnd, 40);

            launch(r, n, ctas, 1 + rng_below(&rnd, 16), rng_below(&rnd, 1024),
                   0);
            left += ctas;
        }
        for (uint64_t now = 0; left; now += 10) {
            CHECK(now < 100000);
            while (dispatch_next(r->d, now, now + 10, &o)) {
                CHECK(o.when >= now && (!o.when || o.when > last));
                CHECK_EQ(o.number, sent[o.launch]);
                sent[o.launch]++;
                held[o.sm][o.launch]++;
                last = o.when;
            }
            for (unsigned i = 0; i < r->cfg.gpu.sms; i++)
                for (unsigned n = 0; n < 4; n++)
                    for (; held[i][n] && rng_below(&rnd, 2); left--) {
                        rig_cta_ends(r, now + 10, i, n, 0, 0);
                        held[i][n]--;
                    }
            dispatch_gathered(r->d, now + 10);
        }
        for (unsigned i = 0; i < r->cfg.gpu.sms; i++) {
            CHECK_EQ(r->d->load.left[i], 16);
            CHECK_EQ(r->d->free[i].registers, 1024);
        }
        rig_free(r);
    }
}

TEST(linear_weights_by_hand)
{
    rig *r = small(1);
    sm_resources need = {
        .ctas = 1, .warps = 4, .registers = 256, .shared_bytes = 16};

    r->cfg.gpu.load_weight.weight = CFG_LOAD_WEIGHT_LINEAR;
    /* K = 64 * 16; a sixteenth of each resource: 1024/3 * 3/16 */
    CHECK_EQ(load_weight_of_warp(&r->cfg, &need), 64);
    need.shared_bytes = 64; /* 1024/3 * (1/16 + 1/16 + 1/4) */
    CHECK_EQ(load_weight_of_warp(&r->cfg, &need), 128);
    need = (sm_resources){.ctas = 1, .warps = 1}; /* 1024/3/16, rounded down */
    CHECK_EQ(load_weight_of_warp(&r->cfg, &need), 21);
    r->cfg.gpu.load_weight.weight = CFG_LOAD_WEIGHT_SLOTS;
    CHECK_EQ(load_weight_of_warp(&r->cfg, &need), 1);
    free(r);
}
