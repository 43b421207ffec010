/* tests/timing/test_cluster_edge.c - SMs that share a front end: one kernel for
 * each thing that could tell them from SMs of their own. */
#include "cluster.h"

/* What each slave executed for its master, it executed in the master's order
 * and `behind` cycles later; all but what is of the last row, if that is
 * shorter than the cluster. */
static void lockstep(const cluster_run *c, unsigned size)
{
    const config *cfg = c->r->cfg;
    bool whole = !(c->job->ctas % size || cfg->gpu.sms % size || c->job->all);

    for (unsigned i = 0; i < cfg->gpu.sms; i++) {
        const cluster_tape *slave = &c->tape[i], *master = slave - i % size;
        uint64_t n = i % size ? cluster_of(c, i, "followed") : 0, at = 0;

        CHECK(n <= slave->count && n <= master->count);
        for (uint64_t k = 0; k < n; k++, at++) {
            const cluster_issue *is = &slave->issue[k], *was = master->issue;

            while (!whole && at < master->count &&
                   (was[at].cycle + cfg->gpu.cluster.broadcast < is->cycle ||
                    was[at].warp != is->warp))
                at++;
            CHECK(at < master->count);
            CHECK_EQ(is->warp, was[at].warp);
            CHECK_EQ(is->pc, was[at].pc);
            CHECK_EQ(is->cycle, was[at].cycle + cfg->gpu.cluster.broadcast);
        }
        CHECK_EQ(cluster_of(c, i, "issued") + n, slave->count);
    }
}

/* Runs `j` by SMs of their own, by two and by four of them; memory is the same.
 * The caller frees the run of two. */
static cluster_run *same(const char *name, const cluster_job *j,
                         const char *const *more)
{
    static const char *const work[] = {
        "sm[*].ctas_done",  "sm[*].warps_done",     "sm[*].warp_insts",
        "sm[*].branches",   "sm[*].branches_taken", "sm[*].branches_diverged",
        "sm[*].barriers",   "sm[*].fences",         "sm[*].thread_insts",
        "sm[*].reg_writes", "sm[*].mem_global",     "sm[*].mem_shared",
        "sm[*].tx_loads",   "sm[*].tx_atomics"};
    cluster_run *keep = NULL;
    cluster_run *alone = cluster_run_well(name, cluster_sets(1, more), j,
                                          &cluster_serial, false);
    CHECK_EQ(cluster_count(alone, "sm[*].shared_cycles"), 0);
    for (unsigned size = 4; size; size -= 2) {
        cluster_run *c = cluster_run_well(name, cluster_sets(size, more), j,
                                          &cluster_serial, true);
        for (unsigned i = 0; i < COUNTOF(c->data); i++)
            if (c->data[i] != alone->data[i])
                TEST_FAIL("size %u, word %u is 0x%x, not 0x%x", size, i,
                          c->data[i], alone->data[i]);
        CHECK_EQ(c->memory, alone->memory);
        for (unsigned i = 0; i < COUNTOF(work); i++)
            if (cluster_count(c, work[i]) != cluster_count(alone, work[i]))
                TEST_FAIL("size %u: other %s", size, work[i]);
        lockstep(c, size);
        if (size == 2)
            keep = c;
        else
            cluster_free(c);
    }
    cluster_free(alone);
    return keep;
}

TEST(a_barrier_is_passed_together)
{
    cluster_job j = {.text = CLUSTER_START "SHL R6, R0, 0x2\nSTS [R6], R2\n"
                                           "BAR.SYNC 0x0\nLDS R7, [R6+0x40]\n"
                                           "STG.E [R4], R7\nEXIT",
                     .head = ".shared 1024",
                     .ctas = 8,
                     .threads = 64};
    cluster_run *c = same("gtx480", &j, NULL);

    CHECK_EQ(cluster_parted(c), 0);
    CHECK_EQ(c->data[0], 16);
    CHECK_EQ(cluster_of(c, 1, "issued"), 0);
    CHECK_EQ(cluster_of(c, 1, "followed"), cluster_of(c, 0, "issued"));
    cluster_free(c);
}

/* A warp of CTA 0, or of all but it, exits while the other warp waits at the
 * barrier: where it goes on it still writes what the others read. */
TEST(an_exit_of_one_member_lets_nobody_pass_the_barrier_of_another)
{
    static const char *const who[] = {"EQ", "NE"};

    for (unsigned i = 0; i < 2; i++) {
        strbuf b = {0};
        strbuf_printf(&b,
                      CLUSTER_START
                      "SHL R6, R0, 0x2\nSHR.U32 R8, R0, 0x5\n"
                      "STS [R6], RZ\nBAR.SYNC 0x0\n"
                      "ISETP.EQ.AND P0, PT, R8, RZ, PT\n@P0 BRA wait\n"
                      "LOP3.LUT R9, R1, 0x1, RZ, 0xc0\n"
                      "ISETP.%s.AND P1, PT, R9, RZ, PT\n@P1 EXIT\n"
                      "STS [R6+-0x80], R2\nwait:\nBAR.SYNC 0x0\n"
                      "LDS R7, [R6]\nSTG.E [R4], R7\nEXIT",
                      who[i]);
        cluster_job j = {
            .text = b.text, .head = ".shared 1024", .ctas = 8, .threads = 64};
        cluster_run *c = same("gtx480", &j, NULL);

        CHECK(cluster_count(c, "sm[*].parted_exit") > 0);
        for (unsigned cta = 0; cta < 8; cta++)
            CHECK_EQ(c->data[64 * cta], cta % 2 == i ? 0 : 64 * cta + 32);
        cluster_free(c);
        strbuf_fini(&b);
    }
}

TEST(barriers_count_and_reduce_what_is_in_each_member)
{
    /* the count of threads of CTA c below 5 c, of two warps */
    cluster_job j = {.text = CLUSTER_START
                     "IMAD R6, R1, 0x5, RZ\n"
                     "ISETP.LT.U32.AND P0, PT, R0, R6, PT\n"
                     "BAR.RED.POPC R7, 0x1, P0\n"
                     "BAR.RED.AND P1, 0x2, P0\n"
                     "SEL R8, 0x64, RZ, P1\nIADD3 R7, R7, R8, RZ\n"
                     "STG.E [R4], R7\nEXIT",
                     .ctas = 14,
                     .threads = 64};
    cluster_run *c = same("gtx480", &j, NULL);

    for (unsigned cta = 0; cta < 14; cta++)
        CHECK_EQ(c->data[64 * cta + 7], cta < 13 ? 5 * cta : 64 + 100);
    CHECK_EQ(cluster_parted(c), 0);
    cluster_free(c);
}

/* Warp 0 arrives and goes on, warp 1 waits for it. */
TEST(who_arrives_at_a_barrier_goes_on)
{
    cluster_job j = {.text = CLUSTER_START
                     "SHL R6, R0, 0x2\nSHR.U32 R8, R0, 0x5\n"
                     "ISETP.EQ.AND P0, PT, R8, RZ, PT\n"
                     "@P0 BRA first\nBAR.SYNC 0x3, 0x40\n"
                     "LDS R7, [R6+-0x80]\nSTG.E [R4], R7\nEXIT\n"
                     "first:\nSTS [R6], R2\nBAR.ARV 0x3, 0x40\n"
                     "STG.E [R4], R0\nEXIT",
                     .head = ".shared 1024",
                     .ctas = 9,
                     .threads = 64};
    cluster_run *c = same("k20-single", &j, NULL);

    for (unsigned i = 0; i < 9 * 64; i++)
        CHECK_EQ(c->data[i], i % 64 < 32 ? i % 64 : i - 32);
    cluster_free(c);
}

/* The last CTA has 5 threads, in one warp; the others 50, in two. */
TEST(the_last_cta_may_be_smaller)
{
    cluster_job j = {.text =
                         CLUSTER_START "SHL R6, R0, 0x2\nSTS [R6], R2\n"
                                       "BAR.SYNC 0x0\nLDS R7, [R6]\n"
                                       "LDG.E R8, [R4]\nIADD3 R7, R7, R8, RZ\n"
                                       "STG.E [R4], R7\nEXIT",
                     .head = ".shared 1024",
                     .ctas = 8,
                     .threads = 50,
                     .all = 7 * 50 + 5,
                     .fill = 3};
    cluster_run *c = same("gtx480", &j, NULL);

    for (unsigned i = 0; i < 8 * 64; i++)
        CHECK_EQ(c->data[i],
                 (i / 64 < 7 ? i % 64 < 50 : i % 64 < 5) ? 4 * i : 3 * i);
    cluster_free(c);
}

TEST(lanes_that_exit_early_are_only_masked)
{
    cluster_job j = {.text = CLUSTER_START
                     "ISETP.LT.AND P0, PT, R0, R1, PT\n@P0 EXIT\n"
                     "STG.E [R4], R2\nEXIT",
                     .ctas = 12,
                     .threads = 64};
    cluster_run *c = same("gtx480", &j, NULL);

    CHECK_EQ(cluster_parted(c), 0);
    for (unsigned i = 0; i < 12 * 64; i++)
        CHECK_EQ(c->data[i], i % 64 < i / 64 ? 0 : i);
    cluster_free(c);
}

TEST(warps_that_exit_in_one_member_part_the_cluster)
{
    cluster_job j = {.text = CLUSTER_START
                     "ISETP.EQ.AND P0, PT, R1, 0x2, PT\n@P0 EXIT\n"
                     "STG.E [R4], R2\nEXIT",
                     .ctas = 8,
                     .threads = 64};
    cluster_run *c = same("gtx480", &j, NULL);

    CHECK_EQ(cluster_count(c, "sm[*].parted_exit"), 1);
    CHECK_EQ(cluster_parted(c), 1);
    cluster_free(c);
}

TEST(atomics_return_to_each_member_what_is_its_own)
{
    cluster_job j = {.text = CLUSTER_START
                     "MOV R8, c[0x0][0x148]\n"
                     "MOV R9, c[0x0][0x14c]\nMOV R6, 0x1\n"
                     "ATOMG.E.ADD R7, [R8.64], R6\n"
                     "IMAD.WIDE.U32 R4, R7, R3, c[0x0][0x140]\n"
                     "STG.E [R4], R6\nEXIT",
                     .ctas = 10,
                     .threads = 50};
    cluster_run *c = same("k20-single", &j, NULL);

    for (unsigned i = 0; i < 520; i++)
        CHECK_EQ(c->data[i], i < 500);
    CHECK_EQ(cluster_parted(c), 0);
    cluster_free(c);
}

TEST(members_read_the_clock_of_the_one_that_issues)
{
    cluster_job j = {.text =
                         CLUSTER_START "S2R R6, SR_CLOCKLO\nLDG.E R7, [R4]\n"
                                       "IADD3 R7, R7, 0x1, RZ\n"
                                       "S2R R8, SR_CLOCKLO\nSTG.E [R4], R6\n"
                                       "STG.E [R4+0x20000], R8\nEXIT",
                     .ctas = 16,
                     .threads = 64};
    cluster_run *c = cluster_run_well("gtx480", cluster_sets(2, NULL), &j,
                                      &cluster_serial, true);
    for (unsigned i = 0; i < 4 * 64; i++)
        for (unsigned at = 0; at <= 0x8000; at += 0x8000) {
            unsigned a = i / 64 * 128 + i % 64 + at;

            CHECK(c->data[a] != 0);
            CHECK_EQ(c->data[a], c->data[a + 64]);
        }
    cluster_free(c);
}

/* Odd CTAs read with a stride of 33 lines, and words of one bank. */
TEST(replays_in_one_member_are_waited_for)
{
    cluster_job j = {.text = CLUSTER_START
                     "LOP3.LUT R6, R1, 0x1, RZ, 0xc0\nIMAD R7, R6, 0x7c, R3\n"
                     "IMAD R7, R7, R0, RZ\nLDS R8, [R7]\n"
                     "MOV R9, R7\nIADD3 R10, R4, R9, RZ\n"
                     "MOV R11, R5\nLDG.E R12, [R10]\n"
                     "IADD3 R12, R12, R8, R2\nSTG.E [R4+0x40000], R12\nEXIT",
                     .head = ".shared 8192",
                     .ctas = 8,
                     .threads = 32,
                     .fill = 7};
    static const char *const clean[] = {"gpu.cluster.conflict=dissolve", NULL};
    cluster_run *c = same("gtx480", &j, clean);

    CHECK_EQ(cluster_parted(c), 0);
    CHECK(cluster_of(c, 1, "shared_conflicts") > 0);
    CHECK_EQ(cluster_of(c, 0, "shared_conflicts"), 0);
    CHECK(cluster_of(c, 1, "tx_loads") > cluster_of(c, 0, "tx_loads"));
    CHECK(cluster_of(c, 0, "stall_ack") > 0);
    CHECK_EQ(cluster_of(c, 1, "acks"), 2 * cluster_of(c, 1, "ctas_done"));
    cluster_free(c);
}

TEST(a_memory_instruction_may_be_for_some_members_only)
{
    cluster_job j = {.text = CLUSTER_START
                     "LOP3.LUT R6, R1, 0x1, RZ, 0xc0\nMOV R7, 0x5\n"
                     "ISETP.EQ.AND P0, PT, R6, RZ, PT\n@P0 LDG.E R7, [R4]\n"
                     "@!P0 LDG.E R8, [R4]\n@P0 MOV R8, 0x9\n"
                     "IADD3 R7, R7, R8, RZ\n@P0 STG.E [R4+0x20000], R7\n"
                     "@!P0 STG.E [R4+0x20000], R8\nEXIT",
                     .ctas = 8,
                     .threads = 64,
                     .fill = 11};
    cluster_run *c = same("k20-single", &j, NULL);

    CHECK_EQ(cluster_parted(c), 0);
    for (unsigned i = 0; i < 8 * 64; i++)
        CHECK_EQ(c->data[i + 0x8000], 11 * i + (i / 64 % 2 ? 0 : 9));
    cluster_free(c);
}

TEST(a_fence_ends_when_it_has_in_all_members)
{
    cluster_job j = {.text = CLUSTER_START "STG.E [R4], R2\nMEMBAR.GPU\n"
                                           "LDG.E R6, [R4]\nMEMBAR.SYS\n"
                                           "STG.E [R4+0x20000], R6\nEXIT",
                     .ctas = 16,
                     .threads = 64};
    cluster_run *c = same("gtx480", &j, NULL);

    CHECK_EQ(cluster_parted(c), 0);
    CHECK_EQ(cluster_of(c, 1, "fences"), cluster_of(c, 0, "fences"));
    cluster_free(c);
}

TEST(local_memory_is_that_of_each_member)
{
    cluster_job j = {.text = CLUSTER_START "LOP3.LUT R6, R0, 0xf, RZ, 0xc0\n"
                                           "SHL R6, R6, 0x2\nSTL [R6], R2\n"
                                           "LDL R7, [R6]\nSTG.E [R4], R7\nEXIT",
                     .head = ".local 64",
                     .ctas = 16,
                     .threads = 64};
    cluster_run *c = same("gtx480", &j, NULL);

    for (unsigned i = 0; i < 16 * 64; i++)
        CHECK_EQ(c->data[i], i);
    CHECK_EQ(cluster_parted(c), 0);
    cluster_free(c);
}

/* Constants that lie in another line for each CTA, and, in odd ones, for each
 * lane. */
TEST(constants_may_be_missing_in_one_member)
{
    static const char *const small[] = {"sm.constant.l1.bytes=256",
                                        "sm.constant.misses=1", NULL};
    static const char *const bus[] = {"sm.rf.results=1", NULL};
    cluster_job j = {.text = CLUSTER_START
                     "LOP3.LUT R6, R1, 0x1, RZ, 0xc0\nIMAD R6, R6, R0, RZ\n"
                     "SHL R6, R6, 0x3\nIMAD R7, R1, 0x100, R6\n"
                     "FADD R20, R20, R20\nFADD R21, R21, R21\n"
                     "LDC R8, c[0x3][R7]\nFADD R22, R22, R22\n"
                     "FADD R23, R23, R23\nFADD R24, R24, R24\n"
                     "LDC R9, c[0x3][R7+0x4]\nFADD R25, R25, R25\n"
                     "FADD R25, R25, R25\nFADD R20, R20, R20\n"
                     "IADD3 R8, R8, R9, R2\nSTG.E [R4], R8\nEXIT",
                     .ctas = 12,
                     .threads = 64};

    for (unsigned i = 0; i < 3; i++) {
        cluster_run *c =
            same(i == 2 ? "k20-single" : "gtx480", &j, i ? bus : small);

        CHECK_EQ(cluster_parted(c), 0);
        for (unsigned k = 0; k < 12 * 64; k++)
            CHECK_EQ(c->data[k], k);
        CHECK(cluster_of(c, 1, "const_misses") > 0);
        /* a line for each CTA, from behind the network */
        CHECK(cluster_of(c, 0, "stall_ack") > 2000);
        cluster_free(c);
    }
}

static void fill_grid(const char *name, unsigned sms, unsigned size,
                      unsigned ctas)
{
    char n[24], s[32];
    const char *const sets[] = {n, s, NULL};
    cluster_job j = {.text = CLUSTER_START "STG.E [R4], R2\nEXIT",
                     .ctas = ctas,
                     .threads = 64};

    snprintf(n, sizeof n, "gpu.sms=%u", sms);
    snprintf(s, sizeof s, "gpu.cluster.size=%u", size);
    cluster_run *c = cluster_run_well(name, sets, &j, &cluster_serial, true);
    for (unsigned i = 0; i < ctas * 64 + 64; i++)
        CHECK_EQ(c->data[i], i < ctas * 64 ? i : 0);
    CHECK_EQ(cluster_count(c, "sm[*].ctas_done"), ctas);
    lockstep(c, size);
    cluster_free(c);
}

/* Clusters of all sizes up to what is left of the SMs; grids of less than a
 * row, of less than a row each, of one CTA too many. */
TEST(any_grid_runs_on_any_number_of_sms)
{
    static const unsigned ctas[] = {1, 2, 3, 4, 7, 17, 34, 127};

    for (unsigned i = 0; i < COUNTOF(ctas); i++) {
        fill_grid("gtx480", 15, i % 2 ? 2 : 4, ctas[i]);
        fill_grid("k20-single", 13, i % 2 ? 4 : 2, ctas[i]);
    }
}

/* CTA 1, on the slave, goes out of bounds. */
TEST(a_fault_in_a_slave_is_told)
{
    cluster_job j = {.text = CLUSTER_START "ISETP.EQ.AND P0, PT, R1, 0x1, PT\n"
                                           "@P0 MOV R5, 0x1\nLDG.E R6, [R4]\n"
                                           "STG.E [R4], R6\nEXIT",
                     .ctas = 4,
                     .threads = 64};
    cluster_run *c = cluster_run_on("gtx480", cluster_sets(2, NULL), &j,
                                    &cluster_serial, false);

    CHECK_EQ(c->st, ST_FAULT);
    CHECK(strstr(diag_get(c->r->dg, 0)->text, "CTA (1,0,0)") != NULL);
    cluster_free(c);
}

/* Entry of a table, callee and way back differ by CTA. */
TEST(indirect_jumps_part_members)
{
    static const char text[] =
        ".version 7.0\n.target sm_50\n.address_size 64\n"
        ".visible .entry k(.param .u64 p, .param .u64 q)\n"
        "{ .reg .u64 %rd<5>; .reg .u32 %r<10>; .reg .pred %q<3>;\n"
        "ld.param.u64 %rd1, [p]; mov.u32 %r2, %ctaid.x;\n"
        "mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
        "mad.lo.u32 %r5, %r2, %r3, %r4;\n"
        "mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;\n"
        "setp.lt.u32 %q1, %r2, 4; @%q1 mov.u32 %r2, 0;\n"
        "rem.u32 %r6, %r2, 3;\n"
        "ts: .branchtargets A, B, C;\nbrx.idx %r6, ts;\n"
        "A: mov.u32 %r7, 10; bra.uni J;\nB: add.u32 %r7, %r4, 20; bra.uni J;\n"
        "C: add.u32 %r7, %r5, 30;\n"
        "J: st.global.u32 [%rd3], %r7; ret; }\n";
    cluster_job j = {.text = text, .ctas = 12, .threads = 64};
    cluster_run *c = same("k20-single", &j, NULL);

    CHECK(cluster_count(c, "sm[*].parted_indirect") > 0);
    CHECK_EQ(cluster_parted(c), cluster_count(c, "sm[*].parted_indirect"));
    CHECK_EQ(c->data[3], 10);
    CHECK_EQ(c->data[7 * 64 + 3], 23);
    CHECK_EQ(c->data[8 * 64 + 3], 8 * 64 + 33);
    cluster_free(c);
}

static const char calls[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
    ".extern .func free(.param .b64 p);\n"
    ".global .align 1 .b8 fmt[8] = {37,117,10,0};\n"
    ".func (.param .b32 r) f(.param .b32 a)\n"
    "{ .reg .u32 %r<5>; .reg .pred %q<2>; .param .b32 x; .param .b32 y;\n"
    "ld.param.u32 %r1, [a]; setp.eq.u32 %q1, %r1, 0; mov.u32 %r2, 1;\n"
    "@%q1 bra E; sub.u32 %r3, %r1, 1;\n"
    "{ .param .b32 i; .param .b32 o; st.param.b32 [i], %r3;\n"
    "call.uni (o), f, (i); ld.param.b32 %r2, [o]; }\n"
    "add.u32 %r2, %r2, %r1; E: st.param.b32 [r], %r2; ret; }\n"
    ".visible .entry k(.param .u64 p, .param .u64 q)\n"
    "{ .reg .u64 %rd<9>; .reg .u32 %r<10>; .reg .pred %q<3>;\n"
    ".local .align 8 .b8 l[8];\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r2, %ctaid.x;\n"
    "mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.u32 %r5, %r2, %r3, %r4;\n"
    "mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "and.b32 %r6, %r2, 3;\n"
    "{ .param .b32 i; .param .b32 o; st.param.b32 [i], %r6;\n"
    "call.uni (o), f, (i); ld.param.b32 %r7, [o]; }\n"
    "{ .param .b64 i; .param .b64 o; st.param.b64 [i], 64;\n"
    "call.uni (o), malloc, (i); ld.param.b64 %rd4, [o]; }\n"
    "st.u32 [%rd4], %r7; ld.u32 %r8, [%rd4];\n"
    "{ .param .b64 i; st.param.b64 [i], %rd4; call.uni free, (i); }\n"
    "setp.ne.u32 %q1, %r4, 1; @%q1 bra J;\n"
    "mov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5; st.u32 [%rd5], %r2;\n"
    "mov.u64 %rd6, fmt; cvta.global.u64 %rd6, %rd6;\n"
    "{ .param .b64 i; .param .b64 a; .param .b32 o;\n"
    "st.param.b64 [i], %rd6; st.param.b64 [a], %rd5;\n"
    "call.uni (o), vprintf, (i, a); ld.param.b32 %r9, [o]; }\n"
    "J: st.global.u32 [%rd3], %r8; ret; }\n";

/* Recursion as deep as the CTA says, a heap, lines printed. */
TEST(calls_and_services_are_those_of_each_member)
{
    cluster_job j = {.text = calls, .ctas = 12, .threads = 64};
    cluster_run *c = same("k20-single", &j, NULL);

    CHECK_EQ(c->r->last.line_count, 12);
    for (unsigned i = 0; i < 12 * 64; i++) {
        unsigned depth = i / 64 % 4;

        CHECK_EQ(c->data[i], depth * (depth + 1) / 2 + 1);
    }
    cluster_free(c);
}

/* Arithmetic whose results follow each other closely, while constants or words
 * of shared memory come later in odd CTAs: results of one latency keep it in
 * all members. */
static void busy_bus(const char *name, const char *load, const char *port)
{
    const char *const bus[] = {"sm.rf.results=1", "l1.queue=fifo", port, NULL};
    strbuf b = {0};

    strbuf_puts(&b, CLUSTER_START "LOP3.LUT R6, R1, 0x1, RZ, 0xc0\n"
                                  "IMAD R6, R6, R0, RZ\nSHL R6, R6, 0x7\n"
                                  "LOP3.LUT R6, R6, 0xfff, RZ, 0xc0\n");
    for (unsigned i = 0; i < 12; i++)
        strbuf_printf(&b,
                      "%s R8, %s\nFFMA R20, R20, R20, R20\n"
                      "FFMA R21, R21, R21, R21\nFFMA R20, R20, R20, R20\n"
                      "FFMA R21, R21, R21, R21\nIADD3 R9, R9, R8, RZ\n",
                      load, load[2] == 'C' ? "c[0x3][R6]" : "[R6]");
    strbuf_puts(&b, "STG.E [R4], R9\nEXIT");
    cluster_job j = {
        .text = b.text, .head = ".shared 4096", .ctas = 16, .threads = 256};
    cluster_run *c = same(name, &j, bus);

    CHECK_EQ(cluster_parted(c), 0);
    cluster_free(c);
    strbuf_fini(&b);
}

TEST(constants_do_not_delay_arithmetic_in_one_member)
{
    busy_bus("gtx480", "LDC", "gpu.cluster.load_port=false");
    busy_bus("k20-single", "LDC", "gpu.cluster.load_port=true");
}

TEST(loads_do_not_delay_arithmetic_in_one_member)
{
    busy_bus("gtx480", "LDS", "gpu.cluster.load_port=true");
    busy_bus("k20-single", "LDS", "gpu.cluster.load_port=false");
}

/* A bus for one result a cycle, which arithmetic of seven warps fills while the
 * last one waits for words of shared memory: these come when all others have
 * been written, or by a port of their own, and then nobody waits. */
TEST(loads_take_what_arithmetic_leaves_of_the_bus)
{
    strbuf b = {0};
    uint64_t waits[2];

    strbuf_puts(&b, "S2R R0, SR_TID.X\nSHL R6, R0, 0x2\nSHR.U32 R1, R0, 0x5\n"
                    "ISETP.EQ.AND P0, PT, R1, RZ, PT\n@P0 BRA load\n");
    for (unsigned i = 0; i < 40; i++)
        strbuf_printf(&b, "FFMA R%u, R8, R9, R8\n", 10 + i);
    strbuf_puts(&b, "EXIT\nload:\n");
    for (unsigned i = 0; i < 8; i++)
        strbuf_printf(&b, "LDS R%u, [R6]\n", 10 + i);
    strbuf_puts(&b, "EXIT");
    cluster_job j = {
        .text = b.text, .head = ".shared 4096", .ctas = 4, .threads = 256};

    for (unsigned port = 0; port < 2; port++) {
        const char *const sets[] = {
            "sm.rf.results=1", "sm.fetch.perfect=true", "sm.issue.schedulers=1",
            port ? "gpu.cluster.load_port=true" : "gpu.cluster.load_port=false",
            NULL};
        cluster_run *c = cluster_run_well("gtx480", cluster_sets(2, sets), &j,
                                          &cluster_serial, true);

        lockstep(c, 2);
        waits[port] = cluster_of(c, 1, "result_waits");
        CHECK_EQ(cluster_of(c, 0, "result_waits"), waits[port]);
        cluster_free(c);
    }
    CHECK(waits[0] > waits[1] + 8);
    strbuf_fini(&b);
}

TEST(a_nap_is_taken_together)
{
    cluster_job j = {.text = CLUSTER_START "SHL R6, R2, 0x1\nNANOSLEEP R6\n"
                                           "STG.E [R4], R6\nEXIT",
                     .ctas = 12,
                     .threads = 64};
    cluster_run *c = same("k20-single", &j, NULL);

    CHECK_EQ(cluster_parted(c), 0);
    cluster_free(c);
}

/* CTA 1 waits for more threads than there are. */
TEST(a_slave_that_hangs_is_told)
{
    cluster_job j = {.text =
                         CLUSTER_START "LOP3.LUT R6, R1, 0x1, RZ, 0xc0\n"
                                       "IMAD R6, R6, 0x40, R3\n"
                                       "LOP3.LUT R6, R6, 0x60, RZ, 0xc0\n"
                                       "IADD3 R6, R6, 0x40, RZ\n"
                                       "BAR.SYNC 0x1, R6\nSTG.E [R4], R6\nEXIT",
                     .ctas = 4,
                     .threads = 64};
    cluster_run *c = cluster_run_on("gtx480", cluster_sets(2, NULL), &j,
                                    &cluster_serial, false);

    CHECK_EQ(c->st, ST_HANG);
    CHECK(c->cycles < 10000);
    cluster_free(c);
}

/* A limit in the middle; the next launch finds a machine that works. */
TEST(a_launch_that_is_stopped_leaves_nothing_behind)
{
    cluster_job j = {.text =
                         CLUSTER_START "MOV R6, 0x400\nagain:\nLDG.E R7, [R4]\n"
                                       "IADD3 R6, R6, -0x1, RZ\n"
                                       "IADD3 R7, R7, 0x1, RZ\n"
                                       "ISETP.GT.AND P0, PT, R6, RZ, PT\n"
                                       "STG.E [R4], R7\n@P0 BRA again\nEXIT",
                     .ctas = 8,
                     .threads = 64};
    cluster_run *c;

    j.max_cycles = 1000;
    c = cluster_run_on("gtx480", cluster_sets(2, NULL), &j, &cluster_serial,
                       false);
    CHECK_EQ(c->st, ST_LIMIT);
    uint32_t before = c->data[5];
    CHECK(before < 0x400);
    j.max_cycles = 0;
    cluster_again(c, &j);
    CHECK_EQ(c->st, ST_OK);
    CHECK_EQ(c->data[5], 0x400 + before);
    cluster_free(c);
}

/* Lanes of odd CTAs part; those of even ones all go the first way, or all the
 * second. Where both stand next may be the same. */
TEST(members_that_diverge_part_from_those_that_do_not)
{
    for (unsigned i = 0; i < 2; i++) {
        strbuf b = {0};

        strbuf_printf(&b,
                      CLUSTER_START
                      "LOP3.LUT R6, R1, 0x1, RZ, 0xc0\n"
                      "IMAD R7, R6, 0x%x, RZ\nIADD3 R7, R7, 0x%x, RZ\n"
                      "ISETP.LT.AND P0, PT, R0, R7, PT\nMOV R8, 0x1\n"
                      "SSY join\n@P0 BRA else\nIADD3 R8, R8, R2, RZ\n"
                      "SYNC\nelse:\nIADD3 R8, R8, 0x5, RZ\nSYNC\n"
                      "join:\nSTG.E [R4], R8\nEXIT",
                      i ? (unsigned)-48 : 16, i ? 64 : 0);
        cluster_job j = {.text = b.text, .ctas = 8, .threads = 64};
        cluster_run *c = same("gtx480", &j, NULL);

        CHECK(cluster_count(c, "sm[*].parted_branch") > 0);
        for (unsigned k = 0; k < 8 * 64; k++) {
            unsigned cut = k / 64 % 2 ? 16 : i * 64;

            CHECK_EQ(c->data[k], k % 64 < cut ? 6 : k + 1);
        }
        cluster_free(c);
        strbuf_fini(&b);
    }
}

/* Odd CTAs alone come to the barrier, behind which warp 0 reads what warp 1 has
 * written late. */
TEST(a_barrier_may_be_for_some_members_only)
{
    cluster_job j = {.text = CLUSTER_START
                     "LOP3.LUT R6, R1, 0x1, RZ, 0xc0\nSHL R7, R0, 0x2\n"
                     "ISETP.NE.AND P0, PT, R6, RZ, PT\nSHR.U32 R8, R0, 0x5\n"
                     "ISETP.EQ.AND P1, PT, R8, RZ, PT\n@P1 BRA meet\n"
                     "LDG.E R9, [R4]\nIADD3 R9, R9, R2, RZ\n"
                     "STS [R7+-0x80], R9\nmeet:\n@P0 BAR.SYNC 0x0\n"
                     "@P0 LDS R10, [R7]\n@P0 STG.E [R4], R10\nEXIT",
                     .head = ".shared 1024",
                     .ctas = 8,
                     .threads = 64};
    cluster_run *c = same("gtx480", &j, NULL);

    CHECK(cluster_parted(c) > 0);
    for (unsigned i = 0; i < 8 * 64; i++)
        if (i % 64 < 32)
            CHECK_EQ(c->data[i], i / 64 % 2 ? i + 32 : 0);
    cluster_free(c);
}
