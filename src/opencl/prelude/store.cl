/* src/opencl/prelude/store.cl - vstore_half: the machine's conversion, one
 * instruction [PTX85:cvt]. libclc's rounds tiny numbers up or down to 0. */
#ifndef HEDDLE_STORE_CL
#define HEDDLE_STORE_CL

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define HEDDLE_OWN_STORE __attribute__((overloadable, always_inline)) static

/* The 16 bits of a half. */
#define HEDDLE_BITS_N(mode, T, n, last)                                        \
    HEDDLE_OWN_STORE ushort##n heddle_bits##mode(T##n x)                       \
    {                                                                          \
        return (ushort##n)(heddle_bits##mode(x.lo),                            \
                           heddle_bits##mode(x.last));                         \
    }
#define HEDDLE_BITS(mode, ptx, T, from, in)                                    \
    HEDDLE_OWN_STORE ushort heddle_bits##mode(T x)                             \
    {                                                                          \
        ushort v;                                                              \
                                                                               \
        __asm__("cvt." ptx ".f16." from " %0, %1;" : "=h"(v) : in(x));         \
        return v;                                                              \
    }                                                                          \
    HEDDLE_BITS_N(mode, T, 2, hi)                                              \
    HEDDLE_BITS_N(mode, T, 3, z)                                               \
    HEDDLE_BITS_N(mode, T, 4, hi)                                              \
    HEDDLE_BITS_N(mode, T, 8, hi)                                              \
    HEDDLE_BITS_N(mode, T, 16, hi)
#define HEDDLE_BITS_MODES(T, from, in)                                         \
    HEDDLE_BITS(, "rn", T, from, in)                                           \
    HEDDLE_BITS(_rte, "rn", T, from, in)                                       \
    HEDDLE_BITS(_rtz, "rz", T, from, in)                                       \
    HEDDLE_BITS(_rtp, "rp", T, from, in)                                       \
    HEDDLE_BITS(_rtn, "rm", T, from, in)

/* `length` is that of the name, `from` and `mark` how the types are mangled. */
#define HEDDLE_STORE_AS(mode, V, length, name, from, space, mark, ...)         \
    HEDDLE_OWN_STORE void heddle_store_half##name##mode(                       \
        V v, size_t i,                                                         \
        space half *p) __asm__("_Z" length #name #mode from "mP" mark "Dh");   \
    HEDDLE_OWN_STORE void heddle_store_half##name##mode(V v, size_t i,         \
                                                        space half *p)         \
    {                                                                          \
        space ushort *to = (space ushort *)p;                                  \
                                                                               \
        __VA_ARGS__                                                            \
    }
#define HEDDLE_STORE_IN(mode, V, length, name, from, ...)                      \
    HEDDLE_STORE_AS(mode, V, length, name, from, global, "U3AS1", __VA_ARGS__) \
    HEDDLE_STORE_AS(mode, V, length, name, from, local, "U3AS3", __VA_ARGS__)  \
    HEDDLE_STORE_AS(mode, V, length, name, from, private, "", __VA_ARGS__)
/* l, la: lengths of the names without and with `a`; `aligned` says how the
 * latter stores. */
#define HEDDLE_STORE_N(mode, T, c, n, l, la, aligned)                          \
    HEDDLE_STORE_IN(mode, T##n, l, vstore_half##n, "Dv" #n "_" c,              \
                    vstore##n(heddle_bits##mode(v), i, to);)                   \
    HEDDLE_STORE_IN(mode, T##n, la, vstorea_half##n, "Dv" #n "_" c, aligned)
#define HEDDLE_STORE_MODE(mode, T, c, l1, l2, l3, l4)                          \
    HEDDLE_STORE_IN(mode, T, l1, vstore_half, c,                               \
                    to[i] = heddle_bits##mode(v);)                             \
    HEDDLE_STORE_N(mode, T, c, 2, l2, l3,                                      \
                   vstore2(heddle_bits##mode(v), i, to);)                      \
    HEDDLE_STORE_N(mode, T, c, 3, l2, l3,                                      \
                   vstore3(heddle_bits##mode(v), 0, to + 4 * i);)              \
    HEDDLE_STORE_N(mode, T, c, 4, l2, l3,                                      \
                   vstore4(heddle_bits##mode(v), i, to);)                      \
    HEDDLE_STORE_N(mode, T, c, 8, l2, l3,                                      \
                   vstore8(heddle_bits##mode(v), i, to);)                      \
    HEDDLE_STORE_N(mode, T, c, 16, l3, l4,                                     \
                   vstore16(heddle_bits##mode(v), i, to);)
#define HEDDLE_STORES(T, c, from, in)                                          \
    HEDDLE_BITS_MODES(T, from, in)                                             \
    HEDDLE_STORE_MODE(, T, c, "11", "12", "13", "14")                          \
    HEDDLE_STORE_MODE(_rte, T, c, "15", "16", "17", "18")                      \
    HEDDLE_STORE_MODE(_rtz, T, c, "15", "16", "17", "18")                      \
    HEDDLE_STORE_MODE(_rtp, T, c, "15", "16", "17", "18")                      \
    HEDDLE_STORE_MODE(_rtn, T, c, "15", "16", "17", "18")
HEDDLE_STORES(float, "f", "f32", "f")
#ifdef cl_khr_fp64
HEDDLE_STORES(double, "d", "f64", "d")
#endif

#endif
