/* src/explore/explore.c - see explore.h: every configuration against its base.
 */
#include "explore/explore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "study/pareto.h"

/* ---- Names ---- */

static const char *const goal_names[EXPLORE_GOALS] = {
    [EXPLORE_BY_SPEEDUP] = "speedup", [EXPLORE_BY_ENERGY] = "energy",
    [EXPLORE_BY_EDP] = "edp",         [EXPLORE_BY_PART] = "part_energy",
    [EXPLORE_BY_BITS] = "bits",       [EXPLORE_BY_PART_BITS] = "part_bits",
};

bool explore_goal_is_bits(explore_goal g)
{
    return g == EXPLORE_BY_BITS || g == EXPLORE_BY_PART_BITS;
}

bool explore_goal_is_part(explore_goal g)
{
    return g == EXPLORE_BY_PART || g == EXPLORE_BY_PART_BITS;
}

const char *explore_goal_name(explore_goal g) { return goal_names[g]; }

/* The axis with a part of that name, or end of it, and which part. */
static size_t find_part(const explore *e, const char *name, size_t *part)
{
    size_t found = EXPLORE_NONE, n = strlen(name);

    for (size_t i = 0; i < e->axis_count; i++)
        for (size_t p = 0; p < e->axes[i].part_count; p++) {
            const char *is = e->axes[i].parts[p];
            size_t m = strlen(is);

            if (strcmp(is, name) &&
                (m <= n || is[m - n - 1] != '.' || strcmp(is + m - n, name)))
                continue;
            if (found == EXPLORE_NONE || m == n) {
                found = i;
                *part = p;
            }
        }
    return found;
}

size_t explore_axis_find(const explore *e, const char *name)
{
    size_t part;

    for (size_t i = 0; i < e->axis_count; i++)
        if (!strcmp(e->axes[i].name, name) || !strcmp(e->axes[i].tag, name))
            return i;
    return find_part(e, name, &part);
}

static void no_axis(const explore *e, const char *what, const char *name,
                    diag *dg)
{
    const char **names;
    const char *near;
    size_t n = 0, all = 0;

    for (size_t i = 0; i < e->axis_count; i++)
        all += e->axes[i].part_count;
    names = ARENA_ARRAY(e->mem, const char *, all + 1);
    for (size_t i = 0; i < e->axis_count; i++)
        for (size_t p = 0; p < e->axes[i].part_count; p++)
            names[n++] = e->axes[i].parts[p];
    near = suggest_nearest(name, names, n);
    diag_error(dg, "%s: there is no axis '%s'%s%s%s", what, name,
               near ? "; did you mean '" : "", near ? near : "",
               near ? "'?" : "");
}

/* ---- The base ---- */

static bool same_value(const char *a, const char *b)
{
    return !strcmp(a, b) || explore_number(a) == explore_number(b);
}

static status take_base(explore *e, const explore_factor *f, diag *dg)
{
    size_t part = 0, i = find_part(e, f->name, &part);
    const explore_axis *a;
    strbuf all = {0};

    if (i == EXPLORE_NONE) {
        no_axis(e, "base", f->name, dg);
        return ST_USAGE;
    }
    a = &e->axes[i];
    for (size_t v = 0; v < a->count; v++) {
        const char *is = a->part_values[v * a->part_count + part];

        if (same_value(is, f->value)) {
            e->base_at[i] = v;
            strbuf_fini(&all);
            return ST_OK;
        }
        strbuf_printf(&all, "%s%s", v ? ", " : "", is);
    }
    diag_error(dg, "base: no point has %s=%s; there are %.300s", f->name,
               f->value, all.text);
    strbuf_fini(&all);
    return ST_USAGE;
}

/* The base of a comparison: its first side on the same GPU, whatever that has
 * of its own. */
static size_t base_side(const explore *e, const explore_config *c, size_t gpu)
{
    for (size_t i = 0; i < e->config_count; i++) {
        const explore_config *b = &e->configs[i];

        if (b->label && !strcmp(b->label, e->base_side) &&
            (gpu == EXPLORE_NONE || b->at[gpu] == c->at[gpu]))
            return i;
    }
    return EXPLORE_NONE;
}

static status find_bases(explore *e, diag *dg)
{
    const explore_options *o = &e->options;
    size_t *at = ARENA_ARRAY(e->mem, size_t, e->axis_count + 1);
    size_t gpu = explore_axis_find(e, "gpu");
    bool one = e->config_count > 0;

    e->base_at = ARENA_ARRAY(e->mem, size_t, e->axis_count + 1);
    for (size_t i = 0; i < e->axis_count; i++)
        e->base_at[i] = !o->base_count && e->config_count ? e->configs[0].at[i]
                                                          : EXPLORE_NONE;
    for (size_t i = 0; i < o->base_count; i++) {
        status st = take_base(e, &o->base[i], dg);

        if (st != ST_OK)
            return st;
    }
    if (!o->base_count && e->config_count)
        e->base_side = e->configs[0].label;
    if (e->base_side && gpu != EXPLORE_NONE)
        e->base_at[gpu] = EXPLORE_NONE;
    for (size_t i = 0; i < e->config_count; i++) {
        explore_config *c = &e->configs[i];

        for (size_t k = 0; k < e->axis_count; k++)
            at[k] = e->base_at[k] == EXPLORE_NONE ? c->at[k] : e->base_at[k];
        c->base = e->base_side ? base_side(e, c, gpu) : explore_at(e, at);
        one = one && c->base == e->configs[0].base;
    }
    e->base = one ? e->configs[0].base : EXPLORE_NONE;
    e->reference = e->config_count ? e->configs[0].base : EXPLORE_NONE;
    return ST_OK;
}

/* ---- Ratios ---- */

/* NAN unless both are above 0. */
static double over(double a, double b) { return a > 0 && b > 0 ? a / b : NAN; }

static double ratio_of(const explore_cell *x, const explore_cell *y,
                       explore_goal goal)
{
    if (!x->counts || !y->counts)
        return NAN;
    switch (goal) {
    case EXPLORE_BY_SPEEDUP:
        return over(y->time_s, x->time_s);
    case EXPLORE_BY_ENERGY:
        return over(x->energy_j, y->energy_j);
    case EXPLORE_BY_PART:
        return over(x->part_j, y->part_j);
    case EXPLORE_BY_EDP:
    case EXPLORE_BY_BITS:
    case EXPLORE_BY_PART_BITS:
    case EXPLORE_GOALS:
        return over(x->energy_j * x->time_s, y->energy_j * y->time_s);
    }
    MUST(!"every value is above");
}

static void judge_config(explore *e, explore_config *c, double *room)
{
    const explore_config *b =
        c->base == EXPLORE_NONE ? NULL : &e->configs[c->base];

    for (size_t w = 0; w < e->workload_count; w++) {
        explore_cell *x = &c->cells[w];

        for (unsigned r = 0; r < EXPLORE_RATIOS; r++)
            x->ratio[r] = b ? ratio_of(x, &b->cells[w], (explore_goal)r) : NAN;
        c->holes += isnan(x->ratio[EXPLORE_BY_SPEEDUP]);
    }
    for (unsigned r = 0; r < EXPLORE_RATIOS; r++) {
        size_t n = 0;

        for (size_t w = 0; w < e->workload_count; w++)
            if (!isnan(c->cells[w].ratio[r]))
                room[n++] = c->cells[w].ratio[r];
        c->mean[r] = mean_of(room, n + c->holes == e->workload_count ? n : 0);
    }
}

static int by_count(const void *a, const void *b)
{
    const explore_cause *p = a, *q = b;

    if (p->count != q->count)
        return p->count > q->count ? -1 : 1;
    return strcmp(p->status, q->status);
}

static void count_causes(explore *e)
{
    size_t room = 0;

    for (size_t i = 0; i < e->config_count; i++)
        for (size_t w = 0; w < e->workload_count; w++) {
            const explore_cell *x = &e->configs[i].cells[w];
            size_t k = 0;

            e->points++;
            e->counting += x->counts;
            while (k < e->cause_count && strcmp(e->causes[k].status, x->status))
                k++;
            if (x->counts)
                continue;
            ARENA_GROW(e->mem, e->causes, k, room);
            if (k == e->cause_count)
                e->causes[e->cause_count++] =
                    (explore_cause){x->status, x->why, x->tail, 0, i, w};
            e->causes[k].count++;
        }
    if (e->cause_count)
        qsort(e->causes, e->cause_count, sizeof *e->causes, by_count);
}

status explore_finish(explore *e, const explore_options *o, diag *dg)
{
    double *room;
    status st;

    e->options = *o;
    e->options.level = o->level > 0 ? o->level : 1;
    e->options.fade = o->fade > 0 ? o->fade : 0.01;
    if ((st = explore_make_space(e, dg)) != ST_OK ||
        (st = find_bases(e, dg)) != ST_OK)
        return st;
    room = ARENA_ARRAY(e->mem, double, e->workload_count + 1);
    for (size_t i = 0; i < e->config_count; i++)
        judge_config(e, &e->configs[i], room);
    count_causes(e);
    explore_make_fronts(e);
    explore_make_effects(e);
    explore_make_contrasts(e);
    return explore_make_crosses(e, dg);
}

/* ---- Queries ---- */

bool explore_complete(const explore *e, const explore_config *c)
{
    return !c->holes || (e->options.allow_missing && c->mean[0].count);
}

double explore_figure(const explore *e, const explore_config *c,
                      explore_goal goal, size_t workload)
{
    if (explore_goal_is_bits(goal))
        return goal == EXPLORE_BY_BITS ? c->bits : c->part_bits;
    if (workload != EXPLORE_NONE)
        return c->cells[workload].ratio[goal];
    return explore_complete(e, c) ? c->mean[goal].geometric : NAN;
}

double explore_against(const explore *e, const explore_config *c,
                       explore_goal goal, size_t workload)
{
    const explore_config *r;
    double sum = 0;
    size_t n = 0, timed = 0;

    if (explore_goal_is_bits(goal) || e->base != EXPLORE_NONE)
        return explore_figure(e, c, goal, workload);
    if (e->reference == EXPLORE_NONE)
        return NAN;
    r = &e->configs[e->reference];
    if (workload != EXPLORE_NONE)
        return ratio_of(&c->cells[workload], &r->cells[workload], goal);
    for (size_t w = 0; w < e->workload_count; w++) {
        double x = ratio_of(&c->cells[w], &r->cells[w], goal);

        timed += c->cells[w].counts && r->cells[w].counts;
        if (!isnan(x)) {
            sum += log(x);
            n++;
        }
    }
    return n && n == timed &&
                   (n == e->workload_count || e->options.allow_missing)
               ? exp(sum / (double)n)
               : NAN;
}

double explore_wanted_figure(const explore *e, const explore_config *c,
                             size_t figure, size_t workload)
{
    double sum = 0;
    size_t n = 0;

    if (workload != EXPLORE_NONE)
        return c->cells[workload].counts ? c->cells[workload].figures[figure]
                                         : NAN;
    for (size_t w = 0; w < e->workload_count; w++)
        if (c->cells[w].counts) {
            sum += c->cells[w].figures[figure];
            n++;
        }
    if (!n || (n < e->workload_count && !e->options.allow_missing))
        return NAN;
    return sum / (double)n;
}

/* ---- Limits and order ---- */

static explore_goal find_goal(const char *name)
{
    unsigned g = 0;

    while (g < EXPLORE_GOALS && strcmp(goal_names[g], name))
        g++;
    return (explore_goal)g;
}

static size_t find_figure(const explore *e, const char *name)
{
    for (size_t i = 0; i < e->figure_count; i++)
        if (!strcmp(e->figures[i], name))
            return i;
    return EXPLORE_NONE;
}

status explore_limit_parse(const explore *e, const char *text, diag *dg,
                           explore_limit *out)
{
    size_t n = strcspn(text, "<>="), part;
    size_t m = text[n] ? 1 + (text[n] != '=' && text[n + 1] == '=') : 0;
    explore_limit l = {.text = text};

    l.name = arena_strndup(e->mem, text, n);
    l.value = text + n + m;
    memcpy(l.what, text + n, m);
    l.number = explore_number(l.value);
    if (!n || !m || !*l.value) {
        diag_error(dg,
                   "'%s' is no limit like bits<=40000, energy<1.1 or "
                   "l1.sets=64",
                   text);
        return ST_USAGE;
    }
    if (find_goal(l.name) == EXPLORE_GOALS &&
        find_figure(e, l.name) == EXPLORE_NONE &&
        find_part(e, l.name, &part) == EXPLORE_NONE) {
        diag_error(
            dg,
            "'%s': there is no '%s'; a limit is about speedup, energy, "
            "edp, bits, part_energy, part_bits, an axis or what --show names",
            text, l.name);
        return ST_USAGE;
    }
    if (isnan(l.number) && strcmp(l.what, "=")) {
        diag_error(dg, "'%s': '%s' is no number", text, l.value);
        return ST_USAGE;
    }
    *out = l;
    return ST_OK;
}

static bool limit_holds(double x, const char *what, double limit)
{
    if (!strcmp(what, "<"))
        return x < limit;
    if (!strcmp(what, "<="))
        return x <= limit;
    if (!strcmp(what, ">"))
        return x > limit;
    if (!strcmp(what, ">="))
        return x >= limit;
    return x == limit;
}

bool explore_within(const explore *e, const explore_config *c,
                    const explore_limit *l, bool *unknown)
{
    explore_goal goal = find_goal(l->name);
    size_t figure = find_figure(e, l->name), part, axis;
    double x;

    if (goal < EXPLORE_GOALS) {
        x = explore_figure(e, c, goal, EXPLORE_NONE);
    } else if (figure != EXPLORE_NONE) {
        x = explore_wanted_figure(e, c, figure, EXPLORE_NONE);
    } else {
        const explore_axis *a;
        const char *value;

        axis = find_part(e, l->name, &part);
        a = &e->axes[axis];
        value = a->part_values[c->at[axis] * a->part_count + part];
        if (!strcmp(l->what, "="))
            return same_value(value, l->value);
        x = explore_number(value);
    }
    *unknown = *unknown || isnan(x);
    return limit_holds(x, l->what, l->number);
}

status explore_order_parse(const explore *e, const char *text, diag *dg,
                           explore_order *out)
{
    *out = (explore_order){find_goal(text), find_figure(e, text),
                           !strcmp(text, "number")};
    if (out->goal < EXPLORE_GOALS || out->figure != EXPLORE_NONE ||
        out->by_number)
        return ST_OK;
    diag_error(dg,
               "'%s' is no order: speedup, energy, edp, bits, part_energy, "
               "part_bits, number or what "
               "--show names",
               text);
    return ST_USAGE;
}

typedef struct ranked {
    double key; /* less is better */
    size_t index;
} ranked;

static int by_key(const void *a, const void *b)
{
    const ranked *p = a, *q = b;

    if (isnan(p->key) != isnan(q->key))
        return isnan(p->key) ? 1 : -1;
    if (!isnan(p->key) && p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

size_t *explore_sorted(const explore *e, const explore_order *o)
{
    ranked *all = new0(e->config_count + 1, sizeof *all);
    size_t *order = ARENA_ARRAY(e->mem, size_t, e->config_count + 1);
    bool most = o->figure != EXPLORE_NONE || o->goal == EXPLORE_BY_SPEEDUP;

    for (size_t i = 0; i < e->config_count; i++) {
        const explore_config *c = &e->configs[i];
        double x = o->by_number ? 0
                   : o->figure != EXPLORE_NONE
                       ? explore_wanted_figure(e, c, o->figure, EXPLORE_NONE)
                       : explore_figure(e, c, o->goal, EXPLORE_NONE);

        x = pareto_round(x);
        all[i] = (ranked){most && !o->by_number ? -x : x, i};
    }
    qsort(all, e->config_count, sizeof *all, by_key);
    for (size_t i = 0; i < e->config_count; i++)
        order[i] = all[i].index;
    free(all);
    return order;
}
