/* src/sm/hazard/control_codes.h - no hazard is looked for: the control
 * information that the compiler wrote says when instructions may issue, as on
 * Volta and later [HUERTA:issue]. After each its stall count passes; results of
 * unknown latency count one of six scoreboards up and down, and who needs them
 * waits for zero. Operands are read at issue, so read scoreboards never hold
 * up. */
#ifndef SM_HAZARD_CONTROL_CODES_H
#define SM_HAZARD_CONTROL_CODES_H

#include "sm/hazard/hazard.h"

/* Instruction `si` of `warp` issues in cycle `now` and is then held up for
 * `delay` cycles, as are those behind it. */
void sm_codes_issue(sm_hazard *h, unsigned warp, const sm_inst *si,
                    uint64_t now, uint64_t delay);
/* So is its result, for `delay` more. */
void sm_codes_late(sm_hazard *h, unsigned warp, uint64_t delay);

/* The cycle from which on the next instruction of `warp` may issue. */
uint64_t sm_codes_when(const sm_hazard *h, unsigned warp);

/* As sm_hazard_refuses. */
bool sm_codes_refuses(const config *cfg, const isa_kernel *kernel,
                      sm_refusal *out);

#endif
