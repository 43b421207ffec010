/* src/report/kernels.h - the launches of a program summed by kernel and GPU.
 * Owns the sums, borrows the launches. */
#ifndef REPORT_KERNELS_H
#define REPORT_KERNELS_H

#include "report/figure.h"
#include "report/program.h"

/* Of launches that were not timed, by others like them (session/sampling.h),
 * and of those of which parts were (runtime/sampled.h). */
typedef struct kernel_guess {
    uint64_t launches, in_parts;
    double cycles, time_s;
    double error, variance; /* of cycles: what all share, one standard
                               deviation; what each has of its own, squared */
} kernel_guess;

typedef struct kernel_sum {
    const char *name;
    /* Its timed launches as one, its launches if none is timed: cycles,
     * instructions, CTAs, totals, profile. Cfg and device are those of all,
     * the rest is the first one's; sizes that differ are 0. */
    report_launch sum;
    report_sum counters; /* owns totals and profile of that sum */
    figures f;           /* of that sum; where nothing was timed, all 0 */
    uint64_t profiled;   /* those in its profile: of the same machine code */
    uint64_t summed;     /* launches in `sum` */
    uint64_t count, timed, functional, failed; /* of functional ones: those
                                                  that ended */
    uint64_t warp_insts, thread_insts;         /* of all launches */
    double lanes;
    double host_seconds;
    kernel_guess guess; /* of those that were not timed */
} kernel_sum;

typedef struct kernel_sums {
    kernel_sum *row; /* by GPU; there those that took longest first, then those
                        with most instructions, then by name */
    size_t count;
    size_t kernels; /* names */
    uint64_t launches, timed, functional, failed;
    uint64_t cycles, warp_insts;
    uint64_t energy_fj;
    bool energy_overflow;        /* more than it can hold: it means nothing */
    double time_s, host_seconds; /* time: of what was timed */
    kernel_guess guess;
} kernel_sums;

/* Cycles of all launches of a kernel, or of a program: timed, and guessed. */
double kernel_cycles(uint64_t timed, const kernel_guess *g);
/* Half of the 95 % interval of that, as a part of it; 0: nothing is guessed. */
double kernel_cycles_error(uint64_t timed, const kernel_guess *g);

/* Adds what a launch was charged; one that was timed whole adds nothing. */
void kernel_guess_add(kernel_guess *g, const report_launch *l);

void kernel_sums_make(kernel_sums *s, const report_program *p);
void kernel_sums_free(kernel_sums *s);

#endif
