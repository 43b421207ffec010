/* Double precision against the host in each of its rounding modes. */
#include <fenv.h>
#include <math.h>

#include "exec/sem/soft.h"
#include "machine.h"

static machine M;

static const uint64_t special[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001,
    0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff,
    0x0010000000000000, 0x8010000000000001, 0x3ff0000000000000,
    0xbff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff,
    0x4000000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x433fffffffffffff,
    0x1ff0000000000000, 0x2000000000000001, 0x5fe0000000000000,
    0xdff0000000000001, 0x3ca0000000000000, 0x3cb0000000000001};
enum { SPECIALS = sizeof special / sizeof *special };

static const int host_mode[4] = {[RND_RN] = FE_TONEAREST,
                                 [RND_RM] = FE_DOWNWARD,
                                 [RND_RP] = FE_UPWARD,
                                 [RND_RZ] = FE_TOWARDZERO};

enum { ADD, MUL, FMA };

static isa_inst arith(unsigned op, unsigned rnd)
{
    isa_inst in =
        machine_inst(op == ADD   ? ISA_DADD
                     : op == MUL ? ISA_DMUL
                                 : ISA_DFMA,
                     op == FMA ? SRC_A | SRC_B | SRC_C : SRC_A | SRC_B);

    ISA_PUT(&in, RND, rnd);
    return in;
}

static uint64_t host(unsigned op, unsigned rnd, uint64_t a, uint64_t b,
                     uint64_t c)
{
    volatile double x = double_of_bits(a), y = double_of_bits(b);
    volatile double z = double_of_bits(c), r;

    fesetround(host_mode[rnd]);
    r = op == ADD ? x + y : op == MUL ? x * y : fma(x, y, z);
    fesetround(FE_TONEAREST);
    return r != r ? 0xfff8000000000000 : bits_of_double(r);
}

static void many(unsigned op, unsigned rnd, const uint64_t v[3][ISA_WARP])
{
    EACH_LEVEL(level)
    {
        machine_start(&M, level);
        for (unsigned l = 0; l < ISA_WARP; l++) {
            machine_set64(&M, REG_A, l, v[0][l]);
            machine_set64(&M, REG_B, l, v[1][l]);
            machine_set64(&M, REG_C, l, v[2][l]);
        }
        machine_one(&M, arith(op, rnd), UINT32_MAX);
        for (unsigned l = 0; l < ISA_WARP; l++)
            CHECK_EQ(machine_get64(&M, REG_D, l),
                     host(op, rnd, v[0][l], v[1][l], v[2][l]));
    }
}

TEST(special_values_in_all_directions)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned op = ADD; op <= FMA; op++)
        for (unsigned rnd = 0; rnd < 4; rnd++)
            for (unsigned i = 0; i < SPECIALS; i++)
                for (unsigned j = 0; j < (op == FMA ? SPECIALS : 1); j++) {
                    uint64_t v[3][ISA_WARP];

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
    uint64_t seed = 11;

    machine_init(&M, ARCH_VOLTA);
    for (unsigned n = 0; n < 2000; n++) {
        uint64_t v[3][ISA_WARP];

        for (unsigned l = 0; l < ISA_WARP; l++) {
            for (unsigned k = 0; k < 3; k++)
                do
                    v[k][l] = noise(&seed);
                while ((v[k][l] >> 52 & 0x7ff) == 0x7ff);
            if (l % 4 == 1) {
                double p = double_of_bits(v[0][l]) * double_of_bits(v[1][l]);
                uint64_t u = bits_of_double(-p) + noise(&seed) % 3;
                v[2][l] = (u >> 52 & 0x7ff) == 0x7ff ? 0 : u;
            } else if (l % 4 == 2) {
                for (unsigned k = 0; k < 3; k++)
                    v[k][l] &= 0xffffff0000000000;
            } else if (l % 4 == 3) { /* close to each other, or denormal */
                v[0][l] = (v[0][l] & 0x803fffffffffffff) | 0x1fe0ull << 48;
                v[1][l] = (v[1][l] & 0x803fffffffffffff) | 0x2000ull << 48;
                v[2][l] &= 0x801fffffffffffff;
            }
        }
        for (unsigned op = ADD; op <= FMA; op++)
            many(op, n % 4, v);
    }
}

TEST(nan_operands_keep_their_payload_and_the_first_wins)
{
    uint64_t sig = 0x7ff0000000000123, quiet = 0xfff8000000000456;
    uint64_t one = bits_of_double(1.0), inf = bits_of_double(INFINITY);

    machine_init(&M, ARCH_VOLTA);
    for (unsigned rnd = 0; rnd < 4; rnd++) {
        isa_inst add = arith(ADD, rnd), fmadd = arith(FMA, rnd);

        CHECK_EQ(machine_eval(&M, add, sig, quiet, 0), 0x7ff8000000000123);
        CHECK_EQ(machine_eval(&M, add, quiet, sig, 0), quiet);
        CHECK_EQ(machine_eval(&M, add, one, sig, 0), 0x7ff8000000000123);
        CHECK_EQ(machine_eval(&M, fmadd, one, one, sig), 0x7ff8000000000123);
        CHECK_EQ(machine_eval(&M, fmadd, inf, 0, quiet), quiet);
        CHECK_EQ(machine_eval(&M, fmadd, inf, 0, one), 0xfff8000000000000);
    }
}

TEST(min_max_compare_round)
{
    isa_inst mm = machine_inst(ISA_DMNMX, SRC_A | SRC_B);
    uint64_t nan = 0x7ff8000000000000, one = bits_of_double(1.0);

    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < SPECIALS; i++)
        for (unsigned j = 0; j < SPECIALS; j++) {
            uint64_t a = special[i], b = special[j];
            double x = double_of_bits(a), y = double_of_bits(b);
            bool less = x < y || (x == y && (a >> 63) > (b >> 63));

            mm.psrc[0] = ISA_PT;
            CHECK_EQ(machine_eval(&M, mm, a, b, 0), less ? a : b);
            mm.psrc[0] = ISA_PT | PRED_NOT;
            CHECK_EQ(machine_eval(&M, mm, a, b, 0), less ? b : a);
            for (unsigned cmp = 0; cmp < 16; cmp++) {
                isa_inst set = machine_inst(ISA_DSETP, SRC_A | SRC_B);
                bool want = (cmp & 1 && x < y) || (cmp & 2 && x == y) ||
                            (cmp & 4 && x > y);

                set.dst = ISA_RZ;
                set.pdst[0] = 3;
                ISA_PUT(&set, FCMP, cmp);
                machine_eval(&M, set, a, b, 0);
                CHECK_EQ(M.warp.pred[3] & 1, want);
                machine_eval(&M, set, a, nan, 0);
                CHECK_EQ(M.warp.pred[3] & 1, cmp >= CMP_NAN);
            }
        }
    CHECK_EQ(machine_eval(&M, mm, nan, one, 0), one);
    CHECK_EQ(machine_eval(&M, mm, one, nan, 0), one);
    ISA_PUT(&mm, NANP, 1);
    CHECK(machine_eval(&M, mm, one, nan, 0) > 0x7ff0000000000000);
}

TEST(rounding_to_integral_values)
{
    static const double v[] = {
        0.0,  -0.0, 0.5,       -0.5,       1.5,
        2.5,  -1.5, 0x1p-1060, -0x1p-1060, 4503599627370495.5,
        -3.7, 1e300};

    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++) {
        double want[4] = {rint(v[i]), floor(v[i]), ceil(v[i]), trunc(v[i])};

        for (unsigned how = 0; how < 4; how++) {
            isa_inst in = machine_inst(ISA_DRND, SRC_A);

            ISA_PUT(&in, RNDI, how);
            CHECK_EQ(machine_eval(&M, in, bits_of_double(v[i]), 0, 0),
                     bits_of_double(want[how]));
        }
    }
}

TEST(constants_and_modifiers)
{
    isa_inst in = machine_inst(ISA_DADD, SRC_A);
    double v = 0.1;

    machine_init(&M, ARCH_VOLTA);
    memcpy(M.cbank + 16, &v, 8);
    in.src_kind[1] = SRC_CONST;
    in.val[1] = 16;
    in.src_mod[0] = SRC_NEG;
    CHECK_EQ(machine_eval(&M, in, bits_of_double(2), 0, 0),
             bits_of_double(-2 + 0.1));
    in.src_kind[1] = SRC_IMM; /* the upper half of a double */
    in.val[1] = 0x40080000;
    CHECK_EQ(machine_eval(&M, in, bits_of_double(2), 0, 0), bits_of_double(1));
}

static void check_least(uint64_t a, uint64_t b)
{
    double x = double_of_bits(a), y = double_of_bits(b);
    bool nx = x != x, ny = y != y;
    bool less = x < y || (x == y && (a >> 63) > (b >> 63));

    for (unsigned max = 0; max < 2; max++) {
        isa_inst in = machine_inst(ISA_DSETPM, SRC_A | SRC_B);
        bool first = max ? x > y || (x == y && (a >> 63) < (b >> 63)) : less;

        in.dst = ISA_RZ;
        in.pdst[0] = 3;
        in.pdst[1] = 4;
        in.psrc[0] = max ? ISA_PT | PRED_NOT : ISA_PT;
        machine_eval(&M, in, a, b, 0);
        if (a != b && !(nx && ny)) /* else they are the same */
            CHECK_EQ(M.warp.pred[3] & 1, !nx && (ny || first));
        CHECK_EQ(M.warp.pred[4] & 1, nx && ny);
    }
}

TEST(which_of_two_doubles_is_the_least)
{
    static const uint64_t nan[] = {0x7ff8000000000000, 0xfff8000000000456,
                                   0x7ff0000000000001};

    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < SPECIALS + 3; i++)
        for (unsigned j = 0; j < SPECIALS + 3; j++)
            check_least(i < SPECIALS ? special[i] : nan[i - SPECIALS],
                        j < SPECIALS ? special[j] : nan[j - SPECIALS]);
}
