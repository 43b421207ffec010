/* src/opencl/prelude/subgroup.cl - sub-groups. */
#ifndef HEDDLE_SUBGROUP_CL
#define HEDDLE_SUBGROUP_CL

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
HEDDLE_INLINE uint heddle_enqueued_size(void)
{
    return __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() *
           __nvvm_read_ptx_sreg_ntid_z();
}
#define get_enqueued_num_sub_groups() ((heddle_enqueued_size() + 31) / 32)
HEDDLE_INLINE uint heddle_lane(void) { return __nvvm_read_ptx_sreg_laneid(); }
#define get_sub_group_local_id() heddle_lane()
#define get_max_sub_group_size() 32u
#define get_sub_group_id()       (heddle_local() / 32)
#define get_num_sub_groups()     ((heddle_local_size() + 31) / 32)
#define get_sub_group_size()     heddle_sub_group_size()
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
#define sub_group_scan_exclusive_add(x) heddle_scan_exclusive_add(x)
#define sub_group_scan_exclusive_min(x) heddle_scan_exclusive_min(x)
#define sub_group_scan_exclusive_max(x) heddle_scan_exclusive_max(x)
#define sub_group_scan_inclusive_add(x) heddle_scan_inclusive_add(x)
#define sub_group_scan_inclusive_min(x) heddle_scan_inclusive_min(x)
#define sub_group_scan_inclusive_max(x) heddle_scan_inclusive_max(x)
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
/* `first` changes nothing. */
#define HEDDLE_LANES_SCAN(type, name, first, expression)                       \
    HEDDLE_INLINE type heddle_scan_inclusive_##name(type a)                    \
    {                                                                          \
        for (uint i = 1; i < 32; i *= 2) {                                     \
            type b = heddle_shuffle(a, heddle_lane() - i);                     \
                                                                               \
            a = heddle_lane() >= i ? expression : a;                           \
        }                                                                      \
        return a;                                                              \
    }                                                                          \
    HEDDLE_INLINE type heddle_scan_exclusive_##name(type a)                    \
    {                                                                          \
        a = heddle_shuffle(heddle_scan_inclusive_##name(a),                    \
                           heddle_lane() - 1);                                 \
        return heddle_lane() ? a : (type)(first);                              \
    }
#define HEDDLE_SUB_GROUP(type, least, most)                                    \
    HEDDLE_REDUCE(type, add, a + b)                                            \
    HEDDLE_REDUCE(type, min, b < a ? b : a)                                    \
    HEDDLE_REDUCE(type, max, b > a ? b : a)                                    \
    HEDDLE_LANES_SCAN(type, add, 0, a + b)                                     \
    HEDDLE_LANES_SCAN(type, min, most, b < a ? b : a)                          \
    HEDDLE_LANES_SCAN(type, max, least, b > a ? b : a)
HEDDLE_SUB_GROUP(int, INT_MIN, INT_MAX)
HEDDLE_SUB_GROUP(uint, 0, UINT_MAX)
HEDDLE_SUB_GROUP(long, LONG_MIN, LONG_MAX)
HEDDLE_SUB_GROUP(ulong, 0, ULONG_MAX)
HEDDLE_SUB_GROUP(float, -INFINITY, INFINITY)
HEDDLE_SUB_GROUP(double, -INFINITY, INFINITY)
#endif
