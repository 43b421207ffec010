/* src/page/chart/scale.h - where on an axis a value lies, and where its ticks
 * are. Plain data. */
#ifndef PAGE_CHART_SCALE_H
#define PAGE_CHART_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "text/word.h"

enum { SCALE_TICKS = 16 };

typedef struct scale {
    double low, high; /* low < high; log: both above 0 */
    bool log;
    double ticks[SCALE_TICKS];
    size_t count;
} scale;

/* From 0, or from the lowest value if that is below, to a round number. */
scale scale_linear(const double *values, size_t count);
/* Between round numbers around the values, 0 only if it is near. */
scale scale_tight(const double *values, size_t count);
/* Ratios: logarithmic, with 1 on it. Values that are not above 0 and NANs are
 * left out. */
scale scale_ratio(const double *values, size_t count);

/* From a round number to another, logarithmic, with room around the values;
 * those that are not above 0 are left out. Ticks are powers of ten, of few of
 * them also 2 and 5 times these. */
scale scale_log(const double *values, size_t count);

/* In percent from 0 to 100. */
double scale_at(const scale *s, double value);
/* A tick, with as many digits as its distance from the others needs. */
word scale_tick(const scale *s, size_t i);

#endif
