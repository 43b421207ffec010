/* src/lookout/history.c: a chart of any number of looks. */
#include <math.h>

#include "lookout/lookout_impl.h"
#include "test.h"

static void add(lookout_history *h, uint64_t to, uint64_t cycles, double x)
{
    lookout_point p = {.to = to, .cycles = cycles, .issued = x};

    for (unsigned i = 0; i < LEVELS; i++)
        p.level[i] = x / 2;
    lookout_history_add(h, &p);
}

static unsigned points(const lookout_history *h)
{
    return h->count + (h->held > 0);
}

TEST(few_looks_are_points_of_their_own)
{
    lookout_history h = {.count = 0};

    for (uint64_t i = 1; i <= LOOKOUT_POINTS; i++)
        add(&h, 10 * i, 10, (double)i);
    CHECK_EQ(points(&h), LOOKOUT_POINTS);
    for (unsigned i = 0; i < LOOKOUT_POINTS; i++) {
        CHECK_EQ(lookout_history_at(&h, i)->to, 10 * (i + 1));
        CHECK(lookout_history_at(&h, i)->issued == i + 1);
        CHECK(lookout_history_at(&h, i)->level[0] == (i + 1) / 2.);
    }
}

/* Whatever their number, cycles and what went on in them are all there. */
TEST(many_looks_keep_cycles_and_means)
{
    for (unsigned n = 1; n < 5000; n = n * 3 + 1) {
        lookout_history h = {.count = 0};
        uint64_t cycles = 0, told = 0;
        double sum = 0, got = 0;

        for (unsigned i = 0; i < n; i++) {
            uint64_t c = 1 + i * 7 % 13;
            double x = i % 5 / 4.;

            cycles += c;
            sum += x * (double)c;
            add(&h, cycles, c, x);
        }
        CHECK(points(&h) <= LOOKOUT_POINTS + 1);
        CHECK(points(&h) >= (n < LOOKOUT_POINTS ? n : LOOKOUT_POINTS / 2));
        for (unsigned i = 0; i < points(&h); i++) {
            const lookout_point *p = lookout_history_at(&h, i);

            told += p->cycles;
            got += p->issued * (double)p->cycles;
            CHECK_EQ(p->to, told);
        }
        CHECK_EQ(told, cycles);
        CHECK(fabs(got - sum) < 1e-6 * (1 + sum));
    }
}
