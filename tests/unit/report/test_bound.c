/* tests/unit/report/test_bound.c - what bounds a launch, from counters that are
 * set so that there is one answer. */
#include "report/bound.h"

#include <math.h>

#include "fake.h"

/* One SM with two schedulers for 1000 cycles, in 800 of which it has warps;
 * those of 100 before them pass before the first CTA. */
static fake *launch(void)
{
    fake *f = fake_new();

    f->cfg.sm.issue.schedulers = 2;
    fake_set(f, "sm[0].slots", 2000);
    fake_set(f, "sm[0].active_cycles", 800);
    fake_set(f, "sm[0].stall_no_warp", 400);
    return f;
}

static bounds bounds_of(fake *f)
{
    figures g;
    bounds b;

    figures_compute(&f->launch, &g);
    bounds_compute(&f->launch, &g, &b);
    return b;
}

static bool is(const bound *b, bound_kind kind, unsigned which)
{
    return b->kind == kind && b->which == which;
}

TEST(a_launch_without_timing_is_bound_by_nothing)
{
    fake *f = launch();

    f->launch.totals = NULL;
    bounds b = bounds_of(f);
    CHECK_EQ(b.first.kind, BOUND_NOTHING);
    char *text = fake_print(f, report_text);
    CHECK(!strstr(text, "bound "));
    free(text);
    fake_free(f);
}

TEST(waits_are_shares_of_the_slots_with_warps)
{
    fake *f = launch();

    fake_set(f, "sm[0].issued", 160);
    fake_set(f, "sm[0].stall_raw_mem", 1200);
    fake_set(f, "sm[0].stall_raw_alu", 160);
    fake_set(f, "sm[0].stall_raw_pred", 80);
    bounds b = bounds_of(f);
    CHECK(b.wait[BOUND_WAIT_MEMORY] == 0.75);
    CHECK(b.wait[BOUND_WAIT_ARITHMETIC] == 0.15);
    CHECK(b.speed[BOUND_ISSUE] == 0.1);
    CHECK(fabs(b.idle - 0.2) < 1e-9);
    CHECK(is(&b.first, BOUND_WAIT, BOUND_WAIT_MEMORY));
    CHECK_EQ(b.sure, BOUND_CLEARLY); /* 0.75 of 0.8, four times the next */
    char *text = fake_print(f, report_text);
    CHECK(strstr(text, "  bound clearly by memory latency: 75.0 % of the slots "
                       "with warps\n"));
    free(text);
    text = fake_print(f, report_json);
    CHECK(strstr(text, "\"memory\": 0.75"));
    free(text);
    fake_free(f);
}

/* A unit that is busy makes warps wait: the wait is no answer. */
TEST(a_busy_unit_comes_before_those_that_wait_for_it)
{
    fake *f = launch();

    fake_set(f, "sm[0].issued", 100);
    fake_set(f, "sm[0].stall_raw_mem", 1500);
    uint64_t peak = (uint64_t)f->cfg.dram.channels * f->cfg.dram.bus_bytes *
                    f->cfg.dram.data_rate; /* bytes of a cycle */
    f->cfg.dram.clock_khz = f->cfg.gpu.clock_khz;
    fake_set(f, "dram[0].read_bytes", peak * 900);
    bounds b = bounds_of(f);
    CHECK(fabs(b.speed[BOUND_DRAM] - 0.9) < 1e-9);
    CHECK(is(&b.first, BOUND_UNIT, BOUND_DRAM));
    fake_set(f, "dram[0].read_bytes", peak * 100);
    b = bounds_of(f);
    CHECK(is(&b.first, BOUND_WAIT, BOUND_WAIT_MEMORY));
    fake_free(f);
}

/* Half of the instructions that a pipe of one input every two cycles takes. */
TEST(pipes_are_busy_for_the_interval_of_their_instructions)
{
    fake *f = launch();

    f->cfg.sm.op.fp32.unit = CFG_UNIT_FMA;
    f->cfg.sm.op.fp32.interval = 2;
    f->cfg.sm.unit.fma.private = 1;
    f->cfg.sm.unit.fma.shared = 0;
    fake_set(f, "sm[0].inst_fp32", 400); /* of 800 on two schedulers */
    bounds b = bounds_of(f);
    CHECK(b.speed[BOUND_FMA] == 0.5);
    f->cfg.sm.unit.fma.private = 0;
    f->cfg.sm.unit.fma.shared = 1;
    b = bounds_of(f);
    CHECK(b.speed[BOUND_FMA] == 1);
    fake_free(f);
}

TEST(empty_sms_are_a_small_grid_or_a_tail)
{
    fake *f = launch();

    fake_set(f, "sm[0].stall_no_warp", 1600);
    fake_set(f, "sm[0].active_cycles", 200);
    f->launch.grid[0] = 8; /* as many as fit */
    f->launch.ctas_per_sm = 8;
    bounds b = bounds_of(f);
    CHECK_EQ(b.first.kind, BOUND_SMALL);
    CHECK(fabs(b.first.share - 0.8) < 1e-9);
    f->launch.grid[0] = 9;
    b = bounds_of(f);
    CHECK_EQ(b.first.kind, BOUND_TAIL);
    fake_free(f);
}

/* Every reason for a lost slot, but for that of SMs without warps, means
 * something. */
TEST(every_stall_belongs_to_a_wait)
{
    for (size_t i = 0; i < sm_stats_block.count; i++) {
        const char *id = sm_stats_block.desc[i].id;
        fake *f;
        char name[96];
        double all = 0;

        if (strncmp(id, "stall_", 6) != 0 || !strcmp(id, "stall_no_warp") ||
            sm_stats_block.desc[i].hist)
            continue;
        f = launch();
        snprintf(name, sizeof name, "sm[0].%s", id);
        fake_set(f, name, 1600);
        bounds b = bounds_of(f);
        for (unsigned k = 0; k < BOUND_WAITS; k++)
            all += b.wait[k];
        if (all != 1)
            TEST_FAIL("%s belongs to no wait", id);
        fake_free(f);
    }
}
