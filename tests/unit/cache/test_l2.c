/* tests/unit/cache/test_l2.c - latencies, policies, atomics of an L2 slice. */
#include "l2_rig.h"

#include "mem/spread.h"

/* Addresses of set s with another line for each i. */
static uint64_t line_of(const rig *r, unsigned s, unsigned i)
{
    return r->base + ((uint64_t)i * 4 + s) * 128;
}

/* Offered in t, seen in t + 1; the port to DRAM, its 100, the port back. */
enum { HIT = 1 + 20, MISS = 1 + 6 + 1 + 100 + 1 + 8 };

TEST(hit_and_miss_take_exactly_the_configured_cycles)
{
    rig *r = rig_new();

    rig_start(r);
    uint32_t miss = rig_read(r, 10, line_of(r, 0, 0), 0xf);
    uint32_t hit = rig_read(r, 300, line_of(r, 0, 0), 0xf);
    rig_run(r, 1000);
    CHECK_EQ(r->at[miss], 10 + MISS);
    CHECK_EQ(r->at[hit], 300 + HIT);
    CHECK_EQ(r->kind[hit], MEM_DATA);
    CHECK_EQ(rig_stat(r, "read_misses"), 1);
    CHECK_EQ(rig_stat(r, "read_hits"), 1);
    CHECK_EQ(rig_stat(r, "blocked_cycles"), 0);
    CHECK(l2_idle(r->b));
    rig_free(r);
}

TEST(half_clock_takes_twice_the_cycles)
{
    rig *r = rig_new();

    r->cfg.l2.clock_khz = 500000;
    rig_start(r);
    rig_read(r, 1, line_of(r, 0, 0), 0xf);
    uint32_t hit = rig_read(r, 401, line_of(r, 0, 0), 0xf); /* seen in 402 */
    uint32_t odd = rig_read(r, 800, line_of(r, 0, 0), 0xf); /* taken in 802 */
    rig_run(r, 2000);
    /* 20 own cycles are 40; it can leave at the last of them, not in the core
     * cycle before, and the port takes one. */
    CHECK_EQ(r->at[hit], 402 + 2 * 20 + 1);
    CHECK_EQ(r->at[odd], 802 + 2 * 20 + 1);
    rig_free(r);
}

TEST(port_of_several_cycles_takes_none_off_a_slow_slice)
{
    rig *r = rig_new();

    r->cfg.l2.clock_khz = 500000;
    r->net_latency = 6;
    rig_start(r);
    rig_read(r, 1, line_of(r, 0, 0), 0xf);
    uint32_t hit = rig_read(r, 401, line_of(r, 0, 0), 0xf); /* seen in 402 */
    rig_run(r, 2000);
    /* Six core cycles are three own: it leaves after 17 of the 20. */
    CHECK_EQ(r->at[hit], 402 + 2 * 20);
    rig_free(r);
}

TEST(hits_stream_at_the_width_of_the_data_array)
{
    rig *r = rig_new();

    r->cfg.l2.data_bytes = 32;
    rig_start(r);
    rig_read(r, 0, line_of(r, 0, 0), 0xf);
    for (unsigned i = 0; i < 64; i++)
        rig_read(r, 300, line_of(r, 0, 0), 0xf);
    rig_run(r, 3000);
    CHECK_EQ(r->at[64], 300 + HIT + 4 * 63); /* 32 bytes a cycle */
    CHECK_EQ(rig_stat(r, "stall_data_port"), 3 * 63);
    CHECK_EQ(rig_stat(r, "refused_data_port"), 63);

    rig_free(r);
}

TEST(reads_merge_and_the_list_has_a_limit)
{
    rig *r = rig_new();

    rig_start(r);
    for (unsigned i = 0; i < 4; i++)
        rig_read(r, i, line_of(r, 0, 0), 0xf);
    rig_run(r, 1000);
    CHECK_EQ(r->sent.count, 1);
    CHECK_EQ(r->at[0], MISS);
    CHECK_EQ(r->at[1], MISS + 1);
    CHECK_EQ(r->at[2], MISS + 2);
    uint64_t fill = MISS - 8;
    /* The fill occupies the data array in its own cycle; the fourth follows. */
    CHECK_EQ(r->at[3], fill + 1 + 20);
    CHECK_EQ(rig_stat(r, "stall_mshr_merge"), fill - 4);
    CHECK_EQ(rig_stat(r, "stall_data_port"), 1);
    rig_free(r);
}

/* As above, with places for two more than the first of the line, which all get
 * their data with the fill; a read of another line passes them by. */
TEST(coalescer_holds_reads_of_all_lines)
{
    rig *r = rig_new();

    r->cfg.l2.merges = 1;
    r->cfg.l2.coalescer = 2;
    rig_start(r);
    for (unsigned i = 0; i < 3; i++)
        rig_read(r, i, line_of(r, 0, 0), 0xf);
    rig_read(r, 3, line_of(r, 1, 0), 0xf);
    rig_read(r, 4, line_of(r, 1, 0), 0xf);
    rig_run(r, 1000);
    CHECK_EQ(r->sent.count, 2);
    for (unsigned i = 0; i < 3; i++)
        CHECK_EQ(r->at[i], MISS + i);
    CHECK_EQ(r->at[3], MISS + 3);
    /* The last finds all places taken until the first line comes. */
    uint64_t fill = MISS - 8;
    CHECK_EQ(rig_stat(r, "stall_mshr_merge"), fill - 5);
    CHECK_EQ(rig_stat(r, "read_merges"), 3);
    rig_free(r);
}

/* One of 12 slices, of 64 sets of eight lines; of the whole address they would
 * be chosen by bits that chose the slice, and half of them never be. */
TEST(a_slice_keeps_its_part_of_data_in_a_row)
{
    rig *r = rig_new();
    mem_route route;
    unsigned lines = 0;

    r->cfg.l2.slices = r->cfg.dram.channels = 12;
    r->cfg.l2.interleave = 256;
    r->cfg.l2.slice_hash = CFG_INDEX_XOR;
    r->cfg.l2.sets = 64;
    r->cfg.l2.ways = 8;
    mem_route_init(&route, &r->cfg);
    rig_start(r);
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint64_t a = 0; a < 768 << 10; a += 128)
            if (mem_route_slice(&route, r->base + a) == 0)
                rig_read(r, 200 * lines++, r->base + a, 0xf);
    rig_run(r, 200 * (lines + 1));
    CHECK_EQ(lines, 1024);
    CHECK_EQ(rig_stat(r, "read_misses"), 512);
    CHECK_EQ(rig_stat(r, "read_hits"), 512);
    rig_free(r);
}

TEST(refusals_begin_and_end_in_their_cycles)
{
    rig *r = rig_new();
    uint64_t fill = MISS - 8;

    rig_start(r); /* third line of a set: full until the first is filled */
    for (unsigned i = 0; i < 3; i++)
        rig_read(r, i, line_of(r, 0, i), 0xf);
    rig_run(r, 1000);
    CHECK_EQ(rig_stat(r, "stall_set_full"), fill - 3);
    CHECK_EQ(rig_stat(r, "refused_set_full"), 1);
    rig_free(r);

    r = rig_new(); /* fifth line: no MSHR */
    rig_start(r);
    for (unsigned i = 0; i < 5; i++)
        rig_read(r, i, line_of(r, i % 4, i / 4), 0xf);
    rig_run(r, 1000);
    CHECK_EQ(rig_stat(r, "stall_mshr_entry"), fill - 5);
    rig_free(r);

    r = rig_new(); /* second miss: the queue of one is taken for 6 cycles */
    r->cfg.l2.miss_queue = 1;
    rig_start(r);
    for (unsigned i = 0; i < 2; i++)
        rig_read(r, i, line_of(r, i, 0), 0xf);
    rig_run(r, 1000);
    CHECK_EQ(rig_stat(r, "stall_miss_queue"), 1 + 6 - 2);
    rig_free(r);
}

TEST(replies_wait_for_the_network_and_requests_for_them)
{
    rig *r = rig_new();

    rig_start(r);
    rig_read(r, 0, line_of(r, 0, 0), 0xf);
    rig_run(r, 200);
    r->net_stuck = true;
    for (unsigned i = 0; i < 200; i++)
        rig_read(r, 200, line_of(r, 0, 0), 0xf);
    rig_run(r, 600);
    CHECK(rig_stat(r, "stall_reply") > 0);
    CHECK_EQ(rig_stat(r, "replies"), 1 + 4);
    CHECK_EQ(rig_stat(r, "network_blocked"), 600 - (200 + 20 + 4));
    r->net_stuck = false;
    rig_run(r, 2000);
    CHECK_EQ(r->done, 201);
    rig_free(r);
}

TEST(whole_sectors_are_written_without_reading_them)
{
    rig *r = rig_new();

    rig_start(r);
    uint32_t w = rig_write(r, 0, line_of(r, 0, 0), 0x3, false);
    uint32_t hit = rig_read(r, 100, line_of(r, 0, 0), 0x3);
    uint32_t other = rig_read(r, 200, line_of(r, 0, 0), 0x4);
    rig_run(r, 1000);
    CHECK_EQ(r->kind[w], MEM_ACK);
    CHECK_EQ(r->at[w], HIT);
    CHECK_EQ(r->at[hit], 100 + HIT);
    CHECK_EQ(r->at[other], 200 + MISS);
    CHECK_EQ(r->sent.count, 1);
    CHECK_EQ(mem_ring_at(&r->sent, 0)->sectors, 0x4);
    CHECK_EQ(rig_stat(r, "read_sector_misses"), 1);
    rig_free(r);
}

TEST(partly_written_sectors_are_read_when_asked_for_or_at_once)
{
    for (int fetch = 0; fetch < 2; fetch++) {
        rig *r = rig_new();
        r->cfg.l2.write = fetch ? CFG_L2_WRITE_FETCH : CFG_L2_WRITE_VALIDATE;
        rig_start(r);
        uint32_t w = rig_write(r, 0, line_of(r, 0, 0), 0x1, true);
        rig_run(r, 50);
        CHECK_EQ(r->at[w], HIT); /* nobody waits for the fetch */
        CHECK_EQ(r->sent.count, fetch);
        uint32_t read = rig_read(r, 300, line_of(r, 0, 0), 0x1);
        rig_run(r, 1000);
        CHECK_EQ(r->at[read], 300 + (fetch ? HIT : MISS));
        CHECK_EQ(r->sent.count, 1);
        CHECK_EQ(rig_stat(r, "partial_writes"), 1);
        rig_free(r);
    }
}

TEST(dirty_sectors_are_written_back_once)
{
    rig *r = rig_new();

    rig_start(r);
    rig_write(r, 0, line_of(r, 0, 0), 0x5, false);
    rig_read(r, 10, line_of(r, 0, 1), 0xf);
    rig_read(r, 300, line_of(r, 0, 2), 0xf); /* evicts the dirty line */
    rig_read(r, 600, line_of(r, 0, 3), 0xf); /* evicts a clean one */
    rig_run(r, 1000);
    CHECK_EQ(rig_stat(r, "evictions"), 2);
    CHECK_EQ(rig_stat(r, "writebacks"), 1);
    CHECK_EQ(r->sent.count, 4);
    const mem_msg *wb = mem_ring_at(&r->sent, 1);
    CHECK_EQ(wb->kind, MEM_WRITE);
    CHECK_EQ(wb->addr, line_of(r, 0, 0));
    CHECK_EQ(wb->sectors, 0x5);
    CHECK_EQ(wb->payload, 64);
    CHECK_EQ(mem_ring_at(&r->sent, 2)->addr, line_of(r, 0, 2));
    rig_free(r);
}

/* atom.add.u32 by `lanes` lanes; lane l at word `stride` * l. */
static mem_atom add(uint64_t addr, unsigned lanes, unsigned stride, uint32_t x)
{
    mem_atom a = {.op = ATOM_ADD, .type = ATYPE_U32};

    for (unsigned l = 0; l < lanes; l++) {
        a.lanes |= 1u << l;
        a.addr[l] = addr + (uint64_t)l * stride * 4;
        a.a[l] = x;
    }
    return a;
}

static uint32_t rig_atom(rig *r, uint64_t when, mem_atom *a, mem_kind kind)
{
    return rig_ask(r, when,
                   (mem_msg){.kind = (uint8_t)kind,
                             .addr = a->addr[0] & ~(uint64_t)127,
                             .atom = a});
}

static uint32_t word(const rig *r, uint64_t addr)
{
    uint32_t x;

    mem_view_read(r->view, addr, &x, 4);
    return x;
}

/* Reads, stores that leave bytes alone and what they replace: nothing goes to
 * DRAM, and nothing takes longer than a hit. */
TEST(perfect_slice_never_asks_dram)
{
    rig *r = rig_new();
    uint32_t read[6], write[6];

    r->cfg.l2.perfect = true;
    r->cfg.l2.write = CFG_L2_WRITE_FETCH;
    rig_start(r);
    for (unsigned i = 0; i < 6; i++) {
        write[i] = rig_write(r, 10 + 200 * i, line_of(r, 0, i), 0x1, true);
        read[i] = rig_read(r, 110 + 200 * i, line_of(r, 0, i + 6), 0xf);
    }
    rig_run(r, 3000);
    for (unsigned i = 0; i < 6; i++) {
        CHECK_EQ(r->at[write[i]], 10 + 200 * i + HIT);
        CHECK_EQ(r->at[read[i]], 110 + 200 * i + HIT);
    }
    CHECK_EQ(r->sent.count, 0);
    CHECK_EQ(rig_stat(r, "writebacks"), 0);
    CHECK_EQ(rig_stat(r, "read_hits"), 6);
    CHECK(l2_idle(r->b));
    rig_free(r);
}

TEST(atomics_are_performed_in_the_order_of_arrival)
{
    rig *r = rig_new();
    uint64_t a = line_of(r, 0, 0);
    mem_atom first = add(a, 1, 0, 5), second = add(a, 1, 0, 7),
             third = add(a, 1, 0, 1);

    rig_start(r);
    uint32_t t1 = rig_atom(r, 0, &first, MEM_ATOMIC);
    uint32_t t2 = rig_atom(r, 1, &second, MEM_REDUCE);
    uint32_t t3 = rig_atom(r, 300, &third, MEM_ATOMIC);
    rig_run(r, 1000);
    CHECK_EQ(first.old[0], 0);
    CHECK_EQ(third.old[0], 12);
    CHECK_EQ(word(r, a), 13);
    CHECK_EQ(r->kind[t1], MEM_DATA);
    CHECK_EQ(r->kind[t2], MEM_ACK);
    CHECK_EQ(r->at[t1], MISS + 5);
    CHECK_EQ(r->at[t2], MISS + 5 + 1); /* the unit takes one at a time */
    CHECK_EQ(r->at[t3], 300 + HIT + 5);
    CHECK_EQ(rig_stat(r, "atomics"), 2);
    CHECK_EQ(rig_stat(r, "reductions"), 1);
    CHECK_EQ(rig_stat(r, "atomic_hits"), 1);
    CHECK_EQ(rig_stat(r, "atomic_lanes"), 3);
    rig_free(r);
}

TEST(lanes_on_one_word_take_one_after_the_other)
{
    rig *r = rig_new();
    uint64_t a = line_of(r, 0, 0);
    mem_atom same = add(a, 32, 0, 1), apart = add(a, 32, 1, 1);

    r->cfg.l2.atomic_same = 2;
    r->cfg.l2.atomic_lanes = 8;
    rig_start(r);
    rig_read(r, 0, a, 0xf);
    uint32_t t = rig_atom(r, 300, &same, MEM_ATOMIC);
    uint32_t next = rig_atom(r, 300, &apart, MEM_ATOMIC);
    rig_run(r, 1000);
    unsigned deep = 31 * 2 + 1, wide = 32 / 8;
    CHECK_EQ(r->at[t], 300 + HIT + 5 + deep - 1);
    CHECK_EQ(r->at[next], 300 + deep + HIT + 5 + wide - 1);
    CHECK_EQ(rig_stat(r, "stall_atomic_unit"), deep - 1);
    CHECK_EQ(rig_stat(r, "atomic_cycles"), deep + wide);
    for (unsigned l = 0; l < 32; l++)
        CHECK_EQ(same.old[l], l); /* in lane order */
    CHECK_EQ(word(r, a), 33);
    rig_free(r);
}

/* An atomic that waits for a second sector is not passed by a younger one
 * whose only sector is there. */
TEST(younger_atomic_does_not_pass_a_waiting_one)
{
    rig *r = rig_new();
    uint64_t a = line_of(r, 0, 0);
    mem_atom both = add(a, 2, 8, 5), one = add(a, 1, 0, 7);

    rig_start(r);
    rig_read(r, 0, a, 0x1);
    uint32_t t = rig_atom(r, 300, &both, MEM_ATOMIC);
    mem_ring_at(&r->script, 1)->sectors = 0x3;
    uint32_t u = rig_atom(r, 301, &one, MEM_ATOMIC);
    mem_ring_at(&r->script, 2)->sectors = 0x1;
    rig_run(r, 1000);
    CHECK_EQ(both.old[0], 0);
    CHECK_EQ(one.old[0], 5);
    CHECK_EQ(r->at[t], 300 + MISS + 5);
    CHECK_EQ(r->at[u], 300 + MISS + 5 + 1);
    rig_free(r);
}
