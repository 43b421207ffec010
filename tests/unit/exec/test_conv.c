/* Conversions. 16-bit formats are checked against the real values of their
 * encodings, built with ldexp; rounding against the two neighbours. */
#include <fenv.h>
#include <math.h>

#include "machine.h"

static machine M;

/* ---- formats by definition ---- */

static double value16(uint32_t h, bool bf16)
{
    int digits = bf16 ? 7 : 10, bias = bf16 ? 127 : 15;
    int exp = (int)(h >> digits & (bf16 ? 0xff : 0x1f));
    int frac = (int)(h & ((1u << digits) - 1)), top = bf16 ? 255 : 31;
    double v;

    if (exp == top)
        v = frac ? NAN : INFINITY;
    else if (exp)
        v = ldexp(frac + (1 << digits), exp - bias - digits);
    else
        v = ldexp(frac, 1 - bias - digits);
    return h & 0x8000 ? -v : v;
}

/* The encoding of v rounded: a search over all of one sign. */
static uint32_t round16(double v, bool bf16, unsigned rnd)
{
    uint32_t sign = signbit(v) ? 0x8000 : 0, lo = 0,
             hi = bf16 ? 0x7f80 : 0x7c00;
    double m = fabs(v);
    bool up = rnd == RND_RP ? !sign : rnd == RND_RM ? sign : false;

    if (v != v)
        return 0x7fff;
    if (m == INFINITY)
        return hi | sign;
    while (hi - lo > 1) { /* value16(lo) <= m < value16(hi) */
        uint32_t mid = (lo + hi) / 2;

        if (value16(mid, bf16) <= m)
            lo = mid;
        else
            hi = mid;
    }
    double a = value16(lo, bf16), b = value16(hi, bf16);
    if (a == m)
        return lo | sign;
    if (b == INFINITY) /* as if the exponent had no end */
        b = a + (a - value16(lo - 1, bf16));
    if (rnd == RND_RN)
        up = m - a > b - m || (m - a == b - m && (lo & 1));
    return (up ? lo + 1 : lo) | sign;
}

static uint64_t eval(isa_inst in, uint64_t a)
{
    return machine_eval(&M, in, a, 0, 0);
}

TEST(every_half_becomes_its_value)
{
    isa_inst sh = machine_inst(ISA_F2F_SH, SRC_A);
    isa_inst dh = machine_inst(ISA_F2F_DH, SRC_A);

    machine_init(&M, ARCH_VOLTA);
    for (uint32_t h = 0; h < 0x10000; h += ISA_WARP)
        EACH_LEVEL(level)
        {
            machine_start(&M, level);
            for (unsigned l = 0; l < ISA_WARP; l++)
                M.reg[REG_A][l] = (h + l) | 0xabcd0000;
            machine_one(&M, sh, UINT32_MAX);
            for (unsigned l = 0; l < ISA_WARP; l++) {
                double v = value16(h + l, false);
                CHECK_EQ(M.reg[REG_D][l],
                         v != v ? 0x7fffffff : bits_of_float((float)v));
            }
            machine_one(&M, dh, UINT32_MAX);
            for (unsigned l = 0; l < ISA_WARP; l++) {
                double v = value16(h + l, false);
                uint64_t r = machine_get64(&M, REG_D, l);
                CHECK(v != v ? r > 0x7ff0000000000000 : r == bits_of_double(v));
            }
        }
    ISA_PUT(&sh, SWZA, SWZ_H1_H1);
    CHECK_EQ((uint32_t)eval(sh, 0x3c000000), 0x3f800000);
}

/* Values on, beside and half-way between all 16-bit values. */
static void check_narrow(isa_op op, bool bf16, bool wide, unsigned rnd)
{
    isa_inst in = machine_inst(op, SRC_A);
    uint64_t seed = rnd;

    ISA_PUT(&in, RND, rnd);
    for (uint32_t h = 0; h < 0x10000; h += bf16 ? 37 : 11) {
        double v[ISA_WARP], a = value16(h, bf16);
        double b = value16(h + 1 > 0xffff ? 0 : h + 1, bf16);

        for (unsigned l = 0; l < ISA_WARP; l++) {
            double t = l < 8 ? l / 7.0 : (double)(noise(&seed) >> 40) / 0x1p24;
            v[l] = l == 8 ? a + (b - a) / 2 : a + (b - a) * t;
            if (!wide)
                v[l] = (float)v[l];
        }
        if (wide) { /* just beside the half-way point */
            v[9] = nextafter(v[8], INFINITY);
            v[10] = nextafter(v[8], -INFINITY);
        } else {
            v[9] = nextafterf((float)v[8], INFINITY);
            v[10] = nextafterf((float)v[8], -INFINITY);
        }
        EACH_LEVEL(level)
        {
            machine_start(&M, level);
            for (unsigned l = 0; l < ISA_WARP; l++)
                machine_set64(&M, REG_A, l,
                              wide ? bits_of_double(v[l])
                                   : bits_of_float((float)v[l]));
            machine_one(&M, in, UINT32_MAX);
            for (unsigned l = 0; l < ISA_WARP; l++)
                CHECK_EQ(M.reg[REG_D][l], round16(v[l], bf16, rnd));
        }
    }
}

TEST(narrowing_rounds_correctly)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned rnd = 0; rnd < 4; rnd++) {
        check_narrow(ISA_F2F_HS, false, false, rnd);
        check_narrow(ISA_F2F_HD, false, true, rnd);
        check_narrow(ISA_F2F_BS, true, false, rnd);
    }
}

TEST(narrowing_saturates_and_flushes)
{
    isa_inst in = machine_inst(ISA_F2F_HS, SRC_A), fp;

    machine_init(&M, ARCH_VOLTA);
    ISA_PUT(&in, SAT, 1);
    CHECK_EQ((uint32_t)eval(in, bits_of_float(7.0f)), 0x3c00);
    CHECK_EQ((uint32_t)eval(in, bits_of_float(-7.0f)), 0);
    CHECK_EQ((uint32_t)eval(in, 0x7fc00000), 0);
    in = machine_inst(ISA_F2F_HS, SRC_A);
    ISA_PUT(&in, RND, RND_RP);
    CHECK_EQ((uint32_t)eval(in, 1), 1);
    ISA_PUT(&in, FTZ, 1);
    CHECK_EQ((uint32_t)eval(in, 1), 0);
    fp = machine_inst(ISA_F2FP, SRC_A | SRC_B);
    CHECK_EQ((uint32_t)machine_eval(&M, fp, bits_of_float(2.0f),
                                    bits_of_float(-1.0f), 0),
             0x4000bc00);
    ISA_PUT(&fp, HFMT, HFMT_BF16);
    CHECK_EQ((uint32_t)machine_eval(&M, fp, bits_of_float(2.0f),
                                    bits_of_float(-1.0f), 0),
             0x4000bf80);
}

static const int host_mode[4] = {[RND_RN] = FE_TONEAREST,
                                 [RND_RM] = FE_DOWNWARD,
                                 [RND_RP] = FE_UPWARD,
                                 [RND_RZ] = FE_TOWARDZERO};

TEST(double_to_single)
{
    uint64_t seed = 2;

    machine_init(&M, ARCH_VOLTA);
    for (unsigned n = 0; n < 40000; n++) {
        uint64_t u = noise(&seed);
        isa_inst in = machine_inst(ISA_F2F_SD, SRC_A);
        unsigned rnd = n % 4;
        volatile double v;
        volatile float f;

        if (n % 2) /* the range of singles, denormals and overflow included */
            u = (u & 0x800fffffffffffff) | (uint64_t)(870 + n % 290) << 52;
        if (n % 3 == 0)
            u &= 0xffffffffe0000000;
        v = double_of_bits(u);
        fesetround(host_mode[rnd]);
        f = (float)v;
        fesetround(FE_TONEAREST);
        ISA_PUT(&in, RND, rnd);
        CHECK_EQ((uint32_t)eval(in, u), f != f ? 0x7fffffff : bits_of_float(f));
        ISA_PUT(&in, FTZ, 1);
        if (fpclassify(f) == FP_SUBNORMAL)
            CHECK_EQ((uint32_t)eval(in, u), bits_of_float(f) & 0x80000000);
    }
}

TEST(single_to_double)
{
    isa_inst in = machine_inst(ISA_F2F_DS, SRC_A);

    machine_init(&M, ARCH_VOLTA);
    CHECK_EQ(eval(in, bits_of_float(0.1f)), bits_of_double(0.1f));
    CHECK_EQ(eval(in, 1), bits_of_double(0x1p-149));
    ISA_PUT(&in, FTZ, 1);
    CHECK_EQ(eval(in, 0x80000001), 0x8000000000000000);
    ISA_PUT(&in, SAT, 1);
    CHECK_EQ(eval(in, bits_of_float(5)), bits_of_double(1));
    CHECK_EQ(eval(in, 0x7fffffff), 0);
}

/* ---- integers ---- */

static const unsigned type_bits[8] = {32, 32, 8, 8, 16, 16, 64, 64};

static __int128 lowest(unsigned type)
{
    return type & 1 ? -((__int128)1 << (type_bits[type] - 1)) : 0;
}

static __int128 highest(unsigned type)
{
    return ((__int128)1 << (type_bits[type] - (type & 1))) - 1;
}

/* The integer as it stands in 64 bits, extended by its type. */
static __int128 as_type(uint64_t u, unsigned type)
{
    unsigned up = 64 - type_bits[type];

    return type & 1 ? (__int128)((int64_t)(u << up) >> up)
                    : (__int128)(u << up >> up);
}

TEST(integers_to_floats_in_all_directions)
{
    static const uint64_t v[] = {0,
                                 1,
                                 0x7f,
                                 0x80,
                                 0xff,
                                 0x7fff,
                                 0x8000,
                                 0xffff,
                                 0xffffff,
                                 0x1000001,
                                 0x1000003,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x7fffff80,
                                 0x7fffffc0,
                                 0x20000000000001,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0xffffffffffffffff,
                                 0x123456789abcdef,
                                 0x8000008000000001};

    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++)
        for (unsigned type = 0; type < 8; type++)
            for (unsigned rnd = 0; rnd < 4; rnd++) {
                bool wide = type >= ITYPE_U64;
                isa_inst s = machine_inst(wide ? ISA_I2F_L : ISA_I2F, SRC_A);
                isa_inst d = machine_inst(wide ? ISA_I2F_DL : ISA_I2F_D, SRC_A);
                __int128 n = as_type(v[i], type);
                /* exact: 64 digits */
                volatile long double x = n < 0 ? -(long double)(uint64_t)-n
                                               : (long double)(uint64_t)n;
                volatile float f;
                volatile double g;

                fesetround(host_mode[rnd]);
                f = (float)x;
                g = (double)x;
                fesetround(FE_TONEAREST);
                ISA_PUT(&s, ITYPE, type);
                ISA_PUT(&s, RND, rnd);
                ISA_PUT(&d, ITYPE, type);
                ISA_PUT(&d, RND, rnd);
                CHECK_EQ((uint32_t)eval(s, v[i]), bits_of_float(f));
                CHECK_EQ(eval(d, v[i]), bits_of_double(g));
            }
}

TEST(integers_to_halves)
{
    machine_init(&M, ARCH_VOLTA);
    for (int64_t v = -70000; v < 70000; v += 13)
        for (unsigned rnd = 0; rnd < 4; rnd++) {
            isa_inst in = machine_inst(ISA_I2F_H, SRC_A);
            isa_inst l = machine_inst(ISA_I2F_HL, SRC_A);

            ISA_PUT(&in, ITYPE, ITYPE_S32);
            ISA_PUT(&in, RND, rnd);
            ISA_PUT(&l, ITYPE, ITYPE_S64);
            ISA_PUT(&l, RND, rnd);
            CHECK_EQ((uint32_t)eval(in, (uint32_t)v),
                     round16((double)v, false, rnd));
            CHECK_EQ((uint32_t)eval(l, (uint64_t)v),
                     round16((double)v, false, rnd));
        }
}

TEST(byte_of_the_source)
{
    isa_inst in = machine_inst(ISA_I2F, SRC_A);

    machine_init(&M, ARCH_VOLTA);
    ISA_PUT(&in, ITYPE, ITYPE_U8);
    for (unsigned k = 0; k < 4; k++) {
        ISA_PUT(&in, BSEL, k);
        CHECK_EQ((uint32_t)eval(in, 0x80ff0201),
                 bits_of_float((float)(0x80ff0201 >> 8 * k & 0xff)));
    }
    ISA_PUT(&in, ITYPE, ITYPE_S16);
    ISA_PUT(&in, BSEL, 2);
    CHECK_EQ((uint32_t)eval(in, 0x80ff0201), bits_of_float((int16_t)0x80ff));
    in = machine_inst(ISA_I2F_H, SRC_A);
    ISA_PUT(&in, ITYPE, ITYPE_U8);
    for (unsigned k = 0; k < 4; k++) {
        ISA_PUT(&in, BSEL, k);
        CHECK_EQ((uint32_t)eval(in, 0x80ff0201),
                 round16((double)(0x80ff0201 >> 8 * k & 0xff), false, RND_RN));
    }
}

TEST(pair_of_narrow_numbers_of_the_upper_half)
{
    isa_inst in = machine_inst(ISA_F2F_F8, SRC_A);

    machine_init(&M, ARCH_HOPPER);
    ISA_PUT(&in, F8FMT, F8FMT_E5M2); /* the upper byte of a half */
    CHECK_EQ((uint32_t)eval(in, 0x3cbc4438), 0x44003800);
    ISA_PUT(&in, BSEL, 2);
    CHECK_EQ((uint32_t)eval(in, 0x3cbc4438), 0x3c00bc00);
    ISA_PUT(&in, RELU, 1);
    CHECK_EQ((uint32_t)eval(in, 0x3cbc4438), 0x3c000000);
}

/* The integer nearest in the direction, then clamped to the type. */
static uint64_t to_int(long double v, unsigned type, unsigned how, bool narrow)
{
    long double r = how == RNDI_RN      ? rintl(v)
                    : how == RNDI_FLOOR ? floorl(v)
                    : how == RNDI_CEIL  ? ceill(v)
                                        : truncl(v);
    __int128 n;

    if (v != v) {
        if (narrow && type_bits[type] < 64)
            return 0;
        n = (__int128)1 << (type_bits[type] - 1);
        return (uint64_t)as_type((uint64_t)n, type);
    }
    n = r >= 0x1p70L    ? (__int128)1 << 70
        : r <= -0x1p70L ? -((__int128)1 << 70)
                        : (__int128)r;
    n = n < lowest(type) ? lowest(type) : n > highest(type) ? highest(type) : n;
    return (uint64_t)n;
}

/* clang-format off */
static const double reals[] = {
    0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, 0.49999997, 127, 127.5, 128, -128,
    -128.5, -129, 255, 255.5, 256, 32767.5, 65535.5, -32768.5, 65504,
    2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0, 4294967295.0,
    4294967296.0, 3e9, 0x1p63, -0x1p63, 0x1p63 - 1024, 0x1p64, 0x1p64 - 2048,
    1e30, -1e30, INFINITY, -INFINITY, NAN, 1e-40, -1e-40, 8388608.5};
/* clang-format on */

static void check_to_int(double v, unsigned type, unsigned how)
{
    bool wide = type >= ITYPE_U64;
    uint64_t keep = wide ? UINT64_MAX : UINT32_MAX;
    isa_inst s = machine_inst(wide ? ISA_F2I_L : ISA_F2I, SRC_A);
    isa_inst d = machine_inst(wide ? ISA_F2I_DL : ISA_F2I_D, SRC_A);
    isa_inst h = machine_inst(wide ? ISA_F2I_HL : ISA_F2I_H, SRC_A);
    uint32_t half = round16(v, false, RND_RN);

    ISA_PUT(&s, DTYPE, type);
    ISA_PUT(&s, RNDI, how);
    ISA_PUT(&d, DTYPE, type);
    ISA_PUT(&d, RNDI, how);
    ISA_PUT(&h, DTYPE, type);
    ISA_PUT(&h, RNDI, how);
    CHECK_EQ(eval(s, bits_of_float((float)v)) & keep,
             to_int((float)v, type, how, true) & keep);
    CHECK_EQ(eval(d, bits_of_double(v)) & keep,
             to_int(v, type, how, false) & keep);
    CHECK_EQ(eval(h, half) & keep,
             to_int(value16(half, false), type, how, true) & keep);
}

TEST(floats_to_integers)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < sizeof reals / sizeof *reals; i++)
        for (unsigned type = 0; type < 8; type++)
            for (unsigned how = 0; how < 4; how++)
                check_to_int(reals[i], type, how);
}

TEST(ceiling_of_a_denormal_depends_on_ftz)
{
    isa_inst in = machine_inst(ISA_F2I, SRC_A);

    machine_init(&M, ARCH_VOLTA);
    ISA_PUT(&in, RNDI, RNDI_CEIL);
    CHECK_EQ((uint32_t)eval(in, 1), 1);
    ISA_PUT(&in, FTZ, 1);
    CHECK_EQ((uint32_t)eval(in, 1), 0);
}

TEST(integers_to_integers)
{
    static const uint32_t v[] = {0,          1,          0x7f,       0x80,
                                 0xff,       0x100,      0x7fff,     0x8000,
                                 0xffff,     0x12345678, 0x7fffffff, 0x80000000,
                                 0xffffff80, 0xffffff7f, 0xffffffff};

    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++)
        for (unsigned from = 0; from < 6; from++)
            for (unsigned to = 0; to < 6; to++) {
                isa_inst in = machine_inst(ISA_I2I, SRC_A);
                __int128 x = as_type(v[i], from), y = x;

                ISA_PUT(&in, ITYPE, from);
                ISA_PUT(&in, DTYPE, to);
                CHECK_EQ((uint32_t)eval(in, v[i]),
                         (uint32_t)as_type((uint64_t)x, to));
                y = y < lowest(to) ? lowest(to) : y;
                y = y > highest(to) ? highest(to) : y;
                ISA_PUT(&in, SAT, 1);
                CHECK_EQ((uint32_t)eval(in, v[i]), (uint32_t)y);
            }
}

TEST(halves_to_integral_halves)
{
    machine_init(&M, ARCH_VOLTA);
    for (uint32_t h = 0; h < 0x10000; h += 7) {
        double v = value16(h, false);
        double want[4] = {rint(v), floor(v), ceil(v), trunc(v)};

        for (unsigned how = 0; how < 4; how++) {
            isa_inst in = machine_inst(ISA_HRND, SRC_A);

            ISA_PUT(&in, RNDI, how);
            CHECK_EQ((uint32_t)eval(in, h), round16(want[how], false, RND_RN));
        }
    }
}
