/* workloads/cuda/lite/vector.h - CUDA's vector types, with their alignment
 * [CUDA12:built-in-vector-types], and make_NAME of each; dim3. */
#ifndef CUDA_LITE_VECTOR_H
#define CUDA_LITE_VECTOR_H

#define CUDA_LITE_BOTH                                                         \
    static inline __attribute__((host, device, always_inline, nodebug))
/* Structures, for which programs define operators of their own. With
 * CUDA_LITE_EXT_VECTORS they are the compiler's vectors, which it moves by one
 * instruction also where it does not so with structures: the PTX that is kept
 * beside the workloads has these. */
#ifdef CUDA_LITE_EXT_VECTORS
#define CUDA_LITE_EVEN(name, base, two, four)                                  \
    typedef base name##2 __attribute__((ext_vector_type(2)));                  \
    typedef base name##4 __attribute__((ext_vector_type(4)));
#else
#define CUDA_LITE_EVEN(name, base, two, four)                                  \
    struct __attribute__((aligned(two))) name##2 { base x, y; };               \
    struct __attribute__((aligned(four))) name##4 { base x, y, z, w; };
#endif
#define CUDA_LITE_VECTORS(name, base, two, four)                               \
    CUDA_LITE_EVEN(name, base, two, four)                                      \
    struct name##1 { base x; };                                                \
    struct name##3 { base x, y, z; };                                          \
    CUDA_LITE_BOTH name##1 make_##name##1(base x) { return {x}; }              \
    CUDA_LITE_BOTH name##2 make_##name##2(base x, base y) { return {x, y}; }   \
    CUDA_LITE_BOTH name##3 make_##name##3(base x, base y, base z)              \
    {                                                                          \
        return {x, y, z};                                                      \
    }                                                                          \
    CUDA_LITE_BOTH name##4 make_##name##4(base x, base y, base z, base w)      \
    {                                                                          \
        return {x, y, z, w};                                                   \
    }

CUDA_LITE_VECTORS(char, signed char, 2, 4)
CUDA_LITE_VECTORS(uchar, unsigned char, 2, 4)
CUDA_LITE_VECTORS(short, short, 4, 8)
CUDA_LITE_VECTORS(ushort, unsigned short, 4, 8)
CUDA_LITE_VECTORS(int, int, 8, 16)
CUDA_LITE_VECTORS(uint, unsigned, 8, 16)
CUDA_LITE_VECTORS(long, long, 16, 16)
CUDA_LITE_VECTORS(ulong, unsigned long, 16, 16)
CUDA_LITE_VECTORS(longlong, long long, 16, 16)
CUDA_LITE_VECTORS(ulonglong, unsigned long long, 16, 16)
CUDA_LITE_VECTORS(float, float, 8, 16)
CUDA_LITE_VECTORS(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    __attribute__((host, device, nodebug)) constexpr dim3(unsigned a = 1,
                                                          unsigned b = 1,
                                                          unsigned c = 1)
        : x(a), y(b), z(c)
    {
    }
    __attribute__((host, device, nodebug)) constexpr dim3(uint3 v)
        : x(v.x), y(v.y), z(v.z)
    {
    }
    __attribute__((host, device, nodebug)) constexpr operator uint3() const
    {
        return {x, y, z};
    }
};

#endif
