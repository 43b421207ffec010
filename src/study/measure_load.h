/* src/study/measure_load.h - runs from results files, as if they had just
 * ended.
 */
#ifndef STUDY_MEASURE_LOAD_H
#define STUDY_MEASURE_LOAD_H

#include "store/store.h"
#include "study/measure.h"

/* Fills in *out, texts in `mem`, from the run of that number on a machine of
 * that configuration; *whole: its standard output was kept to the end. False:
 * it is not there, or the file is damaged, which is then an error in `dg`. Bins
 * of histograms are no counters of it. */
bool measure_load(store *s, int64_t run, const config *cfg, arena *mem,
                  diag *dg, measure_run *out, bool *whole);

/* The number of the run of that id; 0: none. */
int64_t measure_find(store *s, const char *id, diag *dg);

#endif
