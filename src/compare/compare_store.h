/* src/compare/compare_store.h - comparisons in results files: what is written
 * of each run, and whole comparisons read again. A comparison is a study; its
 * runs are points of it, by GPU, workload and side, and its plan names them. */
#ifndef COMPARE_COMPARE_STORE_H
#define COMPARE_COMPARE_STORE_H

#include "compare/compare.h"
#include "store/store.h"

/* ---- Writing ---- */

/* What is compared, and what is expected of workloads, as JSON: the plan of the
 * study. The caller frees it. */
char *compare_plan(const compare *list, size_t count);

/* Which run: workload `w` of list[gpu] on side `s`. */
typedef struct compare_place {
    size_t gpu, w, s;
} compare_place;

/* Fills in *out but for the study and the build; `program` as side.keep has it.
 * Texts are borrowed or in the arena. */
void compare_store_run(const compare *list, compare_place at,
                       const report_program *program, arena *mem,
                       store_run *out);

/* ---- Reading ---- */

/* A comparison that was read, as if it had just ended; owns all it has. */
typedef struct compare_study {
    arena *mem;
    compare *list; /* of each GPU; finished */
    size_t count;
    int64_t study;
    const char *command; /* the line that made it */
    const char *created; /* UTC */
} compare_study;

/* The study of that number; 0: the last comparison in the file. ST_CONFIG:
 * there is none, or it cannot be understood: one error is in `dg`. Runs that
 * are missing leave it interrupted. */
status compare_load(store *s, int64_t study, diag *dg, compare_study *out);
void compare_study_fini(compare_study *x); /* zeroed is fine */

#endif
