/* src/pages/page_sweep.c - a design space: what came out in words, maps of two
 * axes, what each axis does; see page_sweep.h. */
#include "pages/page_sweep.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "explore/explore_load.h"
#include "explore/explore_text.h"
#include "pages/page_words.h"
#include "sweep/explore_plan.h"

enum {
    MAPPED = 3,      /* axes: the most important ones */
    MAP_VALUES = 64, /* of an axis in a map */
    CAUSES = 20
};

static double speed_of(const explore *e, size_t c, size_t w)
{
    return c == EXPLORE_NONE
               ? NAN
               : explore_figure(e, &e->configs[c], EXPLORE_BY_SPEEDUP, w);
}

const char *page_sweep_label(const explore *e, size_t i)
{
    const explore_config *c = &e->configs[i];
    const char *label = explore_label(e, c, EXPLORE_NONE, EXPLORE_NONE);

    return c->label && !strcmp(label, "-") ? c->label : label;
}

/* ---- In words ---- */

static void put_causes(page *p, const explore *e)
{
    strbuf text = {0};

    for (size_t i = 0; i < e->cause_count && i < CAUSES; i++) {
        const explore_cause *c = &e->causes[i];

        strbuf_printf(&text, "\n%s: %s%s%s", word_grouped(c->count).s,
                      c->status, c->why ? ", such as: " : "",
                      c->why ? c->why : "");
        words_tail(&text, c->tail ? c->tail : "");
    }
    if (text.size)
        page_alarm(
            p, "Missing", "%s of %s points do not count%s%s",
            word_grouped(e->points - e->counting).s, word_grouped(e->points).s,
            e->options.allow_missing ? ":"
                                     : ", and means over holes are refused:",
            text.text);
    strbuf_fini(&text);
}

/* The best configuration by a goal; EXPLORE_NONE. */
static size_t best_by(const explore *e, explore_goal goal)
{
    explore_order order = {.goal = goal, .figure = EXPLORE_NONE};
    const size_t *sorted = explore_sorted(e, &order);

    if (!e->config_count ||
        isnan(explore_figure(e, &e->configs[sorted[0]], goal, EXPLORE_NONE)))
        return EXPLORE_NONE;
    return sorted[0];
}

static void put_best(page *p, const explore *e)
{
    size_t fast = best_by(e, EXPLORE_BY_SPEEDUP);
    size_t cool = best_by(e, EXPLORE_BY_ENERGY);
    size_t small = best_by(e, EXPLORE_BY_EDP);

    if (fast == EXPLORE_NONE)
        return;
    page_strong(p, "The fastest is %s, %s the base.", page_sweep_label(e, fast),
                words_times(speed_of(e, fast, EXPLORE_NONE)).s);
    if (cool != EXPLORE_NONE)
        page_printf(p, " %s takes the least energy, %s the base's",
                    cool == fast ? "It also" : page_sweep_label(e, cool),
                    words_times(explore_figure(e, &e->configs[cool],
                                               EXPLORE_BY_ENERGY, EXPLORE_NONE))
                        .s);
    if (small != EXPLORE_NONE)
        page_printf(p, "; %s has the lowest energy-delay product, %s.",
                    small == fast ? "the fastest" : page_sweep_label(e, small),
                    words_times(explore_figure(e, &e->configs[small],
                                               EXPLORE_BY_EDP, EXPLORE_NONE))
                        .s);
    else if (cool != EXPLORE_NONE)
        page_printf(p, ".");
}

static void put_best_axes(page *p, const explore *e)
{
    size_t n = 0;

    for (size_t i = 0; i < e->effect_count && i < MAPPED; i++) {
        const explore_effect *f = &e->effects[i];

        if (isnan(f->speed))
            continue;
        page_printf(p, "%s%s (%s)", n++ ? ", then " : " What matters most is ",
                    e->axes[f->axis].name, words_times(f->speed).s);
    }
    if (n)
        page_printf(p, ": what a step changes, up or down, in the mean.");
}

static void put_sweep_lead(page *p, const explore *e)
{
    page_open(p, "p", "lead");
    page_printf(p,
                "%s of %s points passed: %s configuration%s on %zu "
                "workload%s. ",
                word_grouped(e->counting).s, word_grouped(e->points).s,
                word_grouped(e->config_count).s, word_plural(e->config_count),
                e->workload_count, word_plural(e->workload_count));
    put_best(p, e);
    put_best_axes(p, e);
    page_close(p, "p");
    if (e->base != EXPLORE_NONE)
        page_note(p,
                  "Base: %s. All ratios are geometric means over the "
                  "workloads, relative to it.",
                  page_sweep_label(e, e->base));
}

/* ---- Maps and bars ---- */

/* A copy of the base's values; of several bases the first values. */
static size_t *base_values(const explore *e)
{
    size_t *at = ARENA_ARRAY(e->mem, size_t, e->axis_count + 1);

    for (size_t i = 0; i < e->axis_count; i++)
        at[i] = e->base_at[i] == EXPLORE_NONE ? 0 : e->base_at[i];
    return at;
}

static const char *others_text(const explore *e, const size_t *at, size_t a,
                               size_t b)
{
    explore_config like = {.at = (size_t *)at};
    const char *rest = explore_label(e, &like, a, b);

    return strcmp(rest, "-")
               ? arena_printf(e->mem, "geometric mean of the workloads; %s",
                              rest)
               : "geometric mean of the workloads";
}

static void put_map(page *p, const explore *e, size_t a, size_t b, bool *begun)
{
    size_t *at = base_values(e);
    const explore_axis *x = &e->axes[a], *y = &e->axes[b];
    double *values = ARENA_ARRAY(e->mem, double, x->count * y->count);
    bool any = false;

    for (size_t r = 0; r < x->count; r++)
        for (size_t c = 0; c < y->count; c++) {
            double *v = &values[r * y->count + c];

            at[a] = r;
            at[b] = c;
            *v = speed_of(e, explore_at(e, at), EXPLORE_NONE);
            any |= !isnan(*v);
        }
    if (any && !*begun)
        page_section(p, "Two axes at a time");
    *begun |= any;
    if (any)
        chart_heat(
            p, &(heat){.is = {arena_printf(e->mem, "Speed-up by %s and %s",
                                           x->name, y->name),
                              others_text(e, at, a, b),
                              arena_printf(e->mem, "map-%s-%s", x->tag, y->tag),
                              x->name},
                       .rows_are = x->tag,
                       .columns_are = y->tag,
                       .rows = x->values,
                       .columns = y->values,
                       .row_count = x->count,
                       .column_count = y->count,
                       .values = values,
                       .ratio = true,
                       .show = words_ratio});
}

/* The axes that matter most, by pairs, all others at the base's values. */
static void put_maps(page *p, const explore *e)
{
    size_t n = e->effect_count < MAPPED ? e->effect_count : MAPPED;
    bool begun = false;

    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            size_t a = e->effects[i].axis, b = e->effects[k].axis;

            if (e->axes[a].count > MAP_VALUES || e->axes[b].count > MAP_VALUES)
                continue;
            if (e->axes[a].count > e->axes[b].count) /* the longer one across */
                put_map(p, e, b, a, &begun);
            else
                put_map(p, e, a, b, &begun);
        }
}

/* Each value of an axis, for each workload and the mean. */
static void put_axis_map(page *p, const explore *e, size_t a)
{
    const explore_axis *x = &e->axes[a];
    size_t columns = e->workload_count + 1, *at = base_values(e);
    const char **names = ARENA_ARRAY(e->mem, const char *, columns);
    double *values = ARENA_ARRAY(e->mem, double, columns * x->count);

    names[0] = "mean";
    for (size_t w = 0; w < e->workload_count; w++)
        names[w + 1] = e->workloads[w];
    for (size_t v = 0; v < x->count; v++)
        for (size_t w = 0; w < columns; w++) {
            at[a] = v;
            values[w * x->count + v] =
                speed_of(e, explore_at(e, at), w ? w - 1 : EXPLORE_NONE);
        }
    chart_heat(
        p, &(heat){.is = {arena_printf(e->mem, "Speed-up along %s", x->name),
                          others_text(e, at, a, EXPLORE_NONE),
                          arena_printf(e->mem, "along-%s", x->tag), "workload"},
                   .rows_are = "workload",
                   .columns_are = x->tag,
                   .rows = names,
                   .columns = x->values,
                   .row_count = columns,
                   .column_count = x->count,
                   .values = values,
                   .ratio = true,
                   .show = words_ratio});
}

static void put_axes(page *p, const explore *e)
{
    bool begun = false;

    for (size_t i = 0; i < e->effect_count; i++) {
        size_t a = e->effects[i].axis;

        if (e->axes[a].count > MAP_VALUES || e->workload_count > MAP_VALUES)
            continue;
        if (!begun)
            page_section(p, "Along each axis");
        begun = true;
        put_axis_map(p, e, a);
    }
}

/* ---- All of it ---- */

static status load_study(const page_study *y, const sweep_plan *planned,
                         explore **out)
{
    const char *number = arena_printf(y->mem, "%" PRId64, y->study);
    explore_source from = {.studies = &number, .study_count = 1};
    explore_options o = {.level = 1, .fade = 0.01};
    explore_study *studies;
    size_t count;
    status st = explore_load(y->s, y->mem, &from, y->dg, out, &studies, &count);

    if (st != ST_OK)
        return st;
    if (planned) {
        explore_expect(*out, planned);
        explore_plan_options(planned, y->mem, &o);
    } else if (y->plan) {
        explore_text_options(y->plan, y->mem, &o);
    }
    return explore_finish(*out, &o, y->dg);
}

static void put_sweep_facts(page *p, const page_study *y,
                            const page_origin *from)
{
    page_fact f[4];
    size_t n = 0;

    if (y->name)
        f[n++] = (page_fact){"plan", y->name};
    if (from->date)
        f[n++] = (page_fact){"begun", from->date};
    if (from->version)
        f[n++] = (page_fact){"Heddle", from->version};
    if (from->host)
        f[n++] = (page_fact){"hosts", from->host};
    page_facts(p, f, n);
}

status page_sweep(page *p, const page_study *y, const sweep_plan *planned)
{
    page_origin from = page_study_origin(y);
    explore *e = NULL;
    status st = load_study(y, planned, &e);

    if (st != ST_OK)
        return st;
    put_sweep_facts(p, y, &from);
    put_causes(p, e);
    page_run_outside(p, y);
    put_sweep_lead(p, e);
    page_sweep_fronts(p, e);
    put_maps(p, e);
    put_axes(p, e);
    page_sweep_tables(p, e);
    page_section(p, "How to reproduce");
    words_origin(p, &from);
    if (y->plan) {
        page_paragraph(p, "The plan:");
        page_lines(p, y->plan);
    }
    return ST_OK;
}
