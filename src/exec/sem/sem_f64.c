/* src/exec/sem/sem_f64.c - double precision.
 *
 * NaN operands keep their payload and become quiet: the first of A, B, C wins
 * [guess]; which one the manual leaves open [PTX85:floating-point]. An invalid
 * operation gives 0xfff8000000000000 [CUDA12:CUDART_NAN]. Selected explicitly,
 * because the host's choice depends on how the compiler orders operands. */
#include "exec/sem/sem.h"

#include <math.h>

#include "exec/sem/soft.h"

#define NAN_INVALID   0xfff8000000000000u
#define NAN_CANONICAL 0x7fffffffffffffffu
#define QUIET         0x0008000000000000u

static inline bool is_nan(uint64_t u)
{
    return (u & INT64_MAX) > 0x7ff0000000000000;
}

/* The result r of an operation on a, b and c. */
static inline uint64_t result_or_nan(double r, uint64_t a, uint64_t b,
                                     uint64_t c)
{
    uint64_t u = r != r ? NAN_INVALID : sem_bits64(r);

    u = is_nan(c) ? c | QUIET : u;
    u = is_nan(b) ? b | QUIET : u;
    return is_nan(a) ? a | QUIET : u;
}

SEM(DADD)
{
    uint64_t a[ISA_WARP], b[ISA_WARP], d[ISA_WARP];
    unsigned rnd = ISA_GET(x->in, RND);

    sem_fetch64(x, 0, a);
    sem_fetch64(x, 1, b);
    if (rnd == RND_RN) {
        LANES(l)
        d[l] =
            result_or_nan(sem_double(a[l]) + sem_double(b[l]), a[l], b[l], 0);
    } else {
        LANES(l)
        {
            uint64_t r =
                soft_add(sem_double(a[l]), sem_double(b[l]), SOFT_F64, rnd);
            d[l] = result_or_nan(sem_double(r), a[l], b[l], 0);
        }
    }
    sem_put64(x, d);
}

SEM(DMUL)
{
    uint64_t a[ISA_WARP], b[ISA_WARP], d[ISA_WARP];
    unsigned rnd = ISA_GET(x->in, RND);

    sem_fetch64(x, 0, a);
    sem_fetch64(x, 1, b);
    if (rnd == RND_RN) {
        LANES(l)
        d[l] =
            result_or_nan(sem_double(a[l]) * sem_double(b[l]), a[l], b[l], 0);
    } else {
        LANES(l)
        {
            uint64_t r =
                soft_mul(sem_double(a[l]), sem_double(b[l]), SOFT_F64, rnd);
            d[l] = result_or_nan(sem_double(r), a[l], b[l], 0);
        }
    }
    sem_put64(x, d);
}

SEM(DFMA)
{
    uint64_t a[ISA_WARP], b[ISA_WARP], c[ISA_WARP], d[ISA_WARP];
    unsigned rnd = ISA_GET(x->in, RND);

    sem_fetch64(x, 0, a);
    sem_fetch64(x, 1, b);
    sem_fetch64(x, 2, c);
    if (rnd == RND_RN) {
        LANES(l)
        d[l] = result_or_nan(
            fma(sem_double(a[l]), sem_double(b[l]), sem_double(c[l])), a[l],
            b[l], c[l]);
    } else {
        LANES(l)
        {
            uint64_t r = soft_fma(sem_double(a[l]), sem_double(b[l]),
                                  sem_double(c[l]), SOFT_F64, rnd);
            d[l] = result_or_nan(sem_double(r), a[l], b[l], c[l]);
        }
    }
    sem_put64(x, d);
}

/* -0 is less than +0; a NaN loses, or wins with .NAN [PTX85:min]. */
SEM(DMNMX)
{
    uint64_t a[ISA_WARP], b[ISA_WARP], d[ISA_WARP];
    uint32_t min = sem_pred(x, 0);
    bool keep_nan = ISA_GET(x->in, NANP);

    sem_fetch64(x, 0, a);
    sem_fetch64(x, 1, b);
    LANES(l)
    {
        uint64_t fa = (uint64_t)((int64_t)a[l] >> 63) >> 1;
        uint64_t fb = (uint64_t)((int64_t)b[l] >> 63) >> 1;
        bool less = (int64_t)(a[l] ^ fa) < (int64_t)(b[l] ^ fb);
        bool want_min = min & exec_lane_bit[l];
        bool nan_a = is_nan(a[l]), nan_b = is_nan(b[l]);
        uint64_t r = (less == want_min || nan_b) && !nan_a ? a[l] : b[l];
        bool nan = (nan_a && nan_b) || (keep_nan && (nan_a || nan_b));
        d[l] = nan ? NAN_CANONICAL : r;
    }
    sem_put64(x, d);
}

/* Which of both DMNMX would give. */
SEM(DSETPM)
{
    uint64_t a[ISA_WARP], b[ISA_WARP];
    uint32_t first[ISA_WARP], none[ISA_WARP], min = sem_pred(x, 0);

    sem_fetch64(x, 0, a);
    sem_fetch64(x, 1, b);
    LANES(l)
    {
        uint64_t fa = (uint64_t)((int64_t)a[l] >> 63) >> 1;
        uint64_t fb = (uint64_t)((int64_t)b[l] >> 63) >> 1;
        bool less = (int64_t)(a[l] ^ fa) < (int64_t)(b[l] ^ fb);
        bool nan_a = is_nan(a[l]), nan_b = is_nan(b[l]);

        first[l] = (less == !!(min & exec_lane_bit[l]) || nan_b) && !nan_a;
        none[l] = nan_a && nan_b;
    }
    sem_put_pred(x, 0, sem_lanes(first));
    sem_put_pred(x, 1, sem_lanes(none));
}

/* See compare_f64() of sem_f32.c. */
static uint32_t compare_f64(sem *x)
{
    uint64_t a[ISA_WARP], b[ISA_WARP];
    uint32_t hit[ISA_WARP], cmp = ISA_GET(x->in, FCMP);

    sem_fetch64(x, 0, a);
    sem_fetch64(x, 1, b);
    LANES(l)
    {
        double u = sem_double(a[l]), v = sem_double(b[l]);
        uint32_t rel = (u < v ? 1u : 0) | (u == v ? 2u : 0) | (u > v ? 4u : 0);
        rel |= rel ? 0 : 8u;
        hit[l] = rel & cmp;
    }
    return sem_lanes(hit);
}

SEM(DSETP) { sem_put_setp(x, compare_f64(x)); }

SEM(DSET)
{
    uint32_t hit =
        sem_bool(ISA_GET(x->in, BOOL), compare_f64(x), sem_pred(x, 0));
    uint32_t d[ISA_WARP], one = ISA_GET(x->in, BF) ? 0x3f800000 : UINT32_MAX;

    LANES(l) d[l] = hit & exec_lane_bit[l] ? one : 0;
    sem_put(x, d);
}

SEM(DRND)
{
    uint64_t a[ISA_WARP];

    sem_fetch64(x, 0, a);
    switch (ISA_GET(x->in, RNDI)) {
    case RNDI_RN:
        LANES(l) a[l] = result_or_nan(rint(sem_double(a[l])), a[l], 0, 0);
        break;
    case RNDI_FLOOR:
        LANES(l) a[l] = result_or_nan(floor(sem_double(a[l])), a[l], 0, 0);
        break;
    case RNDI_CEIL:
        LANES(l) a[l] = result_or_nan(ceil(sem_double(a[l])), a[l], 0, 0);
        break;
    default:
        LANES(l) a[l] = result_or_nan(trunc(sem_double(a[l])), a[l], 0, 0);
    }
    sem_put64(x, a);
}
