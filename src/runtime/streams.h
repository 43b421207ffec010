/* src/runtime/streams.h - launches of several streams, as many in flight at
 * once as the machine allows. Launches of one stream run one after the other;
 * those of different streams do not wait for each other.
 *
 * All are submitted together, at the time at which the device is. A launch
 * begins when the one before it in its stream has ended and there is room among
 * those in flight; if several could begin, the first of the list does. */
#ifndef RUNTIME_STREAMS_H
#define RUNTIME_STREAMS_H

#include "runtime/flight.h"

typedef struct rt_streams {
    rt_device *device;
    /* max_cycles, stop, progress, samples and counters of the first of a group
     * hold for the group; all have a profile or none; no trace. */
    const rt_launch *launch;
    const unsigned *stream; /* of each: below `streams` */
    size_t count;
    unsigned streams;
    rt_group group; /* the numbers of its parts are those of the list */
} rt_streams;

/* ST_OK, or the first failure, as rt_run; those behind it are not run. */
status rt_run_streams(const rt_streams *s, diag *dg);

#endif
