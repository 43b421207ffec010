/* heddle exec, and heddle watch of a program. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/kind.h"
#include "base/must.h"
#include "base/shell.h"
#include "cli/checkpoint.h"
#include "cli/cli.h"
#include "cli/commands/report.h"
#include "cli/commands/watch.h"
#include "cli/keep.h"
#include "cli/machine.h"
#include "cli/progress.h"
#include "cli/tracing.h"
#include "report/sampled.h"
#include "session/server.h"
#include "suite/suite_run.h"

enum {
    GRACE_MS = 2000, /* for processes that outlive the program */
    NOT_RUN = 126,   /* exit statuses as those of env(1) */
    NOT_FOUND = 127,
    ENDING = 64, /* bytes of words about it */
};

typedef struct exec_args {
    cli_machine machine;
    uint64_t kernels, detailed;
    const char *output;
    bool validate;     /* --validate-sampling */
    bool launches;     /* --launches was given */
    watching *watched; /* by a browser; NULL: it is not */
    int heard;         /* as `stopped` was, */
    double release_s;  /* and when all goes on for it; 0: it has */
    cli_keep keep;
    const char *html; /* a page goes there; NULL: none */
    double began;     /* since 1970 */
    cli_tracing tracing;
    cli_checkpoint checkpoint;
    char *trace_folder; /* of --accelsim, its whole name */
    trace_set *trace;   /* NULL: not wanted */
    /* The launch that is traced; pid 0: none. */
    uint32_t traced_pid;
    uint64_t traced_number;
    trace_launch traced;
} exec_args;

static const double RELEASE_S = 0.5; /* behind a signal */

/* The signal that was sent last, and how many came before it. */
static volatile sig_atomic_t asked_to_end;

/* How many there were, the terminal's too. */
static volatile sig_atomic_t stopped;

/* What the terminal sends (the kernel: Ctrl-C, Ctrl-\, its end) the program
 * gets, too: it decides what that means. What a process sends to this one is
 * passed on. */
static void record_signal(int number, siginfo_t *from, void *context)
{
    int before = asked_to_end / SESSION_SIGNALS;

    (void)context;
    stopped = (stopped + 1) % SIG_ATOMIC_MAX;
    if (from->si_code != SI_KERNEL)
        asked_to_end = number + (before + 1) % 1024 * SESSION_SIGNALS;
}

/* ---- Arguments ---- */

static void take_exec_option(cli_args *a, exec_args *x)
{
    if (cli_machine_option(&x->machine, a) || cli_keep_option(&x->keep, a) ||
        cli_tracing_option(&x->tracing, a) ||
        cli_checkpoint_option(&x->checkpoint, &x->machine, a) ||
        (x->watched && watch_option(x->watched, a))) {
        return;
    } else if (cli_is(a, "launches")) {
        x->launches = true;
        x->kernels = 0;
        x->detailed = SIZE_MAX;
        if (strcmp(a->value, "all") != 0)
            cli_u64(a, SIZE_MAX, &x->detailed);
    } else if (cli_is(a, "output")) {
        x->output = a->value;
    } else if (cli_is(a, "html")) {
        x->html = a->value;
    } else if (cli_is(a, "validate-sampling")) {
        x->validate = true;
    }
}

/* ---- Signals ---- */

/* What was ignored stays so; `usual` is what the program must get back. */
static void arrange_signals(sigset_t *usual)
{
    static const int list[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

    sigemptyset(usual);
    for (size_t i = 0; i < COUNTOF(list); i++) {
        struct sigaction old,
            act = {.sa_sigaction = record_signal, .sa_flags = SA_SIGINFO};

        sigaction(list[i], NULL, &old);
        if (old.sa_handler == SIG_IGN)
            continue;
        sigaddset(usual, list[i]);
        sigaction(list[i], &act, NULL);
    }
}

/* ---- The report ---- */

/* The command, in messages. */
static const char *name_of(const exec_args *x)
{
    return x->watched ? "watch" : "exec";
}

/* False: it could not be written; that is told. */
static bool close_report(const exec_args *x, FILE *to)
{
    bool good;

    errno = 0;
    good = fflush(to) == 0 && !ferror(to);
    if (to != stderr && to != stdout)
        good = fclose(to) == 0 && good;
    if (!good)
        fprintf(stderr, "heddle %s: cannot write the report to %s: %s\n",
                name_of(x), x->output ? x->output : "standard error",
                strerror(errno ? errno : EIO));
    return good;
}

/* The program's status, but 1 if all went well except for the report. */
static int finish_exec(const exec_args *x, const session_outcome *o, FILE *to)
{
    const report_program *p = session_outcome_get(o);
    int code = p->signal ? 128 + p->signal : p->exit_code;

    return close_report(x, to) || code ? code : cli_exit_code(ST_IO);
}

static FILE *open_output(const exec_args *x)
{
    FILE *to;

    if (!x->output)
        return stderr;
    if (!strcmp(x->output, "-"))
        return stdout;
    to = fopen(x->output, "we");
    if (!to)
        fprintf(stderr, "heddle %s: cannot write %s: %s\n", name_of(x),
                x->output, strerror(errno));
    return to;
}

/* ---- The results file ---- */

static void tell_ending(const report_program *p, char why[ENDING])
{
    if (p->signal)
        snprintf(why, ENDING, "signal %d (%s)", p->signal,
                 strsignal(p->signal));
    else
        snprintf(why, ENDING, "exit status %d", p->exit_code);
}

/* `code` is what the program ended with. */
static bool keep_exec_run(exec_args *x, const char *const *argv,
                          const session_outcome *o)
{
    const report_program *p = session_outcome_get(o);
    strbuf command = {0};
    struct rusage use;
    size_t size = 0;
    const char *window = x->trace ? trace_window(x->trace, &size) : NULL;
    char why[ENDING];
    bool good;

    getrusage(RUSAGE_CHILDREN, &use);
    tell_ending(p, why);
    shell_quote_all(argv, &command);
    good = cli_machine_keep(
        &x->machine, &x->keep, o,
        &(store_run){.workload = cli_last_part(argv[0]),
                     .status = suite_verdict_text(p->signal      ? SUITE_CRASH
                                                  : p->exit_code ? SUITE_FAIL
                                                                 : SUITE_PASS),
                     .why = p->signal || p->exit_code ? why : NULL,
                     .exit_code = p->exit_code,
                     .signal = p->signal,
                     .started = x->began,
                     .wall_s = p->seconds,
                     .cpu_s = p->cpu_seconds,
                     .max_rss = (uint64_t)use.ru_maxrss * 1024,
                     .command = command.text,
                     .waterfall = window,
                     .waterfall_size = size});
    strbuf_fini(&command);
    return good;
}

/* False: it could not be written; that is told. */
static bool write_exec_page(const exec_args *x)
{
    const cli_keep *k = &x->keep;

    return !x->html || !k->study || !report_study(k->store, k->study, x->html);
}

/* ---- Running ---- */

/* A kernel or a source in place of a program: what to do with it. */
static void report_file_kind(const char *program)
{
    diag *dg = diag_new();
    char *text;
    size_t size;

    if (file_read(program, dg, &text, &size) == ST_OK) {
        file_kind k = file_kind_of(program, text, size);

        if (k != FILE_ELF && k != FILE_SCRIPT)
            file_kind_refuse(program, k, "program", dg);
        free(text);
    }
    cli_report(dg);
    diag_free(dg);
}

static int not_started(const exec_args *x, const char *program, int why)
{
    fprintf(stderr, "heddle %s: cannot run '%s': %s\n", name_of(x), program,
            strerror(why));
    if (why == EACCES || why == ENOEXEC)
        report_file_kind(program);
    return why == ENOENT ? NOT_FOUND : NOT_RUN;
}

/* ---- The trace ---- */

static bool open_trace(exec_args *x, diag *dg)
{
    session_trace *s = &x->machine.setup.trace;
    trace_options o = x->tracing.is;

    if (!trace_wanted(&o))
        return true;
    o.filter.queues = o.perfetto != NULL;
    *s = (session_trace){.wanted = true,
                         .filter = o.filter,
                         .first = o.first_launch,
                         .last = o.last_launch,
                         .limit = o.limit};
    o.first_launch = 1; /* launches are chosen where they run */
    o.last_launch = UINT64_MAX;
    x->trace = trace_open(&o, dg);
    return x->trace;
}

/* Of the launches of several processes at once only the first is traced. */
static void take_events(void *arg, const session_events *e)
{
    exec_args *x = arg;
    bool ours = x->traced_pid == e->pid && x->traced_number == e->number;

    if (!x->trace || (x->traced_pid && !ours))
        return;
    if (!e->n) {
        if (ours)
            trace_end(x->trace, e->launch->cycles);
        x->traced_pid = 0;
        return;
    }
    if (!ours) {
        x->traced = (trace_launch){.number = e->number,
                                   .kernel = e->launch->kernel,
                                   .arch = e->launch->arch,
                                   .cfg = e->launch->cfg};
        x->traced_pid = e->pid;
        x->traced_number = e->number;
        trace_begin(x->trace, &x->traced);
    }
    trace_take(x->trace, e->event, e->n);
}

/* False: it could not be written. */
static bool close_trace(exec_args *x)
{
    diag *dg = diag_new();

    if (x->trace)
        trace_end(x->trace, 0); /* of a process that died in a launch */
    bool good = trace_close(x->trace, dg) == ST_OK;
    cli_report(dg);
    diag_free(dg);
    return good;
}

/* ---- Watched by a browser ---- */

/* What a signal has not ended after a while is not to stand still. */
static void follow_program(void *arg, const session_now *now)
{
    exec_args *x = arg;

    monitor_follow(x->watched->monitor, now);
    if (x->heard != stopped)
        x->release_s = clock_s() + RELEASE_S;
    x->heard = stopped;
    if (!(x->release_s > 0) || clock_s() < x->release_s)
        return;
    x->release_s = 0;
    monitor_release(x->watched->monitor);
}

/* False: `dg` says why not. */
static bool start_watching(exec_args *x, session_watch *w, diag *dg)
{
    monitor_options how = {.program = true,
                           .configs = x->machine.configs,
                           .devices = x->machine.count,
                           .command = x->keep.command.text};

    if (!watch_start(x->watched, &how, dg))
        return false;
    x->machine.setup.watch =
        (session_watching){.wanted = true, .hold = x->watched->hold};
    *w = (session_watch){.line = monitor_line(x->watched->monitor),
                         .bell = monitor_bell(x->watched->monitor),
                         .now = follow_program,
                         .arg = x};
    return true;
}

/* 0, or 2 and a message: what cannot be watched. */
static int check_watching(const exec_args *x, const cli_args *a)
{
    const char *other = x->validate ? "--validate-sampling runs it twice"
                        : x->checkpoint.writes
                            ? "up to a checkpoint no cycles are simulated"
                        : x->machine.sim.rt.functional
                            ? "with --functional no cycles are simulated"
                            : NULL;

    if (x->watched && other)
        return cli_usage(a->command,
                         "%s: nothing could be watched; use 'heddle exec'",
                         other);
    return 0;
}

/* ---- The session ---- */

/* Launches of which somebody sees the counters of each. */
static uint64_t counters_each(const exec_args *x)
{
    uint64_t kept = cli_keep_counters(&x->keep);

    if (x->machine.sim.format != FORMAT_TEXT)
        return UINT64_MAX;
    return x->detailed > kept ? x->detailed : kept;
}

/* Runs the program to its end. ST_OK: `*o` is what happened. */
static status run_session(exec_args *x, const char *const *argv,
                          const sigset_t *usual, int *why, session_outcome **o)
{
    const cli_machine *m = &x->machine;
    progress *line =
        progress_new(!m->sim.quiet || x->watched, cli_machine_advice(m));
    session_watch watch;
    diag *dg = diag_new();
    status st;

    *why = 0;
    if (m->sim.quiet)
        progress_mute(line);
    if (x->watched)
        x->watched->progress = line;
    if (x->watched && !start_watching(x, &watch, dg))
        st = ST_IO;
    else
        st = session_run(&(session_request){.argv = argv,
                                            .env = m->env,
                                            .setup = &m->setup,
                                            .configs = m->configs,
                                            .usual = usual,
                                            .signal = &asked_to_end,
                                            .each = counters_each(x),
                                            .progress = progress_session,
                                            .progress_arg = line,
                                            .trace = take_events,
                                            .trace_arg = x,
                                            .watch = x->watched ? &watch : NULL,
                                            .grace_ms = GRACE_MS},
                         why, dg, o);

    progress_clear(line);
    progress_free(line);
    if (x->watched)
        x->watched->progress = NULL;
    cli_report(dg);
    diag_free(dg);
    return st;
}

static void end_watching(exec_args *x, const session_outcome *o)
{
    const report_program *p = o ? session_outcome_get(o) : NULL;
    char why[ENDING] = "it did not begin";

    if (p)
        tell_ending(p, why);
    watch_end(x->watched, p && !p->signal && !p->exit_code ? "ok" : why);
}

static int simulate_program(exec_args *x, const char *const *argv, FILE *to)
{
    session_outcome *o = NULL;
    diag *dg = diag_new();
    bool traced = open_trace(x, dg);
    sigset_t usual;
    int why, code;

    cli_report(dg);
    diag_free(dg);
    if (!traced)
        return cli_exit_code(ST_IO);
    arrange_signals(&usual);
    x->began = (double)time(NULL);
    if (run_session(x, argv, &usual, &why, &o) == ST_OK) {
        cli_machine_report(&x->machine, argv, o, x->kernels, x->detailed, to);
        code = cli_checkpoint_end(&x->checkpoint, finish_exec(x, o, to));
        if (!keep_exec_run(x, argv, o) && !code)
            code = cli_exit_code(ST_IO);
        if (!write_exec_page(x) && !code)
            code = cli_exit_code(ST_IO);
        if (!close_trace(x) && !code)
            code = cli_exit_code(ST_IO);
    } else {
        code = why ? not_started(x, argv[0], why)
               : x->watched && !x->watched->monitor ? cli_exit_code(ST_IO)
                                                    : CLI_NO_DRIVER;
        close_trace(x);
    }
    end_watching(x, o);
    session_outcome_free(o);
    return code;
}

/* ---- --validate-sampling ---- */

/* 0, or 2 and a message: what one table does not tell. */
static int check_validation(const exec_args *x, const cli_args *a)
{
    const cli_simulation *sim = &x->machine.sim;
    const char *other =
        x->html                        ? "--html"
        : x->keep.path                 ? "--store"
        : trace_wanted(&x->tracing.is) ? "traces"
        : x->checkpoint.file || x->checkpoint.resume || x->checkpoint.writes
            ? "checkpoints"
        : sim->rt.functional                                ? "--functional"
        : sim->format == FORMAT_CSV                         ? "CSV"
        : x->launches                                       ? "--launches"
        : sim->report.by_line || sim->report.by_instruction ? "profiles"
        : sim->report.per_block                             ? "--per-block"
        : sim->hash                                         ? "--hash"
        : sim->occupancy                                    ? "--occupancy"
        : sim->series                                       ? "--energy-series"
                                                            : NULL;

    if (x->validate && other)
        return cli_usage(a->command,
                         "--validate-sampling runs the program twice and "
                         "tells one table: it does not go with %s",
                         other);
    return 0;
}

/* In full, then sampled. False: `*code` says why there is nothing to tell. */
static bool run_both(exec_args *x, const char *const *argv,
                     session_outcome *both[2], int *code)
{
    sigset_t usual;
    int why = 0;

    arrange_signals(&usual);
    *code = 0;
    for (int i = 0; i < 2 && !*code; i++) {
        x->machine.setup.filter.sample = i == 1;
        if (run_session(x, argv, &usual, &why, &both[i]) != ST_OK) {
            *code = why ? not_started(x, argv[0], why) : CLI_NO_DRIVER;
        } else {
            const report_program *p = session_outcome_get(both[i]);

            *code = p->signal ? 128 + p->signal : p->exit_code;
        }
    }
    return both[1] != NULL;
}

static int validate_sampling(exec_args *x, const char *const *argv, FILE *to)
{
    session_outcome *both[2] = {NULL, NULL};
    strbuf command = {0};
    sampled_check c;
    int code;

    shell_quote_all(argv, &command);
    if (run_both(x, argv, both, &code)) {
        sampled_check_make(session_outcome_get(both[0]),
                           session_outcome_get(both[1]), &c);
        if (x->machine.sim.format == FORMAT_JSON)
            sampled_check_json(&c, command.text, to);
        else
            sampled_check_text(&c, command.text, to);
        if (c.row[c.count - 1].missing && !code)
            code = cli_exit_code(ST_MISMATCH);
        sampled_check_free(&c);
    } else if (both[0]) {
        fprintf(stderr,
                session_outcome_get(both[0])->exit_code ||
                        session_outcome_get(both[0])->signal
                    ? "heddle exec: the program failed in full: nothing to "
                      "compare with\n"
                    : "heddle exec: the program did not start again: nothing "
                      "to compare with\n");
    }
    if (!close_report(x, to) && !code)
        code = cli_exit_code(ST_IO);
    strbuf_fini(&command);
    session_outcome_free(both[0]);
    session_outcome_free(both[1]);
    return code;
}

static int start_exec(exec_args *x, cli_args *a)
{
    const char *const *argv;
    FILE *to;
    int code;

    if (x->html && !x->keep.path)
        cli_keep_for_now(&x->keep, x->machine.mem);
    cli_tracing_set(&x->tracing, &x->machine.sim.rt);
    if (cli_machine_check(&x->machine, a) || check_validation(x, a) ||
        check_watching(x, a) ||
        cli_checkpoint_check(&x->checkpoint, &x->machine, a) ||
        cli_tracing_check(&x->tracing, a, x->machine.sim.rt.functional,
                          x->keep.path))
        return 2;
    argv = (const char *const *)cli_operands(a);
    if (x->watched && strcmp(argv[-1], "--") != 0)
        return cli_usage(a->command,
                         "a program stands behind --, alone: '%s' is too much",
                         argv[0]);
    if (!argv[0])
        return cli_usage(a->command, "expected a program");
    code = cli_checkpoint_begin(&x->checkpoint, &x->machine, argv[0]);
    if (!code)
        code =
            cli_tracing_make(&x->tracing, &x->machine.sim.rt, &x->trace_folder);
    if (!code)
        code = cli_machine_make(&x->machine);
    x->machine.setup.hash |= x->keep.path != NULL;
    x->machine.setup.timeline =
        x->keep.path || x->machine.sim.format == FORMAT_JSON;
    if (!code)
        code = cli_can_write(x->html);
    if (!code)
        code = cli_keep_begin(&x->keep, "exec", argv[0]);
    if (code)
        return code;
    if (!cli_machine_find_driver(&x->machine, name_of(x)))
        return CLI_NO_DRIVER;
    to = open_output(x);
    if (!to)
        return cli_exit_code(ST_IO);
    return x->validate ? validate_sampling(x, argv, to)
                       : simulate_program(x, argv, to);
}

/* `a` has only begun. */
static int exec_command(cli_args a, watching *watched)
{
    exec_args x = {.kernels = CLI_KERNELS, .watched = watched};
    int code = 2;

    cli_machine_init(&x.machine);
    cli_tracing_init(&x.tracing);
    cli_command_line(a.argv, &x.keep.command);
    while (cli_next(&a))
        take_exec_option(&a, &x);
    if (!a.wrong)
        code = start_exec(&x, &a);
    cli_keep_fini(&x.keep);
    cli_checkpoint_fini(&x.checkpoint);
    cli_machine_fini(&x.machine);
    free(x.trace_folder);
    return code;
}

int cli_exec(int argc, char **argv)
{
    return exec_command(cli_start("exec", argc, argv), NULL);
}

int exec_watched(watching *w, int argc, char **argv)
{
    return exec_command(cli_start_program("watch", argc, argv), w);
}
