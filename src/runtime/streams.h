/* src/runtime/streams.h - launches of several streams, as many in flight at
 * once as the machine allows. Those of one stream run one after the other; the
 * others do not wait for each other.
 *
 * All are submitted together, at the time at which the device is. A launch
 * begins when the one before it in its stream has ended and there is room among
 * those in flight; of several that could, the first of the list. What is in
 * flight from an idle machine to an idle machine is a *group*. */
#ifndef RUNTIME_STREAMS_H
#define RUNTIME_STREAMS_H

#include "runtime/runtime.h"

/* What is known of one launch of a group; all else is of the group. */
typedef struct rt_part {
    size_t number; /* in the list */
    status status;
    uint64_t start, cycles; /* start: as rt_result has it */
    uint64_t ctas, warp_insts;
    uint32_t ctas_per_sm; /* resident at most, if it had the SM alone */
    const char *limiter;
} rt_part;

typedef struct rt_streams {
    rt_device *device;
    /* max_cycles, stop, progress, samples and counters of the first of a group
     * hold for the group; all have a profile or none; no trace. */
    const rt_launch *launch;
    const unsigned *stream; /* of each: below `streams` */
    size_t count;
    unsigned streams;
    /* A group begins: the name of a kernel of it. NULL: not told. */
    void (*begins)(void *arg, const rt_launch *first);
    /* It has ended, or failed: the sum of all, and each launch in the order in
     * which they ended, those that are lost (ST_INTERRUPTED) last. Of one
     * launch alone the sum is what rt_run gives. Until the call returns. */
    void (*ended)(void *arg, const rt_result *sum, const rt_part *part,
                  size_t parts);
    void *arg;
} rt_streams;

/* ST_OK, or the first failure, as rt_run; those behind it are not run. */
status rt_run_streams(const rt_streams *s, diag *dg);

#endif
