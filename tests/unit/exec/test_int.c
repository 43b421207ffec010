/* Integer operations against 64- and 128-bit arithmetic of the host. */
#include "machine.h"

static machine M;

static const uint32_t edge[] = {0,          1,          2,          3,
                                31,         32,         33,         0x7f,
                                0x80,       0xff,       0x8000,     0xffff,
                                0x10000,    0x7fffffff, 0x80000000, 0x80000001,
                                0xfffffffe, 0xffffffff, 0xdeadbeef, 0x55555555};
enum { EDGES = sizeof edge / sizeof *edge };

#define EACH_PAIR(a, b)                                                        \
    for (unsigned a##_i = 0; a##_i < EDGES; a##_i++)                           \
        for (unsigned b##_i = 0; b##_i < EDGES; b##_i++)                       \
            for (uint32_t a = edge[a##_i], b = edge[b##_i], a##_1 = 1; a##_1;  \
                 a##_1 = 0)

static uint32_t eval(isa_inst in, uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)machine_eval(&M, in, a, b, c);
}

static bool pred(unsigned p) { return M.warp.pred[p] & 1; }

TEST(iadd3_adds_and_carries)
{
    isa_inst in = machine_inst(ISA_IADD3, SRC_A | SRC_B | SRC_C);

    machine_init(&M, ARCH_VOLTA);
    in.pdst[0] = 1;
    in.pdst[1] = 2;
    EACH_PAIR(a, b)
    {
        for (unsigned k = 0; k < EDGES; k += 3) {
            uint64_t sum = (uint64_t)a + b + edge[k];

            CHECK_EQ(eval(in, a, b, edge[k]), (uint32_t)sum);
            CHECK_EQ(pred(1), sum >> 32 >= 1);
            CHECK_EQ(pred(2), sum >> 32 >= 2);
        }
    }
}

TEST(iadd3_subtracts_and_borrows)
{
    isa_inst in = machine_inst(ISA_IADD3, SRC_A | SRC_B | SRC_C);
    isa_inst plain = in;

    machine_init(&M, ARCH_VOLTA);
    in.src_mod[1] = plain.src_mod[1] = SRC_NEG;
    in.pdst[0] = 1;
    EACH_PAIR(a, b)
    {
        CHECK_EQ(eval(in, a, b, 0), a - b);
        CHECK_EQ(pred(1), a >= b); /* carry: no borrow */
        CHECK_EQ(eval(plain, a, b, 7), a - b + 7);
    }
}

/* 64-bit sums and differences of pairs through P0. */
TEST(iadd3x_continues_a_wide_sum)
{
    uint64_t seed = 1;
    isa_inst lo = machine_inst(ISA_IADD3, SRC_A | SRC_B);
    isa_inst hi = machine_inst(ISA_IADD3X, SRC_A | SRC_B);

    machine_init(&M, ARCH_VOLTA);
    lo.src_kind[2] = hi.src_kind[2] = SRC_REG;
    lo.pdst[0] = 3;
    hi.psrc[0] = 3;
    hi.psrc[1] = ISA_PT | PRED_NOT;
    for (unsigned n = 0; n < 2000; n++) {
        uint64_t a = noise(&seed), b = noise(&seed), r[2];

        if (n % 3 == 0)
            b = -a + n % 5 - 2;
        if (n % 7 == 0)
            a = (uint32_t)a;
        for (unsigned minus = 0; minus < 2; minus++) {
            lo.src_mod[1] = hi.src_mod[1] = minus ? SRC_NEG : 0;
            r[0] = eval(lo, (uint32_t)a, (uint32_t)b, 0);
            bool carry = pred(3);
            /* eval starts the warp anew, so hand the carry over by hand */
            isa_inst in = hi;
            in.psrc[0] = carry ? ISA_PT : ISA_PT | PRED_NOT;
            r[1] = eval(in, a >> 32, b >> 32, 0);
            CHECK_EQ(r[0] | r[1] << 32, minus ? a - b : a + b);
        }
    }
}

TEST(imad_low_high_and_wide)
{
    isa_inst lo = machine_inst(ISA_IMAD, SRC_A | SRC_B | SRC_C);
    isa_inst hi = machine_inst(ISA_IMADHI, SRC_A | SRC_B | SRC_C), hu = hi;
    isa_inst w = machine_inst(ISA_IMADW, SRC_A | SRC_B | SRC_C), wu = w;
    uint64_t c = 0x123456789abcdef0;

    machine_init(&M, ARCH_VOLTA);
    ISA_PUT(&hu, U32, 1);
    ISA_PUT(&wu, U32, 1);
    EACH_PAIR(a, b)
    {
        __int128 s = (__int128)(int32_t)a * (int32_t)b;
        unsigned __int128 u = (unsigned __int128)a * b;

        CHECK_EQ(eval(lo, a, b, 77), (uint32_t)(u + 77));
        CHECK_EQ(eval(hi, a, b, 5), (uint32_t)((s >> 32) + 5));
        CHECK_EQ(eval(hu, a, b, 5), (uint32_t)((u >> 32) + 5));
        CHECK_EQ(machine_eval(&M, w, a, b, c), (uint64_t)(s + c));
        CHECK_EQ(machine_eval(&M, wu, a, b, c), (uint64_t)(u + c));
    }
    w.src_mod[2] = SRC_NEG;
    CHECK_EQ(machine_eval(&M, w, 3, 4, 20), (uint64_t)-8);
    lo.src_mod[0] = SRC_NEG;
    CHECK_EQ(eval(lo, 3, 4, 20), 8);
}

TEST(imnmx_and_isetp_signed_and_unsigned)
{
    machine_init(&M, ARCH_VOLTA);
    EACH_PAIR(a, b)
    {
        for (unsigned u = 0; u < 2; u++) {
            int64_t x = u ? (int64_t)a : (int32_t)a;
            int64_t y = u ? (int64_t)b : (int32_t)b;
            bool want[8] = {false, x<y, x == y, x <= y, x> y, x != y, x >= y,
                            true};
            isa_inst mm = machine_inst(ISA_IMNMX, SRC_A | SRC_B);
            isa_inst set = machine_inst(ISA_ISETP, SRC_A | SRC_B);

            ISA_PUT(&mm, U32, u);
            CHECK_EQ(eval(mm, a, b, 0), (uint32_t)(x < y ? x : y));
            mm.psrc[0] = ISA_PT | PRED_NOT;
            CHECK_EQ(eval(mm, a, b, 0), (uint32_t)(x > y ? x : y));
            ISA_PUT(&set, U32, u);
            set.pdst[0] = 1;
            set.pdst[1] = 2;
            for (unsigned cmp = 0; cmp < 8; cmp++) {
                ISA_PUT(&set, ICMP, cmp);
                eval(set, a, b, 0);
                CHECK_EQ(pred(1), want[cmp]);
                CHECK_EQ(pred(2), !want[cmp]);
            }
        }
    }
}

TEST(isetp_combines_with_a_predicate)
{
    isa_inst set = machine_inst(ISA_ISETP, SRC_A | SRC_B);

    machine_init(&M, ARCH_VOLTA);
    set.pdst[0] = 1;
    set.pdst[1] = 2;
    ISA_PUT(&set, ICMP, CMP_LT);
    for (unsigned hit = 0; hit < 2; hit++)
        for (unsigned s = 0; s < 2; s++)
            for (unsigned how = 0; how < 3; how++) {
                bool p = how == BOOL_AND  ? hit && s
                         : how == BOOL_OR ? hit || s
                                          : hit != s;
                bool q = how == BOOL_AND  ? !hit && s
                         : how == BOOL_OR ? !hit || s
                                          : hit == s;
                ISA_PUT(&set, BOOL, how);
                set.psrc[0] = s ? ISA_PT : ISA_PT | PRED_NOT;
                eval(set, hit ? 1 : 3, 2, 0);
                CHECK_EQ(pred(1), p);
                CHECK_EQ(pred(2), q);
            }
}

TEST(isetp_ex_compares_64_bits)
{
    uint64_t seed = 5;

    machine_init(&M, ARCH_VOLTA);
    for (unsigned n = 0; n < 300; n++) {
        uint64_t a = noise(&seed), b = noise(&seed);

        if (n % 2)
            b = (a & ~(uint64_t)0xffffffff) | (uint32_t)b;
        if (n % 5 == 0)
            b = a;
        for (unsigned u = 0; u < 2; u++)
            for (unsigned cmp = CMP_LT; cmp <= CMP_GE; cmp++) {
                isa_inst lo = machine_inst(ISA_ISETP, SRC_A | SRC_B), hi = lo;
                int64_t x = (int64_t)a, y = (int64_t)b;
                bool less = u ? a < b : x < y, same = a == b;
                bool want = ((cmp & 1) && less) || ((cmp & 2) && same) ||
                            ((cmp & 4) && !less && !same);

                ISA_PUT(&lo, ICMP, cmp);
                ISA_PUT(&lo, U32, 1);
                lo.pdst[0] = hi.pdst[0] = 1;
                ISA_PUT(&hi, ICMP, cmp);
                ISA_PUT(&hi, U32, u);
                ISA_PUT(&hi, EX, 1);
                eval(lo, (uint32_t)a, (uint32_t)b, 0);
                hi.psrc[1] = pred(1) ? ISA_PT : ISA_PT | PRED_NOT;
                eval(hi, a >> 32, b >> 32, 0);
                CHECK_EQ(pred(1), want);
            }
    }
}

TEST(lea_scales_and_continues)
{
    uint64_t seed = 9;

    machine_init(&M, ARCH_VOLTA);
    for (unsigned n = 0; n < 500; n++) {
        uint64_t a = noise(&seed), b = noise(&seed);
        unsigned k = n % 32;
        isa_inst lo = machine_inst(ISA_LEA, SRC_A | SRC_B);
        isa_inst hi = machine_inst(ISA_LEAHI, SRC_A | SRC_B | SRC_C);
        uint64_t r;

        lo.lut = hi.lut = (uint8_t)k;
        lo.pdst[0] = 1;
        r = eval(lo, (uint32_t)a, (uint32_t)b, 0);
        hi.psrc[0] = pred(1) ? ISA_PT : ISA_PT | PRED_NOT;
        r |= (uint64_t)eval(hi, (uint32_t)a, b >> 32, a >> 32) << 32;
        CHECK_EQ(r, (a << k) + b);
    }
}

TEST(lop3_is_its_table)
{
    isa_inst in = machine_inst(ISA_LOP3, SRC_A | SRC_B | SRC_C);

    machine_init(&M, ARCH_VOLTA);
    in.pdst[0] = 1;
    for (unsigned lut = 0; lut < 256; lut++) {
        uint32_t a = 0xf0f0f0f0, b = 0xcccccccc, c = 0xaaaaaaaa;

        /* With these operands each byte of the result is the table. */
        in.lut = (uint8_t)lut;
        CHECK_EQ(eval(in, a, b, c), lut * 0x01010101u);
        CHECK_EQ(pred(1), lut != 0);
    }
    in.src_mod[1] = SRC_NOT;
    in.lut = 0xc0;
    CHECK_EQ(eval(in, 0xff00ff00, 0xffff0000, 0), 0x0000ff00);
}

TEST(plop3_is_its_table)
{
    machine_init(&M, ARCH_VOLTA);
    for (unsigned lut = 0; lut < 256; lut += 7)
        for (unsigned k = 0; k < 8; k++) {
            isa_inst in = isa_new(ISA_PLOP3);

            in.lut = (uint8_t)lut;
            in.pdst[0] = 4;
            for (unsigned i = 0; i < 3; i++)
                in.psrc[i] = k >> (2 - i) & 1 ? ISA_PT : ISA_PT | PRED_NOT;
            machine_eval(&M, in, 0, 0, 0);
            CHECK_EQ(pred(4), lut >> k & 1);
        }
}

TEST(abs_select_move)
{
    isa_inst abs = machine_inst(ISA_IABS, SRC_A);
    isa_inst sel = machine_inst(ISA_SEL, SRC_A | SRC_B);
    isa_inst mov = machine_inst(ISA_MOV, SRC_B);

    machine_init(&M, ARCH_VOLTA);
    CHECK_EQ(eval(abs, (uint32_t)-5, 0, 0), 5);
    CHECK_EQ(eval(abs, 0x80000000, 0, 0), 0x80000000);
    CHECK_EQ(eval(sel, 1, 2, 0), 1);
    sel.psrc[0] = ISA_PT | PRED_NOT;
    CHECK_EQ(eval(sel, 1, 2, 0), 2);
    CHECK_EQ(eval(mov, 1, 2, 3), 2);
}

TEST(predicates_to_register_and_back)
{
    isa_inst p2r = machine_inst(ISA_P2R, 0), r2p = machine_inst(ISA_R2P, SRC_A);

    machine_init(&M, ARCH_VOLTA);
    EACH_LEVEL(level)
    {
        machine_start(&M, level);
        for (unsigned l = 0; l < 32; l++)
            M.reg[REG_A][l] = l * 4;
        r2p.lut = 0x7c;
        M.warp.pred[1] = 0xffff;
        machine_one(&M, r2p, 0x0fffffff);
        for (unsigned p = 2; p < 7; p++)
            for (unsigned l = 0; l < 32; l++)
                CHECK_EQ(M.warp.pred[p] >> l & 1, l < 28 ? l * 4 >> p & 1 : 0);
        CHECK_EQ(M.warp.pred[1], 0xffff);
        p2r.lut = 0x6;
        machine_one(&M, p2r, UINT32_MAX);
        for (unsigned l = 0; l < 32; l++)
            CHECK_EQ(M.reg[REG_D][l],
                     (l < 16 ? 2 : 0) | (l < 28 ? l * 4 & 4 : 0));
    }
}

TEST(guards_and_masks_leave_other_lanes_alone)
{
    isa_inst add = machine_inst(ISA_IADD3, SRC_A | SRC_B);

    machine_init(&M, ARCH_VOLTA);
    add.guard = 2 | PRED_NOT;
    add.src_kind[2] = SRC_REG;
    EACH_LEVEL(level)
    {
        machine_start(&M, level);
        for (unsigned l = 0; l < 32; l++) {
            M.reg[REG_A][l] = l;
            M.reg[REG_B][l] = 100;
            M.reg[REG_D][l] = 7;
        }
        M.warp.pred[2] = 0xf0f0f0f0;
        machine_one(&M, add, 0x0000ffff);
        CHECK_EQ(M.warp.ran, 0x0f0f);
        for (unsigned l = 0; l < 32; l++)
            CHECK_EQ(M.reg[REG_D][l], l < 16 && !(l & 4) ? 100 + l : 7);
        add.dst = ISA_RZ; /* dropped */
        machine_one(&M, add, UINT32_MAX);
        add.dst = REG_D;
    }
}

TEST(operands_from_constants_and_immediates)
{
    isa_inst add = machine_inst(ISA_IADD3, SRC_A);
    isa_inst wide = machine_inst(ISA_IMADW, SRC_A | SRC_B);
    uint32_t word = 0x11223344;
    uint64_t two = 0x1122334455667788;

    machine_init(&M, ARCH_VOLTA);
    memcpy(M.cbank + 0x100, &word, 4);
    memcpy(M.cbank + 0x108, &two, 8);
    add.src_kind[2] = SRC_REG;
    add.src_kind[1] = SRC_CONST;
    add.val[1] = 0x100;
    CHECK_EQ(eval(add, 1, 0, 0), word + 1);
    add.src_mod[1] = SRC_NEG;
    CHECK_EQ(eval(add, 1, 0, 0), 1 - word);
    wide.src_kind[2] = SRC_CONST;
    wide.val[2] = 0x108;
    CHECK_EQ(machine_eval(&M, wide, 2, 3, 0), two + 6);
    wide.src_kind[2] = SRC_IMM;
    wide.val[2] = (uint32_t)-7;
    CHECK_EQ(machine_eval(&M, wide, 2, 3, 0), (uint64_t)-1);
    add.val[1] = 1u << 16; /* no such bank */
    add.src_mod[1] = 0;
    machine_start(&M, 0);
    CHECK_EQ(machine_one(&M, add, UINT32_MAX), EXEC_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_CONST_BOUNDS);
}

/* |A - B| + C, modulo 2^32; the difference of signed ones needs 33 bits. */
TEST(vabsdiff_signed_and_unsigned)
{
    machine_init(&M, ARCH_VOLTA);
    EACH_PAIR(a, b)
    {
        for (unsigned u = 0; u < 2; u++)
            for (unsigned k = 0; k < EDGES; k += 3) {
                isa_inst in = machine_inst(ISA_VABSDIFF, SRC_A | SRC_B | SRC_C);
                int64_t x = u ? (int64_t)a : (int32_t)a;
                int64_t y = u ? (int64_t)b : (int32_t)b;
                uint32_t c = edge[k];

                ISA_PUT(&in, U32, u);
                CHECK_EQ(eval(in, a, b, c),
                         (uint32_t)((x > y ? x - y : y - x) + c));
                in.src_mod[2] = SRC_NEG;
                CHECK_EQ(eval(in, a, b, c),
                         (uint32_t)((x > y ? x - y : y - x) - c));
                in.src_mod[2] = 0;
                in.src_mod[0] = SRC_NEG;
                x = u ? (int64_t)(uint32_t)-a : (int32_t)-a;
                CHECK_EQ(eval(in, a, b, c),
                         (uint32_t)((x > y ? x - y : y - x) + c));
            }
    }
}

/* The sum has 32 bits before it is compared. */
TEST(viaddmnmx_compares_the_sum)
{
    machine_init(&M, ARCH_VOLTA);
    EACH_PAIR(a, b)
    {
        for (unsigned how = 0; how < 8; how++)
            for (unsigned k = 0; k < EDGES; k++) {
                isa_inst in =
                    machine_inst(ISA_VIADDMNMX, SRC_A | SRC_B | SRC_C);
                bool u = how & 1, max = how & 2, minus = how & 4;
                uint32_t sum = minus ? a - b : a + b, c = edge[k];
                bool less = u ? sum < c : (int32_t)sum < (int32_t)c;

                ISA_PUT(&in, U32, u);
                in.psrc[0] = max ? ISA_PT | PRED_NOT : ISA_PT;
                in.src_mod[1] = minus ? SRC_NEG : 0;
                CHECK_EQ(eval(in, a, b, c), less != max ? sum : c);
            }
    }
}

TEST(vmnmx2_compares_each_half)
{
    machine_init(&M, ARCH_VOLTA);
    EACH_PAIR(a, b)
    {
        for (unsigned how = 0; how < 4; how++) {
            isa_inst in = machine_inst(ISA_VMNMX2, SRC_A | SRC_B);
            bool u = how & 1, max = how & 2;
            uint32_t want = 0;

            for (unsigned h = 0; h < 32; h += 16) {
                int32_t x = u ? (int32_t)(uint16_t)(a >> h) : (int16_t)(a >> h);
                int32_t y = u ? (int32_t)(uint16_t)(b >> h) : (int16_t)(b >> h);

                want |= (uint32_t)(uint16_t)((x < y) != max ? x : y) << h;
            }
            ISA_PUT(&in, U32, u);
            in.psrc[0] = max ? ISA_PT | PRED_NOT : ISA_PT;
            CHECK_EQ(eval(in, a, b, 0), want);
        }
    }
}

/* Lanes have all that three predicates can be; both tables at once. */
TEST(plop3_with_two_tables)
{
    static const uint32_t s = 0xf0f0f0f0, t = 0xcccccccc, u = 0xaaaaaaaa;
    static const uint32_t masks[] = {UINT32_MAX, 0x00ff00ff, 1, 0x80000000};

    machine_init(&M, ARCH_VOLTA);
    EACH_LEVEL(level)
    for (unsigned n = 0; n < 256 * COUNTOF(masks); n++) {
        isa_inst in = isa_new(ISA_PLOP3T);
        uint32_t one = n & 255, two = n * 7 & 255, mask = masks[n >> 8];

        in.lut = (uint8_t)one;
        in.src_kind[1] = SRC_IMM;
        in.val[1] = two;
        in.pdst[0] = 3; /* also a source */
        in.pdst[1] = 4;
        for (unsigned i = 0; i < 3; i++)
            in.psrc[i] = (uint8_t)(i + 1);
        machine_start(&M, level);
        M.warp.pred[1] = s;
        M.warp.pred[2] = t;
        M.warp.pred[3] = u;
        M.warp.pred[4] = 0x5a5a5a5a;
        CHECK(!isa_check(&in, ARCH_VOLTA));
        machine_one(&M, in, mask);
        CHECK_EQ(M.warp.pred[3], (one * 0x01010101u & mask) | (u & ~mask));
        CHECK_EQ(M.warp.pred[4],
                 (two * 0x01010101u & mask) | (0x5a5a5a5a & ~mask));
    }
}

TEST(predicates_go_to_any_byte_and_back)
{
    machine_init(&M, ARCH_VOLTA);
    EACH_LEVEL(level)
    for (unsigned byte = 0; byte < 4; byte++)
        for (unsigned lut = 0; lut < 128; lut += 9) {
            isa_inst p2r = machine_inst(ISA_P2R, SRC_A);
            isa_inst r2p = machine_inst(ISA_R2P, SRC_A);
            uint32_t pred[ISA_PREDS], mask = 0xfffffff0;

            p2r.lut = r2p.lut = (uint8_t)lut;
            r2p.dst = ISA_RZ;
            ISA_PUT(&p2r, BSEL, byte);
            ISA_PUT(&r2p, BSEL, byte);
            machine_start(&M, level);
            for (unsigned p = 0; p < ISA_PREDS; p++)
                M.warp.pred[p] = pred[p] = 0x12345678u * (p + 3) ^ lut;
            for (unsigned l = 0; l < ISA_WARP; l++)
                M.reg[REG_A][l] = 0x9e3779b9u * (l + 1);
            machine_one(&M, p2r, mask);
            for (unsigned l = 0; l < ISA_WARP; l++) {
                uint32_t a = M.reg[REG_A][l], want = a & ~(lut << 8 * byte);

                for (unsigned p = 0; p < ISA_PREDS; p++)
                    want |= (pred[p] >> l & lut >> p & 1) << (8 * byte + p);
                CHECK_EQ(M.reg[REG_D][l], mask >> l & 1 ? want : 0);
            }
            machine_one(&M, r2p, mask);
            for (unsigned p = 0; p < ISA_PREDS; p++)
                for (unsigned l = 0; l < ISA_WARP; l++) {
                    bool from_a = lut >> p & 1 && mask >> l & 1;

                    CHECK_EQ(M.warp.pred[p] >> l & 1,
                             from_a ? M.reg[REG_A][l] >> (8 * byte + p) & 1
                                    : pred[p] >> l & 1);
                }
        }
}
