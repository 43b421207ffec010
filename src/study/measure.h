/* src/study/measure.h - one workload on one machine: run, judged, its counters
 * summed. What comparisons and sweeps are made of. Plain data, in arenas that
 * the caller owns, with exceptions noted below. */
#ifndef STUDY_MEASURE_H
#define STUDY_MEASURE_H

#include "config/sheet.h"
#include "report/figure.h"
#include "stats/sums.h"
#include "study/workload.h"
#include "suite/suite_run.h"

struct measure_run;

/* What it is run on. */
typedef struct measure_side {
    const char *label;
    const char *assignments; /* "l1.sets=64,l1.ways=6"; "" if none */
    const char *from; /* where its results are from; NULL: they were made */
    const report_gpu *gpus;
    const config_sheet *const *sheets; /* of each; NULL: unknown */
    size_t gpu_count;
    unsigned draw; /* of programs that have several, {draw}; 0: the first */
    suite_job job; /* how programs are run on it; keeps are ours */
    /* Called once for each run when it is judged, by the thread that ran it,
     * with all it launched; `p` NULL: it did not start. False: that could not
     * be kept, and the run fails. NULL: not called. */
    bool (*keep)(void *arg, const struct measure_side *side, const workload *w,
                 const struct measure_run *r, const report_program *p);
    void *keep_arg;
} measure_side;

typedef struct measure_counter {
    const char *name, *unit; /* "sm[*].l1.load_hits" */
    uint64_t value;
    /* Of a bin of a histogram: its name, "sm[*].l1.miss_cycles", and the least
     * value that is counted here. NULL: a counter on its own. */
    const char *hist;
    uint64_t from;
} measure_counter;

typedef struct measure_kernel {
    const char *name;
    uint64_t timed, cycles, warp_insts;
    double time_s;
} measure_kernel;

/* All launches of one run. */
typedef struct measure_sum {
    union {
        launch_sums sums; /* these members at once */
        struct {
#include "stats/sums.inc"
        };
    };
    const char *level[LEVELS]; /* names, NULL: not there */
    uint64_t bytes[LEVELS];
    uint64_t part_fj[ENERGY_PARTS], energy_fj;
    bool too_much; /* energy: its sum overflowed, so there is none */
    measure_counter *counters;
    size_t counter_count, counter_room;
    measure_kernel *kernels;
    size_t kernel_count, kernel_room;
    uint64_t memory_hash;
    bool has_hash;
} measure_sum;

/* One workload on one side. */
typedef struct measure_run {
    suite_result result;
    measure_sum sum;
    arena *mem; /* of the arrays and texts of the sum */
    bool done;  /* false: it was never begun, or did not come to an end */
    bool output_unknown; /* what it printed was not kept */
} measure_run;

/* Runs it. May be called from several threads at once. */
void measure(const workload *w, const measure_side *side, measure_run *out);
/* Frees what the run owns; zeroed is fine. */
void measure_fini(measure_run *r);

/* Adds the launches of a program; texts are copied to `mem`. */
void measure_add(measure_sum *to, arena *mem, const report_program *p);

/* Adds another sum; what it has of its own is copied to `mem`. */
void measure_merge(measure_sum *to, arena *mem, const measure_sum *from);

/* ---- For the files of this folder (measure_launch.c) ---- */

/* A launch file or a launch on one GPU, as `heddle run`: fills in *out, and
 * *all, which lives until the caller frees what is returned. */
typedef struct measure_launching measure_launching;
measure_launching *measure_launches(const workload *w, const measure_side *side,
                                    measure_run *out, report_program *all);
void measure_launches_free(measure_launching *x);

#endif
