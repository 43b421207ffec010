/* src/explore/explore_contrast.c - what values do, alone and in pairs, with
 * bands: the contrasts of a factorial design. See explore.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "explore/explore.h"
#include "study/pareto.h"

/* ---- Corners ---- */

/* Configurations that differ in one or two axes only: with neither value, with
 * the first, the second, both. One axis: the first two. */
typedef struct corner_set {
    const explore_config *c[4];
    unsigned count;
} corner_set;

/* +1 and -1 so that the sum over a workload's ln time is what is faster: of one
 * axis ln t(without) - ln t(with); of two the gain of both over the product of
 * the gains of each. */
static const double signs[4] = {1, -1, -1, 1};

static double sign_of(const corner_set *k, unsigned i)
{
    return k->count == 4 ? -signs[i] : signs[i];
}

static size_t base_value(const explore *e, size_t axis)
{
    return e->base_at[axis] == EXPLORE_NONE ? 0 : e->base_at[axis];
}

/* False: one of them is not in the space. `c` has the base's values of both
 * axes. */
static bool find_corners(const explore *e, const explore_contrast *x,
                         const explore_config *c, size_t *at, corner_set *out)
{
    bool two = x->axis[1] != EXPLORE_NONE;

    out->count = two ? 4 : 2;
    for (unsigned i = 0; i < out->count; i++) {
        size_t found;

        memcpy(at, c->at, e->axis_count * sizeof *at);
        if (i & 1)
            at[x->axis[0]] = x->value[0];
        if (i & 2)
            at[x->axis[1]] = x->value[1];
        found = explore_at(e, at);
        if (found == EXPLORE_NONE)
            return false;
        out->c[i] = &e->configs[found];
    }
    return true;
}

/* Has it the base's values of the axes of `x`, and is of its group? */
static bool is_start(const explore *e, const explore_contrast *x,
                     const explore_config *c, size_t gpus)
{
    for (unsigned i = 0; i < 2 && x->axis[i] != EXPLORE_NONE; i++)
        if (c->at[x->axis[i]] != base_value(e, x->axis[i]))
            return false;
    return gpus == EXPLORE_NONE || c->at[gpus] == x->group;
}

/* ---- Sums ---- */

/* Of each workload, over corners. */
typedef struct sums {
    double *speed, *energy; /* of logarithms; NAN: one of them is missing */
    double *ratios;
    size_t *at;
} sums;

static void add_corners(const explore *e, const corner_set *k, sums *to)
{
    for (size_t w = 0; w < e->workload_count; w++)
        for (unsigned i = 0; i < k->count; i++) {
            const explore_cell *x = &k->c[i]->cells[w];

            to->speed[w] += x->counts ? sign_of(k, i) * log(x->time_s) : NAN;
            to->energy[w] -= x->counts && x->energy_j > 0
                                 ? sign_of(k, i) * log(x->energy_j)
                                 : NAN;
        }
}

/* Each workload counts once, however many corners it is the mean of. */
static band band_over_workloads(const explore *e, const double *sum, sums *s,
                                size_t corners, size_t *holes)
{
    size_t n = 0;

    *holes = 0;
    for (size_t w = 0; w < e->workload_count && corners; w++) {
        if (isnan(sum[w]))
            ++*holes;
        else
            s->ratios[n++] = exp(sum[w] / (double)corners);
    }
    if (*holes && !e->options.allow_missing)
        return (band){0, NAN, NAN, NAN};
    return band_of(s->ratios, n);
}

/* With all other axes at the base if `alone`. */
static size_t sum_corners(const explore *e, const explore_contrast *x,
                          size_t gpus, bool alone, sums *s)
{
    size_t n = 0;

    for (size_t w = 0; w < e->workload_count; w++)
        s->speed[w] = s->energy[w] = 0;
    for (size_t i = 0; i < e->config_count; i++) {
        const explore_config *c = &e->configs[i];
        bool is = is_start(e, x, c, gpus);
        corner_set k;

        for (size_t a = 0; a < e->varying && alone && is; a++)
            is = a == gpus || c->at[a] == base_value(e, a);
        if (!is || !find_corners(e, x, c, s->at, &k))
            continue;
        add_corners(e, &k, s);
        n++;
    }
    return n;
}

static void measure(const explore *e, explore_contrast *x, size_t gpus, sums *s)
{
    size_t ignored, n;

    x->alone = (band){0, NAN, NAN, NAN};
    if (x->axis[1] == EXPLORE_NONE) {
        n = sum_corners(e, x, gpus, true, s);
        x->alone = band_over_workloads(e, s->speed, s, n, &ignored);
    }
    x->corners = sum_corners(e, x, gpus, false, s);
    x->energy = band_over_workloads(e, s->energy, s, x->corners, &ignored);
    x->speed = band_over_workloads(e, s->speed, s, x->corners, &x->holes);
}

/* ---- Which ---- */

static size_t others_of(const explore *e, size_t axis)
{
    return e->axes[axis].count - 1;
}

/* The v-th value that is not the base's. */
static size_t other_value(const explore *e, size_t axis, size_t v)
{
    return v < base_value(e, axis) ? v : v + 1;
}

static void add_contrast(explore *e, size_t gpus, explore_contrast x, sums *s)
{
    explore_contrast *to = &e->contrasts[e->contrast_count++];

    *to = x;
    measure(e, to, gpus, s);
}

static void add_group(explore *e, size_t gpus, size_t group, sums *s)
{
    explore_contrast x = {.group = group, .axis = {EXPLORE_NONE, EXPLORE_NONE}};

    for (size_t a = 0; a < e->varying; a++)
        for (size_t v = 0; a != gpus && v < others_of(e, a); v++) {
            x.axis[0] = a;
            x.value[0] = other_value(e, a, v);
            x.axis[1] = EXPLORE_NONE;
            add_contrast(e, gpus, x, s);
            for (size_t b = a + 1; b < e->varying; b++)
                for (size_t u = 0; b != gpus && u < others_of(e, b); u++) {
                    x.axis[1] = b;
                    x.value[1] = other_value(e, b, u);
                    add_contrast(e, gpus, x, s);
                }
        }
}

static int compare_sizes(size_t a, size_t b) { return (a > b) - (a < b); }

static double size_of(const explore_contrast *x)
{
    if (isnan(x->speed.mean))
        return x->corners ? -1 : -2;
    return pareto_round(fabs(log(x->speed.mean)));
}

/* By group; single axes before pairs; pairs by their size, the largest first,
 * behind them those that are unknown and those that are not there. */
static int by_size(const void *a, const void *b)
{
    const explore_contrast *p = a, *q = b;
    bool two = p->axis[1] != EXPLORE_NONE;
    int is = compare_sizes(p->group, q->group);

    if (!is)
        is = two - (q->axis[1] != EXPLORE_NONE);
    if (!is && two) {
        double x = size_of(p), y = size_of(q);

        is = (x < y) - (x > y);
    }
    for (unsigned i = 0; i < 2 && !is; i++) {
        is = compare_sizes(p->axis[i], q->axis[i]);
        if (!is)
            is = compare_sizes(p->value[i], q->value[i]);
    }
    return is;
}

void explore_make_contrasts(explore *e)
{
    size_t gpus = explore_axis_find(e, "gpu"), groups = 1, values = 0, room;
    double *x;
    sums s;

    if (!e->options.contrasts || !e->varying)
        return;
    gpus = gpus != EXPLORE_NONE && gpus < e->varying ? gpus : EXPLORE_NONE;
    if (gpus != EXPLORE_NONE)
        groups = e->axes[gpus].count;
    for (size_t a = 0; a < e->varying; a++)
        values += others_of(e, a);
    room = groups * (values + values * values);
    e->contrasts = ARENA_ARRAY(e->mem, explore_contrast, room + 1);
    x = new0(3 * e->workload_count + 1, sizeof *x);
    s = (sums){.speed = x,
               .energy = x + e->workload_count,
               .ratios = x + 2 * e->workload_count,
               .at = ARENA_ARRAY(e->mem, size_t, e->axis_count + 1)};
    for (size_t g = 0; g < groups; g++)
        add_group(e, gpus, gpus == EXPLORE_NONE ? EXPLORE_NONE : g, &s);
    free(x);
    qsort(e->contrasts, e->contrast_count, sizeof *e->contrasts, by_size);
}

const char *explore_contrast_part(const explore *e, const explore_contrast *x,
                                  unsigned i)
{
    const explore_axis *a = &e->axes[x->axis[i]];

    return arena_printf(e->mem, "%s=%s", a->tag, a->values[x->value[i]]);
}

const char *explore_contrast_name(const explore *e, const explore_contrast *x)
{
    const char *one = explore_contrast_part(e, x, 0);

    return x->axis[1] == EXPLORE_NONE
               ? one
               : arena_printf(e->mem, "%s * %s", one,
                              explore_contrast_part(e, x, 1));
}

const char *explore_contrast_group(const explore *e, const explore_contrast *x)
{
    size_t gpus = explore_axis_find(e, "gpu");

    return x->group == EXPLORE_NONE ? NULL : e->axes[gpus].values[x->group];
}

const char *explore_contrast_verdict(const band *b, bool two)
{
    if (b->draws < 2)
        return "unknown";
    if (!band_is_beyond(b))
        return two ? "as each alone" : "no difference";
    if (b->mean > 1)
        return two ? "more together" : "faster";
    return two ? "less together" : "slower";
}
