/* tests/unit/cache/test_l1_reod.c - queues by set in front of the L1, each rule
 * by a few requests worked out by hand. */
#include "l1_rig.h"

/* Addresses of set s with another line for each i. */
static uint64_t line_of(unsigned s, unsigned i)
{
    return 0x10000 + ((uint64_t)i * 4 + s) * 128;
}

/* From the cycle in which the tags perform it to the reply at the LSU, and to
 * the fill of the line. */
enum { HIT = 10, MISS = 3 + 1 + 100 + 1 + 5, FILL = MISS - 5 };

static rig *reod_new(unsigned queues, unsigned depth)
{
    rig *r = rig_new();

    r->cfg.l1.queue = CFG_L1_QUEUE_REOD;
    r->cfg.l1.reod.queues = queues;
    r->cfg.l1.reod.depth = depth;
    return r;
}

static uint32_t load_of(rig *r, uint64_t when, unsigned warp, uint64_t addr)
{
    return rig_ask(
        r, when,
        (mem_msg){.kind = MEM_READ, .addr = addr, .warp = (uint8_t)warp});
}

static void done(rig *r)
{
    CHECK_EQ(r->done + r->silent, r->entered);
    CHECK(l1_idle(r->b));
    CHECK_EQ(rig_stat(r, "queue.entered") + rig_stat(r, "queue.passed") +
                 rig_stat(r, "queue.bypassed"),
             rig_stat(r, "tag_lookups"));
    rig_free(r);
}

/* Offered in t, seen and entered in t + 1, performed in t + 2. */
TEST(a_request_enters_in_one_cycle_and_is_performed_in_the_next)
{
    rig *r = reod_new(4, 4);

    rig_start(r);
    uint32_t miss = rig_load(r, 10, line_of(0, 0));
    uint32_t hit = rig_load(r, 500, line_of(0, 0));
    rig_run(r, 1000);
    CHECK_EQ(r->at[miss], 12 + MISS);
    CHECK_EQ(r->at[hit], 502 + HIT);
    CHECK_EQ(rig_stat(r, "blocked_cycles"), 0);
    CHECK_EQ(rig_stat(r, "input_blocked"), 0);
    CHECK_EQ(rig_stat(r, "queue.held_1"), 2);
    CHECK_EQ(rig_stat(r, "queue.held_by_0"), 2);
    CHECK_EQ(rig_stat(r, "queue.held_0"), 4 * r->now - 2);
    CHECK_EQ(rig_stat(r, "queue.probes"), 2);
    done(r);
}

TEST(an_empty_queue_can_be_bypassed)
{
    rig *r = reod_new(4, 4);

    r->cfg.l1.reod.bypass_empty = true;
    rig_start(r);
    uint32_t miss = rig_load(r, 10, line_of(0, 0));
    uint32_t hit = rig_load(r, 500, line_of(0, 0));
    rig_run(r, 1000);
    CHECK_EQ(r->at[miss], 11 + MISS);
    CHECK_EQ(r->at[hit], 501 + HIT);
    CHECK_EQ(rig_stat(r, "queue.bypassed"), 2);
    CHECK_EQ(rig_stat(r, "queue.entered"), 0);
    done(r);
}

/* Set 1 has two ways. Its third line is the head of its queue in 4, in which
 * nothing else is there, and from 6 on; in 5 the line of set 2 is performed. */
static void full_set(cfg_reod_select select, uint64_t other, uint64_t lost)
{
    rig *r = reod_new(4, 4);

    r->cfg.l1.reod.select = select;
    rig_start(r);
    rig_load(r, 0, line_of(1, 0));
    rig_load(r, 1, line_of(1, 1));
    uint32_t third = rig_load(r, 2, line_of(1, 2));
    rig_load(r, 3, line_of(2, 0));
    uint32_t last = rig_load(r, 4, line_of(2, 1));
    rig_run(r, 1000);
    CHECK_EQ(r->at[third], 2 + FILL + MISS);
    CHECK_EQ(r->at[3], 5 + MISS);
    CHECK_EQ(r->at[last], other + MISS);
    /* 4, and all cycles from `other` + 1 until the fill; and one if lost. */
    uint64_t blocked = 1 + lost + 2 + FILL - (other + 1);
    CHECK_EQ(rig_stat(r, "blocked_cycles"), blocked);
    CHECK_EQ(rig_stat(r, "stall_set_full"), blocked);
    CHECK_EQ(rig_stat(r, "queue.heads_set_full"), blocked);
    CHECK_EQ(rig_stat(r, "refused_set_full"), 1);
    CHECK_EQ(rig_stat(r, "input_blocked"), 0);
    CHECK_EQ(rig_stat(r, "queue.grants_1"), 3);
    CHECK_EQ(rig_stat(r, "queue.grants_2"), 2);
    CHECK_EQ(rig_stat(r, "queue.early_0"), 3);
    CHECK_EQ(rig_stat(r, "queue.early_1"), 2); /* both of set 2 */
    CHECK_EQ(rig_stat(r, "queue.late_2"), 1);
    CHECK_EQ(rig_stat(r, "reserved_taken_1"), 3 - 1);
    CHECK_EQ(rig_stat(r, "reserved_taken_2"), 3);
    done(r);
}

TEST(a_full_set_holds_up_its_own_queue_only)
{
    full_set(CFG_REOD_SELECT_AWARE, 6, 0);
}

/* In 5 the turn is that of queue 3, so in 6 queue 1 has it and is refused. */
TEST(blind_selection_loses_the_cycle) { full_set(CFG_REOD_SELECT_BLIND, 7, 1); }

TEST(setbit_skips_a_full_set) { full_set(CFG_REOD_SELECT_SETBIT, 6, 0); }

/* A line comes from the data array in 4 cycles: performed in 502, 506, ... The
 * turn is with the queue after the one that was performed last. */
TEST(queues_have_their_turns)
{
    rig *r = reod_new(4, 4);
    uint32_t t[5];

    r->cfg.l1.data_bytes = 32;
    rig_start(r);
    for (unsigned s = 0; s < 3; s++)
        rig_load(r, s, line_of(s, 0));
    t[0] = rig_load(r, 500, line_of(0, 0));
    t[1] = rig_load(r, 501, line_of(0, 0));
    t[2] = rig_load(r, 502, line_of(0, 0));
    t[3] = rig_load(r, 503, line_of(1, 0));
    t[4] = rig_load(r, 504, line_of(2, 0));
    rig_run(r, 1000);
    CHECK_EQ(r->at[t[0]], 502 + HIT);
    CHECK_EQ(r->at[t[3]], 506 + HIT);
    CHECK_EQ(r->at[t[4]], 510 + HIT);
    CHECK_EQ(r->at[t[1]], 514 + HIT);
    CHECK_EQ(r->at[t[2]], 518 + HIT);
    CHECK_EQ(rig_stat(r, "stall_data_port"), 3 * 4);
    /* Refused in 503: 1 head, 504: 1, 505: 2, 507 to 509: 2, and so on. */
    CHECK_EQ(rig_stat(r, "queue.heads_data_port"), 4 + 3 * 2 + 3 + 3);
    CHECK_EQ(rig_stat(r, "refused_data_port"), 4);
    CHECK_EQ(rig_stat(r, "queue.early_2"), 2);
    CHECK_EQ(rig_stat(r, "queue.late_2"), 2);
    done(r);
}

/* A load of a line awaited in a full set merges if tags are looked up. */
static void merge(cfg_reod_select select, uint64_t due)
{
    rig *r = reod_new(4, 4);

    r->cfg.l1.reod.select = select;
    rig_start(r);
    rig_load(r, 0, line_of(1, 0));
    rig_load(r, 1, line_of(1, 1));
    uint32_t again = rig_load(r, 2, line_of(1, 0));
    rig_run(r, 1000);
    CHECK_EQ(r->at[again], due);
    done(r);
}

TEST(setbit_delays_a_merge_into_a_full_set)
{
    merge(CFG_REOD_SELECT_AWARE, 2 + MISS + 1); /* the second reply */
    merge(CFG_REOD_SELECT_SETBIT, 2 + FILL + HIT);
}

/* The list of line 0 of set 1 is full, its set is not. In 4 queue 2 has the
 * turn, from 5 on queue 1. */
static void list_full(cfg_reod_select select, uint64_t last)
{
    rig *r = reod_new(4, 4);

    r->cfg.l1.reod.select = select;
    r->cfg.l1.merges = 1;
    rig_start(r);
    rig_load(r, 0, line_of(1, 0));
    uint32_t again = rig_load(r, 1, line_of(1, 0));
    rig_load(r, 2, line_of(2, 0));
    uint32_t other = rig_load(r, 3, line_of(2, 1));
    rig_run(r, 1000);
    CHECK_EQ(r->at[again], 2 + FILL + HIT);
    CHECK_EQ(r->at[2], 4 + MISS);
    CHECK_EQ(r->at[other], last + MISS);
    CHECK_EQ(rig_stat(r, "stall_set_full"), 0);
    CHECK_EQ(rig_stat(r, "refused_mshr_merge"), 1);
    done(r);
}

TEST(setbit_is_held_up_by_all_but_full_sets)
{
    list_full(CFG_REOD_SELECT_AWARE, 5);
    list_full(CFG_REOD_SELECT_SETBIT, 2 + FILL + 1);
}

/* Set 1 is full and its queue holds one: the next one of that set blocks the
 * arrivals from 5 on, those of other sets with it. */
TEST(a_full_queue_blocks_arrivals)
{
    rig *r = reod_new(4, 1);

    rig_start(r);
    for (unsigned i = 0; i < 4; i++)
        rig_load(r, i, line_of(1, i));
    uint32_t other = rig_load(r, 4, line_of(2, 0));
    rig_run(r, 1000);
    /* The head is performed at the fill, and its place taken at once. */
    uint64_t fill = 2 + FILL;
    CHECK_EQ(rig_stat(r, "stall_queue_full"), fill - 4);
    CHECK_EQ(rig_stat(r, "input_blocked"), fill - 4);
    CHECK_EQ(rig_stat(r, "refused_queue_full"), 1);
    CHECK_EQ(r->at[2], fill + MISS);
    CHECK_EQ(r->at[3], fill + 1 + MISS); /* the second fill */
    CHECK_EQ(r->at[other], fill + 2 + MISS);
    done(r);
}

/* Loads of sets s and t: how many go through queue 0. */
static uint64_t in_queue_0(cfg_reod_map map, unsigned s, unsigned t)
{
    rig *r = reod_new(3, 4);
    uint64_t n;

    r->cfg.l1.reod.map = map;
    rig_start(r);
    rig_load(r, 0, line_of(s, 0));
    rig_load(r, 1, line_of(t, 0));
    rig_run(r, 1000);
    n = rig_stat(r, "queue.grants_0");
    done(r);
    return n;
}

TEST(queues_need_not_divide_the_sets)
{
    CHECK_EQ(in_queue_0(CFG_REOD_MAP_MOD, 0, 3), 2);
    CHECK_EQ(in_queue_0(CFG_REOD_MAP_MOD, 0, 1), 1);
    CHECK_EQ(in_queue_0(CFG_REOD_MAP_BLOCK, 0, 1), 2);
    CHECK_EQ(in_queue_0(CFG_REOD_MAP_BLOCK, 0, 2), 1);
    CHECK_EQ(in_queue_0(CFG_REOD_MAP_BLOCK, 0, 3), 1);
}

TEST(two_tag_ports_choose_twice_and_two_enter)
{
    rig *r = reod_new(4, 4);

    r->cfg.l1.tag_ports = 2;
    rig_start(r);
    for (unsigned i = 0; i < 4; i++)
        rig_load(r, 10, line_of(i, 0));
    rig_run(r, 1000);
    /* Entered in 11, 11, 12, 12. */
    CHECK_EQ(rig_stat(r, "queue.held_1"), 4);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(r->at[i], 12 + MISS + i); /* one miss leaves in a cycle */
    done(r);
}

/* ---- order ---- */

static uint32_t pass(rig *r, uint64_t when, uint64_t addr)
{
    return rig_ask(r, when,
                   (mem_msg){.kind = MEM_READ, .addr = addr, .hint = CACHE_CG});
}

/* Line 2 of set 1 waits in its queue for the fill. */
static rig *blocked_set(void)
{
    rig *r = reod_new(4, 4);

    rig_start(r);
    for (unsigned i = 0; i < 3; i++)
        load_of(r, i, 7, line_of(1, i));
    return r;
}

TEST(what_passes_the_cache_does_not_enter)
{
    rig *r = blocked_set();
    uint32_t other = pass(r, 10, line_of(1, 3));

    rig_run(r, 1000);
    CHECK_EQ(r->at[other], 11 + MISS);
    CHECK_EQ(rig_stat(r, "queue.passed"), 1);
    CHECK_EQ(rig_stat(r, "input_blocked"), 0);
    done(r);
}

TEST(what_passes_the_cache_does_not_overtake_its_line)
{
    rig *r = blocked_set();
    uint32_t same = pass(r, 10, line_of(1, 2));
    uint32_t behind = pass(r, 11, line_of(3, 0));

    rig_run(r, 1000);
    uint64_t fill = 2 + FILL;
    CHECK_EQ(r->at[same], fill + 1 + MISS);
    CHECK_EQ(r->at[behind], fill + 2 + MISS);
    CHECK_EQ(rig_stat(r, "stall_order"), fill + 1 - 11);
    CHECK_EQ(rig_stat(r, "input_blocked"), fill + 1 - 11);
    CHECK_EQ(rig_stat(r, "refused_order"), 1);
    done(r);
}

/* Heads first: one of them may be the only one that can go. */
TEST(what_passes_the_cache_waits_for_heads)
{
    rig *r = reod_new(4, 4);

    rig_start(r);
    uint32_t head = rig_load(r, 10, line_of(0, 0));
    uint32_t past = pass(r, 11, line_of(1, 0));
    rig_run(r, 1000);
    CHECK_EQ(r->at[head], 12 + MISS);
    CHECK_EQ(r->at[past], 13 + MISS);
    CHECK_EQ(rig_stat(r, "input_blocked"), 1);
    done(r);
}

TEST(atomics_wait_for_loads_of_their_warp_alone)
{
    rig *r = blocked_set();
    mem_msg m = {.kind = MEM_ATOMIC, .addr = line_of(3, 0), .warp = 8};
    uint32_t other = rig_ask(r, 10, m);
    m.warp = 7;
    uint32_t own = rig_ask(r, 20, m);
    m.kind = MEM_REDUCE;
    uint32_t next = rig_ask(r, 21, m);

    rig_run(r, 1000);
    uint64_t fill = 2 + FILL;
    CHECK_EQ(r->at[other], 11 + MISS);
    CHECK_EQ(r->at[own], fill + 1 + MISS);
    CHECK_EQ(r->at[next], fill + 2 + MISS);
    done(r);
}

/* They enter queues, so the second one waits for the first one. */
TEST(volatile_accesses_wait_for_those_of_their_warp)
{
    rig *r = blocked_set();
    mem_msg m = {.kind = MEM_READ, .addr = line_of(2, 0), .ordered = true};

    m.warp = 7;
    uint32_t own = rig_ask(r, 10, m);
    m.addr = line_of(3, 0);
    uint32_t next = rig_ask(r, 11, m);
    rig_run(r, 1000);
    uint64_t fill = 2 + FILL;
    CHECK_EQ(r->at[own], fill + 1 + MISS);
    CHECK_EQ(r->at[next], fill + 2 + MISS);
    CHECK_EQ(rig_stat(r, "stall_order"), fill - 11);
    done(r);
}

TEST(fences_are_answered_when_the_warps_requests_were_performed)
{
    rig *r = blocked_set();
    mem_msg m = {.kind = MEM_FENCE, .warp = 8};
    uint32_t other = rig_ask(r, 10, m);

    m.warp = 7;
    uint32_t own = rig_ask(r, 11, m);
    load_of(r, 12, 7, line_of(2, 0)); /* not held up by a fence */
    rig_run(r, 1000);
    CHECK_EQ(r->at[other], 12);
    CHECK_EQ(r->kind[other], MEM_FENCE);
    CHECK_EQ(r->at[own], 2 + FILL + 1);
    CHECK_EQ(r->at[5], 14 + MISS);
    CHECK_EQ(r->done, r->entered);
    CHECK(l1_idle(r->b));
    rig_free(r);
}

TEST(stores_keep_their_place_among_loads_of_the_line)
{
    rig *r = blocked_set();
    mem_msg m = {.kind = MEM_WRITE, .addr = line_of(1, 2), .ack = true};
    uint32_t store = rig_ask(r, 10, m);
    uint32_t load = rig_load(r, 11, line_of(1, 2));

    rig_run(r, 1000);
    uint64_t fill = 2 + FILL;
    /* Merges with the load before the store, which leaves a reserved line; and
     * replies leave one by one. */
    CHECK_EQ(r->at[load], fill + MISS + 1);
    CHECK_EQ(r->at[store], fill + MISS + 2);
    CHECK_EQ(rig_stat(r, "queue.entered"), 5);
    done(r);
}

/* ---- causes ---- */

/* The MSHR of set 0's line is the only one, and its miss takes the only place
 * in the miss queue, until 5 or until the network takes it. */
static void both_full(cfg_l1_queue queue, cfg_cause_order order, bool other)
{
    rig *r = reod_new(4, 4);
    uint32_t t;

    r->cfg.l1.queue = queue;
    r->cfg.l1.cause_order = order;
    r->cfg.l1.mshrs = 1;
    r->cfg.l1.merges = 1;
    r->cfg.l1.miss_queue = 1;
    rig_start(r);
    rig_load(r, 0, line_of(0, 0));
    t = rig_load(r, 1, line_of(0, other));
    rig_run(r, 1000);
    /* The first one is performed in p and leaves in p + 3. */
    uint64_t p = queue == CFG_L1_QUEUE_FIFO ? 1 : 2;
    uint64_t mq = order == CFG_CAUSE_ORDER_GPGPUSIM ? 2 : 0;
    CHECK_EQ(r->at[t], p + FILL + (other ? MISS : HIT));
    CHECK_EQ(rig_stat(r, "stall_miss_queue"), mq);
    CHECK_EQ(rig_stat(r, other ? "stall_mshr_entry" : "stall_mshr_merge"),
             FILL - 1 - mq);
    CHECK_EQ(rig_stat(r, "refused_miss_queue"), mq != 0);
    if (queue != CFG_L1_QUEUE_FIFO)
        CHECK_EQ(rig_stat(r, "queue.heads_miss_queue"), mq);
    CHECK_EQ(r->done, 2);
    rig_free(r);
}

TEST(the_order_of_causes_names_what_is_lacking_twice)
{
    for (int queue = 0; queue < 2; queue++)
        for (int order = 0; order < 2; order++)
            for (int other = 0; other < 2; other++)
                both_full(queue ? CFG_L1_QUEUE_REOD : CFG_L1_QUEUE_FIFO,
                          order ? CFG_CAUSE_ORDER_GPGPUSIM
                                : CFG_CAUSE_ORDER_SOURCE,
                          other);
}

/* Two heads, refused for different causes: the cycle has that of the first. */
TEST(a_blocked_cycle_has_the_cause_of_the_first_head)
{
    rig *r = reod_new(4, 4);

    r->cfg.l1.merges = 1;
    r->net_stuck = true;
    rig_start(r);
    rig_load(r, 0, line_of(1, 0));
    rig_load(r, 1, line_of(1, 1));
    rig_load(r, 2, line_of(2, 0));
    rig_load(r, 3, line_of(2, 0));  /* list full: in 6, and from then on */
    rig_load(r, 10, line_of(1, 2)); /* full set: from 12 on */
    rig_run(r, 62);
    CHECK_EQ(rig_stat(r, "blocked_cycles"), 62 - 5);
    /* The turn is with queue 3, so queue 1 comes before queue 2. */
    CHECK_EQ(rig_stat(r, "stall_mshr_merge"), 12 - 5);
    CHECK_EQ(rig_stat(r, "stall_set_full"), 62 - 12);
    CHECK_EQ(rig_stat(r, "queue.heads_mshr_merge"), 62 - 5);
    CHECK_EQ(rig_stat(r, "queue.heads_set_full"), 62 - 12);
    r->net_stuck = false;
    rig_run(r, 1000);
    done(r);
}

TEST(the_hang_report_shows_queues)
{
    rig *r = blocked_set();
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    pass(r, 10, line_of(1, 2));
    rig_run(r, 50);
    l1_dump(r->b, f);
    fclose(f);
    CHECK(strstr(text, "set full"));
    CHECK(strstr(text, "oldest arrival: requests before it come first"));
    CHECK(strstr(text, "queue 1: 1 of 4, first line 0x10480 of set 1, warp 7"));
    free(text);
    rig_run(r, 1000);
    done(r);
}
