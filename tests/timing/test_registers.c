/* setmaxnreg on the machine: who waits for registers of the CTA's pool, until
 * when, what is told if nobody gives any, and how many CTAs fit. */
#include "cga.h"

static const rt_options ways[] = {
    {.threads = 1},
    {.threads = 3, .shuffle = 5},
    {.threads = 1, .no_skip = true},
    {.threads = 1, .functional = true},
};
enum { TIMED = 3, CYCLES = 1980 }; /* of a microsecond */

/* One SM, and nothing else that takes time. */
#define MACHINE                                                                \
    RIG_CORE, "gpu.gpc.sms=1", "gpu.gpc.larger=0", "gpu.hang_cycles=20000"

/* %r1: the thread, %r2: its warp; %p1: a thread of the first warp group. */
#define HEAD(directives)                                                       \
    CGA_HEAD ".visible .entry k(.param .u64 out)\n" directives "\n"            \
             "{ .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<16>;\n"       \
             "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5;\n"                     \
             "setp.lt.u32 %p1, %r1, 128;\n"
#define INC "setmaxnreg.inc.sync.aligned.u32 "
#define DEC "setmaxnreg.dec.sync.aligned.u32 "

static void launch(cga_run *run, const char *text, unsigned way, unsigned ctas,
                   unsigned threads)
{
    static const char *const sets[] = {MACHINE, NULL};

    cga_launch_on(run, "h100", sets, &ways[way], text,
                  (rt_launch){.grid = {ctas, 1, 1}, .block = {threads, 1, 1}},
                  NULL, 64);
}

static uint64_t cycles(const char *text, unsigned way, unsigned ctas,
                       unsigned threads, uint64_t *waited)
{
    cga_run run;

    launch(&run, text, way, ctas, threads);
    rig_must(run.r, run.st);
    uint64_t n = run.last.cycles;
    if (waited)
        *waited = rig_count(run.r, "sm[0].stall_registers");
    cga_end(&run);
    return n;
}

/* Two warp groups of 240 need the 2 x 72 that the first gives late. */
#define LATE(ns)                                                               \
    HEAD(".maxntid 384, 1, 1\n.minnctapersm 1")                                \
    "@%p1 bra PRODUCER;\n" INC "240; ret;\n"                                   \
    "PRODUCER: nanosleep.u32 " ns ";\n" DEC "24; ret; }\n"

TEST(inc_waits_until_dec_has_given)
{
    uint64_t soon, late, waited;

    for (unsigned way = 0; way < TIMED; way++) {
        soon = cycles(LATE("1000"), way, 1, 384, NULL);
        late = cycles(LATE("9000"), way, 1, 384, &waited);
        CHECK_EQ(late - soon, 8 * CYCLES);
        CHECK(waited >= 4 * 8 * CYCLES && waited <= 4 * late);
    }
}

/* What exists is enough for the first group of the two alone, which needs not
 * wait for the rest. */
TEST(a_warp_waits_only_for_what_it_needs)
{
    static const char text[] =
        HEAD(".maxnreg 128") "@%p1 bra PRODUCER;\n"
                             "setp.lt.u32 %p2, %r1, 256; @%p2 bra FIRST;\n"
                             "nanosleep.u32 3000;\n" INC "168; bra END;\n"
                             "FIRST:\n" INC "168;\n"
                             "ld.param.u64 %d1, [out]; st.global.u32 [%d1], "
                             "%r1; bra END;\n"
                             "PRODUCER:\n" DEC "88; nanosleep.u32 9000;\n" DEC
                             "48;\n"
                             "END: ret; }\n";
    uint64_t waited;
    uint64_t all = cycles(text, 0, 1, 384, &waited);

    /* 40 for 4 warps, twice; the second group asks at 3 us and gets at 9. The
     * four schedulers have all slots empty meanwhile, for this reason between
     * these times: the warps that sleep come behind in the order of reasons. */
    CHECK(all > 9 * CYCLES && all < 11 * CYCLES);
    CHECK(waited > 4 * 5 * CYCLES && waited < 4 * 7 * CYCLES);
}

/* Two CTAs of 256 threads with 128 registers fill the SM, though code of some
 * of their warps uses 208. */
TEST(occupancy_counts_what_a_kernel_begins_with)
{
    static const char text[] = HEAD(
        ".maxntid 256, 1, 1\n.minnctapersm 2") "@%p1 bra PRODUCER;\n" INC
                                               "208; nanosleep.u32 9000; ret;\n"
                                               "PRODUCER:\n" DEC "48; ret; }\n";
    uint64_t one = cycles(text, 0, 1, 256, NULL);
    uint64_t two = cycles(text, 0, 2, 256, NULL);
    uint64_t three = cycles(text, 0, 3, 256, NULL);

    CHECK(two < one + one / 8);
    CHECK(three > one + one / 2);
}

TEST(who_waits_for_registers_for_ever_is_told)
{
    static const char text[] = HEAD(
        ".maxntid 384, 1, 1\n.minnctapersm 1") "setp.eq.u32 %p2, %r2, 1;\n"
                                               "@!%p1 bra CONSUMER; @%p2 bra "
                                               "OTHER;\n" DEC "64; ret;\n"
                                               "OTHER: bar.sync 1, 256; ret;\n"
                                               "CONSUMER:\n" INC
                                               "240; ret; }\n";

    for (unsigned way = 0; way < COUNTOF(ways); way++) {
        cga_run run;

        launch(&run, text, way, 1, 384);
        CHECK_EQ(run.st, ST_HANG);
        cga_said(&run, "for 240 registers a thread instead of 168");
        /* 3 x 104 are enough for four warps of eight */
        cga_said(&run, "the CTA's pool has 24 for one warp");
        cga_said(&run, "wait at setmaxnreg (t.ptx:");
        cga_said(&run, "warp 1 has not (it is at the barrier at t.ptx:");
        cga_said(&run, "warps 0, 2-7 have exited");
        cga_end(&run);
    }
}

TEST(the_wrong_way_is_refused)
{
    static const struct {
        const char *text, *say;
    } all[] = {
        {HEAD(".maxnreg 64") DEC "96; ret; }\n",
         ".dec to more registers than it has: the threads of the warp have 64"},
        {HEAD(".maxnreg 64") DEC "32;\n" DEC "40; ret; }\n",
         ".dec to more registers than it has: the threads of the warp have 32"},
        {HEAD(".maxnreg 64") INC "48; bar.sync 0;\n" DEC "32; ret; }\n", NULL},
        {HEAD(".maxnreg 64") DEC "56;\n" INC "64; bar.sync 0;\n" INC
                                 "24; ret; }\n",
         ".inc to fewer registers than it has: the threads of the warp have "
         "64"},
    };

    for (unsigned i = 0; i < COUNTOF(all); i++)
        for (unsigned way = 0; way < COUNTOF(ways); way++) {
            cga_run run;

            launch(&run, all[i].text, way, 1, 128);
            CHECK_EQ(run.st, all[i].say ? ST_FAULT : ST_OK);
            if (all[i].say)
                cga_said(&run, all[i].say);
            cga_end(&run);
        }
}
