/* clGetKernelInfo and its relatives. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "base/plural.h"
#include "exec/exec.h"
#include "opencl/device.h"
#include "opencl/program/program_object.h"
#include "sm/sm.h"

/* ---- Resources ---- */

unsigned kernel_max_threads(const isa_kernel *code, cl_device_id d)
{
    const config *cfg = d->is->cfg;
    unsigned most = (unsigned)cfg->gpu.max.cta_threads;

    if (code->max_threads && code->max_threads < most)
        most = code->max_threads;
    for (unsigned n = most; n > ISA_WARP; n -= ISA_WARP) {
        exec_launch l = {.kernel = code,
                         .threads = n,
                         .warps = (n + ISA_WARP - 1) / ISA_WARP,
                         .shared_bytes = code->shared_bytes};

        if (sm_occupancy(cfg, &l, NULL, NULL, NULL))
            return n;
    }
    return most < ISA_WARP ? most : ISA_WARP;
}

uint64_t kernel_local_bytes(const struct _cl_kernel *k, const isa_kernel *code,
                            uint32_t *at)
{
    enum { ALIGN = 128 }; /* of the largest type, a long16 */
    uint64_t end = code->shared_bytes;

    for (unsigned i = 0; i < k->arg_count; i++) {
        if (kernel_param(k, i) != OCL_PARAM_LOCAL || !k->args[i].set)
            continue;
        end = bits_align_up(end, ALIGN);
        if (at)
            at[i] = (uint32_t)end;
        end += k->args[i].size;
    }
    return end;
}

/* ---- Declarations of arguments ---- */

/* NULL: unknown. */
static const kernel_info *info_of(cl_kernel k)
{
    ocl_build *b;

    if (!program_kernel(k->program, k->name, &b))
        return NULL;
    return kernel_infos_find(program_infos(k->program, b), k->name);
}

bool kernel_required(cl_kernel k, size_t size[3])
{
    const kernel_info *info = k->program->sizes ? info_of(k) : NULL;

    for (unsigned i = 0; i < 3; i++)
        size[i] = info                      ? info->required[i]
                  : k->code->req_threads[0] ? k->code->req_threads[i]
                                            : 0;
    return size[0] != 0;
}

bool kernel_hint(cl_kernel k, size_t size[3])
{
    const kernel_info *info = k->program->sizes ? info_of(k) : NULL;

    for (unsigned i = 0; i < 3; i++)
        size[i] = info ? info->hint[i] : 0;
    return size[0] && size[1] && size[2];
}

static cl_int info_attributes(ocl_info a, cl_kernel k)
{
    const kernel_info *info = k->program->attributes ? info_of(k) : NULL;
    strbuf text = {0};
    cl_int code;

    strbuf_write(&text, "", 0);
    if (info)
        kernel_info_attributes(info, &text);
    code = info_text(a, text.text);
    strbuf_fini(&text);
    return code;
}

cl_int clGetKernelInfo(cl_kernel k, cl_kernel_info what, size_t room, void *to,
                       size_t *size_ret)
{
    ocl_info a = {__func__, room, to, size_ret};
    OCL_LOCK();

    if (!object_is(k, OCL_KERNEL))
        return FAIL(CL_INVALID_KERNEL, "%p is no kernel", (void *)k);
    switch (what) {
    case CL_KERNEL_FUNCTION_NAME:
        return info_text(a, k->name);
    case CL_KERNEL_NUM_ARGS:
        return INFO(a, cl_uint, k->arg_count);
    case CL_KERNEL_REFERENCE_COUNT:
        return INFO(a, cl_uint, k->base.o.refs);
    case CL_KERNEL_CONTEXT:
        return INFO(a, cl_context, k->context);
    case CL_KERNEL_PROGRAM:
        return INFO(a, cl_program, k->program);
    case CL_KERNEL_ATTRIBUTES:
        return info_attributes(a, k);
    default:
        return FAIL(CL_INVALID_VALUE, "there is no information 0x%x", what);
    }
}

/* Only if the program was built with -cl-kernel-arg-info, or from a binary that
 * has it [OCL30:clGetKernelArgInfo]. NULL: not available. */
static const arg_info *arg_of(cl_kernel k, cl_uint i)
{
    const kernel_info *info;
    ocl_build *b;

    if (!program_kernel(k->program, k->name, &b) || !b->arg_info)
        return NULL;
    info = info_of(k);
    return info && i < info->arg_count ? &info->args[i] : NULL;
}

cl_int clGetKernelArgInfo(cl_kernel k, cl_uint i, cl_kernel_arg_info what,
                          size_t room, void *to, size_t *size_ret)
{
    ocl_info a = {__func__, room, to, size_ret};
    OCL_LOCK();

    if (!object_is(k, OCL_KERNEL))
        return FAIL(CL_INVALID_KERNEL, "%p is no kernel", (void *)k);
    if (i >= k->arg_count)
        return FAIL(CL_INVALID_ARG_INDEX, "kernel '%s' has %u argument%s",
                    k->name, k->arg_count, word_plural(k->arg_count));
    if (what < CL_KERNEL_ARG_ADDRESS_QUALIFIER || what > CL_KERNEL_ARG_NAME)
        return FAIL(CL_INVALID_VALUE, "there is no information 0x%x", what);
    const arg_info *arg = arg_of(k, i);
    if (!arg)
        return FAIL(CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
                    "the program was built without -cl-kernel-arg-info, or is "
                    "from a binary without it");
    switch (what) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return INFO(a, cl_kernel_arg_address_qualifier, arg->address);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return INFO(a, cl_kernel_arg_access_qualifier, arg->access);
    case CL_KERNEL_ARG_TYPE_NAME:
        return info_text(a, arg->type ? arg->type : "");
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return INFO(a, cl_kernel_arg_type_qualifier, arg->qualifiers);
    default:
        return info_text(a, arg->name ? arg->name : "");
    }
}

/* ---- On a device ---- */

/* The device, which may be left out if there is one only. */
static cl_int choose_device(const char *function, cl_kernel k, cl_device_id *d,
                            const isa_kernel **code)
{
    const struct _cl_program *p = k->program;

    if (!*d && p->build_count == 1)
        *d = p->builds[0].device;
    *code = object_is(*d, OCL_DEVICE) ? kernel_code(k, *d, NULL) : NULL;
    if (!*code)
        return ocl_fail(function, CL_INVALID_DEVICE,
                        "kernel '%s' is not built for that device", k->name);
    return CL_SUCCESS;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d,
                                cl_kernel_work_group_info what, size_t room,
                                void *to, size_t *size_ret)
{
    ocl_info a = {__func__, room, to, size_ret};
    const isa_kernel *code;
    size_t required[3];
    cl_int rc;
    OCL_LOCK();

    if (!object_is(k, OCL_KERNEL))
        return FAIL(CL_INVALID_KERNEL, "%p is no kernel", (void *)k);
    rc = choose_device(__func__, k, &d, &code);
    if (rc != CL_SUCCESS)
        return rc;
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return INFO(a, size_t, kernel_max_threads(code, d));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        kernel_required(k, required);
        return info_bytes(a, required, sizeof required);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return INFO(a, cl_ulong, kernel_local_bytes(k, code, NULL));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return INFO(a, size_t, ISA_WARP);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return INFO(a, cl_ulong, code->local_bytes);
    case CL_KERNEL_GLOBAL_WORK_SIZE:
        return FAIL(CL_INVALID_VALUE, "only built-in kernels have such a size");
    default:
        return FAIL(CL_INVALID_VALUE, "there is no information 0x%x", what);
    }
}

/* A work-group shape of so many sub-groups: all in the first dimension. */
static cl_int info_shape(ocl_info a, size_t in_size, const void *in,
                         unsigned most)
{
    size_t shape[3] = {0}, count, dims = a.to ? a.room / sizeof(size_t) : 3;

    if (in_size != sizeof count || !in)
        return ocl_fail(a.function, CL_INVALID_VALUE,
                        "the number of sub-groups must be given");
    if (a.to && (!dims || dims > 3 || a.room % sizeof(size_t)))
        return ocl_fail(a.function, CL_INVALID_VALUE,
                        "there is room for %zu bytes, which is no shape",
                        a.room);
    memcpy(&count, in, sizeof count);
    if (count && count <= most / ISA_WARP) {
        shape[0] = count * ISA_WARP;
        shape[1] = shape[2] = 1;
    }
    return info_bytes(a, shape, dims * sizeof(size_t));
}

static cl_int info_sub_groups(ocl_info a, cl_kernel_sub_group_info what,
                              size_t in_size, const void *in)
{
    size_t shape[3], n = in_size / sizeof(size_t), all = 1;

    if (!in || !n || n > 3 || in_size % sizeof(size_t))
        return ocl_fail(a.function, CL_INVALID_VALUE,
                        "the shape of the work-group must be given");
    memcpy(shape, in, in_size);
    for (size_t i = 0; i < n; i++)
        all *= shape[i];
    if (what == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE)
        return INFO(a, size_t, all < ISA_WARP ? all : ISA_WARP);
    return INFO(a, size_t, (all + ISA_WARP - 1) / ISA_WARP);
}

cl_int clGetKernelSubGroupInfo(cl_kernel k, cl_device_id d,
                               cl_kernel_sub_group_info what, size_t in_size,
                               const void *in, size_t room, void *to,
                               size_t *size_ret)
{
    ocl_info a = {__func__, room, to, size_ret};
    const isa_kernel *code;
    cl_int rc;
    OCL_LOCK();

    if (!object_is(k, OCL_KERNEL))
        return FAIL(CL_INVALID_KERNEL, "%p is no kernel", (void *)k);
    rc = choose_device(__func__, k, &d, &code);
    if (rc != CL_SUCCESS)
        return rc;
    switch (what) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        return info_sub_groups(a, what, in_size, in);
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        return info_shape(a, in_size, in, kernel_max_threads(code, d));
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return INFO(a, size_t,
                    (kernel_max_threads(code, d) + ISA_WARP - 1) / ISA_WARP);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        return INFO(a, size_t, 0);
    default:
        return FAIL(CL_INVALID_VALUE, "there is no information 0x%x", what);
    }
}

cl_int clGetKernelSubGroupInfoKHR(cl_kernel k, cl_device_id d,
                                  cl_kernel_sub_group_info what, size_t in_size,
                                  const void *in, size_t room, void *to,
                                  size_t *size_ret)
{
    return clGetKernelSubGroupInfo(k, d, what, in_size, in, room, to, size_ret);
}
