/* heddle sweep. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/must.h"
#include "base/suggest.h"
#include "cli/commands/sweep.h"
#include "cli/jobs.h"
#include "cli/keep.h"
#include "cli/signals.h"
#include "sweep/sweep_point.h"
#include "sweep/sweep_show.h"

/* ---- Arguments ---- */

static void take_format(sweep_args *x, cli_args *a)
{
    static const char *const names[] = {"text", "json", "csv"};

    for (x->format = 0; x->format < 3; x->format++)
        if (!strcmp(names[x->format], a->value))
            return;
    cli_usage(a->command, "--format: '%s' is not text, json or csv", a->value);
    a->wrong = true;
}

static void take_sweep_option(sweep_args *x, cli_args *a)
{
    uint64_t v;

    if (cached_option(&x->cache, a) || cli_explore_option(&x->explore, a) ||
        sweep_slurm_option(&x->slurm, a) || sweep_search_option(&x->search, a))
        return;
    if (cli_is(a, "output"))
        x->output = a->value;
    else if (cli_is(a, "build"))
        x->build = a->value;
    else if (cli_is(a, "dir"))
        x->dir = a->value;
    else if (cli_is(a, "only"))
        x->only = a->value;
    else if (cli_is(a, "points"))
        x->points = a->value;
    else if (cli_is(a, "part"))
        x->part = a->value;
    else if (cli_is(a, "retry"))
        x->retry = true;
    else if (cli_is(a, "quiet"))
        x->quiet = true;
    else if (cli_is(a, "verbose"))
        x->verbose = true;
    else if (cli_is(a, "commands"))
        x->commands = true;
    else if (cli_is(a, "format"))
        take_format(x, a);
    else if (cli_is(a, "jobs") && cli_u64(a, JOBS_MOST, &v))
        x->jobs = v ? (unsigned)v : 1;
}

/* The driver, if it is needed. NULL: it is not there; a message was printed. */
static const char *find_driver(sweep_args *x)
{
    return cli_machine_find_driver(&x->machine, "sweep") ? x->machine.driver
                                                         : NULL;
}

int sweep_report(diag *dg, status st)
{
    cli_report(dg);
    return cli_exit_code(st);
}

/* ---- Planning ---- */

static bool is_built(const sweep_plan *p, size_t w)
{
    for (size_t i = 0; i < w; i++)
        if (p->workloads[i].is.program == p->workloads[w].is.program)
            return true;
    return false;
}

/* Printed on terminals, since it takes its time. */
static bool build_one(sweep_args *x, const suite *s, const suite_program *p,
                      const suite_job *job)
{
    const char *what = p ? p->name : s->path, *why;
    bool told = isatty(STDERR_FILENO) && !x->quiet && (p ? p->build : s->build);
    bool good;

    if (told)
        fprintf(stderr, "\r\033[Kbuilding %.60s ...", what);
    good = p ? suite_build_program(s, p, job, x->mem, &why)
             : suite_build(s, job, x->mem, &why);
    if (told)
        fputs("\r\033[K", stderr);
    if (!good)
        fprintf(stderr, "heddle sweep: cannot build %s:\n%s\n", what, why);
    return good;
}

static int build_suites(sweep_args *x, const sweep_plan *p, const char *build)
{
    suite_job job = {.build = build, .tmp = jobs_tmp(), .size = "small"};

    for (size_t i = 0; i < p->suite_count; i++)
        if (!build_one(x, p->suites[i], NULL, &job))
            return cli_exit_code(ST_MISMATCH);
    for (size_t i = 0; i < p->workload_count; i++) {
        const workload *w = &p->workloads[i].is;

        job.size = w->size;
        if (w->program && !is_built(p, i) &&
            !build_one(x, w->suite, w->program, &job))
            return cli_exit_code(ST_MISMATCH);
    }
    return 0;
}

int sweep_prepare(sweep_args *x, const sweep_plan *p, const char **driver)
{
    const char *build =
        x->build ? jobs_absolute(x->mem, x->build) : jobs_build_folder(x->mem);
    int code;

    *driver = NULL;
    if (sweep_plan_programs(p) && !(*driver = find_driver(x)))
        return CLI_NO_DRIVER;
    code = build_suites(x, p, build);
    x->build = build;
    return code;
}

/* Reads and expands the plan, builds what it runs and gives ids. */
static int make_plan(sweep_args *x, const char *path, diag *dg,
                     sweep_plan **out)
{
    const char *driver;
    status st = sweep_plan_read(path, dg, out);
    int code;

    if (st == ST_OK)
        st = sweep_plan_expand(*out, dg);
    if (st != ST_OK)
        return sweep_report(dg, st);
    if ((code = sweep_prepare(x, *out, &driver)))
        return code;
    st = sweep_plan_identify(*out, x->build, driver, dg);
    return st == ST_OK ? 0 : sweep_report(dg, st);
}

/* ---- Running ---- */

static bool get_cached_point(void *arg, const char *id, const char *to)
{
    sweep_args *x = arg;

    return cached_get(&x->cache, id, to);
}

static void put_cached_point(void *arg, const char *id, const char *from)
{
    sweep_args *x = arg;

    cached_put(&x->cache, id, from);
}

typedef struct watched {
    sweep_args *x;
    sweep_live *live;
} watched;

static bool watched_get(void *arg, const char *id, const char *to)
{
    return get_cached_point(((watched *)arg)->x, id, to);
}

static void watched_put(void *arg, const char *id, const char *from)
{
    put_cached_point(((watched *)arg)->x, id, from);
}

static void watched_show(void *arg, const sweep_now *now)
{
    sweep_live_show(((watched *)arg)->live, now);
}

static void watched_ended(void *arg, size_t point, const char *how,
                          const char *why, double seconds)
{
    sweep_live_ended(((watched *)arg)->live, point, how, why, seconds);
}

status sweep_run_folder(sweep_args *x, sweep_folder *f, bool merge,
                        const size_t *points, size_t count, diag *dg)
{
    watched w = {x, sweep_live_new(sweep_folder_plan(f), x->quiet, x->verbose,
                                   x->verbose && !merge)};
    const sweep_run_options o = {
        .jobs = x->jobs,
        .merge = merge,
        .leave_killed = !merge && getenv("SLURM_JOB_ID"),
        .compiler = cli_build(),
        .stop = signals_stop(),
        .points = points,
        .point_count = count,
        .get = watched_get,
        .put = watched_put,
        .progress = watched_show,
        .ended = watched_ended,
        .arg = &w,
    };
    sigset_t usual;
    status st;

    signals_catch(&usual);
    st = sweep_run(f, &o, dg);
    sweep_live_free(w.live);
    return st;
}

bool sweep_can_compile(sweep_args *x, const sweep_folder *f,
                       const size_t *points, size_t count)
{
    const sweep_plan *p = sweep_folder_plan(f);
    bool need = false;

    for (size_t i = 0; i < (points ? count : p->count) && !need; i++) {
        size_t k = points ? points[i] : i;

        const workload *w = &p->workloads[p->points[k].workload].is;

        need = sweep_folder_state(f, k) == SWEEP_LEFT && w->program &&
               suite_needs_compiler(w->suite, w->program, sweep_folder_build(f),
                                    w->size) &&
               !cached_has(&x->cache, p->points[k].id);
    }
    return !need || (cli_machine_find_driver(&x->machine, x->command->name) &&
                     cli_machine_try_compiler(&x->machine, x->command->name));
}

const char *sweep_folder_of(const sweep_args *x, const char *path)
{
    const char *name = cli_last_part(path);
    size_t n = strlen(name);

    if (x->output)
        return x->output;
    if (n > 5 && !strcmp(name + n - 5, ".yaml"))
        n -= 5;
    return arena_printf(x->mem, "%.*s.sweep", (int)n, name);
}

int sweep_finish(sweep_args *x, sweep_folder *f, status st, diag *dg)
{
    const char *db =
        arena_printf(x->mem, "%s/results.db", sweep_folder_path(f));
    status shown;

    cli_report(dg);
    if (x->cache.hits && !x->quiet)
        fprintf(stderr,
                "heddle sweep: %" PRIu64 " point%s from the cache of "
                "results\n",
                x->cache.hits, x->cache.hits == 1 ? " is" : "s are");
    if (st == ST_INTERRUPTED && !x->quiet)
        fputs("heddle sweep: stopped; the same command goes on\n", stderr);
    shown = sweep_show_status(f, x->format, dg, stdout);
    cli_report(dg);
    if (st == ST_OK)
        st = shown;
    if (st == ST_OK && x->format == FORMAT_TEXT) {
        putchar('\n');
        cli_explore_show(&x->explore, db, sweep_folder_plan(f), FORMAT_TEXT,
                         stdout);
    }
    if (st == ST_OK && sweep_folder_count(f, SWEEP_FAILED))
        st = ST_MISMATCH;
    return cli_finish(cli_exit_code(st));
}

/* Here or by Slurm. */
static int run_made(sweep_args *x, sweep_folder *f, diag *dg)
{
    bool done;
    int code;

    if (!x->slurm.wanted && !sweep_can_compile(x, f, NULL, 0))
        return CLI_NO_DRIVER;
    if (!x->slurm.wanted)
        return sweep_finish(x, f, sweep_run_folder(x, f, true, NULL, 0, dg),
                            dg);
    x->slurm.quiet = x->quiet;
    x->slurm.verbose = x->verbose;
    x->slurm.cache = &x->cache;
    code = sweep_slurm_run(&x->slurm, f, &done);
    return done ? sweep_finish(x, f, ST_OK, dg) : code;
}

static int wrong_folder(const char *path, diag *dg)
{
    diag_add(dg, DIAG_ERROR, path, 0, 0, 0,
             "this is a folder: name the plan, and the folder with -o; 'heddle "
             "sweep worker' runs what is left of one");
    return sweep_report(dg, ST_INPUT);
}

static int run_plan(sweep_args *x, const char *path, diag *dg)
{
    const char *dir = sweep_folder_of(x, path);
    sweep_plan *p = NULL;
    sweep_folder *f = NULL;
    int code;
    status st;

    if (file_is_folder(path))
        return wrong_folder(path, dg);
    if (x->search.wanted)
        return sweep_search_run(x, path, dg);
    code = make_plan(x, path, dg, &p);
    if (!code) {
        st = sweep_folder_make(dir, p, x->build, dg, &f);
        if (st == ST_OK && x->retry)
            st = sweep_folder_forget_failed(f, dg);
        if (st == ST_OK) {
            code = run_made(x, f, dg);
        } else {
            code = sweep_report(dg, st);
        }
    }
    sweep_folder_close(f);
    sweep_plan_free(p);
    return code;
}

/* ---- Other verbs ---- */

static int list_points(sweep_args *x, const char *path, diag *dg)
{
    sweep_folder *f = NULL;
    sweep_plan *p = NULL;
    int code;

    if (file_is_folder(path)) {
        status st = sweep_folder_open(path, dg, &f);

        if (st == ST_OK)
            st = sweep_folder_scan(f, true, dg);
        code = st == ST_OK ? 0 : sweep_report(dg, st);
    } else if (x->commands) {
        code = cli_usage(x->command, "list --commands is of a folder; 'heddle "
                                     "sweep' makes it");
    } else {
        code = make_plan(x, path, dg, &p);
    }
    if (!code && x->commands)
        sweep_show_commands(f, stdout);
    else if (!code)
        sweep_show_list(f ? sweep_folder_plan(f) : p, f, x->format, stdout);
    sweep_folder_close(f);
    sweep_plan_free(p);
    return code ? code : cli_finish(0);
}

static int show_status(sweep_args *x, const char *dir, diag *dg)
{
    sweep_folder *f = NULL;
    status st = sweep_folder_open(dir, dg, &f);

    if (st == ST_OK)
        st = sweep_folder_scan(f, true, dg);
    if (st == ST_OK)
        st = sweep_show_status(f, x->format, dg, stdout);
    sweep_folder_close(f);
    return st == ST_OK ? cli_finish(0) : sweep_report(dg, st);
}

static int merge_sweep(sweep_args *x, const char *dir, diag *dg)
{
    sweep_folder *f = NULL;
    status st = sweep_folder_open(dir, dg, &f);

    if (st == ST_OK)
        st = sweep_folder_merge(f, true, dg);
    if (st == ST_OK)
        st = sweep_folder_scan(f, true, dg);
    if (st == ST_OK) {
        cli_report(dg);
        st = sweep_show_status(f, x->format, dg, stdout);
    }
    sweep_folder_close(f);
    return st == ST_OK ? cli_finish(0) : sweep_report(dg, st);
}

/* Of a folder whose points were merged as far as that can be done, or of any
 * results file. */
static int print_table(sweep_args *x, const char *path, diag *dg)
{
    const char *db = arena_printf(x->mem, "%s/results.db", path);
    sweep_folder *f = NULL;
    status st;
    int code;

    if (!file_is_folder(path))
        return cli_finish(
            cli_explore_show(&x->explore, path, NULL, x->format, stdout));
    st = sweep_folder_open(path, dg, &f);
    if (st == ST_OK && sweep_folder_merge(f, true, dg) != ST_OK)
        diag_add(dg, DIAG_WARNING, NULL, 0, 0, 0,
                 "finished points that are not merged count as missing");
    if (st == ST_OK && access(db, F_OK) != 0 && errno == ENOENT) {
        diag_error(dg, "%s: no point is finished yet", path);
        st = ST_MISMATCH;
    }
    code = sweep_report(dg, st);
    if (st == ST_OK)
        code = cli_finish(cli_explore_show(
            &x->explore, db, sweep_folder_plan(f), x->format, stdout));
    sweep_folder_close(f);
    return code;
}

/* ---- A worker ---- */

/* Which points a worker runs: numbers in the plan. */
typedef struct share {
    size_t *points;
    size_t count;
    size_t seen; /* points that it might run */
    unsigned long part, parts;
} share;

static void offer(share *s, size_t point)
{
    if (s->seen++ % s->parts == s->part)
        s->points[s->count++] = point;
}

/* The ids of a file, a line each; others are left out. */
static status offer_list(share *s, const char *path, const sweep_plan *p,
                         diag *dg)
{
    char *text = NULL, *at, *line;
    size_t size;
    strmap *known;
    status st = file_read(path, dg, &text, &size);

    if (st != ST_OK)
        return st;
    known = strmap_new();
    for (size_t i = p->count; i-- > 0;)
        strmap_put(known, p->points[i].id, (void *)(uintptr_t)(i + 1));
    for (at = text; (line = strsep(&at, "\n")) && s->seen < p->count;) {
        uintptr_t found = (uintptr_t)strmap_get(known, line);

        if (found)
            offer(s, (size_t)found - 1);
    }
    strmap_free(known);
    free(text);
    return ST_OK;
}

static status make_share(sweep_args *x, const sweep_plan *p, diag *dg, share *s)
{
    *s = (share){.points = ARENA_ARRAY(x->mem, size_t, p->count + 1),
                 .parts = 1};
    if (x->part && (sscanf(x->part, "%lu/%lu", &s->part, &s->parts) != 2 ||
                    s->part >= s->parts)) {
        diag_error(dg, "--part: '%s' is not like 0/4, the first of four",
                   x->part);
        return ST_USAGE;
    }
    if (x->points)
        return offer_list(s, x->points, p, dg);
    for (size_t i = 0; i < p->count; i++)
        if (!x->only || !strcmp(x->only, p->points[i].id))
            offer(s, i);
    if (!x->only || s->seen)
        return ST_OK;
    diag_error(dg, "the sweep has no point '%s'", x->only);
    return ST_USAGE;
}

static int work_as_task(sweep_args *x, const char *dir, diag *dg)
{
    sweep_folder *f = NULL;
    status st = sweep_folder_open(dir, dg, &f);
    share s = {0};

    if (st == ST_OK)
        st = make_share(x, sweep_folder_plan(f), dg, &s);
    if (st == ST_OK && !sweep_can_compile(x, f, s.points, s.count)) {
        sweep_folder_close(f);
        return CLI_NO_DRIVER;
    }
    if (st == ST_OK)
        st = sweep_run_folder(x, f, false, s.points, s.count, dg);
    for (size_t i = 0; i < s.count && st == ST_OK; i++)
        if (sweep_folder_state(f, s.points[i]) == SWEEP_FAILED)
            st = ST_MISMATCH;
    sweep_folder_close(f);
    return sweep_report(dg, st);
}

/* ---- A point ---- */

/* The child process of sweep_run. It ends with its parent. */
static int run_point(sweep_args *x, const char *dir, const char *id, diag *dg)
{
    sweep_host h = {
        .tmp = jobs_tmp(), .compiler = cli_build(), .stop = signals_stop()};
    bool passed = false;
    sigset_t usual;
    status st;

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    /* The lock ends with us, whatever programs leave behind. */
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    signals_catch(&usual);
    h.usual = &usual;
    if (cli_machine_look_for_driver(&x->machine))
        h.driver = strchr(x->machine.env[0], '=') + 1;
    h.env = x->machine.env;
    st = sweep_point_run(dir, id, &h, dg, &passed);
    cli_report(dg);
    switch (st) {
    case ST_OK:
        return passed ? SWEEP_CHILD_PASSED : SWEEP_CHILD_FAILED;
    case ST_CONFIG:
        return SWEEP_CHILD_CHANGED;
    case ST_INTERRUPTED:
        return SWEEP_CHILD_STOPPED;
    case ST_MISMATCH:
    case ST_USAGE:
    case ST_PROGRAM:
    case ST_FAULT:
    case ST_HANG:
    case ST_LIMIT:
    case ST_NOMEM:
    case ST_IO:
    case ST_INPUT:
    case ST_INTERNAL:
        return SWEEP_CHILD_IO;
    }
    MUST(!"every value is above");
}

/* ---- The command ---- */

/* Options of a search without one would be passed over. */
static bool is_search_whole(const sweep_args *x)
{
    if (!x->search.given || x->search.wanted)
        return true;
    cli_usage(x->command, "--%s is of a search: --search", x->search.given);
    return false;
}

static int dispatch_verb(sweep_args *x, const cli_args *a, diag *dg)
{
    static const struct {
        const char *name;
        int (*run)(sweep_args *x, const char *path, diag *dg);
    } verbs[] = {{"run", run_plan},       {"list", list_points},
                 {"status", show_status}, {"table", print_table},
                 {"merge", merge_sweep},  {"worker", work_as_task}};
    const char *verb = cli_operand(a, 0), *path = cli_operand(a, 1);

    if (!verb)
        return cli_usage(x->command, "expected a plan, or a verb and a folder");
    if (!strcmp(verb, "point"))
        return path && cli_operand(a, 2)
                   ? run_point(x, path, cli_operand(a, 2), dg)
                   : cli_usage(x->command, "expected a folder and a point");
    for (size_t i = 0; i < COUNTOF(verbs); i++) {
        if (strcmp(verb, verbs[i].name) != 0)
            continue;
        if (!path)
            path = x->dir;
        if (!path || cli_operand(a, 2))
            return cli_usage(x->command, "%s: expected one plan or folder",
                             verb);
        if (x->search.wanted && verbs[i].run != run_plan)
            return cli_usage(x->command, "--search runs a plan; %s does not",
                             verb);
        return verbs[i].run(x, path, dg);
    }
    if (path && access(verb, F_OK) == 0)
        return cli_usage(x->command, "one plan at a time; '%s' is too much",
                         path);
    if (path)
        return cli_usage(x->command,
                         "'%s' is no verb; there are run, list, status, table, "
                         "merge and worker",
                         verb);
    return run_plan(x, verb, dg);
}

int cli_sweep(int argc, char **argv)
{
    sweep_args x = {
        .command = cli_find("sweep"), .jobs = 1, .mem = arena_new()};
    cli_args a = cli_start("sweep", argc, argv);
    diag *dg = diag_new();
    int code = 2;

    cli_machine_init(&x.machine);
    cli_explore_init(&x.explore);
    sweep_slurm_init(&x.slurm);
    sweep_search_init(&x.search);
    while (cli_next(&a))
        take_sweep_option(&x, &a);
    if (!a.wrong && is_search_whole(&x) && cached_open(&x.cache, "sweep"))
        code = dispatch_verb(&x, &a, dg);
    cached_close(&x.cache);
    sweep_slurm_fini(&x.slurm);
    cli_machine_fini(&x.machine);
    diag_free(dg);
    arena_free(x.mem);
    return code;
}
