/* Numbers of the types that matrices have, and factors. */
#ifndef NUMBER_CUH
#define NUMBER_CUH

#include "problem.h"

#define DEVICE static __device__ __forceinline__

template <typename R> struct complex {
    typedef R real;
    R x, y;
};
typedef complex<float> complex32;
typedef complex<double> complex64;

/* Of 16 bits; what is calculated of them are floats. */
struct half16 {
    unsigned short bits;
};
struct bfloat16 {
    unsigned short bits;
};

/* ---- Arithmetic ---- */

template <typename R> DEVICE complex<R> operator+(complex<R> a, complex<R> b)
{
    return {a.x + b.x, a.y + b.y};
}
template <typename R> DEVICE complex<R> operator-(complex<R> a, complex<R> b)
{
    return {a.x - b.x, a.y - b.y};
}
template <typename R> DEVICE complex<R> operator*(complex<R> a, complex<R> b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

template <typename R> DEVICE R magnitude(R a) { return a < 0 ? -a : a; }
/* |re| + |im|, by which BLAS compares complex numbers. */
template <typename R> DEVICE R magnitude(complex<R> a)
{
    return magnitude(a.x) + magnitude(a.y);
}

/* By the quotient of b's parts, whose squares might overflow. */
template <typename R> DEVICE complex<R> operator/(complex<R> a, complex<R> b)
{
    bool wide = magnitude(b.x) >= magnitude(b.y);
    R r = wide ? b.y / b.x : b.x / b.y;
    R d = wide ? b.x + b.y * r : b.x * r + b.y;

    if (wide)
        return {(a.x + a.y * r) / d, (a.y - a.x * r) / d};
    return {(a.x * r + a.y) / d, (a.y * r - a.x) / d};
}

template <typename T> DEVICE bool is_zero(T a) { return a == 0; }
template <typename R> DEVICE bool is_zero(complex<R> a)
{
    return a.x == 0 && a.y == 0;
}
template <typename T> DEVICE T conjugate(T a) { return a; }
template <typename R> DEVICE complex<R> conjugate(complex<R> a)
{
    return {a.x, -a.y};
}
template <typename T> DEVICE T real_part(T a) { return a; }
template <typename R> DEVICE complex<R> real_part(complex<R> a)
{
    return {a.x, 0};
}

/* ---- From one type to another ---- */

template <typename T> struct as {
    template <typename F> DEVICE T from(F a) { return (T)a; }
    DEVICE T from(half16 a)
    {
        float f;
        asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(a.bits));
        return (T)f;
    }
    DEVICE T from(bfloat16 a) { return (T)__uint_as_float(a.bits << 16); }
    template <typename R> DEVICE T from(complex<R> a) { return (T)a.x; }
};
template <typename R> struct as<complex<R>> {
    template <typename F> DEVICE complex<R> from(F a)
    {
        return {as<R>::from(a), 0};
    }
    template <typename F> DEVICE complex<R> from(complex<F> a)
    {
        return {(R)a.x, (R)a.y};
    }
};
template <> struct as<half16> {
    DEVICE half16 from(float a)
    {
        half16 h;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(a));
        return h;
    }
};
/* Rounds to nearest, ties to even; a NaN stays one. */
template <> struct as<bfloat16> {
    DEVICE bfloat16 from(float a)
    {
        unsigned u = __float_as_uint(a);

        if (a != a)
            return {(unsigned short)(u >> 16 | 64)};
        return {(unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16)};
    }
};

/* ---- Factors ---- */

template <typename T> DEVICE T scalar_in_memory(const blas_scalar &s)
{
    switch (s.type) {
    case BLAS_F16:
        return as<T>::from(*(const half16 *)s.at);
    case BLAS_BF16:
        return as<T>::from(*(const bfloat16 *)s.at);
    case BLAS_F64:
        return as<T>::from(*(const double *)s.at);
    case BLAS_C32:
        return as<T>::from(*(const complex32 *)s.at);
    case BLAS_C64:
        return as<T>::from(*(const complex64 *)s.at);
    case BLAS_I32:
        return as<T>::from(*(const int *)s.at);
    }
    return as<T>::from(*(const float *)s.at);
}

template <typename T> DEVICE T scalar_read(const blas_scalar &s)
{
    complex64 value = {s.value[0], s.value[1]};
    T v = s.at ? scalar_in_memory<T>(s) : as<T>::from(value);

    return s.conjugate ? conjugate(v) : v;
}

#endif
