/* src/exec/sem/sem_int.c - integer arithmetic, comparison, logic and moves. */
#include "exec/sem/sem.h"
#include "mem/keep.h"

/* Source i for an addition with carries: a negated source gives its
 * complement, and *ones counts the ones still to be added. */
static const uint32_t *addend(sem *x, unsigned i, uint32_t tmp[ISA_WARP],
                              uint32_t *ones)
{
    const uint32_t *r = sem_fetch_raw(x, i, tmp);

    if (!(x->in->src_mod[i] & (SRC_NEG | SRC_NOT)))
        return r;
    LANES(l) tmp[l] = ~r[l];
    *ones += !!(x->in->src_mod[i] & SRC_NEG);
    return tmp;
}

/* d = a + b + c + ones + s + t and its carries, 0 to 3, to p and q. */
static void add3(sem *x, const uint32_t *const v[3], uint32_t ones, uint32_t s,
                 uint32_t t)
{
    uint32_t d[ISA_WARP], one[ISA_WARP], two[ISA_WARP];

    LANES(l)
    {
        uint32_t r1 = v[0][l] + v[1][l], r2 = r1 + v[2][l];
        uint32_t in = ones + (s & exec_lane_bit[l] ? 1 : 0) +
                      (t & exec_lane_bit[l] ? 1 : 0);
        uint32_t r3 = r2 + in;
        uint32_t carries =
            (r1 < v[0][l] ? 1u : 0) + (r2 < r1 ? 1u : 0) + (r3 < r2 ? 1u : 0);
        d[l] = r3;
        one[l] = carries;
        two[l] = carries >> 1;
    }
    sem_put(x, d);
    if (x->in->pdst[0] != ISA_PT)
        sem_put_pred(x, 0, sem_lanes(one));
    if (x->in->pdst[1] != ISA_PT)
        sem_put_pred(x, 1, sem_lanes(two));
}

SEM(IADD3)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], t[ISA_WARP], ones = 0;

    if (x->in->pdst[0] == ISA_PT && x->in->pdst[1] == ISA_PT) {
        const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                       *c = sem_row(x, 2, tc);
        uint32_t *d = sem_target(x, t);
        LANES_IN_PLACE(l) d[l] = a[l] + b[l] + c[l];
        sem_put_in_place(x, d);
        return;
    }
    const uint32_t *a = addend(x, 0, ta, &ones), *b = addend(x, 1, tb, &ones),
                   *c = addend(x, 2, tc, &ones);
    add3(x, (const uint32_t *[3]){a, b, c}, ones, 0, 0);
}

SEM(IADD3X)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], ones = 0;
    const uint32_t *a = addend(x, 0, ta, &ones), *b = addend(x, 1, tb, &ones),
                   *c = addend(x, 2, tc, &ones);

    /* Here a negated source adds its complement only. */
    add3(x, (const uint32_t *[3]){a, b, c}, 0, sem_pred(x, 0), sem_pred(x, 1));
}

/* With nothing to multiply it is a move, as the compiler makes them. */
SEM(IMAD)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], t[ISA_WARP];

    if (x->in->src_kind[0] == SRC_REG && x->in->src[0] == ISA_RZ) {
        sem_put(x, sem_row(x, 2, tc));
        return;
    }
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);
    uint32_t *d = sem_target(x, t);

    LANES_IN_PLACE(l) d[l] = a[l] * b[l] + c[l];
    sem_put_in_place(x, d);
}

/* Source i with its complement taken, as where a carry comes in. */
static const uint32_t *complemented(sem *x, unsigned i, uint32_t tmp[ISA_WARP])
{
    const uint32_t *r = sem_fetch_raw(x, i, tmp);

    if (!(x->in->src_mod[i] & (SRC_NEG | SRC_NOT)))
        return r;
    LANES(l) tmp[l] = ~r[l];
    return tmp;
}

SEM(IMADX)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    uint32_t s = sem_pred(x, 0);
    const uint32_t *a = sem_fetch_raw(x, 0, ta), *b = complemented(x, 1, tb),
                   *c = complemented(x, 2, tc);

    LANES(l) d[l] = a[l] * b[l] + c[l] + (s & exec_lane_bit[l] ? 1 : 0);
    sem_put(x, d);
}

/* d = A * B + C + s with 64 bits, and what leaves them. */
static void product_sum(sem *x, uint64_t d[ISA_WARP], uint32_t carry[ISA_WARP])
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], s = sem_pred(x, 0);
    uint64_t c[ISA_WARP];
    const uint32_t *a = sem_fetch_raw(x, 0, ta), *b = sem_fetch_raw(x, 1, tb);
    bool no_sign = ISA_GET(x->in, U32);

    sem_fetch64(x, 2, c);
    LANES(l)
    {
        uint64_t p = no_sign
                         ? (uint64_t)a[l] * b[l]
                         : (uint64_t)((int64_t)(int32_t)a[l] * (int32_t)b[l]);
        uint64_t sum = p + c[l];
        uint64_t in = s & exec_lane_bit[l] ? 1 : 0;

        d[l] = sum + in;
        carry[l] = (sum < p ? 1u : 0) | (d[l] < sum ? 1u : 0);
    }
}

SEM(IMADWX)
{
    uint32_t carry[ISA_WARP];
    uint64_t d[ISA_WARP];

    product_sum(x, d, carry);
    sem_put64(x, d);
    if (x->in->pdst[0] != ISA_PT)
        sem_put_pred(x, 0, sem_lanes(carry));
}

SEM(IMADHX)
{
    uint32_t carry[ISA_WARP], upper[ISA_WARP];
    uint64_t d[ISA_WARP];

    product_sum(x, d, carry);
    LANES(l) upper[l] = (uint32_t)(d[l] >> 32);
    sem_put(x, upper);
    if (x->in->pdst[0] != ISA_PT)
        sem_put_pred(x, 0, sem_lanes(carry));
}

SEM(IMADHI)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);

    if (ISA_GET(x->in, U32)) {
        LANES(l) d[l] = (uint32_t)((uint64_t)a[l] * b[l] >> 32) + c[l];
    } else {
        LANES(l)
        {
            int64_t p = (int64_t)(int32_t)a[l] * (int32_t)b[l];
            d[l] = (uint32_t)((uint64_t)p >> 32) + c[l];
        }
    }
    sem_put(x, d);
}

/* What a modifier says; nothing is as all lines. */
static mem_keep policy_priority(unsigned of)
{
    return of && of <= MEM_KEEP_UNCHANGED ? (mem_keep)of : MEM_KEEP_NORMAL;
}

SEM(IMADW)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP];
    uint64_t d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb);

    sem_fetch64(x, 2, d);
    if (ISA_GET(x->in, U32)) {
        LANES(l) d[l] += (uint64_t)a[l] * b[l];
    } else {
        LANES(l)
        d[l] += (uint64_t)((int64_t)(int32_t)a[l] * (int32_t)b[l]);
    }
    sem_put64(x, d);
}

SEM(CRPOL)
{
    uint32_t tb[ISA_WARP], tc[ISA_WARP];
    uint64_t d[ISA_WARP];
    const uint32_t *b = sem_row(x, 1, tb), *c = sem_row(x, 2, tc);
    mem_keep chosen = policy_priority(ISA_GET(x->in, KEEPA));
    mem_keep rest = policy_priority(ISA_GET(x->in, KEEPB));

    sem_fetch64(x, 0, d);
    if (ISA_GET(x->in, KEEPBY)) {
        LANES(l) d[l] = mem_keep_range(chosen, rest, d[l], b[l], c[l]);
    } else {
        LANES(l) d[l] = mem_keep_fraction(chosen, rest, b[l]);
    }
    sem_put64(x, d);
}

SEM(IMNMX)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb);
    uint32_t min = sem_pred(x, 0), flip = ISA_GET(x->in, U32) ? 0 : 0x80000000;

    LANES(l)
    {
        uint32_t less = (a[l] ^ flip) < (b[l] ^ flip) ? UINT32_MAX : 0;
        uint32_t pick = less ^ (min & exec_lane_bit[l] ? 0 : UINT32_MAX);
        d[l] = (a[l] & pick) | (b[l] & ~pick);
    }
    if (ISA_GET(x->in, RELU))
        LANES(l) d[l] = (int32_t)d[l] < 0 ? 0 : d[l];
    sem_put(x, d);
}

/* Lanes in which a compares to b; CMP_NUM is always true here. `flip`: the sign
 * bit, if numbers have none. */
static inline uint32_t compare(const uint32_t *a, const uint32_t *b,
                               unsigned cmp, uint32_t flip)
{
    uint32_t lanes = 0;

    switch (cmp) {
    case CMP_EQ:
    case CMP_NE:
        LANES(l) lanes |= a[l] == b[l] ? exec_lane_bit[l] : 0;
        break;
    case CMP_LT:
    case CMP_GE:
        LANES(l)
        lanes |= (int32_t)(a[l] ^ flip) < (int32_t)(b[l] ^ flip)
                     ? exec_lane_bit[l]
                     : 0;
        break;
    case CMP_GT:
    case CMP_LE:
        LANES(l)
        lanes |= (int32_t)(a[l] ^ flip) > (int32_t)(b[l] ^ flip)
                     ? exec_lane_bit[l]
                     : 0;
        break;
    }
    return cmp == CMP_NE || cmp == CMP_GE || cmp == CMP_LE || cmp == CMP_NUM
               ? ~lanes
               : lanes;
}

SEM(ISETP)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb);
    uint32_t flip = ISA_GET(x->in, U32) ? 0x80000000 : 0;
    uint32_t lanes = compare(a, b, ISA_GET(x->in, ICMP), flip);

    if (ISA_GET(x->in, EX)) {
        uint32_t eq = compare(a, b, CMP_EQ, 0);
        lanes = (eq & sem_pred(x, 1)) | (lanes & ~eq);
    }
    sem_put_setp(x, lanes);
}

SEM(IABS)
{
    uint32_t ta[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta);

    LANES(l) d[l] = (int32_t)a[l] < 0 ? 0u - a[l] : a[l];
    sem_put(x, d);
}

SEM(LEA)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP], ones = 0;
    const uint32_t *a = sem_fetch_raw(x, 0, ta), *b;
    uint32_t shift = x->in->lut & 31;
    uint32_t not = x->in->src_mod[0] & (SRC_NEG | SRC_NOT) ? UINT32_MAX : 0;

    ones = !!(x->in->src_mod[0] & SRC_NEG);
    b = addend(x, 1, tb, &ones);
    if (x->in->pdst[0] == ISA_PT) {
        uint32_t *to = sem_target(x, d);

        LANES_IN_PLACE(l) to[l] = ((a[l] << shift) ^ not ) + b[l] + ones;
        sem_put_in_place(x, to);
        return;
    }
    LANES(l) d[l] = (a[l] << shift) ^ not ;
    add3(x, (const uint32_t *[3]){d, b, exec_zero}, ones, 0, 0);
}

SEM(LEAX)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_fetch_raw(x, 0, ta), *b = complemented(x, 1, tb);
    uint32_t shift = x->in->lut & 31, not = x->in->src_mod[0] ? UINT32_MAX : 0;

    LANES(l) d[l] = (a[l] << shift) ^ not ;
    add3(x, (const uint32_t *[3]){d, b, exec_zero}, 0, sem_pred(x, 0), 0);
}

/* v[l], of 64 bits, shifted: its upper half, + B + s. */
static void add_upper(sem *x, const uint64_t v[ISA_WARP])
{
    uint32_t tb[ISA_WARP], d[ISA_WARP], ones = 0;
    uint32_t shift = x->in->lut & 31;
    uint64_t flip = x->in->src_mod[0] ? UINT64_MAX : 0;
    uint64_t one = x->in->src_mod[0] & SRC_NEG ? 1 : 0;
    const uint32_t *b = addend(x, 1, tb, &ones);

    LANES(l) d[l] = (uint32_t)((((v[l] << shift) ^ flip) + one) >> 32);
    add3(x, (const uint32_t *[3]){d, b, exec_zero}, ones, sem_pred(x, 0), 0);
}

SEM(LEAHI)
{
    uint32_t ta[ISA_WARP], tc[ISA_WARP];
    uint64_t v[ISA_WARP];
    const uint32_t *a = sem_fetch_raw(x, 0, ta), *c = sem_fetch_raw(x, 2, tc);

    LANES(l) v[l] = (uint64_t)c[l] << 32 | a[l];
    add_upper(x, v);
}

SEM(LEAHIS)
{
    uint32_t ta[ISA_WARP];
    uint64_t v[ISA_WARP];
    const uint32_t *a = sem_fetch_raw(x, 0, ta);

    LANES(l) v[l] = (uint64_t)(int64_t)(int32_t)a[l];
    add_upper(x, v);
}

static inline __attribute__((always_inline)) void
combine_bits(sem *x, uint32_t d[ISA_WARP])
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], t[8];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);

    for (unsigned k = 0; k < 8; k++)
        t[k] = -(uint32_t)(x->in->lut >> k & 1);
    switch (x->in->lut) {
    case 0xc0:
        LANES(l) d[l] = a[l] & b[l];
        break;
    case 0xfc:
        LANES(l) d[l] = a[l] | b[l];
        break;
    case 0x3c:
        LANES(l) d[l] = a[l] ^ b[l];
        break;
    default:
        LANES(l)
        {
            uint32_t u = a[l], v = b[l], w = c[l];
            uint32_t c00 = (t[1] & w) | (t[0] & ~w);
            uint32_t c01 = (t[3] & w) | (t[2] & ~w);
            uint32_t c10 = (t[5] & w) | (t[4] & ~w);
            uint32_t c11 = (t[7] & w) | (t[6] & ~w);
            uint32_t b0 = (c01 & v) | (c00 & ~v), b1 = (c11 & v) | (c10 & ~v);
            d[l] = (b1 & u) | (b0 & ~u);
        }
    }
}

SEM(LOP3)
{
    uint32_t d[ISA_WARP];

    combine_bits(x, d);
    if (x->in->pdst[0] != ISA_PT)
        sem_put_pred(x, 0, sem_lanes(d));
    sem_put(x, d);
}

SEM(LOP3P)
{
    uint32_t d[ISA_WARP], s = sem_pred(x, 0);

    combine_bits(x, d);
    sem_put_pred(x, 0,
                 ISA_GET(x->in, BOOL) == BOOL_OR ? sem_lanes(d) | s
                                                 : sem_lanes(d) & s);
    sem_put(x, d);
}

/* A table of the three source predicates. */
static uint32_t looked_up(const sem *x, uint32_t table)
{
    uint32_t s = sem_pred(x, 0), t = sem_pred(x, 1), u = sem_pred(x, 2), p = 0;

    for (unsigned k = 0; k < 8; k++)
        if (table >> k & 1)
            p |= (k & 4 ? s : ~s) & (k & 2 ? t : ~t) & (k & 1 ? u : ~u);
    return p;
}

SEM(PLOP3) { sem_put_pred(x, 0, looked_up(x, x->in->lut)); }

SEM(PLOP3T)
{
    uint32_t tb[ISA_WARP], p = looked_up(x, x->in->lut);
    uint32_t q = looked_up(x, sem_row(x, 1, tb)[0]);

    sem_put_pred(x, 0, p);
    sem_put_pred(x, 1, q);
}

SEM(SEL)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb);

    memcpy(d, b, sizeof d);
    sem_blend(d, a, sem_pred(x, 0));
    sem_put(x, d);
}

SEM(MOV)
{
    uint32_t tb[ISA_WARP];

    sem_put(x, sem_row(x, 1, tb));
}

/* P2R and R2P: lanes to bits and back. */
SEM(P2R)
{
    uint32_t ta[ISA_WARP], d[ISA_WARP], down = 8 * ISA_GET(x->in, BSEL);
    const uint32_t *a = sem_fetch_raw(x, 0, ta);
    uint32_t keep = ~((uint32_t)x->in->lut << down);

    LANES(l) d[l] = a[l] & keep;
    for (unsigned p = 0; p < ISA_PREDS; p++)
        if (x->in->lut >> p & 1)
            LANES(l)
    d[l] |= (x->w->pred[p] & exec_lane_bit[l]) ? 1u << (p + down) : 0;
    sem_put(x, d);
}

SEM(R2P)
{
    uint32_t ta[ISA_WARP], bit[ISA_WARP], down = 8 * ISA_GET(x->in, BSEL);
    const uint32_t *a = sem_fetch_raw(x, 0, ta);

    for (unsigned p = 0; p < ISA_PREDS; p++) {
        if (!(x->in->lut >> p & 1))
            continue;
        LANES(l) bit[l] = a[l] >> down & 1u << p;
        uint32_t now = sem_lanes(bit);
        x->w->pred[p] = (x->w->pred[p] & ~x->mask) | (now & x->mask);
    }
}

SEM(VABSDIFF)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);
    uint32_t flip = ISA_GET(x->in, U32) ? 0 : 0x80000000;

    LANES(l)
    {
        bool less = (a[l] ^ flip) < (b[l] ^ flip);
        d[l] = (less ? b[l] - a[l] : a[l] - b[l]) + c[l];
    }
    sem_put(x, d);
}

/* Not less than zero, of all or of each half. */
static void limit(const sem *x, bool pairs, uint32_t d[ISA_WARP])
{
    if (!ISA_GET(x->in, RELU))
        return;
    if (!pairs) {
        LANES(l) d[l] = (int32_t)d[l] < 0 ? 0 : d[l];
        return;
    }
    LANES(l)
    d[l] &= ((d[l] >> 31) - 1) << 16 | (((d[l] >> 15 & 1) - 1) & 0xffff);
}

static uint32_t least(uint32_t a, uint32_t b, bool min, uint32_t flip)
{
    return ((a ^ flip) < (b ^ flip)) == min ? a : b;
}

/* Of each half; the sign bits of both are in `flip`. */
static uint32_t least_pair(uint32_t a, uint32_t b, bool min, uint32_t flip)
{
    uint32_t low = least(a & 0xffff, b & 0xffff, min, flip & 0xffff);

    return least(a >> 16, b >> 16, min, flip >> 16) << 16 | low;
}

static uint32_t sum_pair(uint32_t a, uint32_t b)
{
    return (a & 0xffff0000) + (b & 0xffff0000) + ((a + b) & 0xffff);
}

/* Minimum or maximum of `a` and `b`, by lane. */
static void choose_least(const sem *x, bool pairs, const uint32_t *a,
                         const uint32_t *b, uint32_t d[ISA_WARP])
{
    uint32_t min = sem_pred(x, 0);
    bool is_signed = !ISA_GET(x->in, U32);
    uint32_t flip = !is_signed ? 0 : pairs ? 0x80008000 : 0x80000000;

    LANES(l)
    {
        bool lower = min & exec_lane_bit[l];
        d[l] = pairs ? least_pair(a[l], b[l], lower, flip)
                     : least(a[l], b[l], lower, flip);
    }
}

SEM(VIADDMNMX)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);
    bool pairs = ISA_GET(x->in, PAIRS);

    LANES(l) d[l] = pairs ? sum_pair(a[l], b[l]) : a[l] + b[l];
    choose_least(x, pairs, d, c, d);
    limit(x, pairs, d);
    sem_put(x, d);
}

SEM(VIMNMX3)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);
    bool pairs = ISA_GET(x->in, PAIRS);

    choose_least(x, pairs, a, b, d);
    choose_least(x, pairs, d, c, d);
    limit(x, pairs, d);
    sem_put(x, d);
}

SEM(VMNMX2)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb);

    choose_least(x, true, a, b, d);
    limit(x, true, d);
    sem_put(x, d);
}

SEM(VIADD2)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], d[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb);

    LANES(l) d[l] = sum_pair(a[l], b[l]);
    sem_put(x, d);
}

SEM(SIGN)
{
    uint32_t ta[ISA_WARP], tb[ISA_WARP], tc[ISA_WARP], hit[ISA_WARP];
    const uint32_t *a = sem_row(x, 0, ta), *b = sem_row(x, 1, tb),
                   *c = sem_row(x, 2, tc);

    LANES(l)
    hit[l] = x->in->lut >> (a[l] >> 31 << 2 | b[l] >> 31 << 1 | c[l] >> 31) & 1;
    sem_put_pred(x, 0, sem_lanes(hit));
}
