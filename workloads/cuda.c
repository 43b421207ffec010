/* workloads/cuda.c - the rig (rig_api.h) of the CUDA runtime; plain, it knows
 * nothing of any implementation. Kernels are linked to the program and found in
 * its list, which the compile script writes. */
#include "cuda_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig_api.h"

enum { ARGUMENTS = 16 };

typedef struct rig_device {
    int number;
} rig_device;

struct dev_memory {
    void *at;    /* the buffer */
    void *array; /* or the image, with what reads and what writes it */
    unsigned long long texture, surface;
};

struct dev_kernel {
    const char *name;
    const void *stub;
    unsigned count;
    size_t shared; /* bytes that are given at the launch */
    unsigned long long value[ARGUMENTS];
};

typedef struct rig_object {
    dev_kernel kernel; /* or */
    dev_memory memory;
    struct rig_object *next;
} rig_object;

/* The program's kernels, up to one without a name. */
typedef struct rig_kernel_name {
    const char *name;
    const void *stub;
} rig_kernel_name;
extern const rig_kernel_name rig_kernel_names[];

const char rig_api_name[] = "CUDA";
const bool rig_api_platforms = false;

static void ok(const rig *o, int err, const char *call)
{
    if (err)
        rig_end(o->name, RIG_FAIL, "%s: %s", call, cudaGetErrorString(err));
}

static int attribute(const rig *o, int what)
{
    int v = 0;

    ok(o, cudaDeviceGetAttribute(&v, what, o->device->number),
       "cudaDeviceGetAttribute");
    return v;
}

size_t rig_api_local(const rig *o)
{
    return (size_t)attribute(o, CUDA_MAX_SHARED_PER_BLOCK);
}

unsigned rig_api_units(rig *o)
{
    return (unsigned)attribute(o, CUDA_MULTIPROCESSORS);
}

/* ---- Objects ---- */

static rig_object *own(rig *o)
{
    rig_object *x = rig_alloc(o, sizeof *x);

    x->next = o->objects;
    o->objects = x;
    return x;
}

static void release_image(rig *o, dev_memory m)
{
    ok(o, cudaDestroyTextureObject(m->texture), "cudaDestroyTextureObject");
    ok(o, cudaDestroySurfaceObject(m->surface), "cudaDestroySurfaceObject");
    ok(o, cudaFreeArray(m->array), "cudaFreeArray");
}

void rig_api_release(rig *o)
{
    while (o->objects) {
        rig_object *x = o->objects;

        if (x->memory && x->memory->array)
            release_image(o, x->memory);
        else if (x->memory)
            ok(o, cudaFree(x->memory->at), "cudaFree");
        o->objects = x->next;
        free(x->memory);
        free(x->kernel);
        free(x);
    }
}

dev_kernel rig_kernel(rig *o, const char *name)
{
    const rig_kernel_name *k = rig_kernel_names;
    dev_kernel out = own(o)->kernel = rig_alloc(o, sizeof *out);

    while (k->name && strcmp(k->name, name) != 0)
        k++;
    if (!k->name)
        rig_end(o->name, RIG_FAIL, "no kernel '%s'", name);
    out->name = k->name;
    out->stub = k->stub;
    return out;
}

dev_memory rig_scratch(rig *o, size_t bytes)
{
    dev_memory m = own(o)->memory = rig_alloc(o, sizeof *m);

    ok(o, cudaMalloc(&m->at, bytes), "cudaMalloc");
    return m;
}

dev_memory rig_buffer(rig *o, const char *name)
{
    const wl_buffer *b = rig_find(o, name);
    size_t bytes = b->count * 4;
    dev_memory m = rig_scratch(o, bytes);

    if (b->input)
        ok(o, cudaMemcpy(m->at, b->input, bytes, CUDA_TO_DEVICE), "cudaMemcpy");
    else
        ok(o, cudaMemset(m->at, 0, bytes), "cudaMemset");
    return m;
}

dev_memory rig_image(rig *o, const char *name)
{
    static const struct cudaChannelFormatDesc format = {
        .x = 32, .f = CUDA_CHANNEL_FLOAT};
    static const struct cudaTextureDesc smooth = {.addressMode = {1, 1, 1},
                                                  .filterMode = 1};
    const wl_buffer *b = rig_find(o, name);
    const size_t row = b->width * sizeof(float);
    dev_memory m = own(o)->memory = rig_alloc(o, sizeof *m);
    struct cudaResourceDesc what = {0};

    ok(o,
       cudaMallocArray(&m->array, &format, b->width, b->height,
                       CUDA_ARRAY_SURFACE),
       "cudaMallocArray");
    if (b->input)
        ok(o,
           cudaMemcpy2DToArray(m->array, 0, 0, b->input, row, row, b->height,
                               CUDA_TO_DEVICE),
           "cudaMemcpy2DToArray");
    what.res.array.array = m->array;
    ok(o, cudaCreateTextureObject(&m->texture, &what, &smooth, NULL),
       "cudaCreateTextureObject");
    ok(o, cudaCreateSurfaceObject(&m->surface, &what),
       "cudaCreateSurfaceObject");
    return m;
}

/* ---- Arguments ---- */

void rig_api_arg_value(rig *o, dev_kernel k, unsigned at, const void *value,
                       size_t bytes)
{
    if (!at)
        k->count = 0, k->shared = 0;
    if (k->count == ARGUMENTS || bytes > sizeof k->value[0])
        rig_end(o->name, RIG_FAIL, "too many arguments of '%s'", k->name);
    memcpy(&k->value[k->count++], value, bytes);
}

/* Is no parameter, but memory at the end of what the kernel has. */
void rig_api_arg_local(rig *o, dev_kernel k, unsigned at, size_t bytes)
{
    (void)o;
    k->shared = bytes;
    if (!at)
        k->count = 0;
}

void rig_api_arg_memory(rig *o, dev_kernel k, unsigned at, dev_memory m)
{
    rig_api_arg_value(o, k, at, &m->at, sizeof m->at);
}

/* The texture has its sampler; the second parameter is for OpenCL's kernel. */
void rig_api_arg_read(rig *o, dev_kernel k, unsigned at, dev_memory image)
{
    const unsigned long long none = 0;

    rig_api_arg_value(o, k, at, &image->texture, sizeof image->texture);
    rig_api_arg_value(o, k, at + 1, &none, sizeof none);
}

void rig_api_arg_write(rig *o, dev_kernel k, unsigned at, dev_memory image)
{
    rig_api_arg_value(o, k, at, &image->surface, sizeof image->surface);
}

/* ---- Work ---- */

static void launch(rig *o, dev_kernel k, dim3 grid, dim3 block, void *stream)
{
    size_t threads = (size_t)block.x * block.y * block.z;
    size_t most = (size_t)attribute(o, CUDA_MAX_THREADS_PER_BLOCK);
    void *args[ARGUMENTS];

    if (threads > most)
        rig_end(o->name, RIG_LACKS, "groups of %zu, the device has %zu at most",
                threads, most);
    for (unsigned i = 0; i < k->count; i++)
        args[i] = &k->value[i];
    ok(o, cudaLaunchKernel(k->stub, grid, block, args, k->shared, stream),
       k->name);
}

void rig_run2(rig *o, dev_kernel k, const size_t global[2],
              const size_t local[2])
{
    const dim3 block = {(unsigned)local[0], (unsigned)local[1], 1};
    const dim3 grid = {(unsigned)((global[0] + local[0] - 1) / local[0]),
                       (unsigned)((global[1] + local[1] - 1) / local[1]), 1};

    launch(o, k, grid, block, NULL);
}

void rig_run(rig *o, dev_kernel k, size_t global, size_t local)
{
    rig_run2(o, k, RIG_2D(global, 1), RIG_2D(local, 1));
}

void rig_read(rig *o, dev_memory m, void *to, size_t bytes)
{
    ok(o, cudaMemcpy(to, m->at, bytes, CUDA_TO_HOST), "cudaMemcpy");
}

void rig_api_read_image(rig *o, dev_memory m, unsigned width, unsigned height,
                        void *to)
{
    const size_t row = width * sizeof(float);

    ok(o,
       cudaMemcpy2DFromArray(to, row, m->array, 0, 0, row, height,
                             CUDA_TO_HOST),
       "cudaMemcpy2DFromArray");
}

void rig_api_launch_all(rig *o, const wl_launched *l, unsigned count,
                        unsigned streams, const rig_buffers *b)
{
    void **stream = rig_alloc(o, streams * sizeof *stream);

    ok(o, cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    for (unsigned i = 0; i < streams; i++)
        ok(o, cudaStreamCreateWithFlags(&stream[i], CUDA_STREAM_NON_BLOCKING),
           "cudaStreamCreateWithFlags");
    for (unsigned i = 0; i < count; i++) {
        dev_kernel k = rig_kernel(o, l[i].kernel);
        const wl_dim g = l[i].grid, c = l[i].cta;

        rig_words(o, k, l[i].args, b);
        launch(o, k, (dim3){g.x, g.y, g.z}, (dim3){c.x, c.y, c.z},
               stream[l[i].stream]);
    }
    ok(o, cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    for (unsigned i = 0; i < streams; i++)
        ok(o, cudaStreamDestroy(stream[i]), "cudaStreamDestroy");
    free(stream);
}

/* ---- The device ---- */

static int count_devices(rig *o)
{
    int n = 0, err = cudaGetDeviceCount(&n);

    if (err)
        rig_end(o->name, RIG_LACKS, "no CUDA device: %s",
                cudaGetErrorString(err));
    if (!n)
        rig_end(o->name, RIG_LACKS, "no CUDA device");
    o->device = rig_alloc(o, sizeof *o->device);
    return n;
}

void rig_api_list(rig *o, const char *platform)
{
    (void)platform; /* there is only one */
    for (int n = count_devices(o), i = 0; i < n; i++) {
        o->device->number = i;
        printf("%d  capability %d.%d, %d multiprocessors\n", i,
               attribute(o, CUDA_CAPABILITY_MAJOR),
               attribute(o, CUDA_CAPABILITY_MINOR),
               attribute(o, CUDA_MULTIPROCESSORS));
    }
    free(o->device);
}

/* All devices have images, doubles and such atomics. */
void rig_api_open(rig *o, const rig_program *p, const char *platform,
                  unsigned n)
{
    int count = count_devices(o);

    (void)p, (void)platform;
    if (n >= (unsigned)count)
        rig_end(o->name, RIG_LACKS, "no device %u; there are %d", n, count);
    o->device->number = (int)n;
    ok(o, cudaSetDevice((int)n), "cudaSetDevice");
}

void rig_api_close(rig *o)
{
    ok(o, cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    free(o->device);
}
