/* src/opencl/queue/event.h - what commands do with their events. With the
 * lock. */
#ifndef OPENCL_QUEUE_EVENT_H
#define OPENCL_QUEUE_EVENT_H

#include "opencl/opencl.h"

/* With one reference, CL_QUEUED now. Queue NULL: a user event. NULL: no
 * memory. */
cl_event event_new(cl_context c, cl_command_queue q, cl_command_type type);
/* It has entered a state, which callbacks may be waiting for. */
void event_entered(drv_event *e);
/* They must not be called: its command was the business of another process. */
void event_forgot(drv_event *e);

#endif
