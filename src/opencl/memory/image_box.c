/* Boxes of images: from the API's places to those of the simulated image,
 * whose layers always are the third dimension. */
#include <string.h>

#include "base/must.h"
#include "mem/image.h"
#include "opencl/memory/image_object.h"

static rt_memory *device_memory(void) { return drv.image; }

/* ---- The simulated image ---- */

uint64_t image_bytes(const rt_image_desc *r) { return rt_image_bytes(r); }

bool image_add(cl_mem m, const rt_image_desc *r)
{
    diag *dg = diag_new();

    if (dg)
        m->image = rt_image_new(device_memory(), r, dg);
    diag_free(dg);
    return m->image != 0;
}

void image_release(cl_mem m) { rt_image_release(device_memory(), m->image); }

/* ---- Places ---- */

typedef struct box {
    uint32_t origin[3], region[3];
    size_t row, slice; /* of the host's bytes */
} box;

static box box_of(const struct _cl_mem *m, const size_t origin[3],
                  const size_t region[3], const ocl_side *host)
{
    bool layers = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    box b;

    for (unsigned k = 0; k < 3; k++) {
        b.origin[k] = (uint32_t)origin[k];
        b.region[k] = (uint32_t)region[k];
    }
    b.row = host ? host->row : 0;
    b.slice = host ? host->slice : 0;
    if (layers) {
        b.origin[2] = b.origin[1];
        b.origin[1] = 0;
        b.region[2] = b.region[1];
        b.region[1] = 1;
        b.slice = b.row;
    }
    return b;
}

void image_move(const struct _cl_mem *m, const size_t origin[3],
                const size_t region[3], const ocl_side *host, bool write)
{
    box b = box_of(m, origin, region, host);

    MUST(write ? rt_image_write(device_memory(), m->image, 0, b.origin,
                                b.region, host->bytes, b.row, b.slice)
               : rt_image_read(device_memory(), m->image, 0, b.origin, b.region,
                               host->bytes, b.row, b.slice));
}

void image_fill(const struct _cl_mem *m, const size_t origin[3],
                const size_t region[3], const uint32_t rgba[4])
{
    box b = box_of(m, origin, region, NULL);

    MUST(rt_image_fill(device_memory(), m->image, 0, b.origin, b.region, rgba));
}

ocl_side image_rows(const struct _cl_mem *m, const size_t origin[3])
{
    static const size_t one[3] = {1, 1, 1};
    box b = box_of(m, origin, one, NULL);
    ocl_side s = {.bytes = NULL};
    tex_image im;

    MUST(rt_image_get(device_memory(), m->image, &im));
    if (im.tiled)
        return s;
    s.bytes = drv_room_host(m->addr) +
              (tex_image_at(&im, 0, (uint64_t)b.origin[0] * im.texel_bytes,
                            b.origin[1], b.origin[2]) -
               m->addr);
    s.row = im.level[0].row;
    s.slice = im.level[0].slice;
    if (m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        s.row = s.slice;
    return s;
}

/* ---- Checks ---- */

cl_int image_check_box(const char *function, const struct _cl_mem *m,
                       const size_t *origin, const size_t *region)
{
    size_t size[3];

    if (!origin || !region)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "the origin or the region is NULL");
    image_size(m, size); /* 1 in dimensions that the image has not */
    for (unsigned k = 0; k < 3; k++)
        if (!region[k] || origin[k] >= size[k] ||
            region[k] > size[k] - origin[k])
            return ocl_fail(function, CL_INVALID_VALUE,
                            "a region of %zu x %zu x %zu at (%zu, %zu, %zu) is "
                            "empty or not inside the image of %zu x %zu x %zu",
                            region[0], region[1], region[2], origin[0],
                            origin[1], origin[2], size[0], size[1], size[2]);
    return CL_SUCCESS;
}
