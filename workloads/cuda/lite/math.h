/* workloads/cuda/lite/math.h - the mathematical functions of CUDA C, singles
 * and doubles. What the instruction set has is that; the others are those of
 * libclc, which have OpenCL's errors (4 ulp and less for most, 16 for some). */
#ifndef CUDA_LITE_MATH_H
#define CUDA_LITE_MATH_H

/* ---- From libclc, under the names that OpenCL C gives them ---- */

#define CUDA_LITE_CLC1(name, of_float, of_double)                              \
    extern "C" __device__ float of_float(float);                               \
    extern "C" __device__ double of_double(double);                            \
    CUDA_LITE float name##f(float x) { return of_float(x); }                   \
    CUDA_LITE float name(float x) { return of_float(x); }                      \
    CUDA_LITE double name(double x) { return of_double(x); }
#define CUDA_LITE_CLC2(name, of_float, of_double)                              \
    extern "C" __device__ float of_float(float, float);                        \
    extern "C" __device__ double of_double(double, double);                    \
    CUDA_LITE float name##f(float x, float y) { return of_float(x, y); }       \
    CUDA_LITE float name(float x, float y) { return of_float(x, y); }          \
    CUDA_LITE double name(double x, double y) { return of_double(x, y); }
CUDA_LITE_CLC1(asin, _Z4asinf, _Z4asind)
CUDA_LITE_CLC1(acos, _Z4acosf, _Z4acosd)
CUDA_LITE_CLC1(atan, _Z4atanf, _Z4atand)
CUDA_LITE_CLC1(sinh, _Z4sinhf, _Z4sinhd)
CUDA_LITE_CLC1(cosh, _Z4coshf, _Z4coshd)
CUDA_LITE_CLC1(tanh, _Z4tanhf, _Z4tanhd)
CUDA_LITE_CLC1(asinh, _Z5asinhf, _Z5asinhd)
CUDA_LITE_CLC1(acosh, _Z5acoshf, _Z5acoshd)
CUDA_LITE_CLC1(atanh, _Z5atanhf, _Z5atanhd)
CUDA_LITE_CLC1(exp, _Z3expf, _Z3expd)
CUDA_LITE_CLC1(exp2, _Z4exp2f, _Z4exp2d)
CUDA_LITE_CLC1(exp10, _Z5exp10f, _Z5exp10d)
CUDA_LITE_CLC1(expm1, _Z5expm1f, _Z5expm1d)
CUDA_LITE_CLC1(log, _Z3logf, _Z3logd)
CUDA_LITE_CLC1(log2, _Z4log2f, _Z4log2d)
CUDA_LITE_CLC1(log10, _Z5log10f, _Z5log10d)
CUDA_LITE_CLC1(log1p, _Z5log1pf, _Z5log1pd)
CUDA_LITE_CLC1(cbrt, _Z4cbrtf, _Z4cbrtd)
CUDA_LITE_CLC1(erf, _Z3erff, _Z3erfd)
CUDA_LITE_CLC1(erfc, _Z4erfcf, _Z4erfcd)
CUDA_LITE_CLC1(tgamma, _Z6tgammaf, _Z6tgammad)
CUDA_LITE_CLC1(lgamma, _Z6lgammaf, _Z6lgammad)
CUDA_LITE_CLC2(pow, _Z3powff, _Z3powdd)
CUDA_LITE_CLC2(atan2, _Z5atan2ff, _Z5atan2dd)
CUDA_LITE_CLC2(hypot, _Z5hypotff, _Z5hypotdd)

/* ---- Instructions, and few of them ---- */

/* NAMEf of singles, NAME of both. */
#define CUDA_LITE_OWN1(name, of_float, of_double)                              \
    CUDA_LITE float name##f(float x) { return of_float; }                      \
    CUDA_LITE float name(float x) { return of_float; }                         \
    CUDA_LITE double name(double x) { return of_double; }
#define CUDA_LITE_OWN2(name, of_float, of_double)                              \
    CUDA_LITE float name##f(float x, float y) { return of_float; }             \
    CUDA_LITE float name(float x, float y) { return of_float; }                \
    CUDA_LITE double name(double x, double y) { return of_double; }
CUDA_LITE_OWN1(sqrt, __nvvm_sqrt_rn_f(x), __nvvm_sqrt_rn_d(x))
CUDA_LITE_OWN1(fabs, __builtin_fabsf(x), __builtin_fabs(x))
CUDA_LITE_OWN1(floor, __builtin_floorf(x), __builtin_floor(x))
CUDA_LITE_OWN1(ceil, __builtin_ceilf(x), __builtin_ceil(x))
CUDA_LITE_OWN1(trunc, __builtin_truncf(x), __builtin_trunc(x))
CUDA_LITE_OWN1(rint, __builtin_rintf(x), __builtin_rint(x))
CUDA_LITE_OWN1(nearbyint, __builtin_rintf(x), __builtin_rint(x))
/* Halves away from zero; the sum of two halves would round up below a half. */
CUDA_LITE_OWN1(round,
               __builtin_fabsf(x - __builtin_truncf(x)) >= 0.5f
                   ? __builtin_truncf(x) + __builtin_copysignf(1, x)
                   : __builtin_copysignf(__builtin_truncf(x), x),
               __builtin_fabs(x - __builtin_trunc(x)) >= 0.5
                   ? __builtin_trunc(x) + __builtin_copysign(1, x)
                   : __builtin_copysign(__builtin_trunc(x), x))
CUDA_LITE_OWN1(rsqrt, __nvvm_rsqrt_approx_f(x), 1 / __nvvm_sqrt_rn_d(x))
CUDA_LITE_OWN1(rcbrt, 1 / cbrt(x), 1 / cbrt(x))
CUDA_LITE_OWN2(copysign, __builtin_copysignf(x, y), __builtin_copysign(x, y))
CUDA_LITE_OWN2(fmin, __nvvm_fmin_f(x, y), __nvvm_fmin_d(x, y))
CUDA_LITE_OWN2(fmax, __nvvm_fmax_f(x, y), __nvvm_fmax_d(x, y))
CUDA_LITE_OWN2(fdim,
               x != x || y != y ? x + y
               : x > y          ? x - y
                                : 0,
               x != x || y != y ? x + y
               : x > y          ? x - y
                                : 0)

CUDA_LITE float fmaf(float x, float y, float z)
{
    return __nvvm_fma_rn_f(x, y, z);
}
CUDA_LITE float fma(float x, float y, float z) { return fmaf(x, y, z); }
CUDA_LITE double fma(double x, double y, double z)
{
    return __nvvm_fma_rn_d(x, y, z);
}
CUDA_LITE float fdividef(float x, float y) { return x / y; }
CUDA_LITE float norm3df(float x, float y, float z)
{
    return sqrtf(x * x + y * y + z * z);
}
CUDA_LITE double norm3d(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}
CUDA_LITE float rhypotf(float x, float y) { return 1 / hypotf(x, y); }
CUDA_LITE double rhypot(double x, double y) { return 1 / hypot(x, y); }

/* ---- To integers ---- */

#define CUDA_LITE_TO_INT(type, prefix)                                         \
    CUDA_LITE type prefix##rintf(float x) { return (type)rintf(x); }           \
    CUDA_LITE type prefix##rint(float x) { return (type)rintf(x); }            \
    CUDA_LITE type prefix##rint(double x) { return (type)rint(x); }            \
    CUDA_LITE type prefix##roundf(float x) { return (type)roundf(x); }         \
    CUDA_LITE type prefix##round(float x) { return (type)roundf(x); }          \
    CUDA_LITE type prefix##round(double x) { return (type)round(x); }
CUDA_LITE_TO_INT(long, l)
CUDA_LITE_TO_INT(long long, ll)

/* ---- Parts of numbers ---- */

CUDA_LITE float modff(float x, float *whole)
{
    *whole = truncf(x);
    return copysignf(__builtin_isinf(x) ? 0 : x - *whole, x);
}
CUDA_LITE double modf(double x, double *whole)
{
    *whole = trunc(x);
    return copysign(__builtin_isinf(x) ? 0 : x - *whole, x);
}
CUDA_LITE float modf(float x, float *whole) { return modff(x, whole); }
CUDA_LITE double frexp(double x, int *exponent)
{
    long long bits = __builtin_bit_cast(long long, x);

    *exponent = 0;
    if (x == 0 || !__builtin_isfinite(x))
        return x;
    if (!(bits >> 52 & 2047)) {
        bits = __builtin_bit_cast(long long, x * 0x1p54);
        *exponent = -54;
    }
    *exponent += (int)(bits >> 52 & 2047) - 1022;
    return __builtin_bit_cast(double, (bits & ~(2047LL << 52)) | 1022LL << 52);
}
CUDA_LITE float frexpf(float x, int *exponent)
{
    return (float)frexp((double)x, exponent);
}
CUDA_LITE float frexp(float x, int *exponent) { return frexpf(x, exponent); }
CUDA_LITE double cuda_lite_power2(int n) /* of -1022 to 1023 */
{
    return __builtin_bit_cast(double, (long long)(n + 1023) << 52);
}
CUDA_LITE double ldexp(double x, int n)
{
    for (; n > 1023; n -= 1023) {
        if (n > 4 * 1023)
            n = 4 * 1023;
        x *= cuda_lite_power2(1023);
    }
    /* Steps that end where rounding once is right. */
    for (; n < -969; n += 969) {
        if (n < -4 * 969)
            n = -4 * 969;
        x *= cuda_lite_power2(-969);
    }
    return x * cuda_lite_power2(n);
}
CUDA_LITE float ldexpf(float x, int n)
{
    n = n > 600 ? 600 : n < -600 ? -600 : n;
    return (float)((double)x * cuda_lite_power2(n));
}
CUDA_LITE float ldexp(float x, int n) { return ldexpf(x, n); }
CUDA_LITE float scalbnf(float x, int n) { return ldexpf(x, n); }
CUDA_LITE double scalbn(double x, int n) { return ldexp(x, n); }
CUDA_LITE int ilogb(double x)
{
    int n;

    if (x == 0 || x != x)
        return -2147483647 - 1;
    if (__builtin_isinf(x))
        return 2147483647;
    frexp(x, &n);
    return n - 1;
}
CUDA_LITE int ilogbf(float x) { return ilogb((double)x); }
CUDA_LITE double logb(double x)
{
    return x == 0 ? -__builtin_inf() : __builtin_isfinite(x) ? ilogb(x) : x * x;
}
CUDA_LITE float logbf(float x) { return (float)logb((double)x); }

/* ---- Remainders ---- */

/* Of magnitudes: each step takes up to 50 bits of the quotient, without an
 * error. */
CUDA_LITE double fmod(double x, double y)
{
    double r = fabs(x), by = fabs(y);

    if (x != x || y != y || !(r < __builtin_inf()) || by == 0)
        return __builtin_nan("");
    while (r >= by) {
        int more = ilogb(r) - ilogb(by) - 50;
        double step = more > 0 ? ldexp(by, more) : by;

        r = fma(-trunc(r / step), step, r);
        if (r < 0)
            r += step;
    }
    return copysign(r, x);
}
CUDA_LITE float fmodf(float x, float y)
{
    return (float)fmod((double)x, (double)y);
}
CUDA_LITE float fmod(float x, float y) { return fmodf(x, y); }
CUDA_LITE double remainder(double x, double y)
{
    double by = fabs(y), r = by < 0x1p1022 ? fmod(fabs(x), 2 * by) : fabs(x);

    if (x != x || y != y || !(fabs(x) < __builtin_inf()) || by == 0)
        return __builtin_nan("");
    if (r + r > by) { /* of two that are as near the even quotient */
        r -= by;
        if (r + r >= by)
            r -= by;
    }
    return x < 0 ? -r : r;
}
CUDA_LITE float remainderf(float x, float y)
{
    return (float)remainder((double)x, (double)y);
}

CUDA_LITE double nextafter(double x, double y)
{
    long long bits = __builtin_bit_cast(long long, x);

    if (x != x || y != y || x == y)
        return x == y ? y : x + y;
    if (x == 0)
        return copysign(0x1p-1074, y);
    return __builtin_bit_cast(double, bits + ((x < y) == (x > 0) ? 1 : -1));
}
CUDA_LITE float nextafterf(float x, float y)
{
    int bits = __builtin_bit_cast(int, x);

    if (x != x || y != y || x == y)
        return x == y ? y : x + y;
    if (x == 0)
        return copysignf(0x1p-149f, y);
    return __builtin_bit_cast(float, bits + ((x < y) == (x > 0) ? 1 : -1));
}

/* ---- Sine and cosine ---- */

/* Series of |x| up to pi/4, where the first term that is left out is below half
 * a unit in the last place. */
CUDA_LITE float cuda_lite_sine(float x)
{
    float y = x * x, s = 1.0f / 362880;

    s = fmaf(s, y, -1.0f / 5040);
    s = fmaf(s, y, 1.0f / 120);
    s = fmaf(s, y, -1.0f / 6);
    return fmaf(x * y, s, x);
}
CUDA_LITE float cuda_lite_cosine(float x)
{
    float y = x * x, s = 1.0f / 40320;

    s = fmaf(s, y, -1.0f / 720);
    s = fmaf(s, y, 1.0f / 24);
    s = fmaf(s, y, -0.5f);
    return fmaf(s, y, 1);
}
CUDA_LITE double cuda_lite_sine(double x)
{
    double y = x * x, s = -1.0 / 121645100408832000;

    s = fma(s, y, 1.0 / 355687428096000);
    s = fma(s, y, -1.0 / 1307674368000);
    s = fma(s, y, 1.0 / 6227020800);
    s = fma(s, y, -1.0 / 39916800);
    s = fma(s, y, 1.0 / 362880);
    s = fma(s, y, -1.0 / 5040);
    s = fma(s, y, 1.0 / 120);
    s = fma(s, y, -1.0 / 6);
    return fma(x * y, s, x);
}
CUDA_LITE double cuda_lite_cosine(double x)
{
    double y = x * x, s = -1.0 / 6402373705728000;

    s = fma(s, y, 1.0 / 20922789888000);
    s = fma(s, y, -1.0 / 87178291200);
    s = fma(s, y, 1.0 / 479001600);
    s = fma(s, y, -1.0 / 3628800);
    s = fma(s, y, 1.0 / 40320);
    s = fma(s, y, -1.0 / 720);
    s = fma(s, y, 1.0 / 24);
    s = fma(s, y, -0.5);
    return fma(s, y, 1);
}

/* x less n quarters of a turn, by pi/2 in three parts. */
CUDA_LITE float cuda_lite_part(float x, float n)
{
    float r = fmaf(-n, 0x1.921fb6p+0f, x);

    r = fmaf(n, 0x1.777a5cp-25f, r);
    return fmaf(n, 0x1.ee59dap-50f, r);
}
CUDA_LITE double cuda_lite_part(double x, double n)
{
    double r = fma(-n, 0x1.921fb54442d18p+0, x);

    r = fma(-n, 0x1.1a62633145c07p-54, r);
    return fma(n, 0x1.f1976b7ed8fbcp-110, r);
}

/* Of a part r, n quarters on: n 0 is the sine of r, 1 its cosine. */
#define CUDA_LITE_TURN(type)                                                   \
    CUDA_LITE type cuda_lite_turn(type r, int n)                               \
    {                                                                          \
        type v = n & 1 ? cuda_lite_cosine(r) : cuda_lite_sine(r);              \
                                                                               \
        return n & 2 ? -v : v;                                                 \
    }
CUDA_LITE_TURN(float)
CUDA_LITE_TURN(double)

/* Beyond `most` the parts of pi/2 are too few: those are libclc's. */
#define CUDA_LITE_TRIG(name, type, most, round, turns, far)                    \
    extern "C" __device__ type far(type);                                      \
    CUDA_LITE type name(type x)                                                \
    {                                                                          \
        type n = round(x * (type)0.63661977236758134);                         \
                                                                               \
        if (!(__builtin_fabs(x) < most))                                       \
            return far(x);                                                     \
        return cuda_lite_turn(cuda_lite_part(x, n), (int)n + turns);           \
    }
CUDA_LITE_TRIG(sinf, float, 48000, rintf, 0, _Z3sinf)
CUDA_LITE_TRIG(sin, double, 1e9, rint, 0, _Z3sind)
CUDA_LITE_TRIG(cosf, float, 48000, rintf, 1, _Z3cosf)
CUDA_LITE_TRIG(cos, double, 1e9, rint, 1, _Z3cosd)
CUDA_LITE float sin(float x) { return sinf(x); }
CUDA_LITE float cos(float x) { return cosf(x); }
CUDA_LITE_OWN1(tan, sinf(x) / cosf(x), sin(x) / cos(x))

/* Of pi x: x less n halves is exact. */
#define CUDA_LITE_TURNS(name, turns)                                           \
    CUDA_LITE float name##f(float x)                                           \
    {                                                                          \
        float n = rintf(2 * x), r = fmaf(n, -0.5f, x);                         \
                                                                               \
        return cuda_lite_turn(r * 3.14159274f, (int)fmodf(n, 4) + turns);      \
    }                                                                          \
    CUDA_LITE double name(double x)                                            \
    {                                                                          \
        double n = rint(2 * x), r = fma(n, -0.5, x);                           \
                                                                               \
        return cuda_lite_turn(r * 3.1415926535897931,                          \
                              (int)fmod(n, 4.0) + turns);                      \
    }
CUDA_LITE_TURNS(sinpi, 0)
CUDA_LITE_TURNS(cospi, 1)

#define CUDA_LITE_SINCOS(suffix, type, sine, cosine)                           \
    CUDA_LITE void sincos##suffix(type x, type *s, type *c)                    \
    {                                                                          \
        *s = sine(x);                                                          \
        *c = cosine(x);                                                        \
    }
CUDA_LITE_SINCOS(f, float, sinf, cosf)
CUDA_LITE_SINCOS(, double, sin, cos)
CUDA_LITE_SINCOS(pif, float, sinpif, cospif)
CUDA_LITE_SINCOS(pi, double, sinpi, cospi)

/* ---- What numbers are: as macros of the C library have them ---- */

#ifndef _GLIBCXX_CMATH
#define CUDA_LITE_IS(name, builtin)                                            \
    CUDA_LITE bool name(float x) { return builtin(x); }                        \
    CUDA_LITE bool name(double x) { return builtin(x); }
CUDA_LITE_IS(isnan, __builtin_isnan)
CUDA_LITE_IS(isinf, __builtin_isinf)
CUDA_LITE_IS(isfinite, __builtin_isfinite)
CUDA_LITE_IS(signbit, __builtin_signbit)
#endif

/* ---- Approximate, of singles [CUDA12:intrinsic-functions] ---- */

CUDA_LITE float __expf(float x) /* 2^(x log2 e) */
{
    return __nvvm_ex2_approx_f(x * 1.44269504f);
}
CUDA_LITE float __exp10f(float x)
{
    return __nvvm_ex2_approx_f(x * 3.32192809f);
}
CUDA_LITE float __logf(float x) /* log2(x) ln 2 */
{
    return __nvvm_lg2_approx_f(x) * 0.69314718f;
}
CUDA_LITE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
CUDA_LITE float __log10f(float x)
{
    return __nvvm_lg2_approx_f(x) * 0.30103000f;
}
CUDA_LITE float __powf(float x, float y)
{
    return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x));
}
CUDA_LITE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
CUDA_LITE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
CUDA_LITE float __tanf(float x) { return __sinf(x) / __cosf(x); }
CUDA_LITE void __sincosf(float x, float *s, float *c)
{
    *s = __sinf(x);
    *c = __cosf(x);
}
CUDA_LITE float __fdividef(float x, float y)
{
    return __nvvm_div_approx_f(x, y);
}
CUDA_LITE float __saturatef(float x) { return __nvvm_saturate_f(x); }
CUDA_LITE float __frsqrt_rn(float x) { return 1 / sqrtf(x); }

/* ---- In every rounding ---- */

#define CUDA_LITE_ROUNDED(mode, nv)                                            \
    CUDA_LITE float __fadd_##mode(float x, float y)                            \
    {                                                                          \
        return __nvvm_add_##nv##_f(x, y);                                      \
    }                                                                          \
    CUDA_LITE float __fsub_##mode(float x, float y)                            \
    {                                                                          \
        return __nvvm_add_##nv##_f(x, -y);                                     \
    }                                                                          \
    CUDA_LITE float __fmul_##mode(float x, float y)                            \
    {                                                                          \
        return __nvvm_mul_##nv##_f(x, y);                                      \
    }                                                                          \
    CUDA_LITE float __fdiv_##mode(float x, float y)                            \
    {                                                                          \
        return __nvvm_div_##nv##_f(x, y);                                      \
    }                                                                          \
    CUDA_LITE float __fmaf_##mode(float x, float y, float z)                   \
    {                                                                          \
        return __nvvm_fma_##nv##_f(x, y, z);                                   \
    }                                                                          \
    CUDA_LITE float __frcp_##mode(float x) { return __nvvm_rcp_##nv##_f(x); }  \
    CUDA_LITE float __fsqrt_##mode(float x)                                    \
    {                                                                          \
        return __nvvm_sqrt_##nv##_f(x);                                        \
    }                                                                          \
    CUDA_LITE double __dadd_##mode(double x, double y)                         \
    {                                                                          \
        return __nvvm_add_##nv##_d(x, y);                                      \
    }                                                                          \
    CUDA_LITE double __dsub_##mode(double x, double y)                         \
    {                                                                          \
        return __nvvm_add_##nv##_d(x, -y);                                     \
    }                                                                          \
    CUDA_LITE double __dmul_##mode(double x, double y)                         \
    {                                                                          \
        return __nvvm_mul_##nv##_d(x, y);                                      \
    }                                                                          \
    CUDA_LITE double __ddiv_##mode(double x, double y)                         \
    {                                                                          \
        return __nvvm_div_##nv##_d(x, y);                                      \
    }                                                                          \
    CUDA_LITE double __fma_##mode(double x, double y, double z)                \
    {                                                                          \
        return __nvvm_fma_##nv##_d(x, y, z);                                   \
    }                                                                          \
    CUDA_LITE double __drcp_##mode(double x)                                   \
    {                                                                          \
        return __nvvm_rcp_##nv##_d(x);                                         \
    }                                                                          \
    CUDA_LITE double __dsqrt_##mode(double x)                                  \
    {                                                                          \
        return __nvvm_sqrt_##nv##_d(x);                                        \
    }
CUDA_LITE_ROUNDED(rn, rn)
CUDA_LITE_ROUNDED(rz, rz)
CUDA_LITE_ROUNDED(rd, rm)
CUDA_LITE_ROUNDED(ru, rp)

/* ---- Conversions ---- */

/* NAME_rn, _rz, _rd and _ru by the instruction cvt. */
#define CUDA_LITE_CVT(name, to, from, types, out, in, n, z, d, u)              \
    CUDA_LITE_CVT1(name##_rn, to, from, "cvt." n types, out, in)               \
    CUDA_LITE_CVT1(name##_rz, to, from, "cvt." z types, out, in)               \
    CUDA_LITE_CVT1(name##_rd, to, from, "cvt." d types, out, in)               \
    CUDA_LITE_CVT1(name##_ru, to, from, "cvt." u types, out, in)
#define CUDA_LITE_CVT1(name, to, from, op, out, in)                            \
    CUDA_LITE to name(from x)                                                  \
    {                                                                          \
        to r;                                                                  \
                                                                               \
        __asm__(op " %0, %1;" : out(r) : in(x));                               \
        return r;                                                              \
    }
#define CUDA_LITE_TO(name, to, from, types, out, in)                           \
    CUDA_LITE_CVT(name, to, from, types, out, in, "rni", "rzi", "rmi", "rpi")
#define CUDA_LITE_FROM(name, to, from, types, out, in)                         \
    CUDA_LITE_CVT(name, to, from, types, out, in, "rn", "rz", "rm", "rp")
CUDA_LITE_TO(__float2int, int, float, ".s32.f32", "=r", "f")
CUDA_LITE_TO(__float2uint, unsigned, float, ".u32.f32", "=r", "f")
CUDA_LITE_TO(__float2ll, long long, float, ".s64.f32", "=l", "f")
CUDA_LITE_TO(__float2ull, unsigned long long, float, ".u64.f32", "=l", "f")
CUDA_LITE_TO(__double2int, int, double, ".s32.f64", "=r", "d")
CUDA_LITE_TO(__double2uint, unsigned, double, ".u32.f64", "=r", "d")
CUDA_LITE_TO(__double2ll, long long, double, ".s64.f64", "=l", "d")
CUDA_LITE_TO(__double2ull, unsigned long long, double, ".u64.f64", "=l", "d")
CUDA_LITE_FROM(__int2float, float, int, ".f32.s32", "=f", "r")
CUDA_LITE_FROM(__uint2float, float, unsigned, ".f32.u32", "=f", "r")
CUDA_LITE_FROM(__ll2float, float, long long, ".f32.s64", "=f", "l")
CUDA_LITE_FROM(__ull2float, float, unsigned long long, ".f32.u64", "=f", "l")
CUDA_LITE_FROM(__ll2double, double, long long, ".f64.s64", "=d", "l")
CUDA_LITE_FROM(__ull2double, double, unsigned long long, ".f64.u64", "=d", "l")
CUDA_LITE_FROM(__double2float, float, double, ".f32.f64", "=f", "d")
CUDA_LITE double __int2double_rn(int x) { return x; }
CUDA_LITE double __uint2double_rn(unsigned x) { return x; }

#define CUDA_LITE_CAST(name, to, from)                                         \
    CUDA_LITE to name(from x) { return __builtin_bit_cast(to, x); }
CUDA_LITE_CAST(__float_as_int, int, float)
CUDA_LITE_CAST(__float_as_uint, unsigned, float)
CUDA_LITE_CAST(__int_as_float, float, int)
CUDA_LITE_CAST(__uint_as_float, float, unsigned)
CUDA_LITE_CAST(__double_as_longlong, long long, double)
CUDA_LITE_CAST(__longlong_as_double, double, long long)
CUDA_LITE int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}
CUDA_LITE int __double2loint(double x) { return (int)__double_as_longlong(x); }
CUDA_LITE double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)high << 32 | (unsigned)low);
}

#endif
