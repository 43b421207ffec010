/* Formats of images. */
#include "opencl/memory/image_object.h"

/* ---- One format ---- */

static tex_order channel_order_of(const cl_image_format *f)
{
    return (tex_order)(f->image_channel_order - TEX_CL_ORDER);
}

static tex_type type_of(const cl_image_format *f)
{
    return (tex_type)(f->image_channel_data_type - TEX_CL_TYPE);
}

/* Types that go with orders of one colour [OCL30:image-formats]. */
static bool is_shade_type(cl_channel_type type)
{
    switch (type) {
    case CL_UNORM_INT8:
    case CL_UNORM_INT16:
    case CL_SNORM_INT8:
    case CL_SNORM_INT16:
    case CL_HALF_FLOAT:
    case CL_FLOAT:
        return true;
    default:
        return false;
    }
}

static bool is_byte_type(cl_channel_type type)
{
    return type == CL_UNORM_INT8 || type == CL_SNORM_INT8 ||
           type == CL_SIGNED_INT8 || type == CL_UNSIGNED_INT8;
}

static bool is_packed_type(cl_channel_type type)
{
    return type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555 ||
           type == CL_UNORM_INT_101010 || type == CL_UNORM_INT_101010_2;
}

/* Is it a pair that the specification has? */
static bool is_pair(cl_channel_order order, cl_channel_type type)
{
    if (type < CL_SNORM_INT8 || type > CL_UNORM_INT_101010_2)
        return false;
    switch (order) {
    case CL_INTENSITY:
    case CL_LUMINANCE:
        return is_shade_type(type);
    case CL_RGB:
    case CL_RGBx:
        return is_packed_type(type);
    case CL_BGRA:
    case CL_ARGB:
    case CL_ABGR:
        return is_byte_type(type);
    case CL_DEPTH:
        return type == CL_UNORM_INT16 || type == CL_FLOAT;
    case CL_DEPTH_STENCIL:
        return false;
    case CL_sRGB:
    case CL_sRGBx:
    case CL_sRGBA:
    case CL_sBGRA:
        return type == CL_UNORM_INT8;
    default:
        return order >= CL_R && order <= CL_ABGR && !is_packed_type(type);
    }
}

cl_int format_check(const char *function, const cl_image_format *f)
{
    if (!f)
        return ocl_fail(function, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                        "there is no format");
    if (!is_pair(f->image_channel_order, f->image_channel_data_type))
        return ocl_fail(function, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                        "no format has order 0x%x and type 0x%x",
                        f->image_channel_order, f->image_channel_data_type);
    return CL_SUCCESS;
}

/* Orders with an x in their name would need a border colour of their own. */
bool format_supported(const cl_image_format *f)
{
    return is_pair(f->image_channel_order, f->image_channel_data_type) &&
           f->image_channel_order < CL_Rx && format_bytes(f);
}

size_t format_bytes(const cl_image_format *f)
{
    if (channel_order_of(f) >= TEX_ORDERS || type_of(f) >= TEX_TYPES)
        return 0;
    return tex_format_bytes(channel_order_of(f), type_of(f));
}

/* ---- The list ---- */

static bool is_image_type(cl_mem_object_type type)
{
    return type >= CL_MEM_OBJECT_IMAGE2D &&
           type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

/* All that are supported; their number. */
static cl_uint list_formats(cl_image_format *to, cl_uint room)
{
    cl_uint n = 0;

    for (cl_channel_order o = CL_R; o < CL_Rx; o++)
        for (cl_channel_type t = CL_SNORM_INT8; t <= CL_FLOAT; t++) {
            cl_image_format f = {o, t};

            if (!format_supported(&f))
                continue;
            if (to && n < room)
                to[n] = f;
            n++;
        }
    return n;
}

cl_int clGetSupportedImageFormats(cl_context c, cl_mem_flags flags,
                                  cl_mem_object_type type, cl_uint room,
                                  cl_image_format *to, cl_uint *count)
{
    const cl_mem_flags both = CL_MEM_KERNEL_READ_AND_WRITE;
    cl_int code;
    OCL_LOCK();

    if (!object_is(c, OCL_CONTEXT))
        return FAIL(CL_INVALID_CONTEXT, "%p is no context", (void *)c);
    if ((code = mem_check_flags(__func__, flags & ~both)) != CL_SUCCESS)
        return code;
    if (!is_image_type(type))
        return FAIL(CL_INVALID_VALUE, "0x%x is no type of images", type);
    if (to && !room)
        return FAIL(CL_INVALID_VALUE, "there is room for no format");
    /* No kernel reads and writes the same image. */
    cl_uint n = flags & both ? 0 : list_formats(to, room);
    if (count)
        *count = n;
    return CL_SUCCESS;
}
