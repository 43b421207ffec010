/* src/explore/explore_front_text.c - Pareto fronts and what axes do, for
 * people. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/must.h"
#include "explore/explore_text.h"
#include "text/table.h"
#include "text/word.h"

/* A plot of less than PLOT_LEAST configurations shows nothing. */
enum { PLOT_WIDTH = 60, PLOT_HEIGHT = 12, PLOT_LEAST = 5 };

static const char *const goal_heads[EXPLORE_GOALS] = {
    [EXPLORE_BY_SPEEDUP] = "speed-up", [EXPLORE_BY_ENERGY] = "energy",
    [EXPLORE_BY_EDP] = "EDP",          [EXPLORE_BY_PART] = "part energy",
    [EXPLORE_BY_BITS] = "bits",        [EXPLORE_BY_PART_BITS] = "part bits",
};

static const char *goal_text(const explore *e, const explore_config *c,
                             explore_goal g, size_t workload)
{
    double v = explore_against(e, c, g, workload);

    if (isnan(v) || !explore_goal_is_bits(g))
        return explore_times(e, v);
    return arena_strdup(e->mem, word_grouped((uint64_t)v).s);
}

/* ---- A plot ---- */

typedef struct range {
    double least, most;
} range;

static range range_of(const explore *e, explore_goal g, size_t workload)
{
    range r = {INFINITY, -INFINITY};

    for (size_t i = 0; i < e->config_count; i++) {
        double v = explore_against(e, &e->configs[i], g, workload);

        if (!isnan(v)) {
            r.least = fmin(r.least, v);
            r.most = fmax(r.most, v);
        }
    }
    return r;
}

static size_t column_of_value(range r, double v, size_t count)
{
    return r.most > r.least
               ? (size_t)lround((v - r.least) / (r.most - r.least) *
                                (double)(count - 1))
               : 0;
}

static void put_dots(const explore *e, const explore_front *f, size_t workload,
                     const range r[2], char dots[PLOT_HEIGHT][PLOT_WIDTH + 1])
{
    for (size_t i = 0; i < e->config_count; i++) {
        const explore_config *c = &e->configs[i];
        double x = explore_against(e, c, f->goals[0], workload);
        double y = explore_against(e, c, f->goals[1], workload);
        size_t row, column;

        if (isnan(x) || isnan(y))
            continue;
        row = PLOT_HEIGHT - 1 - column_of_value(r[1], y, PLOT_HEIGHT);
        column = column_of_value(r[0], x, PLOT_WIDTH);
        dots[row][column] = dots[row][column] == ' ' ? '.' : ':';
    }
    for (size_t i = 0; i < f->count; i++) {
        const explore_config *c = &e->configs[f->members[i]];
        double x = explore_against(e, c, f->goals[0], workload);
        double y = explore_against(e, c, f->goals[1], workload);

        dots[PLOT_HEIGHT - 1 - column_of_value(r[1], y, PLOT_HEIGHT)]
            [column_of_value(r[0], x, PLOT_WIDTH)] = '*';
    }
}

static word edge_text(explore_goal g, double v)
{
    return explore_goal_is_bits(g) ? word_grouped((uint64_t)v)
                                   : word_real(v, 3);
}

/* The first goal to the right, the second upwards. */
static void put_plot(const explore *e, const explore_front *f, size_t workload,
                     FILE *to)
{
    char dots[PLOT_HEIGHT][PLOT_WIDTH + 1];
    range r[2];
    word least[2], most[2];

    for (unsigned i = 0; i < 2; i++)
        r[i] = range_of(e, f->goals[i], workload);
    if (!(r[0].most > r[0].least) || !(r[1].most > r[1].least))
        return;
    for (size_t i = 0; i < PLOT_HEIGHT; i++) {
        memset(dots[i], ' ', PLOT_WIDTH);
        dots[i][PLOT_WIDTH] = 0;
    }
    put_dots(e, f, workload, r, dots);
    for (unsigned i = 0; i < 2; i++) {
        least[i] = edge_text(f->goals[i], r[i].least);
        most[i] = edge_text(f->goals[i], r[i].most);
    }
    fprintf(to, "  %14s  * on the front, . not, : several\n",
            goal_heads[f->goals[1]]);
    for (size_t i = 0; i < PLOT_HEIGHT; i++) {
        size_t n = PLOT_WIDTH;

        while (n && dots[i][n - 1] == ' ')
            n--;
        fprintf(to, "  %14s |%.*s\n",
                !i                     ? most[1].s
                : i + 1 == PLOT_HEIGHT ? least[1].s
                                       : "",
                (int)n, dots[i]);
    }
    fprintf(to, "  %14s +", "");
    for (unsigned i = 0; i < PLOT_WIDTH; i++)
        fputc('-', to);
    fprintf(to, "\n  %14s  %s%*s", "", least[0].s,
            PLOT_WIDTH - (int)strlen(least[0].s), most[0].s);
    if (explore_width(e) < TABLE_WIDTH)
        fprintf(to, "\n  %14s  %*s\n", "", PLOT_WIDTH, goal_heads[f->goals[0]]);
    else
        fprintf(to, " %s\n", goal_heads[f->goals[0]]);
}

/* ---- Fronts ---- */

static void put_members(const explore *e, const explore_view *v,
                        const explore_front *f, size_t workload, FILE *to)
{
    table *t = table_new(e->mem, explore_width(e));
    size_t n = v->rows && f->count > v->rows ? v->rows : f->count;

    table_column(t, "", true, true);
    for (size_t g = 0; g < f->goal_count; g++)
        table_column(t, goal_heads[f->goals[g]], false, false);
    for (size_t i = 0; i < e->varying; i++)
        table_column(t, e->axes[i].tag, !e->axes[i].numbers, false);
    for (size_t i = 0; i < n; i++) {
        const explore_config *c = &e->configs[f->members[i]];

        table_cell(t, arena_printf(e->mem, "#%" PRIu64, c->number));
        for (size_t g = 0; g < f->goal_count; g++)
            table_cell(t, goal_text(e, c, f->goals[g], workload));
        for (size_t k = 0; k < e->varying; k++)
            table_cell(t, e->axes[k].values[c->at[k]]);
    }
    table_print(t, 2, to);
    if (n < f->count)
        fprintf(to, "  and %s more, --rows all shows all\n",
                word_grouped(f->count - n).s);
}

static void put_front_text(const explore *e, const explore_view *v,
                           const explore_front *f, size_t workload, FILE *to)
{
    fprintf(to, "\nfront of %s%s%s: ", f->name,
            workload == EXPLORE_NONE ? "" : ", ",
            workload == EXPLORE_NONE
                ? ""
                : table_fit(e->mem, e->workloads[workload], 30));
    if (!explore_front_has_trade(e, f, workload)) {
        fprintf(to, "%s\n", explore_front_why_none(e, f, workload));
        return;
    }
    fprintf(to, "%s of %s", word_grouped(f->count).s,
            word_grouped(e->config_count).s);
    if (e->base == EXPLORE_NONE && e->reference != EXPLORE_NONE)
        fprintf(to, ", all against #%" PRIu64, e->configs[e->reference].number);
    fputc('\n', to);
    if (f->unknown)
        fprintf(to, "  %s left out: not known or refused\n",
                word_grouped(f->unknown).s);
    put_members(e, v, f, workload, to);
    if (v->plots && f->goal_count == 2 && f->count > 1 &&
        e->config_count >= PLOT_LEAST)
        put_plot(e, f, workload, to);
}

void explore_fronts_text(const explore *e, const explore_view *v, FILE *to)
{
    if (e->config_count < 2)
        return;
    for (size_t i = 0; i < e->front_count; i++)
        put_front_text(e, v, &e->fronts[i], EXPLORE_NONE, to);
    for (size_t w = 0; w < e->workload_count && v->by_workload; w++) {
        const explore_front *fronts = explore_workload_fronts(e, w);

        for (size_t i = 0; i < e->front_count; i++)
            put_front_text(e, v, &fronts[i], w, to);
    }
}

/* ---- Axes ---- */

static const char *change_text(const explore *e, double ratio)
{
    double v = 100 * (ratio - 1);

    return isnan(ratio)
               ? "-"
               : arena_printf(e->mem, "%+.1f %%", fabs(v) < 0.05 ? 0. : v);
}

static void put_effect(const explore *e, const explore_effect *f, FILE *to)
{
    const explore_axis *a = &e->axes[f->axis];
    bool refused = f->holes && !e->options.allow_missing;
    table *t = table_new(e->mem, explore_width(e));

    fprintf(to, "  %s: ", table_fit(e->mem, a->name, 36));
    if (!f->pairs || refused) {
        fprintf(to,
                refused ? "REFUSED, %zu of %zu pairs are missing\n"
                        : "no pairs that differ in nothing else\n",
                f->holes, f->holes + f->pairs);
        return;
    }
    fprintf(to, "a step changes speed by %s, ", explore_times(e, f->speed));
    fprintf(to, "energy by %s, ", explore_times(e, f->energy));
    fprintf(to, "%zu pair%s%s\n", f->pairs, word_plural(f->pairs),
            f->holes ? ", others are missing" : "");
    table_column(t, "from", false, true);
    table_column(t, "to", false, true);
    table_column(t, "speed", false, false);
    table_column(t, "least", false, false);
    table_column(t, "most", false, false);
    table_column(t, "energy", false, false);
    table_column(t, "pairs", false, false);
    for (size_t i = 0; i < f->step_count; i++) {
        const explore_step *s = &f->steps[i];

        table_cell(t, a->values[s->from]);
        table_cell(t, a->values[s->to]);
        table_cell(t, change_text(e, s->speedup.geometric));
        table_cell(t, change_text(e, s->speedup.least));
        table_cell(t, change_text(e, s->speedup.most));
        table_cell(t, change_text(e, s->energy.geometric));
        table_cell(t, word_grouped(s->speedup.count).s);
    }
    table_print(t, 4, to);
    if (f->enough + 1 == a->count)
        fprintf(to, "    the last step still gains more than %.3g %%\n",
                100 * e->options.fade);
    else if (f->enough != EXPLORE_NONE)
        fprintf(to, "    from %s on no more than %.3g %% is gained\n",
                a->values[f->enough], 100 * e->options.fade);
}

void explore_effects_text(const explore *e, const explore_view *v, FILE *to)
{
    (void)v;
    if (!e->effect_count)
        return;
    fprintf(to,
            "\nwhat each axis does, all else equal: geometric means over%s"
            "workloads and configurations\n",
            explore_width(e) < TABLE_WIDTH ? "\n  " : " ");
    for (size_t i = 0; i < e->effect_count; i++)
        put_effect(e, &e->effects[i], to);
}
