/* src/pages/page_sweep_tables.c - the tables of a design space: configurations,
 * workloads, what each axis does, crossovers. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/must.h"
#include "explore/explore_text.h"
#include "pages/page_sweep.h"

enum { CONFIGS = 1000 };

static const char *mean_word(const explore *e, const explore_config *c,
                             explore_goal g)
{
    return arena_strdup(e->mem,
                        words_times(explore_figure(e, c, g, EXPLORE_NONE)).s);
}

static const char *letters_of_config(const explore *e, const explore_config *c)
{
    char text[16] = "";
    size_t n = 0;

    for (size_t i = 0; i < e->front_count && n + 1 < sizeof text; i++)
        if (c->fronts & 1u << i)
            text[n++] = e->fronts[i].letter;
    return arena_strdup(e->mem, text);
}

void page_sweep_values(page *p, const explore *e, const explore_config *c)
{
    for (size_t i = 0; i < e->varying; i++) {
        const explore_axis *a = &e->axes[i];

        if (a->numbers)
            page_number(p, a->numbers[c->at[i]], "%s", a->values[c->at[i]]);
        else
            page_cell(p, "%s", a->values[c->at[i]]);
    }
}

static void put_config(page *p, const explore *e, const explore_config *c)
{
    if (!explore_complete(e, c))
        page_row_bad(p);
    page_cell(p, "#%" PRIu64, c->number);
    page_sweep_values(p, e, c);
    for (int g = 0; g < (e->part ? EXPLORE_RATIOS : EXPLORE_BY_PART); g++)
        page_number(p, explore_figure(e, c, (explore_goal)g, EXPLORE_NONE),
                    "%s",
                    g == 0 && !explore_complete(e, c)
                        ? "refused"
                        : mean_word(e, c, (explore_goal)g));
    page_number(p, c->bits, "%s",
                isnan(c->bits) ? "-" : word_grouped((uint64_t)c->bits).s);
    if (e->part)
        page_number(
            p, c->part_bits, "%s",
            isnan(c->part_bits) ? "-" : word_grouped((uint64_t)c->part_bits).s);
    for (size_t w = 0; w < e->workload_count; w++) {
        double x = c->cells[w].ratio[EXPLORE_BY_SPEEDUP];

        page_number(p, x, "%s",
                    c->cells[w].counts ? words_times(x).s : c->cells[w].status);
    }
    page_cell(p, "%s", letters_of_config(e, c));
}

static void put_config_table(page *p, const explore *e)
{
    size_t n = 0, count = 8 + e->varying + e->workload_count;
    page_column *columns = ARENA_ARRAY(e->mem, page_column, count);
    explore_order order = {.goal = EXPLORE_BY_SPEEDUP, .figure = EXPLORE_NONE};
    const size_t *sorted = explore_sorted(e, &order);

    columns[n++] = (page_column){.name = "point"};
    for (size_t i = 0; i < e->varying; i++)
        columns[n++] = (page_column){.name = e->axes[i].tag,
                                     .help = e->axes[i].name,
                                     .number = e->axes[i].numbers != NULL};
    columns[n++] = (page_column){.name = "speed-up", .number = true};
    columns[n++] = (page_column){.name = "energy", .number = true};
    columns[n++] = (page_column){.name = "EDP", .number = true};
    if (e->part)
        columns[n++] = (page_column){
            .name = arena_printf(e->mem, "%s energy", e->part), .number = true};
    columns[n++] = (page_column){.name = "bits", .number = true};
    if (e->part)
        columns[n++] = (page_column){
            .name = arena_printf(e->mem, "%s bits", e->part), .number = true};
    for (size_t w = 0; w < e->workload_count; w++)
        columns[n++] = (page_column){.name = e->workloads[w],
                                     .help = "speed-up of this workload",
                                     .number = true};
    columns[n++] = (page_column){.name = "fronts"};
    page_section(p, "Configurations");
    page_table(p, "Every configuration, over the base", "configurations",
               columns, n);
    for (size_t i = 0; i < e->config_count && i < CONFIGS; i++)
        put_config(p, e, &e->configs[sorted[i]]);
    page_table_end(p);
    if (e->config_count > CONFIGS)
        page_note(p, "The %d fastest of %s.", CONFIGS,
                  word_grouped(e->config_count).s);
    for (size_t i = 0; i < e->front_count; i++)
        page_note(p, "Front %c: %s.", e->fronts[i].letter, e->fronts[i].name);
}

/* ---- Axes ---- */

/* As elsewhere, no mean over holes unless an option allows it. */
static void put_effect_cell(page *p, const explore_effect *f, const explore *e,
                            double ratio)
{
    if (f->holes && !e->options.allow_missing)
        page_cell(p, "refused");
    else
        page_number(p, ratio, "%s", words_times(ratio).s);
}

static void put_effects(page *p, const explore *e)
{
    static const page_column columns[] = {
        {.name = "axis"},
        {.name = "from"},
        {.name = "to"},
        {.name = "speed-up", .number = true},
        {.name = "least", .number = true},
        {.name = "most", .number = true},
        {.name = "energy", .number = true},
        {.name = "pairs",
         .number = true,
         .help = "of points that differ in nothing else"},
        {.name = "missing", .number = true}};

    page_section(p, "What each step does");
    page_table(p, "From one value to the next, all else equal", "steps",
               columns, 9);
    for (size_t i = 0; i < e->effect_count; i++) {
        const explore_effect *f = &e->effects[i];
        const explore_axis *a = &e->axes[f->axis];

        for (size_t k = 0; k < f->step_count; k++) {
            const explore_step *s = &f->steps[k];

            page_cell(p, "%s", a->name);
            page_cell(p, "%s", a->values[s->from]);
            page_cell(p, "%s", a->values[s->to]);
            put_effect_cell(p, f, e, s->speedup.geometric);
            put_effect_cell(p, f, e, s->speedup.least);
            put_effect_cell(p, f, e, s->speedup.most);
            put_effect_cell(p, f, e, s->energy.geometric);
            page_number(p, (double)s->speedup.count, "%zu", s->speedup.count);
            page_number(p, (double)s->holes, "%zu", s->holes);
        }
    }
    page_table_end(p);
}

static void put_enough(page *p, const explore *e)
{
    for (size_t i = 0; i < e->effect_count; i++) {
        const explore_effect *f = &e->effects[i];
        const explore_axis *a = &e->axes[f->axis];

        if (f->enough != EXPLORE_NONE && f->enough + 1 < a->count)
            page_note(p,
                      "%s: %s is enough; from there to %s no more than "
                      "%.3g %% is gained in all.",
                      a->name, a->values[f->enough], a->values[a->count - 1],
                      100 * e->options.fade);
    }
}

/* ---- Effects with bands ---- */

static void put_band(page *p, const band *b)
{
    page_number(p, b->mean, "%s", words_times(b->mean).s);
    page_number(p, b->low, "%s", words_times(b->low).s);
    page_number(p, b->high, "%s", words_times(b->high).s);
}

static void put_contrasts(page *p, const explore *e, bool two)
{
    const page_column columns[] = {
        {.name = "GPU"},
        {.name = two ? "together" : "value"},
        {.name = "speed",
         .number = true,
         .help = two ? "with both over the product of those with each"
                     : "over the base's value, mean of all settings of the "
                       "other axes"},
        {.name = "from",
         .number = true,
         .help = "95 % confidence, Student's t over workloads"},
        {.name = "to", .number = true},
        {.name = "verdict"},
        {.name = "energy", .number = true},
        {.name = "from", .number = true},
        {.name = "to", .number = true},
        {.name = "settings",
         .number = true,
         .help = "of the other axes that the space has"}};

    page_table(p,
               two ? "What two do together, beyond each alone"
                   : "What each value does",
               two ? "interactions" : "effects", columns, COUNTOF(columns));
    for (size_t i = 0; i < e->contrast_count; i++) {
        const explore_contrast *x = &e->contrasts[i];
        const char *of = explore_contrast_group(e, x);

        if ((x->axis[1] != EXPLORE_NONE) != two)
            continue;
        page_cell(p, "%s", of ? of : "");
        page_cell(p, "%s", explore_contrast_name(e, x));
        put_band(p, &x->speed);
        page_cell(p, "%s",
                  x->corners ? explore_contrast_verdict(&x->speed, two)
                             : "not in the space");
        put_band(p, &x->energy);
        page_number(p, (double)x->corners, "%zu", x->corners);
    }
    page_table_end(p);
}

static void put_effect_bands(page *p, const explore *e)
{
    if (!e->contrast_count)
        return;
    page_section(p, "Effects");
    page_note(p,
              "Geometric means over %zu workload%s. Bands say what other "
              "workloads would, with 95 %% confidence; one that holds 1 is no "
              "difference, of two values: each does as alone.",
              e->workload_count, word_plural(e->workload_count));
    put_contrasts(p, e, false);
    put_contrasts(p, e, true);
}

/* ---- Crossovers ---- */

static const char *what_crosses(const explore *e, const explore_cross *c)
{
    if (c->between == EXPLORE_NONE)
        return "over the base";
    return arena_printf(e->mem, "%s over %s", e->axes[c->between].values[c->to],
                        e->axes[c->between].values[c->from]);
}

static void put_cross(page *p, const explore *e, const explore_cross *c)
{
    strbuf text = {0};

    explore_cross_put(e, c, &text);
    page_cell(p, "%s", e->axes[c->along].name);
    page_cell(p, "%s", what_crosses(e, c));
    page_cell(p, "%s",
              explore_label(e, &e->configs[c->config], c->along, c->between));
    page_cell(p, "%s",
              c->workload == EXPLORE_NONE ? "mean" : e->workloads[c->workload]);
    page_number(p, c->effect, "%s", words_times(c->effect).s);
    page_cell(p, "%s", text.text);
    strbuf_fini(&text);
}

/* Those that happen come first. */
static void put_cross_table(page *p, const explore *e, size_t rows)
{
    static const page_column columns[] = {
        {.name = "along"},
        {.name = "compared"},
        {.name = "where"},
        {.name = "workload"},
        {.name = "effect",
         .number = true,
         .help = "what is lost where it costs most by whoever always takes "
                 "what is better elsewhere"},
        {.name = "what happens"}};

    page_table(p, "Where one overtakes another, and where a gain ends",
               "crossovers", columns, 6);
    for (size_t i = 0; i < rows; i++)
        put_cross(p, e, &e->crosses[i]);
    page_table_end(p);
}

/* Folded, since they were not requested. */
static void put_crosses(page *p, const explore *e)
{
    size_t asked = e->options.crossovers, live = explore_crosses_happen(e);
    size_t most = asked ? asked : EXPLORE_CROSSES;
    size_t rows = live < most ? live : most;

    if (!e->cross_count)
        return;
    page_section(p, "Crossovers");
    page_note(p,
              "%s of %s lines cross %.3f x, or begin or end to gain %.3g %%%s.",
              word_grouped(live).s, word_grouped(e->cross_count).s,
              e->options.level, 100 * e->options.fade,
              rows < live
                  ? "; heddle sweep table FOLDER --crossovers all has them all"
                  : "");
    if (!rows)
        return;
    if (!asked)
        page_fold(p, arena_printf(e->mem, "The %zu that matter most", rows));
    put_cross_table(p, e, rows);
    if (!asked)
        page_fold_end(p);
}

void page_sweep_tables(page *p, const explore *e)
{
    if (e->effect_count) {
        put_effects(p, e);
        put_enough(p, e);
    }
    put_effect_bands(p, e);
    put_crosses(p, e);
    put_config_table(p, e);
}
