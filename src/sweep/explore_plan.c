/* src/sweep/explore_plan.c - see explore_plan.h. */
#include "sweep/explore_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void expect(explore *e, uint64_t number, const sweep_factor *from,
                   size_t count, explore_factor *room)
{
    explore_fact f = {.number = number,
                      .status = "missing",
                      .time_s = NAN,
                      .cycles = NAN,
                      .energy_j = NAN,
                      .bits = NAN,
                      .factors = room};
    const char *size = NULL;

    for (size_t i = 0; i < count; i++) {
        if (!strcmp(from[i].name, "workload"))
            f.workload = from[i].value;
        else if (!strcmp(from[i].name, "size"))
            size = from[i].value;
        else
            room[f.factor_count++] =
                (explore_factor){from[i].name, from[i].value};
    }
    if (size)
        f.workload = arena_printf(e->mem, "%s/%s", f.workload, size);
    explore_add(e, &f);
}

void explore_expect(explore *e, const sweep_plan *p)
{
    size_t most = p->axis_count + 3;
    sweep_factor *from = new0(most, sizeof *from);
    explore_factor *room = new0(most, sizeof *room);

    for (size_t i = 0; i < p->count; i++)
        expect(e, i, from, sweep_plan_factors(p, i, from), room);
    e->planned = true;
    free(room);
    free(from);
}

static void take_base(const sweep_plan *p, arena *mem, explore_options *o)
{
    explore_factor *base = ARENA_ARRAY(mem, explore_factor, p->axis_count + 1);

    o->base = base;
    if (p->base_gpu != SWEEP_NONE)
        base[o->base_count++] =
            (explore_factor){"gpu", p->gpus[p->base_gpu].name};
    for (size_t i = 0; i < p->axis_count; i++) {
        const sweep_axis *a = &p->axes[i];

        if (a->base != SWEEP_NONE)
            base[o->base_count++] =
                (explore_factor){a->name, a->values[a->base].label};
    }
}

void explore_plan_options(const sweep_plan *p, arena *mem, explore_options *o)
{
    const sweep_measures *m = &p->measures;

    if (!o->base_count)
        take_base(p, mem, o);
    if (!o->front_count) {
        o->fronts = m->fronts;
        o->front_count = m->front_count;
    }
    o->contrasts = o->contrasts || m->effects;
    if (m->crossover && !o->crossovers)
        o->crossovers = EXPLORE_CROSSES;
    o->along = o->along ? o->along : m->along;
    o->between = o->between ? o->between : m->between;
    o->level = o->level > 0 ? o->level : m->level;
    o->fade = o->fade > 0 ? o->fade : m->fade;
}

/* ---- Of its text alone ---- */

static void text_base(const yml_node *n, arena *mem, explore_options *o)
{
    explore_factor *base;

    if (!n || n->kind != YML_MAP || o->base_count)
        return;
    o->base = base = ARENA_ARRAY(mem, explore_factor, n->count + 1);
    for (const yml_node *e = n->first; e; e = e->next)
        if (e->kind == YML_SCALAR)
            base[o->base_count++] = (explore_factor){e->key, e->text};
}

/* False if they are not understood, or are of a part, which is unknown
 * here. */
static bool text_front(const yml_node *n, explore_front *f)
{
    if (n->kind != YML_LIST || n->count < 2 || n->count > EXPLORE_FRONT_GOALS)
        return false;
    for (const yml_node *e = n->first; e; e = e->next) {
        int g = 0;

        while (g < EXPLORE_GOALS &&
               (e->kind != YML_SCALAR ||
                strcmp(explore_goal_name((explore_goal)g), e->text) != 0))
            g++;
        if (g == EXPLORE_GOALS || explore_goal_is_part((explore_goal)g))
            return false;
        f->goals[f->goal_count++] = (explore_goal)g;
    }
    return true;
}

/* "[speedup, bits]", or a list of such lists. */
static void text_fronts(const yml_node *n, arena *mem, explore_options *o)
{
    explore_front *fronts;
    bool one;

    if (!n || n->kind != YML_LIST || !n->first || o->front_count)
        return;
    one = n->first->kind == YML_SCALAR;
    if (!one && n->count > EXPLORE_FRONTS_MOST)
        return;
    fronts = ARENA_ARRAY(mem, explore_front, n->count + 1);
    for (const yml_node *e = one ? n : n->first; e; e = one ? NULL : e->next) {
        explore_front *f = &fronts[o->front_count];

        f->letter = (char)('A' + o->front_count);
        if (!text_front(e, f)) {
            o->front_count = 0;
            return;
        }
        f->name = explore_front_name(f, mem);
        o->front_count++;
    }
    o->fronts = fronts;
}

void explore_text_options(const char *text, arena *mem, explore_options *o)
{
    diag *dg = diag_new();
    const yml_node *measures;
    yml_node *root;

    if (yml_read("plan", text, strlen(text), mem, dg, &root) == ST_OK &&
        root->kind == YML_MAP) {
        text_base(yml_get(root, "base"), mem, o);
        measures = yml_get(root, "measures");
        if (measures && measures->kind == YML_MAP) {
            const yml_node *effects = yml_get(measures, "effects");

            text_fronts(yml_get(measures, "pareto"), mem, o);
            if (effects && effects->kind == YML_SCALAR)
                o->contrasts |= !strcmp(effects->text, "true");
        }
    }
    diag_free(dg);
}
