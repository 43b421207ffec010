/* src/compare/compare_part.c - see compare_part.h. */
#include "compare/compare_part.h"

#include <math.h>

#include "base/must.h"
#include "cost/cost.h"
#include "study/pareto.h"

static energy_part part_compared(const compare *c)
{
    energy_part part = energy_part_find(c->part);

    MUST(part < ENERGY_PARTS);
    return part;
}

double compare_part_ratio(const compare *c, const compare_workload *w, size_t s)
{
    const measure_sum *b = w->sums[0], *v = w->sums[s];
    energy_part part = part_compared(c);

    if ((s && w->pairs[s].why) || b->too_much || v->too_much ||
        !b->part_fj[part])
        return NAN;
    return (double)v->part_fj[part] / (double)b->part_fj[part];
}

/* Does it count on every side? Then sides can be added up. */
static bool counts(const compare *c, const compare_workload *w)
{
    for (size_t s = 1; s < c->side_count; s++)
        if (w->pairs[s].why)
            return false;
    return true;
}

static void add_up(const compare *c, size_t s, compare_part_side *to)
{
    uint64_t all = 0;

    for (size_t i = 0; i < c->count; i++) {
        const compare_workload *w = &c->workloads[i];

        if (!counts(c, w) || w->sums[s]->too_much)
            continue;
        to->fj += w->sums[s]->part_fj[part_compared(c)];
        all += w->sums[s]->energy_fj;
    }
    to->share = all ? (double)to->fj / (double)all : NAN;
}

static mean average(const compare *c, size_t s)
{
    double *ratios = ARENA_ARRAY(c->mem, double, c->count + 1);
    size_t n = 0;

    if (s && !compare_complete(c, s))
        return mean_of(ratios, 0);
    for (size_t i = 0; i < c->count; i++) {
        double r = compare_part_ratio(c, &c->workloads[i], s);

        if (r > 0)
            ratios[n++] = r;
        else if (!s || !c->workloads[i].pairs[s].why)
            return mean_of(ratios, 0);
    }
    return mean_of(ratios, n);
}

/* Bounds take no part, nor what must not be averaged. */
static void find_front(const compare *c, compare_part_side *sides)
{
    enum { GOALS = 3 };
    double *x = ARENA_ARRAY(c->mem, double, GOALS * c->side_count);
    bool *on = ARENA_ARRAY(c->mem, bool, c->side_count);

    for (size_t s = 0; s < c->side_count; s++) {
        const compare_part_side *y = &sides[s];
        bool known = y->exists && (!s || compare_complete(c, s));

        x[GOALS * s] = !known ? NAN
                       : s    ? -c->summaries[s].speedup.geometric
                              : -1;
        x[GOALS * s + 1] = y->energy.geometric;
        x[GOALS * s + 2] = (double)y->bits;
        for (size_t k = 0; k < GOALS; k++)
            x[GOALS * s + k] = pareto_round(x[GOALS * s + k]);
    }
    pareto_front(x, GOALS, c->side_count, on);
    for (size_t s = 0; s < c->side_count; s++)
        sides[s].front = on[s];
}

const compare_part_side *compare_part_sides(const compare *c)
{
    compare_part_side *sides;

    if (!c->part)
        return NULL;
    sides = ARENA_ARRAY(c->mem, compare_part_side, c->side_count);
    for (size_t s = 0; s < c->side_count; s++) {
        const config *cfg = c->sides[s].gpus[0].cfg;
        cost_sum sum;

        sides[s].exists = cost_of_part(cfg, c->part, &sum);
        sides[s].bits = sum.bits;
        sides[s].compared = sum.comparator_bits;
        sides[s].energy = average(c, s);
        add_up(c, s, &sides[s]);
    }
    find_front(c, sides);
    return sides;
}
