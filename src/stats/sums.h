/* src/stats/sums.h - several launches as one: the rows of sums.def as members.
 * Plain data. */
#ifndef STATS_SUMS_H
#define STATS_SUMS_H

#include "stats/outcome.h"

typedef struct launch_sums {
#include "stats/sums.inc"
} launch_sums;

#endif
