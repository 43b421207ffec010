/* tests/unit/cache/test_l1_mascar.c - loads put aside, and what the SM is told,
 * by streams worked out by hand. 4 sets of 2 ways; hits take 10 cycles, misses
 * 100 and a few. */
#include "l1_rig.h"

static rig *mascar(unsigned depth)
{
    rig *r = rig_new();

    r->cfg.l1.queue = CFG_L1_QUEUE_MASCAR;
    r->cfg.l1.mascar.depth = depth;
    r->cfg.l1.mascar.owner = false;
    r->lsu_slots = 64;
    return r;
}

static uint32_t load(rig *r, uint64_t when, uint64_t addr, unsigned warp)
{
    return rig_ask(
        r, when,
        (mem_msg){.kind = MEM_READ, .addr = addr, .warp = (uint8_t)warp});
}

enum { SET0 = 0x8000, SET1 = 0x8080, PITCH = 512 }; /* to the same set */

/* Brings the line of `addr` into the cache, by cycle 500. */
static void warm(rig *r, uint64_t addr) { load(r, 0, addr, 0); }

/* Three misses to a set of two ways, then a hit elsewhere: it waits in a fifo,
 * and not behind a load that is put aside. */
static uint64_t hit_behind_full_set(unsigned depth)
{
    rig *r = mascar(depth);

    rig_start(r);
    warm(r, SET1);
    for (unsigned i = 0; i < 3; i++)
        load(r, 500, SET0 + i * PITCH, 1);
    uint32_t hit = load(r, 500, SET1, 2);
    rig_run(r, 10000);
    CHECK_EQ(r->done, 5);
    CHECK_EQ(rig_stat(r, "queue.entered"), depth > 0);
    uint64_t cycles = r->at[hit] - 500;
    rig_free(r);
    return cycles;
}

TEST(a_hit_does_not_wait_behind_a_load_put_aside)
{
    CHECK(hit_behind_full_set(0) > 100);
    CHECK_EQ(hit_behind_full_set(4), 1 + 3 + 10); /* its turn is the fourth */
}

/* Six aside: the last one's set has room when its fills come, long before that
 * of the others. So each has its turn, not only when something has changed. */
TEST(those_aside_take_turns)
{
    rig *r = mascar(8);

    r->cfg.l1.mshrs = 8;
    rig_start(r);
    for (unsigned i = 0; i < 2; i++)
        load(r, 0, SET1 + i * PITCH, 1);
    for (unsigned i = 0; i < 7; i++)
        load(r, 60, SET0 + i * PITCH, 2 + i);
    uint32_t last = load(r, 60, SET1 + 2 * PITCH, 9);
    rig_run(r, 10000);
    CHECK_EQ(r->done, 10);
    CHECK_EQ(rig_stat(r, "queue.entered"), 6);
    CHECK(r->at[last] < 235); /* sent by 120; else not before 165 */
    rig_free(r);
}

/* The queue has room for one: the second refused load blocks the port. */
TEST(a_full_queue_blocks_the_port)
{
    rig *r = mascar(1);

    rig_start(r);
    warm(r, SET1);
    for (unsigned i = 0; i < 4; i++)
        load(r, 500, SET0 + i * PITCH, 1 + i);
    uint32_t hit = load(r, 500, SET1, 9);
    rig_run(r, 10000);
    CHECK_EQ(r->done, 6);
    CHECK(r->at[hit] - 500 > 100);
    CHECK(rig_stat(r, "input_blocked") > 90);
    rig_free(r);
}

/* Warp 1 has an instruction aside, so another one of it (every request of the
 * rig is one) waits at the port; one of warp 2 does not. */
TEST(a_warp_has_one_instruction_aside)
{
    for (unsigned other = 1; other < 3; other++) {
        rig *r = mascar(8);

        rig_start(r);
        warm(r, SET1);
        for (unsigned i = 0; i < 3; i++)
            load(r, 500, SET0 + i * PITCH, 1);
        load(r, 500, SET0 + 3 * PITCH, other);
        uint32_t hit = load(r, 500, SET1, 3);
        rig_run(r, 10000);
        CHECK_EQ(r->at[hit] - 500 > 100, other == 1);
        rig_free(r);
    }
}

/* A store to a line that is aside comes after the load. */
TEST(a_store_waits_for_a_load_of_its_line)
{
    rig *r = mascar(8);

    rig_start(r);
    for (unsigned i = 0; i < 3; i++)
        load(r, 0, SET0 + i * PITCH, 1);
    uint32_t store = rig_ask(r, 0,
                             (mem_msg){.kind = MEM_WRITE,
                                       .ack = true,
                                       .addr = SET0 + 2 * PITCH,
                                       .warp = 2});
    uint32_t other = rig_ask(
        r, 0,
        (mem_msg){.kind = MEM_WRITE, .ack = true, .addr = SET1, .warp = 2});
    rig_run(r, 10000);
    CHECK_EQ(r->done, 5);
    CHECK(r->at[store] > 200);
    CHECK(r->at[other] > 200); /* stores stay in order at the port */
    CHECK(rig_stat(r, "stall_order") > 90);
    rig_free(r);
}

TEST(a_fence_waits_for_what_its_warp_has_aside)
{
    rig *r = mascar(8);

    rig_start(r);
    for (unsigned i = 0; i < 3; i++)
        load(r, 0, SET0 + i * PITCH, 1);
    uint32_t own = rig_ask(r, 0, (mem_msg){.kind = MEM_FENCE, .warp = 1});
    uint32_t other = rig_ask(r, 0, (mem_msg){.kind = MEM_FENCE, .warp = 2});
    rig_run(r, 10000);
    CHECK(r->at[own] > 100);
    CHECK(r->at[other] < 20);
    rig_free(r);
}

/* ---- what the SM is told ---- */

/* Four MSHRs, saturated while fewer than 2 are free: from the third miss until
 * two of the four lines are here. */
TEST(the_sm_is_told_when_memory_is_saturated_and_when_not)
{
    rig *r = mascar(8);

    r->cfg.l1.mascar.owner = true;
    r->cfg.l1.mascar.mshrs_left = 2;
    r->cfg.l1.mascar.places_left = 1;
    rig_start(r);
    for (unsigned i = 0; i < 4; i++)
        rig_ask(
            r, 100 * (i == 3),
            (mem_msg){.kind = MEM_READ, .addr = SET0 + 128 * i, .owner = 1});
    rig_run(r, 4);
    CHECK(!r->saturated);
    rig_run(r, 7);
    CHECK(r->saturated);
    rig_run(r, 10000);
    CHECK(!r->saturated);
    CHECK_EQ(r->told, 2);
    CHECK(rig_stat(r, "queue.saturated") > 90);
    rig_free(r);
}

/* While memory is the owner's, others may hit, and their misses are put aside
 * although MSHRs are free. */
TEST(others_hit_and_do_not_miss_while_memory_is_the_owners)
{
    rig *r = mascar(8);

    r->cfg.l1.mascar.owner = true;
    r->cfg.l1.mascar.mshrs_left = 3;
    rig_start(r);
    warm(r, SET1);
    rig_run(r, 500);
    for (unsigned i = 0; i < 2; i++)
        rig_ask(r, 500,
                (mem_msg){.kind = MEM_READ,
                          .addr = SET0 + PITCH * i,
                          .owner = 1,
                          .warp = 1});
    uint32_t miss = load(r, 500, 0x8100, 2), hit = load(r, 500, SET1, 3);
    uint32_t owners = rig_ask(
        r, 500,
        (mem_msg){.kind = MEM_READ, .addr = 0x8180, .owner = 1, .warp = 1});
    rig_run(r, 10000);
    CHECK_EQ(r->at[hit] - 500, 1 + 3 + 10);
    CHECK(r->at[owners] < 500 + 130);
    CHECK(r->at[miss] > 500 + 200); /* after the others' data */
    rig_free(r);
}
