/* tests/unit/dram/test_dram.c - latency, bandwidth, policies of a channel. */
#include "dram_rig.h"

/* Line `column` of a row, under row_column_bank without mixing. */
static uint64_t line_at(const rig *r, unsigned row, unsigned bank,
                        unsigned column)
{
    unsigned columns = r->cfg.dram.row_bytes / 128;

    return (((uint64_t)row * columns + column) * r->cfg.dram.banks + bank) *
           128;
}

/* Offered in t, seen and accepted in t + 1, first command in t + 2. */
enum {
    HIT = 2 + 13 + 1 + 50,
    CLOSED = HIT + 12,
    CONFLICT = CLOSED + 11,
};

TEST(row_hit_miss_and_conflict_take_exactly_their_cycles)
{
    rig *r = rig_new(1);

    rig_start(r);
    uint32_t closed = rig_read(r, 100, line_at(r, 5, 3, 0), 0x1);
    uint32_t hit = rig_read(r, 300, line_at(r, 5, 3, 7), 0x2);
    uint32_t conflict = rig_read(r, 500, line_at(r, 6, 3, 0), 0x1);
    rig_run(r, 1000);
    CHECK_EQ(r->at[closed], 100 + CLOSED);
    CHECK_EQ(r->at[hit], 300 + HIT);
    CHECK_EQ(r->at[conflict], 500 + CONFLICT);
    CHECK_EQ(rig_stat(r, "row_misses"), 1);
    CHECK_EQ(rig_stat(r, "row_hits"), 1);
    CHECK_EQ(rig_stat(r, "row_conflicts"), 1);
    CHECK_EQ(rig_stat(r, "activates"), 2);
    CHECK_EQ(rig_stat(r, "precharges"), 1);
    CHECK_EQ(rig_stat(r, "read_bytes"), 96);
    CHECK_EQ(rig_stat(r, "read_latency"), CLOSED + HIT + CONFLICT - 3);
    rig_check_timing(r);
    CHECK(dram_idle(r->b));
    rig_free(r);
}

TEST(clock_ratio_scales_the_device_but_not_the_controller)
{
    rig *r = rig_new(1);

    r->cfg.dram.clock_khz = 500000;
    rig_start(r);
    uint32_t closed = rig_read(r, 100, line_at(r, 5, 3, 0), 0x1);
    rig_run(r, 1000);
    /* Accepted in 101; 102 is the first clock. */
    CHECK_EQ(r->at[closed], 102 + 2 * (12 + 13 + 1) + 50);
    rig_free(r);
}

TEST(only_the_sectors_asked_for_are_transferred)
{
    rig *r = rig_new(1);

    rig_start(r);
    uint32_t all = rig_read(r, 100, line_at(r, 0, 0, 0), 0xf);
    uint32_t two = rig_read(r, 300, line_at(r, 0, 0, 1), 0x9);
    rig_run(r, 1000);
    CHECK_EQ(r->at[all], 100 + CLOSED + 3 * 2); /* t_ccd_l apart */
    CHECK_EQ(r->at[two], 300 + HIT + 1 * 2);
    CHECK_EQ(rig_stat(r, "read_bursts"), 6);
    rig_free(r);
}

TEST(wide_bursts_carry_what_was_not_asked_for)
{
    rig *r = rig_new(1);

    r->cfg.dram.burst = 4; /* 64 bytes, 2 clocks */
    rig_start(r);
    uint32_t one = rig_read(r, 100, line_at(r, 0, 0, 0), 0x1);
    uint32_t apart = rig_read(r, 300, line_at(r, 0, 0, 1), 0x9);
    rig_run(r, 1000);
    CHECK_EQ(r->at[one], 100 + CLOSED + 1);
    CHECK_EQ(r->at[apart], 300 + HIT + 1 + 2);
    CHECK_EQ(rig_stat(r, "read_bursts"), 3);
    CHECK_EQ(rig_stat(r, "read_bytes"), 96);
    rig_free(r);
}

static double stream(cfg_dram_map map, unsigned queue, bool write, bool refresh)
{
    rig *r = rig_new(2);

    r->cfg.dram.row_commands = true;
    r->cfg.dram.queue = queue;

    r->cfg.dram.mapping = map;
    r->cfg.dram.bank_xor = true;
    r->cfg.dram.refresh = refresh;
    rig_start(r);
    for (unsigned i = 0; i < 8000; i++) {
        uint64_t a = (uint64_t)i * 128;
        if (write)
            rig_write(r, i * 2, a, 0xf);
        else
            rig_read(r, i * 2, a, 0xf);
    }
    rig_run(r, 30000);
    rig_check_timing(r);
    double used = (double)rig_stat(r, "busy") / (double)(r->now);
    CHECK_EQ(rig_stat(r, "busy") + rig_stat(r, "wasted_column") +
                 rig_stat(r, "wasted_row") + rig_stat(r, "refreshing") +
                 rig_stat(r, "idle"),
             r->now);
    used /= 1 - (double)rig_stat(r, "refreshing") / (double)r->now;
    rig_free(r);
    return used;
}

TEST(stream_reaches_the_bandwidth_of_the_bus)
{
    CHECK(stream(CFG_DRAM_MAP_ROW_COL_BANK, 64, false, false) > 0.95);
    CHECK(stream(CFG_DRAM_MAP_ROW_COL_BANK, 64, false, true) > 0.95);
    CHECK(stream(CFG_DRAM_MAP_ROW_COL_BANK, 64, true, false) > 0.95);
}

/* All bursts of a row in one bank group: t_ccd_l apart, half the bus, less at
 * most t_rp + t_rcd + 2 for each row of 64 bursts when nothing looks ahead. */
TEST(stream_within_a_bank_group_reaches_half)
{
    double used = stream(CFG_DRAM_MAP_ROW_BANK_COL, 2, false, false);

    CHECK(used > 64. / (64 * 2 + 11 + 12 + 2) && used < 0.51);
}

TEST(open_rows_go_first_unless_in_order)
{
    for (int fcfs = 0; fcfs < 2; fcfs++) {
        rig *r = rig_new(1);
        r->cfg.dram.scheduler =
            fcfs ? CFG_DRAM_SCHED_FCFS : CFG_DRAM_SCHED_FR_FCFS;
        rig_start(r);
        rig_read(r, 0, line_at(r, 1, 0, 0), 0x1);
        uint32_t other = rig_read(r, 1, line_at(r, 2, 0, 0), 0x1);
        uint32_t same = rig_read(r, 2, line_at(r, 1, 0, 1), 0x1);
        rig_run(r, 1000);
        CHECK_EQ(r->at[same] < r->at[other], !fcfs);
        CHECK_EQ(rig_stat(r, "row_hits"), fcfs ? 0 : 1);
        CHECK_EQ(rig_stat(r, "row_conflicts"), fcfs ? 2 : 1);
        rig_check_timing(r);
        rig_free(r);
    }
}

/* A stream of hits to one row, and one request to another row of the bank. */
TEST(no_request_waits_much_longer_than_the_age_limit)
{
    uint64_t waited[2];

    for (int limited = 0; limited < 2; limited++) {
        rig *r = rig_new(1);
        r->cfg.dram.age_limit = limited ? 500 : 0;
        rig_start(r);
        rig_read(r, 0, line_at(r, 1, 0, 0), 0xf);
        uint32_t other = rig_read(r, 1, line_at(r, 2, 0, 0), 0x1);
        for (unsigned i = 0; i < 500; i++)
            rig_read(r, 2, line_at(r, 1, 0, i % 16), 0xf);
        rig_run(r, 20000);
        waited[limited] = r->at[other];
        CHECK_EQ(rig_stat(r, "starved") > 0, limited);
        rig_check_timing(r);
        rig_free(r);
    }
    CHECK(waited[0] > 3500);
    CHECK(waited[1] > 500 && waited[1] < 700);
}

TEST(waiting_write_answers_a_read_of_its_line)
{
    rig *r = rig_new(1);

    rig_start(r);
    rig_write(r, 99, line_at(r, 1, 0, 0), 0x7);
    uint32_t read = rig_read(r, 100, line_at(r, 1, 0, 0), 0x3);
    uint32_t more = rig_read(r, 101, line_at(r, 1, 0, 0), 0x8);
    rig_run(r, 1000);
    CHECK_EQ(r->at[read], 101 + 1 + 50);
    CHECK(r->at[more] > r->at[read]);
    CHECK_EQ(rig_stat(r, "forwarded"), 1);
    CHECK_EQ(rig_stat(r, "read_bursts"), 1);
    rig_free(r);
}

/* The write waits for its row, from 102 to 114, when the read arrives: to be
 * served at once the read must not wait for the write's column command. */
TEST(read_overtakes_a_write_that_nothing_forced)
{
    rig *r = rig_new(1);

    rig_start(r);
    rig_write(r, 100, line_at(r, 1, 0, 0), 0xf);
    uint32_t read = rig_read(r, 103, line_at(r, 1, 5, 0), 0x1);
    rig_run(r, 1000);
    CHECK_EQ(r->at[read], 103 + CLOSED);
    CHECK_EQ(rig_stat(r, "drains"), 2);
    rig_check_timing(r);
    rig_free(r);
}

/* The read's row is open from 114 on; by 106 there are write_high writes. */
TEST(full_write_queue_is_drained_at_once)
{
    rig *r = rig_new(1);

    r->cfg.dram.write_high = 2;
    r->cfg.dram.write_low = 0;
    rig_start(r);
    uint32_t read = rig_read(r, 100, line_at(r, 1, 0, 0), 0x1);
    rig_write(r, 103, line_at(r, 1, 5, 0), 0x1);
    rig_write(r, 104, line_at(r, 1, 10, 0), 0x1);
    rig_run(r, 1000);
    CHECK(r->at[read] > 100 + CLOSED);
    CHECK_EQ(rig_stat(r, "drains"), 1);
    rig_check_timing(r);
    rig_free(r);
}

/* Reads all the time; writes wait until there are write_high of them, then go
 * down to write_low together. */
TEST(writes_are_drained_in_batches)
{
    rig *r = rig_new(1);

    r->cfg.dram.queue = 8;
    r->cfg.dram.write_queue = 16;
    r->cfg.dram.write_high = 12;
    r->cfg.dram.write_low = 2;
    rig_start(r);
    for (unsigned i = 0; i < 1000; i++) {
        rig_read(r, 0, line_at(r, 1, i % 16, i / 16 % 16), 0xf);
        if (i % 3 == 0)
            rig_write(r, 0, line_at(r, 40, i % 16, i / 48 % 16), 0xf);
    }
    rig_run(r, 30000);
    CHECK(dram_idle(r->b));
    CHECK_EQ(rig_stat(r, "writes"), 334);
    CHECK_EQ(rig_stat(r, "write_bytes"), 334 * 128);
    CHECK(rig_stat(r, "drains") >= 30 && rig_stat(r, "drains") <= 36);
    rig_check_timing(r);
    rig_free(r);
}

TEST(closed_page_closes_rows_nobody_waits_for)
{
    rig *r = rig_new(1);

    r->cfg.dram.page = CFG_PAGE_CLOSED;
    rig_start(r);
    rig_read(r, 100, line_at(r, 1, 0, 0), 0x1);
    uint32_t again = rig_read(r, 400, line_at(r, 1, 0, 1), 0x1);
    uint32_t other = rig_read(r, 700, line_at(r, 2, 0, 0), 0x1);
    rig_run(r, 1000);
    CHECK_EQ(r->at[again], 400 + CLOSED);
    CHECK_EQ(r->at[other], 700 + CLOSED);
    CHECK_EQ(rig_stat(r, "precharges"), 3);
    rig_check_timing(r);
    rig_free(r);
}

TEST(refresh_keeps_its_period_also_when_idle)
{
    rig *r = rig_new(1);

    r->cfg.dram.refresh = true;
    r->cfg.dram.t_refi = 1000;
    r->cfg.dram.t_rfc = 100;
    rig_start(r);
    rig_read(r, 10, line_at(r, 1, 0, 0), 0x1);
    uint32_t during = rig_read(r, 50010, line_at(r, 1, 0, 0), 0x1);
    rig_run(r, 100001);
    dram_settle(r->b, 100001);
    CHECK_EQ(rig_stat(r, "refreshes"), 100);
    /* Accepted in 50011, while the refresh begun in 50000 lasts. */
    CHECK_EQ(r->at[during], 50100 + CLOSED - 2);
    /* The first and the one after `during` close a row first, so they last
     * t_rp longer; the last has just begun. */
    CHECK_EQ(rig_stat(r, "refreshing"), 99 * 100 + 2 * 11 + 1);
    CHECK_EQ(rig_stat(r, "precharges"), 2);
    rig_check_timing(r);
    rig_free(r);
}

/* 16 banks in turn, 1600 / 16 clocks apart, so a bank is lost from 1600 + 100 i
 * on, for 300, again 1600 later. */
TEST(refresh_of_a_bank_stops_no_other)
{
    rig *r = rig_new(1);

    r->cfg.dram.refresh = true;
    r->cfg.dram.refresh_unit = CFG_REFRESH_UNIT_BANK;
    r->cfg.dram.t_refi = 1600;
    r->cfg.dram.t_rfc_bank = 300;
    rig_start(r);
    CHECK_EQ(r->cfg.dram.banks, 16);
    uint32_t other = rig_read(r, 1705, line_at(r, 7, 5, 0), 0x1);
    uint32_t lost = rig_read(r, 1750, line_at(r, 7, 1, 0), 0x1);
    uint32_t later = rig_read(r, 2102, line_at(r, 7, 2, 0), 0x1);
    rig_run(r, 1600 + 20 * 1600);
    dram_settle(r->b, 1600 + 20 * 1600);
    CHECK_EQ(r->at[other], 1705 + CLOSED);
    /* In 2000 the command for bank 4 has the bus of row commands. */
    CHECK_EQ(r->at[lost], 1700 + 300 + 1 + CLOSED - 2);
    CHECK_EQ(r->at[later], 2102 + CLOSED);
    CHECK_EQ(rig_stat(r, "refreshes"), 20);
    CHECK_EQ(rig_stat(r, "refreshing"), 0);
    rig_check_timing(r);
    rig_free(r);
}

/* The bus rests in 300 of 1600 clocks for a channel, and hardly ever for a
 * bank: the other 15 have enough to do. */
TEST(refresh_of_banks_costs_a_stream_no_bandwidth)
{
    for (unsigned bank = 0; bank < 2; bank++) {
        rig *r = rig_new(2);

        r->cfg.dram.row_commands = true;
        r->cfg.dram.queue = 64;
        r->cfg.dram.bank_xor = true;
        r->cfg.dram.refresh = true;
        r->cfg.dram.refresh_unit =
            bank ? CFG_REFRESH_UNIT_BANK : CFG_REFRESH_UNIT_CHANNEL;
        r->cfg.dram.t_refi = 1600;
        r->cfg.dram.t_rfc = r->cfg.dram.t_rfc_bank = 300;
        rig_start(r);
        for (unsigned i = 0; i < 8000; i++)
            rig_read(r, i * 2, (uint64_t)i * 128, 0xf);
        rig_run(r, 100000);
        rig_check_timing(r);
        double used = (double)rig_stat(r, "busy") / (double)r->now;
        CHECK(bank ? used > 0.9 : used < 1 - 300. / 1600);
        rig_free(r);
    }
}

TEST(blocked_replies_hold_back_requests)
{
    rig *r = rig_new(1);

    rig_start(r);
    r->stuck = true;
    for (unsigned i = 0; i < 2000; i++)
        rig_read(r, 0, line_at(r, 0, i % 16, i / 16 % 16), 0x1);
    rig_run(r, 5000);
    CHECK(rig_stat(r, "reads") < 600);
    CHECK(rig_stat(r, "reply_blocked") > 4000);
    r->stuck = false;
    rig_run(r, 20000);
    CHECK_EQ(r->done, 2000);
    rig_free(r);
}

TEST(mappings_are_one_to_one)
{
    static bool seen[64 * 16 * 16];

    for (int map = 0; map < 2; map++)
        for (int mix = 0; mix < 2; mix++) {
            rig *r = rig_new(1);
            r->cfg.dram.mapping =
                map ? CFG_DRAM_MAP_ROW_BANK_COL : CFG_DRAM_MAP_ROW_COL_BANK;
            r->cfg.dram.bank_xor = mix;
            memset(seen, 0, sizeof seen);
            for (uint64_t i = 0; i < sizeof seen; i++) {
                dram_place p = dram_map(&r->cfg, i * 128 + 5);
                CHECK(p.row < 64 && p.bank < 16 && p.column < 16);
                unsigned at = (p.row * 16 + p.bank) * 16 + p.column;
                CHECK(!seen[at]);
                seen[at] = true;
            }
            free(r);
        }
}
