#include "report/sum.h"

#include <stdlib.h>

#include "base/alloc.h"

void report_sum_totals(report_sum *to, const stats *names,
                       const uint64_t *totals)
{
    size_t n;

    if (!totals)
        return;
    n = stats_total_count(names);
    if (!to->totals) {
        to->totals = new0(n + 1, sizeof *to->totals);
        to->stats = names;
    }
    if (stats_total_count(to->stats) != n)
        return;
    for (size_t i = 0; i < n; i++)
        to->totals[i] += totals[i];
}

bool report_sum_profile(report_sum *to, const isa_kernel *kernel,
                        const sm_profile_row *profile)
{
    size_t n = (size_t)kernel->code_count + 1;

    if (!profile || (to->kernel && to->kernel != kernel))
        return false;
    if (!to->profile) {
        to->kernel = kernel;
        to->profile = new0(n, sizeof *to->profile);
    }
    for (size_t i = 0; i < n; i++)
        sm_profile_sum(&to->profile[i], &profile[i]);
    return true;
}

void report_sum_fini(report_sum *s)
{
    free(s->totals);
    free(s->profile);
    *s = (report_sum){.totals = NULL};
}
