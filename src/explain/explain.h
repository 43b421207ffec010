/* src/explain/explain.h - what bounds the kernels of a run, and what changes
 * would gain. The caller simulates: first the run itself, with profiles, then
 * the trials that were chosen. */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include <stdio.h>

#include "explain/rule.h"
#include "explain/what_if.h"
#include "study/measure.h"

/* A rule over all kernels of the run, and what came of it. */
typedef struct explain_trial {
    const explain_rule *rule;
    size_t kernel;          /* number of the look that speaks for it most */
    double most;            /* of the run's cycles, at most, by the counters */
    const char *sets;       /* "": the machine has nothing to set for it */
    const look_line *worst; /* of that kernel; NULL: it is of no line */
    const char *figure;
    bool wanted;            /* to be simulated */
    const measure_run *run; /* of the caller; NULL: it was not simulated */
    double gain;            /* times as fast, of all cycles; 0: not tried */
    double *kernel_gain;    /* by look; NAN: it was not launched */
    const char *problem;    /* why there is no gain though it was wanted */
    bool other_results;     /* memory at the end is not that of the run itself,
                               though it did as much work */
} explain_trial;

typedef struct explain {
    arena *mem;
    look *looks;
    size_t look_count;
    bool any_memory; /* set by the caller: what is in memory at the end depends
                        on the order of threads */
    uint64_t cycles; /* of all looks */
    double host_s;   /* that simulating the run took */
    explain_trial *trials; /* most promising first; later by their gain */
    size_t trial_count;
} explain;

/* What is said of explain_trial.other_results. */
#define EXPLAIN_OTHER_RESULTS                                                  \
    "(its results differ, as those of atomics in another order do, or of a "   \
    "race; instructions are as many, within 1 %)"

/* Below that the counters promise too little to be told of. */
#define EXPLAIN_LEAST 0.02

/* Takes what the run did; texts are copied. `p` has profiles. */
void explain_look(explain *x, const report_program *p);

/* Lists the rules that apply, and wants those that `names` has (rules with
 * `sets`, comma between them), or, with NULL, the `most` most promising that
 * can be tried. */
void explain_choose(explain *x, const char *names, size_t most);

/* After the trials: gains, in order. `base` is the run itself; runs are
 * borrowed until the advice is written. */
void explain_finish(explain *x, const measure_run *base);

/* Of what was tried: is the gain of that kernel worth a word? Those of the
 * first `most`, which take longest, and of the one that it is about. */
bool explain_tells_gain(const explain_trial *t, size_t kernel, size_t most);

/* Parameters as "PATH=VALUE,..." on top of a configuration: do they keep its
 * rules? */
bool explain_fits(const config *c, const char *sets);

/* How much faster it gets if that share of the cycles goes. */
double explain_at_most(double share);

/* `width` columns, 80 at least. */
void explain_text(const explain *x, unsigned width, FILE *to);
/* `w` NULL: parameters were not tried. */
void explain_json(const explain *x, const what_if *w, const char *command,
                  FILE *to);

#endif
