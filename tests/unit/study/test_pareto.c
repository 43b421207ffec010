/* tests/unit/study/test_pareto.c - fronts against their definition. */
#include "study/pareto.h"

#include <math.h>

#include "base/rng.h"
#include "test.h"

static bool is(const bool *on, const char *want)
{
    for (size_t i = 0; want[i]; i++)
        if (on[i] != (want[i] == '*'))
            return false;
    return true;
}

TEST(front_of_two_goals_is_a_staircase)
{
    const double x[][2] = {{1, 9}, {2, 7}, {3, 8}, {4, 2}, {5, 3}, {9, 1}};
    bool on[6];

    CHECK_EQ(pareto_front(x[0], 2, 6, on), 4);
    CHECK(is(on, "**.*.*"));
}

TEST(equal_points_are_all_on_the_front_or_none_is)
{
    const double x[][2] = {{1, 5}, {1, 5}, {2, 3}, {2, 6}, {2, 6}, {2, 3}};
    bool on[6];

    CHECK_EQ(pareto_front(x[0], 2, 6, on), 4);
    CHECK(is(on, "***..*"));
}

TEST(a_tie_in_one_goal_is_decided_by_the_other)
{
    const double x[][2] = {{1, 5}, {1, 6}, {2, 5}, {0, 7}};
    bool on[4];

    CHECK_EQ(pareto_front(x[0], 2, 4, on), 2);
    CHECK(is(on, "*..*"));
}

TEST(what_is_not_known_neither_wins_nor_beats)
{
    const double x[][2] = {{NAN, 0}, {1, 1}, {0, NAN}, {2, 2}, {NAN, NAN}};
    bool on[5];

    CHECK_EQ(pareto_front(x[0], 2, 5, on), 1);
    CHECK(is(on, ".*..."));
    CHECK_EQ(pareto_front(x[0], 2, 0, on), 0);
}

TEST(infinite_values_take_part)
{
    const double x[][2] = {{INFINITY, 0}, {1, 1}, {INFINITY, 2}};
    bool on[3];

    CHECK_EQ(pareto_front(x[0], 2, 3, on), 2);
    CHECK(is(on, "**."));
}

TEST(one_goal_leaves_the_least)
{
    const double x[] = {3, 1, 2, 1};
    bool on[4];

    CHECK_EQ(pareto_front(x, 1, 4, on), 2);
    CHECK(is(on, ".*.*"));
}

/* Nobody is no worse in all and better in one. */
static bool by_definition(const double *x, size_t goals, size_t n, size_t i)
{
    for (size_t g = 0; g < goals; g++)
        if (isnan(x[i * goals + g]))
            return false;
    for (size_t k = 0; k < n; k++) {
        bool worse = false, better = false;

        for (size_t g = 0; g < goals; g++) {
            double a = x[k * goals + g], b = x[i * goals + g];

            worse = worse || !(a <= b);
            better = better || a < b;
        }
        if (!worse && better)
            return false;
    }
    return true;
}

TEST(front_is_as_defined_on_random_points)
{
    enum { MOST = 60, ROUNDS = 2000 };
    rng r;
    double x[MOST * PARETO_GOALS];
    bool on[MOST];

    rng_init(&r, 7, "front");
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t goals = 1 + rng_below(&r, PARETO_GOALS);
        size_t n = rng_below(&r, MOST + 1), found = 0;
        uint32_t spread = 1 + rng_below(&r, 20); /* few values: many ties */

        for (size_t i = 0; i < n * goals; i++)
            x[i] = rng_below(&r, 30) ? (double)rng_below(&r, spread) : NAN;
        size_t told = pareto_front(x, goals, n, on);
        for (size_t i = 0; i < n; i++) {
            CHECK_EQ(on[i], by_definition(x, goals, n, i));
            found += on[i];
        }
        CHECK_EQ(told, found);
    }
}

TEST(rounding_hides_the_last_bits_and_nothing_else)
{
    CHECK(pareto_round(exp(log(1.3))) == pareto_round(1.3));
    CHECK(pareto_round(1.0000001) > pareto_round(1));
    CHECK(isnan(pareto_round(NAN)));
    CHECK(pareto_round(0) == 0);
}
