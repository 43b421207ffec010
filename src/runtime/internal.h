/* src/runtime/internal.h - what the files of the runtime share. */
#ifndef RUNTIME_INTERNAL_H
#define RUNTIME_INTERNAL_H

#include "exec/host.h"
#include "mem/image.h"
#include "mem/tex.h"
#include "runtime/runtime.h"

/* Images and samplers by number. */
typedef struct rt_images {
    tex_image *image;
    bool *owned; /* the memory is the image's */
    tex_sampler *sampler;
    bool *sampler_taken;
    uint32_t image_count, image_room, owned_room;
    uint32_t sampler_count, sampler_room, taken_room;
} rt_images;

tex_table rt_images_table(const rt_images *t);
void rt_images_fini(rt_images *t);

struct rt_module {
    rt_device *device; /* borrowed */
    isa_program *program;
    uint64_t *addr;     /* per variable: address or handle, 0 if neither */
    uint64_t user_copy; /* generic address of the .const variables, 0: none */
    uint8_t *user;      /* bank CBANK_USER, CBANK_BYTES */
    uint8_t *symbol;    /* bank CBANK_SYMBOL, CBANK_BYTES */
    rt_module *next;    /* of the device */
};

struct rt_device {
    const config *cfg; /* owned copy */
    rt_options opt;
    mem_image *image;
    stats *stats;
    gpu *gpu; /* NULL before the first timed launch */
    rt_module *modules;
    rt_images images;
    uint64_t *before, *after, *diff; /* counters around a launch */
    uint64_t *totals;
    uint32_t launches;
    bool broken; /* a launch failed: the machine is in mid-flight */
    FILE *dump;
    exec_host *host; /* NULL before a kernel first needs it */
    bool has_heap;
};

/* Gives the launch what its code asks the run-time for (host.c). */
bool rt_host_prepare(rt_device *d, exec_launch *e, diag *dg);

void rt_module_free(rt_module *m); /* NULL is fine */

#endif
