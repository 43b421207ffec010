/* tests/timing/test_dual_edge.c - the edges of issue by control codes, one by
 * one, with answers by hand: where a pair cannot be, what takes no read, who
 * contends. Loops and percentages are in test_dual.c. */
#include "dual.h"
#include "runtime/image.h"

/* One group, then the clock as the first of the next group, then the text of
 * the row; its clock stands behind it. */
#define FIRST                                                                  \
    "{0x20} MOV R2, c[0x0][p];\n{0x20} MOV R3, c[0x0][p+4];\n"                 \
    "{0x2d} NOP;\n{0x3f} NOP;\n{0x3f} NOP;\n{0x3f} NOP;\n{0x3f} NOP;\n"        \
    "{0x20} S2R R4, SR_CLOCKLO;\n"
#define LAST "{0x20} S2R R5, SR_CLOCKLO;\n"
#define STORE                                                                  \
    "{0x20} IADD3 R6, R5, -R4, RZ;\n{0x20} STG.E [R2.64], R6;\n{0x20} EXIT;\n"
#define NOPS "{0x20} NOP;\n{0x20} NOP;\n{0x20} NOP;\n{0x20} NOP;\n{0x20} NOP;\n"

enum { ANY = 0 };

/* `cycles` from one clock to the other: 1 for the first clock, and so on. */
static const struct {
    const char *what, *text;
    unsigned cycles, alike, mixed, refused, late;
} rows[] = {
    {"nothing", "", 1, 0, 0, 0, 0},
    {"a pair", "{0x04} FFMA R8, R0, R1, R0;\n{0x05} FFMA R9, R1, R0, R1;\n", 2,
     1, 0, 0, 0},
    {"the second's code counts",
     "{0x04} FFMA R8, R0, R1, R0;\n{0x22} FFMA R9, R1, R0, R1;\n", 4, 1, 0, 0,
     0},
    {"the second reads the first's result",
     "{0x04} FFMA R8, R0, R1, R0;\n{0x05} FFMA R9, R8, R0, R1;\n", 34, 0, 0, 1,
     0},
    {"both write one register",
     "{0x04} FFMA R8, R0, R1, R0;\n{0x05} FFMA R8, R1, R0, R1;\n", 34, 0, 0, 1,
     0},
    {"the second writes what the first reads",
     "{0x04} FFMA R8, R0, R1, R0;\n{0x05} FFMA R0, R1, R1, R1;\n", 2, 1, 0, 0,
     0},
    {"the second has the first's predicate for a guard",
     "{0x04} ISETP.NE.AND P1, PT, R0, R1, PT;\n"
     "{0x05} @P1 FFMA R8, R0, R1, R0;\n",
     34, 0, 0, 1, 0},
    {"0x04 before 0x04: the latter has its second",
     "{0x04} FFMA R8, R0, R1, R0;\n{0x04} FFMA R9, R1, R0, R1;\n"
     "{0x05} FFMA R10, R0, R0, R1;\n",
     34, 1, 0, 1, 0},
    {"0x04 at the end of a group",
     NOPS "{0x04} FFMA R8, R0, R1, R0;\n{0x05} FFMA R9, R1, R0, R1;\n", 39, 0,
     0, 1, 0},
    {"0x04 at the start of a group",
     NOPS "{0x20} NOP;\n"
          "{0x04} FFMA R8, R0, R1, R0;\n{0x05} FFMA R9, R1, R0, R1;\n",
     9, 0, 0, 0, 0},
    {"two for the one unit of their kind", "{0x04} NOP;\n{0x05} NOP;\n", 3, 0,
     0, 0, 1},
    {"two that need no cores",
     "{0x04} MUFU.RCP R8, R0;\n{0x05} LDG.E R9, [R2.64];\n", 2, 0, 1, 0, 0},
    {"a load is the second",
     "{0x04} FFMA R8, R0, R1, R0;\n{0x05} LDG.E R9, [R2.64];\n", 2, 0, 1, 0, 0},
    {"a load is the first",
     "{0x04} LDG.E R9, [R2.64];\n{0x05} FFMA R8, R0, R1, R0;\n", 2, 0, 1, 0, 0},
    {"the second is not ready, nor waited for",
     "{0x20} FFMA R8, R0, R1, R0;\n{0x04} FFMA R10, R0, R1, R0;\n"
     "{0x05} FFMA R9, R8, R0, R1;\n",
     /* 1: R8; 2: R10 alone; 10: R9, nine after R8 */
     11, 0, 0, 0, 1},
    {"a load is awaited by the second",
     "{0x20} LDG.E R8, [R2.64];\n{0x04} FFMA R10, R0, R1, R0;\n"
     "{0x05} FFMA R9, R8, R0, R1;\n",
     ANY, 0, 0, 0, 1},
    {"both are predicated off: units and slots all the same",
     "{0x04} @!PT FFMA R8, R0, R1, R0;\n{0x05} @!PT FFMA R9, R1, R0, R1;\n", 2,
     1, 0, 0, 0},
    {"a barrier is never the second",
     "{0x04} FFMA R8, R0, R1, R0;\n{0x20} BAR.SYNC 0x0;\n", ANY, 0, 0, 0, 0},
    {"nor the first", "{0x04} BAR.SYNC 0x0;\n{0x05} FFMA R8, R0, R1, R0;\n",
     ANY, 0, 0, 0, 0},
    {"an exit is never the second",
     "{0x04} FFMA R8, R0, R1, R0;\n{0x20} @!PT EXIT;\n", ANY, 0, 0, 0, 0},
    {"nor a branch",
     "{0x04} FFMA R8, R0, R1, R0;\n{0x20} @!PT BRA here;\nhere:\n", ANY, 0, 0,
     0, 0},
    {"fillers everywhere", NOPS NOPS, 11, 0, 0, 0, 0},
    {"tails before tails wait six",
     "{0x05} FFMA R8, R0, R1, R0;\n{0x07} FFMA R9, R1, R0, R1;\n", 8, 0, 0, 0,
     0},
};

/* Runs the text; gives the cycles between its clocks. */
static uint32_t between(rig *r, const char *text, unsigned warps)
{
    rt_memory *m = rt_device_memory(r->d);
    uint64_t p = rt_alloc(m, 256, "cycles");
    strbuf b = {0};
    uint32_t got;

    strbuf_printf(&b, FIRST "%s" LAST STORE, text);
    rig_run(r, b.text, 1, 32 * warps, p, 0);
    CHECK(rt_read(m, p, &got, sizeof got));
    strbuf_fini(&b);
    return got;
}

TEST(edges_of_pairs)
{
    rig *r = dual_rig(NULL);

    for (size_t i = 0; i < COUNTOF(rows); i++) {
        uint32_t got = between(r, rows[i].text, 1);
        unsigned alike = (unsigned)rig_count(r, "sm[0].pairs_alike");
        unsigned mixed = (unsigned)rig_count(r, "sm[0].pairs_mixed");
        unsigned refused = (unsigned)rig_count(r, "sm[0].pairs_refused");
        unsigned late = (unsigned)rig_count(r, "sm[0].pairs_late");

        if ((rows[i].cycles && got != rows[i].cycles) ||
            alike != rows[i].alike || mixed != rows[i].mixed ||
            refused != rows[i].refused || late != rows[i].late)
            TEST_FAIL("%s: %u cycles, %u + %u pairs, %u refused, %u late",
                      rows[i].what, got, alike, mixed, refused, late);
    }
    rig_free(r);
}

/* Codes belong to places: a jump to the third of a group finds the pair of its
 * word, one to the second of a pair issues that alone. */
TEST(jumps_into_the_middle_of_a_group)
{
    static const struct {
        const char *target;
        unsigned alike, insts;
    } to[] = {{"two", 2, 5}, {"three", 1, 4}, {"four", 1, 3}, {"five", 0, 2}};
    rig *r = dual_rig(NULL);
    char text[512];

    for (size_t i = 0; i < COUNTOF(to); i++) {
        snprintf(text, sizeof text,
                 "{0x20} BRA %s;\n" NOPS "{0x20} NOP;\n"
                 "{0x20} NOP;\n"
                 "two:\n{0x04} FFMA R8, R0, R1, R0;\n"
                 "three:\n{0x05} FFMA R9, R0, R1, R0;\n"
                 "four:\n{0x04} FFMA R10, R0, R1, R0;\n"
                 "five:\n{0x05} FFMA R11, R0, R1, R0;\n",
                 to[i].target);
        rig_run(r, text, 1, 32, 0, 0);
        CHECK_EQ(rig_count(r, "sm[0].pairs_alike"), to[i].alike);
        CHECK_EQ(rig_count(r, "sm[0].warp_insts"), 1 + to[i].insts);
    }
    rig_free(r);
}

TEST(operands_that_take_no_read)
{
    static const struct {
        const char *text;
        unsigned reads;
    } of[] = {
        {"FFMA R8, RZ, RZ, RZ;", 0},      {"FFMA R8, R0, R0, R0;", 1},
        {"FFMA R8, R0, R1, R0;", 2},      {"FADD R8, R0, c[0x0][p];", 1},
        {"FMUL R8, RZ, c[0x0][p];", 0},   {"FADD R8, R0, 0x3f800000;", 1},
        {"@!PT FFMA R8, R0, R1, R4;", 3},
    };
    rig *r = dual_rig(NULL);

    for (size_t i = 0; i < COUNTOF(of); i++) {
        rig_run(r, of[i].text, 1, 32, 0, 0);
        CHECK_EQ(rig_count(r, "sm[0].operand_reads"), of[i].reads);
    }
    rig_free(r);
}

/* Cycles lost to the shared cores by so many warps, each on a scheduler of its
 * own, in a group of a single and three pairs. */
static uint64_t lost(rig *r, unsigned warps)
{
    static const char group[] =
        "{0x20} FFMA R8, R0, R1, R0;\n{0x04} FFMA R9, R0, R1, R0;\n"
        "{0x05} FFMA R10, R0, R1, R0;\n{0x04} FFMA R11, R0, R1, R0;\n"
        "{0x05} FFMA R12, R0, R1, R0;\n{0x04} FFMA R13, R0, R1, R0;\n"
        "{0x05} FFMA R14, R0, R1, R0;\n";

    rig_run(r, group, 1, 32 * warps, 0, 0);
    CHECK_EQ(rig_count(r, "sm[0].pairs_alike"), 3 * warps);
    return rig_count(r, "sm[0].stall_shared_unit");
}

/* The neighbour has them for its three pairs; who has no neighbour never
 * waits. */
TEST(odd_schedulers_have_the_shared_cores_for_themselves)
{
    rig *r = dual_rig(NULL);

    CHECK_EQ(lost(r, 1), 0);
    CHECK_EQ(lost(r, 2), 3);
    CHECK_EQ(lost(r, 3), 3);
    CHECK_EQ(lost(r, 4), 6);
    rig_free(r);
}

/* Cycles of a chain of 16 that has `c` as its other operand. */
static uint32_t chain(rig *r, const char *c, unsigned warps)
{
    strbuf b = {0};
    uint32_t got;

    for (unsigned i = 0; i < 16; i++)
        strbuf_printf(&b, "{0x20} FFMA R8, R8, R1, %s;\n", c);
    got = between(r, b.text, warps);
    strbuf_fini(&b);
    return got;
}

/* Nine cycles a link. R0 is in the bank of R8: alone its warp reads it once,
 * late by a cycle; a second warp of the scheduler empties the operand cache
 * each time, so that each link but the last is late. One warp is what the
 * source asks for [PPOPP:latency]. */
TEST(latency_is_asked_for_with_one_warp)
{
    enum { LINKS = 15, LATENCY = 9, CLEAN = 2 + LINKS * LATENCY };
    rig *r = dual_rig(NULL);

    CHECK_EQ(chain(r, "R12", 1), CLEAN);
    CHECK_EQ(chain(r, "R12", 5), CLEAN);
    CHECK_EQ(chain(r, "R0", 1), CLEAN + 1);
    CHECK_EQ(chain(r, "R0", 5), CLEAN + LINKS);
    rig_free(r);
}

/* Four entries wait for twelve reads of a bank, longer than an addition takes:
 * its result must not come before the last of them has its operands, which the
 * oracle of test builds sees. */
TEST(nothing_is_overwritten_before_it_is_read)
{
    rig *r = dual_rig(NULL);
    strbuf b = {0};

    for (unsigned i = 0; i < 18; i++) {
        if (i % 3 == 0)
            strbuf_puts(&b, "{0x20} NOP;\n");
        strbuf_printf(&b,
                      "{0x04} FADD R21, RZ, RZ;\n"
                      "{0x05} FFMA R%u, R%u, R%u, R%u;\n",
                      23 + 2 * i, 64 + 8 * i, 66 + 8 * i, 64 + 8 * (17 - i));
    }
    strbuf_puts(&b, "{0x20} FADD R64, RZ, RZ;\n");
    rig_run(r, b.text, 1, 32, 0, 0);
    CHECK_EQ(rig_count(r, "sm[0].pairs_alike"), 18);
    CHECK(rig_count(r, "sm[0].stall_collector") > 10);
    strbuf_fini(&b);
    rig_free(r);
}

/* A load and a fetch go through different units, but one queue: without a place
 * for both the first goes alone. */
TEST(both_of_a_pair_find_a_place_in_the_load_queue)
{
    static const struct {
        const char *queue;
        unsigned mixed, late;
    } of[] = {{"sm.lsu.queue=1", 0, 1}, {"sm.lsu.queue=2", 1, 0}};
    rt_image_desc desc = {
        .kind = TEX_BUFFER, .order = TEX_R, .type = TEX_U32, .size = {64}};

    for (size_t i = 0; i < COUNTOF(of); i++) {
        rig *r = dual_rig((const char *const[]){of[i].queue, NULL});
        rt_memory *m = rt_device_memory(r->d);
        uint64_t p = rt_alloc(m, 256, "loaded");
        uint32_t image = rt_image_new(m, &desc, r->dg);

        CHECK(p && image);
        rig_run(r,
                "{0x20} MOV R2, c[0x0][p];\n{0x20} MOV R3, c[0x0][p+4];\n" NOPS
                "{0x20} NOP;\n{0x04} LDG.E R8, [R2.64];\n"
                "{0x05} TEX.1D.S32 R12, c[0x0][q], RZ, 0x1;\n",
                1, 32, p, image);
        CHECK_EQ(rig_count(r, "sm[0].pairs_mixed"), of[i].mixed);
        CHECK_EQ(rig_count(r, "sm[0].pairs_late"), of[i].late);
        rig_free(r);
    }
}
