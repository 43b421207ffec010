/* src/gpu/inspect.h - the machine between two windows, for those who look at
 * it: see gpu_run.look, and sm/observe/inspect.h for the warps of an SM. All of
 * it is valid until time goes on. */
#ifndef GPU_INSPECT_H
#define GPU_INSPECT_H

#include <stdint.h>

#include "exec/exec.h"
#include "gpu/gpu.h"
#include "sm/sm.h"

/* Of the group in flight. */
gpu_progress gpu_progress_now(const gpu *g);

typedef struct gpu_launch_state {
    const exec_launch *launch;
    uint64_t start;              /* cycle */
    uint64_t ctas, begun, ended; /* CTAs */
} gpu_launch_state;

unsigned gpu_in_flight(const gpu *g); /* launches */
/* Launch `i` of them, in the order of beginning. */
gpu_launch_state gpu_launch_now(const gpu *g, unsigned i);

const sm *gpu_sm(const gpu *g, unsigned i); /* of config gpu.sms */
/* Who waits at barriers, as exec_waits_end has it. */
char *gpu_waits_now(const gpu *g);

#endif
