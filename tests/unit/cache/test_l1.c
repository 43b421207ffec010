/* tests/unit/cache/test_l1.c - latencies, refusals and policies of the L1. */
#include "l1_rig.h"

/* Addresses of set s with another line for each i. */
static uint64_t line_of(unsigned s, unsigned i)
{
    return 0x10000 + ((uint64_t)i * 4 + s) * 128;
}

/* Offered in t, seen in t + 1. A miss leaves the L1 miss_latency later, is
 * seen by the network after the port's cycle, comes back `latency` later, is
 * seen after the port's cycle and has fill_latency to go. */
enum { MISS = 1 + 3 + 1 + 100 + 1 + 5, HIT = 1 + 10 };

TEST(hit_and_miss_take_exactly_the_configured_cycles)
{
    rig *r = rig_new();

    rig_start(r);
    uint32_t miss = rig_load(r, 10, line_of(0, 0));
    uint32_t hit = rig_load(r, 500, line_of(0, 0));
    rig_run(r, 1000);
    CHECK_EQ(r->at[miss], 10 + MISS);
    CHECK_EQ(r->at[hit], 500 + HIT);
    CHECK_EQ(rig_stat(r, "global_read_misses"), 1);
    CHECK_EQ(rig_stat(r, "global_read_hits"), 1);
    CHECK_EQ(rig_stat(r, "fills"), 1);
    CHECK_EQ(rig_stat(r, "read_latency"), MISS + HIT);
    CHECK_EQ(rig_stat(r, "miss_latency"), MISS);
    CHECK_EQ(rig_stat(r, "miss_cycles_96"), 1); /* of 96 to 127 */
    CHECK_EQ(rig_stat(r, "mshrs_taken_1"), 1);
    CHECK_EQ(rig_stat(r, "blocked_cycles"), 0);
    CHECK(l1_idle(r->b));
    rig_free(r);
}

typedef struct counted_turn {
    mem_turn turn; /* first */
    unsigned taken;
} counted_turn;

static void count_turn(mem_turn *t) { ((counted_turn *)t)->taken++; }

TEST(what_a_load_does_in_its_turn_is_done_once_whether_it_hits_or_not)
{
    rig *r = rig_new();
    counted_turn turn[2] = {{.turn.take = count_turn},
                            {.turn.take = count_turn}};

    rig_start(r);
    for (unsigned i = 0; i < 2; i++)
        rig_ask(r, 10 + 490 * i,
                (mem_msg){.kind = MEM_READ,
                          .addr = line_of(0, 0),
                          .turn = &turn[i].turn});
    rig_run(r, 1000);
    CHECK_EQ(rig_stat(r, "global_read_hits"), 1);
    CHECK_EQ(turn[0].taken, 1);
    CHECK_EQ(turn[1].taken, 1);
    rig_free(r);
}

TEST(hits_stream_at_one_line_a_cycle)
{
    rig *r = rig_new();

    rig_start(r);
    rig_load(r, 0, line_of(0, 0));
    for (unsigned i = 0; i < 100; i++)
        rig_load(r, 300, line_of(0, 0));
    rig_run(r, 1000);
    CHECK_EQ(r->at[100], 300 + HIT + 99);
    rig_free(r);
}

TEST(narrow_data_array_halves_the_rate)
{
    rig *r = rig_new();

    r->cfg.l1.data_bytes = 64;
    rig_start(r);
    rig_load(r, 0, line_of(0, 0));
    for (unsigned i = 0; i < 50; i++)
        rig_load(r, 300, line_of(0, 0));
    uint32_t few = rig_ask(
        r, 600,
        (mem_msg){.kind = MEM_READ, .addr = line_of(0, 0), .sectors = 1});
    uint32_t more = rig_ask(
        r, 600,
        (mem_msg){.kind = MEM_READ, .addr = line_of(0, 0), .sectors = 2});
    rig_run(r, 1000);
    CHECK_EQ(r->at[50], 300 + HIT + 2 * 49);
    CHECK_EQ(rig_stat(r, "stall_data_port"), 49);
    CHECK_EQ(rig_stat(r, "refused_data_port"), 49);
    CHECK_EQ(r->at[few], 600 + HIT); /* half a cycle each, one tag port */
    CHECK_EQ(r->at[more], 600 + HIT + 1);
    rig_free(r);
}

TEST(loads_to_an_awaited_line_merge_up_to_the_limit)
{
    rig *r = rig_new();
    uint32_t t[5];

    rig_start(r);
    for (unsigned i = 0; i < 5; i++)
        t[i] = rig_load(r, i, line_of(0, 0));
    rig_run(r, 1000);
    CHECK_EQ(r->sent.count, 1);
    CHECK_EQ(r->at[t[0]], MISS);
    CHECK_EQ(r->at[t[1]], MISS + 1); /* one reply a cycle */
    CHECK_EQ(r->at[t[2]], MISS + 2);
    /* The list holds three. The fourth is seen in 4 and retried up to the
     * cycle of the fill, which is before the tags: it hits in that cycle. */
    uint64_t fill = MISS - 5;
    CHECK_EQ(r->at[t[3]], fill + 10);
    CHECK_EQ(rig_stat(r, "stall_mshr_merge"), fill - 4);
    CHECK_EQ(rig_stat(r, "refused_mshr_merge"), 1);
    CHECK_EQ(rig_stat(r, "global_read_merges"), 2);
    CHECK_EQ(rig_stat(r, "global_read_hits"), 2);
    rig_free(r);
}

TEST(full_set_refuses_until_a_line_is_filled)
{
    rig *r = rig_new();

    rig_start(r);
    rig_load(r, 0, line_of(1, 0));
    rig_load(r, 1, line_of(1, 1));
    uint32_t third = rig_load(r, 2, line_of(1, 2));
    uint32_t other = rig_load(r, 3, line_of(2, 0)); /* behind it: waits, too */
    rig_run(r, 1000);
    uint64_t fill = MISS - 5;
    CHECK_EQ(rig_stat(r, "stall_set_full"), fill - 3);
    CHECK_EQ(rig_stat(r, "refused_set_full"), 1);
    CHECK_EQ(rig_stat(r, "blocked_cycles"), fill - 3);
    CHECK_EQ(r->at[third], fill - 1 + MISS);
    CHECK_EQ(r->at[other], fill + MISS);
    CHECK_EQ(rig_stat(r, "evictions"), 1);
    rig_free(r);
}

TEST(streaming_allocation_never_finds_the_set_full)
{
    rig *r = rig_new();

    r->cfg.l1.alloc = CFG_ALLOC_ON_FILL;
    rig_start(r);
    for (unsigned i = 0; i < 4; i++)
        rig_load(r, i, line_of(1, i));
    rig_run(r, 1000);
    CHECK_EQ(rig_stat(r, "blocked_cycles"), 0);
    CHECK_EQ(rig_stat(r, "evictions"), 2);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(r->at[i], i + MISS);
    rig_free(r);
}

TEST(no_free_mshr_refuses_until_one_is_freed)
{
    rig *r = rig_new();

    r->cfg.l1.miss_queue = 8;
    rig_start(r);
    for (unsigned i = 0; i < 4; i++)
        rig_load(r, i, line_of(i, 0));
    uint32_t fifth = rig_load(r, 4, line_of(0, 1));
    rig_run(r, 1000);
    uint64_t fill = MISS - 5;
    CHECK_EQ(rig_stat(r, "stall_mshr_entry"), fill - 5);
    CHECK_EQ(rig_stat(r, "refused_mshr_entry"), 1);
    CHECK_EQ(r->at[fifth], fill - 1 + MISS);
    rig_free(r);
}

TEST(full_miss_queue_refuses_until_one_leaves)
{
    rig *r = rig_new();

    r->cfg.l1.miss_queue = 2;
    r->cfg.l1.miss_latency = 6;
    rig_start(r);
    for (unsigned i = 0; i < 3; i++)
        rig_load(r, i, line_of(i, 0));
    rig_run(r, 1000);
    /* Seen in 1, 2, 3; the first leaves in 7, before the tags. */
    CHECK_EQ(rig_stat(r, "stall_miss_queue"), 7 - 3);
    CHECK_EQ(rig_stat(r, "refused_miss_queue"), 1);
    CHECK_EQ(r->at[2], 7 - 1 + MISS + 3);
    rig_free(r);
}

TEST(stuck_network_fills_the_queue_and_is_counted)
{
    rig *r = rig_new();

    r->net_stuck = true;
    r->cfg.l1.mshrs = 32;
    r->cfg.l1.ways = 16;
    rig_start(r);
    for (unsigned i = 0; i < 20; i++)
        rig_load(r, i, line_of(i % 4, i));
    rig_run(r, 200);
    /* Four in the port, four in the queue. The fifth is due in 4 + 4. */
    CHECK_EQ(rig_stat(r, "requests_sent"), 4);
    CHECK_EQ(rig_stat(r, "global_reads"), 8);
    CHECK_EQ(rig_stat(r, "network_blocked"), 200 - 8);
    CHECK_EQ(rig_stat(r, "stall_miss_queue"), 200 - 9);
    r->net_stuck = false;
    rig_run(r, 3000);
    CHECK_EQ(r->done, 20);
    rig_free(r);
}

TEST(least_recently_used_way_is_replaced)
{
    rig *r = rig_new();

    rig_start(r);
    rig_load(r, 0, line_of(0, 0));
    rig_load(r, 200, line_of(0, 1));
    rig_load(r, 400, line_of(0, 0));                 /* hit: now the younger */
    rig_load(r, 600, line_of(0, 2));                 /* replaces line 1 */
    uint32_t zero = rig_load(r, 800, line_of(0, 0)); /* hit */
    uint32_t one = rig_load(r, 1000, line_of(0, 1)); /* miss */
    rig_run(r, 2000);
    CHECK_EQ(r->at[zero], 800 + HIT);
    CHECK_EQ(r->at[one], 1000 + MISS);
    rig_free(r);
}

TEST(sectors_are_fetched_alone_where_the_cache_has_them)
{
    rig *r = rig_new();

    r->cfg.l1.sector = 32;
    rig_start(r);
    uint64_t a = line_of(0, 0);
    rig_ask(r, 0, (mem_msg){.kind = MEM_READ, .addr = a, .sectors = 0x1});
    rig_ask(r, 1, (mem_msg){.kind = MEM_READ, .addr = a, .sectors = 0x3});
    rig_ask(r, 2, (mem_msg){.kind = MEM_READ, .addr = a, .sectors = 0x2});
    rig_ask(r, 300, (mem_msg){.kind = MEM_READ, .addr = a, .sectors = 0x7});
    rig_run(r, 1000);
    CHECK_EQ(r->sent.count, 3);
    CHECK_EQ(mem_ring_at(&r->sent, 0)->sectors, 0x1);
    CHECK_EQ(mem_ring_at(&r->sent, 1)->sectors, 0x2);
    CHECK_EQ(mem_ring_at(&r->sent, 2)->sectors, 0x4);
    CHECK_EQ(r->at[0], MISS);
    CHECK_EQ(r->at[1], 1 + MISS); /* needs both */
    CHECK_EQ(r->at[2], 2 + MISS); /* waits for the second message; reply port */
    CHECK_EQ(r->at[3], 300 + MISS);
    CHECK_EQ(rig_stat(r, "global_read_sector_misses"), 2);
    CHECK_EQ(rig_stat(r, "global_read_merges"), 1);
    CHECK_EQ(rig_stat(r, "fill_sectors"), 3);
    rig_free(r);
}

TEST(unsectored_cache_fetches_whole_lines)
{
    rig *r = rig_new();

    rig_start(r);
    rig_ask(r, 0,
            (mem_msg){.kind = MEM_READ, .addr = line_of(0, 0), .sectors = 1});
    rig_run(r, 1000);
    CHECK_EQ(mem_ring_at(&r->sent, 0)->sectors, 0xf);
    rig_free(r);
}

TEST(wide_fills_take_their_time)
{
    rig *r = rig_new();

    r->cfg.l1.fill_bytes = 32; /* four cycles a line */
    rig_start(r);
    for (unsigned i = 0; i < 3; i++)
        rig_load(r, i, line_of(i, 0));
    rig_run(r, 1000);
    for (unsigned i = 0; i < 3; i++)
        CHECK_EQ(r->at[i], MISS + 4 * i);
    rig_free(r);
}

static mem_msg store(uint64_t addr, bool local)
{
    return (mem_msg){.kind = MEM_WRITE,
                     .addr = addr,
                     .ack = true,
                     .payload = 128,
                     .local = local};
}

TEST(global_stores_pass_and_evict_or_update)
{
    for (int through = 0; through < 2; through++) {
        rig *r = rig_new();
        r->cfg.l1.write = through ? CFG_L1_WRITE_THROUGH : CFG_L1_WRITE_EVICT;
        rig_start(r);
        rig_load(r, 0, line_of(0, 0));
        uint32_t w = rig_ask(r, 200, store(line_of(0, 0), false));
        uint32_t again = rig_load(r, 400, line_of(0, 0));
        uint32_t other = rig_ask(r, 600, store(line_of(0, 1), false));
        uint32_t absent = rig_load(r, 800, line_of(0, 1));
        rig_run(r, 2000);
        CHECK_EQ(r->kind[w], MEM_ACK);
        CHECK_EQ(r->at[w], 200 + MISS);
        CHECK_EQ(r->at[other], 600 + MISS);
        CHECK_EQ(r->at[again], 400 + (through ? HIT : MISS));
        CHECK_EQ(r->at[absent], 800 + MISS); /* stores do not allocate */
        CHECK_EQ(rig_stat(r, "drops"), !through);
        CHECK_EQ(rig_stat(r, "global_write_hits"), 1);
        CHECK_EQ(rig_stat(r, "global_writes"), 2);
        rig_free(r);
    }
}

TEST(local_stores_stay_until_evicted)
{
    rig *r = rig_new();

    rig_start(r);
    uint32_t w = rig_ask(r, 0, store(line_of(0, 0), true));
    mem_msg m = {.kind = MEM_READ, .addr = line_of(0, 0), .local = true};
    uint32_t back = rig_ask(r, 50, m);
    rig_load(r, 100, line_of(0, 1));
    rig_run(r, 300);
    CHECK_EQ(r->at[w], HIT);
    CHECK_EQ(r->kind[w], MEM_ACK);
    CHECK_EQ(r->at[back], 50 + HIT);
    CHECK_EQ(r->sent.count, 1);
    rig_load(r, 300, line_of(0, 2)); /* evicts the dirty line */
    rig_run(r, 1000);
    CHECK_EQ(r->sent.count, 3);
    const mem_msg *wb = mem_ring_at(&r->sent, 1);
    CHECK_EQ(wb->kind, MEM_WRITE); /* before the fetch that replaced it */
    CHECK_EQ(wb->addr, line_of(0, 0));
    CHECK_EQ(wb->sectors, 0xf);
    CHECK_EQ(wb->payload, 128);
    CHECK(!wb->ack);
    CHECK_EQ(rig_stat(r, "writebacks"), 1);
    CHECK_EQ(rig_stat(r, "local_writes"), 1);
    CHECK_EQ(rig_stat(r, "local_read_hits"), 1);
    CHECK(l1_idle(r->b));
    rig_free(r);
}

TEST(partly_written_sector_is_fetched_before_it_is_read)
{
    rig *r = rig_new();

    r->cfg.l1.sector = 32;
    rig_start(r);
    mem_msg w = store(line_of(0, 0), true);
    w.sectors = 0x3;
    w.partial = true;
    rig_ask(r, 0, w);
    mem_msg m = {.kind = MEM_READ, .addr = line_of(0, 0), .local = true};
    m.sectors = 0x1;
    uint32_t first = rig_ask(r, 50, m);
    uint32_t then = rig_ask(r, 300, m);
    w.partial = false;
    w.sectors = 0x2;
    rig_ask(r, 350, w);
    m.sectors = 0x2;
    uint32_t whole = rig_ask(r, 400, m);
    rig_run(r, 1000);
    CHECK_EQ(r->at[first], 50 + MISS);
    CHECK_EQ(r->at[then], 300 + HIT);
    CHECK_EQ(r->at[whole], 400 + HIT);
    CHECK_EQ(r->sent.count, 1);
    rig_free(r);
}

TEST(dirty_victim_needs_two_places_in_the_miss_queue)
{
    rig *r = rig_new();

    r->cfg.l1.miss_queue = 2;
    r->cfg.l1.miss_latency = 50;
    rig_start(r);
    rig_ask(r, 0, store(line_of(0, 0), true));
    rig_ask(r, 1, store(line_of(0, 1), true));
    rig_load(r, 10, line_of(1, 0)); /* seen in 11, leaves in 61 */
    rig_load(r, 20, line_of(0, 2));
    rig_run(r, 1000);
    CHECK_EQ(rig_stat(r, "stall_miss_queue"), 61 - 21);
    CHECK_EQ(r->sent.count, 3);
    rig_free(r);
}

TEST(bypassing_loads_go_past_the_cache)
{
    static const uint8_t hints[] = {CACHE_CG, CACHE_CV};

    for (unsigned i = 0; i < 2; i++) {
        rig *r = rig_new();
        rig_start(r);
        rig_load(r, 0, line_of(0, 0));
        mem_msg m = {.kind = MEM_READ, .addr = line_of(0, 0), .hint = hints[i]};
        uint32_t by = rig_ask(r, 200, m);
        uint32_t after = rig_load(r, 400, line_of(0, 0));
        rig_run(r, 1000);
        CHECK_EQ(r->at[by], 200 + MISS);
        CHECK_EQ(mem_ring_at(&r->sent, 1)->tag, by);
        CHECK_EQ(mem_ring_at(&r->sent, 1)->client, CLIENT_LSU);
        CHECK_EQ(r->at[after], 400 + MISS); /* the line was dropped */
        CHECK_EQ(rig_stat(r, "global_read_bypasses"), 1);
        rig_free(r);
    }
}

TEST(uncached_globals_all_bypass_but_locals_do_not)
{
    rig *r = rig_new();

    r->cfg.l1.globals = false;
    rig_start(r);
    rig_load(r, 0, line_of(0, 0));
    rig_load(r, 0, line_of(0, 0));
    mem_msg m = {.kind = MEM_READ, .addr = line_of(1, 0), .local = true};
    rig_ask(r, 200, m);
    uint32_t hit = rig_ask(r, 400, m);
    rig_run(r, 1000);
    CHECK_EQ(rig_stat(r, "global_read_bypasses"), 2);
    CHECK_EQ(r->at[1], 1 + MISS);
    CHECK_EQ(r->at[hit], 400 + HIT);
    rig_free(r);
}

TEST(atomics_pass_and_drop_the_line)
{
    rig *r = rig_new();

    rig_start(r);
    rig_load(r, 0, line_of(0, 0));
    uint32_t a =
        rig_ask(r, 200, (mem_msg){.kind = MEM_ATOMIC, .addr = line_of(0, 0)});
    uint32_t d =
        rig_ask(r, 300, (mem_msg){.kind = MEM_REDUCE, .addr = line_of(1, 0)});
    uint32_t after = rig_load(r, 500, line_of(0, 0));
    rig_run(r, 1000);
    CHECK_EQ(r->kind[a], MEM_DATA);
    CHECK_EQ(r->kind[d], MEM_ACK);
    CHECK_EQ(r->at[a], 200 + MISS);
    CHECK_EQ(r->at[after], 500 + MISS);
    CHECK_EQ(rig_stat(r, "atomics"), 2);
    rig_free(r);
}

TEST(reset_forgets_lines_and_sets_the_ways)
{
    rig *r = rig_new();

    rig_start(r);
    rig_load(r, 0, line_of(0, 0));
    rig_run(r, 200);
    l1_reset(r->b, 0, 1);
    rig_load(r, 200, line_of(0, 0));
    rig_load(r, 400, line_of(0, 1));
    uint32_t gone = rig_load(r, 600, line_of(0, 0));
    rig_run(r, 1000);
    CHECK_EQ(r->at[1], 200 + MISS);
    CHECK_EQ(r->at[gone], 600 + MISS);
    rig_free(r);
}

/* Two a cycle while their data fit, so every other cycle one is refused after
 * another was performed: that cycle is not blocked. */
/* Also what never was there, in a set that is full, while stores and loads that
 * go past the cache are what they are. */
TEST(perfect_cache_hits_and_sends_only_what_passes)
{
    rig *r = rig_new();
    uint32_t load[8];

    r->cfg.l1.perfect = true;
    rig_start(r);
    for (unsigned i = 0; i < 8; i++)
        load[i] = rig_load(r, 10 + 100 * i, line_of(0, i));
    uint32_t past = rig_ask(
        r, 1000,
        (mem_msg){.kind = MEM_READ, .addr = line_of(0, 0), .hint = CACHE_CV});
    rig_run(r, 2000);
    for (unsigned i = 0; i < 8; i++)
        CHECK_EQ(r->at[load[i]], 10 + 100 * i + HIT);
    CHECK_EQ(rig_stat(r, "global_read_hits"), 8);
    CHECK_EQ(rig_stat(r, "evictions"), 0);
    CHECK_EQ(r->sent.count, 1);
    CHECK(r->at[past] > 1000 + HIT);
    CHECK(l1_idle(r->b));
    rig_free(r);
}

TEST(cycle_with_a_success_is_not_blocked)
{
    rig *r = rig_new();

    r->cfg.l1.tag_ports = 2;
    r->cfg.l1.data_bytes = 128;
    rig_start(r);
    rig_load(r, 0, line_of(0, 0));
    for (unsigned i = 0; i < 20; i++)
        rig_load(r, 300, line_of(0, 0));
    rig_run(r, 1000);
    CHECK_EQ(rig_stat(r, "blocked_cycles"), 0);
    CHECK_EQ(r->at[20], 300 + HIT + 19);
    rig_free(r);
}
