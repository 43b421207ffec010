/* src/session/record.h: counters of the launches behind the first ones are
 * sums by kernel and GPU, which tell the same of them. */
#include "session/record.h"

#include <stdlib.h>

#include "report/kernels.h"
#include "test.h"

enum { LAUNCHES = 12, GPUS = 2 };

typedef struct block {
    uint64_t active_cycles, warp_cycles;
} block;

static const stat_desc block_desc[] = {
    {.id = "active_cycles", .unit = "cycle", .help = "a"},
    {.id = "warp_cycles",
     .unit = "cycle",
     .help = "w",
     .offset = sizeof(uint64_t)}};

typedef struct talk {
    config cfg;
    const config *configs[GPUS];
    record *r;
    strbuf b;
    report_process is;
    report_program program;
} talk;

static void say(talk *t)
{
    size_t used;
    uint8_t kind;
    wire w;

    CHECK_EQ(wire_next(t->b.text, t->b.size, &kind, &w, &used), WIRE_WHOLE);
    CHECK(record_take(t->r, kind, &w));
    strbuf_fini(&t->b);
    t->b = (strbuf){0};
}

/* Launches 4 and 8 are two each, 5 is computed, 10 fails; each third is on the
 * other GPU. No two have the same counters. */
static void launch(talk *t, uint64_t i)
{
    const msg_kernel k = {.module = 1,
                          .name = i % 2 ? "odd" : "even",
                          .grid = {(uint32_t)i + 1, 1, 1},
                          .block = {32, 1, 1}};
    uint64_t totals[] = {1ull << i, 1000 + i};
    msg_result m = {.launch = i,
                    .is = {.cycles = 100 + i,
                           .warp_insts = 7 * i,
                           .status = i == 10 ? ST_FAULT : ST_OK,
                           .limiter = "-",
                           .totals = i == 5 ? NULL : totals},
                    .total_count = i == 5 ? 0 : 2};

    msg_begin_put(&t->b, &(msg_begin){.launch = i,
                                      .device = i % 3 == 2,
                                      .functional = i == 5,
                                      .kernel = k});
    say(t);
    for (unsigned part = 0; part < 2 && i && i % 4 == 0; part++) {
        msg_part_put(&t->b, &(msg_part){.launch = i,
                                        .kernel = k,
                                        .stream = "stream 1",
                                        .outcome = {.limiter = "-"}});
        say(t);
    }
    msg_result_put(&t->b, &m);
    say(t);
}

/* A program of which counters of `each` launches are kept. */
static talk *talk_new(uint64_t each)
{
    talk *t = calloc(1, sizeof *t);
    block values[1] = {{0, 0}};
    stats *s = stats_new();

    CHECK(t && s);
    stats_add(s, "sm[0]", block_desc, 2, values);
    config_defaults(&t->cfg);
    t->configs[0] = t->configs[1] = &t->cfg;
    t->r = record_new(t->configs, GPUS, each);
    msg_hello_put(&t->b, &(msg_hello){1, 2, "p", "p x", "0"});
    say(t);
    for (unsigned i = 0; i < GPUS; i++) {
        msg_counters_put(&t->b, i, false, s);
        say(t);
    }
    for (uint64_t i = 0; i < LAUNCHES; i++)
        launch(t, i);
    t->is = record_report(t->r, false, false);
    t->program = (report_program){.processes = &t->is, .process_count = 1};
    stats_free(s);
    return t;
}

static void talk_free(talk *t)
{
    record_free(t->r);
    free(t);
}

static const kernel_sum *row_like(const kernel_sums *s, const kernel_sum *k)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->row[i].name, k->name) &&
            s->row[i].sum.device == k->sum.device)
            return &s->row[i];
    return NULL;
}

static void check_same(const kernel_sum *a, const kernel_sum *b)
{
    CHECK(b != NULL);
    CHECK_EQ(a->count, b->count);
    CHECK_EQ(a->timed, b->timed);
    CHECK_EQ(a->failed, b->failed);
    CHECK_EQ(a->functional, b->functional);
    CHECK_EQ(a->sum.cycles, b->sum.cycles);
    CHECK_EQ(a->warp_insts, b->warp_insts);
    CHECK_EQ(a->sum.totals != NULL, b->sum.totals != NULL);
    for (size_t i = 0; a->sum.totals && i < 2; i++)
        CHECK_EQ(a->sum.totals[i], b->sum.totals[i]);
}

TEST(sums_are_those_of_launches_kept_one_by_one)
{
    talk *whole = talk_new(UINT64_MAX);
    kernel_sums want, got;
    uint64_t counted = 0;

    kernel_sums_make(&want, &whole->program);
    CHECK_EQ(whole->is.sum_count, 0);
    for (size_t i = 0; i < want.count; i++)
        counted |= want.row[i].sum.totals ? want.row[i].sum.totals[0] : 0;
    CHECK_EQ(counted, 0xfdf); /* all but launch 5, once */
    for (uint64_t each = 0; each < LAUNCHES; each += 3) {
        talk *t = talk_new(each);

        kernel_sums_make(&got, &t->program);
        CHECK_EQ(got.count, want.count);
        CHECK_EQ(got.timed, want.timed);
        for (size_t i = 0; i < got.count; i++)
            check_same(&got.row[i], row_like(&want, &got.row[i]));
        kernel_sums_free(&got);
        talk_free(t);
    }
    kernel_sums_free(&want);
    talk_free(whole);
}

TEST(only_the_first_timed_launches_keep_counters)
{
    talk *t = talk_new(3);

    for (uint64_t i = 0; i < LAUNCHES; i++) {
        const report_launch *l = &t->is.launches[i];

        CHECK_EQ(l->totals != NULL, i < 3);
        CHECK_EQ(l->folded != NULL, i >= 3 && i != 5);
        CHECK_EQ(report_launch_timed(l), i != 5);
        CHECK_EQ(l->cycles, 100 + i);
        CHECK_EQ(l->active_cycles, l->folded ? 1ull << i : 0);
        CHECK_EQ(l->warp_cycles, l->folded ? 1000 + i : 0);
    }
    talk_free(t);
}
