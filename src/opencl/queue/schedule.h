/* src/opencl/queue/schedule.h - when commands begin and end, in simulated time.
 *
 * A command is ready when all that it waits for has ended, and its time is then
 * known. A device takes its ready commands in the order of these times: a
 * kernel begins when the machine has come to that time, beside those in flight;
 * a transfer takes its turn at its engine. The machine is simulated only as far
 * as a waiting thread needs; the results do not depend on which thread waits,
 * nor when.
 *
 * Which commands may run together, `batches`, is explained in worker.h. With
 * the lock, which is given back while the machine runs. */
#ifndef OPENCL_QUEUE_SCHEDULE_H
#define OPENCL_QUEUE_SCHEDULE_H

#include "opencl/opencl.h"

/* Commands of a device that run to their ends before others of it begin. */
typedef struct ocl_batch {
    struct ocl_batch *next; /* that comes after it */
    uint64_t pass;          /* in which it was made */
    unsigned left;
} ocl_batch;

/* It waits for nothing but its turn. */
bool schedule_ready(const ocl_command *c);

/* The device whose time has to advance for `c`, which has not ended, to end;
 * NULL: the program has to act first, e.g. set a user event. */
cl_device_id schedule_needs(const ocl_command *c);

/* Makes one step on a device. False: nothing can happen there now. */
bool schedule_step(cl_device_id d);

/* What is in flight there ends now, as failed: worker_stop is set. */
void schedule_stop(cl_device_id d);

#endif
