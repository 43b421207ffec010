/* mbarriers on the machine: a ring of buffers between CTAs of a cluster, with
 * arrivals at other CTAs; waits that end with an arrival, not with a time
 * limit; what is dropped; what hangs. */
#include "cga.h"

enum { ROUNDS = 12, STAGES = 3, CTAS_MOST = 16 };

/* Warp 0 of CTA r fills the buffers of CTA r + 1 of the cluster, ROUNDS times,
 * each with 32 words; warp 1 of a CTA empties its own. full[s] takes one
 * arrival (of lane 0 of the other CTA, behind the words), empty[s] one (of lane
 * 0 of the CTA that has read). Word w of round i from CTA c is (c * 100 + i) *
 * 32 + w; out[CTA * 32 + w] is the sum over rounds of i + 1 times what came. */
static const char ring[] = CGA_HEAD
    ".visible .entry k(.param .u64 out)\n"
    "{ .reg .pred %p<9>; .reg .b32 %r<60>; .reg .b64 %d<16>;\n"
    ".shared .align 16 .b8 buf[384]; .shared .align 8 .b8 full[24];\n"
    ".shared .align 8 .b8 empty[24];\n"
    "ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r3, %cluster_nctarank; mov.u32 %r4, %cluster_ctarank;\n"
    "shr.u32 %r5, %r0, 5; and.b32 %r6, %r0, 31; mov.u32 %r7, buf;\n"
    "mov.u32 %r8, full; mov.u32 %r9, empty; shl.b32 %r10, %r6, 2;\n"
    "setp.ne.u32 %p1, %r0, 0; setp.ne.u32 %p2, %r6, 0;\n"
    "@%p1 bra READY;\n"
    "mbarrier.init.shared.b64 [%r8], 1; mbarrier.init.shared.b64 [%r8+8], 1;\n"
    "mbarrier.init.shared.b64 [%r8+16], 1;\n"
    "mbarrier.init.shared.b64 [%r9], 1; mbarrier.init.shared.b64 [%r9+8], 1;\n"
    "mbarrier.init.shared.b64 [%r9+16], 1;\n"
    "READY: barrier.cluster.arrive; barrier.cluster.wait;\n"
    "mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, 0; mov.u32 %r23, 0;\n"
    "setp.ne.u32 %p3, %r5, 0; @%p3 bra CONSUMER;\n"
    "add.u32 %r24, %r4, 1; rem.u32 %r24, %r24, %r3;\n"
    "mov.u32 %r22, 1;\n" /* empty at first: the phase before is over */
    "PRODUCE:\n"
    "shl.b32 %r25, %r21, 3; add.u32 %r26, %r9, %r25;\n"
    "P: mbarrier.try_wait.parity.shared.b64 %p4, [%r26], %r22; @!%p4 bra P;\n"
    "shl.b32 %r27, %r21, 7; add.u32 %r27, %r27, %r7; add.u32 %r27, %r27, "
    "%r10;\n"
    "mapa.shared::cluster.u32 %r28, %r27, %r24;\n"
    "mad.lo.u32 %r29, %r1, 100, %r20; mad.lo.u32 %r29, %r29, 32, %r6;\n"
    "st.shared::cluster.u32 [%r28], %r29;\n"
    "bar.warp.sync 0xffffffff;\n"
    "add.u32 %r30, %r8, %r25; mapa.shared::cluster.u32 %r30, %r30, %r24;\n"
    "@!%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r30];\n"
    "add.u32 %r20, %r20, 1; add.u32 %r21, %r21, 1; setp.eq.u32 %p5, %r21, 3;\n"
    "@%p5 xor.b32 %r22, %r22, 1; @%p5 mov.u32 %r21, 0;\n"
    "setp.lt.u32 %p6, %r20, 12; @%p6 bra PRODUCE; bra.uni END;\n"
    "CONSUMER:\n"
    "add.u32 %r24, %r4, %r3; sub.u32 %r24, %r24, 1; rem.u32 %r24, %r24, %r3;\n"
    "CONSUME:\n"
    "shl.b32 %r25, %r21, 3; add.u32 %r26, %r8, %r25;\n"
    "C: mbarrier.try_wait.parity.shared.b64 %p4, [%r26], %r22; @!%p4 bra C;\n"
    "shl.b32 %r27, %r21, 7; add.u32 %r27, %r27, %r7; add.u32 %r27, %r27, "
    "%r10;\n"
    "ld.shared.u32 %r29, [%r27]; add.u32 %r20, %r20, 1;\n"
    "mad.lo.u32 %r23, %r29, %r20, %r23;\n"
    /* slow now and then */
    "and.b32 %r31, %r20, 3; mul.lo.u32 %r31, %r31, 50; mov.u32 %r32, 0;\n"
    "W: add.u32 %r32, %r32, 1; setp.lt.u32 %p7, %r32, %r31; @%p7 bra W;\n"
    "bar.warp.sync 0xffffffff;\n"
    "add.u32 %r30, %r9, %r25; mapa.shared::cluster.u32 %r30, %r30, %r24;\n"
    "@!%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r30];\n"
    "add.u32 %r21, %r21, 1; setp.eq.u32 %p5, %r21, 3;\n"
    "@%p5 xor.b32 %r22, %r22, 1; @%p5 mov.u32 %r21, 0;\n"
    "setp.lt.u32 %p6, %r20, 12; @%p6 bra CONSUME;\n"
    "mad.lo.u32 %r40, %r1, 32, %r6; mul.wide.u32 %d2, %r40, 4;\n"
    "add.u64 %d2, %d1, %d2; st.global.u32 [%d2], %r23;\n"
    "END: bar.warp.sync 0xffffffff;\n"
    "barrier.cluster.arrive; barrier.cluster.wait; ret; }\n";

static const rt_options ways[] = {
    {.threads = 1},
    {.threads = 3, .shuffle = 5},
    {.threads = 1, .no_skip = true},
    {.threads = 1, .functional = true},
};

static uint64_t count(const cga_run *run, const char *pattern)
{
    size_t matched;
    uint64_t v =
        stats_sum(rt_stats(run->r->d), run->last.counters, pattern, &matched);

    CHECK(matched != 0);
    return v;
}

TEST(a_ring_of_buffers_between_ctas)
{
    static const char *const limits[] = {"sm.mbarrier_wait=4096",
                                         "sm.mbarrier_wait=20"};

    for (unsigned t = 0; t < 6; t++) {
        const char *sets[] = {CGA_MACHINE, limits[t % 2], NULL};
        unsigned size = 1 + t, ctas = size * 2;
        uint64_t cycles = 0;

        for (unsigned k = 0; k < COUNTOF(ways); k++) {
            uint32_t out[CTAS_MOST * 32];
            cga_run run;

            cga_launch(&run, sets, &ways[k], ring,
                       (rt_launch){.grid = {ctas, 1, 1},
                                   .block = {64, 1, 1},
                                   .cga = {size, 1, 1}},
                       out, sizeof out);
            rig_must(run.r, run.st);
            for (unsigned c = 0; c < ctas; c++) {
                unsigned from = c / size * size + (c % size + size - 1) % size;

                for (unsigned w = 0; w < 32; w++) {
                    uint32_t sum = 0;

                    for (unsigned i = 0; i < ROUNDS; i++)
                        sum += ((from * 100 + i) * 32 + w) * (i + 1);
                    CHECK_EQ(out[c * 32 + w], sum);
                }
            }
            if (!k)
                cycles = run.last.cycles;
            else if (!ways[k].functional)
                CHECK_EQ(run.last.cycles, cycles);
            if (!ways[k].functional) {
                CHECK(count(&run, "sm[*].cga.mbarrier_waits") > 0);
                /* Arrivals wake who waits: nobody has to look again. */
                if (t % 2 == 0)
                    CHECK_EQ(count(&run, "sm[*].cga.mbarrier_limits"), 0);
            }
            cga_end(&run);
        }
    }
}

/* One that arrives with a count, one without completing, one that says how many
 * bytes come, which it then says have come; then one leaves for good. */
static const char forms[] = CGA_HEAD
    ".visible .entry k(.param .u64 out)\n"
    "{ .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<16>;\n"
    ".shared .align 8 .b8 bar[8];\n"
    "ld.param.u64 %d1, [out]; mov.u32 %r0, bar;\n"
    "mbarrier.init.shared.b64 [%r0], 5;\n"
    "mbarrier.arrive.shared.b64 %d2, [%r0], 2;\n"
    "mbarrier.arrive.noComplete.shared.b64 %d3, [%r0], 1;\n"
    "mbarrier.arrive.expect_tx.shared.b64 %d4, [%r0], 96;\n"
    "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r0], 32;\n"
    "mbarrier.test_wait.shared.b64 %p1, [%r0], %d2;\n"
    "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r0], 64;\n"
    "mbarrier.arrive_drop.shared.b64 %d5, [%r0];\n"
    "mbarrier.test_wait.shared.b64 %p2, [%r0], %d2;\n"
    "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r0], 64;\n"
    "mbarrier.test_wait.shared.b64 %p3, [%r0], %d2;\n"
    "mbarrier.try_wait.parity.shared.b64 %p4, [%r0], 0;\n"
    "mbarrier.try_wait.parity.shared.b64 %p5, [%r0], 1, 100;\n"
    "mbarrier.pending_count.b64 %r1, %d2; mbarrier.pending_count.b64 %r2, "
    "%d5;\n"
    "mbarrier.arrive.shared.b64 %d6, [%r0]; mbarrier.pending_count.b64 %r3, "
    "%d6;\n"
    "selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 2, 0, %p2; or.b32 %r4, %r4, %r5;\n"
    "selp.u32 %r5, 4, 0, %p3; or.b32 %r4, %r4, %r5;\n"
    "selp.u32 %r5, 8, 0, %p4; or.b32 %r4, %r4, %r5;\n"
    "selp.u32 %r5, 16, 0, %p5; or.b32 %r4, %r4, %r5;\n"
    "st.global.u32 [%d1], %r1; st.global.u32 [%d1+4], %r2;\n"
    "st.global.u32 [%d1+8], %r3; st.global.u32 [%d1+12], %r4;\n"
    "mbarrier.inval.shared.b64 [%r0]; ret; }\n";

TEST(each_form_changes_what_it_says)
{
    static const char *const sets[] = {CGA_MACHINE, NULL};

    for (unsigned k = 0; k < COUNTOF(ways); k++) {
        uint32_t out[4];
        cga_run run;

        cga_launch(&run, sets, &ways[k], forms,
                   (rt_launch){.grid = {1, 1, 1}, .block = {1, 1, 1}}, out,
                   sizeof out);
        rig_must(run.r, run.st);
        CHECK_EQ(out[0], 5); /* states are those before */
        CHECK_EQ(out[1], 1);
        CHECK_EQ(out[2], 4); /* of the next phase, without the one that left */
        CHECK_EQ(out[3], 4 | 8); /* over with the last byte, phase 1 is not */
        cga_end(&run);
    }
}

/* Each thread t of CTA c stores four words, one and a double one to the next
 * CTA and adds t + 1 to a sum there; the mbarrier there counts the bytes.
 * Nothing else says that they came. */
static const char stores[] = CGA_HEAD
    ".visible .entry k(.param .u64 out)\n"
    "{ .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %d<16>;\n"
    ".shared .align 16 .b8 a[2048]; .shared .align 8 .b8 bar[8];\n"
    ".shared .align 8 .b8 sum[8];\n"
    "ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank;\n"
    "add.u32 %r4, %r2, 1; rem.u32 %r4, %r4, %r3; setp.ne.u32 %p1, %r0, 0;\n"
    "mov.u32 %r5, a; shl.b32 %r6, %r0, 4; add.u32 %r7, %r5, %r6;\n"
    "mov.u32 %r8, bar; mov.u32 %r9, sum; shl.b32 %r10, %r0, 2;\n"
    "shl.b32 %r14, %r0, 3; add.u32 %r15, %r5, %r14;\n"
    "add.u32 %r10, %r10, %r5; @%p1 bra R;\n"
    "st.shared.u64 [%r9], 0; mbarrier.init.shared.b64 [%r8], 1;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 1024;\n"
    "R: barrier.cluster.arrive; barrier.cluster.wait;\n"
    "mapa.shared::cluster.u32 %r11, %r7, %r4;\n"
    "mapa.shared::cluster.u32 %r12, %r8, %r4;\n"
    "mapa.shared::cluster.u32 %r13, %r10, %r4;\n"
    "mapa.shared::cluster.u32 %r16, %r15, %r4;\n"
    "mapa.shared::cluster.u32 %r17, %r9, %r4;\n"
    "mad.lo.u32 %r20, %r1, 1000, %r0; add.u32 %r21, %r20, 100;\n"
    "add.u32 %r22, %r20, 200; add.u32 %r23, %r20, 300;\n"
    "cvt.u64.u32 %d4, %r20; shl.b64 %d5, %d4, 32; or.b64 %d4, %d4, %d5;\n"
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
    "[%r11], {%r20, %r21, %r22, %r23}, [%r12];\n"
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r13+512], "
    "%r23, [%r12];\n"
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r16+1024], "
    "%d4, [%r12];\n"
    "add.u32 %r24, %r0, 1;\n"
    "red.async.relaxed.cluster.shared::cluster."
    "mbarrier::complete_tx::bytes.add.u32 [%r17], %r24, [%r12];\n"
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra W;\n"
    "mad.lo.u32 %r25, %r1, 32, %r0; mul.wide.u32 %d2, %r25, 32;\n"
    "add.u64 %d2, %d1, %d2;\n"
    "ld.shared.v4.u32 {%r26, %r27, %r28, %r29}, [%r7];\n"
    "st.global.v4.u32 [%d2], {%r26, %r27, %r28, %r29};\n"
    "ld.shared.u32 %r26, [%r10+512]; ld.shared.v2.u32 {%r27, %r28}, "
    "[%r15+1024];\n"
    "ld.shared.u32 %r29, [%r9];\n"
    "st.global.v4.u32 [%d2+16], {%r26, %r27, %r28, %r29};\n"
    "barrier.cluster.arrive; barrier.cluster.wait; ret; }\n";

TEST(stores_tell_the_mbarrier_that_they_came)
{
    static const char *const sets[] = {CGA_MACHINE, NULL};

    for (unsigned size = 1; size <= 4; size++)
        for (unsigned k = 0; k < COUNTOF(ways); k++) {
            uint32_t out[4][32][8];
            cga_run run;

            cga_launch(&run, sets, &ways[k], stores,
                       (rt_launch){.grid = {size, 1, 1},
                                   .block = {32, 1, 1},
                                   .cga = {size, 1, 1}},
                       out, sizeof out);
            rig_must(run.r, run.st);
            for (unsigned c = 0; c < size; c++)
                for (unsigned t = 0; t < 32; t++) {
                    uint32_t v = (c + size - 1) % size * 1000 + t;

                    for (unsigned i = 0; i < 4; i++)
                        CHECK_EQ(out[c][t][i], v + 100 * i);
                    CHECK_EQ(out[c][t][4], v + 300);
                    CHECK_EQ(out[c][t][5], v);
                    CHECK_EQ(out[c][t][6], v);
                    CHECK_EQ(out[c][t][7], 32 * 33 / 2);
                }
            cga_end(&run);
        }
}

/* Two are to arrive, and one does: the wait never ends. */
static const char stuck[] = CGA_HEAD
    ".visible .entry k(.param .u64 out)\n"
    "{ .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<16>;\n"
    ".shared .align 8 .b8 bar[8];\n"
    "mov.u32 %r0, bar; mbarrier.init.shared.b64 [%r0], 2;\n"
    "mbarrier.arrive.shared.b64 %d2, [%r0];\n"
    "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r0], 0; @!%p1 bra W;\n"
    "ret; }\n";

TEST(who_waits_for_ever_is_told)
{
    static const char *const sets[] = {CGA_MACHINE, "gpu.hang_cycles=20000",
                                       NULL};

    for (unsigned k = 0; k < COUNTOF(ways); k += 3) {
        cga_run run;

        cga_launch(&run, sets, &ways[k], stuck,
                   (rt_launch){.grid = {1, 1, 1},
                               .block = {1, 1, 1},
                               .max_cycles = 3000000,
                               .alone = true},
                   NULL, 64);
        CHECK_EQ(run.st, ST_HANG);
        cga_said(&run, "hangs");
        cga_end(&run);
    }
}
