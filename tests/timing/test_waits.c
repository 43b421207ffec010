/* What is told of warps that wait for ever at barriers, mbarriers and the
 * barrier of a thread-block cluster: what is missing, who waits, who has not
 * come. The same on the machine, however it is simulated, and without timing.
 */
#include "cga.h"

static const rt_options ways[] = {
    {.threads = 1},
    {.threads = 3, .shuffle = 5},
    {.threads = 1, .no_skip = true},
    {.threads = 1, .functional = true},
};

/* Four warps; %r1: the thread, %r2: its warp, bar: three mbarriers. */
#define BEGIN                                                                  \
    CGA_HEAD ".visible .entry k(.param .u64 out)\n"                            \
             "{ .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<16>;\n"       \
             ".shared .align 8 .b8 bar[24];\n"                                 \
             "mov.u32 %r0, bar; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5;\n"   \
             "mov.u32 %r3, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0;\n"
#define WAIT                                                                   \
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r0+8], 0; @!%p2 bra W;\n"
#define END "OUT: ret; }\n"

typedef struct stuck {
    const char *text;
    uint32_t ctas; /* one cluster */
    const char *say[6];
} stuck;

static const stuck all[] = {
    /* Two warps of four arrive, and one of them went away. */
    {BEGIN "@%p1 mbarrier.init.shared.b64 [%r0+8], 128;\n"
           "bar.sync 0; setp.ge.u32 %p3, %r2, 2; @%p3 bra W;\n"
           "mbarrier.arrive.shared.b64 _, [%r0+8];\n"
           "setp.eq.u32 %p3, %r2, 1; @%p3 bra OUT;\n" WAIT END,
     1,
     {"in CTA 0 warps 0, 2-3 wait at mbarrier 'bar+8' at shared 0x8 (t.ptx:",
      "for the end of phase 0: 64 of 128 arrivals are missing, no bytes;",
      "in this phase warps 0-1 arrived; warps 2-3 have not"}},
    /* Phase 0 ends by all, phase 1 has one of four arrivals. */
    {BEGIN "@%p1 mbarrier.init.shared.b64 [%r0+8], 4;\n"
           "bar.sync 0; and.b32 %r4, %r1, 31; setp.eq.u32 %p4, %r4, 0;\n"
           "@%p4 mbarrier.arrive.shared.b64 _, [%r0+8];\n" WAIT
           "bar.sync 0; setp.eq.u32 %p3, %r1, 96;\n"
           "@%p3 mbarrier.arrive.shared.b64 _, [%r0+8];\n"
           "V: mbarrier.try_wait.parity.shared.b64 %p2, [%r0+8], 1;\n"
           "@!%p2 bra V;\n" END,
     1,
     {"warps 0-3 wait at mbarrier 'bar+8'", "for the end of phase 1: 3 of 4",
      "in this phase warp 3 arrived, before it warps 0-2 did"}},
    /* Bytes were announced and did not all come. */
    {BEGIN
     "@%p1 mbarrier.init.shared.b64 [%r0+8], 1;\n"
     "bar.sync 0; @!%p1 bra W;\n"
     "mbarrier.arrive.expect_tx.shared.b64 _, [%r0+8], 4096;\n"
     "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r0+8], 1024;\n" WAIT END,
     1,
     {"0 of 1 arrivals are missing and 3072 bytes that expect_tx announced, "
      "but nothing brought (1024 of 4096 came)"}},
    /* Bytes came that nobody has announced. */
    {BEGIN "@%p1 mbarrier.init.shared.b64 [%r0+8], 1;\n"
           "bar.sync 0; @!%p1 bra W;\n"
           "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r0+8], 256;\n"
           "mbarrier.arrive.shared.b64 _, [%r0+8];\n" WAIT END,
     1,
     {"0 of 1 arrivals are missing; 256 bytes came that no expect_tx has "
      "announced"}},
    /* Nobody has set it up. */
    {BEGIN WAIT END, 1, {"no mbarrier.init has set it up"}},
    /* Looks by test_wait, without being taken off the schedulers. */
    {BEGIN "@%p1 mbarrier.init.shared.b64 [%r0+8], 2; bar.sync 0;\n"
           "@%p1 mbarrier.arrive.shared.b64 _, [%r0+8];\n"
           "W: mbarrier.test_wait.parity.shared.b64 %p2, [%r0+8], 0;\n"
           "@!%p2 bra W;\n" END,
     1,
     {"warps 0-3 wait at mbarrier 'bar+8' at shared 0x8",
      "1 of 2 arrivals are missing"}},
    /* The other CTA arrives, a third one has left. */
    {BEGIN "@%p1 mbarrier.init.shared.b64 [%r0+8], 3;\n"
           "barrier.cluster.arrive; barrier.cluster.wait;\n"
           "setp.eq.u32 %p3, %r3, 2; @%p3 bra OUT;\n"
           "setp.eq.u32 %p3, %r3, 0; @%p3 bra W;\n"
           "add.u32 %r4, %r0, 8; mapa.shared::cluster.u32 %r4, %r4, 0;\n"
           "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
           "[%r4];\n"
           "barrier.cluster.arrive; barrier.cluster.wait; bra OUT;\n" WAIT END,
     3,
     {"in CTA 0 warps 0-3 wait at mbarrier 'bar+8'", "2 of 3 arrivals",
      "in this phase CTA 1 of the cluster arrived",
      "CTA 2 of the cluster has exited"}},
    /* A barrier of the cluster that a warp of rank 1 never comes to. */
    {BEGIN "setp.eq.u32 %p3, %r3, 1; setp.eq.u32 %p4, %r2, 2;\n"
           "and.pred %p3, %p3, %p4; @%p3 bra W;\n"
           "barrier.cluster.arrive; barrier.cluster.wait; bra OUT;\n"
           "W: bar.sync 3, 64;\n" END,
     2,
     {"wait at the barrier of the thread-block cluster (t.ptx:",
      "of CTA 1, rank 1, warp 2 has not (it is at the barrier at t.ptx:"}},
    /* A barrier of the CTA that a warp has passed by. */
    {BEGIN "setp.eq.u32 %p3, %r2, 3; @%p3 bra OUT;\n"
           "bar.sync 2, 128;\n" END,
     1,
     {"in CTA 0 warps 0-2 wait at barrier 2 (t.ptx:",
      "where 96 of 128 threads have come: warp 3 has exited"}},
};

TEST(who_waits_and_who_has_not_come_is_told)
{
    static const char *const sets[] = {CGA_MACHINE, "gpu.hang_cycles=20000",
                                       NULL};

    for (unsigned i = 0; i < COUNTOF(all); i++)
        for (unsigned k = 0; k < COUNTOF(ways); k++) {
            cga_run run;

            cga_launch(&run, sets, &ways[k], all[i].text,
                       (rt_launch){.grid = {all[i].ctas, 1, 1},
                                   .block = {128, 1, 1},
                                   .cga = {all[i].ctas, 1, 1},
                                   .max_cycles = 3000000,
                                   .alone = true},
                       NULL, 64);
            CHECK_EQ(run.st, ST_HANG);
            cga_said(&run, "kernel 'k' hangs: ");
            for (unsigned s = 0; all[i].say[s]; s++)
                cga_said(&run, all[i].say[s]);
            cga_end(&run);
        }
}

/* One that is stopped says the same, in its record. */
TEST(a_launch_that_is_stopped_tells_where_it_waits)
{
    static const char *const sets[] = {CGA_MACHINE, NULL};

    for (unsigned k = 0; k < COUNTOF(ways); k += 3) {
        cga_run run;

        cga_launch(&run, sets, &ways[k], all[0].text,
                   (rt_launch){.grid = {1, 1, 1},
                               .block = {128, 1, 1},
                               .max_cycles = 30000},
                   NULL, 64);
        CHECK_EQ(run.st, ST_LIMIT);
        CHECK(run.last.spins && run.last.spins->waits);
        CHECK(strstr(run.last.spins->waits, all[0].say[2]) != NULL);
        cga_end(&run);
    }
}
