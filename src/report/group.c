#include "report/group.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "report/run.h"

enum { NAMES = 4 }; /* of kernels that are shown */

static bool is_first(const report_group *g, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(g->part[k].kernel->name, g->part[i].kernel->name))
            return false;
    return true;
}

static size_t count_of(const report_group *g, const char *name)
{
    size_t n = 0;

    for (size_t i = 0; i < g->count; i++)
        n += !strcmp(g->part[i].kernel->name, name);
    return n;
}

/* The caller frees it; NULL if memory runs out. */
static char *name_of_group(const report_group *g)
{
    strbuf b = {0};
    size_t told = 0, more = 0;

    for (size_t i = 0; i < g->count; i++) {
        const char *name = g->part[i].kernel->name;

        if (!is_first(g, i))
            continue;
        if (told++ >= NAMES) {
            more++;
            continue;
        }
        strbuf_printf(&b, "%s%s", told > 1 ? " + " : "", name);
        if (count_of(g, name) > 1)
            strbuf_printf(&b, " x%zu", count_of(g, name));
    }
    if (more)
        strbuf_printf(&b, " + %zu more", more);
    return b.text;
}

static uint32_t larger_of(uint32_t a, uint32_t b) { return a > b ? a : b; }

report_group *report_group_new(const report_part *part, size_t count)
{
    report_group *g = new0(1, sizeof *g);

    g->count = count;
    g->part = new_array(count + 1, sizeof *g->part);
    if (g->part) {
        memcpy(g->part, part, count * sizeof *g->part);
        g->kernel.name = name_of_group(g);
    }
    if (!g->kernel.name) {
        free(g->part);
        free(g);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const isa_kernel *k = part[i].kernel;

        g->kernel.bank0 = larger_of(g->kernel.bank0, k->bank0);
        g->kernel.registers =
            larger_of(g->kernel.registers, isa_kernel_begins_with(k));
        g->kernel.shared_bytes = larger_of(
            g->kernel.shared_bytes, k->shared_bytes + part[i].shared_bytes);
        g->kernel.local_bytes =
            larger_of(g->kernel.local_bytes, k->local_bytes);
        g->kernel.spill_bytes =
            larger_of(g->kernel.spill_bytes, k->spill_bytes);
    }
    return g;
}

void report_group_free(report_group *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->count; i++)
        free(g->part[i].profile);
    free((void *)g->kernel.name);
    free(g->part);
    free(g);
}

bool report_launch_join(report_launch *l, const report_part *part, size_t n)
{
    report_group *g = report_group_new(part, n);

    if (!g)
        return false;
    l->group = g;
    l->kernel = &g->kernel;
    memset(l->grid, 0, sizeof l->grid);
    memset(l->block, 0, sizeof l->block);
    l->shared_bytes = 0;
    l->ctas_per_sm = 0; /* of each part another */
    l->limiter = "-";
    l->profile = NULL;
    return true;
}

bool report_launch_timed(const report_launch *l)
{
    return l->totals || (l->folded && l->folded->totals);
}

void report_launch_fold(report_launch *l, report_sum *sum)
{
    bool alone = !sum->totals;

    if (l->totals) {
        l->active_cycles =
            stats_total_sum(l->stats, l->totals, "sm[*].active_cycles", NULL);
        l->warp_cycles =
            stats_total_sum(l->stats, l->totals, "sm[*].warp_cycles", NULL);
    }
    report_sum_totals(sum, l->stats, l->totals);
    report_sum_profile(sum, l->kernel, l->profile);
    free((void *)l->totals);
    free((void *)l->counters);
    free((void *)l->profile);
    l->totals = l->counters = NULL;
    l->profile = NULL;
    for (size_t i = 0; l->group && !alone && i < l->group->count; i++) {
        free(l->group->part[i].profile);
        l->group->part[i].profile = NULL;
    }
    l->folded = sum;
}

void report_launch_fini(report_launch *l)
{
    for (size_t i = 0; i < l->line_count; i++)
        free(l->lines[i].text);
    free((void *)l->lines);
    exec_strays_fini(&l->strays);
    exec_spins_fini(&l->spins);
    free((void *)l->totals);
    free((void *)l->counters);
    energy_series_fini(&l->series);
    stats_series_fini(&l->warps);
    free((void *)l->profile);
    report_group_free((report_group *)l->group);
}
