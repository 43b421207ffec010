/* tests/unit/cache/l2_config.h - random slices of the L2. */
#ifndef L2_CONFIG_H
#define L2_CONFIG_H

#include "base/rng.h"
#include "config/config.h"

static inline void random_l2(config *c, rng *g)
{
    static const unsigned clocks[] = {1000000, 500000, 750000, 1410000, 333000};

    c->l2.clock_khz = clocks[rng_below(g, 5)];
    c->l2.sets = 1u << rng_below(g, 4);
    c->l2.ways = 1 + rng_below(g, 4);
    c->l2.index = (cfg_index)rng_below(g, 3);
    c->l2.sector = 32u << rng_below(g, 3);
    c->l2.write = rng_below(g, 2) ? CFG_L2_WRITE_VALIDATE : CFG_L2_WRITE_FETCH;
    c->l2.latency = 1 + rng_below(g, 40);
    c->l2.miss_latency = 1 + rng_below(g, 20);
    c->l2.fill_latency = 1 + rng_below(g, 20);
    c->l2.atomic_latency = rng_below(g, 10);
    c->l2.atomic_lanes = 1 + rng_below(g, 32);
    c->l2.atomic_same = 1 + rng_below(g, 4);
    c->l2.mshrs = 1 + rng_below(g, 12);
    c->l2.merges = 1 + rng_below(g, 5);
    c->l2.coalescer = rng_below(g, 2) ? 1 + rng_below(g, 12) : 0;
    c->l2.miss_queue = 2 + rng_below(g, 6);
    c->l2.data_bytes = 32u << rng_below(g, 3);
}

#endif
