/* Samplers. A kernel gets one as a number that encodes all its modes, like a
 * sampler literal of OpenCL C (mem/tex.h: tex_literal). */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "mem/tex.h"
#include "opencl/opencl.h"

static void sampler_destroy(void *self)
{
    cl_sampler s = self;

    object_drop(s->context);
    free(s->properties);
    free(s);
}

/* The bits of OpenCL C's constants [OCL12:sampler_t]. */
static uint32_t sampler_bits(const struct _cl_sampler *s)
{
    enum { ADDRESS_SHIFT = 1, NEAREST = 0x10, LINEAR = 0x20 };

    return (uint32_t)(s->normalised != CL_FALSE) |
           (s->addressing - CL_ADDRESS_NONE) << ADDRESS_SHIFT |
           (s->filter == CL_FILTER_LINEAR ? LINEAR : NEAREST);
}

static cl_int check_sampler(const char *function, cl_bool normalised,
                            cl_addressing_mode addressing,
                            cl_filter_mode filter)
{
    if (normalised != CL_TRUE && normalised != CL_FALSE)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "normalised coordinates: %u is neither true nor false",
                        normalised);
    if (addressing < CL_ADDRESS_NONE || addressing > CL_ADDRESS_MIRRORED_REPEAT)
        return ocl_fail(function, CL_INVALID_VALUE, "no addressing mode 0x%x",
                        addressing);
    if (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR)
        return ocl_fail(function, CL_INVALID_VALUE, "no filter 0x%x", filter);
    return CL_SUCCESS;
}

/* `list`: of `count` properties with the zero, as the program gave it. */
static cl_int create_sampler(const char *function, cl_context c,
                             cl_bool normalised, cl_addressing_mode addressing,
                             cl_filter_mode filter,
                             const cl_sampler_properties *list, unsigned count,
                             cl_sampler *out)
{
    cl_int code = check_sampler(function, normalised, addressing, filter);
    cl_sampler s;

    if (code != CL_SUCCESS)
        return code;
    s = object_new(OCL_SAMPLER, sizeof *s, sampler_destroy);
    if (!s)
        return CL_OUT_OF_HOST_MEMORY;
    s->context = c;
    object_use(c);
    s->normalised = normalised;
    s->addressing = addressing;
    s->filter = filter;
    s->number = tex_handle(0, sampler_bits(s));
    if (count) {
        s->properties = alloc_try_array(count, sizeof *s->properties);
        if (!s->properties) {
            object_release(s, OCL_SAMPLER);
            return CL_OUT_OF_HOST_MEMORY;
        }
        memcpy(s->properties, list, count * sizeof *s->properties);
        s->property_count = count;
    }
    *out = s;
    return CL_SUCCESS;
}

cl_sampler clCreateSampler(cl_context c, cl_bool normalised,
                           cl_addressing_mode addressing, cl_filter_mode filter,
                           cl_int *err)
{
    cl_sampler s = NULL;
    OCL_LOCK();

    ocl_result(err,
               object_is(c, OCL_CONTEXT)
                   ? create_sampler(__func__, c, normalised, addressing, filter,
                                    NULL, 0, &s)
                   : FAIL(CL_INVALID_CONTEXT, "%p is no context", (void *)c));
    return s;
}

/* The values that the list gives, in the order of `names`. */
static cl_int read_properties(const char *function,
                              const cl_sampler_properties *list,
                              cl_sampler_properties values[3], unsigned *count)
{
    static const cl_sampler_properties names[3] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                   CL_SAMPLER_ADDRESSING_MODE,
                                                   CL_SAMPLER_FILTER_MODE};
    bool seen[3] = {false};
    unsigned n = 0;

    for (; list && list[n]; n += 2) {
        unsigned k = 0;

        while (k < 3 && names[k] != list[n])
            k++;
        if (k == 3 || seen[k])
            return ocl_fail(function, CL_INVALID_VALUE,
                            "property 0x%llx of samplers is %s",
                            (unsigned long long)list[n],
                            k == 3 ? "unknown" : "there twice");
        seen[k] = true;
        values[k] = list[n + 1];
    }
    *count = list ? n + 1 : 0;
    return CL_SUCCESS;
}

cl_sampler clCreateSamplerWithProperties(cl_context c,
                                         const cl_sampler_properties *list,
                                         cl_int *err)
{
    cl_sampler_properties values[3] = {CL_TRUE, CL_ADDRESS_CLAMP,
                                       CL_FILTER_NEAREST};
    cl_sampler s = NULL;
    unsigned count = 0;
    cl_int code;
    OCL_LOCK();

    if (!object_is(c, OCL_CONTEXT))
        code = FAIL(CL_INVALID_CONTEXT, "%p is no context", (void *)c);
    else
        code = read_properties(__func__, list, values, &count);
    if (code == CL_SUCCESS)
        code = create_sampler(__func__, c, (cl_bool)values[0],
                              (cl_addressing_mode)values[1],
                              (cl_filter_mode)values[2], list, count, &s);
    ocl_result(err, code);
    return s;
}

cl_int clRetainSampler(cl_sampler s)
{
    OCL_LOCK();
    return object_retain(s, OCL_SAMPLER);
}

cl_int clReleaseSampler(cl_sampler s)
{
    OCL_LOCK();
    return object_release(s, OCL_SAMPLER);
}

cl_int clGetSamplerInfo(cl_sampler s, cl_sampler_info what, size_t room,
                        void *to, size_t *size_ret)
{
    ocl_info a = {__func__, room, to, size_ret};
    OCL_LOCK();

    if (!object_is(s, OCL_SAMPLER))
        return FAIL(CL_INVALID_SAMPLER, "%p is no sampler", (void *)s);
    switch (what) {
    case CL_SAMPLER_REFERENCE_COUNT:
        return INFO(a, cl_uint, s->base.o.refs);
    case CL_SAMPLER_CONTEXT:
        return INFO(a, cl_context, s->context);
    case CL_SAMPLER_NORMALIZED_COORDS:
        return INFO(a, cl_bool, s->normalised);
    case CL_SAMPLER_ADDRESSING_MODE:
        return INFO(a, cl_addressing_mode, s->addressing);
    case CL_SAMPLER_FILTER_MODE:
        return INFO(a, cl_filter_mode, s->filter);
    case CL_SAMPLER_PROPERTIES:
        return info_bytes(a, s->properties,
                          s->property_count * sizeof *s->properties);
    default:
        return FAIL(CL_INVALID_VALUE, "no sampler information 0x%x", what);
    }
}
