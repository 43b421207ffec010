/* src/gpu/dispatch/load_weight.h - how much weight each SM can still take: load
 * registers, which warps take from and give back to [LWD:claims]. Larger is
 * lighter. All warps of a launch weigh the same, so a memory of the weights of
 * resident warps would hold, in each slot, as the number of the launch says.
 * Owns its registers. */
#ifndef GPU_DISPATCH_LOAD_WEIGHT_H
#define GPU_DISPATCH_LOAD_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/sm.h"

/* CTAs of which warps have yet to be sent to an SM, one in a cycle: their
 * weight is still in the register. */
typedef struct load_queue {
    struct load_cta {
        uint64_t from; /* cycle in which the first can be sent */
        uint32_t weight, warps;
    } * cta; /* a ring of sm.ctas */
    unsigned head, count;
    uint64_t free; /* cycle from which the next can be sent */
} load_queue;

typedef struct load_weight {
    unsigned sms, ctas;
    uint32_t full;     /* of an empty SM */
    uint32_t *left;    /* per SM: the load register */
    bool rotating;     /* ties: the next SM in turn, else the lowest */
    load_queue *queue; /* per SM; NULL: weights are taken at once */
    uint64_t *sending; /* a bit of each SM whose queue is not empty */
} load_weight;

void load_weight_init(load_weight *l, const config *cfg);
void load_weight_fini(load_weight *l);
void load_weight_clear(load_weight *l); /* all SMs are empty */

/* Of a warp of a CTA that needs `need`; with weight=measured work_table.h has
 * it. */
uint32_t load_weight_of_warp(const config *cfg, const sm_resources *need);

/* In cycle `now` SM `i` gets a CTA of so many warps of so much each. */
void load_weight_take(load_weight *l, unsigned i, uint64_t now, uint32_t weight,
                      unsigned warps);
/* So many have ended. Those that were still to be sent are by now. */
void load_weight_give(load_weight *l, unsigned i, uint32_t weight,
                      unsigned warps);
/* What is in the register in cycle `now`: warps sent before have taken their
 * weight. True if that changed it. */
bool load_weight_look(load_weight *l, unsigned i, uint64_t now);

#endif
