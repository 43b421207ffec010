/* tests/unit/cache/l1_config.h - random caches. */
#ifndef L1_CONFIG_H
#define L1_CONFIG_H

#include "base/rng.h"
#include "config/config.h"

/* Any cache, with one queue. */
static inline void random_l1(config *c, rng *g)
{
    static const cfg_l1_write local[] = {CFG_L1_WRITE_BACK,
                                         CFG_L1_WRITE_THROUGH};
    static const cfg_l1_write global[] = {
        CFG_L1_WRITE_EVICT, CFG_L1_WRITE_THROUGH, CFG_L1_WRITE_BACK};

    c->l1.sets = rng_below(g, 5) ? 1u << rng_below(g, 6) : 3 + rng_below(g, 9);
    c->l1.index = (cfg_index)rng_below(g, 3);
    c->l1.ways = 1 + rng_below(g, 4);
    c->l1.sector = 32u << rng_below(g, 3);
    c->l1.alloc = rng_below(g, 4) ? CFG_ALLOC_ON_MISS : CFG_ALLOC_ON_FILL;
    c->l1.write = global[rng_below(g, 3)];
    c->l1.local_write = local[rng_below(g, 2)];
    c->l1.globals = rng_below(g, 6) > 0;
    c->l1.locals = rng_below(g, 6) > 0;
    c->l1.latency = 2 + rng_below(g, 20);
    c->l1.miss_latency = 1 + rng_below(g, 10);
    c->l1.fill_latency = 2 + rng_below(g, 10);
    c->l1.mshrs = 1u << rng_below(g, 8);
    c->l1.merges = 1 + rng_below(g, 8);
    c->l1.miss_queue = 2 + rng_below(g, 8);
    c->l1.tag_ports = rng_below(g, 3) ? 1 : 2 + rng_below(g, 2);
    c->l1.data_bytes = rng_below(g, 2) ? 128 : 32u << rng_below(g, 2);
    c->l1.fill_bytes = 32u << rng_below(g, 3);
}

/* Any policy, with up to `most` queues where it has some. */
static inline void random_l1_queues(config *c, rng *g, unsigned most)
{
    unsigned queue = rng_below(g, 8);

    most = c->l1.sets < most ? c->l1.sets : most;
    c->l1.queue = queue == 0  ? CFG_L1_QUEUE_FIFO
                  : queue < 4 ? CFG_L1_QUEUE_MRPB
                              : CFG_L1_QUEUE_REOD;
    c->l1.mrpb.signature = (cfg_mrpb_signature)rng_below(g, 2);
    c->l1.mrpb.queues = 1 + rng_below(g, 12);
    c->l1.mrpb.depth = 1 + rng_below(g, 8);
    c->l1.mrpb.drain = (cfg_mrpb_drain)rng_below(g, 3);
    c->l1.mrpb.bypass = rng_below(g, 2);
    c->l1.cause_order = (cfg_cause_order)rng_below(g, 2);
    c->l1.reod.queues = 1 + rng_below(g, most);
    c->l1.reod.depth = rng_below(g, 3) ? 1 + rng_below(g, 8) : 1;
    c->l1.reod.map = (cfg_reod_map)rng_below(g, 2);
    c->l1.reod.select = (cfg_reod_select)rng_below(g, 4);
    if (c->l1.reod.select > CFG_REOD_SELECT_SETBIT)
        c->l1.reod.select = CFG_REOD_SELECT_AWARE;
    c->l1.reod.bypass_empty = rng_below(g, 2);
}

/* After that, for some caches: loads put aside, lines not kept. */
static inline void random_l1_rivals(config *c, rng *g)
{
    if (rng_below(g, 3) == 0)
        c->l1.queue = CFG_L1_QUEUE_MASCAR;
    c->l1.mascar.depth = rng_below(g, 6) ? 1 + rng_below(g, 24) : 0;
    c->l1.mascar.owner = rng_below(g, 2);
    c->l1.mascar.mshrs_left = 1 + rng_below(g, 40);
    c->l1.mascar.places_left = 1 + rng_below(g, 4);
    if (rng_below(g, 3) == 0)
        c->l1.bypass = CFG_L1_BYPASS_LOCALITY;
    c->l1.locality.ways = 1 + rng_below(g, 12);
    c->l1.locality.threshold = 1 + rng_below(g, 4);
}

#endif
