/* src/compare/compare_load.c - comparisons from results files; see
 * compare_store.h. What a run was judged by comes from the plan of the study,
 * what it did from its rows. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_store.h"
#include "config/yml.h"
#include "study/kernels_load.h"
#include "study/measure_load.h"

typedef struct loader {
    store *s;
    int64_t study;
    diag *dg;
    compare_study *to;
    const char *about[3]; /* mechanism or NULL, command, time */
    const char **gpus;
    size_t sides, workloads, nulls;
    size_t each; /* runs of a workload: sides, and those of nulls */
} loader;

/* ---- The plan ---- */

static const char *copy_text_of_key(const loader *l, const yml_node *map,
                                    const char *key)
{
    const yml_node *n = map->kind == YML_MAP ? yml_get(map, key) : NULL;

    return n && n->kind == YML_SCALAR ? arena_strdup(l->to->mem, n->text)
                                      : NULL;
}

static bool flag_of(const yml_node *map, const char *key)
{
    const yml_node *n = yml_get(map, key);

    return n && n->kind == YML_SCALAR && !strcmp(n->text, "true");
}

static const yml_node *list_of(const yml_node *map, const char *key)
{
    const yml_node *n = yml_get(map, key);

    return n && n->kind == YML_LIST && n->count ? n : NULL;
}

/* What was expected of it, as the only program of a suite. */
static void read_workload(const loader *l, const yml_node *n, workload *w)
{
    const char *memory = copy_text_of_key(l, n, "memory");
    suite_program *p = ARENA_NEW(l->to->mem, suite_program);

    w->name = copy_text_of_key(l, n, "name");
    w->label = copy_text_of_key(l, n, "label");
    w->size = copy_text_of_key(l, n, "size");
    w->name = w->name ? w->name : "?";
    w->label = w->label ? w->label : w->name;
    p->name = w->name;
    p->about = "";
    p->expect.ignore = copy_text_of_key(l, n, "ignore");
    p->expect.any_memory = memory && !strcmp(memory, "any");
    w->program = p;
}

static void read_side(const loader *l, const yml_node *n, measure_side *side)
{
    side->label = copy_text_of_key(l, n, "label");
    side->assignments = copy_text_of_key(l, n, "parameters");
    side->label = side->label ? side->label : "?";
    side->assignments = side->assignments ? side->assignments : "";
}

static void begin_compare(const loader *l, const yml_node *root, compare *c)
{
    arena *mem = l->to->mem;
    size_t i = 0;

    *c =
        (compare){.mem = mem,
                  .sides = ARENA_ARRAY(mem, measure_side, l->each),
                  .side_count = l->sides,
                  .nulls = l->nulls,
                  .workloads = ARENA_ARRAY(mem, compare_workload, l->workloads),
                  .count = l->workloads,
                  .allow_missing = flag_of(root, "allow_missing"),
                  .allow_different = flag_of(root, "allow_different"),
                  .by_kernel = flag_of(root, "by_kernel"),
                  .seconds = NAN};
    if (l->about[0])
        c->mechanism = mechanism_find(l->about[0]);
    c->view = c->mechanism ? c->mechanism->view : NULL;
    c->part = c->mechanism ? c->mechanism->part : NULL;
    for (const yml_node *n = list_of(root, "sides")->first; n; n = n->next)
        read_side(l, n, &c->sides[i++]);
    i = 0;
    for (const yml_node *n = list_of(root, "workloads")->first; n;
         n = n->next) {
        read_workload(l, n, &c->workloads[i].is);
        c->workloads[i].drawn = l->nulls && flag_of(n, "drawn");
        c->workloads[i++].runs = ARENA_ARRAY(mem, measure_run, l->each);
    }
}

/* 0: it has none, or as many as no comparison has. */
static size_t read_nulls(const yml_node *root)
{
    const yml_node *n = yml_get(root, "nulls");
    unsigned long is =
        n && n->kind == YML_SCALAR ? strtoul(n->text, NULL, 10) : 0;

    return is <= COMPARE_NULLS_MOST ? is : 0;
}

static status read_compare_plan(loader *l, const char *text)
{
    const yml_node *gpus = NULL, *sides = NULL, *workloads = NULL;
    yml_node *root = NULL;
    size_t i = 0;

    if (text &&
        yml_read("the plan", text, strlen(text), l->to->mem, l->dg, &root) ==
            ST_OK &&
        root->kind == YML_MAP) {
        gpus = list_of(root, "gpus");
        sides = list_of(root, "sides");
        workloads = list_of(root, "workloads");
    }
    if (!gpus || !sides || !workloads || sides->count < 2) {
        diag_error(l->dg,
                   "%s: the plan of comparison %" PRId64
                   " cannot be understood",
                   store_path(l->s), l->study);
        return ST_CONFIG;
    }
    l->sides = sides->count;
    l->nulls = read_nulls(root);
    l->each = l->sides * (1 + l->nulls);
    l->workloads = workloads->count;
    l->to->count = gpus->count;
    l->to->list = ARENA_ARRAY(l->to->mem, compare, gpus->count);
    l->gpus = ARENA_ARRAY(l->to->mem, const char *, gpus->count);
    for (const yml_node *n = gpus->first; n; n = n->next) {
        l->gpus[i] = arena_strdup(l->to->mem, n->text ? n->text : "?");
        begin_compare(l, root, &l->to->list[i++]);
    }
    return ST_OK;
}

static status find_study(loader *l)
{
    store_query *q = store_select(
        l->s, l->dg,
        "SELECT study, name, command, created, plan FROM study WHERE kind = "
        "'compare' AND (study = ?1 OR ?1 = 0) ORDER BY study DESC LIMIT 1",
        "i", l->study);
    status st = ST_CONFIG;

    if (!q)
        return ST_CONFIG;
    if (store_next(q, l->dg)) {
        l->to->study = l->study = store_int(q, 0);
        for (int i = 0; i < 3; i++)
            l->about[i] = store_null(q, i + 1)
                              ? NULL
                              : arena_strdup(l->to->mem, store_text(q, i + 1));
        l->to->command = l->about[1];
        l->to->created = l->about[2];
        st = read_compare_plan(l, store_text(q, 4));
    } else if (!diag_errors(l->dg)) {
        diag_error(l->dg, "%s has no such comparison", store_path(l->s));
    }
    store_done(q);
    return st;
}

/* ---- Machines ---- */

/* The configuration that the runs of a side had; the defaults if none was
 * begun. */
static void read_machine(const loader *l, size_t g, size_t s)
{
    measure_side *side = &l->to->list[g].sides[s];
    report_gpu *one = ARENA_NEW(l->to->mem, report_gpu);
    int64_t each = (int64_t)(l->each * l->workloads), first = each * (int64_t)g;
    store_query *q = store_select(
        l->s, l->dg,
        "SELECT run FROM point JOIN device USING(run) WHERE study = ?1 AND"
        " number >= ?2 AND number < ?3 AND number % ?4 = ?5 LIMIT 1",
        "iiiii", l->study, first, first + each, (int64_t)l->each, (int64_t)s);
    int64_t run = q && store_next(q, l->dg) ? store_int(q, 0) : 0;
    const config *cfg = stored_config(l->s, run, 0, l->to->mem, l->dg);

    store_done(q);
    if (!cfg) {
        config *usual = ARENA_NEW(l->to->mem, config);

        config_defaults(usual);
        cfg = usual;
    }
    *one = (report_gpu){l->gpus[g], cfg};
    side->gpus = one;
    side->gpu_count = 1;
}

/* ---- All of it ---- */

/* NULL: the comparison has no such point. */
static measure_run *run_of(const loader *l, int64_t number, const config **cfg)
{
    size_t n = (size_t)number, each = l->each * l->workloads;
    compare *c;

    if (number < 0 || n / each >= l->to->count)
        return NULL;
    c = &l->to->list[n / each];
    *cfg = c->sides[n % l->each].gpus[0].cfg;
    return &c->workloads[n % each / l->each].runs[n % l->each];
}

static void read_runs(const loader *l)
{
    store_query *q = store_select(
        l->s, l->dg, "SELECT number, run FROM point WHERE study = ?1", "i",
        l->study);

    while (q && store_next(q, l->dg)) {
        const config *cfg;
        measure_run *r = run_of(l, store_int(q, 0), &cfg);
        bool whole;

        if (r)
            measure_load(l->s, store_int(q, 1), cfg, l->to->mem, l->dg, r,
                         &whole);
    }
    store_done(q);
}

static void finish_loaded(compare *c)
{
    for (size_t w = 0; w < c->count; w++)
        for (size_t s = 0; s < compare_runs_each(c); s++)
            c->interrupted |= !c->workloads[w].runs[s].done;
    compare_finish(c);
}

status compare_load(store *s, int64_t study, diag *dg, compare_study *out)
{
    loader l = {.s = s, .study = study, .dg = dg, .to = out};
    status st;

    *out = (compare_study){.mem = arena_new()};
    st = find_study(&l);
    if (st == ST_OK) {
        for (size_t g = 0; g < out->count; g++)
            for (size_t k = 0; k < l.each; k++)
                read_machine(&l, g, k);
        read_runs(&l);
        st = diag_errors(dg) ? ST_CONFIG : ST_OK;
    }
    for (size_t g = 0; g < out->count && st == ST_OK; g++)
        finish_loaded(&out->list[g]);
    if (st != ST_OK)
        compare_study_fini(out);
    return st;
}

void compare_study_fini(compare_study *x)
{
    arena_free(x->mem);
    *x = (compare_study){0};
}
