/* tests/unit/cache/test_l1_random.c - what holds of an L1 for any cache, any
 * surroundings and any requests. HEDDLE_POINTS=1000 in the environment makes
 * it try more of them. */
#include "l1_random.h"

static unsigned points(unsigned few)
{
    const char *more = getenv("HEDDLE_POINTS");

    return more ? (unsigned)strtoul(more, NULL, 10) : few;
}

static const char *as_the_model(const point *p)
{
    return point_watch(p).broken;
}

TEST(in_every_cycle_it_does_what_the_model_does)
{
    for (unsigned seed = 0; seed < points(40); seed++)
        point_holds(as_the_model, seed, 300);
}

/* Nothing but time is saved where nothing happens. */
static const char *skipping(const point *p)
{
    outcome slow = point_run(p, false, false);

    for (unsigned how = 1; how < 4; how++) {
        outcome fast = point_run(p, how & 1, how & 2);

        if (slow.broken || fast.broken)
            return slow.broken ? slow.broken : fast.broken;
        if (slow.replies != fast.replies)
            return "skipping or the order of the neighbours moves a reply";
        if (slow.stats != fast.stats)
            return "skipping or the order of the neighbours moves a counter";
    }
    return NULL;
}

TEST(skipping_and_the_order_of_neighbours_change_nothing)
{
    for (unsigned seed = 0; seed < points(40); seed++)
        point_holds(skipping, 5000 + seed, 300);
}
