/* src/exec/sem/sem_f32.c - single precision.
 *
 * A NaN result is always 0x7fffffff [PTX85:floating-point]. FTZ flushes
 * operands before and results after rounding; SAT comes last. */
#include "exec/sem/sem.h"

#include <math.h>

/* The exact value s + err, where s is the nearest double, rounded in one of
 * the other directions. `zero`: sign bit of a result that is exactly 0. */
static inline float round_directed(double s, double err, unsigned rnd,
                                   uint32_t zero)
{
    float f = (float)s; /* one of the two neighbours of the exact value */
    double off = s - (double)f;
    uint32_t u = sem_bits(f), minus = u >> 31;

    off = off != 0.0 ? off : err;
    uint32_t above = off < 0.0 ? 1 : 0, below = off > 0.0 ? 1 : 0;
    uint32_t shrink = minus ? below : above, grow = minus ? above : below;
    uint32_t away = rnd == RND_RP ? !minus : rnd == RND_RM ? minus : 0;

    u = u - (away ? 0 : shrink) + (away ? grow : 0);
    u = s == 0.0 && err == 0.0 ? zero : u;
    return sem_canon(sem_float(u));
}

/* p + q, both exact. */
static inline float directed_sum(double p, double q, unsigned rnd)
{
    double s = p + q, t = s - p, err = (p - (s - t)) + (q - t);
    uint32_t sp = sem_bits64(p) >> 63, sq = sem_bits64(q) >> 63;
    uint32_t minus = rnd == RND_RM ? sp | sq : sp & sq;

    return round_directed(s, err, rnd, minus << 31);
}

static inline float flush_f32(float f)
{
    uint32_t u = sem_bits(f);

    return sem_float(u & (u & 0x7f800000 ? UINT32_MAX : 0x80000000));
}

/* True if the flushing is left to a loop of its own; other cases have it done
 * when operands are fetched and results stored. */
static inline bool flush_inline(const sem *x)
{
    return ISA_GET(x->in, FTZ) && ISA_GET(x->in, RND) == RND_RN;
}

/* Neither flushed nor saturated, and rounded to nearest. */
static inline bool is_plain(const sem *x)
{
    return !(x->in->mod & (ISA_BITS(FTZ) | ISA_BITS(RND) | ISA_BITS(SAT)));
}

/* The result of such an operation, from rows `a`, `b` and perhaps `c`. */
#define PLAIN(value)                                                           \
    do {                                                                       \
        float *r = (float *)sem_target(x, (uint32_t *)d);                      \
                                                                               \
        LANES_IN_PLACE(l) r[l] = sem_canon(value);                             \
        sem_put_in_place(x, (const uint32_t *)r);                              \
    } while (0)

SEM(FADD)
{
    float ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    bool fast = flush_inline(x), ftz = ISA_GET(x->in, FTZ) && !fast;
    unsigned rnd = ISA_GET(x->in, RND);
    const float *a = sem_row_f32(x, 0, ftz, ta),
                *b = sem_row_f32(x, 1, ftz, tb);

    if (is_plain(x)) {
        PLAIN(a[l] + b[l]);
        return;
    }
    if (fast) {
        LANES(l) d[l] = flush_f32(sem_canon(flush_f32(a[l]) + flush_f32(b[l])));
    } else if (rnd == RND_RN) {
        LANES(l) d[l] = sem_canon(a[l] + b[l]);
    } else {
        LANES(l) d[l] = directed_sum(a[l], b[l], rnd);
    }
    sem_put_f32(x, d, ftz, ISA_GET(x->in, SAT));
}

SEM(FMUL)
{
    float ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    bool fast = flush_inline(x), ftz = ISA_GET(x->in, FTZ) && !fast;
    unsigned rnd = ISA_GET(x->in, RND);
    const float *a = sem_row_f32(x, 0, ftz, ta),
                *b = sem_row_f32(x, 1, ftz, tb);

    if (is_plain(x)) {
        PLAIN(a[l] * b[l]);
        return;
    }
    if (fast) {
        LANES(l) d[l] = flush_f32(sem_canon(flush_f32(a[l]) * flush_f32(b[l])));
    } else if (rnd == RND_RN) {
        LANES(l) d[l] = sem_canon(a[l] * b[l]);
    } else {
        LANES(l)
        {
            double p = (double)a[l] * b[l];
            d[l] = round_directed(
                p, 0.0, rnd, (sem_bits(a[l]) ^ sem_bits(b[l])) & 0x80000000);
        }
    }
    sem_put_f32(x, d, ftz, ISA_GET(x->in, SAT));
}

/* ptxas makes it of two products, so it rounds as these do, after each. */
SEM(FMULS)
{
    static const float scales[8] = {0.125f, 0.25f, 0.5f, 2, 4, 8, 1, 1};
    float ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    bool ftz = ISA_GET(x->in, FTZ);
    unsigned rnd = ISA_GET(x->in, RND);
    float by = scales[ISA_GET(x->in, PSCALE)];
    const float *a = sem_row_f32(x, 0, ftz, ta),
                *b = sem_row_f32(x, 1, ftz, tb);

    LANES(l)
    {
        uint32_t sign = (sem_bits(a[l]) ^ sem_bits(b[l])) & 0x80000000;
        float p = rnd == RND_RN
                      ? a[l] * b[l]
                      : round_directed((double)a[l] * b[l], 0.0, rnd, sign);

        if (ftz)
            p = flush_f32(p);
        d[l] = rnd == RND_RN ? sem_canon(p * by)
                             : round_directed((double)p * by, 0.0, rnd, sign);
    }
    sem_put_f32(x, d, ftz, ISA_GET(x->in, SAT));
}

SEM(FFMA)
{
    float ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    bool fast = flush_inline(x), ftz = ISA_GET(x->in, FTZ) && !fast;
    unsigned rnd = ISA_GET(x->in, RND);
    const float *a = sem_row_f32(x, 0, ftz, ta),
                *b = sem_row_f32(x, 1, ftz, tb),
                *c = sem_row_f32(x, 2, ftz, tc);

    if (is_plain(x)) {
        PLAIN(fmaf(a[l], b[l], c[l]));
        return;
    }
    if (fast) {
        LANES(l)
        d[l] = flush_f32(
            sem_canon(fmaf(flush_f32(a[l]), flush_f32(b[l]), flush_f32(c[l]))));
    } else if (rnd == RND_RN) {
        LANES(l) d[l] = sem_canon(fmaf(a[l], b[l], c[l]));
    } else {
        LANES(l) d[l] = directed_sum((double)a[l] * b[l], c[l], rnd);
    }
    sem_put_f32(x, d, ftz, ISA_GET(x->in, SAT));
}

/* The smaller as an integer of the same order: -0 is less than +0
 * [PTX85:min]. A NaN loses, or wins with .NAN. */
SEM(FMNMX)
{
    float ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    bool ftz = ISA_GET(x->in, FTZ);
    const uint32_t *a = (const uint32_t *)sem_row_f32(x, 0, ftz, ta),
                   *b = (const uint32_t *)sem_row_f32(x, 1, ftz, tb);
    uint32_t min = sem_pred(x, 0), *r = (uint32_t *)d;
    uint32_t keep_nan = ISA_GET(x->in, NANP) ? UINT32_MAX : 0;
    /* XORSIGN compares magnitudes and sets the xor of the signs. */
    bool xsign = ISA_GET(x->in, XSIGN);
    uint32_t part = xsign ? 0x7fffffff : UINT32_MAX;

    LANES(l)
    {
        uint32_t u = a[l] & part, v = b[l] & part;
        int32_t ku = (int32_t)(u ^ ((uint32_t)((int32_t)u >> 31) >> 1));
        int32_t kv = (int32_t)(v ^ ((uint32_t)((int32_t)v >> 31) >> 1));
        uint32_t less = ku < kv ? UINT32_MAX : 0;
        uint32_t pick = less ^ (min & exec_lane_bit[l] ? 0 : UINT32_MAX);
        uint32_t nan_u = (u & 0x7fffffff) > 0x7f800000 ? UINT32_MAX : 0;
        uint32_t nan_v = (v & 0x7fffffff) > 0x7f800000 ? UINT32_MAX : 0;
        uint32_t nan = (nan_u & nan_v) | (keep_nan & (nan_u | nan_v));
        uint32_t sign = xsign ? (a[l] ^ b[l]) & 0x80000000 : 0;

        pick = (pick | nan_v) & ~nan_u;
        r[l] = ((u & pick) | (v & ~pick) | sign);
        r[l] = nan ? 0x7fffffff : r[l];
    }
    sem_put(x, r);
}

/* Lanes in which the comparison holds. Bit n of CMP_x is set if x holds for
 * less, equal, greater, unordered. */
static uint32_t compare_f32(sem *x)
{
    float ta[ISA_WARP], tb[ISA_WARP];
    uint32_t hit[ISA_WARP], cmp = ISA_GET(x->in, FCMP);
    bool ftz = ISA_GET(x->in, FTZ);
    const float *a = sem_row_f32(x, 0, ftz, ta),
                *b = sem_row_f32(x, 1, ftz, tb);

    LANES(l)
    {
        uint32_t rel = (a[l] < b[l] ? 1u : 0) | (a[l] == b[l] ? 2u : 0) |
                       (a[l] > b[l] ? 4u : 0);
        rel |= rel ? 0 : 8u;
        hit[l] = rel & cmp;
    }
    return sem_lanes(hit);
}

SEM(FSEL)
{
    float ta[ISA_WARP], tb[ISA_WARP];
    uint32_t d[ISA_WARP];
    bool ftz = ISA_GET(x->in, FTZ);
    const float *a = sem_row_f32(x, 0, ftz, ta),
                *b = sem_row_f32(x, 1, ftz, tb);

    memcpy(d, b, sizeof d);
    sem_blend(d, (const uint32_t *)a, sem_pred(x, 0));
    sem_put(x, d);
}

SEM(FSETP) { sem_put_setp(x, compare_f32(x)); }

SEM(FSET)
{
    uint32_t hit =
        sem_bool(ISA_GET(x->in, BOOL), compare_f32(x), sem_pred(x, 0));
    uint32_t d[ISA_WARP], one = ISA_GET(x->in, BF) ? 0x3f800000 : UINT32_MAX;

    LANES(l) d[l] = hit & exec_lane_bit[l] ? one : 0;
    sem_put(x, d);
}

/* FCHK is true where the fast division is not safe. That is
 *     r = rcp(b);      e = fma(-b, r, 1);  r = fma(r, e, r);
 *     q = a * r;       e = fma(-b, q, a);  q = fma(e, r, q);
 *     e = fma(-b, q, a);                   q = fma(e, r, q);
 * without FTZ. With ea, eb the exponents of a and b it gives the correctly
 * rounded quotient if
 *   a and b are finite and normal, not 0;
 *   eb <= 125, so that r is normal;
 *   -125 <= ea - eb <= 126, so that q is normal and does not overflow;
 *   ea >= -100, so that the remainder e (a multiple of 2^(ea-48)) is exact.
 * Otherwise the predicate is true. */
SEM(FCHK)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], slow[ISA_WARP];
    const uint32_t *a = sem_fetch_raw(x, 0, ta), *b = sem_fetch_raw(x, 1, tb);

    LANES(l)
    {
        uint32_t fa = a[l] >> 23 & 0xff, fb = b[l] >> 23 & 0xff;
        int32_t diff = (int32_t)(fa - fb);
        slow[l] = (fa == 255 ? 1u : 0) | (fb == 0 ? 1u : 0) |
                  (fb > 125 + 127 ? 1u : 0) | (fa < 127 - 100 ? 1u : 0) |
                  (diff < -125 ? 1u : 0) | (diff > 126 ? 1u : 0);
    }
    sem_put_pred(x, 0, sem_lanes(slow));
}

SEM(FRND)
{
    float ta[ISA_WARP], d[ISA_WARP];
    bool ftz = ISA_GET(x->in, FTZ);
    const float *a = sem_row_f32(x, 0, ftz, ta);

    switch (ISA_GET(x->in, RNDI)) {
    case RNDI_RN:
        LANES(l) d[l] = sem_canon(rintf(a[l]));
        break;
    case RNDI_FLOOR:
        LANES(l) d[l] = sem_canon(floorf(a[l]));
        break;
    case RNDI_CEIL:
        LANES(l) d[l] = sem_canon(ceilf(a[l]));
        break;
    default:
        LANES(l) d[l] = sem_canon(truncf(a[l]));
    }
    sem_put_f32(x, d, ftz, ISA_GET(x->in, SAT));
}
