/* src/codegen/ir/access.h - which accesses to memory may meet, and what keeps
 * them in order. */
#ifndef CODEGEN_IR_ACCESS_H
#define CODEGEN_IR_ACCESS_H

#include "codegen/ir/ir.h"

/* It reads or writes what may change while the kernel runs. */
bool cg_is_access(const cg_inst *in);

/* An atomic, or an access that others of its thread do not pass. */
bool cg_is_ordered_access(const cg_inst *in);

/* Memory of other lanes is involved: no access passes it. */
bool cg_orders_memory(const cg_inst *in);

/* Of one lane, at most. */
unsigned cg_access_bytes(const cg_inst *in);

/* The two accesses cannot meet, provided that a register that is the base of
 * both has the same value at both. */
bool cg_accesses_apart(const cg_inst *a, const cg_inst *b);

#endif
