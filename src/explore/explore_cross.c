/* src/explore/explore_cross.c - where one variant overtakes another along an
 * axis. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "explore/explore.h"
#include "study/pareto.h"

typedef struct maker {
    explore *e;
    size_t room;
    size_t *at;
    const explore_config **over, **under; /* of each place */
    size_t *places;
    double *x;
} maker;

static explore_cross *add_cross(maker *m)
{
    explore *e = m->e;

    ARENA_GROW(e->mem, e->crosses, e->cross_count, m->room);
    return &e->crosses[e->cross_count++];
}

/* The configuration with these values on two axes, else as `c`. */
static const explore_config *other(maker *m, const explore_config *c, size_t a,
                                   size_t v, size_t b, size_t w)
{
    size_t found;

    memcpy(m->at, c->at, m->e->axis_count * sizeof *m->at);
    m->at[a] = v;
    if (b != EXPLORE_NONE)
        m->at[b] = w;
    found = explore_at(m->e, m->at);
    return found == EXPLORE_NONE ? NULL : &m->e->configs[found];
}

static double one_ratio(const explore_config *over, const explore_config *under,
                        size_t w)
{
    const explore_cell *x = &over->cells[w], *y = &under->cells[w];

    return x->counts && y->counts ? y->time_s / x->time_s : NAN;
}

static double mean_ratio(maker *m, const explore_config *over,
                         const explore_config *under)
{
    const explore *e = m->e;
    double sum = 0;
    size_t n = 0;

    for (size_t w = 0; w < e->workload_count; w++) {
        double r = one_ratio(over, under, w);

        if (!isnan(r)) {
            sum += log(r);
            n++;
        }
    }
    if (!n || (n < e->workload_count && !e->options.allow_missing))
        return NAN;
    return exp(sum / (double)n);
}

static crossing *find_events(maker *m, const crossing_line *l, double level,
                             size_t *count)
{
    crossing *found = NULL;

    *count = crossing_find(l, level, NULL, 0);
    if (*count) {
        found = ARENA_ARRAY(m->e->mem, crossing, *count);
        crossing_find(l, level, found, *count);
    }
    return found;
}

/* The line of a workload or of the mean through `n` places. */
static void add_line(maker *m, const explore_cross *like, size_t n,
                     size_t workload)
{
    explore *e = m->e;
    explore_cross *c = add_cross(m);
    double *x = ARENA_ARRAY(e->mem, double, n);
    double *ratio = ARENA_ARRAY(e->mem, double, n);

    *c = *like;
    c->workload = workload;
    c->places = ARENA_ARRAY(e->mem, size_t, n);
    memcpy(c->places, m->places, n * sizeof *c->places);
    memcpy(x, m->x, n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        ratio[i] = workload == EXPLORE_NONE
                       ? mean_ratio(m, m->over[i], m->under[i])
                       : one_ratio(m->over[i], m->under[i], workload);
    c->line = (crossing_line){x, ratio, n, e->axes[c->along].logarithmic};
    c->events = find_events(m, &c->line, e->options.level, &c->event_count);
    c->fades = find_events(m, &c->line, 1 + e->options.fade, &c->fade_count);
    c->nearest = crossing_nearest(&c->line, e->options.level);
    c->least = c->most = NAN;
    for (size_t i = 0; i < n; i++) {
        c->least = fmin(c->least, ratio[i]); /* of a NAN and a number: this */
        c->most = fmax(c->most, ratio[i]);
    }
    c->effect = c->event_count ? fmin(c->most / e->options.level,
                                      e->options.level / c->least)
                               : 1;
}

/* All places along an axis where both are, from the first on; `c` is of the
 * value `from`. */
static void add_lines(maker *m, const explore_config *c, size_t along,
                      size_t between, size_t to)
{
    explore *e = m->e;
    const explore_axis *a = &e->axes[along];
    size_t from = between == EXPLORE_NONE ? to : c->at[between], n = 0;
    explore_cross like = {.along = along,
                          .between = between,
                          .from = from,
                          .to = to,
                          .config = (size_t)(c - e->configs)};

    for (size_t v = 0; v < a->count; v++) {
        const explore_config *under = other(m, c, along, v, between, from);
        const explore_config *over = under;

        if (under && between == EXPLORE_NONE)
            under =
                under->base == EXPLORE_NONE ? NULL : &e->configs[under->base];
        else if (under)
            over = other(m, c, along, v, between, to);
        if (under && over) {
            m->under[n] = under;
            m->over[n] = over;
            m->places[n] = v;
            m->x[n++] = a->numbers ? a->numbers[v] : (double)v;
        }
    }
    if (n < 2)
        return;
    add_line(m, &like, n, EXPLORE_NONE);
    for (size_t w = 0; w < e->workload_count && e->options.by_workload; w++)
        add_line(m, &like, n, w);
}

/* Is there none like it before it along the axis? */
static bool is_first(maker *m, const explore_config *c, size_t along)
{
    for (size_t v = 0; v < c->at[along]; v++)
        if (other(m, c, along, v, EXPLORE_NONE, 0))
            return false;
    return true;
}

static void add_pairs(maker *m, size_t along, size_t between)
{
    explore *e = m->e;
    const explore_axis *b = between == EXPLORE_NONE ? NULL : &e->axes[between];
    size_t base = b ? e->base_at[between] : 0;
    bool all = e->options.all_pairs || base == EXPLORE_NONE;

    for (size_t i = 0; i < e->config_count; i++) {
        const explore_config *c = &e->configs[i];

        if (!is_first(m, c, along) || (!all && b && c->at[between] != base))
            continue;
        if (!b) {
            add_lines(m, c, along, between, 0);
            continue;
        }
        for (size_t to = all ? c->at[between] + 1 : 0; to < b->count; to++)
            if (to != c->at[between])
                add_lines(m, c, along, between, to);
    }
}

static status find_axis(const explore *e, const char *what, const char *name,
                        size_t *out, diag *dg)
{
    bool base = name && !strcmp(name, EXPLORE_BASE);

    *out = name && !base ? explore_axis_find(e, name) : EXPLORE_NONE;
    if (!name || base || (*out != EXPLORE_NONE && *out < e->varying))
        return ST_OK;
    diag_error(dg, "%s: '%s' is not an axis that varies", what, name);
    return ST_USAGE;
}

/* Was this axis requested? */
static bool axis_is_wanted(const explore *e, size_t axis, size_t asked)
{
    const explore_options *o = &e->options;

    if (asked != EXPLORE_NONE)
        return axis == asked;
    return !o->base_count || e->base_at[axis] != EXPLORE_NONE;
}

bool explore_cross_happens(const explore_cross *c)
{
    return c->event_count || c->fade_count;
}

size_t explore_crosses_happen(const explore *e)
{
    size_t n = 0;

    for (size_t i = 0; i < e->cross_count; i++)
        n += explore_cross_happens(&e->crosses[i]);
    return n;
}

static int by_size(size_t a, size_t b) { return a < b ? -1 : a > b; }

/* The largest effect first; of those without one that happen, and then of the
 * others, what varies most; then by place. */
static int by_effect(const void *a, const void *b)
{
    const explore_cross *x = a, *y = b;
    double p = pareto_round(x->effect), q = pareto_round(y->effect);
    bool m = explore_cross_happens(x), n = explore_cross_happens(y);
    int order;

    if (p != q)
        return p < q ? 1 : -1;
    if (m != n)
        return m ? -1 : 1;
    p = isnan(x->most) ? 0 : pareto_round(x->most / x->least);
    q = isnan(y->most) ? 0 : pareto_round(y->most / y->least);
    if (p != q)
        return p < q ? 1 : -1;
    order = by_size(x->along, y->along);
    order = order ? order : by_size(x->between, y->between);
    order = order ? order : by_size(x->config, y->config);
    order = order ? order : by_size(x->from, y->from);
    order = order ? order : by_size(x->to, y->to);
    /* The mean, which is no workload, first. */
    return order ? order : by_size(x->workload + 1, y->workload + 1);
}

status explore_make_crosses(explore *e, diag *dg)
{
    size_t along, between, n = e->axis_count + 1, most = 1;
    const char *asked = e->options.between;
    bool base = asked && !strcmp(asked, EXPLORE_BASE);
    status st;
    maker m = {.e = e};

    if ((st = find_axis(e, "along", e->options.along, &along, dg)) != ST_OK ||
        (st = find_axis(e, "between", asked, &between, dg)) != ST_OK)
        return st;
    for (size_t i = 0; i < e->axis_count; i++)
        most = e->axes[i].count > most ? e->axes[i].count : most;
    m.at = ARENA_ARRAY(e->mem, size_t, n);
    m.over = ARENA_ARRAY(e->mem, const explore_config *, most);
    m.under = ARENA_ARRAY(e->mem, const explore_config *, most);
    m.places = ARENA_ARRAY(e->mem, size_t, most);
    m.x = ARENA_ARRAY(e->mem, double, most);
    for (size_t a = 0; a < e->varying; a++) {
        if (along == EXPLORE_NONE ? !e->axes[a].numbers : a != along)
            continue;
        for (size_t b = 0; b < e->varying && !base; b++)
            if (b != a && axis_is_wanted(e, b, between))
                add_pairs(&m, a, b);
        if (base || e->varying == 1)
            add_pairs(&m, a, EXPLORE_NONE);
    }
    if (e->cross_count)
        qsort(e->crosses, e->cross_count, sizeof *e->crosses, by_effect);
    return ST_OK;
}
