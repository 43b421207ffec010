/* tests/unit/study/test_mean.c - geometric mean and deviation. */
#include "study/mean.h"

#include <math.h>

#include "test.h"

static bool near(double a, double b) { return fabs(a - b) < 1e-12; }

/* ln 2 and -ln 2: the mean is 0, the deviation sqrt(2) ln 2, which is a factor
 * of 2^1.41421356... = 2.66514414... */
TEST(of_two)
{
    mean m = mean_of((double[]){2, 0.5}, 2);

    CHECK_EQ(m.count, 2);
    CHECK(near(m.geometric, 1));
    CHECK(near(m.spread, 2.665144142690225));
    CHECK(m.least == 0.5 && m.at_least == 1);
    CHECK(m.most == 2 && m.at_most == 0);
}

/* 1 * 2 * 4 = 8, whose cube root is 2; logarithms are -1, 0, 1 times ln 2 away
 * from that: the deviation is ln 2, a factor of 2. */
TEST(of_three)
{
    mean m = mean_of((double[]){1, 2, 4}, 3);

    CHECK(near(m.geometric, 2));
    CHECK(near(m.spread, 2));
}

/* Equal sides must say so to the last bit. */
TEST(of_ones)
{
    mean m = mean_of((double[]){1, 1, 1, 1, 1, 1, 1}, 7);

    CHECK(m.geometric == 1);
    CHECK(m.spread == 1);
    CHECK(m.least == 1 && m.most == 1);
}

TEST(of_few)
{
    mean none = mean_of(NULL, 0), one = mean_of((double[]){3}, 1);

    CHECK(isnan(none.geometric) && isnan(none.spread) && isnan(none.least));
    CHECK(near(one.geometric, 3) && isnan(one.spread));
}
