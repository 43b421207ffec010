/* tests/unit/study/test_nsga.c - ranks and crowding by hand; fronts of small
 * spaces that are known. */
#include "study/nsga.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/pareto.h"
#include "test.h"

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

/* ---- Parts ---- */

TEST(ranks_peel_fronts_off)
{
    static const double x[] = {1, 4, 2, 2, 4, 1, 3, 3, 5, 5, NAN, 0, 2, 2};
    size_t rank[7];

    nsga_rank(x, 2, 7, rank);
    CHECK_EQ(rank[0], 0);
    CHECK_EQ(rank[1], 0);
    CHECK_EQ(rank[2], 0);
    CHECK_EQ(rank[3], 1); /* behind (2, 2) */
    CHECK_EQ(rank[4], 2);
    CHECK_EQ(rank[5], 3); /* what failed is behind all */
    CHECK_EQ(rank[6], 0); /* equal to another */
}

/* Of (0, 10), (1, 5), (4, 4), (10, 0): ends have no bound; (1, 5) has
 * (4 - 0) / 10 + (10 - 4) / 10, (4, 4) has (10 - 1) / 10 + (5 - 0) / 10. */
TEST(crowding_is_the_sum_over_goals)
{
    static const double x[] = {4, 4, 0, 10, 10, 0, 1, 5};
    static const size_t all[] = {0, 1, 2, 3};
    double d[4];

    nsga_crowding(x, 2, all, 4, d);
    CHECK(near(d[0], 1.4));
    CHECK(d[1] == HUGE_VAL && d[2] == HUGE_VAL);
    CHECK(near(d[3], 1.0));
    nsga_crowding(x, 2, all + 1, 1, d);
    CHECK(d[0] == 0); /* no range, no neighbour */
}

/* ---- Searches ---- */

enum { AXES_MOST = 8 };

typedef void worth(const size_t *at, double *goals);

typedef struct problem {
    size_t values[AXES_MOST];
    bool ordered[AXES_MOST];
    nsga_space space;
    worth *worth;
} problem;

static void make(problem *p, size_t axes, size_t values, size_t goals, worth *w)
{
    for (size_t i = 0; i < axes; i++) {
        p->values[i] = values;
        p->ordered[i] = true;
    }
    p->space = (nsga_space){.values = p->values,
                            .ordered = p->ordered,
                            .axes = axes,
                            .goals = goals};
    p->worth = w;
}

/* Asks and tells until `most` are known. Returns how many it took. */
static size_t search(const problem *p, nsga *n, size_t most)
{
    double goals[PARETO_GOALS];

    while (nsga_count(n) < most) {
        size_t before = nsga_count(n);

        if (!nsga_ask(n, most - before))
            break;
        for (size_t i = before; i < nsga_count(n); i++) {
            p->worth(nsga_place(n, i), goals);
            nsga_tell(n, i, goals);
        }
    }
    return nsga_count(n);
}

static uint64_t key_of(const problem *p, const size_t *at)
{
    uint64_t key = 0;

    for (size_t i = 0; i < p->space.axes; i++)
        key = key * p->values[i] + at[i];
    return key;
}

/* Which of all places are on the front; the caller frees it. */
static bool *true_front(const problem *p, size_t *size, size_t *count)
{
    size_t all = 1, at[AXES_MOST];
    double *x;
    bool *on;

    for (size_t i = 0; i < p->space.axes; i++)
        all *= p->values[i];
    x = calloc(all, p->space.goals * sizeof *x);
    on = calloc(all, sizeof *on);
    CHECK(x && on);
    for (size_t k = 0; k < all; k++) {
        size_t rest = k;

        for (size_t i = p->space.axes; i-- > 0; rest /= p->values[i])
            at[i] = rest % p->values[i];
        p->worth(at, &x[k * p->space.goals]);
    }
    *size = pareto_front(x, p->space.goals, all, on);
    *count = all;
    free(x);
    return on;
}

/* How many it asked for until the whole front was among them; all of the space
 * if it never was. */
static size_t until_found(const problem *p, uint64_t seed, bool random)
{
    size_t size, all, left, last = 0;
    bool *on = true_front(p, &size, &all);
    nsga *n = nsga_new(&p->space, &(nsga_options){seed, 20, random}, NULL);

    left = size;
    search(p, n, all);
    for (size_t i = 0; i < nsga_count(n) && left; i++)
        if (on[key_of(p, nsga_place(n, i))]) {
            left--;
            last = i + 1;
        }
    free(on);
    nsga_free(n);
    return left ? all : last;
}

/* ZDT1 of Zitzler, Deb and Thiele on a grid: the front is where all but the
 * first axis are 0. */
static void zdt1(const size_t *at, double *goals)
{
    double f = (double)at[0] / 15, g = 1;

    for (size_t i = 1; i < 3; i++)
        g += 9 * (double)at[i] / 15 / 2;
    goals[0] = f;
    goals[1] = g * (1 - sqrt(f / g));
}

/* Three goals, and axes that are not alike next to each other. */
static void three(const size_t *at, double *goals)
{
    static const double cost[] = {5, 1, 4, 0, 3, 2};

    goals[0] = cost[at[0]] + cost[at[1]] + cost[at[2]] + cost[at[3]];
    goals[1] = (double)(at[0] * at[0] + at[1]);
    goals[2] = (double)(at[2] + 2 * at[3]);
}

/* Mean over eight seeds against that of random draws, which need nearly all of
 * the space for the last member of a front of 16 out of 4096. */
TEST(the_front_of_a_grid_is_found_in_a_part_of_it)
{
    problem p;
    double found = 0, drawn = 0;

    make(&p, 3, 16, 2, zdt1);
    for (uint64_t seed = 1; seed <= 8; seed++) {
        found += (double)until_found(&p, seed, false) / 8;
        drawn += (double)until_found(&p, seed, true) / 8;
    }
    CHECK(found < 1024);
    CHECK(drawn > 3500);
}

TEST(three_goals_without_neighbours)
{
    problem p;
    double found = 0, drawn = 0;

    make(&p, 4, 6, 3, three);
    memset(p.ordered, 0, sizeof p.ordered);
    for (uint64_t seed = 1; seed <= 8; seed++) {
        found += (double)until_found(&p, seed, false) / 8;
        drawn += (double)until_found(&p, seed, true) / 8;
    }
    CHECK(found < 0.8 * drawn);
}

/* Each place once, and in the end all of them: 81, also if there are more to be
 * asked for. */
TEST(a_small_space_is_asked_for_whole)
{
    problem p;

    make(&p, 4, 3, 3, three);
    for (unsigned random = 0; random < 2; random++) {
        nsga *n = nsga_new(&p.space, &(nsga_options){3, 10, random}, NULL);
        bool seen[81] = {false};

        CHECK_EQ(search(&p, n, 1000), 81);
        for (size_t i = 0; i < 81; i++) {
            uint64_t key = key_of(&p, nsga_place(n, i));

            CHECK(!seen[key]);
            seen[key] = true;
        }
        nsga_free(n);
    }
}

/* The same seed asks for the same, a larger budget for the same first, another
 * seed for others. */
TEST(the_seed_decides_and_a_budget_only_ends)
{
    problem p;
    nsga *n[3];
    const uint64_t seeds[] = {5, 5, 6};
    const size_t most[] = {200, 93, 200};
    size_t same = 0;

    make(&p, 3, 16, 2, zdt1);
    for (unsigned i = 0; i < 3; i++) {
        n[i] = nsga_new(&p.space, &(nsga_options){seeds[i], 20, false}, NULL);
        CHECK_EQ(search(&p, n[i], most[i]), most[i]);
    }
    for (size_t i = 0; i < 93; i++)
        CHECK_EQ(key_of(&p, nsga_place(n[0], i)),
                 key_of(&p, nsga_place(n[1], i)));
    for (size_t i = 0; i < 200; i++)
        same +=
            key_of(&p, nsga_place(n[0], i)) == key_of(&p, nsga_place(n[2], i));
    CHECK(same < 20);
    for (unsigned i = 0; i < 3; i++)
        nsga_free(n[i]);
}

static bool is_even(void *arg, const size_t *at)
{
    (void)arg;
    return (at[0] + at[1] + at[2]) % 2 == 0;
}

static void half_fail(const size_t *at, double *goals)
{
    zdt1(at, goals);
    if (at[0] % 2)
        goals[1] = NAN;
}

/* What may not be is not asked for; what fails is on no front, and its children
 * do not take over. */
TEST(places_that_may_not_be_or_fail)
{
    problem p;
    bool on[300];
    size_t count, failed = 0;
    nsga *n;

    make(&p, 3, 16, 2, half_fail);
    p.space.allowed = is_even;
    n = nsga_new(&p.space, &(nsga_options){1, 20, false},
                 (const size_t[]){2, 4, 6});
    CHECK_EQ(search(&p, n, 300), 300);
    CHECK_EQ(key_of(&p, nsga_place(n, 0)), (2 * 16 + 4) * 16 + 6);
    count = nsga_front(n, on);
    CHECK(count > 0);
    for (size_t i = 0; i < 300; i++) {
        const size_t *at = nsga_place(n, i);

        CHECK(is_even(NULL, at));
        CHECK(!(on[i] && at[0] % 2));
        failed += i >= 150 && at[0] % 2;
    }
    CHECK(failed < 75); /* of 150, half of which fail if drawn */
    nsga_free(n);
}
