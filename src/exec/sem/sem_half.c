/* src/exec/sem/sem_half.c - half precision and bfloat16 pairs.
 *
 * A row of registers is an array of 64 halves, those of a lane side by side
 * and the lower one first. They are spread into 64 floats; every operation is
 * rounded once to the format. */
#include "exec/sem/sem.h"

#include <math.h>

#include "exec/half.h"
#ifdef __F16C__
#include <immintrin.h>
#endif

enum { HALVES = 2 * ISA_WARP };
#define EACH(h) for (unsigned h = 0; h < HALVES; h++)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the lower half of a word comes first");

static bool is_bf16(const sem *x) { return ISA_GET(x->in, HFMT) == HFMT_BF16; }

/* Denormal halves become zero. */
static void flush_halves(const sem *x, uint16_t h[HALVES])
{
    uint16_t exponent = is_bf16(x) ? 0x7f80 : 0x7c00;

    EACH(k) h[k] &= h[k] & exponent ? 0xffff : 0x8000;
}

/* Halves of source i as bits, with its modifiers and FTZ, in `tmp` or in the
 * registers themselves. */
static const uint16_t *halves(sem *x, unsigned i, unsigned swizzle,
                              uint32_t tmp[ISA_WARP])
{
    const uint32_t *r = sem_fetch_raw(x, i, tmp);
    unsigned mod = x->in->src_mod[i];
    uint32_t keep = mod & SRC_ABS ? 0x7fff7fff : UINT32_MAX;
    uint32_t flip = mod & SRC_NEG ? 0x80008000 : 0;

    if (swizzle == SWZ_H0_H0) {
        LANES(l) tmp[l] = (r[l] & 0xffff) | r[l] << 16;
        r = tmp;
    } else if (swizzle == SWZ_H1_H1) {
        LANES(l) tmp[l] = (r[l] & 0xffff0000) | r[l] >> 16;
        r = tmp;
    }
    if (mod) {
        LANES(l) tmp[l] = (r[l] & keep) ^ flip;
        r = tmp;
    }
    if (ISA_GET(x->in, FTZ)) {
        if (r != tmp)
            memcpy(tmp, r, 4 * ISA_WARP);
        r = tmp;
        flush_halves(x, (uint16_t *)tmp);
    }
    return (const uint16_t *)r;
}

/* The host's conversions where it has them; the same values. */
static void widen_f16(const uint16_t h[HALVES], float to[HALVES])
{
#ifdef __F16C__
    for (unsigned k = 0; k < HALVES; k += 8)
        _mm256_storeu_ps(
            to + k, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(h + k))));
#else
    EACH(k) to[k] = half_f16_to_float(h[k]);
#endif
}

static void narrow_f16(const float r[HALVES], uint16_t h[HALVES])
{
#ifdef __F16C__
    for (unsigned k = 0; k < HALVES; k += 8)
        _mm_storeu_si128(
            (void *)(h + k),
            _mm256_cvtps_ph(_mm256_loadu_ps(r + k), _MM_FROUND_TO_NEAREST_INT));
    EACH(k) h[k] = (h[k] & 0x7fff) > 0x7c00 ? HALF_NAN : h[k];
#else
    EACH(k) h[k] = (uint16_t)half_f16_from_float(r[k]);
#endif
}

static void fetch_halves(sem *x, unsigned i, unsigned swizzle, float to[HALVES])
{
    uint32_t tmp[ISA_WARP];
    const uint16_t *h;

    if (swizzle == SWZ_F32) {
        const float *r = sem_fetch_f32(x, i, false, (float *)tmp);

        EACH(k) to[k] = r[k / 2];
        return;
    }
    h = halves(x, i, swizzle, tmp);
    if (is_bf16(x)) {
        EACH(k) to[k] = half_bf16_to_float(h[k]);
    } else {
        widen_f16(h, to);
    }
}

/* Not less than zero; NaN stays. */
static void limit_halves(const sem *x, uint16_t h[HALVES])
{
    unsigned infinity = is_bf16(x) ? 0x7f80 : 0x7c00;

    EACH(k) h[k] = h[k] >> 15 && (h[k] & 0x7fffu) <= infinity ? 0 : h[k];
}

static void store_halves(sem *x, float r[HALVES])
{
    uint32_t d[ISA_WARP];
    uint16_t *h = (uint16_t *)d;

    if (ISA_GET(x->in, SAT)) {
        EACH(k) r[k] = r[k] > 0.0f ? r[k] : 0.0f;
        EACH(k) r[k] = r[k] < 1.0f ? r[k] : 1.0f;
    }
    if (is_bf16(x)) {
        EACH(k) h[k] = (uint16_t)half_bf16_from_float(r[k]);
    } else {
        narrow_f16(r, h);
    }
    if (ISA_GET(x->in, FTZ))
        flush_halves(x, h);
    if (x->in->op == ISA_HFMA2 && ISA_GET(x->in, RELU))
        limit_halves(x, h);
    sem_put(x, d);
}

/* A float has more than twice the digits of a half and two, so sums and
 * products may be rounded to it first. */
SEM(HADD2)
{
    float a[HALVES], b[HALVES];

    fetch_halves(x, 0, ISA_GET(x->in, SWZA), a);
    fetch_halves(x, 1, ISA_GET(x->in, SWZB), b);
    EACH(k) a[k] += b[k];
    store_halves(x, a);
}

/* Of each pair the lower half, as the swizzles leave it. */
SEM(HADD2F)
{
    float a[HALVES], b[HALVES], d[ISA_WARP];

    fetch_halves(x, 0, ISA_GET(x->in, SWZA), a);
    fetch_halves(x, 1, ISA_GET(x->in, SWZB), b);
    LANES(l) d[l] = sem_canon(a[2 * l] + b[2 * l]);
    sem_finish_f32(x, d, ISA_GET(x->in, FTZ), ISA_GET(x->in, SAT));
}

SEM(HMUL2)
{
    float a[HALVES], b[HALVES];

    fetch_halves(x, 0, ISA_GET(x->in, SWZA), a);
    fetch_halves(x, 1, ISA_GET(x->in, SWZB), b);
    EACH(k) a[k] *= b[k];
    store_halves(x, a);
}

/* Not so a multiply-add: the product is exact, and the error of the sum makes
 * its last bit odd. */
SEM(HFMA2)
{
    float a[HALVES], b[HALVES], c[HALVES];

    fetch_halves(x, 0, ISA_GET(x->in, SWZA), a);
    fetch_halves(x, 1, ISA_GET(x->in, SWZB), b);
    fetch_halves(x, 2, ISA_GET(x->in, SWZC), c);
    if (is_bf16(x)) {
        EACH(k)
        {
            double p = (double)a[k] * b[k], q = c[k], s = p + q, t = s - p;
            double err = (p - (s - t)) + (q - t);
            uint64_t u = sem_bits64(s), toward = 0, inexact = 0;
            toward = (u ^ sem_bits64(err)) >> 63;
            inexact = err < 0.0 || err > 0.0 ? 1 : 0;
            u = u & 1 ? u : inexact ? (u - toward) | 1 : u;
            a[k] = half_narrow(sem_double(u));
        }
    } else {
        EACH(k)
        {
            float p = a[k] * b[k], q = c[k], s = p + q, t = s - p;
            a[k] = half_odd(s, (p - (s - t)) + (q - t));
        }
    }
    store_halves(x, a);
}

/* Integers with the order of the values: -0 is less than +0. */
static inline int32_t half_order(uint32_t h)
{
    int32_t v = (int32_t)(h & 0x7fff);

    return h & 0x8000 ? -1 - v : v;
}

/* XORSIGN compares magnitudes; the result's sign is that of the product. */
static void choose_halves(const sem *x, const uint16_t a[HALVES],
                          const uint16_t b[HALVES], uint16_t r[HALVES])
{
    uint32_t keep = ISA_GET(x->in, XSIGN) ? 0x7fff : 0xffff;
    uint32_t min = sem_pred(x, 0);
    uint32_t nan = is_bf16(x) ? 0x7f80 : 0x7c00;
    bool keep_nan = ISA_GET(x->in, NANP);

    EACH(k)
    {
        bool want_min = min & exec_lane_bit[k / 2];
        bool nan_a = (a[k] & 0x7fff) > nan, nan_b = (b[k] & 0x7fff) > nan;
        bool first =
            want_min == (half_order(a[k] & keep) < half_order(b[k] & keep));
        bool is_nan = (nan_a && nan_b) || (keep_nan && (nan_a || nan_b));
        uint32_t sign = (uint32_t)(a[k] ^ b[k]) & ~keep;
        uint32_t v = (first || nan_b) && !nan_a ? a[k] : b[k];

        v = (v & keep) | (sign & 0xffff);
        r[k] = (uint16_t)(is_nan ? HALF_NAN : v);
    }
}

SEM(HMNMX2)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    const uint16_t *a = halves(x, 0, ISA_GET(x->in, SWZA), ta),
                   *b = halves(x, 1, ISA_GET(x->in, SWZB), tb);

    choose_halves(x, a, b, (uint16_t *)d);
    sem_put(x, d);
}

SEM(VHMNMX)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    const uint16_t *a = halves(x, 0, ISA_GET(x->in, SWZA), ta),
                   *b = halves(x, 1, ISA_GET(x->in, SWZB), tb),
                   *c = halves(x, 2, ISA_GET(x->in, SWZC), tc);
    uint16_t *r = (uint16_t *)d;

    choose_halves(x, a, b, r);
    choose_halves(x, r, c, r);
    sem_put(x, d);
}

/* Lanes in which the comparison holds, lower and upper halves. */
static void compare_halves(sem *x, uint32_t lanes[2])
{
    float a[HALVES], b[HALVES];
    uint32_t hit[2][ISA_WARP], cmp = ISA_GET(x->in, FCMP);

    fetch_halves(x, 0, ISA_GET(x->in, SWZA), a);
    fetch_halves(x, 1, ISA_GET(x->in, SWZB), b);
    EACH(k)
    {
        uint32_t rel = (a[k] < b[k] ? 1u : 0) | (a[k] == b[k] ? 2u : 0) |
                       (a[k] > b[k] ? 4u : 0);
        rel |= rel ? 0 : 8u;
        hit[k % 2][k / 2] = rel & cmp;
    }
    for (unsigned h = 0; h < 2; h++)
        lanes[h] =
            sem_bool(ISA_GET(x->in, BOOL), sem_lanes(hit[h]), sem_pred(x, 0));
}

SEM(HSETP2)
{
    uint32_t lanes[2];

    compare_halves(x, lanes);
    sem_put_pred(x, 0, lanes[0]);
    sem_put_pred(x, 1, lanes[1]);
}

SEM(HSET2)
{
    uint32_t lanes[2], d[ISA_WARP], one = 0xffff;

    compare_halves(x, lanes);
    if (ISA_GET(x->in, BF))
        one = is_bf16(x) ? 0x3f80 : 0x3c00;
    LANES(l)
    d[l] = (lanes[0] & exec_lane_bit[l] ? one : 0) |
           (lanes[1] & exec_lane_bit[l] ? one << 16 : 0);
    sem_put(x, d);
}
