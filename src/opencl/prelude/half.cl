/* src/opencl/prelude/half.cl - half precision. */
#ifndef HEDDLE_HALF_CL
#define HEDDLE_HALF_CL

#ifdef cl_khr_fp16
/* Half precision, which libclc lacks. clang declares these functions, but
 * forgets its overloads where we have one; so the bodies have other names here
 * and the right ones in the object, and are for inlining only. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define HEDDLE_BODY                                                            \
    extern inline __attribute__((gnu_inline, always_inline, overloadable))
#define HEDDLE_TO(type, x) __builtin_convertvector(x, type)
#ifdef HEDDLE_NEED_SUB_GROUP
HEDDLE_INLINE half heddle_shuffle(half x, uint lane)
{
    return as_half((short)heddle_shuffle((int)as_short(x), lane));
}
HEDDLE_SUB_GROUP(half, -INFINITY, INFINITY)
#endif
#ifdef HEDDLE_NEED_PRINTF
HEDDLE_PUTS(half, double)
#endif

#define HEDDLE_HALF_1(type, wide, mangled, f, prefix)                          \
    HEDDLE_BODY type heddle_half_##f(type x) __asm__(prefix mangled);          \
    HEDDLE_BODY type heddle_half_##f(type x)                                   \
    {                                                                          \
        return convert_##type(f(convert_##wide(x)));                           \
    }
#define HEDDLE_HALF_2(type, wide, mangled, same, f, prefix)                    \
    HEDDLE_BODY type heddle_half_##f(type x,                                   \
                                     type y) __asm__(prefix mangled same);     \
    HEDDLE_BODY type heddle_half_##f(type x, type y)                           \
    {                                                                          \
        return convert_##type(f(convert_##wide(x), convert_##wide(y)));        \
    }
#define HEDDLE_HALF_MATH(type, wide, mangled, same)                            \
    HEDDLE_HALF_1(type, wide, mangled, fabs, "_Z4fabs")                        \
    HEDDLE_HALF_1(type, wide, mangled, exp, "_Z3exp")                          \
    HEDDLE_HALF_1(type, wide, mangled, log, "_Z3log")                          \
    HEDDLE_HALF_1(type, wide, mangled, sqrt, "_Z4sqrt")                        \
    HEDDLE_HALF_1(type, wide, mangled, rsqrt, "_Z5rsqrt")                      \
    HEDDLE_HALF_1(type, wide, mangled, tanh, "_Z4tanh")                        \
    HEDDLE_HALF_1(type, wide, mangled, floor, "_Z5floor")                      \
    HEDDLE_HALF_2(type, wide, mangled, same, fmin, "_Z4fmin")                  \
    HEDDLE_HALF_2(type, wide, mangled, same, fmax, "_Z4fmax")                  \
    HEDDLE_HALF_2(type, wide, mangled, same, min, "_Z3min")                    \
    HEDDLE_HALF_2(type, wide, mangled, same, max, "_Z3max")                    \
    HEDDLE_HALF_2(type, wide, mangled, same, pow, "_Z3pow")                    \
    HEDDLE_BODY type heddle_half_mad(type x, type y, type z) __asm__(          \
        "_Z3mad" mangled same same);                                           \
    HEDDLE_BODY type heddle_half_mad(type x, type y, type z)                   \
    {                                                                          \
        return x * y + z;                                                      \
    }

/* Through doubles, which hold the product and nearly always the sum. */
#define HEDDLE_HALF_FMA(type, deep, mangled, same, to)                         \
    HEDDLE_BODY type heddle_half_fma(type x, type y, type z) __asm__(          \
        "_Z3fma" mangled same same);                                           \
    HEDDLE_BODY type heddle_half_fma(type x, type y, type z)                   \
    {                                                                          \
        return to(type, fma(to(deep, x), to(deep, y), to(deep, z)));           \
    }
#define HEDDLE_CAST(type, x) ((type)(x))

/* NAME converts a type of which NAME is mangled so to another. */
#define HEDDLE_CONVERT(to, name, from, mangled)                                \
    HEDDLE_BODY to heddle_##name(from x) __asm__(mangled);                     \
    HEDDLE_BODY to heddle_##name(from x) { return HEDDLE_TO(to, x); }
#define HEDDLE_HALF_CONVERT(n)                                                 \
    HEDDLE_CONVERT(half##n, convert_half##n, float##n,                         \
                   "_Z13convert_half" #n "Dv" #n "_f")                         \
    HEDDLE_CONVERT(float##n, convert_float##n, half##n,                        \
                   "_Z14convert_float" #n "Dv" #n "_Dh")                       \
    HEDDLE_CONVERT(half##n, convert_half##n##_rte, float##n,                   \
                   "_Z17convert_half" #n "_rteDv" #n "_f")

#define HEDDLE_HALF_LOAD(n, space, mangled)                                    \
    HEDDLE_BODY half##n heddle_vload##n(size_t i,                              \
                                        const space half *p) __asm__(mangled); \
    HEDDLE_BODY half##n heddle_vload##n(size_t i, const space half *p)         \
    {                                                                          \
        half##n v;                                                             \
                                                                               \
        for (uint k = 0; k < n; k++)                                           \
            v[k] = p[n * i + k];                                               \
        return v;                                                              \
    }
#define HEDDLE_HALF_STORE(n, space, mangled)                                   \
    HEDDLE_BODY void heddle_vstore##n(half##n v, size_t i,                     \
                                      space half *p) __asm__(mangled);         \
    HEDDLE_BODY void heddle_vstore##n(half##n v, size_t i, space half *p)      \
    {                                                                          \
        for (uint k = 0; k < n; k++)                                           \
            p[n * i + k] = v[k];                                               \
    }
#define HEDDLE_HALF_MEMORY(n)                                                  \
    HEDDLE_HALF_LOAD(n, private, "_Z6vload" #n "mPKDh")                        \
    HEDDLE_HALF_LOAD(n, global, "_Z6vload" #n "mPU3AS1KDh")                    \
    HEDDLE_HALF_LOAD(n, local, "_Z6vload" #n "mPU3AS3KDh")                     \
    HEDDLE_HALF_LOAD(n, constant, "_Z6vload" #n "mPU3AS4KDh")                  \
    HEDDLE_HALF_STORE(n, private, "_Z7vstore" #n "Dv" #n "_DhmPDh")            \
    HEDDLE_HALF_STORE(n, global, "_Z7vstore" #n "Dv" #n "_DhmPU3AS1Dh")        \
    HEDDLE_HALF_STORE(n, local, "_Z7vstore" #n "Dv" #n "_DhmPU3AS3Dh")
#define HEDDLE_HALF_VECTOR(n)                                                  \
    HEDDLE_HALF_CONVERT(n)                                                     \
    HEDDLE_HALF_MEMORY(n)                                                      \
    HEDDLE_HALF_MATH(half##n, float##n, "Dv" #n "_Dh", "S_")                   \
    HEDDLE_HALF_FMA(half##n, double##n, "Dv" #n "_Dh", "S_", HEDDLE_TO)
#define HEDDLE_HALF_INTEGER(n, type, mangled)                                  \
    HEDDLE_CONVERT(half##n, convert_half##n, type##n,                          \
                   "_Z13convert_half" #n "Dv" #n "_" mangled)
#define HEDDLE_HALF_INTEGERS(n)                                                \
    HEDDLE_HALF_INTEGER(n, char, "c")                                          \
    HEDDLE_HALF_INTEGER(n, uchar, "h")                                         \
    HEDDLE_HALF_INTEGER(n, short, "s")                                         \
    HEDDLE_HALF_INTEGER(n, ushort, "t")                                        \
    HEDDLE_HALF_INTEGER(n, int, "i")                                           \
    HEDDLE_HALF_INTEGER(n, uint, "j")
HEDDLE_HALF_INTEGERS(2)
HEDDLE_HALF_INTEGERS(4)
HEDDLE_HALF_INTEGERS(8)
HEDDLE_CONVERT(half16, convert_half16, float16, "_Z14convert_half16Dv16_f")
HEDDLE_CONVERT(float16, convert_float16, half16, "_Z15convert_float16Dv16_Dh")
HEDDLE_HALF_VECTOR(2)
HEDDLE_HALF_VECTOR(3)
HEDDLE_HALF_VECTOR(4)
HEDDLE_HALF_VECTOR(8)
HEDDLE_HALF_MATH(half, float, "Dh", "Dh")
HEDDLE_HALF_FMA(half, double, "Dh", "Dh", HEDDLE_CAST)

#define read_imageh(...) convert_half4(read_imagef(__VA_ARGS__))
#define write_imageh(image, at, color)                                         \
    write_imagef(image, at, convert_float4(color))

#define HEDDLE_SCALAR(to, name, from, mangled)                                 \
    HEDDLE_BODY to heddle_##name(from x) __asm__(mangled);                     \
    HEDDLE_BODY to heddle_##name(from x) { return (to)x; }
HEDDLE_SCALAR(half, convert_half, char, "_Z12convert_halfc")
HEDDLE_SCALAR(half, convert_half, uchar, "_Z12convert_halfh")
HEDDLE_SCALAR(half, convert_half, short, "_Z12convert_halfs")
HEDDLE_SCALAR(half, convert_half, ushort, "_Z12convert_halft")
HEDDLE_SCALAR(half, convert_half, int, "_Z12convert_halfi")
HEDDLE_SCALAR(half, convert_half, uint, "_Z12convert_halfj")
HEDDLE_SCALAR(half, convert_half, float, "_Z12convert_halff")
HEDDLE_SCALAR(half, convert_half_rte, float, "_Z16convert_half_rtef")
HEDDLE_SCALAR(float, convert_float, half, "_Z13convert_floatDh")
#endif
#endif
