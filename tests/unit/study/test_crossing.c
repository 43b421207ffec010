/* tests/unit/study/test_crossing.c - crossings of lines whose place is known.
 */
#include "study/crossing.h"

#include <math.h>

#include "test.h"

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

TEST(a_line_in_logarithms_is_met_exactly)
{
    /* ratio = sqrt(x / 100): at 100, between 64 and 128. */
    const double x[] = {16, 32, 64, 128, 256};
    double r[5];
    crossing_line l = {x, r, 5, true};
    crossing c[4];

    for (unsigned i = 0; i < 5; i++)
        r[i] = sqrt(x[i] / 100);
    CHECK_EQ(crossing_find(&l, 1, c, 4), 1);
    CHECK_EQ(c[0].from, 2);
    CHECK_EQ(c[0].to, 3);
    CHECK(c[0].rising);
    CHECK(near(c[0].at, 100));
    CHECK_EQ(c[0].unknown, 0);
    /* 1.2 at 144. */
    CHECK_EQ(crossing_find(&l, 1.2, c, 4), 1);
    CHECK(near(c[0].at, 144));
    CHECK_EQ(crossing_find(&l, 2, c, 4), 0);
}

TEST(the_inverse_crosses_at_the_same_place)
{
    const double x[] = {1, 2, 3, 4};
    const double r[] = {0.8, 0.9, 1.3, 1.2};
    const double inverse[] = {1 / 0.8, 1 / 0.9, 1 / 1.3, 1 / 1.2};
    crossing_line a = {x, r, 4, false}, b = {x, inverse, 4, false};
    crossing p, q;

    CHECK_EQ(crossing_find(&a, 1, &p, 1), 1);
    CHECK_EQ(crossing_find(&b, 1, &q, 1), 1);
    CHECK(near(p.at, q.at));
    CHECK(p.rising && !q.rising);
    /* ln 0.9 + p (ln 1.3 - ln 0.9) = 0. */
    CHECK(near(p.at, 2 + log(0.9) / log(0.9 / 1.3)));
}

TEST(several_turns_are_all_found)
{
    const double x[] = {1, 2, 3, 4, 5};
    const double r[] = {2, 0.5, 2, 0.5, 0.4};
    crossing_line l = {x, r, 5, false};
    crossing c[2];

    CHECK_EQ(crossing_find(&l, 1, c, 2), 3); /* more than there is room for */
    CHECK(!c[0].rising && c[1].rising);
    CHECK(near(c[0].at, 1.5));
    CHECK(near(c[1].at, 2.5));
}

TEST(a_stretch_at_the_level_crosses_only_if_it_leads_through)
{
    const double x[] = {1, 2, 3, 4};
    const double through[] = {0.5, 1, 1, 2}, back[] = {0.5, 1, 1, 0.5};
    const double ends[] = {1, 1, 2, 3}, once[] = {0.5, 1, 2, 3};
    const double steep[] = {0.5, 1, 1, 8};
    crossing c;

    CHECK_EQ(crossing_find(&(crossing_line){x, through, 4, false}, 1, &c, 1),
             1);
    CHECK(near(c.at, 2.5));
    CHECK_EQ(c.from, 0);
    CHECK_EQ(c.to, 3);
    CHECK_EQ(crossing_find(&(crossing_line){x, steep, 4, false}, 1, &c, 1), 1);
    CHECK(near(c.at, 2.5)); /* its middle, wherever the line comes from */
    CHECK_EQ(crossing_find(&(crossing_line){x, back, 4, false}, 1, &c, 1), 0);
    CHECK_EQ(crossing_find(&(crossing_line){x, ends, 4, false}, 1, &c, 1), 0);
    CHECK_EQ(crossing_find(&(crossing_line){x, once, 4, false}, 1, &c, 1), 1);
    CHECK(near(c.at, 2));
}

TEST(unknown_places_widen_the_bracket)
{
    const double x[] = {1, 2, 4, 8, 16};
    const double r[] = {NAN, 0.5, NAN, 2, NAN};
    crossing_line l = {x, r, 5, true};
    crossing c;

    CHECK_EQ(crossing_find(&l, 1, &c, 1), 1);
    CHECK_EQ(c.from, 1);
    CHECK_EQ(c.to, 3);
    CHECK_EQ(c.unknown, 1);
    CHECK(near(c.at, 4));
}

TEST(rounding_does_not_make_crossings)
{
    const double x[] = {1, 2, 3};
    const double r[] = {1 + 1e-15, 1 - 1e-15, 1 + 1e-15};
    crossing c;

    CHECK_EQ(crossing_find(&(crossing_line){x, r, 3, false}, 1, &c, 1), 0);
}

TEST(the_nearest_is_by_quotient)
{
    const double x[] = {1, 2, 3};
    const double r[] = {0.5, 1.9, NAN}, none[] = {NAN, NAN, NAN};

    CHECK_EQ(crossing_nearest(&(crossing_line){x, r, 3, false}, 1), 1);
    CHECK_EQ(crossing_nearest(&(crossing_line){x, none, 3, false}, 1), 3);
}

TEST(powers_of_two_and_equal_ratios_are_logarithmic)
{
    CHECK(crossing_logarithmic((double[]){16, 32, 256}, 3));
    CHECK(crossing_logarithmic((double[]){0.5, 1, 2}, 3));
    CHECK(crossing_logarithmic((double[]){12, 24, 48, 96}, 4));
    CHECK(!crossing_logarithmic((double[]){10, 20, 30}, 3));
    CHECK(!crossing_logarithmic((double[]){0, 1, 2}, 3));
    CHECK(!crossing_logarithmic((double[]){3, 5}, 2));
    CHECK(crossing_logarithmic((double[]){4, 8}, 2));
}
