#include "launchfile/buffer.h"

#include <math.h>

#include "launchfile/element.h"
#include "test.h"

static plan_buffer make(plan_type t, plan_init init)
{
    return (plan_buffer){.name = "b", .type = t, .init = init, .count = 1};
}

TEST(iota_counts_and_wraps)
{
    plan_buffer b = make(TYPE_U8, INIT_IOTA);
    rng r = buffer_rng(&b);
    uint8_t got[600];
    float f[3];

    CHECK(!buffer_check(&b));
    buffer_fill(&b, &r, 0, 600, got);
    for (unsigned i = 0; i < 600; i++)
        CHECK_EQ(got[i], i % 256);
    b.type = TYPE_F32;
    buffer_fill(&b, &r, 5, 3, f);
    CHECK(f[0] == 5 && f[1] == 6 && f[2] == 7);
}

TEST(constants_keep_every_bit)
{
    plan_buffer b = make(TYPE_U64, INIT_CONSTANT);
    rng r = buffer_rng(&b);
    uint64_t got[2];

    CHECK(!buffer_set(&b, "value", "18446744073709551615"));
    CHECK(!buffer_check(&b));
    buffer_fill(&b, &r, 0, 2, got);
    CHECK_EQ(got[0], UINT64_MAX);
    CHECK_EQ(got[1], UINT64_MAX);
}

TEST(zero_is_zero)
{
    plan_buffer b = make(TYPE_S16, INIT_ZERO);
    rng r = buffer_rng(&b);
    uint16_t got[3] = {1, 2, 3};

    CHECK(!buffer_check(&b));
    buffer_fill(&b, &r, 0, 2, got);
    CHECK_EQ(got[0] | got[1], 0);
    CHECK_EQ(got[2], 3);
}

/* Each of 3..7 is as likely as the others: of 50,000 draws each takes 10,000
 * give or take five times their deviation, sqrt(50000 * 1/5 * 4/5) = 89. */
TEST(uniform_integers_are_uniform)
{
    plan_buffer b = make(TYPE_U8, INIT_UNIFORM);
    static uint8_t got[50000];
    unsigned count[256] = {0};

    CHECK(!buffer_set(&b, "min", "3") && !buffer_set(&b, "max", "7"));
    CHECK(!buffer_check(&b));
    rng r = buffer_rng(&b);
    buffer_fill(&b, &r, 0, 50000, got);
    for (unsigned i = 0; i < 50000; i++)
        count[got[i]]++;
    for (unsigned v = 0; v < 256; v++)
        if (v < 3 || v > 7)
            CHECK_EQ(count[v], 0);
        else
            CHECK(count[v] > 10000 - 5 * 89 && count[v] < 10000 + 5 * 89);
}

/* The mean of 50,000 draws from [-2, 6) is 2, deviation 8 / sqrt(12 * 50000)
 * = 0.0103. */
TEST(uniform_reals_are_uniform)
{
    plan_buffer b = make(TYPE_F64, INIT_UNIFORM);
    static double got[50000];
    double sum = 0;

    CHECK(!buffer_set(&b, "min", "-2") && !buffer_set(&b, "max", "6"));
    CHECK(!buffer_check(&b));
    rng r = buffer_rng(&b);
    buffer_fill(&b, &r, 0, 50000, got);
    for (unsigned i = 0; i < 50000; i++) {
        CHECK(got[i] >= -2 && got[i] < 6);
        sum += got[i];
    }
    CHECK(fabs(sum / 50000 - 2) < 5 * 0.0103);
}

TEST(whole_ranges_of_64_bits_stay_in_range)
{
    plan_buffer b = make(TYPE_S64, INIT_UNIFORM);
    int64_t got[1000];
    unsigned negative = 0;

    CHECK(!buffer_set(&b, "min", "-9007199254740993") &&
          !buffer_set(&b, "max", "9007199254740991"));
    CHECK(!buffer_check(&b));
    rng r = buffer_rng(&b);
    buffer_fill(&b, &r, 0, 1000, got);
    for (unsigned i = 0; i < 1000; i++) {
        CHECK(got[i] >= -9007199254740992 && got[i] <= 9007199254740991);
        negative += got[i] < 0;
    }
    CHECK(negative > 400 && negative < 600);
}

TEST(the_seed_decides_and_pieces_do_not)
{
    plan_buffer b = make(TYPE_U32, INIT_UNIFORM);
    uint32_t whole[100], parts[100], other[100];

    CHECK(!buffer_set(&b, "max", "4294967295") && !buffer_set(&b, "seed", "5"));
    CHECK(!buffer_check(&b));
    rng r = buffer_rng(&b);
    buffer_fill(&b, &r, 0, 100, whole);
    r = buffer_rng(&b);
    buffer_fill(&b, &r, 0, 33, parts);
    buffer_fill(&b, &r, 33, 67, parts + 33);
    CHECK(!memcmp(whole, parts, sizeof whole));
    CHECK(!buffer_set(&b, "seed", "6"));
    r = buffer_rng(&b);
    buffer_fill(&b, &r, 0, 100, other);
    CHECK(memcmp(whole, other, sizeof whole) != 0);
}
