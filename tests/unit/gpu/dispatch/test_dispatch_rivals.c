/* tests/unit/gpu/dispatch/test_dispatch_rivals.c - what competes with load
 * registers, by hand: CTAs in blocks, as many as an SM needs, weights of what
 * earlier launches took. test_dispatch_rules.c has all of them at random. */
#include "unit/gpu/rig.h"

#include "mem/port.h" /* NEVER */

static rig *small(unsigned sms, unsigned ctas)
{
    rig *r = rig_new(sms, CFG_DISPATCH_ROUND_ROBIN);

    r->cfg.sm.ctas = ctas;
    r->cfg.sm.warps = 16;
    r->cfg.sm.threads = 512;
    return r;
}

static void launch(rig *r, unsigned n, unsigned ctas, unsigned warps,
                   uint64_t now)
{
    const uint32_t grid[3] = {ctas, 1, 1};
    const sm_resources need = {
        .ctas = 1, .warps = warps, .threads = 32 * warps};

    dispatch_start(r->d, n, grid, &need, now);
    dispatch_kernel(r->d, n, 0x100 * n);
}

/* CTAs leave for these SMs, `gap` cycles apart from cycle `from` on. */
static void leave(rig *r, uint64_t from, unsigned gap, const unsigned *to,
                  unsigned count)
{
    dispatch_order o;

    for (unsigned i = 0; i < count; i++) {
        CHECK(dispatch_next(r->d, from, from + 1000, &o));
        CHECK_EQ(o.when, from + i * gap);
        CHECK_EQ(o.sm, to[i]);
    }
}

static void nothing(rig *r, uint64_t now)
{
    dispatch_order o;

    CHECK(!dispatch_next(r->d, now, now + 1000, &o));
}

/* ---- Blocks ---- */

/* Of three SMs for four each the third gets one pair, then the last alone. */
TEST(pairs_go_to_the_same_sm)
{
    rig *r = small(3, 4);

    r->cfg.gpu.cta.block = 2;
    rig_begin(r);
    launch(r, 0, 11, 1, 0);
    leave(r, 0, 1, (const unsigned[]){0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2}, 11);
    CHECK_EQ(rig_count(r, "ctas"), 11);
    rig_free(r);
}

/* With room for three, one place of each stays empty until another is free. */
TEST(a_pair_waits_for_room_for_both)
{
    rig *r = small(2, 3);

    r->cfg.gpu.cta.block = 2;
    rig_begin(r);
    launch(r, 0, 8, 1, 0);
    leave(r, 0, 1, (const unsigned[]){0, 0, 1, 1}, 4);
    nothing(r, 4);
    CHECK_EQ(dispatch_wakes(r->d, 4), NEVER);
    rig_cta_ends(r, 50, 1, 0, 2, 0);
    leave(r, 50, 1, (const unsigned[]){1, 1}, 2);
    nothing(r, 52);
    rig_free(r);
}

TEST(an_sm_that_holds_one_gets_one)
{
    rig *r = small(3, 1);

    r->cfg.gpu.cta.block = 2;
    rig_begin(r);
    launch(r, 0, 3, 1, 0);
    leave(r, 0, 1, (const unsigned[]){0, 1, 2}, 3);
    rig_free(r);
}

/* Blocks save no time: 5 cycles from CTA to CTA, or as long as six warps take
 * to be sent, and the second leaves in the window in which its turn comes. */
TEST(ctas_of_a_block_leave_one_after_the_other)
{
    rig *r = small(2, 8);
    dispatch_order o;

    r->cfg.gpu.cta.block = 2;
    r->cfg.gpu.dispatch_interval = 5;
    rig_begin(r);
    launch(r, 0, 6, 1, 0);
    leave(r, 0, 5, (const unsigned[]){0, 0, 1}, 3);
    CHECK(!dispatch_next(r->d, 11, 15, &o));
    CHECK_EQ(dispatch_wakes(r->d, 11), 15);
    CHECK(dispatch_next(r->d, 15, 16, &o));
    CHECK_EQ(o.sm, 1);
    CHECK_EQ(rig_count(r, "wait_interval"), 12);
    rig_free(r);

    r = small(2, 8);
    r->cfg.gpu.cta.block = 2;
    r->cfg.gpu.cta.overlap = false;
    rig_begin(r);
    launch(r, 0, 4, 6, 0);
    leave(r, 0, 6, (const unsigned[]){0, 0, 1, 1}, 4);
    rig_free(r);
}

/* ---- As many as an SM needs ---- */

static void ends(rig *r, uint64_t now, unsigned on, unsigned n, uint64_t insts,
                 uint64_t all)
{
    const sm_done c = {.cycle = now - 1,
                       .launch = n,
                       .warp = SM_WHOLE_CTA,
                       .insts = insts,
                       .launch_insts = all};

    dispatch_done(r->d, now, on, &c);
}

static rig *lazy(unsigned sms, unsigned ctas)
{
    rig *r = small(sms, ctas);

    r->cfg.gpu.cta.limit = CFG_CTA_LIMIT_LAZY;
    rig_begin(r);
    return r;
}

/* 250 instructions by the end of a CTA of 100: three are enough to fill the
 * cycles. Of six, four have to end before the next one comes. The other SM
 * goes on with six until one of its own has ended. */
TEST(an_sm_takes_as_many_as_its_first_cta_shows)
{
    rig *r = lazy(2, 6);

    launch(r, 0, 40, 1, 0);
    leave(r, 0, 1, (const unsigned[]){0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, 12);
    for (unsigned k = 0; k < 3; k++) {
        ends(r, 50, 0, 0, 100, 250);
        CHECK_EQ(cta_limit_of(&r->d->limit, 0, 0)->limit, 3);
        nothing(r, 50);
    }
    ends(r, 60, 0, 0, 10, 900);
    leave(r, 60, 1, (const unsigned[]){0}, 1);
    nothing(r, 61);
    CHECK_EQ(cta_limit_of(&r->d->limit, 1, 0)->limit, 0);
    ends(r, 70, 1, 0, 100, 1000);
    CHECK_EQ(cta_limit_of(&r->d->limit, 1, 0)->limit, 6); /* there is no more */
    leave(r, 70, 1, (const unsigned[]){1}, 1);
    rig_free(r);
}

/* All instructions were its own: one is enough, and one is always taken. */
TEST(a_cta_that_never_waits_is_enough)
{
    rig *r = lazy(1, 4);

    launch(r, 0, 9, 1, 0);
    leave(r, 0, 1, (const unsigned[]){0, 0, 0, 0}, 4);
    for (unsigned k = 0; k < 3; k++) {
        ends(r, 50, 0, 0, 100, 100);
        nothing(r, 50);
    }
    ends(r, 60, 0, 0, 100, 100);
    leave(r, 60, 1, (const unsigned[]){0}, 1);
    nothing(r, 61);
    ends(r, 90, 0, 0, 100, 100);
    CHECK_EQ(rig_count(r, "stall_ctas"), 46);  /* 4 to 49: it is full, */
    CHECK_EQ(rig_count(r, "stall_limit"), 39); /* 50 to 59, 61 to 89 */
    rig_free(r);
}

/* A limit is of the launch, and not of the one after it. */
TEST(what_a_launch_does_not_need_is_for_others)
{
    rig *r = small(1, 4);

    r->cfg.gpu.cta.limit = CFG_CTA_LIMIT_LAZY;
    r->cfg.gpu.cta.queues = 2;
    rig_begin(r);
    launch(r, 0, 9, 1, 0);
    leave(r, 0, 1, (const unsigned[]){0, 0, 0, 0}, 4);
    launch(r, 1, 3, 1, 10);
    ends(r, 50, 0, 0, 100, 100);
    leave(r, 50, 1, (const unsigned[]){0}, 1);
    CHECK_EQ(dispatch_begun(r->d, 0), 4);
    CHECK_EQ(dispatch_begun(r->d, 1), 1);
    CHECK_EQ(cta_limit_of(&r->d->limit, 0, 0)->limit, 1);
    rig_free(r);
}

TEST(a_launch_of_the_same_number_has_no_limit_yet)
{
    rig *r = lazy(1, 4);

    launch(r, 0, 1, 1, 0);
    leave(r, 0, 1, (const unsigned[]){0}, 1);
    ends(r, 50, 0, 0, 100, 100);
    CHECK_EQ(cta_limit_of(&r->d->limit, 0, 0)->limit, 1);
    launch(r, 0, 4, 1, 50);
    leave(r, 50, 1, (const unsigned[]){0, 0, 0, 0}, 4);
    rig_free(r);
}

/* ---- What earlier launches took ---- */

static rig *measuring(unsigned sms, unsigned kernels)
{
    rig *r = small(sms, 8);

    r->cfg.gpu.dispatch = CFG_DISPATCH_LOAD_WEIGHT;
    r->cfg.gpu.load_weight.weight = CFG_LOAD_WEIGHT_MEASURED;
    r->cfg.gpu.load_weight.kernels = kernels;
    rig_begin(r);
    return r;
}

/* A CTA ends in another window than that in which it left. */
static void ends_late(rig *r, uint64_t now, unsigned on, unsigned n,
                      uint64_t number)
{
    dispatch_gathered(r->d, now - 1);
    nothing(r, now - 1);
    rig_cta_ends(r, now, on, n, number, 0);
    dispatch_gathered(r->d, now);
}

/* Two CTAs of kernel `n`, alone on two SMs, for so many cycles each, the second
 * no less than the first. */
static void take(rig *r, unsigned n, uint64_t first, uint64_t second)
{
    dispatch_clear(r->d, dispatch_offer(r->d), 0);
    launch(r, n, 2, 1, 0);
    leave(r, 0, 1, (const unsigned[]){0, 1}, 2);
    ends_late(r, first, 0, n, 0);
    ends_late(r, 1 + second, 1, n, 1);
}

static uint32_t weight(rig *r, unsigned n)
{
    return work_table_weight(&r->d->work, 0x100 * n);
}

/* Means of 6400 and 640 cycles are weights of 100 and 10; the mean of all goes
 * a quarter of the way to each: 100, 78. */
TEST(a_kernel_weighs_what_it_took)
{
    rig *r = measuring(2, 4);

    CHECK_EQ(weight(r, 0), 1);
    take(r, 0, 6400 - 320, 6400 + 320);
    CHECK_EQ(weight(r, 0), 100);
    CHECK_EQ(weight(r, 1), 100);
    take(r, 1, 640, 640);
    CHECK_EQ(weight(r, 0), 100);
    CHECK_EQ(weight(r, 1), 10);
    CHECK_EQ(weight(r, 2), 78);
    take(r, 0, 64, 64); /* the last time counts */
    CHECK_EQ(weight(r, 0), 1);
    take(r, 2, 20, 20); /* and nothing weighs nothing, or too much */
    CHECK_EQ(weight(r, 2), 1);
    take(r, 2, 1 << 20, 1 << 20);
    CHECK_EQ(weight(r, 2), 4095);
    rig_free(r);
}

TEST(the_oldest_kernel_is_forgotten)
{
    rig *r = measuring(2, 2);

    take(r, 0, 6400, 6400);
    take(r, 1, 640, 640);
    take(r, 2, 1280, 1280);
    CHECK_EQ(weight(r, 1), 10);
    CHECK_EQ(weight(r, 2), 20);
    CHECK_EQ(weight(r, 0), 64); /* 100, 78, 78 - 58 / 4 */
    rig_free(r);
}

/* Kernel 0 takes ten times as long as kernel 1. Behind one of it on SM 0 all of
 * kernel 1 go to SM 1, which weighs 80 with eight of them; by slots they would
 * take turns. */
TEST(long_ctas_count_for_more)
{
    rig *r = measuring(2, 4);

    take(r, 0, 6400, 6400);
    take(r, 1, 640, 640);
    dispatch_clear(r->d, dispatch_offer(r->d), 0);
    launch(r, 0, 1, 1, 0);
    launch(r, 1, 9, 1, 0);
    leave(r, 0, 1, (const unsigned[]){0, 1, 1, 1, 1, 1, 1, 1, 1, 0}, 10);
    CHECK_EQ(r->d->load.left[0], 16 * 4095 - 110);
    CHECK_EQ(r->d->load.left[1], 16 * 4095 - 80);
    rig_free(r);
}
