/* src/compare/compare_cost.h - the bits of the structures of both sides of a
 * comparison, and which of them differ. Needs no run. */
#ifndef COMPARE_COMPARE_COST_H
#define COMPARE_COMPARE_COST_H

#include "cost/cost.h"
#include "study/measure.h"

/* A structure with other storage or comparators on the variant; bits of all
 * its instances. */
typedef struct compare_structure {
    const cost_structure *is;
    uint64_t bits[2], compared[2]; /* base, variant */
} compare_structure;

typedef struct compare_cost {
    cost_sum sum[2];
    compare_structure changed[COST_STRUCTURES]; /* largest change first */
    size_t count;
} compare_cost;

void compare_cost_of(const measure_side *base, const measure_side *variant,
                     compare_cost *out);

#endif
