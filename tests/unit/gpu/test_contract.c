/* tests/unit/gpu/test_contract.c - what mem/port.h promises holds for every
 * block behind it, under random traffic between neighbours that rest. */
#include "contract_blocks.h"
#include "contract_sm.h"

static const subject subjects[] = {
    {.name = "L1 with one queue",
     .build = build_l1,
     .free = free_l1,
     .idle = idle_l1,
     .settle = settle_l1,
     .make = make_l1},
    {.name = "L1 that reorders",
     .build = build_l1_queues,
     .free = free_l1,
     .idle = idle_l1,
     .settle = settle_l1,
     .make = make_l1},
    {.name = "read-only cache",
     .build = build_read_only,
     .free = free_l1,
     .idle = idle_l1,
     .settle = settle_l1,
     .make = make_read_only},
    {.name = "L2 slice",
     .build = build_l2,
     .free = free_l2,
     .idle = idle_l2,
     .settle = settle_l2,
     .make = make_l2},
    {.name = "DRAM channel",
     .build = build_dram,
     .free = free_dram,
     .idle = idle_dram,
     .settle = settle_dram,
     .make = make_dram},
    {.name = "crossbar",
     .build = build_noc,
     .free = free_noc,
     .idle = idle_noc,
     .settle = settle_noc,
     .make = make_noc,
     .window = window_noc,
     .belongs = belongs_noc,
     .through = true},
    {.name = "SM",
     .build = build_sm,
     .free = free_sm,
     .idle = idle_sm,
     .settle = settle_sm,
     .window = window_sm},
};

enum {
    SUBJECTS = sizeof subjects / sizeof *subjects,
    SEEDS = 16,
    DEAF = 10000, /* cycles that nobody hears */
};

static const pace every = {.name = "every cycle", .every = true},
                  due = {.name = "when due"};
static const pace others[] = {
    {.name = "when due, last", .last = true},
    {.name = "when due, bare ports", .bare = true},
    {.name = "every cycle, last", .every = true, .last = true},
};

static bench *run(const subject *what, unsigned seed, pace how, const bench *as)
{
    bench *b = bench_new(what, seed, how);

    bench_run(b, as);
    return b;
}

/* What neighbours saw, and all counters. */
static void check_same(const bench *a, const bench *b)
{
    for (unsigned i = 0; i < a->events && i < b->events; i++)
        if (memcmp(&a->event[i], &b->event[i], sizeof *a->event))
            TEST_FAIL("%s, seed %" PRIu64 ", %s: message %u of tag %u comes to "
                      "face %u in cycle %" PRIu64 ", else in %" PRIu64,
                      a->what->name, a->seed, b->pace.name, i, b->event[i].tag,
                      b->event[i].face, b->event[i].cycle, a->event[i].cycle);
    CONTRACT(b, b->events == a->events);
    for (size_t i = 0; i < stats_count(a->reg); i++) {
        stats_item x = stats_get(a->reg, i), y = stats_get(b->reg, i);

        if (x.value != y.value)
            TEST_FAIL("%s, seed %" PRIu64 ", %s: %s is %" PRIu64
                      ", else %" PRIu64,
                      a->what->name, a->seed, b->pace.name, x.desc->id, y.value,
                      x.value);
    }
}

/* Whether an answer comes once, in time and to whom it belongs is checked as it
 * comes: see check_answer, watched_tick, cycle. */
TEST(every_request_is_answered_and_neither_pace_nor_order_matters)
{
    for (unsigned s = 0; s < SUBJECTS; s++)
        for (unsigned seed = 0; seed < SEEDS; seed++) {
            bench *a = run(&subjects[s], seed, every, NULL);
            bench *b = run(&subjects[s], seed, due, a);

            CONTRACT(a, a->events > 50);
            check_same(a, b);
            bench_free(b);
            for (unsigned i = 0; i < COUNTOF(others); i++) {
                b = run(&subjects[s], seed, others[i], a);
                check_same(a, b);
                bench_free(b);
            }
            bench_free(a);
        }
}

TEST(a_block_that_has_done_all_asks_for_no_tick)
{
    for (unsigned s = 0; s < SUBJECTS; s++)
        for (unsigned seed = 0; seed < SEEDS; seed++) {
            bench *b = run(&subjects[s], seed, due, NULL);

            for (unsigned i = 0; i < b->parts; i++)
                CONTRACT(b, b->part[i].block.due.next == NEVER);
            bench_free(b);
        }
}

/* Contents of the ports from the block, and how many requests it took. */
static uint64_t seen_state(const bench *b)
{
    uint64_t h = 1;

    for (const face *f = b->face; f < b->face + b->faces; f++) {
        h = mix(h + f->asked);
        for (unsigned i = 0; i < f->from.count; i++) {
            const mem_msg *m = &f->from.ring[(f->from.head + i) & f->from.mask];

            h = mix(h ^ m->addr ^ (uint64_t)m->tag << 32);
            h = mix(h + m->kind + m->when);
        }
    }
    return h;
}

static void check_stuck(bench *b)
{
    unsigned refused = 0;

    while (b->now < b->deaf_until / 2)
        cycle(b);
    uint64_t state = seen_state(b);

    for (const face *f = b->face; f < b->face + b->faces; f++) {
        CONTRACT(b, !f->asks || f->offered);
        refused += f->refused;
    }
    while (b->now < b->deaf_until - 1)
        cycle(b);
    CONTRACT(b, seen_state(b) == state);
    CONTRACT(b, refused || !b->what->make);
}

TEST(a_block_that_nobody_hears_refuses_and_goes_on_where_it_stood)
{
    for (unsigned s = 0; s < SUBJECTS; s++)
        for (unsigned seed = 0; seed < SEEDS; seed++) {
            bench *run[2];

            for (unsigned i = 0; i < 2; i++) {
                run[i] = bench_new(&subjects[s], seed, i ? due : every);
                run[i]->deaf_until = DEAF;
                check_stuck(run[i]);
                bench_run(run[i], i ? run[0] : NULL);
            }
            check_same(run[0], run[1]);
            bench_free(run[0]);
            bench_free(run[1]);
        }
}
