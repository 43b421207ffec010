/* Lanes that read each other, and special registers. */
#include "machine.h"

static machine M;

/* The manual's pseudocode for one lane. */
static unsigned source(unsigned how, unsigned lane, uint32_t b, uint32_t c,
                       bool *ok)
{
    int bval = b & 31, cval = c & 31, seg = c >> 8 & 31, l = (int)lane, j;
    int max = (l & seg) | (cval & ~seg), min = l & seg;

    switch (how) {
    case SHFL_UP:
        j = l - bval;
        *ok = j >= max;
        break;
    case SHFL_DOWN:
        j = l + bval;
        *ok = j <= max;
        break;
    case SHFL_BFLY:
        j = l ^ bval;
        *ok = j <= max;
        break;
    default:
        j = min | (bval & ~seg);
        *ok = j <= max;
    }
    return *ok ? (unsigned)j : lane;
}

TEST(shuffles)
{
    static const uint32_t clamp[] = {0x1f, 0x0, 0x181f, 0x1c1f, 0x1800, 0x1f};

    machine_init(&M, ARCH_VOLTA);
    for (unsigned how = 0; how < 4; how++)
        for (unsigned k = 0; k < 6; k++)
            for (uint32_t b = 0; b < 40; b++)
                EACH_LEVEL(level)
                {
                    isa_inst in = machine_inst(ISA_SHFL, SRC_A | SRC_B | SRC_C);

                    ISA_PUT(&in, SHFLOP, how);
                    in.pdst[0] = 2;
                    machine_start(&M, level);
                    for (unsigned l = 0; l < ISA_WARP; l++) {
                        M.reg[REG_A][l] = 1000 + l;
                        M.reg[REG_B][l] = b + (k == 5 ? l * 7 : 0);
                        M.reg[REG_C][l] = clamp[k];
                    }
                    machine_one(&M, in, UINT32_MAX);
                    for (unsigned l = 0; l < ISA_WARP; l++) {
                        bool ok;
                        unsigned j =
                            source(how, l, M.reg[REG_B][l], clamp[k], &ok);
                        CHECK_EQ(M.reg[REG_D][l], 1000 + j);
                        CHECK_EQ(M.warp.pred[2] >> l & 1, ok);
                    }
                }
}

/* Eight lanes sum up as if there were 32 [NVSAMPLES:reduction]. */
TEST(shuffles_read_zero_where_nothing_executes)
{
    machine_init(&M, ARCH_VOLTA);
    EACH_LEVEL(level)
    {
        isa_inst in = machine_inst(ISA_SHFL, SRC_A | SRC_B | SRC_C);

        ISA_PUT(&in, SHFLOP, SHFL_DOWN);
        machine_start(&M, level);
        for (unsigned l = 0; l < ISA_WARP; l++) {
            M.reg[REG_A][l] = 1000 + l;
            M.reg[REG_B][l] = 4;
            M.reg[REG_C][l] = 0x1f;
            M.reg[REG_D][l] = 77;
        }
        machine_one(&M, in, 0xff);
        for (unsigned l = 0; l < ISA_WARP; l++)
            CHECK_EQ(M.reg[REG_D][l], l < 4 ? 1004 + l : l < 8 ? 0 : 77);
    }
}

TEST(votes_count_the_executing_lanes_only)
{
    isa_inst in = isa_new(ISA_VOTE);

    machine_init(&M, ARCH_VOLTA);
    in.dst = REG_D;
    in.pdst[0] = 1;
    in.psrc[0] = 3;
    EACH_LEVEL(level)
    {
        static const struct {
            uint32_t mask, pred;
            bool all, any, eq;
        } t[] = {{0xff, 0xffff, true, true, true},
                 {0xff, 0xff00, false, false, true},
                 {0xff, 0x0f0f, false, true, false}};

        for (unsigned k = 0; k < 3; k++)
            for (unsigned how = 0; how < 3; how++) {
                machine_start(&M, level);
                M.warp.pred[3] = t[k].pred;
                ISA_PUT(&in, VOTEOP, how);
                machine_one(&M, in, t[k].mask);
                bool want = how == VOTE_ALL   ? t[k].all
                            : how == VOTE_ANY ? t[k].any
                                              : t[k].eq;
                CHECK_EQ(M.warp.pred[1], want ? t[k].mask : 0);
                CHECK_EQ(M.reg[REG_D][0], t[k].pred & t[k].mask);
                CHECK_EQ(M.reg[REG_D][8], 0);
            }
    }
}

TEST(match_finds_equal_lanes)
{
    machine_init(&M, ARCH_VOLTA);
    EACH_LEVEL(level)
    for (unsigned wide = 0; wide < 2; wide++)
        for (unsigned all = 0; all < 2; all++) {
            isa_inst in = machine_inst(wide ? ISA_MATCHL : ISA_MATCH, SRC_A);
            uint32_t mask = 0x7ffffff0;

            machine_start(&M, level);
            in.pdst[0] = 1;
            ISA_PUT(&in, MATCHOP, all);
            for (unsigned l = 0; l < ISA_WARP; l++)
                machine_set64(&M, REG_A, l,
                              wide ? (uint64_t)(l % 3) << 32 | 5 : l % 3);
            machine_one(&M, in, mask);
            for (unsigned l = 4; l < 31; l++) {
                uint32_t same = 0;

                for (unsigned k = 4; k < 31; k++)
                    same |= (uint32_t)(k % 3 == l % 3) << k;
                CHECK_EQ(M.reg[REG_D][l], all ? 0 : same);
            }
            if (!all)
                continue;
            CHECK_EQ(M.warp.pred[1], 0);
            for (unsigned l = 4; l < 31; l++)
                machine_set64(&M, REG_A, l, 9);
            machine_one(&M, in, mask);
            CHECK_EQ(M.warp.pred[1], mask);
            CHECK_EQ(M.reg[REG_D][4], mask);
        }
}

TEST(reductions)
{
    /* over lanes 1, 2, 3 with -5, 7, 6 */
    static const uint32_t want[2][6] = {
        {8, (uint32_t)-5, 7, 2, UINT32_MAX, (uint32_t)-5 ^ 7 ^ 6},
        {8, 6, (uint32_t)-5, 2, UINT32_MAX, (uint32_t)-5 ^ 7 ^ 6}};

    machine_init(&M, ARCH_VOLTA);
    for (unsigned u = 0; u < 2; u++)
        for (unsigned how = 0; how < 6; how++) {
            isa_inst in = machine_inst(ISA_REDUX, SRC_A);

            ISA_PUT(&in, REDUXOP, how);
            ISA_PUT(&in, U32, u);
            machine_start(&M, 0);
            M.reg[REG_A][1] = (uint32_t)-5;
            M.reg[REG_A][2] = 7;
            M.reg[REG_A][3] = 6;
            machine_one(&M, in, 0xe);
            CHECK_EQ(M.reg[REG_D][2], want[u][how]);
            CHECK_EQ(M.reg[REG_D][0], 0);
        }
}

static uint32_t sreg(unsigned which, unsigned lane)
{
    isa_inst in = isa_new(ISA_S2R);

    in.dst = REG_D;
    in.lut = (uint8_t)which;
    machine_one(&M, in, UINT32_MAX);
    return M.reg[REG_D][lane];
}

TEST(special_registers)
{
    isa_inst in = isa_new(ISA_CS2R);

    machine_init(&M, ARCH_VOLTA);
    M.launch.block[0] = 5;
    M.launch.block[1] = 3;
    M.launch.block[2] = 4;
    M.launch.threads = 60;
    M.launch.warps = 2;
    M.launch.clock_khz = 500000;
    M.launch.sms = 80;
    M.launch.sm_warps = 64;
    M.launch.grid_id = 9;
    M.cta.id[1] = 7;
    M.cta.sm = 3;
    M.warp.index = 1;
    machine_start(&M, 0);
    CHECK_EQ(M.warp.simt.live, (1u << 28) - 1);
    for (unsigned l = 0; l < 28; l++) {
        CHECK_EQ(sreg(SR_TID_X, l), (32 + l) % 5);
        CHECK_EQ(sreg(SR_TID_Y, l), (32 + l) / 5 % 3);
        CHECK_EQ(sreg(SR_TID_Z, l), (32 + l) / 15);
        CHECK_EQ(sreg(SR_LANEID, l), l);
        CHECK_EQ(sreg(SR_EQMASK, l), 1u << l);
        CHECK_EQ(sreg(SR_LTMASK, l), (1u << l) - 1);
        CHECK_EQ(sreg(SR_LEMASK, l), (2u << l) - 1);
        CHECK_EQ(sreg(SR_GEMASK, l), ~((1u << l) - 1));
        CHECK_EQ(sreg(SR_GTMASK, l), ~((2u << l) - 1));
    }
    CHECK_EQ(sreg(SR_CTAID_Y, 4), 7);
    CHECK_EQ(sreg(SR_WARPID, 4), 1);
    CHECK_EQ(sreg(SR_NWARPID, 4), 64);
    CHECK_EQ(sreg(SR_SMID, 4), 3);
    CHECK_EQ(sreg(SR_NSMID, 4), 80);
    CHECK_EQ(sreg(SR_GRIDID, 4), 9);
    M.warp.clock = 0x300000005;
    CHECK_EQ(sreg(SR_CLOCKLO, 0), 5);
    CHECK_EQ(sreg(SR_CLOCKHI, 0), 3);
    CHECK_EQ(sreg(SR_TIMERLO, 0), 10); /* 2 ns a cycle */
    CHECK_EQ(sreg(SR_TIMERHI, 0), 6);
    in.dst = REG_D;
    in.lut = SR_CLOCK64;
    machine_one(&M, in, 1);
    CHECK_EQ(machine_get64(&M, REG_D, 0), 0x300000005);
    in.lut = SR_TIMER;
    machine_one(&M, in, 1);
    CHECK_EQ(machine_get64(&M, REG_D, 0), 0x60000000a);
    in.lut = SR_TID_X;
    machine_one(&M, in, 1);
    CHECK_EQ(machine_get64(&M, REG_D, 0), 32 % 5);
}

/* As the vendor's machine code has them: neither is a register. */
TEST(shuffles_by_two_immediates)
{
    static const uint32_t clamp[] = {0x1f, 0, 0x181f, 0x1c03, 0x1e1f};

    machine_init(&M, ARCH_VOLTA);
    for (unsigned how = 0; how < 4; how++)
        for (unsigned k = 0; k < 5; k++)
            for (uint32_t b = 0; b < 32; b++) {
                isa_inst in = machine_inst(ISA_SHFL, SRC_A);

                ISA_PUT(&in, SHFLOP, how);
                in.src_kind[1] = in.src_kind[2] = SRC_IMM;
                in.val[1] = b;
                in.val[2] = clamp[k];
                in.pdst[0] = 2;
                CHECK(!isa_check(&in, ARCH_VOLTA));
                machine_start(&M, 0);
                for (unsigned l = 0; l < ISA_WARP; l++)
                    M.reg[REG_A][l] = 1000 + l;
                machine_one(&M, in, UINT32_MAX);
                for (unsigned l = 0; l < ISA_WARP; l++) {
                    bool ok;
                    unsigned j = source(how, l, b, clamp[k], &ok);

                    CHECK_EQ(M.reg[REG_D][l], 1000 + j);
                    CHECK_EQ(M.warp.pred[2] >> l & 1, ok);
                }
            }
    isa_inst add = machine_inst(ISA_IADD3, SRC_A); /* no others can */
    add.src_kind[1] = add.src_kind[2] = SRC_IMM;
    CHECK(isa_check(&add, ARCH_VOLTA) != NULL);
}

TEST(the_lower_word_of_a_special_register)
{
    isa_inst in = isa_new(ISA_CS2R32);

    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    M.warp.clock = 0x3fffffff5;
    M.cta.id[0] = 77;
    M.reg[REG_D + 1][0] = 42;
    in.dst = REG_D;
    in.lut = SR_CLOCKLO;
    machine_one(&M, in, 1);
    CHECK_EQ(M.reg[REG_D][0], 0xfffffff5);
    in.lut = SR_CLOCKHI;
    machine_one(&M, in, 1);
    CHECK_EQ(M.reg[REG_D][0], 3);
    in.lut = SR_CTAID_X;
    machine_one(&M, in, UINT32_MAX);
    CHECK_EQ(M.reg[REG_D][31], 77);
    in.lut = SR_LANEID;
    machine_one(&M, in, UINT32_MAX);
    for (unsigned l = 0; l < ISA_WARP; l++)
        CHECK_EQ(M.reg[REG_D][l], l);
    CHECK_EQ(M.reg[REG_D + 1][0], 42); /* one word only */
}

/* In all lanes that ask, not only those that came. */
TEST(what_the_last_barrier_came_to)
{
    isa_inst in = isa_new(ISA_B2R);

    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    in.dst = REG_D;
    in.pdst[0] = 4;
    for (uint32_t value = 0; value < 3; value++) {
        exec_bar bar = {.lanes = 0xff, .dst = ISA_RZ, .pdst = ISA_PT};

        exec_bar_result(&M.warp, &bar, value);
        M.warp.pred[4] = 0xf0f0;
        machine_one(&M, in, 0x0ff0);
        for (unsigned l = 0; l < ISA_WARP; l++)
            CHECK_EQ(M.reg[REG_D][l], l >= 4 && l < 12 ? value : 0);
        CHECK_EQ(M.warp.pred[4], value ? 0xfff0 : 0xf000);
    }
}
