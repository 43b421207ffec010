/* tests/unit/base/test_rng.c - the published sequence, and uniformity. */
#include "base/rng.h"

#include "test.h"

TEST(sequence_is_that_of_xoshiro256starstar)
{
    /* First outputs of the authors' C code from the state 1, 2, 3, 4. */
    static const uint64_t want[] = {11520, 0, 1509978240, 1215971899390074240,
                                    1216172134540287360};
    rng r = {{1, 2, 3, 4}};

    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK_EQ(rng_u64(&r), want[i]);
}

TEST(streams_differ_by_name_and_seed)
{
    rng a, b, c, d;

    rng_init(&a, 1, "x");
    rng_init(&b, 1, "x");
    rng_init(&c, 1, "y");
    rng_init(&d, 2, "x");
    uint64_t first = rng_u64(&a);
    CHECK_EQ(rng_u64(&b), first);
    CHECK(rng_u64(&c) != first);
    CHECK(rng_u64(&d) != first);
}

TEST(below_is_in_range_and_even)
{
    enum { N = 60000 };
    unsigned seen[6] = {0};
    rng r;

    rng_init(&r, 3, "dice");
    for (int i = 0; i < N; i++) {
        uint32_t v = rng_below(&r, 6);

        CHECK(v < 6);
        seen[v]++;
    }
    /* Standard deviation is 91; five of them. */
    for (int i = 0; i < 6; i++)
        CHECK(seen[i] > N / 6 - 456 && seen[i] < N / 6 + 456);
    CHECK_EQ(rng_below(&r, 1), 0);
}

TEST(below_is_even_where_a_plain_scaling_is_not)
{
    /* 2^32 inputs onto 3 * 2^30 results: without rejection every third result
     * has two inputs, the others one. */
    unsigned third = 0;
    rng r;

    rng_init(&r, 5, "rejection");
    for (int i = 0; i < 30000; i++)
        third += rng_below(&r, (uint32_t)3 << 30) % 3 == 0;
    CHECK(third > 9592 && third < 10408); /* 10000, deviation 82 */
}

TEST(unit_is_in_range_with_mean_one_half)
{
    double sum = 0;
    rng r;

    rng_init(&r, 4, "unit");
    for (int i = 0; i < 10000; i++) {
        double v = rng_unit(&r);

        CHECK(v >= 0 && v < 1);
        sum += v;
    }
    CHECK(sum > 4850 && sum < 5150); /* deviation 29 */
}
