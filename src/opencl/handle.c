/* Objects by handle: what their kinds are called, and counting the program's
 * references. */
#include "opencl/opencl.h"

/* Every object has its drv_object in the same place. */
enum { HEAD = sizeof(ocl_head) };
_Static_assert(offsetof(ocl_object, o) == HEAD, "behind the head");
_Static_assert(offsetof(struct _cl_command_queue, is.o) == HEAD, "as above");
_Static_assert(offsetof(struct _cl_event, is.o) == HEAD, "as above");

drv_object *object_of(void *handle)
{
    return handle ? (drv_object *)(void *)((char *)handle + HEAD) : NULL;
}

void *object_new(ocl_kind kind, size_t size, void (*destroy)(void *self))
{
    ocl_head *head = drv_object_new(kind, size, HEAD, destroy);

    if (head)
        head->dispatch = &ocl_dispatch;
    return head;
}

bool object_is(const void *handle, ocl_kind kind)
{
    return drv_find(handle, kind) != NULL;
}

unsigned object_count(ocl_kind kind) { return drv_count(kind); }

void object_use(void *object) { drv_use(object_of(object)); }

void object_drop(void *object) { drv_drop(object_of(object)); }

/* CL_INVALID_CONTEXT, ... */
static cl_int object_invalid(ocl_kind kind)
{
    static const cl_int codes[OCL_KINDS] = {
        [OCL_PLATFORM] = CL_INVALID_PLATFORM,
        [OCL_DEVICE] = CL_INVALID_DEVICE,
        [OCL_CONTEXT] = CL_INVALID_CONTEXT,
        [OCL_QUEUE] = CL_INVALID_COMMAND_QUEUE,
        [OCL_MEM] = CL_INVALID_MEM_OBJECT,
        [OCL_SAMPLER] = CL_INVALID_SAMPLER,
        [OCL_PROGRAM] = CL_INVALID_PROGRAM,
        [OCL_KERNEL] = CL_INVALID_KERNEL,
        [OCL_EVENT] = CL_INVALID_EVENT,
    };

    return codes[kind];
}

static cl_int no_object(const void *handle, ocl_kind kind)
{
    static const char *const words[OCL_KINDS] = {
        [OCL_PLATFORM] = "platform", [OCL_DEVICE] = "device",
        [OCL_CONTEXT] = "context",   [OCL_QUEUE] = "command queue",
        [OCL_MEM] = "memory object", [OCL_SAMPLER] = "sampler",
        [OCL_PROGRAM] = "program",   [OCL_KERNEL] = "kernel",
        [OCL_EVENT] = "event",
    };

    return FAIL_CALLED(object_invalid(kind), "%p is no %s", handle,
                       words[kind]);
}

/* Devices of the platform are not counted, as the specification has it. */
cl_int object_retain(void *handle, ocl_kind kind)
{
    drv_object *o = drv_find(handle, kind);

    if (!o)
        return no_object(handle, kind);
    if (o->destroy)
        o->refs++;
    return CL_SUCCESS;
}

cl_int object_release(void *handle, ocl_kind kind)
{
    drv_object *o = drv_find(handle, kind);

    if (!o || (o->destroy && !o->refs))
        return no_object(handle, kind);
    if (o->destroy)
        drv_release(o);
    return CL_SUCCESS;
}
