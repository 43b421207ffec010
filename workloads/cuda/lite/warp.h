/* workloads/cuda/lite/warp.h - what the lanes of a warp and the warps of a CTA
 * do together [CUDA12:warp-shuffle-functions]. */
#ifndef CUDA_LITE_WARP_H
#define CUDA_LITE_WARP_H

/* The bound of the part of the warp in bits 0 to 4, which part in 8 to 12. */
#define CUDA_LITE_SHFL(name, op, bound)                                        \
    CUDA_LITE int name(unsigned mask, int v, int n, int width = 32)            \
    {                                                                          \
        return __nvvm_shfl_sync_##op##_i32(mask, v, n,                         \
                                           (32 - width) << 8 | bound);         \
    }                                                                          \
    CUDA_LITE_SHFL_AS(name, unsigned, int)                                     \
    CUDA_LITE float name(unsigned mask, float v, int n, int width = 32)        \
    {                                                                          \
        return __nvvm_shfl_sync_##op##_f32(mask, v, n,                         \
                                           (32 - width) << 8 | bound);         \
    }                                                                          \
    CUDA_LITE long long name(unsigned mask, long long v, int n,                \
                             int width = 32)                                   \
    {                                                                          \
        unsigned low = name(mask, (unsigned)v, n, width);                      \
        unsigned high =                                                        \
            name(mask, (unsigned)((unsigned long long)v >> 32), n, width);     \
                                                                               \
        return (long long)((unsigned long long)high << 32 | low);              \
    }                                                                          \
    CUDA_LITE_SHFL_AS(name, unsigned long long, long long)                     \
    CUDA_LITE_SHFL_AS(name, long, long long)                                   \
    CUDA_LITE_SHFL_AS(name, unsigned long, long long)                          \
    CUDA_LITE double name(unsigned mask, double v, int n, int width = 32)      \
    {                                                                          \
        return __longlong_as_double(                                           \
            name(mask, __double_as_longlong(v), n, width));                    \
    }
#define CUDA_LITE_SHFL_AS(name, type, as)                                      \
    CUDA_LITE type name(unsigned mask, type v, int n, int width = 32)          \
    {                                                                          \
        return (type)name(mask, (as)v, n, width);                              \
    }
CUDA_LITE_SHFL(__shfl_sync, idx, 31)
CUDA_LITE_SHFL(__shfl_up_sync, up, 0)
CUDA_LITE_SHFL(__shfl_down_sync, down, 31)
CUDA_LITE_SHFL(__shfl_xor_sync, bfly, 31)

CUDA_LITE unsigned __activemask()
{
    unsigned r;

    __asm__ volatile("activemask.b32 %0;" : "=r"(r));
    return r;
}

/* Those without a mask, of older programs: all lanes that are there. */
#define CUDA_LITE_OLD_SHFL(name)                                               \
    template <class LiteType>                                                  \
    CUDA_LITE LiteType name(LiteType v, int n, int width = 32)                 \
    {                                                                          \
        return name##_sync(__activemask(), v, n, width);                       \
    }
CUDA_LITE_OLD_SHFL(__shfl)
CUDA_LITE_OLD_SHFL(__shfl_up)
CUDA_LITE_OLD_SHFL(__shfl_down)
CUDA_LITE_OLD_SHFL(__shfl_xor)

CUDA_LITE unsigned __ballot_sync(unsigned mask, int p)
{
    return (unsigned)__nvvm_vote_ballot_sync(mask, p != 0);
}
CUDA_LITE int __any_sync(unsigned mask, int p)
{
    return __nvvm_vote_any_sync(mask, p != 0);
}
CUDA_LITE int __all_sync(unsigned mask, int p)
{
    return __nvvm_vote_all_sync(mask, p != 0);
}
CUDA_LITE int __uni_sync(unsigned mask, int p)
{
    return __nvvm_vote_uni_sync(mask, p != 0);
}
CUDA_LITE unsigned __ballot(int p) { return __ballot_sync(__activemask(), p); }
CUDA_LITE int __any(int p) { return __any_sync(__activemask(), p); }
CUDA_LITE int __all(int p) { return __all_sync(__activemask(), p); }

CUDA_LITE void __syncwarp(unsigned mask = 0xffffffff)
{
    __nvvm_bar_warp_sync(mask);
}
CUDA_LITE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
CUDA_LITE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
CUDA_LITE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }

#if __CUDA_ARCH__ >= 700
#define CUDA_LITE_MATCH(type, bits, in)                                        \
    CUDA_LITE unsigned __match_any_sync(unsigned mask, type v)                 \
    {                                                                          \
        unsigned r;                                                            \
                                                                               \
        __asm__ volatile("match.any.sync." bits " %0, %1, %2;"                 \
                         : "=r"(r)                                             \
                         : in(v), "r"(mask));                                  \
        return r;                                                              \
    }                                                                          \
    CUDA_LITE unsigned __match_all_sync(unsigned mask, type v, int *all)       \
    {                                                                          \
        unsigned r;                                                            \
        int is;                                                                \
                                                                               \
        __asm__ volatile("{ .reg .pred p; match.all.sync." bits                \
                         " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"              \
                         : "=r"(r), "=r"(is)                                   \
                         : in(v), "r"(mask));                                  \
        *all = is;                                                             \
        return r;                                                              \
    }
CUDA_LITE_MATCH(int, "b32", "r")
CUDA_LITE_MATCH(unsigned, "b32", "r")
CUDA_LITE_MATCH(long long, "b64", "l")
CUDA_LITE_MATCH(unsigned long long, "b64", "l")
#endif

#if __CUDA_ARCH__ >= 800
#define CUDA_LITE_REDUCE(op, type, suffix)                                     \
    CUDA_LITE type __reduce_##op##_sync(unsigned mask, type v)                 \
    {                                                                          \
        type r;                                                                \
                                                                               \
        __asm__ volatile("redux.sync." #op "." suffix " %0, %1, %2;"           \
                         : "=r"(r)                                             \
                         : "r"(v), "r"(mask));                                 \
        return r;                                                              \
    }
CUDA_LITE_REDUCE(add, int, "s32")
CUDA_LITE_REDUCE(add, unsigned, "u32")
CUDA_LITE_REDUCE(min, int, "s32")
CUDA_LITE_REDUCE(min, unsigned, "u32")
CUDA_LITE_REDUCE(max, int, "s32")
CUDA_LITE_REDUCE(max, unsigned, "u32")
CUDA_LITE_REDUCE(and, unsigned, "b32")
CUDA_LITE_REDUCE(or, unsigned, "b32")
CUDA_LITE_REDUCE(xor, unsigned, "b32")
#endif

#endif
