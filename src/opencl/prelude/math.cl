/* src/opencl/prelude/math.cl - mathematical functions that libclc has not as
 * exact as OpenCL demands [OCL12:relative-error-as-ulps]: it flushes
 * denormal numbers, loses digits or reads memory that is not aligned.
 *
 * clang declares the built-in functions itself and takes a body of ours if it
 * has the mangled name; it becomes code only in kernels that call it. */
#ifndef HEDDLE_MATH_CL
#define HEDDLE_MATH_CL

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define HEDDLE_OWN __attribute__((overloadable)) static

/* The scalar function heddle_NAME as the built-in function; `m` is its length
 * and name, `c` the mangled type. */
#define HEDDLE_IS_1(name, m, T, c)                                             \
    HEDDLE_OWN T heddle_##name(T x) __asm__("_Z" m c);
#define HEDDLE_IS_2(name, m, T, U, c, d)                                       \
    HEDDLE_OWN T heddle_##name(T x, U y) __asm__("_Z" m c d);

/* And of vectors, by halves. */
#define HEDDLE_HALVES_1(name, m, T, c, last)                                   \
    HEDDLE_IS_1(name, m, T, c)                                                 \
    HEDDLE_OWN T heddle_##name(T x)                                            \
    {                                                                          \
        return (T)(heddle_##name(x.lo), heddle_##name(x.last));                \
    }
#define HEDDLE_HALVES_2(name, m, T, U, c, d, last)                             \
    HEDDLE_IS_2(name, m, T, U, c, d)                                           \
    HEDDLE_OWN T heddle_##name(T x, U y)                                       \
    {                                                                          \
        return (T)(heddle_##name(x.lo, y.lo), heddle_##name(x.last, y.last));  \
    }
#define HEDDLE_WIDE_1(name, m, T, c)                                           \
    HEDDLE_HALVES_1(name, m, T##2, "Dv2_" c, hi)                               \
    HEDDLE_HALVES_1(name, m, T##3, "Dv3_" c, z)                                \
    HEDDLE_HALVES_1(name, m, T##4, "Dv4_" c, hi)                               \
    HEDDLE_HALVES_1(name, m, T##8, "Dv8_" c, hi)                               \
    HEDDLE_HALVES_1(name, m, T##16, "Dv16_" c, hi)
#define HEDDLE_WIDE_2(name, m, T, c)                                           \
    HEDDLE_HALVES_2(name, m, T##2, T##2, "Dv2_" c, "S_", hi)                   \
    HEDDLE_HALVES_2(name, m, T##3, T##3, "Dv3_" c, "S_", z)                    \
    HEDDLE_HALVES_2(name, m, T##4, T##4, "Dv4_" c, "S_", hi)                   \
    HEDDLE_HALVES_2(name, m, T##8, T##8, "Dv8_" c, "S_", hi)                   \
    HEDDLE_HALVES_2(name, m, T##16, T##16, "Dv16_" c, "S_", hi)
/* The second operand is an int each. */
#define HEDDLE_WIDE_INT(name, m, T, c)                                         \
    HEDDLE_HALVES_2(name, m, T##2, int2, "Dv2_" c, "Dv2_i", hi)                \
    HEDDLE_HALVES_2(name, m, T##3, int3, "Dv3_" c, "Dv3_i", z)                 \
    HEDDLE_HALVES_2(name, m, T##4, int4, "Dv4_" c, "Dv4_i", hi)                \
    HEDDLE_HALVES_2(name, m, T##8, int8, "Dv8_" c, "Dv8_i", hi)                \
    HEDDLE_HALVES_2(name, m, T##16, int16, "Dv16_" c, "Dv16_i", hi)

/* e to the x as 2 to the n times 2 to the r: both are one instruction, and
 * denormal results are rounded once, when the two are multiplied. n is cut,
 * not rounded, so that 2 to the n does not overflow before the result. */
HEDDLE_OWN float heddle_exp_of(float x, float unit_r, float unit_hi,
                               float unit_lo, float most)
{
    float n, r;

    x = x > most ? most : x < -most - 20 ? -most - 20 : x;
    n = trunc(x * unit_r);
    r = fma(n, -unit_lo, fma(n, -unit_hi, x));
    return __nvvm_ex2_approx_f(n) * __nvvm_ex2_approx_f(r * unit_r);
}
HEDDLE_IS_1(exp, "3exp", float, "f")
HEDDLE_OWN float heddle_exp(float x)
{
    return heddle_exp_of(x, 0x1.715476p+0f, 0x1.62e43p-1f, -0x1.05c61p-29f,
                         90.0f);
}
HEDDLE_IS_1(exp10, "5exp10", float, "f")
HEDDLE_OWN float heddle_exp10(float x)
{
    return heddle_exp_of(x, 0x1.a934fp+1f, 0x1.344136p-2f, -0x1.ec10cp-27f,
                         40.0f);
}
HEDDLE_IS_1(exp2, "4exp2", float, "f")
HEDDLE_OWN float heddle_exp2(float x) { return __nvvm_ex2_approx_f(x); }
HEDDLE_WIDE_1(exp, "3exp", float, "f")
HEDDLE_WIDE_1(exp10, "5exp10", float, "f")
HEDDLE_WIDE_1(exp2, "4exp2", float, "f")

/* Sine and cosine of pi x (far from 0 all x are even). x - n / 2 is at most 1/4
 * and exact; there both are polynomials, interpolated at Chebyshev's points. */
HEDDLE_OWN float heddle_sinpi_at(float x, int shift)
{
    float n, r, z, s;
    int q;

    x = isinf(x) ? NAN : fabs(x) > 0x1p24f ? 0 : x;
    n = rint(2 * x);
    r = fma(n, -0.5f, x);
    z = r * r;
    q = (int)fma(floor(n * 0.25f), -4.0f, n) + shift;
    if (q & 1) {
        s = 0x1.db5736p-3f;
        s = fma(s, z, -0x1.55cb76p+0f);
        s = fma(s, z, 0x1.03c1eap+2f);
        s = fma(s, z, -0x1.3bd3ccp+2f);
        s = fma(s, z, 1.0f);
    } else {
        s = -0x1.2edfc2p-1f;
        s = fma(s, z, 0x1.4665dp+1f);
        s = fma(s, z, -0x1.4abbccp+2f);
        s = fma(s * z, r, r * -0x1.777a5cp-24f);
        s = fma(r, 0x1.921fb6p+1f, s);
    }
    return q & 2 ? -s : s;
}
HEDDLE_IS_1(sinpi, "5sinpi", float, "f")
HEDDLE_OWN float heddle_sinpi(float x)
{
    float s = heddle_sinpi_at(x, 0);

    return s == 0 ? copysign(s, x) : s;
}
HEDDLE_IS_1(cospi, "5cospi", float, "f")
HEDDLE_OWN float heddle_cospi(float x)
{
    float s = heddle_sinpi_at(x, 1);

    return s == 0 ? 0 : s;
}
HEDDLE_IS_1(tanpi, "5tanpi", float, "f")
HEDDLE_OWN float heddle_tanpi(float x)
{
    float s = heddle_sinpi_at(x, 0), c = heddle_sinpi_at(x, 1);

    if (s == 0) /* -0 between the zeros of odd x */
        return c < 0 ? -copysign(s, x) : copysign(s, x);
    return c == 0 ? copysign(INFINITY, s) : s / c;
}
HEDDLE_WIDE_1(sinpi, "5sinpi", float, "f")
HEDDLE_WIDE_1(cospi, "5cospi", float, "f")
HEDDLE_WIDE_1(tanpi, "5tanpi", float, "f")

HEDDLE_IS_2(nextafter, "9nextafter", float, float, "f", "f")
HEDDLE_OWN float heddle_nextafter(float x, float y)
{
    int i = as_int(x);

    if (isnan(x) || isnan(y))
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return as_float((as_int(y) & 0x80000000) | 1);
    return as_float((x < y) == (x > 0) ? i + 1 : i - 1);
}
HEDDLE_WIDE_2(nextafter, "9nextafter", float, "f")

/* |x| modulo |y|, both finite and y not 0, and the low bits of the quotient:
 * long division of the mantissas, 40 bits in a step. */
HEDDLE_OWN float heddle_modulo(float x, float y, uint *quotient)
{
    uint a = as_uint(x) & 0x7fffffff, b = as_uint(y) & 0x7fffffff;
    int ea = max((int)(a >> 23), 1), eb = max((int)(b >> 23), 1);
    uint ma = a - ((uint)(ea - 1) << 23), mb = b - ((uint)(eb - 1) << 23);
    ulong q, r;

    *quotient = 0;
    if (a < b)
        return fabs(x);
    q = ma / mb;
    r = ma % mb;
    for (int left = ea - eb; left > 0; left -= 40) {
        int step = min(left, 40);

        r <<= step;
        q = (q << step) + r / mb;
        r %= mb;
    }
    *quotient = (uint)q;
    return (float)((double)r * as_double((ulong)(eb - 150 + 1023) << 52));
}
HEDDLE_IS_2(fmod, "4fmod", float, float, "f", "f")
HEDDLE_OWN float heddle_fmod(float x, float y)
{
    uint q;

    if (!isfinite(x) || isnan(y) || y == 0)
        return NAN;
    return copysign(isinf(y) ? fabs(x) : heddle_modulo(x, y, &q), x);
}
HEDDLE_WIDE_2(fmod, "4fmod", float, "f")

HEDDLE_OWN float heddle_remquo_one(float x, float y, int *quotient)
{
    float b = fabs(y), r;
    uint q;

    *quotient = 0;
    if (!isfinite(x) || isnan(y) || y == 0)
        return NAN;
    if (isinf(y))
        return x;
    r = heddle_modulo(x, y, &q);
    if (r > b - r || (r == b - r && q & 1)) {
        r -= b;
        q++;
    }
    *quotient = signbit(x) == signbit(y) ? q & 127 : -(q & 127);
    return signbit(x) ? -r : r;
}
HEDDLE_IS_2(remainder, "9remainder", float, float, "f", "f")
HEDDLE_OWN float heddle_remainder(float x, float y)
{
    int q;

    return heddle_remquo_one(x, y, &q);
}
HEDDLE_WIDE_2(remainder, "9remainder", float, "f")

/* The types: of the operands, of what they point to, and halves of these. FROM
 * and TO are how the first two are mangled. */
#define HEDDLE_REMQUO(V, I, from, to, space, mark, ...)                        \
    HEDDLE_OWN V heddle_remquo(V x, V y, space I *quotient) __asm__(           \
        "_Z6remquo" from "P" mark to);                                         \
    HEDDLE_OWN V heddle_remquo(V x, V y, space I *quotient) { __VA_ARGS__ }
#define HEDDLE_REMQUO_EACH(V, I, from, to, ...)                                \
    HEDDLE_REMQUO(V, I, from, to, private, "", __VA_ARGS__)                    \
    HEDDLE_REMQUO(V, I, from, to, global, "U3AS1", __VA_ARGS__)                \
    HEDDLE_REMQUO(V, I, from, to, local, "U3AS3", __VA_ARGS__)
#define HEDDLE_REMQUO_WIDE(V, I, n, lo_n, hi_n, last)                          \
    HEDDLE_REMQUO_EACH(V, I, "Dv" n "_fS_", "Dv" n "_i", lo_n a; hi_n b;       \
                       V r = (V)(heddle_remquo(x.lo, y.lo, &a),                \
                                 heddle_remquo(x.last, y.last, &b));           \
                       *quotient = (I)(a, b); return r;)
HEDDLE_REMQUO_EACH(float, int, "ff", "i", int q;
                   float r = heddle_remquo_one(x, y, &q); *quotient = q;
                   return r;)
HEDDLE_REMQUO_WIDE(float2, int2, "2", int, int, hi)
HEDDLE_REMQUO_WIDE(float3, int3, "3", int2, int, z)
HEDDLE_REMQUO_WIDE(float4, int4, "4", int2, int2, hi)
HEDDLE_REMQUO_WIDE(float8, int8, "8", int4, int4, hi)
HEDDLE_REMQUO_WIDE(float16, int16, "16", int8, int8, hi)

/* Through doubles, where libclc is exact enough. */
HEDDLE_IS_2(ldexp, "5ldexp", float, int, "f", "i")
HEDDLE_OWN float heddle_ldexp(float x, int n)
{
    n = clamp(n, -300, 300);
    return (float)((double)x * as_double((long)(n + 1023) << 52));
}
HEDDLE_IS_1(erfc, "4erfc", float, "f")
HEDDLE_OWN float heddle_erfc(float x) { return (float)erfc((double)x); }
HEDDLE_WIDE_1(erfc, "4erfc", float, "f")

HEDDLE_IS_2(rootn, "5rootn", float, int, "f", "i")
HEDDLE_OWN float heddle_rootn(float x, int n)
{
    float r;

    if (n == 0 || (x < 0 && !(n & 1)))
        return NAN;
    if (x == 0 || isinf(x)) {
        r = (x == 0) == (n > 0) ? 0.0f : INFINITY;
        return n & 1 ? copysign(r, x) : r;
    }
    r = (float)exp2(log2((double)fabs(x)) / n);
    return copysign(r, x);
}
HEDDLE_WIDE_INT(rootn, "5rootn", float, "f")

#ifdef cl_khr_fp64
/* 2 to the n is split so that only the last product can be denormal; x has an
 * exponent near 0 by then. */
HEDDLE_IS_2(ldexp, "5ldexp", double, int, "d", "i")
HEDDLE_OWN double heddle_ldexp(double x, int n)
{
    long bits, at;

    if (x == 0 || !isfinite(x))
        return x;
    n = clamp(n, -3000, 3000);
    if (fabs(x) < 0x1p-1022) {
        x *= 0x1p54;
        n -= 54;
    }
    bits = as_long(x);
    at = (bits >> 52 & 2047) + n;
    bits &= 0x800fffffffffffff;
    if (at > 2046)
        return copysign((double)INFINITY, x);
    if (at > 0)
        return as_double(bits | at << 52);
    if (at < -60)
        at = -60;
    return as_double(bits | (at + 100) << 52) * 0x1p-100;
}
#define HEDDLE_LDEXP_SCALAR(T, n, c)                                           \
    HEDDLE_IS_2(ldexp, "5ldexp", T##n, int, c, "i")                            \
    HEDDLE_OWN T##n heddle_ldexp(T##n x, int y)                                \
    {                                                                          \
        return heddle_ldexp(x, (int##n)y);                                     \
    }
#define HEDDLE_LDEXP(T, c)                                                     \
    HEDDLE_WIDE_INT(ldexp, "5ldexp", T, c)                                     \
    HEDDLE_LDEXP_SCALAR(T, 2, "Dv2_" c)                                        \
    HEDDLE_LDEXP_SCALAR(T, 3, "Dv3_" c)                                        \
    HEDDLE_LDEXP_SCALAR(T, 4, "Dv4_" c)                                        \
    HEDDLE_LDEXP_SCALAR(T, 8, "Dv8_" c)                                        \
    HEDDLE_LDEXP_SCALAR(T, 16, "Dv16_" c)
HEDDLE_LDEXP(float, "f")
HEDDLE_LDEXP(double, "d")

/* Sine and cosine of h + l for |h| up to pi / 4. */
HEDDLE_OWN double heddle_sin_near(double h, double l)
{
    double z = h * h, s = -0x1.ab159dc3b3c21p-41;

    s = fma(s, z, 0x1.61217b49ad79ap-33);
    s = fma(s, z, -0x1.ae64540e0633bp-26);
    s = fma(s, z, 0x1.71de3a545dd92p-19);
    s = fma(s, z, -0x1.a01a01a019921p-13);
    s = fma(s, z, 0x1.1111111111110p-7);
    s = fma(s, z, -0x1.5555555555555p-3);
    return h + fma(h * z, s, fma(l * z, -0.5, l));
}
HEDDLE_OWN double heddle_cos_near(double h, double l)
{
    double z = h * h, w = fma(z, -0.5, 1.0), c = 0x1.ab76634757375p-45;

    c = fma(c, z, -0x1.9394b6b53b9c8p-37);
    c = fma(c, z, 0x1.1eed8de97b2c8p-29);
    c = fma(c, z, -0x1.27e4fb77119ecp-22);
    c = fma(c, z, 0x1.a01a01a019d00p-16);
    c = fma(c, z, -0x1.6c16c16c16c16p-10);
    c = fma(c, z, 0x1.5555555555555p-5);
    return w + (fma(z, -0.5, 1.0 - w) + fma(z * z, c, -h * l));
}

/* 64 bits of 0, then those of 2 / pi. */
static constant ulong heddle_2_by_pi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
    0xa9e391615ee61b08,
};
#define HEDDLE_PI_2_HI 0x1.921fb54442d18p+0
#define HEDDLE_PI_2_MI 0x1.1a62633145c07p-54
#define HEDDLE_PI_2_LO -0x1.f1976b7ed8fbcp-110

/* x less a multiple of pi / 2 as *h + *l; returns that multiple modulo 4. Far
 * from 0 by multiplying with those bits of 2 / pi which matter: M. H. Payne
 * and R. N. Hanek, "Radian reduction for trigonometric functions", 1983. */
__attribute__((noinline)) static int heddle_reduce_far(double x, double *h,
                                                       double *l)
{
    ulong m = (as_ulong(x) & 0xfffffffffffff) | 0x10000000000000, w[4], p[3];
    int at = (int)(as_ulong(x) >> 52 & 2047) - 1023 - 52 + 62, q, up;
    double r;

    for (int i = 0; i < 4; i++)
        w[i] = heddle_2_by_pi[at / 64 + i];
    if (at % 64)
        for (int i = 0; i < 3; i++)
            w[i] = w[i] << at % 64 | w[i + 1] >> (64 - at % 64);
    /* the top 2 bits of p are the quadrant, the others a fraction */
    p[2] = w[2] * m;
    p[1] = w[1] * m + mul_hi(w[2], m);
    p[0] = w[0] * m + mul_hi(w[1], m) + (p[1] < w[1] * m);
    q = (int)(p[0] >> 62);
    p[0] = p[0] << 2 | p[1] >> 62;
    p[1] = p[1] << 2 | p[2] >> 62;
    up = (int)(p[0] >> 63);
    q += up;
    if (up) { /* the negative of the distance to the next multiple */
        p[1] = -p[1];
        p[0] = ~p[0] + (p[1] == 0);
    }
    at = (int)clz(p[0]); /* far less than 64: no double is that near */
    if (at) {
        p[0] = p[0] << at | p[1] >> (64 - at);
        p[1] <<= at;
    }
    r = (double)(p[0] >> 11 << 11);
    *l = (double)(p[0] << 53 >> 53) + (double)(p[1] >> 32) * 0x1p-32;
    /* times pi / 2 */
    *h = r * HEDDLE_PI_2_HI;
    *l = fma(r, HEDDLE_PI_2_HI, -*h) +
         fma(r, HEDDLE_PI_2_MI, *l * HEDDLE_PI_2_HI);
    r = as_double((ulong)(1023 - 64 - at) << 52);
    if (up != (x < 0))
        r = -r;
    *h *= r;
    *l *= r;
    return x < 0 ? -q : q;
}
HEDDLE_OWN int heddle_reduce(double x, double *h, double *l)
{
    double n, r, p, b;

    if (fabs(x) > 0x1p20)
        return isfinite(x) ? heddle_reduce_far(x, h, l) : (*h = *l = NAN, 0);
    n = rint(x * 0x1.45f306dc9c883p-1);
    r = fma(n, -HEDDLE_PI_2_HI, x); /* exact */
    p = n * HEDDLE_PI_2_MI;
    *h = r - p;
    b = *h - r;
    *l = (r - (*h - b)) - (p + b) - fma(n, HEDDLE_PI_2_MI, -p) -
         n * HEDDLE_PI_2_LO;
    return (int)n;
}
HEDDLE_IS_1(sin, "3sin", double, "d")
HEDDLE_OWN double heddle_sin(double x)
{
    double h, l, s;
    int q = heddle_reduce(x, &h, &l);

    s = q & 1 ? heddle_cos_near(h, l) : heddle_sin_near(h, l);
    return x == 0 ? x : q & 2 ? -s : s;
}
HEDDLE_IS_1(cos, "3cos", double, "d")
HEDDLE_OWN double heddle_cos(double x)
{
    double h, l, s;
    int q = heddle_reduce(x, &h, &l) + 1;

    s = q & 1 ? heddle_cos_near(h, l) : heddle_sin_near(h, l);
    return q & 2 ? -s : s;
}
HEDDLE_IS_1(tan, "3tan", double, "d")
HEDDLE_OWN double heddle_tan(double x)
{
    double h, l, s, c;
    int q = heddle_reduce(x, &h, &l);

    s = heddle_sin_near(h, l);
    c = heddle_cos_near(h, l);
    return x == 0 ? x : q & 1 ? -c / s : s / c;
}
HEDDLE_WIDE_1(sin, "3sin", double, "d")
HEDDLE_WIDE_1(cos, "3cos", double, "d")
HEDDLE_WIDE_1(tan, "3tan", double, "d")

#define HEDDLE_SINCOS(V, from, to, space, mark)                                \
    HEDDLE_OWN V heddle_sincos(V x, space V *c) __asm__("_Z6sincos" from       \
                                                        "P" mark to);          \
    HEDDLE_OWN V heddle_sincos(V x, space V *c)                                \
    {                                                                          \
        *c = heddle_cos(x);                                                    \
        return heddle_sin(x);                                                  \
    }
#define HEDDLE_SINCOS_EACH(V, from, to)                                        \
    HEDDLE_SINCOS(V, from, to, private, "")                                    \
    HEDDLE_SINCOS(V, from, to, global, "U3AS1")                                \
    HEDDLE_SINCOS(V, from, to, local, "U3AS3")
HEDDLE_SINCOS_EACH(double, "d", "d")
HEDDLE_SINCOS_EACH(double2, "Dv2_d", "S_")
HEDDLE_SINCOS_EACH(double3, "Dv3_d", "S_")
HEDDLE_SINCOS_EACH(double4, "Dv4_d", "S_")
HEDDLE_SINCOS_EACH(double8, "Dv8_d", "S_")
HEDDLE_SINCOS_EACH(double16, "Dv16_d", "S_")

HEDDLE_OWN double heddle_sinpi_at(double x, int shift)
{
    double n, r, h, l, s;
    int q;

    x = isinf(x) ? NAN : fabs(x) > 0x1p53 ? 0 : x;
    n = rint(2 * x);
    r = fma(n, -0.5, x);
    h = r * 0x1.921fb54442d18p+1;
    l = fma(r, 0x1.921fb54442d18p+1, -h) + r * 0x1.1a62633145c07p-53;
    q = (int)fma(floor(n * 0.25), -4.0, n) + shift;
    s = q & 1 ? heddle_cos_near(h, l) : heddle_sin_near(h, l);
    return q & 2 ? -s : s;
}
HEDDLE_IS_1(sinpi, "5sinpi", double, "d")
HEDDLE_OWN double heddle_sinpi(double x)
{
    double s = heddle_sinpi_at(x, 0);

    return s == 0 ? copysign(s, x) : s;
}
HEDDLE_IS_1(cospi, "5cospi", double, "d")
HEDDLE_OWN double heddle_cospi(double x)
{
    double s = heddle_sinpi_at(x, 1);

    return s == 0 ? 0 : s;
}
HEDDLE_IS_1(tanpi, "5tanpi", double, "d")
HEDDLE_OWN double heddle_tanpi(double x)
{
    double s = heddle_sinpi_at(x, 0), c = heddle_sinpi_at(x, 1);

    if (s == 0)
        return c < 0 ? -copysign(s, x) : copysign(s, x);
    return c == 0 ? copysign((double)INFINITY, s) : s / c;
}
HEDDLE_WIDE_1(sinpi, "5sinpi", double, "d")
HEDDLE_WIDE_1(cospi, "5cospi", double, "d")
HEDDLE_WIDE_1(tanpi, "5tanpi", double, "d")

/* The gamma function as a rational one times a power: C. Lanczos, "A precision
 * approximation of the gamma function", 1964; here it is exact at 1 to 13 for
 * g = 6.0246800407767296. The power is taken in two halves, which do not
 * overflow before the result. */
HEDDLE_IS_1(tgamma, "6tgamma", double, "d")
HEDDLE_OWN double heddle_tgamma(double x)
{
    double a = fabs(x), t = a + (6.024680040776729583740234375 - 0.5), p, q;

    if (a < 0x1p-60)
        return 1 / x;
    if ((x < 0 && x == floor(x)) || isnan(x))
        return NAN;
    if (a > 190)
        return x > 0 ? INFINITY : 0;
    p = 0x1.40d931ff62705p+1;
    p = fma(p, a, 0x1.a5a607bbc3b52p+7);
    p = fma(p, a, 0x1.f87ac0858d804p+12);
    p = fma(p, a, 0x1.6b6421f8787ebp+17);
    p = fma(p, a, 0x1.5f1e95080f44cp+21);
    p = fma(p, a, 0x1.df876f95dcc98p+24);
    p = fma(p, a, 0x1.dab0c7bb95f2ap+27);
    p = fma(p, a, 0x1.57418f5d3f33fp+30);
    p = fma(p, a, 0x1.67fc1b3a5a1e8p+32);
    p = fma(p, a, 0x1.0b0b522e8261ap+34);
    p = fma(p, a, 0x1.0a132818ab61ap+35);
    p = fma(p, a, 0x1.3fc7075f54c57p+35);
    p = fma(p, a, 0x1.5ea5143c1a49ep+34);
    q = a;
    q = a + 66.0;
    q = fma(q, a, 1925.0);
    q = fma(q, a, 32670.0);
    q = fma(q, a, 357423.0);
    q = fma(q, a, 2637558.0);
    q = fma(q, a, 13339535.0);
    q = fma(q, a, 45995730.0);
    q = fma(q, a, 105258076.0);
    q = fma(q, a, 150917976.0);
    q = fma(q, a, 120543840.0);
    q = fma(q, a, 39916800.0);
    q *= a;
    p = p / q * exp(-t);
    q = pow(t, fma(a, 0.5, -0.25));
    if (x > 0)
        return p * q * q;
    return -M_PI / heddle_sinpi(x) / (x * (p * q)) / q;
}
HEDDLE_IS_1(tgamma, "6tgamma", float, "f")
HEDDLE_OWN float heddle_tgamma(float x)
{
    return (float)heddle_tgamma((double)x);
}
HEDDLE_WIDE_1(tgamma, "6tgamma", double, "d")
HEDDLE_WIDE_1(tgamma, "6tgamma", float, "f")

/* Missing there: the edges are scalars. */
#define HEDDLE_SMOOTHSTEP(n, c)                                                \
    HEDDLE_OWN double##n heddle_smoothstep(                                    \
        double a, double b, double##n x) __asm__("_Z10smoothstepdd" c);        \
    HEDDLE_OWN double##n heddle_smoothstep(double a, double b, double##n x)    \
    {                                                                          \
        return smoothstep((double##n)a, (double##n)b, x);                      \
    }
HEDDLE_SMOOTHSTEP(2, "Dv2_d")
HEDDLE_SMOOTHSTEP(3, "Dv3_d")
HEDDLE_SMOOTHSTEP(4, "Dv4_d")
HEDDLE_SMOOTHSTEP(8, "Dv8_d")
HEDDLE_SMOOTHSTEP(16, "Dv16_d")
#endif

#endif
