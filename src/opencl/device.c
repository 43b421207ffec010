/* Devices: finding them. clGetDeviceInfo: device_info.c. */
#include "opencl/device.h"

#include "base/alloc.h"

bool devices_add(ocl_state *s)
{
    s->devices = alloc_try_zeroed(drv.device_count, sizeof *s->devices);
    for (unsigned i = 0; s->devices && i < drv.device_count; i++) {
        cl_device_id d = object_new(OCL_DEVICE, sizeof *d, NULL);

        if (!d)
            return false;
        d->is = drv.devices[i];
        s->devices[i] = d;
    }
    return s->devices != NULL;
}

bool device_type_known(cl_device_type type)
{
    return type == CL_DEVICE_TYPE_ALL ||
           (type &&
            !(type & ~(cl_device_type)(CL_DEVICE_TYPE_DEFAULT |
                                       CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                       CL_DEVICE_TYPE_ACCELERATOR |
                                       CL_DEVICE_TYPE_CUSTOM)));
}

bool device_type_is(cl_device_type type)
{
    return type & (CL_DEVICE_TYPE_DEFAULT | device_type());
}

cl_device_type device_type(void)
{
    return state_get()->as_cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
}

cl_int device_type_fail(const char *function)
{
    return ocl_fail(function, CL_DEVICE_NOT_FOUND, "%s",
                    state_get()->as_cpu
                        ? "there are only CPUs: --as-cpu or HEDDLE_AS_CPU asks "
                          "for that"
                        : "there are only GPUs, which call themselves CPUs "
                          "with --as-cpu or HEDDLE_AS_CPU=1");
}

cl_int clGetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint room,
                      cl_device_id *out, cl_uint *count)
{
    ocl_state *s = state_get();
    OCL_LOCK();

    if (!s || (p && p != s->platform))
        return FAIL(CL_INVALID_PLATFORM, "%p is no platform", (void *)p);
    if (!device_type_known(type))
        return FAIL(CL_INVALID_DEVICE_TYPE, "no device type 0x%llx",
                    (unsigned long long)type);
    if ((!out && !count) || (out && !room))
        return FAIL(CL_INVALID_VALUE, "there must be a place for devices, or "
                                      "for their number");
    if (!device_type_is(type)) {
        if (count)
            *count = 0;
        return device_type_fail(__func__);
    }
    unsigned n = type == CL_DEVICE_TYPE_DEFAULT ? 1 : drv.device_count;
    if (count)
        *count = n;
    for (unsigned i = 0; out && i < n && i < room; i++)
        out[i] = s->devices[i];
    return CL_SUCCESS;
}

cl_int clRetainDevice(cl_device_id d)
{
    OCL_LOCK();
    return object_retain(d, OCL_DEVICE);
}

cl_int clReleaseDevice(cl_device_id d)
{
    OCL_LOCK();
    return object_release(d, OCL_DEVICE);
}

/* A simulated GPU cannot be divided: the specification's answer to any way of
 * doing so is CL_INVALID_VALUE. */
cl_int clCreateSubDevices(cl_device_id d, const cl_device_partition_property *p,
                          cl_uint room, cl_device_id *out, cl_uint *count)
{
    OCL_LOCK();

    (void)p, (void)room, (void)out, (void)count;
    if (!object_is(d, OCL_DEVICE))
        return FAIL(CL_INVALID_DEVICE, "%p is no device", (void *)d);
    return FAIL(CL_INVALID_VALUE, "devices cannot be divided");
}

cl_int clRetainDeviceEXT(cl_device_id d) { return clRetainDevice(d); }
cl_int clReleaseDeviceEXT(cl_device_id d) { return clReleaseDevice(d); }

cl_int clCreateSubDevicesEXT(cl_device_id d,
                             const cl_device_partition_property_ext *p,
                             cl_uint room, cl_device_id *out, cl_uint *count)
{
    (void)p;
    return clCreateSubDevices(d, NULL, room, out, count);
}

/* The host's clock as the device sees it is the simulated time that the
 * program has seen. */
cl_int clGetDeviceAndHostTimer(cl_device_id d, cl_ulong *device, cl_ulong *host)
{
    ocl_state *s = state_get();
    OCL_LOCK();

    if (!s || !object_is(d, OCL_DEVICE))
        return FAIL(CL_INVALID_DEVICE, "%p is no device", (void *)d);
    if (!device || !host)
        return FAIL(CL_INVALID_VALUE, "there is no place for the time");
    *device = drv.host_ns;
    *host = drv.host_ns;
    return CL_SUCCESS;
}

cl_int clGetHostTimer(cl_device_id d, cl_ulong *host)
{
    ocl_state *s = state_get();
    OCL_LOCK();

    if (!s || !object_is(d, OCL_DEVICE))
        return FAIL(CL_INVALID_DEVICE, "%p is no device", (void *)d);
    if (!host)
        return FAIL(CL_INVALID_VALUE, "there is no place for the time");
    *host = drv.host_ns;
    return CL_SUCCESS;
}
