/* tests/unit/cache/test_l1_locality.c - which lines are kept where the L1
 * counts references: the tags by themselves, and a cache with them. */
#include "l1_rig.h"

#include "cache/l1_locality.h"

static l1_locality *tags(unsigned ways, unsigned threshold)
{
    config c;

    config_defaults(&c);
    c.l1.sets = 2;
    c.l1.bypass = CFG_L1_BYPASS_LOCALITY;
    c.l1.locality.ways = ways;
    c.l1.locality.threshold = threshold;
    return l1_locality_new(&c.l1);
}

TEST(there_are_none_unless_asked_for)
{
    config c;

    config_defaults(&c);
    CHECK(l1_locality_new(&c.l1) == NULL);
    l1_locality_clear(NULL);
    l1_locality_free(NULL);
}

TEST(a_line_is_kept_from_its_nth_reference_on)
{
    for (unsigned n = 1; n < 5; n++) {
        l1_locality *f = tags(4, n);

        for (unsigned seen = 1; seen < 8; seen++) {
            CHECK_EQ(l1_locality_keeps(f, 0, 0x1000), seen >= n);
            CHECK_EQ(l1_locality_note(f, 0, 0x1000), seen == 1);
        }
        CHECK_EQ(l1_locality_keeps(f, 1, 0x1000), n == 1); /* another set */
        l1_locality_clear(f);
        CHECK_EQ(l1_locality_keeps(f, 0, 0x1000), n == 1);
        l1_locality_free(f);
    }
}

/* Two tags: A was seen twice, B once; C takes B's. */
TEST(the_least_referenced_line_is_forgotten)
{
    l1_locality *f = tags(2, 2);

    l1_locality_note(f, 0, 0xa00);
    l1_locality_note(f, 0, 0xb00);
    l1_locality_note(f, 0, 0xa00);
    CHECK(l1_locality_note(f, 0, 0xc00));
    CHECK(l1_locality_keeps(f, 0, 0xa00));
    CHECK(l1_locality_keeps(f, 0, 0xc00));
    CHECK(!l1_locality_keeps(f, 0, 0xb00));
    l1_locality_free(f);
}

/* Among equals they take turns: four lines that come round in three tags are
 * never kept, but none holds its tag for ever. */
TEST(equals_are_forgotten_in_turn)
{
    l1_locality *f = tags(3, 2);

    for (unsigned i = 0; i < 40; i++)
        CHECK(l1_locality_note(f, 0, 0x100 * (1 + i % 4)));
    l1_locality_free(f);
}

/* What was replaced has to earn its place again; counts of the others are
 * halved: 5 to 3, 1 stays 1. */
TEST(a_replaced_line_begins_anew_and_others_age)
{
    l1_locality *f = tags(4, 4);

    for (unsigned i = 0; i < 5; i++)
        l1_locality_note(f, 0, 0xa00);
    for (unsigned i = 0; i < 6; i++)
        l1_locality_note(f, 0, 0xb00);
    l1_locality_note(f, 0, 0xc00);
    l1_locality_evict(f, 0, 0xb00);
    CHECK(l1_locality_keeps(f, 0, 0xa00)); /* 3 and this one */
    l1_locality_evict(f, 0, 0xd00);
    CHECK(!l1_locality_keeps(f, 0, 0xa00)); /* 2 */
    CHECK(!l1_locality_note(f, 0, 0xc00));
    CHECK(l1_locality_note(f, 0, 0xb00));
    l1_locality_free(f);
}

/* ---- in a cache ---- */

/* The first load of a line goes around, the second is kept, the third hits. */
TEST(the_second_load_is_kept_and_the_third_hits)
{
    rig *r = rig_new();

    r->cfg.l1.bypass = CFG_L1_BYPASS_LOCALITY;
    r->cfg.l1.locality.threshold = 2;
    rig_start(r);
    for (unsigned i = 0; i < 3; i++)
        rig_load(r, 1000 * i, 0x8000);
    rig_run(r, 10000);
    CHECK_EQ(rig_stat(r, "global_reads"), 3);
    CHECK_EQ(rig_stat(r, "global_read_bypasses"), 1);
    CHECK_EQ(rig_stat(r, "global_read_misses"), 1);
    CHECK_EQ(rig_stat(r, "global_read_hits"), 1);
    CHECK_EQ(rig_stat(r, "locality_lookups"), 3);
    CHECK_EQ(rig_stat(r, "locality_new"), 1);
    CHECK_EQ(rig_stat(r, "locality_around"), 1);
    CHECK_EQ(rig_stat(r, "fills"), 1);
    rig_free(r);
}

/* Lines of one set that are loaded once each never fill it: the line that is
 * used all the time stays. Without the tags two others push it out each time.
 */
static uint64_t hits_beside_a_stream(cfg_l1_bypass how)
{
    rig *r = rig_new();

    r->cfg.l1.bypass = how;
    rig_start(r);
    for (unsigned i = 0; i < 20; i++) {
        rig_load(r, 3000 * i, 0x8000);
        rig_load(r, 3000 * i + 1000, 0x10000 + 1024 * i);
        rig_load(r, 3000 * i + 2000, 0x10200 + 1024 * i);
    }
    rig_run(r, 100000);
    CHECK_EQ(r->done, 60);
    uint64_t hits = rig_stat(r, "global_read_hits");
    rig_free(r);
    return hits;
}

TEST(a_stream_does_not_push_out_what_is_used)
{
    CHECK_EQ(hits_beside_a_stream(CFG_L1_BYPASS_NONE), 0);
    CHECK_EQ(hits_beside_a_stream(CFG_L1_BYPASS_LOCALITY), 18);
}

/* No line of the set, no MSHR is needed for what goes around. */
TEST(what_goes_around_is_not_held_up_by_a_full_set)
{
    rig *r = rig_new();

    r->cfg.l1.bypass = CFG_L1_BYPASS_LOCALITY;
    r->cfg.l1.ways = 1;
    r->cfg.l1.mshrs = 1;
    rig_start(r);
    for (unsigned i = 0; i < 4; i++)
        rig_load(r, i, 0x8000 + 512 * i);
    rig_run(r, 10000);
    CHECK_EQ(r->done, 4);
    CHECK_EQ(rig_stat(r, "stall_set_full"), 0);
    CHECK_EQ(rig_stat(r, "stall_mshr_entry"), 0);
    CHECK_EQ(rig_stat(r, "global_read_bypasses"), 4);
    rig_free(r);
}
