/* src/report/sum.h - counters and profiles of launches of one kernel on one
 * GPU, added up. */
#ifndef REPORT_SUM_H
#define REPORT_SUM_H

#include "isa/program.h"
#include "sm/observe/profile.h"
#include "stats/stats.h"

typedef struct report_sum {
    const char *name; /* of the kernel; borrowed */
    unsigned device;
    const stats *stats; /* names of the totals; borrowed, as the kernel is */
    uint64_t *totals;   /* NULL: nothing was timed */
    const isa_kernel *kernel; /* of the profile, one row more than it has
                                 instructions; NULL: none was wanted */
    sm_profile_row *profile;
} report_sum;

/* Launches of one GPU have the same counters, whatever their process; others
 * are left out. `totals` NULL: nothing. */
void report_sum_totals(report_sum *to, const stats *names,
                       const uint64_t *totals);
/* False: there is no profile, or that of another kernel, the rows of which
 * cannot be added. */
bool report_sum_profile(report_sum *to, const isa_kernel *kernel,
                        const sm_profile_row *profile);
void report_sum_fini(report_sum *s); /* it is empty then */

#endif
