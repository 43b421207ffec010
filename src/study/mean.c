/* src/study/mean.c - see mean.h. */
#include "study/mean.h"

#include <math.h>

mean mean_of(const double *x, size_t n)
{
    mean m = {n, NAN, NAN, NAN, NAN, 0, 0};
    double sum = 0, squares = 0;

    if (!n)
        return m;
    for (size_t i = 0; i < n; i++) {
        sum += log(x[i]);
        m.at_least = x[i] < x[m.at_least] ? i : m.at_least;
        m.at_most = x[i] > x[m.at_most] ? i : m.at_most;
    }
    sum /= (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (log(x[i]) - sum) * (log(x[i]) - sum);
    m.geometric = exp(sum);
    m.least = x[m.at_least];
    m.most = x[m.at_most];
    if (n > 1)
        m.spread = exp(sqrt(squares / (double)(n - 1)));
    return m;
}
