/* tests/unit/probe/judge/test_probe.c - probes find the truth of machines that
 * no preset describes. */
#include "probe_rig.h"

TEST(other_latencies_and_intervals)
{
    static const char *const list[] = {"latency", "throughput", "barrier",
                                       NULL};
    machine m = machine_new("v100", "gpu: {sms: 1}\n"
                                    "sm:\n"
                                    "  op:\n"
                                    "    fp32: {latency: 7}\n"
                                    "    int_add: {latency: 5, interval: 4}\n"
                                    "    sfu: {latency: 33, interval: 16}\n"
                                    "    vote: {latency: 12}\n"
                                    "    barrier: {latency: 9}\n");

    run(&m, list);
    /* 2 %: loads of constants wait for their port, not for a unit, so what is
     * timed ends a latency after it. */
    CHECK(check_truth(&m, 0.02) > 35);
    CHECK_EQ(number(&m, "latency.fp32"), 7);
    CHECK_EQ(number(&m, "latency.vote"), 12);
    CHECK_EQ(number(&m, "throughput.int_add"), 32); /* 4 x 32 / 4 */
    CHECK_EQ(number(&m, "throughput.sfu"), 8);
    CHECK_EQ(number(&m, "barrier.1"), 9);
    machine_free(&m);
}

TEST(other_caches)
{
    static const char *const list[] = {"caches", "constant", NULL};
    machine m = machine_new(
        "gtx480", "gpu: {sms: 1}\n"
                  "sm: {constant: {l1: {bytes: 6K, line: 128, ways: 3, "
                  "latency: 9}}}\n"
                  "l1: {sets: 16, ways: 3, latency: 31, sector: 32, index: "
                  "ipoly}\n"
                  "l2: {slices: 12, sets: 16, ways: 5, latency: 51}\n");

    run(&m, list);
    CHECK_EQ(number(&m, "l1.size"), 16 * 3 * 128);
    CHECK_EQ(number(&m, "l1.ways"), 3);
    CHECK_EQ(number(&m, "l1.line"), 128);
    CHECK_STR(word(&m, "l1.replacement"), "lru");
    CHECK_EQ(number(&m, "load.l1"), 8 + 31 + 2);
    CHECK_EQ(number(&m, "l2.size"), 12 * 16 * 5 * 128);
    CHECK_EQ(number(&m, "l2.ways"), 5);
    CHECK_EQ(number(&m, "l2.line"), 128);
    CHECK_EQ(number(&m, "l2.sector"), 32);
    CHECK_EQ(number(&m, "constant.size"), 6144);
    CHECK_EQ(number(&m, "constant.line"), 128);
    CHECK_EQ(number(&m, "constant.ways"), 3);
    CHECK_EQ(number(&m, "load.constant"), 8 + 9 + 2);
    machine_free(&m);
}

TEST(other_shared_memory)
{
    static const char *const list[] = {"shared", NULL};
    machine m = machine_new("k20", "gpu: {sms: 1}\n"
                                   "sm: {shared: {banks: 16, bank_bytes: 8, "
                                   "latency: 27, atomic: 2}}\n");

    run(&m, list);
    CHECK_EQ(number(&m, "shared.banks"), 16);
    CHECK_EQ(number(&m, "shared.bank_bytes"), 8);
    CHECK_EQ(number(&m, "load.shared"), 6 + 27 + 2);
    CHECK_EQ(number(&m, "shared.atomic_same"), 32 * 3);
    machine_free(&m);
}

TEST(what_fits_a_multiprocessor)
{
    static const char *const list[] = {"limits", NULL};
    machine m = machine_new(
        "k20",
        "gpu: {sms: 2, max: {cta_threads: 768, cta_x: 768, cta_y: 768}}\n"
        "sm: {warps: 40, threads: 1280, ctas: 11, "
        "registers: 32768, shared_bytes: 40K, "
        "shared_per_cta: 24K}\n");

    run(&m, list);
    CHECK_EQ(check_truth(&m, 0), 7);
    machine_free(&m);
}
