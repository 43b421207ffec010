/* src/sweep/sweep_plan.c - plans expanded: machines, points, their ids. */
#include "sweep/sweep_plan.h"

#include <string.h>

#include "base/must.h"
#include "base/strbuf.h"
#include "config/rules.h"
#include "sweep/sweep_impl.h"

enum {
    COMBINATIONS_MOST = 10000000, /* before filters */
    POINTS_MOST = 1000000,
    CAUSES_MOST = 10 /* why machines cannot be */
};

void sweep_plan_free(sweep_plan *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->gpu_count; i++)
        config_sheet_free(p->gpus[i].sheet);
    for (size_t i = 0; i < p->suite_count; i++)
        suite_free(p->suites[i]);
    arena_free(p->mem);
}

/* ---- Combinations ---- */

/* Values of a group; all its axes have as many. */
size_t sweep_plan_group(const sweep_plan *p, size_t group)
{
    for (size_t i = 0; i < p->axis_count; i++)
        if (p->axes[i].group == group)
            return p->axes[i].count;
    return 1;
}

/* Of one step of a group's value: groups behind it go faster. */
static uint64_t group_stride(const sweep_plan *p, size_t group)
{
    uint64_t stride = 1;

    for (size_t g = group + 1; g < p->group_count; g++)
        stride *= sweep_plan_group(p, g);
    return stride;
}

size_t sweep_plan_value(const sweep_plan *p, const sweep_machine *m,
                        size_t axis)
{
    size_t group = p->axes[axis].group;

    return (size_t)(m->combination / group_stride(p, group) %
                    sweep_plan_group(p, group));
}

/* Sets what the plan and the axes set. */
static void apply_point(const sweep_plan *p, const sweep_machine *m,
                        config *cfg)
{
    *cfg = *config_sheet_values(p->gpus[m->gpu].sheet);
    for (size_t i = 0; i < p->axis_count; i++) {
        const sweep_sets *s =
            &p->axes[i].values[sweep_plan_value(p, m, i)].sets;

        for (size_t k = 0; k < s->count; k++)
            MUST(config_put(cfg, s->set[k].param, s->set[k].value, NULL));
    }
}

config_sheet *sweep_plan_sheet(const sweep_plan *p, const sweep_machine *m)
{
    config_sheet *sheet = config_sheet_new();
    diag *dg = diag_new();

    config_sheet_load(sheet, p->gpus[m->gpu].from, dg);
    for (size_t i = 0; i < p->set.count; i++)
        config_sheet_set(sheet, p->set.set[i].assignment, CONFIG_FROM_SET, dg);
    for (size_t i = 0; i < p->axis_count; i++) {
        const sweep_sets *s =
            &p->axes[i].values[sweep_plan_value(p, m, i)].sets;

        for (size_t k = 0; k < s->count; k++)
            config_sheet_set(sheet, s->set[k].assignment, CONFIG_FROM_AXIS, dg);
    }
    diag_free(dg);
    return sheet;
}

/* ---- Expansion ---- */

/* Machines that break the same rule. */
typedef struct broken {
    char *rule; /* without its numbers */
    const char *text;
    sweep_machine first;
    size_t count;
} broken;

typedef struct expansion {
    sweep_plan *p;
    diag *dg;
    diag *why; /* of one machine */
    broken causes[CAUSES_MOST];
    size_t cause_count;
    size_t others; /* machines with further causes */
} expansion;

/* GPU and values, as "gtx480 l1.sets=64". */
static void put_machine(const sweep_plan *p, const sweep_machine *m, strbuf *to)
{
    strbuf_puts(to, p->gpus[m->gpu].name);
    for (size_t i = 0; i < p->axis_count; i++)
        strbuf_printf(to, " %s=%s", p->axes[i].name,
                      p->axes[i].values[sweep_plan_value(p, m, i)].label);
}

static char *without_numbers(arena *mem, const char *text)
{
    char *copy = arena_strdup(mem, text), *to = copy;

    for (const char *from = copy; *from; from++)
        if (*from < '0' || *from > '9')
            *to++ = *from;
    *to = '\0';
    return copy;
}

static void note_invalid(expansion *x, const sweep_machine *m)
{
    arena *mem = x->p->mem;
    const char *text = diag_get(x->why, 0)->text;
    char *rule;
    size_t i = 0;

    if (x->p->skip_invalid)
        return;
    rule = without_numbers(mem, text);
    while (i < x->cause_count && strcmp(x->causes[i].rule, rule) != 0)
        i++;
    if (i == CAUSES_MOST) {
        x->others++;
        return;
    }
    if (i == x->cause_count)
        x->causes[x->cause_count++] =
            (broken){rule, arena_strdup(mem, text), *m, 0};
    x->causes[i].count++;
}

/* One error for each rule. */
static void report_invalid(const expansion *x)
{
    const sweep_plan *p = x->p;

    for (size_t i = 0; i < x->cause_count; i++) {
        const broken *c = &x->causes[i];
        yml_place at = p->gpus[c->first.gpu].at;
        strbuf text = {0};

        put_machine(p, &c->first, &text);
        if (c->count > 1)
            strbuf_printf(&text, " and %zu more", c->count - 1);
        diag_add(x->dg, DIAG_ERROR, p->path, at.line, at.column, at.length,
                 "%s: %s", text.text, c->text);
        strbuf_fini(&text);
    }
    if (x->others)
        diag_add(x->dg, DIAG_ERROR, p->path, 0, 0, 1,
                 "and %zu more machines that cannot be", x->others);
    diag_add(x->dg, DIAG_NOTE, p->path, 0, 0, 1,
             "'invalid: skip' leaves them out, and so can 'where' or 'except'");
}

static void add_point(sweep_plan *p, size_t w)
{
    ARENA_GROW(p->mem, p->points, p->count, p->point_room);
    p->points[p->count++] =
        (sweep_point){.machine = p->machine_count, .workload = w};
}

static void add_to_machines(sweep_plan *p, sweep_machine m, const config *cfg)
{
    m.content = point_id_config(cfg);
    ARENA_GROW(p->mem, p->machines, p->machine_count, p->machine_room);
    p->machines[p->machine_count++] = m;
}

static void add_machine(expansion *x, sweep_machine m)
{
    sweep_plan *p = x->p;
    size_t first = p->count;
    config cfg;

    apply_point(p, &m, &cfg);
    if (!sweep_filter_keeps(p, &m, &cfg, SWEEP_NONE)) {
        p->filtered += p->workload_count;
        return;
    }
    for (size_t w = 0; w < p->workload_count; w++) {
        if (sweep_filter_keeps(p, &m, &cfg, w))
            add_point(p, w);
        else
            p->filtered++;
    }
    if (p->count == first)
        return;
    diag_clear(x->why);
    if (config_check(&cfg, x->why) != ST_OK) {
        note_invalid(x, &m);
        p->invalid += p->count - first;
        p->count = first;
        return;
    }
    add_to_machines(p, m, &cfg);
}

/* 0: more than are allowed. */
static uint64_t combinations(const sweep_plan *p)
{
    uint64_t all = p->gpu_count;

    for (size_t g = 0; g < p->group_count; g++) {
        all *= sweep_plan_group(p, g);
        if (all > COMBINATIONS_MOST)
            return 0;
    }
    return all * p->workload_count > COMBINATIONS_MOST ? 0 : all;
}

static status check_counts(expansion *x)
{
    const sweep_plan *p = x->p;

    if (x->cause_count)
        report_invalid(x);
    else if (!p->count)
        diag_add(x->dg, DIAG_ERROR, p->path, 0, 0, 1,
                 "no point is left: filters leave out %zu, %zu cannot be",
                 p->filtered, p->invalid);
    else if (p->count > POINTS_MOST)
        diag_add(x->dg, DIAG_ERROR, p->path, 0, 0, 1,
                 "the plan has %zu points; %d are allowed", p->count,
                 POINTS_MOST);
    else
        return ST_OK;
    return ST_CONFIG;
}

status sweep_plan_expand(sweep_plan *p, diag *dg)
{
    expansion x = {.p = p, .dg = dg, .why = diag_new()};
    uint64_t all = combinations(p);
    status st;

    if (!all) {
        diag_add(dg, DIAG_ERROR, p->path, 0, 0, 1,
                 "the plan has more than %d combinations", COMBINATIONS_MOST);
        diag_free(x.why);
        return ST_CONFIG;
    }
    p->machine_count = p->count = p->filtered = p->invalid = 0;
    for (size_t g = 0; g < p->gpu_count; g++)
        for (uint64_t c = 0; c < all / p->gpu_count; c++)
            add_machine(&x, (sweep_machine){.gpu = g, .combination = c});
    st = check_counts(&x);
    diag_free(x.why);
    return st;
}

/* ---- Machine by machine ---- */

uint64_t sweep_plan_combination(const sweep_plan *p, const size_t *values)
{
    uint64_t all = 0;

    for (size_t g = 0; g < p->group_count; g++)
        all = all * sweep_plan_group(p, g) + values[g];
    return all;
}

bool sweep_plan_allows(const sweep_plan *p, sweep_machine m, diag *scratch)
{
    config cfg;

    apply_point(p, &m, &cfg);
    if (!sweep_filter_keeps(p, &m, &cfg, SWEEP_NONE))
        return false;
    for (size_t w = 0; w < p->workload_count; w++)
        if (!sweep_filter_keeps(p, &m, &cfg, w))
            return false;
    diag_clear(scratch);
    return config_check(&cfg, scratch) == ST_OK;
}

void sweep_plan_add(sweep_plan *p, sweep_machine m)
{
    config cfg;

    apply_point(p, &m, &cfg);
    for (size_t w = 0; w < p->workload_count; w++)
        add_point(p, w);
    add_to_machines(p, m, &cfg);
}

/* ---- Ids ---- */

static status identify_workload(sweep_plan *p, size_t i, const char *build,
                                diag *dg)
{
    sweep_workload *w = &p->workloads[i];

    w->content = point_id_workload(&w->is, build, w->inputs, w->input_count,
                                   p->mem, &w->missing);
    if (!w->missing)
        return ST_OK;
    diag_add(dg, DIAG_ERROR, p->path, w->at.line, w->at.column, w->at.length,
             "workload '%s' needs '%s', which cannot be read", w->is.label,
             w->missing);
    return ST_CONFIG;
}

/* What is the same for all points. */
typedef struct common {
    point_hash heddle, driver, setup;
} common;

static common make_common(const sweep_plan *p, const char *driver)
{
    return (common){point_id_heddle(), point_id_driver(driver),
                    point_id_setup(&p->setup)};
}

static void identify_point(sweep_plan *p, size_t i, const common *c)
{
    sweep_point *point = &p->points[i];
    const sweep_workload *w = &p->workloads[point->workload];
    const point_parts parts = {
        c->heddle,  c->driver, p->machines[point->machine].content,
        w->content, c->setup,  w->is.program != NULL};

    point_id(&parts, point->id);
}

bool sweep_plan_programs(const sweep_plan *p)
{
    for (size_t i = 0; i < p->workload_count; i++)
        if (p->workloads[i].is.program)
            return true;
    return false;
}

status sweep_plan_identify(sweep_plan *p, const char *build, const char *driver,
                           diag *dg)
{
    common c = make_common(p, driver);
    bool *used = ARENA_ARRAY(p->mem, bool, p->workload_count + 1);
    status st = ST_OK;

    for (size_t i = 0; i < p->count; i++)
        used[p->points[i].workload] = true;
    for (size_t i = 0; i < p->workload_count; i++)
        if (used[i] && identify_workload(p, i, build, dg) != ST_OK)
            st = ST_CONFIG;
    for (size_t i = 0; i < p->count; i++)
        identify_point(p, i, &c);
    return st;
}

status sweep_plan_identify_one(sweep_plan *p, size_t point, const char *build,
                               const char *driver, diag *dg)
{
    const sweep_point *is = &p->points[point];
    status st = identify_workload(p, is->workload, build, dg);
    sweep_machine *m = &p->machines[is->machine];
    bool program = p->workloads[is->workload].is.program;
    common c = make_common(p, program ? driver : NULL);
    config cfg;

    apply_point(p, m, &cfg);
    m->content = point_id_config(&cfg);
    identify_point(p, point, &c);
    return st;
}

/* ---- Of a point ---- */

/* Of one size: the same as "" in all. */
static bool has_sizes(const sweep_plan *p)
{
    const char *first = NULL;

    for (size_t i = 0; i < p->workload_count; i++) {
        const char *size = p->workloads[i].is.size;

        if (size && first && strcmp(size, first) != 0)
            return true;
        first = size ? size : first;
    }
    return false;
}

size_t sweep_plan_factors(const sweep_plan *p, size_t point, sweep_factor *out)
{
    const sweep_point *is = &p->points[point];
    const sweep_machine *m = &p->machines[is->machine];
    const sweep_workload *w = &p->workloads[is->workload];
    size_t n = 0;

    out[n++] = (sweep_factor){"workload", w->is.label};
    if (w->is.size && has_sizes(p))
        out[n++] = (sweep_factor){"size", w->is.size};
    out[n++] = (sweep_factor){"gpu", p->gpus[m->gpu].name};
    for (size_t i = 0; i < p->axis_count; i++)
        out[n++] =
            (sweep_factor){p->axes[i].name,
                           p->axes[i].values[sweep_plan_value(p, m, i)].label};
    return n;
}

void sweep_plan_put_point(const sweep_plan *p, size_t point, strbuf *to)
{
    const sweep_point *is = &p->points[point];

    put_machine(p, &p->machines[is->machine], to);
    strbuf_printf(to, " %s", p->workloads[is->workload].is.label);
}

const char *sweep_plan_label(const sweep_plan *p, size_t point)
{
    strbuf text = {0};
    const char *copy;

    sweep_plan_put_point(p, point, &text);
    copy = arena_strdup(p->mem, text.text);
    strbuf_fini(&text);
    return copy;
}
