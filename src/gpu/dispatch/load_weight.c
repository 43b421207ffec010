#include "gpu/dispatch/load_weight.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "gpu/dispatch/work_table.h"

typedef unsigned __int128 wide;

/* Of `linear` weights for each warp slot of an SM. */
enum { LINEAR_UNIT = 64 };

static uint32_t full_weight(const config *cfg)
{
    static const uint32_t most[] = {
        [CFG_LOAD_WEIGHT_SLOTS] = 1,
        [CFG_LOAD_WEIGHT_LINEAR] = LINEAR_UNIT,
        [CFG_LOAD_WEIGHT_MEASURED] = WORK_MOST,
    };

    return most[cfg->gpu.load_weight.weight] * cfg->sm.warps;
}

void load_weight_init(load_weight *l, const config *cfg)
{
    l->sms = cfg->gpu.sms;
    l->full = full_weight(cfg);
    l->rotating = cfg->gpu.load_weight.ties == CFG_TIES_ROTATING;
    l->left = new0(l->sms, sizeof *l->left);
    if (cfg->gpu.load_weight.update == CFG_LOAD_UPDATE_CTA)
        return;
    l->ctas = cfg->sm.ctas;
    l->sending = new0((l->sms + 63) / 64, sizeof *l->sending);
    l->queue = new0(l->sms, sizeof *l->queue);
    for (unsigned i = 0; i < l->sms; i++)
        l->queue[i].cta = new0(l->ctas, sizeof *l->queue[i].cta);
}

void load_weight_fini(load_weight *l)
{
    for (unsigned i = 0; l->queue && i < l->sms; i++)
        free(l->queue[i].cta);
    free(l->queue);
    free(l->sending);
    free(l->left);
}

void load_weight_clear(load_weight *l)
{
    for (unsigned i = 0; i < l->sms; i++)
        l->left[i] = l->full;
    for (unsigned i = 0; l->queue && i < l->sms; i++) {
        l->queue[i].count = 0;
        l->queue[i].free = 0;
        l->sending[i / 64] = 0;
    }
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

static void lower(load_weight *l, unsigned i, uint32_t weight)
{
    MUST(l->left[i] >= weight);
    l->left[i] -= weight;
}

void load_weight_take(load_weight *l, unsigned i, uint64_t now, uint32_t weight,
                      unsigned warps)
{
    if (!l->queue) {
        lower(l, i, weight * warps);
        return;
    }
    load_queue *q = &l->queue[i];
    MUST(q->count < l->ctas);
    q->cta[(q->head + q->count++) % l->ctas] =
        (struct load_cta){now, weight, warps};
    l->sending[i / 64] |= (uint64_t)1 << i % 64;
}

bool load_weight_look(load_weight *l, unsigned i, uint64_t now)
{
    load_queue *q = &l->queue[i];
    uint32_t before = l->left[i];

    while (q->count) {
        struct load_cta *c = &q->cta[q->head];
        uint64_t from = c->from > q->free ? c->from : q->free;
        uint64_t n = now > from ? now - from : 0;

        n = n < c->warps ? n : c->warps;
        lower(l, i, c->weight * (uint32_t)n);
        c->warps -= (uint32_t)n;
        q->free = from + n;
        if (c->warps)
            break;
        q->head = (q->head + 1) % l->ctas;
        q->count--;
    }
    if (!q->count)
        l->sending[i / 64] &= ~((uint64_t)1 << i % 64);
    return l->left[i] != before;
}

void load_weight_give(load_weight *l, unsigned i, uint32_t weight,
                      unsigned warps)
{
    if (l->queue && l->queue[i].count) {
        load_weight_look(l, i, UINT64_MAX);
        l->queue[i].free = 0;
    }
    MUST(weight * warps <= l->full - l->left[i]);
    l->left[i] += weight * warps;
}
