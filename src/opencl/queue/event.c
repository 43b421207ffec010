/* Events: states, waiting, callbacks, simulated times. */
#include <stdlib.h>

#include "base/alloc.h"
#include "opencl/queue/event.h"

struct ocl_event_callback {
    struct ocl_event_callback *next;
    cl_event event; /* uses it */
    cl_int status;  /* which it waits for; then the one it is called with */
    void(CL_CALLBACK *call)(cl_event event, cl_int state, void *data);
    void *data;
};

static void event_destroy(void *self)
{
    cl_event e = self;

    drv_event_fini(&e->is);
    object_drop(e->context);
    free(e);
}

cl_event event_new(cl_context c, cl_command_queue q, cl_command_type type)
{
    cl_event e = object_new(OCL_EVENT, sizeof *e, event_destroy);

    if (!e)
        return NULL;
    object_use(c);
    e->context = c;
    e->type = type;
    drv_event_init(&e->is, q ? &q->is : NULL);
    return e;
}

/* ---- Callbacks ---- */

static void call_back(void *arg)
{
    struct ocl_event_callback *cb = arg;

    cb->call(cb->event, cb->status, cb->data);
    OCL_LOCK();
    object_drop(cb->event);
    free(cb);
}

static void fire_callback(struct ocl_event_callback *cb, cl_int state)
{
    if (state < 0)
        cb->status = state;
    if (drv_call_soon(call_back, cb))
        return;
    object_drop(cb->event);
    free(cb);
}

void event_entered(drv_event *is)
{
    cl_event e = is->o.handle;
    struct ocl_event_callback **at = &e->callbacks, *cb;

    while ((cb = *at)) {
        if (is->status > cb->status) {
            at = &cb->next;
            continue;
        }
        *at = cb->next;
        fire_callback(cb, is->status);
    }
}

void event_forgot(drv_event *is)
{
    cl_event e = is->o.handle;
    struct ocl_event_callback *cb;

    while ((cb = e->callbacks)) {
        e->callbacks = cb->next;
        object_drop(cb->event);
        free(cb);
    }
}

cl_int clSetEventCallback(cl_event e, cl_int state,
                          void(CL_CALLBACK *call)(cl_event, cl_int, void *),
                          void *data)
{
    OCL_LOCK();
    struct ocl_event_callback *cb, **at;

    if (!object_is(e, OCL_EVENT))
        return FAIL(CL_INVALID_EVENT, "%p is no event", (void *)e);
    if (!call)
        return FAIL(CL_INVALID_VALUE, "there is no function to call");
    if (state != CL_SUBMITTED && state != CL_RUNNING && state != CL_COMPLETE)
        return FAIL(CL_INVALID_VALUE,
                    "callbacks are for CL_SUBMITTED, CL_RUNNING or "
                    "CL_COMPLETE, not %d",
                    state);
    if (!(cb = alloc_try_array(1, sizeof *cb)))
        return FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a callback");
    *cb = (struct ocl_event_callback){NULL, e, state, call, data};
    object_use(e);
    if (e->is.status <= state) {
        fire_callback(cb, e->is.status);
        return CL_SUCCESS;
    }
    for (at = &e->callbacks; *at; at = &(*at)->next)
        ;
    *at = cb;
    drv_event_run_soon(&e->is);
    return CL_SUCCESS;
}

/* ---- User events ---- */

cl_event clCreateUserEvent(cl_context c, cl_int *result)
{
    OCL_LOCK();

    if (!object_is(c, OCL_CONTEXT)) {
        ocl_result(result,
                   FAIL(CL_INVALID_CONTEXT, "%p is no context", (void *)c));
        return NULL;
    }
    cl_event e = event_new(c, NULL, CL_COMMAND_USER);
    ocl_result(result, e ? CL_SUCCESS
                         : FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for events"));
    return e;
}

cl_int clSetUserEventStatus(cl_event e, cl_int state)
{
    OCL_LOCK();

    if (!object_is(e, OCL_EVENT) || e->is.queue)
        return FAIL(CL_INVALID_EVENT, "%p is no user event", (void *)e);
    if (state > CL_COMPLETE)
        return FAIL(CL_INVALID_VALUE,
                    "a user event becomes CL_COMPLETE or negative, not %d",
                    state);
    if (drv_event_ended(&e->is))
        return FAIL(CL_INVALID_OPERATION, "its status has been set before");
    drv_event_set(&e->is, state);
    return CL_SUCCESS;
}

/* ---- The rest of the API ---- */

cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
    OCL_LOCK();
    cl_int err = CL_SUCCESS;

    if (!count || !events)
        return FAIL(CL_INVALID_VALUE, "%u events at %p", count,
                    (const void *)events);
    for (cl_uint i = 0; i < count; i++)
        if (!object_is(events[i], OCL_EVENT))
            return FAIL(CL_INVALID_EVENT, "%p, number %u, is no event",
                        (void *)events[i], i);
    for (cl_uint i = 1; i < count; i++)
        if (events[i]->context != events[0]->context)
            return FAIL(CL_INVALID_CONTEXT,
                        "events 0 and %u are of different contexts", i);
    for (cl_uint i = 0; i < count; i++)
        object_use(events[i]); /* the program may release them meanwhile */
    for (cl_uint i = 0; i < count; i++)
        if (drv_event_wait(&events[i]->is) < 0)
            err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++)
        object_drop(events[i]);
    return err ? FAIL(err, "a command failed") : CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event e, cl_event_info what, size_t room, void *to,
                      size_t *size_ret)
{
    OCL_LOCK();
    ocl_info a = {__func__, room, to, size_ret};

    if (!object_is(e, OCL_EVENT))
        return FAIL(CL_INVALID_EVENT, "%p is no event", (void *)e);
    switch (what) {
    case CL_EVENT_COMMAND_QUEUE:
        return INFO(a, cl_command_queue,
                    e->is.queue ? e->is.queue->o.handle : NULL);
    case CL_EVENT_CONTEXT:
        return INFO(a, cl_context, e->context);
    case CL_EVENT_COMMAND_TYPE:
        return INFO(a, cl_command_type, e->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return INFO(a, cl_int, drv_event_query(&e->is));
    case CL_EVENT_REFERENCE_COUNT:
        return INFO(a, cl_uint, e->is.o.refs);
    default:
        return FAIL(CL_INVALID_VALUE, "no information 0x%x of events", what);
    }
}

static bool is_profiled(const struct _cl_event *e)
{
    const struct _cl_command_queue *q =
        e->is.queue ? e->is.queue->o.handle : NULL;

    return q && q->flags & CL_QUEUE_PROFILING_ENABLE;
}

cl_int clGetEventProfilingInfo(cl_event e, cl_profiling_info what, size_t room,
                               void *to, size_t *size_ret)
{
    OCL_LOCK();
    ocl_info a = {__func__, room, to, size_ret};

    if (!object_is(e, OCL_EVENT))
        return FAIL(CL_INVALID_EVENT, "%p is no event", (void *)e);
    if (!is_profiled(e))
        return FAIL(CL_PROFILING_INFO_NOT_AVAILABLE,
                    "the event is of no queue with CL_QUEUE_PROFILING_ENABLE");
    if (e->is.status != CL_COMPLETE)
        return FAIL(CL_PROFILING_INFO_NOT_AVAILABLE,
                    "the command has not ended, or failed: status %d",
                    e->is.status);
    switch (what) {
    case CL_PROFILING_COMMAND_QUEUED:
        return INFO(a, cl_ulong, e->is.queued_ns);
    case CL_PROFILING_COMMAND_SUBMIT:
        return INFO(a, cl_ulong, e->is.submit_ns);
    case CL_PROFILING_COMMAND_START:
        return INFO(a, cl_ulong, e->is.start_ns);
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE:
        return INFO(a, cl_ulong, e->is.end_ns);
    default:
        return FAIL(CL_INVALID_VALUE, "no profiling information 0x%x", what);
    }
}

cl_int clRetainEvent(cl_event e)
{
    OCL_LOCK();
    return object_retain(e, OCL_EVENT);
}

cl_int clReleaseEvent(cl_event e)
{
    OCL_LOCK();
    return object_release(e, OCL_EVENT);
}
