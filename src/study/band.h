/* src/study/band.h - where the mean of ratios is with 95 % confidence. */
#ifndef STUDY_BAND_H
#define STUDY_BAND_H

#include <stdbool.h>
#include <stddef.h>

/* Ratios as draws of one that is log-normal. */
typedef struct band {
    size_t draws;     /* ratios that it comes from; fewer than 2: no band */
    double mean;      /* of them, geometric; NAN of none */
    double low, high; /* where that mean is with 95 % confidence; NAN: none */
} band;

/* Of ratios above 0: exp(m -+ t s / sqrt(n)), m and s mean and standard
 * deviation of their logarithms, t Student's of n - 1 degrees of freedom. */
band band_of(const double *ratios, size_t count);
/* Is 1 outside of it? False without one. */
bool band_is_beyond(const band *b);
/* Student's t that 2.5 % exceed; `freedom` from 1 on. */
double band_student_t(size_t freedom);

#endif
