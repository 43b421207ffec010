/* src/cache/l1_mascar.h - the policy mascar: loads that are refused are put
 * aside and tried again, so that those behind them are not held up; and the SM
 * is told when memory is saturated [MASCAR:abstract]. */
#ifndef CACHE_L1_MASCAR_H
#define CACHE_L1_MASCAR_H

#include "cache/l1_queue.h"

/* `name`: of the cache in the registry. */
l1_queue *l1_mascar_new(const config *cfg, stats *reg, const char *name);

#endif
