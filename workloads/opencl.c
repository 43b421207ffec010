/* workloads/opencl.c - see opencl.h. */
#include "opencl.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEVICES = 64,
    PLAIN = 7,  /* options that all programs have */
    KNOB = 256, /* what getopt_long says of the first knob */
};

typedef enum { KERNEL, MEMORY, QUEUE } object_kind;

typedef struct ocl_object {
    object_kind kind;
    void *handle;
    struct ocl_object *next;
} ocl_object;

typedef struct options {
    const char *platform; /* part of its name; NULL: all of them */
    unsigned size, repeat, device, knob[WL_KNOBS];
    uint64_t seed;
    bool list;
} options;

/* ---- Ends ---- */

__attribute__((noreturn, format(printf, 3, 4))) static void
end(const char *name, int status, const char *fmt, ...)
{
    va_list ap;

    printf("%s: %s: ", name, status == OCL_LACKS ? "SKIP" : "FAIL");
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
    exit(status);
}

void ocl_ok(const ocl *o, cl_int err, const char *call)
{
    if (err != CL_SUCCESS)
        end(o->name, OCL_FAIL, "%s: error %d", call, (int)err);
}

static void *memory(const ocl *o, size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);

    if (!p)
        end(o->name, OCL_FAIL, "out of memory");
    return p;
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

static void need_extension(const ocl *o, const char *extension)
{
    size_t bytes = 0;

    ocl_ok(o, clGetDeviceInfo(o->device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes),
           "clGetDeviceInfo");
    char *all = memory(o, bytes + 1);

    ocl_ok(o,
           clGetDeviceInfo(o->device, CL_DEVICE_EXTENSIONS, bytes, all, NULL),
           "clGetDeviceInfo");
    if (!has_word(all, extension))
        end(o->name, OCL_LACKS, "the device has no %s", extension);
    free(all);
}

static void need_images(const ocl *o)
{
    cl_bool has = CL_FALSE;

    ocl_ok(o,
           clGetDeviceInfo(o->device, CL_DEVICE_IMAGE_SUPPORT, sizeof has, &has,
                           NULL),
           "clGetDeviceInfo");
    if (!has)
        end(o->name, OCL_LACKS, "the device has no images");
}

void ocl_need_local(const ocl *o, size_t bytes)
{
    cl_ulong has = 0;

    ocl_ok(o,
           clGetDeviceInfo(o->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof has,
                           &has, NULL),
           "clGetDeviceInfo");
    if (has < bytes)
        end(o->name, OCL_LACKS, "%zu bytes of local memory, the device has %zu",
            bytes, (size_t)has);
}

/* ---- Objects ---- */

static void own(ocl *o, object_kind kind, void *handle)
{
    ocl_object *x = memory(o, sizeof *x);

    *x = (ocl_object){kind, handle, o->objects};
    o->objects = x;
}

static void release_all(ocl *o)
{
    while (o->objects) {
        ocl_object *x = o->objects;

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

cl_kernel ocl_kernel(ocl *o, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(o->program, name, &err);

    ocl_ok(o, err, "clCreateKernel");
    own(o, KERNEL, k);
    return k;
}

static const wl_buffer *find(const ocl *o, const char *name)
{
    const wl_buffer *b = wl_find(o->data, name);

    if (!b)
        end(o->name, OCL_FAIL, "the problem has no '%s'", name);
    return b;
}

cl_mem ocl_buffer(ocl *o, const char *name)
{
    const wl_buffer *b = find(o, name);
    size_t bytes = b->count * 4;
    const cl_uint zero = 0;
    cl_int err;
    cl_mem m =
        b->input
            ? clCreateBuffer(o->context,
                             CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                             b->input, &err)
            : clCreateBuffer(o->context, CL_MEM_READ_WRITE, bytes, NULL, &err);

    ocl_ok(o, err, "clCreateBuffer");
    own(o, MEMORY, m);
    if (!b->input)
        ocl_ok(o,
               clEnqueueFillBuffer(o->queue, m, &zero, sizeof zero, 0, bytes, 0,
                                   NULL, NULL),
               "clEnqueueFillBuffer");
    return m;
}

cl_mem ocl_scratch(ocl *o, size_t bytes)
{
    cl_int err;
    cl_mem m = clCreateBuffer(o->context, CL_MEM_READ_WRITE, bytes, NULL, &err);

    ocl_ok(o, err, "clCreateBuffer");
    own(o, MEMORY, m);
    return m;
}

cl_mem ocl_image(ocl *o, const char *name)
{
    static const cl_image_format format = {CL_R, CL_FLOAT};
    const wl_buffer *b = find(o, name);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = b->width,
                                .image_height = b->height};
    cl_mem_flags flags = CL_MEM_READ_WRITE;
    cl_int err;

    if (b->input)
        flags |= CL_MEM_COPY_HOST_PTR;
    cl_mem m = clCreateImage(o->context, flags, &format, &desc, b->input, &err);

    ocl_ok(o, err, "clCreateImage");
    own(o, MEMORY, m);
    return m;
}

cl_command_queue ocl_queue(ocl *o, cl_command_queue_properties how)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(o->context, o->device, how, &err);

    if (err == CL_INVALID_QUEUE_PROPERTIES)
        end(o->name, OCL_LACKS, "the device has no such queue");
    ocl_ok(o, err, "clCreateCommandQueue");
    own(o, QUEUE, q);
    return q;
}

/* ---- Work ---- */

void ocl_args(ocl *o, cl_kernel k, const char *types, ...)
{
    va_list ap;
    cl_int err = CL_INVALID_VALUE;

    va_start(ap, types);
    for (cl_uint i = 0; types[i]; i++) {
        switch (types[i]) {
        case 'm': {
            cl_mem m = va_arg(ap, cl_mem);
            err = clSetKernelArg(k, i, sizeof m, &m);
            break;
        }
        case 'u': {
            cl_uint u = va_arg(ap, cl_uint);
            err = clSetKernelArg(k, i, sizeof u, &u);
            break;
        }
        case 'f': {
            float f = (float)va_arg(ap, double);
            err = clSetKernelArg(k, i, sizeof f, &f);
            break;
        }
        case 's': {
            cl_sampler s = va_arg(ap, cl_sampler);
            err = clSetKernelArg(k, i, sizeof s, &s);
            break;
        }
        case 'l':
            err = clSetKernelArg(k, i, va_arg(ap, size_t), NULL);
            break;
        default:
            err = CL_INVALID_VALUE;
        }
        ocl_ok(o, err, "clSetKernelArg");
    }
    va_end(ap);
}

/* 77 where the device cannot have groups of that size for this kernel. */
static void need_group(const ocl *o, cl_kernel k, size_t items)
{
    size_t most = 0;

    ocl_ok(o,
           clGetKernelWorkGroupInfo(k, o->device, CL_KERNEL_WORK_GROUP_SIZE,
                                    sizeof most, &most, NULL),
           "clGetKernelWorkGroupInfo");
    if (items > most)
        end(o->name, OCL_LACKS, "groups of %zu, the device has %zu at most",
            items, most);
}

static void enqueue(ocl *o, cl_kernel k, cl_uint dims, const size_t *global,
                    const size_t *local)
{
    size_t all[2], items = 1;

    for (cl_uint d = 0; d < dims; d++) {
        all[d] = (global[d] + local[d] - 1) / local[d] * local[d];
        items *= local[d];
    }
    need_group(o, k, items);
    ocl_ok(o,
           clEnqueueNDRangeKernel(o->queue, k, dims, NULL, all, local, 0, NULL,
                                  NULL),
           "clEnqueueNDRangeKernel");
}

void ocl_run(ocl *o, cl_kernel k, size_t global, size_t local)
{
    enqueue(o, k, 1, &global, &local);
}

void ocl_run2(ocl *o, cl_kernel k, const size_t global[2],
              const size_t local[2])
{
    enqueue(o, k, 2, global, local);
}

void ocl_finish(ocl *o) { ocl_ok(o, clFinish(o->queue), "clFinish"); }

void ocl_read(ocl *o, cl_mem m, void *to, size_t bytes)
{
    ocl_ok(
        o,
        clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
        "clEnqueueReadBuffer");
}

/* ---- Comparing ---- */

/* Absolutely or relatively; NaN differs from everything. */
static bool near(double got, double want, double tolerance)
{
    double d = fabs(got - want);

    return d <= tolerance || d <= tolerance * fabs(want);
}

static double item(wl_type type, const void *at, size_t i)
{
    return type == WL_F32 ? (double)((const float *)at)[i]
                          : (double)((const uint32_t *)at)[i];
}

void ocl_compare(ocl *o, const char *name, const void *got)
{
    const wl_buffer *b = find(o, name);
    size_t wrong = 0, first = 0;

    if (!b->expect)
        end(o->name, OCL_FAIL, "nothing is expected of '%s'", name);
    for (size_t i = 0; i < b->count; i++)
        if (!near(item(b->type, got, i), item(b->type, b->expect, i),
                  b->tolerance) &&
            !wrong++)
            first = i;
    o->checked += b->count;
    if (!wrong)
        return;
    printf("%s: FAIL: %s[%zu] is %.9g, not %.9g (%zu of %zu differ)\n", o->name,
           name, first, item(b->type, got, first),
           item(b->type, b->expect, first), wrong, b->count);
    o->failed = true;
}

void ocl_check(ocl *o, const char *name, cl_mem m)
{
    size_t bytes = find(o, name)->count * 4;
    void *got = memory(o, bytes);

    ocl_read(o, m, got, bytes);
    ocl_compare(o, name, got);
    free(got);
}

void ocl_check_image(ocl *o, const char *name, cl_mem m)
{
    const wl_buffer *b = find(o, name);
    const size_t origin[3] = {0}, region[3] = {b->width, b->height, 1};
    void *got = memory(o, b->count * 4);

    ocl_ok(o,
           clEnqueueReadImage(o->queue, m, CL_TRUE, origin, region, 0, 0, got,
                              0, NULL, NULL),
           "clEnqueueReadImage");
    ocl_compare(o, name, got);
    free(got);
}

/* ---- Launches that the problem says ---- */

enum { PROBLEM_BUFFERS = 32 };

typedef struct problem_buffers {
    const wl_buffer *is[PROBLEM_BUFFERS];
    cl_mem m[PROBLEM_BUFFERS];
    unsigned count;
} problem_buffers;

static void set_word(ocl *o, cl_kernel k, cl_uint at, const char *word,
                     const problem_buffers *b)
{
    cl_uint number = (cl_uint)strtoul(word, NULL, 10);

    for (unsigned i = 0; i < b->count; i++)
        if (!strcmp(b->is[i]->name, word)) {
            ocl_ok(o, clSetKernelArg(k, at, sizeof b->m[i], &b->m[i]),
                   "clSetKernelArg");
            return;
        }
    ocl_ok(o, clSetKernelArg(k, at, sizeof number, &number), "clSetKernelArg");
}

/* `words` are buffers and numbers: "a, b, 1024". */
static void set_words(ocl *o, cl_kernel k, const char *words,
                      const problem_buffers *b)
{
    char word[64];

    for (cl_uint at = 0; *words; at++) {
        size_t n = strcspn(words, ",");

        snprintf(word, sizeof word, "%.*s", (int)n, words);
        set_word(o, k, at, word, b);
        words += n;
        words += strspn(words, ", ");
    }
}

/* Behind the one before it in its stream, whose event is in *last. */
static void enqueue_launch(ocl *o, cl_command_queue q, const wl_launched *l,
                           const problem_buffers *b, cl_event *last)
{
    const size_t local[3] = {l->cta.x, l->cta.y, l->cta.z};
    const size_t global[3] = {(size_t)l->grid.x * local[0],
                              (size_t)l->grid.y * local[1],
                              (size_t)l->grid.z * local[2]};
    cl_kernel k = ocl_kernel(o, l->kernel);
    cl_event before = *last;

    need_group(o, k, local[0] * local[1] * local[2]);
    set_words(o, k, l->args, b);
    ocl_ok(o,
           clEnqueueNDRangeKernel(q, k, 3, NULL, global, local, before ? 1 : 0,
                                  before ? &before : NULL, last),
           "clEnqueueNDRangeKernel");
    if (before)
        ocl_ok(o, clReleaseEvent(before), "clReleaseEvent");
}

void ocl_run_problem(ocl *o)
{
    cl_command_queue q = ocl_queue(o, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    problem_buffers b = {.count = 0};
    unsigned count, streams = 0;
    const wl_launched *l = wl_launches(o->data, &count);

    for (; (b.is[b.count] = wl_nth(o->data, b.count)); b.count++)
        b.m[b.count] = ocl_buffer(o, b.is[b.count]->name);
    ocl_finish(o); /* the buffers are filled */
    for (unsigned i = 0; i < count; i++)
        streams = l[i].stream >= streams ? l[i].stream + 1 : streams;
    cl_event *last = memory(o, streams * sizeof(cl_event));

    for (unsigned i = 0; i < count; i++)
        enqueue_launch(o, q, &l[i], &b, &last[l[i].stream]);
    ocl_ok(o, clFinish(q), "clFinish");
    for (unsigned i = 0; i < streams; i++)
        if (last[i])
            ocl_ok(o, clReleaseEvent(last[i]), "clReleaseEvent");
    free(last);
    for (unsigned i = 0; i < b.count; i++)
        if (b.is[i]->expect)
            ocl_check(o, b.is[i]->name, b.m[i]);
}

/* ---- The device and its program ---- */

static void platform_name(const ocl *o, cl_platform_id p, char name[256])
{
    memset(name, 0, 256);
    ocl_ok(o, clGetPlatformInfo(p, CL_PLATFORM_NAME, 255, name, NULL),
           "clGetPlatformInfo");
}

/* Ends the program, which was asked for one that is not there. */
static void no_platform(const ocl *o, const char *wanted,
                        const cl_platform_id *all, cl_uint n)
{
    char name[256];

    fprintf(stderr, "%s: no OpenCL platform '%s'; there are:", o->name, wanted);
    for (cl_uint i = 0; i < n; i++) {
        platform_name(o, all[i], name);
        fprintf(stderr, "%s %s", i ? "," : "", name);
    }
    fprintf(stderr, "%s\n", n ? "" : " none");
    exit(OCL_USAGE);
}

/* All devices of the platforms whose name has `wanted` in it, in capitals or
 * not; NULL: of all. The number of them. */
static cl_uint find_devices(const ocl *o, const char *wanted,
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
        end(o->name, OCL_LACKS, "no OpenCL platform");
    if (!found)
        end(o->name, OCL_LACKS, "no OpenCL device");
    return found;
}

static void list_devices(const ocl *o, const char *wanted)
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

static void build(ocl *o, const char *source)
{
    cl_int err;
    char *log;
    size_t bytes = 0;

    o->program = clCreateProgramWithSource(o->context, 1, &source, NULL, &err);
    ocl_ok(o, err, "clCreateProgramWithSource");
    err = clBuildProgram(o->program, 1, &o->device, "", NULL, NULL);
    if (err == CL_SUCCESS)
        return;
    clGetProgramBuildInfo(o->program, o->device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                          &bytes);
    log = memory(o, bytes + 1);
    clGetProgramBuildInfo(o->program, o->device, CL_PROGRAM_BUILD_LOG, bytes,
                          log, NULL);
    end(o->name, OCL_FAIL, "clBuildProgram: error %d\n%s", (int)err, log);
}

static void open_device(ocl *o, const options *opt, const ocl_program *p)
{
    cl_device_id devices[DEVICES];
    cl_uint n = find_devices(o, opt->platform, devices);
    cl_int err;

    if (opt->device >= n)
        end(o->name, OCL_LACKS, "no device %u; there are %u", opt->device, n);
    o->device = devices[opt->device];
    if (p->images)
        need_images(o);
    for (size_t i = 0; i < sizeof p->extensions / sizeof *p->extensions; i++)
        if (p->extensions[i])
            need_extension(o, p->extensions[i]);
    o->context = clCreateContext(NULL, 1, &o->device, NULL, NULL, &err);
    ocl_ok(o, err, "clCreateContext");
    o->queue = clCreateCommandQueue(o->context, o->device, 0, &err);
    ocl_ok(o, err, "clCreateCommandQueue");
    build(o, p->source);
}

static void close_device(ocl *o)
{
    ocl_ok(o, clReleaseProgram(o->program), "clReleaseProgram");
    ocl_ok(o, clReleaseCommandQueue(o->queue), "clReleaseCommandQueue");
    ocl_ok(o, clReleaseContext(o->context), "clReleaseContext");
}

/* ---- Options ---- */

static void print_usage(const ocl_program *p, FILE *to)
{
    fprintf(to,
            "usage: %s [--size SIZE] [--seed S] [--repeat N] [--device N] "
            "[--platform P]\n"
            "\n"
            "%s, on an OpenCL device, compared with the CPU.\n"
            "\n"
            "  --size SIZE   small (%u), medium (%u), large (%u) or a number "
            "of %s\n"
            "  --seed S      seed of the inputs (1)\n"
            "  --repeat N    do it N times, each with the next seed (1)\n"
            "  --device N    device, counted over all platforms (0)\n"
            "  --platform P  only platforms with P in their name, such as "
            "heddle\n"
            "  --list        print the devices\n",
            p->problem->name, p->problem->about, p->sizes[0], p->sizes[1],
            p->sizes[2], p->problem->unit);
    for (unsigned i = 0; i < WL_KNOBS && p->knobs && p->knobs[i].name; i++)
        wl_knob_usage(&p->knobs[i], to);
    fprintf(to, "\nExit status: 0 right, 1 wrong, 2 bad option, 77 the device "
                "lacks something.\n");
}

static bool number(const char *text, uint64_t most, uint64_t *out)
{
    char *stop;

    *out = strtoull(text, &stop, 10);
    return *text >= '0' && *text <= '9' && !*stop && *out <= most;
}

static bool read_size(const ocl_program *p, const char *text, unsigned *out)
{
    uint64_t v;

    if (!strcmp(text, "small"))
        v = p->sizes[0];
    else if (!strcmp(text, "medium"))
        v = p->sizes[1];
    else if (!strcmp(text, "large"))
        v = p->sizes[2];
    else if (!number(text, 1u << 28, &v) || !v)
        return false;
    *out = (unsigned)v;
    return true;
}

static bool read_option(const ocl_program *p, int c, const char *arg,
                        options *to)
{
    uint64_t v = 0;

    if (c >= KNOB)
        return wl_knob_read(&p->knobs[c - KNOB], arg, &to->knob[c - KNOB]);
    switch (c) {
    case 'n':
        return read_size(p, arg, &to->size);
    case 's':
        return number(arg, UINT64_MAX, &to->seed);
    case 'r':
        if (!number(arg, 1000000, &v) || !v)
            return false;
        to->repeat = (unsigned)v;
        return true;
    case 'd':
        if (!number(arg, DEVICES - 1, &v))
            return false;
        to->device = (unsigned)v;
        return true;
    case 'p':
        to->platform = arg;
        return *arg;
    default:
        to->list = true;
        return true;
    }
}

/* -1: go on; otherwise the exit status. */
static int read_options(const ocl_program *p, int argc, char **argv,
                        options *to)
{
    struct option names[PLAIN + WL_KNOBS + 1] = {
        {"size", 1, 0, 'n'},    {"seed", 1, 0, 's'}, {"repeat", 1, 0, 'r'},
        {"device", 1, 0, 'd'},  {"list", 0, 0, 'l'}, {"help", 0, 0, 'h'},
        {"platform", 1, 0, 'p'}};
    int c;

    *to = (options){.size = p->sizes[0], .repeat = 1, .seed = 1};
    for (int i = 0; i < WL_KNOBS && p->knobs && p->knobs[i].name; i++) {
        const wl_knob *k = &p->knobs[i];

        names[PLAIN + i] = (struct option){k->name, 1, 0, KNOB + i};
        to->knob[i] = k->is;
    }
    while ((c = getopt_long(argc, argv, "h", names, NULL)) != -1) {
        if (c == 'h') {
            print_usage(p, stdout);
            return OCL_PASS;
        }
        if (c == '?')
            return OCL_USAGE;
        if (!read_option(p, c, optarg, to)) {
            fprintf(stderr, "%s: not usable: '%s'\n", argv[0], optarg);
            return OCL_USAGE;
        }
    }
    if (optind == argc)
        return -1;
    print_usage(p, stderr);
    return OCL_USAGE;
}

/* What the knobs say; `units` 0: the compute units of the device. */
static void set_knobs(ocl *o, const wl_knob *knobs, const options *opt)
{
    for (unsigned k = 0; k < WL_KNOBS && knobs && knobs[k].name; k++) {
        cl_uint v = opt->knob[k];

        if (!v && !strcmp(knobs[k].name, "units"))
            ocl_ok(o,
                   clGetDeviceInfo(o->device, CL_DEVICE_MAX_COMPUTE_UNITS,
                                   sizeof v, &v, NULL),
                   "clGetDeviceInfo");
        wl_set(o->data, knobs[k].name, v);
    }
}

/* Does a knob take its value from the device? */
static bool asks_device(const ocl_program *p, const options *opt)
{
    for (unsigned k = 0; k < WL_KNOBS && p->knobs && p->knobs[k].name; k++)
        if (!opt->knob[k] && !strcmp(p->knobs[k].name, "units"))
            return true;
    return false;
}

static void make_data(ocl *o, const ocl_program *p, const options *opt,
                      unsigned repetition)
{
    o->data = wl_new(o->name, o->size, opt->seed + repetition);
    set_knobs(o, p->knobs, opt);
    p->problem->gen(o->data, o->size);
}

int ocl_main(const ocl_program *p, int argc, char **argv)
{
    ocl o = {.name = p->problem->name};
    options opt;
    int status = read_options(p, argc, argv, &opt);

    if (status >= 0)
        return status;
    if (opt.list) {
        list_devices(&o, opt.platform);
        return OCL_PASS;
    }
    o.size = opt.size;
    if (!asks_device(p, &opt)) /* what cannot be ends it on any host */
        make_data(&o, p, &opt, 0);
    open_device(&o, &opt, p);
    for (unsigned i = 0; i < opt.repeat && !o.failed; i++) {
        if (!o.data)
            make_data(&o, p, &opt, i);
        p->run(&o);
        release_all(&o);
        wl_free(o.data);
        o.data = NULL;
    }
    close_device(&o);
    if (!o.failed)
        printf("%s: PASS: %u %s, %zu values as expected\n", o.name, o.size,
               p->problem->unit, o.checked);
    return o.failed ? OCL_FAIL : OCL_PASS;
}
