#include "gpu/dispatch.h"

#include "base/rng.h"
#include "mem/port.h" /* NEVER */
#include "test.h"

static dispatch *make(unsigned sms, unsigned interval)
{
    config cfg;

    config_defaults(&cfg);
    cfg.gpu.sms = sms;
    cfg.gpu.dispatch = CFG_DISPATCH_ROUND_ROBIN;
    cfg.gpu.dispatch_interval = interval;
    dispatch *d = dispatch_new(&cfg);
    CHECK(d != NULL);
    return d;
}

static const uint32_t twelve[3] = {12, 1, 1};

TEST(ctas_go_round_the_sms)
{
    static const unsigned want[] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
    dispatch *d = make(5, 1);
    dispatch_order o;

    dispatch_start(d, twelve, 2, 0);
    for (unsigned i = 0; i < 10; i++) {
        CHECK(dispatch_next(d, 0, 100, &o));
        CHECK_EQ(o.sm, want[i]);
        CHECK_EQ(o.number, i);
        CHECK_EQ(o.when, i);
    }
    CHECK(!dispatch_next(d, 0, 100, &o)); /* all are full */
    dispatch_free(d);
}

TEST(the_next_free_sm_in_turn_gets_the_cta)
{
    dispatch *d = make(4, 1);
    const uint32_t grid[3] = {7, 1, 1};
    dispatch_order o;

    dispatch_start(d, grid, 1, 0);
    for (unsigned i = 0; i < 4; i++)
        CHECK(dispatch_next(d, 0, 8, &o));
    CHECK(!dispatch_next(d, 8, 16, &o));
    /* SM 0 has the turn, but only 2 and 1 are free; then 2 once more */
    dispatch_done(d, 2, 1);
    dispatch_done(d, 1, 1);
    CHECK(dispatch_next(d, 16, 24, &o));
    CHECK_EQ(o.sm, 1);
    CHECK(dispatch_next(d, 16, 24, &o));
    CHECK_EQ(o.sm, 2);
    CHECK(!dispatch_next(d, 16, 24, &o));
    dispatch_done(d, 0, 1);
    CHECK(dispatch_next(d, 24, 32, &o));
    CHECK_EQ(o.sm, 0);
    CHECK_EQ(o.number, 6);
    CHECK_EQ(dispatch_finished(d), 3);
    CHECK_EQ(dispatch_total(d), 7);
    dispatch_free(d);
}

TEST(an_interval_separates_ctas_across_windows)
{
    dispatch *d = make(2, 5);
    dispatch_order o;

    /* the first leaves in cycle 7: 7, 12 | 17 with windows of 8 cycles */
    dispatch_start(d, twelve, 8, 7);
    CHECK_EQ(dispatch_wakes(d, 0), 7);
    CHECK(!dispatch_next(d, 0, 7, &o));
    CHECK(dispatch_next(d, 0, 8, &o));
    CHECK_EQ(o.when, 7);
    CHECK(!dispatch_next(d, 0, 8, &o));
    CHECK_EQ(dispatch_wakes(d, 8), 12);
    CHECK(dispatch_next(d, 8, 16, &o));
    CHECK_EQ(o.when, 12);
    CHECK(!dispatch_next(d, 8, 16, &o)); /* 17 is not before 16 */
    CHECK(dispatch_next(d, 16, 24, &o));
    CHECK_EQ(o.when, 17);
    /* a free slot found later than that is used at once */
    CHECK(dispatch_next(d, 40, 48, &o));
    CHECK_EQ(o.when, 40);
    dispatch_free(d);
}

TEST(cta_indices_run_x_first)
{
    dispatch *d = make(1, 1);
    const uint32_t grid[3] = {3, 2, 2};
    dispatch_order o;
    uint64_t n = 0;

    dispatch_start(d, grid, 12, 0);
    for (uint32_t z = 0; z < 2; z++)
        for (uint32_t y = 0; y < 2; y++)
            for (uint32_t x = 0; x < 3; x++, n++) {
                CHECK(dispatch_next(d, 0, 1000, &o));
                CHECK_EQ(o.id[0], x);
                CHECK_EQ(o.id[1], y);
                CHECK_EQ(o.id[2], z);
                CHECK_EQ(o.number, n);
            }
    CHECK(!dispatch_next(d, 0, 1000, &o));
    CHECK_EQ(dispatch_wakes(d, 50), NEVER);
    dispatch_free(d);
}

TEST(grids_beyond_32_bits_are_counted)
{
    dispatch *d = make(1, 1);
    const uint32_t grid[3] = {0x7fffffff, 65535, 65535};
    dispatch_order o;

    dispatch_start(d, grid, 1, 0);
    CHECK_EQ(dispatch_total(d), 0x7fffffffull * 65535 * 65535);
    CHECK(dispatch_next(d, 0, 1, &o));
    CHECK_EQ(o.id[0] | o.id[1] | o.id[2], 0);
    dispatch_free(d);
}

TEST(no_room_means_no_order)
{
    dispatch *d = make(3, 1);
    dispatch_order o;

    dispatch_start(d, twelve, 0, 0);
    CHECK_EQ(dispatch_wakes(d, 0), NEVER);
    CHECK(!dispatch_next(d, 0, 1000, &o));
    dispatch_free(d);
}

TEST(a_new_grid_starts_from_the_first_sm)
{
    dispatch *d = make(3, 1);
    const uint32_t one[3] = {1, 1, 1};
    dispatch_order o;

    dispatch_start(d, one, 1, 0);
    CHECK(dispatch_next(d, 0, 10, &o));
    dispatch_done(d, 0, 1);
    CHECK_EQ(dispatch_finished(d), dispatch_total(d));
    dispatch_start(d, one, 1, 100);
    CHECK_EQ(dispatch_finished(d), 0);
    CHECK(dispatch_next(d, 96, 104, &o));
    CHECK_EQ(o.sm, 0);
    CHECK_EQ(o.when, 100);
    dispatch_free(d);
}

/* Against a model that only keeps count: never above the limit, no CTA twice,
 * none left behind, and none held back while an SM has room and the interval
 * has passed. */
TEST(random_grids_keep_every_rule)
{
    rng r;

    rng_init(&r, 7, "dispatch");
    for (unsigned round = 0; round < 200; round++) {
        unsigned sms = 1 + rng_below(&r, 9), limit = 1 + rng_below(&r, 4);
        unsigned interval = 1 + rng_below(&r, 6),
                 window = 1 + rng_below(&r, 20);
        const uint32_t grid[3] = {1 + rng_below(&r, 20), 1 + rng_below(&r, 3),
                                  1 + rng_below(&r, 2)};
        uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2];
        uint64_t now = 0, sent = 0, done = 0, ready = rng_below(&r, 30);
        unsigned resident[16] = {0}, turn = 0;
        dispatch *d = make(sms, interval);
        dispatch_order o;

        dispatch_start(d, grid, limit, ready);
        while (done < total) {
            while (dispatch_next(d, now, now + window, &o)) {
                uint64_t want = ready > now ? ready : now;

                while (resident[turn] == limit)
                    turn = (turn + 1) % sms;
                CHECK_EQ(o.sm, turn);
                CHECK_EQ(o.number, sent);
                CHECK_EQ(o.when, want);
                CHECK(o.when < now + window);
                resident[turn]++;
                turn = (turn + 1) % sms;
                ready = want + interval;
                sent++;
            }
            unsigned room = 0;
            for (unsigned i = 0; i < sms; i++)
                room += limit - resident[i];
            CHECK(sent == total || room == 0 || ready >= now + window);
            for (unsigned i = 0; i < sms; i++) {
                unsigned n = rng_below(&r, resident[i] + 1);

                dispatch_done(d, i, n);
                resident[i] -= n;
                done += n;
            }
            CHECK_EQ(dispatch_finished(d), done);
            now += window;
        }
        CHECK(!dispatch_next(d, now, now + 1000, &o));
        dispatch_free(d);
    }
}
