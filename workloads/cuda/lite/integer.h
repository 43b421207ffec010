/* workloads/cuda/lite/integer.h - CUDA's integer intrinsics, min, max, abs
 * [CUDA12:integer-intrinsics]. */
#ifndef CUDA_LITE_INTEGER_H
#define CUDA_LITE_INTEGER_H

#define CUDA_LITE_MINMAX(type)                                                 \
    CUDA_LITE_BOTH type min(type a, type b) { return b < a ? b : a; }          \
    CUDA_LITE_BOTH type max(type a, type b) { return a < b ? b : a; }
CUDA_LITE_MINMAX(int)
CUDA_LITE_MINMAX(unsigned)
CUDA_LITE_MINMAX(long)
CUDA_LITE_MINMAX(unsigned long)
CUDA_LITE_MINMAX(long long)
CUDA_LITE_MINMAX(unsigned long long)
/* Mixed, as in C: the unsigned type. */
#define CUDA_LITE_MIXED(type, other)                                           \
    CUDA_LITE_BOTH type min(type a, other b) { return min(a, (type)b); }       \
    CUDA_LITE_BOTH type min(other a, type b) { return min((type)a, b); }       \
    CUDA_LITE_BOTH type max(type a, other b) { return max(a, (type)b); }       \
    CUDA_LITE_BOTH type max(other a, type b) { return max((type)a, b); }
CUDA_LITE_MIXED(unsigned, int)
CUDA_LITE_MIXED(unsigned long, long)
CUDA_LITE_MIXED(unsigned long long, long long)
CUDA_LITE float min(float a, float b) { return fminf(a, b); }
CUDA_LITE float max(float a, float b) { return fmaxf(a, b); }
CUDA_LITE double min(double a, double b) { return fmin(a, b); }
CUDA_LITE double max(double a, double b) { return fmax(a, b); }
CUDA_LITE double min(float a, double b) { return fmin((double)a, b); }
CUDA_LITE double min(double a, float b) { return fmin(a, (double)b); }
CUDA_LITE double max(float a, double b) { return fmax((double)a, b); }
CUDA_LITE double max(double a, float b) { return fmax(a, (double)b); }
CUDA_LITE unsigned umin(unsigned a, unsigned b) { return min(a, b); }
CUDA_LITE unsigned umax(unsigned a, unsigned b) { return max(a, b); }

/* The least number stays what it is. */
CUDA_LITE int abs(int x) { return x < 0 ? (int)(0u - (unsigned)x) : x; }
CUDA_LITE long abs(long x)
{
    return x < 0 ? (long)(0ul - (unsigned long)x) : x;
}
CUDA_LITE long long abs(long long x)
{
    return x < 0 ? (long long)(0ull - (unsigned long long)x) : x;
}
CUDA_LITE float abs(float x) { return fabsf(x); }
CUDA_LITE double abs(double x) { return fabs(x); }
CUDA_LITE long labs(long x) { return abs(x); }
CUDA_LITE long long llabs(long long x) { return abs(x); }

CUDA_LITE int __popc(unsigned x) { return __builtin_popcount(x); }
CUDA_LITE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
CUDA_LITE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
CUDA_LITE int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
CUDA_LITE int __ffs(int x) { return __builtin_ffs(x); }
CUDA_LITE int __ffsll(long long x) { return __builtin_ffsll(x); }
CUDA_LITE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
CUDA_LITE unsigned long long __brevll(unsigned long long x)
{
    return __builtin_bitreverse64(x);
}
CUDA_LITE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    return (unsigned)__nvvm_prmt((int)a, (int)b, (int)(selector & 0x7777));
}

/* The high and the low half side by side, shifted; C clamps the amount. */
CUDA_LITE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << (n & 31) >> 32);
}
CUDA_LITE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (n & 31));
}
CUDA_LITE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned n)
{
    return n < 32 ? __funnelshift_l(low, high, n) : low;
}
CUDA_LITE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned n)
{
    return n < 32 ? __funnelshift_r(low, high, n) : high;
}

CUDA_LITE int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
CUDA_LITE unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
CUDA_LITE long long __mul64hi(long long a, long long b)
{
    return __nvvm_mulhi_ll(a, b);
}
CUDA_LITE unsigned long long __umul64hi(unsigned long long a,
                                        unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
CUDA_LITE int __mul24(int a, int b)
{
    return (int)((unsigned)((int)((unsigned)a << 8) >> 8) *
                 (unsigned)((int)((unsigned)b << 8) >> 8));
}
CUDA_LITE unsigned __umul24(unsigned a, unsigned b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
CUDA_LITE unsigned __sad(int a, int b, unsigned c)
{
    return (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b) + c;
}
CUDA_LITE unsigned __usad(unsigned a, unsigned b, unsigned c)
{
    return (a < b ? b - a : a - b) + c;
}
CUDA_LITE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
CUDA_LITE int __rhadd(int a, int b)
{
    return (int)(((long long)a + b + 1) >> 1);
}
CUDA_LITE unsigned __uhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
CUDA_LITE unsigned __urhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
#define CUDA_LITE_DP4A(type, as, bs, suffix)                                   \
    CUDA_LITE type __dp4a(as a, bs b, type c)                                  \
    {                                                                          \
        type r;                                                                \
                                                                               \
        __asm__("dp4a." suffix " %0, %1, %2, %3;"                              \
                : "=r"(r)                                                      \
                : "r"(a), "r"(b), "r"(c));                                     \
        return r;                                                              \
    }
CUDA_LITE_DP4A(int, int, int, "s32.s32")
CUDA_LITE_DP4A(unsigned, unsigned, unsigned, "u32.u32")

#endif
