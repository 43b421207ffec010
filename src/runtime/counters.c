/* src/runtime/counters.c - what a launch adds to the counters. Most launches
 * are reported by totals; the counters of every block take three walks over
 * some ten thousands of values. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "runtime/internal.h"

void rt_counters_init(rt_counters *c, const stats *s)
{
    size_t n = stats_count(s), totals = stats_total_count(s);

    if (c->totals)
        return;
    c->before = new0(n, sizeof *c->before);
    c->diff = new0(n, sizeof *c->diff);
    c->totals_before = new0(totals, sizeof *c->totals_before);
    c->sampled = new0(totals, sizeof *c->sampled);
    c->step = new0(totals, sizeof *c->step);
    c->sofar = new0(totals, sizeof *c->sofar);
    c->totals = new0(totals, sizeof *c->totals);
    c->warp_insts = stats_total_find(s, "sm[*].warp_insts");
    c->thread_insts = stats_total_find(s, "sm[*].thread_insts");
}

void rt_counters_fini(rt_counters *c)
{
    free(c->before);
    free(c->diff);
    free(c->totals_before);
    free(c->totals);
    free(c->sampled);
    free(c->step);
    free(c->sofar);
    memset(c, 0, sizeof *c);
}

void rt_counters_begin(rt_counters *c, const stats *s, bool all)
{
    size_t n = stats_total_count(s);

    stats_totals(s, NULL, c->totals_before);
    memcpy(c->sampled, c->totals_before, n * sizeof *c->sampled);
    if (all)
        stats_read(s, c->before);
}

void rt_counters_sample(rt_counters *c, const stats *s)
{
    stats_totals(s, NULL, c->step);
    for (size_t i = 0; i < stats_total_count(s); i++) {
        uint64_t now = c->step[i];

        c->step[i] -= c->sampled[i];
        c->sampled[i] = now;
    }
}

void rt_counters_sofar(rt_counters *c, const stats *s, rt_result *out)
{
    stats_totals(s, NULL, c->sofar);
    for (size_t i = 0; i < stats_total_count(s); i++)
        c->sofar[i] -= c->totals_before[i];
    out->totals = c->sofar;
    out->warp_insts = c->sofar[c->warp_insts];
    out->thread_insts = c->sofar[c->thread_insts];
}

void rt_counters_end(rt_counters *c, const stats *s, bool all, rt_result *out)
{
    stats_totals(s, NULL, c->totals);
    for (size_t i = 0; i < stats_total_count(s); i++) {
        MUST(c->totals[i] >= c->totals_before[i]);
        c->totals[i] -= c->totals_before[i];
    }
    out->totals = c->totals;
    out->warp_insts = c->totals[c->warp_insts];
    out->thread_insts = c->totals[c->thread_insts];
    if (!all)
        return;
    stats_read(s, c->diff);
    stats_subtract(s, c->diff, c->before, c->diff);
    out->counters = c->diff;
}

void rt_launch_samples(rt_launch *l, uint64_t power, uint64_t warps,
                       void (*sample)(void *arg, const rt_sample *is),
                       void *arg, stats_series *watched)
{
    l->sample_cycles = power ? power : warps;
    l->sample = power ? sample : NULL;
    l->sample_arg = arg;
    l->watch = warps ? RT_RESIDENT_WARPS : NULL;
    l->watched = watched;
}
