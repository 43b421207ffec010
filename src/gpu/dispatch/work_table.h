/* src/gpu/dispatch/work_table.h - how long CTAs of a kernel took when it last
 * ran: the weights of gpu.load_weight.weight=measured. A launch adds up the
 * cycles that its CTAs held their SMs, from leaving the dispatcher to their
 * end; when the last has ended their mean goes into a table by the address of
 * the kernel's code, in the place of the entry that is oldest. What the
 * arguments change is not told apart. Owns its entries. */
#ifndef GPU_DISPATCH_WORK_TABLE_H
#define GPU_DISPATCH_WORK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

enum {
    WORK_UNIT = 64,   /* cycles of a weight of 1 [guess] */
    WORK_MOST = 4095, /* the largest weight [guess]; tables have 12 bits */
};

typedef struct work_table {
    struct work_entry {
        uint64_t code;
        uint32_t weight; /* 0: empty */
    } * entry;
    unsigned count, oldest;
    uint32_t mean; /* of weights as they came, the last the most; 0: none yet */
} work_table;

void work_table_init(work_table *t, const config *cfg);
void work_table_fini(work_table *t); /* zeroed is fine */

/* Of each warp of a kernel whose code begins at `code`: what is in the table,
 * else the mean of what came so far, else 1. */
uint32_t work_table_weight(const work_table *t, uint64_t code);
/* `ctas` of it, one at least, have held SMs for `cycles` together. */
void work_table_learn(work_table *t, uint64_t code, uint64_t cycles,
                      uint64_t ctas);

#endif
