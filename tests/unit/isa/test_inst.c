/* tests/unit/isa/test_inst.c - the instruction tables agree with themselves,
 * and what isa_finish and isa_check derive from them. */
#include "base/must.h"
#include "isa/check.h"
#include "isa/operand.h"
#include "isa/program.h"
#include "test.h"

static isa_inst reg3(isa_op op, uint8_t d, uint8_t a, uint8_t b, uint8_t c)
{
    isa_inst in = isa_new(op);

    in.dst = d;
    in.src[0] = a;
    in.src[1] = b;
    in.src[2] = c;
    for (int i = 0; i < 3; i++)
        in.src_kind[i] = SRC_REG;
    return in;
}

static isa_inst load(isa_op op, uint8_t d, uint8_t a, unsigned size, bool ext)
{
    isa_inst in = isa_new(op);

    in.dst = d;
    in.src[0] = a;
    ISA_PUT(&in, SIZE, size);
    if (ext)
        ISA_PUT(&in, EXT, 1);
    isa_finish(&in);
    return in;
}

static void check_why(isa_inst in, isa_arch arch, const char *want)
{
    const char *why;

    isa_finish(&in);
    why = isa_check(&in, arch);
    if (want)
        CHECK_STR(why, want);
    else if (why)
        TEST_FAIL("%s: %s", isa_table[in.op].text, why);
}

TEST(groups_of_one_operation_share_no_bits)
{
    for (unsigned op = 0; op < ISA_COUNT; op++) {
        uint64_t used = 0;

        for (unsigned g = 0; g < ISA_MODS; g++) {
            const isa_mod_desc *m = &isa_mod_table[g];
            uint64_t bits = ((1ull << m->width) - 1) << m->shift;

            if (!(isa_table[op].mods >> g & 1))
                continue;
            if (used & bits)
                TEST_FAIL("%s: group %s overlaps another", isa_table[op].id,
                          m->id);
            used |= bits;
        }
        CHECK_EQ(used >> 32, 0);
    }
}

TEST(groups_have_room_for_their_texts)
{
    for (unsigned g = 0; g < ISA_MODS; g++) {
        size_t length;
        unsigned n = 0;

        while (isa_mod_text((isa_mod)g, n, &length))
            n++;
        CHECK(n >= 2 && n <= 1u << isa_mod_table[g].width);
        CHECK(n > 1u << (isa_mod_table[g].width - 1));
    }
}

TEST(codes_and_mnemonics_are_unique)
{
    for (unsigned i = 0; i < ISA_COUNT; i++)
        for (unsigned j = i + 1; j < ISA_COUNT; j++)
            if (isa_table[i].code == isa_table[j].code ||
                !strcmp(isa_table[i].text, isa_table[j].text))
                TEST_FAIL("%s and %s", isa_table[i].id, isa_table[j].id);
}

TEST(sources_are_tagged)
{
    for (unsigned i = 0; i < ISA_COUNT; i++) {
        const char *s = isa_table[i].source;

        CHECK(s[0] == '[' && s[strlen(s) - 1] == ']');
    }
}

TEST(widths_need_their_group)
{
    for (unsigned op = 0; op < ISA_COUNT; op++) {
        isa_operand o[ISA_OPERANDS_MAX];
        unsigned n = isa_operands((isa_op)op, o);

        for (unsigned i = 0; i < n; i++) {
            if (o[i].width == OPND_WSIZE)
                CHECK(isa_table[op].mods >> MOD_SIZE & 1);
            if (o[i].width == OPND_WATYPE)
                CHECK(isa_table[op].mods >> MOD_ATYPE & 1);
        }
    }
}

TEST(finish_derives_registers_of_simple_operations)
{
    isa_inst in = reg3(ISA_IMADW, 4, 1, ISA_RZ, 6);

    in.guard = 3 | PRED_NOT;
    isa_finish(&in);
    CHECK_EQ(in.dst_regs, 2);
    CHECK_EQ(in.src_regs[0], 1);
    CHECK_EQ(in.src_regs[1], 0); /* RZ */
    CHECK_EQ(in.src_regs[2], 2);
    CHECK_EQ(in.pread, 1 << 3);
    CHECK_EQ(in.pwrite, 0);
    CHECK_EQ(in.class, ISA_CLASS_INT_MUL);
    CHECK_EQ(in.bytes, 0);
}

TEST(finish_derives_predicates)
{
    isa_inst in = isa_new(ISA_ISETP);

    in.pdst[0] = 1;
    in.pdst[1] = 2;
    in.psrc[0] = 4 | PRED_NOT;
    in.src_kind[0] = SRC_REG;
    in.src_kind[1] = SRC_IMM;
    isa_finish(&in);
    CHECK_EQ(in.pwrite, 1 << 1 | 1 << 2);
    CHECK_EQ(in.pread, 1 << 4);

    in = isa_new(ISA_R2P);
    in.lut = 0x41;
    isa_finish(&in);
    CHECK_EQ(in.pwrite, 0x41);
    in = isa_new(ISA_P2R);
    in.lut = 0x41;
    isa_finish(&in);
    CHECK_EQ(in.pread, 0x41);
}

TEST(finish_derives_widths_of_accesses)
{
    static const struct {
        unsigned size, regs, bytes;
    } row[] = {{SIZE_32, 1, 4}, {SIZE_64, 2, 8}, {SIZE_128, 4, 16},
               {SIZE_U8, 1, 1}, {SIZE_S8, 1, 1}, {SIZE_U16, 1, 2},
               {SIZE_S16, 1, 2}};

    for (unsigned i = 0; i < 7; i++) {
        isa_inst in = load(ISA_LDG, 8, 2, row[i].size, i & 1);

        CHECK_EQ(in.dst_regs, row[i].regs);
        CHECK_EQ(in.bytes, row[i].bytes);
        CHECK_EQ(in.src_regs[0], i & 1 ? 2 : 1);
        CHECK_EQ(in.src_kind[0], SRC_REG);
        in = isa_new(ISA_STS);
        in.src[1] = 8;
        ISA_PUT(&in, SIZE, row[i].size);
        isa_finish(&in);
        CHECK_EQ(in.src_regs[1], row[i].regs);
        CHECK_EQ(in.src_kind[1], SRC_REG);
    }
}

TEST(finish_derives_widths_of_atomics)
{
    isa_inst in = isa_new(ISA_ATOMG);

    in.dst = 2;
    in.src[1] = 4;
    in.src[2] = 6;
    ISA_PUT(&in, EXT, 1);
    ISA_PUT(&in, ATOMOP, ATOM_CAS);
    ISA_PUT(&in, ATYPE, ATYPE_U64);
    isa_finish(&in);
    CHECK_EQ(in.bytes, 8);
    CHECK_EQ(in.dst_regs, 2);
    CHECK_EQ(in.src_regs[1], 2);
    CHECK_EQ(in.src_regs[2], 2);
    CHECK(!isa_check(&in, ARCH_VOLTA));
    ISA_PUT(&in, ATOMOP, ATOM_ADD);
    isa_finish(&in);
    CHECK_STR(isa_check(&in, ARCH_VOLTA), "only CAS takes a second value");
}

TEST(finish_marks_reads_of_clocks)
{
    isa_inst in = isa_new(ISA_S2R);

    in.lut = SR_CLOCKLO;
    isa_finish(&in);
    CHECK(in.flags & ISA_F_CLOCK);
    in.lut = SR_TID_X;
    isa_finish(&in);
    CHECK(!(in.flags & ISA_F_CLOCK));
}

TEST(check_rejects_unaligned_registers)
{
    isa_inst in = reg3(ISA_DFMA, 2, 4, 6, 8);
    int at;

    check_why(in, ARCH_VOLTA, NULL);
    in.src[1] = 7;
    isa_finish(&in);
    CHECK_STR(isa_check_operand(&in, ARCH_VOLTA, &at),
              "a register pair must start at an even register");
    CHECK_EQ(at, 2);
    check_why(load(ISA_LDS, 2, 0, SIZE_128, false), ARCH_VOLTA,
              "four registers must start at a multiple of 4");
    check_why(load(ISA_LDS, 252, 0, SIZE_128, false), ARCH_VOLTA,
              "registers above R254");
    check_why(load(ISA_LDS, 254, 0, SIZE_64, false), ARCH_VOLTA,
              "registers above R254");
    check_why(load(ISA_LDS, 254, 0, SIZE_32, false), ARCH_VOLTA, NULL);
    check_why(load(ISA_LDG, 0, 3, SIZE_32, true), ARCH_VOLTA,
              "a register pair must start at an even register");
}

TEST(check_rejects_what_the_operation_lacks)
{
    isa_inst in = reg3(ISA_IMAD, 0, 1, 2, 3);

    check_why(in, ARCH_VOLTA, NULL);
    in.src_mod[0] = SRC_ABS;
    check_why(in, ARCH_VOLTA,
              "the operation does not take this source modifier");
    in.src_mod[0] = 0;
    in.mod = 1u << MOD_FTZ_SHIFT;
    check_why(in, ARCH_VOLTA, "a modifier that the operation does not have");
    in.mod = 0;
    in.psrc[0] = 0;
    check_why(in, ARCH_VOLTA, "an operand that the operation does not have");
    in = load(ISA_LDS, 0, 0, 7, false);
    check_why(in, ARCH_VOLTA, "a modifier has no such value");
    check_why(isa_new(ISA_FADD), ARCH_VOLTA, "an operand is missing");
}

TEST(check_allows_one_source_outside_the_registers)
{
    isa_inst in = reg3(ISA_FFMA, 0, 1, 2, 3);

    in.src_kind[1] = SRC_CONST;
    in.val[1] = CBANK_PARAM << 16 | 0x160;
    check_why(in, ARCH_VOLTA, NULL);
    in.src_kind[2] = SRC_IMM;
    check_why(in, ARCH_VOLTA,
              "at most one source can be an immediate or a constant");
    in.src_kind[2] = SRC_REG;
    in.val[1] = CBANKS << 16;
    check_why(in, ARCH_VOLTA, "no such constant bank");
    in.val[1] = 2;
    check_why(in, ARCH_VOLTA, "a constant must be 4-byte aligned");
}

TEST(check_knows_control_information_of_each_family)
{
    isa_inst in = isa_new(ISA_NOP), bssy = isa_new(ISA_BSSY);

    check_why(in, ARCH_FERMI, NULL);
    in.ctl = 1u << CTL_HAS | CTL_NONE | 4;
    check_why(in, ARCH_FERMI, "Fermi has no control information");
    check_why(in, ARCH_KEPLER, "Kepler has 8-bit codes only");
    check_why(in, ARCH_VOLTA, NULL);
    in.ctl = 1u << CTL_HAS | CTL_NONE | 0x25u << CTL_CODE;
    check_why(in, ARCH_KEPLER, NULL);
    check_why(in, ARCH_VOLTA, "8-bit codes are Kepler's");
    in.ctl = 1u << CTL_HAS | CTL_NONE | 1u << CTL_REUSE;
    check_why(in, ARCH_VOLTA, "reuse of a source that is no register");
    check_why(bssy, ARCH_KEPLER, "convergence barriers exist from Volta on");
    check_why(isa_new(ISA_SYNC), ARCH_VOLTA,
              "Volta and later have BSSY and BSYNC");
}

TEST(addresses_leave_room_for_control_words)
{
    CHECK_EQ(isa_address(ARCH_FERMI, 9), 72);
    CHECK_EQ(isa_address(ARCH_VOLTA, 9), 144);
    /* Words 0 and 8 are control words: instruction 6 is word 7, 7 word 9. */
    CHECK_EQ(isa_address(ARCH_KEPLER, 0), 8);
    CHECK_EQ(isa_address(ARCH_KEPLER, 6), 56);
    CHECK_EQ(isa_address(ARCH_KEPLER, 7), 72);
    CHECK_EQ(isa_address(ARCH_KEPLER, 14), 136);
}

TEST(kernels_of_cplusplus_answer_to_their_names)
{
    static const char *const names[] = {"_Z5saxpyPKfPffj", "_ZL4copyPi",
                                        "_Z3addi", "_Z3addf", "_Z4saxpf"};
    isa_program *p = isa_program_new(ARCH_KEPLER);

    p->kernels = ARENA_ARRAY(p->mem, isa_kernel, COUNTOF(names));
    for (unsigned i = 0; i < COUNTOF(names); i++)
        p->kernels[p->kernel_count++].name = names[i];
    CHECK(isa_program_kernel_by_name(p, "saxpy") == &p->kernels[0]);
    CHECK(isa_program_kernel_by_name(p, "copy") == &p->kernels[1]);
    CHECK(isa_program_kernel_by_name(p, "saxp") == &p->kernels[4]);
    CHECK(!isa_program_kernel_by_name(p, "add")); /* which? */
    CHECK(isa_program_kernel_by_name(p, "_Z3addf") == &p->kernels[3]);
    CHECK(!isa_program_kernel_by_name(p, "sax"));
    CHECK(!isa_program_kernel_by_name(p, ""));
    isa_program_free(p);
}

TEST(program_finds_kernels_by_name)
{
    isa_program *p = isa_program_new(ARCH_KEPLER);

    p->kernels = ARENA_ARRAY(p->mem, isa_kernel, 2);
    p->kernel_count = 2;
    p->kernels[0].name = "first";
    p->kernels[1].name = "second";
    CHECK(isa_program_kernel(p, "second") == &p->kernels[1]);
    CHECK(!isa_program_kernel(p, "third"));
    isa_program_free(p);
}
