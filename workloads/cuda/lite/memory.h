/* workloads/cuda/lite/memory.h - loads and stores with cache operators, fences,
 * clocks, and what kernels say: printf, assert, traps, memory of the heap. */
#ifndef CUDA_LITE_MEMORY_H
#define CUDA_LITE_MEMORY_H

CUDA_LITE unsigned long long cuda_lite_global(const void *p)
{
    unsigned long long r;

    __asm__("cvta.to.global.u64 %0, %1;" : "=l"(r) : "l"(p));
    return r;
}

/* NAME(const T *) and, of vectors, all elements by one instruction. `reg` is
 * the register that holds an element, `as` its type. */
#define CUDA_LITE_LOAD(name, op, T, bits, reg, as)                             \
    CUDA_LITE T name(const T *p)                                               \
    {                                                                          \
        as r;                                                                  \
                                                                               \
        __asm__ volatile(op "." bits " %0, [%1];"                              \
                         : "=" reg(r)                                          \
                         : "l"(cuda_lite_global(p))                            \
                         : "memory");                                          \
        return (T)r;                                                           \
    }
#define CUDA_LITE_LOAD2(name, op, T, bits, reg)                                \
    CUDA_LITE T name(const T *p)                                               \
    {                                                                          \
        T r;                                                                   \
                                                                               \
        __asm__ volatile(op ".v2." bits " {%0, %1}, [%2];"                     \
                         : "=" reg(r.x), "=" reg(r.y)                          \
                         : "l"(cuda_lite_global(p))                            \
                         : "memory");                                          \
        return r;                                                              \
    }
#define CUDA_LITE_LOAD4(name, op, T, bits, reg)                                \
    CUDA_LITE T name(const T *p)                                               \
    {                                                                          \
        T r;                                                                   \
                                                                               \
        __asm__ volatile(op ".v4." bits " {%0, %1, %2, %3}, [%4];"             \
                         : "=" reg(r.x), "=" reg(r.y), "=" reg(r.z),           \
                           "=" reg(r.w)                                        \
                         : "l"(cuda_lite_global(p))                            \
                         : "memory");                                          \
        return r;                                                              \
    }
#define CUDA_LITE_LOADS(name, op)                                              \
    CUDA_LITE_LOAD(name, op, char, "s8", "r", int)                             \
    CUDA_LITE_LOAD(name, op, signed char, "s8", "r", int)                      \
    CUDA_LITE_LOAD(name, op, unsigned char, "u8", "r", unsigned)               \
    CUDA_LITE_LOAD(name, op, short, "s16", "h", short)                         \
    CUDA_LITE_LOAD(name, op, unsigned short, "u16", "h", unsigned short)       \
    CUDA_LITE_LOAD(name, op, int, "s32", "r", int)                             \
    CUDA_LITE_LOAD(name, op, unsigned, "u32", "r", unsigned)                   \
    CUDA_LITE_LOAD(name, op, long, "s64", "l", long)                           \
    CUDA_LITE_LOAD(name, op, unsigned long, "u64", "l", unsigned long)         \
    CUDA_LITE_LOAD(name, op, long long, "s64", "l", long long)                 \
    CUDA_LITE_LOAD(name, op, unsigned long long, "u64", "l",                   \
                   unsigned long long)                                         \
    CUDA_LITE_LOAD(name, op, float, "f32", "f", float)                         \
    CUDA_LITE_LOAD(name, op, double, "f64", "d", double)                       \
    CUDA_LITE_LOAD2(name, op, int2, "s32", "r")                                \
    CUDA_LITE_LOAD2(name, op, uint2, "u32", "r")                               \
    CUDA_LITE_LOAD2(name, op, float2, "f32", "f")                              \
    CUDA_LITE_LOAD2(name, op, double2, "f64", "d")                             \
    CUDA_LITE_LOAD2(name, op, longlong2, "s64", "l")                           \
    CUDA_LITE_LOAD2(name, op, ulonglong2, "u64", "l")                          \
    CUDA_LITE_LOAD4(name, op, int4, "s32", "r")                                \
    CUDA_LITE_LOAD4(name, op, uint4, "u32", "r")                               \
    CUDA_LITE_LOAD4(name, op, float4, "f32", "f")
CUDA_LITE_LOADS(__ldg, "ld.global.nc")
CUDA_LITE_LOADS(__ldcg, "ld.global.cg")
CUDA_LITE_LOADS(__ldca, "ld.global.ca")
CUDA_LITE_LOADS(__ldcs, "ld.global.cs")
CUDA_LITE_LOADS(__ldlu, "ld.global.lu")
CUDA_LITE_LOADS(__ldcv, "ld.global.cv")

#define CUDA_LITE_STORE(name, op, T, bits, reg, as)                            \
    CUDA_LITE void name(T *p, T v)                                             \
    {                                                                          \
        __asm__ volatile(op "." bits " [%0], %1;" ::"l"(cuda_lite_global(p)),  \
                         reg((as)v)                                            \
                         : "memory");                                          \
    }
#define CUDA_LITE_STORE2(name, op, T, bits, reg)                               \
    CUDA_LITE void name(T *p, T v)                                             \
    {                                                                          \
        __asm__ volatile(op ".v2." bits                                        \
                            " [%0], {%1, %2};" ::"l"(cuda_lite_global(p)),     \
                         reg(v.x), reg(v.y)                                    \
                         : "memory");                                          \
    }
#define CUDA_LITE_STORE4(name, op, T, bits, reg)                               \
    CUDA_LITE void name(T *p, T v)                                             \
    {                                                                          \
        __asm__ volatile(op ".v4." bits " [%0], {%1, %2, %3, %4};" ::"l"(      \
                             cuda_lite_global(p)),                             \
                         reg(v.x), reg(v.y), reg(v.z), reg(v.w)                \
                         : "memory");                                          \
    }
#define CUDA_LITE_STORES(name, op)                                             \
    CUDA_LITE_STORE(name, op, char, "u8", "r", int)                            \
    CUDA_LITE_STORE(name, op, unsigned char, "u8", "r", unsigned)              \
    CUDA_LITE_STORE(name, op, short, "u16", "h", short)                        \
    CUDA_LITE_STORE(name, op, unsigned short, "u16", "h", unsigned short)      \
    CUDA_LITE_STORE(name, op, int, "u32", "r", int)                            \
    CUDA_LITE_STORE(name, op, unsigned, "u32", "r", unsigned)                  \
    CUDA_LITE_STORE(name, op, long long, "u64", "l", long long)                \
    CUDA_LITE_STORE(name, op, unsigned long long, "u64", "l",                  \
                    unsigned long long)                                        \
    CUDA_LITE_STORE(name, op, float, "f32", "f", float)                        \
    CUDA_LITE_STORE(name, op, double, "f64", "d", double)                      \
    CUDA_LITE_STORE2(name, op, int2, "u32", "r")                               \
    CUDA_LITE_STORE2(name, op, uint2, "u32", "r")                              \
    CUDA_LITE_STORE2(name, op, float2, "f32", "f")                             \
    CUDA_LITE_STORE2(name, op, double2, "f64", "d")                            \
    CUDA_LITE_STORE4(name, op, int4, "u32", "r")                               \
    CUDA_LITE_STORE4(name, op, uint4, "u32", "r")                              \
    CUDA_LITE_STORE4(name, op, float4, "f32", "f")
CUDA_LITE_STORES(__stwb, "st.global.wb")
CUDA_LITE_STORES(__stcg, "st.global.cg")
CUDA_LITE_STORES(__stcs, "st.global.cs")
CUDA_LITE_STORES(__stwt, "st.global.wt")

CUDA_LITE void __threadfence() { __nvvm_membar_gl(); }
CUDA_LITE void __threadfence_block() { __nvvm_membar_cta(); }
CUDA_LITE void __threadfence_system() { __nvvm_membar_sys(); }

typedef long cuda_lite_clock;
CUDA_LITE cuda_lite_clock clock()
{
    unsigned r;

    __asm__ volatile("mov.u32 %0, %%clock;" : "=r"(r)::"memory");
    return (cuda_lite_clock)r;
}
CUDA_LITE long long clock64()
{
    long long r;

    __asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(r)::"memory");
    return r;
}
CUDA_LITE unsigned long long __globaltimer()
{
    unsigned long long r;

    __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(r)::"memory");
    return r;
}
CUDA_LITE void __nanosleep(unsigned ns)
{
    __asm__ volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory");
}
CUDA_LITE void __trap() { __asm__ volatile("trap;"); }
CUDA_LITE void __brkpt() { __asm__ volatile("brkpt;"); }

CUDA_LITE bool __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
CUDA_LITE bool __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
CUDA_LITE bool __isLocal(const void *p) { return __nvvm_isspacep_local(p); }

extern "C" {
__device__ int printf(const char *format, ...);
__device__ void *malloc(unsigned long size);
__device__ void free(void *p);
__device__ void __assertfail(const char *text, const char *file, unsigned line,
                             const char *function, unsigned long char_size);
}
/* What the C library's assert calls. */
__device__ __attribute__((nodebug)) inline void
__assert_fail(const char *text, const char *file, unsigned line,
              const char *function)
{
    __assertfail(text, file, line, function, 1);
}

#endif
