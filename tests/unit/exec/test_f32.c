/* Single precision against the host in each of its rounding modes, and the
 * special cases of the manual. */
#include <fenv.h>
#include <math.h>

#include "exec/sem/soft.h"
#include "machine.h"

static machine M;

static const uint32_t special[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x00800001, 0x3f800000, 0xbf800000, 0x3f800001,
    0x3f7fffff, 0x40000000, 0x3f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x4b7fffff, 0x33800000,
    0x1f800000, 0x20000000, 0x5f800000, 0xdf000001, 0x0da24260, 0x34000000};
enum { SPECIALS = sizeof special / sizeof *special };

enum { NAN32 = 0x7fffffff };

static uint32_t eval(isa_inst in, uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)machine_eval(&M, in, a, b, c);
}

/* Bits of a result, NaNs as the canonical one. */
static uint32_t canon(float f) { return f != f ? NAN32 : bits_of_float(f); }

static const int host_mode[4] = {[RND_RN] = FE_TONEAREST,
                                 [RND_RM] = FE_DOWNWARD,
                                 [RND_RP] = FE_UPWARD,
                                 [RND_RZ] = FE_TOWARDZERO};

enum { ADD, MUL, FMA };

static uint32_t host(unsigned op, unsigned rnd, uint32_t a, uint32_t b,
                     uint32_t c)
{
    volatile float x = float_of_bits(a), y = float_of_bits(b);
    volatile float z = float_of_bits(c), r;

    fesetround(host_mode[rnd]);
    r = op == ADD ? x + y : op == MUL ? x * y : fmaf(x, y, z);
    fesetround(FE_TONEAREST);
    return canon(r);
}

static isa_inst arith(unsigned op, unsigned rnd)
{
    isa_inst in =
        machine_inst(op == ADD   ? ISA_FADD
                     : op == MUL ? ISA_FMUL
                                 : ISA_FFMA,
                     op == FMA ? SRC_A | SRC_B | SRC_C : SRC_A | SRC_B);

    ISA_PUT(&in, RND, rnd);
    return in;
}

/* 32 different operands at once. */
static void many(unsigned op, unsigned rnd, const uint32_t v[3][ISA_WARP])
{
    EACH_LEVEL(level)
    {
        machine_start(&M, level);
        memcpy(M.reg[REG_A], v[0], sizeof v[0]);
        memcpy(M.reg[REG_B], v[1], sizeof v[1]);
        memcpy(M.reg[REG_C], v[2], sizeof v[2]);
        machine_one(&M, arith(op, rnd), UINT32_MAX);
        for (unsigned l = 0; l < ISA_WARP; l++)
            CHECK_EQ(M.reg[REG_D][l], host(op, rnd, v[0][l], v[1][l], v[2][l]));
    }
}

TEST(special_values_in_all_directions)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned op = ADD; op <= FMA; op++)
        for (unsigned rnd = 0; rnd < 4; rnd++)
            for (unsigned i = 0; i < SPECIALS; i++)
                for (unsigned j = 0; j < (op == FMA ? SPECIALS : 1); j++) {
                    uint32_t v[3][ISA_WARP];

                    for (unsigned l = 0; l < ISA_WARP; l++) {
                        v[0][l] = special[i];
                        v[1][l] = special[l % SPECIALS];
                        v[2][l] = special[j];
                    }
                    many(op, rnd, v);
                }
}

TEST(random_values_in_all_directions)
{
    uint64_t seed = 42;

    machine_init(&M, ARCH_VOLTA);
    for (unsigned n = 0; n < 3000; n++) {
        uint32_t v[3][ISA_WARP];

        for (unsigned l = 0; l < ISA_WARP; l++) {
            uint64_t r = noise(&seed), s = noise(&seed);

            v[0][l] = (uint32_t)r;
            v[1][l] = (uint32_t)(r >> 32);
            v[2][l] = (uint32_t)s;
            if (l % 4 == 1) { /* sums that nearly cancel */
                float p = float_of_bits(v[0][l]) * float_of_bits(v[1][l]);
                v[2][l] = bits_of_float(-p) + (uint32_t)(s >> 32) % 3;
            } else if (l % 4 == 2) { /* few bits: ties and exact results */
                for (unsigned k = 0; k < 3; k++)
                    v[k][l] &= 0xfff00000;
            } else if (l % 4 == 3) { /* the edge of the denormals */
                v[0][l] = (v[0][l] & 0x81ffffff) | 0x1f000000;
                v[1][l] = (v[1][l] & 0x81ffffff) | 0x20000000;
                v[2][l] &= 0x80ffffff;
            }
        }
        for (unsigned op = ADD; op <= FMA; op++)
            many(op, n % 4, v);
    }
}

/* The integer arithmetic that other formats use, in this one. */
TEST(soft_arithmetic_agrees_with_the_host)
{
    uint64_t seed = 7;

    for (unsigned n = 0; n < 200000; n++) {
        uint64_t r = noise(&seed), s = noise(&seed);
        uint32_t a = (uint32_t)r, b = (uint32_t)(r >> 32), c = (uint32_t)s;
        unsigned rnd = n % 4;

        if (n % 3 == 0)
            a &= b, c &= 0xff800000;
        float x = float_of_bits(a), y = float_of_bits(b), z = float_of_bits(c);
        CHECK_EQ(canon(float_of_bits((uint32_t)soft_add(x, y, SOFT_F32, rnd))),
                 host(ADD, rnd, a, b, 0));
        CHECK_EQ(canon(float_of_bits((uint32_t)soft_mul(x, y, SOFT_F32, rnd))),
                 host(MUL, rnd, a, b, 0));
        CHECK_EQ(
            canon(float_of_bits((uint32_t)soft_fma(x, y, z, SOFT_F32, rnd))),
            host(FMA, rnd, a, b, c));
    }
}

static uint32_t flushed(uint32_t u)
{
    return u & 0x7f800000 ? u : u & 0x80000000;
}

TEST(ftz_flushes_operands_and_results)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned op = ADD; op <= FMA; op++)
        for (unsigned i = 0; i < SPECIALS; i++)
            for (unsigned j = 0; j < SPECIALS; j++) {
                isa_inst in = arith(op, RND_RN);
                uint32_t a = special[i], b = special[j],
                         c = special[(i + j) % SPECIALS];
                ISA_PUT(&in, FTZ, 1);
                CHECK_EQ(eval(in, a, b, c),
                         flushed(host(op, RND_RN, flushed(a), flushed(b),
                                      flushed(c))));
            }
}

TEST(sat_clamps_and_kills_nan)
{
    isa_inst in = machine_inst(ISA_FADD, SRC_A | SRC_B);

    machine_init(&M, ARCH_VOLTA);
    ISA_PUT(&in, SAT, 1);
    CHECK_EQ(eval(in, bits_of_float(0.25f), bits_of_float(0.5f), 0),
             bits_of_float(0.75f));
    CHECK_EQ(eval(in, bits_of_float(3.0f), 0, 0), bits_of_float(1.0f));
    CHECK_EQ(eval(in, bits_of_float(-3.0f), 0, 0), 0);
    CHECK_EQ(eval(in, 0x80000000, 0x80000000, 0), 0);
    CHECK_EQ(eval(in, NAN32, 0, 0), 0);
    CHECK_EQ(eval(in, 0x7f800000, 0, 0), bits_of_float(1.0f));
    CHECK_EQ(eval(in, 0xff800000, 0, 0), 0);
}

TEST(source_modifiers_change_the_sign_bit_only)
{
    isa_inst in = machine_inst(ISA_FADD, SRC_A | SRC_B);

    machine_init(&M, ARCH_VOLTA);
    in.src_mod[0] = SRC_NEG;
    in.src_mod[1] = SRC_ABS;
    CHECK_EQ(eval(in, bits_of_float(2.0f), bits_of_float(-5.0f), 0),
             bits_of_float(3.0f));
    in.src_mod[1] = SRC_ABS | SRC_NEG;
    CHECK_EQ(eval(in, bits_of_float(2.0f), bits_of_float(-5.0f), 0),
             bits_of_float(-7.0f));
    in.src_mod[0] = SRC_NEG;
    in.src_mod[1] = SRC_NEG;
    CHECK_EQ(eval(in, 0, 0, 0), 0x80000000);
}

static uint32_t minmax(uint32_t a, uint32_t b, bool max, bool nan, bool ftz,
                       bool xorsign)
{
    isa_inst in = machine_inst(ISA_FMNMX, SRC_A | SRC_B);

    in.psrc[0] = max ? ISA_PT | PRED_NOT : ISA_PT;
    ISA_PUT(&in, NANP, nan);
    ISA_PUT(&in, FTZ, ftz);
    ISA_PUT(&in, XSIGN, xorsign);
    return eval(in, a, b, 0);
}

TEST(min_and_max)
{
    uint32_t one = bits_of_float(1), two = bits_of_float(2),
             minus = bits_of_float(-3);

    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < SPECIALS; i++)
        for (unsigned j = 0; j < SPECIALS; j++) {
            uint32_t a = special[i], b = special[j];
            float x = float_of_bits(a), y = float_of_bits(b);
            bool nx = x != x, ny = y != y;
            bool less = x < y || (x == y && (a >> 31) > (b >> 31));
            uint32_t low = nx && ny ? NAN32 : nx ? b : ny || less ? a : b;
            uint32_t high = nx && ny ? NAN32 : nx ? b : ny || !less ? a : b;

            CHECK_EQ(minmax(a, b, false, false, false, false), low);
            CHECK_EQ(minmax(a, b, true, false, false, false), high);
            CHECK_EQ(minmax(a, b, false, true, false, false),
                     nx || ny ? NAN32 : low);
        }
    CHECK_EQ(minmax(0x80000001, 0, false, false, true, false), 0x80000000);
    CHECK_EQ(minmax(one, minus, false, false, false, true), one | 0x80000000);
    CHECK_EQ(minmax(minus, minus, true, false, false, true), bits_of_float(3));
    CHECK_EQ(minmax(two, minus, true, false, false, true), minus);
}

TEST(comparisons_ordered_and_not)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < SPECIALS; i++)
        for (unsigned j = 0; j < SPECIALS; j++) {
            float x = float_of_bits(special[i]), y = float_of_bits(special[j]);
            bool u = isunordered(x, y);
            bool want[16] = {
                [CMP_F] = false,
                [CMP_LT] = isless(x, y),
                [CMP_EQ] = x == y,
                [CMP_LE] = islessequal(x, y),
                [CMP_GT] = isgreater(x, y),
                [CMP_NE] = !u && x != y,
                [CMP_GE] = isgreaterequal(x, y),
                [CMP_NUM] = !u,
                [CMP_NAN] = u,
                [CMP_LTU] = u || x < y,
                [CMP_EQU] = u || x == y,
                [CMP_LEU] = u || x <= y,
                [CMP_GTU] = u || x > y,
                [CMP_NEU] = u || x != y,
                [CMP_GEU] = u || x >= y,
                [CMP_T] = true,
            };
            for (unsigned cmp = 0; cmp < 16; cmp++) {
                isa_inst in = machine_inst(ISA_FSETP, SRC_A | SRC_B);

                in.dst = ISA_RZ;
                in.pdst[0] = 1;
                in.pdst[1] = 2;
                ISA_PUT(&in, FCMP, cmp);
                eval(in, special[i], special[j], 0);
                CHECK_EQ(M.warp.pred[1] & 1, want[cmp]);
                CHECK_EQ(M.warp.pred[2] & 1, !want[cmp]);
                in = machine_inst(ISA_FSET, SRC_A | SRC_B);
                ISA_PUT(&in, FCMP, cmp);
                CHECK_EQ(eval(in, special[i], special[j], 0),
                         want[cmp] ? UINT32_MAX : 0);
                ISA_PUT(&in, BF, 1);
                CHECK_EQ(eval(in, special[i], special[j], 0),
                         want[cmp] ? 0x3f800000 : 0);
            }
        }
}

TEST(comparison_with_ftz_takes_denormals_for_zero)
{
    isa_inst in = machine_inst(ISA_FSET, SRC_A | SRC_B);

    machine_init(&M, ARCH_VOLTA);
    ISA_PUT(&in, FCMP, CMP_EQ);
    CHECK_EQ(eval(in, 1, 0x80000001, 0), 0);
    ISA_PUT(&in, FTZ, 1);
    CHECK_EQ(eval(in, 1, 0x80000001, 0), UINT32_MAX);
}

TEST(rounding_to_integral_values)
{
    static const float v[] = {0.0f,   -0.0f,   0.5f,       -0.5f,
                              1.5f,   2.5f,    -1.5f,      0.49999997f,
                              1e-40f, -1e-40f, 8388607.5f, 8388609.0f,
                              -3.7f,  1e30f,   INFINITY};

    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++) {
        float want[4] = {rintf(v[i]), floorf(v[i]), ceilf(v[i]), truncf(v[i])};

        for (unsigned how = 0; how < 4; how++) {
            isa_inst in = machine_inst(ISA_FRND, SRC_A);

            ISA_PUT(&in, RNDI, how);
            CHECK_EQ(eval(in, bits_of_float(v[i]), 0, 0),
                     bits_of_float(want[how]));
        }
    }
    CHECK_EQ(eval(machine_inst(ISA_FRND, SRC_A), 0xffc00000, 0, 0), NAN32);
}

/* ---- division ---- */

static bool fchk(uint32_t a, uint32_t b)
{
    isa_inst in = machine_inst(ISA_FCHK, SRC_A | SRC_B);

    in.dst = ISA_RZ;
    in.pdst[0] = 1;
    machine_start(&M, 0);
    M.reg[REG_A][0] = a;
    M.reg[REG_B][0] = b;
    machine_one(&M, in, 1);
    return M.warp.pred[1] & 1;
}

/* The fast sequence, from a reciprocal that is off by `ulps`. */
static float divide(float a, float b, int ulps)
{
    float r = float_of_bits(bits_of_float(1.0f / b) + (uint32_t)ulps), e, q;

    e = fmaf(-b, r, 1.0f);
    r = fmaf(r, e, r);
    q = a * r;
    e = fmaf(-b, q, a);
    q = fmaf(e, r, q);
    e = fmaf(-b, q, a);
    return fmaf(e, r, q);
}

/* q is a/b rounded: compared without dividing in this precision. */
static float quotient(float a, float b)
{
    return (float)((long double)a / (long double)b);
}

TEST(division_is_exact_where_fchk_allows_it)
{
    uint64_t seed = 3;
    unsigned fast = 0;

    machine_init(&M, ARCH_VOLTA);
    for (unsigned n = 0; n < 400000; n++) {
        uint64_t r = noise(&seed);
        uint32_t a = (uint32_t)r, b = (uint32_t)(r >> 32);

        if (n % 2) { /* where FCHK changes its mind */
            int ea = (int)(noise(&seed) % 256), eb = (int)(r >> 20 & 255);
            if (n % 4 == 1)
                ea = eb + 127 - (int)(noise(&seed) % 4);
            else if (n % 8 == 3)
                ea = eb - 127 + (int)(noise(&seed) % 4);
            ea = ea < 0 ? 0 : ea > 255 ? 255 : ea;
            a = (a & 0x807fffff) | (uint32_t)ea << 23;
            b = (b & 0x807fffff) | (uint32_t)eb << 23;
        }
        if (n % 16 == 0) /* few bits, or all */
            a |= 0x007ffff0, b |= 0x007fff00;
        if (n % 16 == 4)
            b &= 0xfffff000;
        if (fchk(a, b))
            continue;
        fast++;
        float x = float_of_bits(a), y = float_of_bits(b);
        for (int ulps = -1; ulps <= 1; ulps++)
            CHECK_EQ(bits_of_float(divide(x, y, ulps)),
                     bits_of_float(quotient(x, y)));
    }
    CHECK(fast > 100000);
}

TEST(fchk_sends_special_operands_the_slow_way)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < SPECIALS; i++) {
        float x = float_of_bits(special[i]);

        if (isnormal(x))
            continue;
        CHECK(fchk(special[i], 0x3f800000));
        CHECK(fchk(0x3f800000, special[i]));
    }
    CHECK(!fchk(0x3f800000, 0x40400000));
}

/* NaNs keep their payloads and zeros their signs: nothing is computed. */
TEST(fsel_takes_bits_with_their_sign)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned how = 0; how < 32; how++)
        for (unsigned i = 0; i < SPECIALS + 2; i++) {
            uint32_t v = i < SPECIALS    ? special[i]
                         : i == SPECIALS ? 0x7f800123
                                         : 0xffc00456;
            isa_inst in = machine_inst(ISA_FSEL, SRC_A | SRC_B);
            bool second = how & 1, ftz = how & 2;
            unsigned mod = (how & 4 ? SRC_NEG : 0) | (how & 8 ? SRC_ABS : 0);
            uint32_t want = mod & SRC_ABS ? v & 0x7fffffff : v;

            want ^= mod & SRC_NEG ? 0x80000000 : 0;
            want = ftz ? flushed(want) : want;
            ISA_PUT(&in, FTZ, ftz);
            in.psrc[0] = second ? ISA_PT | PRED_NOT : ISA_PT;
            in.src_mod[second] = (uint8_t)mod;
            CHECK_EQ(eval(in, second ? 7 : v, second ? v : 7, 0), want);
        }
}
