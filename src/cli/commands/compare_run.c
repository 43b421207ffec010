/* src/cli/commands/compare_run.c - the runs of `heddle compare`: simulated or
 * taken from the user's cache, kept; see compare.h. */
#include <string.h>
#include <unistd.h>

#include "cli/commands/compare.h"
#include "cli/jobs.h"
#include "compare/compare_runs.h"

static size_t run_count(const compare_args *x)
{
    return compare_run_count(x->list, x->count);
}

static compare_place place_of_number(const compare_args *x, size_t i)
{
    return compare_place_of(x->list, i);
}

static measure_run *run_at(const compare_args *x, size_t i)
{
    return compare_run_at(x->list, place_of_number(x, i));
}

static bool is_skipped(const compare_args *x, size_t i)
{
    return x->skipped && x->skipped[i];
}

/* NULL: its results may depend on more than what is hashed. */
static const char *id_of(const compare_args *x, size_t i)
{
    return x->ids[i][0] ? x->ids[i] : NULL;
}

/* ---- Cached results ---- */

/* A file of its own, in the arena. */
static const char *temporary_path(compare_args *x, size_t i, arena *mem)
{
    return arena_printf(mem, "%s/heddle-run-%ld-%p-%zu.db", jobs_tmp(),
                        (long)getpid(), (void *)x, i);
}

/* Fills in the run, and puts it into the results file, too. With the lock. */
static bool take_kept_run(compare_args *x, size_t i, const char *path)
{
    diag *dg = diag_new();
    bool done;

    done =
        compare_run_load(x->list, place_of_number(x, i), path, x->ids[i], dg);
    if (done) {
        x->cached++;
        if (x->keep.store && store_merge(x->keep.store, path, dg) != ST_OK)
            x->not_kept = true;
        cli_report(dg);
    }
    diag_free(dg);
    return done;
}

static void keep_at(compare_args *x, size_t i, const report_program *p);

/* Those in the cache have the counters of few launches. */
static bool may_be_cached(const compare_args *x, size_t i)
{
    return id_of(x, i) && x->keep.launches <= STORE_LAUNCH_STATS;
}

static bool is_in_cache(compare_args *x, size_t i)
{
    arena *mem;
    const char *path;
    bool there = false;

    if (!may_be_cached(x, i))
        return false;
    mem = arena_new();
    path = temporary_path(x, i, mem);
    pthread_mutex_lock(&x->lock);
    if (cached_get(&x->cache, x->ids[i], path)) {
        progress_jobs_hide(x->line);
        there = take_kept_run(x, i, path);
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

    path = temporary_path(x, i, mem);
    compare_store_run(x->list, place_of_number(x, i), p, mem, &all);
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
    compare_store_run(x->list, place_of_number(x, i), p, mem, &all);
    all.id = id_of(x, i);
    x->not_kept |= !cli_keep_run(&x->keep, &all);
    arena_free(mem);
}

/* A run that cannot be kept counts nevertheless; it is reported at the end. */
bool compare_keep_run(void *arg, const measure_side *side, const workload *w,
                      const measure_run *r, const report_program *p)
{
    compare_args *x = arg;
    size_t i = compare_run_number(x->list, x->count, side, w);

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
        measure_run *r = run_at(x, i);

        if (is_skipped(x, i))
            continue;
        if (!r->done && !x->kept[i])
            r->result.verdict = SUITE_STOPPED;
        if (!x->kept[i])
            keep_at(x, i, NULL);
    }
}

/* ---- Running ---- */

static const char *name_of_run(const compare_args *x, compare_place at)
{
    const compare *c = &x->list[at.gpu];

    return arena_printf(x->mem, "%s %s", c->workloads[at.w].is.label,
                        c->sides[at.s].label);
}

static void run_one_comparison(void *arg, size_t i)
{
    compare_args *x = arg;
    compare_place at = place_of_number(x, i);
    measure_run *r = run_at(x, i);
    const char *name;

    if (is_skipped(x, i)) {
        progress_jobs_end(x->line, i, true);
        return;
    }
    pthread_mutex_lock(&x->lock);
    name = name_of_run(x, at);
    pthread_mutex_unlock(&x->lock);
    progress_jobs_begin(x->line, i, name);
    if (!r->done && !is_in_cache(x, i)) /* it is built, and not cached */
        measure(&x->list[at.gpu].workloads[at.w].is,
                &x->list[at.gpu].sides[at.s], r);
    progress_jobs_end(x->line, i, suite_verdict_good(r->result.verdict));
}

void compare_not_built(void *arg, size_t w, const char *why)
{
    compare_args *x = arg;

    compare_unbuilt(x->list, x->count, w, why);
}

static bool needs_compiler(const compare_args *x, const workload *w)
{
    return w->program &&
           suite_needs_compiler(w->suite, w->program, x->list->sides->job.build,
                                w->size);
}

/* Is there a program to run that does, and whose results are not cached? */
static bool need_compiler(const compare_args *x)
{
    for (size_t i = 0; i < run_count(x); i++)
        if (needs_compiler(x, &x->workloads.is.list[place_of_number(x, i).w]) &&
            !run_at(x, i)->done && !is_skipped(x, i) &&
            !(may_be_cached(x, i) && cached_has(&x->cache, id_of(x, i))))
            return true;
    return false;
}

bool compare_run_all(compare_args *x)
{
    x->kept = ARENA_ARRAY(x->mem, bool, run_count(x));
    x->ids = arena_alloc(x->mem, sizeof *x->ids * run_count(x));
    compare_identify(x->list, x->count, x->machine.driver, x->ids);
    if (need_compiler(x) && !cli_machine_try_compiler(&x->machine, x->command))
        return false;
    x->line = progress_jobs_new(run_count(x), !x->machine.sim.quiet,
                                cli_machine_advice(&x->machine));
    pthread_mutex_init(&x->lock, NULL);
    jobs_run(run_count(x), x->jobs, run_one_comparison, x);
    pthread_mutex_destroy(&x->lock);
    progress_jobs_free(x->line);
    x->line = NULL;
    keep_rest(x);
    return true;
}
