/* src/runtime/image.h - images and samplers: what a driver needs for textures
 * and surfaces. Part of memory.h's rt_memory, which owns them.
 *
 * Places in an image are (x, y, z) in texels; z counts the slices of a 3D image
 * or the layers of an array, six for each cube, also where there is no y. */
#ifndef RUNTIME_IMAGE_H
#define RUNTIME_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "mem/tex.h"
#include "runtime/memory.h"

struct rt_module;

typedef struct rt_image_desc {
    const char *name; /* for messages, copied; may be NULL */
    tex_kind kind;
    tex_order order;
    tex_type type;
    uint32_t size[3];    /* texels; 0 counts as 1 */
    uint32_t layers;     /* of arrays; cubes: 6 each; 0 counts as 1 (6) */
    uint32_t levels;     /* 0 counts as 1 */
    bool linear;         /* rows behind each other instead of tiles */
    uint64_t addr;       /* memory to be looked at as an image, linear; 0: new
                            memory, which is zero */
    bool tiles;          /* tiles also there, where the kind can have them */
    uint64_t row, slice; /* bytes between rows and slices there; 0: none
                            are left out */
} rt_image_desc;

/* Bytes that such an image takes; 0: there is no such image. */
uint64_t rt_image_bytes(const rt_image_desc *desc);
/* Number of the image, which is also its handle for instructions that need no
 * sampler; 0: the error is in `dg`. */
uint32_t rt_image_new(rt_memory *m, const rt_image_desc *desc, diag *dg);
/* The texels of `image` as another format of the same size; they must not be
 * released before. */
uint32_t rt_image_view(rt_memory *m, uint32_t image, tex_order order,
                       tex_type type, diag *dg);
bool rt_image_release(rt_memory *m, uint32_t image);
bool rt_image_get(rt_memory *m, uint32_t image, tex_image *out);

/* Copies a box of texels from or to host memory, where rows are `row` and
 * slices `slice` bytes apart (0: none are left out). False: it is not inside
 * the image. */
bool rt_image_write(rt_memory *m, uint32_t image, unsigned level,
                    const uint32_t origin[3], const uint32_t region[3],
                    const void *from, uint64_t row, uint64_t slice);
bool rt_image_read(rt_memory *m, uint32_t image, unsigned level,
                   const uint32_t origin[3], const uint32_t region[3], void *to,
                   uint64_t row, uint64_t slice);
/* R, G, B, A as the image's type has them in registers: bits of single
 * precision or integers; converted as a kernel's stores are. */
bool rt_image_fill(rt_memory *m, uint32_t image, unsigned level,
                   const uint32_t origin[3], const uint32_t region[3],
                   const uint32_t rgba[4]);
/* Between images of texels of the same size, which may be the same if the
 * boxes are apart. */
bool rt_image_copy(rt_memory *m, uint32_t from, const uint32_t from_origin[3],
                   uint32_t to, const uint32_t to_origin[3],
                   const uint32_t region[3]);

/* Number of the sampler, 0: there are too many. OpenCL's need none: the value
 * of its constants is the number (tex_literal). */
uint32_t rt_sampling_new(rt_memory *m, const tex_sampler *s);
bool rt_sampler_release(rt_memory *m, uint32_t sampler);

/* What a kernel's argument or a module's variable holds: tex_handle(image,
 * sampler); either may be 0. Binds the .texref, .surfref or .samplerref
 * `name`; false: there is none. */
bool rt_module_bind(struct rt_module *m, const char *name, uint32_t handle);

#endif
