/* Names of the vendor's machine code, and where NVBit's registers go. */
#include "test.h"

#include "replay/opcode.h"

static isa_inst name(const char *text, const char *registers)
{
    replay_words w = {.name = text, .name_size = strlen(text)};
    isa_inst in = {0};

    /* "D4 S2 S6": a result, sources */
    for (const char *p = registers; *p; p++) {
        uint8_t r = (uint8_t)strtoul(p + 1, NULL, 10);

        if (*p == 'D')
            w.dst[w.dsts++] = r;
        if (*p == 'S')
            w.src[w.srcs++] = r;
    }
    if (!replay_opcode(&w, &in))
        TEST_FAIL("%s is not known", text);
    return in;
}

static void check_op(const char *text, isa_op op)
{
    isa_inst in = name(text, "");

    if (in.op != op)
        TEST_FAIL("%s is %s", text, isa_table[in.op].text);
}

TEST(names_of_the_vendor)
{
    check_op("IMAD.MOV.U32", ISA_IMAD);
    check_op("IMAD.WIDE.U32", ISA_IMADW);
    check_op("IMAD.HI.U32", ISA_IMADHI);
    check_op("IADD3.X", ISA_IADD3X);
    check_op("LEA.HI.X.SX32", ISA_LEAHI);
    check_op("LEA.HI", ISA_LEAHI);
    check_op("LEA", ISA_LEA);
    check_op("ISETP.GE.U32.AND.EX", ISA_ISETP);
    check_op("FSEL", ISA_SEL);
    check_op("MUFU.RCP64H", ISA_MUFU);
    check_op("F2F.F64.F32", ISA_F2F_DS);
    check_op("F2F.F32.F64", ISA_F2F_SD);
    check_op("F2I.FTZ.U32.TRUNC.NTZ", ISA_F2I);
    check_op("F2I.S64.F64.TRUNC", ISA_F2I_DL);
    check_op("I2F.F64.U64", ISA_I2F_DL);
    check_op("LDG.E.128.CONSTANT.SYS", ISA_LDG);
    check_op("HMMA.884.F32.F32.STEP0", ISA_HMMA884);
    check_op("HMMA.16816.F32", ISA_HMMA);
    check_op("BAR.SYNC.DEFER_BLOCKING", ISA_BARSYNC);
    check_op("BAR.RED.POPC.DEFER_BLOCKING", ISA_BARPOPC);
    check_op("ATOMG.E.CAS.64.STRONG.GPU", ISA_ATOMG);
    check_op("CALL.REL.NOINC", ISA_BRA);
    check_op("XMAD.MRG", ISA_IMAD);
    check_op("R2UR", ISA_R2UR);
}

TEST(names_that_are_not_known)
{
    static const char *const bad[] = {
        "FROB",       "FROB.E", "", ".", "..", "LDGX", "HGMMA.64x64x16.F32",
        "UTMALDG.2D", "E.LDG"};
    isa_inst in;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        replay_words w = {.name = bad[i], .name_size = strlen(bad[i])};

        if (replay_opcode(&w, &in))
            TEST_FAIL("'%s' is %s", bad[i], isa_table[in.op].text);
    }
}

/* All names of isa.def are their own. */
TEST(own_names_come_back)
{
    for (unsigned op = 0; op < ISA_COUNT; op++) {
        const char *text = isa_table[op].text;
        replay_words w = {.name = text, .name_size = strlen(text)};
        isa_inst in;

        if (!replay_is_known(op) || op == ISA_USETMAXREG)
            continue;
        CHECK(replay_opcode(&w, &in));
        if (in.class != isa_table[op].class &&
            isa_table[op].class != ISA_CLASS_TEX)
            TEST_FAIL("%s is of class %s", text, isa_class_names[in.class]);
    }
}

TEST(widths)
{
    CHECK_EQ(name("LDG.E.SYS", "D4 S2").bytes, 4);
    CHECK_EQ(name("LDG.E.64", "D4 S2").bytes, 8);
    CHECK_EQ(name("LDG.E.128.CONSTANT", "D4 S2").bytes, 16);
    CHECK_EQ(name("LDG.E.U8.CONSTANT", "D4 S2").bytes, 1);
    CHECK_EQ(name("STS.U16", "S4 S2").bytes, 2);
    CHECK_EQ(name("ATOMG.E.ADD.64", "D4 S2 S6").bytes, 8);
    CHECK_EQ(name("RED.E.ADD.F32.FTZ.RN.STRONG.GPU", "S2 S6").bytes, 4);
    CHECK_EQ(name("LDSM.16.M88.4", "D4 S2").bytes, 16);
}

TEST(registers_of_operands)
{
    isa_inst in = name("LDG.E.128", "D4 S2");

    CHECK_EQ(in.dst, 4);
    CHECK_EQ(in.dst_regs, 4);
    CHECK_EQ(in.src[0], 2);
    CHECK_EQ(in.src_regs[0], 2);
    in = name("STG.E.64", "S2 S8");
    CHECK_EQ(in.dst_regs, 0);
    CHECK_EQ(in.src[1], 8);
    CHECK_EQ(in.src_regs[1], 2);
    in = name("DFMA", "D4 S6 S8 S10");
    CHECK_EQ(in.dst_regs, 2);
    CHECK_EQ(in.src_regs[2], 2);
    in = name("HMMA.16816.F32", "D8 S16 S20 S8");
    CHECK_EQ(in.dst_regs, 4);
    CHECK_EQ(in.src_regs[0], 4);
    CHECK_EQ(in.src_regs[1], 2);
    CHECK_EQ(in.src_regs[2], 4);
    in = name("LDSM.16.M88.4", "D4 S2");
    CHECK_EQ(in.dst_regs, 4);
}

/* A constant stands mostly in the place of B. */
TEST(fewer_registers_than_operands)
{
    isa_inst in = name("IMAD.WIDE", "D2 S4 S6");

    CHECK_EQ(in.src[0], 4);
    CHECK_EQ(in.src[2], 6);
    CHECK_EQ(in.src_regs[2], 2);
    in = name("FFMA", "D2 S4");
    CHECK_EQ(in.src_regs[0], 1);
    CHECK_EQ(in.src_regs[1] + in.src_regs[2], 0);
}

/* SHFL PT, R5, R4, ...: for NVBit R5 is a source. */
TEST(results_behind_a_predicate)
{
    isa_inst in = name("SHFL.BFLY", "S5 S4 S3");

    CHECK_EQ(in.dst, 5);
    CHECK_EQ(in.src[0], 4);
    in = name("SHFL.BFLY", "D5 S4 S3");
    CHECK_EQ(in.dst, 5);
    CHECK_EQ(in.src[0], 4);
}

TEST(what_is_replayed)
{
    isa_inst in = name("LDS", "D4 S2");

    CHECK_EQ(replay_act_of(&in), REPLAY_ACCESS);
    in = name("EXIT", "");
    CHECK_EQ(replay_act_of(&in), REPLAY_EXIT);
    in = name("MEMBAR.SC.GPU", "");
    CHECK_EQ(replay_act_of(&in), REPLAY_FENCE);
    in = name("DEPBAR.LE", "");
    CHECK_EQ(replay_act_of(&in), REPLAY_COPIES);
    in = name("TEX", "D4 S2");
    CHECK_EQ(replay_act_of(&in), REPLAY_COMPUTE);
    in = name("CCTL.IVALL", "");
    CHECK_EQ(replay_act_of(&in), REPLAY_COMPUTE);
}
