/* src/study/replays.h - the kernels of a trace of Accel-Sim as launches of a
 * device, one after the other. Borrows all it is given. */
#ifndef STUDY_REPLAYS_H
#define STUDY_REPLAYS_H

#include "replay/kernel_trace.h"
#include "replay/trace_list.h"
#include "runtime/runtime.h"

typedef struct replays {
    rt_device *device;
    const trace_list *list;
    kernel_trace_how how;
    /* Launches the only kernel of `m`, whose instructions come from `front`, in
     * the shape of `k`. */
    status (*launch)(void *arg, rt_module *m, exec_front *front,
                     const kernel_trace *k);
    void *arg;
} replays;

/* ST_OK, or what reading or launching gave: the error is in `dg`, as are
 * warnings of what replays leave out or add. Modules live as long as the
 * device: reports name their kernels. */
status replays_run(const replays *r, diag *dg);

#endif
