/* src/driver/worker.h - which thread runs commands, and which commands
 * run together.
 *
 * Commands run as late as the program can observe: a thread that waits runs the
 * commands that it waits for itself, as far as needed; a thread of the
 * driver's, the worker, runs what was flushed, or what a callback awaits, while
 * no thread waits. One thread at a time does a step (schedule.h).
 *
 * No simulated time may depend on how far the worker has got. On a device with
 * one queue in order that cannot be. Where several orders of commands meet,
 * at a *shared* device, the program's simulated time stands still while it
 * enqueues: so nothing runs there before it waits, and all that is ready then
 * is in flight together. Where the program might notice without waiting, by a
 * callback or a function in a queue, all commands that can run become a batch
 * in that call, which ends before any other command of its device begins.
 *
 * Functions are called with the lock, which those that wait give back
 * meanwhile. */
#ifndef DRIVER_WORKER_H
#define DRIVER_WORKER_H

#include <signal.h>

#include "driver/command.h"

/* Takes over a command that is complete. */
void worker_push(drv_command *c);
/* It has ended. */
void worker_remove(drv_command *c);

/* Everything enqueued until now shall run soon, but on shared devices. */
void worker_flush(void);
/* So shall this command, wherever it is and past others that cannot run. */
void worker_run_soon(drv_command *c);
/* Something that commands may wait for has happened. */
void worker_changed(void);

/* Runs commands, or waits for the thread that does, until the event has
 * ended. */
void worker_wait_event(drv_event *e);
/* Until the queue's commands up to that number have. */
void worker_wait_queue(drv_queue *q, uint64_t number);
/* Until all that is in the device's queues now has. */
void worker_wait_device(drv_device *d);
/* The first two, but they return too when nothing can run any more. */
void worker_try_event(drv_event *e);
bool worker_try_queue(drv_queue *q, uint64_t number); /* true: they have */
/* Until everything has ended that can. */
void worker_drain(void);

/* The queue is about to be one of its device's. */
void worker_add_queue(drv_queue *q);
/* The program refers to it no more. */
void worker_drop_queue(drv_queue *q);
/* The device is shared from now on. */
void worker_share(drv_device *d);

/* Around what the thread that does a step does without the lock; `c` is the
 * command that it runs, NULL: several. */
void worker_busy(drv_command *c);
void worker_idle(void);

/* The program ends, without the lock: the worker stops, and what it runs is
 * stopped soon. False: it could not be. */
bool worker_end(void);
/* With the lock, the first command that has not begun, or the next one; NULL:
 * there is none. */
const drv_command *worker_not_begun(const drv_command *before);
/* Polled by launches: not 0 stops them. */
extern volatile sig_atomic_t worker_stop;

/* Starts a thread of the driver's; signals go to the program's. */
bool worker_thread(void *(*run)(void *none));

/* ---- callback.c ---- */

/* The program ends: no more calls of drv_call_soon. */
void callback_end(void);
/* After a fork, in the child. */
void callback_reset(void);

#endif
