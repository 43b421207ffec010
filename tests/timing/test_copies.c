/* tests/timing/test_copies.c - what copies leave in the L2: the chase of the
 * micro-benchmark that found copied data there on a device [ASF:ubench]. */
#include "rig.h"

#define START "MOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\n"
#define CHASE "LDG.E.CG.64 R2, [R2.64];"

enum { LINES = 400 };

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

/* The first launch, after a copy of the first `lines` lines. */
static rig *first_launch(const char *copies, unsigned lines, unsigned loads)
{
    const char *const sets[] = {RIG_CORE, "tlb.first.entries=0", copies, NULL};
    rig *r = rig_new("v100", sets);
    uint64_t addr = ring(r);
    char *text = rig_text(START, CHASE, loads);

    rt_copied(r->d, addr, (uint64_t)lines * 128);
    rig_run(r, text, 1, 1, addr, 0);
    free(text);
    return r;
}

static uint64_t hits_after(const char *copies, unsigned lines)
{
    rig *r = first_launch(copies, lines, LINES);
    uint64_t hits = rig_count(r, "l2[*].read_hits");

    CHECK_EQ(rig_count(r, "l2[*].reads"), LINES);
    rig_free(r);
    return hits;
}

TEST(what_was_just_copied_hits_unless_copies_bypass)
{
    CHECK_EQ(hits_after("l2.copies=fill", LINES), LINES);
    CHECK_EQ(hits_after("l2.copies=write", LINES), LINES);
    CHECK_EQ(hits_after("l2.copies=fill", 100), 100);
    CHECK_EQ(hits_after("l2.copies=bypass", LINES), 0);
}

/* 213.7 cycles on a device, without a warm-up. */
TEST(a_chase_through_a_copy_takes_the_l2_latency)
{
    rig *few = first_launch("l2.copies=fill", LINES, 100);
    rig *many = first_launch("l2.copies=fill", LINES, 300);
    double cycles = (double)(many->last.cycles - few->last.cycles) / 200;

    CHECK(cycles > 205 && cycles < 220);
    rig_free(few);
    rig_free(many);
}

/* Of 40 MB behind it, several times the L2 are remembered. */
TEST(later_copies_take_the_place_of_earlier_ones)
{
    static const char *const sets[] = {RIG_CORE, "l2.copies=fill", NULL};
    rig *r = rig_new("v100", sets);
    uint64_t addr = ring(r);
    uint64_t much = rt_alloc(rt_device_memory(r->d), 40 << 20, "much");
    char *text = rig_text(START, CHASE, LINES);

    rt_copied(r->d, addr, LINES * 128);
    rt_copied(r->d, much, 40 << 20);
    rig_run(r, text, 1, 1, addr, 0);
    CHECK_EQ(rig_count(r, "l2[*].read_hits"), 0);
    free(text);
    rig_free(r);
}

/* Lines that a copy wrote go to DRAM when others take their place. */
TEST(copies_as_writes_are_written_back)
{
    for (unsigned k = 0; k < 2; k++) {
        const char *const sets[] = {
            RIG_CORE, k ? "l2.copies=write" : "l2.copies=fill", NULL};
        rig *r = rig_new("v100", sets);
        uint64_t addr = ring(r);
        uint64_t much = rt_alloc(rt_device_memory(r->d), 8 << 20, "much");
        char *text = rig_text(START, CHASE, LINES);

        rt_copied(r->d, much, 8 << 20); /* all sets are full */
        rig_run(r, text, 1, 1, addr, 0);
        CHECK_EQ(rig_count(r, "l2[*].evictions"), LINES);
        CHECK_EQ(rig_count(r, "l2[*].writebacks"), k ? LINES : 0);
        free(text);
        rig_free(r);
    }
}
