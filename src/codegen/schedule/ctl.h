/* src/codegen/schedule/ctl.h - control information for the final order of a
 * kernel. Borrows everything. */
#ifndef CODEGEN_SCHEDULE_CTL_H
#define CODEGEN_SCHEDULE_CTL_H

#include "codegen/ir/options.h"
#include "isa/program.h"

/* Fills isa_inst.ctl, so that machines that issue by it need no hazard check:
 * Volta: stall cycles, scoreboards and what to wait for; Kepler: the 8-bit
 * code. `leader[i]`: a basic block begins at i. `table` of `tables` numbers:
 * where BRX may go. */
void cg_control(const cg_options *opt, isa_kernel *k, const bool *leader,
                const uint32_t *table, uint32_t tables);

/* The same of code that has no kernel yet, for the preset of its family. */
void cg_control_code(isa_arch arch, isa_inst *code, uint32_t count,
                     const bool *leader, const uint32_t *table,
                     uint32_t tables);

#endif
