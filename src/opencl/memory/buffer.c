/* Making buffers and parts of them. */
#include <string.h>

#include "driver/checkpoint.h"
#include "driver/host_link.h"
#include "opencl/memory/memory.h"

/* A buffer whose host pointer lies in shared virtual memory is that memory. */
static cl_int take_svm(cl_mem m, void *host_ptr, size_t size, bool *taken)
{
    size_t room;
    uint64_t addr;

    *taken = svm_find(m->context, host_ptr, &addr, &room);
    if (!*taken)
        return CL_SUCCESS;
    if (size > room)
        return ocl_fail("clCreateBuffer", CL_INVALID_BUFFER_SIZE,
                        "%zu bytes do not fit the %zu of the range of shared "
                        "virtual memory",
                        size, room);
    m->addr = addr;
    m->svm = true;
    return CL_SUCCESS;
}

static cl_int take_memory(const char *function, cl_mem m, void *host_ptr)
{
    bool taken = false;
    cl_int code;

    if (m->flags & CL_MEM_USE_HOST_PTR) {
        m->host_ptr = host_ptr;
        code = take_svm(m, host_ptr, m->size, &taken);
        if (code != CL_SUCCESS || taken)
            return code;
    }
    m->front = drv.slack_bytes;
    m->room = m->front + m->size + m->front;
    code =
        memory_take(function, m->context, m->room, 1, RT_SLACK_NAME, &m->addr);
    if (code != CL_SUCCESS)
        return code;
    m->addr += m->front;
    if (host_ptr) {
        drv_moves(&(drv_box){.bytes = host_ptr},
                  &(drv_box){.bytes = drv_room_host(m->addr)}, m->size, 1, 1);
        memcpy(drv_room_host(m->addr), host_ptr, m->size);
        drv_link_created(m->size);
    }
    return CL_SUCCESS;
}

static cl_int create_buffer(const char *function, cl_context c,
                            const cl_mem_properties *properties,
                            cl_mem_flags flags, size_t size, void *host_ptr,
                            cl_mem *out)
{
    cl_int code;
    cl_mem m;

    if (!object_is(c, OCL_CONTEXT))
        return ocl_fail(function, CL_INVALID_CONTEXT, "%p is no context",
                        (void *)c);
    if ((code = mem_check_properties(function, properties)) != CL_SUCCESS ||
        (code = mem_check_flags(function, flags)) != CL_SUCCESS)
        return code;
    if (!size || size > memory_largest(c))
        return ocl_fail(function, CL_INVALID_BUFFER_SIZE,
                        "a buffer of %zu bytes: there can be 1 to %llu", size,
                        (unsigned long long)memory_largest(c));
    if ((code = mem_check_host_ptr(function, flags, host_ptr)) != CL_SUCCESS)
        return code;
    if (!(m = mem_new(c, CL_MEM_OBJECT_BUFFER, flags, properties)))
        return CL_OUT_OF_HOST_MEMORY;
    m->size = size;
    if ((code = take_memory(function, m, host_ptr)) != CL_SUCCESS) {
        object_release(m, OCL_MEM);
        return code;
    }
    *out = m;
    return CL_SUCCESS;
}

cl_mem clCreateBuffer(cl_context c, cl_mem_flags flags, size_t size,
                      void *host_ptr, cl_int *err)
{
    cl_mem m = NULL;
    OCL_LOCK();

    ocl_result(err,
               create_buffer(__func__, c, NULL, flags, size, host_ptr, &m));
    return m;
}

cl_mem clCreateBufferWithProperties(cl_context c,
                                    const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size,
                                    void *host_ptr, cl_int *err)
{
    cl_mem m = NULL;
    OCL_LOCK();

    ocl_result(
        err, create_buffer(__func__, c, properties, flags, size, host_ptr, &m));
    return m;
}

static cl_int check_region(const char *function, cl_mem of,
                           cl_buffer_create_type type,
                           const cl_buffer_region *r)
{
    if (type != CL_BUFFER_CREATE_TYPE_REGION)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "the only type is CL_BUFFER_CREATE_TYPE_REGION, not "
                        "0x%x",
                        type);
    if (!r)
        return ocl_fail(function, CL_INVALID_VALUE, "there is no region");
    if (mem_check_range(function, of, r->origin, r->size) != CL_SUCCESS)
        return CL_INVALID_VALUE;
    if (!r->size)
        return ocl_fail(function, CL_INVALID_BUFFER_SIZE,
                        "the region is empty");
    if (r->origin % DEVICE_BASE_ALIGN)
        return ocl_fail(function, CL_MISALIGNED_SUB_BUFFER_OFFSET,
                        "origin %zu is no multiple of %d "
                        "(CL_DEVICE_MEM_BASE_ADDR_ALIGN, in bytes)",
                        r->origin, DEVICE_BASE_ALIGN);
    return CL_SUCCESS;
}

cl_mem clCreateSubBuffer(cl_mem of, cl_mem_flags flags,
                         cl_buffer_create_type type, const void *info,
                         cl_int *err)
{
    const cl_buffer_region *r = info;
    cl_int code;
    OCL_LOCK();

    if (!object_is(of, OCL_MEM) || mem_is_image(of) || of->parent) {
        ocl_result(err, FAIL(CL_INVALID_MEM_OBJECT,
                             "%p is no buffer, or part of one", (void *)of));
        return NULL;
    }
    if ((code = mem_check_flags(__func__, flags)) != CL_SUCCESS ||
        (code = mem_check_part(__func__, &flags, of->flags)) != CL_SUCCESS ||
        (code = check_region(__func__, of, type, r)) != CL_SUCCESS) {
        ocl_result(err, code);
        return NULL;
    }
    cl_mem m = mem_new(of->context, CL_MEM_OBJECT_BUFFER, flags, NULL);
    if (m) {
        m->parent = of;
        object_use(of);
        m->origin = r->origin;
        m->size = r->size;
        m->addr = of->addr + r->origin;
        m->svm = of->svm;
        if (of->host_ptr)
            m->host_ptr = (uint8_t *)of->host_ptr + r->origin;
    }
    ocl_result(err, m ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
    return m;
}
