/* src/sm/hazard/table.h - the lookup table of pending results [LUT]: for each
 * warp a few slots, each a register and how many after it are written too. A
 * result takes slots when its instruction is reserved, all or none, and waits
 * where there are too few. Warps of a group divide their slots among those of
 * them that run (table_rows.h). docs/mechanisms/hazard-table.md has the source
 * and what it leaves open. */
#ifndef SM_HAZARD_TABLE_H
#define SM_HAZARD_TABLE_H

#include "sm/hazard/hazard.h"

/* Room for every register of a warp. */
enum { TABLE_SLOTS = 256 };

/* Slots that the result of an instruction takes. */
static inline unsigned sm_table_needs(const config *cfg, const isa_inst *in)
{
    unsigned bits = cfg->sm.table.offset_bits;

    return (in->dst_regs + (1u << bits) - 1) >> bits;
}

/* As sm_hazard_refuses. */
bool sm_table_refuses(const config *cfg, const isa_kernel *kernel,
                      sm_refusal *out);

/* The same, as far as R0 is concerned: sm.table.empty. */
bool sm_table_refuses_r0(const config *cfg, const isa_kernel *kernel,
                         sm_refusal *out);

/* Slots of the warp that are used; slots for further results of it; the warp
 * that has the row of warp slot `home`; and the registers from *rid on that
 * slot `i` of the warp's line stands for, a bit each: slots i % sm.table.slots
 * of row i / sm.table.slots. */
unsigned sm_table_used(const sm_hazard *h, unsigned warp);
unsigned sm_table_room(const sm_hazard *h, unsigned warp);
unsigned sm_table_owner(const sm_hazard *h, unsigned home);
uint32_t sm_table_slot(const sm_hazard *h, unsigned warp, unsigned i,
                       uint8_t *rid);

#endif
