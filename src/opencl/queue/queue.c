/* Command queues. What is in them and when it runs: worker.c. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "opencl/opencl.h"

static const cl_command_queue_properties queue_flags =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
static const cl_command_queue_properties device_queue_flags =
    CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

static void queue_destroy(void *self)
{
    cl_command_queue q = self;

    object_drop(q->context);
    object_drop(q->device);
    free(q->properties);
    free(q);
}

/* What both ways to create one check. */
static cl_int check_queue(const char *function, cl_context c, cl_device_id d,
                          cl_command_queue_properties flags)
{
    if (!object_is(c, OCL_CONTEXT))
        return ocl_fail(function, CL_INVALID_CONTEXT, "%p is no context",
                        (void *)c);
    if (!object_is(d, OCL_DEVICE) || !context_has(c, d))
        return ocl_fail(function, CL_INVALID_DEVICE,
                        "%p is no device of the context", (void *)d);
    if (flags & ~(queue_flags | device_queue_flags))
        return ocl_fail(function, CL_INVALID_VALUE,
                        "queue properties 0x%llx: there are 0x%llx",
                        (unsigned long long)flags,
                        (unsigned long long)(queue_flags | device_queue_flags));
    if (flags & device_queue_flags)
        return ocl_fail(function, CL_INVALID_QUEUE_PROPERTIES,
                        "devices here have no queues of their own");
    return CL_SUCCESS;
}

static cl_command_queue queue_new(cl_context c, cl_device_id d,
                                  cl_command_queue_properties flags)
{
    cl_command_queue q = object_new(OCL_QUEUE, sizeof *q, queue_destroy);

    if (!q)
        return NULL;
    object_use(c);
    object_use(d);
    q->context = c;
    q->device = d;
    q->flags = flags;
    drv_queue_open(&q->is, d->is,
                   !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
    return q;
}

cl_command_queue clCreateCommandQueue(cl_context c, cl_device_id d,
                                      cl_command_queue_properties flags,
                                      cl_int *result)
{
    OCL_LOCK();
    cl_int err = check_queue(__func__, c, d, flags);
    cl_command_queue q = err ? NULL : queue_new(c, d, flags);

    if (!err && !q)
        err = FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a queue");
    ocl_result(result, err);
    return q;
}

/* Reads the zero-ended list; *count is 0 without one, else includes the
 * zero. */
static cl_int read_properties(const char *function,
                              const cl_queue_properties *list,
                              cl_command_queue_properties *flags,
                              unsigned *count)
{
    unsigned i = 0, seen = 0;

    *flags = 0;
    *count = 0;
    if (!list)
        return CL_SUCCESS;
    for (; list[i]; i += 2) {
        unsigned bit = list[i] == CL_QUEUE_PROPERTIES ? 1u : 2u;
        if (list[i] != CL_QUEUE_PROPERTIES && list[i] != CL_QUEUE_SIZE)
            return ocl_fail(function, CL_INVALID_VALUE,
                            "there is no queue property 0x%llx",
                            (unsigned long long)list[i]);
        if (seen & bit)
            return ocl_fail(function, CL_INVALID_VALUE,
                            "queue property 0x%llx is given twice",
                            (unsigned long long)list[i]);
        seen |= bit;
        if (bit == 1)
            *flags = list[i + 1];
    }
    *count = i + 1;
    if (seen & 2 && !(*flags & CL_QUEUE_ON_DEVICE))
        return ocl_fail(function, CL_INVALID_VALUE,
                        "CL_QUEUE_SIZE is of queues of devices only");
    return CL_SUCCESS;
}

cl_command_queue
clCreateCommandQueueWithProperties(cl_context c, cl_device_id d,
                                   const cl_queue_properties *list,
                                   cl_int *result)
{
    OCL_LOCK();
    cl_command_queue_properties flags;
    cl_command_queue q = NULL;
    unsigned count;
    cl_int err = read_properties(__func__, list, &flags, &count);
    /* An object that is none is the graver mistake. */
    cl_int other = check_queue(__func__, c, d, err ? 0 : flags);

    if (other)
        err = other;
    if (!err && !(q = queue_new(c, d, flags)))
        err = FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a queue");
    if (q && count) {
        q->properties = alloc_try_array(count, sizeof *list);
        if (q->properties) {
            memcpy(q->properties, list, count * sizeof *list);
            q->property_count = count;
        } else {
            drv_queue_close(&q->is);
            object_release(q, OCL_QUEUE);
            q = NULL;
            err = FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a queue");
        }
    }
    ocl_result(result, err);
    return q;
}

cl_int clRetainCommandQueue(cl_command_queue q)
{
    OCL_LOCK();
    return object_retain(q, OCL_QUEUE);
}

cl_int clReleaseCommandQueue(cl_command_queue q)
{
    OCL_LOCK();

    if (object_is(q, OCL_QUEUE) && q->is.first)
        drv_flush();
    if (object_is(q, OCL_QUEUE) && q->is.o.refs == 1)
        drv_queue_close(&q->is);
    return object_release(q, OCL_QUEUE);
}

cl_int clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info what,
                             size_t room, void *to, size_t *size_ret)
{
    OCL_LOCK();
    ocl_info a = {__func__, room, to, size_ret};

    if (!object_is(q, OCL_QUEUE))
        return FAIL(CL_INVALID_COMMAND_QUEUE, "%p is no command queue",
                    (void *)q);
    switch (what) {
    case CL_QUEUE_CONTEXT:
        return INFO(a, cl_context, q->context);
    case CL_QUEUE_DEVICE:
        return INFO(a, cl_device_id, q->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return INFO(a, cl_uint, q->is.o.refs);
    case CL_QUEUE_PROPERTIES:
        return INFO(a, cl_command_queue_properties, q->flags);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return info_bytes(a, q->properties,
                          q->property_count * sizeof *q->properties);
    case CL_QUEUE_DEVICE_DEFAULT: /* none was ever made */
        return INFO(a, cl_command_queue, NULL);
    case CL_QUEUE_SIZE:
        return FAIL(CL_INVALID_COMMAND_QUEUE,
                    "CL_QUEUE_SIZE is of queues of devices only");
    default:
        return FAIL(CL_INVALID_VALUE, "no information 0x%x of queues", what);
    }
}

cl_int clFlush(cl_command_queue q)
{
    OCL_LOCK();

    if (!object_is(q, OCL_QUEUE))
        return FAIL(CL_INVALID_COMMAND_QUEUE, "%p is no command queue",
                    (void *)q);
    if (q->is.first)
        drv_flush();
    return CL_SUCCESS;
}

cl_int queue_fault(cl_command_queue q)
{
    if (!q->is.fault)
        return CL_SUCCESS;
    q->is.fault = false;
    return FAIL_CALLED(CL_OUT_OF_RESOURCES,
                       "a command of this queue failed before");
}

cl_int clFinish(cl_command_queue q)
{
    OCL_LOCK();

    if (!object_is(q, OCL_QUEUE))
        return FAIL(CL_INVALID_COMMAND_QUEUE, "%p is no command queue",
                    (void *)q);
    object_use(q); /* others may release it meanwhile */
    drv_queue_wait(&q->is);
    cl_int err = queue_fault(q);
    object_drop(q);
    return err;
}

/* Of OpenCL 1.0. Another order is for what comes after what is there. */
cl_int clSetCommandQueueProperty(cl_command_queue q,
                                 cl_command_queue_properties flags,
                                 cl_bool enable,
                                 cl_command_queue_properties *old)
{
    OCL_LOCK();

    if (!object_is(q, OCL_QUEUE))
        return FAIL(CL_INVALID_COMMAND_QUEUE, "%p is no command queue",
                    (void *)q);
    if (flags & ~queue_flags)
        return FAIL(CL_INVALID_VALUE, "queue properties 0x%llx: there are 3",
                    (unsigned long long)flags);
    if (old)
        *old = q->flags;
    object_use(q);
    if (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        drv_queue_set_order(&q->is, !enable);
    q->flags = enable ? q->flags | flags : q->flags & ~flags;
    object_drop(q);
    return CL_SUCCESS;
}
