/* tests/unit/dram/test_dram_stress.c - random requests on random channels: no
 * command breaks a timing rule, every read is answered once, time is fully
 * accounted for, and neither skipping nor tick order changes anything. */
#include "dram_rig.h"

#include "dram_config.h"

enum { REQUESTS = 500 };

static rig *stress(unsigned seed, bool no_skip, bool reversed)
{
    rig *r = rig_new(1u << seed % 3);
    uint64_t when = 0, base = 0;
    rng g;

    rng_init(&g, seed, "dram");
    random_dram(&r->cfg, &g);
    rig_start(r);
    for (unsigned i = 0; i < REQUESTS; i++) {
        if (!rng_below(&g, 20))
            base = (uint64_t)rng_below(&g, 1 << 14) * 128;
        uint64_t a = base + (uint64_t)rng_below(&g, 64) * 128;
        uint8_t sectors = (uint8_t)(1 + rng_below(&g, 15));
        if (rng_below(&g, 3))
            rig_read(r, when, a, sectors);
        else
            rig_write(r, when, a, sectors);
        when += rng_below(&g, 40) ? rng_below(&g, 4) : rng_below(&g, 3000);
    }
    r->no_skip = no_skip;
    r->reversed = reversed;
    rig_run(r, 300000);
    CHECK_EQ(r->done, r->owed);
    CHECK(dram_idle(r->b));
    dram_settle(r->b, 300000);
    return r;
}

TEST(no_command_breaks_a_rule_and_all_time_is_accounted_for)
{
    for (unsigned seed = 0; seed < 60; seed++) {
        rig *r = stress(seed, false, false);
        config_ratio clock = config_clock_ratio(&r->cfg, r->cfg.dram.clock_khz);
        rig_check_timing(r);
        CHECK_EQ(rig_stat(r, "reads"), r->owed);
        CHECK_EQ(rig_stat(r, "reads") + rig_stat(r, "writes"), r->entered);
        CHECK_EQ(rig_stat(r, "row_hits") + rig_stat(r, "row_misses") +
                     rig_stat(r, "row_conflicts") + rig_stat(r, "forwarded"),
                 r->entered);
        CHECK_EQ(rig_stat(r, "busy") + rig_stat(r, "wasted_column") +
                     rig_stat(r, "wasted_row") + rig_stat(r, "refreshing") +
                     rig_stat(r, "idle"),
                 mem_clock_from_core(clock, 300000));
        rig_free(r);
    }
}

TEST(skipping_and_tick_order_change_nothing)
{
    for (unsigned seed = 0; seed < 30; seed++) {
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
