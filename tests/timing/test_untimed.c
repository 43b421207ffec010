/* Launches of several streams without timing. */
#include "timing/streams.h"

static const char *const four_sms[] = {"gpu.sms=4", NULL};
static const rt_options untimed = {.threads = 1, .functional = true};

TEST(untimed_launches_see_each_others_stores)
{
    static const char *const alone[] = {"gpu.sms=4", "gpu.concurrent=1", NULL};

    for (unsigned i = 0; i < 4; i++) {
        bool serial = i & 1, behind = i & 2; /* it comes first */
        bench *b = bench_new("v100", serial ? alone : four_sms, &untimed);
        uint64_t p = words(b, 0), o = words(b, 9);
        unsigned await = behind ? 1 : 0;

        if (behind)
            add(b, 2, "post", 1, 1, p, 77);
        add(b, 1, "await", 70, 64, p, o);
        if (!behind)
            add(b, 2, "post", 1, 1, p, 77);
        add(b, 1, "inc", 1, 32, o, 1);
        b->launch[await].max_cycles = 60000000;
        bool ends = behind || !serial;
        CHECK_EQ(bench_run(b), ends ? ST_OK : ST_LIMIT);
        CHECK_EQ(word(b, o, 0), ends ? 77 : 9);
        CHECK_EQ(b->part[await].ctas, ends ? 70 : 0);
        CHECK_EQ(b->part[await].cycles, 0);
        CHECK_EQ(b->groups, behind ? 3 : ends ? 2 : 1);
        char *notes = notes_of(b);
        CHECK(ends == !strstr(notes, "'post' has not begun"));
        free(notes);
        bench_free(b);
    }
}

TEST(untimed_launches_are_lost_with_one_that_fails)
{
    bench *b = bench_new("k20", NULL, &untimed);
    uint64_t p = words(b, 0), o = words(b, 9);

    add(b, 1, "await", 2, 32, p, o);
    add(b, 2, "bad", 1, 1, p, 0);
    CHECK_EQ(bench_run(b), ST_FAULT);
    CHECK_EQ(b->groups, 1);
    CHECK_EQ(b->part[0].status, ST_INTERRUPTED);
    CHECK_EQ(b->part[1].status, ST_FAULT);
    CHECK(strstr(diag_get(b->r->dg, 1)->text, "1 other launch") != NULL);
    b->count = 0;
    add(b, 0, "post", 1, 1, p, 5);
    rig_must(b->r, bench_run(b));
    CHECK_EQ(word(b, p, 0), 5);
    bench_free(b);
}
