/* src/curand/elementary.h - logarithm, exponential, sine and cosine of turns
 * and the inverse of the normal distribution, for the host and for devices.
 *
 * The argument is reduced to where the Taylor series needs few terms; the first
 * that is left out is below half a unit in the last place. */
#ifndef CURAND_ELEMENTARY_H
#define CURAND_ELEMENTARY_H

#include "curand/portable.h"

/* The parts of ln 2: `high` has zeros at its end, so that products with small
 * integers are exact [AS64:table-1.1]. */
#define RAND_LN2        0.69314718055994530942
#define RAND_LN2_HIGH   0.693147180369123816490
#define RAND_LN2_LOW    1.90821492927058770002e-10
#define RAND_LN2_HIGH_F 0.693145751953125f
#define RAND_LN2_LOW_F  1.42860682030941723212e-6f
#define RAND_TWO_PI     6.28318530717958647693

/* ---- Numbers as bits ---- */

RAND_FN double rand_from_bits(rand_u64 bits)
{
    double x;

    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

RAND_FN rand_u64 rand_to_bits(double x)
{
    rand_u64 bits;

    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

RAND_FN float rand_from_bits_f(rand_u32 bits)
{
    float x;

    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

RAND_FN rand_u32 rand_to_bits_f(float x)
{
    rand_u32 bits;

    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- Double ---- */

/* ln x of a normal number above 0. */
RAND_FN double rand_log(double x)
{
    rand_u64 bits = rand_to_bits(x);
    int e = (int)(bits >> 52) - 1023;
    double m = rand_from_bits((bits & 0xfffffffffffffull) | 0x3ff0000000000000);
    if (m > 1.41421356237309504880) {
        m = m * 0.5;
        e++;
    }
    /* ln m = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172 [AS64:4.1.27]. */
    double s = (m - 1.0) / (m + 1.0);
    double z = s * s, sum = 1.0 / 23;
    for (int n = 21; n >= 3; n -= 2)
        sum = sum * z + 1.0 / n;
    return e * RAND_LN2_HIGH +
           (2.0 * s + (2.0 * s * (z * sum) + e * RAND_LN2_LOW));
}

/* e^x; infinity and 0 where it is beyond the numbers. */
RAND_FN double rand_exp(double x)
{
    if (!(x == x))
        return x;
    x = x > 760.0 ? 760.0 : x < -760.0 ? -760.0 : x;
    int k = (int)(x * (1.0 / RAND_LN2) + (x < 0 ? -0.5 : 0.5));
    double r = (x - k * RAND_LN2_HIGH) - k * RAND_LN2_LOW;
    double sum = 1.0;
    for (int n = 14; n >= 1; n--)
        sum = 1.0 + sum * (r * (1.0 / n));
    int half = k / 2;
    sum = sum * rand_from_bits((rand_u64)(half + 1023) << 52);
    return sum * rand_from_bits((rand_u64)(k - half + 1023) << 52);
}

/* Sine and cosine of 2 pi v, v from 0 to 1. */
RAND_FN void rand_turn(double v, double *sine, double *cosine)
{
    int quarter = (int)(v * 4.0 + 0.5);
    double a = (v - quarter * 0.25) * RAND_TWO_PI; /* at most pi / 4 */
    double z = a * a, s = 1.0, c = 1.0;

    for (int n = 18; n >= 2; n -= 2) {
        s = 1.0 - s * (z * (1.0 / (n * (n + 1))));
        c = 1.0 - c * (z * (1.0 / (n * (n - 1))));
    }
    s = s * a;
    *sine = quarter & 1 ? c : s;
    *cosine = quarter & 1 ? s : c;
    if (quarter & 2)
        *sine = -*sine;
    if ((quarter + 1) & 2)
        *cosine = -*cosine;
}

/* ---- Float ---- */

RAND_FN float rand_log_f(float x)
{
    rand_u32 bits = rand_to_bits_f(x);
    int e = (int)(bits >> 23) - 127;
    float m = rand_from_bits_f((bits & 0x7fffff) | 0x3f800000);
    if (m > 1.41421356f) {
        m = m * 0.5f;
        e++;
    }
    float s = (m - 1.0f) / (m + 1.0f);
    float z = s * s, sum = 1.0f / 11;
    for (int n = 9; n >= 3; n -= 2)
        sum = sum * z + 1.0f / n;
    return e * RAND_LN2_HIGH_F +
           (2.0f * s + (2.0f * s * (z * sum) + e * RAND_LN2_LOW_F));
}

RAND_FN float rand_exp_f(float x)
{
    if (!(x == x))
        return x;
    x = x > 110.0f ? 110.0f : x < -110.0f ? -110.0f : x;
    int k = (int)(x * (float)(1.0 / RAND_LN2) + (x < 0 ? -0.5f : 0.5f));
    float r = (x - k * RAND_LN2_HIGH_F) - k * RAND_LN2_LOW_F;
    float sum = 1.0f;
    for (int n = 8; n >= 1; n--)
        sum = 1.0f + sum * (r * (1.0f / n));
    int half = k / 2;
    sum = sum * rand_from_bits_f((rand_u32)(half + 127) << 23);
    return sum * rand_from_bits_f((rand_u32)(k - half + 127) << 23);
}

RAND_FN void rand_turn_f(float v, float *sine, float *cosine)
{
    int quarter = (int)(v * 4.0f + 0.5f);
    float a = (v - quarter * 0.25f) * (float)RAND_TWO_PI;
    float z = a * a, s = 1.0f, c = 1.0f;

    for (int n = 10; n >= 2; n -= 2) {
        s = 1.0f - s * (z * (1.0f / (n * (n + 1))));
        c = 1.0f - c * (z * (1.0f / (n * (n - 1))));
    }
    s = s * a;
    *sine = quarter & 1 ? c : s;
    *cosine = quarter & 1 ? s : c;
    if (quarter & 2)
        *sine = -*sine;
    if ((quarter + 1) & 2)
        *cosine = -*cosine;
}

/* ---- The inverse of the normal distribution ---- */

/* c[0] + c[1] x + ... + c[7] x^7 */
#define RAND_POLYNOMIAL(x, c0, c1, c2, c3, c4, c5, c6, c7)                     \
    ((((((((c7) * (x) + (c6)) * (x) + (c5)) * (x) + (c4)) * (x) + (c3)) *      \
           (x) +                                                               \
       (c2)) *                                                                 \
          (x) +                                                                \
      (c1)) *                                                                  \
         (x) +                                                                 \
     (c0))

/* Where p is within 0.425 of a half, q = p - 1/2. */
RAND_FN double rand_normal_middle(double q)
{
    double r = 0.180625 - q * q;

    return q *
           RAND_POLYNOMIAL(r, 3.3871328727963666080e0, 1.3314166789178437745e+2,
                           1.9715909503065514427e+3, 1.3731693765509461125e+4,
                           4.5921953931549871457e+4, 6.7265770927008700853e+4,
                           3.3430575583588128105e+4, 2.5090809287301226727e+3) /
           RAND_POLYNOMIAL(r, 1.0, 4.2313330701600911252e+1,
                           6.8718700749205790830e+2, 5.3941960214247511077e+3,
                           2.1213794301586595867e+4, 3.9307895800092710610e+4,
                           2.8729085735721942674e+4, 5.2264952788528545610e+3);
}

/* The tails, r = sqrt(-ln of the smaller side): up to 5, and beyond. */
RAND_FN double rand_normal_near(double r)
{
    r = r - 1.6;
    return RAND_POLYNOMIAL(r, 1.42343711074968357734e0,
                           4.63033784615654529590e0, 5.76949722146069140550e0,
                           3.64784832476320460504e0, 1.27045825245236838258e0,
                           2.41780725177450611770e-1, 2.27238449892691845833e-2,
                           7.74545014278341407640e-4) /
           RAND_POLYNOMIAL(r, 1.0, 2.05319162663775882187e0,
                           1.67638483018380384940e0, 6.89767334985100004550e-1,
                           1.48103976427480074590e-1, 1.51986665636164571966e-2,
                           5.47593808499534494600e-4,
                           1.05075007164441684324e-9);
}

RAND_FN double rand_normal_far(double r)
{
    r = r - 5.0;
    return RAND_POLYNOMIAL(r, 6.65790464350110377720e0,
                           5.46378491116411436990e0, 1.78482653991729133580e0,
                           2.96560571828504891230e-1, 2.65321895265761230930e-2,
                           1.24266094738807843860e-3, 2.71155556874348757815e-5,
                           2.01033439929228813265e-7) /
           RAND_POLYNOMIAL(r, 1.0, 5.99832206555887937690e-1,
                           1.36929880922735805310e-1, 1.48753612908506148525e-2,
                           7.86869131145613259100e-4, 1.84631831751005468180e-5,
                           1.42151175831644588870e-7,
                           2.04426310338993978564e-15);
}

/* The number below which a normal variable is with probability p, 0 < p < 1
 * [AS241:PPND16]. */
RAND_FN double rand_normal_inverse(double p)
{
    double q = p - 0.5;

    if (q <= 0.425 && q >= -0.425)
        return rand_normal_middle(q);
    double r = __builtin_sqrt(-rand_log(q < 0 ? p : 1.0 - p));
    double x = r <= 5.0 ? rand_normal_near(r) : rand_normal_far(r);
    return q < 0 ? -x : x;
}

#endif
