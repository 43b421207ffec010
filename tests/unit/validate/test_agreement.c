/* tests/unit/validate/test_agreement.c - errors and what they are together, of
 * numbers whose sums were made by hand. */
#include "validate/agreement.h"

#include <math.h>

#include "test.h"

#define CHECK_NEAR(got, want)                                                  \
    do {                                                                       \
        double got_ = (got), want_ = (want);                                   \
        if (!(fabs(got_ - want_) < 1e-9))                                      \
            TEST_FAIL("%s is %.12g, not %.12g", #got, got_, want_);            \
    } while (0)

TEST(errors_of_three)
{
    /* +10 %, -20 %, +50 %. */
    const double ours[] = {110, 80, 300}, theirs[] = {100, 100, 200};
    agreement a = agreement_of(ours, theirs, 3);

    CHECK_EQ(a.count, 3);
    CHECK_NEAR(a.mape, 0.8 / 3);
    CHECK_NEAR(a.median, 0.2);
    CHECK_NEAR(a.geomean, cbrt(1.1 * 0.8 * 1.5));
    CHECK_EQ(a.worst, 2);
}

TEST(median_of_an_even_number)
{
    const double ours[] = {110, 140, 130, 120}, theirs[] = {100, 100, 100, 100};

    CHECK_NEAR(agreement_of(ours, theirs, 4).median, 0.25);
    CHECK_EQ(agreement_of(ours, theirs, 4).worst, 1);
}

/* Twice as much everywhere is a perfect correlation, and a mean of 2. */
TEST(correlation_of_logarithms)
{
    const double ours[] = {2, 20, 2000}, theirs[] = {1, 10, 1000};
    const double e = exp(1), x[] = {1, e, e * e}, y[] = {1, e * e, e};
    const double down[] = {8, 4, 2};

    CHECK_NEAR(agreement_of(ours, theirs, 3).correlation, 1);
    CHECK_NEAR(agreement_of(ours, theirs, 3).geomean, 2);
    /* Logarithms 0 1 2 and 0 2 1: 1 / sqrt(2 * 2). */
    CHECK_NEAR(agreement_of(y, x, 3).correlation, 0.5);
    CHECK(agreement_of(down, theirs, 3).correlation < -0.9);
}

TEST(what_cannot_be_told)
{
    const double ours[] = {0, 10, 20}, theirs[] = {5, 10, 10};
    agreement none = agreement_of(ours, theirs, 0);
    agreement two = agreement_of(ours, theirs, 3);
    const double same[] = {7, 7, 7};

    CHECK(!none.count && isnan(none.mape) && isnan(none.median) &&
          isnan(none.correlation) && isnan(none.geomean));
    /* 0 has no logarithm; two pairs always lie on a line. */
    CHECK_NEAR(two.mape, 2.0 / 3);
    CHECK_NEAR(two.geomean, sqrt(2));
    CHECK(isnan(two.correlation));
    CHECK(isnan(agreement_of(same, same, 3).correlation));
}
