/* src/exec/sem_half.c - half precision and bfloat16 pairs.
 *
 * Both halves of all lanes are spread into 64 floats, lower halves first;
 * every operation is rounded once to the format. */
#include "exec/sem.h"

#include <math.h>

#include "exec/half.h"

enum { HALVES = 2 * ISA_WARP };
#define EACH(h) for (unsigned h = 0; h < HALVES; h++)

static bool is_bf16(const sem *x) { return ISA_GET(x->in, HFMT) == HFMT_BF16; }

/* Halves of source i as bits, with its modifiers. */
static void halves(sem *x, unsigned i, unsigned swizzle, uint32_t to[HALVES])
{
    uint32_t tmp[ISA_WARP];
    const uint32_t *r = sem_fetch_raw(x, i, tmp);
    unsigned mod = x->in->src_mod[i];
    uint32_t keep = mod & SRC_ABS ? 0x7fff : 0xffff;
    uint32_t flip = mod & SRC_NEG ? 0x8000 : 0;
    unsigned low = swizzle == SWZ_H1_H1 ? 16 : 0;
    unsigned high = swizzle == SWZ_H0_H0 ? 0 : 16;

    LANES(l)
    {
        to[l] = ((r[l] >> low) & keep) ^ flip;
        to[ISA_WARP + l] = ((r[l] >> high) & keep) ^ flip;
    }
}

/* Denormal halves become zero. */
static void flush(const sem *x, uint32_t h[HALVES])
{
    uint32_t exponent = is_bf16(x) ? 0x7f80 : 0x7c00;

    EACH(k) h[k] &= h[k] & exponent ? 0xffff : 0x8000;
}

static void fetch(sem *x, unsigned i, unsigned swizzle, float to[HALVES])
{
    uint32_t h[HALVES];

    halves(x, i, swizzle, h);
    if (ISA_GET(x->in, FTZ))
        flush(x, h);
    if (is_bf16(x)) {
        EACH(k) to[k] = half_bf16_to_float(h[k]);
    } else {
        EACH(k) to[k] = half_f16_to_float(h[k]);
    }
}

static void put_halves(sem *x, const uint32_t h[HALVES])
{
    uint32_t d[ISA_WARP];

    LANES(l) d[l] = h[l] | h[ISA_WARP + l] << 16;
    sem_put(x, d);
}

static void finish(sem *x, float r[HALVES])
{
    uint32_t h[HALVES];

    if (ISA_GET(x->in, SAT)) {
        EACH(k) r[k] = r[k] > 0.0f ? r[k] : 0.0f;
        EACH(k) r[k] = r[k] < 1.0f ? r[k] : 1.0f;
    }
    if (is_bf16(x)) {
        EACH(k) h[k] = half_bf16_from_float(r[k]);
    } else {
        EACH(k) h[k] = half_f16_from_float(r[k]);
    }
    if (ISA_GET(x->in, FTZ))
        flush(x, h);
    put_halves(x, h);
}

/* A float has more than twice the digits of a half and two, so sums and
 * products may be rounded to it first. */
SEM(HADD2)
{
    float a[HALVES], b[HALVES];

    fetch(x, 0, ISA_GET(x->in, SWZA), a);
    fetch(x, 1, ISA_GET(x->in, SWZB), b);
    EACH(k) a[k] += b[k];
    finish(x, a);
}

SEM(HMUL2)
{
    float a[HALVES], b[HALVES];

    fetch(x, 0, ISA_GET(x->in, SWZA), a);
    fetch(x, 1, ISA_GET(x->in, SWZB), b);
    EACH(k) a[k] *= b[k];
    finish(x, a);
}

/* Not so a multiply-add: the product is exact, and the error of the sum makes
 * its last bit odd. */
SEM(HFMA2)
{
    float a[HALVES], b[HALVES], c[HALVES];

    fetch(x, 0, ISA_GET(x->in, SWZA), a);
    fetch(x, 1, ISA_GET(x->in, SWZB), b);
    fetch(x, 2, ISA_GET(x->in, SWZC), c);
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
    finish(x, a);
}

/* Integers with the order of the values: -0 is less than +0. */
static inline int32_t order(uint32_t h)
{
    int32_t v = (int32_t)(h & 0x7fff);

    return h & 0x8000 ? -1 - v : v;
}

SEM(HMNMX2)
{
    uint32_t a[HALVES], b[HALVES], min = sem_pred(x, 0);
    uint32_t nan = is_bf16(x) ? 0x7f80 : 0x7c00;
    bool keep_nan = ISA_GET(x->in, NANP);

    halves(x, 0, ISA_GET(x->in, SWZA), a);
    halves(x, 1, ISA_GET(x->in, SWZB), b);
    if (ISA_GET(x->in, FTZ)) {
        flush(x, a);
        flush(x, b);
    }
    EACH(k)
    {
        bool want_min = min & exec_lane_bit[k % ISA_WARP];
        bool nan_a = (a[k] & 0x7fff) > nan, nan_b = (b[k] & 0x7fff) > nan;
        bool first = want_min == (order(a[k]) < order(b[k]));
        uint32_t r = (first || nan_b) && !nan_a ? a[k] : b[k];
        a[k] =
            (nan_a && nan_b) || (keep_nan && (nan_a || nan_b)) ? HALF_NAN : r;
    }
    put_halves(x, a);
}

/* Lanes in which the comparison holds, lower and upper halves. */
static void compare(sem *x, uint32_t lanes[2])
{
    float a[HALVES], b[HALVES];
    uint32_t hit[HALVES], cmp = ISA_GET(x->in, FCMP);

    fetch(x, 0, ISA_GET(x->in, SWZA), a);
    fetch(x, 1, ISA_GET(x->in, SWZB), b);
    EACH(k)
    {
        uint32_t rel = (a[k] < b[k] ? 1u : 0) | (a[k] == b[k] ? 2u : 0) |
                       (a[k] > b[k] ? 4u : 0);
        rel |= rel ? 0 : 8u;
        hit[k] = rel & cmp;
    }
    for (unsigned h = 0; h < 2; h++)
        lanes[h] = sem_bool(ISA_GET(x->in, BOOL), sem_lanes(hit + h * ISA_WARP),
                            sem_pred(x, 0));
}

SEM(HSETP2)
{
    uint32_t lanes[2];

    compare(x, lanes);
    sem_put_pred(x, 0, lanes[0]);
    sem_put_pred(x, 1, lanes[1]);
}

SEM(HSET2)
{
    uint32_t lanes[2], h[HALVES], one = 0xffff;

    compare(x, lanes);
    if (ISA_GET(x->in, BF))
        one = is_bf16(x) ? 0x3f80 : 0x3c00;
    EACH(k)
    h[k] = lanes[k / ISA_WARP] & exec_lane_bit[k % ISA_WARP] ? one : 0;
    put_halves(x, h);
}
