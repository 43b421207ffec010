/* Commands that read, write, copy and fill images. */
#include <string.h>

#include "opencl/memory/image_object.h"

/* ---- Reading and writing ---- */

/* The program's bytes: pitches that are 0 become the least possible. */
static cl_int host_side(const char *function, const struct _cl_mem *m,
                        const size_t region[3], size_t row, size_t slice,
                        void *host, ocl_side *out)
{
    size_t width = region[0] * m->texel, least;
    bool layers = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    bool slices = layers || image_dims(m) == 3;

    if (!row)
        row = width;
    if (row < width)
        return ocl_fail(function, CL_INVALID_VALUE,
                        "the row pitch %zu is less than the region's width of "
                        "%zu bytes",
                        row, width);
    least = layers ? row : row * region[1];
    if (slice && (!slices || slice < least))
        return ocl_fail(
            function, CL_INVALID_VALUE, "the slice pitch is %zu: %s", slice,
            slices ? "less than a slice" : "such an image has no slices");
    if (!host)
        return ocl_fail(function, CL_INVALID_VALUE, "the pointer is NULL");
    *out = side_bytes(host, row);
    out->slice = slice ? slice : least;
    if (layers)
        out->row = out->slice;
    return CL_SUCCESS;
}

static cl_int enqueue_image_transfer(const char *function, cl_command_queue q,
                                     cl_command_type type, cl_mem m,
                                     bool blocking, const size_t *origin,
                                     const size_t *region, size_t row,
                                     size_t slice, void *host, cl_uint n,
                                     const cl_event *waits, cl_event *event)
{
    bool reads = type == CL_COMMAND_READ_IMAGE;
    cl_int code = mem_check(function, q, n, waits, m, true);
    ocl_side there;

    if (code != CL_SUCCESS ||
        (code = image_check_box(function, m, origin, region)) != CL_SUCCESS ||
        (code = host_side(function, m, region, row, slice, host, &there)) !=
            CL_SUCCESS ||
        (code = mem_check_host(function, m, reads, !reads)) != CL_SUCCESS)
        return code;
    ocl_side image = side_image(m, origin);
    ocl_transfer *t =
        transfer_new(q, type, reads ? image : there, reads ? there : image,
                     region, m->texel, true);
    if (!t)
        return CL_OUT_OF_HOST_MEMORY;
    return command_enqueue(t, n, waits, blocking, event);
}

cl_int clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool blocking,
                          const size_t *origin, const size_t *region,
                          size_t row, size_t slice, void *to, cl_uint n,
                          const cl_event *waits, cl_event *event)
{
    OCL_LOCK();
    return enqueue_image_transfer(__func__, q, CL_COMMAND_READ_IMAGE, m,
                                  blocking, origin, region, row, slice, to, n,
                                  waits, event);
}

cl_int clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool blocking,
                           const size_t *origin, const size_t *region,
                           size_t row, size_t slice, const void *from,
                           cl_uint n, const cl_event *waits, cl_event *event)
{
    OCL_LOCK();
    return enqueue_image_transfer(__func__, q, CL_COMMAND_WRITE_IMAGE, m,
                                  blocking, origin, region, row, slice,
                                  (void *)from, n, waits, event);
}

/* ---- Copying ---- */

static bool boxes_meet(const size_t a[3], const size_t b[3],
                       const size_t region[3])
{
    for (unsigned k = 0; k < 3; k++)
        if (a[k] >= b[k] + region[k] || b[k] >= a[k] + region[k])
            return false;
    return true;
}

cl_int clEnqueueCopyImage(cl_command_queue q, cl_mem from, cl_mem to,
                          const size_t *from_origin, const size_t *to_origin,
                          const size_t *region, cl_uint n,
                          const cl_event *waits, cl_event *event)
{
    cl_int code;
    OCL_LOCK();

    if ((code = mem_check(__func__, q, n, waits, from, true)) != CL_SUCCESS ||
        (code = mem_check_object(__func__, q, to, true)) != CL_SUCCESS)
        return code;
    if (memcmp(&from->format, &to->format, sizeof to->format) != 0)
        return FAIL(CL_IMAGE_FORMAT_MISMATCH,
                    "the images have different formats");
    if ((code = image_check_box(__func__, from, from_origin, region)) !=
            CL_SUCCESS ||
        (code = image_check_box(__func__, to, to_origin, region)) != CL_SUCCESS)
        return code;
    if (from == to && boxes_meet(from_origin, to_origin, region))
        return FAIL(CL_MEM_COPY_OVERLAP, "source and destination overlap");
    ocl_transfer *t =
        transfer_new(q, CL_COMMAND_COPY_IMAGE, side_image(from, from_origin),
                     side_image(to, to_origin), region, from->texel, false);
    if (!t)
        return CL_OUT_OF_HOST_MEMORY;
    return command_enqueue(t, n, waits, false, event);
}

/* The texels of the box as bytes of a buffer, none left out. */
static cl_int buffer_side(const char *function, const struct _cl_mem *image,
                          const struct _cl_mem *buffer, size_t offset,
                          const size_t region[3], ocl_side *out)
{
    size_t row = region[0] * image->texel, slice = row * region[1];
    cl_int code = mem_check_range(function, buffer, offset, slice * region[2]);

    if (code != CL_SUCCESS)
        return code;
    *out = side_buffer(buffer, offset, row);
    out->slice = slice;
    return CL_SUCCESS;
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem from, cl_mem to,
                                  const size_t *origin, const size_t *region,
                                  size_t offset, cl_uint n,
                                  const cl_event *waits, cl_event *event)
{
    ocl_side bytes;
    cl_int code;
    OCL_LOCK();

    if ((code = mem_check(__func__, q, n, waits, from, true)) != CL_SUCCESS ||
        (code = mem_check_object(__func__, q, to, false)) != CL_SUCCESS ||
        (code = image_check_box(__func__, from, origin, region)) !=
            CL_SUCCESS ||
        (code = buffer_side(__func__, from, to, offset, region, &bytes)) !=
            CL_SUCCESS)
        return code;
    if (from->parent == to)
        return FAIL(CL_INVALID_MEM_OBJECT, "the image is made from the buffer");
    ocl_transfer *t = transfer_new(q, CL_COMMAND_COPY_IMAGE_TO_BUFFER,
                                   side_image(from, origin), bytes, region,
                                   from->texel, false);
    if (!t)
        return CL_OUT_OF_HOST_MEMORY;
    command_use(t, to);
    return command_enqueue(t, n, waits, false, event);
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem from, cl_mem to,
                                  size_t offset, const size_t *origin,
                                  const size_t *region, cl_uint n,
                                  const cl_event *waits, cl_event *event)
{
    ocl_side bytes;
    cl_int code;
    OCL_LOCK();

    if ((code = mem_check(__func__, q, n, waits, from, false)) != CL_SUCCESS ||
        (code = mem_check_object(__func__, q, to, true)) != CL_SUCCESS ||
        (code = image_check_box(__func__, to, origin, region)) != CL_SUCCESS ||
        (code = buffer_side(__func__, to, from, offset, region, &bytes)) !=
            CL_SUCCESS)
        return code;
    if (to->parent == from)
        return FAIL(CL_INVALID_MEM_OBJECT, "the image is made from the buffer");
    ocl_transfer *t =
        transfer_new(q, CL_COMMAND_COPY_BUFFER_TO_IMAGE, bytes,
                     side_image(to, origin), region, to->texel, false);
    if (!t)
        return CL_OUT_OF_HOST_MEMORY;
    command_use(t, from);
    return command_enqueue(t, n, waits, false, event);
}

/* ---- Filling ---- */

typedef struct fill {
    drv_command base;
    cl_mem image;
    size_t origin[3], region[3];
    uint32_t rgba[4];
} fill;

static cl_int run_fill(drv_command *c)
{
    fill *f = (fill *)c;
    size_t texels = f->region[0] * f->region[1] * f->region[2];

    image_fill(f->image, f->origin, f->region, f->rgba);
    c->bytes = texels * f->image->texel;
    c->duration_ns = drv_memory_ns(c->queue->device, c->bytes);
    return CL_SUCCESS;
}

cl_int clEnqueueFillImage(cl_command_queue q, cl_mem m, const void *colour,
                          const size_t *origin, const size_t *region, cl_uint n,
                          const cl_event *waits, cl_event *event)
{
    cl_int code;
    OCL_LOCK();

    if ((code = mem_check(__func__, q, n, waits, m, true)) != CL_SUCCESS)
        return code;
    if (!colour)
        return FAIL(CL_INVALID_VALUE, "there is no colour");
    if ((code = image_check_box(__func__, m, origin, region)) != CL_SUCCESS)
        return code;
    fill *f = command_new(sizeof *f, q, CL_COMMAND_FILL_IMAGE, run_fill);
    if (!f)
        return CL_OUT_OF_HOST_MEMORY;
    f->base.tells = f->base.fills = true;
    f->image = m;
    memcpy(f->origin, origin, sizeof f->origin);
    memcpy(f->region, region, sizeof f->region);
    memcpy(f->rgba, colour, sizeof f->rgba);
    command_use(f, m);
    return command_enqueue(f, n, waits, false, event);
}
