/* src/explore/explore_effect.c - what each axis does, all else being equal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "explore/explore.h"
#include "study/pareto.h"

/* Ratios of all pairs of a step. */
typedef struct pairs {
    double *speed, *energy;
    size_t count, known_energy;
} pairs;

/* Adds each workload on `c` and on the same with another value. */
static void add_pair(const explore *e, const explore_config *c,
                     const explore_config *d, explore_step *s, pairs *p)
{
    for (size_t w = 0; w < e->workload_count; w++) {
        const explore_cell *x = &c->cells[w], *y = &d->cells[w];
        double energy = y->energy_j / x->energy_j;

        if (!x->counts || !y->counts) {
            s->holes++;
            continue;
        }
        p->speed[p->count++] = x->time_s / y->time_s;
        if (energy > 0 && isfinite(energy))
            p->energy[p->known_energy++] = energy;
    }
}

static double effect_size(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += fabs(log(x[i]));
    return n ? sum : 0;
}

static void make_step(const explore *e, size_t axis, explore_step *s, pairs *p,
                      double sums[2], size_t counts[2])
{
    size_t *at = ARENA_ARRAY(e->mem, size_t, e->axis_count + 1);

    p->count = p->known_energy = 0;
    for (size_t i = 0; i < e->config_count; i++) {
        const explore_config *c = &e->configs[i];
        size_t other;

        if (c->at[axis] != s->from)
            continue;
        memcpy(at, c->at, e->axis_count * sizeof *at);
        at[axis] = s->to;
        other = explore_at(e, at);
        if (other != EXPLORE_NONE)
            add_pair(e, c, &e->configs[other], s, p);
    }
    s->speedup = mean_of(p->speed, p->count);
    s->energy = mean_of(p->energy, p->known_energy == p->count ? p->count : 0);
    sums[0] += effect_size(p->speed, p->count);
    sums[1] += effect_size(p->energy, p->known_energy);
    counts[0] += p->count;
    counts[1] += p->known_energy;
}

/* From the last value back: what is still gained from there. */
static size_t find_enough(const explore *e, const explore_effect *f)
{
    const explore_axis *a = &e->axes[f->axis];
    size_t v = a->count - 1;
    double gain = 1, most = 1;

    if (!a->numbers || (f->holes && !e->options.allow_missing))
        return EXPLORE_NONE;
    while (v > 0) {
        const explore_step *s = &f->steps[v - 1];

        if (!s->speedup.count)
            return EXPLORE_NONE;
        /* The best of the larger values, not the last alone. */
        gain = s->speedup.geometric * most;
        most = gain > 1 ? gain : 1;
        if (gain > 1 + e->options.fade)
            return v;
        v--;
    }
    return 0;
}

static void make_effect(const explore *e, size_t axis, explore_effect *f,
                        pairs *p)
{
    const explore_axis *a = &e->axes[axis];
    size_t base = e->base_at[axis] == EXPLORE_NONE ? 0 : e->base_at[axis];
    double sums[2] = {0, 0};
    size_t counts[2] = {0, 0};

    *f = (explore_effect){.axis = axis,
                          .steps = ARENA_ARRAY(e->mem, explore_step, a->count)};
    for (size_t v = 0; v < a->count; v++) {
        explore_step *s = &f->steps[f->step_count];

        if (a->numbers ? v + 1 == a->count : v == base)
            continue;
        s->from = a->numbers ? v : base;
        s->to = a->numbers ? v + 1 : v;
        make_step(e, axis, s, p, sums, counts);
        f->holes += s->holes;
        f->pairs += s->speedup.count;
        f->step_count++;
    }
    f->speed = counts[0] ? exp(sums[0] / (double)counts[0]) : NAN;
    f->energy = counts[1] && counts[0] == counts[1]
                    ? exp(sums[1] / (double)counts[1])
                    : NAN;
    if (f->holes && !e->options.allow_missing)
        f->speed = f->energy = NAN;
    f->enough = find_enough(e, f);
}

static int by_speed(const void *a, const void *b)
{
    const explore_effect *p = a, *q = b;

    if (isnan(p->speed) != isnan(q->speed))
        return isnan(p->speed) ? 1 : -1;
    if (pareto_round(p->speed) != pareto_round(q->speed) && !isnan(p->speed))
        return p->speed > q->speed ? -1 : 1;
    return p->axis < q->axis ? -1 : p->axis > q->axis;
}

void explore_make_effects(explore *e)
{
    size_t room = e->config_count * e->workload_count + 1;
    pairs p = {.speed = new0(room, sizeof(double)),
               .energy = new0(room, sizeof(double))};

    e->effects = ARENA_ARRAY(e->mem, explore_effect, e->varying + 1);
    e->effect_count = e->varying;
    for (size_t i = 0; i < e->varying; i++)
        make_effect(e, i, &e->effects[i], &p);
    if (e->effect_count)
        qsort(e->effects, e->effect_count, sizeof *e->effects, by_speed);
    free(p.energy);
    free(p.speed);
}
