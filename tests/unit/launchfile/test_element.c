#include "launchfile/element.h"

#include <math.h>

#include "test.h"

/* ---- Halves, from their definition in integers ---- */

/* The value of a half in units of 2^-24, exact; the mantissa shifted by the
 * exponent. */
static int64_t half_units(unsigned h)
{
    int64_t e = h >> 10 & 31, m = h & 1023;

    return e ? (m + 1024) << (e - 1) : m;
}

TEST(every_half_is_read_exactly)
{
    for (unsigned i = 0; i < 0x7c00; i++) {
        uint16_t h = (uint16_t)i, n = (uint16_t)(i | 0x8000);
        double want = (double)half_units(i) / 16777216.0;

        CHECK(element_get(TYPE_F16, &h) == want);
        CHECK(element_get(TYPE_F16, &n) == -want);
        CHECK(signbit(element_get(TYPE_F16, &n)));
    }
    uint16_t inf = 0x7c00, minus = 0xfc00, nan = 0x7c01;
    CHECK(element_get(TYPE_F16, &inf) == INFINITY);
    CHECK(element_get(TYPE_F16, &minus) == -INFINITY);
    CHECK(isnan(element_get(TYPE_F16, &nan)));
}

static unsigned put_half(double v)
{
    uint16_t h = 0x5555;

    element_put(TYPE_F16, &h, v);
    return h;
}

TEST(every_half_survives_a_round_trip)
{
    for (unsigned i = 0; i < 0x10000; i++) {
        uint16_t h = (uint16_t)i;
        double v = element_get(TYPE_F16, &h);

        if (isnan(v))
            CHECK((put_half(v) & 0x7c00) == 0x7c00 && put_half(v) & 1023);
        else
            CHECK_EQ(put_half(v), i);
    }
}

/* Between two neighbouring halves lies a tie, which goes to the even one, and
 * just off it either side goes to the nearer. */
TEST(halves_round_to_nearest_even)
{
    for (unsigned i = 0; i < 0x7bff; i++) {
        double tie = (double)(half_units(i) + half_units(i + 1)) / 33554432.0;
        double below = nextafter(tie, 0), above = nextafter(tie, INFINITY);

        CHECK_EQ(put_half(tie), i & 1 ? i + 1 : i);
        CHECK_EQ(put_half(below), i);
        CHECK_EQ(put_half(above), i + 1);
        CHECK_EQ(put_half(-above), (i + 1) | 0x8000);
    }
    CHECK_EQ(put_half(65519.999), 0x7bff);
    CHECK_EQ(put_half(65520), 0x7c00); /* a tie with 65536, which is even */
    CHECK_EQ(put_half(1e300), 0x7c00);
    CHECK_EQ(put_half(-1e300), 0xfc00);
    CHECK_EQ(put_half(0x1p-25), 0);
    CHECK_EQ(put_half(nextafter(0x1p-25, 1)), 1);
    CHECK_EQ(put_half(-0.0), 0x8000);
}

/* ---- Integers ---- */

static uint64_t put(plan_type t, double v)
{
    uint64_t u = 0;

    element_put(t, &u, v);
    return u;
}

TEST(integers_saturate)
{
    CHECK_EQ(put(TYPE_U8, 255.4), 255);
    CHECK_EQ(put(TYPE_U8, 256), 255);
    CHECK_EQ(put(TYPE_U8, -1), 0);
    CHECK_EQ(put(TYPE_S8, 127.5), 127);
    CHECK_EQ(put(TYPE_S8, -128.5), 0x80);
    CHECK_EQ(put(TYPE_S8, -1000), 0x80);
    CHECK_EQ(put(TYPE_U16, 1e9), 0xffff);
    CHECK_EQ(put(TYPE_S16, -1e9), 0x8000);
    CHECK_EQ(put(TYPE_U32, 4294967295.0), 0xffffffff);
    CHECK_EQ(put(TYPE_U32, 4294967296.0), 0xffffffff);
    CHECK_EQ(put(TYPE_S32, 2147483648.0), 0x7fffffff);
    CHECK_EQ(put(TYPE_S32, -2147483649.0), 0x80000000);
    CHECK_EQ(put(TYPE_U64, 0x1p64), UINT64_MAX);
    CHECK_EQ(put(TYPE_U64, 0x1p63), (uint64_t)1 << 63);
    CHECK_EQ(put(TYPE_S64, 0x1p63), INT64_MAX);
    CHECK_EQ(put(TYPE_S64, -0x1p63), (uint64_t)INT64_MIN);
    CHECK_EQ(put(TYPE_S64, -INFINITY), (uint64_t)INT64_MIN);
    CHECK_EQ(put(TYPE_S32, NAN), 0);
}

TEST(integers_round_to_nearest_even)
{
    CHECK_EQ(put(TYPE_S32, 0.5), 0);
    CHECK_EQ(put(TYPE_S32, 1.5), 2);
    CHECK_EQ(put(TYPE_S32, 2.5), 2);
    CHECK_EQ(put(TYPE_S16, -2.5), 0xfffe);
    CHECK_EQ(put(TYPE_U8, -0.4), 0);
}

TEST(integers_are_read_with_their_sign)
{
    uint64_t ones = UINT64_MAX;

    CHECK(element_get(TYPE_U8, &ones) == 255);
    CHECK(element_get(TYPE_S8, &ones) == -1);
    CHECK(element_get(TYPE_U16, &ones) == 65535);
    CHECK(element_get(TYPE_S16, &ones) == -1);
    CHECK(element_get(TYPE_U32, &ones) == 4294967295.0);
    CHECK(element_get(TYPE_S32, &ones) == -1);
    CHECK(element_get(TYPE_U64, &ones) == 0x1p64);
    CHECK(element_get(TYPE_S64, &ones) == -1);
}

/* Only the bytes of the element are touched. */
TEST(elements_end_where_they_should)
{
    for (unsigned t = 0; t < TYPE_NONE; t++) {
        unsigned char at[10];
        unsigned size = plan_type_bytes((plan_type)t);

        memset(at, 0xa5, sizeof at);
        element_put((plan_type)t, at + 1, 1);
        CHECK_EQ(at[0], 0xa5);
        CHECK_EQ(at[1 + size], 0xa5);
        CHECK(element_get((plan_type)t, at + 1) == 1);
        memset(at, 0xa5, sizeof at);
        CHECK(element_parse((plan_type)t, "1", at + 1));
        CHECK_EQ(at[0], 0xa5);
        CHECK_EQ(at[1 + size], 0xa5);
        CHECK(element_get((plan_type)t, at + 1) == 1);
    }
}

/* ---- Parsing ---- */

static bool parses(plan_type t, const char *text, uint64_t want)
{
    uint64_t u = 0;

    return element_parse(t, text, &u) && u == want;
}

static bool refused(plan_type t, const char *text)
{
    uint64_t u = 0;

    return !element_parse(t, text, &u);
}

TEST(whole_numbers_are_parsed)
{
    CHECK(parses(TYPE_U8, "255", 255));
    CHECK(parses(TYPE_S8, "-128", 0x80));
    CHECK(parses(TYPE_S8, "0xff", 0xff)); /* bits */
    CHECK(parses(TYPE_U32, "0xFFFFFFFF", 0xffffffff));
    CHECK(parses(TYPE_U32, "-1", 0xffffffff));
    CHECK(parses(TYPE_S32, "2147483648", 0x80000000));
    CHECK(parses(TYPE_U64, "18446744073709551615", UINT64_MAX));
    CHECK(parses(TYPE_S64, "-9223372036854775808", (uint64_t)INT64_MIN));
    CHECK(parses(TYPE_U16, "0", 0));
    CHECK(parses(TYPE_U16, "+7", 7));
}

TEST(what_is_no_whole_number_is_refused)
{
    static const char *const bad[] = {"",
                                      " 1",
                                      "1 ",
                                      "\t1",
                                      "1.5",
                                      "1e3",
                                      "x",
                                      "0x",
                                      "--1",
                                      "1,2",
                                      "0x1g",
                                      "nan",
                                      "-",
                                      "- 1",
                                      "99999999999999999999999",
                                      "-99999999999999999999999"};

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        for (unsigned t = 0; t < TYPE_F16; t++)
            CHECK(refused((plan_type)t, bad[i]));
    CHECK(refused(TYPE_U8, "256"));
    CHECK(refused(TYPE_S8, "-129"));
    CHECK(refused(TYPE_U16, "65536"));
    CHECK(refused(TYPE_S16, "-32769"));
    CHECK(refused(TYPE_U32, "4294967296"));
    CHECK(refused(TYPE_S32, "-2147483649"));
    CHECK(refused(TYPE_U64, "18446744073709551616"));
    CHECK(refused(TYPE_S64, "-9223372036854775809"));
}

TEST(reals_are_parsed)
{
    CHECK(parses(TYPE_F32, "1", 0x3f800000));
    CHECK(parses(TYPE_F32, "-0", 0x80000000));
    CHECK(parses(TYPE_F32, "1e-45", 1)); /* rounds up to the least denormal */
    CHECK(parses(TYPE_F32, "inf", 0x7f800000));
    CHECK(parses(TYPE_F32, "-Infinity", 0xff800000));
    CHECK(parses(TYPE_F32, "0x1.8p1", 0x40400000));
    CHECK(parses(TYPE_F64, "0.1", 0x3fb999999999999a));
    CHECK(parses(TYPE_F16, "0.333", 0x3554)); /* 1364/4096 is nearest */
    CHECK(parses(TYPE_F16, "65504", 0x7bff));
    uint32_t nan;
    CHECK(element_parse(TYPE_F32, "nan", &nan));
    CHECK((nan & 0x7fffffff) > 0x7f800000);
}

/* PTX writes the bits of a real behind 0f and 0d. */
TEST(reals_can_be_given_as_bits)
{
    CHECK(parses(TYPE_F32, "0f3f800001", 0x3f800001));
    CHECK(parses(TYPE_F32, "0F7FC12345", 0x7fc12345));
    CHECK(parses(TYPE_F64, "0d3ff0000000000001", 0x3ff0000000000001));
    CHECK(refused(TYPE_F32, "0d3f800001"));
    CHECK(refused(TYPE_F32, "0f3f80000"));
    CHECK(refused(TYPE_F32, "0f3f8000011"));
    CHECK(refused(TYPE_F32, "0f-f800001"));
    CHECK(refused(TYPE_F64, "0f3ff0000000000001"));
}

/* 1 + 2^-24 + 2^-60 lies just above the tie of two singles. As a double it is
 * the tie itself, which would go down to the even one. */
TEST(singles_are_rounded_once)
{
    CHECK(parses(TYPE_F32, "0x1.000001000000001p0", 0x3f800001));
    CHECK(parses(TYPE_F32, "1.00000005960464477539062500001", 0x3f800001));
    CHECK(parses(TYPE_F32, "1.000000059604644775390625", 0x3f800000));
}

TEST(what_is_no_real_is_refused)
{
    static const char *const bad[] = {"",      " 1",  "1 ",    "one",
                                      "1.2.3", "1e",  "--1",   "1f",
                                      "0x",    "1,5", "1e999", "-1e999"};

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        for (unsigned t = TYPE_F16; t < TYPE_NONE; t++)
            CHECK(refused((plan_type)t, bad[i]));
    CHECK(refused(TYPE_F32, "1e39")); /* too large for the type */
    CHECK(refused(TYPE_F16, "65520"));
    CHECK(!refused(TYPE_F16, "65519"));
}
