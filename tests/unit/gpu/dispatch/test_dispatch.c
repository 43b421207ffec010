#include "unit/gpu/rig.h"

#include "base/rng.h"
#include "gpu/dispatch/start_skew.h"
#include "mem/port.h" /* NEVER */

enum { REGISTERS = 1 << 16 };

/* Of an SM. */
static const sm_resources offer = {.ctas = 32, .registers = REGISTERS};

static void done(rig *r, uint64_t now, unsigned n, unsigned on)
{
    rig_cta_ends(r, now, on, n, 0, 0);
}

static rig *make_as(cfg_dispatch how, unsigned sms, unsigned interval)
{
    rig *r = rig_new(sms, how);

    r->cfg.gpu.dispatch_interval = interval;
    rig_begin(r);
    return r;
}

static rig *make(unsigned sms, unsigned interval)
{
    return make_as(CFG_DISPATCH_ROUND_ROBIN, sms, interval);
}

/* Grid 0, of which an SM holds `per_sm` CTAs. */
static void start(rig *r, const uint32_t grid[3], unsigned per_sm,
                  unsigned first)
{
    r->cfg.gpu.launch_latency = first;
    const sm_resources need = {.ctas = 1, .registers = REGISTERS / per_sm};

    dispatch_clear(r->d, &offer, 0);
    dispatch_start(r->d, 0, grid, &need, 0);
}

static const uint32_t twelve[3] = {12, 1, 1};

TEST(ctas_go_round_the_sms)
{
    static const unsigned want[] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
    rig *r = make(5, 1);
    dispatch_order o;

    start(r, twelve, 2, 0);
    for (unsigned i = 0; i < 10; i++) {
        CHECK(dispatch_next(r->d, 0, 100, &o));
        CHECK_EQ(o.sm, want[i]);
        CHECK_EQ(o.number, i);
        CHECK_EQ(o.when, i);
    }
    CHECK(!dispatch_next(r->d, 0, 100, &o)); /* all are full */
    rig_free(r);
}

/* The slot is taken in the cycle in which the CTA leaves, so the next one is
 * chosen as without a latency; both start 195 cycles later. */
TEST(a_cta_starts_its_latency_after_it_takes_the_slot)
{
    rig *r = make(1, 1);
    dispatch_order o;

    r->cfg.gpu.cta.latency = 195;
    start(r, twelve, 1, 10);
    CHECK(dispatch_next(r->d, 0, 100, &o));
    CHECK_EQ(o.when, 10 + 195);
    CHECK(!dispatch_next(r->d, 100, 600, &o)); /* the SM is full */
    done(r, 600, 0, 0);
    CHECK(dispatch_next(r->d, 600, 700, &o));
    CHECK_EQ(o.when, 600 + 195);
    rig_free(r);
}

/* Each SM starts its first CTA by its own 0 to 5 cycles late, and its second,
 * which comes 4 cycles later, no earlier than that but not late by itself; the
 * first after it was empty is late again by as much. Which slot is taken when
 * does not move. */
TEST(an_sm_starts_its_first_cta_late)
{
    rig *r = rig_new(4, CFG_DISPATCH_ROUND_ROBIN);
    const uint32_t grid[3] = {8, 1, 1};
    uint64_t late[4], most = 0;
    dispatch_order o;

    r->cfg.gpu.dispatch_interval = 1;
    r->cfg.gpu.cta.skew = 5;
    rig_begin(r);
    start(r, grid, 2, 0);
    for (unsigned i = 0; i < 8; i++) {
        CHECK(dispatch_next(r->d, 0, 8, &o));
        CHECK_EQ(o.sm, i % 4);
        CHECK_EQ(o.number, i);
        if (i < 4) {
            late[i] = o.when - i;
            CHECK(late[i] <= 5);
            most = late[i] > most ? late[i] : most;
        } else {
            CHECK_EQ(o.when, late[i % 4] > 4 ? i % 4 + late[i % 4] : i);
        }
    }
    CHECK(most > 0);
    for (unsigned i = 0; i < 8; i++)
        done(r, 100, 0, i % 4);
    dispatch_start(r->d, 1, grid, &(sm_resources){.ctas = 1}, 100);
    for (unsigned i = 0; i < 4; i++) {
        CHECK(dispatch_next(r->d, 100, 200, &o));
        CHECK_EQ(o.when, 100 + i + late[o.sm]);
    }
    rig_free(r);
}

/* Another seed, other SMs; the members of a cluster are late together. */
TEST(who_is_late_is_drawn)
{
    start_skew one, two, four;
    config cfg;
    unsigned same = 0;

    config_defaults(&cfg);
    cfg.gpu.sms = 64;
    cfg.gpu.cta.skew = 9;
    start_skew_init(&one, &cfg);
    cfg.gpu.cluster.size = 4;
    start_skew_init(&four, &cfg);
    cfg.gpu.cluster.size = 1;
    cfg.gpu.seed = 2;
    start_skew_init(&two, &cfg);
    for (unsigned i = 0; i < 64; i++) {
        same += one.late[i] == two.late[i];
        CHECK_EQ(four.late[i], one.late[i / 4 * 4]);
    }
    CHECK(same < 32);
    start_skew_fini(&one);
    start_skew_fini(&two);
    start_skew_fini(&four);
    cfg.gpu.cta.skew = 0;
    start_skew_init(&one, &cfg);
    CHECK_EQ(start_skew_when(&one, 3, 17, true), 17);
    start_skew_fini(&one);
}

TEST(the_next_free_sm_in_turn_gets_the_cta)
{
    rig *r = make(4, 1);
    const uint32_t grid[3] = {7, 1, 1};
    dispatch_order o;

    start(r, grid, 1, 0);
    for (unsigned i = 0; i < 4; i++)
        CHECK(dispatch_next(r->d, 0, 8, &o));
    CHECK(!dispatch_next(r->d, 8, 16, &o));
    /* SM 0 has the turn, but only 2 and 1 are free; then 2 once more */
    done(r, 16, 0, 2);
    done(r, 16, 0, 1);
    CHECK(dispatch_next(r->d, 16, 24, &o));
    CHECK_EQ(o.sm, 1);
    CHECK(dispatch_next(r->d, 16, 24, &o));
    CHECK_EQ(o.sm, 2);
    CHECK(!dispatch_next(r->d, 16, 24, &o));
    done(r, 24, 0, 0);
    CHECK(dispatch_next(r->d, 24, 32, &o));
    CHECK_EQ(o.sm, 0);
    CHECK_EQ(o.number, 6);
    CHECK_EQ(dispatch_finished(r->d, 0), 3);
    CHECK_EQ(dispatch_total(r->d, 0), 7);
    rig_free(r);
}

TEST(an_interval_separates_ctas_across_windows)
{
    rig *r = make(2, 5);
    dispatch_order o;

    /* the first leaves in cycle 7: 7, 12 | 17 with windows of 8 cycles */
    start(r, twelve, 8, 7);
    CHECK_EQ(dispatch_wakes(r->d, 0), 7);
    CHECK(!dispatch_next(r->d, 0, 7, &o));
    CHECK(dispatch_next(r->d, 0, 8, &o));
    CHECK_EQ(o.when, 7);
    CHECK(!dispatch_next(r->d, 0, 8, &o));
    CHECK_EQ(dispatch_wakes(r->d, 8), 12);
    CHECK(dispatch_next(r->d, 8, 16, &o));
    CHECK_EQ(o.when, 12);
    CHECK(!dispatch_next(r->d, 8, 16, &o)); /* 17 is not before 16 */
    CHECK(dispatch_next(r->d, 16, 24, &o));
    CHECK_EQ(o.when, 17);
    /* and in the first cycle of a window */
    CHECK(dispatch_next(r->d, 22, 48, &o));
    CHECK_EQ(o.when, 22);
    rig_free(r);
}

/* Twelve CTAs on SMs for six each; then SM 2 and, later, 1 and 3 lose one. */
static void expect(cfg_dispatch how, const unsigned want[12],
                   const unsigned then[3])
{
    rig *r = make_as(how, 4, 1);
    dispatch_order o;

    start(r, (const uint32_t[3]){15, 1, 1}, 6, 0);
    for (unsigned i = 0; i < 12; i++) {
        CHECK(dispatch_next(r->d, 0, 12, &o));
        CHECK_EQ(o.sm, want[i]);
    }
    done(r, 12, 0, then[0]);
    done(r, 12, 0, then[0]);
    CHECK(dispatch_next(r->d, 12, 13, &o));
    CHECK_EQ(o.sm, then[1]);
    CHECK(dispatch_next(r->d, 13, 14, &o));
    CHECK_EQ(o.sm, then[2]);
    rig_free(r);
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
        rig *r = make_as(CFG_DISPATCH_RANDOM, 4, 1);
        dispatch_order o;

        start(r, (const uint32_t[3]){24, 1, 1}, 6, 0);
        for (unsigned i = 0; i < 24; i++) {
            CHECK(dispatch_next(r->d, 0, 24, &o));
            if (run)
                CHECK_EQ(o.sm, first[i]);
            first[i] = o.sm;
            seen[o.sm] += !run;
        }
        rig_free(r);
    }
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(seen[i], 6);
}

TEST(load_weight_takes_the_sm_with_the_most_left)
{
    static const uint32_t two[3] = {2, 1, 1}, many[3] = {9, 1, 1};
    const sm_resources have = {.ctas = 16, .warps = 48};
    rig *r = make_as(CFG_DISPATCH_LOAD_WEIGHT, 3, 1);
    dispatch_order o;

    /* 32 left of 0 and 1; then threes leave 30 of 2, 29 of 0 and of 1 */
    dispatch_clear(r->d, &have, 0);
    dispatch_start(r->d, 0, two, &(sm_resources){.ctas = 1, .warps = 16}, 0);
    dispatch_start(r->d, 1, many, &(sm_resources){.ctas = 1, .warps = 3}, 0);
    const unsigned want[] = {0, 1, 2, 2, 2, 2, 2, 2, 0, 1, 2};
    for (unsigned i = 0; i < 11; i++) {
        CHECK(dispatch_next(r->d, 0, 100, &o));
        CHECK_EQ(o.sm, want[i]);
    }
    rig_free(r);
}

TEST(cta_indices_run_x_first)
{
    rig *r = make(1, 1);
    const uint32_t grid[3] = {3, 2, 2};
    dispatch_order o;
    uint64_t n = 0;

    start(r, grid, 12, 0);
    for (uint32_t z = 0; z < 2; z++)
        for (uint32_t y = 0; y < 2; y++)
            for (uint32_t x = 0; x < 3; x++, n++) {
                CHECK(dispatch_next(r->d, 0, 1000, &o));
                CHECK_EQ(o.id[0], x);
                CHECK_EQ(o.id[1], y);
                CHECK_EQ(o.id[2], z);
                CHECK_EQ(o.number, n);
            }
    CHECK(!dispatch_next(r->d, 0, 1000, &o));
    CHECK_EQ(dispatch_wakes(r->d, 50), NEVER);
    rig_free(r);
}

TEST(grids_beyond_32_bits_are_counted)
{
    rig *r = make(1, 1);
    const uint32_t grid[3] = {0x7fffffff, 65535, 65535};
    dispatch_order o;

    start(r, grid, 1, 0);
    CHECK_EQ(dispatch_total(r->d, 0), 0x7fffffffull * 65535 * 65535);
    CHECK(dispatch_next(r->d, 0, 1, &o));
    CHECK_EQ(o.id[0] | o.id[1] | o.id[2], 0);
    rig_free(r);
}

TEST(no_room_means_no_order)
{
    rig *r = make(3, 1);
    dispatch_order o;

    start(r, twelve, 1, 0);
    for (unsigned i = 0; i < 3; i++)
        CHECK(dispatch_next(r->d, 0, 1000, &o));
    CHECK_EQ(dispatch_wakes(r->d, 0), NEVER);
    CHECK(!dispatch_next(r->d, 0, 1000, &o));
    rig_free(r);
}

TEST(a_new_grid_starts_from_the_first_sm)
{
    rig *r = make(3, 1);
    const uint32_t one[3] = {1, 1, 1};
    dispatch_order o;

    start(r, one, 1, 0);
    CHECK(dispatch_next(r->d, 0, 10, &o));
    done(r, 10, 0, 0);
    CHECK_EQ(dispatch_finished(r->d, 0), dispatch_total(r->d, 0));
    start(r, one, 1, 100);
    CHECK_EQ(dispatch_finished(r->d, 0), 0);
    CHECK(!dispatch_next(r->d, 88, 96, &o));
    CHECK(dispatch_next(r->d, 96, 104, &o));
    CHECK_EQ(o.sm, 0);
    CHECK_EQ(o.when, 100);
    rig_free(r);
}

/* Against a model that only keeps count: never above the limit, no CTA twice,
 * none left behind, and none held back while an SM has room and the interval
 * has passed. */
TEST(random_grids_keep_every_rule)
{
    rng rnd;

    rng_init(&rnd, 7, "dispatch");
    for (unsigned round = 0; round < 200; round++) {
        unsigned sms = 1 + rng_below(&rnd, 9), limit = 1 + rng_below(&rnd, 4);
        unsigned interval = 1 + rng_below(&rnd, 6),
                 window = 1 + rng_below(&rnd, 20);
        const uint32_t grid[3] = {1 + rng_below(&rnd, 20),
                                  1 + rng_below(&rnd, 3),
                                  1 + rng_below(&rnd, 2)};
        uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2];
        uint64_t now = 0, sent = 0, gone = 0, ready = rng_below(&rnd, 30);
        unsigned resident[16] = {0}, turn = 0;
        rig *r = make(sms, interval);
        dispatch_order o;

        start(r, grid, limit, ready);
        while (gone < total) {
            while (dispatch_next(r->d, now, now + window, &o)) {
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
                unsigned n = rng_below(&rnd, resident[i] + 1);

                for (unsigned k = 0; k < n; k++)
                    done(r, now + window, 0, i);
                resident[i] -= n;
                gone += n;
            }
            dispatch_gathered(r->d, now + window);
            CHECK_EQ(dispatch_finished(r->d, 0), gone);
            now += window;
        }
        CHECK(!dispatch_next(r->d, now, now + 1000, &o));
        rig_free(r);
    }
}

/* ---- several launches ---- */

TEST(launches_leave_in_the_order_in_which_they_began)
{
    rig *r = make(2, 1);
    const uint32_t three[3] = {3, 1, 1};
    const sm_resources half = {.ctas = 1, .registers = REGISTERS / 2};
    const sm_resources tiny = {.ctas = 1, .registers = 1};
    static const unsigned launch[] = {5, 5, 5, 2, 2, 2};
    dispatch_order o;

    dispatch_clear(r->d, &offer, 0);
    dispatch_start(r->d, 5, three, &half, 0);
    dispatch_start(r->d, 2, three, &tiny, 0);
    for (unsigned i = 0; i < 6; i++) {
        CHECK(dispatch_next(r->d, 0, 100, &o));
        CHECK_EQ(o.launch, launch[i]);
        CHECK_EQ(o.number, i % 3);
        CHECK_EQ(o.when, i);
        /* registers are gone on SM 0 after its second: from then on SM 1 */
        CHECK_EQ(o.sm, i < 4 ? i % 2 : 1);
    }
    CHECK(!dispatch_next(r->d, 0, 100, &o));
    CHECK_EQ(dispatch_wakes(r->d, 6), NEVER);
    rig_free(r);
}

TEST(a_head_that_fits_nowhere_holds_up_those_behind_it)
{
    rig *r = make(2, 1);
    const uint32_t three[3] = {3, 1, 1}, one[3] = {1, 1, 1};
    const sm_resources whole = {.ctas = 1, .registers = REGISTERS};
    const sm_resources none = {.ctas = 1};
    dispatch_order o;

    dispatch_clear(r->d, &offer, 0);
    dispatch_start(r->d, 0, three, &whole, 0);
    dispatch_start(r->d, 1, one, &none, 0);
    CHECK(dispatch_next(r->d, 0, 100, &o));
    CHECK(dispatch_next(r->d, 0, 100, &o));
    CHECK(!dispatch_next(r->d, 0, 100, &o)); /* though launch 1 would fit */
    done(r, 100, 0, 1);
    CHECK(dispatch_next(r->d, 100, 200, &o));
    CHECK_EQ(o.launch, 0);
    CHECK_EQ(o.sm, 1);
    CHECK(dispatch_next(r->d, 100, 200, &o));
    CHECK_EQ(o.launch, 1);
    CHECK_EQ(dispatch_finished(r->d, 0), 1);
    CHECK_EQ(dispatch_finished(r->d, 1), 0);
    rig_free(r);
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
        rig *r = make(1, 1);
        dispatch_order o;
        unsigned n = 0;

        dispatch_clear(r->d, &have, 0);
        dispatch_start(r->d, 0, grid, &row[i].need, 0);
        while (dispatch_next(r->d, 0, 1000, &o))
            n++;
        CHECK_EQ(n, row[i].fit);
        rig_free(r);
    }
}

/* Random grids with random needs: what an SM holds is never more than it has,
 * each CTA leaves once and in order, and none waits although some SM has room
 * for the head and the interval has passed. */
TEST(random_mixes_are_work_conserving)
{
    enum { LAUNCHES = 12, SMS = 5 };
    rng rnd;

    rng_init(&rnd, 11, "dispatch");
    for (unsigned round = 0; round < 100; round++) {
        rig *r = make(SMS, 1);
        sm_resources need[LAUNCHES], left[SMS];
        uint64_t sent[LAUNCHES] = {0}, total[LAUNCHES], all = 0, gone = 0;
        unsigned held[SMS][LAUNCHES] = {{0}}, head = 0;
        dispatch_order o;

        dispatch_clear(r->d, &offer, 0);
        for (unsigned i = 0; i < SMS; i++)
            left[i] = offer;
        for (unsigned n = 0; n < LAUNCHES; n++) {
            const uint32_t grid[3] = {1 + rng_below(&rnd, 30), 1, 1};

            need[n] = (sm_resources){
                .ctas = 1, .registers = 1 + rng_below(&rnd, REGISTERS)};
            total[n] = grid[0];
            all += grid[0];
            dispatch_start(r->d, n, grid, &need[n], 0);
        }
        for (uint64_t now = 0; gone < all; now += 16) {
            uint64_t next = now;

            while (dispatch_next(r->d, now, now + 16, &o)) {
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
                    while (held[i][n] && rng_below(&rnd, 3)) {
                        done(r, now + 16, n, i);
                        sm_resources_give(&left[i], &need[n]);
                        held[i][n]--;
                        gone++;
                    }
            dispatch_gathered(r->d, now + 16);
        }
        for (unsigned n = 0; n < LAUNCHES; n++)
            CHECK_EQ(dispatch_finished(r->d, n), total[n]);
        rig_free(r);
    }
}
