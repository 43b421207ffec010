/* src/explore/explore_front.c - configurations that no other beats. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "explore/explore.h"
#include "study/pareto.h"

static const explore_front usual[] = {
    {.letter = 'E',
     .name = "speed against energy",
     .goals = {EXPLORE_BY_SPEEDUP, EXPLORE_BY_ENERGY},
     .goal_count = 2},
    {.letter = 'B',
     .name = "speed against storage bits",
     .goals = {EXPLORE_BY_SPEEDUP, EXPLORE_BY_BITS},
     .goal_count = 2},
    {.letter = 'P',
     .name = "speed against EDP",
     .goals = {EXPLORE_BY_SPEEDUP, EXPLORE_BY_EDP},
     .goal_count = 2},
    {.letter = '3',
     .name = "speed against energy and storage bits",
     .goals = {EXPLORE_BY_SPEEDUP, EXPLORE_BY_ENERGY, EXPLORE_BY_BITS},
     .goal_count = 3},
};

/* If a part of the energy is shown besides the total. */
static const explore_front of_part[] = {
    {.letter = 'E',
     .name = "speed against energy of the part",
     .goals = {EXPLORE_BY_SPEEDUP, EXPLORE_BY_PART},
     .goal_count = 2},
    {.letter = 'B',
     .name = "speed against bits of the part",
     .goals = {EXPLORE_BY_SPEEDUP, EXPLORE_BY_PART_BITS},
     .goal_count = 2},
    {.letter = '3',
     .name = "speed against energy and bits of the part",
     .goals = {EXPLORE_BY_SPEEDUP, EXPLORE_BY_PART, EXPLORE_BY_PART_BITS},
     .goal_count = 3},
};

/* What to find, and how many. */
static const explore_front *wanted_fronts(const explore *e, size_t *count)
{
    const explore_options *o = &e->options;

    if (o->front_count) {
        *count = o->front_count;
        return o->fronts;
    }
    *count = e->part ? COUNTOF(of_part) : COUNTOF(usual);
    return e->part ? of_part : usual;
}

typedef struct ranked {
    double key;
    size_t index;
} ranked;

static int by_key(const void *a, const void *b)
{
    const ranked *p = a, *q = b;

    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

static void make_front(const explore *e, explore_front *f, size_t workload)
{
    size_t goals = f->goal_count, n = e->config_count;
    double *x = new0(n * goals + 1, sizeof *x);
    bool *on = new0(n + 1, sizeof *on);
    ranked *members = new0(n + 1, sizeof *members);

    MUST(goals);
    f->unknown = 0;
    for (size_t i = 0; i < n; i++) {
        bool known = true;

        for (size_t g = 0; g < goals; g++) {
            double v = pareto_round(
                explore_against(e, &e->configs[i], f->goals[g], workload));

            x[i * goals + g] = f->goals[g] == EXPLORE_BY_SPEEDUP ? -v : v;
            known = known && !isnan(v);
        }
        f->unknown += !known;
    }
    f->count = pareto_front(x, goals, n, on);
    f->members = ARENA_ARRAY(e->mem, size_t, f->count + 1);
    f->count = 0;
    for (size_t i = 0; i < n; i++)
        if (on[i])
            members[f->count++] = (ranked){x[i * goals], i};
    qsort(members, f->count, sizeof *members, by_key);
    for (size_t i = 0; i < f->count; i++)
        f->members[i] = members[i].index;
    free(members);
    free(on);
    free(x);
}

/* ---- What decides ---- */

bool explore_goal_is_idle(const explore *e, explore_goal g, size_t workload)
{
    double first = NAN;

    for (size_t i = 0; i < e->config_count; i++) {
        double v =
            pareto_round(explore_against(e, &e->configs[i], g, workload));

        if (isnan(first))
            first = v;
        else if (!isnan(v) && v != first)
            return false;
    }
    return true;
}

bool explore_front_has_trade(const explore *e, const explore_front *f,
                             size_t workload)
{
    size_t decide = 0;

    for (size_t g = 0; g < f->goal_count; g++)
        decide += !explore_goal_is_idle(e, f->goals[g], workload);
    return f->count && decide > 1;
}

const char *explore_front_why_none(const explore *e, const explore_front *f,
                                   size_t workload)
{
    strbuf text = {0};
    const char *words;

    if (!f->count)
        return "not known: no configuration has all of these figures";
    for (size_t g = 0; g < f->goal_count; g++)
        if (explore_goal_is_idle(e, f->goals[g], workload))
            strbuf_printf(&text, "%s%s", text.size ? ", " : "",
                          explore_goal_name(f->goals[g]));
    words = arena_printf(e->mem, "%s: the same for all", text.text);
    strbuf_fini(&text);
    return words;
}

const char *explore_front_name(const explore_front *f, arena *mem)
{
    strbuf text = {0};
    const char *name;

    for (size_t g = 0; g < f->goal_count; g++)
        strbuf_printf(&text, "%s%s",
                      !g       ? ""
                      : g == 1 ? " against "
                               : " and ",
                      explore_goal_name(f->goals[g]));
    name = arena_strdup(mem, text.text);
    strbuf_fini(&text);
    return name;
}

explore_front *explore_workload_fronts(const explore *e, size_t workload)
{
    size_t n;
    const explore_front *from = wanted_fronts(e, &n);
    explore_front *fronts = ARENA_ARRAY(e->mem, explore_front, n);

    for (size_t i = 0; i < n; i++) {
        fronts[i] = from[i];
        make_front(e, &fronts[i], workload);
    }
    return fronts;
}

void explore_make_fronts(explore *e)
{
    wanted_fronts(e, &e->front_count);
    MUST(e->front_count <= EXPLORE_FRONTS_MOST);
    e->fronts = explore_workload_fronts(e, EXPLORE_NONE);
    for (size_t i = 0; i < e->front_count; i++)
        for (size_t k = 0; k < e->fronts[i].count; k++)
            e->configs[e->fronts[i].members[k]].fronts |= 1u << i;
}
