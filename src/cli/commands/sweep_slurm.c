/* src/cli/commands/sweep_slurm.c - see sweep_slurm.h. */
#include "cli/commands/sweep_slurm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/plural.h"
#include "cli/commands/sweep.h"
#include "cli/jobs.h"
#include "cli/signals.h"
#include "slurm/slurm_watch.h"

enum { TRIES = 3 };

/* ---- Options ---- */

void sweep_slurm_init(sweep_slurm *x)
{
    *x = (sweep_slurm){.options.tries = TRIES};
}

void sweep_slurm_fini(sweep_slurm *x) { free((void *)x->options.options); }

static void add_option(slurm_options *o, const char *option)
{
    const char **more =
        renew((void *)o->options, o->option_count + 1, sizeof *more);

    more[o->option_count++] = option;
    o->options = more;
}

bool sweep_slurm_option(sweep_slurm *x, cli_args *a)
{
    slurm_options *o = &x->options;
    uint64_t v;

    if (cli_is(a, "slurm"))
        ;
    else if (cli_is(a, "slurm-write"))
        x->write_only = true;
    else if (cli_is(a, "no-wait"))
        x->no_wait = true;
    else if (cli_is(a, "slurm-partition"))
        o->partition = a->value;
    else if (cli_is(a, "slurm-time"))
        o->time = a->value;
    else if (cli_is(a, "slurm-mem"))
        o->memory = a->value;
    else if (cli_is(a, "slurm-option"))
        add_option(o, a->value);
    else if (cli_is(a, "array")) {
        if (cli_u64(a, UINT32_MAX, &v))
            o->tasks = (unsigned)v;
    } else if (cli_is(a, "slurm-tries")) {
        if (cli_u64(a, 1000, &v))
            o->tries = v ? (unsigned)v : 1;
    } else {
        return false;
    }
    x->wanted = true;
    return true;
}

/* Limits that Slurm would not understand are reported before anything is
 * written. 0, or an exit code. */
static int check_slurm_options(const sweep_slurm *x)
{
    const slurm_options *o = &x->options;
    const cli_command *c = cli_find("sweep");

    if (o->time && !slurm_minutes(o->time))
        return cli_usage(c,
                         "--slurm-time %s: expected minutes, H:MM:SS or "
                         "D-HH:MM",
                         o->time);
    if (o->memory && !slurm_megabytes(o->memory))
        return cli_usage(c, "--slurm-mem %s: expected a size such as 4G",
                         o->memory);
    for (size_t i = 0; i < o->option_count; i++)
        if (o->options[i][0] != '-' || strchr(o->options[i], '\n'))
            return cli_usage(c,
                             "--slurm-option %s: expected an option of "
                             "sbatch, such as --qos=low",
                             o->options[i]);
    return 0;
}

/* ---- What is shown ---- */

typedef struct watch {
    const sweep_slurm *x;
    sweep_folder *folder;
    slurm_sweep *slurm;
    sweep_live *live; /* NULL before anything is watched */
    diag *dg;
    arena *mem;
    double began_s;
    size_t began_done;
    double *since;         /* that a point runs, as far as we saw; 0: not */
    sweep_child *children; /* points that run */
    bool done;             /* nothing is left to watch */
} watch;

static size_t finished(const watch *w)
{
    return sweep_folder_count(w->folder, SWEEP_DONE) +
           sweep_folder_count(w->folder, SWEEP_FAILED);
}

static void clear_live(watch *w)
{
    if (w->live)
        sweep_live_clear(w->live);
}

static void print_above_live(void *arg, const char *line)
{
    clear_live(arg);
    fprintf(stderr, "heddle sweep: %s\n", line);
}

/* The tasks, in words. */
static void show_tasks(watch *w, const slurm_sums *sums, bool silent)
{
    strbuf b = {0};

    strbuf_printf(&b, "Slurm: %zu task%s running, %zu waiting", sums->running,
                  sums->running == 1 ? "" : "s", sums->waiting);
    if (sums->waiting && sums->why && strcmp(sums->why, "None"))
        strbuf_printf(&b, " (%s)", sums->why);
    if (sums->resubmitted)
        strbuf_printf(&b, ", %zu point%s submitted again", sums->resubmitted,
                      word_plural(sums->resubmitted));
    if (silent)
        strbuf_puts(&b, "; it does not answer");
    sweep_live_note(w->live, b.text);
    strbuf_fini(&b);
}

static void show_progress(void *arg, const slurm_sums *sums, bool silent,
                          double now_s)
{
    watch *w = arg;
    size_t all = sweep_folder_plan(w->folder)->count, n = 0;
    sweep_now now = {
        .done = sweep_folder_count(w->folder, SWEEP_DONE),
        .failed = sweep_folder_count(w->folder, SWEEP_FAILED),
        .left = sweep_folder_count(w->folder, SWEEP_LEFT),
        .here = sweep_folder_count(w->folder, SWEEP_RUNNING),
        .finished = finished(w) - w->began_done,
        .seconds = now_s - w->began_s,
        .children = w->children,
    };

    for (size_t i = 0; i < all; i++) {
        if (sweep_folder_state(w->folder, i) != SWEEP_RUNNING) {
            w->since[i] = 0;
            continue;
        }
        if (w->since[i] == 0)
            w->since[i] = now_s;
        w->children[n++] =
            (sweep_child){.point = i, .seconds = now_s - w->since[i]};
    }
    now.child_count = n;
    show_tasks(w, sums, silent);
    sweep_live_show(w->live, &now);
}

/* How to go on without us. */
static void print_how_to_resume(watch *w)
{
    const char *dir = sweep_folder_path(w->folder);
    strbuf jobs = {0};

    slurm_sweep_jobs(w->slurm, ' ', &jobs);
    clear_live(w);
    if (jobs.size)
        fprintf(stderr,
                "heddle sweep: Slurm goes on with %s\n"
                "    heddle sweep status %s    how far it is\n"
                "    scancel %s    ends it\n"
                "The same command again goes on watching, submits what was "
                "lost and merges.\n",
                jobs.text, dir, jobs.text);
    strbuf_fini(&jobs);
}

/* ---- Going on ---- */

/* Prints what is in the diag. */
static int fail_watch(watch *w, status st)
{
    clear_live(w);
    cli_report(w->dg);
    return cli_exit_code(st);
}

/* Prints Slurm's part in the failures; the caller reports the points. */
static void print_sums(watch *w)
{
    slurm_sums sums = slurm_sweep_sums(w->slurm);
    strbuf b = {0};

    clear_live(w);
    for (unsigned i = 0; i < SLURM_STATES; i++)
        if (sums.causes[i])
            strbuf_printf(&b, "%s%zu: %s", b.size ? ", " : "", sums.causes[i],
                          slurm_state_text(i));
    if (sums.resubmitted)
        fprintf(stderr, "heddle sweep: %zu point%s submitted again (%s)\n",
                sums.resubmitted, sums.resubmitted == 1 ? " was" : "s were",
                b.text);
    if (sums.cancelled)
        fprintf(stderr,
                "heddle sweep: %zu point%s cancelled; the same command again "
                "runs what is left\n",
                sums.cancelled, sums.cancelled == 1 ? " was" : "s were");
    strbuf_fini(&b);
}

static int watch_jobs(watch *w)
{
    const sweep_plan *p = sweep_folder_plan(w->folder);
    const slurm_watch how = {.folder = w->folder,
                             .slurm = w->slurm,
                             .stop = signals_stop(),
                             .say = print_above_live,
                             .show = show_progress,
                             .arg = w};
    sigset_t usual;
    status st;

    signals_catch(&usual);
    w->live = sweep_live_new(p, w->x->quiet, w->x->verbose, false);
    w->since = ARENA_ARRAY(w->mem, double, p->count + 1);
    w->children = ARENA_ARRAY(w->mem, sweep_child, p->count + 1);
    st = slurm_watch_run(&how, w->dg);
    clear_live(w);
    if (st == ST_INTERRUPTED) {
        print_how_to_resume(w);
        return cli_exit_code(st);
    }
    if (st == ST_OK) {
        print_sums(w);
        st = sweep_folder_merge(w->folder, true, w->dg);
    }
    if (st == ST_OK)
        st = sweep_folder_scan(w->folder, true, w->dg);
    w->done = st == ST_OK;
    return w->done ? 0 : fail_watch(w, st);
}

static int submit_only(watch *w)
{
    status st = slurm_watch_submit(w->slurm, w->dg);

    if (st == ST_OK)
        st = slurm_sweep_merge_job(w->slurm, w->dg);
    if (st != ST_OK)
        return fail_watch(w, st);
    print_how_to_resume(w);
    return 0;
}

static int write_only(watch *w)
{
    const char *script;
    status st = slurm_sweep_write(w->slurm, w->dg, &script);

    if (st != ST_OK)
        return fail_watch(w, st);
    printf("%s\n", script);
    return 0;
}

/* Points that were simulated elsewhere need no job. */
static status take_cached(watch *w)
{
    const sweep_plan *p = sweep_folder_plan(w->folder);
    arena *mem = arena_new();
    status st = ST_OK;
    int lock;

    for (size_t i = 0; i < p->count && st == ST_OK; i++) {
        const char *tmp = sweep_folder_tmp(w->folder, i, mem);

        if (sweep_folder_state(w->folder, i) != SWEEP_LEFT ||
            sweep_folder_claim(w->folder, i, &lock) != SWEEP_MINE)
            continue;
        if (cached_get(w->x->cache, p->points[i].id, tmp))
            st = sweep_folder_finish(w->folder, i, true, w->dg);
        sweep_folder_release(w->folder, i, lock);
    }
    arena_free(mem);
    return st;
}

/* The points that jobs have which we find are theirs. */
static int begin_watch(watch *w)
{
    slurm_sums sums;
    status st = sweep_folder_scan(w->folder, true, w->dg);

    if (st == ST_OK && !w->x->write_only)
        st = slurm_sweep_look(w->slurm, w->dg);
    if (st == ST_OK && w->x->cache->is && !w->x->cache->fresh)
        st = take_cached(w);
    if (st != ST_OK)
        return fail_watch(w, st);
    w->began_s = clock_s();
    w->began_done = finished(w);
    sums = slurm_sweep_sums(w->slurm);
    if (w->x->write_only || w->x->no_wait) {
        if (!sums.left) {
            fprintf(stderr, "heddle sweep: there is nothing to submit\n");
            return 0;
        }
        return w->x->write_only ? write_only(w) : submit_only(w);
    }
    if (sums.left && !sums.held)
        st = slurm_watch_submit(w->slurm, w->dg);
    if (st != ST_OK)
        return fail_watch(w, st);
    return watch_jobs(w);
}

int sweep_slurm_run(sweep_slurm *x, sweep_folder *f, bool *done)
{
    arena *mem = arena_new();
    watch w = {.x = x, .folder = f, .dg = diag_new(), .mem = mem};
    status st;
    int code = check_slurm_options(x);

    x->options.heddle = arena_printf(mem, "%s/heddle", jobs_own_folder(mem));
    if (x->cache->none || x->cache->fresh)
        x->options.worker = x->cache->none ? "--no-cache" : "--fresh";
    x->options.say = print_above_live;
    x->options.arg = &w;
    if (!code) {
        st = slurm_sweep_open(f, &x->options, w.dg, &w.slurm);
        code = st == ST_OK ? begin_watch(&w) : fail_watch(&w, st);
    }
    *done = w.done;
    sweep_live_free(w.live);
    slurm_sweep_close(w.slurm);
    diag_free(w.dg);
    arena_free(mem);
    return code;
}
