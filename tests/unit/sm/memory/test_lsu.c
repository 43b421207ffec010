/* tests/unit/sm/memory/test_lsu.c - the load/store unit: latency, throughput,
 * order.
 */
#include "unit/sm/rig.h"

#define PLAIN                                                                  \
    "sm.fetch.perfect=true\nsm.fetch.buffer=16\nsm.fetch.width=4\n"            \
    "sm.issue.schedulers=1\nsm.rf.collect=none\nsm.constant.perfect=true\n"    \
    "sm.lsu.latency=6\nsm.lsu.write_back=2\nsm.shared.latency=16\n"            \
    "sm.op.int_add.latency=4\nsm.op.shift.latency=4\n"

static const char plain[] = PLAIN;
static const char perfect_local[] = PLAIN "sm.lsu.perfect_local=true\n";

static rig *bench_of(const char *settings)
{
    rig *r = rig_new(settings);

    rig_param(r, 0, mem_alloc(r->image, 1 << 20, "a"));
    return r;
}

static rig *bench(void) { return bench_of(plain); }

/* Cycles that the text takes more often than its half, per repetition. */
static double slope_of(const char *settings, const char *head,
                       const char *start, const char *line)
{
    uint64_t end[2];

    for (unsigned i = 0; i < 2; i++) {
        rig *r = bench_of(settings);
        strbuf b = {0};

        strbuf_puts(&b, start);
        for (unsigned n = 0; n < 32 * (i + 1); n++)
            strbuf_printf(&b, "%s\n", line);
        strbuf_puts(&b, "EXIT\n");
        rig_program(r, head, b.text, 1, 32);
        end[i] = rig_run(r, 1000000);
        rig_check_sum(r);
        strbuf_fini(&b);
        rig_free(r);
    }
    return (double)(end[1] - end[0]) / 32;
}

static double slope(const char *head, const char *start, const char *line)
{
    return slope_of(plain, head, start, line);
}

TEST(shared_pointer_chase_takes_the_configured_latency)
{
    /* 6 to the first pass, 16 to the data, 2 to the next issue */
    CHECK_EQ(slope(".shared 4096\n", "MOV R1, RZ\n", "LDS R1, [R1]"), 24);
}

TEST(global_pointer_chase_takes_lsu_cache_and_write_back)
{
    /* 6 until the fake L1 sees it, 20 in it, 2 to the next issue */
    CHECK_EQ(slope("", "MOV R2, c[0x0][0x140]\nMOV R3, c[0x0][0x144]\n",
                   "LDG.E R4, [R2]\nLOP3.LUT R2, R4, R2, R4, 0xcc"),
             6 + 20 + 2 + 11);
}

TEST(perfect_local_memory_takes_the_latency_of_the_unit_alone)
{
    static const char chase[] = "LDL R1, [R1]";

    CHECK_EQ(slope(".local 64\n", "MOV R1, RZ\n", chase), 6 + 20 + 2);
    /* 6 until the L1 would see it: no access, no write-back of its data */
    CHECK_EQ(slope_of(perfect_local, ".local 64\n", "MOV R1, RZ\n", chase), 6);
}

TEST(perfect_local_memory_holds_what_is_stored_and_moves_nothing)
{
    rig *r = bench_of(perfect_local);
    uint64_t a = mem_alloc(r->image, 4096, "b");
    const uint32_t *host = (const uint32_t *)mem_host(r->image, a);

    rig_param(r, 0, a);
    rig_program(r, ".local 64\n",
                "S2R R1, SR_TID.X\n"
                "MOV R3, 0x4\n"
                "IMAD.WIDE.U32 R4, R1, R3, c[0x0][0x140]\n"
                "STL [0x10], R1\n"
                "LDL R9, [0x10]\n"
                "IADD3 R9, R9, 0x5, RZ\n"
                "STG.E [R4], R9\n"
                "EXIT\n",
                1, 64);
    rig_run(r, 10000);
    mem_view_commit(r->view);
    for (unsigned i = 0; i < 64; i++)
        CHECK_EQ(host[i], i + 5);
    CHECK_EQ(rig_stat(r, "mem_local"), 4);
    CHECK_EQ(rig_stat(r, "tx_loads"), 0);
    CHECK_EQ(rig_stat(r, "tx_stores"), 2); /* a line for each warp of STG */
    rig_check_sum(r);
    rig_free(r);
}

/* R2 = lane * stride in shared memory */
static double strided(const char *op, unsigned bytes)
{
    char start[256];

    snprintf(start, sizeof start,
             "S2R R1, SR_LANEID\nMOV R3, 0x%x\nIMAD R2, R1, R3, RZ\n", bytes);
    return slope(".shared 8192\n", start, op);
}

TEST(n_way_bank_conflict_costs_n_cycles)
{
    CHECK_EQ(strided("LDS RZ, [R2]", 0), 1);
    CHECK_EQ(strided("LDS RZ, [R2]", 4), 1);
    CHECK_EQ(strided("LDS RZ, [R2]", 8), 2);
    CHECK_EQ(strided("LDS RZ, [R2]", 16), 4);
    CHECK_EQ(strided("LDS RZ, [R2]", 32), 8);
    CHECK_EQ(strided("LDS RZ, [R2]", 64), 16);
    CHECK_EQ(strided("LDS RZ, [R2]", 128), 32);
    CHECK_EQ(strided("LDS RZ, [R2]", 132), 1);
    CHECK_EQ(strided("STS [R2], R1", 8), 2);
    CHECK_EQ(strided("LDS.64 RZ, [R2]", 8), 2);
}

TEST(global_loads_take_a_cycle_for_each_line)
{
    static const struct {
        unsigned bytes, lines;
    } row[] = {{4, 1}, {8, 2}, {16, 4}, {128, 32}};

    for (unsigned i = 0; i < 4; i++) {
        char start[256];
        snprintf(start, sizeof start,
                 "S2R R1, SR_LANEID\nMOV R3, 0x%x\n"
                 "IMAD.WIDE.U32 R2, R1, R3, c[0x0][0x140]\n",
                 row[i].bytes);
        CHECK_EQ(slope("", start, "LDG.E RZ, [R2]"), row[i].lines);
    }
}

TEST(results_are_those_of_memory)
{
    rig *r = bench();
    uint64_t a = mem_alloc(r->image, 4096, "b");
    uint32_t *host = (uint32_t *)mem_host(r->image, a);

    rig_param(r, 0, a);
    for (unsigned i = 0; i < 64; i++)
        host[i] = i * i;
    rig_program(r, ".shared 4096\n.local 64\n",
                "S2R R1, SR_TID.X\n"
                "MOV R3, 0x4\n"
                "IMAD.WIDE.U32 R4, R1, R3, c[0x0][0x140]\n"
                "SHL R6, R1, 0x2\n"
                "LDG.E R7, [R4]\n"
                "STS [R6], R7\n"
                "LDS R8, [R6]\n"
                "STL [0x10], R8\n"
                "LDL R9, [0x10]\n"
                "IADD3 R9, R9, 0x5, RZ\n"
                "STG.E [R4+0x400], R9\n"
                "LDG.E R10, [R4+0x400]\n" /* its own store, at once */
                "IADD3 R10, R10, 0x1, RZ\n"
                "STG.E [R4+0x800], R10\n"
                "EXIT\n",
                1, 64);
    rig_run(r, 10000);
    CHECK(!sm_fault(r->s));
    mem_view_commit(r->view);
    for (unsigned i = 0; i < 64; i++) {
        CHECK_EQ(host[256 + i], i * i + 5);
        CHECK_EQ(host[512 + i], i * i + 6);
    }
    CHECK_EQ(rig_stat(r, "mem_local"), 4);
    CHECK_EQ(rig_stat(r, "mem_shared"), 4);
    CHECK_EQ(rig_stat(r, "mem_global"), 8);
    rig_check_sum(r);
    rig_free(r);
}

/* 64 lanes add into one word; the load behind must see the sum. */
TEST(loads_do_not_pass_reductions)
{
    rig *r = bench();
    uint64_t a = mem_alloc(r->image, 4096, "b");
    uint32_t *host = (uint32_t *)mem_host(r->image, a);

    rig_param(r, 0, a);
    rig_program(r, "",
                "MOV R2, c[0x0][0x140]\n"
                "MOV R3, c[0x0][0x144]\n"
                "MOV R4, 0x3\n"
                "RED.E.ADD [R2], R4\n"
                "LDG.E R5, [R2]\n"
                "STG.E [R2+0x100], R5\n"
                "EXIT\n",
                1, 32);
    rig_run(r, 10000);
    mem_view_commit(r->view);
    CHECK_EQ(host[0], 96);
    CHECK_EQ(host[64], 96);
    CHECK(rig_stat(r, "lsu_coherence") > 0);
    CHECK_EQ(rig_stat(r, "mem_reductions"), 1);
    CHECK_EQ(rig_stat(r, "tx_atomics"), 1);
    rig_check_sum(r);
    rig_free(r);
}

TEST(atomics_return_what_was_there)
{
    rig *r = bench();
    uint64_t a = mem_alloc(r->image, 4096, "b");
    uint32_t *host = (uint32_t *)mem_host(r->image, a);
    uint64_t seen = 0;

    rig_param(r, 0, a);
    rig_program(r, "",
                "S2R R1, SR_TID.X\n"
                "MOV R2, c[0x0][0x140]\n"
                "MOV R3, c[0x0][0x144]\n"
                "MOV R4, 0x1\n"
                "ATOMG.E.ADD R5, [R2], R4\n" /* a ticket for each */
                "MOV R6, 0x4\n"
                "IMAD.WIDE.U32 R8, R5, R6, R2\n"
                "STG.E [R8+0x100], R1\n"
                "EXIT\n",
                1, 64);
    rig_run(r, 10000);
    mem_view_commit(r->view);
    CHECK_EQ(host[0], 64);
    for (unsigned i = 0; i < 64; i++)
        seen |= (uint64_t)1 << host[64 + i];
    CHECK_EQ(seen, UINT64_MAX);
    CHECK_EQ(rig_stat(r, "mem_atomics"), 2);
    rig_free(r);
}

/* A fence waits for the store's acknowledgement and the window's end. */
TEST(fences_wait_for_stores)
{
    static const char *const body[] = {"STG.E [R2], R4\n", ""};
    uint64_t end[2];

    for (unsigned i = 0; i < 2; i++) {
        char text[256];
        rig *r = bench();
        snprintf(text, sizeof text,
                 "MOV R2, c[0x0][0x140]\nMOV R3, c[0x0][0x144]\n%s"
                 "MEMBAR.GPU\nEXIT\n",
                 body[i]);
        rig_program(r, "", text, 1, 32);
        end[i] = rig_run(r, 10000);
        CHECK(rig_stat(r, "stall_fence") > 0);
        rig_check_sum(r);
        rig_free(r);
    }
    CHECK(end[0] >= end[1] + 16); /* 6 there, 20 back, then the window */
    CHECK(end[0] <= end[1] + 6 + 20 + RIG_WINDOW);
}

TEST(full_queue_stalls_issue)
{
    rig *r = rig_new("sm.fetch.perfect=true\nsm.issue.schedulers=1\n"
                     "sm.rf.collect=none\nsm.lsu.queue=2\n"
                     "sm.fetch.buffer=8\nsm.fetch.width=8\n");

    rig_program(r, ".shared 8192\n",
                "S2R R1, SR_LANEID\n"
                "SHL R2, R1, 0x7\n"
                "LDS R3, [R2]\nLDS R4, [R2]\nLDS R5, [R2]\nLDS R6, [R2]\n"
                "EXIT\n",
                1, 32);
    rig_run(r, 10000);
    CHECK(rig_stat(r, "stall_lsu_full") > 30);
    CHECK_EQ(rig_stat(r, "shared_passes"), 4 * 32);
    CHECK_EQ(rig_stat(r, "shared_conflicts"), 4 * 31);
    rig_check_sum(r);
    rig_free(r);
}

TEST(bad_address_stops_the_sm)
{
    rig *r = bench();

    rig_program(r, "", "MOV R2, 0x100\nMOV R3, 0x1f\nLDG.E R4, [R2]\nEXIT\n", 1,
                32);
    rig_run(r, 10000);
    CHECK(sm_fault(r->s));
    CHECK_EQ(sm_fault(r->s)->kind, FAULT_BOUNDS);
    CHECK_EQ(sm_fault(r->s)->pc, 2);
    rig_check_sum(r);
    rig_free(r);
}

/* What an L1 that takes nothing for `blocked` cycles sees of two warps that
 * load from 32 lines each; with l1.queue=mrpb each request is pushed in its own
 * cycle. *most: requests in the port at once. */
static rig *many_lines(const char *queue, unsigned blocked, unsigned *most)
{
    char settings[sizeof plain + 32];

    snprintf(settings, sizeof settings, "%sl1.queue=%s\n", plain, queue);
    rig *r = rig_new(settings);
    rig_param(r, 0, mem_alloc(r->image, 1 << 20, "a"));
    rig_program(r, "",
                "S2R R1, SR_TID.X\nMOV R3, 0x80\n"
                "IMAD.WIDE.U32 R2, R1, R3, c[0x0][0x140]\n"
                "LDG.E R4, [R2]\nLDG.E R5, [R2+0x40]\n"
                "IADD3 R6, R4, R5, RZ\nEXIT\n",
                1, 64);
    *most = 0;
    r->l1.per_cycle = 0;
    while (r->ended < 1 && r->now < 10000) {
        r->l1.per_cycle = r->now >= blocked;
        rig_step(r);
        if (r->l1.to.count > *most)
            *most = r->l1.to.count;
    }
    CHECK_EQ(r->ended, 1);
    sm_finish_stats(r->s, r->now);
    return r;
}

TEST(loads_sent_ahead_are_as_if_each_were_sent_in_its_cycle)
{
    for (unsigned blocked = 0; blocked < 120; blocked += 13) {
        unsigned most[2];
        rig *r[2] = {many_lines("fifo", blocked, &most[0]),
                     many_lines("mrpb", blocked, &most[1])};

        CHECK(most[0] > 2);
        CHECK(blocked > 13 || most[1] <= 2);
        CHECK_EQ(r[0]->ended_at, r[1]->ended_at);
        CHECK_EQ(r[0]->l1.requests, 4 * 32);
        CHECK_EQ(r[1]->l1.requests, 4 * 32);
        for (unsigned i = 0; i < 4 * 32; i++) {
            const mem_msg *a = &r[0]->l1.flight[i], *b = &r[1]->l1.flight[i];

            CHECK_EQ(a->addr, b->addr);
            CHECK_EQ(a->sectors, b->sectors);
            CHECK_EQ(a->born, b->born);
            CHECK_EQ(a->when, b->when);
        }
        CHECK_EQ(stats_hash(r[0]->reg, NULL), stats_hash(r[1]->reg, NULL));
        rig_free(r[0]);
        rig_free(r[1]);
    }
}
