/* Lines of traces that are written. */
#include "test.h"

#include "isa/isa.h"
#include "replay/line_text.h"

enum { CODE = 7 };

static isa_inst code[CODE];
static isa_kernel kernel = {.name = "k", .code = code, .code_count = CODE};
static line_texts texts;

static void begin(void)
{
    code[0] = isa_new(ISA_IMADW);
    code[0].dst = 4;
    code[0].src[0] = 2;
    code[0].src_kind[1] = SRC_CONST;
    code[0].val[1] = 0x160;
    code[0].src[2] = 6;
    code[1] = isa_new(ISA_LDG);
    code[1].dst = 8;
    code[1].src[0] = 4;
    ISA_PUT(&code[1], EXT, 1);
    ISA_PUT(&code[1], SIZE, SIZE_64);
    code[2] = isa_new(ISA_STS);
    code[2].src[0] = 1;
    code[2].src[1] = 8;
    code[3] = isa_new(ISA_LD);
    code[3].dst = 9;
    code[3].src[0] = 4;
    ISA_PUT(&code[3], EXT, 1);
    code[4] = isa_new(ISA_LDL);
    code[4].dst = 9;
    code[4].src[0] = 3;
    code[5] = isa_new(ISA_BFE);
    code[5].dst = 9;
    code[5].src[0] = 3;
    code[5].src_kind[1] = SRC_IMM;
    code[6] = isa_new(ISA_DEPBAR);
    code[6].lut = 2;
    for (unsigned i = 0; i < CODE; i++)
        isa_finish(&code[i]);
    line_texts_init(&texts, &kernel, ARCH_VOLTA);
}

static void check(uint32_t pc, uint32_t mask, const exec_mem *m,
                  const char *want)
{
    strbuf got = {0};

    line_text_put(&texts, pc, mask, m, &got);
    CHECK_STR(got.text, want);
    strbuf_fini(&got);
}

/* Lane l at first + l * by. */
static exec_mem access_to(enum exec_space space, uint32_t mask, uint64_t first,
                          uint64_t by)
{
    exec_mem m = {.mask = mask};

    m.space[space] = mask;
    for (unsigned l = 0; l < ISA_WARP; l++)
        m.addr[l] = first + l * by;
    return m;
}

TEST(computation)
{
    begin();
    check(0, UINT32_MAX, NULL, "0000 ffffffff 1 R4 IMAD.WIDE 2 R2 R6 0 0\n");
    check(5, 0xff, NULL, "0050 000000ff 1 R9 BMSK 1 R3 0 0\n");
    check(6, 1, NULL, "0060 00000001 0 DEPBAR.LE 0 0 2\n");
    line_texts_fini(&texts);
}

TEST(addresses_with_a_stride)
{
    exec_mem m = access_to(EXEC_GLOBAL, UINT32_MAX, 0x700000000, 8);

    begin();
    check(1, UINT32_MAX, &m,
          "0010 ffffffff 1 R8 LDG.E.64 1 R4 8 1 0x700000000 8 0\n");
    m = access_to(EXEC_GLOBAL, 0xf0, 0x700000000, (uint64_t)-8);
    check(1, 0xf0, &m,
          "0010 000000f0 1 R8 LDG.E.64 1 R4 8 1 0x6ffffffe0 -8 0\n");
    m = access_to(EXEC_GLOBAL, UINT32_MAX, 0x700000000, 0);
    check(1, UINT32_MAX, &m,
          "0010 ffffffff 1 R8 LDG.E.64 1 R4 8 1 0x700000000 0 0\n");
    check(1, 0, NULL, "0010 00000000 1 R8 LDG.E.64 1 R4 8 1 0x0 0 0\n");
    line_texts_fini(&texts);
}

/* Lanes with holes, a single lane, other distances: each from the last. */
TEST(addresses_one_by_one)
{
    exec_mem m = access_to(EXEC_SHARED, 0x85, 0x100, 4);

    begin();
    check(2, 0x85, &m, "0020 00000085 0 STS 2 R1 R8 4 2 0x100 8 20 0\n");
    check(2, 0x80, &m, "0020 00000080 0 STS 2 R1 R8 4 2 0x11c 0\n");
    m = access_to(EXEC_SHARED, 7, 0x100, 4);
    m.addr[2] = 0;
    check(2, 7, &m, "0020 00000007 0 STS 2 R1 R8 4 2 0x100 4 -260 0\n");
    m = access_to(EXEC_GLOBAL, 3, 0, (uint64_t)1 << 32);
    check(1, 3, &m, "0010 00000003 1 R8 LDG.E.64 1 R4 8 2 0x0 4294967296 0\n");
    line_texts_fini(&texts);
}

/* As the base addresses of the header have them. */
TEST(windows)
{
    exec_mem m = access_to(EXEC_GLOBAL, 7, 0x700000000, 4);

    begin();
    m.space[EXEC_GLOBAL] = 1;
    m.space[EXEC_SHARED] = 2;
    m.space[EXEC_LOCAL] = 4;
    m.addr[1] = 0x20;
    m.addr[2] = 0x30;
    check(3, 7, &m,
          "0030 00000007 1 R9 LD.E 1 R4 4 2 0x700000000 -25769803744 "
          "4294967312 0\n");
    m = access_to(EXEC_LOCAL, UINT32_MAX, 0x10, 0);
    check(4, UINT32_MAX, &m,
          "0040 ffffffff 1 R9 LDL 1 R3 4 1 0x200000010 0 0\n");
    line_texts_fini(&texts);
}
