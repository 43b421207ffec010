/* tests/timing/test_cluster_union.c - SMs that share a front end although their
 * warps go different ways, and that share again. */
#include "cluster.h"

/* R6: CTA modulo 2, the member of a cluster of two. P6: member 1. */
#define START                                                                  \
    CLUSTER_START                                                              \
    "LOP3.LUT R6, R1, 0x1, RZ, 0xc0\nMOV R7, RZ\n"                             \
    "ISETP.NE.AND P6, PT, R6, RZ, PT\n"

enum { CTAS = 8, THREADS = 64, WARPS = CTAS * THREADS / 32 };

static const char *const unite[] = {"gpu.cluster.conflict=union", NULL};
static const char *const hasty[] = {"gpu.cluster.conflict=union",
                                    "gpu.cluster.apart=8", NULL};
static const char *const align[] = {"gpu.cluster.reform=aligned", NULL};

static cluster_run *run(const char *text, unsigned size,
                        const char *const *more)
{
    const cluster_job j = {
        .text = text, .head = ".shared 1024", .ctas = CTAS, .threads = THREADS};

    return cluster_run_well("gtx480", cluster_sets(size, more), &j,
                            &cluster_serial, false);
}

/* The same memory, by instructions with the same lanes, as by SMs of their
 * own. The caller frees the run of clusters of `size`. */
static cluster_run *same(const char *text, unsigned size,
                         const char *const *more)
{
    cluster_run *alone = run(text, 1, more), *c = run(text, size, more);

    CHECK_EQ(c->memory, alone->memory);
    CHECK_EQ(cluster_count(c, "sm[*].warp_insts") -
                 cluster_count(c, "sm[*].union_empty"),
             cluster_count(alone, "sm[*].warp_insts"));
    CHECK_EQ(cluster_count(c, "sm[*].thread_insts"),
             cluster_count(alone, "sm[*].thread_insts"));
    CHECK_EQ(cluster_count(c, "sm[*].warps_done"), WARPS);
    CHECK_EQ(cluster_count(c, "sm[*].ctas_done"), CTAS);
    cluster_free(alone);
    return c;
}

/* if (member 1) 3 instructions and a jump, else 5; then they meet. */
#define SIDES                                                                  \
    "SSY meet\n@!P6 BRA other\n"                                               \
    "IADD3 R7, R7, 0x1, RZ\nIADD3 R7, R7, 0x1, RZ\nBRA end\n"                  \
    "other:\nIADD3 R7, R7, 0x9, RZ\nIADD3 R7, R7, 0x9, RZ\n"                   \
    "IADD3 R7, R7, 0x9, RZ\nIADD3 R7, R7, 0x9, RZ\n"                           \
    "end:\nSYNC\nmeet:\n"

TEST(members_go_both_sides_of_a_branch)
{
    cluster_run *c = same(START SIDES "STG.E [R4], R7\nEXIT", 2, unite);

    CHECK_EQ(cluster_parted(c), 0);
    for (unsigned i = 0; i < CTAS * THREADS; i++)
        CHECK_EQ(c->data[i], i / 64 % 2 ? 2 : 36);
    /* At the branch, at the jump and at each SYNC, where one has lanes. */
    CHECK_EQ(cluster_count(c, "sm[*].unions"), WARPS / 2 * 4);
    /* Member 0 follows 2 instructions, the jump and SYNC; member 1 the 4 of the
     * other side and SYNC. */
    CHECK_EQ(cluster_count(c, "sm[*].union_empty"), WARPS / 2 * (4 + 5));
    CHECK_EQ(cluster_count(c, "sm[*].outcomes"), WARPS / 2 * 5);
    cluster_free(c);
}

/* What it costs: a decision waits for each outcome, of the branch, the jump and
 * both SYNC. */
TEST(a_conflict_costs_its_outcomes)
{
    static const char *const far[] = {"gpu.cluster.conflict=union",
                                      "gpu.cluster.ack=22", NULL};
    static const char *const text[] = {
        START "BAR.SYNC 0x0\nEXIT",
        START "BAR.SYNC 0x0\n" SIDES "STG.E [R4], R7\nEXIT",
        START "BAR.SYNC 0x0\n" SIDES SIDES "STG.E [R4], R7\nEXIT",
    };
    uint64_t cost[COUNTOF(text)];

    for (unsigned i = 0; i < COUNTOF(text); i++) {
        strbuf b = {0};

        strbuf_puts(&b, text[i]);
        if (i == 2) { /* labels of the second */
            char *at = strstr(b.text, "meet:\n") + 6;

            for (char *p = at; (p = strstr(p, "meet")) != NULL; p++)
                memcpy(p, "MEET", 4);
            for (char *p = at; (p = strstr(p, "other")) != NULL; p++)
                memcpy(p, "OTHER", 5);
            for (char *p = at; (p = strstr(p, "end")) != NULL; p++)
                memcpy(p, "END", 3);
        }
        cluster_run *c = run(b.text, 2, unite), *d = run(b.text, 2, far);
        cost[i] = d->cycles - c->cycles;
        CHECK_EQ(c->memory, d->memory);
        CHECK_EQ(cluster_parted(c) + cluster_parted(d), 0);
        cluster_free(c);
        cluster_free(d);
        strbuf_fini(&b);
    }
    CHECK_EQ(cost[2] - cost[1], 20 * 4);
}

/* Nine instructions in a row are for one member only: of one side two and the
 * jump, SYNC, of the other four, and SYNC. Those for both do not count. */
TEST(members_part_after_so_many_instructions_for_some_only)
{
    static const char *const limit[][3] = {
        {"gpu.cluster.conflict=union", "gpu.cluster.apart=9", NULL},
        {"gpu.cluster.conflict=union", "gpu.cluster.apart=8", NULL}};

    for (unsigned i = 0; i < COUNTOF(limit); i++) {
        cluster_run *c = same(START SIDES "STG.E [R4], R7\nEXIT", 2, limit[i]);

        CHECK_EQ(cluster_parted(c), cluster_count(c, "sm[*].parted_apart"));
        CHECK_EQ(cluster_parted(c), i ? 2 : 0);
        cluster_free(c);
    }
}

/* Half of the lanes go to A, the others of even CTAs to B and of odd ones to C:
 * members stand at the same place with stacks of the same depth, or at other
 * places, as `first` says which half it is. */
TEST(sides_of_an_indirect_branch_may_differ)
{
    for (unsigned first = 0; first < 2; first++) {
        strbuf b = {0};

        strbuf_printf(
            &b,
            ".version 7.0\n.target sm_50\n.address_size 64\n"
            ".visible .entry k(.param .u64 p, .param .u64 q)\n"
            "{ .reg .u64 %%rd<5>; .reg .u32 %%r<10>; .reg .pred %%q<3>;\n"
            "ld.param.u64 %%rd1, [p]; mov.u32 %%r2, %%ctaid.x;\n"
            "mov.u32 %%r3, %%ntid.x; mov.u32 %%r4, %%tid.x;\n"
            "mad.lo.u32 %%r5, %%r2, %%r3, %%r4;\n"
            "mul.wide.u32 %%rd2, %%r5, 4; add.u64 %%rd3, %%rd1, %%rd2;\n"
            "and.b32 %%r6, %%r2, 1; add.u32 %%r6, %%r6, 1;\n"
            "and.b32 %%r8, %%r4, 16; setp.%s.u32 %%q1, %%r8, 0;\n"
            "@%%q1 mov.u32 %%r6, 0;\n"
            "ts: .branchtargets A, B, C;\nbrx.idx %%r6, ts;\n"
            "A: mov.u32 %%r7, 10; bra.uni J;\n"
            "B: add.u32 %%r7, %%r4, 100; bra.uni J;\n"
            "C: add.u32 %%r7, %%r5, 3000;\n"
            "J: st.global.u32 [%%rd3], %%r7; ret; }\n",
            first ? "ne" : "eq");
        for (unsigned i = 0; i < 2; i++) {
            cluster_run *c = run(b.text, 2, i ? unite : NULL);

            for (unsigned k = 0; k < CTAS * THREADS; k++)
                CHECK_EQ(c->data[k], (k >> 4 & 1) == first ? 10
                                     : k / 64 % 2          ? k + 3000
                                                           : k % 64 + 100);
            CHECK_EQ(cluster_parted(c), i ? 0 : 2);
            CHECK_EQ(cluster_count(c, first ? "sm[*].parted_branch"
                                            : "sm[*].parted_indirect"),
                     cluster_parted(c));
            CHECK(!i || cluster_count(c, "sm[*].unions") > 0);
            cluster_free(c);
        }
        strbuf_fini(&b);
    }
}

/* Loops of as many rounds as the number of the CTA: members leave at different
 * times, and meet behind. */
TEST(members_wait_for_the_longest_loop)
{
    static const char *const text =
        START "MOV R8, R1\nSSY out\nloop:\nIADD3 R7, R7, 0x3, RZ\n"
              "IADD3 R8, R8, -0x1, RZ\nISETP.GE.AND P0, PT, R8, RZ, PT\n"
              "@P0 BRA loop\nSYNC\nout:\nSTG.E [R4], R7\nEXIT";

    for (unsigned size = 2; size <= 4; size *= 2) {
        cluster_run *c = same(text, size, unite);

        CHECK_EQ(cluster_parted(c), 0);
        for (unsigned i = 0; i < CTAS * THREADS; i++)
            CHECK_EQ(c->data[i], 3 * (i / 64 + 1));
        cluster_free(c);
    }
}

/* Warps of CTA 2, or of CTA 3, end at once. */
TEST(warps_that_have_ended_follow)
{
    for (unsigned cta = 2; cta <= 3; cta++) {
        strbuf b = {0};

        strbuf_printf(&b,
                      START "ISETP.EQ.AND P0, PT, R1, %u, PT\n@P0 EXIT\n"
                            "LDG.E R8, [R4]\nMEMBAR.GPU\n" SIDES
                            "IADD3 R7, R7, R8, RZ\nSTG.E [R4], R7\nEXIT",
                      cta);
        cluster_run *c = same(b.text, 2, unite);

        CHECK_EQ(cluster_parted(c), 0);
        for (unsigned i = 0; i < CTAS * THREADS; i++)
            CHECK_EQ(c->data[i], i / 64 == cta ? 0 : i / 64 % 2 ? 2 : 36);
        cluster_free(c);
        strbuf_fini(&b);
    }
}

/* Each member would wait for another warp that comes later. */
TEST(a_barrier_on_one_side_parts)
{
    cluster_run *c = same(START "SHR.U32 R8, R0, 0x5\n"
                                "LOP3.LUT R8, R8, R6, RZ, 0x3c\n"
                                "ISETP.NE.AND P0, PT, R8, RZ, PT\n"
                                "SSY meet\n@P0 BRA other\n"
                                "IADD3 R7, R7, 0x1, RZ\nBAR.SYNC 0x0\nSYNC\n"
                                "other:\nIADD3 R7, R7, 0x2, RZ\n"
                                "BAR.SYNC 0x0\nSYNC\n"
                                "meet:\nSTG.E [R4], R7\nEXIT",
                          2, unite);

    CHECK(cluster_count(c, "sm[*].parted_branch") > 0);
    CHECK_EQ(cluster_count(c, "sm[*].parted_branch"), cluster_parted(c));
    for (unsigned i = 0; i < CTAS * THREADS; i++)
        CHECK_EQ(c->data[i], (i / 32 ^ i / 64) & 1 ? 2 : 1);
    cluster_free(c);
}

/* A barrier after a warp that has ended in one member. */
TEST(a_barrier_of_fewer_warps_in_one_member_parts)
{
    cluster_run *c = same(START "SHR.U32 R8, R0, 0x5\n"
                                "LOP3.LUT R8, R8, R6, RZ, 0xc0\n"
                                "ISETP.NE.AND P0, PT, R8, RZ, PT\n"
                                "SHL R9, R0, 0x2\nSTS [R9], RZ\n@P0 EXIT\n"
                                "STS [R9], R2\nBAR.SYNC 0x0\n"
                                "LOP3.LUT R9, R9, 0x80, RZ, 0x3c\n"
                                "LDS R7, [R9]\nSTG.E [R4], R7\nEXIT",
                          2, unite);

    for (unsigned i = 0; i < CTAS * THREADS; i++)
        CHECK_EQ(c->data[i], i / 64 % 2 == 0 ? i ^ 32 : 0);
    CHECK(cluster_count(c, "sm[*].parted_exit") > 0);
    CHECK_EQ(cluster_count(c, "sm[*].parted_exit"), cluster_parted(c));
    cluster_free(c);
}

/* Fences and barriers for some members only. */
TEST(guards_of_fences_and_barriers_may_differ)
{
    cluster_run *c = same(START "STG.E [R4+0x20000], R0\n@P6 MEMBAR.GPU\n"
                                "IADD3 R7, R7, 0x5, RZ\n@!P6 MEMBAR.GPU\n"
                                "STG.E [R4], R7\nEXIT",
                          2, unite);

    CHECK_EQ(cluster_parted(c), 0);
    CHECK_EQ(cluster_count(c, "sm[*].fences"), WARPS);
    cluster_free(c);
    for (unsigned i = 0; i < 2; i++) {
        c = same(START "SHL R9, R0, 0x2\nSTS [R9], R2\n@P6 BAR.SYNC 0x0\n"
                       "LOP3.LUT R9, R9, 0x80, RZ, 0x3c\n@P6 LDS R7, [R9]\n"
                       "STG.E [R4], R7\nEXIT",
                 2, i ? unite : unite + 1);
        CHECK(cluster_count(c, "sm[*].parted_branch") > 0);
        for (unsigned k = 0; k < CTAS * THREADS; k++)
            CHECK_EQ(c->data[k], k / 64 % 2 ? k ^ 32 : 0);
        cluster_free(c);
    }
}

/* CTAs of one member wait in a loop for what those of the other write behind
 * it, where their warps meet. */
TEST(members_that_wait_for_each_other_part)
{
    static const char *const text =
        START "MOV R8, c[0x0][0x148]\nMOV R9, c[0x0][0x14c]\nMOV R10, 0x1\n"
              "SSY meet\n@P6 BRA end\nloop:\nATOMG.E.ADD R11, [R8.64], RZ\n"
              "ISETP.LT.AND P0, PT, R11, 0x4, PT\n@P0 BRA loop\nend:\nSYNC\n"
              "meet:\n@P6 RED.E.ADD [R8.64], R10\nSTG.E [R4], R2\nEXIT";
    cluster_run *c = run(text, 2, hasty);

    CHECK(cluster_count(c, "sm[*].parted_apart") > 0);
    for (unsigned i = 0; i < CTAS * THREADS; i++)
        CHECK_EQ(c->data[i], i);
    cluster_free(c);
}

/* Warps of members part at once, and come one after the other to a line of
 * instructions that is not in the cache. */
TEST(members_that_stand_at_the_same_place_share_again)
{
    strbuf b = {0};

    strbuf_puts(&b, START SIDES);
    for (unsigned i = 0; i < 200; i++)
        strbuf_puts(&b, "IADD3 R7, R7, 0x1, RZ\n");
    strbuf_puts(&b, "STG.E [R4], R7\nEXIT");
    cluster_run *c = same(b.text, 2, align);

    for (unsigned i = 0; i < CTAS * THREADS; i++)
        CHECK_EQ(c->data[i], 200 + (i / 64 % 2 ? 2 : 36));
    uint64_t aligned = cluster_count(c, "sm[*].forms_aligned");
    CHECK(aligned > 0);
    /* Two members each: what a launch costs, and a cycle for each of four warps
     * and there and back. */
    CHECK_EQ(cluster_count(c, "sm[*].forming_cycles"),
             2 * (cluster_count(c, "sm[*].forms") - aligned) +
                 2 * aligned * (2 + 4 + 1));
    CHECK(cluster_count(c, "sm[*].parted_branch") > 0);
    cluster_free(c);
    strbuf_fini(&b);
}
