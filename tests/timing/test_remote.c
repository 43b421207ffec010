/* Distributed shared memory: CTAs of a thread-block cluster load, store and
 * change each other's shared memory, by addresses of all kinds; the same
 * however it is simulated; and what is no such memory is a fault with its
 * place.
 */
#include "cga.h"

enum { WORDS = 16, THREADS_MOST = 256 };

/* Thread t of CTA c owns word t of `a`, c * 1000 + t. Of each CTA r it reads
 * word (5t + 3r) % threads as 32 bits, by a generic address, as a byte and as a
 * signed half; it writes c * 7 + t to word t of `b` of the next CTA, and adds
 * t + 1 to `n` of CTA 0 and 1 to `m` of CTA t % CTAs. Out, by thread, in words:
 * the sums of all ranks of 32 bits, of generic ones, of bytes and of halves;
 * its own word of b; n; m; of an address of the last rank: its rank, and
 * whether it is in shared::cluster and shared::cta; four words of the next CTA
 * by one load.
 */
static const char talk[] = CGA_HEAD
    ".visible .entry k(.param .u64 out)\n"
    "{ .reg .pred %p<9>; .reg .b32 %r<60>; .reg .b64 %d<16>; .reg .b16 %h<4>;\n"
    ".shared .align 16 .b8 a[1024]; .shared .align 16 .b8 b[1024];\n"
    ".shared .align 4 .b8 n[4]; .shared .align 4 .b8 m[4];\n"
    "ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, %ntid.x; mov.u32 %r3, %cluster_nctarank;\n"
    "mov.u32 %r4, %cluster_ctarank;\n"
    "mad.lo.u32 %r5, %r1, %r2, %r0; mul.wide.u32 %d2, %r5, 64;\n"
    "add.u64 %d2, %d1, %d2;\n"
    "mad.lo.u32 %r6, %r1, 1000, %r0; mov.u32 %r7, a; shl.b32 %r8, %r0, 2;\n"
    "add.u32 %r9, %r7, %r8; st.shared.u32 [%r9], %r6;\n"
    "mov.u32 %r10, n; mov.u32 %r11, m; setp.ne.u32 %p1, %r0, 0;\n"
    "@!%p1 st.shared.u32 [%r10], 0; @!%p1 st.shared.u32 [%r11], 0;\n"
    "barrier.cluster.arrive; barrier.cluster.wait;\n"
    "mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, 0; mov.u32 %r23, 0;\n"
    "mov.u32 %r24, 0;\n"
    "RANK:\n"
    "mul.lo.u32 %r25, %r0, 5; mad.lo.u32 %r25, %r20, 3, %r25;\n"
    "rem.u32 %r25, %r25, %r2; shl.b32 %r25, %r25, 2; add.u32 %r26, %r7, %r25;\n"
    "mapa.shared::cluster.u32 %r27, %r26, %r20;\n"
    "ld.shared::cluster.u32 %r28, [%r27]; add.u32 %r21, %r21, %r28;\n"
    "cvt.u64.u32 %d3, %r26; cvta.shared.u64 %d3, %d3;\n"
    "mapa.u64 %d4, %d3, %r20; ld.u32 %r28, [%d4]; add.u32 %r22, %r22, %r28;\n"
    "ld.shared::cluster.u8 %r28, [%r27+1]; add.u32 %r23, %r23, %r28;\n"
    "ld.shared::cluster.s16 %h1, [%r27]; cvt.s32.s16 %r28, %h1;\n"
    "add.u32 %r24, %r24, %r28;\n"
    "add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, %r3; @%p2 bra RANK;\n"
    "st.global.u32 [%d2], %r21; st.global.u32 [%d2+4], %r22;\n"
    "st.global.u32 [%d2+8], %r23; st.global.u32 [%d2+12], %r24;\n"
    /* to the next */
    "add.u32 %r30, %r4, 1; rem.u32 %r30, %r30, %r3; mov.u32 %r31, b;\n"
    "add.u32 %r32, %r31, %r8; mapa.shared::cluster.u32 %r33, %r32, %r30;\n"
    "mad.lo.u32 %r34, %r1, 7, %r0; st.shared::cluster.u32 [%r33], %r34;\n"
    "mapa.shared::cluster.u32 %r35, %r10, 0; add.u32 %r36, %r0, 1;\n"
    "red.shared::cluster.add.u32 [%r35], %r36;\n"
    "rem.u32 %r37, %r0, %r3; mapa.shared::cluster.u32 %r38, %r11, %r37;\n"
    "atom.shared::cluster.add.u32 %r39, [%r38], 1;\n"
    "shr.u32 %r40, %r0, 2; shl.b32 %r40, %r40, 4; add.u32 %r41, %r7, %r40;\n"
    "mapa.shared::cluster.u32 %r42, %r41, %r30;\n"
    "ld.shared::cluster.v4.u32 {%r43, %r44, %r45, %r46}, [%r42];\n"
    "st.global.v4.u32 [%d2+48], {%r43, %r44, %r45, %r46};\n"
    "barrier.cluster.arrive; barrier.cluster.wait;\n"
    "ld.shared.u32 %r50, [%r32]; ld.shared.u32 %r51, [%r10];\n"
    "ld.shared.u32 %r52, [%r11];\n"
    "st.global.u32 [%d2+16], %r50; st.global.u32 [%d2+20], %r51;\n"
    "st.global.u32 [%d2+24], %r52;\n"
    "sub.u32 %r53, %r3, 1; mapa.shared::cluster.u32 %r54, %r7, %r53;\n"
    "getctarank.shared::cluster.u32 %r55, %r54; st.global.u32 [%d2+28], %r55;\n"
    "mapa.u64 %d6, %d3, %r53; isspacep.shared::cluster %p3, %d6;\n"
    "isspacep.shared::cta %p4, %d6; selp.u32 %r56, 1, 0, %p3;\n"
    "selp.u32 %r57, 2, 0, %p4; or.b32 %r56, %r56, %r57;\n"
    "st.global.u32 [%d2+32], %r56;\n"
    "barrier.cluster.arrive; barrier.cluster.wait; ret; }\n";

static uint32_t out[64 * THREADS_MOST * WORDS],
    first[64 * THREADS_MOST * WORDS];

/* What the kernel says it does, thread by thread. */
static void check_talk(unsigned ctas, unsigned size, unsigned threads)
{
    for (unsigned c = 0; c < ctas; c++) {
        unsigned base = c / size * size, rank = c % size;
        unsigned before = base + (rank + size - 1) % size;
        unsigned next = base + (rank + 1) % size, m = 0;

        for (unsigned t = 0; t < threads; t++)
            m += t % size == rank;
        for (unsigned t = 0; t < threads; t++) {
            const uint32_t *is = out + (c * threads + t) * WORDS;
            uint32_t words = 0, bytes = 0, halves = 0;

            for (unsigned r = 0; r < size; r++) {
                uint32_t v = (base + r) * 1000 + (5 * t + 3 * r) % threads;

                words += v;
                bytes += v >> 8 & 0xff;
                halves += (uint32_t)(int32_t)(int16_t)v;
            }
            CHECK_EQ(is[0], words);
            CHECK_EQ(is[1], words);
            CHECK_EQ(is[2], bytes);
            CHECK_EQ(is[3], halves);
            CHECK_EQ(is[4], before * 7 + t);
            CHECK_EQ(is[5], rank ? 0 : size * threads * (threads + 1) / 2);
            CHECK_EQ(is[6], m * size);
            CHECK_EQ(is[7], size - 1);
            CHECK_EQ(is[8], rank == size - 1 ? 3 : 1);
            for (unsigned k = 0; k < 4; k++)
                CHECK_EQ(is[12 + k], next * 1000 + t / 4 * 4 + k);
        }
    }
}

static const rt_options ways[] = {
    {.threads = 1},
    {.threads = 3, .shuffle = 5},
    {.threads = 1, .no_skip = true},
    {.threads = 1, .functional = true},
};

TEST(ctas_of_a_cluster_share_memory)
{
    rng r;

    rng_init(&r, 7, "remote");
    for (unsigned t = 0; t < 6; t++) {
        const char *sets[] = {
            CGA_MACHINE, t % 2 ? "gpu.cga.latency=40" : "gpu.cga.latency=74",
            t % 3 ? "gpu.cga.link_bytes=16" : "gpu.cga.link_bytes=4",
            t & 2 ? "gpu.cga.buffer=1" : "gpu.cga.buffer=8", NULL};
        unsigned size = 1 + rng_below(&r, 8), threads = 32 << rng_below(&r, 4);
        unsigned ctas = size * (1 + rng_below(&r, 5));
        rt_launch l = {.grid = {ctas, 1, 1},
                       .block = {threads, 1, 1},
                       .cga = {size, 1, 1}};
        uint64_t cycles = 0, hash = 0;

        for (unsigned k = 0; k < COUNTOF(ways); k++) {
            cga_run run;

            cga_launch(&run, sets, &ways[k], talk, l, out, sizeof out);
            rig_must(run.r, run.st);
            check_talk(ctas, size, threads);
            if (!k) {
                cycles = run.last.cycles;
                hash = rt_hash(run.r->d);
                memcpy(first, out, sizeof out);
            } else if (!ways[k].functional) {
                CHECK_EQ(run.last.cycles, cycles);
                CHECK_EQ(rt_hash(run.r->d), hash);
            }
            CHECK(!memcmp(first, out, sizeof out));
            cga_end(&run);
        }
    }
}

/* ---- how long it takes ---- */

/* A chain of loads of an address that each load gives, in CTA `rank`: 32 of
 * them, and the cycles until the last has issued. */
static const char chase[] = CGA_HEAD
    ".visible .entry k(.param .u64 out)\n"
    "{ .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %d<4>;\n"
    ".shared .align 16 .b8 a[16];\n"
    "ld.param.u64 %d1, [out]; mov.u32 %r0, a; mov.u32 %r1, %cluster_ctarank;\n"
    "mapa.shared::cluster.u32 %r2, %r0, 1; st.shared.u32 [%r0], %r2;\n"
    "barrier.cluster.arrive; barrier.cluster.wait;\n"
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra OUT;\n"
    "mov.u32 %r3, 0; mov.u32 %r4, %clock;\n"
    "L: ld.shared::cluster.u32 %r2, [%r2]; add.u32 %r3, %r3, 1;\n"
    "setp.lt.u32 %p2, %r3, 32; @%p2 bra L;\n"
    "mov.u32 %r5, %clock; sub.u32 %r5, %r5, %r4;\n"
    "st.global.u32 [%d1], %r5; st.global.u32 [%d1+4], %r2;\n"
    "OUT: barrier.cluster.arrive; barrier.cluster.wait; ret; }\n";

/* The way there and back, and what a load of the CTA's own memory takes: 33
 * cycles in all on an H100 [LUO:table-IV]. */
TEST(a_load_takes_the_way_there_and_back)
{
    uint32_t took[3];

    for (unsigned k = 0; k < 3; k++) {
        static const char *const latency[] = {
            "gpu.cga.latency=50", "gpu.cga.latency=74", "gpu.cga.latency=90"};
        const char *sets[] = {latency[k], NULL};
        uint32_t words[2];
        cga_run run;

        cga_launch_on(&run, "h100", sets, &ways[0], chase,
                      (rt_launch){.grid = {2, 1, 1},
                                  .block = {1, 1, 1},
                                  .cga = {2, 1, 1}},
                      words, sizeof words);
        rig_must(run.r, run.st);
        took[k] = words[0];
        cga_end(&run);
    }
    /* But for when the first round's code comes. */
    CHECK(took[1] - took[0] - 31 * 2 * 24 + 8 <= 16);
    CHECK(took[2] - took[1] - 31 * 2 * 16 + 8 <= 16);
    printf("a load of another CTA's shared memory: %.1f cycles\n",
           took[1] / 31.0);
}

/* ---- a CTA's own memory by what mapa says of it ---- */

/* Odd lanes by that address, even ones by the plain one; each finds what the
 * other of its pair has stored: 100 c + (t ^ 1) * 3, and its count. */
static const char own[] = CGA_HEAD
    ".visible .entry k(.param .u64 out)\n"
    "{ .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<4>;\n"
    ".shared .align 16 .b8 a[256];\n"
    "ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, a; shl.b32 %r4, %r0, 2;\n"
    "add.u32 %r5, %r3, %r4; xor.b32 %r6, %r5, 4; add.u32 %r7, %r5, 128;\n"
    "mapa.shared::cluster.u32 %r8, %r5, %r2;\n"
    "mapa.shared::cluster.u32 %r9, %r6, %r2;\n"
    "mapa.shared::cluster.u32 %r10, %r7, %r2;\n"
    "and.b32 %r11, %r0, 1; setp.ne.u32 %p1, %r11, 0;\n"
    "selp.u32 %r5, %r8, %r5, %p1; selp.u32 %r6, %r9, %r6, %p1;\n"
    "mul.lo.u32 %r12, %r0, 3; mad.lo.u32 %r12, %r1, 100, %r12;\n"
    "st.shared.u32 [%r5], %r12; st.shared.u32 [%r10], %r0;\n"
    "bar.sync 0; atom.shared.add.u32 %r13, [%r10], 1;\n"
    "ld.shared.u32 %r14, [%r6]; ld.shared.u32 %r15, [%r7];\n"
    "mad.lo.u32 %r16, %r1, 32, %r0; mul.wide.u32 %d2, %r16, 8;\n"
    "add.u64 %d2, %d1, %d2; st.global.v2.u32 [%d2], {%r14, %r15};\n"
    "ret; }\n";

TEST(a_cta_has_its_own_memory_by_mapa)
{
    static const char *const sets[] = {CGA_MACHINE, NULL};

    for (unsigned size = 1; size <= 2; size++)
        for (unsigned k = 0; k < COUNTOF(ways); k++) {
            uint32_t got[4][32][2];
            cga_run run;

            cga_launch(&run, sets, &ways[k], own,
                       (rt_launch){.grid = {4, 1, 1},
                                   .block = {32, 1, 1},
                                   .cga = {size, 1, 1}},
                       got, sizeof got);
            rig_must(run.r, run.st);
            for (unsigned c = 0; c < 4; c++)
                for (unsigned t = 0; t < 32; t++) {
                    CHECK_EQ(got[c][t][0], 100 * c + (t ^ 1) * 3);
                    CHECK_EQ(got[c][t][1], t + 1);
                }
            cga_end(&run);
        }
}

/* ---- faults ---- */

/* Lane 3 of CTA 0 accesses what `how` says. */
static void fault(const char *how, const char *says)
{
    static const char *const sets[] = {CGA_MACHINE, NULL};
    char text[4096];

    snprintf(text, sizeof text,
             CGA_HEAD
             ".visible .entry k(.param .u64 out)\n"
             "{ .reg .pred %%p<9>; .reg .b32 %%r<9>;\n"
             ".shared .align 16 .b8 a[64];\n"
             "mov.u32 %%r0, %%cluster_ctarank; mov.u32 %%r1, a;\n"
             "mov.u32 %%r2, %%tid.x; setp.ne.u32 %%p1, %%r2, 3;\n"
             "setp.ne.u32 %%p2, %%r0, 0; setp.ne.or.u32 %%p3, %%r2, 3, "
             "%%p2;\n"
             "%s\nOUT: ret; }\n",
             how);
    for (unsigned k = 0; k < COUNTOF(ways); k += 3) {
        cga_run run;

        cga_launch(&run, sets, &ways[k], text,
                   (rt_launch){.grid = {4, 1, 1},
                               .block = {32, 1, 1},
                               .cga = {4, 1, 1}},
                   NULL, 64);
        CHECK_EQ(run.st, ST_FAULT);
        cga_said(&run, says);
        cga_said(&run, "CTA (0,0,0) thread (3,0,0) warp 0 lane 3");
        cga_end(&run);
    }
}

TEST(what_is_no_memory_of_the_cluster_is_a_fault)
{
    fault(
        "mapa.shared::cluster.u32 %r3, %r1, 5;\n"
        "@!%p3 ld.shared::cluster.u32 %r4, [%r3];\n"
        "@!%p3 st.shared.u32 [%r1], %r4;",
        "access to the shared memory of a CTA that the thread-block cluster "
        "has not: 4-byte read at 0x0 of CTA 5 of a cluster of 4x1x1 in kernel "
        "'k'");
    fault("mapa.shared::cluster.u32 %r3, %r1, 2;\n"
          "@!%p3 st.shared::cluster.u32 [%r3+64], %r2;",
          "access outside the shared memory of the CTA: 4-byte write at 0x40");
    /* CTA 2 ends at once. */
    fault("mov.u32 %r5, 0; @%p2 bra OUT;\n"
          "W: add.u32 %r5, %r5, 1; setp.lt.u32 %p5, %r5, 3000; @%p5 bra W;\n"
          "mapa.shared::cluster.u32 %r3, %r1, 2;\n"
          "@!%p3 st.shared::cluster.u32 [%r3], %r2;\n"
          "barrier.cluster.arrive; barrier.cluster.wait;",
          "of the thread-block cluster that has ended, or not begun: 4-byte "
          "write at 0x0 of CTA 2 of a cluster of 4x1x1");
}
