/* Objects by handle: a set of all that live, so that any value a program
 * passes may be looked at safely. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/must.h"
#include "opencl/opencl.h"

/* Handle -> kind + 1. Part of the process's state, like ocl_state; only with
 * its lock. */
static map *living;
static unsigned counts[OCL_KINDS];

void *object_new(ocl_kind kind, size_t size, void (*destroy)(void *self))
{
    ocl_object *o = alloc_try_zeroed(1, size);

    if (!living)
        living = map_new();
    if (!o || !living) {
        free(o);
        return NULL;
    }
    o->dispatch = &ocl_dispatch;
    o->kind = kind;
    o->refs = 1;
    o->destroy = destroy;
    map_put(living, (uintptr_t)o, kind + 1u);
    counts[kind]++;
    return o;
}

bool object_is(const void *handle, ocl_kind kind)
{
    uint64_t found;

    return handle && living && map_get(living, (uintptr_t)handle, &found) &&
           found == kind + 1u;
}

unsigned object_count(ocl_kind kind) { return counts[kind]; }

static void end_if_unused(ocl_object *o)
{
    if (o->refs || o->uses || !o->destroy)
        return;
    map_del(living, (uintptr_t)o);
    counts[o->kind]--;
    o->destroy(o);
}

void object_use(void *object)
{
    ocl_object *o = object;

    if (o)
        o->uses++;
}

void object_drop(void *object)
{
    ocl_object *o = object;

    if (!o)
        return;
    MUST(o->uses > 0);
    o->uses--;
    end_if_unused(o);
}

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
    ocl_object *o = handle;

    if (!object_is(handle, kind))
        return no_object(handle, kind);
    if (o->destroy)
        o->refs++;
    return CL_SUCCESS;
}

cl_int object_release(void *handle, ocl_kind kind)
{
    ocl_object *o = handle;

    if (!object_is(handle, kind) || (o->destroy && !o->refs))
        return no_object(handle, kind);
    if (!o->destroy)
        return CL_SUCCESS;
    o->refs--;
    end_if_unused(o);
    return CL_SUCCESS;
}
