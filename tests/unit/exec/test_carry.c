/* Sums and products with carries, in and out, against arithmetic of the host
 * with twice the bits. */
#include "machine.h"

static machine M;

static const uint32_t edge[] = {0,          1,          2,          0xffff,
                                0x10000,    0x7fffffff, 0x80000000, 0x80000001,
                                0xfffffffe, 0xffffffff, 0xdeadbeef};
enum { EDGES = sizeof edge / sizeof *edge };

static const uint64_t wide[] = {0,
                                1,
                                0xffffffff,
                                0x100000000,
                                0x7fffffffffffffff,
                                0x8000000000000000,
                                0xfffffffe00000000,
                                0xfffffffe00000001,
                                0xffffffff00000000,
                                UINT64_MAX - 1,
                                UINT64_MAX};
enum { WIDES = sizeof wide / sizeof *wide };

#define EACH(v, list)                                                          \
    for (unsigned v##_i = 0; v##_i < COUNTOF(list); v##_i++)                   \
        for (uint64_t v = (list)[v##_i], v##_1 = 1; v##_1; v##_1 = 0)

enum { OUT = 3 }; /* the predicate of the carry */

static uint8_t known(bool p) { return p ? ISA_PT : ISA_PT | PRED_NOT; }

static isa_inst operation(isa_op op, unsigned sources)
{
    isa_inst in = machine_inst(op, sources);

    in.psrc[0] = known(false);
    in.pdst[0] = op == ISA_IMADX ? ISA_PT : OUT;
    return in;
}

static uint64_t eval(isa_inst in, uint64_t a, uint64_t b, uint64_t c, bool s)
{
    if (in.op != ISA_LEA)
        in.psrc[0] = known(s);
    else
        in.psrc[0] = ISA_PT;
    CHECK(!isa_check(&in, ARCH_VOLTA));
    return machine_eval(&M, in, a, b, c);
}

static bool carry(void) { return M.warp.pred[OUT] & 1; }

/* ---- products ---- */

TEST(imadx_adds_a_carry_and_takes_complements)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned how = 0; how < 8; how++) {
        isa_inst in = operation(ISA_IMADX, SRC_A | SRC_B | SRC_C);
        bool s = how & 1;

        in.src_mod[1] = how & 2 ? SRC_NOT : 0;
        in.src_mod[2] = how & 4 ? SRC_NOT : 0;
        EACH(a, edge)
        EACH(b, edge)
        EACH(c, edge)
        {
            uint64_t y = how & 2 ? b ^ UINT32_MAX : b;
            uint64_t z = how & 4 ? c ^ UINT32_MAX : c;

            CHECK_EQ((uint32_t)eval(in, a, b, c, s), (uint32_t)(a * y + z + s));
        }
    }
}

/* A product with its sign, or without, as 64 bits. */
static uint64_t product(uint64_t a, uint64_t b, bool plain)
{
    return plain ? a * b : (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
}

static void wide_products(isa_op op)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned how = 0; how < 4; how++) {
        isa_inst in = operation(op, SRC_A | SRC_B | SRC_C);
        bool plain = how & 1, s = how & 2;

        ISA_PUT(&in, U32, plain);
        EACH(a, edge)
        EACH(b, edge)
        EACH(c, wide)
        {
            unsigned __int128 sum = product(a, b, plain);

            sum += c;
            sum += s;
            uint64_t got = eval(in, a, b, c, s), all = (uint64_t)sum;
            if (op == ISA_IMADWX)
                CHECK_EQ(got, all);
            else
                CHECK_EQ((uint32_t)got, all >> 32);
            CHECK_EQ(carry(), (uint64_t)(sum >> 64));
        }
    }
}

TEST(imadwx_has_64_bits_and_a_carry) { wide_products(ISA_IMADWX); }
TEST(imadhx_is_the_upper_half_of_imadwx) { wide_products(ISA_IMADHX); }

/* All 128 bits of a product, as compilers make them. */
static unsigned __int128 long_product(uint64_t a, uint64_t b)
{
    isa_inst in = operation(ISA_IMADWX, SRC_A | SRC_B | SRC_C);
    uint64_t low, mid, top;

    ISA_PUT(&in, U32, 1);
    low = eval(in, (uint32_t)a, (uint32_t)b, 0, false);
    mid = eval(in, a >> 32, (uint32_t)b, low >> 32, false);
    CHECK(!carry());
    mid = eval(in, (uint32_t)a, b >> 32, mid, false);
    top = mid >> 32 | (uint64_t)carry() << 32;
    top = eval(in, a >> 32, b >> 32, top, false);
    CHECK(!carry());
    return (unsigned __int128)top << 64 | mid << 32 | (uint32_t)low;
}

TEST(products_of_128_bits)
{
    uint64_t seed = 3;

    machine_init(&M, ARCH_VOLTA);
    for (unsigned n = 0; n < 1000; n++) {
        uint64_t a = n < WIDES * WIDES ? wide[n / WIDES] : noise(&seed);
        uint64_t b = n < WIDES * WIDES ? wide[n % WIDES] : noise(&seed);
        unsigned __int128 got = long_product(a, b);

        CHECK(got == (unsigned __int128)a * b);
    }
}

/* ---- shifted sums ---- */

/* With NEG a carry means that nothing was borrowed. */
TEST(lea_carries_and_borrows)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned k = 0; k < 32; k++)
        EACH(a, edge)
    EACH(b, edge)
    {
        isa_inst in = operation(ISA_LEA, SRC_A | SRC_B);
        uint32_t x = (uint32_t)a << k, y = (uint32_t)b;

        in.lut = (uint8_t)k;
        CHECK_EQ((uint32_t)eval(in, a, b, 0, false), x + y);
        CHECK_EQ(carry(), ((uint64_t)x + y) >> 32);
        in.src_mod[0] = SRC_NEG;
        CHECK_EQ((uint32_t)eval(in, a, b, 0, false), y - x);
        CHECK_EQ(carry(), y >= x);
        in.src_mod[0] = 0;
        in.src_mod[1] = SRC_NEG;
        CHECK_EQ((uint32_t)eval(in, a, b, 0, false), x - y);
        CHECK_EQ(carry(), x >= y);
    }
}

TEST(leax_takes_and_gives_a_carry)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned how = 0; how < 8; how++)
        for (unsigned k = 0; k < 32; k++)
            EACH(a, edge)
    EACH(b, edge)
    {
        isa_inst in = operation(ISA_LEAX, SRC_A | SRC_B);
        uint32_t x = (uint32_t)a << k, y = (uint32_t)b;
        bool s = how & 1;

        in.lut = (uint8_t)k;
        in.src_mod[0] = how & 2 ? SRC_NOT : 0;
        in.src_mod[1] = how & 4 ? SRC_NOT : 0;
        x = how & 2 ? ~x : x;
        y = how & 4 ? ~y : y;
        CHECK_EQ((uint32_t)eval(in, a, b, 0, s), x + y + s);
        CHECK_EQ(carry(), ((uint64_t)x + y + s) >> 32);
    }
}

enum { PLUS, A_MINUS, B_MINUS };

/* x + b, b - x, x - b: the lower word by LEA, the upper one by `op`, which
 * continues it. */
static void continues(isa_op op, uint64_t a, uint64_t b, unsigned k,
                      unsigned how)
{
    isa_inst lo = operation(ISA_LEA, SRC_A | SRC_B);
    isa_inst hi =
        operation(op, op == ISA_LEAHI ? SRC_A | SRC_B | SRC_C : SRC_A | SRC_B);
    uint64_t x = a << k, d;
    bool out = how == A_MINUS ? b >= x : how == B_MINUS ? x >= b : x + b < x;

    lo.lut = hi.lut = (uint8_t)k;
    if (how) {
        lo.src_mod[how - 1] = SRC_NEG;
        hi.src_mod[how - 1] = SRC_NOT;
    }
    d = (uint32_t)eval(lo, (uint32_t)a, (uint32_t)b, 0, false);
    d |= eval(hi, (uint32_t)a, b >> 32, a >> 32, carry()) << 32;
    CHECK_EQ(d, how == A_MINUS ? b - x : how == B_MINUS ? x - b : x + b);
    CHECK_EQ(carry(), out);
}

TEST(leahi_continues_sums_and_differences)
{
    uint64_t seed = 17;

    machine_init(&M, ARCH_VOLTA);
    for (unsigned how = PLUS; how <= B_MINUS; how++) {
        for (unsigned k = 0; k < 32; k++)
            EACH(a, wide)
        EACH(b, wide)
        continues(ISA_LEAHI, a, b, k, how);
        for (unsigned n = 0; n < 300; n++)
            continues(ISA_LEAHI, noise(&seed), noise(&seed), n % 32, how);
    }
}

TEST(leahis_continues_with_the_sign_of_a)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned how = PLUS; how <= B_MINUS; how++)
        for (unsigned k = 0; k < 32; k++)
            EACH(a, edge)
    EACH(b, wide)
    continues(ISA_LEAHIS, (uint64_t)(int64_t)(int32_t)a, b, k, how);
}

/* Alone, with no carry from below, minus is of all 64 bits. */
TEST(leahi_alone_takes_the_upper_word)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned sign = 0; sign < 2; sign++)
        for (unsigned k = 0; k < 32; k++)
            EACH(a, wide)
    EACH(b, edge)
    {
        isa_inst in = sign ? operation(ISA_LEAHIS, SRC_A | SRC_B)
                           : operation(ISA_LEAHI, SRC_A | SRC_B | SRC_C);
        uint64_t v = sign ? (uint64_t)(int64_t)(int32_t)a : a, x = v << k;
        uint64_t top = x >> 32, minus = -x >> 32;

        in.lut = (uint8_t)k;
        CHECK_EQ((uint32_t)eval(in, a, b, a >> 32, false), (uint32_t)(top + b));
        CHECK_EQ(carry(), (top + b) >> 32);
        in.src_mod[0] = SRC_NEG;
        CHECK_EQ((uint32_t)eval(in, a, b, a >> 32, false),
                 (uint32_t)(minus + b));
        CHECK_EQ(carry(), (minus + b) >> 32);
        in.src_mod[0] = 0;
        in.src_mod[1] = SRC_NEG;
        CHECK_EQ((uint32_t)eval(in, a, b, a >> 32, false), (uint32_t)(top - b));
        CHECK_EQ(carry(), top >= b);
    }
}

/* ---- lanes ---- */

enum { SUMS = 3 }; /* sums from there on */
static const isa_op carries[] = {ISA_IMADX, ISA_IMADWX, ISA_IMADHX,
                                 ISA_LEAX,  ISA_LEAHI,  ISA_LEAHIS};

/* What a lane has of -1 * 1 + C + s, or of -1 + C + s, C all ones: the word
 * that is taken. */
static uint32_t expected(isa_op op, bool s)
{
    switch ((unsigned)op) {
    case ISA_IMADHX: /* -1 + -1 + s in 64 bits */
        return UINT32_MAX;
    default:
        return UINT32_MAX - 1 + s;
    }
}

TEST(each_lane_has_its_own_carry_and_others_keep_theirs)
{
    static const uint32_t masks[] = {0,          1,          0x80000000,
                                     0x0000ffff, 0xaaaaaaaa, UINT32_MAX};

    machine_init(&M, ARCH_VOLTA);
    EACH_LEVEL(level)
    for (unsigned i = 0; i < COUNTOF(carries); i++)
        EACH(s, masks)
    EACH(mask, masks)
    {
        isa_inst in = operation(carries[i], carries[i] == ISA_LEAX ||
                                                    carries[i] == ISA_LEAHIS
                                                ? SRC_A | SRC_B
                                                : SRC_A | SRC_B | SRC_C);

        if (!mask)
            continue;
        machine_start(&M, level);
        in.psrc[0] = 2;
        M.warp.pred[2] = (uint32_t)s;
        M.warp.pred[OUT] = 0x33333333;
        for (unsigned l = 0; l < ISA_WARP; l++) {
            bool sum = i >= SUMS;

            machine_set64(&M, REG_A, l, UINT32_MAX);
            machine_set64(&M, REG_B, l, sum ? UINT32_MAX : 1);
            machine_set64(&M, REG_C, l, UINT64_MAX);
            M.reg[REG_D][l] = 7;
        }
        CHECK_EQ(machine_one(&M, in, (uint32_t)mask), EXEC_DONE);
        for (unsigned l = 0; l < ISA_WARP; l++)
            CHECK_EQ(M.reg[REG_D][l],
                     mask >> l & 1 ? expected(carries[i], s >> l & 1) : 7);
        if (in.pdst[0] == OUT)
            CHECK_EQ(M.warp.pred[OUT], mask | (0x33333333 & ~mask));
    }
}
