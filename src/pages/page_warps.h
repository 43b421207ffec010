/* src/pages/page_warps.h - which SM held how many warps when, from the samples
 * of runs kept in a results file (--occupancy), as a map. */
#ifndef PAGES_PAGE_WARPS_H
#define PAGES_PAGE_WARPS_H

#include "page/chart/chart.h"
#include "pages/page_run.h"

/* A run on one of its devices. */
typedef struct warps_of {
    int64_t run, device;
    bool in_us; /* time is simulated microseconds, not cycles */
} warps_of;

/* Cycles or microseconds until the last sample. 0: nothing was sampled. */
double page_warps_end(const page_study *y, const warps_of *of);
/* SMs that the GPU has, and warps that one can hold. */
size_t page_warps_sms(const page_study *y, const warps_of *of);
double page_warps_most(const page_study *y, const warps_of *of);

/* Warps of each SM in each of so many columns up to `end`, row by row; in
 * y->mem. */
const double *page_warps_read(const page_study *y, const warps_of *of,
                              size_t sms, size_t columns, double end);

enum { WARPS_COLUMNS = 240 };

/* All runs of a study that have samples. */
void page_run_warps(page *p, const page_study *y);

#endif
