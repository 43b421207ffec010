/* src/explore/explore_data.c - an exploration as JSON and as CSV. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "explore/explore_text.h"
#include "report/run.h"
#include "text/csv.h"
#include "text/json.h"

static const char *const ratio_names[EXPLORE_RATIOS] = {
    [EXPLORE_BY_SPEEDUP] = "speedup",
    [EXPLORE_BY_ENERGY] = "energy_ratio",
    [EXPLORE_BY_EDP] = "edp_ratio",
    [EXPLORE_BY_PART] = "part_energy_ratio",
};

/* That of the part only if there is one. */
static unsigned ratio_count(const explore *e)
{
    return e->part ? EXPLORE_RATIOS : EXPLORE_BY_PART;
}

/* ---- JSON ---- */

static void write_studies(json *j, const explore_view *v)
{
    json_open(j, "studies", '[');
    for (size_t i = 0; i < v->study_count; i++) {
        const explore_study *s = &v->studies[i];

        json_open(j, NULL, '{');
        json_text(j, "uid", s->uid);
        json_text(j, "kind", s->kind);
        json_text(j, "name", s->name);
        json_text(j, "about", s->about);
        json_text(j, "command", s->command);
        json_text(j, "created", s->created);
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void write_axes(json *j, const explore *e)
{
    json_open(j, "axes", '[');
    for (size_t i = 0; i < e->axis_count; i++) {
        const explore_axis *a = &e->axes[i];

        json_open(j, NULL, '{');
        json_text(j, "name", a->name);
        json_bool(j, "varies", a->count > 1);
        json_bool(j, "logarithmic", a->logarithmic);
        json_text(j, "base",
                  e->base_at[i] == EXPLORE_NONE ? NULL
                                                : a->values[e->base_at[i]]);
        json_open(j, "values", '[');
        for (size_t k = 0; k < a->count; k++)
            if (a->numbers)
                json_real(j, NULL, a->numbers[k]);
            else
                json_text(j, NULL, a->values[k]);
        json_close(j, '[');
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void write_factors(json *j, const explore *e, const explore_config *c)
{
    json_open(j, "factors", '{');
    for (size_t i = 0; i < e->axis_count; i++) {
        const explore_axis *a = &e->axes[i];

        for (size_t p = 0; p < a->part_count; p++)
            json_text(j, a->parts[p],
                      a->part_values[c->at[i] * a->part_count + p]);
    }
    json_close(j, '{');
}

static void write_cell(json *j, const explore *e, const explore_config *c,
                       size_t w)
{
    const explore_cell *x = &c->cells[w];

    json_open(j, NULL, '{');
    json_text(j, "workload", e->workloads[w]);
    json_text(j, "status", x->status);
    json_text(j, "why", x->why);
    json_real(j, "seconds", x->counts ? x->time_s : NAN);
    json_real(j, "cycles", x->counts ? x->cycles : NAN);
    json_real(j, "joules", x->counts ? x->energy_j : NAN);
    for (unsigned r = 0; r < ratio_count(e); r++)
        json_real(j, ratio_names[r], x->ratio[r]);
    for (size_t i = 0; i < e->figure_count; i++)
        json_real(j, e->figures[i], explore_wanted_figure(e, c, i, w));
    json_close(j, '{');
}

/* What must not be averaged is null. */
static void write_mean(json *j, const explore *e, const explore_config *c)
{
    bool good = explore_complete(e, c);

    json_open(j, "mean", '{');
    json_bool(j, "complete", !c->holes);
    json_u64(j, "workloads", c->mean[EXPLORE_BY_SPEEDUP].count);
    json_u64(j, "holes", c->holes);
    for (unsigned r = 0; r < ratio_count(e); r++)
        json_real(j, ratio_names[r], good ? c->mean[r].geometric : NAN);
    json_real(j, "speedup_spread", good ? c->mean[0].spread : NAN);
    for (size_t i = 0; i < e->figure_count; i++)
        json_real(j, e->figures[i],
                  explore_wanted_figure(e, c, i, EXPLORE_NONE));
    json_close(j, '{');
}

static void write_configs(json *j, const explore *e, const explore_view *v)
{
    size_t n, unknown;
    size_t *shown = explore_shown(e, v, &n, &unknown);

    json_open(j, "configurations", '[');
    for (size_t i = 0; i < n; i++) {
        const explore_config *c = &e->configs[shown[i]];

        json_open(j, NULL, '{');
        json_u64(j, "number", c->number);
        json_text(j, "side", c->label);
        write_factors(j, e, c);
        json_real(j, "bits", c->bits);
        if (e->part)
            json_real(j, "part_bits", c->part_bits);
        if (c->base == EXPLORE_NONE)
            json_text(j, "base", NULL);
        else
            json_u64(j, "base", e->configs[c->base].number);
        write_mean(j, e, c);
        json_open(j, "workloads", '[');
        for (size_t w = 0; w < e->workload_count; w++)
            write_cell(j, e, c, w);
        json_close(j, '[');
        json_close(j, '{');
    }
    json_close(j, '[');
    json_u64(j, "not_known_within_limits", unknown);
}

static void write_causes(json *j, const explore *e)
{
    json_u64(j, "points", e->points);
    json_u64(j, "passed", e->counting);
    json_open(j, "causes", '[');
    for (size_t i = 0; i < e->cause_count; i++) {
        const explore_cause *c = &e->causes[i];
        const explore_cell *x = &e->configs[c->config].cells[c->workload];

        json_open(j, NULL, '{');
        json_text(j, "status", c->status);
        json_u64(j, "points", c->count);
        if (x->number == EXPLORE_NO_POINT)
            json_text(j, "first", NULL);
        else
            json_u64(j, "first", x->number);
        json_text(j, "workload", e->workloads[c->workload]);
        json_text(j, "why", c->why);
        json_text(j, "output", c->tail);
        json_close(j, '{');
    }
    json_close(j, '[');
}

/* ---- JSON: what follows ---- */

static void write_front(json *j, const explore *e, const explore_front *f,
                        const char *workload)
{
    json_open(j, NULL, '{');
    json_text(j, "name", f->name);
    json_text(j, "workload", workload);
    json_open(j, "goals", '[');
    for (size_t g = 0; g < f->goal_count; g++)
        json_text(j, NULL, explore_goal_name(f->goals[g]));
    json_close(j, '[');
    json_open(j, "members", '[');
    for (size_t i = 0; i < f->count; i++)
        json_u64(j, NULL, e->configs[f->members[i]].number);
    json_close(j, '[');
    json_u64(j, "of", e->config_count);
    json_u64(j, "unknown", f->unknown);
    json_close(j, '{');
}

static void write_fronts(json *j, const explore *e, const explore_view *v)
{
    json_open(j, "fronts", '[');
    for (size_t i = 0; i < e->front_count; i++)
        write_front(j, e, &e->fronts[i], NULL);
    for (size_t w = 0; w < e->workload_count && v->by_workload; w++) {
        const explore_front *fronts = explore_workload_fronts(e, w);

        for (size_t i = 0; i < e->front_count; i++)
            write_front(j, e, &fronts[i], e->workloads[w]);
    }
    json_close(j, '[');
}

static void write_effects(json *j, const explore *e)
{
    json_open(j, "effects", '[');
    for (size_t i = 0; i < e->effect_count; i++) {
        const explore_effect *f = &e->effects[i];
        const explore_axis *a = &e->axes[f->axis];
        bool good = !f->holes || e->options.allow_missing;

        json_open(j, NULL, '{');
        json_text(j, "axis", a->name);
        json_u64(j, "pairs", f->pairs);
        json_u64(j, "holes", f->holes);
        json_real(j, "speed_of_a_step", f->speed);
        json_real(j, "energy_of_a_step", f->energy);
        json_text(j, "enough",
                  f->enough == EXPLORE_NONE ? NULL : a->values[f->enough]);
        json_open(j, "steps", '[');
        for (size_t k = 0; k < f->step_count; k++) {
            const explore_step *s = &f->steps[k];

            json_open(j, NULL, '{');
            json_text(j, "from", a->values[s->from]);
            json_text(j, "to", a->values[s->to]);
            json_real(j, "speedup", good ? s->speedup.geometric : NAN);
            json_real(j, "least", good ? s->speedup.least : NAN);
            json_real(j, "most", good ? s->speedup.most : NAN);
            json_real(j, "energy_ratio", good ? s->energy.geometric : NAN);
            json_u64(j, "pairs", s->speedup.count);
            json_u64(j, "holes", s->holes);
            json_close(j, '{');
        }
        json_close(j, '[');
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void write_band(json *j, const char *key, const band *b)
{
    json_open(j, key, '{');
    json_u64(j, "workloads", b->draws);
    json_real(j, "mean", b->mean);
    json_real(j, "low", b->low);
    json_real(j, "high", b->high);
    json_bool(j, "beyond", band_is_beyond(b));
    json_close(j, '{');
}

/* Only if they were asked for. */
static void write_contrasts(json *j, const explore *e)
{
    if (!e->options.contrasts)
        return;
    json_open(j, "contrasts", '[');
    for (size_t i = 0; i < e->contrast_count; i++) {
        const explore_contrast *x = &e->contrasts[i];
        bool two = x->axis[1] != EXPLORE_NONE;

        json_open(j, NULL, '{');
        json_text(j, "gpu", explore_contrast_group(e, x));
        json_open(j, "of", '{');
        for (unsigned k = 0; k < 1u + two; k++)
            json_text(j, e->axes[x->axis[k]].name,
                      e->axes[x->axis[k]].values[x->value[k]]);
        json_close(j, '{');
        json_u64(j, "settings", x->corners);
        json_u64(j, "holes", x->holes);
        write_band(j, "speed", &x->speed);
        if (!two)
            write_band(j, "alone", &x->alone);
        write_band(j, "energy", &x->energy);
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void write_events(json *j, const explore *e, const explore_cross *c,
                         const char *key, const crossing *x, size_t n)
{
    const explore_axis *a = &e->axes[c->along];

    json_open(j, key, '[');
    for (size_t i = 0; i < n; i++) {
        json_open(j, NULL, '{');
        json_text(j, "after", a->values[c->places[x[i].from]]);
        json_text(j, "before", a->values[c->places[x[i].to]]);
        json_real(j, "at", a->numbers ? x[i].at : NAN);
        json_bool(j, "rising", x[i].rising);
        json_u64(j, "unknown_between", x[i].unknown);
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void write_cross(json *j, const explore *e, const explore_cross *c)
{
    const explore_axis *a = &e->axes[c->along];
    const explore_axis *b =
        c->between == EXPLORE_NONE ? NULL : &e->axes[c->between];

    json_open(j, NULL, '{');
    json_text(j, "along", a->name);
    json_text(j, "between", b ? b->name : NULL);
    json_text(j, "of", b ? b->values[c->to] : NULL);
    json_text(j, "over", b ? b->values[c->from] : NULL);
    json_u64(j, "like", e->configs[c->config].number);
    json_text(j, "workload",
              c->workload == EXPLORE_NONE ? NULL : e->workloads[c->workload]);
    json_open(j, "line", '[');
    for (size_t i = 0; i < c->line.count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "at", a->values[c->places[i]]);
        json_real(j, "speedup", c->line.ratio[i]);
        json_close(j, '{');
    }
    json_close(j, '[');
    json_real(j, "least", c->least);
    json_real(j, "most", c->most);
    json_real(j, "effect", c->effect);
    write_events(j, e, c, "crossings", c->events, c->event_count);
    write_events(j, e, c, "fades", c->fades, c->fade_count);
    json_close(j, '{');
}

void explore_json(const explore *e, const explore_view *v, FILE *to)
{
    json j = json_document(to);

    write_studies(&j, v);
    write_axes(&j, e);
    write_causes(&j, e);
    json_bool(&j, "allow_missing", e->options.allow_missing);
    write_configs(&j, e, v);
    write_fronts(&j, e, v);
    write_effects(&j, e);
    write_contrasts(&j, e);
    json_real(&j, "level", e->options.level);
    json_real(&j, "fade", e->options.fade);
    json_open(&j, "crossovers", '[');
    for (size_t i = 0; i < e->cross_count; i++)
        write_cross(&j, e, &e->crosses[i]);
    json_close(&j, '[');
    json_document_end(&j);
}

/* ---- CSV ---- */

static void csv_head(const explore *e, csv *c)
{
    csv_names(c, "configuration,side");
    for (size_t i = 0; i < e->axis_count; i++)
        for (size_t p = 0; p < e->axes[i].part_count; p++)
            csv_text(c, e->axes[i].parts[p]);
    csv_names(c, "workload,point,status,why,base,cycles,seconds,joules,bits");
    if (e->part)
        csv_names(c, "part_joules,part_bits");
    for (unsigned r = 0; r < ratio_count(e); r++)
        csv_names(c, ratio_names[r]);
    for (unsigned r = 0; r < ratio_count(e); r++)
        csv_name(c, "mean_", ratio_names[r]);
    csv_names(c, "holes");
    for (size_t i = 0; i < e->front_count; i++) {
        csv_names(c, "front");
        for (size_t g = 0; g < e->fronts[i].goal_count; g++)
            fprintf(c->to, "_%s", explore_goal_name(e->fronts[i].goals[g]));
    }
    for (size_t i = 0; i < e->figure_count; i++)
        csv_text(c, e->figures[i]);
    csv_line(c);
}

static void csv_figures(const explore *e, const explore_config *c, size_t w,
                        csv *to)
{
    const explore_cell *x = &c->cells[w];

    csv_real(to, x->counts ? x->cycles : NAN);
    csv_real(to, x->counts ? x->time_s : NAN);
    csv_real(to, x->counts ? x->energy_j : NAN);
    csv_real(to, c->bits);
    if (e->part) {
        csv_real(to, x->counts ? x->part_j : NAN);
        csv_real(to, c->part_bits);
    }
    for (unsigned r = 0; r < ratio_count(e); r++)
        csv_real(to, x->ratio[r]);
    for (unsigned g = 0; g < ratio_count(e); g++)
        csv_real(to, explore_figure(e, c, (explore_goal)g, EXPLORE_NONE));
    csv_u64(to, c->holes);
    for (size_t i = 0; i < e->front_count; i++)
        csv_u64(to, c->fronts >> i & 1);
    for (size_t i = 0; i < e->figure_count; i++)
        csv_real(to, explore_wanted_figure(e, c, i, w));
}

static void put_csv_row(const explore *e, const explore_config *c, size_t w,
                        csv *to)
{
    const explore_cell *x = &c->cells[w];

    csv_u64(to, c->number);
    csv_text(to, c->label);
    for (size_t i = 0; i < e->axis_count; i++) {
        const explore_axis *a = &e->axes[i];

        for (size_t p = 0; p < a->part_count; p++)
            csv_text(to, a->part_values[c->at[i] * a->part_count + p]);
    }
    csv_text(to, e->workloads[w]);
    if (x->number == EXPLORE_NO_POINT)
        csv_empty(to, 1);
    else
        csv_u64(to, x->number);
    csv_text(to, x->status);
    csv_text(to, x->why);
    csv_real(to, c->base == EXPLORE_NONE ? NAN
                                         : (double)e->configs[c->base].number);
    csv_figures(e, c, w, to);
    csv_line(to);
}

void explore_csv(const explore *e, const explore_view *v, FILE *to)
{
    size_t n, unknown;
    size_t *shown = explore_shown(e, v, &n, &unknown);
    csv c = csv_start(to);

    csv_head(e, &c);
    for (size_t i = 0; i < n; i++)
        for (size_t w = 0; w < e->workload_count; w++)
            put_csv_row(e, &e->configs[shown[i]], w, &c);
}
