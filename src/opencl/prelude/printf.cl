/* src/opencl/prelude/printf.cl - printf of OpenCL 1.2. */
#ifndef HEDDLE_PRINTF_CL
#define HEDDLE_PRINTF_CL

/* printf through the vprintf of the device's system calls: the arguments lie
 * in a buffer, each aligned to its size, promoted as in C [CUDA13:printf];
 * vectors element by element. */
int heddle_vprintf(ulong format, ulong arguments) __asm__("vprintf");

#define HEDDLE_PUT(type, as)                                                   \
    HEDDLE_INLINE uint heddle_put(char *to, uint at, type v)                   \
    {                                                                          \
        at = (at + sizeof(as) - 1) & -(uint)sizeof(as);                        \
        *(as *)(to + at) = (as)v;                                              \
        return at + sizeof(as);                                                \
    }
#define HEDDLE_PUTS(type, as)                                                  \
    HEDDLE_PUT(type, as)                                                       \
    HEDDLE_INLINE uint heddle_put(char *to, uint at, type##2 v)                \
    {                                                                          \
        return heddle_put(to, heddle_put(to, at, v.x), v.y);                   \
    }                                                                          \
    HEDDLE_INLINE uint heddle_put(char *to, uint at, type##3 v)                \
    {                                                                          \
        return heddle_put(to, heddle_put(to, at, v.xy), v.z);                  \
    }                                                                          \
    HEDDLE_INLINE uint heddle_put(char *to, uint at, type##4 v)                \
    {                                                                          \
        return heddle_put(to, heddle_put(to, at, v.xy), v.zw);                 \
    }                                                                          \
    HEDDLE_INLINE uint heddle_put(char *to, uint at, type##8 v)                \
    {                                                                          \
        return heddle_put(to, heddle_put(to, at, v.lo), v.hi);                 \
    }                                                                          \
    HEDDLE_INLINE uint heddle_put(char *to, uint at, type##16 v)               \
    {                                                                          \
        return heddle_put(to, heddle_put(to, at, v.lo), v.hi);                 \
    }
HEDDLE_PUTS(char, int)
HEDDLE_PUTS(uchar, int)
HEDDLE_PUTS(short, int)
HEDDLE_PUTS(ushort, int)
HEDDLE_PUTS(int, int)
HEDDLE_PUTS(uint, uint)
HEDDLE_PUTS(long, long)
HEDDLE_PUTS(ulong, ulong)
HEDDLE_PUTS(float, double)
HEDDLE_PUTS(double, double)
HEDDLE_PUT(bool, int)
HEDDLE_PUT(const global void *, ulong)
HEDDLE_PUT(const private void *, ulong)

HEDDLE_INLINE ulong heddle_generic(const constant void *p)
{
    ulong v;

    __asm__("cvta.const.u64 %0, %1;" : "=l"(v) : "l"((ulong)p));
    return v;
}
HEDDLE_INLINE ulong heddle_generic(const local void *p)
{
    ulong v;

    __asm__("cvta.shared.u64 %0, %1;" : "=l"(v) : "l"((ulong)p));
    return v;
}
HEDDLE_INLINE uint heddle_put(char *to, uint at, const constant void *v)
{
    return heddle_put(to, at, heddle_generic(v));
}
HEDDLE_INLINE uint heddle_put(char *to, uint at, const local void *v)
{
    return heddle_put(to, at, heddle_generic(v));
}

#define HEDDLE_EACH_0(do)
#define HEDDLE_EACH_1(do, x)                                                   \
    do                                                                         \
    (x)
#define HEDDLE_EACH_2(do, x, ...)                                              \
    do                                                                         \
    (x) HEDDLE_EACH_1(do, __VA_ARGS__)
#define HEDDLE_EACH_3(do, x, ...)                                              \
    do                                                                         \
    (x) HEDDLE_EACH_2(do, __VA_ARGS__)
#define HEDDLE_EACH_4(do, x, ...)                                              \
    do                                                                         \
    (x) HEDDLE_EACH_3(do, __VA_ARGS__)
#define HEDDLE_EACH_5(do, x, ...)                                              \
    do                                                                         \
    (x) HEDDLE_EACH_4(do, __VA_ARGS__)
#define HEDDLE_EACH_6(do, x, ...)                                              \
    do                                                                         \
    (x) HEDDLE_EACH_5(do, __VA_ARGS__)
#define HEDDLE_EACH_7(do, x, ...)                                              \
    do                                                                         \
    (x) HEDDLE_EACH_6(do, __VA_ARGS__)
#define HEDDLE_EACH_8(do, x, ...)                                              \
    do                                                                         \
    (x) HEDDLE_EACH_7(do, __VA_ARGS__)
#define HEDDLE_EACH_9(do, x, ...)                                              \
    do                                                                         \
    (x) HEDDLE_EACH_8(do, __VA_ARGS__)
#define HEDDLE_EACH_10(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_9(do, __VA_ARGS__)
#define HEDDLE_EACH_11(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_10(do, __VA_ARGS__)
#define HEDDLE_EACH_12(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_11(do, __VA_ARGS__)
#define HEDDLE_EACH_13(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_12(do, __VA_ARGS__)
#define HEDDLE_EACH_14(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_13(do, __VA_ARGS__)
#define HEDDLE_EACH_15(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_14(do, __VA_ARGS__)
#define HEDDLE_EACH_16(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_15(do, __VA_ARGS__)
#define HEDDLE_EACH_17(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_16(do, __VA_ARGS__)
#define HEDDLE_EACH_18(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_17(do, __VA_ARGS__)
#define HEDDLE_EACH_19(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_18(do, __VA_ARGS__)
#define HEDDLE_EACH_20(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_19(do, __VA_ARGS__)
#define HEDDLE_EACH_21(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_20(do, __VA_ARGS__)
#define HEDDLE_EACH_22(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_21(do, __VA_ARGS__)
#define HEDDLE_EACH_23(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_22(do, __VA_ARGS__)
#define HEDDLE_EACH_24(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_23(do, __VA_ARGS__)
#define HEDDLE_EACH_25(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_24(do, __VA_ARGS__)
#define HEDDLE_EACH_26(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_25(do, __VA_ARGS__)
#define HEDDLE_EACH_27(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_26(do, __VA_ARGS__)
#define HEDDLE_EACH_28(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_27(do, __VA_ARGS__)
#define HEDDLE_EACH_29(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_28(do, __VA_ARGS__)
#define HEDDLE_EACH_30(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_29(do, __VA_ARGS__)
#define HEDDLE_EACH_31(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_30(do, __VA_ARGS__)
#define HEDDLE_EACH_32(do, x, ...)                                             \
    do                                                                         \
    (x) HEDDLE_EACH_31(do, __VA_ARGS__)
#define HEDDLE_NTH(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, \
                   a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, \
                   a26, a27, a28, a29, a30, a31, a32, n, ...)                  \
    n
#define HEDDLE_COUNT(...)                                                      \
    HEDDLE_NTH(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21,    \
               20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4,   \
               3, 2, 1, 0)
#define HEDDLE_JOIN(a, b)       a##b
#define HEDDLE_EACH(do, n, ...) HEDDLE_JOIN(HEDDLE_EACH_, n)(do, ##__VA_ARGS__)
#define HEDDLE_ROOM(x)          +2 * sizeof(x) + 8
#define HEDDLE_STORE(x)         heddle_at = heddle_put(heddle_to, heddle_at, x);
/* Up to 32 arguments behind the format. */
#define printf(format, ...)                                                    \
    ({                                                                         \
        char heddle_to[8 HEDDLE_EACH(                                          \
            HEDDLE_ROOM, HEDDLE_COUNT(0, ##__VA_ARGS__), ##__VA_ARGS__)]       \
            __attribute__((aligned(8)));                                       \
        uint heddle_at = 0;                                                    \
        HEDDLE_EACH(HEDDLE_STORE, HEDDLE_COUNT(0, ##__VA_ARGS__),              \
                    ##__VA_ARGS__)                                             \
        heddle_vprintf(heddle_generic(format), (ulong)heddle_to);              \
    })
#endif
