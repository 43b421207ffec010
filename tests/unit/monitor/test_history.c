/* src/monitor/history.c: a chart of any number of looks. */
#include <math.h>

#include "monitor/impl.h"
#include "test.h"

static void add(monitor_history *h, uint64_t to, uint64_t cycles, double x)
{
    monitor_point p = {.to = to, .cycles = cycles, .issued = x};

    for (unsigned i = 0; i < LEVELS; i++)
        p.level[i] = x / 2;
    monitor_history_add(h, &p);
}

static unsigned points(const monitor_history *h)
{
    return h->count + (h->held > 0);
}

TEST(few_looks_are_points_of_their_own)
{
    monitor_history h = {.count = 0};

    for (uint64_t i = 1; i <= MONITOR_POINTS; i++)
        add(&h, 10 * i, 10, (double)i);
    CHECK_EQ(points(&h), MONITOR_POINTS);
    for (unsigned i = 0; i < MONITOR_POINTS; i++) {
        CHECK_EQ(monitor_history_at(&h, i)->to, 10 * (i + 1));
        CHECK(monitor_history_at(&h, i)->issued == i + 1);
        CHECK(monitor_history_at(&h, i)->level[0] == (i + 1) / 2.);
    }
}

/* Whatever their number, cycles and what went on in them are all there. */
TEST(many_looks_keep_cycles_and_means)
{
    for (unsigned n = 1; n < 5000; n = n * 3 + 1) {
        monitor_history h = {.count = 0};
        uint64_t cycles = 0, told = 0;
        double sum = 0, got = 0;

        for (unsigned i = 0; i < n; i++) {
            uint64_t c = 1 + i * 7 % 13;
            double x = i % 5 / 4.;

            cycles += c;
            sum += x * (double)c;
            add(&h, cycles, c, x);
        }
        CHECK(points(&h) <= MONITOR_POINTS + 1);
        CHECK(points(&h) >= (n < MONITOR_POINTS ? n : MONITOR_POINTS / 2));
        for (unsigned i = 0; i < points(&h); i++) {
            const monitor_point *p = monitor_history_at(&h, i);

            told += p->cycles;
            got += p->issued * (double)p->cycles;
            CHECK_EQ(p->to, told);
        }
        CHECK_EQ(told, cycles);
        CHECK(fabs(got - sum) < 1e-6 * (1 + sum));
    }
}
