/* How long bulk copies take on an H100, against what was published: a box comes
 * 170 cycles later than a load from the L2 would [LUO]; copies reach the rate
 * of the link from the crossbar, as loads do [GPUB:l2-cache]. */
#include "tma.h"

static const rt_options plain = {.threads = 1};
static uint8_t buffer[TMA_ALL];

static const char *const machine[] = {"gpu.launch_latency=0",
                                      "gpu.cta.latency=0", NULL};

static uint32_t word(const tma_run *run, unsigned at)
{
    uint32_t v;

    memcpy(&v, run->is + TMA_AT_BOX + at, 4);
    return v;
}

/* Rounds of a copy and a load from another line, each with its time; in the
 * last one lines and the map are warm. */
static const char latency[] = CGA_HEAD TMA_HEAD
    "setp.ne.u32 %p1, %r0, 0; @%p1 bra E; mov.u32 %r30, 0;\n"
    "mbarrier.init.shared.b64 [%r2], 1; mov.u32 %r31, 0;\n"
    "L: mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;\n"
    "fence.proxy.async; mov.u32 %r32, %clock;\n"
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier"
    "::complete_tx::bytes [%r1], [%d1, {%r10}], [%r2];\n"
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], %r31; @!%p2 bra W;\n"
    "mov.u32 %r33, %clock; sub.u32 %r34, %r33, %r32;\n"
    "mov.u32 %r35, %clock; ld.global.cg.u32 %r36, [%d1+2048];\n"
    "add.u32 %r37, %r36, 1; st.shared.u32 [%r1+256], %r37;\n"
    "mov.u32 %r38, %clock; sub.u32 %r39, %r38, %r35;\n"
    "xor.b32 %r31, %r31, 1; add.u32 %r30, %r30, 1;\n"
    "setp.lt.u32 %p3, %r30, 4; @%p3 bra L;\n"
    "st.global.u32 [%d1+68608], %r34; st.global.u32 [%d1+68612], %r39;\n"
    "E: ret; }\n";

TEST(a_copy_takes_170_cycles_longer_than_a_load)
{
    tma_case c = {
        .type = TENSOR_U32, .rank = 1, .dim = {4096}, .box = {32}, .step = {1}};
    tma_run run;

    tma_launch(&run, "h100", machine, &plain, latency,
               (rt_launch){.grid = {1, 1, 1}, .block = {32, 1, 1}}, &c, buffer);
    rig_must(run.r, run.st);
    unsigned copy = word(&run, 0), load = word(&run, 4);

    if (copy < load + 165 || copy > load + 175)
        TEST_FAIL("a copy takes %u cycles, a load %u", copy, load);
    tma_end(&run);
}

/* Copies of 8192 bytes by one SM, eight under way, over each other in shared
 * memory: 64 of them are timed, when their lines are warm. */
#define STAGE                                                                  \
    "shl.b32 %r41, %r40, 3; add.u32 %r42, %r2, %r41;\n"                        \
    "shl.b32 %r43, %r40, 13; cvt.u64.u32 %d3, %r43; add.u64 %d4, %d2, %d3;\n"  \
    "and.b32 %r43, %r43, 8192; add.u32 %r44, %r1, %r43;\n"
#define COPY                                                                   \
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r42], 8192;\n"                  \
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r44], "   \
    "[%d4], 8192, [%r42];\n"

static const char bandwidth[] = CGA_HEAD TMA_HEAD
    "setp.ne.u32 %p1, %r0, 0; @%p1 bra E;\n"
    "add.u64 %d2, %d1, 2048; mov.u32 %r40, 0;\n"
    "P:" STAGE "mbarrier.init.shared.b64 [%r42], 1;\n" COPY
    "add.u32 %r40, %r40, 1; setp.lt.u32 %p3, %r40, 8; @%p3 bra P;\n"
    "mov.u32 %r30, 0; mov.u32 %r48, %clock;\n"
    "L: and.b32 %r40, %r30, 7; shr.u32 %r31, %r30, 3; and.b32 %r31, %r31, "
    "1;\n" STAGE "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r42], %r31; "
    "@!%p2 bra W;\n" COPY "add.u32 %r30, %r30, 1; setp.eq.u32 %p4, %r30, 32;\n"
    "@%p4 mov.u32 %r48, %clock;\n"
    "setp.lt.u32 %p3, %r30, 96; @%p3 bra L;\n"
    "mov.u32 %r49, %clock; sub.u32 %r49, %r49, %r48;\n"
    "st.global.u32 [%d1+68608], %r49; mov.u32 %r40, 0;\n"
    "F:" STAGE
    "V: mbarrier.try_wait.parity.shared.b64 %p2, [%r42], 0; @!%p2 bra V;\n"
    "add.u32 %r40, %r40, 1; setp.lt.u32 %p3, %r40, 8; @%p3 bra F;\n"
    "E: ret; }\n";

TEST(copies_fill_the_link)
{
    tma_run run;

    tma_launch(&run, "h100", machine, &plain, bandwidth,
               (rt_launch){.grid = {1, 1, 1}, .block = {32, 1, 1}}, NULL,
               buffer);
    rig_must(run.r, run.st);
    const config *cfg = run.r->cfg;
    double rate = 64 * 8192.0 / word(&run, 0);
    double link = (double)cfg->noc.reply_bytes * cfg->noc.clock_khz /
                  cfg->gpu.clock_khz * 128 / (128 + cfg->noc.header_bytes);

    printf("%.1f bytes a cycle of %.1f\n", rate, link);
    if (rate < 0.9 * link || rate > link)
        TEST_FAIL("%.1f bytes a cycle of %.1f", rate, link);
    tma_end(&run);
}
