/* src/compare/compare.h - the same workloads on GPUs that differ in a few
 * parameters: how much faster, and why. Side 0 is the base, the others are
 * variants of it. docs/compare.md has the formulas. Plain data, in an arena
 * that the caller owns, with exceptions noted below. */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include <stdio.h>

#include "study/band.h"
#include "study/mean.h"
#include "study/measure.h"
#include "study/mechanism.h"
#include "study/view.h"

/* Label of a base without a name or changes. */
#define COMPARE_AS_IT_IS "as it is"
#define COMPARE_SAME     0.01 /* speed-ups so near to 1 are none */

/* ---- What came out ---- */

typedef struct compare_reason {
    const char *name; /* "issued", or why a slot was lost */
    /* Shares of the base's time: slots over all slots of that side, times its
     * time over the base's. So changes add up to that of the time, also where
     * sides have different schedulers, SMs or clocks. */
    double base, variant;
} compare_reason;

/* One workload on one variant against the base. */
typedef struct compare_pair {
    const char *why;  /* it is left out; NULL: it counts */
    const char *tail; /* what the side that failed wrote last, or "" */
    const char *note; /* results that differ, and are allowed to; or NULL */
    bool unknown;     /* memory of one of them is unknown */
    double speedup;   /* NAN if it does not count */
    band band; /* of the speed-up, under perturbations that are no idea */
    /* Of the variant over the base's: less is better; NAN if unknown. EDP is
     * energy times time. */
    double energy, edp;
    /* Of each of the comparison's reasons. */
    compare_reason *reasons;
} compare_pair;

typedef struct compare_workload {
    workload is;
    measure_run *runs; /* of each side, then of each side of each null */
    bool drawn;        /* with nulls, its inputs are drawn anew for each */
    /* Of each side: of its run, or of all of its draws together. */
    const measure_sum **sums;
    compare_pair *pairs; /* of each side, [0] unused */
    uint64_t **values; /* of each side, of each of the comparison's counters */
    double **view;     /* of each side, of each item of its view */
} compare_workload;

/* A counter over all workloads that count. */
typedef struct compare_mover {
    const char *name, *unit;
    uint64_t base, variant; /* sums */
    double weight;          /* mean of compare_weight */
} compare_mover;

/* One variant against the base. */
typedef struct compare_summary {
    mean speedup;
    band band;                         /* of the mean of the speed-ups */
    mean energy, edp;                  /* of as many workloads, or of none */
    uint64_t part_fj[ENERGY_PARTS][2]; /* sums: base, variant */
    size_t faster, slower, same;       /* workloads: compare_verdict */
    size_t missing;                    /* workloads that do not count */
    size_t differing;                  /* those whose results differ */
    compare_reason *reasons;           /* mean shares */
    uint64_t bytes[LEVELS][2];         /* sums: base, variant */
    compare_mover *movers;             /* largest weight first, none of 0 */
    size_t mover_count;
} compare_summary;

/* Of two results, not of one machine that is varied (diff.h): sides differ in
 * everything. */
enum { COMPARE_APART = 8 };

typedef struct compare_apart {
    const char *text[COMPARE_APART]; /* what cannot be compared with the base */
    size_t count;
} compare_apart;

typedef struct compare_diff {
    const char **only; /* "bfs: only in old.db" */
    size_t only_count;
    compare_apart *apart; /* of each side, [0] unused */
} compare_diff;

typedef struct compare {
    arena *mem;
    const mechanism *mechanism; /* NULL: the user's own */
    const char *part;           /* of the energy, reported besides the total;
                                   NULL: none */
    const view *view;           /* NULL: speed, slots and counters are enough */
    measure_side *sides;
    size_t side_count; /* 2 at least */
    /* How often all sides are run again with what should not matter changed a
     * little: sides[side_count * k + s] is side s of the k-th, from 1 on. */
    size_t nulls;
    compare_workload *workloads;
    size_t count;
    bool allow_missing, allow_different, by_kernel, interrupted;
    const compare_diff *diff; /* NULL: it is a comparison */
    double seconds;           /* of the host */
    size_t cached; /* runs, of all GPUs, whose results came from the cache */

    /* Made by compare_finish: names of counters and bins of any run, by block
     * and name; one that a run does not have is 0 there. */
    measure_counter *counters;
    size_t counter_count;
    const char *const *reasons;
    size_t reason_count;
    compare_summary *summaries; /* of each side, [0] unused */
    double **view_all; /* of each side, of workloads that count on all */
} compare;

/* ---- Perturbations that are no idea (compare_null.c) ---- */

/* At most so many times: each is another. */
enum { COMPARE_NULLS_MOST = 80 };

/* What the k-th, from 1 on, changes of a machine, as --with has it:
 * "noc.latency=33,gpu.cta.skew=4,gpu.seed=2". Latencies of what all programs
 * meet grow or shrink by a cycle, SMs start a few cycles late, and what is
 * drawn is drawn anew. */
const char *compare_null_assignments(const config *cfg, size_t k, arena *mem);
/* How often each workload is run: sides, and sides of nulls. */
size_t compare_runs_each(const compare *c);
/* How many workloads have other inputs in each null. */
size_t compare_drawn(const compare *c);
/* The speed-up of side `s` in the k-th null, 0 is the comparison itself; NAN:
 * one of them failed. */
double compare_null_speedup(const compare *c, const compare_workload *w,
                            size_t s, size_t k);
/* Fills in the bands of pairs and summaries. */
void compare_null_finish(compare *c);

/* ---- Judging (compare.c, compare_equal.c) ---- */

/* Faster (1), slower (-1), or the same: where there are nulls what is not
 * beyond its band, else what is within 1 % (COMPARE_SAME). */
int compare_verdict(const compare *c, const compare_pair *p);

/* Fills in pairs and summaries. Where a workload is drawn, its sums are those
 * of all draws and its speed-ups their geometric mean. */
void compare_finish(compare *c);

/* Is a mean allowed? If not, workloads are missing, and no option
 * allows that. */
bool compare_complete(const compare *c, size_t side);
/* All of them are complete and all results are equal or allowed to differ. */
bool compare_good(const compare *c);
/* What the mechanism sets on all sides, NULL: nothing. */
const char *compare_set(const compare *c);
/* The place of a counter by its name; SIZE_MAX: there is none. */
size_t compare_counter(const compare *c, const char *name);
/* Of a diff: has the side anything in the block of that counter? */
bool compare_uses_block(const compare *c, size_t side, size_t counter);
/* Only one of the base and the side has: it moved nowhere. */
bool compare_is_apart(const compare *c, size_t side, size_t counter);
/* Frees what the runs own. */
void compare_fini(compare *c);

/* Compares the outputs of two runs, without lines about time or that match
 * `ignore` (NULL: none does). NULL if they agree, else the first difference, in
 * the arena. */
const char *compare_output(suite_output base, suite_output variant,
                           const char *ignore, arena *mem);

/* How much a counter moved, as a share of the traffic around it: |v - b| / m,
 * where m is the largest value of any counter of the same unit in the same kind
 * of block, on either side. 0 if m is 0. */
double compare_weight(uint64_t base, uint64_t variant, uint64_t largest);

/* ---- Output (compare_text.c, compare_data.c) ---- */

/* Of one GPU or several: of each its own comparison, with the same sides and
 * workloads. `columns` is the width of the terminal, 0: none. */
void compare_text(const compare *list, size_t count, unsigned columns,
                  FILE *to);
void compare_json(const compare *list, size_t count, FILE *to);
void compare_csv(const compare *list, size_t count, FILE *to);

#endif
