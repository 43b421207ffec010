/* tests/timing/test_dual_clock.c - what a clock read costs on a K20, from the
 * loop that the source measured with: both reads in it, the first with a code
 * that waits 14 cycles, and independent FMULs of four warps for each scheduler
 * between them. 66.40 % of the peak, 99.60 % of what one instruction a cycle
 * gives, are then 4104.4 cycles for 4088 [PPOPP:table-2]. */
#include "dual.h"

enum { WARPS = 16, SCHEDULERS = 4, STREAM = 1022, WORK = STREAM * 4 };

static const double measured = 66.40 / (200.0 / 3);

/* Cycles from the first clock read of any warp to the last of all, of the
 * second pass, if a read keeps its unit for so many. */
static unsigned span(unsigned interval)
{
    char busy[64];
    const char *const sets[] = {busy, NULL};
    uint32_t clock[2 * 32 * WARPS];
    uint32_t first, last;
    strbuf t = {0};

    snprintf(busy, sizeof busy, "sm.op.sreg.interval=%u", interval);
    rig *r = dual_rig(sets);
    struct rt_memory *m = rt_device_memory(r->d);
    uint64_t p = rt_alloc(m, sizeof clock, "clocks");

    strbuf_puts(&t, "S2R R6, SR_TID.X\nMOV R2, c[0x0][p]\n"
                    "MOV R3, c[0x0][p+4]\nIMAD.WIDE R2, R6, 8, R2\n"
                    "MOV R4, 2\nagain:\n{0x2d} S2R R0, SR_CLOCKLO\n");
    for (unsigned i = 0; i < STREAM; i++)
        strbuf_puts(&t, "{0x20} FMUL R16, R9, R8\n");
    strbuf_puts(&t, "S2R R1, SR_CLOCKLO\nIADD3 R4, R4, -1, RZ\n"
                    "ISETP.NE.AND P0, PT, R4, RZ, PT\n@P0 BRA again\n"
                    "STG.E.64 [R2.64], R0");
    rig_run(r, t.text, 1, 32 * WARPS, p, 0);
    CHECK(rt_read(m, p, clock, sizeof clock));
    first = clock[0];
    last = clock[1];
    for (unsigned i = 0; i < 32 * WARPS; i++) {
        first = clock[2 * i] < first ? clock[2 * i] : first;
        last = clock[2 * i + 1] > last ? clock[2 * i + 1] : last;
    }
    strbuf_fini(&t);
    rig_free(r);
    return last - first;
}

/* The wait of the code is what stands between the reads, and they cost next to
 * nothing: with a unit that each read has for 14 cycles the four warps of a
 * scheduler would begin and end so much apart that less is left than was
 * measured. */
TEST(fourteen_cycles_are_the_wait_and_not_the_read)
{
    double one = (double)WORK / span(1), many = (double)WORK / span(14);

    printf("%.2f %% of one a cycle, measured %.2f; %.2f if a read took 14\n",
           100 * one, 100 * measured, 100 * many);
    CHECK(one > measured - 0.0015 && one < measured + 0.0015);
    CHECK(many < measured - 0.003);
}
