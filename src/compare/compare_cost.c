/* src/compare/compare_cost.c - see compare_cost.h. */
#include "compare/compare_cost.h"

#include <stdlib.h>
#include <string.h>

static uint64_t absolute_difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static int by_change(const void *a, const void *b)
{
    const compare_structure *x = a, *y = b;
    uint64_t p = absolute_difference(x->bits[0], x->bits[1]);
    uint64_t q = absolute_difference(y->bits[0], y->bits[1]);

    return p != q ? (p < q ? 1 : -1) : strcmp(x->is->id, y->is->id);
}

void compare_cost_of(const measure_side *base, const measure_side *variant,
                     compare_cost *out)
{
    const config *cfg[2] = {base->gpus[0].cfg, variant->gpus[0].cfg};
    cost_item all[2][COST_STRUCTURES];

    *out = (compare_cost){.count = 0};
    for (unsigned k = 0; k < 2; k++) {
        cost_of(cfg[k], all[k]);
        out->sum[k] = cost_total(cfg[k]);
    }
    for (size_t i = 0; i < COST_STRUCTURES; i++) {
        compare_structure s = {.is = &cost_table[i]};

        for (unsigned k = 0; k < 2; k++) {
            s.bits[k] = all[k][i].instances * all[k][i].bits;
            s.compared[k] = all[k][i].instances * all[k][i].comparator_bits;
        }
        if (s.bits[0] != s.bits[1] || s.compared[0] != s.compared[1])
            out->changed[out->count++] = s;
    }
    qsort(out->changed, out->count, sizeof *out->changed, by_change);
}
