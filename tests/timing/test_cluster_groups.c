/* tests/timing/test_cluster_groups.c - SMs of Volta that share a front end:
 * what counts is where the group of lanes goes on that runs. */
#include "cluster.h"

/* R6: CTA modulo 2, the member of a cluster of two. P6: member 1. P5: odd
 * lanes, P4: those of member 1. */
#define START                                                                  \
    "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nMOV R2, 0x40\n"                     \
    "IMAD R2, R1, R2, R0\nMOV R3, 0x4\n"                                       \
    "IMAD.WIDE.U32 R4, R2, R3, c[0x0][0x160]\n"                                \
    "LOP3.LUT R6, R1, 0x1, RZ, 0xc0\nMOV R7, RZ\n"                             \
    "ISETP.NE.AND P6, PT, R6, RZ, PT\n"                                        \
    "LOP3.LUT R8, R0, 0x1, RZ, 0xc0\n"                                         \
    "ISETP.NE.AND P5, PT, R8, RZ, PT\n"                                        \
    "ISETP.NE.AND P4, PT, R8, RZ, P6\n"

enum { CTAS = 8, THREADS = 64, WARPS = CTAS * THREADS / 32 };

static const char *const part[] = {"gpu.cluster.conflict=dissolve", NULL};
static const char *const unite[] = {"gpu.cluster.conflict=union", NULL};

static cluster_run *run(const char *text, unsigned size,
                        const char *const *more)
{
    const cluster_job j = {
        .text = text, .head = ".shared 1024", .ctas = CTAS, .threads = THREADS};

    return cluster_run_well("v100", cluster_sets(size, more), &j,
                            &cluster_serial, false);
}

/* The same memory, by instructions with the same lanes, as by SMs of their
 * own. The caller frees the run of clusters of two. */
static cluster_run *same(const char *text, const char *const *more)
{
    cluster_run *alone = run(text, 1, more), *c = run(text, 2, more);

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

#define STORE "STG.E [R4], R7\nEXIT"

/* if (P) 2 instructions and a jump, else 4; then they meet. */
#define SIDES(p)                                                               \
    "BSSY B0, meet\n@!" p " BRA other\n"                                       \
    "IADD3 R7, R7, 0x1, RZ\nIADD3 R7, R7, 0x1, RZ\nBRA meet\n"                 \
    "other:\nIADD3 R7, R7, 0x9, RZ\nIADD3 R7, R7, 0x9, RZ\n"                   \
    "IADD3 R7, R7, 0x9, RZ\nIADD3 R7, R7, 0x9, RZ\n"                           \
    "meet:\nBSYNC B0\n"

/* Lanes that are all together have nothing to wait for: neither BSSY nor BSYNC
 * is told, only EXIT. */
TEST(whole_warps_tell_nothing_where_lanes_meet)
{
    cluster_run *c = same(
        START "BSSY B0, meet\nIADD3 R7, R7, 0x1, RZ\nmeet:\nBSYNC B0\n" STORE,
        part);

    CHECK_EQ(cluster_parted(c), 0);
    CHECK_EQ(cluster_count(c, "sm[*].outcomes"), WARPS / 2);
    cluster_free(c);
}

/* Told are the branch, the jump, BSYNC of each side, and EXIT. */
TEST(members_whose_lanes_part_alike_stay_together)
{
    cluster_run *c = same(START SIDES("P5") STORE, part);

    CHECK_EQ(cluster_parted(c), 0);
    for (unsigned i = 0; i < CTAS * THREADS; i++)
        CHECK_EQ(c->data[i], i % 2 ? 2 : 36);
    CHECK_EQ(cluster_count(c, "sm[*].outcomes"), WARPS / 2 * 5);
    cluster_free(c);
}

/* All lanes of member 0 and the even ones of member 1 jump over an instruction
 * that the others execute: not the same. But if they fall into it, only member
 * 1 has a group that waits, and both go on at the same place until it runs. */
TEST(groups_that_wait_are_a_members_own_affair)
{
    static const char text[] =
        START "BSSY B0, meet\n@P4 BRA far\n"
              "IADD3 R7, R7, 0x1, RZ\nIADD3 R7, R7, 0x1, RZ\n"
              "LDG.E R9, [R4]\nIADD3 R7, R7, R9, RZ\nBRA meet\n"
              "far:\nIADD3 R7, R7, 0x9, RZ\nmeet:\nBSYNC B0\n" STORE;
    cluster_run *c = same(text, part);

    for (unsigned i = 0; i < CTAS * THREADS; i++)
        CHECK_EQ(c->data[i], i / 64 % 2 && i % 2 ? 9 : 2);
    /* Each warp follows to the jump and BSYNC: 12 of START, BSSY, the branch
     * and 6; the first warps of the clusters of two part there. */
    CHECK_EQ(cluster_parted(c), cluster_count(c, "sm[*].parted_branch"));
    CHECK_EQ(cluster_parted(c), 2);
    CHECK(cluster_count(c, "sm[*].followed") >= 2 * (12 + 2 + 5 + 1));
    cluster_free(c);
}

/* First this side, in which member 0 has no lanes, then the other one. They
 * meet at BSYNC. */
TEST(members_go_both_sides_of_a_branch)
{
    cluster_run *c = same(START SIDES("P6") STORE, unite);

    CHECK_EQ(cluster_parted(c), 0);
    for (unsigned i = 0; i < CTAS * THREADS; i++)
        CHECK_EQ(c->data[i], i / 64 % 2 ? 2 : 36);
    /* Member 0 follows two instructions and the jump, member 1 four. */
    CHECK_EQ(cluster_count(c, "sm[*].union_empty"), WARPS / 2 * (3 + 4));
    /* At the branch and at the jump. */
    CHECK_EQ(cluster_count(c, "sm[*].unions"), WARPS / 2 * 2);
    cluster_free(c);
}

/* Thread t goes round 1 + t % 4 times, in member 1 one time more. Lanes that
 * leave wait behind the loop, and the others go round together, as often as
 * the member that goes round more. */
TEST(members_go_round_a_loop_together)
{
    static const char text[] =
        START "LOP3.LUT R8, R0, 0x3, RZ, 0xc0\nIADD3 R8, R8, R6, RZ\n"
              "BSSY B0, meet\nagain:\nIADD3 R7, R7, 0x1, RZ\n"
              "ISETP.LE.AND P0, PT, R7, R8, PT\n@P0 BRA again\n"
              "meet:\nBSYNC B0\n" STORE;
    cluster_run *c = same(text, unite);

    CHECK_EQ(cluster_parted(c), 0);
    for (unsigned i = 0; i < CTAS * THREADS; i++)
        CHECK_EQ(c->data[i], 1 + i % 4 + i / 64 % 2);
    /* Member 1 has lanes in each of five rounds, but no lane leaves in the
     * first: member 0 does and executes BSYNC alone; then it has none in the
     * fifth round and the BSYNC behind it. */
    CHECK_EQ(cluster_count(c, "sm[*].union_empty"), WARPS / 2 * (1 + 3 + 1));
    cluster_free(c);
}

/* Half of member 1's lanes come to the barrier when the others do. */
TEST(part_of_a_warp_at_a_barrier_parts_the_cluster)
{
    static const char text[] =
        START "@P4 BRA late\nBAR.SYNC 0x0\nBRA go\n"
              "late:\nIADD3 R7, R7, 0x1, RZ\nBAR.SYNC 0x0\ngo:\n" STORE;
    static const char *const *const way[] = {part, unite};

    for (unsigned i = 0; i < COUNTOF(way); i++) {
        cluster_run *c = same(text, way[i]);

        CHECK_EQ(cluster_parted(c), cluster_count(c, "sm[*].parted_branch"));
        CHECK_EQ(cluster_parted(c), 2);
        cluster_free(c);
    }
}

/* A member without the CTA takes the time of its instructions, so that what
 * comes behind them takes as long as in the others. It is no work of this
 * member: it counts, and so spends, what its own warps read and found. Of 32
 * times R2 all but the first find it. */
TEST(what_passes_a_member_without_the_cta_counts_nothing_there)
{
    static const char *const more[] = {"sm.rf.collect=allocate",
                                       "sm.rf.cache=reuse", NULL};
    enum { LINES = 32, READS = 3 * LINES };
    cluster_job j = {.ctas = 5, .threads = THREADS, .shared = 64 << 10};
    strbuf text = {0};
    unsigned warps = 0;

    for (unsigned i = 0; i < LINES; i++)
        strbuf_puts(&text, "[B------:R-:W-:-:S01] FFMA R7, R2.reuse, R4, R8\n");
    strbuf_puts(&text, "EXIT");
    j.text = text.text;
    cluster_run *c = cluster_run_well("v100", cluster_sets(2, more), &j,
                                      &cluster_serial, false);

    CHECK_EQ(cluster_count(c, "sm[*].forms"), 2);
    CHECK_EQ(cluster_parted(c), 0);
    for (unsigned sm = 0; sm < 4; sm++) {
        uint64_t n = cluster_of(c, sm, "warps_done");

        warps += n;
        CHECK_EQ(cluster_of(c, sm, "reg_reads"), n * READS);
        CHECK_EQ(cluster_of(c, sm, "operand_hits"), n * (LINES - 1));
        CHECK_EQ(cluster_of(c, sm, "operand_reads"), n * (READS - LINES + 1));
        CHECK_EQ(cluster_of(c, sm, "bank_reads"), n * (READS - LINES + 1));
    }
    CHECK_EQ(warps, 5 * THREADS / 32);
    cluster_free(c);
    strbuf_fini(&text);
}
