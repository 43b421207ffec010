/* src/lab/compare_view.c - works out the values of a view; see
 * compare_view.h. */
#include "lab/compare_view.h"

#include <math.h>
#include <string.h>

#include "base/must.h"
#include "lab/formula.h"

bool compare_view_any(const compare *c)
{
    for (size_t w = 0; c->view && c->view_all && w < c->count; w++)
        if (compare_view_counts(c, &c->workloads[w]))
            return true;
    return false;
}

bool compare_view_counts(const compare *c, const compare_workload *w)
{
    for (size_t s = 1; s < c->side_count; s++)
        if (w->pairs[s].why)
            return false;
    return true;
}

double compare_view_whole(const compare *c, const double *values)
{
    double all = 0;

    for (size_t i = 0; i < view_count(c->view); i++)
        if (c->view->items[i].kind == VIEW_PART)
            all += values[i];
    return all;
}

double compare_view_whole_told(const compare *c, const double *base,
                               const double *values)
{
    double whole = compare_view_whole(c, base);

    return whole > 0 ? compare_view_whole(c, values) / whole : NAN;
}

double compare_view_told(const compare *c, const double *base,
                         const double *values, size_t i)
{
    double whole = compare_view_whole(c, base);

    if (c->view->items[i].kind == VIEW_FIGURE)
        return values[i];
    return whole > 0 ? values[i] / whole : NAN;
}

double compare_view_mean(const compare *c, size_t s, size_t i, size_t *n)
{
    double sum = 0;
    size_t count = 0;

    for (size_t w = 0; w < c->count; w++) {
        const compare_workload *x = &c->workloads[w];
        double v = compare_view_told(c, x->view[0], x->view[s], i);

        if (!compare_view_counts(c, x) || isnan(v))
            continue;
        sum += v;
        count++;
    }
    if (n)
        *n = count;
    return count ? sum / (double)count : NAN;
}

/* ---- Working them out ---- */

/* Of the bins of a histogram. */
static double over_bins(const compare *c, view_name what, const char *hist,
                        const uint64_t *counters)
{
    double n = 0, sum = 0, squares = 0, used = 0;

    for (size_t i = 0; i < c->counter_count; i++) {
        const measure_counter *x = &c->counters[i];
        double v = (double)counters[i];

        if (!x->hist || strcmp(x->hist, hist) != 0)
            continue;
        n += v;
        sum += v * (double)x->from;
        squares += v * v;
        used += v > 0;
    }
    if (!(n > 0))
        return NAN;
    return what == VIEW_MEAN ? sum / n : n / squares * (n / used);
}

static double value_of(const compare *c, const char *name,
                       const uint64_t *counters)
{
    const char *of;
    view_name what = view_name_of(name, c->mem, &of);
    size_t at = what == VIEW_COUNTER ? compare_counter(c, of) : 0;

    if (what != VIEW_COUNTER)
        return over_bins(c, what, of, counters);
    return at == SIZE_MAX ? 0 : (double)counters[at];
}

/* One formula over the counters of the comparison. */
static double evaluate(const compare *c, const formula *f,
                       const uint64_t *counters)
{
    size_t n = formula_count(f);
    double *values = ARENA_ARRAY(c->mem, double, n + 1);

    for (size_t i = 0; i < n; i++)
        values[i] = value_of(c, formula_name(f, i), counters);
    return formula_value(f, values);
}

static double *evaluate_all(const compare *c, formula *const *f,
                            const uint64_t *counters)
{
    size_t n = view_count(c->view);
    double *to = ARENA_ARRAY(c->mem, double, n + 1);

    for (size_t i = 0; i < n; i++)
        to[i] = evaluate(c, f[i], counters);
    return to;
}

/* Counters of all workloads that count, summed. */
static uint64_t *sum_counters(const compare *c, size_t s)
{
    uint64_t *sum = ARENA_ARRAY(c->mem, uint64_t, c->counter_count + 1);

    for (size_t w = 0; w < c->count; w++)
        for (size_t i = 0; i < c->counter_count; i++)
            if (compare_view_counts(c, &c->workloads[w]))
                sum[i] += c->workloads[w].values[s][i];
    return sum;
}

void compare_view_finish(compare *c)
{
    formula *f[VIEW_ITEMS];
    diag *dg;

    if (!c->view)
        return;
    dg = diag_new();
    MUST(dg != NULL);
    for (size_t i = 0; i < view_count(c->view); i++)
        MUST(formula_parse(c->view->items[i].formula, c->mem, dg, &f[i]) ==
             ST_OK);
    diag_free(dg);
    c->view_all = ARENA_ARRAY(c->mem, double *, c->side_count);
    for (size_t s = 0; s < c->side_count; s++)
        c->view_all[s] = evaluate_all(c, f, sum_counters(c, s));
    for (size_t w = 0; w < c->count; w++) {
        compare_workload *x = &c->workloads[w];

        x->view = ARENA_ARRAY(c->mem, double *, c->side_count);
        for (size_t s = 0; s < c->side_count; s++)
            x->view[s] = evaluate_all(c, f, x->values[s]);
    }
}
