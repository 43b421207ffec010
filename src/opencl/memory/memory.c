/* Room in simulated memory for objects of a context. */
#include "opencl/memory/memory.h"

uint64_t memory_largest(const struct _cl_context *c)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < c->device_count; i++)
        if (device_max_alloc(c->devices[i]) > most)
            most = device_max_alloc(c->devices[i]);
    return most;
}

cl_int memory_take(const char *function, cl_context c, uint64_t bytes,
                   uint64_t align, const char *name, uint64_t *addr)
{
    switch (drv_room_take(c->on, c->device_count, bytes, align, name, addr)) {
    case DRV_ROOM_TAKEN:
        return CL_SUCCESS;
    case DRV_ROOM_DEVICE:
        return ocl_fail(
            function, CL_MEM_OBJECT_ALLOCATION_FAILURE,
            "%llu bytes, but only %llu of a device's memory are left",
            (unsigned long long)bytes,
            (unsigned long long)drv_room_left(c->on, c->device_count));
    case DRV_ROOM_MEMORY:
        break;
    }
    return ocl_fail(function, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                    "%llu bytes: all simulated memory is used",
                    (unsigned long long)bytes);
}

void memory_give(cl_context c, uint64_t addr, uint64_t bytes)
{
    drv_room_give(c->on, c->device_count, addr, bytes);
}
