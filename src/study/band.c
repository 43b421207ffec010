/* src/study/band.c - see band.h. */
#include "study/band.h"

#include <math.h>

#include "study/mean.h"

enum { TABLE = 20 };

/* From 21 degrees of freedom on by a term in 1 / n that is off by less than
 * 0.003. */
double band_student_t(size_t freedom)
{
    static const double t[TABLE] = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};

    return freedom <= TABLE ? t[freedom - 1] : 1.960 + 2.52 / (double)freedom;
}

band band_of(const double *ratios, size_t count)
{
    mean m = mean_of(ratios, count);
    band b = {count, m.geometric, NAN, NAN};
    double half;

    if (count < 2)
        return b;
    half = band_student_t(count - 1) * log(m.spread) / sqrt((double)count);
    b.low = exp(log(m.geometric) - half);
    b.high = exp(log(m.geometric) + half);
    return b;
}

bool band_is_beyond(const band *b)
{
    return b->draws > 1 && (b->low > 1 || b->high < 1);
}
