#include "report/figure.h"

#include <math.h>

#include "fake.h"

TEST(figures_follow_from_counters)
{
    fake *f = fake_new();
    figures g;

    f->cfg.gpu.clock_khz = 500000; /* 1000 cycles: 2 us */
    fake_set(f, "sm[0].slots", 2000);
    fake_set(f, "sm[0].issued", 500);
    fake_set(f, "sm[0].stall_raw_mem", 1500);
    fake_set(f, "sm[0].warp_cycles", 12000);
    fake_set(f, "sm[0].active_cycles", 800);
    fake_set(f, "sm[0].tx_insts", 10);
    fake_set(f, "sm[0].tx_loads", 20);
    fake_set(f, "sm[0].tx_stores", 5);
    figures_compute(&f->launch, &g);
    CHECK(g.time_s == 2e-6);
    CHECK(g.ipc == 0.5);
    CHECK(g.ipc_peak == f->cfg.sm.issue.schedulers * f->cfg.sm.issue.width);
    CHECK(g.warps == 15);
    CHECK(g.occupancy == 15.0 / f->cfg.sm.warps);
    CHECK(g.lanes == 0.5); /* 8000 of 500 * 32 */
    CHECK_EQ(g.slots, 2000);
    CHECK_EQ(g.issued, 500);
    CHECK(g.tx_per_inst == 2.5);
    uint64_t stalls = 0;
    for (unsigned i = 0; i < g.stall_count; i++)
        stalls += g.stalls[i].slots;
    CHECK_EQ(stalls, 1500);
    fake_free(f);
}

TEST(bank_conflicts_are_told_of_an_access)
{
    fake *f = fake_new();
    figures g;

    figures_compute(&f->launch, &g);
    CHECK(isnan(g.banks.passes_each) && isnan(g.banks.conflicts_each));
    CHECK(isnan(g.banks.lost) && isnan(g.banks.cycles));
    fake_set(f, "sm[0].active_cycles", 800);
    fake_set(f, "sm[0].mem_shared", 10);
    fake_set(f, "sm[0].shared_passes", 50); /* of wide ones two at least */
    fake_set(f, "sm[0].shared_conflicts", 30);
    char *text = fake_print(f, report_text);
    figures_compute(&f->launch, &g);
    CHECK(g.banks.passes_each == 5);
    CHECK(g.banks.conflicts_each == 3);
    CHECK(g.banks.lost == 0.6);
    CHECK(g.banks.cycles == 0.0375);
    CHECK(strstr(text, " 5.00 passes per shared access; bank conflicts: 3.00 "
                       "of them,\n      60.0 % of the passes, 3.8 % of "));
    free(text);
    text = fake_print(f, report_json);
    CHECK(strstr(text, "\"shared_passes_per_access\": 5,"));
    CHECK(strstr(text, "\"bank_conflicts_per_access\": 3,"));
    CHECK(strstr(text, "\"bank_conflict_share\": 0.6,"));
    CHECK(strstr(text, "\"bank_conflict_cycles\": 0.0375,"));
    free(text);
    text = fake_print(f, report_csv);
    CHECK(strstr(text, ",bank_conflicts_per_access,"));
    CHECK(strstr(text, ",5,3,0.6,0.0375,"));
    free(text);
    fake_set(f, "sm[0].shared_conflicts", 0);
    text = fake_print(f, report_text);
    CHECK(strstr(text, "per shared access; no bank conflicts\n"));
    free(text);
    fake_free(f);
}

TEST(reports_fit_eighty_columns)
{
    fake *f = fake_new();

    for (size_t i = 0; i < sm_stats_block.count; i++) {
        char name[128];

        snprintf(name, sizeof name, "sm[0].%s", sm_stats_block.desc[i].id);
        if (!sm_stats_block.desc[i].hist)
            fake_set(f, name, UINT64_C(1234567890));
    }
    f->launch.cycles = UINT64_C(9876543210);
    f->launch.ctas_per_sm = 16;
    f->launch.limiter = "shared memory";
    for (unsigned width = 80; width <= 100; width += 20) {
        size_t most = 0;

        f->run.options.width = width;
        char *text = fake_print(f, report_text);
        for (char *s = strtok(text, "\n"); s; s = strtok(NULL, "\n"))
            most = strlen(s) > most ? strlen(s) : most;
        CHECK(most <= width && most > width - 20);
        free(text);
    }
    fake_free(f);
}

TEST(every_stall_has_a_figure)
{
    fake *f = fake_new();
    figures g;
    unsigned n = 0;

    for (size_t i = 0; i < sm_stats_block.count; i++)
        n += !strncmp(sm_stats_block.desc[i].id, "stall_", 6);
    figures_compute(&f->launch, &g);
    CHECK_EQ(g.stall_count, n);
    CHECK(n < FIGURE_STALLS_MAX);
    fake_free(f);
}

TEST(levels_have_bytes_rates_and_peaks)
{
    fake *f = fake_new();
    figures g;

    f->cfg.gpu.clock_khz = 1000000;
    f->cfg.l1.data_bytes = 128;
    f->cfg.dram.clock_khz = 900000;
    f->cfg.dram.channels = 2;
    f->cfg.dram.bus_bytes = 16;
    f->cfg.dram.data_rate = 2;
    fake_set(f, "sm[0].l1.global_reads", 100);
    fake_set(f, "sm[0].l1.local_reads", 20);
    fake_set(f, "sm[0].l1.global_read_hits", 45);
    fake_set(f, "sm[0].l1.local_read_hits", 15);
    fake_set(f, "sm[0].l1.global_read_bypasses", 40);
    fake_set(f, "sm[0].tx_loads", 120);
    fake_set(f, "sm[0].tx_stores", 30);
    fake_set(f, "sm[0].tx_sectors", 200);
    fake_set(f, "l2[0].received_bytes", 1000);
    fake_set(f, "l2[0].sent_bytes", 3000);
    fake_set(f, "dram[0].reads", 6);
    fake_set(f, "dram[0].writes", 2);
    fake_set(f, "dram[0].row_hits", 4);
    fake_set(f, "dram[0].read_bytes", 192);
    fake_set(f, "dram[0].write_bytes", 64);
    figures_compute(&f->launch, &g);
    const figure_level *near = &g.level[LEVEL_L1], *far = &g.level[LEVEL_DRAM];
    CHECK_EQ(near->accesses, 150);
    CHECK(near->hit_rate == 60.0 / 80); /* of those that looked */
    CHECK_EQ(near->bytes, 6400);
    CHECK(near->peak == 128e9);
    CHECK(fabs(near->bandwidth - 6400 / 1e-6) < 1); /* in 1000 cycles */
    CHECK_EQ(g.level[LEVEL_L2].bytes, 4000);
    CHECK_EQ(far->bytes, 256);
    CHECK(far->peak == 900e6 * 2 * 16 * 2);
    CHECK(isnan(far->hit_rate));
    CHECK(g.row_hit_rate == 0.5);
    fake_free(f);
}

TEST(control_codes_share_slots_ports_and_banks)
{
    fake *f = fake_new();
    figures g;

    figures_compute(&f->launch, &g);
    CHECK(!g.dual.on);
    f->cfg.sm.dual.codes = true;
    f->cfg.sm.issue.schedulers = f->cfg.sm.fetch.ports = 4;
    f->cfg.sm.unit.fma.shared = 2;
    f->cfg.sm.rf.banks = 4;
    fake_set(f, "sm[0].cycles", 1000);
    fake_set(f, "sm[0].slots", 4000);
    fake_set(f, "sm[0].issued", 3000);
    fake_set(f, "sm[0].pairs_alike", 1000);
    fake_set(f, "sm[0].pairs_mixed", 500);
    fake_set(f, "sm[0].fetches", 2000);
    fake_set(f, "sm[0].wrong_path", 40);
    fake_set(f, "sm[0].operand_reads", 6400);
    fake_set(f, "sm[0].operand_hits", 1600);
    fake_set(f, "sm[0].scheduler_3", 10);
    fake_set(f, "sm[0].scheduler_0", 30);
    figures_compute(&f->launch, &g);
    CHECK_EQ(g.dual.single, 1500);
    CHECK_EQ(g.dual.alike, 1000);
    CHECK_EQ(g.dual.mixed, 500);
    CHECK(g.dual.decode == 0.5 && g.dual.wrong_path == 0.01);
    CHECK(g.dual.shared == 0.5);
    CHECK(g.dual.banks == 0.4 && g.dual.cached == 0.2);
    CHECK(g.dual.scheduler[0] == 0.75 && g.dual.scheduler[1] == 0);
    CHECK(g.dual.scheduler[3] == 0.25 && isnan(g.dual.phase[0]));
    fake_free(f);
}

TEST(nothing_is_divided_by_zero)
{
    fake *f = fake_new();
    figures g;

    f->launch.cycles = 0;
    f->launch.warp_insts = 0;
    figures_compute(&f->launch, &g);
    CHECK(isnan(g.ipc) && isnan(g.warps) && isnan(g.lanes));
    CHECK(isnan(g.level[LEVEL_L1].hit_rate));
    CHECK(isnan(g.level[LEVEL_L1].bandwidth));
    f->launch.totals = NULL; /* functional */
    figures_compute(&f->launch, &g);
    CHECK_EQ(g.stall_count, 0);
    fake_free(f);
}
