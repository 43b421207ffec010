/* src/exec/sem/sem_conv.c - conversions between types [PTX85:cvt]. */
#include "exec/sem/sem.h"

#include <math.h>

#include "exec/half.h"
#include "exec/sem/soft.h"

/* ---- integer to float ---- */

static bool is_signed_type(unsigned type) { return type & 1; }

static unsigned bits_of(unsigned type)
{
    static const uint8_t bits[8] = {32, 32, 8, 8, 16, 16, 64, 64};

    return bits[type & 7];
}

/* The lowest bits of v as a value of the type, extended to 64 bits. */
static int64_t extend_typed(unsigned type, uint64_t v)
{
    unsigned up = 64 - bits_of(type);

    return is_signed_type(type) ? (int64_t)(v << up) >> up
                                : (int64_t)(v << up >> up);
}

/* Integers of a source of up to 32 bits; BSEL picks a byte to start at. */
static void fetch_int(sem *x, bool select, int64_t to[ISA_WARP])
{
    uint32_t tmp[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, tmp);
    unsigned type = ISA_GET(x->in, ITYPE);
    unsigned down = select ? 8 * ISA_GET(x->in, BSEL) : 0;

    switch (type) {
    case ITYPE_U32:
        LANES(l) to[l] = a[l] >> down;
        break;
    case ITYPE_S32:
        LANES(l) to[l] = (int32_t)(a[l] >> down);
        break;
    default:
        LANES(l) to[l] = extend_typed(type, a[l] >> down);
    }
}

static uint64_t round_int(int64_t v, bool is_unsigned, soft_format f,
                          unsigned rnd)
{
    bool minus = !is_unsigned && v < 0;

    return soft_round(minus, 0, minus ? 0 - (uint64_t)v : (uint64_t)v, f, rnd);
}

static void put_f32(sem *x, const int64_t v[ISA_WARP], bool is_unsigned)
{
    float d[ISA_WARP];
    unsigned rnd = ISA_GET(x->in, RND);

    if (rnd != RND_RN) {
        LANES(l)
        d[l] = sem_float((uint32_t)round_int(v[l], is_unsigned, SOFT_F32, rnd));
    } else if (is_unsigned) {
        LANES(l) d[l] = (float)(uint64_t)v[l];
    } else {
        LANES(l) d[l] = (float)v[l];
    }
    sem_put(x, (const uint32_t *)d);
}

static void put_f64(sem *x, const int64_t v[ISA_WARP], bool is_unsigned)
{
    uint64_t d[ISA_WARP];
    unsigned rnd = ISA_GET(x->in, RND);

    if (rnd != RND_RN) {
        LANES(l) d[l] = round_int(v[l], is_unsigned, SOFT_F64, rnd);
    } else if (is_unsigned) {
        LANES(l) d[l] = sem_bits64((double)(uint64_t)v[l]);
    } else {
        LANES(l) d[l] = sem_bits64((double)v[l]);
    }
    sem_put64(x, d);
}

static void put_f16(sem *x, const int64_t v[ISA_WARP], bool is_unsigned)
{
    uint32_t d[ISA_WARP];
    unsigned rnd = ISA_GET(x->in, RND);

    LANES(l) d[l] = (uint32_t)round_int(v[l], is_unsigned, SOFT_F16, rnd);
    sem_put(x, d);
}

static void put_bf16(sem *x, const int64_t v[ISA_WARP], bool is_unsigned)
{
    uint32_t d[ISA_WARP];
    unsigned rnd = ISA_GET(x->in, RND);

    LANES(l) d[l] = (uint32_t)round_int(v[l], is_unsigned, SOFT_BF16, rnd);
    sem_put(x, d);
}

static void from_integer(sem *x)
{
    uint32_t tmp[ISA_WARP];
    int64_t v[ISA_WARP];
    float d[ISA_WARP];

    if (ISA_GET(x->in, RND) == RND_RN && ISA_GET(x->in, BSEL) == 0 &&
        ISA_GET(x->in, ITYPE) == ITYPE_S32) {
        const uint32_t *a = sem_row(x, 0, tmp);
        LANES(l) d[l] = (float)(int32_t)a[l];
        sem_put(x, (const uint32_t *)d);
        return;
    }
    fetch_int(x, true, v);
    put_f32(x, v, false);
}

SEM(I2F) { from_integer(x); }
SEM(I2FP) { from_integer(x); }

SEM(I2F_D)
{
    int64_t v[ISA_WARP];

    fetch_int(x, true, v);
    put_f64(x, v, false);
}

SEM(I2F_H)
{
    int64_t v[ISA_WARP];

    fetch_int(x, true, v);
    put_f16(x, v, false);
}

SEM(I2F_B)
{
    int64_t v[ISA_WARP];

    fetch_int(x, false, v);
    put_bf16(x, v, false);
}

static bool fetch_long(sem *x, int64_t v[ISA_WARP])
{
    sem_fetch64(x, 0, (uint64_t *)v);
    return !is_signed_type(ISA_GET(x->in, ITYPE));
}

SEM(I2F_L)
{
    int64_t v[ISA_WARP];
    bool is_unsigned = fetch_long(x, v);

    put_f32(x, v, is_unsigned);
}

SEM(I2F_DL)
{
    int64_t v[ISA_WARP];
    bool is_unsigned = fetch_long(x, v);

    put_f64(x, v, is_unsigned);
}

SEM(I2F_HL)
{
    int64_t v[ISA_WARP];
    bool is_unsigned = fetch_long(x, v);

    put_f16(x, v, is_unsigned);
}

SEM(I2F_BL)
{
    int64_t v[ISA_WARP];
    bool is_unsigned = fetch_long(x, v);

    put_bf16(x, v, is_unsigned);
}

/* ---- float to integer ---- */

static void round_all(unsigned how, double v[ISA_WARP])
{
    switch (how) {
    case RNDI_RN:
        LANES(l) v[l] = rint(v[l]);
        break;
    case RNDI_FLOOR:
        LANES(l) v[l] = floor(v[l]);
        break;
    case RNDI_CEIL:
        LANES(l) v[l] = ceil(v[l]);
        break;
    default:
        LANES(l) v[l] = trunc(v[l]);
    }
}

/* Values beyond the type become its nearest value; a NaN becomes 0, or, if
 * the source is a double or the result has 64 bits, 1 << (bits - 1). */
static void put_int32(sem *x, double v[ISA_WARP], bool is_double)
{
    uint32_t d[ISA_WARP];
    unsigned type = ISA_GET(x->in, DTYPE), bits = bits_of(type);
    double span = ldexp(1.0, (int)(bits > 32 ? 32 : bits));
    double low = is_signed_type(type) ? -span / 2 : 0.0,
           high = low + span - 1.0;
    uint32_t nan =
        is_double ? (uint32_t)extend_typed(type, (uint64_t)1 << (bits - 1)) : 0;

    round_all(ISA_GET(x->in, RNDI), v);
    LANES(l)
    {
        double u = v[l] > low ? v[l] : low;
        u = u < high ? u : high;
        uint32_t r = (uint32_t)(int64_t)u;
        d[l] = v[l] != v[l] ? nan : r;
    }
    sem_put(x, d);
}

static void put_int64(sem *x, double v[ISA_WARP])
{
    uint64_t d[ISA_WARP];
    bool is_unsigned = !is_signed_type(ISA_GET(x->in, DTYPE));

    round_all(ISA_GET(x->in, RNDI), v);
    LANES(l)
    {
        if (v[l] != v[l])
            d[l] = (uint64_t)1 << 63;
        else if (is_unsigned)
            d[l] = v[l] <= 0.0      ? 0
                   : v[l] >= 0x1p64 ? UINT64_MAX
                                    : (uint64_t)v[l];
        else
            d[l] = v[l] >= 0x1p63    ? INT64_MAX
                   : v[l] <= -0x1p63 ? (uint64_t)INT64_MIN
                                     : (uint64_t)(int64_t)v[l];
    }
    sem_put64(x, d);
}

static void fetch_f32_as_f64(sem *x, double v[ISA_WARP])
{
    float tmp[ISA_WARP];
    const float *a = sem_row_f32(x, 0, ISA_GET(x->in, FTZ), tmp);

    LANES(l) v[l] = a[l];
}

/* The lower half of each lane; the upper one with SWZ_H1_H1. */
static void fetch_f16(sem *x, unsigned swizzle, float v[ISA_WARP])
{
    uint32_t tmp[ISA_WARP];
    const uint32_t *a = sem_fetch_raw(x, 0, tmp);
    unsigned mod = x->in->src_mod[0], down = swizzle == SWZ_H1_H1 ? 16 : 0;
    uint32_t keep = mod & SRC_ABS ? 0x7fff : 0xffff;
    uint32_t flip = mod & SRC_NEG ? 0x8000 : 0;

    LANES(l) v[l] = half_f16_to_float(((a[l] >> down) & keep) ^ flip);
}

static void fetch_f16_as_f64(sem *x, double v[ISA_WARP])
{
    float a[ISA_WARP];

    fetch_f16(x, ISA_GET(x->in, SWZA), a);
    LANES(l) v[l] = a[l];
}

SEM(F2I)
{
    double v[ISA_WARP];

    fetch_f32_as_f64(x, v);
    put_int32(x, v, false);
}

SEM(F2I_D)
{
    double v[ISA_WARP];

    sem_fetch64(x, 0, (uint64_t *)v);
    put_int32(x, v, true);
}

SEM(F2I_H)
{
    double v[ISA_WARP];

    fetch_f16_as_f64(x, v);
    put_int32(x, v, false);
}

SEM(F2I_L)
{
    double v[ISA_WARP];

    fetch_f32_as_f64(x, v);
    put_int64(x, v);
}

SEM(F2I_DL)
{
    double v[ISA_WARP];

    sem_fetch64(x, 0, (uint64_t *)v);
    put_int64(x, v);
}

SEM(F2I_HL)
{
    double v[ISA_WARP];

    fetch_f16_as_f64(x, v);
    put_int64(x, v);
}

/* ---- float to float ---- */

/* To [0, 1], NaN to +0. */
static void saturate_doubles(double v[ISA_WARP])
{
    LANES(l) v[l] = v[l] > 0.0 ? v[l] : 0.0;
    LANES(l) v[l] = v[l] < 1.0 ? v[l] : 1.0;
}

SEM(F2F_SD)
{
    double v[ISA_WARP];
    float d[ISA_WARP];
    unsigned rnd = ISA_GET(x->in, RND);

    sem_fetch64(x, 0, (uint64_t *)v);
    if (rnd == RND_RN) {
        LANES(l) d[l] = (float)v[l];
    } else {
        LANES(l) d[l] = sem_float((uint32_t)soft_convert(v[l], SOFT_F32, rnd));
    }
    LANES(l) d[l] = sem_canon(d[l]);
    sem_put_f32(x, d, ISA_GET(x->in, FTZ), ISA_GET(x->in, SAT));
}

SEM(F2F_DS)
{
    double v[ISA_WARP];

    fetch_f32_as_f64(x, v);
    if (ISA_GET(x->in, SAT))
        saturate_doubles(v);
    sem_put64(x, (const uint64_t *)v);
}

SEM(F2F_DH)
{
    double v[ISA_WARP];

    fetch_f16_as_f64(x, v);
    if (ISA_GET(x->in, SAT))
        saturate_doubles(v);
    sem_put64(x, (const uint64_t *)v);
}

SEM(F2F_SH)
{
    float d[ISA_WARP];

    fetch_f16(x, ISA_GET(x->in, SWZA), d);
    LANES(l) d[l] = sem_canon(d[l]);
    sem_put_f32(x, d, false, ISA_GET(x->in, SAT));
}

/* v rounded to 16 bits. */
static void narrow_to_half(double v[ISA_WARP], bool bf16, unsigned rnd,
                           bool sat, uint32_t d[ISA_WARP])
{
    if (sat)
        saturate_doubles(v);
    if (rnd != RND_RN) {
        soft_format f = bf16 ? SOFT_BF16 : SOFT_F16;
        LANES(l)
        d[l] = v[l] != v[l] ? HALF_NAN : (uint32_t)soft_convert(v[l], f, rnd);
    } else if (bf16) {
        LANES(l) d[l] = half_bf16_from_float(half_narrow(v[l]));
    } else {
        LANES(l) d[l] = half_f16_from_float(half_narrow(v[l]));
    }
}

SEM(F2F_HS)
{
    double v[ISA_WARP];
    uint32_t d[ISA_WARP];

    fetch_f32_as_f64(x, v);
    narrow_to_half(v, false, ISA_GET(x->in, RND), ISA_GET(x->in, SAT), d);
    sem_put(x, d);
}

SEM(F2F_HD)
{
    double v[ISA_WARP];
    uint32_t d[ISA_WARP];

    sem_fetch64(x, 0, (uint64_t *)v);
    narrow_to_half(v, false, ISA_GET(x->in, RND), ISA_GET(x->in, SAT), d);
    sem_put(x, d);
}

SEM(F2F_BS)
{
    double v[ISA_WARP];
    uint32_t d[ISA_WARP];

    fetch_f32_as_f64(x, v);
    narrow_to_half(v, true, ISA_GET(x->in, RND), ISA_GET(x->in, SAT), d);
    sem_put(x, d);
}

SEM(F2F_BD)
{
    double v[ISA_WARP];
    uint32_t d[ISA_WARP];

    sem_fetch64(x, 0, (uint64_t *)v);
    narrow_to_half(v, true, ISA_GET(x->in, RND), ISA_GET(x->in, SAT), d);
    sem_put(x, d);
}

SEM(HRND)
{
    double v[ISA_WARP];
    uint32_t d[ISA_WARP];

    fetch_f16_as_f64(x, v);
    round_all(ISA_GET(x->in, RNDI), v);
    narrow_to_half(v, false, RND_RN, false, d);
    sem_put(x, d);
}

/* Not less than zero; NaN stays. */
static void limit_reals(const sem *x, double v[ISA_WARP])
{
    if (ISA_GET(x->in, RELU))
        LANES(l) v[l] = v[l] <= 0 ? 0 : v[l];
}

SEM(F2FP)
{
    float ta[ISA_WARP], tb[ISA_WARP];
    double v[ISA_WARP];
    uint32_t low[ISA_WARP], d[ISA_WARP];
    const float *a = sem_row_f32(x, 0, false, ta),
                *b = sem_row_f32(x, 1, false, tb);
    bool bf16 = ISA_GET(x->in, HFMT) == HFMT_BF16, sat = ISA_GET(x->in, SAT);
    unsigned rnd = ISA_GET(x->in, RND);

    LANES(l) v[l] = b[l];
    limit_reals(x, v);
    narrow_to_half(v, bf16, rnd, sat, low);
    LANES(l) v[l] = a[l];
    limit_reals(x, v);
    narrow_to_half(v, bf16, rnd, sat, d);
    LANES(l) d[l] = d[l] << 16 | low[l];
    sem_put(x, d);
}

SEM(F2FPC)
{
    float tb[ISA_WARP];
    double v[ISA_WARP];
    uint32_t tc[ISA_WARP], d[ISA_WARP];
    const float *b = sem_row_f32(x, 1, false, tb);
    const uint32_t *c = sem_fetch_raw(x, 2, tc);

    LANES(l) v[l] = b[l];
    limit_reals(x, v);
    narrow_to_half(v, ISA_GET(x->in, HFMT) == HFMT_BF16, ISA_GET(x->in, RND),
                   false, d);
    LANES(l) d[l] |= c[l] & 0xffff0000;
    sem_put(x, d);
}

static uint32_t limit_to(int32_t v, unsigned bits, bool is_signed)
{
    int32_t span = 1 << bits, low = is_signed ? -span / 2 : 0;
    int32_t high = low + span - 1;

    return (uint32_t)(v < low    ? low
                      : v > high ? high
                                 : v) &
           (uint32_t)(span - 1);
}

/* Results have 8 bits, or else 16. */
SEM(I2IP)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_fetch_raw(x, 0, ta), *b = sem_fetch_raw(x, 1, tb),
                   *c = sem_fetch_raw(x, 2, tc);
    unsigned type = ISA_GET(x->in, DTYPE);
    unsigned bits = bits_of(type) == 8 ? 8 : 16;
    bool is_signed = is_signed_type(type);

    LANES(l)
    {
        d[l] = limit_to((int32_t)a[l], bits, is_signed) << bits |
               limit_to((int32_t)b[l], bits, is_signed);
        if (bits == 8)
            d[l] |= c[l] << 16;
    }
    sem_put(x, d);
}

SEM(I2I)
{
    int64_t v[ISA_WARP];
    uint32_t d[ISA_WARP];
    unsigned to = ISA_GET(x->in, DTYPE), bits = bits_of(to);
    int64_t span = (int64_t)1 << (bits > 32 ? 32 : bits);
    int64_t low = is_signed_type(to) ? -span / 2 : 0, high = low + span - 1;

    fetch_int(x, false, v);
    if (ISA_GET(x->in, SAT)) {
        LANES(l)
        {
            int64_t u = v[l] > low ? v[l] : low;
            v[l] = u < high ? u : high;
        }
    }
    LANES(l) d[l] = (uint32_t)extend_typed(to, (uint64_t)v[l]);
    sem_put(x, d);
}
