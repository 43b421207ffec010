/* tests/unit/sm/memory/test_turn.c - accesses whose lines take effect one by
 * one (l1.values=turn): every kind of access leaves what it does when it takes
 * effect at once, whatever its lines. */
#include "sm/state.h"
#include "unit/sm/rig.h"

enum { BYTES = 1 << 16 };

/* R2: the buffer, R4: lane, R10: the buffer + 4 * lane, R12: + 128 * lane; 64
 * bytes of local memory, 4 KB shared. */
static const char start[] =
    "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nS2R R4, SR_LANEID\n"
    "SHL R5, R4, 0x2\nIMAD.WIDE.U32 R10, R5, 0x1, R2\nSHL R6, R4, 0x7\n"
    "IMAD.WIDE.U32 R12, R6, 0x1, R2\nSHL R7, R4, 0x4\n";

/* What the buffer holds after `text`; each word held its number before. */
static void leaves(const char *values, const char *text, uint32_t *out)
{
    char settings[200];
    strbuf b = {0};

    snprintf(settings, sizeof settings, "v100\nl1.values=%s\n", values);
    rig *r = rig_new(settings);
    uint64_t a = mem_alloc(r->image, BYTES, "a");
    uint32_t *word = (uint32_t *)mem_host(r->image, a);

    for (unsigned i = 0; i < BYTES / 4; i++)
        word[i] = i * 0x01010101u;
    rig_param(r, 0, a);
    strbuf_printf(&b, "%s%sEXIT\n", start, text);
    rig_program(r, ".local 64\n.shared 4096\n", b.text, 1, 32);
    rig_run(r, 200000);
    CHECK(!sm_fault(r->s));
    rig_check_sum(r);
    mem_view_commit(r->view);
    memcpy(out, word, BYTES);
    strbuf_fini(&b);
    rig_free(r);
}

/* `text` changes the buffer, the same in both ways. */
static void same(const char *text)
{
    static uint32_t at_start[BYTES / 4], by_turn[BYTES / 4];
    bool changed = false;

    leaves("start", text, at_start);
    leaves("turn", text, by_turn);
    CHECK(!memcmp(at_start, by_turn, BYTES));
    for (unsigned i = 0; i < BYTES / 4; i++)
        changed |= at_start[i] != i * 0x01010101u;
    CHECK(changed);
}

TEST(words_of_local_memory_lie_in_several_lines)
{
    same("LDG.E.128 R16, [R12]\nSTL.128 [0x10], R16\nLDL.128 R20, [0x10]\n"
         "STG.E.128 [R12+0x20], R20\n");
    same("LDG.E.64 R16, [R12]\nSTL.64 [0x8], R16\nLDL R20, [0xc]\n"
         "LDL.U8 R21, [0x9]\nIADD3 R20, R20, R21, RZ\n"
         "STG.E [R12+0x40], R20\n");
    /* each lane elsewhere */
    same("LDG.E.64 R16, [R12]\nLOP3.LUT R14, R5, 0x38, RZ, 0xc0\n"
         "STL.64 [R14], R16\nLDL.64 R20, [R14]\nSTG.E.64 [R12+0x40], R20\n");
}

TEST(lanes_of_global_memory_in_many_lines)
{
    same("LDG.E.128 R16, [R12]\nSTG.E.128 [R12+0x10], R16\n");
    same("LDG.E.U8 R16, [R12+0x1]\nLDG.E.S16 R17, [R12+0x6]\n"
         "STG.E.U8 [R12+0x3], R17\nSTG.E.U16 [R12+0x8], R16\n");
    same("LDG.E R16, [R10+0x404]\nSTG.E [R10], R16\n");
}

TEST(only_lanes_that_execute)
{
    same("ISETP.GT.U32.AND P0, PT, R4, 0xc, PT\nMOV R16, 0x5\n"
         "@P0 LDG.E R16, [R12]\nSTG.E [R12+0x20], R16\n"
         "@!P0 STG.E [R12+0x30], R4\n");
}

/* Odd lanes in shared memory, even ones in global memory. */
TEST(generic_accesses_to_several_spaces)
{
    same("STS [R5], R6\nLOP3.LUT R14, R4, 0x1, RZ, 0xc0\n"
         "ISETP.NE.U32.AND P0, PT, R14, RZ, PT\nMOV R20, R12\nMOV R21, R13\n"
         "@P0 MOV R20, R5\n@P0 MOV R21, 0x1\nLD.E R16, [R20]\n"
         "IADD3 R16, R16, 0x7, RZ\nST.E [R20], R16\nLDS R17, [R5]\n"
         "STG.E [R12+0x20], R16\nSTG.E [R12+0x30], R17\n");
}

TEST(copies_to_shared_memory)
{
    same("LDGSTS.E.128 R7, [R12]\nLDGDEPBAR\nDEPBAR.LE 0x0\n"
         "LDS.128 R16, [R7]\nSTG.E.128 [R12+0x40], R16\n");
    /* odd lanes copy no bytes, but zeros */
    same("STS [R7], R6\nLOP3.LUT R14, R4, 0x1, RZ, 0xc0\nSHL R14, R14, 0x4\n"
         "LDGSTS.E.128 R7, [R12], R14\nLDGDEPBAR\nDEPBAR.LE 0x0\n"
         "LDS.128 R16, [R7]\nSTG.E.128 [R12+0x40], R16\n");
}

/* Stores and loads of one warp to the same words, many at a time. */
TEST(a_warp_sees_its_own_stores)
{
    same("STG.E [R12], R4\nLDG.E R16, [R12]\nSTG.E [R12], R5\n"
         "LDG.E R17, [R12]\nSTG.E [R12+0x10], R16\nSTG.E [R12+0x14], R17\n");
}

/* What it loads into is no register. */
TEST(loads_of_nothing)
{
    same("LDG.E RZ, [R12]\nLDL RZ, [0x0]\nSTG.E [R12], R4\n");
}

/* Lines that a fault keeps from taking effect are given back: of a sanitizer's
 * build the test finds it if not. */
TEST(a_fault_leaves_lines_behind)
{
    rig *r = rig_new("v100\nl1.values=turn\n");
    strbuf b = {0};

    rig_param(r, 0, mem_alloc(r->image, BYTES, "a"));
    strbuf_printf(&b, "%sSTG.E [R12], R4\n", start);
    for (unsigned i = 0; i < 20; i++)
        strbuf_puts(&b, "IADD3 R8, R8, R4, RZ\n"); /* time for it to start */
    strbuf_puts(&b, "BPT.TRAP\nEXIT\n");
    rig_program(r, ".local 64\n.shared 4096\n", b.text, 1, 32);
    r->l1.per_cycle = 0; /* takes none */
    rig_run(r, 200000);
    CHECK(sm_fault(r->s));
    CHECK(r->s->lsu.turns.waiting > 0);
    strbuf_fini(&b);
    rig_free(r);
}
