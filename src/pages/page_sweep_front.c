/* src/pages/page_sweep_front.c - the Pareto fronts of a design space: each in
 * its planes, and its members. */
#include <inttypes.h>
#include <math.h>

#include "explore/explore_text.h"
#include "pages/page_sweep.h"

enum {
    POINTS = 400, /* of a plot, besides its front */
    MEMBERS = 200 /* of a table */
};

/* ---- A plane: the first goal over another one ---- */

/* The front, and as many others as can be seen. */
static size_t choose_points(const explore *e, const explore_front *f,
                            unsigned bit, explore_goal across,
                            scatter_point *out)
{
    size_t others = 0, step, n = 0, seen = 0;

    for (size_t i = 0; i < e->config_count; i++)
        others += !(e->configs[i].fronts & bit);
    step = others / POINTS + 1;
    for (size_t i = 0; i < e->config_count; i++) {
        const explore_config *c = &e->configs[i];
        double x = explore_against(e, c, across, EXPLORE_NONE);
        double y = explore_against(e, c, f->goals[0], EXPLORE_NONE);
        bool on = c->fronts & bit;

        if (isnan(x) || isnan(y) || (!on && i != e->reference && seen++ % step))
            continue;
        out[n++] = (scatter_point){
            .name = page_sweep_label(e, i),
            .mark = arena_printf(e->mem, "#%" PRIu64, c->number),
            .x = x,
            .y = y,
            .front = on,
            .base = i == e->reference,
            .colour = on ? 0 : CHART_REST};
    }
    return n;
}

static word show_number(double v) { return word_grouped((uint64_t)v); }

static chart_word *show_of(explore_goal g)
{
    return explore_goal_is_bits(g) ? show_number : words_times;
}

static const char *goal_name(const explore *e, explore_goal g)
{
    static const char *const names[EXPLORE_GOALS] = {
        [EXPLORE_BY_SPEEDUP] = "speed-up over the base",
        [EXPLORE_BY_ENERGY] = "energy over the base's",
        [EXPLORE_BY_EDP] = "energy-delay product over the base's",
        [EXPLORE_BY_BITS] = "bits stored on the chip"};

    if (g == EXPLORE_BY_PART)
        return arena_printf(e->mem, "energy of %s over the base's", e->part);
    if (g == EXPLORE_BY_PART_BITS)
        return arena_printf(e->mem, "bits of %s stored on the chip", e->part);
    return names[g];
}

/* With a base of each configuration's own, all are drawn against one of them:
 * points of one chart must be comparable. */
static const char *front_about(const explore *e, const explore_front *f)
{
    bool one = e->base != EXPLORE_NONE || e->reference == EXPLORE_NONE;

    return arena_printf(
        e->mem,
        "blue: no other configuration beats it in %s; "
        "with a ring: the base%s%s",
        f->goal_count > 2 ? "all goals, here are two of them" : "both",
        one ? "" : " of all: ", one ? "" : page_sweep_label(e, e->reference));
}

static void put_plane(page *p, const explore *e, size_t i, explore_goal across)
{
    const explore_front *f = &e->fronts[i];
    bool several = f->goal_count > 2;
    scatter_point *points =
        ARENA_ARRAY(e->mem, scatter_point, e->config_count + 1);
    size_t n = choose_points(e, f, 1u << i, across, points);
    chart_title is = {arena_printf(e->mem, "%s and %s",
                                   goal_name(e, f->goals[0]),
                                   goal_name(e, across)),
                      front_about(e, f),
                      arena_printf(e->mem, several ? "front-%c-%s" : "front-%c",
                                   f->letter, explore_goal_name(across)),
                      "configuration"};

    chart_scatter(p, &(scatter){.is = is,
                                .x = goal_name(e, across),
                                .y = goal_name(e, f->goals[0]),
                                .x_less = across != EXPLORE_BY_SPEEDUP,
                                .y_less = f->goals[0] != EXPLORE_BY_SPEEDUP,
                                .apart = several,
                                .points = points,
                                .count = n,
                                .x_show = show_of(across),
                                .y_show = show_of(f->goals[0])});
}

/* Does a front of just these two goals have this plane? */
static bool is_drawn(const explore *e, explore_goal up, explore_goal across)
{
    for (size_t i = 0; i < e->front_count; i++) {
        const explore_front *f = &e->fronts[i];

        if (f->goal_count == 2 && f->goals[0] == up && f->goals[1] == across &&
            explore_front_has_trade(e, f, EXPLORE_NONE))
            return true;
    }
    return false;
}

/* ---- Members ---- */

static void put_goal(page *p, const explore *e, const explore_config *c,
                     explore_goal g)
{
    double v = explore_against(e, c, g, EXPLORE_NONE);

    page_number(p, v, "%s", isnan(v) ? "-" : show_of(g)(v).s);
}

static void put_members(page *p, const explore *e, const explore_front *f)
{
    size_t n = 0, rows = f->count < MEMBERS ? f->count : MEMBERS;
    page_column *columns =
        ARENA_ARRAY(e->mem, page_column, 1 + f->goal_count + e->varying);

    columns[n++] = (page_column){.name = "point"};
    for (size_t g = 0; g < f->goal_count; g++)
        columns[n++] = (page_column){.name = explore_goal_name(f->goals[g]),
                                     .help = goal_name(e, f->goals[g]),
                                     .number = true};
    for (size_t i = 0; i < e->varying; i++)
        columns[n++] = (page_column){.name = e->axes[i].tag,
                                     .help = e->axes[i].name,
                                     .number = e->axes[i].numbers != NULL};
    page_table(p, "No other configuration is as good in all of these",
               arena_printf(e->mem, "members-%c", f->letter), columns, n);
    for (size_t i = 0; i < rows; i++) {
        const explore_config *c = &e->configs[f->members[i]];

        page_cell(p, "#%" PRIu64, c->number);
        for (size_t g = 0; g < f->goal_count; g++)
            put_goal(p, e, c, f->goals[g]);
        page_sweep_values(p, e, c);
    }
    page_table_end(p);
    if (rows < f->count)
        page_note(p, "The first %d of %s.", MEMBERS, word_grouped(f->count).s);
}

/* ---- All of them ---- */

static void put_front_section(page *p, const explore *e, size_t i)
{
    const explore_front *f = &e->fronts[i];

    page_heading(p, arena_printf(e->mem, "Front %c: %s", f->letter, f->name));
    if (!explore_front_has_trade(e, f, EXPLORE_NONE)) {
        page_note(p, "None: %s.", explore_front_why_none(e, f, EXPLORE_NONE));
        return;
    }
    page_note(p, "%s of %s configurations%s%s%s.", word_grouped(f->count).s,
              word_grouped(e->config_count).s, f->unknown ? "; " : "",
              f->unknown ? word_grouped(f->unknown).s : "",
              f->unknown ? " left out: not known or refused" : "");
    for (size_t g = 1; g < f->goal_count; g++)
        if ((f->goal_count == 2 || !is_drawn(e, f->goals[0], f->goals[g])) &&
            !explore_goal_is_idle(e, f->goals[g], EXPLORE_NONE))
            put_plane(p, e, i, f->goals[g]);
    page_fold(p, arena_printf(e->mem, "Its %zu members", f->count));
    put_members(p, e, f);
    page_fold_end(p);
}

void page_sweep_fronts(page *p, const explore *e)
{
    page_section(p, "Pareto fronts");
    if (e->config_count < 2) {
        page_note(p, "There is none of a single configuration.");
        return;
    }
    for (size_t i = 0; i < e->front_count; i++)
        put_front_section(p, e, i);
}
