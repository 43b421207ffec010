/* src/opencl/worker.h - who runs commands, and when.
 *
 * Nothing runs before somebody could notice: a thread that waits runs what is
 * pending itself; a thread of the driver's, the worker, runs what was flushed
 * while nobody waits. One command runs at a time, whoever runs it. Commands
 * run in the order of enqueueing; only a wait or a callback makes one overtake
 * another that awaits a user event. So simulated time depends on what the
 * program does, never on how fast the host is.
 *
 * Functions want the lock, which the waiting ones give back meanwhile. */
#ifndef OPENCL_WORKER_H
#define OPENCL_WORKER_H

#include <signal.h>

#include "opencl/opencl.h"

/* Takes over a command that is complete. */
void worker_push(ocl_command *c);

/* Everything enqueued until now shall run soon. */
void worker_flush(void);
/* So shall this command, past others that cannot run yet. */
void worker_want(const ocl_command *c);
/* Something that commands may wait for has happened. */
void worker_changed(void);

/* Runs commands, or waits for who does, until done(arg). */
void worker_wait(bool (*done)(const void *arg), const void *arg);
/* The same, but returns too when nothing can run any more. */
void worker_try(bool (*done)(const void *arg), const void *arg);

/* Is this the thread that runs a command now? It must not wait. */
bool worker_is_me(void);

/* The program ends, without the lock: the worker stops, and what it runs is
 * stopped soon. False: it could not be. */
bool worker_end(void);
/* What a launch looks at to see whether it shall stop. */
extern volatile sig_atomic_t worker_stop;

/* Starts a thread of the driver's; signals go to the program's. */
bool worker_thread(void *(*run)(void *arg), void *arg);

/* Around a call to the program's code from `run` of a command. */
void worker_leave(void);
void worker_enter(void);

#endif
