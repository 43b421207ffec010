/* workloads/cuda/lite/texture.h - texture and surface objects, which are
 * handles of 64 bits [CUDA12:texture-objects]. */
#ifndef CUDA_LITE_TEXTURE_H
#define CUDA_LITE_TEXTURE_H

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

template <class LiteType>
CUDA_LITE LiteType tex1Dfetch(cudaTextureObject_t t, int x);
template <class LiteType>
CUDA_LITE LiteType tex1D(cudaTextureObject_t t, float x);
template <class LiteType>
CUDA_LITE LiteType tex2D(cudaTextureObject_t t, float x, float y);
template <class LiteType>
CUDA_LITE LiteType tex3D(cudaTextureObject_t t, float x, float y, float z);

/* All four values of a texel; types of one and two have the first of them. */
#define CUDA_LITE_SPECIAL                                                      \
    template <> __device__ __forceinline__ __attribute__((nodebug))
#define CUDA_LITE_TEX(LiteType, four, bits, reg, first)                        \
    CUDA_LITE_SPECIAL LiteType tex1Dfetch<LiteType>(cudaTextureObject_t t,     \
                                                    int x)                     \
    {                                                                          \
        four v;                                                                \
                                                                               \
        __asm__("tex.1d.v4." bits ".s32 {%0, %1, %2, %3}, [%4, {%5}];"         \
                : "=" reg(v.x), "=" reg(v.y), "=" reg(v.z), "=" reg(v.w)       \
                : "l"(t), "r"(x));                                             \
        return first;                                                          \
    }                                                                          \
    CUDA_LITE_SPECIAL LiteType tex1D<LiteType>(cudaTextureObject_t t, float x) \
    {                                                                          \
        four v;                                                                \
                                                                               \
        __asm__("tex.1d.v4." bits ".f32 {%0, %1, %2, %3}, [%4, {%5}];"         \
                : "=" reg(v.x), "=" reg(v.y), "=" reg(v.z), "=" reg(v.w)       \
                : "l"(t), "f"(x));                                             \
        return first;                                                          \
    }                                                                          \
    CUDA_LITE_SPECIAL LiteType tex2D<LiteType>(cudaTextureObject_t t, float x, \
                                               float y)                        \
    {                                                                          \
        four v;                                                                \
                                                                               \
        __asm__("tex.2d.v4." bits ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"     \
                : "=" reg(v.x), "=" reg(v.y), "=" reg(v.z), "=" reg(v.w)       \
                : "l"(t), "f"(x), "f"(y));                                     \
        return first;                                                          \
    }                                                                          \
    CUDA_LITE_SPECIAL LiteType tex3D<LiteType>(cudaTextureObject_t t, float x, \
                                               float y, float z)               \
    {                                                                          \
        four v;                                                                \
                                                                               \
        __asm__("tex.3d.v4." bits                                              \
                ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"               \
                : "=" reg(v.x), "=" reg(v.y), "=" reg(v.z), "=" reg(v.w)       \
                : "l"(t), "f"(x), "f"(y), "f"(z));                             \
        return first;                                                          \
    }
#define CUDA_LITE_XY                                                           \
    {                                                                          \
        v.x, v.y                                                               \
    }
CUDA_LITE_TEX(float, float4, "f32", "f", v.x)
CUDA_LITE_TEX(float2, float4, "f32", "f", CUDA_LITE_XY)
CUDA_LITE_TEX(float4, float4, "f32", "f", v)
CUDA_LITE_TEX(int, int4, "s32", "r", v.x)
CUDA_LITE_TEX(int2, int4, "s32", "r", CUDA_LITE_XY)
CUDA_LITE_TEX(int4, int4, "s32", "r", v)
CUDA_LITE_TEX(unsigned, uint4, "u32", "r", v.x)
CUDA_LITE_TEX(uint2, uint4, "u32", "r", CUDA_LITE_XY)
CUDA_LITE_TEX(uint4, uint4, "u32", "r", v)

template <class LiteType>
CUDA_LITE void surf2Dwrite(LiteType v, cudaSurfaceObject_t s, int x, int y);
template <class LiteType>
CUDA_LITE LiteType surf2Dread(cudaSurfaceObject_t s, int x, int y);
#define CUDA_LITE_SURF(LiteType)                                               \
    CUDA_LITE_SPECIAL void surf2Dwrite<LiteType>(                              \
        LiteType v, cudaSurfaceObject_t s, int x, int y)                       \
    {                                                                          \
        __asm__ volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(s),  \
                         "r"(x), "r"(y), "r"(__builtin_bit_cast(int, v))       \
                         : "memory");                                          \
    }                                                                          \
    CUDA_LITE_SPECIAL LiteType surf2Dread<LiteType>(cudaSurfaceObject_t s,     \
                                                    int x, int y)              \
    {                                                                          \
        int v;                                                                 \
                                                                               \
        __asm__ volatile("suld.b.2d.b32.trap {%0}, [%1, {%2, %3}];"            \
                         : "=r"(v)                                             \
                         : "l"(s), "r"(x), "r"(y)                              \
                         : "memory");                                          \
        return __builtin_bit_cast(LiteType, v);                                \
    }
CUDA_LITE_SURF(float)
CUDA_LITE_SURF(int)
CUDA_LITE_SURF(unsigned)

#endif
