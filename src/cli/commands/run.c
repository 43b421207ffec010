/* heddle run. */
#include "cli/commands/run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/must.h"
#include "cli/commands/report.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "replay/trace_list.h"
#include "report/timeline.h"
#include "study/workload.h"
#include "suite/suite_run.h"

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

static void keep_launch(run_state *s, rt_device *d, const plan_launch *l,
                        const isa_kernel *k, const rt_result *res,
                        sm_profile_row *profile)
{
    launch_list_add(&s->launches, d, l,
                    &(report_launch){.kernel = k,
                                     .cfg = s->report.cfg,
                                     .functional = s->report.functional,
                                     .source = s->program,
                                     .arch = s->program->arch,
                                     .stream = s->args->plan->stream[l->stream],
                                     .profile = profile,
                                     .series = s->series,
                                     .warps = s->warps},
                    res);
    s->series = (energy_series){.row = NULL};
    s->warps = (stats_series){.blocks = 0};
    s->report.launches = s->launches.row;
    s->report.launch_count = s->launches.count;
}

static void take_power_sample(void *arg, const rt_sample *is)
{
    run_state *s = arg;
    energy e;

    energy_compute(s->report.cfg, is->stats, is->totals, is->cycles, &e);
    energy_series_add(&s->series, is->start, &e);
    if (s->trace && is->cycles)
        trace_power(s->trace, is->start, energy_watts(&e, e.total_fj));
}

/* In the trace of launches in flight together their kernels are one. */
static void join_codes(run_state *s)
{
    for (size_t i = 0; s->trace && i < s->list.count; i++) {
        rt_launch *l = &s->list.launch[i];

        l->trace_pc = trace_joint_code_add(&s->codes, l->kernel);
    }
    s->traced = (trace_launch){.kernel = &s->codes.kernel,
                               .codes = &s->codes,
                               .arch = s->program->arch,
                               .cfg = s->report.cfg};
}

static status run_traced(run_state *s, rt_device *d, rt_launch *l, diag *dg,
                         rt_result *out)
{
    trace_launch traced = {.number = s->report.launch_count + 1,
                           .kernel = l->kernel,
                           .arch = s->program->arch,
                           .cfg = s->report.cfg};
    status st;

    l->trace = s->trace ? trace_begin(s->trace, &traced) : NULL;
    st = rt_run(d, l, dg, out);
    if (l->trace) {
        trace_warps(s->trace, &s->warps);
        trace_end(s->trace, out->cycles);
    }
    return st;
}

/* What is the same for all launches. */
static rt_launch launch_options(run_state *s)
{
    const cli_simulation *sim = &s->args->sim;

    return (rt_launch){.max_cycles = s->args->sim.max_cycles,
                       .stop = signals_stop(),
                       .linger = true,
                       .alone = true,
                       .sampled = s->args->sample,
                       .front = s->front,
                       .progress = progress_show,
                       .look = s->lookout ? lookout_look : NULL,
                       .look_arg = s->lookout,
                       .counters = s->args->sim.report.per_block,
                       .progress_arg = s->progress,
                       .sample_cycles = sim->series      ? sim->series
                                        : sim->occupancy ? SESSION_WARPS_CYCLES
                                                         : 0,
                       .sample = sim->series ? take_power_sample : NULL,
                       .sample_arg = s,
                       .watch = sim->occupancy ? RT_RESIDENT_WARPS : NULL,
                       .watched = &s->warps};
}

/* NULL: not wanted. */
static sm_profile_row *new_profile(const run_state *s, const isa_kernel *k)
{
    const report_options *o = &s->args->sim.report;
    sm_profile_row *rows = NULL;

    if (o->by_line || o->by_instruction) {
        rows = new0((size_t)k->code_count + 1, sizeof *rows);
    }
    return rows;
}

static size_t launch_count(const plan *p)
{
    size_t n = 0;

    for (const plan_launch *l = p->launches; l; l = l->next)
        n += l->repeat;
    return n;
}

/* A launch of that kernel, or a group, begins, of `total`; 0: unknown. */
static void tell_launch(run_state *s, const char *kernel, size_t total)
{
    progress_launch(s->progress, kernel, s->report.launch_count, total);
    if (s->lookout)
        lookout_launch(s->lookout, s->report.launch_count, total);
}

status run_launch(run_state *s, rt_device *d, rt_module *m,
                  const plan_launch *l, diag *dg)
{
    const isa_kernel *k = rt_module_kernel(m, l->kernel, dg);
    void *params = NULL;

    if (!k)
        return ST_USAGE;
    status st = plan_bind(l, m, dg);
    if (st == ST_OK)
        st = plan_arguments(s->args->plan, l, k, dg, &params);
    for (uint32_t i = 0; i < l->repeat && st == ST_OK; i++) {
        rt_launch launch = launch_options(s);
        rt_result res;

        launch.module = m;
        launch.kernel = k;
        memcpy(launch.grid, l->grid, sizeof launch.grid);
        memcpy(launch.block, l->block, sizeof launch.block);
        memcpy(launch.cga, l->cluster, sizeof launch.cga);
        launch.shared_bytes = l->shared_bytes;
        launch.params = params;
        launch.profile = new_profile(s, k);
        tell_launch(s, k->name,
                    s->kernels ? s->kernels : launch_count(s->args->plan));
        st = run_traced(s, d, &launch, dg, &res);
        progress_clear(s->progress);
        if (st == ST_OK)
            progress_ended(s->progress, k->name, res.ctas, res.warp_insts);
        print_lines(s->args, &res);
        if (res.host_seconds > 0 || st == ST_OK)
            keep_launch(s, d, l, k, &res, launch.profile);
        else
            free(launch.profile);
        energy_series_fini(&s->series); /* of a launch that is not kept */
        stats_series_fini(&s->warps);
    }
    free(params);
    return st;
}

/* ---- Launches of several streams ---- */

static void group_begins(void *arg, const rt_launch *first)
{
    run_state *s = arg;
    rt_launch *l = &s->list.launch[first - s->list.launch];

    tell_launch(s, l->kernel->name, 0);
    s->traced.number = s->report.launch_count + 1;
    l->trace = s->trace ? trace_begin(s->trace, &s->traced) : NULL;
}

static void print_group(void *arg, const rt_result *sum, const rt_part *part,
                        size_t n)
{
    run_state *s = arg;
    const rt_launch *first = &s->list.launch[part[0].number];

    progress_clear(s->progress);
    if (s->trace) {
        trace_warps(s->trace, &s->warps);
        trace_end(s->trace, sum->cycles);
    }
    print_lines(s->args, sum);
    keep_launch(s, s->device, s->list.of[part[0].number], first->kernel, sum,
                first->profile);
    if (n > 1)
        launch_list_join(&s->launches, s->args->plan, &s->list, sum, part, n);
    for (size_t i = 0; i < n; i++) /* it is the report's now */
        s->list.launch[part[i].number].profile = NULL;
}

static status run_streams(run_state *s, rt_device *d, rt_module *m, diag *dg)
{
    const plan *p = s->args->plan;
    const rt_launch how = launch_options(s);
    status st = plan_list_make(p, m, &how, dg, &s->list);

    if (st != ST_OK)
        return st;
    for (size_t i = 0; i < s->list.count; i++)
        s->list.launch[i].profile = new_profile(s, s->list.launch[i].kernel);
    s->device = d;
    join_codes(s);
    st = rt_run_streams(
        &(rt_streams){
            .device = d,
            .launch = s->list.launch,
            .stream = s->list.stream,
            .count = s->list.count,
            .streams = p->streams,
            .group = {.begins = group_begins, .ended = print_group, .arg = s}},
        dg);
    for (size_t i = 0; i < s->list.count; i++)
        free(s->list.launch[i].profile); /* of what did not run */
    trace_joint_code_fini(&s->codes);
    plan_list_free(&s->list);
    return st;
}

/* Are launches of the plan to be in flight together, or parts of them timed,
 * which a flight does? */
static bool has_streams(const run_args *r, const config *cfg)
{
    return (r->plan->streams > 1 && cfg->gpu.concurrent > 1) ||
           (r->sample && !r->sim.rt.warm);
}

/* What is bound, all see that are in flight: flights bind nothing. */
static bool has_binds(const plan *p)
{
    for (const plan_launch *l = p->launches; l; l = l->next)
        if (l->binds)
            return true;
    return false;
}

static status run_launches(run_state *s, rt_device *d, rt_module *m, diag *dg)
{
    status st = ST_OK;

    if (s->args->sample && has_binds(s->args->plan)) {
        diag_error(dg, "--sample does not go with launches that bind textures, "
                       "surfaces or samplers: leave it out");
        return ST_USAGE;
    }
    if (has_streams(s->args, s->report.cfg))
        return run_streams(s, d, m, dg);
    for (const plan_launch *l = s->args->plan->launches; l && st == ST_OK;
         l = l->next)
        st = run_launch(s, d, m, l, dg);
    return st;
}

static status check_results(run_state *s, rt_device *d, diag *dg)
{
    const plan *p = s->args->plan;
    status worst = ST_OK;
    size_t n = 0;

    for (const plan_output *o = p->expects; o; o = o->next)
        n++;
    s->checks = new0(n + 1, sizeof *s->checks);
    for (const plan_output *o = p->expects; o; o = o->next) {
        plan_check c;
        status st = plan_compare(p, o, d, dg, &c);

        if (st == ST_OK || st == ST_MISMATCH)
            s->checks[s->report.check_count++] =
                (report_check){.buffer = o->buffer->name,
                               .file = o->file,
                               .count = c.count,
                               .differ = c.differ,
                               .worst = c.worst,
                               .tolerance = o->tolerance};
        if (st == ST_MISMATCH)
            diag_add(dg, DIAG_ERROR, NULL, 0, 0, 0,
                     "buffer '%s' differs from '%s' in %llu of %llu elements; "
                     "the first is number %llu: %.9g instead of %.9g",
                     o->buffer->name, o->file, (unsigned long long)c.differ,
                     (unsigned long long)c.count, (unsigned long long)c.first,
                     c.got, c.want);
        worst = st == ST_OK ? worst : st;
    }
    s->report.checks = s->checks;
    for (const plan_output *o = p->dumps; o; o = o->next) {
        status st = plan_dump(p, o, d, dg);
        worst = st == ST_OK ? worst : st;
    }
    return worst;
}

/* Traces have the buffers that were filled. */
static void tell_copies(const plan *p, rt_device *d)
{
    for (const plan_buffer *b = p->buffers; b; b = b->next)
        if (!b->image && b->init != INIT_ZERO)
            rt_copied(d, b->addr, b->count * plan_type_bytes(b->type));
}

static status run_plan(run_state *s, rt_device *d, double began, diag *dg)
{
    const plan *p = s->args->plan;
    bool replays = trace_list_is(p->program);
    rt_module *m = NULL;
    status st = replays ? ST_OK : rt_module_load(d, p->program, dg, &m);

    if (st == ST_OK)
        st = plan_allocate(s->args->plan, d, dg);
    if (st == ST_OK && s->args->trace_folder)
        tell_copies(p, d);
    s->report.start_seconds = clock_s() - began;
    if (m)
        s->program = rt_module_program(m);
    if (st == ST_OK && trace_wanted(&s->args->tracing.is) &&
        !(s->trace = trace_open(&s->args->tracing.is, dg)))
        st = ST_IO;
    double cpu = clock_cpu_s();
    if (st == ST_OK)
        st = replays ? run_replay(s, d, dg) : run_launches(s, d, m, dg);
    s->report.cpu_seconds = clock_cpu_s() - cpu;
    if (st == ST_OK)
        st = check_results(s, d, dg);
    if (st == ST_OK && s->args->keep.store)
        s->has_memory_hash = plan_hash(p, d, &s->memory_hash) == ST_OK;
    if (s->report.launch_count && s->args->sim.hash) {
        s->report.hash = rt_hash(d);
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
            : timeline_of_launches(s->launches.row, s->report.launch_count, mem,
                                   &activities);
    const report_process process = {.launches = s->launches.row,
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
    const char *window = s->trace ? trace_window(s->trace, &size) : NULL;
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
    sources *from = NULL;

    getrusage(RUSAGE_SELF, &use);
    s->report.max_rss_bytes = (uint64_t)use.ru_maxrss * 1024;
    s->report.windows = rt_windows(d);
    s->report.options.width = cli_text_width(stdout, s->args->sim.report.width);
    if (s->program &&
        (s->args->sim.report.by_line || s->args->sim.report.by_instruction))
        from = sources_new(s->program->files, s->program->file_count,
                           s->report.program);
    for (size_t i = 0; i < s->report.launch_count; i++)
        s->launches.row[i].sources = from;
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
    run_state s = {.args = r, .began = (double)time(NULL)};
    diag *dg = diag_new();
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
        st = run_plan(&s, d, began, dg);
        s.report.status = st;
        if (st == ST_NOMEM && !diag_errors(dg))
            diag_error(dg, "out of memory");
        why = first_error_text(dg);
        cli_report(dg);
        if (s.report.launch_count || r->sim.format == FORMAT_JSON)
            print_run_report(&s, d);
        keep_run_results(&s, st, clock_s() - began, why);
        free(why);
        if (trace_close(s.trace, dg) != ST_OK)
            s.unkept = true;
        cli_report(dg);
    } else {
        cli_report(dg);
    }
    watch_end(r->watched, report_status(st));
    lookout_free(s.lookout);
    progress_free(s.progress);
    launch_list_fini(&s.launches);
    free(s.checks);
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
    if (trace_list_is(p->program) && (code = run_replay_check(r, a)))
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
