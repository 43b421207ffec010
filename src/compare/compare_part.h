/* src/compare/compare_part.h - the part of a machine that a comparison is about
 * (compare.part): what it spends, stores and compares on each side, and which
 * sides are beaten in nothing. */
#ifndef COMPARE_COMPARE_PART_H
#define COMPARE_COMPARE_PART_H

#include "compare/compare.h"

typedef struct compare_part_side {
    mean energy;   /* of workloads that count: over the base's; of none: the
                      base spends nothing, or it must not be averaged */
    uint64_t fj;   /* sum of these workloads */
    double share;  /* in all that the side spends on them; NAN: of nothing */
    bool exists;   /* false: a bound, or its structures have no rows */
    uint64_t bits; /* stored, of the whole chip */
    uint64_t compared; /* in a cycle */
    bool front;        /* beaten by none in speed, this energy and these bits */
} compare_part_side;

/* Of one workload, over the base's; NAN: unknown. */
double compare_part_ratio(const compare *c, const compare_workload *w,
                          size_t s);
/* Appends a table for people; nothing if it is about no part. */
void compare_part_text(const compare *c, FILE *to);
/* Of each side, in the comparison's arena; NULL: it is about no part. */
const compare_part_side *compare_part_sides(const compare *c);

#endif
