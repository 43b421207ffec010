/* tests/timing/test_tlb.c - address translation: pointer chases that touch one
 * place a page show what each level of TLBs covers and what missing it costs.
 * The steps are those that were measured [KARN17:K80] [KARN17:P100]
 * [GPUB:latency] [JIA-V:tlb]. */
#include "rig.h"

#define START "MOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\n"
/* Past the L1, which needs no translation for what it holds. */
#define PAST_L1 "LDG.E.CG.64 R2, [R2.64];"
#define CACHED  "LDG.E.64 R2, [R2.64];"

#define QUIET RIG_CORE, "dram.refresh=false"

static const char *const quiet[] = {QUIET, NULL};

/* `count` places of 8 bytes, `stride` apart from the first page of a region
 * on, each in a line of its own number, and each the address of the next. */
static uint64_t ring(rig *r, uint64_t stride, unsigned count)
{
    rt_memory *m = rt_device_memory(r->d);
    uint64_t region = r->cfg->gpu.page_bytes * r->cfg->tlb.pages;
    uint64_t bytes = count * (stride + 256) + region;
    uint64_t addr = rt_alloc(m, bytes, "ring");

    CHECK(addr != 0);
    uint64_t first = (addr + region - 1) / region * region;
    for (unsigned i = 0; i < count; i++) {
        uint64_t k = (i + 1) % count;
        uint64_t next = first + k * stride + k % 256 * 256;
        uint64_t at = first + i * stride + i % 256 * 256;

        CHECK(rt_write(m, at, &next, sizeof next));
    }
    return first;
}

/* Cycles of a load of the chase, after once round. */
static double chase(rig *r, const char *load, uint64_t stride, unsigned count)
{
    uint64_t addr = ring(r, stride, count);
    char *all = rig_text(START, load, 4 * count);

    rig_run(r, all, 1, 1, addr, 0);
    free(all);
    double slope =
        (double)rig_slope(r, START, load, 2 * count, 2 * count, 1, 1, addr);
    return slope / (2 * count);
}

static double once(const char *preset, const char *const *sets,
                   const char *load, uint64_t stride, unsigned count)
{
    rig *r = rig_new(preset, sets);
    double cycles = chase(r, load, stride, count);

    rig_free(r);
    return cycles;
}

static const uint64_t KB = 1024, MB = 1024 * 1024;

TEST(sixteen_pages_are_covered_and_the_seventeenth_costs_nine_cycles)
{
    double v = once("v100", quiet, PAST_L1, 2 * MB, 16);
    double k = once("k20", quiet, PAST_L1, 128 * KB, 16);

    CHECK_EQ(once("v100", quiet, PAST_L1, 2 * MB, 17), v + 9);
    CHECK_EQ(once("v100", quiet, PAST_L1, 4 * MB, 17), v + 9);
    CHECK_EQ(once("k20", quiet, PAST_L1, 128 * KB, 17), k + 9);
    /* Two places a page: one of them misses. */
    CHECK_EQ(once("v100", quiet, PAST_L1, 1 * MB, 34), v + 4.5);
    CHECK_EQ(once("k20", quiet, PAST_L1, 64 * KB, 34), k + 4.5);
}

TEST(what_the_l1_holds_needs_no_translation)
{
    CHECK_EQ(once("v100", quiet, CACHED, 2 * MB, 16), 28);
    CHECK_EQ(once("v100", quiet, CACHED, 2 * MB, 40), 28);
}

/* A K80: 249, then 303 cycles at strides of 2 MB, 276 of 1 MB. */
TEST(the_second_level_covers_71_entries_of_16_pages)
{
    double fits = once("k20", quiet, PAST_L1, 2 * MB, 71);

    CHECK_EQ(once("k20", quiet, PAST_L1, 128 * KB, 17), fits);
    CHECK_EQ(once("k20", quiet, PAST_L1, 2 * MB, 72), fits + 54);
    CHECK_EQ(once("k20", quiet, PAST_L1, 1 * MB, 144), fits + 27);
}

TEST(past_the_third_level_page_tables_are_read)
{
    static const char *const small[] = {QUIET, "tlb.second.entries=4",
                                        "tlb.third.entries=20", NULL};
    static const char *const two[] = {QUIET, "tlb.second.entries=4",
                                      "tlb.third.entries=0", NULL};
    double fits = once("k20", small, PAST_L1, 128 * KB, 64); /* 4 regions */

    CHECK_EQ(once("k20", small, PAST_L1, 2 * MB, 20), fits + 54);
    CHECK_EQ(once("k20", small, PAST_L1, 2 * MB, 21), fits + 228);
    CHECK_EQ(once("k20", two, PAST_L1, 2 * MB, 20), fits + 228);
}

/* A line that the L2 lacks takes 375 cycles in a page used before, 1029 in the
 * first of all. */
TEST(the_first_access_of_all_takes_654_cycles_longer)
{
    static const char *const one_clock[] = {
        QUIET, "noc.clock_khz=0", "l2.clock_khz=0", "dram.clock_khz=0", NULL};
    rig *r = rig_new("v100", one_clock);
    uint64_t a = ring(r, 2 * MB, 1);
    uint64_t first = rig_run(r, START CACHED, 1, 1, a, 0);
    uint64_t again = rig_run(r, START CACHED, 1, 1, a + 1 * MB, 0);

    CHECK_EQ(first, again + 654);
    CHECK_EQ(rig_count(r, "mmu.walks"), 0);
    rig_free(r);
}

TEST(lanes_in_one_region_wait_for_one_walk_and_pages_wait_together)
{
    rig *r = rig_new("v100", quiet);
    uint64_t a = ring(r, 2 * MB, 16);

    /* 32 lanes, 1 MB apart: 16 pages of one region. */
    rig_run(r,
            "S2R R0, SR_TID.X;\nSHL R0, R0, 0x14;\n"
            "MOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\n"
            "IADD3 R2, R2, R0, RZ;\nLDG.E.64 R4, [R2.64];",
            1, 32, a, 0);
    CHECK_EQ(rig_count(r, "sm[*].l1.tlb_misses"), 16);
    CHECK_EQ(rig_count(r, "sm[*].l1.tlb_merges"), 16);
    CHECK_EQ(rig_count(r, "mmu.l2_misses"), 16);
    CHECK_EQ(rig_count(r, "mmu.walks"), 1);
    CHECK_EQ(rig_count(r, "mmu.merges"), 15);
    rig_free(r);
}

/* Four regions of four SMs by one walker: 1, 2, 3 and 4 walks long. */
TEST(walks_queue_for_the_walkers)
{
    static const char *const one[] = {"gpu.sms=4",
                                      "sm.fetch.perfect=true",
                                      "sm.constant.perfect=true",
                                      "dram.refresh=false",
                                      "tlb.walk.most=1",
                                      NULL};
    rig *r = rig_new("v100", one);
    uint64_t a = ring(r, 32 * MB, 4);

    rig_run(r,
            "S2R R0, SR_CTAID.X;\nSHL R0, R0, 0x19;\n"
            "MOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\n"
            "IADD3 R2, R2, R0, RZ;\nLDG.E.64 R4, [R2.64];",
            4, 1, a, 0);
    CHECK_EQ(rig_count(r, "mmu.walks"), 4);
    uint64_t queued = rig_count(r, "mmu.walk_queued");
    CHECK(queued > 5 * 645 && queued <= 6 * 645); /* they begin one by one */
    rig_free(r);
}

/* Loads and stores all over 64 regions, from 16 SMs with hardly any TLB. */
static uint64_t scatter(const rt_options *opt)
{
    static const char *const tiny[] = {
        "gpu.sms=16",          "tlb.first.entries=2", "tlb.second.entries=3",
        "tlb.second.sms=4",    "tlb.third.entries=9", "tlb.walk.most=2",
        "tlb.third.latency=7", "l1.miss_queue=5",     NULL};
    rig *r = rig_open("v100", tiny, opt);
    uint64_t a = ring(r, 32 * MB, 64);

    rig_run(
        r,
        "S2R R0, SR_TID.X;\nS2R R1, SR_CTAID.X;\n"
        "MOV R6, 0x9e3779b1;\nIMAD R0, R1, R6, R0;\n"
        "IMAD R0, R0, R6, RZ;\nMOV R8, 0x8;\n"
        "again:\nIMAD R0, R0, R6, R8;\nLOP3.LUT R4, R0, 0x7fffff80, RZ, 0xc0;\n"
        "MOV R2, c[0x0][p];\nMOV R3, c[0x0][p+4];\n"
        "IADD3 R2, R2, R4, RZ;\nLDG.E R5, [R2.64];\n"
        "STG.E [R2.64+4], R5;\nIADD3 R8, R8, -1, RZ;\n"
        "ISETP.NE.AND P0, PT, R8, RZ, PT;\n@P0 BRA again;",
        12, 64, a, 0);
    CHECK(rig_count(r, "mmu.walks") > 30 && rig_count(r, "mmu.l3_hits") > 9);
    CHECK(rig_count(r, "sm[*].l1.tlb_merges") > 9);
    uint64_t hash = r->last.cycles;
    for (size_t i = 0; i < stats_count(rt_stats(r->d)); i++)
        hash = hash * 31 + r->last.counters[i];
    rig_free(r);
    return hash;
}

TEST(nothing_depends_on_threads_on_skipping_or_on_the_order_of_nodes)
{
    uint64_t one = scatter(&(rt_options){.threads = 1});

    CHECK_EQ(scatter(&(rt_options){.threads = 3}), one);
    CHECK_EQ(scatter(&(rt_options){.threads = 1, .no_skip = true}), one);
    CHECK_EQ(scatter(&(rt_options){.threads = 2, .shuffle = 7}), one);
}

TEST(without_entries_translation_takes_no_time)
{
    static const char *const off[] = {QUIET, "tlb.first.entries=0", NULL};
    double near = once("v100", quiet, PAST_L1, 2 * MB, 16);

    CHECK_EQ(once("v100", off, PAST_L1, 32 * MB, 40), near);
    CHECK_EQ(once("gtx480", quiet, PAST_L1, 2 * MB, 40),
             once("gtx480", quiet, PAST_L1, 128 * KB, 16));
}
