/* src/report/sampled.h - how cycles are told of which a part is not simulated
 * but charged (--sample), and how well such figures agree with those of a run
 * in which everything was timed. Borrows what it is given. */
#ifndef REPORT_SAMPLED_H
#define REPORT_SAMPLED_H

#include "report/kernels.h"
#include "text/json.h"

/* An object "sampled" in the one that is open; nothing where no cycle is
 * charged. */
void sampled_json(json *j, uint64_t timed, const kernel_guess *g);
/* "~12,345 cycles, +-1.2 % (95 %), ~1.23 ms". `time_s`: of what was timed. */
void sampled_text(uint64_t timed, double time_s, const kernel_guess *g,
                  FILE *to);

/* ---- --validate-sampling ---- */

typedef struct sampled_row {
    const char *kernel; /* NULL: all of them */
    unsigned device;
    uint64_t launches;
    uint64_t cycles;  /* of all, in full */
    double estimate;  /* the same, sampled */
    double half;      /* of its interval of 95 %, a part of it */
    uint64_t timed;   /* cycles that were simulated of it */
    uint64_t in_full; /* launches that were timed, not in parts */
    bool missing;     /* on one of both sides it did not run as often, or
                         nothing was timed */
} sampled_row;

typedef struct sampled_check {
    sampled_row *row; /* in the order of the full run; the last is all */
    size_t count;
    double mean, most; /* errors of the kernels, without sign */
    size_t within;     /* kernels in their interval */
    double full_cpu_s, sampled_cpu_s;
} sampled_check;

/* Both ran the same program on the same GPUs. */
void sampled_check_make(const report_program *full,
                        const report_program *sampled, sampled_check *out);
void sampled_check_free(sampled_check *c);

/* By how much it is off, with its sign; NAN: nothing to compare with. */
double sampled_error(const sampled_row *r);

void sampled_check_text(const sampled_check *c, const char *command, FILE *to);
void sampled_check_json(const sampled_check *c, const char *command, FILE *to);

#endif
