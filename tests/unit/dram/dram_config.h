/* tests/unit/dram/dram_config.h - random DRAM channels. */
#ifndef DRAM_CONFIG_H
#define DRAM_CONFIG_H

#include "base/rng.h"
#include "config/config.h"

static inline void random_dram(config *all, rng *g)
{
    static const unsigned clocks[] = {1000000, 635000, 1842000, 9700000};
    __typeof__(all->dram) *c = &all->dram;

    c->clock_khz = clocks[rng_below(g, 4)];
    c->bank_groups = 1u << rng_below(g, 3);
    c->banks = 8u << rng_below(g, 3);
    c->bus_bytes = 8u << rng_below(g, 2);
    c->data_rate = 1u << rng_below(g, 3);
    c->burst = 4u << rng_below(g, 2);
    c->row_bytes = 512u << rng_below(g, 4);
    c->mapping = (cfg_dram_map)rng_below(g, 2);
    c->bank_xor = rng_below(g, 2);
    c->scheduler =
        rng_below(g, 4) ? CFG_DRAM_SCHED_FR_FCFS : CFG_DRAM_SCHED_FCFS;
    c->page = rng_below(g, 3) ? CFG_PAGE_OPEN : CFG_PAGE_CLOSED;
    c->age_limit = rng_below(g, 2) ? 1 + rng_below(g, 400) : 0;
    c->row_commands = rng_below(g, 2);
    c->queue = 1 + rng_below(g, 32);
    c->write_queue = 1 + rng_below(g, 32);
    c->write_high = 1 + rng_below(g, c->write_queue);
    c->write_low = rng_below(g, c->write_high);
    c->latency = rng_below(g, 100);
    c->t_rcd = 1 + rng_below(g, 16);
    c->t_rp = 1 + rng_below(g, 16);
    c->t_ras = 1 + rng_below(g, 32);
    c->t_rc = c->t_ras + rng_below(g, 16);
    c->t_cl = 1 + rng_below(g, 16);
    c->t_cwl = 1 + rng_below(g, 16);
    c->t_ccd_s = 1 + rng_below(g, 3);
    c->t_ccd_l = c->t_ccd_s + rng_below(g, 3);
    c->t_rrd = 1 + rng_below(g, 8);
    c->t_faw = 1 + rng_below(g, 32);
    c->t_wr = 1 + rng_below(g, 16);
    c->t_wtr = 1 + rng_below(g, 8);
    c->t_rtp = 1 + rng_below(g, 8);
    c->refresh = rng_below(g, 2);
    c->refresh_unit = rng_below(g, 2);
    c->t_refi = 300 + rng_below(g, 2000);
    c->t_rfc = 1 + rng_below(g, 200);
    all->l2.slice_hash = (cfg_index)rng_below(g, 3);
}

#endif
