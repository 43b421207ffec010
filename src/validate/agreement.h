/* src/validate/agreement.h - how well numbers agree with what was measured. */
#ifndef VALIDATE_AGREEMENT_H
#define VALIDATE_AGREEMENT_H

#include <stddef.h>

/* Of pairs (ours, theirs), theirs above 0. What cannot be told is NAN. */
typedef struct agreement {
    size_t count;
    double mape;   /* mean of |ours / theirs - 1| */
    double median; /* of the same; of an even number the middle two's mean */
    double correlation; /* Pearson's, of logarithms; of three pairs at least */
    double geomean;     /* geometric mean of ours / theirs */
    size_t worst;       /* index of the largest error */
} agreement;

/* Logarithms are of the pairs whose `ours` is above 0. */
agreement agreement_of(const double *ours, const double *theirs, size_t count);

#endif
