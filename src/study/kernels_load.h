/* src/study/kernels_load.h - what a results file says of kernels, with the
 * figures that the report of their run had: they are computed again from the
 * counters and the configuration that were kept, by the same formulas. */
#ifndef STUDY_KERNELS_LOAD_H
#define STUDY_KERNELS_LOAD_H

#include "report/figure.h"
#include "stats/sums.h"
#include "store/store.h"

/* The timed launches of a kernel on a device in a run. */
typedef struct stored_kernel {
    int64_t run, kernel, device;  /* of the file */
    const char *workload, *label; /* label: of the point, or NULL */
    const char *gpu, *name;
    union {
        launch_sums sums; /* these members at once */
        struct {
#include "stats/sums.inc"
        };
    };
    double energy_j; /* NAN: unknown */
    figures f;       /* all 0 if none was timed */
} stored_kernel;

typedef struct stored_kernels {
    stored_kernel *row; /* those that took longest first */
    size_t count;
} stored_kernels;

/* Of all runs of a study, in `mem`; ST_IO: the file is damaged, one error is
 * in `dg`. */
status kernels_load(store *s, int64_t study, arena *mem, diag *dg,
                    stored_kernels *out);

/* The sums of a run or a kernel: columns from `first` on, in the order of
 * stats/sums.def. */
launch_sums stored_sums(const store_query *q, int first);

/* The configuration of a device of a run; what it does not say has its default.
 * NULL: none was kept. */
const config *stored_config(store *s, int64_t run, int64_t device, arena *mem,
                            diag *dg);

#endif
