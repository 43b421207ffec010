/* clEnqueueNDRangeKernel and clEnqueueTask: checks, the work-group size where
 * the program leaves it open, and the parameters as the kernel reads them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "driver/kernel_command.h"
#include "mem/tex.h"
#include "opencl/program/program_object.h"

/* A range that is being enqueued. */
typedef struct range {
    const char *function;
    cl_command_queue queue;
    cl_kernel kernel;
    const isa_kernel *code;
    drv_module module;
    bool parts; /* the last groups may be smaller */
    cl_uint dims;
    size_t offset[3], global[3], local[3]; /* 0, 1, 1 beyond dims */
    unsigned max_group;
} range;

/* ---- The work-group size ---- */

/* The largest divisor of `n` up to `limit`; one that makes `others` times
 * itself a multiple of a warp is preferred. */
static size_t divisor(size_t n, size_t limit, size_t others)
{
    size_t best = 1;

    for (size_t d = limit < n ? limit : n; d > 1; d--) {
        if (n % d)
            continue;
        if (d * others % ISA_WARP == 0)
            return d;
        if (best == 1)
            best = d;
    }
    return best;
}

static size_t fill_group(range *r, size_t most)
{
    const config *cfg = r->queue->device->is->cfg;
    const uint64_t limits[3] = {cfg->gpu.max.cta_x, cfg->gpu.max.cta_y,
                                cfg->gpu.max.cta_z};
    size_t all = 1;

    for (unsigned i = 0; i < 3; i++) {
        size_t limit = most / all < limits[i] ? most / all : limits[i];

        r->local[i] = divisor(r->global[i], limit, all);
        all *= r->local[i];
    }
    return all;
}

/* 256 work-items are enough to fill an SM with several groups and suit most
 * kernels [guess] (docs/deviations.md); more only if that gives less than a
 * warp. */
static void choose_group(range *r)
{
    enum { USUAL = 256 };
    size_t usual = r->max_group < USUAL ? r->max_group : USUAL;
    size_t hint[3];
    bool fits = kernel_hint(r->kernel, hint) &&
                hint[0] * hint[1] * hint[2] <= r->max_group;

    for (unsigned i = 0; i < 3 && fits; i++)
        fits = r->global[i] % hint[i] == 0;
    if (fits)
        memcpy(r->local, hint, sizeof hint);
    else if (fill_group(r, usual) < ISA_WARP)
        fill_group(r, r->max_group);
}

static cl_int check_group(const range *r)
{
    const config *cfg = r->queue->device->is->cfg;
    const uint64_t limits[3] = {cfg->gpu.max.cta_x, cfg->gpu.max.cta_y,
                                cfg->gpu.max.cta_z};
    uint64_t all = 1;

    for (unsigned i = 0; i < r->dims; i++) {
        if (!r->local[i])
            return ocl_fail(r->function, CL_INVALID_WORK_GROUP_SIZE,
                            "local size %u is 0", i);
        if (r->local[i] > limits[i])
            return ocl_fail(r->function, CL_INVALID_WORK_ITEM_SIZE,
                            "local size %u is %zu, but at most %llu are "
                            "possible",
                            i, r->local[i], (unsigned long long)limits[i]);
        all *= r->local[i];
    }
    if (all > r->max_group)
        return ocl_fail(r->function, CL_INVALID_WORK_GROUP_SIZE,
                        "a work-group has %llu work-items, but kernel '%s' "
                        "allows %u",
                        (unsigned long long)all, r->kernel->name, r->max_group);
    for (unsigned i = 0; i < r->dims; i++)
        if (r->global[i] % r->local[i] && !r->parts)
            return ocl_fail(r->function, CL_INVALID_WORK_GROUP_SIZE,
                            "global size %u is %zu, no multiple of the local "
                            "size %zu, which programs of OpenCL C 1.2 need",
                            i, r->global[i], r->local[i]);
    return CL_SUCCESS;
}

static cl_int settle_group(range *r, const size_t *local)
{
    size_t required[3];
    bool fixed = kernel_required(r->kernel, required);

    if (local)
        memcpy(r->local, local, r->dims * sizeof *local);
    else if (fixed)
        memcpy(r->local, required, sizeof required);
    else
        choose_group(r);
    if (fixed && memcmp(r->local, required, sizeof required))
        return ocl_fail(r->function, CL_INVALID_WORK_GROUP_SIZE,
                        "the local size is %zux%zux%zu, but kernel '%s' "
                        "requires %zux%zux%zu",
                        r->local[0], r->local[1], r->local[2], r->kernel->name,
                        required[0], required[1], required[2]);
    return check_group(r);
}

/* ---- Checks ---- */

/* Programs of OpenCL C 2.0 and later may have smaller groups at the end. */
static bool allows_parts(const ocl_build *b)
{
    const char *std = b->options ? strstr(b->options, "-cl-std=CL") : NULL;

    if (b->options && strstr(b->options, "-cl-uniform-work-group-size"))
        return false;
    return std && (std[10] == '2' || std[10] == '3' || std[10] == 'C');
}

static cl_int check_args(const range *r)
{
    const struct _cl_kernel *k = r->kernel;

    for (unsigned i = 0; i < k->arg_count; i++) {
        const ocl_arg *a = &k->args[i];

        if (!a->set)
            return ocl_fail(r->function, CL_INVALID_KERNEL_ARGS,
                            "argument %u of kernel '%s' is not set", i,
                            k->name);
        if ((a->mem && !object_is(a->mem, OCL_MEM)) ||
            (a->sampler && !object_is(a->sampler, OCL_SAMPLER)))
            return ocl_fail(r->function, CL_INVALID_KERNEL_ARGS,
                            "argument %u of kernel '%s' has been released", i,
                            k->name);
    }
    return CL_SUCCESS;
}

static cl_int check_kernel(range *r)
{
    cl_kernel k = r->kernel;

    if (!object_is(k, OCL_KERNEL))
        return ocl_fail(r->function, CL_INVALID_KERNEL, "%p is no kernel",
                        (void *)k);
    if (k->context != r->queue->context)
        return ocl_fail(r->function, CL_INVALID_CONTEXT,
                        "kernel '%s' and the queue are of different contexts",
                        k->name);
    r->code = kernel_code(k, r->queue->device, &r->module);
    if (!r->code)
        return ocl_fail(r->function, CL_INVALID_PROGRAM_EXECUTABLE,
                        "kernel '%s' is not built for device '%s'", k->name,
                        r->queue->device->is->name);
    cl_int code = check_args(r);
    if (code != CL_SUCCESS)
        return code;
    r->parts = allows_parts(program_build_for(k->program, r->queue->device));
    r->max_group = kernel_max_threads(r->code, r->queue->device);
    uint64_t bytes = kernel_local_bytes(k, r->code, NULL);
    if (bytes > r->queue->device->is->cfg->sm.shared_per_cta)
        return ocl_fail(
            r->function, CL_OUT_OF_RESOURCES,
            "kernel '%s' needs %llu bytes of local memory; there "
            "are %llu",
            k->name, (unsigned long long)bytes,
            (unsigned long long)r->queue->device->is->cfg->sm.shared_per_cta);
    return CL_SUCCESS;
}

static cl_int check_sizes(range *r, const size_t *offset, const size_t *global)
{
    if (r->dims < 1 || r->dims > 3)
        return ocl_fail(r->function, CL_INVALID_WORK_DIMENSION,
                        "there are 1 to 3 dimensions, not %u", r->dims);
    for (unsigned i = 0; i < 3; i++) {
        r->offset[i] = offset && i < r->dims ? offset[i] : 0;
        r->global[i] = i >= r->dims ? 1 : global ? global[i] : 0;
        r->local[i] = 1;
        if (r->global[i] > UINT32_MAX)
            return ocl_fail(r->function, CL_INVALID_GLOBAL_WORK_SIZE,
                            "global size %u is %zu, but sizes of work have 32 "
                            "bits",
                            i, r->global[i]);
        if (r->offset[i] > UINT32_MAX - r->global[i])
            return ocl_fail(r->function, CL_INVALID_GLOBAL_OFFSET,
                            "offset %zu and size %zu exceed 32 bits",
                            r->offset[i], r->global[i]);
    }
    return CL_SUCCESS;
}

/* ---- Parameters ---- */

static uint64_t object_value(const ocl_arg *a)
{
    if (a->sampler)
        return a->sampler->number;
    if (!a->mem)
        return 0;
    return a->mem->image ? tex_handle(a->mem->image, 0) : a->mem->addr;
}

static uint8_t *make_params(const range *r, uint64_t *shared)
{
    const struct _cl_kernel *k = r->kernel;
    uint8_t *params = alloc_try_zeroed(1, r->code->param_bytes + 1);
    uint32_t *at = alloc_try_zeroed(k->arg_count + 1, sizeof *at);

    if (!params || !at) {
        free(params);
        free(at);
        return NULL;
    }
    *shared = kernel_local_bytes(k, r->code, at) - r->code->shared_bytes;
    for (unsigned i = 0; i < k->arg_count; i++) {
        const isa_param *p = &r->code->params[i];
        const ocl_arg *a = &k->args[i];
        uint64_t value =
            kernel_param(k, i) == OCL_PARAM_LOCAL ? at[i] : object_value(a);

        if (a->bytes)
            memcpy(params + p->offset, a->bytes, a->size);
        else
            memcpy(params + p->offset, &value,
                   p->size < sizeof value ? p->size : sizeof value);
    }
    free(at);
    return params;
}

/* ---- Enqueueing ---- */

static cl_int enqueue_range(const range *r, cl_command_type type,
                            cl_uint wait_count, const cl_event *waits,
                            cl_event *event)
{
    struct _cl_kernel *k = r->kernel;
    uint64_t shared;

    if (!r->global[0] || !r->global[1] || !r->global[2]) {
        drv_command *c = command_new(sizeof *c, r->queue, type, NULL);

        return c ? command_enqueue(c, wait_count, waits, false, event)
                 : CL_OUT_OF_HOST_MEMORY;
    }
    uint8_t *params = make_params(r, &shared);
    drv_launch *l = params ? launch_new(r->queue, type) : NULL;
    if (!l) {
        free(params);
        return CL_OUT_OF_HOST_MEMORY;
    }
    l->module = r->module;
    l->code = r->code;
    l->work_dim = r->dims;
    for (unsigned i = 0; i < 3; i++) {
        l->block[i] = (uint32_t)r->local[i];
        l->grid[i] = (uint32_t)((r->global[i] + r->local[i] - 1) / r->local[i]);
        l->threads[i] = (uint32_t)r->global[i];
        l->offset[i] = (uint32_t)r->offset[i];
    }
    l->shared_bytes = (uint32_t)shared;
    l->params = params;
    command_use(l, k);
    for (unsigned i = 0; i < k->arg_count; i++) {
        command_use(l, k->args[i].mem);
        command_use(l, k->args[i].sampler);
    }
    return command_enqueue(l, wait_count, waits, false, event);
}

static cl_int run_range(range *r, cl_command_type type, const size_t *offset,
                        const size_t *global, const size_t *local,
                        cl_uint wait_count, const cl_event *waits,
                        cl_event *event)
{
    cl_int code = command_check(r->queue, 0, NULL);

    if (code == CL_SUCCESS)
        code = check_kernel(r);
    if (code == CL_SUCCESS)
        code = check_sizes(r, offset, global);
    if (code == CL_SUCCESS && r->global[0] && r->global[1] && r->global[2])
        code = settle_group(r, local);
    if (code == CL_SUCCESS)
        code = command_check(r->queue, wait_count, waits);
    return code == CL_SUCCESS ? enqueue_range(r, type, wait_count, waits, event)
                              : code;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dims,
                              const size_t *offset, const size_t *global,
                              const size_t *local, cl_uint wait_count,
                              const cl_event *waits, cl_event *event)
{
    range r = {.function = __func__, .queue = q, .kernel = k, .dims = dims};
    OCL_LOCK();

    return run_range(&r, CL_COMMAND_NDRANGE_KERNEL, offset, global, local,
                     wait_count, waits, event);
}

cl_int clEnqueueTask(cl_command_queue q, cl_kernel k, cl_uint wait_count,
                     const cl_event *waits, cl_event *event)
{
    const size_t one = 1;
    range r = {.function = __func__, .queue = q, .kernel = k, .dims = 1};
    OCL_LOCK();

    return run_range(&r, CL_COMMAND_TASK, NULL, &one, &one, wait_count, waits,
                     event);
}
