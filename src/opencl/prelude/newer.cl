/* src/opencl/prelude/newer.cl - what OpenCL C 2.0 and 3.0 have besides:
 * work-groups of several sizes, functions of all work-items of a group, atomic
 * objects [OCL30:work-item-functions]. */
#ifndef HEDDLE_NEWER_CL
#define HEDDLE_NEWER_CL

#define HEDDLE_NEWER __attribute__((overloadable, always_inline)) static

/* ---- Work-items ---- */

/* The last work-groups of a dimension can be smaller: the threads of the grid
 * are in %envreg6 to 8, 0 if nobody filled them in. */
__attribute__((always_inline, const)) static uint heddle_threads(uint d)
{
    uint v;

    if (d == 0)
        __asm__("mov.u32 %0, %%envreg6;" : "=r"(v));
    else if (d == 1)
        __asm__("mov.u32 %0, %%envreg7;" : "=r"(v));
    else
        __asm__("mov.u32 %0, %%envreg8;" : "=r"(v));
    return v;
}
__attribute__((always_inline, const)) static uint heddle_cta_size(uint d)
{
    return d == 0   ? __nvvm_read_ptx_sreg_ntid_x()
           : d == 1 ? __nvvm_read_ptx_sreg_ntid_y()
                    : __nvvm_read_ptx_sreg_ntid_z();
}
HEDDLE_NEWER size_t
heddle_enqueued_size(uint d) __asm__("_Z23get_enqueued_local_sizej");
HEDDLE_NEWER size_t heddle_enqueued_size(uint d)
{
    return d < 3 ? heddle_cta_size(d) : 1;
}
HEDDLE_NEWER size_t
heddle_get_local_size(uint d) __asm__("_Z14get_local_sizej");
HEDDLE_NEWER size_t heddle_get_local_size(uint d)
{
#ifdef HEDDLE_GLOBAL_OFFSET
    if (d < 3)
        return min(heddle_cta_size(d),
                   heddle_threads(d) -
                       (uint)get_group_id(d) * heddle_cta_size(d));
    return 1;
#else
    return d < 3 ? heddle_cta_size(d) : 1;
#endif
}
#ifdef HEDDLE_GLOBAL_OFFSET
HEDDLE_NEWER size_t
heddle_get_global_size(uint d) __asm__("_Z15get_global_sizej");
HEDDLE_NEWER size_t heddle_get_global_size(uint d)
{
    return d < 3 ? heddle_threads(d) : 1;
}
#endif
HEDDLE_NEWER size_t
heddle_local_linear(void) __asm__("_Z19get_local_linear_idv");
HEDDLE_NEWER size_t heddle_local_linear(void)
{
    return get_local_id(0) +
           get_local_size(0) *
               (get_local_id(1) + get_local_size(1) * get_local_id(2));
}
HEDDLE_NEWER size_t
heddle_global_linear(void) __asm__("_Z20get_global_linear_idv");
HEDDLE_NEWER size_t heddle_global_linear(void)
{
    size_t x = get_global_id(0) - get_global_offset(0),
           y = get_global_id(1) - get_global_offset(1),
           z = get_global_id(2) - get_global_offset(2);

    return x + get_global_size(0) * (y + get_global_size(1) * z);
}

/* ---- Work-groups ---- */

#define work_group_barrier(flags, ...) heddle_barrier(flags)

#ifdef HEDDLE_NEED_WORK_GROUP
/* In a unit that will be linked it stays undefined. */
#ifndef HEDDLE_UNIT
#include "once.cl"
#endif
__attribute__((always_inline, const)) static local void *heddle_group(void)
{
    uint v;

    __asm__("mov.u32 %0, heddle_group;" : "=r"(v));
    return (local void *)(ulong)v;
}

__attribute__((always_inline, convergent)) static int heddle_group_all(int x)
{
    int v;

    __asm__ volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; "
                     "bar.red.and.pred q, 0, p; selp.s32 %0, 1, 0, q; }"
                     : "=r"(v)
                     : "r"(x)
                     : "memory");
    return v;
}
#define work_group_all(x) heddle_group_all((x) != 0)
#define work_group_any(x) (!heddle_group_all((x) == 0))

/* Where a thread is among those of the machine's warps. */
__attribute__((always_inline)) static uint heddle_thread(void)
{
    return get_local_id(0) +
           heddle_cta_size(0) *
               (get_local_id(1) + heddle_cta_size(1) * get_local_id(2));
}
__attribute__((always_inline)) static uint heddle_warps(void)
{
    return (heddle_cta_size(0) * heddle_cta_size(1) * heddle_cta_size(2) + 31) /
           32;
}

/* The value of the lane below by `by`, if there is one. */
__attribute__((always_inline, convergent)) static uint
heddle_up_32(uint x, uint by, int *is)
{
    uint v;

    __asm__ volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, %3, 0, -1; "
                     "selp.s32 %1, 1, 0, p; }"
                     : "=r"(v), "=r"(*is)
                     : "r"(x), "r"(by));
    return v;
}
#define HEDDLE_UP_32(T)                                                        \
    HEDDLE_NEWER T heddle_up(T x, uint by, int *is)                            \
    {                                                                          \
        return as_##T(heddle_up_32(as_uint(x), by, is));                       \
    }
#define HEDDLE_UP_64(T)                                                        \
    HEDDLE_NEWER T heddle_up(T x, uint by, int *is)                            \
    {                                                                          \
        uint2 v = as_uint2(x);                                                 \
                                                                               \
        v.x = heddle_up_32(v.x, by, is);                                       \
        v.y = heddle_up_32(v.y, by, is);                                       \
        return as_##T(v);                                                      \
    }

/* Sums (and so on) of the lanes below and the own one in each warp by steps of
 * 1, 2, 4 ... lanes, then of the warps below. `first` changes nothing. */
#define HEDDLE_SCAN(T, name, first, expression)                                \
    HEDDLE_NEWER T heddle_scan_##name(T a, int own, int whole)                 \
    {                                                                          \
        local T *room = heddle_group();                                        \
        uint lane = __nvvm_read_ptx_sreg_laneid(),                             \
             warp = heddle_thread() / 32;                                      \
        uint warps = heddle_warps();                                           \
        T b, below = first;                                                    \
        int is;                                                                \
                                                                               \
        for (uint i = 1; i < 32; i *= 2) {                                     \
            b = heddle_up(a, i, &is);                                          \
            if (is)                                                            \
                a = expression;                                                \
        }                                                                      \
        b = heddle_up(a, 1, &is);                                              \
        if (is)                                                                \
            below = b;                                                         \
        /* the last lane of the warp has the sum of all */                     \
        if (lane == 31 || heddle_thread() + 1 == get_local_size(0) *           \
                                                     get_local_size(1) *       \
                                                     get_local_size(2))        \
            room[warp] = a;                                                    \
        heddle_barrier(0);                                                     \
        if (own)                                                               \
            below = a;                                                         \
        if (whole) {                                                           \
            below = first;                                                     \
            warp = warps;                                                      \
        }                                                                      \
        for (uint i = 0; i < warp; i++) {                                      \
            a = below;                                                         \
            b = room[i];                                                       \
            below = expression;                                                \
        }                                                                      \
        heddle_barrier(0);                                                     \
        return below;                                                          \
    }
#define HEDDLE_GROUP(T, size, least, most)                                     \
    HEDDLE_UP_##size(T) HEDDLE_SCAN(T, add, 0, a + b)                          \
        HEDDLE_SCAN(T, min, most, b < a ? b : a)                               \
            HEDDLE_SCAN(T, max, least, b > a ? b : a) HEDDLE_NEWER T           \
            heddle_group_from(T x, bool here)                                  \
    {                                                                          \
        local T *room = heddle_group();                                        \
                                                                               \
        if (here)                                                              \
            room[33] = x;                                                      \
        heddle_barrier(0);                                                     \
        x = room[33];                                                          \
        heddle_barrier(0);                                                     \
        return x;                                                              \
    }                                                                          \
    HEDDLE_NEWER T heddle_broadcast(T v, size_t x)                             \
    {                                                                          \
        return heddle_group_from(v, get_local_id(0) == x &&                    \
                                        get_local_id(1) == 0 &&                \
                                        get_local_id(2) == 0);                 \
    }                                                                          \
    HEDDLE_NEWER T heddle_broadcast(T v, size_t x, size_t y)                   \
    {                                                                          \
        return heddle_group_from(v, get_local_id(0) == x &&                    \
                                        get_local_id(1) == y &&                \
                                        get_local_id(2) == 0);                 \
    }                                                                          \
    HEDDLE_NEWER T heddle_broadcast(T v, size_t x, size_t y, size_t z)         \
    {                                                                          \
        return heddle_group_from(v, get_local_id(0) == x &&                    \
                                        get_local_id(1) == y &&                \
                                        get_local_id(2) == z);                 \
    }
HEDDLE_GROUP(int, 32, INT_MIN, INT_MAX)
HEDDLE_GROUP(uint, 32, 0, UINT_MAX)
HEDDLE_GROUP(long, 64, LONG_MIN, LONG_MAX)
HEDDLE_GROUP(ulong, 64, 0, ULONG_MAX)
HEDDLE_GROUP(float, 32, -INFINITY, INFINITY)
HEDDLE_GROUP(double, 64, -INFINITY, INFINITY)

#define work_group_broadcast(...)        heddle_broadcast(__VA_ARGS__)
#define work_group_reduce_add(x)         heddle_scan_add(x, 0, 1)
#define work_group_reduce_min(x)         heddle_scan_min(x, 0, 1)
#define work_group_reduce_max(x)         heddle_scan_max(x, 0, 1)
#define work_group_scan_exclusive_add(x) heddle_scan_add(x, 0, 0)
#define work_group_scan_exclusive_min(x) heddle_scan_min(x, 0, 0)
#define work_group_scan_exclusive_max(x) heddle_scan_max(x, 0, 0)
#define work_group_scan_inclusive_add(x) heddle_scan_add(x, 1, 0)
#define work_group_scan_inclusive_min(x) heddle_scan_min(x, 1, 0)
#define work_group_scan_inclusive_max(x) heddle_scan_max(x, 1, 0)
#endif

#ifdef HEDDLE_NEED_ATOMIC
/* ---- Atomic objects ---- */

/* clang 14 makes calls of accesses to atomic objects and cannot select their
 * orders for PTX: so they are those of atom.cl, between fences. */
__attribute__((always_inline)) static void heddle_fence(int order, int scope)
{
    if (order == memory_order_relaxed || scope == memory_scope_work_item)
        return;
    if (scope == memory_scope_work_group)
        __nvvm_membar_cta();
    else if (scope == memory_scope_device)
        __nvvm_membar_gl();
    else
        __nvvm_membar_sys();
}
#define HEDDLE_OBJECT(space, T, U)                                             \
    HEDDLE_NEWER T heddle_load(const volatile space atomic_##T *p)             \
    {                                                                          \
        return *(const volatile space T *)p;                                   \
    }                                                                          \
    HEDDLE_NEWER void heddle_store(volatile space atomic_##T *p, T v)          \
    {                                                                          \
        *(volatile space T *)p = v;                                            \
    }                                                                          \
    HEDDLE_NEWER T heddle_exchange(volatile space atomic_##T *p, T v)          \
    {                                                                          \
        return as_##T(__sync_swap((volatile space U *)p, as_##U(v)));          \
    }                                                                          \
    HEDDLE_NEWER T heddle_compare(volatile space atomic_##T *p, T old, T v)    \
    {                                                                          \
        return as_##T(__sync_val_compare_and_swap((volatile space U *)p,       \
                                                  as_##U(old), as_##U(v)));    \
    }
#define HEDDLE_OBJECT_OP(space, T, op)                                         \
    HEDDLE_NEWER T heddle_fetch_##op(volatile space atomic_##T *p, T v)        \
    {                                                                          \
        return atom_##op((volatile space T *)p, v);                            \
    }
#define HEDDLE_OBJECT_OPS(space, T)                                            \
    HEDDLE_OBJECT(space, T, T)                                                 \
    HEDDLE_OBJECT_OP(space, T, add)                                            \
    HEDDLE_OBJECT_OP(space, T, sub)                                            \
    HEDDLE_OBJECT_OP(space, T, and)                                            \
    HEDDLE_OBJECT_OP(space, T, or)                                             \
    HEDDLE_OBJECT_OP(space, T, xor)                                            \
    HEDDLE_OBJECT_OP(space, T, min)                                            \
    HEDDLE_OBJECT_OP(space, T, max)
#define HEDDLE_OBJECTS(space)                                                  \
    HEDDLE_OBJECT_OPS(space, int)                                              \
    HEDDLE_OBJECT_OPS(space, uint)                                             \
    HEDDLE_OBJECT_OPS(space, long)                                             \
    HEDDLE_OBJECT_OPS(space, ulong)                                            \
    HEDDLE_OBJECT(space, float, int)                                           \
    HEDDLE_OBJECT(space, double, long)
HEDDLE_OBJECTS(global)
HEDDLE_OBJECTS(local)
#ifdef __opencl_c_generic_address_space
HEDDLE_ATOMS(__generic, "")
HEDDLE_OBJECTS(__generic)
#endif

/* The order and the scope are optional. */
#define HEDDLE_SEQ    memory_order_seq_cst
#define HEDDLE_DEVICE memory_scope_device
#define HEDDLE_ORDERED(access, order, scope, ...)                              \
    ({                                                                         \
        heddle_fence(order, scope);                                            \
        __typeof__(access) heddle_v = access;                                  \
        heddle_fence(order, scope);                                            \
        heddle_v;                                                              \
    })
#define HEDDLE_ORDERED_VOID(access, order, scope, ...)                         \
    ({                                                                         \
        heddle_fence(order, scope);                                            \
        access;                                                                \
        heddle_fence(order, scope);                                            \
    })

#define atomic_work_item_fence(flags, order, scope) heddle_fence(order, scope)
#define atomic_init(p, v)                           heddle_store(p, v)
#define atomic_load_explicit(p, ...)                                           \
    HEDDLE_ORDERED(heddle_load(p), __VA_ARGS__, HEDDLE_DEVICE, 0)
#define atomic_store_explicit(p, v, ...)                                       \
    HEDDLE_ORDERED_VOID(heddle_store(p, v), __VA_ARGS__, HEDDLE_DEVICE, 0)
#define HEDDLE_MODIFY(access, ...)                                             \
    HEDDLE_ORDERED(access, __VA_ARGS__, HEDDLE_DEVICE, 0)
#define atomic_exchange_explicit(p, v, ...)                                    \
    HEDDLE_MODIFY(heddle_exchange(p, v), __VA_ARGS__)
#define atomic_fetch_add_explicit(p, v, ...)                                   \
    HEDDLE_MODIFY(heddle_fetch_add(p, v), __VA_ARGS__)
#define atomic_fetch_sub_explicit(p, v, ...)                                   \
    HEDDLE_MODIFY(heddle_fetch_sub(p, v), __VA_ARGS__)
#define atomic_fetch_and_explicit(p, v, ...)                                   \
    HEDDLE_MODIFY(heddle_fetch_and(p, v), __VA_ARGS__)
#define atomic_fetch_or_explicit(p, v, ...)                                    \
    HEDDLE_MODIFY(heddle_fetch_or(p, v), __VA_ARGS__)
#define atomic_fetch_xor_explicit(p, v, ...)                                   \
    HEDDLE_MODIFY(heddle_fetch_xor(p, v), __VA_ARGS__)
#define atomic_fetch_min_explicit(p, v, ...)                                   \
    HEDDLE_MODIFY(heddle_fetch_min(p, v), __VA_ARGS__)
#define atomic_fetch_max_explicit(p, v, ...)                                   \
    HEDDLE_MODIFY(heddle_fetch_max(p, v), __VA_ARGS__)
/* The order of a failure is never stronger than that of a success. */
#define HEDDLE_COMPARE(p, e, v, success, failure, ...)                         \
    HEDDLE_ORDERED(({                                                          \
                       __typeof__(*(e)) heddle_e = *(e);                       \
                       __typeof__(*(e)) heddle_o =                             \
                           heddle_compare(p, heddle_e, v);                     \
                       bool heddle_same = heddle_o == heddle_e;                \
                       if (!heddle_same)                                       \
                           *(e) = heddle_o;                                    \
                       heddle_same;                                            \
                   }),                                                         \
                   success, __VA_ARGS__, 0)
#define atomic_compare_exchange_strong_explicit(p, e, v, s, ...)               \
    HEDDLE_COMPARE(p, e, v, s, __VA_ARGS__, HEDDLE_DEVICE)
#define atomic_compare_exchange_weak_explicit                                  \
    atomic_compare_exchange_strong_explicit

#define atomic_load(p)         atomic_load_explicit(p, HEDDLE_SEQ)
#define atomic_store(p, v)     atomic_store_explicit(p, v, HEDDLE_SEQ)
#define atomic_exchange(p, v)  atomic_exchange_explicit(p, v, HEDDLE_SEQ)
#define atomic_fetch_add(p, v) atomic_fetch_add_explicit(p, v, HEDDLE_SEQ)
#define atomic_fetch_sub(p, v) atomic_fetch_sub_explicit(p, v, HEDDLE_SEQ)
#define atomic_fetch_and(p, v) atomic_fetch_and_explicit(p, v, HEDDLE_SEQ)
#define atomic_fetch_or(p, v)  atomic_fetch_or_explicit(p, v, HEDDLE_SEQ)
#define atomic_fetch_xor(p, v) atomic_fetch_xor_explicit(p, v, HEDDLE_SEQ)
#define atomic_fetch_min(p, v) atomic_fetch_min_explicit(p, v, HEDDLE_SEQ)
#define atomic_fetch_max(p, v) atomic_fetch_max_explicit(p, v, HEDDLE_SEQ)
#define atomic_compare_exchange_strong(p, e, v)                                \
    atomic_compare_exchange_strong_explicit(p, e, v, HEDDLE_SEQ, HEDDLE_SEQ)
#define atomic_compare_exchange_weak atomic_compare_exchange_strong

/* An atomic_flag is an atomic_int. */
#define atomic_flag_test_and_set_explicit(p, ...)                              \
    (atomic_exchange_explicit(p, 1, __VA_ARGS__) != 0)
#define atomic_flag_clear_explicit(p, ...)                                     \
    atomic_store_explicit(p, 0, __VA_ARGS__)
#define atomic_flag_test_and_set(p)                                            \
    atomic_flag_test_and_set_explicit(p, HEDDLE_SEQ)
#define atomic_flag_clear(p) atomic_flag_clear_explicit(p, HEDDLE_SEQ)
#endif

#endif
