/* tests/unit/cache/test_l1_queue.c - request queues in front of an L1, one case
 * at a time: what enters them, what is chosen, what waits. */
#include "l1_rig.h"

/* The rig's 4 sets of 2 ways. */
static uint64_t line_of(unsigned s, unsigned i)
{
    return 0x10000 + ((uint64_t)i * 4 + s) * 128;
}

static rig *queued(unsigned queues, unsigned depth)
{
    rig *r = rig_new();

    r->cfg.l1.queue = CFG_L1_QUEUE_REOD;
    r->cfg.l1.reod.queues = queues;
    r->cfg.l1.reod.depth = depth;
    r->cfg.l1.mshrs = 16;
    r->cfg.l1.miss_queue = 16;
    return r;
}

static uint32_t load_of(rig *r, uint64_t when, uint64_t addr, uint8_t warp)
{
    return rig_ask(r, when,
                   (mem_msg){.kind = MEM_READ, .addr = addr, .warp = warp});
}

/* Three misses fill set 0 and block what is behind them; a hit in set 1, which
 * came last, is answered as if it were alone. */
static void overtake(unsigned queues, bool overtakes)
{
    rig *r = queued(queues, 8);

    rig_start(r);
    rig_load(r, 0, line_of(1, 0));
    for (unsigned i = 0; i < 3; i++)
        rig_load(r, 500, line_of(0, i));
    uint32_t hit = rig_load(r, 500, line_of(1, 0));
    rig_run(r, 2000);
    /* A cycle in the port, one in the queue, after three others. */
    CHECK_EQ(r->at[hit] == 500 + 2 + 3 + 10, overtakes);
    CHECK_EQ(rig_stat(r, "stall_set_full") > 80, true);
    CHECK_EQ(rig_stat(r, "queue.early_0"), overtakes ? 4 : 5);
    CHECK(l1_idle(r->b));
    rig_free(r);
}

TEST(a_full_set_blocks_only_its_queue)
{
    overtake(4, true);
    overtake(2, true);
    overtake(1, false);
}

TEST(a_request_waits_one_cycle_in_its_queue)
{
    for (unsigned bypass = 0; bypass < 2; bypass++) {
        rig *r = queued(4, 4);

        r->cfg.l1.reod.bypass_empty = bypass;
        rig_start(r);
        rig_load(r, 0, line_of(0, 0));
        uint32_t hit = rig_load(r, 500, line_of(0, 0));
        rig_run(r, 1000);
        CHECK_EQ(r->at[hit], 500 + 1 + !bypass + 10);
        CHECK_EQ(rig_stat(r, "queue.bypassed"), bypass ? 2 : 0);
        CHECK_EQ(rig_stat(r, "queue.entered"), bypass ? 0 : 2);
        rig_free(r);
    }
}

/* An instruction of 32 requests that share a queue of 4: the others wait in the
 * port, in their order. */
TEST(more_requests_than_their_queue_holds_wait_in_front_of_it)
{
    rig *r = queued(4, 4);

    rig_start(r);
    for (unsigned i = 0; i < 32; i++)
        rig_load(r, 10, line_of(2, i));
    uint32_t other = rig_load(r, 10, line_of(1, 0));
    rig_run(r, 20000);
    CHECK_EQ(r->done, 33);
    for (unsigned i = 1; i < 32; i++)
        CHECK(r->at[i] > r->at[i - 1]);
    CHECK(r->at[other] > r->at[25]); /* it was behind the port */
    CHECK(rig_stat(r, "stall_queue_full") > 1000);
    CHECK_EQ(rig_stat(r, "stall_queue_full"), rig_stat(r, "input_blocked"));
    CHECK(rig_stat(r, "queue.held_4") > 1000);
    CHECK_EQ(rig_stat(r, "queue.held_5"), 0);
    CHECK_EQ(rig_stat(r, "queue.grants_2"), 32);
    CHECK_EQ(rig_stat(r, "queue.grants_1"), 1);
    rig_free(r);
}

/* The fill lands first in a cycle: the request finds the line. */
TEST(a_request_for_a_line_that_is_filled_in_this_cycle_hits)
{
    enum { FILLED = 0 + 1 + 1 + 3 + 1 + 100 + 1 };

    for (unsigned early = 0; early < 3; early++) {
        rig *r = queued(4, 4);

        rig_start(r);
        rig_load(r, 0, line_of(0, 0));
        /* tried two cycles after it is offered */
        uint32_t second = rig_load(r, FILLED - 2 - early, line_of(0, 0));
        rig_run(r, 1000);
        CHECK_EQ(rig_stat(r, "global_read_hits"), early == 0);
        CHECK_EQ(rig_stat(r, "global_read_merges"), early != 0);
        /* replies leave one by one */
        CHECK_EQ(r->at[second], early ? FILLED + 5 + 1 : FILLED + 10);
        rig_free(r);
    }
}

TEST(queues_of_one_request_work)
{
    rig *r = queued(4, 1);

    rig_start(r);
    rig_load(r, 0, line_of(3, 0));
    for (unsigned i = 0; i < 50; i++)
        rig_load(r, 300, line_of(3, 0));
    rig_run(r, 2000);
    /* A queue that gives its request takes the next one in the same cycle. */
    CHECK_EQ(r->at[50], 300 + 2 + 10 + 49);
    CHECK_EQ(rig_stat(r, "stall_queue_full"), 0);
    rig_free(r);
}

/* Which queue requests for each set are granted from. */
static void granted(unsigned sets, unsigned queues, cfg_reod_map map,
                    const unsigned *want)
{
    rig *r = queued(queues, 4);

    r->cfg.l1.sets = sets;
    r->cfg.l1.reod.map = map;
    rig_start(r);
    for (unsigned set = 0; set < sets; set++)
        rig_load(r, 0, (uint64_t)set * 128);
    rig_run(r, 5000);
    CHECK_EQ(r->done, sets);
    for (unsigned i = 0; i < queues; i++)
        CHECK_EQ(rig_bin(r, "queue.grants", i), want[i]);
    rig_free(r);
}

TEST(queues_need_not_divide_the_sets)
{
    granted(8, 3, CFG_REOD_MAP_MOD, (const unsigned[]){3, 3, 2});
    granted(8, 3, CFG_REOD_MAP_BLOCK, (const unsigned[]){3, 3, 2});
    granted(12, 5, CFG_REOD_MAP_MOD, (const unsigned[]){3, 3, 2, 2, 2});
    granted(8, 8, CFG_REOD_MAP_BLOCK,
            (const unsigned[]){1, 1, 1, 1, 1, 1, 1, 1});
}

/* An atomic goes past the cache, but after what its warp has asked for before;
 * others' requests do not hold it up. */
TEST(an_atomic_waits_for_queued_loads_of_its_warp)
{
    for (unsigned warp = 1; warp < 3; warp++) {
        rig *r = queued(4, 8);

        rig_start(r);
        for (unsigned i = 0; i < 4; i++)
            load_of(r, 10, line_of(0, i), 1);
        uint32_t atom = rig_ask(r, 10,
                                (mem_msg){.kind = MEM_ATOMIC,
                                          .addr = line_of(3, 9),
                                          .warp = (uint8_t)warp});
        uint32_t after = load_of(r, 10, line_of(1, 0), 2);
        rig_run(r, 2000);
        uint64_t place = 0; /* among messages to the network */
        for (uint32_t i = 0; i < r->sent.count; i++)
            if (mem_ring_at(&r->sent, i)->kind == MEM_ATOMIC)
                place = i;
        CHECK_EQ(place, warp == 1 ? 4 : 2);
        CHECK(r->at[after] > r->taken[atom]);
        CHECK_EQ(rig_stat(r, "stall_order") > 0, warp == 1);
        CHECK_EQ(rig_stat(r, "queue.passed"), 1);
        rig_free(r);
    }
}

/* A fence is answered when nothing of its warp is in the queues; it does not
 * wait for data. */
static void fence(cfg_l1_queue policy)
{
    for (unsigned warp = 1; warp < 3; warp++) {
        rig *r = queued(4, 8);

        r->cfg.l1.queue = policy;
        r->cfg.l1.mrpb.bypass = false;
        rig_start(r);
        for (unsigned i = 0; i < 3; i++)
            load_of(r, 10, line_of(0, i), 1);
        uint32_t tag =
            rig_ask(r, 10, (mem_msg){.kind = MEM_FENCE, .warp = (uint8_t)warp});
        rig_run(r, 2000);
        CHECK_EQ(r->done, 4);
        CHECK_EQ(r->kind[tag], MEM_FENCE);
        if (warp == 1)
            CHECK(r->at[tag] > 110 && r->at[tag] < r->at[2]);
        else
            CHECK_EQ(r->at[tag], 10 + 1 + 3 + 1);
        rig_free(r);
    }
}

TEST(a_fence_waits_for_queued_loads_of_its_warp)
{
    fence(CFG_L1_QUEUE_REOD);
    fence(CFG_L1_QUEUE_MRPB);
}

/* The LSU's port is full of replies when fences could be answered, and nothing
 * else is there, or heads that wait for a fill of much later. */
static void full_port(cfg_l1_queue policy, unsigned blocked)
{
    rig *r = queued(4, 8);

    r->cfg.l1.queue = policy;
    r->cfg.l1.mrpb.bypass = false;
    rig_start(r);
    rig_load(r, 0, line_of(0, 0));
    rig_run(r, 500);
    r->deaf = true;
    for (unsigned i = 0; i < 4; i++)
        load_of(r, 500, line_of(0, 0), 1);
    for (unsigned i = 0; i < blocked; i++)
        load_of(r, 545, line_of(1, i), 1);
    uint32_t first = rig_ask(r, 550, (mem_msg){.kind = MEM_FENCE});
    uint32_t second = rig_ask(r, 551, (mem_msg){.kind = MEM_FENCE, .warp = 2});
    rig_run(r, 600);
    CHECK_EQ(r->done, 1);
    CHECK(!l1_idle(r->b));
    r->deaf = false;
    rig_run(r, 2000);
    CHECK_EQ(r->done, 7 + blocked);
    /* Slots are free from 601 on; what is sent then is seen in 602. */
    CHECK_EQ(r->at[first], 602);
    CHECK_EQ(r->at[second], 603);
    rig_free(r);
}

TEST(fences_wait_for_the_port_to_the_LSU)
{
    for (unsigned blocked = 0; blocked < 4; blocked += 3) {
        full_port(CFG_L1_QUEUE_REOD, blocked);
        full_port(CFG_L1_QUEUE_MRPB, blocked);
    }
}

/* One is answered in a cycle, while all heads wait for a fill. */
TEST(two_fences_are_answered_one_after_the_other)
{
    rig *r = queued(4, 8);

    r->cfg.l1.tag_ports = 2;
    rig_start(r);
    for (unsigned i = 0; i < 3; i++)
        load_of(r, 10, line_of(0, i), 1);
    uint32_t first = rig_ask(r, 20, (mem_msg){.kind = MEM_FENCE, .warp = 2});
    uint32_t second = rig_ask(r, 20, (mem_msg){.kind = MEM_FENCE, .warp = 3});
    rig_run(r, 2000);
    CHECK_EQ(r->at[first], 20 + 1 + 1);
    CHECK_EQ(r->at[second], 20 + 1 + 2);
    rig_free(r);
}

TEST(a_volatile_load_waits_for_queued_loads_of_its_warp)
{
    for (unsigned ordered = 0; ordered < 2; ordered++) {
        rig *r = queued(4, 8);

        rig_start(r);
        rig_load(r, 0, line_of(1, 0));
        for (unsigned i = 0; i < 3; i++)
            load_of(r, 500, line_of(0, i), 1);
        uint32_t hit = rig_ask(r, 500,
                               (mem_msg){.kind = MEM_READ,
                                         .addr = line_of(1, 0),
                                         .ordered = ordered != 0,
                                         .warp = 1});
        rig_run(r, 2000);
        CHECK_EQ(r->at[hit] > 600, ordered);
        rig_free(r);
    }
}

/* A load that passes the cache waits for requests to its line. */
TEST(past_the_cache_requests_keep_their_order)
{
    rig *r = queued(4, 8);

    rig_start(r);
    for (unsigned i = 0; i < 3; i++)
        load_of(r, 10, line_of(0, i), 1);
    rig_ask(r, 10,
            (mem_msg){.kind = MEM_READ,
                      .addr = line_of(0, 2),
                      .hint = CACHE_CG,
                      .warp = 2});
    rig_ask(
        r, 10,
        (mem_msg){
            .kind = MEM_WRITE, .addr = line_of(0, 2), .ack = true, .warp = 2});
    rig_run(r, 2000);
    CHECK_EQ(r->sent.count, 5);
    CHECK_EQ(mem_ring_at(&r->sent, 2)->client, CLIENT_L1);
    CHECK_EQ(mem_ring_at(&r->sent, 3)->hint, CACHE_CG);
    CHECK_EQ(mem_ring_at(&r->sent, 4)->kind, MEM_WRITE);
    rig_free(r);
}

/* What passes the cache drops a line: a head that has been refused before takes
 * the free slot, not that of the line it would have thrown out. */
TEST(a_head_sees_that_its_set_has_changed)
{
    rig *r = queued(4, 8);

    r->cfg.l1.mshrs = 1;
    rig_start(r);
    rig_load(r, 0, line_of(0, 0));
    rig_load(r, 200, line_of(0, 1));
    rig_load(r, 500, line_of(1, 5)); /* has the MSHR */
    load_of(r, 505, line_of(0, 2), 1);
    rig_ask(r, 510,
            (mem_msg){.kind = MEM_READ,
                      .addr = line_of(0, 1),
                      .hint = CACHE_CG,
                      .warp = 2});
    rig_load(r, 1000, line_of(0, 0));
    rig_run(r, 2000);
    CHECK_EQ(rig_stat(r, "drops"), 1);
    CHECK_EQ(rig_stat(r, "evictions"), 0);
    CHECK_EQ(rig_stat(r, "global_read_hits"), 1);
    rig_free(r);
}

/* Nothing is lost when nothing more comes, and nothing is forgotten while
 * something is held. */
TEST(a_cache_with_requests_in_queues_is_not_idle)
{
    rig *r = queued(4, 8);

    rig_start(r);
    for (unsigned i = 0; i < 6; i++)
        rig_load(r, 0, line_of(0, i));
    rig_run(r, 30); /* none has returned */
    CHECK_EQ(r->from_lsu.count, 0);
    CHECK(!l1_idle(r->b));
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    l1_dump(r->b, f);
    fclose(f);
    CHECK(strstr(text, "queue 0: 4 of 8") != NULL);
    CHECK(strstr(text, "set full") != NULL);
    free(text);
    r->next = 0;
    rig_run(r, 5000);
    CHECK_EQ(r->done, 6);
    CHECK(l1_idle(r->b));
    l1_reset(r->b, 0, 0);
    rig_load(r, r->now, line_of(0, 5));
    r->next = 0;
    rig_run(r, 9000);
    CHECK_EQ(rig_stat(r, "global_read_misses"), 7);
    rig_free(r);
}

/* Each MSHR that comes free goes to the next queue, though all requests of the
 * first came before all of the second. */
TEST(heads_are_served_in_turn)
{
    rig *r = queued(4, 8);

    r->cfg.l1.mshrs = 1;
    r->lsu_slots = 64;
    rig_start(r);
    for (unsigned i = 0; i < 12; i++)
        rig_load(r, 0, line_of(i / 3, i));
    rig_run(r, 3000);
    CHECK_EQ(r->done, 12);
    for (unsigned i = 0; i < 12; i++)
        CHECK_EQ(mem_ring_at(&r->sent, i)->addr / 128 % 4, i % 4);
    rig_free(r);
}

/* setbit leaves out heads of full sets without looking at their tags, so it
 * holds up a merge; aware does not. */
TEST(setbit_holds_up_a_merge_into_a_full_set)
{
    for (unsigned k = 0; k < 2; k++) {
        rig *r = queued(4, 8);

        r->cfg.l1.reod.select =
            k ? CFG_REOD_SELECT_SETBIT : CFG_REOD_SELECT_AWARE;
        rig_start(r);
        rig_load(r, 0, line_of(0, 0));
        rig_load(r, 0, line_of(0, 1));
        rig_load(r, 20, line_of(0, 0));
        rig_run(r, 2000);
        CHECK_EQ(rig_stat(r, "global_read_merges"), !k);
        CHECK_EQ(rig_stat(r, "global_read_hits"), k);
        CHECK_EQ(rig_stat(r, "stall_set_full") > 0, k);
        rig_free(r);
    }
}

/* A blind selector loses cycles with heads that are refused. */
TEST(a_blind_selection_loses_cycles)
{
    uint64_t at[2];

    for (unsigned k = 0; k < 2; k++) {
        rig *r = queued(4, 8);

        r->cfg.l1.reod.select =
            k ? CFG_REOD_SELECT_BLIND : CFG_REOD_SELECT_AWARE;
        rig_start(r);
        rig_load(r, 0, line_of(1, 0));
        for (unsigned i = 0; i < 3; i++)
            rig_load(r, 500, line_of(0, i));
        for (unsigned i = 0; i < 8; i++)
            rig_load(r, 500, line_of(1, 0));
        rig_run(r, 2000);
        at[k] = r->at[11];
        rig_free(r);
    }
    /* Every other turn is that of the blocked head. */
    CHECK(at[1] >= at[0] + 5 && at[1] <= at[0] + 9);
}

/* A load that goes around a full set needs a place in the miss queue, too: four
 * messages are in the port, two behind it. */
TEST(what_goes_around_the_cache_needs_the_miss_queue)
{
    rig *r = queued(4, 8);

    r->cfg.l1.queue = CFG_L1_QUEUE_MRPB;
    r->cfg.l1.sets = 1;
    r->cfg.l1.ways = 6;
    r->cfg.l1.miss_queue = 2;
    r->net_stuck = true;
    rig_start(r);
    for (unsigned i = 0; i < 7; i++)
        rig_load(r, 0, line_of(0, i));
    rig_run(r, 100);
    CHECK_EQ(rig_stat(r, "global_reads"), 6);
    CHECK(rig_stat(r, "stall_miss_queue") > 50);
    r->net_stuck = false;
    r->next = 0;
    rig_run(r, 2000);
    CHECK_EQ(rig_stat(r, "global_read_bypasses"), 1);
    CHECK_EQ(rig_stat(r, "queue.around"), 1);
    CHECK_EQ(r->done, 7);
    rig_free(r);
}

/* Labels only: the same times, other names. */
TEST(the_order_of_causes_changes_names_only)
{
    uint64_t at[2], mshr[2], queue[2];

    for (unsigned k = 0; k < 2; k++) {
        rig *r = rig_new();

        r->cfg.l1.cause_order =
            k ? CFG_CAUSE_ORDER_GPGPUSIM : CFG_CAUSE_ORDER_SOURCE;
        r->cfg.l1.mshrs = 2;
        r->cfg.l1.miss_queue = 2;
        r->net_stuck = true;
        rig_start(r);
        for (unsigned i = 0; i < 9; i++)
            rig_load(r, 0, line_of(i % 4, i));
        rig_run(r, 200);
        r->net_stuck = false;
        r->next = 0;
        rig_run(r, 5000);
        at[k] = r->at[8];
        mshr[k] = rig_stat(r, "stall_mshr_entry");
        queue[k] = rig_stat(r, "stall_miss_queue");
        rig_free(r);
    }
    CHECK_EQ(at[0], at[1]);
    CHECK_EQ(mshr[0] + queue[0], mshr[1] + queue[1]);
    CHECK(mshr[1] < mshr[0]);
}
