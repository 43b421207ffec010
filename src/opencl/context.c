/* Contexts. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "opencl/opencl.h"

bool context_has(cl_context c, cl_device_id d)
{
    for (unsigned i = 0; i < c->device_count; i++)
        if (c->devices[i] == d)
            return true;
    return false;
}

void callbacks_call(ocl_callback *list, void *object)
{
    while (list) {
        ocl_callback *one = list;

        list = one->next;
        drv_unlock();
        one->call(object, one->data);
        drv_lock();
        free(one);
    }
}

static void context_destroy(void *self)
{
    cl_context c = self;

    callbacks_call(c->at_end, c);
    svm_free_all(c);
    free(c->devices);
    free(c->on);
    free(c->properties);
    free(c);
}

/* CL_SUCCESS and the number of entries with the zero behind them. */
static cl_int check_properties(const char *function,
                               const cl_context_properties *p, unsigned *count)
{
    unsigned n = 0;
    bool platform = false, sync = false;

    *count = 0;
    if (!p)
        return CL_SUCCESS;
    for (; p[n]; n += 2) {
        bool *seen = p[n] == CL_CONTEXT_PLATFORM            ? &platform
                     : p[n] == CL_CONTEXT_INTEROP_USER_SYNC ? &sync
                                                            : NULL;

        if (!seen || *seen)
            return ocl_fail(function, CL_INVALID_PROPERTY,
                            "property 0x%lx is %s", (long)p[n],
                            seen ? "there twice" : "unknown");
        *seen = true;
        if (seen == &platform &&
            !object_is((const void *)p[n + 1], OCL_PLATFORM))
            return ocl_fail(function, CL_INVALID_PLATFORM,
                            "CL_CONTEXT_PLATFORM is no platform");
        if (seen == &sync && p[n + 1] != CL_TRUE && p[n + 1] != CL_FALSE)
            return ocl_fail(function, CL_INVALID_PROPERTY,
                            "CL_CONTEXT_INTEROP_USER_SYNC is neither true "
                            "nor false");
    }
    *count = n + 1;
    return CL_SUCCESS;
}

typedef void(CL_CALLBACK *notify_fn)(const char *, const void *, size_t,
                                     void *);

static cl_int create_context(const char *function,
                             const cl_context_properties *props, unsigned n,
                             const cl_device_id *devices, notify_fn notify,
                             void *data, cl_context *out)
{
    unsigned property_count;
    cl_int code = check_properties(function, props, &property_count);

    if (code != CL_SUCCESS)
        return code;
    if (!devices || !n || (!notify && data))
        return ocl_fail(function, CL_INVALID_VALUE, "%s",
                        !devices || !n ? "no device is given"
                                       : "user data without a function for it");
    for (unsigned i = 0; i < n; i++)
        if (!object_is(devices[i], OCL_DEVICE))
            return ocl_fail(function, CL_INVALID_DEVICE, "device %u is none",
                            i);
    cl_context c = object_new(OCL_CONTEXT, sizeof *c, context_destroy);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    c->devices = alloc_try_zeroed(n, sizeof *c->devices);
    c->on = alloc_try_zeroed(n, sizeof *c->on);
    c->properties = alloc_try_zeroed(property_count + 1, sizeof *c->properties);
    if (!c->devices || !c->on || !c->properties) {
        object_release(c, OCL_CONTEXT);
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (unsigned i = 0; i < n; i++)
        if (!context_has(c, devices[i])) {
            c->on[c->device_count] = devices[i]->is;
            c->devices[c->device_count++] = devices[i];
        }
    if (property_count)
        memcpy(c->properties, props, property_count * sizeof *props);
    c->property_count = property_count;
    c->notify = notify;
    c->notify_data = data;
    *out = c;
    return CL_SUCCESS;
}

cl_context clCreateContext(const cl_context_properties *props, cl_uint n,
                           const cl_device_id *devices, notify_fn notify,
                           void *data, cl_int *err)
{
    cl_context c = NULL;
    OCL_LOCK();

    ocl_result(err,
               create_context(__func__, props, n, devices, notify, data, &c));
    return c;
}

cl_context clCreateContextFromType(const cl_context_properties *props,
                                   cl_device_type type, notify_fn notify,
                                   void *data, cl_int *err)
{
    ocl_state *s = state_get();
    cl_context c = NULL;
    unsigned n;
    cl_int code;
    OCL_LOCK();

    code = check_properties(__func__, props, &n);
    if (code == CL_SUCCESS && !device_type_known(type))
        code = FAIL(CL_INVALID_DEVICE_TYPE, "no device type 0x%llx",
                    (unsigned long long)type);
    else if (code == CL_SUCCESS && !s)
        code = FAIL(CL_DEVICE_NOT_FOUND, "there are no devices");
    else if (code == CL_SUCCESS && !device_type_is(type))
        code = device_type_fail(__func__);
    else if (code == CL_SUCCESS)
        code = create_context(__func__, props,
                              type == CL_DEVICE_TYPE_DEFAULT ? 1
                                                             : drv.device_count,
                              s->devices, notify, data, &c);
    ocl_result(err, code);
    return c;
}

cl_int clRetainContext(cl_context c)
{
    OCL_LOCK();
    return object_retain(c, OCL_CONTEXT);
}

cl_int clReleaseContext(cl_context c)
{
    OCL_LOCK();
    return object_release(c, OCL_CONTEXT);
}

cl_int clGetContextInfo(cl_context c, cl_context_info what, size_t room,
                        void *to, size_t *size_ret)
{
    ocl_info a = {__func__, room, to, size_ret};
    OCL_LOCK();

    if (!object_is(c, OCL_CONTEXT))
        return FAIL(CL_INVALID_CONTEXT, "%p is no context", (void *)c);
    switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return INFO(a, cl_uint, c->base.o.refs);
    case CL_CONTEXT_NUM_DEVICES:
        return INFO(a, cl_uint, c->device_count);
    case CL_CONTEXT_DEVICES:
        return info_bytes(a, c->devices, c->device_count * sizeof *c->devices);
    case CL_CONTEXT_PROPERTIES:
        return info_bytes(a, c->properties,
                          c->property_count * sizeof *c->properties);
    default:
        return FAIL(CL_INVALID_VALUE, "no context information 0x%x", what);
    }
}

/* The types of the specification's callbacks differ only in what they call
 * their first argument. */
cl_int callback_add(const char *function, ocl_callback **list,
                    void (*call)(void *, void *), void *data)
{
    ocl_callback *one;

    if (!call)
        return ocl_fail(function, CL_INVALID_VALUE, "there is no function");
    one = alloc_try_array(1, sizeof *one);
    if (!one)
        return CL_OUT_OF_HOST_MEMORY;
    *one = (ocl_callback){*list, call, data};
    *list = one;
    return CL_SUCCESS;
}

cl_int clSetContextDestructorCallback(
    cl_context c, void(CL_CALLBACK *call)(cl_context, void *), void *data)
{
    OCL_LOCK();

    if (!object_is(c, OCL_CONTEXT))
        return FAIL(CL_INVALID_CONTEXT, "%p is no context", (void *)c);
    return callback_add(__func__, &c->at_end,
                        (void (*)(void *, void *))(void (*)(void))call, data);
}
