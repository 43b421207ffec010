#include "gpu/dispatch.h"

#include "base/rng.h"
#include "mem/port.h" /* NEVER */
#include "test.h"

enum { REGISTERS = 1 << 16 };

/* Of an SM. */
static const sm_resources offer = {.ctas = 32, .registers = REGISTERS};

static config cfg; /* of the dispatcher of a test */
static stats *reg;

static dispatch *make_of_cfg(void)
{
    reg = stats_new();
    dispatch *d = dispatch_new(&cfg, reg);
    CHECK(d != NULL);
    return d;
}

static void end(dispatch *d)
{
    dispatch_free(d);
    stats_free(reg);
}

/* A CTA of launch `n` has ended on SM `on` before cycle `now`. */
static void done(dispatch *d, uint64_t now, unsigned n, unsigned on)
{
    const sm_done what = {.cycle = now - 1, .launch = n, .warp = SM_WHOLE_CTA};

    dispatch_done(d, now, on, &what);
}

static dispatch *make_as(cfg_dispatch how, unsigned sms, unsigned interval)
{
    config_defaults(&cfg);
    cfg.noc.latency = 1000; /* windows as long as any here */
    cfg.gpu.sms = sms;
    cfg.gpu.dispatch = how;
    cfg.gpu.dispatch_interval = interval;
    return make_of_cfg();
}

static dispatch *make(unsigned sms, unsigned interval)
{
    return make_as(CFG_DISPATCH_ROUND_ROBIN, sms, interval);
}

/* Grid 0, of which an SM holds `per_sm` CTAs. */
static void start(dispatch *d, const uint32_t grid[3], unsigned per_sm,
                  unsigned first)
{
    cfg.gpu.launch_latency = first;
    const sm_resources need = {.ctas = 1, .registers = REGISTERS / per_sm};

    dispatch_clear(d, &offer, 0);
    dispatch_start(d, 0, grid, &need, 0);
}

static const uint32_t twelve[3] = {12, 1, 1};

TEST(ctas_go_round_the_sms)
{
    static const unsigned want[] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
    dispatch *d = make(5, 1);
    dispatch_order o;

    start(d, twelve, 2, 0);
    for (unsigned i = 0; i < 10; i++) {
        CHECK(dispatch_next(d, 0, 100, &o));
        CHECK_EQ(o.sm, want[i]);
        CHECK_EQ(o.number, i);
        CHECK_EQ(o.when, i);
    }
    CHECK(!dispatch_next(d, 0, 100, &o)); /* all are full */
    end(d);
}

TEST(the_next_free_sm_in_turn_gets_the_cta)
{
    dispatch *d = make(4, 1);
    const uint32_t grid[3] = {7, 1, 1};
    dispatch_order o;

    start(d, grid, 1, 0);
    for (unsigned i = 0; i < 4; i++)
        CHECK(dispatch_next(d, 0, 8, &o));
    CHECK(!dispatch_next(d, 8, 16, &o));
    /* SM 0 has the turn, but only 2 and 1 are free; then 2 once more */
    done(d, 16, 0, 2);
    done(d, 16, 0, 1);
    CHECK(dispatch_next(d, 16, 24, &o));
    CHECK_EQ(o.sm, 1);
    CHECK(dispatch_next(d, 16, 24, &o));
    CHECK_EQ(o.sm, 2);
    CHECK(!dispatch_next(d, 16, 24, &o));
    done(d, 24, 0, 0);
    CHECK(dispatch_next(d, 24, 32, &o));
    CHECK_EQ(o.sm, 0);
    CHECK_EQ(o.number, 6);
    CHECK_EQ(dispatch_finished(d, 0), 3);
    CHECK_EQ(dispatch_total(d, 0), 7);
    end(d);
}

TEST(an_interval_separates_ctas_across_windows)
{
    dispatch *d = make(2, 5);
    dispatch_order o;

    /* the first leaves in cycle 7: 7, 12 | 17 with windows of 8 cycles */
    start(d, twelve, 8, 7);
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
    /* and in the first cycle of a window */
    CHECK(dispatch_next(d, 22, 48, &o));
    CHECK_EQ(o.when, 22);
    end(d);
}

/* Twelve CTAs on SMs for six each; then SM 2 and, later, 1 and 3 lose one. */
static void expect(cfg_dispatch how, const unsigned want[12],
                   const unsigned then[3])
{
    dispatch *d = make_as(how, 4, 1);
    dispatch_order o;

    start(d, (const uint32_t[3]){15, 1, 1}, 6, 0);
    for (unsigned i = 0; i < 12; i++) {
        CHECK(dispatch_next(d, 0, 12, &o));
        CHECK_EQ(o.sm, want[i]);
    }
    done(d, 12, 0, then[0]);
    done(d, 12, 0, then[0]);
    CHECK(dispatch_next(d, 12, 13, &o));
    CHECK_EQ(o.sm, then[1]);
    CHECK(dispatch_next(d, 13, 14, &o));
    CHECK_EQ(o.sm, then[2]);
    end(d);
}

TEST(first_fit_fills_sms_one_by_one)
{
    expect(CFG_DISPATCH_FIRST_FIT,
           (const unsigned[]){0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1},
           (const unsigned[]){1, 1, 1});
}

TEST(least_ctas_takes_the_lowest_of_the_emptiest)
{
    expect(CFG_DISPATCH_LEAST_CTAS,
           (const unsigned[]){0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},
           (const unsigned[]){2, 2, 2});
}

TEST(random_takes_any_with_room_and_the_same_in_every_run)
{
    unsigned first[24], seen[4] = {0};

    for (unsigned run = 0; run < 2; run++) {
        dispatch *d = make_as(CFG_DISPATCH_RANDOM, 4, 1);
        dispatch_order o;

        start(d, (const uint32_t[3]){24, 1, 1}, 6, 0);
        for (unsigned i = 0; i < 24; i++) {
            CHECK(dispatch_next(d, 0, 24, &o));
            if (run)
                CHECK_EQ(o.sm, first[i]);
            first[i] = o.sm;
            seen[o.sm] += !run;
        }
        end(d);
    }
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(seen[i], 6);
}

TEST(load_weight_takes_the_sm_with_the_most_left)
{
    static const uint32_t two[3] = {2, 1, 1}, many[3] = {9, 1, 1};
    const sm_resources have = {.ctas = 16, .warps = 48};
    dispatch *d = make_as(CFG_DISPATCH_LOAD_WEIGHT, 3, 1);
    dispatch_order o;

    /* 32 left of 0 and 1; then threes leave 30 of 2, 29 of 0 and of 1 */
    dispatch_clear(d, &have, 0);
    dispatch_start(d, 0, two, &(sm_resources){.ctas = 1, .warps = 16}, 0);
    dispatch_start(d, 1, many, &(sm_resources){.ctas = 1, .warps = 3}, 0);
    const unsigned want[] = {0, 1, 2, 2, 2, 2, 2, 2, 0, 1, 2};
    for (unsigned i = 0; i < 11; i++) {
        CHECK(dispatch_next(d, 0, 100, &o));
        CHECK_EQ(o.sm, want[i]);
    }
    end(d);
}

TEST(cta_indices_run_x_first)
{
    dispatch *d = make(1, 1);
    const uint32_t grid[3] = {3, 2, 2};
    dispatch_order o;
    uint64_t n = 0;

    start(d, grid, 12, 0);
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
    end(d);
}

TEST(grids_beyond_32_bits_are_counted)
{
    dispatch *d = make(1, 1);
    const uint32_t grid[3] = {0x7fffffff, 65535, 65535};
    dispatch_order o;

    start(d, grid, 1, 0);
    CHECK_EQ(dispatch_total(d, 0), 0x7fffffffull * 65535 * 65535);
    CHECK(dispatch_next(d, 0, 1, &o));
    CHECK_EQ(o.id[0] | o.id[1] | o.id[2], 0);
    end(d);
}

TEST(no_room_means_no_order)
{
    dispatch *d = make(3, 1);
    dispatch_order o;

    start(d, twelve, 1, 0);
    for (unsigned i = 0; i < 3; i++)
        CHECK(dispatch_next(d, 0, 1000, &o));
    CHECK_EQ(dispatch_wakes(d, 0), NEVER);
    CHECK(!dispatch_next(d, 0, 1000, &o));
    end(d);
}

TEST(a_new_grid_starts_from_the_first_sm)
{
    dispatch *d = make(3, 1);
    const uint32_t one[3] = {1, 1, 1};
    dispatch_order o;

    start(d, one, 1, 0);
    CHECK(dispatch_next(d, 0, 10, &o));
    done(d, 10, 0, 0);
    CHECK_EQ(dispatch_finished(d, 0), dispatch_total(d, 0));
    start(d, one, 1, 100);
    CHECK_EQ(dispatch_finished(d, 0), 0);
    CHECK(!dispatch_next(d, 88, 96, &o));
    CHECK(dispatch_next(d, 96, 104, &o));
    CHECK_EQ(o.sm, 0);
    CHECK_EQ(o.when, 100);
    end(d);
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
        uint64_t now = 0, sent = 0, gone = 0, ready = rng_below(&r, 30);
        unsigned resident[16] = {0}, turn = 0;
        dispatch *d = make(sms, interval);
        dispatch_order o;

        start(d, grid, limit, ready);
        while (gone < total) {
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

                for (unsigned k = 0; k < n; k++)
                    done(d, now + window, 0, i);
                resident[i] -= n;
                gone += n;
            }
            dispatch_gathered(d, now + window);
            CHECK_EQ(dispatch_finished(d, 0), gone);
            now += window;
        }
        CHECK(!dispatch_next(d, now, now + 1000, &o));
        end(d);
    }
}

/* ---- several launches ---- */

TEST(launches_leave_in_the_order_in_which_they_began)
{
    dispatch *d = make(2, 1);
    const uint32_t three[3] = {3, 1, 1};
    const sm_resources half = {.ctas = 1, .registers = REGISTERS / 2};
    const sm_resources tiny = {.ctas = 1, .registers = 1};
    static const unsigned launch[] = {5, 5, 5, 2, 2, 2};
    dispatch_order o;

    dispatch_clear(d, &offer, 0);
    dispatch_start(d, 5, three, &half, 0);
    dispatch_start(d, 2, three, &tiny, 0);
    for (unsigned i = 0; i < 6; i++) {
        CHECK(dispatch_next(d, 0, 100, &o));
        CHECK_EQ(o.launch, launch[i]);
        CHECK_EQ(o.number, i % 3);
        CHECK_EQ(o.when, i);
        /* registers are gone on SM 0 after its second: from then on SM 1 */
        CHECK_EQ(o.sm, i < 4 ? i % 2 : 1);
    }
    CHECK(!dispatch_next(d, 0, 100, &o));
    CHECK_EQ(dispatch_wakes(d, 6), NEVER);
    end(d);
}

TEST(a_head_that_fits_nowhere_holds_up_those_behind_it)
{
    dispatch *d = make(2, 1);
    const uint32_t three[3] = {3, 1, 1}, one[3] = {1, 1, 1};
    const sm_resources whole = {.ctas = 1, .registers = REGISTERS};
    const sm_resources none = {.ctas = 1};
    dispatch_order o;

    dispatch_clear(d, &offer, 0);
    dispatch_start(d, 0, three, &whole, 0);
    dispatch_start(d, 1, one, &none, 0);
    CHECK(dispatch_next(d, 0, 100, &o));
    CHECK(dispatch_next(d, 0, 100, &o));
    CHECK(!dispatch_next(d, 0, 100, &o)); /* though launch 1 would fit */
    done(d, 100, 0, 1);
    CHECK(dispatch_next(d, 100, 200, &o));
    CHECK_EQ(o.launch, 0);
    CHECK_EQ(o.sm, 1);
    CHECK(dispatch_next(d, 100, 200, &o));
    CHECK_EQ(o.launch, 1);
    CHECK_EQ(dispatch_finished(d, 0), 1);
    CHECK_EQ(dispatch_finished(d, 1), 0);
    end(d);
}

TEST(every_resource_counts)
{
    const sm_resources have = {.ctas = 4,
                               .warps = 8,
                               .threads = 256,
                               .registers = 1000,
                               .shared_bytes = 100};
    const struct {
        sm_resources need;
        unsigned fit;
    } row[] = {
        {{.ctas = 1}, 4},
        {{.ctas = 1, .warps = 3}, 2},
        {{.ctas = 1, .warps = 1, .threads = 100}, 2},
        {{.ctas = 1, .registers = 334}, 2},
        {{.ctas = 1, .registers = 333}, 3},
        {{.ctas = 1, .shared_bytes = 51}, 1},
        {{.ctas = 1, .shared_bytes = 101}, 0},
    };
    const uint32_t grid[3] = {100, 1, 1};

    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        dispatch *d = make(1, 1);
        dispatch_order o;
        unsigned n = 0;

        dispatch_clear(d, &have, 0);
        dispatch_start(d, 0, grid, &row[i].need, 0);
        while (dispatch_next(d, 0, 1000, &o))
            n++;
        CHECK_EQ(n, row[i].fit);
        end(d);
    }
}

/* Random grids with random needs: what an SM holds is never more than it has,
 * each CTA leaves once and in order, and none waits although some SM has room
 * for the head and the interval has passed. */
TEST(random_mixes_are_work_conserving)
{
    enum { LAUNCHES = 12, SMS = 5 };
    rng r;

    rng_init(&r, 11, "dispatch");
    for (unsigned round = 0; round < 100; round++) {
        dispatch *d = make(SMS, 1);
        sm_resources need[LAUNCHES], left[SMS];
        uint64_t sent[LAUNCHES] = {0}, total[LAUNCHES], all = 0, gone = 0;
        unsigned held[SMS][LAUNCHES] = {{0}}, head = 0;
        dispatch_order o;

        dispatch_clear(d, &offer, 0);
        for (unsigned i = 0; i < SMS; i++)
            left[i] = offer;
        for (unsigned n = 0; n < LAUNCHES; n++) {
            const uint32_t grid[3] = {1 + rng_below(&r, 30), 1, 1};

            need[n] = (sm_resources){.ctas = 1,
                                     .registers = 1 + rng_below(&r, REGISTERS)};
            total[n] = grid[0];
            all += grid[0];
            dispatch_start(d, n, grid, &need[n], 0);
        }
        for (uint64_t now = 0; gone < all; now += 16) {
            uint64_t next = now;

            while (dispatch_next(d, now, now + 16, &o)) {
                CHECK_EQ(o.launch, head);
                CHECK_EQ(o.number, sent[head]);
                CHECK_EQ(o.when, next);
                CHECK(sm_has_room(&left[o.sm], &need[head]));
                sm_resources_take(&left[o.sm], &need[head]);
                held[o.sm][head]++;
                next++;
                if (++sent[head] == total[head])
                    head++;
            }
            for (unsigned i = 0; head < LAUNCHES && next < now + 16 && i < SMS;
                 i++)
                CHECK(!sm_has_room(&left[i], &need[head]));
            for (unsigned i = 0; i < SMS; i++)
                for (unsigned n = 0; n < LAUNCHES; n++)
                    while (held[i][n] && rng_below(&r, 3)) {
                        done(d, now + 16, n, i);
                        sm_resources_give(&left[i], &need[n]);
                        held[i][n]--;
                        gone++;
                    }
            dispatch_gathered(d, now + 16);
        }
        for (unsigned n = 0; n < LAUNCHES; n++)
            CHECK_EQ(dispatch_finished(d, n), total[n]);
        end(d);
    }
}
