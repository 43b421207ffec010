/* src/opencl/prelude/images.cl - images and samplers of OpenCL C for PTX, which
 * clang declares but does not translate [OCL12:image-functions]. An image or
 * sampler is a handle of 64 bits. With HEDDLE_SAMPLERS samplers can be
 * constants. */
#ifndef HEDDLE_OPENCL_IMAGES_H
#define HEDDLE_OPENCL_IMAGES_H

#ifdef cl_khr_3d_image_writes
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#endif

#ifdef HEDDLE_SAMPLERS
/* clang calls it for constants; the handle has the sampler in bits 31..20. Each
 * unit of a program has its own, as of everything here. */
__attribute__((used, always_inline)) static const constant void *
__translate_sampler_initializer(int bits)
{
    return (const constant void *)(ulong)((uint)bits << 20);
}
#endif

/* The layer of an array: the nearest, not below 0; the hardware sees to the
 * last [OCL12:image-addressing]. */
HEDDLE_INLINE uint heddle_layer(int z) { return (uint)max(z, 0); }
HEDDLE_INLINE uint heddle_layer(float z)
{
    return (uint)max(convert_int_rte(z), 0);
}

/* Reads without a sampler use number 0: nearest, texels [OCL12:sampler-less].
 * at: the operand of PTX; ...: what it reads, from %6 on. */
#define HEDDLE_TEX(geom, type, reg, ctype, at, ...)                            \
    __asm__("tex." geom ".v4." type "." ctype                                  \
            " {%0, %1, %2, %3}, [%4, %5, " at "];"                             \
            : "=" reg(r.x), "=" reg(r.y), "=" reg(r.z), "=" reg(r.w)           \
            : "l"(image), "l"(sampler), __VA_ARGS__)

#define HEDDLE_READ_ONE(name, T, type, reg, image_type, geom, C, ctype, at,    \
                        ...)                                                   \
    HEDDLE_INLINE T name(read_only image_type image, sampler_t sampler, C c)   \
    {                                                                          \
        T r;                                                                   \
                                                                               \
        HEDDLE_TEX(geom, type, reg, ctype, at, __VA_ARGS__);                   \
        return r;                                                              \
    }
#define HEDDLE_READ_BARE(name, T, type, reg, image_type, geom, C, ctype, at,   \
                         ...)                                                  \
    HEDDLE_INLINE T name(read_only image_type image, C c)                      \
    {                                                                          \
        ulong sampler = 0;                                                     \
        T r;                                                                   \
                                                                               \
        HEDDLE_TEX(geom, type, reg, ctype, at, __VA_ARGS__);                   \
        return r;                                                              \
    }

/* With integer coordinates there are both, with floats only those with a
 * sampler. */
#define HEDDLE_READ_AT(name, T, type, reg, image_type, geom, int_c, float_c,   \
                       at, ints, floats)                                       \
    HEDDLE_READ_ONE(name, T, type, reg, image_type, geom, int_c, "s32", at,    \
                    HEDDLE_LIST ints)                                          \
    HEDDLE_READ_ONE(name, T, type, reg, image_type, geom, float_c, "f32", at,  \
                    HEDDLE_LIST floats)                                        \
    HEDDLE_READ_BARE(name, T, type, reg, image_type, geom, int_c, "s32", at,   \
                     HEDDLE_LIST ints)
#define HEDDLE_LIST(...) __VA_ARGS__

#define HEDDLE_READ(name, T, type, reg)                                        \
    HEDDLE_READ_AT(name, T, type, reg, image1d_t, "1d", int, float, "{%6}",    \
                   ("r"(c)), ("f"(c)))                                         \
    HEDDLE_READ_BARE(name, T, type, reg, image1d_buffer_t, "1d", int, "s32",   \
                     "{%6}", "r"(c))                                           \
    HEDDLE_READ_AT(name, T, type, reg, image1d_array_t, "a1d", int2, float2,   \
                   "{%6, %7}", ("r"(heddle_layer(c.y)), "r"(c.x)),             \
                   ("r"(heddle_layer(c.y)), "f"(c.x)))                         \
    HEDDLE_READ_AT(name, T, type, reg, image2d_t, "2d", int2, float2,          \
                   "{%6, %7}", ("r"(c.x), "r"(c.y)), ("f"(c.x), "f"(c.y)))     \
    HEDDLE_READ_AT(name, T, type, reg, image2d_array_t, "a2d", int4, float4,   \
                   "{%6, %7, %8, %8}",                                         \
                   ("r"(heddle_layer(c.z)), "r"(c.x), "r"(c.y)),               \
                   ("r"(heddle_layer(c.z)), "f"(c.x), "f"(c.y)))               \
    HEDDLE_READ_AT(name, T, type, reg, image3d_t, "3d", int4, float4,          \
                   "{%6, %7, %8, %8}", ("r"(c.x), "r"(c.y), "r"(c.z)),         \
                   ("f"(c.x), "f"(c.y), "f"(c.z)))

HEDDLE_READ(heddle_read_imagef, float4, "f32", "f")
HEDDLE_READ(heddle_read_imagei, int4, "s32", "r")
HEDDLE_READ(heddle_read_imageui, uint4, "u32", "r")

#define HEDDLE_WRITE_ONE(name, T, image_type, geom, C, at, ...)                \
    HEDDLE_INLINE void name(write_only image_type image, C c, T v)             \
    {                                                                          \
        uint4 w = as_uint4(v);                                                 \
                                                                               \
        __asm__ volatile("sust.p." geom ".v4.b32.trap [%4, " at                \
                         "], {%0, %1, %2, %3};" ::"r"(w.x),                    \
                         "r"(w.y), "r"(w.z), "r"(w.w), "l"(image), __VA_ARGS__ \
                         : "memory");                                          \
    }
#ifdef cl_khr_3d_image_writes
#define HEDDLE_WRITE_3D(name, T)                                               \
    HEDDLE_WRITE_ONE(name, T, image3d_t, "3d", int4, "{%5, %6, %7, %7}",       \
                     "r"(c.x), "r"(c.y), "r"(c.z))
#else
#define HEDDLE_WRITE_3D(name, T)
#endif
#define HEDDLE_WRITE(name, T)                                                  \
    HEDDLE_WRITE_ONE(name, T, image1d_t, "1d", int, "{%5}", "r"(c))            \
    HEDDLE_WRITE_ONE(name, T, image1d_buffer_t, "1d", int, "{%5}", "r"(c))     \
    HEDDLE_WRITE_ONE(name, T, image1d_array_t, "a1d", int2, "{%5, %6}",        \
                     "r"(c.y), "r"(c.x))                                       \
    HEDDLE_WRITE_ONE(name, T, image2d_t, "2d", int2, "{%5, %6}", "r"(c.x),     \
                     "r"(c.y))                                                 \
    HEDDLE_WRITE_ONE(name, T, image2d_array_t, "a2d", int4,                    \
                     "{%5, %6, %7, %7}", "r"(c.z), "r"(c.x), "r"(c.y))         \
    HEDDLE_WRITE_3D(name, T)

HEDDLE_WRITE(heddle_write_imagef, float4)
HEDDLE_WRITE(heddle_write_imagei, int4)
HEDDLE_WRITE(heddle_write_imageui, uint4)

#define HEDDLE_ASK(name, T, query, image_type)                                 \
    __attribute__((overloadable, always_inline, const)) static T name(         \
        image_type image)                                                      \
    {                                                                          \
        T r;                                                                   \
                                                                               \
        __asm__("txq." query ".b32 %0, [%1];" : "=r"(r) : "l"(image));         \
        return r;                                                              \
    }
#define HEDDLE_ASK_EACH(name, T, query, access)                                \
    HEDDLE_ASK(name, T, query, access image1d_t)                               \
    HEDDLE_ASK(name, T, query, access image1d_buffer_t)                        \
    HEDDLE_ASK(name, T, query, access image1d_array_t)                         \
    HEDDLE_ASK(name, T, query, access image2d_t)                               \
    HEDDLE_ASK(name, T, query, access image2d_array_t)                         \
    HEDDLE_ASK_3D(name, T, query, access)
#define HEDDLE_ASK_read_only(name, T, query)                                   \
    HEDDLE_ASK(name, T, query, read_only image3d_t)
#ifdef cl_khr_3d_image_writes
#define HEDDLE_ASK_write_only(name, T, query)                                  \
    HEDDLE_ASK(name, T, query, write_only image3d_t)
#else
#define HEDDLE_ASK_write_only(name, T, query)
#endif
#define HEDDLE_ASK_3D(name, T, query, access)                                  \
    HEDDLE_ASK_##access(name, T, query)
#define HEDDLE_ASK_ALL(name, T, query)                                         \
    HEDDLE_ASK_EACH(name, T, query, read_only)                                 \
    HEDDLE_ASK_EACH(name, T, query, write_only)

HEDDLE_ASK_ALL(heddle_image_width, int, "width")
HEDDLE_ASK_ALL(heddle_image_height, int, "height")
HEDDLE_ASK_ALL(heddle_image_depth, int, "depth")
HEDDLE_ASK_ALL(heddle_image_type, int, "channel_data_type")
HEDDLE_ASK_ALL(heddle_image_order, int, "channel_order")
HEDDLE_ASK_ALL(heddle_image_layers, uint, "array_size")

#define HEDDLE_DIM(access)                                                     \
    HEDDLE_INLINE int2 heddle_image_dim(access image2d_t image)                \
    {                                                                          \
        return (int2)(heddle_image_width(image), heddle_image_height(image));  \
    }                                                                          \
    HEDDLE_INLINE int2 heddle_image_dim(access image2d_array_t image)          \
    {                                                                          \
        return (int2)(heddle_image_width(image), heddle_image_height(image));  \
    }
HEDDLE_DIM(read_only)
HEDDLE_DIM(write_only)
HEDDLE_INLINE int4 heddle_image_dim(read_only image3d_t image)
{
    return (int4)(heddle_image_width(image), heddle_image_height(image),
                  heddle_image_depth(image), 0);
}
#ifdef cl_khr_3d_image_writes
HEDDLE_INLINE int4 heddle_image_dim(write_only image3d_t image)
{
    return (int4)(heddle_image_width(image), heddle_image_height(image),
                  heddle_image_depth(image), 0);
}
#endif

#define read_imagef                 heddle_read_imagef
#define read_imagei                 heddle_read_imagei
#define read_imageui                heddle_read_imageui
#define write_imagef                heddle_write_imagef
#define write_imagei                heddle_write_imagei
#define write_imageui               heddle_write_imageui
#define get_image_width             heddle_image_width
#define get_image_height            heddle_image_height
#define get_image_depth             heddle_image_depth
#define get_image_dim               heddle_image_dim
#define get_image_array_size        heddle_image_layers
#define get_image_channel_data_type heddle_image_type
#define get_image_channel_order     heddle_image_order

#endif
