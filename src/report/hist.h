/* src/report/hist.h - the histograms of a launch: a table for people, lists for
 * programs. */
#ifndef REPORT_HIST_H
#define REPORT_HIST_H

#include "report/run.h"
#include "text/json.h"

/* The bin in which `percent` of all counts are reached; 0 of nothing. */
size_t hist_quantile(const uint64_t *counts, size_t bins, unsigned percent);

/* A line for each histogram that is not empty; narrow: of 80 columns, without
 * its shape. */
void hist_text(const report_launch *l, bool narrow, FILE *to);
/* "histograms": an object of all of them, by name. */
void hist_json(json *j, const report_launch *l);

#endif
