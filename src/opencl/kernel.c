/* Kernels and their arguments. clGetKernel...Info: kernel_query.c. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "base/plural.h"
#include "mem/tex.h"
#include "opencl/program/program_object.h"

/* ---- Life ---- */

static void arg_clear(ocl_arg *a)
{
    free(a->bytes);
    *a = (ocl_arg){0};
}

static void kernel_destroy(void *self)
{
    cl_kernel k = self;

    for (unsigned i = 0; i < k->arg_count; i++)
        arg_clear(&k->args[i]);
    k->program->kernels--;
    object_drop(k->program);
    free(k->args);
    free(k->name);
    free(k);
}

/* NULL: no memory. */
static cl_kernel kernel_new(cl_program p, const isa_kernel *code)
{
    cl_kernel k = object_new(OCL_KERNEL, sizeof *k, kernel_destroy);

    if (!k)
        return NULL;
    k->program = p;
    k->context = p->context;
    object_use(p);
    p->kernels++;
    k->code = code;
    k->name = alloc_try_text(code->name);
    k->args = alloc_try_zeroed(code->param_count + 1, sizeof *k->args);
    if (!k->name || !k->args) {
        object_release(k, OCL_KERNEL);
        return NULL;
    }
    k->arg_count = code->param_count;
    return k;
}

const isa_kernel *kernel_code(cl_kernel k, cl_device_id d, drv_module *m)
{
    const ocl_build *b = program_build_for(k->program, d);

    if (!b || !b->loaded.module)
        return NULL;
    if (m)
        *m = b->loaded;
    return isa_program_kernel(rt_module_program(b->loaded.module), k->name);
}

static bool is_executable(const struct _cl_program *p)
{
    for (unsigned i = 0; i < p->build_count; i++)
        if (p->builds[i].loaded.module)
            return true;
    return false;
}

/* Does the program have the kernel, but the compiler could not translate it? */
static bool is_refused(const struct _cl_program *p, const char *name)
{
    for (unsigned i = 0; i < p->build_count; i++) {
        const rt_module *m = p->builds[i].loaded.module;
        const isa_program *code = m ? rt_module_program(m) : NULL;

        for (uint32_t j = 0; code && j < code->missing_count; j++)
            if (!strcmp(code->missing[j], name))
                return true;
    }
    return false;
}

static cl_int create_kernel(const char *function, cl_program p,
                            const char *name, cl_kernel *out)
{
    if (!object_is(p, OCL_PROGRAM))
        return ocl_fail(function, CL_INVALID_PROGRAM, "%p is no program",
                        (void *)p);
    if (!is_executable(p))
        return ocl_fail(function, CL_INVALID_PROGRAM_EXECUTABLE,
                        "%s is not built", p->name);
    if (!name)
        return ocl_fail(function, CL_INVALID_VALUE, "the name is NULL");
    const isa_kernel *code = program_kernel(p, name, NULL);
    if (!code && is_refused(p, name))
        return ocl_fail(function, CL_INVALID_KERNEL_DEFINITION,
                        "kernel '%s' could not be translated: the build log "
                        "says why",
                        name);
    if (!code)
        return ocl_fail(function, CL_INVALID_KERNEL_NAME,
                        "%s has no kernel '%s'", p->name, name);
    *out = kernel_new(p, code);
    if (!*out)
        return CL_OUT_OF_HOST_MEMORY;
    return CL_SUCCESS;
}

cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *err)
{
    cl_kernel k = NULL;
    OCL_LOCK();

    ocl_result(err, create_kernel(__func__, p, name, &k));
    return k;
}

cl_int clCreateKernelsInProgram(cl_program p, cl_uint room, cl_kernel *out,
                                cl_uint *count)
{
    const isa_program *code = NULL;
    OCL_LOCK();

    if (!object_is(p, OCL_PROGRAM))
        return FAIL(CL_INVALID_PROGRAM, "%p is no program", (void *)p);
    for (unsigned i = 0; i < p->build_count && !code; i++)
        if (p->builds[i].loaded.module)
            code = rt_module_program(p->builds[i].loaded.module);
    if (!code)
        return FAIL(CL_INVALID_PROGRAM_EXECUTABLE, "%s is not built", p->name);
    if (out && room < code->kernel_count)
        return FAIL(CL_INVALID_VALUE,
                    "there is room for %u kernels, but %s has %u", room,
                    p->name, code->kernel_count);
    for (uint32_t i = 0; out && i < code->kernel_count; i++) {
        out[i] = NULL;
        cl_int rc = create_kernel(__func__, p, code->kernels[i].name, &out[i]);
        if (rc == CL_SUCCESS)
            continue;
        while (i)
            object_release(out[--i], OCL_KERNEL);
        return rc;
    }
    if (count)
        *count = code->kernel_count;
    return CL_SUCCESS;
}

static bool arg_copy(ocl_arg *to, const ocl_arg *from)
{
    *to = *from;
    if (!from->bytes)
        return true;
    to->bytes = alloc_try_array(from->size, 1);
    if (to->bytes)
        memcpy(to->bytes, from->bytes, from->size);
    return to->bytes != NULL;
}

cl_kernel clCloneKernel(cl_kernel from, cl_int *err)
{
    cl_kernel k;
    bool good;
    OCL_LOCK();

    if (!object_is(from, OCL_KERNEL)) {
        ocl_result(err,
                   FAIL(CL_INVALID_KERNEL, "%p is no kernel", (void *)from));
        return NULL;
    }
    k = kernel_new(from->program, from->code);
    good = k != NULL;
    for (unsigned i = 0; good && i < k->arg_count; i++)
        good = arg_copy(&k->args[i], &from->args[i]);
    if (k && !good) {
        object_release(k, OCL_KERNEL);
        k = NULL;
    }
    ocl_result(err, good ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
    return k;
}

cl_int clRetainKernel(cl_kernel k)
{
    OCL_LOCK();
    return object_retain(k, OCL_KERNEL);
}

cl_int clReleaseKernel(cl_kernel k)
{
    OCL_LOCK();
    return object_release(k, OCL_KERNEL);
}

/* ---- Arguments ---- */

ocl_param kernel_param(const struct _cl_kernel *k, unsigned i)
{
    const isa_param *p = &k->code->params[i];

    if (p->kind == PARAM_POINTER && p->shared)
        return OCL_PARAM_LOCAL;
    return p->kind == PARAM_POINTER || p->kind == PARAM_IMAGE ||
                   p->kind == PARAM_SAMPLER
               ? OCL_PARAM_OBJECT
               : OCL_PARAM_VALUE;
}

/* The declaration of an argument, looked up only for objects that are not
 * buffers. NULL: unknown. */
static const arg_info *declared(cl_kernel k, unsigned i)
{
    ocl_build *b;

    if (!k->program->images || !program_kernel(k->program, k->name, &b))
        return NULL;
    const kernel_info *info =
        kernel_infos_find(program_infos(k->program, b), k->name);
    return info && i < info->arg_count ? &info->args[i] : NULL;
}

static bool is_image(cl_mem m)
{
    return m->type != CL_MEM_OBJECT_BUFFER && m->type != CL_MEM_OBJECT_PIPE;
}

static cl_int check_image(const char *function, const arg_info *info,
                          const struct _cl_mem *m, unsigned i)
{
    cl_mem_flags denied = info->access == CL_KERNEL_ARG_ACCESS_READ_ONLY
                              ? CL_MEM_WRITE_ONLY
                          : info->access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY
                              ? CL_MEM_READ_ONLY
                              : CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;

    if (m->flags & denied)
        return ocl_fail(function, CL_INVALID_ARG_VALUE,
                        "argument %u is an image with flags that forbid what "
                        "the kernel does with it",
                        i);
    return CL_SUCCESS;
}

/* `handle` for an argument that takes an object; only buffers may be NULL
 * [OCL30:clSetKernelArg]. */
static cl_int set_object(const char *function, cl_kernel k, unsigned i,
                         void *handle)
{
    const arg_info *info = declared(k, i);
    bool sampler = info && info->type && !strcmp(info->type, "sampler_t");
    bool image = info && info->access != CL_KERNEL_ARG_ACCESS_NONE;
    bool is_mem = object_is(handle, OCL_MEM);
    cl_int code = CL_SUCCESS;

    if (sampler && !object_is(handle, OCL_SAMPLER))
        return ocl_fail(function, CL_INVALID_SAMPLER,
                        "argument %u must be a sampler", i);
    if (image && !handle)
        return ocl_fail(function, CL_INVALID_MEM_OBJECT,
                        "argument %u must be an image, not NULL", i);
    if (handle && !is_mem &&
        (info ? !sampler : !object_is(handle, OCL_SAMPLER)))
        return ocl_fail(function, CL_INVALID_MEM_OBJECT,
                        "argument %u must be a memory object, not %p", i,
                        handle);
    if (is_mem && info && image != is_image(handle))
        return ocl_fail(function, CL_INVALID_MEM_OBJECT,
                        "argument %u must be %s", i,
                        image ? "an image" : "a buffer");
    if (is_mem && image)
        code = check_image(function, info, handle, i);
    if (code != CL_SUCCESS)
        return code;
    if (handle && object_of(handle)->kind == OCL_MEM &&
        ((cl_mem)handle)->context != k->context)
        return ocl_fail(function, CL_INVALID_MEM_OBJECT,
                        "argument %u is of another context", i);
    arg_clear(&k->args[i]);
    k->args[i].set = true;
    if (is_mem)
        k->args[i].mem = handle;
    else
        k->args[i].sampler = handle;
    return CL_SUCCESS;
}

static cl_int set_bytes(cl_kernel k, unsigned i, size_t size, const void *value)
{
    uint8_t *copy = alloc_try_array(size ? size : 1, 1);

    if (!copy)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(copy, value, size);
    arg_clear(&k->args[i]);
    k->args[i] = (ocl_arg){.set = true, .bytes = copy, .size = size};
    return CL_SUCCESS;
}

/* PTX that was not made from OpenCL C does not mark which parameters are
 * addresses. */
static bool is_unmarked_object(const struct _cl_kernel *k, unsigned i,
                               void *handle)
{
    const isa_param *p = &k->code->params[i];

    return !k->program->source && p->kind == PARAM_INT && p->size == 8 &&
           object_is(handle, OCL_MEM);
}

static cl_int set_value(const char *function, cl_kernel k, unsigned i,
                        size_t size, const void *value)
{
    const isa_param *p = &k->code->params[i];
    void *handle = NULL;

    if (!value)
        return ocl_fail(function, CL_INVALID_ARG_VALUE,
                        "argument %u is a value, but NULL is given", i);
    if (size != p->size)
        return ocl_fail(function, CL_INVALID_ARG_SIZE,
                        "argument %u has %u byte%s, not %zu", i, p->size,
                        word_plural(p->size), size);
    if (size == sizeof handle)
        memcpy(&handle, value, size);
    if (is_unmarked_object(k, i, handle))
        return set_object(function, k, i, handle);
    return set_bytes(k, i, size, value);
}

static cl_int set_arg(const char *function, cl_kernel k, unsigned i,
                      size_t size, const void *value)
{
    void *handle = NULL;

    switch (kernel_param(k, i)) {
    case OCL_PARAM_LOCAL:
        if (value)
            return ocl_fail(function, CL_INVALID_ARG_VALUE,
                            "argument %u is local memory: its value must be "
                            "NULL",
                            i);
        if (!size)
            return ocl_fail(function, CL_INVALID_ARG_SIZE,
                            "argument %u is local memory of no size", i);
        arg_clear(&k->args[i]);
        k->args[i] = (ocl_arg){.set = true, .size = size};
        return CL_SUCCESS;
    case OCL_PARAM_OBJECT:
        if (size != sizeof handle)
            return ocl_fail(function, CL_INVALID_ARG_SIZE,
                            "argument %u is an object, whose handle has %zu "
                            "bytes, not %zu",
                            i, sizeof handle, size);
        if (value)
            memcpy(&handle, value, sizeof handle);
        return set_object(function, k, i, handle);
    case OCL_PARAM_VALUE:
        return set_value(function, k, i, size, value);
    }
    MUST(!"every value is above");
}

static cl_int check_index(const char *function, cl_kernel k, cl_uint i)
{
    if (!object_is(k, OCL_KERNEL))
        return ocl_fail(function, CL_INVALID_KERNEL, "%p is no kernel",
                        (void *)k);
    if (i >= k->arg_count)
        return ocl_fail(function, CL_INVALID_ARG_INDEX,
                        "kernel '%s' has %u argument%s, none has number %u",
                        k->name, k->arg_count, word_plural(k->arg_count), i);
    return CL_SUCCESS;
}

cl_int clSetKernelArg(cl_kernel k, cl_uint i, size_t size, const void *value)
{
    cl_int code;
    OCL_LOCK();

    code = check_index(__func__, k, i);
    return code == CL_SUCCESS ? set_arg(__func__, k, i, size, value) : code;
}

cl_int clSetKernelArgSVMPointer(cl_kernel k, cl_uint i, const void *value)
{
    cl_int code;
    OCL_LOCK();

    code = check_index(__func__, k, i);
    if (code != CL_SUCCESS)
        return code;
    if (kernel_param(k, i) != OCL_PARAM_OBJECT &&
        !(kernel_param(k, i) == OCL_PARAM_VALUE && !k->program->source &&
          k->code->params[i].size == sizeof value))
        return FAIL(CL_INVALID_ARG_VALUE, "argument %u is no pointer", i);
    return set_bytes(k, i, sizeof value, &value);
}

cl_int clSetKernelExecInfo(cl_kernel k, cl_kernel_exec_info what, size_t size,
                           const void *value)
{
    OCL_LOCK();

    if (!object_is(k, OCL_KERNEL))
        return FAIL(CL_INVALID_KERNEL, "%p is no kernel", (void *)k);
    if (!value)
        return FAIL(CL_INVALID_VALUE, "there is no value");
    switch (what) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS: /* all of them can be reached anyway */
        if (!size || size % sizeof(void *))
            return FAIL(CL_INVALID_VALUE, "%zu bytes are no list of pointers",
                        size);
        return CL_SUCCESS;
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
        if (size != sizeof(cl_bool))
            return FAIL(CL_INVALID_VALUE, "a cl_bool has %zu bytes, not %zu",
                        sizeof(cl_bool), size);
        if (*(const cl_bool *)value)
            return FAIL(CL_INVALID_OPERATION,
                        "the host's own memory cannot be reached");
        return CL_SUCCESS;
    default:
        return FAIL(CL_INVALID_VALUE, "there is no information 0x%x", what);
    }
}
