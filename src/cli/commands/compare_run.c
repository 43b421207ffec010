/* src/cli/commands/compare_run.c - the runs of `heddle compare`: simulated or
 * taken from the user's cache, kept; see compare.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/commands/compare.h"
#include "cli/jobs.h"
#include "study/measure_load.h"

static compare_place place_of(const compare_args *x, size_t i)
{
    size_t each = x->workloads.is.count * x->side_count;

    return (compare_place){i / each, i % each / x->side_count,
                           i % x->side_count};
}

static size_t run_count(const compare_args *x)
{
    return x->count * x->workloads.is.count * x->side_count;
}

static measure_run *run_at(const compare_args *x, compare_place at)
{
    return &x->list[at.gpu].workloads[at.w].runs[at.s];
}

static size_t number_of(const compare_args *x, const measure_run *r)
{
    size_t i = 0;

    while (run_at(x, place_of(x, i)) != r)
        i++;
    return i;
}

/* NULL: its results cannot be known from what it is. */
static const char *id_of(const compare_args *x, size_t i)
{
    return x->ids[i][0] ? x->ids[i] : NULL;
}

/* ---- What runs are made of ---- */

/* A program of the user's own may read what nobody knows of. */
static bool is_known(const workload *w) { return !w->suite || *w->suite->path; }

/* Of a workload on each side of each GPU. Sides that are equal are simulated
 * apart: whether a program does the same twice is seen only then. */
static void identify_one(compare_args *x, size_t w, point_parts *p)
{
    for (unsigned g = 0; g < x->count; g++)
        for (size_t s = 0; s < x->side_count; s++) {
            const measure_side *side = &x->list[g].sides[s];
            char(*id)[POINT_ID_SIZE] =
                &x->ids[(g * x->workloads.is.count + w) * x->side_count];

            p->machine = point_id_config(side->gpus[0].cfg);
            p->setup = point_id_setup(side->job.setup);
            point_id(p, id[s]);
            for (size_t k = 0; k < s; k++)
                if (!strcmp(id[k], id[s]))
                    id[s][0] = '\0';
        }
}

static void identify(compare_args *x)
{
    const char *build = x->list->sides->job.build, *missing;
    point_parts p = {.heddle = point_id_heddle(),
                     .driver = point_id_driver(x->machine.driver)};

    for (size_t w = 0; w < x->workloads.is.count; w++) {
        const workload *is = &x->workloads.is.list[w];

        p.program = is->program != NULL;
        p.workload = point_id_workload(is, build, NULL, 0, x->mem, &missing);
        if (!missing && is_known(is))
            identify_one(x, w, &p);
    }
}

/* ---- Results that are known ---- */

/* A file of its own, in the arena. */
static const char *temporary(compare_args *x, size_t i, arena *mem)
{
    return arena_printf(mem, "%s/heddle-run-%ld-%p-%zu.db", jobs_tmp(),
                        (long)getpid(), (void *)x, i);
}

/* Fills in the run, and puts it into the results file, too. With the lock. */
static bool take(compare_args *x, size_t i, const char *path)
{
    compare_place at = place_of(x, i);
    measure_run *r = run_at(x, at);
    diag *dg = diag_new();
    arena *mem = arena_new();
    store *s = NULL;
    bool whole = false;
    int64_t run;

    MUST(dg && mem);
    if (store_open(path, dg, &s) == ST_OK &&
        (run = measure_find(s, x->ids[i], dg)) != 0 &&
        measure_load(s, run, x->list[at.gpu].sides[at.s].gpus[0].cfg, mem, dg,
                     r, &whole) &&
        whole && r->result.verdict == SUITE_PASS) {
        r->mem = mem;
        mem = NULL;
        x->cached++;
    } else {
        *r = (measure_run){0};
    }
    store_close(s);
    if (r->done && x->keep.store &&
        store_merge(x->keep.store, path, dg) != ST_OK)
        x->not_kept = true;
    if (r->done)
        cli_report(dg);
    diag_free(dg);
    arena_free(mem);
    return r->done;
}

static void keep_at(compare_args *x, size_t i, const report_program *p);

static bool is_in_cache(compare_args *x, size_t i)
{
    arena *mem;
    const char *path;
    bool there = false;

    if (!id_of(x, i))
        return false;
    mem = arena_new();
    MUST(mem != NULL);
    path = temporary(x, i, mem);
    pthread_mutex_lock(&x->lock);
    if (cached_get(&x->cache, x->ids[i], path)) {
        progress_jobs_hide(x->line);
        there = take(x, i, path);
        if (there)
            keep_at(x, i, NULL);
        progress_jobs_show(x->line);
        unlink(path);
    }
    pthread_mutex_unlock(&x->lock);
    arena_free(mem);
    return there;
}

/* A file with nothing but that run. What fails is no reason to fail. */
static void put_into_cache(compare_args *x, size_t i, const report_program *p)
{
    arena *mem = arena_new();
    diag *dg = diag_new();
    const char *path;
    store *s = NULL;
    store_run all;

    MUST(mem && dg);
    path = temporary(x, i, mem);
    compare_store_run(x->list, place_of(x, i), p, mem, &all);
    all.id = x->ids[i];
    all.build = cli_build();
    all.factor_count = 0;
    if (store_create_private(path, dg, &s) == ST_OK &&
        store_add(s, &all, dg) == ST_OK) {
        store_close(s);
        s = NULL;
        cached_put(&x->cache, x->ids[i], path);
    }
    store_close(s);
    unlink(path);
    diag_free(dg);
    arena_free(mem);
}

/* ---- The results file ---- */

/* With the lock if others may do so, too. */
static void keep_at(compare_args *x, size_t i, const report_program *p)
{
    arena *mem;
    store_run all;

    x->kept[i] = true;
    if (!x->keep.path)
        return;
    mem = arena_new();
    MUST(mem != NULL);
    compare_store_run(x->list, place_of(x, i), p, mem, &all);
    all.id = id_of(x, i);
    x->not_kept |= !cli_keep_run(&x->keep, &all);
    arena_free(mem);
}

/* What cannot be kept counts nevertheless: it is told at the end. */
bool compare_keep_run(void *arg, const measure_side *side, const workload *w,
                      const measure_run *r, const report_program *p)
{
    compare_args *x = arg;
    size_t i = number_of(x, r);

    (void)side, (void)w;
    if (x->cache.is && id_of(x, i) && p && r->result.verdict == SUITE_PASS)
        put_into_cache(x, i, p);
    pthread_mutex_lock(&x->lock);
    progress_jobs_hide(x->line); /* it may print a message */
    keep_at(x, i, p);
    progress_jobs_show(x->line);
    pthread_mutex_unlock(&x->lock);
    return true;
}

/* Those that were not run. */
static void keep_rest(compare_args *x)
{
    for (size_t i = 0; i < run_count(x); i++) {
        measure_run *r = run_at(x, place_of(x, i));

        if (!r->done && !x->kept[i])
            r->result.verdict = SUITE_STOPPED;
        if (!x->kept[i])
            keep_at(x, i, NULL);
    }
}

/* ---- Running ---- */

static const char *name_of(const compare_args *x, compare_place at)
{
    const compare *c = &x->list[at.gpu];

    return arena_printf(x->mem, "%s %s", c->workloads[at.w].is.label,
                        c->sides[at.s].label);
}

static void run_one(void *arg, size_t i)
{
    compare_args *x = arg;
    compare_place at = place_of(x, i);
    measure_run *r = run_at(x, at);
    const char *name;

    pthread_mutex_lock(&x->lock);
    name = name_of(x, at);
    pthread_mutex_unlock(&x->lock);
    progress_jobs_begin(x->line, i, name);
    if (!r->done && !is_in_cache(x, i)) /* not unbuilt, not known */
        measure(&x->list[at.gpu].workloads[at.w].is,
                &x->list[at.gpu].sides[at.s], r);
    progress_jobs_end(x->line, i, suite_verdict_good(r->result.verdict));
}

void compare_not_built(void *arg, size_t w, const char *why)
{
    compare_args *x = arg;

    for (unsigned g = 0; g < x->count; g++)
        for (size_t s = 0; s < x->side_count; s++) {
            measure_run *r = &x->list[g].workloads[w].runs[s];

            r->result = (suite_result){
                .verdict = SUITE_UNBUILT, .why = why, .tail = why};
            r->done = true;
        }
}

/* Is there a program to run whose results are not known? */
static bool need_compiler(const compare_args *x)
{
    for (size_t i = 0; i < run_count(x); i++)
        if (x->workloads.is.list[place_of(x, i).w].program &&
            !run_at(x, place_of(x, i))->done &&
            !(id_of(x, i) && cached_has(&x->cache, id_of(x, i))))
            return true;
    return false;
}

bool compare_run_all(compare_args *x)
{
    x->kept = ARENA_ARRAY(x->mem, bool, run_count(x));
    x->ids = arena_alloc(x->mem, sizeof *x->ids * run_count(x));
    identify(x);
    if (need_compiler(x) && !cli_machine_try_compiler(&x->machine, x->command))
        return false;
    x->line = progress_jobs_new(run_count(x), !x->machine.sim.quiet,
                                cli_machine_advice(&x->machine));
    pthread_mutex_init(&x->lock, NULL);
    jobs_run(run_count(x), x->jobs, run_one, x);
    pthread_mutex_destroy(&x->lock);
    progress_jobs_free(x->line);
    x->line = NULL;
    keep_rest(x);
    return true;
}
