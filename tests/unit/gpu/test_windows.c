/* What more threads would make of windows whose costs are known. */
#include "gpu/window_profile.h"

#include "base/clock.h"
#include "gpu/makespan.h"
#include "test.h"

/* ---- Items that threads take ---- */

TEST(one_thread_takes_the_sum)
{
    static const uint64_t cost[] = {5, 7, 1};

    CHECK_EQ(makespan(cost, 3, 1), 13);
    CHECK_EQ(makespan(cost, 0, 1), 0);
    CHECK_EQ(makespan(cost, 0, 8), 0);
}

/* Whoever is free first takes the next: 4 | 3, then 2 joins the 3, then 5 the
 * 4. Best would be 7, with the 5 first. */
TEST(items_are_taken_in_their_order)
{
    static const uint64_t cost[] = {4, 3, 2, 5};

    CHECK_EQ(makespan(cost, 4, 2), 9);
    CHECK_EQ(makespan(cost, 4, 3), 7);
    CHECK_EQ(makespan(cost, 4, 4), 5);
    CHECK_EQ(makespan(cost, 4, MAKESPAN_THREADS), 5);
}

/* The last item alone keeps all but one thread waiting. */
TEST(a_long_item_at_the_end_is_waited_for)
{
    static const uint64_t last[] = {1, 1, 1, 1, 1, 1, 1, 1, 8};
    static const uint64_t first[] = {8, 1, 1, 1, 1, 1, 1, 1, 1};

    CHECK_EQ(makespan(last, 9, 2), 12);
    CHECK_EQ(makespan(first, 9, 2), 8);
    CHECK_EQ(makespan(last, 9, 9), 8);
}

/* Never less than the mean or the longest, never more than both together. */
TEST(a_makespan_is_within_its_bounds)
{
    uint64_t cost[112], sum = 0, longest = 0, x = 12345;

    for (unsigned i = 0; i < 112; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        cost[i] = (x >> 33) % 1000;
        sum += cost[i];
        longest = cost[i] > longest ? cost[i] : longest;
    }
    for (unsigned t = 1; t <= MAKESPAN_THREADS; t++) {
        uint64_t span = makespan(cost, 112, t);

        CHECK(span >= longest && span * t >= sum);
        CHECK(span <= sum / t + longest);
    }
}

TEST(the_longest_come_first_equal_ones_in_order)
{
    static const uint64_t key[] = {3, 9, 3, 0, 9};
    static const unsigned want[] = {1, 4, 0, 2, 3};
    unsigned order[5];

    makespan_longest_first(key, 5, order);
    for (unsigned i = 0; i < 5; i++)
        CHECK_EQ(order[i], want[i]);
}

/* ---- Sums ---- */

/* 10 windows of 100 ns of nodes, for which 4 threads need 30, 5 ns of steps
 * that are shared, for which they need 2, and 20 ns in one thread; two threads
 * meet in 3 ns, and each further one takes 200 more, here twelve times. */
TEST(a_prediction_is_serial_parts_nodes_and_meetings)
{
    window_sums s = {.windows = 10,
                     .meetings = 12,
                     .nodes_ns = 1000,
                     .serial_ns = 200,
                     .side_ns = {50, 30, 20},
                     .meet_ns = 3};

    s.span_ns[WINDOW_AS_TAKEN][0] = 1000;
    s.span_ns[WINDOW_AS_TAKEN][2] = 300;
    s.span_ns[WINDOW_LONGEST][2] = 250;
    CHECK_EQ(window_threads[2], 4);
    CHECK_EQ(window_predicted_ns(&s, WINDOW_AS_TAKEN, 0), 1250);
    CHECK_EQ(window_predicted_ns(&s, WINDOW_AS_TAKEN, 2), 520 + 12 * 403);
    CHECK_EQ(window_predicted_ns(&s, WINDOW_LONGEST, 2), 470 + 12 * 403);
}

/* ---- Measuring ---- */

enum { SHORT = 300000, LONG = 4 * SHORT }; /* ns */

static void burn(uint64_t ns)
{
    uint64_t from = clock_ran_ns();

    while (clock_ran_ns() - from < ns)
        ;
}

static bool is_near(uint64_t got, uint64_t want)
{
    return got > want - want / 8 && got < want + want / 8;
}

/* Two windows of four nodes, the last of which takes as long as four of the
 * others. Two threads take 1 + 4 with it at the end, and 4 with it first, as
 * from the second window on it is known to be. */
TEST(windows_are_measured_and_scheduled)
{
    window_profile *p = window_profile_new(3, 1);

    burn(LONG);
    window_profile_resume(p); /* that was no part of it */
    for (unsigned w = 0; w < 2; w++) {
        burn(SHORT);
        window_profile_part(p, WINDOW_DISPATCH);
        for (unsigned n = 0; n < 4; n++) {
            burn(n < 3 ? SHORT : LONG);
            window_profile_node(p, n);
        }
        burn(SHORT);
        window_profile_side(p, WINDOW_UP);
        burn(2 * SHORT);
        window_profile_side(p, WINDOW_DOWN);
        window_profile_window(p, 65);
        burn(LONG);
        window_profile_resume(p);
    }
    const window_sums *s = window_profile_sums(p);

    CHECK_EQ(s->windows, 2);
    CHECK_EQ(s->cycles, 130);
    CHECK_EQ(s->runs, 8);
    CHECK_EQ(s->node[3].longest, 2);
    CHECK_EQ(s->node[3].runs, 2);
    CHECK(is_near(s->node[0].ns, 2 * SHORT));
    CHECK(is_near(s->nodes_ns, 14 * SHORT));
    CHECK(is_near(s->longest_ns, 8 * SHORT));
    CHECK(is_near(s->part_ns[WINDOW_DISPATCH], 2 * SHORT));
    CHECK_EQ(s->part_ns[WINDOW_GATHER], 0);
    CHECK(is_near(s->part_ns[WINDOW_DOWN], 4 * SHORT));
    CHECK(is_near(s->serial_ns, 2 * SHORT));
    CHECK(is_near(s->side_ns[0], 6 * SHORT));
    CHECK(is_near(s->side_ns[1], 4 * SHORT));
    CHECK_EQ(s->meetings, 4);
    CHECK(is_near(s->span_ns[WINDOW_AS_TAKEN][0], 14 * SHORT));
    CHECK(is_near(s->span_ns[WINDOW_AS_TAKEN][1], 10 * SHORT));
    CHECK(is_near(s->span_ns[WINDOW_LONGEST_LAST_TIME][1], 9 * SHORT));
    CHECK(is_near(s->span_ns[WINDOW_LONGEST][1], 8 * SHORT));
    CHECK(is_near(s->span_ns[WINDOW_AS_TAKEN][5], 8 * SHORT));
    CHECK(s->meet_ns > 0 && s->meet_ns <= 20000);
    window_profile_free(p);
}
