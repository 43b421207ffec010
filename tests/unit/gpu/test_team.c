#include "gpu/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "test.h"

enum { ITEMS = 1000 };

typedef struct tally {
    atomic_uint calls[ITEMS];
    unsigned plain[ITEMS]; /* written by whoever took the item */
} tally;

static void count(void *arg, unsigned i)
{
    tally *t = arg;

    atomic_fetch_add(&t->calls[i], 1);
    t->plain[i] += i + 1;
}

/* Rounds of many sizes: each item is taken once, none beyond the end. What a
 * member wrote is there when team_run returns, without further locks. */
static void rounds(unsigned threads)
{
    static const unsigned sizes[] = {1, 0, 2, 3, 17, ITEMS, 1, 64, 0, ITEMS};
    tally *t = calloc(1, sizeof *t);
    team *m = team_new(threads, NULL);
    unsigned want[ITEMS] = {0};

    CHECK(t && m);
    for (unsigned r = 0; r < 200; r++) {
        unsigned n = sizes[r % (sizeof sizes / sizeof *sizes)];

        team_run(m, count, t, n, r % 3 == 0);
        for (unsigned i = 0; i < n; i++)
            want[i]++;
        for (unsigned i = 0; i < ITEMS; i++) {
            CHECK_EQ(atomic_load(&t->calls[i]), want[i]);
            CHECK_EQ(t->plain[i], want[i] * (i + 1));
        }
    }
    team_free(m);
    free(t);
}

TEST(one_thread_runs_every_item_once) { rounds(1); }
TEST(two_threads_run_every_item_once) { rounds(2); }
TEST(three_threads_run_every_item_once) { rounds(3); }
TEST(more_threads_than_cores_run_every_item_once) { rounds(16); }

/* ---- Waiting ---- */

enum { MS = 1000000 };

/* What all threads of the process ran, in nanoseconds. */
static uint64_t ran(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void pause_ms(unsigned ms)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)ms * MS}, NULL);
}

static void nothing(void *arg, unsigned i)
{
    (void)arg;
    (void)i;
}

TEST(members_without_work_take_no_core)
{
    team *m = team_new(3, NULL);
    uint64_t before;

    CHECK(m);
    team_run(m, nothing, NULL, 100, false);
    before = ran();
    pause_ms(200);
    CHECK(ran() - before < 50 * MS);
    team_free(m);
}

static void pause_here(void *arg, unsigned i)
{
    (void)arg;
    pause_ms(100 * i);
}

TEST(who_waits_for_the_last_item_takes_no_core)
{
    team *m = team_new(2, NULL);
    uint64_t before = ran();

    CHECK(m);
    team_run(m, pause_here, NULL, 3, false); /* of 0, 100 and 200 ms */
    CHECK(ran() - before < 50 * MS);
    team_free(m);
}

static void some_work(void *arg, unsigned i)
{
    atomic_uint *sum = arg;

    for (unsigned k = 0; k < 500; k++)
        atomic_fetch_add(sum, i);
}

/* The time that `threads` take on the cores for short rounds. */
static uint64_t short_rounds(unsigned threads)
{
    team *m = team_new(threads, NULL);
    uint64_t before = ran();
    atomic_uint sum = 0;

    CHECK(m);
    for (unsigned r = 0; r < 2000; r++)
        team_run(m, some_work, &sum, 8, false);
    before = ran() - before;
    team_free(m);
    return before;
}

/* Where there is no core for a member, the caller does the work and waits for
 * nobody. */
TEST(threads_that_share_a_core_do_not_wait_for_each_other)
{
    cpu_set_t all, one;
    unsigned core = 0;

    CHECK(!sched_getaffinity(0, sizeof all, &all));
    while (!CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    CHECK(!sched_setaffinity(0, sizeof one, &one));
    CHECK(short_rounds(4) < 3 * short_rounds(1));
    CHECK(!sched_setaffinity(0, sizeof all, &all));
}

/* Every item waits until all have begun, which only works if as many threads
 * as items take part. */
static void meet(void *arg, unsigned i)
{
    atomic_uint *begun = arg;

    (void)i;
    atomic_fetch_add(begun, 1);
    while (atomic_load(begun) < 4)
        ;
}

TEST(all_threads_take_part)
{
    team *m = team_new(4, NULL);
    atomic_uint begun = 0;

    CHECK(m);
    team_run(m, meet, &begun, 4, false);
    CHECK_EQ(atomic_load(&begun), 4);
    team_free(m);
}

/* Two items for each of four threads: the first of each share waits until the
 * first of all have begun, so that nobody takes from another's. */
typedef struct sharing {
    atomic_uint begun;
    pthread_t by[8];
} sharing;

static void note_thread(void *arg, unsigned i)
{
    sharing *s = arg;

    s->by[i] = pthread_self();
    if (i % 2)
        return;
    atomic_fetch_add(&s->begun, 1);
    while (atomic_load(&s->begun) < 4)
        ;
}

TEST(threads_do_the_same_items_each_time)
{
    team *m = team_new(4, NULL);
    sharing first = {.begun = 0};

    CHECK(m);
    team_run(m, note_thread, &first, 8, false);
    CHECK(pthread_equal(first.by[0], pthread_self()));
    for (unsigned r = 0; r < 20; r++) {
        sharing s = {.begun = 0};

        team_run(m, note_thread, &s, 8, r % 2);
        for (unsigned i = 0; i < 8; i += 2)
            CHECK(pthread_equal(s.by[i], first.by[i]));
    }
    team_free(m);
}

typedef struct sequence {
    unsigned at[ITEMS], count;
} sequence;

static void note_item(void *arg, unsigned i)
{
    sequence *s = arg;

    s->at[s->count++] = i;
}

TEST(a_caller_alone_goes_forwards_or_backwards)
{
    team *m = team_new(1, NULL);
    sequence there = {.count = 0}, back = {.count = 0};

    team_run(m, note_item, &there, 5, false);
    team_run(m, note_item, &back, 5, true);
    CHECK_EQ(there.count, 5);
    CHECK_EQ(back.count, 5);
    for (unsigned i = 0; i < 5; i++) {
        CHECK_EQ(there.at[i], i);
        CHECK_EQ(back.at[i], 4 - i);
    }
    team_free(m);
}

TEST(a_team_without_work_can_be_freed)
{
    team *m = team_new(3, NULL);

    CHECK(m);
    team_free(m);
    team_free(NULL);
}
