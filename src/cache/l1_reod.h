/* src/cache/l1_reod.h - queues by set in front of the L1 [REOD], the policy
 * `l1.queue=reod`. A round-robin selector takes from any queue whose head can
 * be performed, so that a full set holds up only those that share its queue.
 * Requests that bypass the cache do not enter a queue: they leave the port when
 * no head can be performed and all that must precede them has been. */
#ifndef CACHE_L1_REOD_H
#define CACHE_L1_REOD_H

#include "cache/l1_queue.h"

/* `name`: of the cache in the registry. */
l1_queue *l1_reod_new(const config *cfg, stats *reg, const char *name);

#endif
