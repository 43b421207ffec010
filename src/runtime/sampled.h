/* src/runtime/sampled.h - a long launch of which parts are timed. Where it has
 * many short CTAs those between the parts are computed, while the machine
 * stands still between two windows, and it goes on with those behind. Else the
 * warps that are on it execute instructions in no time (gpu_forward). So its
 * memory is what it would be, its caches are those of the parts, and
 * sampled_rate.h says what the gaps would have taken.
 *
 * Not for launches whose CTAs may wait for each other, or whose order is seen.
 * Owns its state; borrows the device and the launch until it is freed. */
#ifndef RUNTIME_SAMPLED_H
#define RUNTIME_SAMPLED_H

#include "gpu/gpu.h"
#include "runtime/runtime.h"

typedef struct rt_sampled rt_sampled;

/* Launch `n` of the device's machine has just begun, alone. NULL: it is too
 * short, or must not be sampled. */
rt_sampled *rt_sampled_new(rt_device *d, const exec_launch *e,
                           const rt_launch *l, unsigned n);
void rt_sampled_free(rt_sampled *s); /* NULL is fine */

/* Another launch has begun beside it: from now on all is timed. */
void rt_sampled_stop(rt_sampled *s);

/* gpu_advance, with the gaps. A failure in one is that of the launch. */
status rt_sampled_advance(rt_sampled *s, gpu_run *run, unsigned *n,
                          gpu_result *out);

/* The launch has ended: adds what lies in the gaps to its outcome, but for
 * CTAs, which the machine has counted. */
void rt_sampled_add(const rt_sampled *s, launch_outcome *to);

#endif
