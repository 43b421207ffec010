/* Shifts, bit fields and bytes against bit-by-bit definitions of the manual. */
#include "machine.h"

static machine M;

static uint32_t eval(isa_inst in, uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)machine_eval(&M, in, a, b, c);
}

static const uint32_t amounts[] = {
    0,  1,  5,   15,  16,  30,  31,  32,         33,         47,        63,
    64, 65, 100, 127, 128, 255, 256, 0x7fffffff, 0x80000000, UINT32_MAX};
enum { AMOUNTS = sizeof amounts / sizeof *amounts };
static const uint32_t words[] = {0,          1,          0x80000000,
                                 0x7fffffff, 0xffffffff, 0x12345678,
                                 0xdeadbeef, 0x0000ff00};
enum { WORDS = sizeof words / sizeof *words };

TEST(shifts_clamp_or_wrap)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < AMOUNTS; i++)
        for (unsigned k = 0; k < WORDS; k++)
            for (unsigned wrap = 0; wrap < 2; wrap++) {
                uint32_t a = words[k], n = amounts[i], m = wrap ? n % 32 : n;
                isa_inst shl = machine_inst(ISA_SHL, SRC_A | SRC_B);
                isa_inst shr = machine_inst(ISA_SHR, SRC_A | SRC_B), sar = shr;

                ISA_PUT(&shl, WRAP, wrap);
                ISA_PUT(&shr, WRAP, wrap);
                ISA_PUT(&shr, U32, 1);
                ISA_PUT(&sar, WRAP, wrap);
                CHECK_EQ(eval(shl, a, n, 0),
                         m > 31 ? 0 : (uint32_t)((uint64_t)a << m));
                CHECK_EQ(eval(shr, a, n, 0), m > 31 ? 0 : a >> m);
                CHECK_EQ(eval(sar, a, n, 0),
                         (uint32_t)((int64_t)(int32_t)a >> (m > 31 ? 31 : m)));
            }
}

TEST(funnel_shifts_of_every_type)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < AMOUNTS; i++)
        for (unsigned k = 0; k < WORDS * WORDS; k += 3)
            for (unsigned how = 0; how < 32; how++) {
                unsigned type = how & 3, wrap = how >> 2 & 1, hi = how >> 3 & 1,
                         left = how >> 4;
                unsigned width = type < 2 ? 32 : 64;
                uint32_t a = words[k % WORDS], c = words[k / WORDS];
                uint32_t n = amounts[i];
                uint32_t m = wrap ? n % width : n < width ? n : width;
                isa_inst in = machine_inst(left ? ISA_SHF_L : ISA_SHF_R,
                                           SRC_A | SRC_B | SRC_C);
                unsigned __int128 v = (uint64_t)c << 32 | a;
                __int128 s = (int64_t)(uint64_t)v;
                uint64_t r = (uint64_t)(left       ? v << m
                                        : type & 1 ? (unsigned __int128)(s >> m)
                                                   : v >> m);

                ISA_PUT(&in, STYPE, type);
                ISA_PUT(&in, WRAP, wrap);
                ISA_PUT(&in, HI, hi);
                CHECK_EQ(eval(in, a, n, c), (uint32_t)(hi ? r >> 32 : r));
            }
}

/* The manual's pseudocode, bit by bit. */
static uint32_t ref_bfe(uint32_t a, unsigned pos, unsigned len, bool sign)
{
    uint32_t d = 0, last = pos + len - 1 < 31 ? pos + len - 1 : 31;
    bool sbit = sign && len && (a >> last & 1);

    for (unsigned i = 0; i <= 31; i++) {
        bool bit = i < len && pos + i <= 31 ? a >> (pos + i) & 1 : sbit;
        d |= (uint32_t)bit << i;
    }
    return d;
}

static uint32_t ref_bfi(uint32_t a, uint32_t c, unsigned pos, unsigned len)
{
    for (unsigned i = 0; i < len && pos + i <= 31; i++) {
        c &= ~(1u << (pos + i));
        c |= (a >> i & 1) << (pos + i);
    }
    return c;
}

TEST(bit_fields)
{
    static const unsigned at[] = {0, 1, 7, 16, 30, 31, 32, 33, 64, 200, 255};
    isa_inst ext = machine_inst(ISA_BFE, SRC_A | SRC_B), uext = ext;
    isa_inst ins = machine_inst(ISA_BFI, SRC_A | SRC_B | SRC_C);

    machine_init(&M, ARCH_VOLTA);
    ISA_PUT(&uext, U32, 1);
    for (unsigned i = 0; i < 11; i++)
        for (unsigned j = 0; j < 11; j++)
            for (unsigned k = 0; k < WORDS; k++) {
                uint32_t a = words[k], pack = at[i] | at[j] << 8;

                CHECK_EQ(eval(ext, a, pack, 0), ref_bfe(a, at[i], at[j], true));
                CHECK_EQ(eval(uext, a, pack, 0),
                         ref_bfe(a, at[i], at[j], false));
                CHECK_EQ(eval(ins, a, pack, 0xdeadbeef),
                         ref_bfi(a, 0xdeadbeef, at[i], at[j]));
            }
}

TEST(find_count_reverse)
{
    isa_inst flo = machine_inst(ISA_FLO, SRC_A), uflo = flo, sh = flo;
    isa_inst pop = machine_inst(ISA_POPC, SRC_A);
    isa_inst rev = machine_inst(ISA_BREV, SRC_A);

    machine_init(&M, ARCH_VOLTA);
    ISA_PUT(&uflo, U32, 1);
    ISA_PUT(&sh, U32, 1);
    ISA_PUT(&sh, SH, 1);
    for (unsigned k = 0; k < WORDS + 32; k++) {
        uint32_t a = k < WORDS ? words[k] : 0x0badf00du >> (k - WORDS);
        uint32_t s = (int32_t)a < 0 ? ~a : a, r = 0;
        int u = -1, v = -1;

        for (int i = 0; i < 32; i++) {
            u = a >> i & 1 ? i : u;
            v = s >> i & 1 ? i : v;
            r |= (a >> i & 1) << (31 - i);
        }
        CHECK_EQ(eval(uflo, a, 0, 0), (uint32_t)u);
        CHECK_EQ(eval(flo, a, 0, 0), (uint32_t)v);
        CHECK_EQ(eval(sh, a, 0, 0), (uint32_t)(u < 0 ? -1 : 31 - u));
        CHECK_EQ(eval(pop, a, 0, 0), (uint32_t)__builtin_popcount(a));
        CHECK_EQ(eval(rev, a, 0, 0), r);
    }
}

TEST(masks_and_sign_extension)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < AMOUNTS; i++)
        for (unsigned j = 0; j < AMOUNTS; j++)
            for (unsigned wrap = 0; wrap < 2; wrap++) {
                uint32_t p = amounts[i], n = amounts[j], mask = 0, x;
                uint32_t pos = wrap ? p % 32 : p < 32 ? p : 32;
                uint32_t len = wrap ? n % 32 : n < 32 ? n : 32;
                isa_inst bm = machine_inst(ISA_BMSK, SRC_A | SRC_B);
                isa_inst sx = machine_inst(ISA_SGXT, SRC_A | SRC_B);

                for (unsigned k = 0; k < 32; k++)
                    mask |= (uint32_t)(k >= pos && k < pos + len) << k;
                ISA_PUT(&bm, WRAP, wrap);
                CHECK_EQ(eval(bm, p, n, 0), mask);
                ISA_PUT(&sx, WRAP, wrap);
                x = ref_bfe(0xa5a5c3c3, 0, len, true);
                CHECK_EQ(eval(sx, 0xa5a5c3c3, n, 0), len ? x : 0);
                ISA_PUT(&sx, U32, 1);
                x = ref_bfe(0xa5a5c3c3, 0, len, false);
                CHECK_EQ(eval(sx, 0xa5a5c3c3, n, 0), x);
            }
}

/* Results from the table of the manual, written out. */
TEST(prmt_selects_bytes)
{
    static const struct {
        unsigned mode;
        uint32_t selector, want;
    } t[] = {
        {PRMT_IDX, 0x3210, 0x33221180}, {PRMT_IDX, 0x7654, 0x77665544},
        {PRMT_IDX, 0x5410, 0x55441180}, {PRMT_IDX, 0x0123, 0x80112233},
        {PRMT_IDX, 0x8888, 0xffffffff}, {PRMT_IDX, 0x9b00, 0x00008080},
        {PRMT_F4E, 0, 0x33221180},      {PRMT_F4E, 1, 0x44332211},
        {PRMT_F4E, 2, 0x55443322},      {PRMT_F4E, 3, 0x66554433},
        {PRMT_B4E, 0, 0x55667780},      {PRMT_B4E, 1, 0x66778011},
        {PRMT_B4E, 2, 0x77801122},      {PRMT_B4E, 3, 0x80112233},
        {PRMT_RC8, 0, 0x80808080},      {PRMT_RC8, 3, 0x33333333},
        {PRMT_ECL, 0, 0x33221180},      {PRMT_ECL, 1, 0x33221111},
        {PRMT_ECL, 2, 0x33222222},      {PRMT_ECL, 3, 0x33333333},
        {PRMT_ECR, 0, 0x80808080},      {PRMT_ECR, 1, 0x11111180},
        {PRMT_ECR, 2, 0x22221180},      {PRMT_ECR, 3, 0x33221180},
        {PRMT_RC16, 0, 0x11801180},     {PRMT_RC16, 1, 0x33223322},
        {PRMT_RC16, 7, 0x33223322},     {PRMT_F4E, 6, 0x55443322},
    };

    machine_init(&M, ARCH_VOLTA);
    for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
        isa_inst in = machine_inst(ISA_PRMT, SRC_A | SRC_B | SRC_C);

        ISA_PUT(&in, PRMTOP, t[i].mode);
        CHECK_EQ(eval(in, 0x33221180, t[i].selector, 0x77665544), t[i].want);
    }
}

TEST(dot_products)
{
    isa_inst d4 = machine_inst(ISA_IDP4A, SRC_A | SRC_B | SRC_C);
    isa_inst d2 = machine_inst(ISA_IDP2A, SRC_A | SRC_B | SRC_C);

    machine_init(&M, ARCH_VOLTA);
    /* bytes -1, 2, -128, 127 and 3, -4, 5, -6 */
    CHECK_EQ(eval(d4, 0x7f8002ff, 0xfa05fc03, 10),
             (uint32_t)(10 - 3 - 8 - 640 - 762));
    ISA_PUT(&d4, AU8, 1);
    CHECK_EQ(eval(d4, 0x7f8002ff, 0xfa05fc03, 10),
             (uint32_t)(10 + 765 - 8 + 640 - 762));
    ISA_PUT(&d4, BU8, 1);
    CHECK_EQ(eval(d4, 0x7f8002ff, 0xfa05fc03, 10),
             (uint32_t)(10 + 765 + 504 + 640 + 127 * 250));
    /* halves -2, 300; bytes 3, -4, 5, -6 */
    CHECK_EQ(eval(d2, 0x012cfffe, 0xfa05fc03, 1), (uint32_t)(1 - 6 - 1200));
    ISA_PUT(&d2, DOTHI, 1);
    CHECK_EQ(eval(d2, 0x012cfffe, 0xfa05fc03, 1), (uint32_t)(1 - 10 - 1800));
    ISA_PUT(&d2, AU8, 1);
    CHECK_EQ(eval(d2, 0x012cfffe, 0xfa05fc03, 1),
             (uint32_t)(1 + 65534 * 5 - 1800));
}

TEST(byte_differences)
{
    isa_inst in = machine_inst(ISA_VABSDIFF4, SRC_A | SRC_B | SRC_C);

    machine_init(&M, ARCH_VOLTA);
    CHECK_EQ(eval(in, 0x80ff0a05, 0x7f010a09, 7), 0xff020004);
    ISA_PUT(&in, U32, 1);
    CHECK_EQ(eval(in, 0x80ff0a05, 0x7f010a09, 7), 0x01fe0004);
    ISA_PUT(&in, SAD, 1);
    CHECK_EQ(eval(in, 0x80ff0a05, 0x7f010a09, 7), 7 + 1 + 254 + 0 + 4);
}
