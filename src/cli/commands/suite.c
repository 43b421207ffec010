/* heddle suite. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/shell.h"
#include "cli/cli.h"
#include "cli/jobs.h"
#include "cli/machine.h"
#include "cli/progress_jobs.h"
#include "cli/signals.h"
#include "suite/suite_report.h"

typedef struct suite_args {
    cli_machine machine;
    const char *size, *build, *output, *reports;
    const char **tags;
    unsigned tag_count, jobs;
    uint64_t timeout_s;
    bool no_build, native;
    cli_keep keep;
} suite_args;

/* What the threads share; `lock` guards all below it. */
typedef struct suite_work {
    suite_args *args;
    const suite *suite;
    const suite_program **chosen;
    suite_job job;
    suite_report report;
    FILE *table;         /* NULL: not printed */
    progress_jobs *line; /* on terminals */
    pthread_mutex_t lock;
    suite_result *results;
    bool *done;
    size_t count, printed;
    pthread_mutex_t file; /* guards the results file and what follows */
    bool *kept;           /* in that file */
    bool unkept;          /* something could not be written to it */
} suite_work;

/* ---- Arguments ---- */

static void take_suite_option(cli_args *a, suite_args *x)
{
    uint64_t v;

    if (cli_machine_option(&x->machine, a) || cli_keep_option(&x->keep, a)) {
        return;
    } else if (cli_is(a, "size")) {
        x->size = a->value;
    } else if (cli_is(a, "build")) {
        x->build = a->value;
    } else if (cli_is(a, "reports")) {
        x->reports = a->value;
    } else if (cli_is(a, "no-build")) {
        x->no_build = true;
    } else if (cli_is(a, "native")) {
        x->native = true;
    } else if (cli_is(a, "output")) {
        x->output = a->value;
    } else if (cli_is(a, "jobs")) {
        if (cli_u64(a, JOBS_MOST, &v))
            x->jobs = v ? (unsigned)v : 1;
    } else if (cli_is(a, "timeout")) {
        cli_u64(a, UINT32_MAX, &x->timeout_s);
    } else if (cli_is(a, "tag")) {
        x->tags = renew(x->tags, x->tag_count + 1, sizeof *x->tags);
        x->tags[x->tag_count++] = a->value;
    }
}

/* Refuses options about reports that are not written. */
static int check_reports(const suite_args *x, const cli_args *a)
{
    const report_options *r = &x->machine.sim.report;

    if ((x->reports || x->keep.path) && x->native)
        return cli_usage(a->command, "--native has no --reports and no "
                                     "--store");
    if (!x->reports && (r->by_line || r->by_instruction || r->per_block ||
                        r->has_top || x->machine.sim.hash))
        return cli_usage(a->command,
                         "--by-line, --by-instruction, --top, --per-block and "
                         "--hash need --reports");
    return 0;
}

/* The programs that operands from 2 on name. 0, or an exit code. */
static int choose_programs(const suite_args *x, const suite *s,
                           const cli_args *a, suite_work *w)
{
    const suite_texts tags = {x->tags, x->tag_count};
    suite_texts names = {(const char **)cli_operands(a) + 2, 0};
    diag *dg = diag_new();
    status st;

    while (names.text[names.count])
        names.count++;
    st = suite_choose(s, names, tags, dg, &w->chosen, &w->count);
    cli_report(dg);
    diag_free(dg);
    return cli_exit_code(st);
}

/* A size that no program has is a mistake. */
static int check_size(const suite_args *x, const suite_work *w)
{
    bool sized = false;

    for (size_t i = 0; i < w->count; i++) {
        sized |= w->chosen[i]->size_count != 0;
        if (suite_size_find(w->chosen[i], x->size))
            return 0;
    }
    if (!sized)
        return 0;
    return cli_usage(cli_find("suite"), "no program has a size '%s'", x->size);
}

/* ---- Running ---- */

/* Adds a program to the results file; `o` NULL: it did not start. */
static void store_program_run(suite_work *w, size_t i, const char *const *argv,
                              const session_outcome *o)
{
    const suite_result *r = &w->results[i];
    const suite_program *p = w->chosen[i];
    strbuf command = {0};
    store_run run = {.workload = p->name,
                     .size = p->size_count ? w->args->size : NULL,
                     .status = suite_verdict_text(r->verdict),
                     .why = r->why,
                     .tail = r->tail,
                     .exit_code = r->exit_code,
                     .signal = r->signal,
                     .started = (double)time(NULL) - r->host_s,
                     .wall_s = r->host_s,
                     .number = i};

    if (argv)
        shell_quote_all(argv, &command);
    run.command = command.text;
    pthread_mutex_lock(&w->file);
    progress_jobs_hide(w->line); /* it may print a message */
    if (!cli_machine_keep(&w->args->machine, &w->args->keep, o, &run))
        w->unkept = true;
    progress_jobs_show(w->line);
    w->kept[i] = true;
    pthread_mutex_unlock(&w->file);
    strbuf_fini(&command);
}

/* The report of one program, as `exec` has it. Called by any thread. */
static bool keep_report(const suite_args *x, const suite_program *p,
                        const char *const *argv, const session_outcome *o)
{
    static const char *const ends[] = {"txt", "json", "csv"};
    char *path = NULL;
    FILE *to;
    bool good;

    if (asprintf(&path, "%s/%s.%s", x->reports, p->name,
                 ends[x->machine.sim.format]) < 0)
        return false;
    to = fopen(path, "we");
    free(path);
    if (!to)
        return false;
    cli_machine_report(&x->machine, argv, o, CLI_KERNELS, 0, to);
    good = !ferror(to);
    return fclose(to) == 0 && good;
}

/* What is kept of one program. Called by any thread. */
static bool keep_program(void *arg, const suite_program *p,
                         const char *const *argv, const session_outcome *o)
{
    suite_work *w = arg;
    size_t i = 0;

    while (w->chosen[i] != p)
        i++;
    if (w->args->keep.store)
        store_program_run(w, i, argv, o);
    return !w->args->reports || keep_report(w->args, p, argv, o);
}

/* Rows whose turn it is; called with the lock. */
static void print_rows(suite_work *w)
{
    progress_jobs_hide(w->line);
    for (; w->printed < w->count && w->done[w->printed]; w->printed++)
        if (w->table)
            suite_report_row(&w->report, &w->results[w->printed], w->table);
    if (w->table)
        fflush(w->table);
    progress_jobs_show(w->line);
}

static void run_one_program(void *arg, size_t i)
{
    suite_work *w = arg;

    progress_jobs_begin(w->line, i, w->chosen[i]->name);
    suite_run(w->suite, w->chosen[i], &w->job, &w->results[i]);
    if (w->args->keep.store && !w->kept[i])
        store_program_run(w, i, NULL, NULL);
    progress_jobs_end(w->line, i, suite_verdict_good(w->results[i].verdict));
    pthread_mutex_lock(&w->lock);
    w->done[i] = true;
    print_rows(w);
    pthread_mutex_unlock(&w->lock);
}

static void run_programs(suite_work *w, unsigned jobs)
{
    w->line = progress_jobs_new(w->count, !w->args->machine.sim.quiet,
                                cli_machine_advice(&w->args->machine));
    jobs_run(w->count, jobs, run_one_program, w);
    progress_jobs_free(w->line);
    w->line = NULL;
    for (size_t i = 0; i < w->count; i++)
        if (!w->done[i]) {
            w->results[i] = (suite_result){
                .program = w->chosen[i], .verdict = SUITE_STOPPED, .tail = ""};
            w->done[i] = true;
        }
    print_rows(w);
}

static int suite_exit_code(const suite_work *w)
{
    for (size_t i = 0; i < w->count; i++)
        if (!suite_verdict_good(w->results[i].verdict))
            return *signals_stop() ? cli_exit_code(ST_INTERRUPTED)
                                   : cli_exit_code(ST_MISMATCH);
    return w->unkept ? cli_exit_code(ST_IO) : 0;
}

static void report_suite(const suite_args *x, suite_work *w, FILE *to)
{
    w->report.count = w->count;
    if (x->machine.sim.format == FORMAT_JSON)
        suite_report_json(&w->report, to);
    else if (x->machine.sim.format == FORMAT_CSV)
        suite_report_csv(&w->report, to);
    if (w->table)
        suite_report_sum(&w->report, w->table);
}

/* Builds, runs, reports. */
static int run_to(const suite_args *x, suite_work *w, FILE *to)
{
    const char *why = NULL;
    double began = clock_s();

    if (!suite_build(w->suite, &w->job, x->machine.mem, &why)) {
        fprintf(stderr, "heddle suite: cannot build %s:\n%s\n", w->suite->path,
                why);
        return cli_exit_code(ST_MISMATCH);
    }
    pthread_mutex_init(&w->lock, NULL);
    pthread_mutex_init(&w->file, NULL);
    if (x->machine.sim.format == FORMAT_TEXT) {
        w->table = to;
        suite_report_head(&w->report, to);
        fflush(to);
    }
    run_programs(w, x->jobs);
    w->report.seconds = clock_s() - began;
    report_suite(x, w, to);
    pthread_mutex_destroy(&w->lock);
    pthread_mutex_destroy(&w->file);
    return suite_exit_code(w);
}

static int cannot_make(const char *path)
{
    fprintf(stderr, "heddle suite: cannot make %s: %s\n", path,
            strerror(errno));
    return cli_exit_code(ST_IO);
}

static const char *build_folder(const suite_args *x)
{
    arena *mem = x->machine.mem;

    return x->build ? jobs_absolute(mem, x->build) : jobs_build_folder(mem);
}

/* What all of them get. `usual` and `x` are borrowed. */
static suite_job make_job(suite_work *w, const sigset_t *usual)
{
    suite_args *x = w->args;
    const cli_machine *m = &x->machine;

    return (suite_job){.build = build_folder(x),
                       .tmp = jobs_tmp(),
                       .size = x->size,
                       .timeout_s = (unsigned)x->timeout_s,
                       .skip_build = x->no_build,
                       .setup = &m->setup,
                       .configs = m->configs,
                       .env = x->native ? NULL : m->env,
                       .usual = usual,
                       .each = x->reports && m->sim.format != FORMAT_TEXT
                                   ? UINT64_MAX
                                   : cli_keep_counters(&x->keep),
                       .stop = signals_stop(),
                       .keep = keep_program,
                       .keep_arg = w};
}

static int run_chosen(suite_args *x, const suite *s, suite_work *w)
{
    const cli_machine *m = &x->machine;
    const char **names = ARENA_ARRAY(m->mem, const char *, m->count + 1);
    FILE *to;
    sigset_t usual;
    int code;

    if (x->reports && mkdir(x->reports, 0777) != 0 && errno != EEXIST)
        return cannot_make(x->reports);
    if (!(to = cli_output("suite", x->output)))
        return cli_exit_code(ST_IO);
    for (unsigned i = 0; i < m->count; i++)
        names[i] = m->gpus[i].name;
    if (x->native)
        names[0] = "the machine's own OpenCL";
    signals_catch(&usual);
    w->suite = s;
    w->args = x;
    w->job = make_job(w, &usual);
    w->report = (suite_report){.suite = s,
                               .size = x->size,
                               .gpus = names,
                               .gpu_count = x->native ? 1 : m->count};
    w->report.results = w->results = new0(w->count, sizeof *w->results);
    w->done = new0(w->count + 1, sizeof *w->done);
    w->kept = new0(w->count + 1, sizeof *w->kept);
    code = run_to(x, w, to);
    for (size_t i = 0; i < w->count; i++)
        suite_result_fini(&w->results[i]);
    free(w->results);
    free(w->done);
    free(w->kept);
    return cli_output_end("suite", x->output, to, code);
}

static bool need_compiler(const suite_args *x, const suite *s,
                          const suite_work *w)
{
    const char *build = build_folder(x);

    for (size_t i = 0; i < w->count; i++)
        if (suite_needs_compiler(s, w->chosen[i], build, x->size))
            return true;
    return false;
}

static int run_suite(suite_args *x, const suite *s, const cli_args *a)
{
    suite_work w = {0};
    int code = choose_programs(x, s, a, &w);

    if (!code)
        code = check_size(x, &w);
    if (!code)
        code = cli_machine_make(&x->machine);
    x->machine.setup.hash |= x->keep.path != NULL;
    if (!code && !x->native && !cli_machine_find_driver(&x->machine, "suite"))
        code = CLI_NO_DRIVER;
    if (!code && !x->native && need_compiler(x, s, &w) &&
        !cli_machine_try_compiler(&x->machine, "suite"))
        code = CLI_NO_DRIVER;
    if (!code)
        code = cli_keep_begin(&x->keep, "suite", s->name);
    x->keep.about.places = w.count;
    if (!code)
        code = run_chosen(x, s, &w);
    return code;
}

static int list_suite(const suite_args *x, const suite *s, const cli_args *a)
{
    suite_work w = {0};
    int code = choose_programs(x, s, a, &w);

    if (code)
        return code;
    suite_report_list(s, w.chosen, w.count, stdout);
    return cli_finish(0);
}

static int start_suite(suite_args *x, cli_args *a)
{
    const char *what = cli_operand(a, 0), *path = cli_operand(a, 1);
    diag *dg = diag_new();
    suite *s = NULL;
    status st;
    int code;

    if (!what || !path || (strcmp(what, "run") && strcmp(what, "list"))) {
        diag_free(dg);
        return cli_usage(a->command, "expected run or list and a suite");
    }
    st = suite_read(jobs_suite(x->machine.mem, path), dg, &s);
    cli_report(dg);
    diag_free(dg);
    if (st != ST_OK)
        return cli_exit_code(st);
    code = strcmp(what, "list") ? run_suite(x, s, a) : list_suite(x, s, a);
    suite_free(s);
    return code;
}

int cli_suite(int argc, char **argv)
{
    cli_args a = cli_start("suite", argc, argv);
    suite_args x = {.size = "small", .jobs = 1};
    int code = 2;

    cli_machine_init(&x.machine);
    cli_command_line(argv, &x.keep.command);
    while (cli_next(&a))
        take_suite_option(&a, &x);
    if (!a.wrong && !cli_machine_check(&x.machine, &a) &&
        !check_reports(&x, &a))
        code = start_suite(&x, &a);
    free(x.tags);
    cli_keep_fini(&x.keep);
    cli_machine_fini(&x.machine);
    return code;
}
