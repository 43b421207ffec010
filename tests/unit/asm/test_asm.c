/* tests/unit/asm/test_asm.c - what the assembler makes of text, and what it
 * says about wrong text, where. */
#include "asm/asm.h"
#include "base/file.h"
#include "base/must.h"
#include "test.h"

static isa_program *parse(const char *text)
{
    diag *dg = diag_new();
    isa_program *p = NULL;
    status st = asm_parse("t.sass", text, strlen(text), dg, &p);

    if (st != ST_OK)
        diag_print(dg, stderr, false);
    diag_free(dg);
    CHECK_EQ(st, ST_OK);
    return p;
}

/* One instruction of a kernel with a parameter n and labels around. */
static isa_inst one(isa_arch arch, const char *text)
{
    static const char *const names[] = {"fermi", "kepler", "volta", "ampere"};
    char all[600];
    isa_program *p;
    isa_inst in;

    snprintf(
        all, sizeof all,
        ".arch %s\n.set N, 5\n.var const table size=8 align=4 offset=0x20\n"
        ".kernel k\n.param pointer p\n.param int n\n"
        "before: NOP\n%s\nafter: EXIT\n.end\n",
        names[arch], text);
    p = parse(all);
    CHECK_EQ(p->kernels[0].code_count, 3);
    in = p->kernels[0].code[1];
    isa_program_free(p);
    return in;
}

static isa_inst volta(const char *text) { return one(ARCH_VOLTA, text); }

static uint32_t immediate(const char *text)
{
    isa_inst in = volta(text);

    for (unsigned i = 0; i < 3; i++)
        if (in.src_kind[i] == SRC_IMM)
            return in.val[i];
    TEST_FAIL("%s has no immediate", text);
}

/* ---- instructions ---- */

TEST(operands_go_where_they_belong)
{
    isa_inst in = volta("@!P0 FFMA.FTZ R0, -R1, |R2|, c[0x0][0x160]");

    CHECK_EQ(in.op, ISA_FFMA);
    CHECK_EQ(in.guard, 0 | PRED_NOT);
    CHECK_EQ(in.dst, 0);
    CHECK_EQ(in.src[0], 1);
    CHECK_EQ(in.src_mod[0], SRC_NEG);
    CHECK_EQ(in.src[1], 2);
    CHECK_EQ(in.src_mod[1], SRC_ABS);
    CHECK_EQ(in.src_kind[2], SRC_CONST);
    CHECK_EQ(in.val[2], 0x160);
    CHECK_EQ(ISA_GET(&in, FTZ), 1);
    CHECK_EQ(in.ctl, CTL_NONE);

    in = volta("LDG.E.128 R4, [R2.64-0x10]");
    CHECK_EQ(in.op, ISA_LDG);
    CHECK_EQ(ISA_GET(&in, SIZE), SIZE_128);
    CHECK_EQ(in.src[0], 2);
    CHECK_EQ((int32_t)in.val[0], -16);
    CHECK_EQ(in.dst_regs, 4);

    in = volta("ISETP.LT.U32.AND P0, PT, R1, R2, !P3");
    CHECK_EQ(ISA_GET(&in, ICMP), CMP_LT);
    CHECK_EQ(ISA_GET(&in, U32), 1);
    CHECK_EQ(in.pdst[0], 0);
    CHECK_EQ(in.pdst[1], ISA_PT);
    CHECK_EQ(in.psrc[0], 3 | PRED_NOT);
    CHECK_EQ(in.psrc[1], ISA_PT);
}

TEST(uniform_registers_have_their_places)
{
    isa_inst in = one(ARCH_AMPERE, "@!UP2 UIADD3 UR4, UP1, UR6, 0x10, -URZ");

    CHECK_EQ(in.op, ISA_UIADD3);
    CHECK_EQ(in.guard, 2 | PRED_NOT);
    CHECK_EQ(in.dst, 4);
    CHECK_EQ(in.udst_regs, 1);
    CHECK_EQ(in.dst_regs, 0);
    CHECK_EQ(in.upread, 1 << 2);
    CHECK_EQ(in.upwrite, 1 << 1);
    CHECK_EQ(in.pread | in.pwrite, 0);
    CHECK_EQ(in.src[0], 6);
    CHECK_EQ(in.usrc_regs[0], 1);
    CHECK_EQ(in.src_regs[0], 0);
    CHECK_EQ(in.src[2], ISA_RZ);

    in = one(ARCH_AMPERE, "@P1 DFMA R2, R4, UR6, R8");
    CHECK_EQ(in.src_kind[1], SRC_UREG);
    CHECK_EQ(in.src[1], 6);
    CHECK_EQ(in.usrc_regs[1], 2);
    CHECK_EQ(in.src_regs[1], 0);
    CHECK_EQ(in.pread, 1 << 1);
    CHECK_EQ(in.upread, 0);

    in = one(ARCH_AMPERE, "PLOP3.LUT P0, P1, PT, !UP3, 0x80");
    CHECK_EQ(in.psrc[2], 3 | PRED_NOT | PRED_UNIFORM);
    CHECK_EQ(in.pread, 1 << 1);
    CHECK_EQ(in.upread, 1 << 3);

    in = one(ARCH_AMPERE, "ULDC.64 UR8, c[0x0][UR2+0x160]");
    CHECK_EQ(in.lut, 0);
    CHECK_EQ(in.val[0], 0x160);
    CHECK_EQ(in.src[0], 2);
    CHECK_EQ(in.usrc_regs[0], 1);
    CHECK_EQ(in.udst_regs, 2);
}

TEST(addresses_may_add_a_uniform_register)
{
    unsigned regs;
    isa_inst in = one(ARCH_AMPERE, "LDG.E R0, [R2.64+UR4+0x10]");

    CHECK_EQ(in.src[0], 2);
    CHECK_EQ(in.src_regs[0], 2);
    CHECK_EQ(in.val[0], 0x10);
    CHECK_EQ(isa_uaddr(&in, &regs), 4);
    CHECK_EQ(regs, 2);

    in = one(ARCH_AMPERE, "STG.E [R3.U32+UR4-0x10], R0");
    CHECK_EQ(in.src[0], 3);
    CHECK_EQ(in.src_regs[0], 1);
    CHECK_EQ(in.val[0], (uint32_t)-16);
    CHECK_EQ(in.uaddr, UADDR_U32 | 5);

    in = one(ARCH_AMPERE, "LDS R0, [UR5+8]");
    CHECK_EQ(in.src[0], ISA_RZ);
    CHECK_EQ(in.val[0], 8);
    CHECK_EQ(isa_uaddr(&in, &regs), 5);
    CHECK_EQ(regs, 1);

    in = one(ARCH_AMPERE, "LDS R0, [R1+URZ+8]"); /* adds nothing */
    CHECK_EQ(in.uaddr, 0);
}

TEST(optional_operands_may_be_left_out)
{
    isa_inst in = volta("IADD3 R0, P1, R2, R3, RZ");

    CHECK_EQ(in.pdst[0], 1);
    CHECK_EQ(in.pdst[1], ISA_PT);
    in = volta("IADD3 R0, PT, P1, R2, R3, RZ");
    CHECK_EQ(in.pdst[0], ISA_PT);
    CHECK_EQ(in.pdst[1], 1);
    in = volta("VOTE.ANY P1, P2");
    CHECK_EQ(in.dst, ISA_RZ);
    CHECK_EQ(in.pdst[0], 1);
    CHECK_EQ(in.psrc[0], 2);
    in = volta("VOTE.ANY R5, P2");
    CHECK_EQ(in.dst, 5);
    CHECK_EQ(in.pdst[0], ISA_PT);
    in = volta("BAR.SYNC 3");
    CHECK_EQ(in.lut, 3);
    CHECK_EQ(in.src_kind[1], SRC_NONE);
    in = volta("BAR.SYNC R3, 64");
    CHECK_EQ(in.src[0], 3);
    CHECK_EQ(in.val[1], 64);
    in = volta("BAR.RED.POPC R0, 0x0, P1");
    CHECK_EQ(in.psrc[0], 1);
}

TEST(modifiers_come_in_any_order)
{
    isa_inst in = volta("ISETP.AND.U32.GE P0, PT, R1, R2, PT");

    CHECK_EQ(ISA_GET(&in, ICMP), CMP_GE);
    CHECK_EQ(ISA_GET(&in, BOOL), BOOL_AND);
    CHECK_EQ(ISA_GET(&in, U32), 1);
    in = volta("I2I.S8.U32 R0, R1"); /* destination first */
    CHECK_EQ(ISA_GET(&in, DTYPE), ITYPE_S8);
    CHECK_EQ(ISA_GET(&in, ITYPE), ITYPE_U32);
    in = volta("F2I.L.F64.S64.TRUNC R0, R2");
    CHECK_EQ(in.op, ISA_F2I_DL);
}

TEST(integers_are_expressions)
{
    CHECK_EQ(immediate("MOV R0, 1+2*3"), 7);
    CHECK_EQ(immediate("MOV R0, (1+2)*3-1"), 8);
    CHECK_EQ(immediate("MOV R0, 100-10-1"), 89);
    CHECK_EQ(immediate("MOV R0, 1<<4|3&2^1"), 16 | ((3 & 2) ^ 1));
    CHECK_EQ(immediate("MOV R0, ~0"), 0xffffffff);
    CHECK_EQ(immediate("MOV R0, -17/5"), (uint32_t)-3);
    CHECK_EQ(immediate("MOV R0, -17%5"), (uint32_t)-2);
    CHECK_EQ(immediate("MOV R0, N*N+table"), 25 + 0x20);
    CHECK_EQ(immediate("MOV R0, before"), 0);
    CHECK_EQ(immediate("MOV R0, after+1"), 3);
    CHECK_EQ(immediate("IADD3 R0, R1, -4, RZ"), 0xfffffffc);
    CHECK_EQ(immediate("IMAD.WIDE R2, R0, R1, -1"), 0xffffffff);
    CHECK_EQ(volta("MOV R0, c[0][n]").val[1], 0x160 + 8);
    CHECK_EQ(one(ARCH_KEPLER, "MOV R0, c[0][n]").val[1], 0x140 + 8);
    CHECK_EQ(volta("LDS R0, [table+4]").val[0], 0x24);
}

/* Bits from the definition of the formats. */
TEST(floating_point_immediates_are_exact)
{
    CHECK_EQ(immediate("FADD R0, R1, 1"), 0x3f800000);
    CHECK_EQ(immediate("FADD R0, R1, -1.5"), 0xbfc00000);
    CHECK_EQ(immediate("FADD R0, R1, -0"), 0x80000000);
    CHECK_EQ(immediate("FADD R0, R1, 0.1"), 0x3dcccccd);
    CHECK_EQ(immediate("FADD R0, R1, 1e-45"), 0x00000001);
    CHECK_EQ(immediate("FADD R0, R1, 0x1.8p1"), 0x40400000);
    CHECK_EQ(immediate("FADD R0, R1, 0x3f800000"), 0x3f800000);
    CHECK_EQ(immediate("FADD R0, R1, +INF"), 0x7f800000);
    CHECK_EQ(immediate("FADD R0, R1, -INF"), 0xff800000);
    /* 1 + 2^-24 + 2^-60 rounds up; by way of a double it would not */
    CHECK_EQ(immediate("FADD R0, R1, 0x1.000001000000001p0"), 0x3f800001);
    CHECK_EQ(immediate("DADD R0, R2, 0.5"), 0x3fe00000);
    CHECK_EQ(immediate("DADD R0, R2, -2"), 0xc0000000);
    CHECK_EQ(immediate("DADD R0, R2, 0x7ff80000"), 0x7ff80000);
    CHECK_EQ(immediate("DADD R0, R2, 0x3ff8000000000000"), 0x3ff80000);
    CHECK_EQ(immediate("HADD2 R0, R1, 0x3c003c00"), 0x3c003c00);
}

TEST(control_information_is_kept)
{
    isa_inst in =
        volta("[B0--3--:R2:W1:Y:S04] IMAD R0, R1.reuse, R2, R3.reuse");
    uint32_t ctl = in.ctl;

    CHECK_EQ(ctl >> CTL_HAS & 1, 1);
    CHECK_EQ(ctl >> CTL_STALL & 15, 4);
    CHECK_EQ(ctl >> CTL_YIELD & 1, 1);
    CHECK_EQ(ctl >> CTL_WRITE_BAR & 7, 1);
    CHECK_EQ(ctl >> CTL_READ_BAR & 7, 2);
    CHECK_EQ(ctl >> CTL_WAIT & 63, 1 + 8); /* 0 and 3 */
    CHECK_EQ(ctl >> CTL_REUSE & 15, 5);
    in = one(ARCH_KEPLER, "{0x25} FADD R0, R1, R2");
    CHECK_EQ(in.ctl >> CTL_CODE & 255, 0x25);
    CHECK_EQ(in.ctl >> CTL_HAS, 1);
}

TEST(comments_and_separators)
{
    isa_program *p = parse("# a\n.arch volta // b\n/* c\nd */ .kernel k;NOP;NOP"
                           "\n/*0020*/ x: y: EXIT; /* 00 */\n");

    CHECK_EQ(p->kernels[0].code_count, 3);
    isa_program_free(p);
}

TEST(registers_and_barriers_are_counted)
{
    isa_program *p = parse(".arch volta\n.kernel a\nLDG.E.64 R10, [R20.64]\n"
                           "BAR.SYNC 2\nEXIT\n.end\n.kernel b\n.registers 40\n"
                           "FADD R0, R1, R2\nBAR.SYNC R1\n.end\n");

    CHECK_EQ(p->kernels[0].registers, 22);
    CHECK_EQ(p->kernels[0].barriers, 3);
    CHECK_EQ(p->kernels[1].registers, 40);
    CHECK_EQ(p->kernels[1].barriers, 16);
    isa_program_free(p);
}

TEST(files_go_with_lines)
{
    isa_program *p = parse(".arch volta\n.file \"a.h\"\n.kernel a\n"
                           ".file \"b.cu\"\n.line 7\nNOP\n"
                           ".file \"a.h\"\nNOP\n.file \"\"\nNOP\n"
                           ".line 0\nNOP\n.end\n.kernel b\n.line 2\nNOP\n");
    const isa_kernel *k = &p->kernels[0];

    CHECK_EQ(p->file_count, 2);
    CHECK_STR(isa_kernel_file(k, &k->code[0]), "b.cu");
    CHECK_STR(isa_kernel_file(k, &k->code[1]), "a.h");
    CHECK_EQ(k->code[1].line, 7);
    CHECK(!isa_kernel_file(k, &k->code[2]));
    CHECK_EQ(k->code[2].line, 7);
    CHECK_EQ(k->code[3].file, 0);
    CHECK_EQ(p->kernels[1].code[0].file, 0);
    isa_program_free(p);
}

TEST(lines_are_kept_until_the_next)
{
    isa_program *p = parse(".arch volta\n.kernel a\nNOP\n.line 7\nNOP\nNOP\n"
                           ".line 0\nNOP\n.end\n.kernel b\nNOP\n");
    const isa_inst *code = p->kernels[0].code;

    CHECK_EQ(code[0].line, 0);
    CHECK_EQ(code[1].line, 7);
    CHECK_EQ(code[2].line, 7);
    CHECK_EQ(code[3].line, 0);
    CHECK_EQ(p->kernels[1].code[0].line, 0);
    isa_program_free(p);
}

/* ---- printing ---- */

static const char *const canonical[] = {
    "@!P0 FFMA.FTZ R0, -R1, |R2|, c[0x0][0x160]",
    "FADD R0, -|R1|, 1.0",
    "FADD R0, R1, -INF",
    "FMUL R0, R1, 1e-45",
    "FADD R0, R1, 0x7fc00000",
    "DADD R0, R2, 0.5",
    "IADD3 R0, R1, -0x4, RZ",
    "IADD3 R0, P1, R1, R2, R3",
    "IADD3 R0, PT, P1, R1, R2, R3",
    "ISETP.LT.U32.AND P0, PT, R1, 0xffffffff, PT",
    "ISETP.GE.AND.EX P0, PT, R1, R2, PT, P1",
    "LOP3.LUT R0, R1, ~R2, RZ, 0xc0",
    "VOTE.ANY R5, P2",
    "VOTE.ALL P1, !P2",
    "S2R R0, SR_TID.X",
    "LDG.E.128 R4, [R2.64+0x10]",
    "LDS R0, [0x40]",
    "STG.E.U8 [R2.64-0x1], R5",
    "LDC.64 R2, c[0x3][R1+0x10]",
    "ATOMG.E.CAS R0, [R2.64], R4, R5",
    "RED.E.ADD.F32 [R2.64], R4",
    "I2I.S8.U32 R0, R1",
    "BSSY B3, L_0",
    "@P1 BRA L_0",
    "BAR.SYNC 0x0",
    "BAR.SYNC 0x1, 0x40",
    "BAR.RED.AND P0, R1, R2, !P3",
    "[B0--3--:R2:W1:Y:S04] IMAD R0, R1.reuse, R2, -R3.reuse",
    "[B------:R-:W-:-:S15] EXIT",
};

/* Text that the assembler reads is text that the disassembler writes. */
static void check_canonical(const char *arch, const char *line)
{
    char text[200], want[150];
    strbuf b = {0};
    isa_program *p;

    snprintf(want, sizeof want, "    %s;\n", line);
    snprintf(text, sizeof text, ".arch %s\n.kernel k\nL_0:\n%s", arch, want);
    p = parse(text);
    asm_print(p, &b, NULL);
    if (!strstr(b.text, want))
        TEST_FAIL("%s became %s", want, b.text);
    strbuf_fini(&b);
    isa_program_free(p);
}

TEST(canonical_text_is_printed_as_written)
{
    for (size_t i = 0; i < COUNTOF(canonical); i++)
        check_canonical("volta", canonical[i]);
}

TEST(canonical_text_of_uniform_registers)
{
    static const char *const lines[] = {
        "R2UR UR4, R7",
        "@!UP0 UIADD3 UR4, UP1, UP2, UR5, -UR6, URZ",
        "UIMAD.WIDE.U32 UR4, UR5, 0x8, UR6",
        "UISETP.GE.AND UP0, UPT, UR4, UR5, UPT",
        "ULDC.64 UR4, c[0x0][0x160]",
        "ULDC UR4, c[0x3][UR5+0x8]",
        "ULOP3.LUT UR4, UR5, ~UR6, URZ, 0xc0",
        "USEL UR4, UR5, UR6, !UP0",
        "UPLOP3.LUT UP0, UP1, UP2, !UPT, 0x80",
        "@P0 VOTEU.ANY UR4, UP0, !P1",
        "S2UR UR4, SR_CTAID.X",
        "PLOP3.LUT P0, PT, PT, UP0, 0x80",
        "ISETP.GE.AND P0, PT, R0, UR4, PT",
        "FFMA R0, R1, UR4, -R2",
        "LDG.E R0, [R2.64+UR4]",
        "LDG.E R0, [R2.U32+UR4-0x10]",
        "LDG.E R0, [UR4+0x10]",
        "STS [R0+UR4], R1",
    };

    for (size_t i = 0; i < COUNTOF(lines); i++)
        check_canonical("ampere", lines[i]);
}

/* ---- errors ---- */

typedef struct wrong {
    const char *text; /* behind ".arch volta\n.kernel k\n" */
    unsigned line, column, length;
    const char *message;
} wrong;

static void check_wrong(const char *text, const wrong *want, size_t count)
{
    diag *dg = diag_new();
    isa_program *p = NULL;

    CHECK_EQ(asm_parse("t.sass", text, strlen(text), dg, &p), ST_PROGRAM);
    CHECK(!p);
    if (diag_count(dg) != count)
        diag_print(dg, stderr, false);
    CHECK_EQ(diag_count(dg), count);
    for (size_t i = 0; i < count; i++) {
        const diag_item *it = diag_get(dg, i);

        CHECK_STR(it->text, want[i].message);
        CHECK_STR(it->file, "t.sass");
        CHECK_EQ(it->line, want[i].line);
        CHECK_EQ(it->column, want[i].column);
        CHECK_EQ(it->length, want[i].length);
    }
    diag_free(dg);
}

static const wrong wrong_instructions[] = {
    {"FAD R0, R1, R2", 3, 1, 3, "unknown instruction FAD; did you mean FADD?"},
    {"  FAD.FTZ R0, R1, R2", 3, 3, 3,
     "unknown instruction FAD; did you mean FADD?"},
    {"FADD.FTS R0, R1, R2", 3, 6, 3,
     "FADD has no modifier .FTS; did you mean .FTZ?"},
    {"FADD.FTZ.FTZ R0, R1, R2", 3, 10, 3,
     "FADD has a modifier like .FTZ already"},
    {"MUFU R0, R1", 3, 1, 4,
     "MUFU needs a modifier: one of "
     "COS|SIN|EX2|LG2|RCP|RSQ|RCP64H|RSQ64H|SQRT|TANH"},
    {"FADD R0, R1, R2, R3", 3, 18, 2, "FADD takes no further operand"},
    {"FADD R0, R1", 3, 12, 1, "FADD needs another operand: source B"},
    {"FADD P0, R1, R2", 3, 6, 2,
     "expected destination register, not a predicate"},
    {"FADD R0, R1, R2,", 3, 17, 1, "expected an operand"},
    {"FADD R0 R1, R2", 3, 9, 2, "expected ',' or the end"},
    {"FADD R0, R1, c[9][0]", 3, 16, 1, "9 is out of range: 0 to 4"},
    {"FADD R0, R1, c[0][2]", 3, 14, 7, "a constant must be 4-byte aligned"},
    {"DADD R0, R2, R5", 3, 14, 2,
     "a register pair must start at an even register"},
    {"IADD3 R0, R1, 1, c[0][0]", 3, 1, 5,
     "at most one source can be an immediate or a constant"},
    {"MOV R0, |R1|", 3, 9, 4,
     "the operation does not take this source modifier"},
    {"MOV R0, 0x100000000", 3, 9, 11, "4294967296 does not fit in 32 bits"},
    {"MOV R0, 1.5", 3, 9, 3, "expected an integer"},
    {"MOV R0, 1/(2-2)", 3, 10, 1, "division by zero"},
    {"MOV R0, 0x12g", 3, 9, 5, "this is no number"},
    {"MOV R0, nothing+1", 3, 9, 7, "unknown name nothing"},
    {"MOV R256, R0", 3, 5, 4, "expected destination register, not a name"},
    {"FADD R0, R1, 1e40", 3, 14, 4,
     "too large for single precision; write INF for infinity"},
    {"DADD R0, R2, 0.1", 3, 14, 3,
     "the lower half of an immediate double must be 0"},
    {"HADD2 R0, R1, 1.0", 3, 15, 3,
     "an immediate of half-precision pairs is given as 32 bits in "
     "hexadecimal"},
    {"LDG R0, [R2.64]", 3, 9, 7, "a 64-bit address needs the modifier .E"},
    {"LDG R0, [R2+4", 3, 14, 1, "expected ']'"},
    {"BRA nowhere", 3, 5, 7, "unknown label nowhere"},
    {"BRA end\nend:", 3, 5, 3, "no instruction follows this label"},
    {"S2R R0, SR_TID.W", 3, 9, 8,
     "unknown special register SR_TID.W; did you mean SR_TID.X?"},
    {"SYNC", 3, 1, 4, "Volta and later have BSSY and BSYNC"},
    {"BAR.SYNC 16", 3, 10, 2, "barriers are numbered 0 to 15"},
    {"{0x25} NOP", 3, 1, 1, "volta has no control information of this kind"},
    {"[B------:R-:W-:-:S16] NOP", 3, 1, 21,
     "control information looks like [B------:R-:W-:-:S01]"},
    {"[B------:R- NOP", 3, 1, 15, "the control information is not closed"},
    {"FADD R0.reuse, R1, R2", 3, 6, 8, "expected a register without modifiers"},
    {"FADD R0, R1.reuse, R2", 3, 10, 8,
     ".reuse needs control information in front"},
    {"ISETP.LT.AND !P0, PT, R1, R2, PT", 3, 14, 3,
     "a destination cannot be negated"},
    {"@R0 NOP", 3, 2, 2, "expected a predicate: P0 to P6 or PT"},
    {"MOV R0, \"x", 3, 9, 2, "the string is not closed"},
    {"MOV R0, ?", 3, 9, 1, "unexpected character"},
    {"ATOMG.E.ADD R0, [R2.64], R4, R5", 3, 30, 2,
     "only CAS takes a second value"},
    {"RED.E.EXCH [R2.64], R4", 3, 1, 10, "a reduction cannot exchange"},
};

TEST(errors_of_instructions_have_exact_places)
{
    for (size_t i = 0; i < COUNTOF(wrong_instructions); i++) {
        const wrong *row = &wrong_instructions[i];
        char text[200];

        snprintf(text, sizeof text, ".arch volta\n.kernel k\n%s\nEXIT\n.end\n",
                 row->text);
        if (strstr(row->text, "end:"))
            snprintf(text, sizeof text, ".arch volta\n.kernel k\n%s\n.end\n",
                     row->text);
        check_wrong(text, row, 1);
    }
}

TEST(errors_of_uniform_registers)
{
    static const wrong rows[] = {
        {"UMOV UR63, 1", 3, 6, 4,
         "expected uniform destination register, not a name"},
        {"UIADD3 UR0, R1, 1, URZ", 3, 13, 2,
         "expected uniform source A, not a register"},
        {"FADD UR0, R1, R2", 3, 6, 3,
         "expected destination register, not a uniform register"},
        {"STG.E [R2.64], UR4", 3, 16, 3,
         "expected data of 1, 2 or 4 aligned registers, not a uniform "
         "register"},
        {"UIMAD.WIDE UR1, UR2, UR3, UR4", 3, 12, 3,
         "a pair of uniform registers must start at an even one"},
        {"LDS R0, [R2.U32+UR4]", 3, 9, 12,
         ".U32 is of addresses of 64 bits: .E"},
        {"@P0 UMOV UR0, 1", 3, 5, 4,
         "the guard of UMOV is a uniform predicate: UP0 to UP6 or UPT"},
        {"@UP0 MOV R0, 1", 3, 6, 3,
         "the guard of MOV is a predicate: P0 to P6 or PT"},
        {"ISETP.LT.AND P0, PT, R1, R2, UP0", 3, 30, 3,
         "of predicates of lanes, only the third source of PLOP3.LUT can be a "
         "uniform one"},
    };
    static const wrong on_volta[] = {
        {"UMOV UR0, 1", 3, 1, 4,
         "uniform registers exist from Turing on, here on ampere and hopper"},
        {"FADD R0, R1, UR2", 3, 1, 4,
         "uniform registers exist from Turing on, here on ampere and hopper"},
        {"LDS R0, [UR2]", 3, 1, 3,
         "uniform registers exist from Turing on, here on ampere and hopper"},
        {"R2UR UR0, R1", 3, 1, 4,
         "uniform registers exist from Turing on, here on ampere and hopper"},
    };
    char text[200];

    for (size_t i = 0; i < COUNTOF(rows); i++) {
        snprintf(text, sizeof text, ".arch ampere\n.kernel k\n%s\nEXIT\n.end\n",
                 rows[i].text);
        check_wrong(text, &rows[i], 1);
    }
    for (size_t i = 0; i < COUNTOF(on_volta); i++) {
        snprintf(text, sizeof text, ".arch volta\n.kernel k\n%s\nEXIT\n.end\n",
                 on_volta[i].text);
        check_wrong(text, &on_volta[i], 1);
    }
}

TEST(errors_of_directives_have_exact_places)
{
    static const wrong row[] = {
        {".arhc volta", 1, 1, 5,
         "unknown directive .arhc; did you mean .arch?"},
        {".arch maxwell", 1, 7, 7,
         "expected fermi, kepler, volta, ampere or hopper"},
        {".kernel k\nEXIT", 1, 9, 1,
         "a line .arch fermi, kepler, volta, ampere or hopper must stand "
         "before the first kernel"},
        {".registers 4", 1, 1, 10, "only inside a kernel"},
        {".word 4", 1, 1, 5, "data belong behind .var or .constant"},
        {"NOP", 1, 1, 3, "an instruction belongs into a kernel"},
        {"x:", 1, 1, 1, "a label belongs into a kernel"},
        {".var local x size=4", 1, 6, 5,
         "expected global, const, shared or handle"},
        {".var const x size=4 align=3", 1, 27, 1,
         "the alignment is no power of two"},
        {".var const x size=4 size=4", 1, 21, 4, "size is given twice"},
        {".var const x align=4", 1, 12, 1, "the variable needs a size="},
        {".var const x size=65537", 1, 19, 5, "only 65536 bytes are there"},
        {".var const x size=4 align=4 offset=2", 1, 36, 1,
         "the offset is not aligned"},
        {".var global x size=4 offset=0", 1, 29, 1,
         "a global variable gets its address when the program is loaded"},
        {".var const x size=4\n.word 1, 2", 2, 10, 1,
         "more data than the 4 bytes there are"},
        {".var const x size=4\n.byte 256", 2, 7, 3,
         "256 is out of range: -128 to 255"},
        {".var shared x size=4\n.word 1", 2, 7, 1,
         "shared memory has no initial value"},
        {".symbol 0, x", 1, 12, 1, "unknown variable x"},
        {".symbol 0, entry x", 1, 18, 1, "unknown kernel"},
        {".var global x size=8\n.reloc x+1, x", 2, 8, 1,
         "the variable has no data"},
        {".var global x size=8\n.zero 8\n.reloc x+1, x", 3, 8, 1,
         "the 8 bytes of an address lie outside the variable"},
        {".arch volta\n.kernel k\n.registers 1\nFADD R0, R1, R2\n.end", 3, 12,
         1, "the code needs 3 registers"},
        {".arch volta\n.kernel k\n.end", 2, 9, 1,
         "kernel k has no instructions"},
        {".arch volta\n.kernel k\nNOP\n.end\n.kernel k\nNOP", 5, 9, 1,
         "a kernel k exists already"},
        {".arch volta\n.kernel k\na: NOP\na: NOP\n", 4, 1, 1,
         "the label is there already"},
        {".arch volta\n.kernel k\nR1: NOP\n", 3, 1, 2,
         "this name is taken by the machine"},
        {".arch volta\n.kernel k\n.line 4 5\nNOP\n", 3, 9, 1,
         "expected the end of the line"},
        {".arch volta\n.kernel \"k\nNOP", 2, 9, 2, "the string is not closed"},
        {".arch volta\n.kernel k\nNOP\n/* x", 4, 1, 2,
         "the comment is not closed"},
    };

    for (size_t i = 0; i < COUNTOF(row); i++)
        check_wrong(row[i].text, &row[i], 1);
}

TEST(all_errors_are_reported)
{
    static const wrong want[] = {
        {NULL, 2, 1, 9,
         "unknown directive .registrs; did you mean .registers?"},
        {NULL, 4, 6, 2, "expected destination register, not a predicate"},
        {NULL, 5, 5, 1, "unknown label x"},
        {NULL, 5, 8, 5, "unknown instruction STOPP"},
        {NULL, 8, 1, 4, "unknown instruction EXTI; did you mean EXIT?"},
    };

    check_wrong(".arch volta\n.registrs 4\n.kernel k\nFADD P0, R1, R2\n"
                "BRA x; STOPP\n.end\n.kernel l\nEXTI\n.end\n",
                want, 5);
}

/* ---- programs ---- */

static const char whole[] =
    ".arch volta\n"
    ".const 32\n"
    ".symbols 24\n"
    ".file \"a.cu\"\n"
    ".file \"dir/b.h\"\n"
    ".var global table size=64 align=8\n"
    "    .word 0x1, 0x2, 0x3\n"
    ".var global empty size=16 align=16\n"
    "    .zero 16\n"
    ".var global big size=8589934592 align=256\n"
    ".var const coeff size=16 align=4 offset=0x8\n"
    "    .word 0x3f800000, 0xbf800000, 0x0, 0x40490fdb\n"
    ".var shared tile size=1024 align=16 offset=0x0\n"
    ".var shared tile size=6 align=2 offset=0x400\n"
    ".var const odd size=7 align=1 offset=0x18\n"
    "    .word 0x4030201\n"
    "    .byte 0x5\n"
    "    .byte 0x6\n"
    "    .byte 0x7\n"
    ".reloc table+0x8, coeff+0x4\n"
    ".symbol 0x0, table-0x8\n"
    ".symbol 0x8, entry \"a b\\\"c\"\n"
    ".symbol 0x10, $4-0x8000000000000000\n"
    "\n"
    ".kernel first\n"
    ".registers 12\n"
    ".shared 2048\n"
    ".local 32\n"
    ".spill 16\n"
    ".barriers 1\n"
    ".maxthreads 256\n"
    ".reqthreads 16, 16, 1\n"
    ".params 32\n"
    ".param pointer x size=8 align=8 offset=0x0\n"
    ".param float a size=4 align=4 offset=0x8\n"
    ".param int n size=2 align=2 offset=0xc\n"
    ".param bytes s size=12 align=4 offset=0x10\n"
    ".constant\n"
    "    .word 0x1, 0x0, 0x0, 0x0\n"
    "    .word 0x2\n"
    "    .zero 4\n"
    "L_0:\n"
    "    .file \"a.cu\"\n"
    "    .line 3\n"
    "    S2R R0, SR_TID.X;\n"
    "    @P0 BRA L_1;\n"
    "    .line 4\n"
    "    [B0-----:R-:W-:-:S15] BAR.SYNC 0x0;\n"
    "    .file \"dir/b.h\"\n"
    "    .line 4\n"
    "    BRA L_0;\n"
    "L_1:\n"
    "    .line 0\n"
    "    EXIT;\n"
    ".end\n"
    "\n"
    ".kernel \"a b\\\"c\"\n"
    ".registers 0\n"
    ".shared 0\n.sharedreserved 1024\n"
    ".bank0 2\n.parambase 528\n.params 0\n"
    "    EXIT;\n"
    ".end\n";

TEST(program_survives_text)
{
    isa_program *p = parse(whole);
    strbuf text = {0};

    asm_print(p, &text, NULL);
    CHECK_STR(text.text, whole);
    strbuf_fini(&text);
    CHECK_EQ(p->vars[0].init[4], 2);
    CHECK(p->vars[1].init && !p->vars[2].init);
    CHECK_EQ(p->vars[2].size, 8589934592);
    CHECK_EQ(p->relocs[0].var, 0);
    CHECK_EQ(p->relocs[0].target, 3);
    CHECK_EQ(p->relocs[0].addend, 4);
    CHECK_EQ(p->relocs[1].var, -1);
    CHECK_EQ(p->relocs[1].addend, -8);
    CHECK_EQ(p->relocs[2].target_kernel, 1);
    CHECK_EQ(p->relocs[3].target, 4);
    CHECK_EQ(p->relocs[3].addend, INT64_MIN);
    CHECK_EQ(p->kernels[0].constant_bytes, 24);
    CHECK_EQ(p->kernels[0].constants[16], 2);
    CHECK_EQ(p->kernels[0].code[1].val[0], 4);
    CHECK_STR(p->kernels[1].name, "a b\"c");
    isa_program_free(p);
}

TEST(listing_quotes_the_source)
{
    const char *source = "one\n  two \n\tthree\nfour";
    isa_program *p = parse(whole);
    sources *from = sources_new(p->files, p->file_count, NULL);
    asm_print_options o = {.sources = from};
    strbuf text = {0};

    CHECK_EQ(p->file_count, 2);
    sources_put(from, 0, source, strlen(source));
    asm_print_kernel(p, &p->kernels[0], &text, &o);
    sources_free(from);
    CHECK(strstr(text.text, ".line 3\n    // three\n"));
    CHECK(strstr(text.text, ".line 4\n    // four\n"));
    strbuf_fini(&text);
    isa_program_free(p);
}

TEST(listing_shows_addresses)
{
    asm_print_options o = {.address = true};
    isa_program *p = parse(whole);
    strbuf text = {0};

    asm_print_kernel(p, &p->kernels[0], &text, &o);
    CHECK(strstr(text.text, "    /*0040*/ EXIT;\n"));
    strbuf_fini(&text);
    isa_program_free(p);
}

TEST(memory_is_computed_when_not_given)
{
    isa_program *p = parse(".arch volta\n.var shared a size=6 align=2\n"
                           ".var shared b size=8 align=8\n"
                           ".var const c size=3 align=1\n"
                           ".var const d size=4\n.symbol 8, d\n"
                           ".kernel k\n.param int i\n.param pointer p\n"
                           "EXIT\n");

    CHECK_EQ(p->vars[1].offset, 8);
    CHECK_EQ(p->vars[3].offset, 4);
    CHECK_EQ(p->user_const_bytes, 8);
    CHECK_EQ(p->symbol_const_bytes, 16);
    CHECK_EQ(p->kernels[0].shared_bytes, 16);
    CHECK_EQ(p->kernels[0].params[1].offset, 8);
    CHECK_EQ(p->kernels[0].param_bytes, 16);
    isa_program_free(p);
}

/* The first block of docs/asm.md. */
TEST(documented_example_assembles)
{
    const char *root = getenv("HEDDLE_SOURCE");
    char path[500], *text = NULL, *start, *end;
    isa_program *p;
    size_t size;
    diag *dg;

    if (!root)
        TEST_SKIP("HEDDLE_SOURCE is not set");
    dg = diag_new();
    snprintf(path, sizeof path, "%s/docs/asm.md", root);
    CHECK_EQ(file_read(path, dg, &text, &size), ST_OK);
    diag_free(dg);
    start = strstr(text, "```\n");
    CHECK(start);
    end = strstr(start + 4, "```");
    CHECK(end);
    *end = 0;
    p = parse(start + 4);
    CHECK_STR(p->kernels[0].name, "halve");
    CHECK_EQ(p->kernels[0].registers, 5);
    isa_program_free(p);
    free(text);
}

/* Both passes must see the same statements, whatever is in front of them. */
TEST(wrong_control_information_is_skipped_by_tokens)
{
    static const wrong want[] = {
        {NULL, 3, 1, 11,
         "control information looks like "
         "[B------:R-:W-:-:S01]"},
    };

    check_wrong(".arch volta\n.kernel a\n[B--- /*; ]\n.kernel b\nBRA x\n*/\n"
                "x: EXIT\n",
                want, 1);
}
