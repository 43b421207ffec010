/* src/opencl/prelude/convert.cl - conversions that libclc gets wrong: NaNs with
 * _sat are not 0, integers near the ends of their ranges are rounded twice.
 * The machine has each in one instruction [PTX85:cvt]. */
#ifndef HEDDLE_CONVERT_CL
#define HEDDLE_CONVERT_CL

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define HEDDLE_OWN_CONVERT __attribute__((overloadable, always_inline)) static

/* heddle_to_LAST of a vector by halves; `length` is that of its name. */
#define HEDDLE_CONVERT_N(to, from, n, length, last, mangled, high)             \
    HEDDLE_OWN_CONVERT to##n heddle_to_##to##last(from##n x) __asm__(          \
        "_Z" length "convert_" #to #n #last "Dv" #n "_" mangled);              \
    HEDDLE_OWN_CONVERT to##n heddle_to_##to##last(from##n x)                   \
    {                                                                          \
        return (to##n)(heddle_to_##to##last(x.lo),                             \
                       heddle_to_##to##last(x.high));                          \
    }
/* Lengths of the names of scalars, of vectors up to 8 and of 16. */
#define HEDDLE_CONVERT_ONE(to, from, last, l1, l2, l16, mangled, ...)          \
    HEDDLE_OWN_CONVERT to heddle_to_##to##last(from x) __asm__(                \
        "_Z" l1 "convert_" #to #last mangled);                                 \
    HEDDLE_OWN_CONVERT to heddle_to_##to##last(from x)                         \
    {                                                                          \
        to v;                                                                  \
                                                                               \
        __VA_ARGS__                                                            \
        return v;                                                              \
    }                                                                          \
    HEDDLE_CONVERT_N(to, from, 2, l2, last, mangled, hi)                       \
    HEDDLE_CONVERT_N(to, from, 3, l2, last, mangled, z)                        \
    HEDDLE_CONVERT_N(to, from, 4, l2, last, mangled, hi)                       \
    HEDDLE_CONVERT_N(to, from, 8, l2, last, mangled, hi)                       \
    HEDDLE_CONVERT_N(to, from, 16, l16, last, mangled, hi)

/* The instruction saturates without being asked. */
#define HEDDLE_SAT(to, from, last, l1, l2, l16, mangled, ptx, out, in)         \
    HEDDLE_CONVERT_ONE(to, from, last, l1, l2, l16, mangled,                   \
                       __asm__("cvt." ptx " %0, %1;"                           \
                               : "=" out(v)                                    \
                               : in(x));                                       \
                       v = x == x ? v : 0;)
#define HEDDLE_SATS(to, from, mangled, ptx, out, in, l1, l2, l16, m1, m2, m16) \
    HEDDLE_SAT(to, from, _sat, l1, l2, l16, mangled, "rzi." ptx, out, in)      \
    HEDDLE_SAT(to, from, _sat_rte, m1, m2, m16, mangled, "rni." ptx, out, in)  \
    HEDDLE_SAT(to, from, _sat_rtz, m1, m2, m16, mangled, "rzi." ptx, out, in)  \
    HEDDLE_SAT(to, from, _sat_rtp, m1, m2, m16, mangled, "rpi." ptx, out, in)  \
    HEDDLE_SAT(to, from, _sat_rtn, m1, m2, m16, mangled, "rmi." ptx, out, in)
HEDDLE_SATS(long, float, "f", "s64.f32", "l", "f", "16", "17", "18", "20", "21",
            "22")
HEDDLE_SATS(ulong, float, "f", "u64.f32", "l", "f", "17", "18", "19", "21",
            "22", "23")
#ifdef cl_khr_fp64
HEDDLE_SATS(short, double, "d", "s16.f64", "h", "d", "17", "18", "19", "21",
            "22", "23")
HEDDLE_SATS(ushort, double, "d", "u16.f64", "h", "d", "18", "19", "20", "22",
            "23", "24")
HEDDLE_SATS(int, double, "d", "s32.f64", "r", "d", "15", "16", "17", "19", "20",
            "21")
HEDDLE_SATS(uint, double, "d", "u32.f64", "r", "d", "16", "17", "18", "20",
            "21", "22")
HEDDLE_SATS(long, double, "d", "s64.f64", "l", "d", "16", "17", "18", "20",
            "21", "22")
HEDDLE_SATS(ulong, double, "d", "u64.f64", "l", "d", "17", "18", "19", "21",
            "22", "23")
#endif

#define HEDDLE_ROUND(to, from, last, l1, l2, l16, mangled, ptx, out, in)       \
    HEDDLE_CONVERT_ONE(to, from, last, l1, l2, l16, mangled,                   \
                       __asm__("cvt." ptx " %0, %1;"                           \
                               : "=" out(v)                                    \
                               : in(x));)
#define HEDDLE_ROUNDS(to, from, mangled, ptx, out, in, l1, l2, l16)            \
    HEDDLE_ROUND(to, from, _rtz, l1, l2, l16, mangled, "rz." ptx, out, in)     \
    HEDDLE_ROUND(to, from, _rtp, l1, l2, l16, mangled, "rp." ptx, out, in)     \
    HEDDLE_ROUND(to, from, _rtn, l1, l2, l16, mangled, "rm." ptx, out, in)
HEDDLE_ROUNDS(float, int, "i", "f32.s32", "f", "r", "17", "18", "19")
HEDDLE_ROUNDS(float, uint, "j", "f32.u32", "f", "r", "17", "18", "19")
HEDDLE_ROUNDS(float, long, "l", "f32.s64", "f", "l", "17", "18", "19")
HEDDLE_ROUNDS(float, ulong, "m", "f32.u64", "f", "l", "17", "18", "19")
#ifdef cl_khr_fp64
HEDDLE_ROUNDS(double, long, "l", "f64.s64", "d", "l", "18", "19", "20")
HEDDLE_ROUNDS(double, ulong, "m", "f64.u64", "d", "l", "18", "19", "20")
#endif

#endif
