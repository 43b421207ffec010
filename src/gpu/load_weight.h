/* src/gpu/load_weight.h - how much weight each SM can still take: load
 * registers, which CTAs take from and give back to [LWD:claims]. Larger is
 * lighter. All warps of a launch weigh the same, so a memory of the weights of
 * resident warps would hold, in each slot, what the launch's number tells.
 * Owns its registers. */
#ifndef GPU_LOAD_WEIGHT_H
#define GPU_LOAD_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/sm.h"

typedef struct load_weight {
    unsigned sms;
    uint32_t full;  /* of an empty SM */
    uint32_t *left; /* per SM: the load register */
    bool rotating;  /* ties: the next SM in turn, else the lowest */
} load_weight;

/* False if memory runs out. */
bool load_weight_init(load_weight *l, const config *cfg);
void load_weight_fini(load_weight *l);
void load_weight_clear(load_weight *l); /* all SMs are empty */

/* Of a warp of a CTA that needs `need`. */
uint32_t load_weight_of_warp(const config *cfg, const sm_resources *need);

void load_weight_take(load_weight *l, unsigned i, uint32_t weight);
void load_weight_give(load_weight *l, unsigned i, uint32_t weight);

#endif
