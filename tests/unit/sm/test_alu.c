/* tests/unit/sm/test_alu.c - latency and throughput of execution units. */
#include "rig.h"

/* One scheduler, fetch never in the way, `extra` settings. */
static rig *plain(const char *extra)
{
    char text[1024];

    snprintf(text, sizeof text,
             "sm.fetch.perfect=true\nsm.fetch.buffer=16\nsm.fetch.width=4\n"
             "sm.issue.schedulers=1\nsm.rf.collect=none\n"
             "sm.constant.perfect=true\n%s",
             extra);
    return rig_new(text);
}

/* `n` copies of `line` and an EXIT. */
static void repeat(rig *r, const char *line, unsigned n, unsigned threads)
{
    strbuf b = {0};

    for (unsigned i = 0; i < n; i++)
        strbuf_printf(&b, "%s\n", line);
    strbuf_puts(&b, "EXIT\n");
    rig_program(r, "", b.text, 1, threads);
    strbuf_fini(&b);
}

/* Cycles that 64 more copies take of `line`, which may be several. */
static uint64_t slope(const char *settings, const char *line, unsigned threads)
{
    uint64_t end[2];
    unsigned lines = 1;

    for (const char *at = line; (at = strchr(at, '\n')); at++)
        lines++;

    for (unsigned i = 0; i < 2; i++) {
        rig *r = plain(settings);
        repeat(r, line, 64 * (i + 1), threads);
        end[i] = rig_run(r, 100000);
        rig_check_sum(r);
        CHECK_EQ(rig_stat(r, "warp_insts"),
                 (64 * (i + 1) * lines + 1) * (threads / 32));
        rig_free(r);
    }
    return end[1] - end[0];
}

TEST(dependent_chain_takes_n_times_latency)
{
    CHECK_EQ(slope("sm.op.fp32.latency=11\n", "FADD R1, R1, R2", 32), 64 * 11);
    CHECK_EQ(slope("sm.op.fp32.latency=4\n", "FADD R1, R1, R2", 32), 64 * 4);
    CHECK_EQ(slope("sm.op.int_add.latency=6\n", "IADD3 R1, R1, R2, R3", 32),
             64 * 6);
}

/* Two halves of 16 lanes, of which one multiplies integers: both together do an
 * instruction in a cycle, that half alone one in two [NCU:pipelines]. */
TEST(half_of_the_lanes_multiplies_integers)
{
    static const char set[] =
        "sm.unit.fma.private=2\nsm.op.fp32.interval=2\nsm.op.fp32.latency=1\n"
        "sm.op.int_mul.unit=fma_heavy\nsm.op.int_mul.interval=2\n"
        "sm.op.int_mul.latency=1\n";

    CHECK_EQ(slope(set, "FADD R1, R3, R2", 32), 64);
    CHECK_EQ(slope(set, "IMAD R4, R5, R6, R7", 32), 2 * 64);
    CHECK_EQ(slope(set, "FADD R1, R3, R2\nIMAD R4, R5, R6, R7", 32), 2 * 64);
    /* of four the half that multiplies does one of the additions, too */
    CHECK_EQ(slope(set,
                   "IMAD R4, R5, R6, R7\nFADD R1, R3, R2\nFADD R8, R3, R2\n"
                   "FADD R9, R3, R2",
                   32),
             4 * 64);
}

TEST(independent_operations_reach_the_interval)
{
    CHECK_EQ(slope("sm.op.fp32.interval=1\nsm.op.fp32.latency=1\n",
                   "FADD R1, R3, R2", 32),
             64);
    CHECK_EQ(slope("sm.op.fp32.interval=2\nsm.op.fp32.latency=1\n",
                   "FADD R1, R3, R2", 32),
             2 * 64);
    CHECK_EQ(slope("sm.op.fp32.interval=4\nsm.op.fp32.latency=2\n",
                   "FADD R1, R3, R2", 32),
             4 * 64);
}
