/* Half precision and bfloat16 pairs. Sums and products are computed exactly
 * as integers, in units small enough for both formats, and rounded by a search
 * among all encodings. */
#include <math.h>

#include "exec/half.h"
#include "exec/sem/soft.h"
#include "machine.h"

static machine M;

/* Units of 2^-54. Encodings of bfloat16 are used up to 2^20 only. */
enum { UNIT = 54 };

static __int128 exact(uint32_t h, bool bf16, int unit)
{
    int digits = bf16 ? 7 : 10, bias = bf16 ? 127 : 15;
    int exp = (int)(h >> digits & (bf16 ? 0xff : 0x1f));
    __int128 frac = h & ((1u << digits) - 1);
    int shift = (exp ? exp : 1) - bias - digits + unit;

    if (exp)
        frac |= 1 << digits;
    frac = shift >= 0 ? frac << shift : frac >> -shift;
    return h & 0x8000 ? -frac : frac;
}

/* The encoding nearest to n units; ties to even. */
static uint32_t nearest(__int128 n, bool bf16, bool minus_zero)
{
    uint32_t sign = n < 0 || (n == 0 && minus_zero) ? 0x8000 : 0;
    uint32_t lo = 0, hi = bf16 ? 0x6000 : 0x7c00;
    __int128 m = n < 0 ? -n : n;

    if (!n)
        return sign;
    while (hi - lo > 1) {
        uint32_t mid = (lo + hi) / 2;

        if (exact(mid, bf16, UNIT) <= m)
            lo = mid;
        else
            hi = mid;
    }
    __int128 a = exact(lo, bf16, UNIT);
    /* Infinity stands where the next value would. */
    __int128 b = hi == 0x7c00 && !bf16 ? a + a - exact(lo - 1, bf16, UNIT)
                                       : exact(hi, bf16, UNIT);
    bool up = m - a > b - m || (m - a == b - m && (lo & 1));
    return (up ? lo + 1 : lo) | sign;
}

static bool usable(uint32_t h, bool bf16)
{
    int exp = (int)(h >> 7 & 0xff) - 127;

    if (!bf16)
        return (h & 0x7c00) != 0x7c00;
    return (h & 0x7fff) == 0 || (exp >= -20 && exp <= 20);
}

static uint32_t pick(uint64_t *seed, bool bf16)
{
    for (;;) {
        uint32_t h = (uint32_t)noise(seed) & 0xffff;

        if (bf16)
            h = (h & 0x87ff) | 0x3c00;
        if (usable(h, bf16))
            return h;
    }
}

enum { ADD, MUL, FMA };

static isa_inst arith(unsigned op, bool bf16)
{
    isa_inst in =
        machine_inst(op == ADD   ? ISA_HADD2
                     : op == MUL ? ISA_HMUL2
                                 : ISA_HFMA2,
                     op == FMA ? SRC_A | SRC_B | SRC_C : SRC_A | SRC_B);

    ISA_PUT(&in, HFMT, bf16);
    return in;
}

static uint32_t reference(unsigned op, uint32_t a, uint32_t b, uint32_t c,
                          bool bf16)
{
    __int128 n;
    bool pa = a >> 15, pb = b >> 15, pc = c >> 15, minus;

    if (op == ADD) {
        n = exact(a, bf16, UNIT) + exact(b, bf16, UNIT);
        minus = pa && pb;
    } else {
        n = exact(a, bf16, UNIT / 2) * exact(b, bf16, UNIT / 2);
        minus = pa != pb;
        if (op == FMA) {
            minus = minus && pc;
            n += exact(c, bf16, UNIT);
        }
    }
    return nearest(n, bf16, minus);
}

TEST(random_pairs_are_rounded_once)
{
    uint64_t seed = 77;

    machine_init(&M, ARCH_VOLTA);
    for (unsigned n = 0; n < 6000; n++) {
        unsigned op = n % 3;
        bool bf16 = n / 3 % 2;
        uint32_t v[3][2][ISA_WARP];

        for (unsigned l = 0; l < ISA_WARP; l++)
            for (unsigned h = 0; h < 2; h++) {
                for (unsigned k = 0; k < 3; k++)
                    v[k][h][l] = pick(&seed, bf16);
                if (l % 2) /* cancellation: c near -a*b */
                    v[2][h][l] =
                        reference(MUL, v[0][h][l], v[1][h][l], 0, bf16) ^
                        0x8000 ^ (l & 2 ? 1 : 0);
                if (!usable(v[2][h][l], bf16))
                    v[2][h][l] = 0;
            }
        EACH_LEVEL(level)
        {
            machine_start(&M, level);
            for (unsigned k = 0; k < 3; k++)
                for (unsigned l = 0; l < ISA_WARP; l++)
                    M.reg[REG_A + 2 * k][l] = v[k][0][l] | v[k][1][l] << 16;
            machine_one(&M, arith(op, bf16), UINT32_MAX);
            for (unsigned l = 0; l < ISA_WARP; l++)
                for (unsigned h = 0; h < 2; h++)
                    CHECK_EQ(M.reg[REG_D][l] >> 16 * h & 0xffff,
                             reference(op, v[0][h][l], v[1][h][l], v[2][h][l],
                                       bf16));
        }
    }
}

/* bfloat16 has exponents that the integers above cannot hold: against the
 * integer arithmetic of soft.c, which test_f32.c checks. */
TEST(bfloat_fma_over_the_whole_range)
{
    uint64_t seed = 5;

    machine_init(&M, ARCH_VOLTA);
    for (unsigned n = 0; n < 4000; n++) {
        uint32_t v[3];

        for (unsigned k = 0; k < 3; k++)
            v[k] = (uint32_t)noise(&seed) & 0xffff;
        if (n % 2)
            v[0] = (v[0] & 0x80ff) | 0x1f00, v[1] = (v[1] & 0x80ff) | 0x2000,
            v[2] &= 0x83ff;
        float a = half_bf16_to_float(v[0]), b = half_bf16_to_float(v[1]),
              c = half_bf16_to_float(v[2]);
        uint32_t want = (uint32_t)soft_fma(a, b, c, SOFT_BF16, RND_RN);

        if ((want & 0x7fff) > 0x7f80)
            want = 0x7fff;
        CHECK_EQ(machine_eval(&M, arith(FMA, true), v[0], v[1], v[2]) & 0xffff,
                 want);
    }
}

static uint32_t eval(isa_inst in, uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)machine_eval(&M, in, a, b, c);
}

TEST(special_values)
{
    isa_inst add = arith(ADD, false), mul = arith(MUL, false),
             fmadd = arith(FMA, false);

    machine_init(&M, ARCH_VOLTA);
    CHECK_EQ(eval(add, 0x7c00fc00, 0xfc00fc00, 0), 0x7ffffc00);
    CHECK_EQ(eval(mul, 0x00007c00, 0x7c000000, 0), 0x7fff7fff);
    CHECK_EQ(eval(add, 0x7bff7bff, 0x7bff0001, 0), 0x7c007bff);
    CHECK_EQ(eval(fmadd, 0x3c00fe01, 0x3c003c00, 0x8000bc00), 0x3c007fff);
    CHECK_EQ(eval(mul, 0x80000001, 0x3c003800, 0), 0x80000000);
    ISA_PUT(&add, FTZ, 1);
    CHECK_EQ(eval(add, 0x000183ff, 0x00008000, 0), 0x00008000);
    ISA_PUT(&mul, FTZ, 1); /* 2^-14 / 2 is a denormal */
    CHECK_EQ(eval(mul, 0x04008400, 0x38003800, 0), 0x00008000);
    ISA_PUT(&fmadd, SAT, 1);
    CHECK_EQ(eval(fmadd, 0x4000c000, 0x40004000, 0), 0x3c000000);
    CHECK_EQ(eval(fmadd, 0x7e003800, 0x3c003c00, 0), 0x00003800);
}

TEST(swizzles_and_modifiers)
{
    isa_inst in = machine_inst(ISA_HADD2, SRC_A | SRC_B);

    machine_init(&M, ARCH_VOLTA);
    /* A = (1, 2) upper first, B = (4, 8) */
    CHECK_EQ(eval(in, 0x3c004000, 0x44004800, 0), 0x45004900);
    ISA_PUT(&in, SWZA, SWZ_H0_H0);
    CHECK_EQ(eval(in, 0x3c004000, 0x44004800, 0), 0x46004900);
    ISA_PUT(&in, SWZA, SWZ_H1_H1);
    ISA_PUT(&in, SWZB, SWZ_H1_H1);
    CHECK_EQ(eval(in, 0x3c004000, 0x44004800, 0), 0x45004500);
    in = machine_inst(ISA_HADD2, SRC_A | SRC_B);
    in.src_mod[1] = SRC_NEG;
    CHECK_EQ(eval(in, 0x3c004000, 0x44004800, 0), 0xc200c600);
    in.src_mod[0] = SRC_ABS;
    CHECK_EQ(eval(in, 0xbc00c000, 0x44004800, 0), 0xc200c600);
}

static const uint32_t halves[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff,
                                  0x0400, 0x3c00, 0xbc00, 0x7bff, 0xfbff,
                                  0x7c00, 0xfc00, 0x7e00, 0xffff, 0x3555};
enum { HALVES = sizeof halves / sizeof *halves };

TEST(least_of_three)
{
    isa_inst two = machine_inst(ISA_HMNMX2, SRC_A | SRC_B);
    isa_inst three = machine_inst(ISA_VHMNMX, SRC_A | SRC_B | SRC_C);

    machine_init(&M, ARCH_HOPPER);
    for (unsigned i = 0; i < HALVES * HALVES * HALVES; i++)
        for (unsigned how = 0; how < 8; how++) {
            uint32_t a = halves[i % HALVES] | 0x3c000000,
                     b = halves[i / HALVES % HALVES] | 0xbc000000,
                     c = halves[i / HALVES / HALVES] | 0x40000000;

            two.psrc[0] = three.psrc[0] = how & 1 ? ISA_PT : ISA_PT | PRED_NOT;
            ISA_PUT(&two, NANP, how >> 1 & 1);
            ISA_PUT(&three, NANP, how >> 1 & 1);
            ISA_PUT(&two, HFMT, how >> 2);
            ISA_PUT(&three, HFMT, how >> 2);
            CHECK_EQ(eval(three, a, b, c), eval(two, eval(two, a, b, 0), c, 0));
        }
    three.psrc[0] = ISA_PT;
    ISA_PUT(&three, NANP, 0);
    ISA_PUT(&three, HFMT, 0);
    ISA_PUT(&three, SWZC, SWZ_H1_H1);
    CHECK_EQ(eval(three, 0x40004000, 0x45003c00, 0x38007fff), 0x38003800);
}

TEST(min_max_and_comparisons)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < HALVES; i++)
        for (unsigned j = 0; j < HALVES; j++) {
            uint32_t a = halves[i], b = halves[j];
            bool na = (a & 0x7fff) > 0x7c00, nb = (b & 0x7fff) > 0x7c00;
            float x = half_f16_to_float(a), y = half_f16_to_float(b);
            bool less = x < y || (x == y && (a >> 15) > (b >> 15));
            uint32_t low = na && nb ? 0x7fff : na ? b : nb || less ? a : b;
            uint32_t high = na && nb ? 0x7fff : na ? b : nb || !less ? a : b;
            isa_inst mm = machine_inst(ISA_HMNMX2, SRC_A | SRC_B);

            CHECK_EQ(eval(mm, a | b << 16, b | b << 16, 0) & 0xffff, low);
            ISA_PUT(&mm, NANP, 1);
            CHECK_EQ(eval(mm, a << 16, b << 16, 0) >> 16,
                     na || nb ? 0x7fff : low);
            ISA_PUT(&mm, NANP, 0);
            mm.psrc[0] = ISA_PT | PRED_NOT;
            CHECK_EQ(eval(mm, a << 16, b << 16, 0) >> 16, high);
            for (unsigned cmp = 0; cmp < 16; cmp++) {
                isa_inst set = machine_inst(ISA_HSETP2, SRC_A | SRC_B);
                isa_inst val = machine_inst(ISA_HSET2, SRC_A | SRC_B);
                bool want = (cmp & 1 && x < y) || (cmp & 2 && x == y) ||
                            (cmp & 4 && x > y) ||
                            (cmp & 8 && (x != x || y != y));
                bool zero = cmp >> 1 & 1; /* 0 equals 0 */

                set.dst = ISA_RZ;
                set.pdst[0] = 1;
                set.pdst[1] = 2;
                ISA_PUT(&set, FCMP, cmp);
                eval(set, a, b, 0);
                CHECK_EQ(M.warp.pred[1] & 1, want);
                CHECK_EQ(M.warp.pred[2] & 1, zero);
                ISA_PUT(&val, FCMP, cmp);
                ISA_PUT(&val, BF, 1);
                CHECK_EQ(eval(val, a << 16, b << 16, 0),
                         (want ? 0x3c000000u : 0) | (zero ? 0x3c00 : 0));
            }
        }
}

/* The sum of two halves, of 2^-24 at least, is exact or rounded once; halves
 * that are denormal are zeros with FTZ, though their sums would not be. */
static uint32_t sum_f32(uint32_t a, uint32_t b, bool ftz, bool sat)
{
    float x, y, r;

    if (ftz && !(a & 0x7c00))
        a &= 0x8000;
    if (ftz && !(b & 0x7c00))
        b &= 0x8000;
    x = half_f16_to_float((uint16_t)a);
    y = half_f16_to_float((uint16_t)b);
    r = x + y;
    if (sat)
        return r > 0 ? bits_of_float(r < 1 ? r : 1) : 0;
    return r != r ? 0x7fffffff : bits_of_float(r);
}

TEST(halves_add_up_in_single_precision)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < HALVES; i++)
        for (unsigned j = 0; j < HALVES; j++)
            for (unsigned how = 0; how < 64; how++) {
                isa_inst in = machine_inst(ISA_HADD2F, SRC_A | SRC_B);
                bool ftz = how & 1, sat = how & 2, up_a = how & 4;
                bool up_b = how & 8, minus = how & 16, abs = how & 32;
                uint32_t a = halves[i], b = halves[j];
                uint32_t x = abs ? a & 0x7fff : a, y = minus ? b ^ 0x8000 : b;

                ISA_PUT(&in, FTZ, ftz);
                ISA_PUT(&in, SAT, sat);
                ISA_PUT(&in, SWZA, up_a ? SWZ_H1_H1 : SWZ_H0_H0);
                ISA_PUT(&in, SWZB, up_b ? SWZ_H1_H1 : 0);
                in.src_mod[0] = abs ? SRC_ABS : 0;
                in.src_mod[1] = minus ? SRC_NEG : 0;
                CHECK_EQ(eval(in, up_a ? a << 16 | 0x1234 : a | 0x56780000,
                              up_b ? b << 16 | 0x1234 : b | 0x56780000, 0),
                         sum_f32(x, y, ftz, sat));
            }
}
