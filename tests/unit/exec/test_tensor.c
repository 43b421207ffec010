/* Matrix operations: where elements are, against the manual's words; sums,
 * against exact arithmetic rounded as measured; integers; rows in shared
 * memory; copies. */
#include <math.h>

#include "base/bits.h"
#include "exec/half.h"
#include "exec/mbarrier.h"
#include "isa/tensor.h"
#include "machine.h"

static machine M;

enum { RA = 8, RB = 16, RC = 24, RD = 32 }; /* groups of registers */

static isa_inst tensor(isa_op op)
{
    isa_inst in = isa_new(op);

    in.dst = RD;
    in.src[0] = RA;
    in.src[1] = RB;
    in.src[2] = RC;
    for (unsigned i = 0; i < 3; i++)
        in.src_kind[i] = SRC_REG;
    return in;
}

static void run(isa_inst in, unsigned level)
{
    isa_finish(&in);
    if (isa_check(&in, ARCH_VOLTA))
        TEST_FAIL("%s", isa_check(&in, ARCH_VOLTA));
    M.warp.ops = exec_ops_level(level);
    CHECK_EQ(machine_one(&M, in, UINT32_MAX), EXEC_DONE);
}

/* ---- elements, by the manual's formulas, element by lane ---------------- */

static void put_bits(unsigned reg, unsigned lane, unsigned at, unsigned bits,
                     uint32_t v)
{
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;

    M.reg[reg][lane] &= ~(mask << at);
    M.reg[reg][lane] |= (v & mask) << at;
}

static uint32_t get_bits(unsigned reg, unsigned lane, unsigned at,
                         unsigned bits)
{
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;

    return M.reg[reg][lane] >> at & mask;
}

/* Fills A, m x k, from `f`: element i of lane. [PTX85:mma.m16n8k16] and its
 * like: groupID = lane >> 2, threadID_in_group = lane % 4. */
static void fill_a(isa_tensor t, uint32_t (*f)(unsigned, unsigned))
{
    unsigned p = 32 / t.bits, count = t.m * t.k / 32;

    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < count; i++) {
            unsigned row = lane >> 2, col = lane % 4 * p + i % p;

            if (t.m == 16 && i / p % 2)
                row += 8;
            col += i / (t.m == 16 ? 2 * p : p) * 4 * p;
            put_bits(RA + i / p, lane, i % p * t.bits, t.bits, f(row, col));
        }
}

static void fill_b(isa_tensor t, uint32_t (*f)(unsigned, unsigned))
{
    unsigned p = 32 / t.bits, count = t.k * t.n / 32;

    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < count; i++) {
            unsigned row = lane % 4 * p + i % p + i / p * 4 * p;

            put_bits(RB + i / p, lane, i % p * t.bits, t.bits,
                     f(row, lane >> 2));
        }
}

/* Row and column of element i of C or D. */
static unsigned c_row(unsigned lane, unsigned i)
{
    return (lane >> 2) + (i < 2 ? 0 : 8);
}

static unsigned c_col(unsigned lane, unsigned i)
{
    return lane % 4 * 2 + (i & 1);
}

/* ---- integers ---------------------------------------------------------- */

static uint64_t seed;
static uint32_t ia[16][256], ib[256][8], ic[16][8];
static uint32_t a_of(unsigned i, unsigned j) { return ia[i][j]; }
static uint32_t b_of(unsigned i, unsigned j) { return ib[i][j]; }

static void random_integers(isa_tensor t)
{
    for (unsigned i = 0; i < 16; i++)
        for (unsigned k = 0; k < 256; k++)
            ia[i][k] = (uint32_t)noise(&seed) & bits_mask32(t.bits);
    for (unsigned k = 0; k < 256; k++)
        for (unsigned j = 0; j < 8; j++)
            ib[k][j] = (uint32_t)noise(&seed) & bits_mask32(t.bits);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < t.m / 4u; i++) {
            uint32_t v = (uint32_t)noise(&seed);

            v = v % 3 == 0 ? INT32_MAX - v % 99 : v % 3 == 1 ? v : INT32_MIN;
            ic[c_row(lane, i)][c_col(lane, i)] = M.reg[RC + i][lane] = v;
        }
    fill_a(t, a_of);
    fill_b(t, b_of);
}

static int64_t value(uint32_t v, unsigned form)
{
    return form == IFORM_S8   ? (int8_t)v
           : form == IFORM_S4 ? (int64_t)(v & 7) - (v & 8)
                              : v;
}

static void check_imma(isa_inst in, unsigned level)
{
    isa_tensor t = isa_tensor_shape(ISA_IMMA, in.mod);

    random_integers(t);
    run(in, level);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < t.m / 4u; i++) {
            unsigned row = c_row(lane, i), col = c_col(lane, i);
            int64_t want = (int32_t)ic[row][col];

            for (unsigned k = 0; k < t.k; k++)
                want += value(ia[row][k], ISA_GET(&in, IFORMA)) *
                        value(ib[k][col], ISA_GET(&in, IFORMB));
            if (ISA_GET(&in, SAT))
                want = want > INT32_MAX   ? INT32_MAX
                       : want < INT32_MIN ? INT32_MIN
                                          : want;
            CHECK_EQ(M.reg[RD + i][lane], (uint32_t)want);
        }
}

TEST(integers_of_every_shape_and_sign)
{
    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    for (unsigned shape = 0; shape < 5; shape++)
        for (unsigned forms = 0; forms < 16; forms++)
            for (unsigned sat = 0; sat < 2; sat++) {
                isa_inst in = tensor(ISA_IMMA);

                ISA_PUT(&in, ISHAPE, shape);
                ISA_PUT(&in, IFORMA, forms & 3);
                ISA_PUT(&in, IFORMB, forms >> 2);
                ISA_PUT(&in, SAT, sat);
                if (isa_tensor_check(&in))
                    continue;
                EACH_LEVEL(level) check_imma(in, level);
            }
}

TEST(bits_that_agree_or_differ_are_counted)
{
    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    for (unsigned shape = 0; shape < 3; shape++)
        for (unsigned op = 0; op < 2; op++)
            EACH_LEVEL(level)
            {
                isa_inst in = tensor(ISA_BMMA);

                ISA_PUT(&in, BSHAPE, shape);
                ISA_PUT(&in, BOPER, op);
                isa_tensor t = isa_tensor_shape(ISA_BMMA, in.mod);
                random_integers(t);
                run(in, level);
                for (unsigned lane = 0; lane < 32; lane++)
                    for (unsigned i = 0; i < t.m / 4u; i++) {
                        unsigned row = c_row(lane, i), col = c_col(lane, i);
                        uint32_t want = ic[row][col];

                        for (unsigned k = 0; k < t.k; k++)
                            want += op ? ia[row][k] & ib[k][col]
                                       : ia[row][k] ^ ib[k][col];
                        CHECK_EQ(M.reg[RD + i][lane], want);
                    }
            }
}

/* ---- sums of floating point -------------------------------------------- */

/* What a generation does, written once more with plain numbers: significands
 * as integers of 128 bits counted from the largest exponent. */
typedef struct model {
    int block, extra, floor;
    bool half;
} model;

typedef struct term {
    bool minus;
    uint64_t sig; /* value = sig * 2^(exp - frac) */
    int exp, frac;
} term;

static double number(uint32_t bits, unsigned form)
{
    return form == HFORM_F16    ? half_f16_to_float(bits)
           : form == HFORM_BF16 ? half_bf16_to_float(bits)
                                : float_of_bits(bits & ~0x1fffu);
}

static term term_of(double v, int least, int frac)
{
    int e;
    term t = {.minus = v < 0, .frac = frac};

    frexp(v, &e);
    t.exp = e - 1 > least ? e - 1 : least;
    t.sig = (uint64_t)ldexp(fabs(v), frac - t.exp);
    return t;
}

static int64_t aligned(term t, int top, int bits)
{
    int shift = top - t.exp;
    uint64_t v = bits >= t.frac ? t.sig << (bits - t.frac) : 0;

    v = shift > 63 ? 0 : v >> shift;
    return t.minus ? -(int64_t)v : (int64_t)v;
}

/* sum * 2^ulp rounded to zero, `digits` long, not below 2^least. */
static double cut(int64_t sum, int ulp, int digits, int least)
{
    double v = ldexp((double)(sum < 0 ? -sum : sum), ulp), unit;
    int e;

    if (!sum)
        return 0;
    frexp(v, &e);
    unit = ldexp(1, e - digits > least ? e - digits : least);
    v = floor(v / unit) * unit;
    return sum < 0 ? -v : v;
}

static double nearest_half(int64_t sum, int ulp)
{
    double v = ldexp((double)(sum < 0 ? -sum : sum), ulp), unit, n;
    int e;

    frexp(v, &e);
    unit = ldexp(1, e - 11 > -24 ? e - 11 : -24);
    n = nearbyint(v / unit) * unit;
    n = n >= 65536 ? INFINITY : n;
    return sum < 0 ? -n : n;
}

static double block(const model *m, const double *a, const double *b, double c,
                    int least, int frac)
{
    int bits = 23 + m->extra, top = m->floor;
    term t[9];
    unsigned n = 0;
    int64_t sum = 0;

    for (int k = 0; k < m->block; k++) {
        if (a[k] == 0 || b[k] == 0)
            continue;
        term x = term_of(a[k], least, frac), y = term_of(b[k], least, frac);
        t[n++] =
            (term){x.minus != y.minus, x.sig * y.sig, x.exp + y.exp, 2 * frac};
    }
    if (c != 0)
        t[n++] = term_of(c, -126, 23);
    for (unsigned i = 0; i < n; i++)
        top = t[i].exp > top ? t[i].exp : top;
    for (unsigned i = 0; i < n; i++)
        sum += aligned(t[i], top, bits);
    return m->half ? nearest_half(sum, top - bits)
                   : cut(sum, top - bits, 24, -149);
}

static double expected(const model *m, const double *a, const double *b,
                       unsigned k, double c, int least, int frac)
{
    for (unsigned i = 0; i < k; i += (unsigned)m->block)
        c = isinf(c) ? c : block(m, a + i, b + i, c, least, frac);
    return c;
}

/* Numbers of one format near each other, or far apart, or tiny. */
static uint32_t random_factor(unsigned form)
{
    uint32_t r = (uint32_t)noise(&seed), style = r >> 28 & 3;
    uint32_t e;

    if (form == HFORM_F16) {
        e = style == 0 ? 15 : style == 1 ? 13 + r % 5 : style == 2 ? r % 31 : 0;
        return (r & 0x83ff) | e << 10;
    }
    e = style == 0   ? 127
        : style == 1 ? 120 + r % 14
        : style == 2 ? 60 + r % 128
                     : 0;
    r = (r & 0x807fffff) | e << 23;
    return form == HFORM_BF16 ? r >> 16 : r;
}

static uint32_t random_sum(bool half)
{
    uint32_t r = (uint32_t)noise(&seed);

    if (half)
        return bits_of_float(half_f16_to_float(random_factor(HFORM_F16)));
    return (r & 0x807fffff) | (r >> 28 & 1 ? 127 + r % 5 : r % 160) << 23;
}

static void check_hmma(unsigned form, unsigned shape, bool half, unsigned level)
{
    model m = {form == HFORM_TF32 ? 4 : 8, 1, half ? -20 : -132, half};
    isa_inst in = tensor(ISA_HMMA);
    double fa[16][16], fb[8][16], c;
    isa_tensor t;

    ISA_PUT(&in, HFORM, form);
    ISA_PUT(&in, HSHAPE, shape);
    ISA_PUT(&in, MMAD, half);
    t = isa_tensor_shape(ISA_HMMA, in.mod);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned k = 0; k < t.k; k++) {
            ia[i][k] = random_factor(form);
            ib[k][i % 8] = random_factor(form);
        }
    for (unsigned i = 0; i < 16; i++)
        for (unsigned k = 0; k < t.k; k++) {
            fa[i][k] = number(ia[i][k], form);
            fb[i % 8][k] = number(ib[k][i % 8], form);
        }
    fill_a(t, a_of);
    fill_b(t, b_of);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < 4; i++) {
            uint32_t u = ic[c_row(lane, i)][c_col(lane, i)] = random_sum(half);

            if (half)
                put_bits(RC + i / 2, lane, i % 2 * 16, 16,
                         half_f16_from_float(float_of_bits(u)));
            else
                M.reg[RC + i][lane] = u;
        }
    run(in, level);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < 4; i++) {
            unsigned row = c_row(lane, i), col = c_col(lane, i);

            c = float_of_bits(ic[row][col]);
            c = expected(&m, fa[row], fb[col], t.k, c,
                         form == HFORM_F16 ? -14 : -126,
                         form == HFORM_BF16 ? 7 : 10);
            uint32_t want = bits_of_float((float)c);
            if (half)
                CHECK_EQ(get_bits(RD + i / 2, lane, i % 2 * 16, 16),
                         half_f16_from_float((float)c));
            else
                CHECK_EQ(M.reg[RD + i][lane], want);
        }
}

TEST(newer_sums_keep_one_bit_more)
{
    static const struct {
        uint8_t form, shape, half;
    } rows[] = {{HFORM_F16, 0, 0},  {HFORM_F16, 0, 1},  {HFORM_F16, 1, 0},
                {HFORM_F16, 1, 1},  {HFORM_BF16, 0, 0}, {HFORM_BF16, 1, 0},
                {HFORM_TF32, 0, 0}, {HFORM_TF32, 2, 0}};

    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    for (unsigned n = 0; n < 10; n++)
        for (size_t i = 0; i < COUNTOF(rows); i++)
            EACH_LEVEL(level)
    check_hmma(rows[i].form, rows[i].shape, rows[i].half, level);
}

/* mma.m8n8k4 in the manual's words; a step writes a part of D. */
static void volta_ab(unsigned reg, bool across, uint32_t (*x)[8][4])
{
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < 4; i++) {
            unsigned q = lane / 4 % 4;
            unsigned row = across ? i % 4 + (lane < 16 ? 0 : 4)
                                  : lane % 4 + (lane < 16 ? 0 : 4);
            unsigned col = across ? lane % 4 : i;

            put_bits(reg + i / 2, lane, i % 2 * 16, 16, x[q][row][col]);
        }
}

static void volta_c(unsigned lane, unsigned i, bool half, unsigned *row,
                    unsigned *col)
{
    if (half) {
        *row = lane % 4 + (lane < 16 ? 0 : 4);
        *col = i;
    } else {
        *row = (lane & 1) + (i & 2) + (lane < 16 ? 0 : 4);
        *col = (i & 4) + (lane & 2) + (i & 1);
    }
}

static void check_884(bool acol, bool brow, bool dhalf, bool chalf,
                      unsigned level)
{
    static uint32_t xa[4][8][4], xb[4][8][4], c32[4][8][8];
    model m = {4, 0, dhalf ? -19 : -9999, dhalf};
    isa_inst in = tensor(ISA_HMMA884);
    unsigned steps = dhalf ? 2 : 4, row, col;

    for (unsigned i = 0; i < 4 * 8 * 4; i++) {
        xa[i / 32][i / 4 % 8][i % 4] = random_factor(HFORM_F16);
        xb[i / 32][i / 4 % 8][i % 4] = random_factor(HFORM_F16);
    }
    volta_ab(RA, acol, xa);
    volta_ab(RB, brow, xb);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < 8; i++) {
            uint32_t u = random_sum(chalf);

            volta_c(lane, i, chalf, &row, &col);
            c32[lane / 4 % 4][row][col] = u;
            if (chalf)
                put_bits(RC + i / 2, lane, i % 2 * 16, 16,
                         half_f16_from_float(float_of_bits(u)));
            else
                M.reg[RC + i][lane] = u;
        }
    ISA_PUT(&in, LAYA, acol);
    ISA_PUT(&in, LAYB, brow);
    ISA_PUT(&in, MMAD, dhalf);
    ISA_PUT(&in, MMAC, chalf);
    for (unsigned s = 0; s < steps; s++) {
        ISA_PUT(&in, STEP, s);
        in.dst = (uint8_t)(RD + 2 * s);
        in.src[2] = (uint8_t)(RC + (dhalf == chalf ? 2 * s
                                    : chalf        ? 0
                                                   : 4 * s));
        run(in, level);
    }
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < 8; i++) {
            double a[4], b[4], want;

            volta_c(lane, i, dhalf, &row, &col);
            for (unsigned k = 0; k < 4; k++) {
                a[k] = number(xa[lane / 4 % 4][row][k], HFORM_F16);
                b[k] = number(xb[lane / 4 % 4][col][k], HFORM_F16);
            }
            want =
                expected(&m, a, b, 4,
                         float_of_bits(c32[lane / 4 % 4][row][col]), -14, 10);
            if (dhalf)
                CHECK_EQ(get_bits(RD + i / 2, lane, i % 2 * 16, 16),
                         half_f16_from_float((float)want));
            else
                CHECK_EQ(M.reg[RD + i][lane], bits_of_float((float)want));
        }
}

TEST(volta_steps_make_four_products)
{
    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    for (unsigned n = 0; n < 64; n++)
        EACH_LEVEL(level)
    check_884(n & 1, n & 2, n & 4, n & 8, level);
}

/* One dot product of halves by HMMA.884, c + a . b; all other elements 0. */
static uint32_t dot(uint32_t c, const uint16_t a[4], const uint16_t b[4])
{
    isa_inst in = tensor(ISA_HMMA884);

    memset(M.reg, 0, sizeof M.reg);
    for (unsigned k = 0; k < 4; k++) {
        put_bits(RA + k / 2, 0, k % 2 * 16, 16, a[k]);
        put_bits(RB + k / 2, 0, k % 2 * 16, 16, b[k]);
    }
    M.reg[RC][0] = c;
    run(in, 0);
    return M.reg[RD][0];
}

/* What [FASI] found by experiment on a V100. */
TEST(sums_of_the_v100_are_as_measured)
{
    static const uint16_t one[4] = {0x3c00, 0x3c00, 0x3c00, 0x3c00},
                          small[4] = {0x0c00, 0x0c00, 0x0c00, 0x0c00},
                          tiny[4] = {0x0001}, zero[4] = {0},
                          inf[4] = {0x3c00, 0x7c00}, nan[4] = {0, 0x7e01};

    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    /* 2^-24 four times beside 1: each is cut off, though their sum counts */
    CHECK_EQ(dot(0x3f800000, small, small), 0x3f800000);
    CHECK_EQ(dot(0xbf800000, small, small), 0xbf800000);
    /* 5 + 3 * 2^-23 to zero; the nearest would be above 5 */
    CHECK_EQ(dot(0x3f800003, one, one), bits_of_float(5));
    CHECK_EQ(dot(bits_of_float(-9), one, one), bits_of_float(-5));
    /* denormal factors, accumulators and results */
    CHECK_EQ(dot(0, tiny, one), bits_of_float(0x1p-24f));
    CHECK_EQ(dot(1, zero, one), 1);
    CHECK_EQ(dot(0, inf, one), 0x7f800000);
    CHECK_EQ(dot(0xff800000, zero, one), 0xff800000);
    CHECK_EQ(dot(0xff800000, inf, one), 0x7fffffff);
    CHECK_EQ(dot(0, inf, zero), 0x7fffffff);
    CHECK_EQ(dot(0, nan, one), 0x7fffffff);
}

/* An infinity in one row of A, or column of B, leaves the other sums alone. */
TEST(infinities_of_the_v100_stay_in_their_row)
{
    isa_inst in = tensor(ISA_HMMA884);

    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    for (unsigned side = 0; side < 2; side++) {
        unsigned special = side ? RB : RA;

        memset(M.reg, 0, sizeof M.reg);
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned k = 0; k < 4; k++) {
                put_bits(RA + k / 2, lane, k % 2 * 16, 16, 0x4000);
                put_bits(RB + k / 2, lane, k % 2 * 16, 16, 0x4200);
            }
        put_bits(special, 0, 0, 16, 0x7c00);
        run(in, 0);
        for (unsigned i = 0; i < 2; i++)
            for (unsigned lane = 0; lane < 32; lane++) {
                unsigned row, col;
                bool first;

                volta_c(lane, i, false, &row, &col);
                first = lane / 4 % 4 == 0 && (side ? col : row) == 0;
                CHECK_EQ(M.reg[RD + i][lane],
                         first ? 0x7f800000 : bits_of_float(24));
            }
    }
}

/* ---- doubles ----------------------------------------------------------- */

TEST(doubles_are_fused_in_order)
{
    double a[8][4], b[4][8];

    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    for (unsigned l = 0; l < 32; l++) {
        a[l / 4][l % 4] = (double)(int64_t)noise(&seed);
        b[l % 4][l / 4] = (double)(int64_t)noise(&seed) * 0x1p-40;
        uint64_t u = bits_of_double(a[l / 4][l % 4]);
        uint64_t v = bits_of_double(b[l % 4][l / 4]);
        for (unsigned h = 0; h < 2; h++) {
            M.reg[RA + h][l] = (uint32_t)(u >> 32 * h);
            M.reg[RB + h][l] = (uint32_t)(v >> 32 * h);
        }
        for (unsigned i = 0; i < 4; i++)
            M.reg[RC + i][l] = i % 2 ? 0x43000000 + l : (uint32_t)noise(&seed);
    }
    EACH_LEVEL(level)
    {
        run(tensor(ISA_DMMA), level);
        for (unsigned l = 0; l < 32; l++)
            for (unsigned i = 0; i < 2; i++) {
                double want =
                    double_of_bits(M.reg[RC + 2 * i][l] |
                                   (uint64_t)M.reg[RC + 2 * i + 1][l] << 32);

                for (unsigned k = 0; k < 4; k++)
                    want = fma(a[c_row(l, i)][k], b[k][c_col(l, i)], want);
                CHECK_EQ(M.reg[RD + 2 * i][l] |
                             (uint64_t)M.reg[RD + 2 * i + 1][l] << 32,
                         bits_of_double(want));
            }
    }
}

/* ---- matrices of 16 bits in shared memory ------------------------------- */

static isa_inst rows(isa_op op, unsigned num, bool transposed)
{
    isa_inst in = isa_new(op);

    in.src_kind[0] = SRC_REG;
    in.src[0] = RA;
    if (op == ISA_LDSM) {
        in.dst = RD;
    } else {
        in.src_kind[1] = SRC_REG;
        in.src[1] = RC;
    }
    ISA_PUT(&in, MATNUM, num);
    ISA_PUT(&in, MATT, transposed);
    return in;
}

/* Row r of matrix n starts at 16 (5 (8n + r) % 64); element c of it is
 * 1000n + 10r + c. */
static void place_rows(void)
{
    for (unsigned l = 0; l < 32; l++) {
        M.reg[RA][l] = 16 * (5 * l % 64);
        for (unsigned c = 0; c < 8; c++) {
            uint16_t v = (uint16_t)(l / 8 * 1000 + l % 8 * 10 + c);
            memcpy(M.shared + M.reg[RA][l] + 2 * c, &v, 2);
        }
    }
}

TEST(rows_of_matrices_are_spread_over_lanes)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned k = 0; k < 6; k++) {
        unsigned num = k % 3, t = k / 3;

        machine_start(&M, 0);
        place_rows();
        CHECK_EQ(machine_one(&M, rows(ISA_LDSM, num, t), UINT32_MAX), EXEC_MEM);
        for (unsigned n = 0; n < 1u << num; n++)
            for (unsigned l = 0; l < 32; l++)
                for (unsigned h = 0; h < 2; h++) {
                    unsigned i = l / 4, j = l % 4 * 2 + h;

                    CHECK_EQ(get_bits(RD + n, l, 16 * h, 16),
                             1000 * n + (t ? 10 * j + i : 10 * i + j));
                }
        CHECK_EQ(M.reg[RD + (1 << num)][5], 0);
        /* and back, to other places */
        memcpy(M.reg[RC], M.reg[RD], 4 * sizeof *M.reg);
        memset(M.shared, 0, sizeof M.shared);
        for (unsigned l = 0; l < 32; l++)
            M.reg[RA][l] += 1024;
        CHECK_EQ(machine_one(&M, rows(ISA_STSM, num, t), UINT32_MAX), EXEC_MEM);
        for (unsigned l = 0; l < 8u << num; l++)
            for (unsigned c = 0; c < 8; c++) {
                uint16_t v;

                memcpy(&v, M.shared + 1024 + 16 * (5 * l % 64) + 2 * c, 2);
                CHECK_EQ(v, l / 8 * 1000 + l % 8 * 10 + c);
            }
    }
}

TEST(rows_must_be_aligned_and_there)
{
    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    M.reg[RA][9] = 8;
    CHECK_EQ(machine_one(&M, rows(ISA_LDSM, 0, 0), UINT32_MAX), EXEC_MEM);
    CHECK_EQ(machine_one(&M, rows(ISA_LDSM, 1, 0), UINT32_MAX), EXEC_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_MISALIGNED);
    CHECK_EQ(M.fault.lane, 9);
    M.reg[RA][9] = M_SHARED;
    CHECK_EQ(machine_one(&M, rows(ISA_STSM, 2, 0), UINT32_MAX), EXEC_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_SHARED_BOUNDS);
}

TEST(movm_transposes)
{
    isa_inst in = isa_new(ISA_MOVM);

    in.dst = RD;
    in.src[0] = RA;
    in.src_kind[0] = SRC_REG;
    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    for (unsigned l = 0; l < 32; l++)
        for (unsigned h = 0; h < 2; h++)
            put_bits(RA, l, 16 * h, 16, 8 * (l / 4) + l % 4 * 2 + h);
    EACH_LEVEL(level)
    {
        run(in, level);
        for (unsigned l = 0; l < 32; l++)
            for (unsigned h = 0; h < 2; h++)
                CHECK_EQ(get_bits(RD, l, 16 * h, 16),
                         8 * (l % 4 * 2 + h) + l / 4);
    }
}

/* ---- copies ------------------------------------------------------------ */

TEST(copies_read_what_they_are_told_and_fill_with_zeros)
{
    isa_inst in = isa_new(ISA_LDGSTS);
    uint64_t at;

    machine_init(&M, ARCH_VOLTA);
    machine_memory(&M, true);
    at = mem_alloc(M.image, 512, "a");
    for (unsigned i = 0; i < 512; i++)
        *((uint8_t *)mem_host(M.image, at) + i) = (uint8_t)(i % 251 + 1);
    machine_start(&M, 0);
    memset(M.shared, 0xee, sizeof M.shared);
    for (unsigned l = 0; l < 32; l++) {
        uint64_t from = l == 7 ? 0 : at + 16 * l; /* 7 reads nothing */

        M.reg[RA][l] = (uint32_t)from;
        M.reg[RA + 1][l] = (uint32_t)(from >> 32);
        M.reg[RB][l] = 16 * (31 - l);
        M.reg[RC][l] = l == 7 ? 0 : l == 8 ? 5 : 16;
    }
    for (unsigned i = 0; i < 3; i++)
        in.src_kind[i] = SRC_REG;
    in.src[0] = RA;
    in.src[1] = RB;
    in.src[2] = RC;
    ISA_PUT(&in, EXT, 1);
    ISA_PUT(&in, SIZE, SIZE_128);
    CHECK_EQ(machine_one(&M, in, UINT32_MAX), EXEC_MEM);
    for (unsigned l = 0; l < 32; l++)
        for (unsigned i = 0; i < 16; i++)
            CHECK_EQ(M.shared[16 * (31 - l) + i],
                     i < M.reg[RC][l] ? (16 * l + i) % 251 + 1 : 0);
    M.reg[RA][3] += 8;
    CHECK_EQ(machine_one(&M, in, UINT32_MAX), EXEC_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_MISALIGNED);
    machine_fini(&M);
}

/* ---- arrivals ---------------------------------------------------------- */

TEST(the_last_arrival_starts_a_phase)
{
    isa_inst in = isa_new(ISA_ATOMS);
    uint64_t word = exec_mbarrier_new(40);

    in.dst = RD;
    in.src_kind[0] = in.src_kind[1] = SRC_REG;
    in.src[0] = RA;
    in.src[1] = RB;
    ISA_PUT(&in, ATOMOP, ATOM_ARRIVE);
    ISA_PUT(&in, ATYPE, ATYPE_U64);
    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    memcpy(M.shared, &word, 8);
    for (unsigned l = 0; l < 32; l++)
        M.reg[RB][l] = 1;
    CHECK_EQ(machine_one(&M, in, UINT32_MAX), EXEC_MEM);
    memcpy(&word, M.shared, 8);
    CHECK_EQ(word, exec_mbarrier_new(40) + ((uint64_t)32 << ARRIVE_DUE));
    CHECK_EQ(M.reg[RD + 1][31], (word - ((uint64_t)1 << ARRIVE_DUE)) >> 32);
    CHECK_EQ(machine_one(&M, in, 0xff), EXEC_MEM);
    memcpy(&word, M.shared, 8);
    CHECK_EQ(word, exec_mbarrier_new(40) | (uint64_t)1 << ARRIVE_PHASE);
    /* 39 arrive; the last one says that 4096 bytes will come */
    for (unsigned l = 0; l < 32; l++)
        M.reg[RB][l] = l ? 1 : 9;
    M.reg[RB + 1][31] = 4096;
    CHECK_EQ(machine_one(&M, in, UINT32_MAX), EXEC_MEM);
    memcpy(&word, M.shared, 8);
    CHECK_EQ(exec_mbarrier_of(word).left, 0);
    CHECK_EQ(exec_mbarrier_of(word).bytes, 4096);
    CHECK_EQ(word >> ARRIVE_PHASE, 1);
    M.reg[RB][0] = 0;
    M.reg[RB + 1][0] = (uint32_t)-4096;
    CHECK_EQ(machine_one(&M, in, 1), EXEC_MEM);
    memcpy(&word, M.shared, 8);
    CHECK_EQ(word, exec_mbarrier_new(40));
}
