#include "gpu/team.h"

#include <stdatomic.h>

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

        team_run(m, count, t, n);
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
    team_run(m, meet, &begun, 4);
    CHECK_EQ(atomic_load(&begun), 4);
    team_free(m);
}

TEST(a_team_without_work_can_be_freed)
{
    team *m = team_new(3, NULL);

    CHECK(m);
    team_free(m);
    team_free(NULL);
}
