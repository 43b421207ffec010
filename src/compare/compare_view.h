/* src/compare/compare_view.h - a comparison as its view (study/view.h) has it:
 * values of each workload on each side, and of all workloads together. */
#ifndef COMPARE_COMPARE_VIEW_H
#define COMPARE_COMPARE_VIEW_H

#include "compare/compare.h"

/* Is there anything to show? */
bool compare_view_any(const compare *c);

/* The workload counts on each side. */
bool compare_view_counts(const compare *c, const compare_workload *w);

/* Of values of one side: the sum of the parts. */
double compare_view_whole(const compare *c, const double *values);
/* Item `i` as it is shown: a part over the base's whole, a figure as it is;
 * NAN: there is no value. */
double compare_view_shown(const compare *c, const double *base,
                          const double *values, size_t i);
/* The sum of the parts over that of the base; NAN: of nothing. */
double compare_view_whole_shown(const compare *c, const double *base,
                                const double *values);
/* Mean of what is shown for the workloads that count and whose base has any of
 * the whole; *n, if not NULL, is how many these are. */
double compare_view_mean(const compare *c, size_t s, size_t i, size_t *n);

/* For compare_finish: fills in compare_workload.view, compare.view_all. */
void compare_view_finish(compare *c);

/* Appends tables for people: compare_text. */
void compare_view_text(const compare *c, int width, int name, FILE *to);

#endif
