/* tests/unit/cache/test_l2_keep.c - which lines stay in a slice that has
 * priorities: how often each hits is counted by hand. */
#include "l2_rig.h"

#include "mem/keep.h"

enum { WAYS = 8, APART = 200 };

static rig *keeping(unsigned percent)
{
    rig *r = rig_new();

    r->cfg.l2.ways = WAYS;
    r->cfg.l2.persisting = percent;
    rig_start(r);
    return r;
}

/* Line `i` of set 0. */
static uint64_t line(const rig *r, unsigned i)
{
    return r->base + (uint64_t)i * 4 * 128;
}

/* One after the other, each when the one before is long done. */
static void ask(rig *r, mem_kind kind, unsigned i, mem_keep keep)
{
    mem_msg m = {.addr = line(r, i),
                 .kind = (uint8_t)kind,
                 .ack = kind == MEM_WRITE,
                 .keep = (uint8_t)(keep & 7)};

    rig_ask(r, (uint64_t)(r->entered + 1) * APART, m);
}

static void get(rig *r, unsigned first, unsigned count, mem_keep keep)
{
    for (unsigned i = 0; i < count; i++)
        ask(r, MEM_READ, first + i, keep);
}

/* Hits among `count` lines from `first` on, read now. */
static uint64_t hits(rig *r, unsigned first, unsigned count)
{
    rig_run(r, (uint64_t)(r->entered + 2) * APART);
    uint64_t before = rig_stat(r, "read_hits");

    get(r, first, count, MEM_KEEP_DEFAULT);
    rig_run(r, (uint64_t)(r->entered + 2) * APART);
    return rig_stat(r, "read_hits") - before;
}

TEST(lines_that_stay_outlive_a_stream_and_others_do_not)
{
    rig *r = keeping(50);

    get(r, 0, 3, MEM_KEEP_LAST);
    get(r, 3, 1, MEM_KEEP_DEFAULT);
    get(r, 100, 40, MEM_KEEP_DEFAULT);
    CHECK_EQ(hits(r, 0, 3), 3);
    CHECK_EQ(hits(r, 3, 1), 0);
    CHECK_EQ(rig_stat(r, "kept"), 3);
    CHECK_EQ(rig_stat(r, "kept_replaced"), 0);
    rig_free(r);
}

/* Without priorities all of it is gone. */
TEST(nothing_stays_where_there_are_no_priorities)
{
    rig *r = keeping(0);

    get(r, 0, 3, MEM_KEEP_LAST);
    get(r, 100, 40, MEM_KEEP_DEFAULT);
    CHECK_EQ(hits(r, 0, 3), 0);
    CHECK_EQ(rig_stat(r, "kept"), 0);
    rig_free(r);
}

TEST(no_more_stay_than_their_share_of_a_set)
{
    rig *r = keeping(50);

    get(r, 0, 7, MEM_KEEP_LAST); /* four of eight ways are theirs */
    get(r, 100, 40, MEM_KEEP_DEFAULT);
    CHECK_EQ(hits(r, 0, 7), 4);
    CHECK_EQ(rig_stat(r, "keep_refused"), 3);
    rig_free(r);
}

TEST(what_is_to_go_first_makes_room_for_all_others)
{
    rig *r = keeping(50);

    get(r, 0, 4, MEM_KEEP_DEFAULT);
    get(r, 10, 1, MEM_KEEP_FIRST);
    get(r, 20, 3, MEM_KEEP_DEFAULT); /* the set is full */
    get(r, 30, 1, MEM_KEEP_DEFAULT); /* the oldest is line 0 */
    CHECK_EQ(hits(r, 0, 4), 4);
    CHECK_EQ(rig_stat(r, "first_replaced"), 1);
    /* A stream of such lines takes one way from the rest. */
    get(r, 40, 50, MEM_KEEP_FIRST);
    CHECK_EQ(hits(r, 0, 4), 4);
    CHECK_EQ(hits(r, 21, 2), 2);
    rig_free(r);
}

TEST(unchanged_is_no_use_of_a_line)
{
    rig *r = keeping(50);

    get(r, 0, 8, MEM_KEEP_DEFAULT);
    get(r, 0, 1, MEM_KEEP_UNCHANGED); /* still the oldest */
    get(r, 1, 1, MEM_KEEP_DEFAULT);
    get(r, 50, 1, MEM_KEEP_DEFAULT);
    CHECK_EQ(hits(r, 1, 1), 1);
    CHECK_EQ(hits(r, 0, 1), 0);
    rig_free(r);
}

TEST(normal_and_applypriority_let_a_line_go)
{
    rig *r = keeping(50);

    get(r, 0, 3, MEM_KEEP_LAST);
    get(r, 0, 1, MEM_KEEP_NORMAL);
    get(r, 1, 1, MEM_KEEP_DEFAULT); /* says nothing, so it stays */
    ask(r, MEM_WRITE, 2, MEM_KEEP_APPLY);
    get(r, 100, 20, MEM_KEEP_DEFAULT);
    CHECK_EQ(hits(r, 0, 1), 0);
    CHECK_EQ(hits(r, 1, 1), 1);
    CHECK_EQ(hits(r, 2, 1), 0);
    CHECK_EQ(rig_stat(r, "priorities"), 1);
    CHECK_EQ(rig_stat(r, "writes"), 1); /* as a message, which wrote nothing */
    CHECK_EQ(rig_stat(r, "writebacks"), 0);
    rig_free(r);
}

TEST(windows_have_what_is_set_aside)
{
    rig *r = keeping(50);

    get(r, 0, 1, MEM_KEEP_WINDOW); /* nothing is */
    get(r, 100, 20, MEM_KEEP_DEFAULT);
    CHECK_EQ(hits(r, 0, 1), 0);
    l2_persist(r->b, 2 * 4 * 128); /* two ways of all sets */
    get(r, 0, 3, MEM_KEEP_WINDOW);
    get(r, 100, 20, MEM_KEEP_DEFAULT);
    CHECK_EQ(hits(r, 0, 3), 2);
    l2_persist(r->b, 1 << 20); /* never above the share */
    get(r, 0, 7, MEM_KEEP_WINDOW);
    get(r, 100, 20, MEM_KEEP_DEFAULT);
    CHECK_EQ(hits(r, 0, 7), 4);
    l2_persist_no_more(r->b);
    get(r, 100, 20, MEM_KEEP_DEFAULT);
    CHECK_EQ(hits(r, 0, 7), 0);
    rig_free(r);
}

TEST(what_is_discarded_is_not_written_back)
{
    rig *r = keeping(50);

    ask(r, MEM_WRITE, 0, MEM_KEEP_DEFAULT);
    ask(r, MEM_WRITE, 1, MEM_KEEP_DEFAULT);
    ask(r, MEM_WRITE, 0, MEM_KEEP_DISCARD);
    get(r, 100, 20, MEM_KEEP_DEFAULT);
    rig_run(r, (uint64_t)(r->entered + 2) * APART);
    CHECK_EQ(rig_stat(r, "writebacks"), 1);
    CHECK_EQ(rig_stat(r, "discards"), 1);
    CHECK_EQ(rig_stat(r, "discarded_sectors"), 4);
    CHECK(l2_idle(r->b));
    rig_free(r);
}

TEST(reads_fetch_as_many_bytes_as_they_say)
{
    static const unsigned sectors[] = {1, 2, 4, 4};

    for (unsigned w = 0; w < 4; w++) {
        rig *r = keeping(50);
        mem_msg m = {.addr = line(r, 0), .sectors = 1, .widen = w & 3};

        rig_ask(r, 10, m);
        rig_run(r, 1000);
        CHECK_EQ(rig_stat(r, "fill_sectors"), sectors[w]);
        CHECK_EQ(rig_stat(r, "read_sectors"), 0);
        rig_free(r);
    }
}
