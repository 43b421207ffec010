/* workloads/opencl.c - the rig (rig_api.h) of OpenCL 1.2; plain, it knows
 * nothing of any implementation. */
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig_api.h"

enum { DEVICES = 64 };

typedef enum { KERNEL, MEMORY, QUEUE } object_kind;

typedef struct rig_object {
    object_kind kind;
    void *handle;
    struct rig_object *next;
} rig_object;

extern const char rig_source[]; /* of the program's kernels */

const char rig_api_name[] = "OpenCL";
const bool rig_api_platforms = true;

/* ---- Ends ---- */

void ocl_ok(const rig *o, cl_int err, const char *call)
{
    if (err != CL_SUCCESS)
        rig_end(o->name, RIG_FAIL, "%s: error %d", call, (int)err);
}

/* Is `word` one of the words of `all`? */
static bool has_word(const char *all, const char *word)
{
    size_t n = strlen(word);

    for (; *all; all += strcspn(all, " "), all += *all == ' ')
        if (strcspn(all, " ") == n && !memcmp(all, word, n))
            return true;
    return false;
}

static void need_extension(const rig *o, const char *extension)
{
    size_t bytes = 0;

    ocl_ok(
        o,
        clGetDeviceInfo(o->device->id, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes),
        "clGetDeviceInfo");
    char *all = rig_alloc(o, bytes + 1);

    ocl_ok(
        o,
        clGetDeviceInfo(o->device->id, CL_DEVICE_EXTENSIONS, bytes, all, NULL),
        "clGetDeviceInfo");
    if (!has_word(all, extension))
        rig_end(o->name, RIG_LACKS, "the device has no %s", extension);
    free(all);
}

static void need_images(const rig *o)
{
    cl_bool has = CL_FALSE;

    ocl_ok(o,
           clGetDeviceInfo(o->device->id, CL_DEVICE_IMAGE_SUPPORT, sizeof has,
                           &has, NULL),
           "clGetDeviceInfo");
    if (!has)
        rig_end(o->name, RIG_LACKS, "the device has no images");
}

size_t rig_api_local(const rig *o)
{
    cl_ulong has = 0;

    ocl_ok(o,
           clGetDeviceInfo(o->device->id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof has,
                           &has, NULL),
           "clGetDeviceInfo");
    return has;
}

unsigned rig_api_units(rig *o)
{
    cl_uint v = 0;

    ocl_ok(o,
           clGetDeviceInfo(o->device->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof v,
                           &v, NULL),
           "clGetDeviceInfo");
    return v;
}

/* ---- Objects ---- */

static void own(rig *o, object_kind kind, void *handle)
{
    rig_object *x = rig_alloc(o, sizeof *x);

    *x = (rig_object){kind, handle, o->objects};
    o->objects = x;
}

void rig_api_release(rig *o)
{
    while (o->objects) {
        rig_object *x = o->objects;

        switch (x->kind) {
        case KERNEL:
            ocl_ok(o, clReleaseKernel(x->handle), "clReleaseKernel");
            break;
        case MEMORY:
            ocl_ok(o, clReleaseMemObject(x->handle), "clReleaseMemObject");
            break;
        case QUEUE:
            ocl_ok(o, clReleaseCommandQueue(x->handle),
                   "clReleaseCommandQueue");
        }
        o->objects = x->next;
        free(x);
    }
}

dev_kernel rig_kernel(rig *o, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(o->device->program, name, &err);

    ocl_ok(o, err, "clCreateKernel");
    own(o, KERNEL, k);
    return (dev_kernel)k;
}

dev_memory rig_buffer(rig *o, const char *name)
{
    const wl_buffer *b = rig_find(o, name);
    size_t bytes = b->count * 4;
    const cl_uint zero = 0;
    cl_int err;
    cl_mem m = b->input
                   ? clCreateBuffer(o->device->context,
                                    CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                    bytes, b->input, &err)
                   : clCreateBuffer(o->device->context, CL_MEM_READ_WRITE,
                                    bytes, NULL, &err);

    ocl_ok(o, err, "clCreateBuffer");
    own(o, MEMORY, m);
    if (!b->input)
        ocl_ok(o,
               clEnqueueFillBuffer(o->device->queue, m, &zero, sizeof zero, 0,
                                   bytes, 0, NULL, NULL),
               "clEnqueueFillBuffer");
    return (dev_memory)m;
}

dev_memory rig_scratch(rig *o, size_t bytes)
{
    cl_int err;
    cl_mem m = clCreateBuffer(o->device->context, CL_MEM_READ_WRITE, bytes,
                              NULL, &err);

    ocl_ok(o, err, "clCreateBuffer");
    own(o, MEMORY, m);
    return (dev_memory)m;
}

dev_memory rig_image(rig *o, const char *name)
{
    static const cl_image_format format = {CL_R, CL_FLOAT};
    const wl_buffer *b = rig_find(o, name);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = b->width,
                                .image_height = b->height};
    cl_mem_flags flags = CL_MEM_READ_WRITE;
    cl_int err;

    if (b->input)
        flags |= CL_MEM_COPY_HOST_PTR;
    cl_mem m = clCreateImage(o->device->context, flags, &format, &desc,
                             b->input, &err);

    ocl_ok(o, err, "clCreateImage");
    own(o, MEMORY, m);
    return (dev_memory)m;
}

cl_command_queue ocl_queue(rig *o, cl_command_queue_properties how)
{
    cl_int err;
    cl_command_queue q =
        clCreateCommandQueue(o->device->context, o->device->id, how, &err);

    if (err == CL_INVALID_QUEUE_PROPERTIES)
        rig_end(o->name, RIG_LACKS, "the device has no such queue");
    ocl_ok(o, err, "clCreateCommandQueue");
    own(o, QUEUE, q);
    return q;
}

/* ---- Arguments ---- */

void rig_api_arg_value(rig *o, dev_kernel k, unsigned at, const void *value,
                       size_t bytes)
{
    ocl_ok(o, clSetKernelArg(ocl_kernel(k), at, bytes, value),
           "clSetKernelArg");
}

void rig_api_arg_local(rig *o, dev_kernel k, unsigned at, size_t bytes)
{
    rig_api_arg_value(o, k, at, NULL, bytes);
}

void rig_api_arg_memory(rig *o, dev_kernel k, unsigned at, dev_memory m)
{
    rig_api_arg_value(o, k, at, &m, sizeof m);
}

void rig_api_arg_read(rig *o, dev_kernel k, unsigned at, dev_memory image)
{
    cl_int err = CL_SUCCESS;

    if (!o->device->sampler)
        o->device->sampler =
            clCreateSampler(o->device->context, CL_FALSE,
                            CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, &err);
    ocl_ok(o, err, "clCreateSampler");
    rig_api_arg_memory(o, k, at, image);
    rig_api_arg_value(o, k, at + 1, &o->device->sampler,
                      sizeof o->device->sampler);
}

void rig_api_arg_write(rig *o, dev_kernel k, unsigned at, dev_memory image)
{
    rig_api_arg_memory(o, k, at, image);
}

/* ---- Work ---- */

/* 77 where the device cannot have groups of that size for this kernel. */
static void need_group(const rig *o, cl_kernel k, size_t items)
{
    size_t most = 0;

    ocl_ok(o,
           clGetKernelWorkGroupInfo(k, o->device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                    sizeof most, &most, NULL),
           "clGetKernelWorkGroupInfo");
    if (items > most)
        rig_end(o->name, RIG_LACKS, "groups of %zu, the device has %zu at most",
                items, most);
}

static void enqueue(rig *o, dev_kernel k, cl_uint dims, const size_t *global,
                    const size_t *local)
{
    size_t all[2], items = 1;

    for (cl_uint d = 0; d < dims; d++) {
        all[d] = (global[d] + local[d] - 1) / local[d] * local[d];
        items *= local[d];
    }
    need_group(o, ocl_kernel(k), items);
    ocl_ok(o,
           clEnqueueNDRangeKernel(o->device->queue, ocl_kernel(k), dims, NULL,
                                  all, local, 0, NULL, NULL),
           "clEnqueueNDRangeKernel");
}

void rig_run(rig *o, dev_kernel k, size_t global, size_t local)
{
    enqueue(o, k, 1, &global, &local);
}

void rig_run2(rig *o, dev_kernel k, const size_t global[2],
              const size_t local[2])
{
    enqueue(o, k, 2, global, local);
}

void ocl_finish(rig *o) { ocl_ok(o, clFinish(o->device->queue), "clFinish"); }

void rig_read(rig *o, dev_memory m, void *to, size_t bytes)
{
    ocl_ok(o,
           clEnqueueReadBuffer(o->device->queue, ocl_memory(m), CL_TRUE, 0,
                               bytes, to, 0, NULL, NULL),
           "clEnqueueReadBuffer");
}

void rig_api_read_image(rig *o, dev_memory m, unsigned width, unsigned height,
                        void *to)
{
    const size_t origin[3] = {0}, region[3] = {width, height, 1};

    ocl_ok(o,
           clEnqueueReadImage(o->device->queue, ocl_memory(m), CL_TRUE, origin,
                              region, 0, 0, to, 0, NULL, NULL),
           "clEnqueueReadImage");
}

/* Behind the one before it in its stream, whose event is in *last. */
static void enqueue_launch(rig *o, cl_command_queue q, const wl_launched *l,
                           const rig_buffers *b, cl_event *last)
{
    const size_t local[3] = {l->cta.x, l->cta.y, l->cta.z};
    const size_t global[3] = {(size_t)l->grid.x * local[0],
                              (size_t)l->grid.y * local[1],
                              (size_t)l->grid.z * local[2]};
    dev_kernel k = rig_kernel(o, l->kernel);
    cl_event before = *last;

    need_group(o, ocl_kernel(k), local[0] * local[1] * local[2]);
    rig_words(o, k, l->args, b);
    ocl_ok(o,
           clEnqueueNDRangeKernel(q, ocl_kernel(k), 3, NULL, global, local,
                                  before ? 1 : 0, before ? &before : NULL,
                                  last),
           "clEnqueueNDRangeKernel");
    if (before)
        ocl_ok(o, clReleaseEvent(before), "clReleaseEvent");
}

void rig_api_launch_all(rig *o, const wl_launched *l, unsigned count,
                        unsigned streams, const rig_buffers *b)
{
    cl_command_queue q = ocl_queue(o, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event *last = rig_alloc(o, streams * sizeof(cl_event));

    ocl_finish(o); /* the buffers are filled */
    for (unsigned i = 0; i < count; i++)
        enqueue_launch(o, q, &l[i], b, &last[l[i].stream]);
    ocl_ok(o, clFinish(q), "clFinish");
    for (unsigned i = 0; i < streams; i++)
        if (last[i])
            ocl_ok(o, clReleaseEvent(last[i]), "clReleaseEvent");
    free(last);
}

/* ---- The device and its program ---- */

static void platform_name(const rig *o, cl_platform_id p, char name[256])
{
    memset(name, 0, 256);
    ocl_ok(o, clGetPlatformInfo(p, CL_PLATFORM_NAME, 255, name, NULL),
           "clGetPlatformInfo");
}

/* Ends the program, which was asked for one that is not there. */
static void no_platform(const rig *o, const char *wanted,
                        const cl_platform_id *all, cl_uint n)
{
    char name[256];

    fprintf(stderr, "%s: no OpenCL platform '%s'; there are:", o->name, wanted);
    for (cl_uint i = 0; i < n; i++) {
        platform_name(o, all[i], name);
        fprintf(stderr, "%s %s", i ? "," : "", name);
    }
    fprintf(stderr, "%s\n", n ? "" : " none");
    exit(RIG_USAGE);
}

/* All devices of the platforms whose name has `wanted` in it, in capitals or
 * not; NULL: of all. The number of them. */
static cl_uint find_devices(const rig *o, const char *wanted,
                            cl_device_id to[DEVICES])
{
    cl_platform_id platforms[DEVICES];
    cl_uint n = 0, found = 0, fit = 0;
    char name[256];

    if (clGetPlatformIDs(DEVICES, platforms, &n) != CL_SUCCESS)
        n = 0;
    if (n > DEVICES)
        n = DEVICES;
    for (cl_uint i = 0; i < n && found < DEVICES; i++) {
        cl_uint more = 0;

        platform_name(o, platforms[i], name);
        if (wanted && !strcasestr(name, wanted))
            continue;
        fit++;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, DEVICES - found,
                           to + found, &more) == CL_SUCCESS)
            found += more < DEVICES - found ? more : DEVICES - found;
    }
    if (wanted && !fit)
        no_platform(o, wanted, platforms, n);
    if (!n)
        rig_end(o->name, RIG_LACKS, "no OpenCL platform");
    if (!found)
        rig_end(o->name, RIG_LACKS, "no OpenCL device");
    return found;
}

void rig_api_list(rig *o, const char *wanted)
{
    cl_device_id devices[DEVICES];
    cl_uint n = find_devices(o, wanted, devices);

    for (cl_uint i = 0; i < n; i++) {
        char name[256] = "", of[256];
        cl_platform_id platform;

        ocl_ok(o,
               clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name - 1,
                               name, NULL),
               "clGetDeviceInfo");
        ocl_ok(o,
               clGetDeviceInfo(devices[i], CL_DEVICE_PLATFORM, sizeof platform,
                               &platform, NULL),
               "clGetDeviceInfo");
        platform_name(o, platform, of);
        printf("%u  %s, platform %s\n", i, name, of);
    }
}

static void build(rig *o, const char *source)
{
    cl_int err;
    char *log;
    size_t bytes = 0;

    o->device->program =
        clCreateProgramWithSource(o->device->context, 1, &source, NULL, &err);
    ocl_ok(o, err, "clCreateProgramWithSource");
    err = clBuildProgram(o->device->program, 1, &o->device->id, "", NULL, NULL);
    if (err == CL_SUCCESS)
        return;
    clGetProgramBuildInfo(o->device->program, o->device->id,
                          CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    log = rig_alloc(o, bytes + 1);
    clGetProgramBuildInfo(o->device->program, o->device->id,
                          CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    rig_end(o->name, RIG_FAIL, "clBuildProgram: error %d\n%s", (int)err, log);
}

void rig_api_open(rig *o, const rig_program *p, const char *platform,
                  unsigned n)
{
    cl_device_id devices[DEVICES];
    cl_uint count = find_devices(o, platform, devices);
    cl_int err;

    if (n >= count)
        rig_end(o->name, RIG_LACKS, "no device %u; there are %u", n, count);
    o->device = rig_alloc(o, sizeof *o->device);
    o->device->id = devices[n];
    if (p->images)
        need_images(o);
    if (p->doubles)
        need_extension(o, "cl_khr_fp64");
    if (p->atomics64)
        need_extension(o, "cl_khr_int64_base_atomics");
    o->device->context =
        clCreateContext(NULL, 1, &o->device->id, NULL, NULL, &err);
    ocl_ok(o, err, "clCreateContext");
    o->device->queue =
        clCreateCommandQueue(o->device->context, o->device->id, 0, &err);
    ocl_ok(o, err, "clCreateCommandQueue");
    build(o, rig_source);
}

void rig_api_close(rig *o)
{
    if (o->device->sampler)
        ocl_ok(o, clReleaseSampler(o->device->sampler), "clReleaseSampler");
    ocl_ok(o, clReleaseProgram(o->device->program), "clReleaseProgram");
    ocl_ok(o, clReleaseCommandQueue(o->device->queue), "clReleaseCommandQueue");
    ocl_ok(o, clReleaseContext(o->device->context), "clReleaseContext");
    free(o->device);
}
