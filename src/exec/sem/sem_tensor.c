/* src/exec/sem/sem_tensor.c - matrix operations of a warp, and lanes that
 * exchange parts of matrices.
 *
 * Which lane holds which element [PTX85:mma]: HMMA.884 works on four products,
 * one for each quad-pair q (lanes 4q..4q+3 and 16 above them). Of the others,
 * lane 4g + t holds rows g (and g + 8) of A, D and C and column g of B; a
 * register holds p = 32 / bits elements of A or B that follow each other along
 * k, the r'th from k = 4pr + pt on; D and C hold columns 2t and 2t + 1. */
#include <math.h>

#include "base/bits.h"
#include "exec/sem/product.h"

/* ---- HMMA.884 ---------------------------------------------------------- */

/* The lane of quad-pair q that is `i` among its eight. */
static unsigned pair_lane(unsigned q, unsigned i)
{
    return 4 * q + (i & 3) + 4 * (i & 4);
}

/* The four halves of each lane. */
static void read_halves(group g, matrix *m)
{
    uint32_t bits[4 * ISA_WARP];

    for (unsigned h = 0; h < 4; h++)
        LANES(l)
    bits[h * ISA_WARP + l] = g[h / 2][l] >> 16 * (h % 2) & 0xffff;
    matrix_read(m, DOT_F16, bits, 4 * ISA_WARP);
}

/* Element j of line first + v % 4 * step of quad-pair q + v / 4, for all v; a
 * line is a row of A or a column of B. Lanes hold lines, or, if `across`,
 * element j of four lines [PTX85:mma.m8n8k4]. `sigs`: either side of the
 * product is special, and no half is far. */
static void gather_lines(const matrix *m, bool across, bool sigs, unsigned q,
                         unsigned first, unsigned step, matrix *to)
{
    to->f = (dot_factors){to->value, to->sig, to->exp, m->f.far, m->f.special};
    for (unsigned j = 0; j < 4; j++)
        DOT_EACH(v)
        {
            unsigned i = first + v % 4 * step, h = across ? i & 3 : j;
            unsigned lane = pair_lane(q + v / 4, across ? j | (i & 4) : i);

            to->value[j * DOT_VEC + v] = m->value[h * ISA_WARP + lane];
            if (sigs)
                to->sig[j * DOT_VEC + v] = m->sig[h * ISA_WARP + lane];
            to->exp[j * DOT_VEC + v] = m->exp[h * ISA_WARP + lane];
        }
}

/* Where element (row, col) of C or D of quad-pair q is: lane, and number of
 * the float, or half, among those that the lane holds. */
static unsigned volta_place(bool half, unsigned q, unsigned row, unsigned col,
                            unsigned *index)
{
    if (half) {
        *index = col;
        return pair_lane(q, row);
    }
    *index = (row & 2) | (col & 4) | (col & 1);
    return pair_lane(q, (row & 5) | (col & 2));
}

/* C's first element in the register group of this step. */
static unsigned volta_base(bool half, bool all, unsigned step)
{
    return half ? (all ? 0 : 4 * step) : all ? 4 * step : 2 * step;
}

/* A step of HMMA.884: what it multiplies, and which half of D it makes. */
typedef struct volta_step {
    const sem *x;
    matrix a, b; /* the four halves of each lane */
    bool dhalf, chalf, special;
    unsigned first, cbase, dbase; /* column; of registers of C and D */
    const dot_rules *rules;
} volta_step;

/* Four columns of row `row` in quad-pairs q and q + 1; `b`: those columns. */
static void volta_row(const volta_step *s, unsigned row, unsigned q,
                      const dot_side *b, uint32_t d[2][ISA_WARP])
{
    group c = source_rows(s->x, 2);
    uint32_t acc[DOT_VEC];
    unsigned lane, at;
    matrix line;
    dot_side a = {&line.f, 0, DOT_VEC, 1};

    gather_lines(&s->a, ISA_GET(s->x->in, LAYA), s->special, q, row, 0, &line);
    DOT_EACH(v)
    {
        lane = volta_place(s->chalf, q + v / 4, row, s->first + v % 4, &at);
        acc[v] = s->chalf ? half_float_bits(half_f16_to_float(
                                half_of(c, at - s->cbase, lane)))
                          : c[at - s->cbase][lane];
    }
    dot_sum(&a, b, 4, s->rules, 20, acc, acc);
    DOT_EACH(v)
    {
        lane = volta_place(s->dhalf, q + v / 4, row, s->first + v % 4, &at);
        if (s->dhalf)
            put_half(d, at - s->dbase, lane,
                     half_f16_from_float(half_bits_float(acc[v])));
        else
            d[at - s->dbase][lane] = acc[v];
    }
}

/* Rows and columns of a step: 16 elements of each product, or 32 of halves. */
SEM(HMMA884)
{
    const isa_inst *in = x->in;
    bool dhalf = ISA_GET(in, MMAD), chalf = ISA_GET(in, MMAC);
    unsigned step = ISA_GET(in, STEP), rows = dhalf ? 8 : 4;
    uint32_t d[2][ISA_WARP] = {{0}};
    volta_step s; /* not set to zero, as it is large */
    matrix columns;
    dot_side b = {&columns.f, 0, DOT_VEC, 1};

    s.x = x;
    s.dhalf = dhalf;
    s.chalf = chalf;
    s.first = dhalf ? 4 * step : 4 * (step >> 1);
    s.cbase = volta_base(chalf, chalf != dhalf, step);
    s.dbase = dhalf ? 4 * step : 2 * step;
    s.rules = rules(x, CFG_NUMERICS_VOLTA, DOT_F16, dhalf);
    read_halves(source_rows(x, 0), &s.a);
    read_halves(source_rows(x, 1), &s.b);
    s.special = s.a.f.special || s.b.f.special;
    for (unsigned q = 0; q < 4; q += 2) {
        gather_lines(&s.b, ISA_GET(in, LAYB), s.special, q, s.first, 1,
                     &columns);
        for (unsigned i = 0; i < rows; i++)
            volta_row(&s, dhalf ? i : 2 * (i & 2) + (i & 1) + 2 * (step & 1), q,
                      &b, d);
    }
    put_result_group(x, d, 2);
}

/* ---- the others -------------------------------------------------------- */

/* Element `k` of line `i` (a row of A, a column of B): p to a register. */
static uint32_t factor(group g, unsigned bits, unsigned rows, unsigned i,
                       unsigned k)
{
    unsigned p = 32 / bits, lane = 4 * (i & 7) + k / p % 4;
    unsigned reg = (i >> 3) + rows / 8 * (k / (4 * p));
    uint32_t word = g[reg][lane] >> bits * (k % p);

    return bits == 32 ? word : word & ((1u << bits) - 1);
}

/* Indices of the stored elements: of four, two; of two tf32, one, as if it were
 * two halves [PTX85:mma.sp]. The metadata of a row of 16 bits is in the lane
 * of its four that the selector names, rows 8 and more in the upper half; of
 * 32 bits in two lanes, rows 8 and more in the second. */
static void read_picks(product *m, const uint32_t *meta, bool bytes)
{
    unsigned sel = m->x->in->lut;

    for (unsigned i = 0; i < 16; i++) {
        uint32_t word = bytes ? meta[4 * (i & 7) + 2 * (sel & 1) + i / 8]
                              : meta[4 * (i & 7) + (sel & 3)] >> i / 8 * 16;

        for (unsigned j = 0; j < m->stored; j++)
            m->pick[i][j] = (uint8_t)(m->aform == DOT_TF32
                                          ? 2 * j + (word >> (4 * j + 1) & 1)
                                          : j / 2 * 4 + (word >> 2 * j & 3));
    }
}

static void float_product(sem *x, dot_form aform, dot_form bform,
                          cfg_numerics own, bool sparse)
{
    isa_tensor t = isa_tensor_shape(x->in->op, x->in->mod);
    group a = source_rows(x, 0);
    product m;

    m.x = x;
    m.aform = aform;
    m.bform = bform;
    m.bits = t.bits;
    m.k = t.k;
    m.stored = sparse ? t.k / 2 : t.k;
    m.half = ISA_GET(x->in, MMAD);
    m.adds = true;
    m.minus_a = m.minus_b = 0;
    m.rules = rules(x, own, aform, m.half);
    if (sparse)
        read_picks(&m, a[2], t.bits == 8);
    product_run(&m, a, source_rows(x, 1));
}

SEM(HMMA)
{
    dot_form form = ISA_GET(x->in, HFORM);

    float_product(x, form, form, CFG_NUMERICS_AMPERE, false);
}

SEM(HMMASP)
{
    dot_form form = ISA_GET(x->in, HFORM);

    float_product(x, form, form, CFG_NUMERICS_AMPERE, true);
}

SEM(QMMA)
{
    float_product(x, DOT_E4M3 + ISA_GET(x->in, QFORMA),
                  DOT_E4M3 + ISA_GET(x->in, QFORMB), CFG_NUMERICS_HOPPER,
                  false);
}

SEM(QMMASP)
{
    float_product(x, DOT_E4M3 + ISA_GET(x->in, QFORMA),
                  DOT_E4M3 + ISA_GET(x->in, QFORMB), CFG_NUMERICS_HOPPER, true);
}

static int32_t integer_element(uint32_t v, unsigned form)
{
    switch (form) {
    case IFORM_S8:
        return (int8_t)v;
    case IFORM_S4:
        return (int32_t)(v ^ 8) - 8;
    default:
        return (int32_t)v;
    }
}

/* The sum is exact; then it wraps, or stays at the end of the range. */
static uint32_t integer_result(int64_t sum, bool saturate)
{
    if (saturate)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

/* k of stored element `j` of row `i` [PTX85:mma.sp]: two of four, or, of 4
 * bits, two pairs of four. */
static unsigned integer_pick(group a, unsigned sel, unsigned bits, unsigned i,
                             unsigned j)
{
    uint32_t word = a[2][4 * (i & 7) + 2 * (sel & 1) + i / 8];

    if (bits == 4)
        return j / 4 * 8 + 2 * (word >> j / 2 * 2 & 3) + j % 2;
    return j / 2 * 4 + (word >> 2 * j & 3);
}

static void integer_product(sem *x, bool sparse)
{
    const isa_inst *in = x->in;
    isa_tensor t = isa_tensor_shape(in->op, in->mod);
    group a = source_rows(x, 0), b = source_rows(x, 1), c = source_rows(x, 2);
    unsigned stored = sparse ? t.k / 2 : t.k;
    uint32_t d[4][ISA_WARP] = {{0}};
    int32_t fa[16][64] = {{0}}, fb[8][64];

    for (unsigned i = 0; i < t.m; i++)
        for (unsigned j = 0; j < stored; j++)
            fa[i][sparse ? integer_pick(a, in->lut, t.bits, i, j) : j] =
                integer_element(factor(a, t.bits, t.m, i, j),
                                ISA_GET(in, IFORMA));
    for (unsigned k = 0; k < t.k; k++)
        for (unsigned i = 0; i < t.n; i++)
            fb[i][k] = integer_element(factor(b, t.bits, 8, i, k),
                                       ISA_GET(in, IFORMB));
    for (unsigned i = 0; i < t.m; i++)
        for (unsigned j = 0; j < t.n; j++) {
            unsigned lane = result_lane(i, j), at = i / 8 * 2 + j % 2;
            int32_t sum = 0; /* at most 64 products below 2^16 */

            for (unsigned k = 0; k < t.k; k++)
                sum += fa[i][k] * fb[j][k];
            d[at][lane] = integer_result((int64_t)(int32_t)c[at][lane] + sum,
                                         ISA_GET(in, SAT));
        }
    put_result_group(x, d, t.m / 4);
}

SEM(IMMA) { integer_product(x, false); }

SEM(IMMASP) { integer_product(x, true); }

SEM(BMMA)
{
    isa_tensor t = isa_tensor_shape(ISA_BMMA, x->in->mod);
    group a = source_rows(x, 0), b = source_rows(x, 1), c = source_rows(x, 2);
    bool both = ISA_GET(x->in, BOPER); /* AND */
    uint32_t d[4][ISA_WARP] = {{0}};

    for (unsigned i = 0; i < t.m; i++)
        for (unsigned j = 0; j < t.n; j++) {
            unsigned lane = result_lane(i, j), at = i / 8 * 2 + j % 2;
            uint32_t sum = c[at][lane];

            for (unsigned w = 0; w < t.k / 32; w++) {
                uint32_t u = a[i / 8 + t.m / 8 * (w / 4)][4 * (i & 7) + w % 4];
                uint32_t v = b[w / 4][4 * j + w % 4];
                sum += bits_popcount32(both ? u & v : u ^ v);
            }
            d[at][lane] = sum;
        }
    put_result_group(x, d, t.m / 4);
}

static double double_at(group g, unsigned index, unsigned lane)
{
    return sem_double(g[2 * index][lane] | (uint64_t)g[2 * index + 1][lane]
                                               << 32);
}

/* Fused multiply-adds in the order of k, each rounded to nearest
 * [FASI:A100-double]. */
SEM(DMMA)
{
    group a = source_rows(x, 0), b = source_rows(x, 1), c = source_rows(x, 2);
    uint32_t d[4][ISA_WARP];

    for (unsigned i = 0; i < 8; i++)
        for (unsigned j = 0; j < 8; j++) {
            unsigned lane = result_lane(i, j), at = j % 2;
            double sum = double_at(c, at, lane);
            uint64_t u;

            for (unsigned k = 0; k < 4; k++)
                sum = fma(double_at(a, 0, 4 * i + k),
                          double_at(b, 0, 4 * j + k), sum);
            u = sum != sum ? 0xfff8000000000000 : sem_bits64(sum);
            d[2 * at][lane] = (uint32_t)u;
            d[2 * at + 1][lane] = (uint32_t)(u >> 32);
        }
    put_result_group(x, d, 4);
}

/* Lane 4i + t holds elements 2t and 2t + 1 of row i. */
SEM(MOVM)
{
    uint32_t ta[ISA_WARP], d[1][ISA_WARP] = {{0}};
    group a = (group)sem_row(x, 0, ta);

    LANES(l)
    for (unsigned h = 0; h < 2; h++) {
        unsigned i = l / 4, j = 2 * (l % 4) + h;
        put_half(d, h, l, half_of(a, i % 2, 4 * j + i / 2));
    }
    put_result_group(x, d, 1);
}
