/* workloads/cuda/lite/half.h - half precision: what is most used of
 * cuda_fp16.h. */
#ifndef CUDA_LITE_HALF_H
#define CUDA_LITE_HALF_H

CUDA_LITE unsigned short cuda_lite_to_half(float x)
{
    unsigned short r;

    __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x));
    return r;
}
CUDA_LITE float cuda_lite_from_half(unsigned short x)
{
    float r;

    __asm__("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x));
    return r;
}

struct __attribute__((aligned(2))) __half {
    unsigned short bits;
    __half() = default;
    __device__ __attribute__((nodebug)) inline __half(float x)
        : bits(cuda_lite_to_half(x))
    {
    }
    __device__ __attribute__((nodebug)) inline __half(double x)
        : bits(cuda_lite_to_half((float)x))
    {
    }
    __device__ __attribute__((nodebug)) inline __half(int x)
        : bits(cuda_lite_to_half((float)x))
    {
    }
    __device__ __attribute__((nodebug)) inline operator float() const
    {
        return cuda_lite_from_half(bits);
    }
};
typedef __half half;
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
};
typedef __half2 half2;

CUDA_LITE __half __ushort_as_half(unsigned short bits)
{
    __half h;

    h.bits = bits;
    return h;
}
CUDA_LITE unsigned short __half_as_ushort(__half h) { return h.bits; }
CUDA_LITE __half __float2half(float x) { return __half(x); }
CUDA_LITE __half __float2half_rn(float x) { return __half(x); }
CUDA_LITE float __half2float(__half h) { return cuda_lite_from_half(h.bits); }
CUDA_LITE __half __int2half_rn(int x) { return __half((float)x); }
CUDA_LITE int __half2int_rn(__half h) { return __float2int_rn(h); }

#define CUDA_LITE_HALF2(name, op)                                              \
    CUDA_LITE __half name(__half a, __half b)                                  \
    {                                                                          \
        unsigned short r;                                                      \
                                                                               \
        __asm__(op " %0, %1, %2;" : "=h"(r) : "h"(a.bits), "h"(b.bits));       \
        return __ushort_as_half(r);                                            \
    }                                                                          \
    CUDA_LITE __half2 name##2(__half2 a, __half2 b)                            \
    {                                                                          \
        return {name(a.x, b.x), name(a.y, b.y)};                               \
    }
CUDA_LITE_HALF2(__hadd, "add.rn.f16")
CUDA_LITE_HALF2(__hsub, "sub.rn.f16")
CUDA_LITE_HALF2(__hmul, "mul.rn.f16")
CUDA_LITE __half __hfma(__half a, __half b, __half c)
{
    unsigned short r;

    __asm__("fma.rn.f16 %0, %1, %2, %3;"
            : "=h"(r)
            : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return __ushort_as_half(r);
}
CUDA_LITE __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
/* Rounding twice gives the right quotient: singles have more than twice the
 * digits of halves. */
CUDA_LITE __half __hdiv(__half a, __half b)
{
    return __half((float)a / (float)b);
}
CUDA_LITE __half __hneg(__half a) { return __ushort_as_half(a.bits ^ 0x8000); }
CUDA_LITE __half __habs(__half a) { return __ushort_as_half(a.bits & 0x7fff); }
CUDA_LITE __half hsqrt(__half a) { return __half(sqrtf(a)); }
CUDA_LITE __half hexp(__half a) { return __half(expf(a)); }
CUDA_LITE __half hlog(__half a) { return __half(logf(a)); }

#define CUDA_LITE_HALF_IS(name, op)                                            \
    CUDA_LITE bool name(__half a, __half b) { return (float)a op(float) b; }
CUDA_LITE_HALF_IS(__heq, ==)
CUDA_LITE_HALF_IS(__hne, !=)
CUDA_LITE_HALF_IS(__hlt, <)
CUDA_LITE_HALF_IS(__hle, <=)
CUDA_LITE_HALF_IS(__hgt, >)
CUDA_LITE_HALF_IS(__hge, >=)
CUDA_LITE_HALF_IS(operator==, ==)
CUDA_LITE_HALF_IS(operator!=, !=)
CUDA_LITE_HALF_IS(operator<, <)
CUDA_LITE_HALF_IS(operator<=, <=)
CUDA_LITE_HALF_IS(operator>, >)
CUDA_LITE_HALF_IS(operator>=, >=)
CUDA_LITE bool __hisnan(__half a) { return __builtin_isnan((float)a); }
CUDA_LITE __half __hmax(__half a, __half b) { return __half(fmaxf(a, b)); }
CUDA_LITE __half __hmin(__half a, __half b) { return __half(fminf(a, b)); }

CUDA_LITE __half operator+(__half a, __half b) { return __hadd(a, b); }
CUDA_LITE __half operator-(__half a, __half b) { return __hsub(a, b); }
CUDA_LITE __half operator*(__half a, __half b) { return __hmul(a, b); }
CUDA_LITE __half operator/(__half a, __half b) { return __hdiv(a, b); }
CUDA_LITE __half operator-(__half a) { return __hneg(a); }
CUDA_LITE __half &operator+=(__half &a, __half b) { return a = a + b; }
CUDA_LITE __half &operator-=(__half &a, __half b) { return a = a - b; }
CUDA_LITE __half &operator*=(__half &a, __half b) { return a = a * b; }
CUDA_LITE __half &operator/=(__half &a, __half b) { return a = a / b; }

CUDA_LITE __half2 __halves2half2(__half a, __half b) { return {a, b}; }
CUDA_LITE __half2 make_half2(__half a, __half b) { return {a, b}; }
CUDA_LITE __half2 __half2half2(__half a) { return {a, a}; }
CUDA_LITE __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
CUDA_LITE __half2 __floats2half2_rn(float x, float y)
{
    return {__half(x), __half(y)};
}
CUDA_LITE float2 __half22float2(__half2 h) { return {(float)h.x, (float)h.y}; }
CUDA_LITE __half2 __float22half2_rn(float2 v)
{
    return {__half(v.x), __half(v.y)};
}
CUDA_LITE __half __low2half(__half2 h) { return h.x; }
CUDA_LITE __half __high2half(__half2 h) { return h.y; }
CUDA_LITE float __low2float(__half2 h) { return h.x; }
CUDA_LITE float __high2float(__half2 h) { return h.y; }

#endif
