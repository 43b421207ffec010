/* tools/opencl_prelude.h - included before every OpenCL kernel: the built-in
 * functions that libclc lacks for NVPTX or that clang cannot select. The
 * native_ functions become the approximate PTX instructions
 * [PTX85:ex2], which OpenCL allows [OCL12:native-functions].
 *
 * With HEDDLE_GLOBAL_OFFSET the global work offset and the number of
 * dimensions are read from %envreg0 to %envreg3, which the OpenCL driver
 * fills; without it they are 0 and 3, and get_global_id costs no addition. */
#ifndef HEDDLE_OPENCL_PRELUDE_H
#define HEDDLE_OPENCL_PRELUDE_H

#define HEDDLE_INLINE __attribute__((overloadable, always_inline)) static

#define HEDDLE_LOG2E   1.44269504f
#define HEDDLE_LN2     0.69314718f
#define HEDDLE_LOG2_10 3.32192809f
#define HEDDLE_LOG10_2 0.30103000f

/* float -> float, for vectors by halves. */
#define HEDDLE_VECTORS(name)                                                   \
    HEDDLE_INLINE float2 name(float2 v)                                        \
    {                                                                          \
        return (float2)(name(v.x), name(v.y));                                 \
    }                                                                          \
    HEDDLE_INLINE float3 name(float3 v)                                        \
    {                                                                          \
        return (float3)(name(v.x), name(v.y), name(v.z));                      \
    }                                                                          \
    HEDDLE_INLINE float4 name(float4 v)                                        \
    {                                                                          \
        return (float4)(name(v.lo), name(v.hi));                               \
    }                                                                          \
    HEDDLE_INLINE float8 name(float8 v)                                        \
    {                                                                          \
        return (float8)(name(v.lo), name(v.hi));                               \
    }                                                                          \
    HEDDLE_INLINE float16 name(float16 v)                                      \
    {                                                                          \
        return (float16)(name(v.lo), name(v.hi));                              \
    }

#define HEDDLE_NATIVE(name, value)                                             \
    HEDDLE_INLINE float name(float x) { return value; }                        \
    HEDDLE_VECTORS(name)

#define HEDDLE_NATIVE2(name, value)                                            \
    HEDDLE_INLINE float name(float x, float y) { return value; }               \
    HEDDLE_INLINE float2 name(float2 x, float2 y)                              \
    {                                                                          \
        return (float2)(name(x.x, y.x), name(x.y, y.y));                       \
    }                                                                          \
    HEDDLE_INLINE float3 name(float3 x, float3 y)                              \
    {                                                                          \
        return (float3)(name(x.xy, y.xy), name(x.z, y.z));                     \
    }                                                                          \
    HEDDLE_INLINE float4 name(float4 x, float4 y)                              \
    {                                                                          \
        return (float4)(name(x.lo, y.lo), name(x.hi, y.hi));                   \
    }                                                                          \
    HEDDLE_INLINE float8 name(float8 x, float8 y)                              \
    {                                                                          \
        return (float8)(name(x.lo, y.lo), name(x.hi, y.hi));                   \
    }                                                                          \
    HEDDLE_INLINE float16 name(float16 x, float16 y)                           \
    {                                                                          \
        return (float16)(name(x.lo, y.lo), name(x.hi, y.hi));                  \
    }

HEDDLE_NATIVE(heddle_sin, __nvvm_sin_approx_f(x))
HEDDLE_NATIVE(heddle_cos, __nvvm_cos_approx_f(x))
HEDDLE_NATIVE(heddle_tan, __nvvm_sin_approx_f(x) / __nvvm_cos_approx_f(x))
HEDDLE_NATIVE(heddle_exp2, __nvvm_ex2_approx_f(x))
HEDDLE_NATIVE(heddle_exp, __nvvm_ex2_approx_f(x *HEDDLE_LOG2E))
HEDDLE_NATIVE(heddle_exp10, __nvvm_ex2_approx_f(x *HEDDLE_LOG2_10))
HEDDLE_NATIVE(heddle_log2, __nvvm_lg2_approx_f(x))
HEDDLE_NATIVE(heddle_log, __nvvm_lg2_approx_f(x) * HEDDLE_LN2)
HEDDLE_NATIVE(heddle_log10, __nvvm_lg2_approx_f(x) * HEDDLE_LOG10_2)
HEDDLE_NATIVE(heddle_sqrt, __nvvm_sqrt_approx_f(x))
HEDDLE_NATIVE(heddle_rsqrt, __nvvm_rsqrt_approx_f(x))
/* there is no rcp.approx built-in without flushing; division becomes it */
HEDDLE_NATIVE(heddle_recip, 1.0f / x)
HEDDLE_NATIVE2(heddle_divide, x / y)
HEDDLE_NATIVE2(heddle_powr, __nvvm_ex2_approx_f(y *__nvvm_lg2_approx_f(x)))

#define native_sin(x)       heddle_sin(x)
#define native_cos(x)       heddle_cos(x)
#define native_tan(x)       heddle_tan(x)
#define native_exp2(x)      heddle_exp2(x)
#define native_exp(x)       heddle_exp(x)
#define native_exp10(x)     heddle_exp10(x)
#define native_log2(x)      heddle_log2(x)
#define native_log(x)       heddle_log(x)
#define native_log10(x)     heddle_log10(x)
#define native_sqrt(x)      heddle_sqrt(x)
#define native_rsqrt(x)     heddle_rsqrt(x)
#define native_recip(x)     heddle_recip(x)
#define native_divide(x, y) heddle_divide(x, y)
#define native_powr(x, y)   heddle_powr(x, y)

#define half_sin    native_sin
#define half_cos    native_cos
#define half_tan    native_tan
#define half_exp2   native_exp2
#define half_exp    native_exp
#define half_exp10  native_exp10
#define half_log2   native_log2
#define half_log    native_log
#define half_log10  native_log10
#define half_sqrt   native_sqrt
#define half_rsqrt  native_rsqrt
#define half_recip  native_recip
#define half_divide native_divide
#define half_powr   native_powr

#define mad_hi(a, b, c) (mul_hi(a, b) + (c))

/* The atom_ functions, of which clang knows the 32-bit ones; an overload of
 * ours hides those, so all are here. */
#define HEDDLE_ATOM(space, type)                                               \
    HEDDLE_INLINE type atom_add(volatile space type *p, type v)                \
    {                                                                          \
        return __sync_fetch_and_add(p, v);                                     \
    }                                                                          \
    HEDDLE_INLINE type atom_sub(volatile space type *p, type v)                \
    {                                                                          \
        return __sync_fetch_and_sub(p, v);                                     \
    }                                                                          \
    HEDDLE_INLINE type atom_inc(volatile space type *p)                        \
    {                                                                          \
        return __sync_fetch_and_add(p, 1);                                     \
    }                                                                          \
    HEDDLE_INLINE type atom_dec(volatile space type *p)                        \
    {                                                                          \
        return __sync_fetch_and_sub(p, 1);                                     \
    }                                                                          \
    HEDDLE_INLINE type atom_xchg(volatile space type *p, type v)               \
    {                                                                          \
        return __sync_swap(p, v);                                              \
    }                                                                          \
    HEDDLE_INLINE type atom_cmpxchg(volatile space type *p, type old, type v)  \
    {                                                                          \
        return __sync_val_compare_and_swap(p, old, v);                         \
    }                                                                          \
    HEDDLE_INLINE type atom_and(volatile space type *p, type v)                \
    {                                                                          \
        return __sync_fetch_and_and(p, v);                                     \
    }                                                                          \
    HEDDLE_INLINE type atom_or(volatile space type *p, type v)                 \
    {                                                                          \
        return __sync_fetch_and_or(p, v);                                      \
    }                                                                          \
    HEDDLE_INLINE type atom_xor(volatile space type *p, type v)                \
    {                                                                          \
        return __sync_fetch_and_xor(p, v);                                     \
    }                                                                          \
    HEDDLE_ATOM_IF(space, type, min, v < old)                                  \
    HEDDLE_ATOM_IF(space, type, max, v > old)
#define HEDDLE_ATOM_IF(space, type, name, better)                              \
    HEDDLE_INLINE type atom_##name(volatile space type *p, type v)             \
    {                                                                          \
        type old = *p, seen;                                                   \
                                                                               \
        while (better &&                                                       \
               (seen = __sync_val_compare_and_swap(p, old, v)) != old)         \
            old = seen;                                                        \
        return old;                                                            \
    }
HEDDLE_ATOM(global, int)
HEDDLE_ATOM(global, uint)
HEDDLE_ATOM(local, int)
HEDDLE_ATOM(local, uint)
HEDDLE_ATOM(global, long)
HEDDLE_ATOM(global, ulong)
HEDDLE_ATOM(local, long)
HEDDLE_ATOM(local, ulong)

/* clang holds that a barrier cannot write a local variable of the kernel and
 * moves loads of it across; an asm that clobbers memory it leaves in place. */
HEDDLE_INLINE void heddle_barrier(cl_mem_fence_flags flags)
{
    (void)flags;
    __asm__ volatile("bar.sync 0;" ::: "memory");
}
#define barrier(flags) heddle_barrier(flags)

#ifdef HEDDLE_GLOBAL_OFFSET
__attribute__((always_inline, const)) static uint heddle_envreg(uint i)
{
    uint v;

    switch (i) {
    case 0:
        __asm__("mov.u32 %0, %%envreg0;" : "=r"(v));
        return v;
    case 1:
        __asm__("mov.u32 %0, %%envreg1;" : "=r"(v));
        return v;
    case 2:
        __asm__("mov.u32 %0, %%envreg2;" : "=r"(v));
        return v;
    default:
        __asm__("mov.u32 %0, %%envreg3;" : "=r"(v));
        return v;
    }
}
__attribute__((always_inline)) static size_t heddle_global_offset(uint d)
{
    return d < 3 ? heddle_envreg(d) : 0;
}
__attribute__((always_inline)) static size_t heddle_global_id(uint d)
{
    return get_global_id(d) + heddle_global_offset(d);
}
#define get_global_id(d)     heddle_global_id(d)
#define get_global_offset(d) heddle_global_offset(d)
#define get_work_dim()       heddle_envreg(3)
#else
#define get_global_offset(d) ((size_t)0)
#define get_work_dim()       3u
#endif

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

/* Sub-groups are warps. */
HEDDLE_INLINE uint heddle_local(void)
{
    return get_local_id(0) +
           get_local_size(0) *
               (get_local_id(1) + get_local_size(1) * get_local_id(2));
}
HEDDLE_INLINE uint heddle_local_size(void)
{
    return get_local_size(0) * get_local_size(1) * get_local_size(2);
}
HEDDLE_INLINE uint heddle_lane(void) { return __nvvm_read_ptx_sreg_laneid(); }
#define get_sub_group_local_id()      heddle_lane()
#define get_max_sub_group_size()      32u
#define get_sub_group_id()            (heddle_local() / 32)
#define get_num_sub_groups()          ((heddle_local_size() + 31) / 32)
#define get_enqueued_num_sub_groups() get_num_sub_groups()
#define get_sub_group_size()          heddle_sub_group_size()
#define sub_group_barrier(...)                                                 \
    __asm__ volatile("bar.warp.sync -1;" ::: "memory")
#define sub_group_any(x)                (heddle_ballot((x) != 0) != 0)
#define sub_group_all(x)                (heddle_ballot((x) == 0) == 0)
#define sub_group_broadcast(x, lane)    heddle_shuffle(x, lane)
#define sub_group_shuffle(x, lane)      heddle_shuffle(x, lane)
#define sub_group_shuffle_xor(x, y)     heddle_shuffle(x, heddle_lane() ^ (y))
#define intel_sub_group_shuffle         sub_group_shuffle
#define intel_sub_group_shuffle_xor     sub_group_shuffle_xor
#define sub_group_reduce_add(x)         heddle_reduce_add(x)
#define sub_group_reduce_min(x)         heddle_reduce_min(x)
#define sub_group_reduce_max(x)         heddle_reduce_max(x)
#define sub_group_scan_exclusive_add(x) (heddle_scan_add(x) - (x))
#define sub_group_scan_inclusive_add(x) heddle_scan_add(x)
HEDDLE_INLINE uint heddle_sub_group_size(void)
{
    return min(32u, heddle_local_size() - heddle_local() / 32 * 32);
}
/* In assembly because clang 14 has the intrinsics only if told a version of
 * PTX; volatile and convergent, as they are for all lanes together. */
__attribute__((always_inline, convergent)) static uint heddle_ballot(int x)
{
    uint v;

    __asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; "
                     "vote.sync.ballot.b32 %0, p, -1; }"
                     : "=r"(v)
                     : "r"(x));
    return v;
}
HEDDLE_INLINE uint heddle_shuffle(uint x, uint lane)
{
    uint v;

    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, -1;"
                     : "=r"(v)
                     : "r"(x), "r"(lane));
    return v;
}
HEDDLE_INLINE int heddle_shuffle(int x, uint lane)
{
    return heddle_shuffle((uint)x, lane);
}
HEDDLE_INLINE float heddle_shuffle(float x, uint lane)
{
    return as_float(heddle_shuffle(as_int(x), lane));
}
HEDDLE_INLINE long heddle_shuffle(long x, uint lane)
{
    int2 v = as_int2(x);

    v.x = heddle_shuffle(v.x, lane);
    v.y = heddle_shuffle(v.y, lane);
    return as_long(v);
}
HEDDLE_INLINE ulong heddle_shuffle(ulong x, uint lane)
{
    return heddle_shuffle((long)x, lane);
}
HEDDLE_INLINE double heddle_shuffle(double x, uint lane)
{
    return as_double(heddle_shuffle(as_long(x), lane));
}

/* The last sub-group may have fewer than 32 lanes. */
#define HEDDLE_REDUCE(type, name, expression)                                  \
    HEDDLE_INLINE type heddle_reduce_##name(type a)                            \
    {                                                                          \
        uint size = heddle_sub_group_size();                                   \
        type b, all = heddle_shuffle(a, 0);                                    \
                                                                               \
        if (size == 32) {                                                      \
            for (uint i = 16; i; i /= 2) {                                     \
                b = heddle_shuffle(a, heddle_lane() ^ i);                      \
                a = expression;                                                \
            }                                                                  \
            return a;                                                          \
        }                                                                      \
        for (uint i = 1; i < size; i++) {                                      \
            b = heddle_shuffle(a, i);                                          \
            all = ({                                                           \
                type a = all;                                                  \
                expression;                                                    \
            });                                                                \
        }                                                                      \
        return all;                                                            \
    }
#define HEDDLE_SUB_GROUP(type)                                                 \
    HEDDLE_REDUCE(type, add, a + b)                                            \
    HEDDLE_REDUCE(type, min, b < a ? b : a)                                    \
    HEDDLE_REDUCE(type, max, b > a ? b : a)                                    \
    HEDDLE_INLINE type heddle_scan_add(type a)                                 \
    {                                                                          \
        for (uint i = 1; i < 32; i *= 2) {                                     \
            type b = heddle_shuffle(a, heddle_lane() - i);                     \
            a += heddle_lane() >= i ? b : (type)0;                             \
        }                                                                      \
        return a;                                                              \
    }
HEDDLE_SUB_GROUP(int)
HEDDLE_SUB_GROUP(uint)
HEDDLE_SUB_GROUP(long)
HEDDLE_SUB_GROUP(ulong)
HEDDLE_SUB_GROUP(float)
HEDDLE_SUB_GROUP(double)

#ifdef cl_khr_fp16
/* Half precision, which libclc lacks. clang declares these functions, but
 * forgets its overloads where we have one; so the bodies have other names here
 * and the right ones in the object, and are for inlining only. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define HEDDLE_BODY                                                            \
    extern inline __attribute__((gnu_inline, always_inline, overloadable))
#define HEDDLE_TO(type, x) __builtin_convertvector(x, type)
HEDDLE_INLINE half heddle_shuffle(half x, uint lane)
{
    return as_half((short)heddle_shuffle((int)as_short(x), lane));
}
HEDDLE_SUB_GROUP(half)
HEDDLE_PUTS(half, double)

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

#include "opencl_images.h"

#endif
