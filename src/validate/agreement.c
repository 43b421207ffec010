/* src/validate/agreement.c - see agreement.h. */
#include "validate/agreement.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts them. */
static double median_of(double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_size);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Means first, so that sums of squares lose no digits. */
static void take_logarithms(agreement *to, const double *ours,
                            const double *theirs, size_t count)
{
    double x_mean = 0, y_mean = 0, xx = 0, yy = 0, xy = 0;
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (ours[i] > 0) {
            x_mean += log(theirs[i]);
            y_mean += log(ours[i]);
            n++;
        }
    if (!n)
        return;
    x_mean /= (double)n;
    y_mean /= (double)n;
    to->geomean = exp(y_mean - x_mean);
    for (size_t i = 0; i < count; i++)
        if (ours[i] > 0) {
            double x = log(theirs[i]) - x_mean, y = log(ours[i]) - y_mean;

            xx += x * x;
            yy += y * y;
            xy += x * y;
        }
    if (n > 2 && xx > 0 && yy > 0)
        to->correlation = xy / sqrt(xx * yy);
}

agreement agreement_of(const double *ours, const double *theirs, size_t count)
{
    agreement a = {count, NAN, NAN, NAN, NAN, 0};
    double *errors;

    if (!count)
        return a;
    errors = new_array(count, sizeof *errors);
    a.mape = 0;
    for (size_t i = 0; i < count; i++) {
        errors[i] = fabs(ours[i] / theirs[i] - 1);
        a.mape += errors[i] / (double)count;
        if (errors[i] > errors[a.worst])
            a.worst = i;
    }
    a.median = median_of(errors, count);
    free(errors);
    take_logarithms(&a, ours, theirs, count);
    return a;
}
