/* tests/unit/mem/test_tags.c - tag array and MSHRs on their own. */
#include "test.h"

#include "base/rng.h"
#include "mem/mshr.h"
#include "mem/tags.h"

/* Lines present, in all sets; slow. */
static uint32_t count_lines(const mem_tags *t)
{
    uint32_t n = 0;

    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++)
        n += mem_tags_holds(t, i);
    return n;
}

TEST(least_recently_used_line_is_the_victim)
{
    mem_tags t;

    mem_tags_init(&t, 4, 3, 128, CFG_INDEX_MOD);
    /* Lines 0, 512, 1024 all belong to set 0. */
    for (uint64_t a = 0; a < 3 * 512; a += 512) {
        CHECK_EQ(mem_tags_find(&t, a), MEM_NO_SLOT);
        mem_tags_take(&t, mem_tags_victim(&t, a), a);
    }
    CHECK_EQ(count_lines(&t), 3);
    mem_tags_touch(&t, mem_tags_find(&t, 0));
    CHECK_EQ(mem_tags_victim(&t, 1536), mem_tags_find(&t, 512));
    mem_tags_drop(&t, mem_tags_find(&t, 1024));
    CHECK(!mem_tags_holds(&t, mem_tags_victim(&t, 1536)));
    CHECK_EQ(mem_tags_find(&t, 5), mem_tags_find(&t, 0)); /* any byte of it */
    mem_tags_fini(&t);
}

TEST(reserved_lines_are_not_evicted)
{
    mem_tags t;

    mem_tags_init(&t, 1, 2, 128, CFG_INDEX_MOD);
    mem_tags_take(&t, 0, 0);
    mem_tags_await(&t, 0, 0x3);
    mem_tags_take(&t, 1, 128);
    CHECK_EQ(mem_tags_victim(&t, 256), 1); /* though 0 is older */
    mem_tags_await(&t, 1, 0xf);
    CHECK_EQ(mem_tags_victim(&t, 256), MEM_NO_SLOT);
    mem_tags_fill(&t, 0, 0x1);
    CHECK_EQ(mem_tags_victim(&t, 256), MEM_NO_SLOT);
    CHECK_EQ(t.state[0].valid, 0x1);
    mem_tags_fill(&t, 0, 0x2);
    CHECK_EQ(mem_tags_victim(&t, 256), 0);
    CHECK_EQ(t.reserved[0], 1);
    mem_tags_fini(&t);
}

TEST(clear_limits_the_ways)
{
    mem_tags t;

    mem_tags_init(&t, 2, 8, 128, CFG_INDEX_XOR);
    mem_tags_clear(&t, 2);
    for (uint64_t a = 0; a < 64 * 128; a += 128)
        mem_tags_take(&t, mem_tags_victim(&t, a), a);
    CHECK_EQ(count_lines(&t), 4);
    mem_tags_clear(&t, 8);
    CHECK_EQ(count_lines(&t), 0);
    mem_tags_fini(&t);
}

/* Line by line, whatever finds them faster. */
static uint32_t search_set(const mem_tags *t, uint32_t set, uint64_t line)
{
    for (uint32_t s = set * t->ways; s < (set + 1) * t->ways; s++)
        if (t->line[s] == line)
            return s;
    return MEM_NO_SLOT;
}

TEST(a_line_is_found_among_few_or_many_ways)
{
    static const uint32_t ways[] = {1, 4, 8, 9, 16, 17, 24};
    rng r;

    rng_init(&r, 1, "tags");
    for (unsigned i = 0; i < COUNTOF(ways); i++) {
        mem_tags t;
        unsigned found = 0;

        mem_tags_init(&t, 3, ways[i], 128, CFG_INDEX_MOD);
        for (unsigned step = 0; step < 20000; step++) {
            uint64_t line = rng_below(&r, 6 * ways[i]) * 128;
            uint32_t slot = mem_tags_find(&t, line + rng_below(&r, 128));

            CHECK_EQ(slot, search_set(&t, mem_tags_set(&t, line), line));
            found += slot != MEM_NO_SLOT;
            if (slot == MEM_NO_SLOT)
                mem_tags_take(&t, mem_tags_victim(&t, line), line);
            else if (rng_below(&r, 4) == 0)
                mem_tags_drop(&t, slot);
            if (step % 5000 == 4999)
                mem_tags_clear(&t, 1 + (uint32_t)rng_below(&r, ways[i]));
        }
        CHECK(found > 500);
        mem_tags_fini(&t);
    }
}

/* The least recently used slot of a set that may go, as stamps say. */
static uint32_t oldest_by_stamp(const mem_tags *t, uint32_t set)
{
    uint32_t best = MEM_NO_SLOT;

    for (uint32_t s = set * t->ways; s < set * t->ways + t->live_ways; s++) {
        if (!mem_tags_holds(t, s))
            return s;
        if (!t->state[s].pending &&
            (best == MEM_NO_SLOT || t->used[s] < t->used[best]))
            best = s;
    }
    return best;
}

TEST(the_victim_is_the_oldest_among_few_or_many_ways)
{
    static const uint32_t ways[] = {1, 3, 8, 9, 24};
    rng r;

    rng_init(&r, 2, "victims");
    for (unsigned i = 0; i < COUNTOF(ways); i++) {
        mem_tags t;
        unsigned full = 0;

        mem_tags_init(&t, 2, ways[i], 128, CFG_INDEX_MOD);
        for (unsigned step = 0; step < 20000; step++) {
            uint64_t line = rng_below(&r, 4 * ways[i]) * 128;
            uint32_t set = mem_tags_set(&t, line);
            uint32_t slot = mem_tags_find(&t, line);
            uint32_t victim = mem_tags_victim(&t, line);

            CHECK_EQ(victim, oldest_by_stamp(&t, set));
            full += victim == MEM_NO_SLOT;
            if (slot == MEM_NO_SLOT) {
                if (victim != MEM_NO_SLOT)
                    mem_tags_take(&t, victim, line);
            } else if (t.state[slot].pending) {
                mem_tags_fill(&t, slot, t.state[slot].pending);
            } else if (rng_below(&r, 5) == 0) {
                mem_tags_drop(&t, slot);
            } else if (rng_below(&r, 3) == 0) {
                mem_tags_await(&t, slot, 1);
            } else {
                mem_tags_touch(&t, slot);
            }
        }
        CHECK(i > 1 || full > 100);
        mem_tags_fini(&t);
    }
}

TEST(fewer_sets_take_lines_in_turn)
{
    mem_tags t;

    mem_tags_init(&t, 5, 2, 128, CFG_INDEX_MOD);
    mem_tags_spread(&t, 3);
    mem_tags_clear(&t, 2);
    for (uint64_t a = 0; a < 9 * 128; a += 128) {
        CHECK_EQ(mem_tags_set(&t, a), a / 128 % 3);
        mem_tags_take(&t, mem_tags_victim(&t, a), a);
    }
    CHECK_EQ(count_lines(&t), 6);
    CHECK_EQ(mem_tags_find(&t, 0), MEM_NO_SLOT);
    CHECK(mem_tags_find(&t, 3 * 128) != MEM_NO_SLOT);
    mem_tags_spread(&t, 5);
    mem_tags_clear(&t, 2);
    for (uint64_t a = 0; a < 10 * 128; a += 128)
        mem_tags_take(&t, mem_tags_victim(&t, a), a);
    CHECK_EQ(count_lines(&t), 10);
    mem_tags_fini(&t);
}

static mem_msg ask(uint32_t tag, uint8_t sectors)
{
    return (mem_msg){.tag = tag, .sectors = sectors};
}

TEST(mshr_merges_up_to_its_limit_and_releases_by_age)
{
    mem_mshr *t = mem_mshr_new(2, 3);
    mem_msg m;

    CHECK_EQ(mem_mshr_find(t, 128), MEM_NO_ENTRY);
    uint32_t e = mem_mshr_add(t, 128);
    CHECK_EQ(mem_mshr_find(t, 128), e);
    mem_mshr_at(t, e)->awaited = 0x3;
    for (uint32_t tag = 0; tag < 3; tag++) {
        m = ask(tag, tag == 1 ? 0x2 : 0x1);
        CHECK(mem_mshr_mergeable(t, e, m.sectors));
        mem_mshr_merge(t, e, &m);
    }
    CHECK(mem_mshr_mergeable(t, e, 0x3)); /* two want one, one the other */
    m = ask(9, 0x1);
    mem_mshr_merge(t, e, &m);
    CHECK(!mem_mshr_mergeable(t, e, 0x1));
    CHECK(!mem_mshr_mergeable(t, e, 0x3));
    CHECK(mem_mshr_mergeable(t, e, 0x2));
    mem_mshr_arrive(t, e, 0x1);
    CHECK_EQ(mem_mshr_next(t, e)->tag, 0);
    CHECK_EQ(mem_mshr_next(t, e)->tag, 2);
    CHECK_EQ(mem_mshr_next(t, e)->tag, 9);
    CHECK(!mem_mshr_next(t, e));
    CHECK_EQ(mem_mshr_count(t), 1);
    m = ask(3, 0x2);
    mem_mshr_merge(t, e, &m);
    mem_mshr_arrive(t, e, 0x2);
    CHECK_EQ(mem_mshr_next(t, e)->tag, 1);
    CHECK_EQ(mem_mshr_next(t, e)->tag, 3);
    CHECK(!mem_mshr_next(t, e));
    CHECK_EQ(mem_mshr_count(t), 0);
    mem_mshr_free(t);
}

/* Two lines, each with the request that took it, and three places. */
TEST(mshr_lists_share_their_places)
{
    mem_mshr *t = mem_mshr_new_shared(2, 3);
    uint32_t a = mem_mshr_add(t, 128), b = mem_mshr_add(t, 256);
    mem_msg m = ask(0, 0x1);

    mem_mshr_at(t, a)->awaited = mem_mshr_at(t, b)->awaited = 0x1;
    mem_mshr_merge(t, b, &m);
    for (uint32_t tag = 0; tag < 4; tag++) {
        CHECK(mem_mshr_mergeable(t, a, 0x1));
        m = ask(tag, 0x1);
        mem_mshr_merge(t, a, &m);
    }
    CHECK(!mem_mshr_mergeable(t, a, 0x1));
    CHECK(!mem_mshr_mergeable(t, a, 0x2)); /* places, not sectors, are full */
    CHECK(!mem_mshr_mergeable(t, b, 0x1));
    mem_mshr_arrive(t, a, 0x1);
    for (uint32_t tag = 0; tag < 4; tag++)
        CHECK_EQ(mem_mshr_next(t, a)->tag, tag);
    CHECK(!mem_mshr_next(t, a));
    CHECK(mem_mshr_mergeable(t, b, 0x1));
    mem_mshr_free(t);
}

/* Lines come and go at random; every waiting request comes out once. */
TEST(mshr_loses_nothing)
{
    enum { LINES = 50 };
    mem_mshr *t = mem_mshr_new(24, 100);
    unsigned in[LINES] = {0}, out = 0, entered = 0, open = 0;
    rng r;

    rng_init(&r, 1, "mshr");
    for (unsigned step = 0; step < 20000; step++) {
        uint64_t line = rng_below(&r, LINES);
        uint32_t e = mem_mshr_find(t, line * 128);
        CHECK_EQ(e != MEM_NO_ENTRY, in[line] > 0);
        if (rng_below(&r, 4)) {
            if (e == MEM_NO_ENTRY && mem_mshr_full(t))
                continue;
            if (e == MEM_NO_ENTRY) {
                e = mem_mshr_add(t, line * 128);
                mem_mshr_at(t, e)->awaited = 1;
                open++;
            }
            if (!mem_mshr_mergeable(t, e, 1))
                continue;
            mem_msg m = ask((uint32_t)line, 1);
            mem_mshr_merge(t, e, &m);
            in[line]++;
            entered++;
        } else if (e != MEM_NO_ENTRY) {
            const mem_msg *m;
            mem_mshr_arrive(t, e, 1);
            while ((m = mem_mshr_next(t, e))) {
                CHECK_EQ(m->tag, line);
                in[line]--;
                out++;
            }
            CHECK_EQ(in[line], 0);
            open--;
        }
        CHECK_EQ(mem_mshr_count(t), open);
    }
    for (unsigned i = 0; i < LINES; i++)
        out += in[i];
    CHECK_EQ(out, entered);
    mem_mshr_free(t);
}
