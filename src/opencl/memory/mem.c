/* Memory objects of all kinds: their lifetime, clGetMemObjectInfo, and the
 * checks that functions on them have in common. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "opencl/memory/memory.h"
#include "runtime/image.h"

enum {
    ACCESS = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
    HOST_PTRS =
        CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
    HOST_ACCESS =
        CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
};

/* ---- Life ---- */

static void mem_destroy(void *self)
{
    cl_mem m = self;

    callbacks_call(m->at_end, m);
    mappings_free(m);
    free(m->unmapped);
    if (m->image)
        image_release(m);
    if (m->addr && !m->parent && !m->svm)
        memory_give(m->context, m->addr - m->front, m->room);
    object_drop(m->parent);
    object_drop(m->context);
    free(m->properties);
    free(m);
}

cl_mem mem_new(cl_context c, cl_mem_object_type type, cl_mem_flags flags,
               const cl_mem_properties *properties)
{
    cl_mem m = object_new(OCL_MEM, sizeof *m, mem_destroy);

    if (!m)
        return NULL;
    m->context = c;
    object_use(c);
    m->type = type;
    m->flags = flags;
    if (properties) { /* only the zero at the end, see mem_check_properties */
        m->properties = alloc_try_zeroed(1, sizeof *m->properties);
        m->property_count = m->properties != NULL;
    }
    return m;
}

bool mem_is_image(const struct _cl_mem *m)
{
    return m->type != CL_MEM_OBJECT_BUFFER;
}

cl_int clRetainMemObject(cl_mem m)
{
    OCL_LOCK();
    return object_retain(m, OCL_MEM);
}

cl_int clReleaseMemObject(cl_mem m)
{
    OCL_LOCK();
    return object_release(m, OCL_MEM);
}

cl_int clSetMemObjectDestructorCallback(cl_mem m,
                                        void(CL_CALLBACK *call)(cl_mem, void *),
                                        void *data)
{
    OCL_LOCK();

    if (!object_is(m, OCL_MEM))
        return FAIL(CL_INVALID_MEM_OBJECT, "%p is no memory object", (void *)m);
    return callback_add(__func__, &m->at_end,
                        (void (*)(void *, void *))(void (*)(void))call, data);
}

/* ---- clGetMemObjectInfo ---- */

cl_int clGetMemObjectInfo(cl_mem m, cl_mem_info what, size_t room, void *to,
                          size_t *size_ret)
{
    ocl_info a = {__func__, room, to, size_ret};
    OCL_LOCK();

    if (!object_is(m, OCL_MEM))
        return FAIL(CL_INVALID_MEM_OBJECT, "%p is no memory object", (void *)m);
    switch (what) {
    case CL_MEM_TYPE:
        return INFO(a, cl_mem_object_type, m->type);
    case CL_MEM_FLAGS:
        return INFO(a, cl_mem_flags, m->flags);
    case CL_MEM_SIZE:
        return INFO(a, size_t, m->size);
    case CL_MEM_HOST_PTR:
        return INFO(a, void *, m->host_ptr);
    case CL_MEM_MAP_COUNT:
        return INFO(a, cl_uint, m->map_count);
    case CL_MEM_REFERENCE_COUNT:
        return INFO(a, cl_uint, m->base.o.refs);
    case CL_MEM_CONTEXT:
        return INFO(a, cl_context, m->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return INFO(a, cl_mem, m->parent);
    case CL_MEM_OFFSET:
        return INFO(a, size_t, m->origin);
    case CL_MEM_USES_SVM_POINTER:
        return INFO(a, cl_bool, m->svm);
    case CL_MEM_PROPERTIES:
        return info_bytes(a, m->properties,
                          m->property_count * sizeof *m->properties);
    default:
        return FAIL(CL_INVALID_VALUE, "no information 0x%x about memory", what);
    }
}

/* ---- Checks of flags ---- */

static bool one_at_most(cl_mem_flags flags) { return !(flags & (flags - 1)); }

cl_int mem_check_flags(const char *function, cl_mem_flags flags)
{
    const char *why = NULL;

    if (flags & ~(cl_mem_flags)(ACCESS | HOST_PTRS | HOST_ACCESS))
        why = "there are others than CL_MEM_READ_WRITE ... NO_ACCESS";
    else if (!one_at_most(flags & ACCESS))
        why = "only one of READ_WRITE, READ_ONLY and WRITE_ONLY can be";
    else if (!one_at_most(flags & HOST_ACCESS))
        why = "only one of HOST_READ_ONLY, HOST_WRITE_ONLY and HOST_NO_ACCESS "
              "can be";
    else if ((flags & CL_MEM_USE_HOST_PTR) &&
             (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        why = "USE_HOST_PTR cannot be with ALLOC_HOST_PTR or COPY_HOST_PTR";
    if (!why)
        return CL_SUCCESS;
    return ocl_fail(function, CL_INVALID_VALUE, "flags 0x%llx: %s",
                    (unsigned long long)flags, why);
}

cl_int mem_check_properties(const char *function,
                            const cl_mem_properties *properties)
{
    if (!properties || !properties[0])
        return CL_SUCCESS;
    return ocl_fail(function, CL_INVALID_PROPERTY,
                    "no property 0x%llx of memory",
                    (unsigned long long)properties[0]);
}

cl_int mem_check_host_ptr(const char *function, cl_mem_flags flags,
                          const void *host_ptr)
{
    bool wanted = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);

    if (wanted == (host_ptr != NULL))
        return CL_SUCCESS;
    return ocl_fail(function, CL_INVALID_HOST_PTR, "%s",
                    wanted ? "there must be a host pointer"
                           : "a host pointer needs CL_MEM_USE_HOST_PTR or "
                             "CL_MEM_COPY_HOST_PTR");
}

cl_int mem_check_part(const char *function, cl_mem_flags *flags,
                      cl_mem_flags whole)
{
    cl_mem_flags own = *flags;
    const char *why = NULL;

    if (own & HOST_PTRS)
        why = "a part has its memory from the whole";
    else if (((whole & CL_MEM_WRITE_ONLY) &&
              (own & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) ||
             ((whole & CL_MEM_READ_ONLY) &&
              (own & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))))
        why = "kernels may access it in fewer ways";
    else if (((whole & CL_MEM_HOST_WRITE_ONLY) &&
              (own & CL_MEM_HOST_READ_ONLY)) ||
             ((whole & CL_MEM_HOST_READ_ONLY) &&
              (own & CL_MEM_HOST_WRITE_ONLY)) ||
             ((whole & CL_MEM_HOST_NO_ACCESS) &&
              (own & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))))
        why = "the host may access it in fewer ways";
    if (why)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "flags 0x%llx within memory of flags 0x%llx: %s",
                        (unsigned long long)own, (unsigned long long)whole,
                        why);
    if (!(own & ACCESS))
        own |= whole & ACCESS;
    if (!(own & HOST_ACCESS))
        own |= whole & HOST_ACCESS;
    *flags = own | (whole & HOST_PTRS);
    return CL_SUCCESS;
}

/* ---- Checks of commands ---- */

cl_int mem_check_object(const char *function, cl_command_queue q, cl_mem m,
                        bool image)
{
    if (!object_is(m, OCL_MEM))
        return ocl_fail(function, CL_INVALID_MEM_OBJECT,
                        "%p is no memory object", (void *)m);
    if (mem_is_image(m) != image)
        return ocl_fail(function, CL_INVALID_MEM_OBJECT, "%p is %s", (void *)m,
                        image ? "a buffer, not an image"
                              : "an image, not a buffer");
    if (m->context != q->context)
        return ocl_fail(function, CL_INVALID_CONTEXT,
                        "queue and memory object are of different contexts");
    return CL_SUCCESS;
}

cl_int mem_check(const char *function, cl_command_queue q, cl_uint wait_count,
                 const cl_event *waits, cl_mem m, bool image)
{
    cl_int code = command_check(q, wait_count, waits);

    if (code != CL_SUCCESS)
        return code;
    return mem_check_object(function, q, m, image);
}

cl_int mem_check_host(const char *function, const struct _cl_mem *m, bool reads,
                      bool writes)
{
    if (reads && (m->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)))
        return ocl_fail(function, CL_INVALID_OPERATION,
                        "the host may not read this object");
    if (writes && (m->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)))
        return ocl_fail(function, CL_INVALID_OPERATION,
                        "the host may not write this object");
    return CL_SUCCESS;
}

cl_int mem_check_range(const char *function, const struct _cl_mem *m,
                       size_t offset, size_t size)
{
    if (offset <= m->size && size <= m->size - offset)
        return CL_SUCCESS;
    return ocl_fail(function, CL_INVALID_VALUE,
                    "%zu bytes from %zu on are not inside the buffer of %zu",
                    size, offset, m->size);
}
