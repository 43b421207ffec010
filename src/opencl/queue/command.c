/* Commands: what all that is enqueued has in common. */
#include "driver/kernel_command.h"
#include "opencl/queue/event.h"

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
static drv_engine engine_of(cl_command_type type)
{
    switch (type) {
    case CL_COMMAND_READ_BUFFER:
    case CL_COMMAND_READ_BUFFER_RECT:
    case CL_COMMAND_READ_IMAGE:
    case CL_COMMAND_MAP_BUFFER:
    case CL_COMMAND_MAP_IMAGE:
    case CL_COMMAND_SVM_MAP:
        return DRV_READS;
    case CL_COMMAND_WRITE_BUFFER:
    case CL_COMMAND_WRITE_BUFFER_RECT:
    case CL_COMMAND_WRITE_IMAGE:
    case CL_COMMAND_UNMAP_MEM_OBJECT:
    case CL_COMMAND_SVM_UNMAP:
        return DRV_WRITES;
    case CL_COMMAND_MARKER:
    case CL_COMMAND_BARRIER:
    case CL_COMMAND_NATIVE_KERNEL:
    case CL_COMMAND_SVM_FREE:
    case CL_COMMAND_NDRANGE_KERNEL: /* of no work-items */
        return DRV_NONE;
    default:
        return DRV_COPIES;
    }
}

void *command_new(size_t size, cl_command_queue q, cl_command_type type,
                  cl_int (*run)(drv_command *c))
{
    cl_event e = event_new(q->context, q, type);
    drv_command *c = drv_command_new(size, &q->is, e ? &e->is : NULL, run);

    if (c && run)
        c->engine = engine_of(type);
    return c;
}

drv_launch *launch_new(cl_command_queue q, cl_command_type type)
{
    cl_event e = event_new(q->context, q, type);

    return drv_launch_new(&q->is, e ? &e->is : NULL);
}

void command_use(void *command, void *object)
{
    drv_command_use(command, object_of(object));
}

void command_free(void *command) { drv_command_free(command); }

/* The result of a blocking call: the failure of its command, or of an earlier
 * one of the queue that has not been reported yet. */
static cl_int wait_for(cl_command_queue q, cl_event e)
{
    cl_int is = drv_event_wait(&e->is), before = queue_fault(q);

    if (is < 0)
        return FAIL_CALLED(is, "the command ended with %s", ocl_error_name(is));
    return before;
}

cl_int command_enqueue(void *command, cl_uint wait_count, const cl_event *waits,
                       bool blocking, cl_event *event)
{
    drv_command *c = command;
    cl_event e = c->event->o.handle;
    cl_command_queue q = c->queue->o.handle;
    cl_int result = CL_SUCCESS;

    for (cl_uint i = 0; i < wait_count; i++)
        drv_command_wait(c, &waits[i]->is);
    object_use(e); /* which uses its queue */
    if (!drv_command_enqueue(c)) {
        object_drop(e);
        return FAIL_CALLED(CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    }
    if (event)
        *event = e;
    else
        object_release(e, OCL_EVENT);
    if (blocking)
        result = wait_for(q, e);
    object_drop(e);
    return result;
}
