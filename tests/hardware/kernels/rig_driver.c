/* tests/hardware/kernels/rig_driver.c - the rig (workloads/rig_api.h) of the
 * CUDA driver, found at run time: a workload as a program for a machine with a
 * driver and a C compiler, no toolkit. The kernels are PTX, of a file that
 * RIG_PTX names when this is compiled. Each launch is timed by the device's
 * events; the file that $RIG_TIMES names gets a line for each, "program,
 * kernel,launch,us". $RIG_WARM_MS is how long the device is kept busy before
 * the first, so that its clock is up. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu.h"
#include "rig_api.h"

__asm__(".pushsection .rodata\n"
        ".hidden rig_ptx\n"
        "rig_ptx: .incbin \"" RIG_PTX "\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char rig_ptx[];

/* A thread that waits until p nanoseconds have passed. */
static const char wait_ptx[] =
    ".version 6.3\n.target sm_30\n.address_size 64\n"
    ".visible .entry wait(.param .u64 p)\n{\n.reg .b64 %rd<5>;\n"
    ".reg .pred %p<2>;\nld.param.u64 %rd1, [p];\n"
    "mov.u64 %rd2, %globaltimer;\nadd.u64 %rd2, %rd2, %rd1;\n"
    "AGAIN:\nmov.u64 %rd3, %globaltimer;\nsetp.lt.u64 %p1, %rd3, %rd2;\n"
    "@%p1 bra AGAIN;\nret;\n}\n";

enum { ARGUMENTS = 16, TIMES = 1 << 16 };

typedef struct rig_device {
    cu_driver cu;
    cu_device is;
    void *module, *from, *to; /* of the times, events */
    FILE *times;
    unsigned launches;
} rig_device;

struct dev_memory {
    cu_pointer at;
};

struct dev_kernel {
    char name[64];
    void *function;
    unsigned count;
    unsigned shared; /* bytes that are given at the launch */
    unsigned long long value[ARGUMENTS];
};

typedef struct rig_object {
    dev_kernel kernel; /* or */
    dev_memory memory;
    struct rig_object *next;
} rig_object;

const char rig_api_name[] = "CUDA driver";
const bool rig_api_platforms = false;

static void ok(const rig *o, int status, const char *call)
{
    if (status)
        rig_end(o->name, RIG_FAIL, "%s: %s", call,
                cu_error_name(&o->device->cu, status));
}

/* ---- Objects ---- */

static rig_object *own(rig *o)
{
    rig_object *x = rig_alloc(o, sizeof *x);

    x->next = o->objects;
    o->objects = x;
    return x;
}

void rig_api_release(rig *o)
{
    while (o->objects) {
        rig_object *x = o->objects;

        if (x->memory)
            ok(o, o->device->cu.free(x->memory->at), "cuMemFree");
        o->objects = x->next;
        free(x->memory);
        free(x->kernel);
        free(x);
    }
}

dev_kernel rig_kernel(rig *o, const char *name)
{
    dev_kernel k = own(o)->kernel = rig_alloc(o, sizeof *k);

    snprintf(k->name, sizeof k->name, "%s", name);
    ok(o, o->device->cu.function(&k->function, o->device->module, name), name);
    return k;
}

dev_memory rig_scratch(rig *o, size_t bytes)
{
    dev_memory m = own(o)->memory = rig_alloc(o, sizeof *m);

    ok(o, o->device->cu.alloc(&m->at, bytes), "cuMemAlloc");
    return m;
}

dev_memory rig_buffer(rig *o, const char *name)
{
    const wl_buffer *b = rig_find(o, name);
    size_t bytes = b->count * 4;
    dev_memory m = rig_scratch(o, bytes);

    if (b->input)
        ok(o, o->device->cu.to_device(m->at, b->input, bytes), "cuMemcpyHtoD");
    else
        ok(o, o->device->cu.fill(m->at, 0, bytes), "cuMemsetD8");
    return m;
}

__attribute__((noreturn)) static void no_images(const rig *o)
{
    rig_end(o->name, RIG_LACKS, "images are not for this rig");
}

dev_memory rig_image(rig *o, const char *name)
{
    (void)name;
    no_images(o);
}

void rig_api_read_image(rig *o, dev_memory m, unsigned width, unsigned height,
                        void *to)
{
    (void)m, (void)width, (void)height, (void)to;
    no_images(o);
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
    if (!at)
        k->count = 0;
    k->shared = (unsigned)bytes;
}

void rig_api_arg_memory(rig *o, dev_kernel k, unsigned at, dev_memory m)
{
    rig_api_arg_value(o, k, at, &m->at, sizeof m->at);
}

void rig_api_arg_read(rig *o, dev_kernel k, unsigned at, dev_memory image)
{
    (void)k, (void)at, (void)image;
    no_images(o);
}

void rig_api_arg_write(rig *o, dev_kernel k, unsigned at, dev_memory image)
{
    rig_api_arg_read(o, k, at, image);
}

/* ---- Work ---- */

static void launch(rig *o, dev_kernel k, wl_dim grid, wl_dim cta)
{
    rig_device *d = o->device;
    const cu_driver *cu = &d->cu;
    void *args[ARGUMENTS];
    float ms = 0;

    for (unsigned i = 0; i < k->count; i++)
        args[i] = &k->value[i];
    ok(o, cu->synchronize(), "cuCtxSynchronize");
    ok(o, cu->event_record(d->from, NULL), "cuEventRecord");
    ok(o,
       cu->launch(k->function, grid.x, grid.y, grid.z, cta.x, cta.y, cta.z,
                  k->shared, NULL, args, NULL),
       k->name);
    ok(o, cu->event_record(d->to, NULL), "cuEventRecord");
    ok(o, cu->event_wait(d->to), k->name);
    ok(o, cu->event_ms(&ms, d->from, d->to), "cuEventElapsedTime");
    if (d->times && d->launches < TIMES)
        fprintf(d->times, "%s,%s,%u,%.3f\n", o->name, k->name, d->launches,
                (double)ms * 1e3);
    d->launches++;
}

void rig_run2(rig *o, dev_kernel k, const size_t global[2],
              const size_t local[2])
{
    const wl_dim cta = {(unsigned)local[0], (unsigned)local[1], 1};
    const wl_dim grid = {(unsigned)((global[0] + local[0] - 1) / local[0]),
                         (unsigned)((global[1] + local[1] - 1) / local[1]), 1};

    launch(o, k, grid, cta);
}

void rig_run(rig *o, dev_kernel k, size_t global, size_t local)
{
    rig_run2(o, k, RIG_2D(global, 1), RIG_2D(local, 1));
}

void rig_read(rig *o, dev_memory m, void *to, size_t bytes)
{
    ok(o, o->device->cu.to_host(to, m->at, bytes), "cuMemcpyDtoH");
}

/* One after the other: the time of one in flight with others says nothing. */
void rig_api_launch_all(rig *o, const wl_launched *l, unsigned count,
                        unsigned streams, const rig_buffers *b)
{
    (void)streams;
    for (unsigned i = 0; i < count; i++) {
        dev_kernel k = rig_kernel(o, l[i].kernel);

        rig_words(o, k, l[i].args, b);
        launch(o, k, l[i].grid, l[i].cta);
    }
}

/* ---- The device ---- */

static int attribute(const rig *o, int what)
{
    return cu_attribute(&o->device->cu, &o->device->is, what);
}

size_t rig_api_local(const rig *o)
{
    enum { CTA_SHARED = 8 };

    return (size_t)attribute(o, CTA_SHARED);
}

unsigned rig_api_units(rig *o) { return (unsigned)attribute(o, CU_SMS); }

static void find_device(rig *o)
{
    o->device = rig_alloc(o, sizeof *o->device);
    const char *none = cu_open(&o->device->cu, &o->device->is);
    if (none)
        rig_end(o->name, RIG_LACKS, "%s", none);
}

void rig_api_list(rig *o, const char *platform)
{
    (void)platform; /* there is only one */
    find_device(o);
    printf("0  %s, capability %d.%d, %u multiprocessors\n", o->device->is.name,
           o->device->is.major, o->device->is.minor, rig_api_units(o));
    free(o->device);
}

static void warm(rig *o, unsigned long long ms)
{
    const cu_driver *cu = &o->device->cu;
    unsigned long long ns = ms * 1000000;
    void *args[] = {&ns}, *module = cu_module(cu, wait_ptx, "wait"), *f;

    if (!module)
        rig_end(o->name, RIG_FAIL, "the device refuses the kernel that waits");
    ok(o, cu->function(&f, module, "wait"), "cuModuleGetFunction");
    ok(o, cu->launch(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), "wait");
    ok(o, cu->synchronize(), "wait");
    ok(o, cu->module_unload(module), "cuModuleUnload");
}

void rig_api_open(rig *o, const rig_program *p, const char *platform,
                  unsigned n)
{
    const char *times = getenv("RIG_TIMES"), *ms = getenv("RIG_WARM_MS");

    (void)p, (void)platform;
    find_device(o);
    if (n)
        rig_end(o->name, RIG_LACKS, "no device %u; this rig takes the first",
                n);
    rig_device *d = o->device;
    if (!(d->module = cu_module(&d->cu, rig_ptx, o->name)))
        rig_end(o->name, RIG_LACKS, "the device refuses the kernels");
    ok(o, d->cu.event_new(&d->from, 0), "cuEventCreate");
    ok(o, d->cu.event_new(&d->to, 0), "cuEventCreate");
    if (times && !(d->times = fopen(times, "a")))
        rig_end(o->name, RIG_FAIL, "cannot write %s", times);
    if (ms && strtoull(ms, NULL, 10))
        warm(o, strtoull(ms, NULL, 10));
}

void rig_api_close(rig *o)
{
    rig_device *d = o->device;

    ok(o, d->cu.event_free(d->from), "cuEventDestroy");
    ok(o, d->cu.event_free(d->to), "cuEventDestroy");
    ok(o, d->cu.module_unload(d->module), "cuModuleUnload");
    if (d->times && fclose(d->times))
        rig_end(o->name, RIG_FAIL, "cannot write the times");
    free(d);
}
