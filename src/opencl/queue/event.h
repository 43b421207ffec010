/* src/opencl/queue/event.h - what commands do with their events, and how the
 * program's functions are called. With the lock. */
#ifndef OPENCL_QUEUE_EVENT_H
#define OPENCL_QUEUE_EVENT_H

#include "opencl/opencl.h"

/* With one reference, CL_QUEUED now. Queue NULL: a user event. NULL: no
 * memory. */
cl_event event_new(cl_context c, cl_command_queue q, cl_command_type type);
/* Enters a state, which callbacks may be waiting for. */
void event_enter(cl_event e, cl_int state);
/* Its command was the business of another process. */
void event_forget(cl_event e);
/* Has the command of the event ended, well or badly? */
bool event_ended(const void *event);
/* The program has noticed that something ended at that simulated time. */
void host_advance(uint64_t ns);

/* Has call(arg) called soon, from a thread that holds no lock and may wait for
 * the program. False: no memory. */
bool callback_post(void (*call)(void *arg), void *arg);
/* The program ends: no more calls. */
void callback_end(void);
/* After a fork, in the child. */
void callback_reset(void);

#endif
