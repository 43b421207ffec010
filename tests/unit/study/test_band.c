#include <math.h>

#include "study/band.h"
#include "test.h"

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

/* ln 1, ln e^0.2: mean 0.1, deviation 0.1 sqrt 2, t of one degree 12.706; the
 * half is 12.706 * 0.1 sqrt 2 / sqrt 2. */
TEST(bands_by_students_t)
{
    const double two[] = {1, exp(0.2)}, same[] = {1.5, 1.5, 1.5};
    band b = band_of(two, 2);

    CHECK_EQ(b.draws, 2);
    CHECK(near(log(b.mean), 0.1));
    CHECK(near(log(b.low), 0.1 - 1.2706) && near(log(b.high), 0.1 + 1.2706));
    CHECK(!band_is_beyond(&b));
    b = band_of(same, 3);
    CHECK(near(b.low, 1.5) && near(b.high, 1.5) && band_is_beyond(&b));
    b = band_of(two, 1);
    CHECK(b.draws == 1 && isnan(b.low) && !band_is_beyond(&b));
    /* 40 degrees: 2.021 in the tables. */
    double many[41];

    for (int i = 0; i < 41; i++)
        many[i] = exp(i % 2 ? 1 : -1);
    b = band_of(many, 41);
    CHECK(fabs(log(b.high / b.mean) * sqrt(41) / 1.0123 - 2.021) < 0.003);
}
