/* src/exec/sem/sem_tensor.c - matrix operations of a warp, and lanes that
 * exchange parts of matrices.
 *
 * Which lane holds which element [PTX85:mma]: HMMA.884 works on four products,
 * one for each quad-pair q (lanes 4q..4q+3 and 16 above them). Of the others,
 * lane 4g + t holds rows g (and g + 8) of A, D and C and column g of B; a
 * register holds p = 32 / bits elements of A or B that follow each other along
 * k, the r'th from k = 4pr + pt on; D and C hold columns 2t and 2t + 1. */
#include "exec/sem/sem.h"

#include <math.h>

#include "base/bits.h"
#include "exec/sem/dot.h"
#include "isa/tensor.h"

/* V100 [FASI:V100] [KHATTAK:V100], A100 for what came after it
 * [KHATTAK:A100]; tf32 in blocks of four. */
static const dot_rules volta[] = {{4, 0, 10, false, -DOT_FAR},
                                  {4, 0, 10, true, -19}};
static const dot_rules ampere[] = {
    [HFORM_F16] = {8, 1, 10, false, -132},
    [HFORM_BF16] = {8, 1, 7, false, -132},
    [HFORM_TF32] = {4, 1, 10, false, -132},
};
static const dot_rules ampere_half = {8, 1, 10, true, -20};

typedef const uint32_t (*group)[ISA_WARP];

/* The registers of source i. */
static group source_rows(const sem *x, unsigned i)
{
    static const uint32_t zero[4][ISA_WARP];

    return x->in->src[i] == ISA_RZ ? zero : (group)sem_reg(x, x->in->src[i]);
}

static void put_result_group(sem *x, uint32_t (*d)[ISA_WARP], unsigned n)
{
    if (x->in->dst == ISA_RZ)
        return;
    for (unsigned r = 0; r < n; r++)
        sem_store(x->w, x->in->dst + r, d[r], x->mask);
}

static uint32_t half_of(group g, unsigned index, unsigned lane)
{
    return g[index / 2][lane] >> 16 * (index % 2) & 0xffff;
}

static void put_half(uint32_t (*d)[ISA_WARP], unsigned index, unsigned lane,
                     uint32_t h)
{
    unsigned at = 16 * (index % 2);

    d[index / 2][lane] = (d[index / 2][lane] & ~(0xffffu << at)) | (h & 0xffff)
                                                                       << at;
}

/* ---- HMMA.884 ---------------------------------------------------------- */

/* The lane of quad-pair q that is `i` among its eight. */
static unsigned pair_lane(unsigned q, unsigned i)
{
    return 4 * q + (i & 3) + 4 * (i & 4);
}

/* The four halves of each lane, as factors. */
typedef struct halves {
    int32_t sig[4][ISA_WARP], exp[4][ISA_WARP];
    uint32_t raw[4][ISA_WARP];
    bool special; /* there is an infinity or NaN among them */
} halves;

static void read_halves(group g, halves *f)
{
    uint32_t top = 0;

    for (unsigned h = 0; h < 4; h++)
        LANES(l)
        {
            uint32_t bits = g[h / 2][l] >> 16 * (h % 2) & 0xffff;
            int32_t field = bits >> 10 & 31;
            int32_t sig = (int32_t)(bits & 0x3ff) | (field ? 0x400 : 0);
            int32_t exp = (field ? field : 1) - 15;

            f->sig[h][l] = bits & 0x8000 ? -sig : sig;
            f->exp[h][l] = sig ? exp : -DOT_FAR;
            f->raw[h][l] = half_float_bits(half_f16_to_float(bits));
            top |= field == 31;
        }
    f->special = top;
}

/* Element j of line first + v % 4 * step of quad-pair v / 4, for all v; a line
 * is a row of A or a column of B. Lanes hold lines, or, if `across`, element j
 * of four lines [PTX85:mma.m8n8k4]. */
static void gather_lines(const halves *f, bool across, unsigned first,
                         unsigned step, dot_side *s)
{
    for (unsigned j = 0; j < 4; j++)
        DOT_EACH(v)
        {
            unsigned i = first + v % 4 * step, h = across ? i & 3 : j;
            unsigned lane = pair_lane(v / 4, across ? j | (i & 4) : i);

            s->sig[j][v] = f->sig[h][lane];
            s->exp[j][v] = f->exp[h][lane];
            s->raw[j][v] = f->raw[h][lane];
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

/* Rows and columns of a step: 16 elements of each product, or 32 of halves. */
SEM(HMMA884)
{
    const isa_inst *in = x->in;
    group c = source_rows(x, 2);
    bool dhalf = ISA_GET(in, MMAD), chalf = ISA_GET(in, MMAC);
    unsigned step = ISA_GET(in, STEP), rows = dhalf ? 8 : 4, at;
    unsigned first = dhalf ? 4 * step : 4 * (step >> 1), lane;
    unsigned cbase = volta_base(chalf, chalf != dhalf, step);
    unsigned dbase = dhalf ? 4 * step : 2 * step;
    uint32_t d[2][ISA_WARP] = {{0}}, acc[DOT_VEC];
    dot_side sa, sb;
    halves fa, fb;

    read_halves(source_rows(x, 0), &fa);
    read_halves(source_rows(x, 1), &fb);
    gather_lines(&fb, ISA_GET(in, LAYB), first, 1, &sb);
    for (unsigned i = 0; i < rows; i++) {
        unsigned row = dhalf ? i : 2 * (i & 2) + (i & 1) + 2 * (step & 1);

        gather_lines(&fa, ISA_GET(in, LAYA), row, 0, &sa);
        DOT_EACH(v)
        {
            lane = volta_place(chalf, v / 4, row, first + v % 4, &at);
            acc[v] = chalf ? half_float_bits(half_f16_to_float(
                                 half_of(c, at - cbase, lane)))
                           : c[at - cbase][lane];
        }
        dot_sum(&sa, &sb, 4, &volta[dhalf], fa.special || fb.special, acc, acc);
        DOT_EACH(v)
        {
            lane = volta_place(dhalf, v / 4, row, first + v % 4, &at);
            if (dhalf)
                put_half(d, at - dbase, lane,
                         half_f16_from_float(half_bits_float(acc[v])));
            else
                d[at - dbase][lane] = acc[v];
        }
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

static unsigned result_lane(unsigned row, unsigned col)
{
    return 4 * (row & 7) + col / 2;
}

/* Two rows at a time, 8 apart. */
static void hmma_rows(sem *x, const isa_tensor *t, const dot_side *sb,
                      unsigned row, uint32_t (*d)[ISA_WARP])
{
    group a = source_rows(x, 0), c = source_rows(x, 2);
    unsigned form = ISA_GET(x->in, HFORM);
    bool half = ISA_GET(x->in, MMAD);
    uint32_t acc[DOT_VEC];
    dot_side sa;

    for (unsigned k = 0; k < t->k; k++)
        DOT_EACH(v)
    dot_put(&sa, k, v, factor(a, t->bits, 16, row + v / 8 * 8, k), form);
    DOT_EACH(v)
    {
        unsigned lane = result_lane(row, v % 8), at = v / 8 * 2 + v % 2;
        acc[v] = half ? half_float_bits(half_f16_to_float(half_of(c, at, lane)))
                      : c[at][lane];
    }
    dot_sum(&sa, sb, t->k, half ? &ampere_half : &ampere[form],
            dot_side_special(&sa, t->k) || dot_side_special(sb, t->k), acc,
            acc);
    DOT_EACH(v)
    {
        unsigned lane = result_lane(row, v % 8), at = v / 8 * 2 + v % 2;

        if (half)
            put_half(d, at, lane, half_f16_from_float(half_bits_float(acc[v])));
        else
            d[at][lane] = acc[v];
    }
}

SEM(HMMA)
{
    isa_tensor t = isa_tensor_shape(ISA_HMMA, x->in->mod);
    uint32_t d[4][ISA_WARP] = {{0}};
    group b = source_rows(x, 1);
    dot_side sb;

    for (unsigned k = 0; k < t.k; k++)
        DOT_EACH(v)
    dot_put(&sb, k, v, factor(b, t.bits, 8, v % 8, k), ISA_GET(x->in, HFORM));
    for (unsigned row = 0; row < 8; row++)
        hmma_rows(x, &t, &sb, row, d);
    put_result_group(x, d, x->in->dst_regs);
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

SEM(IMMA)
{
    const isa_inst *in = x->in;
    isa_tensor t = isa_tensor_shape(ISA_IMMA, in->mod);
    group a = source_rows(x, 0), b = source_rows(x, 1), c = source_rows(x, 2);
    uint32_t d[4][ISA_WARP] = {{0}};
    int32_t fa[16][64], fb[8][64];

    for (unsigned k = 0; k < t.k; k++) {
        for (unsigned i = 0; i < t.m; i++)
            fa[i][k] = integer_element(factor(a, t.bits, t.m, i, k),
                                       ISA_GET(in, IFORMA));
        for (unsigned i = 0; i < t.n; i++)
            fb[i][k] = integer_element(factor(b, t.bits, 8, i, k),
                                       ISA_GET(in, IFORMB));
    }
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
