/* Special functions: error bounds and special values of the manual, against
 * the host's long double functions. */
#include <math.h>

#include "machine.h"

static machine M;

enum { NAN32 = 0x7fffffff, INF = 0x7f800000, NINF = 0xff800000 };

static isa_inst mufu(unsigned fn)
{
    isa_inst in = machine_inst(ISA_MUFU, SRC_A);

    ISA_PUT(&in, MUFUFN, fn);
    return in;
}

static uint32_t eval(unsigned fn, uint32_t a)
{
    return (uint32_t)machine_eval(&M, mufu(fn), a, 0, 0);
}

/* All levels on 32 operands; the results of the first. */
static void eval32(isa_inst in, const uint32_t a[ISA_WARP],
                   uint32_t d[ISA_WARP])
{
    bool first = true;

    EACH_LEVEL(level)
    {
        machine_start(&M, level);
        memcpy(M.reg[REG_A], a, 4 * ISA_WARP);
        machine_one(&M, in, UINT32_MAX);
        if (first)
            memcpy(d, M.reg[REG_D], 4 * ISA_WARP);
        first = false;
        CHECK(!memcmp(d, M.reg[REG_D], 4 * ISA_WARP));
    }
}

static long double ref(unsigned fn, long double x)
{
    const long double pi = 3.14159265358979323846264338327950288L;

    switch (fn) {
    case MUFU_COS:
        return cosl(2 * pi * (x - rintl(x)));
    case MUFU_SIN:
        return sinl(2 * pi * (x - rintl(x)));
    case MUFU_EX2:
        return exp2l(x);
    case MUFU_LG2:
        return log2l(x);
    case MUFU_RCP:
        return 1 / x;
    case MUFU_RSQ:
        return 1 / sqrtl(x);
    case MUFU_SQRT:
        return sqrtl(x);
    default:
        return tanhl(x);
    }
}

static long double ulp(long double v)
{
    int exp;

    frexpl(v, &exp);
    return ldexpl(1, exp - 24 < -149 ? -149 : exp - 24);
}

/* Finite operands of both signs, the whole range or about [2^-8, 2^8]. */
static void sweep(unsigned fn, long double max_ulp, long double max_abs,
                  bool negative, bool narrow)
{
    for (uint64_t u = 0; u < 0x7f800000; u += 32 * 4099) {
        uint32_t a[ISA_WARP], d[ISA_WARP];

        for (unsigned l = 0; l < ISA_WARP; l++) {
            a[l] = (uint32_t)u + l * 4099;
            if (narrow)
                a[l] = 0x3b800000 + a[l] % 0x08000000;
            if (a[l] >= INF)
                a[l] = 1;
            if (negative && l % 2)
                a[l] |= 0x80000000;
        }
        eval32(mufu(fn), a, d);
        for (unsigned l = 0; l < ISA_WARP; l++) {
            long double want = ref(fn, float_of_bits(a[l]));
            float got = float_of_bits(d[l]);
            long double err = fabsl((long double)got - want);

            if (a[l] << 1 == 0)
                continue;
            if (isinf(got)) { /* beyond the largest finite number */
                CHECK(fabsl(want) > 0x1.fffffep127L);
                continue;
            }
            if (!(err <= max_ulp * ulp(want) || err <= max_abs))
                TEST_FAIL("function %u of 0x%08x is %a, not %La", fn, a[l],
                          (double)got, want);
        }
    }
}

TEST(errors_are_below_one_unit)
{
    machine_init(&M, ARCH_VOLTA);
    sweep(MUFU_RCP, 0.5001L, 0, true, false);
    sweep(MUFU_RSQ, 0.51L, 0, false, false);
    sweep(MUFU_SQRT, 0.5001L, 0, false, false);
    sweep(MUFU_EX2, 0.6L, 0, true, false);
    sweep(MUFU_EX2, 0.6L, 0, true, true);
    sweep(MUFU_LG2, 0.6L, 0, false, false);
    sweep(MUFU_LG2, 0.6L, 0, false, true);
    sweep(MUFU_SIN, 0.6L, 0x1p-30L, true, false);
    sweep(MUFU_SIN, 0.6L, 0x1p-30L, true, true);
    sweep(MUFU_COS, 0.6L, 0x1p-30L, true, true);
    sweep(MUFU_TANH, 0.6L, 0, true, false);
    sweep(MUFU_TANH, 0.6L, 0, true, true);
}

TEST(special_values)
{
    static const struct {
        unsigned fn;
        uint32_t a, want;
    } t[] = {
        {MUFU_RCP, 0, INF},
        {MUFU_RCP, 0x80000000, NINF},
        {MUFU_RCP, INF, 0},
        {MUFU_RCP, NINF, 0x80000000},
        {MUFU_RCP, NAN32, NAN32},
        {MUFU_RSQ, 0, INF},
        {MUFU_RSQ, 0x80000000, NINF},
        {MUFU_RSQ, INF, 0},
        {MUFU_RSQ, 0xbf800000, NAN32},
        {MUFU_RSQ, NAN32, NAN32},
        {MUFU_SQRT, 0, 0},
        {MUFU_SQRT, 0x80000000, 0x80000000},
        {MUFU_SQRT, INF, INF},
        {MUFU_SQRT, NINF, NAN32},
        {MUFU_EX2, NINF, 0},
        {MUFU_EX2, INF, INF},
        {MUFU_EX2, 0, 0x3f800000},
        {MUFU_EX2, 0x80000000, 0x3f800000},
        {MUFU_EX2, NAN32, NAN32},
        {MUFU_EX2, 0x43000000, INF},
        {MUFU_EX2, 0xc3160000, 0},
        {MUFU_EX2, 0xc3150000, 1},
        {MUFU_LG2, 0, NINF},
        {MUFU_LG2, 0x80000000, NINF},
        {MUFU_LG2, INF, INF},
        {MUFU_LG2, NINF, NAN32},
        {MUFU_LG2, 0xbf800000, NAN32},
        {MUFU_LG2, 0x3f800000, 0},
        {MUFU_LG2, NAN32, NAN32},
        {MUFU_LG2, 1, 0xc3150000},
        {MUFU_SIN, 0, 0},
        {MUFU_SIN, 0x80000000, 0x80000000},
        {MUFU_SIN, INF, NAN32},
        {MUFU_SIN, 0x3e800000, 0x3f800000},
        {MUFU_COS, 0, 0x3f800000},
        {MUFU_COS, 0x80000000, 0x3f800000},
        {MUFU_COS, NINF, NAN32},
        {MUFU_COS, 0x3f000000, 0xbf800000},
        {MUFU_TANH, 0, 0},
        {MUFU_TANH, 0x80000000, 0x80000000},
        {MUFU_TANH, INF, 0x3f800000},
        {MUFU_TANH, NINF, 0xbf800000},
        {MUFU_TANH, NAN32, NAN32},
    };

    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < sizeof t / sizeof *t; i++)
        CHECK_EQ(eval(t[i].fn, t[i].a), t[i].want);
}

TEST(ftz_flushes_operand_and_result)
{
    isa_inst rcp = mufu(MUFU_RCP), ex2 = mufu(MUFU_EX2);

    machine_init(&M, ARCH_VOLTA);
    ISA_PUT(&rcp, FTZ, 1);
    ISA_PUT(&ex2, FTZ, 1);
    CHECK_EQ((uint32_t)machine_eval(&M, rcp, 0x80000001, 0, 0), NINF);
    CHECK_EQ((uint32_t)machine_eval(&M, rcp, 0x7f000000, 0, 0), 0);
    CHECK_EQ((uint32_t)machine_eval(&M, ex2, bits_of_float(-127), 0, 0), 0);
}

/* Both work on upper words; the relative error counts against the word. */
TEST(starting_values_for_double_precision)
{
    uint64_t seed = 8;

    machine_init(&M, ARCH_VOLTA);
    for (unsigned n = 0; n < 20000; n++) {
        uint32_t h = (uint32_t)noise(&seed) & 0x7fffffff;
        unsigned exp = h >> 20;

        if (exp < 3 || exp > 0x7fb)
            continue;
        double x = double_of_bits((uint64_t)h << 32);
        double r = double_of_bits((uint64_t)eval(MUFU_RCP64H, h) << 32);
        double q = double_of_bits((uint64_t)eval(MUFU_RSQ64H, h) << 32);
        CHECK(fabs(r * x - 1) < 0x1p-20);
        CHECK(fabs(q * q * x - 1) < 0x1p-19);
    }
    CHECK_EQ(eval(MUFU_RCP64H, 0), 0x7ff00000);
    CHECK_EQ(eval(MUFU_RCP64H, 0x800fffff), 0xfff00000);
    CHECK_EQ(eval(MUFU_RCP64H, 0x7ff00000), 0);
    CHECK_EQ(eval(MUFU_RCP64H, 0x7fe00000), 0); /* 2^-1023 is flushed */
    CHECK_EQ(eval(MUFU_RCP64H, 0x7ff80000), 0x7fffffff);
    CHECK_EQ(eval(MUFU_RSQ64H, 0xbff00000), 0x7fffffff);
    CHECK_EQ(eval(MUFU_RSQ64H, 0), 0x7ff00000);
    CHECK_EQ(eval(MUFU_RSQ64H, 0x7ff00000), 0);
}
