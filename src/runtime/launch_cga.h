/* src/runtime/launch_cga.h - thread-block clusters of a launch: what was asked
 * for, and whether the machine has it. */
#ifndef RUNTIME_LAUNCH_CGA_H
#define RUNTIME_LAUNCH_CGA_H

#include "base/diag.h"
#include "exec/exec.h"
#include "runtime/runtime.h"

/* CTAs of a cluster of the launch, as it says or its kernel does; zeros: it has
 * none. */
void rt_cga_of(const rt_launch *l, uint32_t cga[3]);

/* CTAs of the largest cluster that the machine starts: 0 if it knows none, 1 if
 * it hands out CTAs in a way that has none. */
unsigned rt_cga_most(const config *cfg);

/* False, and told: the launch cannot have its clusters on this machine. */
bool rt_cga_check(const config *cfg, const rt_launch *l, diag *dg);
/* The same of one of which `ctas` fit an SM. */
bool rt_cga_fits(const config *cfg, const exec_launch *e, unsigned ctas,
                 diag *dg);

/* Clusters of `size` CTAs that GPCs hold at once, if an SM holds `ctas`. */
unsigned rt_cga_active(const config *cfg, unsigned size, unsigned ctas);

#endif
