/* heddle run. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/must.h"
#include "cli/cli.h"
#include "cli/commands/report.h"
#include "cli/commands/watch.h"
#include "cli/keep.h"
#include "cli/launch_options.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/simulation.h"
#include "cli/tracing.h"
#include "launchfile/plan.h"
#include "replay/trace_list.h"
#include "report/run.h"
#include "report/timeline.h"
#include "session/setup.h"
#include "study/plan_run.h"
#include "study/workload.h"
#include "suite/suite_run.h"

typedef struct run_args {
    cli_gpu gpu;
    cli_simulation sim;
    plan *plan;
    plan_line line; /* the launch of the command line, if it has one */
    const char *launch_file;
    bool sample;         /* of long launches time parts */
    const char *command; /* "run", "watch" */
    watching *watched;   /* by a browser; NULL: it is not */
    cli_keep keep;
    const char *html; /* a page goes there; NULL: none */
    cli_tracing tracing;
    char *trace_folder; /* of --accelsim, its whole name */
    const char *gpu_name;
    const config_sheet *sheet;
} run_args;

typedef struct run_state {
    run_args *args;
    report_run report;
    plan_run run;
    diag *dg;
    progress *progress;
    lookout *lookout; /* NULL: nobody watches */
    double began;     /* since 1970 */
    uint64_t memory_hash;
    bool has_memory_hash;
    bool unkept; /* it could not be added to the results file */
} run_state;

/* If it takes long. */
static const char ADVICE[] =
    "--functional computes the results only, --max-cycles N ends launches "
    "early,\n  --threads N uses more cores; Ctrl-C ends it with a report of "
    "what ran";

/* ---- Arguments ---- */

static void take_run_option(cli_args *a, run_args *r)
{
    if (cli_gpu_option(&r->gpu, a) || cli_simulation_option(&r->sim, a) ||
        cli_launch_option(&r->line, a) || cli_keep_option(&r->keep, a) ||
        cli_tracing_option(&r->tracing, a))
        return;
    if (r->watched && watch_option(r->watched, a))
        return;
    if (cli_is(a, "launch"))
        r->launch_file = a->value;
    else if (cli_is(a, "dump"))
        plan_texts_add(&r->line.dumps, a->value);
    else if (cli_is(a, "html"))
        r->html = a->value;
    else if (cli_is(a, "sample"))
        r->sample = true;
    else if (cli_is(a, "window-profile"))
        r->sim.rt.profile_windows = true;
}

/* ---- Running ---- */

/* What the kernel printed goes to standard output where that is for people,
 * failed assertions to standard error, as CUDA has it. */
static void print_lines(const run_args *a, const rt_result *res)
{
    for (size_t i = 0; i < res->line_count; i++) {
        const exec_line *x = &res->lines[i];

        if (x->assertion || a->sim.format == FORMAT_TEXT)
            fwrite(x->text, 1, x->length, x->assertion ? stderr : stdout);
    }
}

/* A launch of that kernel, or a group, begins, of `total`; 0: unknown. */
static void tell_begin(void *arg, const plan_run *r, const rt_launch *l,
                       size_t total)
{
    run_state *s = arg;

    cli_report(s->dg); /* warnings, before what may take long */
    progress_launch(s->progress, l->kernel->name, r->launches.count, total);
    if (s->lookout)
        lookout_launch(s->lookout, r->launches.count, total);
}

static void tell_end(void *arg, plan_run *r, const rt_result *res, bool kept)
{
    run_state *s = arg;
    const report_launch *l = r->launches.row + r->launches.count - 1;

    progress_clear(s->progress);
    if (kept && res->status == ST_OK && !l->group)
        progress_ended(s->progress, l->kernel->name, res->ctas,
                       res->warp_insts);
    print_lines(s->args, res);
}

/* What is the same for all launches. */
static rt_launch launch_options(run_state *s)
{
    const cli_simulation *sim = &s->args->sim;

    return (rt_launch){.max_cycles = sim->max_cycles,
                       .stop = signals_stop(),
                       .linger = true,
                       .alone = true,
                       .sampled = s->args->sample && !sim->rt.warm,
                       .progress = progress_show,
                       .progress_arg = s->progress,
                       .look = s->lookout ? lookout_look : NULL,
                       .look_arg = s->lookout,
                       .counters = sim->report.per_block};
}

static plan_run new_run(run_state *s, rt_device *d, const config *cfg)
{
    const cli_simulation *sim = &s->args->sim;

    return (plan_run){.plan = s->args->plan,
                      .device = d,
                      .cfg = cfg,
                      .functional = sim->rt.functional,
                      .profile =
                          sim->report.by_line || sim->report.by_instruction,
                      .how = launch_options(s),
                      .power_cycles = sim->series,
                      .warps_cycles = sim->occupancy ? SESSION_WARPS_CYCLES : 0,
                      .scratch = getenv("TMPDIR"),
                      .begins = tell_begin,
                      .ended = tell_end,
                      .arg = s};
}

/* Of all that was launched. */
static status check_results(run_state *s, diag *dg)
{
    status st = plan_run_expect(&s->run, dg);
    status dumped = plan_run_dump(&s->run, dg);

    return st == ST_OK ? dumped : st;
}

/* Traces have the buffers that were filled. */
static void tell_copies(const plan *p, rt_device *d)
{
    for (const plan_buffer *b = p->buffers; b; b = b->next)
        if (!b->image && b->init != INIT_ZERO)
            rt_copied(d, b->addr, b->count * plan_type_bytes(b->type));
}

static status run_plan(run_state *s, double began, diag *dg)
{
    plan_run *r = &s->run;
    status st = plan_run_load(r, dg);

    if (st == ST_OK && s->args->trace_folder)
        tell_copies(r->plan, r->device);
    s->report.start_seconds = clock_s() - began;
    if (st == ST_OK && trace_wanted(&s->args->tracing.is) &&
        !(r->trace = trace_open(&s->args->tracing.is, dg)))
        st = ST_IO;
    double cpu = clock_cpu_s();
    if (st == ST_OK)
        st = plan_run_launches(r, dg);
    s->report.cpu_seconds = clock_cpu_s() - cpu;
    if (st == ST_OK)
        st = check_results(s, dg);
    s->report.launches = r->launches.row;
    s->report.launch_count = r->launches.count;
    s->report.checks = r->checks;
    s->report.check_count = r->check_count;
    if (st == ST_OK && s->args->keep.store)
        s->has_memory_hash =
            plan_hash(r->plan, r->device, &s->memory_hash) == ST_OK;
    if (s->report.launch_count && s->args->sim.hash) {
        s->report.hash = rt_hash(r->device);
        s->report.has_hash = true;
    }
    return st;
}

static suite_verdict verdict_of_status(status st)
{
    return st == ST_OK            ? SUITE_PASS
           : st == ST_MISMATCH    ? SUITE_WRONG
           : st == ST_INTERRUPTED ? SUITE_STOPPED
                                  : SUITE_FAIL;
}

/* The caller frees it; NULL: there is none. */
static char *first_error_text(const diag *dg)
{
    for (size_t i = 0; i < diag_count(dg); i++)
        if (diag_get(dg, i)->level == DIAG_ERROR)
            return new_text(diag_get(dg, i)->text);
    return NULL;
}

/* Adds it to the results file of --store; `why` it failed. */
static void keep_run_results(run_state *s, status st, double wall_s,
                             const char *why)
{
    const run_args *a = s->args;
    arena *mem = arena_new();
    const report_gpu machine = {a->gpu_name, s->report.cfg};
    size_t activities = 0;
    const report_activity *activity =
        s->report.functional
            ? NULL
            : timeline_of_launches(s->run.launches.row, s->report.launch_count,
                                   mem, &activities);
    const report_process process = {.launches = s->run.launches.row,
                                    .launch_count = s->report.launch_count,
                                    .activities = activity,
                                    .activity_count = activities,
                                    .memory_hash = s->memory_hash,
                                    .has_hash = s->has_memory_hash};
    const report_program program = {.gpus = &machine,
                                    .gpu_count = 1,
                                    .processes = &process,
                                    .process_count = 1,
                                    .threads = s->report.threads};
    size_t size = 0;
    const char *window =
        s->run.trace ? trace_window(s->run.trace, &size) : NULL;
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    s->unkept = !cli_keep_run(
        &s->args->keep,
        &(store_run){.workload = a->launch_file
                                     ? workload_file_name(mem, a->launch_file)
                                     : cli_last_part(a->plan->program),
                     .status = suite_verdict_text(verdict_of_status(st)),
                     .why = st == ST_OK ? NULL
                            : why       ? why
                                        : report_status(st),
                     .exit_code = cli_exit_code(st),
                     .started = s->began,
                     .wall_s = wall_s,
                     .cpu_s = clock_used_s(&use),
                     .max_rss = (uint64_t)use.ru_maxrss * 1024,
                     .command = a->keep.command.text,
                     .sheets = &a->sheet,
                     .program = &program,
                     .waterfall = window,
                     .waterfall_size = size});
    if (!s->unkept && a->html && a->keep.store)
        s->unkept = report_study(a->keep.store, a->keep.study, a->html) != 0;
    arena_free(mem);
}

static void print_run_report(run_state *s, const rt_device *d)
{
    struct rusage use;
    const isa_program *program = plan_run_program(&s->run);
    sources *from = NULL;

    getrusage(RUSAGE_SELF, &use);
    s->report.max_rss_bytes = (uint64_t)use.ru_maxrss * 1024;
    s->report.windows = rt_windows(d);
    s->report.options.width = cli_text_width(stdout, s->args->sim.report.width);
    if (program && s->run.profile)
        from =
            sources_new(program->files, program->file_count, s->report.program);
    for (size_t i = 0; i < s->report.launch_count; i++)
        s->run.launches.row[i].sources = from;
    if (s->args->sim.format == FORMAT_JSON)
        report_json(&s->report, stdout);
    else if (s->args->sim.format == FORMAT_CSV)
        report_csv(&s->report, stdout);
    else
        report_text(&s->report, stdout);
    sources_free(from);
}

/* ---- Watched by a browser ---- */

/* False: `dg` says why not. */
static bool start_watching(run_state *s, const config *cfg, diag *dg)
{
    const run_args *a = s->args;
    monitor_options how = {
        .configs = &cfg, .devices = 1, .command = a->keep.command.text};

    a->watched->progress = s->progress;
    if (!watch_start(a->watched, &how, dg))
        return false;
    s->lookout = lookout_new(
        &(lookout_options){.line = monitor_line(a->watched->monitor),
                           .hold = a->watched->hold,
                           .cfg = cfg,
                           .program = a->plan->program,
                           .stop = signals_stop()});
    return true;
}

static status simulate_launches(run_args *r, const config *cfg, double began)
{
    diag *dg = diag_new();
    run_state s = {.args = r, .dg = dg, .began = (double)time(NULL)};
    rt_device *d = rt_device_new(cfg, &r->sim.rt, dg);
    status st = ST_NOMEM;
    char *why;

    s.progress = progress_new(!r->sim.quiet || r->watched,
                              r->sim.rt.functional ? NULL : ADVICE);
    if (r->sim.quiet)
        progress_mute(s.progress);
    if (d && r->watched && !start_watching(&s, cfg, dg)) {
        cli_report(dg);
        st = ST_IO;
    } else if (d) {
        rt_set_dump(d, stderr);
        s.report =
            (report_run){.cfg = cfg,
                         .program = r->plan->program,
                         .functional = r->sim.rt.functional,
                         .options = r->sim.report,
                         .threads = r->sim.rt.threads ? r->sim.rt.threads : 1};
        signals_catch(NULL);
        s.run = new_run(&s, d, cfg);
        st = run_plan(&s, began, dg);
        s.report.status = st;
        if (st == ST_NOMEM && !diag_errors(dg))
            diag_error(dg, "out of memory");
        why = first_error_text(dg);
        cli_report(dg);
        if (s.report.launch_count || r->sim.format == FORMAT_JSON)
            print_run_report(&s, d);
        keep_run_results(&s, st, clock_s() - began, why);
        free(why);
        if (trace_close(s.run.trace, dg) != ST_OK)
            s.unkept = true;
        cli_report(dg);
    } else {
        cli_report(dg);
    }
    watch_end(r->watched, report_status(st));
    lookout_free(s.lookout);
    progress_free(s.progress);
    plan_run_fini(&s.run);
    rt_device_free(d);
    diag_free(dg);
    return st == ST_OK && s.unkept ? ST_IO : st;
}

/* 0, or 2 and a message: what does not go with how it is timed. */
static int check_timing(const run_args *r, const cli_args *a)
{
    if (r->sim.rt.profile_windows &&
        (r->sim.rt.functional || r->sim.rt.threads > 1))
        return cli_usage(a->command,
                         "--window-profile times one thread and tells what "
                         "more would make of it: it does not go with %s",
                         r->sim.rt.functional ? "--functional" : "--threads");
    if (r->sample && r->sim.rt.functional)
        return cli_usage(a->command,
                         "with --functional nothing is timed: leave out "
                         "--sample or --functional");
    if (r->watched && r->sim.rt.functional)
        return cli_usage(a->command,
                         "with --functional no cycles are simulated that "
                         "could be watched: leave it out, or use 'heddle run'");
    return 0;
}

/* 0, or 2 and a message: what does not go with a trace of Accel-Sim. */
static int check_replay(const run_args *r, const cli_args *a)
{
    const plan *p = r->plan;

    if (r->tracing.accelsim)
        return cli_usage(a->command, "a trace is not written again: --accelsim "
                                     "is for programs");
    if (r->sim.rt.functional)
        return cli_usage(a->command, "a trace has no values to compute with: "
                                     "--functional does not go with it");
    if (r->sample)
        return cli_usage(a->command, "a trace has no values to compute what "
                                     "is not timed: --sample does not go with "
                                     "it");
    if (r->launch_file || r->line.launches || p->dumps || p->expects)
        return cli_usage(a->command, "a trace has its launches: nothing else "
                                     "describes them, and it computes nothing "
                                     "to be dumped or expected");
    return 0;
}

static int start_run(run_args *r, cli_args *a, diag *dg, double began)
{
    plan *p = r->plan;
    const char *path;
    status st, outputs;
    int code;

    st = r->launch_file ? plan_read(p, r->launch_file, dg)
                        : plan_add_line(p, &r->line, dg);
    if (r->launch_file && (st != ST_OK || r->line.launches)) {
        cli_report(dg);
        return st != ST_OK
                   ? cli_exit_code(st)
                   : cli_usage(a->command,
                               "--launch describes the launches: --kernel, "
                               "--grid, --block, --cluster, --shared and --arg "
                               "do not "
                               "go with it");
    }
    if ((path = cli_operand(a, 0)))
        p->program = path;
    outputs = plan_add_outputs(p, &r->line, dg);
    cli_report(dg);
    if (st != ST_OK || outputs != ST_OK)
        return cli_exit_code(st != ST_OK ? st : outputs);
    if (!p->program)
        return cli_usage(a->command,
                         "expected a program: PTX, assembly or a cubin");
    if (r->html && !r->keep.path)
        cli_keep_for_now(&r->keep, p->mem);
    cli_tracing_set(&r->tracing, &r->sim.rt);
    if (cli_simulation_check(&r->sim, a) || check_timing(r, a) ||
        cli_tracing_check(&r->tracing, a, r->sim.rt.functional, r->keep.path))
        return 2;
    if (cli_operand(a, 1))
        return cli_usage(a->command, "one program only; '%s' is too much",
                         cli_operand(a, 1));
    if (trace_list_is(p->program) && (code = check_replay(r, a)))
        return code;
    r->sim.rt.kernels = plan_kernels(p);
    r->sim.rt.partial = true;
    config_sheet *s = cli_gpu_sheet(&r->gpu, p->gpu ? p->gpu : "v100", &code);
    if (!s)
        return code;
    r->sheet = s;
    r->gpu_name = r->gpu.name ? r->gpu.name : p->gpu ? p->gpu : "v100";
    code = cli_can_write(r->html);
    if (!code)
        code = cli_keep_begin(&r->keep, "run",
                              r->launch_file ? r->launch_file : p->program);
    if (!code)
        code = cli_tracing_make(&r->tracing, &r->sim.rt, &r->trace_folder);
    if (!code)
        code =
            cli_exit_code(simulate_launches(r, config_sheet_values(s), began));
    if (*signals_stop() && code == 130)
        code = 128 + *signals_stop();
    config_sheet_free(s);
    return code;
}

static int run_command(run_args *r, int argc, char **argv)
{
    double began = clock_s();
    cli_args a = cli_start(r->command, argc, argv);
    diag *dg = diag_new();
    int code = 2;

    cli_tracing_init(&r->tracing);
    cli_command_line(argv, &r->keep.command);
    while (cli_next(&a))
        take_run_option(&a, r);
    if (!a.wrong)
        code = start_run(r, &a, dg, began);
    diag_free(dg);
    plan_free(r->plan);
    cli_gpu_free(&r->gpu);
    plan_line_fini(&r->line);
    free(r->trace_folder);
    cli_keep_fini(&r->keep);
    return cli_finish(code);
}

int cli_run(int argc, char **argv)
{
    run_args r = {.plan = plan_new(), .line = PLAN_LINE_NONE, .command = "run"};

    return run_command(&r, argc, argv);
}

int run_watched(watching *w, int argc, char **argv)
{
    run_args r = {.plan = plan_new(),
                  .line = PLAN_LINE_NONE,
                  .command = "watch",
                  .watched = w};

    return run_command(&r, argc, argv);
}
