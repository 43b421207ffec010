/* src/exec/sem/sem_narrow.c - formats of 4, 6 and 8 bits, and tf32 [PTX85:cvt].
 * What becomes of NaNs and of numbers beyond the largest is that of the
 * conversions in the vendor's headers [CUDA13:fp8] [CUDA13:fp6]
 * [CUDA13:fp4]. */
#include "exec/sem/sem.h"

#include "exec/half.h"

enum { CANON_F32 = 0x7fffffff, INF_F32 = 0x7f800000 };

/* A format with a sign, an exponent and a fraction. */
typedef struct narrow {
    uint32_t fraction; /* bits */
    uint32_t bias;
    uint32_t bits; /* with the sign */
    uint32_t most; /* the largest finite magnitude */
    uint32_t not_a_number;
} narrow;

static const narrow formats[] = {
    [F8FMT_E4M3] = {3, 7, 8, 0x7e, 0x7f},
    [F8FMT_E5M2] = {2, 15, 8, 0x7b, 0x7f},
    [F8FMT_E2M3] = {3, 1, 6, 0x1f, 0x1f},
    [F8FMT_E3M2] = {2, 3, 6, 0x1f, 0x1f},
    [F8FMT_E2M1] = {1, 1, 4, 0x07, 0x07},
    [F8FMT_UE8M0] = {0, 127, 8, 0xfe, 0xff},
};

/* To nearest, ties to even, no further than to the largest number. */
static inline uint32_t shrink(const narrow *f, uint32_t u)
{
    uint32_t drop = 23 - f->fraction, mag = u & 0x7fffffff;
    uint32_t odd = mag >> drop & 1;
    uint32_t normal = (mag + (1u << (drop - 1)) - 1 + odd) >> drop;
    /* Adding a number whose last bit is the unit of denormals rounds them. */
    uint32_t unit = (127 + drop + 1 - f->bias) << 23;
    uint32_t small =
        half_float_bits(half_bits_float(mag) + half_bits_float(unit)) - unit;
    uint32_t r;

    normal -= (127 - f->bias) << f->fraction;
    r = mag < (128 - f->bias) << 23 ? small : normal;
    r = r < f->most ? r : f->most;
    r |= u >> 31 << (f->bits - 1);
    return mag > INF_F32 ? f->not_a_number : r;
}

/* The exponent alone, downwards or upwards; the sign does not count. */
static inline uint32_t to_exponent(uint32_t u, bool up, bool sat)
{
    uint32_t mag = u & 0x7fffffff, r = mag >> 23;

    r += up && (mag & 0x007fffff) && mag > 0x00400000 && r < 255 ? 1 : 0;
    r = sat && r > 254 ? 254 : r;
    return mag > INF_F32 ? 255 : r;
}

SEM(F2FP_F8)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = (const uint32_t *)sem_row_f32(x, 0, false, (float *)ta);
    const uint32_t *b = (const uint32_t *)sem_row_f32(x, 1, false, (float *)tb);
    unsigned format = ISA_GET(x->in, F8FMT) % COUNTOF(formats);
    const narrow *f = &formats[format];
    bool up = ISA_GET(x->in, RND) == RND_RP, sat = ISA_GET(x->in, SAT);

    if (ISA_GET(x->in, RELU)) {
        LANES(l)
        {
            ta[l] = a[l] >> 31 && a[l] <= 0xff800000 ? 0 : a[l];
            tb[l] = b[l] >> 31 && b[l] <= 0xff800000 ? 0 : b[l];
        }
        a = ta;
        b = tb;
    }
    if (format == F8FMT_UE8M0) {
        LANES(l)
        d[l] = to_exponent(a[l], up, sat) << 8 | to_exponent(b[l], up, sat);
    } else if (format == F8FMT_E2M1) {
        LANES(l) d[l] = shrink(f, a[l]) << 4 | shrink(f, b[l]);
    } else {
        LANES(l) d[l] = shrink(f, a[l]) << 8 | shrink(f, b[l]);
    }
    sem_put(x, d);
}

/* As a half with the same fraction, whose exponent is then off by the
 * difference of the biases; exact. */
static inline uint32_t widen_to_half(const narrow *f, bool nans, uint32_t v)
{
    uint32_t top = 1u << (f->bits - 1), mag = v & (top - 1);
    uint32_t scale = (127 + 15 - f->bias) << 23;
    float r = half_f16_to_float(mag << (10 - f->fraction));
    uint32_t h = half_f16_from_float(r * half_bits_float(scale));

    h |= v & top ? 0x8000 : 0;
    return nans && mag > f->most ? HALF_NAN : h;
}

static inline uint32_t widen_e5m2(uint32_t v)
{
    return (v & 0x7f) > 0x7c ? HALF_NAN : v << 8;
}

static inline uint32_t widen_ue8m0(uint32_t v)
{
    uint32_t h = v ? v << 7 : 0x0040;

    return v == 255 ? HALF_NAN : h;
}

/* Not less than zero; NaN stays. */
static uint32_t limit_half(uint32_t h)
{
    return h >> 15 && (h & 0x7fff) <= 0x7c00 ? 0 : h;
}

SEM(F2F_F8)
{
    uint32_t ta[ISA_WARP], a[ISA_WARP], d[ISA_WARP];
    const uint32_t *from = sem_fetch_raw(x, 0, ta);
    unsigned format = ISA_GET(x->in, F8FMT) % COUNTOF(formats);
    const narrow *f = &formats[format];
    bool nans = format == F8FMT_E4M3;
    unsigned up = format == F8FMT_E2M1 ? 4 : 8, down = 8 * ISA_GET(x->in, BSEL);

    LANES(l) a[l] = from[l] >> down;
    if (format == F8FMT_UE8M0) {
        LANES(l)
        d[l] = widen_ue8m0(a[l] & 0xff) | widen_ue8m0(a[l] >> 8 & 0xff) << 16;
    } else if (format == F8FMT_E5M2) {
        LANES(l)
        d[l] = widen_e5m2(a[l] & 0xff) | widen_e5m2(a[l] >> 8 & 0xff) << 16;
    } else {
        LANES(l)
        d[l] = widen_to_half(f, nans, a[l]) | widen_to_half(f, nans, a[l] >> up)
                                                  << 16;
    }
    if (ISA_GET(x->in, RELU))
        LANES(l)
    d[l] = limit_half(d[l] >> 16) << 16 | limit_half(d[l] & 0xffff);
    sem_put(x, d);
}

/* The lowest 13 bits of the fraction go; RNA: ties away from zero. */
SEM(F2F_TS)
{
    uint32_t ta[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = (const uint32_t *)sem_row_f32(x, 0, false, (float *)ta);
    unsigned rnd = ISA_GET(x->in, RND);
    bool away = ISA_GET(x->in, RNA), sat = ISA_GET(x->in, SAT);
    uint32_t half = rnd == RND_RN ? away ? 0x1000 : 0xfff : 0;
    uint32_t even = rnd == RND_RN && !away;
    uint32_t plus = rnd == RND_RP ? 0x1fff : 0;
    uint32_t minus = rnd == RND_RM ? 0x1fff : 0;

    LANES(l)
    {
        uint32_t mag = a[l] & 0x7fffffff, sign = a[l] & 0x80000000, r;

        r = mag + half + (even & mag >> 13) + (sign ? minus : plus);
        r &= ~0x1fffu;
        r = mag == INF_F32 ? mag : r;
        r = sat && r == INF_F32 ? 0x7f7fe000 : r;
        d[l] = mag > INF_F32 ? CANON_F32 : r | sign;
    }
    sem_put(x, d);
}
