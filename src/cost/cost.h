/* src/cost/cost.h - what a machine's structures cost in storage bits and in
 * comparators, from its configuration alone. One row per structure of a table
 * (cost/structure.def), with its formula in words; docs/cost.md has the
 * sources. Constant tables and plain data. */
#ifndef COST_COST_H
#define COST_COST_H

#include "config/config.h"

typedef struct cost_item {
    const char *id;           /* "scoreboard" */
    const char *name;         /* "register scoreboard" */
    const char *per;          /* "scheduler", "SM", "L2 slice", "chip" */
    const char *formula;      /* in words and parameters: "warps x registers" */
    const char *source;       /* tag, "[guess]" */
    uint64_t instances;       /* of it on the chip */
    uint64_t bits;            /* storage of one instance */
    uint64_t comparator_bits; /* bits compared at once in one instance */
    bool bulk; /* data arrays (register file, cache data): most of a chip, and
                  none of a control structure's cost */
} cost_item;

size_t cost_count(void);
/* Structure `i` in that machine; 0 instances: it has none. */
cost_item cost_get(const config *cfg, size_t i);

typedef struct cost_sum {
    uint64_t bits, comparator_bits; /* of the chip, all instances */
    uint64_t bulk_bits;             /* of these: data arrays */
} cost_sum;
cost_sum cost_total(const config *cfg);

#endif
