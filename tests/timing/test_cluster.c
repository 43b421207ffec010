/* tests/timing/test_cluster.c - what holds of SMs that share a front end at any
 * time: who does nothing, who acknowledges what, when they share and part. */
#include "cluster.h"

/* Nine times: a load that misses, one that hits shared memory, arithmetic. */
static const char loop[] = CLUSTER_START
    "SHL R6, R0, 0x2\nMOV R7, RZ\nMOV R12, R4\nMOV R13, R5\nagain:\n"
    "LDG.E R8, [R12]\nSTS [R6], R2\nBAR.SYNC 0x0\nLDS R9, [R6]\n"
    "IADD3 R12, R12, 0x100, RZ\nIADD3 R8, R8, R9, R7\n"
    "FFMA R10, R10, R10, R10\nIADD3 R7, R7, 0x1, RZ\n"
    "ISETP.LT.AND P0, PT, R7, 0x9, PT\n@P0 BRA again\n"
    "STG.E [R4+0x40000], R8\nEXIT";

static const cluster_job regular = {
    .text = loop, .head = ".shared 1024", .ctas = 24, .threads = 64};

#define SETS(...)                                                              \
    (const char *const[])                                                      \
    {                                                                          \
        "gpu.sms=4", "gpu.cluster.slip=0", __VA_ARGS__, NULL                   \
    }

static cluster_run *run(const char *name, const char *const *sets,
                        const cluster_job *j, bool taped)
{
    return cluster_run_well(name, sets, j, &cluster_serial, taped);
}

TEST(the_front_end_of_a_slave_does_nothing)
{
    static const char *const idle[] = {"issued",
                                       "fetches",
                                       "fetched",
                                       "flushed",
                                       "l1i_accesses",
                                       "l1i_misses",
                                       "icache_requests",
                                       "hazard_checks",
                                       "hazard_operands",
                                       "hazard_writes",
                                       "hazard_regs",
                                       "broadcasts",
                                       "forms"};

    for (unsigned size = 2; size <= 4; size *= 2) {
        cluster_run *c =
            run("k20-single",
                SETS(size == 2 ? "gpu.cluster.size=2" : "gpu.cluster.size=4"),
                &regular, false);

        for (unsigned i = 0; i < 4; i++) {
            bool slave = i % size;

            for (unsigned k = 0; k < COUNTOF(idle); k++)
                if (slave && cluster_of(c, i, idle[k]))
                    TEST_FAIL("sm[%u].%s is not 0", i, idle[k]);
            CHECK_EQ(cluster_of(c, i, "followed"),
                     slave ? cluster_of(c, i - i % size, "issued") : 0);
            CHECK_EQ(cluster_of(c, i, "warp_insts"),
                     cluster_of(c, i - i % size, "warp_insts"));
            CHECK_EQ(cluster_of(c, i, "ctas_started"), 6);
            CHECK_EQ(cluster_of(c, i, "ctas_done"), 6);
            CHECK_EQ(cluster_of(c, i, "broadcasts"),
                     slave ? 0 : (size - 1) * cluster_of(c, i, "issued"));
            /* asleep but for the first cycles */
            CHECK(cluster_of(c, i, "gated_active") >=
                  (slave ? cluster_of(c, i, "active_cycles") - 20 : 0));
            CHECK(cluster_of(c, i, "shared_active") >=
                  cluster_of(c, i, "active_cycles") - 2);
        }
        CHECK_EQ(cluster_count(c, "sm[*].forms"), 4 / size);
        CHECK_EQ(cluster_parted(c), 0);
        cluster_free(c);
    }
}

/* 18 loads a warp. */
TEST(each_member_acknowledges_each_result_of_memory_once)
{
    for (unsigned size = 2; size <= 4; size *= 2) {
        cluster_run *c =
            run("gtx480",
                SETS(size == 2 ? "gpu.cluster.size=2" : "gpu.cluster.size=4"),
                &regular, false);

        for (unsigned i = 0; i < 4; i++) {
            bool slave = i % size;

            CHECK_EQ(cluster_of(c, i, "acks"), slave ? 6 * 2 * 18 : 0);
            CHECK_EQ(cluster_of(c, i, "slip_*") -
                         cluster_of(c, i, "slip_cycles"),
                     slave ? 0 : 6 * 2 * 18);
            /* nine branches and an exit */
            CHECK_EQ(cluster_of(c, i, "outcomes"), slave ? 6 * 2 * 10 : 0);
        }
        cluster_free(c);
    }
}

/* Cycles in which warps of SM 0 issue their instruction `k`, in order; returns
 * how many do. */
static unsigned issues_of(const cluster_run *c, unsigned k, uint64_t *cycle)
{
    const cluster_tape *t = &c->tape[0];
    unsigned of[64] = {0}, n = 0;

    for (size_t i = 0; i < t->count; i++)
        if (of[t->issue[i].warp]++ == k)
            cycle[n++] = t->issue[i].cycle;
    return n;
}

/* Runs a row of CTAs of eight warps on a machine that issues four a cycle;
 * instruction `k` of each waits for one acknowledgement. */
static void one_a_cycle(const char *text, unsigned k, const char *const *sets)
{
    const cluster_job j = {.text = text, .ctas = 2, .threads = 256};
    cluster_run *c = run("k20-single", sets, &j, true);
    uint64_t cycle[64];

    CHECK_EQ(cluster_parted(c), 0);
    CHECK_EQ(issues_of(c, k, cycle), 8);
    for (unsigned i = 1; i < 8; i++)
        CHECK(cycle[i] > cycle[i - 1]);
    CHECK(cycle[7] < cycle[0] + 10);
    cluster_free(c);
}

/* All warps of CTA 1 wait for a line of constants that CTA 0 has; when it comes
 * their results are there in the same cycle. */
TEST(a_slave_acknowledges_one_result_a_cycle)
{
    one_a_cycle("S2R R1, SR_CTAID.X\nSHL R6, R1, 0xb\nLDC R8, c[0x3][RZ]\n"
                "IADD3 R9, R8, R8, RZ\nBAR.SYNC 0x0\nLDC R9, c[0x3][R6]\n"
                "IADD3 R10, R9, R9, RZ\nEXIT",
                6, SETS("gpu.cluster.size=2", "sm.fetch.perfect=true"));
}

/* Warps of CTA 1 have ended and answer at once. */
TEST(a_slave_acknowledges_for_ended_warps_one_a_cycle)
{
    one_a_cycle("S2R R1, SR_CTAID.X\nISETP.EQ.AND P0, PT, R1, 0x1, PT\n"
                "@P0 EXIT\nLDC R9, c[0x3][RZ]\nIADD3 R10, R9, R9, RZ\nEXIT",
                4,
                SETS("gpu.cluster.size=2", "sm.fetch.perfect=true",
                     "sm.constant.perfect=true", "gpu.cluster.ack=60",
                     "gpu.cluster.conflict=union"));
}

/* Is cycle `k` of a wake followed by so many of the master's issues? */
static size_t issues_before(const cluster_tape *t, uint64_t cycle)
{
    size_t n = 0;

    while (n < t->count && t->issue[n].cycle < cycle)
        n++;
    return n;
}

/* CTAs 0 and 1 part at the branch, after a load of each is on its way. What it
 * takes to go on: the outcome, all fixed results, power, a warp a cycle. */
static const char parting[] = CLUSTER_START
    "LDG.E R8, [R4]\nISETP.EQ.AND P0, PT, R1, RZ, PT\n@P0 BRA even\n"
    "IADD3 R9, R2, 0x1, RZ\neven:\nIADD3 R8, R8, R2, RZ\n"
    "STG.E [R4+0x40000], R8\nEXIT";

static uint64_t gap(const char *wake, const char *ack, const char *broadcast)
{
    static const cluster_job j = {.text = parting, .ctas = 4, .threads = 64};
    cluster_run *c = run("gtx480",
                         SETS("gpu.cluster.size=2", "sm.fetch.perfect=true",
                              "gpu.cluster.sleep=0", wake, ack, broadcast),
                         &j, true);
    uint64_t n = cluster_of(c, 1, "followed");

    CHECK_EQ(cluster_count(c, "sm[*].parted_branch"), 1);
    CHECK_EQ(cluster_of(c, 1, "wakes"), 1);
    CHECK(cluster_of(c, 1, "dissolving_cycles") > 0);
    CHECK(n > 0 && n < c->tape[1].count && issues_before(&c->tape[1], 0) == 0);
    /* SM 2 and 3 share to the end */
    CHECK_EQ(cluster_of(c, 3, "issued"), 0);
    uint64_t cycles = c->tape[1].issue[n].cycle - c->tape[1].issue[n - 1].cycle;
    cluster_free(c);
    return cycles;
}

TEST(parting_costs_its_cycles)
{
    uint64_t least = gap("gpu.cluster.wake=0", "gpu.cluster.ack=1",
                         "gpu.cluster.broadcast=1");

    CHECK_EQ(gap("gpu.cluster.wake=200", "gpu.cluster.ack=1",
                 "gpu.cluster.broadcast=1") -
                 gap("gpu.cluster.wake=100", "gpu.cluster.ack=1",
                     "gpu.cluster.broadcast=1"),
             100);
    CHECK_EQ(gap("gpu.cluster.wake=100", "gpu.cluster.ack=31",
                 "gpu.cluster.broadcast=1") -
                 gap("gpu.cluster.wake=100", "gpu.cluster.ack=11",
                     "gpu.cluster.broadcast=1"),
             20);
    CHECK(least > 3);
}

/* With power a slave takes over a warp a cycle. */
TEST(a_slave_takes_over_a_warp_a_cycle)
{
    for (unsigned warps = 1; warps <= 8; warps *= 2) {
        const cluster_job j = {
            .text = parting, .ctas = 2, .threads = 32 * warps};
        cluster_run *c = run("gtx480",
                             SETS("gpu.cluster.size=2", "gpu.cluster.wake=100",
                                  "sm.fetch.perfect=true"),
                             &j, false);

        CHECK_EQ(cluster_of(c, 1, "dissolving_cycles"), 100 + 1 + warps);
        cluster_free(c);
    }
}

/* Warp 0 parts while the others' arithmetic is on its way. */
TEST(a_slave_waits_for_its_pipelines)
{
    static const char text[] =
        CLUSTER_START "SHR.U32 R6, R0, 0x5\nISETP.EQ.AND P1, PT, R6, RZ, PT\n"
                      "ISETP.EQ.AND P0, PT, R1, RZ, PT\n@P1 BRA first\n"
                      "MUFU.RCP R10, R2\nMUFU.RCP R11, R2\nMUFU.RCP R12, R2\n"
                      "MUFU.RCP R13, R2\nMUFU.RCP R14, R2\nMUFU.RCP R15, R2\n"
                      "MUFU.RCP R16, R2\nMUFU.RCP R17, R2\nMUFU.RCP R18, R2\n"
                      "BRA last\nfirst:\n@P0 BRA last\nMOV R7, 0x1\n"
                      "last:\nSTG.E [R4], R2\nEXIT";
    const cluster_job j = {.text = text, .ctas = 2, .threads = 64};
    cluster_run *c = run("gtx480",
                         SETS("gpu.cluster.size=2", "gpu.cluster.wake=0",
                              "gpu.cluster.ack=1", "sm.fetch.perfect=true",
                              "sm.op.sfu.latency=60"),
                         &j, false);

    CHECK_EQ(cluster_of(c, 0, "parted_branch"), 1);
    CHECK(cluster_of(c, 1, "dissolving_cycles") > 20);
    cluster_free(c);
}

/* Lanes of CTA 1 go both ways, those of CTA 0 all the way that CTA 1 goes
 * first, so their warps stand at the same place: the stacks alone differ. */
TEST(members_compare_how_deep_their_stacks_are)
{
    static const cluster_job j = {
        .text =
            CLUSTER_START "SHL R6, R1, 0x4\nISETP.LT.AND P0, PT, R0, R6, PT\n"
                          "SSY join\n@P0 BRA else\nIADD3 R8, R8, R2, RZ\n"
                          "IADD3 R8, R8, R2, RZ\nSYNC\nelse:\n"
                          "IADD3 R8, R8, 0x5, RZ\nSYNC\njoin:\n"
                          "STG.E [R4], R8\nEXIT",
        .ctas = 2,
        .threads = 32};
    cluster_run *c = run("gtx480", SETS("gpu.cluster.size=2"), &j, true);

    CHECK_EQ(cluster_of(c, 0, "parted_branch"), 1);
    /* to the branch, behind which they part */
    CHECK_EQ(cluster_of(c, 1, "followed"), 10);
    for (unsigned i = 10; i < 13; i++)
        CHECK_EQ(c->tape[0].issue[i].pc, c->tape[1].issue[i].pc);
    cluster_free(c);
}

/* Members part in the first CTAs only. */
TEST(members_share_again_as_the_policy_says)
{
    static const cluster_job j = {.text = parting, .ctas = 64, .threads = 64};
    static const char *const small[] = {"sm.ctas=2", NULL};
    cluster_run *kernel =
        run("gtx480", SETS("gpu.cluster.size=2", small[0]), &j, false);
    cluster_run *row =
        run("gtx480",
            SETS("gpu.cluster.size=2", small[0], "gpu.cluster.reform=row",
                 "gpu.cluster.backoff=1"),
            &j, false);

    CHECK_EQ(cluster_of(kernel, 0, "forms"), 1);
    CHECK_EQ(cluster_of(row, 0, "forms"), 2);
    CHECK(cluster_of(row, 1, "shared_active") >
          4 * cluster_of(kernel, 1, "shared_active"));
    CHECK_EQ(row->memory, kernel->memory);
    cluster_free(kernel);
    cluster_free(row);
}

/* A branch that is not taken: its warp goes on when a slave, which executes it
 * later, has told. */
TEST(a_branch_takes_the_way_to_a_member_and_back)
{
    static const cluster_job j = {.text =
                                      "@!PT BRA end\nMOV R1, RZ\nend:\nEXIT",
                                  .ctas = 4,
                                  .threads = 32};

    for (unsigned i = 1; i < 30; i += 9) {
        char to[32], back[32];

        snprintf(to, sizeof to, "gpu.cluster.broadcast=%u", i);
        snprintf(back, sizeof back, "gpu.cluster.ack=%u", 2 * i);
        cluster_run *c =
            run("k20-single",
                SETS("gpu.cluster.size=4", "sm.fetch.perfect=true", to, back),
                &j, true);
        const cluster_issue *t = c->tape[0].issue;

        CHECK_EQ(t[1].cycle - t[0].cycle,
                 3 * i + c->r->cfg->sm.op.branch.latency);
        cluster_free(c);
    }
}

/* Without memory, what one cluster does is of no concern to the other. The
 * second parameter is how often CTAs of the second go round. */
static cluster_run *with_rounds(uint32_t rounds)
{
    strbuf b = {0};

    strbuf_printf(&b,
                  "S2R R1, SR_CTAID.X\nLOP3.LUT R2, R1, 0x2, RZ, 0xc0\n"
                  "IMAD R2, R2, 0x%x, RZ\nSHL R6, R1, 0x2\nagain:\n"
                  "STS [R6], R2\nLDS R3, [R6]\nIADD3 R2, R3, -0x1, RZ\n"
                  "ISETP.GT.AND P0, PT, R2, RZ, PT\n@P0 BRA again\nEXIT",
                  rounds);
    const cluster_job j = {
        .text = b.text, .head = ".shared 1024", .ctas = 4, .threads = 64};
    cluster_run *c =
        run("gtx480", SETS("gpu.cluster.size=2", "sm.fetch.perfect=true"), &j,
            true);

    strbuf_fini(&b);
    return c;
}

TEST(clusters_do_not_wait_for_each_other)
{
    cluster_run *a = with_rounds(0), *b = with_rounds(5);

    CHECK(b->tape[2].count > a->tape[2].count + 40);
    for (unsigned i = 0; i < 2; i++) {
        CHECK(a->tape[i].count > 10 && a->tape[i].count == b->tape[i].count);
        for (size_t k = 0; k < a->tape[i].count; k++) {
            CHECK_EQ(a->tape[i].issue[k].cycle, b->tape[i].issue[k].cycle);
            CHECK_EQ(a->tape[i].issue[k].pc, b->tape[i].issue[k].pc);
        }
    }
    cluster_free(a);
    cluster_free(b);
}

/* A front end for each SM, whatever the other parameters are. */
TEST(clusters_of_one_are_sms_of_their_own)
{
    static const char *const plain[] = {"gpu.sms=4", NULL};
    cluster_run *a = run("gtx480", plain, &regular, false);
    cluster_run *b =
        run("gtx480",
            SETS("gpu.cluster.size=1", "gpu.cluster.broadcast=9",
                 "gpu.cluster.conflict=union", "gpu.cluster.reform=row"),
            &regular, false);

    CHECK_EQ(a->hash, b->hash);
    CHECK_EQ(cluster_count(b, "sm[*].shared_cycles"), 0);
    cluster_free(a);
    cluster_free(b);
}

/* Most cycles are skipped, as one warp waits for loads that miss. */
TEST(every_cycle_is_of_a_stage)
{
    static const cluster_job j = {
        .text = loop, .head = ".shared 1024", .ctas = 4, .threads = 32};

    for (unsigned broadcast = 1; broadcast < 60; broadcast += 29) {
        char text[32];

        snprintf(text, sizeof text, "gpu.cluster.broadcast=%u", broadcast);
        cluster_run *c =
            run("gtx480", SETS("gpu.cluster.size=2", text), &j, false);
        for (unsigned i = 0; i < 4; i++) {
            CHECK_EQ(cluster_of(c, i, "forming_cycles"), broadcast);
            CHECK_EQ(cluster_of(c, i, "shared_cycles"),
                     cluster_of(c, i, "cycles") - broadcast);
            CHECK_EQ(cluster_of(c, i, "shared_active"),
                     cluster_of(c, i, "active_cycles"));
        }
        CHECK(cluster_of(c, 0, "active_cycles") > 9 * 200);
        cluster_free(c);
    }
}

/* Behind the branch the warp waits a cycle there and 60 back for a member, in
 * the first window of 100 cycles; that is not more than 61 %. */
TEST(a_window_slips_if_it_is_above_the_limit)
{
    strbuf b = {0};

    strbuf_puts(&b, "@!PT BRA end\nend:\n");
    for (unsigned i = 0; i < 20; i++)
        strbuf_puts(&b, "IADD3 R8, R8, 0x1, RZ\n");
    strbuf_puts(&b, "EXIT");
    const cluster_job j = {.text = b.text, .ctas = 2, .threads = 32};

    for (unsigned slip = 60; slip <= 61; slip++) {
        char text[32];
        const char *const sets[] = {"gpu.sms=4",
                                    "gpu.cluster.size=2",
                                    "sm.fetch.perfect=true",
                                    "gpu.cluster.ack=60",
                                    "gpu.cluster.slip_window=100",
                                    text,
                                    NULL};

        snprintf(text, sizeof text, "gpu.cluster.slip=%u", slip);
        cluster_run *c = run("gtx480", sets, &j, false);
        CHECK_EQ(cluster_of(c, 0, "parted_slip"), slip < 61);
        CHECK_EQ(cluster_parted(c), slip < 61);
        cluster_free(c);
    }
    strbuf_fini(&b);
}

/* Warp 0 waits for the other member; warp 1 issues meanwhile. */
TEST(cycles_that_issue_do_not_slip)
{
    strbuf b = {0};
    uint64_t cycle[64], from, to, idle;

    strbuf_puts(&b, "S2R R0, SR_TID.X\nSHR.U32 R1, R0, 0x5\n"
                    "ISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA other\n"
                    "LDC R9, c[0x3][RZ]\nIADD3 R10, R9, R9, RZ\nEXIT\n"
                    "other:\n");
    for (unsigned i = 0; i < 160; i++)
        strbuf_printf(&b, "MOV R%u, RZ\n", 16 + i % 32);
    strbuf_puts(&b, "EXIT");
    const cluster_job j = {.text = b.text, .ctas = 2, .threads = 64};
    cluster_run *c = run("k20-single",
                         SETS("gpu.cluster.size=2", "sm.fetch.perfect=true",
                              "sm.constant.perfect=true", "gpu.cluster.ack=60"),
                         &j, true);
    const cluster_tape *t = &c->tape[0];

    CHECK(issues_of(c, 4, cycle) == 2);
    from = cycle[0];
    to = from;
    for (size_t i = 0; i < t->count; i++)
        if (t->issue[i].warp == 0 && t->issue[i].pc == 5)
            to = t->issue[i].cycle;
    CHECK(to > from + 60);
    idle = to - from;
    for (size_t i = 1; i < t->count; i++)
        idle -= t->issue[i].cycle > from && t->issue[i].cycle < to &&
                t->issue[i].cycle != t->issue[i - 1].cycle;
    CHECK(idle < 40);
    /* beside them the cycles in which both wait behind the branch */
    CHECK(cluster_of(c, 0, "slip_cycles") >= 61);
    CHECK(cluster_of(c, 0, "slip_cycles") <= idle + 61);
    cluster_free(c);
    strbuf_fini(&b);
}

/* Members part before the slaves' power ends, and share again before it would
 * have: it ends so many cycles after that. */
TEST(a_slave_that_shares_again_sleeps_as_late_as_at_first)
{
    static const cluster_job j = {.text = parting, .ctas = 64, .threads = 64};
    cluster_run *c =
        run("gtx480",
            SETS("gpu.cluster.size=2", "sm.ctas=2", "gpu.cluster.reform=row",
                 "gpu.cluster.backoff=1", "gpu.cluster.sleep=1500"),
            &j, false);

    CHECK_EQ(cluster_of(c, 0, "forms"), 2);
    CHECK(cluster_of(c, 1, "gated_*") > 0);
    CHECK(cluster_of(c, 1, "gated_*") + 1500 <=
          cluster_of(c, 1, "shared_cycles"));
    cluster_free(c);
}

/* The last row is not full; and members part between two cycles in which
 * something happens. */
TEST(skipping_changes_nothing_where_a_grid_ends)
{
    static const rt_options slow = {.threads = 1, .no_skip = true};

    for (unsigned ctas = 9; ctas < 21; ctas += 2) {
        const char *const *sets =
            SETS("gpu.cluster.size=4", "gpu.cluster.credits=1", "sm.ctas=2",
                 "sm.lsu.queue=1", "gpu.cluster.reform=row");
        cluster_job j = regular;

        j.ctas = ctas;
        cluster_run *a = run("k20-single", sets, &j, false);
        cluster_run *b = cluster_run_on("k20-single", sets, &j, &slow, false);

        CHECK_EQ(cluster_parted(a), 0);
        CHECK_EQ(a->hash, b->hash);
        cluster_free(a);
        cluster_free(b);
        j.text = parting;
        a = run("k20-single", sets, &j, false);
        b = cluster_run_on("k20-single", sets, &j, &slow, false);
        CHECK(cluster_count(a, "sm[*].parted_branch") > 0);
        CHECK_EQ(a->hash, b->hash);
        cluster_free(a);
        cluster_free(b);
    }
}

/* CTAs of each SM, of a grid that fits at once. */
static void spread(const char *name, const char *sms, const char *size,
                   unsigned ctas, const unsigned *want)
{
    const char *const sets[] = {sms, size, NULL};
    cluster_job j = {.text = CLUSTER_START "STG.E [R4], R2\nEXIT",
                     .ctas = ctas,
                     .threads = 128};
    cluster_run *c = run(name, sets, &j, false);

    for (unsigned i = 0; i < c->r->cfg->gpu.sms; i++)
        CHECK_EQ(cluster_of(c, i, "ctas_done"), want[i]);
    CHECK_EQ(cluster_parted(c), 0);
    cluster_free(c);
}

/* No SM has more than one CTA more than another: 16 on 13 are three SMs with
 * two, 54 on 15 nine with four. */
TEST(what_is_left_of_a_grid_goes_round_as_by_sms_of_their_own)
{
    spread("k20-single", "gpu.sms=13", "gpu.cluster.size=2", 16,
           (const unsigned[]){2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    spread("k20-single", "gpu.sms=13", "gpu.cluster.size=4", 16,
           (const unsigned[]){2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    spread("gtx480", "gpu.sms=15", "gpu.cluster.size=4", 54,
           (const unsigned[]){4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3});
    spread("gtx480", "gpu.sms=16", "gpu.cluster.size=4", 35,
           (const unsigned[]){3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2});
}

/* Four CTAs of two warps and one more, which SM 0 alone has: nobody is sent
 * what it does, and it waits for nobody. */
TEST(members_without_a_cta_of_a_row_take_no_part)
{
    static const cluster_job j = {
        .text = loop, .head = ".shared 1024", .ctas = 5, .threads = 64};
    static const char *const conflicts[] = {"gpu.cluster.conflict=dissolve",
                                            "gpu.cluster.conflict=union"};

    for (unsigned i = 0; i < 2; i++) {
        cluster_run *c =
            run("gtx480", SETS("gpu.cluster.size=4", conflicts[i]), &j, false);
        uint64_t insts = cluster_of(c, 1, "warp_insts");

        CHECK_EQ(cluster_parted(c), 0);
        CHECK_EQ(cluster_of(c, 0, "warp_insts"), 2 * insts);
        CHECK_EQ(cluster_of(c, 0, "ctas_done"), 2);
        CHECK_EQ(cluster_of(c, 0, "broadcasts"), 3 * insts);
        for (unsigned k = 1; k < 4; k++) {
            CHECK_EQ(cluster_of(c, k, "ctas_done"), 1);
            CHECK_EQ(cluster_of(c, k, "followed"), insts);
            CHECK_EQ(cluster_of(c, k, "acks"), 2 * 18);
            CHECK_EQ(cluster_of(c, k, "outcomes"), 2 * 10);
        }
        cluster_free(c);
    }
}

/* A lone CTA is as fast as on an SM by itself, but for forming: it waits for
 * nobody's answers, which take 60 cycles. */
TEST(a_row_of_one_waits_for_no_answer)
{
    static const cluster_job j = {
        .text = loop, .head = ".shared 1024", .ctas = 5, .threads = 64};
    cluster_run *c = run("gtx480",
                         SETS("gpu.cluster.size=4", "gpu.cluster.ack=60",
                              "sm.ctas=1", "sm.fetch.perfect=true"),
                         &j, true);
    const cluster_tape *t = &c->tape[0];
    uint64_t half = t->count / 2;

    CHECK_EQ(cluster_parted(c), 0);
    CHECK_EQ(t->issue[half].pc, 0); /* CTA 4 begins */
    uint64_t row = t->issue[half - 1].cycle - t->issue[0].cycle;
    uint64_t one = t->issue[2 * half - 1].cycle - t->issue[half].cycle;
    /* nine loads, nine of shared memory, nine branches, each behind another */
    CHECK(row > one + 27 * 60);
    cluster_free(c);
}

static uint64_t forms(const char *backoff)
{
    static const cluster_job j = {
        .text = CLUSTER_START "LOP3.LUT R6, R1, 0x1, RZ, 0xc0\n"
                              "ISETP.EQ.AND P0, PT, R6, RZ, PT\n@P0 BRA even\n"
                              "IADD3 R9, R2, 0x1, RZ\neven:\n"
                              "STG.E [R4], R2\nEXIT",
        .ctas = 62,
        .threads = 64};
    const char *const sets[] = {"gpu.sms=2",
                                "gpu.cluster.size=2",
                                "gpu.cluster.reform=row",
                                "sm.ctas=1",
                                backoff,
                                NULL};
    cluster_run *c = run("gtx480", sets, &j, false);
    uint64_t n = cluster_of(c, 0, "forms");

    CHECK_EQ(cluster_parted(c), n);
    for (unsigned i = 0; i < 62 * 64; i++)
        CHECK_EQ(c->data[i], i);
    cluster_free(c);
    return n;
}

/* Each of 31 rows of two CTAs parts, one behind another in each SM. Members
 * share one and then run 1, 2, 4 and 8 rows singly in between, and what is
 * left; or 4, 8 and 16. */
TEST(members_that_part_again_and_again_share_less_and_less)
{
    CHECK_EQ(forms("gpu.cluster.backoff=0"), 31);
    CHECK_EQ(forms("gpu.cluster.backoff=1"), 5);
    CHECK_EQ(forms("gpu.cluster.backoff=4"), 3);
    CHECK_EQ(forms("gpu.cluster.backoff=64"), 1);
}
