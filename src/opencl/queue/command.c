/* Commands: what all that is enqueued has in common. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "opencl/queue/event.h"
#include "opencl/queue/worker.h"

cl_int command_check(cl_command_queue q, cl_uint wait_count,
                     const cl_event *waits)
{
    if (!object_is(q, OCL_QUEUE))
        return FAIL_CALLED(CL_INVALID_COMMAND_QUEUE, "%p is no command queue",
                           (void *)q);
    if (!waits != !wait_count)
        return FAIL_CALLED(CL_INVALID_EVENT_WAIT_LIST,
                           "a wait list of %u events at %p: both or neither",
                           wait_count, (const void *)waits);
    for (cl_uint i = 0; i < wait_count; i++)
        if (!object_is(waits[i], OCL_EVENT))
            return FAIL_CALLED(CL_INVALID_EVENT_WAIT_LIST,
                               "%p, number %u of the wait list, is no event",
                               (void *)waits[i], i);
    for (cl_uint i = 0; i < wait_count; i++)
        if (waits[i]->context != q->context)
            return FAIL_CALLED(
                CL_INVALID_CONTEXT,
                "event %u of the wait list is of another context than "
                "the queue",
                i);
    return CL_SUCCESS;
}

/* The engine of commands of a type; kernels set their own. */
static ocl_engine engine_of(cl_command_type type)
{
    switch (type) {
    case CL_COMMAND_READ_BUFFER:
    case CL_COMMAND_READ_BUFFER_RECT:
    case CL_COMMAND_READ_IMAGE:
    case CL_COMMAND_MAP_BUFFER:
    case CL_COMMAND_MAP_IMAGE:
    case CL_COMMAND_SVM_MAP:
        return OCL_READS;
    case CL_COMMAND_WRITE_BUFFER:
    case CL_COMMAND_WRITE_BUFFER_RECT:
    case CL_COMMAND_WRITE_IMAGE:
    case CL_COMMAND_UNMAP_MEM_OBJECT:
    case CL_COMMAND_SVM_UNMAP:
        return OCL_WRITES;
    case CL_COMMAND_MARKER:
    case CL_COMMAND_BARRIER:
    case CL_COMMAND_NATIVE_KERNEL:
    case CL_COMMAND_SVM_FREE:
    case CL_COMMAND_NDRANGE_KERNEL: /* of no work-items */
        return OCL_NONE;
    default:
        return OCL_COPIES;
    }
}

void *command_new(size_t size, cl_command_queue q, cl_command_type type,
                  cl_int (*run)(ocl_command *c))
{
    ocl_command *c = alloc_try_zeroed(1, size);
    cl_event e = c ? event_new(q->context, q, type) : NULL;

    if (!e) {
        free(c);
        return NULL;
    }
    object_use(e);
    e->command = c;
    c->event = e;
    object_use(q);
    c->queue = q;
    c->run = run;
    c->engine = run ? engine_of(type) : OCL_NONE;
    return c;
}

void command_use(void *command, void *object)
{
    ocl_command *c = command;
    unsigned n = c->use_count;

    if (!object)
        return;
    if (!(n & (n - 1)) && n != 1) { /* 0, 2, 4, 8: as many as there is room */
        void **more = alloc_try_renew(c->uses, n ? 2 * n : 2, sizeof *more);
        if (!more) {
            c->no_memory = true;
            return;
        }
        c->uses = more;
    }
    object_use(object);
    c->uses[c->use_count++] = object;
}

void command_free(void *command)
{
    ocl_command *c = command;
    cl_event e = c->event;

    if (c->fini)
        c->fini(c);
    for (unsigned i = 0; i < c->use_count; i++)
        object_drop(c->uses[i]);
    free(c->uses);
    for (unsigned i = 0; i < c->wait_count; i++)
        object_drop(c->waits[i]);
    free(c->waits);
    e->command = NULL;
    if (!c->number) /* the program has not got the event */
        object_release(e, OCL_EVENT);
    object_drop(e);
    object_drop(c->queue);
    free(c);
}

static bool take_waits(ocl_command *c, cl_uint count, const cl_event *waits)
{
    if (!count)
        return true;
    if (!(c->waits = alloc_try_array(count, sizeof *c->waits)))
        return false;
    for (cl_uint i = 0; i < count; i++) {
        object_use(waits[i]);
        c->waits[i] = waits[i];
    }
    c->wait_count = count;
    return true;
}

/* The result of a blocking call: the failure of its command, or of an earlier
 * one of the queue that has not been reported yet. */
static cl_int wait_for(cl_command_queue q, cl_event e)
{
    worker_wait_event(e);
    host_advance(e->end_ns);
    cl_int before = queue_fault(q);
    if (e->status < 0)
        return FAIL_CALLED(e->status, "the command ended with %s",
                           ocl_error_name(e->status));
    return before;
}

cl_int command_enqueue(void *command, cl_uint wait_count, const cl_event *waits,
                       bool blocking, cl_event *event)
{
    ocl_command *c = command;
    cl_command_queue q = c->queue;
    cl_event e = c->event;
    cl_int result = CL_SUCCESS;

    if (c->no_memory || !take_waits(c, wait_count, waits)) {
        command_free(c);
        return FAIL_CALLED(CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    }
    object_use(e);
    worker_push(c);
    if (event)
        *event = e;
    else
        object_release(e, OCL_EVENT);
    if (blocking) {
        object_use(q);
        result = wait_for(q, e);
        object_drop(q);
    }
    object_drop(e);
    return result;
}
