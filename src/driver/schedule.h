/* src/driver/schedule.h - when commands begin and end, in simulated time.
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
#ifndef DRIVER_SCHEDULE_H
#define DRIVER_SCHEDULE_H

#include "driver/command.h"

/* Commands of a device that run to their ends before others of it begin. */
typedef struct drv_batch {
    struct drv_batch *next; /* that comes after it */
    uint64_t pass;          /* in which it was made */
    unsigned left;
} drv_batch;

/* It waits for nothing but its turn. */
bool schedule_ready(const drv_command *c);

/* The device whose time has to advance for `c`, which has not ended, to end;
 * NULL: the program has to act first, e.g. set a user event. */
drv_device *schedule_needs(const drv_command *c);

/* Makes one step on a device. False: nothing can happen there now. */
bool schedule_step(drv_device *d);

/* What is in flight there ends now, as failed: worker_stop is set. */
void schedule_stop(drv_device *d);

#endif
