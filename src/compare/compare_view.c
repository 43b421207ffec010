/* src/compare/compare_view.c - works out the values of a view; see
 * compare_view.h. */
#include "compare/compare_view.h"

#include <math.h>
#include <string.h>

#include "base/must.h"
#include "config/param.h"
#include "study/formula.h"

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

double compare_view_whole_shown(const compare *c, const double *base,
                                const double *values)
{
    double whole = compare_view_whole(c, base);

    return whole > 0 ? compare_view_whole(c, values) / whole : NAN;
}

double compare_view_shown(const compare *c, const double *base,
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
        double v = compare_view_shown(c, x->view[0], x->view[s], i);

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

/* What a side has done, in one workload or in all. */
typedef struct done {
    size_t side;
    const uint64_t *counters, *part_fj; /* part_fj NULL: unknown */
} done;

static double view_value(const compare *c, const char *name, const done *of,
                         const done *base)
{
    const measure_side *side = &c->sides[of->side];
    const char *is;
    uint64_t fj;
    size_t at;

    switch (view_name_of(name, c->mem, &is)) {
    case VIEW_MEAN:
        return over_bins(c, VIEW_MEAN, is, of->counters);
    case VIEW_JAIN:
        return over_bins(c, VIEW_JAIN, is, of->counters);
    case VIEW_BASE:
        return view_value(c, is, base, base);
    case VIEW_ENERGY:
        return of->part_fj && energy_sum_fj(of->part_fj, is, &fj) ? (double)fj
                                                                  : NAN;
    case VIEW_PARAM:
        return (double)config_number(side->gpus[0].cfg, config_param_find(is));
    case VIEW_COUNTER:
        break;
    }
    at = compare_counter(c, is);
    return at == SIZE_MAX ? 0 : (double)of->counters[at];
}

static double evaluate_view(const compare *c, const formula *f, const done *of,
                            const done *base)
{
    size_t n = formula_count(f);
    double *values = ARENA_ARRAY(c->mem, double, n + 1);

    for (size_t i = 0; i < n; i++)
        values[i] = view_value(c, formula_name(f, i), of, base);
    return formula_value(f, values);
}

static double *evaluate_all(const compare *c, formula *const *f, const done *of,
                            const done *base)
{
    size_t n = view_count(c->view);
    double *to = ARENA_ARRAY(c->mem, double, n + 1);

    for (size_t i = 0; i < n; i++)
        to[i] = evaluate_view(c, f[i], of, base);
    return to;
}

static done done_of(const compare_workload *w, size_t s)
{
    const measure_sum *sum = w->sums[s];

    return (done){s, w->values[s], sum->too_much ? NULL : sum->part_fj};
}

/* All workloads that count, summed. */
static done sum_done(const compare *c, size_t s)
{
    uint64_t *sum = ARENA_ARRAY(c->mem, uint64_t, c->counter_count + 1);
    uint64_t *fj = ARENA_ARRAY(c->mem, uint64_t, ENERGY_PARTS);
    bool known = true;

    for (size_t w = 0; w < c->count; w++) {
        const compare_workload *x = &c->workloads[w];
        done is = done_of(x, s);

        if (!compare_view_counts(c, x))
            continue;
        for (size_t i = 0; i < c->counter_count; i++)
            sum[i] += is.counters[i];
        for (size_t i = 0; is.part_fj && i < ENERGY_PARTS; i++)
            fj[i] += is.part_fj[i];
        known = known && is.part_fj;
    }
    return (done){s, sum, known ? fj : NULL};
}

void compare_view_finish(compare *c)
{
    formula *f[VIEW_ITEMS];
    diag *dg;

    if (!c->view)
        return;
    dg = diag_new();
    for (size_t i = 0; i < view_count(c->view); i++)
        MUST(formula_parse(c->view->items[i].formula, c->mem, dg, &f[i]) ==
             ST_OK);
    diag_free(dg);
    c->view_all = ARENA_ARRAY(c->mem, double *, c->side_count);
    done base = sum_done(c, 0);
    for (size_t s = 0; s < c->side_count; s++) {
        done of = sum_done(c, s);

        c->view_all[s] = evaluate_all(c, f, &of, &base);
    }
    for (size_t w = 0; w < c->count; w++) {
        compare_workload *x = &c->workloads[w];

        x->view = ARENA_ARRAY(c->mem, double *, c->side_count);
        base = done_of(x, 0);
        for (size_t s = 0; s < c->side_count; s++) {
            done of = done_of(x, s);

            x->view[s] = evaluate_all(c, f, &of, &base);
        }
    }
}
