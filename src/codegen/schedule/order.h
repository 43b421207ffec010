/* src/codegen/schedule/order.h - the final order of a block for a machine that
 * issues instructions in pairs. Borrows everything. */
#ifndef CODEGEN_SCHEDULE_ORDER_H
#define CODEGEN_SCHEDULE_ORDER_H

#include "base/arena.h"
#include "codegen/ir/options.h"

/* Instructions of a group behind its word of codes; the code of the first of a
 * pair [PPOPP:control-codes]. */
enum { KEPLER_GROUP = 7, KEPLER_PAIR = 0x04 };

/* Is it to issue with the one behind it? */
static inline bool cg_is_head(const isa_inst *in)
{
    return in->ctl >> CTL_HAS & 1 &&
           (in->ctl >> CTL_CODE & 0xff) == KEPLER_PAIR;
}

/* Orders code[first], ..., code[end - 1], a block, and gives the code of pairs
 * to the first ones. `first` counts from where groups begin. */
void cg_order(const cg_options *opt, arena *a, isa_inst *code, uint32_t first,
              uint32_t end);

#endif
