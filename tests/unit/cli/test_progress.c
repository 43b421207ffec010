/* tests/unit/cli/test_progress.c - what lines of progress say, and what they
 * tell it by. */
#include "cli/progress_words.h"

#include <math.h>

#include "test.h"

static const char *say(const progress_now *n)
{
    static char line[320];

    progress_words(n, line, sizeof line);
    return line;
}

TEST(a_launch_is_told_by_its_ctas)
{
    progress_now n = {.kernel = "k",
                      .total = 1,
                      .launch_s = 30,
                      .all_s = 30,
                      .is = {.cycle = 1234567, .ctas = 400}};

    CHECK(isnan(progress_launch_left(&n))); /* no CTA has ended */
    CHECK_STR(say(&n), "k: 0 of 400 CTAs; 1,234,567 cycles, 0 warp "
                       "instructions/s");
    n.is.ctas_done = 100;
    n.is.warp_insts = 60000000;
    CHECK(progress_launch_left(&n) == 90);
    CHECK(progress_all_left(&n) == 90);
    CHECK_STR(say(&n), "k: 100 of 400 CTAs, about 2 min left; 1,234,567 "
                       "cycles, 2 M warp instructions/s");
    n.launch_s = 0.1; /* nothing to go by */
    CHECK(isnan(progress_launch_left(&n)));
}

TEST(all_launches_are_told_by_those_that_ended)
{
    progress_now n = {.kernel = "k",
                      .launches = 2,
                      .total = 10,
                      .launch_s = 5,
                      .all_s = 25,
                      .is = {.cycle = 1, .ctas = 4, .ctas_done = 2}};

    /* 2.5 of 10 launches took 25 s. */
    CHECK(progress_all_left(&n) == 75);
    CHECK(progress_launch_left(&n) == 5);
    CHECK(strstr(say(&n), "launch 3 of 10, k: 2 of 4 CTAs, about 75 s left by "
                          "launches; "));
}

TEST(where_nobody_knows_how_many_follow_only_this_one_is_told)
{
    progress_now n = {.kernel = "k",
                      .launches = 127,
                      .launch_s = 5,
                      .all_s = 400,
                      .is = {.cycle = 1, .ctas = 4, .ctas_done = 2}};

    CHECK(isnan(progress_all_left(&n)));
    CHECK(strstr(say(&n), "launch 128, k: 2 of 4 CTAs, about 5 s left of it, "
                          "7 min so far; "));
    n.is.ctas = n.is.ctas_done = 0;
    CHECK_STR(say(&n), "launch 128, k: 5 s");
    n.functional = true;
    CHECK_STR(say(&n), "launch 128, k (functional): 5 s");
}

TEST(times_that_warm_up_are_a_part_of_a_launch)
{
    progress_now n = {
        .kernel = "k",
        .total = 1,
        .launch_s = 10,
        .all_s = 10,
        .is = {.cycle = 1, .ctas = 4, .ctas_done = 2, .turn = 1, .turns = 3}};

    CHECK(progress_launch_left(&n) == 10); /* a half is done */
    CHECK(strstr(say(&n), "k, warm-up 2 of 2: 2 of 4 CTAs, about 10 s left"));
}

TEST(advice_comes_after_thirty_seconds_if_more_than_that_is_left)
{
    progress_now n = {.kernel = "k",
                      .total = 1,
                      .launch_s = 29,
                      .all_s = 29,
                      .is = {.cycle = 1, .ctas = 100, .ctas_done = 1}};

    CHECK(!progress_takes_long(&n));
    n.launch_s = n.all_s = 30;
    CHECK(progress_takes_long(&n));
    n.is.ctas_done = 90; /* 3 s are left */
    CHECK(!progress_takes_long(&n));
    n.total = 0; /* who knows */
    CHECK(progress_takes_long(&n));
    n.functional = true;
    CHECK(!progress_takes_long(&n));
    n = (progress_now){.kernel = "k", .total = 1, .launch_s = 31, .all_s = 31};
    CHECK(progress_takes_long(&n));
}

TEST(without_a_cta_an_earlier_launch_tells_how_many_instructions_it_takes)
{
    progress_now n = {.kernel = "k",
                      .total = 1,
                      .launch_s = 60,
                      .all_s = 60,
                      .is = {.cycle = 5, .ctas = 64, .warp_insts = 3000000}};
    char line[600];

    CHECK(isnan(progress_launch_left(&n)));
    n.insts = 12000000; /* a quarter is done */
    CHECK(progress_launch_left(&n) == 180);
    CHECK_STR(say(&n), "k: 0 of 64 CTAs, about 3 min left by instructions; 5 "
                       "cycles, 50 k warp instructions/s");
    progress_log_words(&n, line, sizeof line);
    CHECK(strstr(line, "heddle: 60 s: k: 0 of 64 CTAs, about 3 min left by "
                       "instructions; ") == line);
    CHECK(strstr(line, "; 3 M warp instructions, an earlier launch of it had "
                       "12 M"));
    n.insts = 2000000; /* it is another: this one takes longer */
    CHECK(isnan(progress_launch_left(&n)));
    n.insts = 12000000;
    n.is.ctas_done = 32; /* they know better */
    CHECK(progress_launch_left(&n) == 60);
}

TEST(after_ten_seconds_it_is_told_what_lanes_spin_on)
{
    progress_now n = {
        .kernel = "k",
        .total = 1,
        .launch_s = 30,
        .all_s = 30,
        .spin_s = 9,
        .insts = 1000,
        .is = {.cycle = 5,
               .ctas = 64,
               .warp_insts = 100,
               .spin = "64 lanes spin at a.cl:12 on 0x700000010"}};
    char line[600];

    CHECK(!strstr(say(&n), "spin"));
    CHECK(!strstr(say(&n), "left")); /* instructions lead nowhere */
    n.spin_s = 12;
    CHECK_STR(say(&n), "k: 64 lanes spin at a.cl:12 on 0x700000010 (12 s); 0 "
                       "of 64 CTAs");
    CHECK(strlen(say(&n)) < 80);
    progress_log_words(&n, line, sizeof line);
    CHECK(strstr(line, "64 lanes spin at a.cl:12 on 0x700000010 (12 s)"));
}

TEST(times_are_short)
{
    CHECK_STR(progress_time(0).s, "0 s");
    CHECK_STR(progress_time(89).s, "89 s");
    CHECK_STR(progress_time(90).s, "2 min");
    CHECK_STR(progress_time(5400).s, "1.5 h");
}
