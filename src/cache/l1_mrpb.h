/* src/cache/l1_mrpb.h - a memory request prioritization buffer in front of the
 * L1 [MRPB], the policy `l1.queue=mrpb`: queues by warp or CTA. One of them is
 * drained before the next, so that lines of one warp are used before those of
 * another push them out; and a load that finds its set full goes around the
 * cache. docs/mechanisms/reod.md says what the paper leaves open and what was
 * decided here.
 *
 * Requests to one line may lie in several queues: a head waits while an older
 * one to its line does. Requests of a warp share a queue and so stay in
 * order. */
#ifndef CACHE_L1_MRPB_H
#define CACHE_L1_MRPB_H

#include "cache/l1_queue.h"

/* `name`: of the cache in the registry. */
l1_queue *l1_mrpb_new(const config *cfg, stats *reg, const char *name);

#endif
