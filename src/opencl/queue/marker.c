/* Commands that move no data on a device: markers, barriers, migration (all
 * devices share one memory) and functions of the program itself. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "opencl/opencl.h"

/* A marker waits for its list, or for everything before it; a barrier besides
 * holds up everything after it. */
static cl_int enqueue_marker(const char *function, cl_command_queue q,
                             cl_command_type type, bool blocks,
                             cl_uint wait_count, const cl_event *waits,
                             cl_event *event)
{
    drv_command *c = command_new(sizeof *c, q, type, NULL);

    if (!c)
        return ocl_fail(function, CL_OUT_OF_HOST_MEMORY,
                        "no memory for a command");
    c->after_all = !wait_count;
    c->blocks = blocks;
    return command_enqueue(c, wait_count, waits, false, event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint wait_count,
                                   const cl_event *waits, cl_event *event)
{
    OCL_LOCK();
    cl_int err = command_check(q, wait_count, waits);

    return err ? err
               : enqueue_marker(__func__, q, CL_COMMAND_MARKER, false,
                                wait_count, waits, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint wait_count,
                                    const cl_event *waits, cl_event *event)
{
    OCL_LOCK();
    cl_int err = command_check(q, wait_count, waits);

    return err ? err
               : enqueue_marker(__func__, q, CL_COMMAND_BARRIER, true,
                                wait_count, waits, event);
}

cl_int clEnqueueMarker(cl_command_queue q, cl_event *event)
{
    OCL_LOCK();
    cl_int err = command_check(q, 0, NULL);

    if (err)
        return err;
    if (!event)
        return FAIL(CL_INVALID_VALUE, "there is no place for the event");
    return enqueue_marker(__func__, q, CL_COMMAND_MARKER, false, 0, NULL,
                          event);
}

cl_int clEnqueueBarrier(cl_command_queue q)
{
    OCL_LOCK();
    cl_int err = command_check(q, 0, NULL);

    return err ? err
               : enqueue_marker(__func__, q, CL_COMMAND_BARRIER, true, 0, NULL,
                                NULL);
}

cl_int clEnqueueWaitForEvents(cl_command_queue q, cl_uint count,
                              const cl_event *events)
{
    OCL_LOCK();
    cl_int err = command_check(q, 0, NULL);

    if (err)
        return err;
    if (!count || !events)
        return FAIL(CL_INVALID_VALUE, "%u events at %p", count,
                    (const void *)events);
    err = command_check(q, count, events);
    if (err) /* this function has its own name for a bad event */
        return err == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : err;
    return enqueue_marker(__func__, q, CL_COMMAND_BARRIER, true, count, events,
                          NULL);
}

/* ---- Migration ---- */

cl_int clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint count,
                                  const cl_mem *mems,
                                  cl_mem_migration_flags flags,
                                  cl_uint wait_count, const cl_event *waits,
                                  cl_event *event)
{
    OCL_LOCK();
    cl_int err = command_check(q, wait_count, waits);

    if (err)
        return err;
    if (!count || !mems)
        return FAIL(CL_INVALID_VALUE, "%u memory objects at %p", count,
                    (const void *)mems);
    if (flags &
        ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST |
                                  CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
        return FAIL(CL_INVALID_VALUE, "migration flags 0x%llx",
                    (unsigned long long)flags);
    for (cl_uint i = 0; i < count; i++)
        if (!object_is(mems[i], OCL_MEM))
            return FAIL(CL_INVALID_MEM_OBJECT,
                        "%p, number %u, is no memory object", (void *)mems[i],
                        i);
    for (cl_uint i = 0; i < count; i++)
        if (mems[i]->context != q->context)
            return FAIL(CL_INVALID_CONTEXT,
                        "memory object %u is of another context", i);
    drv_command *c =
        command_new(sizeof *c, q, CL_COMMAND_MIGRATE_MEM_OBJECTS, NULL);
    if (!c)
        return FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    for (cl_uint i = 0; i < count; i++)
        command_use(c, mems[i]);
    return command_enqueue(c, wait_count, waits, false, event);
}

/* ---- Functions of the program ---- */

typedef struct native {
    drv_command command;
    void(CL_CALLBACK *call)(void *args);
    void *args; /* our copy */
} native;

static cl_int native_run(drv_command *c)
{
    native *n = (native *)c;

    drv_call_begin();
    n->call(n->args);
    drv_call_end();
    return CL_SUCCESS;
}

static void native_fini(drv_command *c) { free(((native *)c)->args); }

static cl_int native_check(const char *function,
                           void(CL_CALLBACK *call)(void *), const void *args,
                           size_t size, cl_uint count, const cl_mem *mems,
                           const void **places)
{
    if (!call)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "there is no function to call");
    if (!args != !size || (!args && count))
        return ocl_fail(function, CL_INVALID_VALUE,
                        "arguments of %zu bytes at %p with %u memory objects",
                        size, args, count);
    if (!mems != !count || !places != !count)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "%u memory objects at %p, their places at %p", count,
                        (const void *)mems, (const void *)places);
    for (cl_uint i = 0; i < count; i++) {
        size_t at = (size_t)((const char *)places[i] - (const char *)args);
        if (mems[i] && !object_is(mems[i], OCL_MEM))
            return ocl_fail(function, CL_INVALID_MEM_OBJECT,
                            "%p, number %u, is no memory object",
                            (void *)mems[i], i);
        if (at > size || size - at < sizeof(void *))
            return ocl_fail(function, CL_INVALID_VALUE,
                            "the place of memory object %u is outside the "
                            "arguments",
                            i);
    }
    return CL_SUCCESS;
}

cl_int clEnqueueNativeKernel(cl_command_queue q,
                             void(CL_CALLBACK *call)(void *), void *args,
                             size_t size, cl_uint count, const cl_mem *mems,
                             const void **places, cl_uint wait_count,
                             const cl_event *waits, cl_event *event)
{
    OCL_LOCK();
    cl_int err = command_check(q, wait_count, waits);

    if (!err)
        err = native_check(__func__, call, args, size, count, mems, places);
    if (err)
        return err;
    native *n = command_new(sizeof *n, q, CL_COMMAND_NATIVE_KERNEL, native_run);
    if (!n || !(n->args = alloc_try_array(size + 1, 1))) {
        if (n)
            command_free(n);
        return FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a command");
    }
    n->call = call;
    n->command.fini = native_fini;
    n->command.noticed = true;
    if (size)
        memcpy(n->args, args, size);
    for (cl_uint i = 0; i < count; i++) {
        cl_mem m = mems[i];
        void *bytes = m ? rt_host(drv.image, m->addr, m->size) : NULL;
        size_t at = (size_t)((const char *)places[i] - (const char *)args);
        memcpy((char *)n->args + at, &bytes, sizeof bytes);
        command_use(n, m);
    }
    return command_enqueue(n, wait_count, waits, false, event);
}
