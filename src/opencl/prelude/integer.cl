/* src/opencl/prelude/integer.cl - functions of integers that come out wrong:
 * libclc's mad_sat of a long 0, and rotations of 64 bits by 64 or more, for
 * which clang 14 forgets the modulus. */
#ifndef HEDDLE_INTEGER_CL
#define HEDDLE_INTEGER_CL

#define HEDDLE_OWN_INTEGER __attribute__((overloadable, always_inline)) static

/* Not written as clang would know it again. */
#define HEDDLE_ROTATE(T, c)                                                    \
    HEDDLE_OWN_INTEGER T heddle_rotate(T x, T y) __asm__("_Z6rotate" c);       \
    HEDDLE_OWN_INTEGER T heddle_rotate(T x, T y)                               \
    {                                                                          \
        uint n = (uint)y & 63;                                                 \
                                                                               \
        return (T)((ulong)x << n | (ulong)x >> 1 >> (63 - n));                 \
    }
HEDDLE_ROTATE(long, "ll")
HEDDLE_ROTATE(ulong, "mm")
#define HEDDLE_ROTATE_N(T, n, c, last)                                         \
    HEDDLE_OWN_INTEGER T##n heddle_rotate(T##n x, T##n y) __asm__(             \
        "_Z6rotateDv" #n "_" c "S_");                                          \
    HEDDLE_OWN_INTEGER T##n heddle_rotate(T##n x, T##n y)                      \
    {                                                                          \
        return (T##n)(heddle_rotate(x.lo, y.lo),                               \
                      heddle_rotate(x.last, y.last));                          \
    }
#define HEDDLE_ROTATES(T, c)                                                   \
    HEDDLE_ROTATE_N(T, 2, c, hi)                                               \
    HEDDLE_ROTATE_N(T, 3, c, z)                                                \
    HEDDLE_ROTATE_N(T, 4, c, hi)                                               \
    HEDDLE_ROTATE_N(T, 8, c, hi)                                               \
    HEDDLE_ROTATE_N(T, 16, c, hi)
HEDDLE_ROTATES(long, "l")
HEDDLE_ROTATES(ulong, "m")

/* x * y + z as 128 bits. */
HEDDLE_OWN_INTEGER long heddle_mad_sat(long x, long y,
                                       long z) __asm__("_Z7mad_satlll");
HEDDLE_OWN_INTEGER long heddle_mad_sat(long x, long y, long z)
{
    ulong product = (ulong)x * (ulong)y, low = product + (ulong)z;
    long high = mul_hi(x, y) + (z >> 63) + (low < product);

    return high == (long)low >> 63 ? (long)low : high < 0 ? LONG_MIN : LONG_MAX;
}
#define HEDDLE_MAD_SAT(n, last)                                                \
    HEDDLE_OWN_INTEGER long##n heddle_mad_sat(                                 \
        long##n x, long##n y, long##n z) __asm__("_Z7mad_satDv" #n "_lS_S_");  \
    HEDDLE_OWN_INTEGER long##n heddle_mad_sat(long##n x, long##n y, long##n z) \
    {                                                                          \
        return (long##n)(heddle_mad_sat(x.lo, y.lo, z.lo),                     \
                         heddle_mad_sat(x.last, y.last, z.last));              \
    }
HEDDLE_MAD_SAT(2, hi)
HEDDLE_MAD_SAT(3, z)
HEDDLE_MAD_SAT(4, hi)
HEDDLE_MAD_SAT(8, hi)
HEDDLE_MAD_SAT(16, hi)

#if __OPENCL_C_VERSION__ >= 200
/* As many bits as are below the lowest; all for 0. */
#define HEDDLE_CTZ(T, c)                                                       \
    HEDDLE_OWN_INTEGER T heddle_ctz(T x) __asm__("_Z3ctz" c);                  \
    HEDDLE_OWN_INTEGER T heddle_ctz(T x) { return popcount((x & -x) - (T)1); }
#define HEDDLE_CTZ_ALL(T, c)                                                   \
    HEDDLE_OWN_INTEGER T heddle_ctz(T x) __asm__("_Z3ctz" c);                  \
    HEDDLE_OWN_INTEGER T heddle_ctz(T x)                                       \
    {                                                                          \
        return popcount((T)((x & -x) - 1));                                    \
    }                                                                          \
    HEDDLE_CTZ(T##2, "Dv2_" c)                                                 \
    HEDDLE_CTZ(T##3, "Dv3_" c)                                                 \
    HEDDLE_CTZ(T##4, "Dv4_" c)                                                 \
    HEDDLE_CTZ(T##8, "Dv8_" c)                                                 \
    HEDDLE_CTZ(T##16, "Dv16_" c)
HEDDLE_CTZ_ALL(char, "c")
HEDDLE_CTZ_ALL(uchar, "h")
HEDDLE_CTZ_ALL(short, "s")
HEDDLE_CTZ_ALL(ushort, "t")
HEDDLE_CTZ_ALL(int, "i")
HEDDLE_CTZ_ALL(uint, "j")
HEDDLE_CTZ_ALL(long, "l")
HEDDLE_CTZ_ALL(ulong, "m")
#endif

#endif
