/* src/sweep/sweep_search.c - see sweep_search.h. A place of the space is a GPU
 * and a value of each group of axes. */
#include "sweep/sweep_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "explore/explore_load.h"
#include "study/nsga.h"
#include "study/pareto.h"
#include "sweep/explore_plan.h"

/* Places have less than 2^62 combinations, so that they can be numbered. */
static const uint64_t SPACE_MOST = (uint64_t)1 << 62;

struct sweep_search {
    sweep_plan *p;
    sweep_search_options o;
    nsga *n;
    nsga_space space;
    size_t *values;
    bool *ordered;
    uint64_t machines; /* of the space */
    explore_front front;
    diag *scratch;
    size_t told, generations, failed;
};

/* ---- The space ---- */

static sweep_machine machine_at(const sweep_plan *p, const size_t *at)
{
    return (sweep_machine){.gpu = at[0],
                           .combination = sweep_plan_combination(p, at + 1)};
}

static bool is_allowed(void *arg, const size_t *at)
{
    const sweep_search *s = arg;

    return sweep_plan_allows(s->p, machine_at(s->p, at), s->scratch);
}

/* Are its values numbers, so that neighbours are alike? */
static bool is_ordered(const sweep_plan *p, size_t group)
{
    for (size_t i = 0; i < p->axis_count; i++) {
        const sweep_axis *a = &p->axes[i];
        bool numbers = a->group == group && a->param;

        for (size_t v = 0; numbers && v < a->count; v++)
            numbers = !isnan(explore_number(a->values[v].label));
        if (numbers)
            return true;
    }
    return false;
}

static size_t base_of_group(const sweep_plan *p, size_t group)
{
    for (size_t i = 0; i < p->axis_count; i++)
        if (p->axes[i].group == group && p->axes[i].base != SWEEP_NONE)
            return p->axes[i].base;
    return 0;
}

/* 0: too large. */
static uint64_t make_space(sweep_search *s)
{
    const sweep_plan *p = s->p;
    uint64_t all = p->gpu_count;

    s->values = new0(p->group_count + 1, sizeof *s->values);
    s->ordered = new0(p->group_count + 1, sizeof *s->ordered);
    s->values[0] = p->gpu_count;
    for (size_t g = 0; g < p->group_count; g++) {
        s->values[g + 1] = sweep_plan_group(p, g);
        s->ordered[g + 1] = is_ordered(p, g);
        if (all > SPACE_MOST / s->values[g + 1])
            return 0;
        all *= s->values[g + 1];
    }
    s->space = (nsga_space){.values = s->values,
                            .ordered = s->ordered,
                            .axes = p->group_count + 1,
                            .goals = s->front.goal_count,
                            .allowed = is_allowed,
                            .arg = s};
    return all;
}

static status check_space(sweep_search *s, const size_t *first, diag *dg)
{
    const sweep_plan *p = s->p;

    if (!s->machines)
        diag_add(dg, DIAG_ERROR, p->path, 0, 0, 1,
                 "the space has more than 2^62 machines");
    else if (s->machines == 1)
        diag_add(dg, DIAG_ERROR, p->path, 0, 0, 1,
                 "nothing varies: there is nothing to search");
    else if (!p->workload_count)
        diag_add(dg, DIAG_ERROR, p->path, 0, 0, 1, "the plan has no workload");
    else if (!is_allowed(s, first))
        diag_add(dg, DIAG_ERROR, p->path, 0, 0, 1,
                 "the base, which a search begins with, %s; name another with "
                 "'base'",
                 diag_count(s->scratch) ? diag_get(s->scratch, 0)->text
                                        : "is left out by 'where' or 'except'");
    else
        return ST_OK;
    return ST_CONFIG;
}

static explore_front goals_of(const sweep_plan *p)
{
    return p->measures.front_count
               ? p->measures.fronts[0]
               : (explore_front){.letter = 'A',
                                 .name = "speedup against energy and bits",
                                 .goals = {EXPLORE_BY_SPEEDUP,
                                           EXPLORE_BY_ENERGY, EXPLORE_BY_BITS},
                                 .goal_count = 3};
}

status sweep_search_new(sweep_plan *p, const sweep_search_options *o, diag *dg,
                        sweep_search **out)
{
    sweep_search *s = new0(1, sizeof *s);
    size_t *first;
    status st;

    s->p = p;
    s->o = *o;
    s->front = goals_of(p);
    s->scratch = diag_new();
    s->machines = make_space(s);
    first = new0(p->group_count + 1, sizeof *first);
    first[0] = p->base_gpu == SWEEP_NONE ? 0 : p->base_gpu;
    for (size_t g = 0; g < p->group_count; g++)
        first[g + 1] = base_of_group(p, g);
    st = check_space(s, first, dg);
    if (st == ST_OK) {
        s->n = nsga_new(&s->space,
                        &(nsga_options){.seed = o->seed,
                                        .population = o->population,
                                        .random = o->random},
                        first);
        *out = s;
    } else {
        sweep_search_free(s);
    }
    free(first);
    return st;
}

void sweep_search_free(sweep_search *s)
{
    if (!s)
        return;
    nsga_free(s->n);
    diag_free(s->scratch);
    free(s->values);
    free(s->ordered);
    free(s);
}

uint64_t sweep_search_space(const sweep_search *s) { return s->machines; }

/* ---- Generations ---- */

bool sweep_search_ask(sweep_search *s)
{
    size_t before = nsga_count(s->n), n;

    MUST(s->told == before);
    n = before < s->o.evaluations ? nsga_ask(s->n, s->o.evaluations - before)
                                  : 0;
    for (size_t i = before; i < before + n; i++)
        sweep_plan_add(s->p, machine_at(s->p, nsga_place(s->n, i)));
    s->generations += n > 0;
    return n > 0;
}

void sweep_search_base(const sweep_plan *p, arena *mem, explore_options *o)
{
    sweep_factor *from = ARENA_ARRAY(mem, sweep_factor, p->axis_count + 3);
    explore_factor *base = ARENA_ARRAY(mem, explore_factor, p->axis_count + 3);
    size_t n = sweep_plan_factors(p, 0, from);

    o->base = base;
    o->base_count = 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(from[i].name, "workload") && strcmp(from[i].name, "size"))
            base[o->base_count++] =
                (explore_factor){from[i].name, from[i].value};
}

/* Speed-ups count the other way. */
static bool goals_at(const sweep_search *s, const explore *e,
                     const explore_config *c, double *goals)
{
    bool known = true;

    for (size_t g = 0; g < s->front.goal_count; g++) {
        double v = pareto_round(
            explore_against(e, c, s->front.goals[g], EXPLORE_NONE));

        goals[g] = s->front.goals[g] == EXPLORE_BY_SPEEDUP ? -v : v;
        known = known && !isnan(v);
    }
    return known;
}

static status take_results(sweep_search *s, const explore *e, diag *dg)
{
    double goals[EXPLORE_FRONT_GOALS];

    for (size_t i = 0; i < e->config_count; i++) {
        const explore_config *c = &e->configs[i];
        size_t machine = s->p->points[c->number].machine;
        bool known = goals_at(s, e, c, goals);

        if (machine == 0 && !known) {
            diag_error(dg, "the base, with which a search compares, failed: "
                           "'heddle sweep status' says why");
            return ST_MISMATCH;
        }
        if (machine < s->told)
            continue;
        s->failed += !known;
        nsga_tell(s->n, machine, goals);
    }
    s->told = nsga_count(s->n);
    return ST_OK;
}

status sweep_search_tell(sweep_search *s, store *results, diag *dg)
{
    arena *mem = arena_new();
    explore_source from = {.part = s->p->measures.part};
    explore_options o = {.fronts = &s->front, .front_count = 1};
    explore_study *studies;
    size_t count;
    explore *e;
    status st = explore_load(results, mem, &from, dg, &e, &studies, &count);

    if (st == ST_OK) {
        explore_expect(e, s->p);
        sweep_search_base(s->p, mem, &o);
        st = explore_finish(e, &o, dg);
    }
    if (st == ST_OK)
        st = take_results(s, e, dg);
    arena_free(mem);
    return st;
}

sweep_search_found sweep_search_result(const sweep_search *s)
{
    sweep_search_found f = {.machines = s->told,
                            .generations = s->generations,
                            .failed = s->failed,
                            .goals = &s->front};
    bool *on = new0(nsga_count(s->n) + 1, sizeof *on);

    f.front = nsga_front(s->n, on);
    for (size_t i = 0; i < nsga_count(s->n); i++)
        f.last = on[i] ? i + 1 : f.last;
    free(on);
    return f;
}
