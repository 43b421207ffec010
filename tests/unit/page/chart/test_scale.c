/* tests/unit/page/chart/test_scale.c - axes. */
#include "page/chart/scale.h"

#include <math.h>

#include "test.h"

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

static bool has(const scale *s, double v)
{
    for (size_t i = 0; i < s->count; i++)
        if (near(s->ticks[i], v))
            return true;
    return false;
}

TEST(linear_axes_are_round_and_have_zero)
{
    scale s = scale_linear((double[]){3, 9.2, NAN, 47}, 4);

    CHECK(near(s.low, 0) && near(s.high, 50));
    CHECK(has(&s, 0) && has(&s, 10) && has(&s, 50));
    CHECK(near(scale_at(&s, 25), 50));
    CHECK_STR(scale_tick(&s, 1).s, "10");
    s = scale_linear((double[]){-4, 4}, 2);
    CHECK(near(scale_at(&s, 0), 50));
    s = scale_linear((double[]){0, 0}, 2);
    CHECK(s.high > s.low);
    s = scale_linear(NULL, 0);
    CHECK(s.high > s.low);
}

/* A factor of two to either side is as far from 1. */
TEST(ratios_are_logarithmic_around_one)
{
    scale s = scale_ratio((double[]){0.5, 2, NAN, 0, -1}, 5);

    CHECK(s.log && has(&s, 1) && has(&s, 2) && has(&s, 0.5));
    CHECK(near(scale_at(&s, 1), 50));
    CHECK(near(scale_at(&s, 2) + scale_at(&s, 0.5), 100));
    for (size_t i = 1; i < s.count; i++)
        CHECK(s.ticks[i] > s.ticks[i - 1]);
}

TEST(ticks_of_ratios_can_be_told_apart)
{
    static const double most[] = {1.0001, 1.004, 1.023, 1.1,  1.6,
                                  3,      9,     77,    2500, 1e7};

    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        scale s = scale_ratio((double[]){1, most[i]}, 2);

        CHECK(has(&s, 1) && s.count >= 2);
        for (size_t k = 1; k < s.count; k++) {
            word a = scale_tick(&s, k - 1), b = scale_tick(&s, k);

            CHECK(strcmp(a.s, b.s) != 0);
            CHECK(scale_at(&s, s.ticks[k]) - scale_at(&s, s.ticks[k - 1]) > 5);
        }
    }
}

TEST(nothing_is_drawn_outside)
{
    scale s = scale_ratio((double[]){1, 4}, 2);

    CHECK(near(scale_at(&s, 1e9), 100) && near(scale_at(&s, 1e-9), 0));
}

TEST(logarithmic_scales_have_round_ends_and_room)
{
    scale s = scale_log((double[]){7305, 7184779, NAN, 0, -3}, 5);
    scale few = scale_log((double[]){23, 90}, 2);

    CHECK(s.log && near(s.low, 5000) && near(s.high, 1e7));
    CHECK_EQ(s.count, 4);
    CHECK(has(&s, 1e4) && has(&s, 1e7) && !has(&s, 2e4));
    CHECK(near(scale_at(&s, 5000), 0) && near(scale_at(&s, 1e7), 100));
    CHECK(near(scale_at(&s, sqrt(5000 * 1e7)), 50));
    CHECK(near(few.low, 20) && near(few.high, 200));
    CHECK(has(&few, 20) && has(&few, 50) && has(&few, 100) && has(&few, 200));
    s = scale_log(NULL, 0);
    CHECK(s.high > s.low && s.count > 1);
}
