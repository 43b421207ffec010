/* src/config/path.h - cycles of the core from the issue of an access to its
 * usable result, by where it is served, when nothing else is on the way: what
 * follows from the parameters of the units that it passes. Plain functions. */
#ifndef CONFIG_PATH_H
#define CONFIG_PATH_H

#include "config/config.h"

/* Cycles of the core that `cycles` of another clock last; `clock_khz` 0 is the
 * core clock. */
double config_core_cycles(const config *cfg, unsigned clock_khz, double cycles);

double config_path_shared(const config *cfg);   /* without conflicts */
double config_path_constant(const config *cfg); /* hits the first cache */
double config_path_l1(const config *cfg);       /* hits the L1 */
double config_path_l2(const config *cfg);       /* misses the L1, hits the L2 */
double config_path_atomic(const config *cfg);   /* performed in the L2 */
double config_path_shared_atomic(const config *cfg); /* on different words */
double config_path_texture(const config *cfg); /* hits the texture cache, which
                                                  is the L1 if there is none */

/* Do read-only loads (ld.global.nc) go through the texture cache? */
bool config_has_read_only(const config *cfg);

#endif
