/* Machine code becomes instructions of isa.def: operands, modifiers and control
 * codes at their places, jumps by index; what cannot be executed is told. */
#include "test.h"

#include "isa/check.h"
#include "sass/translate.h"

/* Machine code of one instruction at index `index`, behind NOPs. */
static isa_inst one(unsigned sm, uint32_t index, uint64_t lower, uint64_t upper)
{
    static uint64_t text[64];
    static isa_inst out[32];
    strbuf unknown = {0};

    for (uint32_t i = 0; i <= index; i++) {
        text[2 * i] = 0x7918;
        text[2 * i + 1] = 0;
    }
    text[2 * index] = lower;
    text[2 * index + 1] = upper;
    if (!sass_translate(sm, text, 16ull * (index + 1), out, &unknown))
        TEST_FAIL("%s", unknown.text);
    strbuf_fini(&unknown);
    CHECK(!isa_check(&out[index], sm >= 90 ? ARCH_HOPPER : ARCH_AMPERE));
    return out[index];
}

TEST(operands_and_control_are_at_their_places)
{
    /* @!P2 FFMA.FTZ R7, -R3, |R9|.reuse, R0: stall 4, yields, waits for 1 */
    isa_inst in =
        one(80, 0, 0x400000090307a223, 0x0810080000010100 | 5ull << 41);

    CHECK_EQ(in.op, ISA_FFMA);
    CHECK_EQ(in.guard, 2 | PRED_NOT);
    CHECK_EQ(in.dst, 7);
    CHECK_EQ(in.src[0], 3);
    CHECK_EQ(in.src_mod[0], SRC_NEG);
    CHECK_EQ(in.src[1], 9);
    CHECK_EQ(in.src_mod[1], SRC_ABS);
    CHECK_EQ(in.src[2], 0);
    CHECK_EQ(ISA_GET(&in, FTZ), 1);
    CHECK_EQ(in.ctl >> CTL_STALL & 15, 5);
    CHECK_EQ(in.ctl >> CTL_REUSE & 15, 2);
    CHECK_EQ(in.ctl >> CTL_WAIT & 63, 1);
    CHECK_EQ(in.ctl >> CTL_HAS & 1, 1);
    CHECK_EQ(in.ctl >> CTL_YIELD & 1, 1); /* bit 109 is not set */
    in = one(80, 0, 0x7918, 1ull << 45);
    CHECK_EQ(in.ctl >> CTL_YIELD & 1, 0);
}

TEST(constants_and_numbers_are_sources)
{
    /* IMAD.WIDE R2, R0, R3, c[0x0][0x160] */
    isa_inst in = one(80, 0, 0x0000580000027625, 0x078e0203);

    CHECK_EQ(in.op, ISA_IMADW);
    CHECK_EQ(in.src_kind[2], SRC_CONST);
    CHECK_EQ(in.val[2], 0x160);
    CHECK_EQ(ISA_GET(&in, U32), 0);
    /* ISETP.GT.U32.AND P1, PT, R4, 0xf, PT */
    in = one(80, 0, 0x0000000f0400780c, 0x03f24070);
    CHECK_EQ(in.op, ISA_ISETP);
    CHECK_EQ(ISA_GET(&in, ICMP), CMP_GT);
    CHECK_EQ(ISA_GET(&in, U32), 1);
    CHECK_EQ(in.pdst[0], 1);
    CHECK_EQ(in.pdst[1], ISA_PT);
    CHECK_EQ(in.val[1], 15);
}

/* IMAD.HI adds 64 bits: upper half of A * B + C. */
TEST(a_high_product_adds_a_pair)
{
    isa_inst in = one(80, 0, 0x0000000503037227, 0x078e0002);

    CHECK_EQ(in.op, ISA_IMADHX);
    CHECK_EQ(in.src[2], 2);
    CHECK_EQ(in.src_regs[2], 2);
    CHECK_EQ(in.psrc[0], ISA_PT | PRED_NOT); /* nothing carried in */
}

TEST(addresses_take_descriptors_or_uniform_registers)
{
    /* LDG.E R2, desc[UR4][R2.64+0x10]: what a descriptor says is not added */
    isa_inst in = one(80, 0, 0x0000100402027981, 0x0c1e1900);

    CHECK_EQ(in.op, ISA_LDG);
    CHECK_EQ(in.uaddr, 0);
    CHECK_EQ(in.val[0], 16);
    CHECK_EQ(in.src_regs[0], 2);
    /* LDG.E R2, [R2.64+UR4] */
    in = one(80, 0, 0x0000000402027981, 0x0c1e0900);
    CHECK_EQ(in.uaddr, 5);
    /* LDS R0, [R3.X4+UR4] */
    in = one(80, 0, 0x0000000403007984, 0x08004800);
    CHECK_EQ(in.op, ISA_LDS);
    CHECK_EQ(in.uaddr, 5);
    CHECK_EQ(isa_address_scale(&in), 1);
}

TEST(halves_are_made_of_parts_of_integers)
{
    /* I2F.F16.U8 R12, R28.B3 */
    isa_inst in = one(80, 0, 0x3000001c000c7306, 0x00000800);

    CHECK_EQ(in.op, ISA_I2F_H);
    CHECK_EQ(ISA_GET(&in, ITYPE), ITYPE_U8);
    CHECK_EQ(ISA_GET(&in, BSEL), 3);
    /* I2F.F16.S16 R12, R28.H1 */
    in = one(80, 0, 0x1000001c000c7306, 0x00100c00);
    CHECK_EQ(ISA_GET(&in, ITYPE), ITYPE_S16);
    CHECK_EQ(ISA_GET(&in, BSEL), 2);
}

TEST(pairs_are_made_of_either_half)
{
    /* F2FP.F16.RELU.E5M2.UNPACK_B R21, R23.H1 */
    isa_inst in = one(90, 0, 0x00000017ff15723e, 0x03000cff);

    CHECK_EQ(in.op, ISA_F2F_F8);
    CHECK_EQ(in.src[0], 23);
    CHECK_EQ(ISA_GET(&in, F8FMT), F8FMT_E5M2);
    CHECK_EQ(ISA_GET(&in, RELU), 1);
    CHECK_EQ(ISA_GET(&in, BSEL), 2);
    in = one(90, 0, 0x00000017ff15723e, 0x020006ff);
    CHECK_EQ(ISA_GET(&in, F8FMT), F8FMT_E4M3);
    CHECK_EQ(ISA_GET(&in, BSEL), 0);
}

TEST(a_minimum_of_three_halves)
{
    /* VHMNMX.NAN R0, R1.H0_H0, |R5|.H0_H0, -R4.H1_H1, !PT */
    isa_inst in = one(90, 0, 0x6000000501007247, 0x07923804);

    CHECK_EQ(in.op, ISA_VHMNMX);
    CHECK_EQ(in.src[0], 1);
    CHECK_EQ(in.src[1], 5);
    CHECK_EQ(in.src[2], 4);
    CHECK_EQ(in.src_mod[1], SRC_ABS);
    CHECK_EQ(in.src_mod[2], SRC_NEG);
    CHECK_EQ(ISA_GET(&in, SWZA), SWZ_H0_H0);
    CHECK_EQ(ISA_GET(&in, SWZB), SWZ_H0_H0);
    CHECK_EQ(ISA_GET(&in, SWZC), SWZ_H1_H1);
    CHECK_EQ(ISA_GET(&in, NANP), 1);
    CHECK_EQ(in.psrc[0], ISA_PT | PRED_NOT);
}

TEST(a_question_for_a_space_adds_a_number_to_a_uniform_address)
{
    /* QSPC.E.S P5, RZ, [UR4+0xc8] */
    isa_inst in = one(90, 0, 0x0000c804ffff79aa, 0x080a0500);

    CHECK_EQ(in.op, ISA_QSPC);
    CHECK_EQ(in.src_kind[0], SRC_UREG);
    CHECK_EQ(in.src[0], 4);
    CHECK_EQ(in.usrc_regs[0], 2);
    CHECK_EQ(in.src_kind[1], SRC_IMM);
    CHECK_EQ(in.val[1], 0xc8);
    CHECK_EQ(in.lut, 2);
    CHECK_EQ(in.pdst[0], 5);
}

TEST(jumps_name_instructions)
{
    /* BRA to itself, and RET.REL R20 0x0: R20 counts from the code's begin */
    isa_inst in = one(80, 3, 0xfffffff000007947, 0x0383ffff);

    CHECK_EQ(in.op, ISA_BRA);
    CHECK_EQ(in.val[0], 3);
    in = one(90, 3, 0xfffffffc00fc7947, 0x0383ffff);
    CHECK_EQ(in.val[0], 3);
    in = one(80, 3, 0xffffffc014007950, 0x03c3ffff);
    CHECK_EQ(in.op, ISA_BRXB);
    CHECK_EQ(in.src[0], 20);
    CHECK_EQ(in.val[0], 0);
}

TEST(a_return_takes_a_second_predicate)
{
    /* @!P1 RET.REL.NODEC !P0 R12 0x0 */
    isa_inst in = one(75, 3, 0xffffffc00c009950, 0x0443ffff);

    CHECK_EQ(in.op, ISA_BRXB);
    CHECK_EQ(in.guard, 1 | PRED_NOT);
    CHECK_EQ(in.psrc[0], 0 | PRED_NOT);
    CHECK_EQ(in.src[0], 12);
}

TEST(a_guarded_branch_for_parted_lanes_keeps_its_guard_apart)
{
    /* @!P1 BRA.DIV UR4 */
    isa_inst in = one(80, 0, 0x0000026204009947, 0x0b800000);

    CHECK_EQ(in.op, ISA_BRADIV);
    CHECK_EQ(in.guard, ISA_PT);
    CHECK_EQ(in.psrc[0], 1 | PRED_NOT);
    CHECK_EQ(in.src_kind[1], SRC_UREG);
    CHECK_EQ(in.src[1], 4);
}

TEST(lanes_of_a_uniform_mask_wait)
{
    /* WARPSYNC UR6 */
    isa_inst in = one(75, 0, 0x0000000600007d48, 0x0b800000);

    CHECK_EQ(in.op, ISA_WARPSYNC);
    CHECK_EQ(in.src_kind[1], SRC_UREG);
    CHECK_EQ(in.src[1], 6);
}

TEST(halves_choose_operations)
{
    /* HADD2.F32 R0, -RZ, R4.H1_H1 is a conversion without one's time */
    isa_inst in = one(80, 0, 0x30000004ff007230, 0x00004100);

    CHECK_EQ(in.op, ISA_HADD2F);
    CHECK_EQ(ISA_GET(&in, SWZB), SWZ_H1_H1);
    CHECK_EQ(in.src_mod[0], SRC_NEG);
}

TEST(what_cannot_be_executed_is_told_all_at_once)
{
    const uint64_t text[] = {0x0000000000007fff, 0,    0x7918, 0,
                             0x0000000000007210, ~0ull};
    isa_inst out[3];
    strbuf unknown = {0};

    CHECK(!sass_translate(80, text, sizeof text, out, &unknown));
    CHECK(strstr(unknown.text, "/*0000*/ 0x0000000000007fff "
                               "0x0000000000000000 opcode 0xfff: an operation "
                               "that is not known\n"));
    CHECK(strstr(unknown.text, "/*0020*/ "));
    CHECK(strstr(unknown.text, "opcode 0x210: a form of it that is not known"));
    CHECK_EQ(out[0].op, ISA_BPT);
    CHECK_EQ(out[1].op, ISA_NOP);
    strbuf_fini(&unknown);
}

TEST(other_capabilities_are_refused)
{
    const uint64_t text[] = {0x7918, 0};
    isa_inst out[1];
    strbuf unknown = {0};

    CHECK(!sass_translate(61, text, sizeof text, out, &unknown));
    CHECK(strstr(unknown.text, "sm_61"));
    strbuf_fini(&unknown);
}
