/* src/compare/compare_runs.h - the runs of comparisons on one GPU or several as
 * one list, and what each of them is made of, so that a result that is known
 * already stands in for it. */
#ifndef COMPARE_COMPARE_RUNS_H
#define COMPARE_COMPARE_RUNS_H

#include "compare/compare_store.h"
#include "study/point_id.h"

/* In the order GPUs, workloads, sides. */
size_t compare_run_count(const compare *list, size_t gpus);
compare_place compare_place_of(const compare *list, size_t i);
measure_run *compare_run_at(const compare *list, compare_place at);
/* The number of the run of a workload of a comparison on one of its sides. */
size_t compare_run_number(const compare *list, size_t gpus,
                          const measure_side *side, const workload *w);

/* An id for each run: "" where its results cannot be known from what it is.
 * Sides that are equal are simulated apart: whether a program does the same
 * twice is seen only then. `driver` is the path of the OpenCL driver. */
void compare_identify(const compare *list, size_t gpus, const char *driver,
                      char (*ids)[POINT_ID_SIZE]);

/* Fills in a run from a results file that has one of that id, passed and whole.
 * False: it has not. */
bool compare_run_load(compare *list, compare_place at, const char *path,
                      const char *id, diag *dg);

/* All runs of workload `w`, which could not be built. */
void compare_unbuilt(compare *list, size_t gpus, size_t w, const char *why);

#endif
