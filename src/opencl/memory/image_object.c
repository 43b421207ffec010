/* Making images, and clGetImageInfo. In simulated memory images of two and
 * three dimensions are in tiles, others and those that are made from a buffer
 * have their rows behind each other. */
#include "opencl/memory/image_object.h"

#include <string.h>

#include "base/must.h"
#include "driver/checkpoint.h"
#include "driver/host_link.h"
#include "runtime/image.h"

/* ---- Shapes ---- */

typedef struct shape {
    cl_mem_object_type type;
    tex_kind kind;
    unsigned dims; /* with layers */
    bool layers;
    size_t most[3]; /* of each dimension, as the API counts them */
} shape;

static const shape shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, TEX_1D, 1, false, {DEVICE_IMAGE_WIDTH, 1, 1}},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER,
     TEX_BUFFER,
     1,
     false,
     {DEVICE_IMAGE_BUFFER, 1, 1}},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY,
     TEX_1D_ARRAY,
     2,
     true,
     {DEVICE_IMAGE_WIDTH, DEVICE_IMAGE_LAYERS, 1}},
    {CL_MEM_OBJECT_IMAGE2D,
     TEX_2D,
     2,
     false,
     {DEVICE_IMAGE_WIDTH, DEVICE_IMAGE_WIDTH, 1}},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY,
     TEX_2D_ARRAY,
     3,
     true,
     {DEVICE_IMAGE_WIDTH, DEVICE_IMAGE_WIDTH, DEVICE_IMAGE_LAYERS}},
    {CL_MEM_OBJECT_IMAGE3D,
     TEX_3D,
     3,
     false,
     {DEVICE_IMAGE_DEPTH, DEVICE_IMAGE_DEPTH, DEVICE_IMAGE_DEPTH}},
};

static const shape *shape_of(cl_mem_object_type type)
{
    for (size_t i = 0; i < COUNTOF(shapes); i++)
        if (shapes[i].type == type)
            return &shapes[i];
    return NULL;
}

unsigned image_dims(const struct _cl_mem *m) { return shape_of(m->type)->dims; }

void image_size(const struct _cl_mem *m, size_t size[3])
{
    const cl_image_desc *d = &m->desc;

    size[0] = d->image_width;
    size[1] = size[2] = 1;
    switch (m->type) {
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        size[1] = d->image_array_size;
        break;
    case CL_MEM_OBJECT_IMAGE2D:
        size[1] = d->image_height;
        break;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        size[1] = d->image_height;
        size[2] = d->image_array_size;
        break;
    case CL_MEM_OBJECT_IMAGE3D:
        size[1] = d->image_height;
        size[2] = d->image_depth;
        break;
    default:
        break;
    }
}

/* ---- Checks ---- */

static cl_int bad_desc(const char *function, const char *why)
{
    return ocl_fail(function, CL_INVALID_IMAGE_DESCRIPTOR, "%s", why);
}

/* Size in texels; the type has been checked. */
static cl_int check_size(const char *function, const struct _cl_mem *m)
{
    const shape *s = shape_of(m->type);
    size_t size[3];

    image_size(m, size);
    for (unsigned k = 0; k < s->dims; k++)
        if (!size[k])
            return bad_desc(function, "a dimension is 0");
    for (unsigned k = 0; k < s->dims; k++)
        if (size[k] > s->most[k])
            return ocl_fail(function, CL_INVALID_IMAGE_SIZE,
                            "an image of %zu x %zu x %zu: there can be %zu x "
                            "%zu x %zu",
                            size[0], size[1], size[2], s->most[0], s->most[1],
                            s->most[2]);
    return CL_SUCCESS;
}

/* The pitches of the program's memory, or of the buffer: 0 becomes the least
 * possible. */
static cl_int check_pitches(const char *function, cl_mem m, bool memory)
{
    cl_image_desc *d = &m->desc;
    const shape *s = shape_of(m->type);
    size_t size[3], row, slice;

    image_size(m, size);
    row = size[0] * m->texel;
    if (!memory && (d->image_row_pitch || d->image_slice_pitch))
        return bad_desc(function, "pitches are for images from memory");
    if (!d->image_row_pitch)
        d->image_row_pitch = row;
    if (d->image_row_pitch < row || d->image_row_pitch % m->texel)
        return bad_desc(function, "the row pitch is less than a row, or no "
                                  "multiple of a texel's bytes");
    row = d->image_row_pitch;
    if (s->dims < 2 || s->type == CL_MEM_OBJECT_IMAGE2D) {
        d->image_slice_pitch = 0;
        return CL_SUCCESS;
    }
    slice = s->dims == 2 ? row : row * size[1];
    if (!d->image_slice_pitch)
        d->image_slice_pitch = slice;
    if (d->image_slice_pitch < slice || d->image_slice_pitch % row)
        return bad_desc(function, "the slice pitch is less than a slice, or no "
                                  "multiple of the row pitch");
    return CL_SUCCESS;
}

/* The object that the image is made from, if any. */
static cl_int check_parent(const char *function, const struct _cl_mem *m,
                           cl_mem parent)
{
    bool wanted = m->type == CL_MEM_OBJECT_IMAGE1D_BUFFER;

    if (!parent)
        return wanted ? bad_desc(function, "there is no buffer") : CL_SUCCESS;
    if (!wanted && m->type != CL_MEM_OBJECT_IMAGE2D)
        return bad_desc(function, "such an image is not made from a buffer");
    if (!object_is(parent, OCL_MEM) || parent->context != m->context)
        return bad_desc(function, "there is no such buffer in the context");
    if (mem_is_image(parent))
        return ocl_fail(function,
                        wanted ? CL_INVALID_IMAGE_DESCRIPTOR
                               : CL_INVALID_OPERATION,
                        "images can be made from buffers, not from images");
    return CL_SUCCESS;
}

/* Type, size and what it is made of. */
static cl_int check_desc(const char *function, cl_mem m, const cl_image_desc *d,
                         const void *host_ptr)
{
    cl_int code;

    if (d->num_mip_levels || d->num_samples)
        return bad_desc(function, "there are no levels and samples of images");
    if ((code = check_parent(function, m, d->mem_object)) != CL_SUCCESS ||
        (code = check_size(function, m)) != CL_SUCCESS ||
        (code = check_pitches(function, m, host_ptr || d->mem_object)) !=
            CL_SUCCESS)
        return code;
    m->size = m->desc.image_row_pitch;
    if (m->desc.image_slice_pitch) {
        size_t size[3];

        image_size(m, size);
        m->size = m->desc.image_slice_pitch *
                  (image_dims(m) == 2 ? size[1] : size[2]);
    } else if (image_dims(m) == 2) {
        m->size *= m->desc.image_height;
    }
    if (d->mem_object && m->size > d->mem_object->size)
        return bad_desc(function, "the buffer is smaller than the image");
    return CL_SUCCESS;
}

/* ---- Making ---- */

/* From the object's memory if it has an address, else from its own. */
static rt_image_desc plan(const struct _cl_mem *m)
{
    const shape *s = shape_of(m->type);
    rt_image_desc r = {
        .name = "image",
        .kind = s->kind,
        .order = (tex_order)(m->format.image_channel_order - TEX_CL_ORDER),
        .type = (tex_type)(m->format.image_channel_data_type - TEX_CL_TYPE)};
    size_t size[3];

    image_size(m, size);
    for (unsigned k = 0; k < s->dims - s->layers; k++)
        r.size[k] = (uint32_t)size[k];
    if (s->layers)
        r.layers = (uint32_t)size[s->dims - 1];
    r.tiles = !m->parent;
    if (m->parent && s->dims > 1)
        r.row = m->desc.image_row_pitch;
    return r;
}

static cl_int make_device_image(const char *function, cl_mem m)
{
    rt_image_desc r = plan(m);
    cl_int code;

    if (!m->parent) {
        m->room = image_bytes(&r);
        code = memory_take(function, m->context, m->room, 1, "image", &m->addr);
        if (code != CL_SUCCESS)
            return code;
    }
    r.addr = m->addr;
    if (!image_add(m, &r))
        return ocl_fail(function, CL_OUT_OF_RESOURCES, "too many images");
    return CL_SUCCESS;
}

static cl_int fill_from(cl_mem m, void *host_ptr)
{
    ocl_side host = {.bytes = host_ptr,
                     .row = m->desc.image_row_pitch,
                     .slice = m->desc.image_slice_pitch};
    size_t origin[3] = {0, 0, 0}, size[3];

    image_size(m, size);
    if (m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        host.row = host.slice;
    drv_moves(
        &(drv_box){.bytes = host.bytes, .row = host.row, .slice = host.slice},
        &(drv_box){.addr = m->addr}, size[0] * m->texel, size[1], size[2]);
    image_move(m, origin, size, &host, true);
    drv_link_created(size[0] * size[1] * size[2] * m->texel);
    return CL_SUCCESS;
}

static void adopt(cl_mem m, cl_mem parent)
{
    m->parent = parent;
    object_use(parent);
    m->addr = parent->addr;
    m->svm = parent->svm;
    m->host_ptr = parent->host_ptr;
}

/* The object is there; `d` is the program's. */
static cl_int build_image(const char *function, cl_mem m,
                          const cl_image_desc *d, void *host_ptr)
{
    cl_int code = check_desc(function, m, d, host_ptr);

    if (code != CL_SUCCESS)
        return code;
    if (d->mem_object) {
        if ((code = mem_check_part(function, &m->flags,
                                   d->mem_object->flags)) != CL_SUCCESS)
            return code;
        if (host_ptr)
            return ocl_fail(function, CL_INVALID_HOST_PTR,
                            "an image from a buffer has no host pointer");
    } else if ((code = mem_check_host_ptr(function, m->flags, host_ptr)) !=
               CL_SUCCESS) {
        return code;
    }
    if (d->mem_object)
        adopt(m, d->mem_object);
    if ((code = make_device_image(function, m)) != CL_SUCCESS)
        return code;
    if (m->flags & CL_MEM_USE_HOST_PTR && !m->parent)
        m->host_ptr = host_ptr;
    return host_ptr ? fill_from(m, host_ptr) : CL_SUCCESS;
}

static cl_int create_image(const char *function, cl_context c,
                           const cl_mem_properties *properties,
                           cl_mem_flags flags, const cl_image_format *format,
                           const cl_image_desc *d, void *host_ptr, cl_mem *out)
{
    cl_int code;
    cl_mem m;

    if (!object_is(c, OCL_CONTEXT))
        return ocl_fail(function, CL_INVALID_CONTEXT, "%p is no context",
                        (void *)c);
    if ((code = mem_check_properties(function, properties)) != CL_SUCCESS ||
        (code = mem_check_flags(function, flags)) != CL_SUCCESS ||
        (code = format_check(function, format)) != CL_SUCCESS)
        return code;
    if (!format_supported(format))
        return ocl_fail(function, CL_IMAGE_FORMAT_NOT_SUPPORTED,
                        "order 0x%x of type 0x%x", format->image_channel_order,
                        format->image_channel_data_type);
    if (!d || !shape_of(d->image_type))
        return bad_desc(function, d ? "it is no type of image" : "it is NULL");
    if (!(m = mem_new(c, d->image_type, flags, properties)))
        return CL_OUT_OF_HOST_MEMORY;
    m->format = *format;
    m->desc = *d;
    m->texel = format_bytes(format);
    if ((code = build_image(function, m, d, host_ptr)) != CL_SUCCESS) {
        object_release(m, OCL_MEM);
        return code;
    }
    *out = m;
    return CL_SUCCESS;
}

cl_mem clCreateImage(cl_context c, cl_mem_flags flags,
                     const cl_image_format *format, const cl_image_desc *d,
                     void *host_ptr, cl_int *err)
{
    cl_mem m = NULL;
    OCL_LOCK();

    ocl_result(err,
               create_image(__func__, c, NULL, flags, format, d, host_ptr, &m));
    return m;
}

cl_mem
clCreateImageWithProperties(cl_context c, const cl_mem_properties *properties,
                            cl_mem_flags flags, const cl_image_format *format,
                            const cl_image_desc *d, void *host_ptr, cl_int *err)
{
    cl_mem m = NULL;
    OCL_LOCK();

    ocl_result(err, create_image(__func__, c, properties, flags, format, d,
                                 host_ptr, &m));
    return m;
}

/* The functions of OpenCL 1.1 knew no descriptor: what is wrong with it was
 * the size. */
static cl_int old_code(cl_int code)
{
    return code == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : code;
}

cl_mem clCreateImage2D(cl_context c, cl_mem_flags flags,
                       const cl_image_format *format, size_t width,
                       size_t height, size_t row, void *host_ptr, cl_int *err)
{
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                       .image_width = width,
                       .image_height = height,
                       .image_row_pitch = row};
    cl_mem m = NULL;
    OCL_LOCK();

    ocl_result(err, old_code(create_image(__func__, c, NULL, flags, format, &d,
                                          host_ptr, &m)));
    return m;
}

cl_mem clCreateImage3D(cl_context c, cl_mem_flags flags,
                       const cl_image_format *format, size_t width,
                       size_t height, size_t depth, size_t row, size_t slice,
                       void *host_ptr, cl_int *err)
{
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                       .image_width = width,
                       .image_height = height,
                       .image_depth = depth,
                       .image_row_pitch = row,
                       .image_slice_pitch = slice};
    cl_mem m = NULL;
    OCL_LOCK();

    ocl_result(err, old_code(create_image(__func__, c, NULL, flags, format, &d,
                                          host_ptr, &m)));
    return m;
}

/* ---- clGetImageInfo ---- */

cl_int clGetImageInfo(cl_mem m, cl_image_info what, size_t room, void *to,
                      size_t *size_ret)
{
    ocl_info a = {__func__, room, to, size_ret};
    size_t size[3];
    OCL_LOCK();

    if (!object_is(m, OCL_MEM) || !mem_is_image(m))
        return FAIL(CL_INVALID_MEM_OBJECT, "%p is no image", (void *)m);
    image_size(m, size);
    const shape *s = shape_of(m->type);
    unsigned dims = s->dims - s->layers;
    switch (what) {
    case CL_IMAGE_FORMAT:
        return info_bytes(a, &m->format, sizeof m->format);
    case CL_IMAGE_ELEMENT_SIZE:
        return INFO(a, size_t, m->texel);
    case CL_IMAGE_ROW_PITCH:
        return INFO(a, size_t, m->desc.image_row_pitch);
    case CL_IMAGE_SLICE_PITCH:
        return INFO(a, size_t, m->desc.image_slice_pitch);
    case CL_IMAGE_WIDTH:
        return INFO(a, size_t, size[0]);
    case CL_IMAGE_HEIGHT:
        return INFO(a, size_t, dims > 1 ? size[1] : 0);
    case CL_IMAGE_DEPTH:
        return INFO(a, size_t, dims > 2 ? size[2] : 0);
    case CL_IMAGE_ARRAY_SIZE:
        return INFO(a, size_t, s->layers ? size[dims] : 0);
    case CL_IMAGE_BUFFER:
        return INFO(a, cl_mem, m->parent);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES:
        return INFO(a, cl_uint, 0);
    default:
        return FAIL(CL_INVALID_VALUE, "no image information 0x%x", what);
    }
}
