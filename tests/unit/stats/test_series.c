/* tests/unit/stats/test_series.c - a counter of several blocks over time. */
#include "stats/series.h"

#include "test.h"

typedef struct block {
    uint64_t other, warps;
} block;

static const stat_desc desc[] = {
    STAT_DESC(block, other, "event", "not this one"),
    STAT_DESC(block, warps, "warp", "resident warps"),
};

enum { BLOCKS = 3 };

static stats *build(block b[BLOCKS])
{
    static const char *const paths[] = {"sm[0]", "sm[1]", "sm[2]"};
    stats *s = stats_new();

    memset(b, 0, BLOCKS * sizeof *b);
    for (unsigned i = 0; i < BLOCKS; i++)
        stats_add(s, paths[i], desc, 2, &b[i]);
    return s;
}

/* What all steps together have of a block. */
static uint64_t sum(const stats_series *s, size_t of)
{
    uint64_t n = 0;

    for (size_t k = 0; k < s->count; k++)
        n += s->value[k * s->blocks + of];
    return n;
}

TEST(steps_have_what_was_added_since_the_one_before)
{
    block b[BLOCKS];
    stats *reg = build(b);
    stats_series s = {0};

    b[1].warps = 1000; /* of a launch before */
    stats_series_begin(&s, reg, "sm[*].warps", 10);
    CHECK_EQ(s.blocks, BLOCKS);
    b[0].warps += 5, b[1].warps += 7, b[2].other += 9;
    stats_series_add(&s, reg, 10);
    b[2].warps += 3;
    stats_series_add(&s, reg, 16); /* what is left at the end */
    CHECK_EQ(s.count, 2);
    CHECK_EQ(s.end[0], 10);
    CHECK_EQ(s.end[1], 16);
    CHECK_EQ(s.value[0], 5);
    CHECK_EQ(s.value[1], 7);
    CHECK_EQ(s.value[2], 0);
    CHECK_EQ(s.value[3 + 2], 3);
    stats_series_fini(&s);
    stats_free(reg);
}

TEST(long_launches_have_longer_steps_and_lose_nothing)
{
    block b[BLOCKS];
    stats *reg = build(b);
    stats_series s = {0};
    uint64_t t = 0, begin = 0;

    stats_series_begin(&s, reg, "sm[*].warps", 10);
    for (unsigned i = 0; i < 5000; i++) {
        for (unsigned k = 0; k < BLOCKS; k++)
            b[k].warps += 10 * k;
        stats_series_add(&s, reg, t += 10);
    }
    CHECK(s.count <= SERIES_STEPS && s.count > SERIES_STEPS / 2 - 1);
    CHECK_EQ(s.end[s.count - 1], 50000);
    for (unsigned k = 0; k < BLOCKS; k++)
        CHECK_EQ(sum(&s, k), 50000 * k);
    for (size_t i = 0; i < s.count; i++) { /* each has k warps all the time */
        CHECK_EQ(s.value[i * BLOCKS + 2], 2 * (s.end[i] - begin));
        if (i + 1 < s.count)
            CHECK_EQ(s.end[i] - begin, s.step);
        begin = s.end[i];
    }
    stats_series_fini(&s);
    stats_free(reg);
}

TEST(nothing_that_matches_is_nothing)
{
    block b[BLOCKS];
    stats *reg = build(b);
    stats_series s = {0};

    stats_series_begin(&s, reg, "l2[*].warps", 10);
    stats_series_add(&s, reg, 10);
    CHECK_EQ(s.blocks, 0);
    CHECK_EQ(s.count, 0);
    stats_series_fini(&s);
    stats_free(reg);
}

TEST(values_from_elsewhere_are_bounded)
{
    const uint64_t v[] = {1, 2};
    stats_series s = {0};
    unsigned n = 0;

    while (n < 1000 && stats_series_put(&s, 2, n + 1, v))
        n++;
    CHECK_EQ(n, SERIES_STEPS);
    CHECK_EQ(s.count, SERIES_STEPS);
    CHECK(!stats_series_put(&s, 3, 5000, v));
    stats_series_fini(&s);
}
