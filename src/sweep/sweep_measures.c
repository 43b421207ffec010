/* src/sweep/sweep_measures.c - the figures that a plan defines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "energy/energy.h"
#include "sweep/sweep_impl.h"

/* ---- pareto: [speedup, energy], or a list of such lists ---- */

static bool read_goal(sweep_reader *r, const yml_node *n, explore_goal *out)
{
    const char *text = sweep_text(r, n, "goal"), *names[EXPLORE_GOALS];

    for (unsigned g = 0; text && g < EXPLORE_GOALS; g++) {
        names[g] = explore_goal_name((explore_goal)g);
        *out = (explore_goal)g;
        if (!strcmp(names[g], text))
            return true;
    }
    if (text)
        yml_unknown(&r->y, n->at, "goal", text, names, EXPLORE_GOALS);
    return false;
}

static void read_front(sweep_reader *r, const yml_node *n)
{
    sweep_measures *m = &r->p->measures;
    explore_front f = {.letter = (char)('A' + m->front_count)};

    if (!yml_is_kind(&r->y, n, YML_LIST, "a front"))
        return;
    if (n->count < 2 || n->count > EXPLORE_FRONT_GOALS) {
        yml_wrong(&r->y, n->at,
                  "a front has two to %d goals, such as "
                  "[speedup, energy]",
                  EXPLORE_FRONT_GOALS);
        return;
    }
    for (const yml_node *e = n->first; e; e = e->next)
        if (!read_goal(r, e, &f.goals[f.goal_count++]))
            return;
    for (size_t i = 0; i < f.goal_count; i++)
        for (size_t k = 0; k < i; k++)
            if (f.goals[i] == f.goals[k]) {
                yml_wrong(&r->y, n->at, "a goal stands twice in this front");
                return;
            }
    f.name = explore_front_name(&f, r->p->mem);
    m->fronts[m->front_count++] = f;
}

static void read_fronts(sweep_reader *r, const yml_node *n)
{
    sweep_measures *m = &r->p->measures;

    if (!yml_is_kind(&r->y, n, YML_LIST, "pareto"))
        return;
    m->fronts = ARENA_ARRAY(r->p->mem, explore_front, n->count + 1);
    if (n->first && n->first->kind == YML_SCALAR) {
        read_front(r, n);
        return;
    }
    if (n->count > EXPLORE_FRONTS_MOST) {
        yml_wrong(&r->y, n->at, "more than %d fronts", EXPLORE_FRONTS_MOST);
        return;
    }
    for (const yml_node *e = n->first; e; e = e->next)
        read_front(r, e);
}

/* ---- crossover: {along: l1.sets, between: l1.queue, level: 1, fade: 1} ----
 */

/* An axis of the plan; it is kept by its whole name. */
static const char *read_axis(sweep_reader *r, const yml_node *n)
{
    const sweep_plan *p = r->p;
    const char *text = sweep_text(r, n, "axis");
    const char **names = ARENA_ARRAY(p->mem, const char *, p->axis_count + 1);

    for (size_t i = 0; text && i < p->axis_count; i++) {
        names[i] = p->axes[i].name;
        if (strcmp(names[i], text) != 0)
            continue;
        if (p->axes[i].count < 2)
            yml_wrong(&r->y, n->at, "'%s' has only one value", text);
        return names[i];
    }
    if (text)
        yml_unknown(&r->y, n->at, "axis", text, names, p->axis_count);
    return NULL;
}

static void read_real(sweep_reader *r, const yml_node *n, double *out)
{
    const char *text = sweep_text(r, n, n->key);
    char *end;

    if (!text)
        return;
    *out = strtod(text, &end);
    if (end == text || *end || !isfinite(*out) || *out <= 0)
        yml_wrong(&r->y, n->at, "'%s' is not a number above 0", text);
}

static void read_crossover(sweep_reader *r, const yml_node *n)
{
    static const char *const keys[] = {"along", "between", "level", "fade",
                                       NULL};
    sweep_measures *m = &r->p->measures;
    const yml_node *v;

    if (!yml_is_kind(&r->y, n, YML_MAP, "crossover"))
        return;
    yml_check_keys(&r->y, n, keys);
    m->crossover = true;
    if ((v = yml_get(n, "along")))
        m->along = read_axis(r, v);
    if ((v = yml_get(n, "between")))
        m->between = v->kind == YML_SCALAR && !strcmp(v->text, EXPLORE_BASE)
                         ? EXPLORE_BASE
                         : read_axis(r, v);
    if ((v = yml_get(n, "level")))
        read_real(r, v, &m->level);
    if ((v = yml_get(n, "fade"))) {
        read_real(r, v, &m->fade);
        m->fade /= 100;
    }
}

/* ---- part: hazard ---- */

static void read_part(sweep_reader *r, const yml_node *n)
{
    const char *text = sweep_text(r, n, "part"), *names[ENERGY_PARTS];

    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        names[i] = energy_part_table[i].name;
    if (text && energy_part_find(text) == ENERGY_PARTS)
        yml_unknown(&r->y, n->at, "part of the energy", text, names,
                    ENERGY_PARTS);
    r->p->measures.part = text;
}

/* Fronts of a part need the name of the part. */
static void check_parts(sweep_reader *r, const yml_node *n)
{
    const sweep_measures *m = &r->p->measures;

    for (size_t i = 0; i < m->front_count && !m->part; i++)
        for (size_t g = 0; g < m->fronts[i].goal_count; g++)
            if (explore_goal_is_part(m->fronts[i].goals[g])) {
                yml_wrong(&r->y, n->at,
                          "%s: of which part? 'part: hazard' says it",
                          explore_goal_name(m->fronts[i].goals[g]));
                return;
            }
}

void sweep_read_measures(sweep_reader *r, const yml_node *n)
{
    static const char *const keys[] = {"part", "pareto", "crossover", "effects",
                                       NULL};
    const yml_node *v;

    if (!yml_is_kind(&r->y, n, YML_MAP, "measures"))
        return;
    yml_check_keys(&r->y, n, keys);
    if ((v = yml_get(n, "part")))
        read_part(r, v);
    if ((v = yml_get(n, "pareto")))
        read_fronts(r, v);
    check_parts(r, n);
    if ((v = yml_get(n, "crossover")))
        read_crossover(r, v);
    if ((v = yml_get(n, "effects")))
        sweep_flag(r, v, &r->p->measures.effects);
}
