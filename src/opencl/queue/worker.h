/* src/opencl/queue/worker.h - which thread runs commands, and which commands
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
#ifndef OPENCL_QUEUE_WORKER_H
#define OPENCL_QUEUE_WORKER_H

#include <signal.h>

#include "opencl/opencl.h"

/* Takes over a command that is complete. */
void worker_push(ocl_command *c);
/* It has ended. */
void worker_remove(ocl_command *c);

/* Everything enqueued until now shall run soon, but on shared devices. */
void worker_flush(void);
/* So shall this command, wherever it is and past others that cannot run. */
void worker_run_soon(ocl_command *c);
/* Something that commands may wait for has happened. */
void worker_changed(void);

/* Runs commands, or waits for the thread that does, until the event has
 * ended. */
void worker_wait_event(cl_event e);
/* Until the queue's commands up to that number have. */
void worker_wait_queue(cl_command_queue q, uint64_t number);
/* The first, but returns too when nothing can run any more. */
void worker_try_event(cl_event e);

/* The queue is about to be one of its device's. */
void worker_add_queue(cl_command_queue q);
/* The program refers to it no more. */
void worker_drop_queue(cl_command_queue q);
/* The device is shared from now on. */
void worker_share(cl_device_id d);

/* Around what the thread that does a step does without the lock; `c` is the
 * command that it runs, NULL: several. */
void worker_busy(ocl_command *c);
void worker_idle(void);

/* The program ends, without the lock: the worker stops, and what it runs is
 * stopped soon. False: it could not be. */
bool worker_end(void);
/* With the lock, the first command that has not begun, or the next one; NULL:
 * there is none. */
const ocl_command *worker_not_begun(const ocl_command *before);
/* Polled by launches: not 0 stops them. */
extern volatile sig_atomic_t worker_stop;

/* Starts a thread of the driver's; signals go to the program's. */
bool worker_thread(void *(*run)(void *arg), void *arg);

/* Around a call to the program's code from `run` of a command. */
void worker_leave(void);
void worker_enter(void);

#endif
