#include "study/launch_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"

static void copy_lines(report_launch *out, const rt_result *r)
{
    exec_line *copy;

    out->lines_lost = r->lines_lost;
    if (!r->line_count)
        return;
    copy = new_array(r->line_count, sizeof *copy);
    for (size_t i = 0; i < r->line_count; i++) {
        copy[i] = r->lines[i];
        copy[i].text = new_array(copy[i].length + 1, 1);
        memcpy(copy[i].text, r->lines[i].text, copy[i].length + 1);
    }
    out->lines = copy;
    out->line_count = r->line_count;
}

/* NULL of nothing. */
static uint64_t *copy_values(const uint64_t *values, size_t n)
{
    uint64_t *copy;

    if (!values)
        return NULL;
    copy = new_array(n + 1, sizeof *copy);
    memcpy(copy, values, n * sizeof *copy);
    return copy;
}

void launch_list_add(launch_list *to, const rt_device *d, const plan_launch *l,
                     const report_launch *as, const rt_result *r)
{
    const stats *s = rt_stats(d);

    GROW(to->row, to->count + 1, to->room);
    report_launch *out = &to->row[to->count++];
    *out = *as;
    out->stats = s;
    memcpy(out->grid, l->grid, sizeof out->grid);
    memcpy(out->block, l->block, sizeof out->block);
    out->shared_bytes = l->shared_bytes;
    out->outcome = r->outcome;
    copy_lines(out, r);
    exec_strays_add(&out->strays, &r->strays);
    if (r->spins)
        exec_spins_copy(&out->spins, r->spins);
    out->totals = copy_values(r->totals, stats_total_count(s));
    out->counters = copy_values(r->counters, stats_count(s));
}

static report_part part_of_group(const plan *p, const plan_list *list,
                                 const rt_result *sum, const rt_part *part)
{
    const rt_launch *l = &list->launch[part->number];
    report_part out = {
        .kernel = l->kernel,
        .stream = p->stream[list->stream[part->number]],
        .shared_bytes = l->shared_bytes,
        .outcome = part->outcome,
        .profile = l->profile,
    };

    out.start -= sum->start;
    memcpy(out.grid, l->grid, sizeof out.grid);
    memcpy(out.block, l->block, sizeof out.block);
    return out;
}

void launch_list_join(launch_list *to, const plan *p, const plan_list *list,
                      const rt_result *sum, const rt_part *part, size_t n)
{
    report_part *told = new0(n, sizeof *told);

    for (size_t i = 0; i < n; i++)
        told[i] = part_of_group(p, list, sum, &part[i]);
    MUST(report_launch_join(&to->row[to->count - 1], told, n));
    to->row[to->count - 1].stream = NULL; /* each part has its own */
    free(told);
}

void launch_list_move(launch_list *from, launch_list *to)
{
    MUST(from->count && !to->count);
    GROW(to->row, 1, to->room);
    to->row[to->count++] = from->row[--from->count];
}

void launch_list_fini(launch_list *to)
{
    for (size_t i = 0; i < to->count; i++)
        report_launch_fini(&to->row[i]);
    free(to->row);
}
