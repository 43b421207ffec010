/* tests/timing/test_warming.c - functional warming: what launches that are only
 * computed leave in the L2 for those behind them, found by a chase. */
#include "rig.h"

#define START "MOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\n"
#define CHASE "LDG.E.CG.64 R2, [R2.64];"
/* Thread i of all has a line of its own at p. */
#define LINE                                                                   \
    "S2R R0, SR_TID.X;\nS2R R1, SR_CTAID.X;\nIMAD R0, R1, 0x100, R0;\n"        \
    "MOV R4, 0x80;\nIMAD.WIDE.U32 R2, R0, R4, c[0x0][p];\n"
#define READ_LINE  LINE "LDG.E R5, [R2.64];\n"
#define WRITE_LINE LINE "STG.E [R2.64], R0;\n"

enum { LINES = 400, THREADS = 256, MUCH = 320 << 10 }; /* lines: 40 MB */

/* Lines of 128 bytes, each the address of the next. */
static uint64_t ring(rig *r)
{
    rt_memory *m = rt_device_memory(r->d);
    uint64_t addr = rt_alloc(m, LINES * 128, "ring");

    CHECK(addr != 0);
    for (uint64_t i = 0; i < LINES; i++) {
        uint64_t next = addr + (i + 1) % LINES * 128;

        CHECK(rt_write(m, addr + i * 128, &next, sizeof next));
    }
    return addr;
}

static uint64_t much(rig *r)
{
    return rt_alloc(rt_device_memory(r->d), (uint64_t)MUCH * 128, "much");
}

/* A GPU on which something was timed. */
static rig *begin(const char *name)
{
    static const char *const sets[] = {RIG_CORE, "tlb.first.entries=0", NULL};
    rig *r = rig_new(name, sets);

    rig_run(r, "NOP;", 1, 1, 0, 0);
    return r;
}

static void compute(rig *r, const char *text, unsigned ctas, unsigned threads,
                    uint64_t p, bool sampled)
{
    rig_how how = {.functional = true, .sampled = sampled};

    rig_run_as(r, &how, text, ctas, threads, p, 0);
}

static void chase(rig *r, uint64_t addr, bool timed, bool sampled)
{
    char *text = rig_text(START, CHASE, LINES);

    if (timed)
        rig_run(r, text, 1, 1, addr, 0);
    else
        compute(r, text, 1, 1, addr, sampled);
    free(text);
}

static uint64_t hits(rig *r, uint64_t addr)
{
    chase(r, addr, true, false);
    CHECK_EQ(rig_count(r, "l2[*].reads"), LINES);
    return rig_count(r, "l2[*].read_hits");
}

TEST(what_a_sampled_launch_computed_hits)
{
    for (unsigned sampled = 0; sampled < 2; sampled++) {
        rig *r = begin("v100");
        uint64_t addr = ring(r);

        chase(r, addr, false, sampled);
        CHECK_EQ(hits(r, addr), sampled ? LINES : 0);
        rig_free(r);
    }
}

/* Others may be many more than are remembered. */
TEST(the_last_accesses_are_what_is_left)
{
    for (unsigned last = 0; last < 2; last++) {
        rig *r = begin("v100");
        uint64_t addr = ring(r), others = much(r);

        if (!last)
            chase(r, addr, false, true);
        compute(r, READ_LINE, MUCH / THREADS, THREADS, others, true);
        if (last)
            chase(r, addr, false, true);
        CHECK_EQ(hits(r, addr), last ? LINES : 0);
        rig_free(r);
    }
}

/* Behind 240,128 accesses, and before 30,208, which the L2 has room for: of
 * 262,144 that are remembered those are not the last. */
TEST(what_came_before_the_last_ones_is_left_too)
{
    rig *r = begin("v100");
    uint64_t addr = ring(r), others = much(r);

    compute(r, READ_LINE, 938, THREADS, others, true);
    chase(r, addr, false, true);
    compute(r, READ_LINE, 118, THREADS, others + 938 * THREADS * 128, true);
    CHECK(hits(r, addr) > LINES * 9 / 10);
    rig_free(r);
}

/* What was computed and stored goes to DRAM when others take its place. */
TEST(computed_stores_are_written_back)
{
    for (unsigned store = 0; store < 2; store++) {
        rig *r = begin("v100");
        uint64_t addr = ring(r), others = much(r);

        compute(r, store ? WRITE_LINE : READ_LINE, MUCH / THREADS, THREADS,
                others, true); /* all sets are full */
        CHECK_EQ(hits(r, addr), 0);
        CHECK_EQ(rig_count(r, "l2[*].evictions"), LINES);
        CHECK_EQ(rig_count(r, "l2[*].writebacks"), store ? LINES : 0);
        rig_free(r);
    }
}

/* Two partitions: a line has one home, and copies in the other are out of date
 * once something else is stored there. */
TEST(copies_in_another_partition_go)
{
    rig *r = begin("a100");
    uint64_t addr = ring(r);

    chase(r, addr, true, false);
    uint64_t cold = r->last.cycles;
    chase(r, addr, true, false);
    uint64_t copies = r->last.cycles;
    for (unsigned n = 0; n < 2; n++) {
        static const char *const same = LINE "LDG.E.64 R6, [R2.64];\n"
                                             "STG.E.64 [R2.64], R6;\n";

        compute(r, same, 1, LINES, addr, true);
        chase(r, addr, true, false);
        CHECK(r->last.cycles > copies && r->last.cycles < cold);
        chase(r, addr, true, false);
        CHECK(r->last.cycles < copies + 10 && r->last.cycles + 10 > copies);
    }
    rig_free(r);
}
