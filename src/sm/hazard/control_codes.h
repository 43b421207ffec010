/* src/sm/hazard/control_codes.h - no hazard is looked for: the control
 * information that the compiler wrote says when instructions may issue, as on
 * Volta and later [HUERTA:issue]. After each its stall count passes; results of
 * unknown latency count one of six scoreboards up and down, and an
 * instruction that needs them waits for zero. Operands are read at issue, so
 * read scoreboards never hold up.
 *
 * Kepler's codes tell times alone (kepler_codes.c), which cover results of
 * fixed latency; the others are tracked [GK110:scheduling]. */
#ifndef SM_HAZARD_CONTROL_CODES_H
#define SM_HAZARD_CONTROL_CODES_H

#include "sm/hazard/hazard.h"

/* As sm_hazard_refuses. */
bool sm_control_codes_refuses(const config *cfg, const isa_kernel *kernel,
                              sm_refusal *out);

#endif
