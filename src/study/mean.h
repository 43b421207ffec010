/* src/study/mean.h - what many ratios are together. */
#ifndef STUDY_MEAN_H
#define STUDY_MEAN_H

#include <stddef.h>

/* Of ratios x_1 ... x_n, all above 0. */
typedef struct mean {
    size_t count;
    double geometric; /* exp(sum(ln x_i) / n); NAN of none */
    /* exp(sqrt(sum((ln x_i - ln geometric)^2) / (n - 1))), the geometric
     * standard deviation, a factor from 1 on; NAN of less than two. */
    double spread;
    double least, most;       /* NAN of none */
    size_t at_least, at_most; /* their indices */
} mean;

mean mean_of(const double *ratios, size_t count);

#endif
