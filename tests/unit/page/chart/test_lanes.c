/* tests/unit/page/chart/test_lanes.c - where bars of a timeline lie. */
#include "page/chart/lanes.h"

#include <math.h>

#include "test.h"

static lanes_bar bar(uint64_t begin, uint64_t end, unsigned lane)
{
    return lanes_one(begin, end, lane, 0);
}

TEST(bars_of_a_stream_stay_in_a_row)
{
    lanes_bar b[] = {bar(20, 30, 0), bar(0, 10, 0), bar(10, 20, 0)};
    unsigned rows[1];

    lanes_pack(b, 3, rows, 1);
    CHECK_EQ(rows[0], 1);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(b[i].row, 0);
        CHECK_EQ(b[i].begin, 10 * i);
    }
}

TEST(what_overlaps_in_a_lane_comes_below_each_other)
{
    lanes_bar b[] = {bar(0, 100, 0), bar(10, 20, 0), bar(15, 40, 0),
                     bar(20, 30, 0), bar(5, 50, 1)};
    unsigned rows[3];

    lanes_pack(b, 5, rows, 3);
    CHECK_EQ(rows[0], 3);
    CHECK_EQ(rows[1], 1);
    CHECK_EQ(rows[2], 1); /* one that is empty */
    CHECK(b[0].begin == 0 && b[0].row == 0);
    CHECK(b[1].begin == 10 && b[1].row == 1);
    CHECK(b[2].begin == 20 && b[2].row == 1); /* it is free again */
    CHECK(b[3].begin == 15 && b[3].row == 2);
    CHECK_EQ(b[4].lane, 1);
}

TEST(a_lane_has_no_more_rows_than_a_page_has_room_for)
{
    enum { N = 50 };
    lanes_bar b[N];
    unsigned rows[1], seen = 0;

    for (unsigned i = 0; i < N; i++)
        b[i] = bar(i, 1000 + i, 0);
    lanes_pack(b, N, rows, 1);
    CHECK_EQ(rows[0], LANES_ROWS);
    for (unsigned i = 0; i < N; i++) {
        CHECK(b[i].row < LANES_ROWS);
        seen |= 1u << b[i].row;
    }
    CHECK_EQ(seen, (1u << LANES_ROWS) - 1);
}

TEST(neighbours_under_a_pixel_become_one_with_their_number)
{
    lanes_bar b[] = {bar(0, 2, 0), bar(3, 4, 0), bar(6, 8, 0), bar(100, 200, 0),
                     bar(201, 203, 0)};
    unsigned rows[1];

    for (unsigned i = 0; i < 5; i++) {
        b[i].number = i + 1;
        b[i].value = 10;
        b[i].what = i == 1;
        b[i].flags = i == 1 ? 4 : 0;
    }
    lanes_pack(b, 5, rows, 1);
    CHECK_EQ(lanes_merge(b, 5, 10), 3);
    CHECK_EQ(b[0].count, 3);
    CHECK(b[0].begin == 0 && b[0].end == 8);
    CHECK_EQ(b[0].busy, 5);
    CHECK_EQ(b[0].value, 30);
    CHECK(b[0].number == 1 && b[0].last == 3);
    CHECK(b[0].mixed && b[0].what == 0 && b[0].flags == 4);
    CHECK_EQ(b[1].count, 1); /* a long one stays what it is */
    CHECK(b[1].begin == 100 && b[1].end == 200 && !b[1].last);
    CHECK(b[2].count == 1 && b[2].begin == 201);
}

TEST(marks_without_length_merge_too)
{
    lanes_bar b[] = {bar(5, 5, 0), bar(5, 5, 0), bar(50, 50, 0)};
    unsigned rows[1];

    lanes_pack(b, 3, rows, 1);
    CHECK_EQ(rows[0], 1);
    CHECK_EQ(lanes_merge(b, 3, 10), 2);
    CHECK(b[0].count == 2 && b[0].begin == 5 && b[0].end == 5);
    CHECK_EQ(lanes_merge(b, 0, 10), 0);
}

TEST(other_lanes_and_rows_are_left_alone)
{
    lanes_bar b[] = {bar(0, 4, 0), bar(1, 5, 0), bar(5, 6, 1)};
    unsigned rows[2];

    lanes_pack(b, 3, rows, 2);
    CHECK_EQ(lanes_merge(b, 3, 1000), 3);
    lanes_bar c[] = {bar(0, 4, 0), bar(4, 5, 0)};
    CHECK_EQ(lanes_merge(c, 2, 0), 2); /* nothing is under no pixel */
}

TEST(huge_times_do_not_overflow)
{
    const uint64_t most = UINT64_MAX;
    lanes_bar b[] = {bar(most - 10, most, 0), bar(0, 1, 0),
                     bar(most - 8, most, 0), bar(most, most, 0)};
    unsigned rows[1];

    lanes_pack(b, 4, rows, 1);
    CHECK_EQ(rows[0], 2);
    CHECK_EQ(b[0].begin, 0);
    CHECK_EQ(lanes_merge(b, 4, most / 2), 3);
    CHECK_EQ(lanes_thin(b, 3, 2), 2);
    CHECK(b[0].end == most && b[0].begin == 0);
    b[0].value = b[1].value = most;
    b[1].row = 0;
    CHECK_EQ(lanes_merge(b, 2, most), 1);
    CHECK_EQ(b[0].value, most);
}

TEST(many_bars_become_as_many_as_wanted)
{
    enum { N = 10000 };
    static lanes_bar b[N];
    unsigned rows[1];
    uint64_t n = 0;

    for (unsigned i = 0; i < N; i++)
        b[i] = bar(100 * i, 100 * i + 60, 0);
    lanes_pack(b, N, rows, 1);
    CHECK_EQ(lanes_thin(b, N, N), N);
    size_t left = lanes_thin(b, N, 500);
    CHECK(left <= 500 && left >= 1);
    for (size_t i = 0; i < left; i++)
        n += b[i].count;
    CHECK_EQ(n, N);
}

static double sum_of(const lanes_step *s, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += s[i].warps * (double)(s[i].end - s[i].begin);
    return sum;
}

TEST(joined_steps_keep_their_means)
{
    enum { N = 1000 };
    static lanes_step s[N];

    for (unsigned i = 0; i < N; i++) /* from the end, with gaps */
        s[N - 1 - i] =
            (lanes_step){10ull * i, 10ull * i + 8, i % 2, 1, (i % 10) / 10.0};
    double before = sum_of(s, N);
    size_t left = lanes_join(s, N, 100);
    CHECK(left <= 100 && left > 2);
    CHECK(fabs(sum_of(s, left) - before) < 1e-6 * before);
    for (size_t i = 1; i < left; i++)
        CHECK(s[i].lane > s[i - 1].lane || s[i].begin >= s[i - 1].end);
}

TEST(columns_are_means_over_their_time)
{
    const lanes_step s[] = {
        {0, 50, 0, 1, 0.5}, {50, 100, 0, 0.5, 0.25}, {0, 100, 1, 1, 1}};
    double sms[4] = {0}, warps[4] = {0};

    lanes_means(s, 3, 0, 200, 4, sms, warps);
    CHECK(fabs(sms[0] - 1) < 1e-9 && fabs(sms[1] - 0.5) < 1e-9);
    CHECK(sms[2] == 0 && sms[3] == 0); /* nothing is known of it */
    CHECK(fabs(warps[0] - 0.5) < 1e-9 && fabs(warps[1] - 0.25) < 1e-9);
    double one[1] = {0}, two[1] = {0};
    lanes_means(s, 2, 0, 200, 1, one, two);
    CHECK(fabs(one[0] - 0.375) < 1e-9 && fabs(two[0] - 0.1875) < 1e-9);
}
