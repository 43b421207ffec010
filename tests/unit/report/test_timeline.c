/* tests/unit/report/test_timeline.c - what a program did when, as a text. */
#include "report/timeline.h"

#include <math.h>

#include "base/rng.h"
#include "fake.h"

static const uint64_t big = UINT64_MAX - 5;

static report_activity activity(activity_kind kind, uint64_t begin,
                                uint64_t end)
{
    return (report_activity){.kind = kind,
                             .stream = kind == ACTIVITY_WAIT ? NULL : "queue 1",
                             .begin_ns = begin,
                             .end_ns = end,
                             .launch = ACTIVITY_NONE};
}

/* A process with a launch, copies around it, and a wait. */
static void put_one(fake *f, strbuf *out)
{
    report_activity a[] = {
        activity(ACTIVITY_H2D, 0, 100), activity(ACTIVITY_KERNEL, 100, 900),
        activity(ACTIVITY_D2H, 900, big), activity(ACTIVITY_WAIT, 0, big)};
    const report_process o = {.pid = 7,
                              .command = "a\nprogram",
                              .launches = &f->launch,
                              .launch_count = 1,
                              .activities = a,
                              .activity_count = 4,
                              .activities_lost = 3};

    a[0].bytes = 4096;
    a[1].launch = 0;
    a[1].flags = ACTIVITY_FAILED;
    timeline_put(&(report_program){.processes = &o, .process_count = 1}, out);
}

TEST(what_is_written_is_read_again)
{
    fake *f = fake_new();
    arena *mem = arena_new();
    strbuf b = {0};
    timeline t;

    f->launch.totals = f->totals;
    f->cfg.sm.warps = 64;
    for (size_t i = 0; i < stats_total_count(f->stats); i++) {
        stats_total_item x = stats_total_get(f->stats, i);

        if (!strcmp(x.path, "sm[*]") && !strcmp(x.desc->id, "active_cycles"))
            f->totals[i] = 500;
        if (!strcmp(x.path, "sm[*]") && !strcmp(x.desc->id, "warp_cycles"))
            f->totals[i] = 16000;
    }
    put_one(f, &b);
    CHECK(timeline_get(b.text, b.size, mem, &t));
    CHECK_EQ(t.processes, 1);
    const timeline_process *o = &t.process[0];
    CHECK_EQ(o->pid, 7);
    CHECK_STR(o->command, "a program");
    CHECK_EQ(o->lost, 3);
    CHECK_EQ(o->count, 4);
    CHECK_EQ(o->bar[0].kind, ACTIVITY_H2D);
    CHECK_EQ(o->bar[0].bytes, 4096);
    CHECK_STR(t.stream[o->bar[0].stream], "queue 1");
    const timeline_bar *k = &o->bar[1];
    CHECK(k->linked && k->launch == 0 && k->flags == ACTIVITY_FAILED);
    CHECK_STR(t.name[k->name], "k");
    CHECK(k->grid[0] == 4 && k->block[0] == 64 && k->cycles == 1000);
    CHECK(k->begin_ns == 100 && k->end_ns == 900);
    CHECK(o->bar[2].end_ns == big);
    CHECK_EQ(o->bar[3].kind, ACTIVITY_WAIT);
    CHECK_EQ(o->uses, 1);
    CHECK(o->use[0].begin_ns == 100 && o->use[0].end_ns == 900);
    CHECK(fabs(o->use[0].sms - 0.5) < 1e-6);
    CHECK(fabs(o->use[0].warps - 0.25) < 1e-6);
    arena_free(mem);
    strbuf_fini(&b);
    fake_free(f);
}

TEST(samples_of_warps_are_steps)
{
    fake *f = fake_new();
    arena *mem = arena_new();
    uint64_t end[] = {600, 1000}, value[] = {600 * 16, 0};
    strbuf b = {0};
    timeline t;

    f->launch.totals = f->totals;
    f->cfg.sm.warps = 64;
    f->cfg.gpu.clock_khz = 1000000; /* a cycle is a nanosecond */
    f->launch.warps =
        (stats_series){.blocks = 1, .count = 2, .end = end, .value = value};
    put_one(f, &b);
    CHECK(timeline_get(b.text, b.size, mem, &t));
    CHECK_EQ(t.process[0].uses, 2);
    const timeline_use *u = t.process[0].use;
    CHECK(u[0].begin_ns == 100 && u[0].end_ns == 700);
    CHECK(fabs(u[0].sms - 1) < 1e-6 && fabs(u[0].warps - 0.25) < 1e-6);
    CHECK(u[1].end_ns == 1100 && u[1].sms == 0 && u[1].warps == 0);
    arena_free(mem);
    strbuf_fini(&b);
    fake_free(f);
}

TEST(nothing_is_written_of_nothing)
{
    const report_process o = {.pid = 1};
    strbuf b = {0};

    timeline_put(&(report_program){.processes = &o, .process_count = 1}, &b);
    CHECK_EQ(b.size, 0);
    strbuf_fini(&b);
}

TEST(launches_follow_each_other_in_their_streams)
{
    fake *f = fake_new();
    arena *mem = arena_new();
    report_part part[] = {{.kernel = &f->kernel,
                           .stream = "left",
                           .outcome = {.start = 0, .cycles = 50}},
                          {.kernel = &f->kernel,
                           .stream = "right",
                           .outcome = {.start = 10, .cycles = 20}}};
    report_group g = {.part = part, .count = 2};
    report_launch l[3] = {f->launch, f->launch, f->launch};
    size_t n;

    f->cfg.gpu.clock_khz = 1000000;
    l[0].start = 0;
    l[0].cycles = 100;
    l[0].estimated = 1000; /* charged: what follows comes later */
    l[1].start = 100;
    l[1].group = &g;
    l[2].start = 150;
    l[2].cycles = 10;
    l[2].outcome.status = ST_FAULT;
    const report_activity *a = timeline_of_launches(l, 3, mem, &n);
    CHECK_EQ(n, 4);
    CHECK(a[0].begin_ns == 0 && a[0].end_ns == 1100);
    CHECK(a[0].flags & ACTIVITY_CHARGED);
    CHECK_STR(a[0].stream, "stream 0");
    CHECK(a[1].begin_ns == 1100 && a[1].end_ns == 1150);
    CHECK_STR(a[1].stream, "stream left");
    CHECK(a[2].begin_ns == 1110 && a[2].end_ns == 1130 && a[2].part == 1);
    CHECK(a[3].begin_ns == 1150 && a[3].flags & ACTIVITY_FAILED);
    CHECK_EQ(a[3].launch, 2);
    CHECK(timeline_of_launches(l, 0, mem, &n) && !n);
    arena_free(mem);
    fake_free(f);
}

TEST(damage_is_found)
{
    static const char *const bad[] = {
        "",
        "heddle timeline 2\n",
        "heddle timeline 1\nB 1 0 0 0 0 0 0\n",          /* of no process */
        "heddle timeline 1\nP 1 0 x\nB 1 0 0 0 0 0 0\n", /* no such stream */
        "heddle timeline 1\nS s\nP 1 0 x\nB 1 0 0 5 4 0 0\n", /* backwards */
        "heddle timeline 1\nS s\nP 1 0 x\nB 0 0 0 0 0 0 0\n", /* a kernel */
        "heddle timeline 1\nS s\nP 1 0 x\nK 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 9\n",
        "heddle timeline 1\nP 1 0 x\nU 0 0 5 1000001 0\n",
        "heddle timeline 1\nP 1 0 x",
        "heddle timeline 1\nP 99999999999999999999999 0 x\n",
        "heddle timeline 1\n\n"};
    arena *mem = arena_new();
    timeline t;

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!timeline_get(bad[i], strlen(bad[i]), mem, &t));
    static const char good[] =
        "heddle timeline 1\nS s\nN k\nP 1 0 x\nB 1 0 0 0 0 0 0\n"
        "K 0 0 0 0 0 0 1 2 0 1 1 1 1 1 1 9\nU 0 0 5 1000000 0\n";
    CHECK(timeline_get(good, strlen(good), mem, &t));
    arena_free(mem);
}

/* Bytes that are changed anywhere do no harm. */
TEST(damage_does_no_damage)
{
    fake *f = fake_new();
    strbuf b = {0};
    rng r;

    put_one(f, &b);
    rng_init(&r, 1, "timeline");
    for (unsigned i = 0; i < 2000; i++) {
        arena *mem = arena_new();
        char *bad = malloc(b.size);
        timeline t;

        memcpy(bad, b.text, b.size);
        for (unsigned k = 0; k < 3; k++)
            bad[rng_below(&r, (uint32_t)b.size)] = (char)rng_u64(&r);
        timeline_get(bad, rng_below(&r, (uint32_t)b.size), mem, &t);
        free(bad);
        arena_free(mem);
    }
    strbuf_fini(&b);
    fake_free(f);
}
