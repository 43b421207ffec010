/* tests/timing/test_cluster_edge.c - SMs that share a front end: one kernel for
 * each thing that could tell them from SMs of their own. */
#include "cluster.h"

static const rt_options serial = {.threads = 1};

#define MORE 8

/* R0 thread, R1 CTA, R4 address of a word for each of 64 per CTA, R2 its
 * number. */
#define START                                                                  \
    "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nMOV R2, 0x40\n"                     \
    "IMAD R2, R1, R2, R0\nMOV R3, 0x4\n"                                       \
    "IMAD.WIDE.U32 R4, R2, R3, c[0x0][0x140]\n"

static const char *const *sized(unsigned size, const char *const *more)
{
    static const char *sets[MORE + 4];
    static char text[32];
    unsigned n = 0;

    sets[n++] = "gpu.sms=4";
    sets[n++] = "gpu.cluster.slip=0";
    snprintf(text, sizeof text, "gpu.cluster.size=%u", size);
    sets[n++] = text;
    while (more && *more)
        sets[n++] = *more++;
    sets[n] = NULL;
    return sets;
}

static void show(cluster_run *c)
{
    if (c->st != ST_OK)
        diag_print(c->r->dg, stderr, false);
    CHECK_EQ(c->st, ST_OK);
}

/* What each slave executed for its master, it executed in the master's order
 * and `behind` cycles later. */
static void lockstep(const cluster_run *c, unsigned size)
{
    const config *cfg = c->r->cfg;

    for (unsigned i = 0; i < cfg->gpu.sms; i++) {
        const cluster_tape *slave = &c->tape[i], *master = slave - i % size;
        uint64_t n = i % size ? cluster_of(c, i, "followed") : 0;

        CHECK(n <= slave->count && n <= master->count);
        for (uint64_t k = 0; k < n; k++) {
            CHECK_EQ(slave->issue[k].warp, master->issue[k].warp);
            CHECK_EQ(slave->issue[k].pc, master->issue[k].pc);
            CHECK_EQ(slave->issue[k].cycle,
                     master->issue[k].cycle + cfg->gpu.cluster.broadcast);
        }
        CHECK_EQ(cluster_of(c, i, "issued") + n, slave->count);
    }
}

/* Runs `j` by SMs of their own, by two and by four of them; memory is the same.
 * The caller frees the run of two. */
static cluster_run *same(const char *name, const cluster_job *j,
                         const char *const *more)
{
    cluster_run *keep = NULL;
    cluster_run *alone =
        cluster_run_on(name, sized(1, more), j, &serial, false);

    show(alone);
    CHECK_EQ(cluster_count(alone, "sm[*].shared_cycles"), 0);
    for (unsigned size = 4; size; size -= 2) {
        cluster_run *c =
            cluster_run_on(name, sized(size, more), j, &serial, true);

        show(c);
        for (unsigned i = 0; i < COUNTOF(c->data); i++)
            if (c->data[i] != alone->data[i])
                TEST_FAIL("size %u, word %u is 0x%x, not 0x%x", size, i,
                          c->data[i], alone->data[i]);
        CHECK_EQ(c->memory, alone->memory);
        CHECK_EQ(cluster_count(c, "sm[*].ctas_done"),
                 cluster_count(alone, "sm[*].ctas_done"));
        CHECK_EQ(cluster_count(c, "sm[*].warp_insts"),
                 cluster_count(alone, "sm[*].warp_insts"));
        lockstep(c, size);
        if (size == 2)
            keep = c;
        else
            cluster_free(c);
    }
    cluster_free(alone);
    return keep;
}

static uint64_t parted(const cluster_run *c)
{
    return cluster_count(c, "sm[*].parted_*");
}

TEST(a_barrier_is_passed_together)
{
    cluster_job j = {.text = START "SHL R6, R0, 0x2\nSTS [R6], R2\n"
                                   "BAR.SYNC 0x0\nLDS R7, [R6+0x40]\n"
                                   "STG.E [R4], R7\nEXIT",
                     .head = ".shared 1024",
                     .ctas = 8,
                     .threads = 64};
    cluster_run *c = same("gtx480", &j, NULL);

    CHECK_EQ(parted(c), 0);
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
                      START "SHL R6, R0, 0x2\nSHR.U32 R8, R0, 0x5\n"
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
