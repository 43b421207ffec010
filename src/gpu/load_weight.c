#include "gpu/load_weight.h"

#include <stdlib.h>

#include "base/must.h"

typedef unsigned __int128 wide;

/* Of `linear` weights for each warp slot of an SM. */
enum { LINEAR_UNIT = 64 };

static uint32_t full_weight(const config *cfg)
{
    return cfg->gpu.load_weight.weight == CFG_LOAD_WEIGHT_LINEAR
               ? LINEAR_UNIT * cfg->sm.warps
               : cfg->sm.warps;
}

bool load_weight_init(load_weight *l, const config *cfg)
{
    l->sms = cfg->gpu.sms;
    l->full = full_weight(cfg);
    l->rotating = cfg->gpu.load_weight.ties == CFG_TIES_ROTATING;
    l->left = calloc(l->sms, sizeof *l->left);
    return l->left != NULL;
}

void load_weight_fini(load_weight *l) { free(l->left); }

void load_weight_clear(load_weight *l)
{
    for (unsigned i = 0; i < l->sms; i++)
        l->left[i] = l->full;
}

/* full/3 of (1/slots + registers of the warp/all + its share of shared
 * memory/all), rounded down: none of the three adds up to more than 1 over the
 * warps that an SM can hold, so no register falls below 0. */
static uint32_t linear(const config *cfg, const sm_resources *need)
{
    wide slots = cfg->sm.warps, regs = cfg->sm.registers;
    wide shared = cfg->sm.shared_bytes ? cfg->sm.shared_bytes : 1;
    wide warps = need->warps, of_all = slots * regs * shared * warps;
    wide sum = regs * shared * warps + slots * shared * need->registers +
               slots * regs * need->shared_bytes;

    return (uint32_t)(full_weight(cfg) * sum / (3 * of_all));
}

uint32_t load_weight_of_warp(const config *cfg, const sm_resources *need)
{
    return cfg->gpu.load_weight.weight == CFG_LOAD_WEIGHT_LINEAR
               ? linear(cfg, need)
               : 1;
}

void load_weight_take(load_weight *l, unsigned i, uint32_t weight)
{
    MUST(l->left[i] >= weight);
    l->left[i] -= weight;
}

void load_weight_give(load_weight *l, unsigned i, uint32_t weight)
{
    MUST(weight <= l->full - l->left[i]);
    l->left[i] += weight;
}
