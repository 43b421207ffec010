/* src/cli/commands/validate_run.c - what rows of truth need: their programs,
 * each once on each GPU, as `heddle compare` runs them, and their probes. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/commands/validate.h"
#include "cli/jobs.h"
#include "cli/signals.h"
#include "compare/compare_runs.h"
#include "probe/judge/probe_device.h"
#include "probe/probe.h"
#include "validate/profile_unit.h"

/* ---- What there is to run ---- */

/* The place of the row's GPU; all are there. */
static unsigned gpu_of(const validate_args *x, const truth_row *r)
{
    unsigned g = 0;

    if (x->gpu_count == 1) /* perhaps another than the row says */
        return 0;
    while (strcmp(x->is.machine.names[g], r->gpu))
        g++;
    return g;
}

/* SIZE_MAX: it needs none. */
static size_t workload_of(const validate_args *x, const truth_row *r)
{
    const workload_list *w = &x->is.workloads.is;

    for (size_t i = 0; i < w->count && !r->probe; i++)
        if (r->program ? w->list[i].program == r->program
                       : w->list[i].launch_file &&
                             !strcmp(w->list[i].launch_file, r->launch_file))
            return i;
    return SIZE_MAX;
}

/* Those of the rows, each once, unless --gpu names another. */
static void take_gpus(validate_args *x)
{
    cli_machine *m = &x->is.machine;
    bool own = m->name_count != 0;

    for (size_t i = 0; i < x->v.count && !own; i++) {
        unsigned g = 0;

        while (g < m->name_count && strcmp(m->names[g], x->v.rows[i].is->gpu))
            g++;
        if (g < m->name_count)
            continue;
        m->names = renew(m->names, m->name_count + 1, sizeof *m->names);
        m->names[m->name_count++] = x->v.rows[i].is->gpu;
    }
    x->gpu_count = m->name_count;
}

static status take_workload(validate_args *x, const validate_row *r)
{
    workload_list *w = &x->is.workloads.is;

    if (r->is->probe || workload_of(x, r->is) != SIZE_MAX)
        return ST_OK;
    if (r->is->launch_file)
        return workloads_add(w, &r->is->launch_file, 1, x->dg);
    workloads_add_of_suite(w, r->of->suite, r->is->program);
    return ST_OK;
}

static bool is_wanted(const validate_args *x, const truth_row *r)
{
    for (size_t i = 0; i < x->only.count; i++)
        if (fnmatch(x->only.text[i], r->name, 0) == 0)
            return true;
    return !x->only.count;
}

static status take_rows(validate_args *x)
{
    status st = ST_OK;
    size_t n = 0;

    for (size_t i = 0; i < x->truth.count; i++)
        n += x->truth.list[i]->count;
    x->v.rows = ARENA_ARRAY(x->is.mem, validate_row, n + 1);
    for (size_t i = 0; i < x->truth.count; i++)
        for (size_t k = 0; k < x->truth.list[i]->count; k++) {
            const truth *of = x->truth.list[i];
            validate_row *r = &x->v.rows[x->v.count];

            if (!is_wanted(x, &of->rows[k]))
                continue;
            *r = (validate_row){.of = of, .is = &of->rows[k]};
            x->v.count++;
            if (st == ST_OK)
                st = take_workload(x, r);
        }
    return st;
}

/* What rows do not want is not run. */
static void skip_unwanted(validate_args *x)
{
    compare_args *c = &x->is;
    const workload_list *w = &c->workloads.is;
    bool *skipped = ARENA_ARRAY(c->mem, bool, c->count * w->count + 1);

    memset(skipped, true, c->count * w->count);
    for (size_t i = 0; i < x->v.count; i++)
        if (!x->v.rows[i].is->probe)
            skipped[gpu_of(x, x->v.rows[i].is) * w->count +
                    workload_of(x, x->v.rows[i].is)] = false;
    c->skipped = skipped;
}

/* A list of runs for each GPU. */
static int make_lists(validate_args *x)
{
    compare_args *c = &x->is;
    const workload_list *w = &c->workloads.is;
    int code = 0;

    c->count = x->gpu_count;
    c->side_count = 1;
    c->list = ARENA_ARRAY(c->mem, compare, c->count);
    c->machines = ARENA_ARRAY(c->mem, cli_machine, c->count);
    for (unsigned g = 0; g < c->count && !code; g++) {
        compare *to = &c->list[g];

        *to = (compare){.mem = c->mem,
                        .sides = ARENA_ARRAY(c->mem, measure_side, 1),
                        .side_count = 1,
                        .workloads =
                            ARENA_ARRAY(c->mem, compare_workload, w->count + 1),
                        .count = w->count};
        for (size_t i = 0; i < w->count; i++)
            to->workloads[i] = (compare_workload){
                .is = w->list[i], .runs = ARENA_ARRAY(c->mem, measure_run, 1)};
        to->sides->assignments = "";
        to->sides->label = c->machine.names[g];
        code = compare_make_machine(c, g, (cli_sets){0}, (cli_sets){0},
                                    c->machine.setup.code, &c->machines[g],
                                    to->sides);
    }
    return code;
}

int validate_plan(validate_args *x, const cli_args *a)
{
    status st = take_rows(x);
    int code;

    cli_report(x->dg);
    if (st != ST_OK)
        return cli_exit_code(st);
    if (!x->v.count)
        return cli_usage(a->command, "no row is called '%s'", x->only.text[0]);
    if (x->is.machine.name_count > 1)
        return cli_usage(a->command, "--gpu stands in for the GPU that truth "
                                     "names: one is enough");
    take_gpus(x);
    if (!x->list && workloads_programs(&x->is.workloads.is) &&
        !cli_machine_find_driver(&x->is.machine, "validate"))
        return CLI_NO_DRIVER;
    code = make_lists(x);
    if (!code)
        skip_unwanted(x);
    return code;
}

/* ---- --hardware ---- */

/* measure_side.keep: what it launched, besides what comparisons keep. */
static bool keep_launches(void *arg, const measure_side *side,
                          const workload *w, const measure_run *r,
                          const report_program *p)
{
    validate_args *x = arg;

    if (p)
        hardware_add(&x->of_program, p);
    return compare_keep_run(&x->is, side, w, r, p);
}

static int read_profile(validate_args *x, const cli_args *a)
{
    status st;

    x->of_program =
        (hardware){.mem = x->is.mem,
                   .theirs = &x->profile,
                   .clock_hz = x->clock ? profile_clock(x->clock) : NAN,
                   .by_kernel = x->is.by_kernel};
    if (x->clock && isnan(x->of_program.clock_hz))
        return cli_usage(a->command,
                         "--clock: '%s' is no clock; say 1380MHz or 1.38GHz",
                         x->clock);
    st = profile_read(x->hardware, x->is.mem, x->dg, &x->profile);
    cli_report(x->dg);
    return cli_exit_code(st);
}

int validate_plan_hardware(validate_args *x, const cli_args *a)
{
    compare_args *c = &x->is;
    cli_machine *m = &c->machine;
    hardware *h = &x->of_program;
    status st;
    int code = read_profile(x, a);

    if (!code)
        code = cli_workloads_read(&c->workloads, a, 0, c->program);
    if (code)
        return code;
    if (c->workloads.is.count != 1 || m->name_count > 1)
        return cli_usage(a->command, "--hardware is of one program on one GPU");
    if (!m->name_count) {
        m->names = renew(m->names, 1, sizeof *m->names);
        m->names[m->name_count++] = "v100";
    }
    x->gpu_count = 1;
    c->cache.fresh = true; /* single launches are not in the cache */
    if (workloads_programs(&c->workloads.is) &&
        !cli_machine_find_driver(m, "validate"))
        return CLI_NO_DRIVER;
    if ((code = make_lists(x)))
        return code;
    c->list->sides->keep = keep_launches;
    c->list->sides->keep_arg = x;
    h->gpu = m->names[0];
    h->sms = c->list->sides->gpus[0].cfg->gpu.sms;
    st = hardware_check(h, x->dg);
    cli_report(x->dg);
    return cli_exit_code(st);
}

static void take_launches(validate_args *x)
{
    const suite_result *r = &x->is.list->workloads->runs->result;

    hardware_match(&x->of_program, &x->v);
    if (r->verdict == SUITE_PASS)
        return;
    validate_note(&x->v, "the program did not pass: %s%s%s",
                  suite_verdict_text(r->verdict), r->why ? ": " : "",
                  r->why ? r->why : "");
    if (r->tail && *r->tail)
        validate_note(&x->v, "%s", r->tail);
}

/* ---- Programs ---- */

static bool is_there(const validate_args *x, const workload *w)
{
    char *path = suite_program_file(w->suite, w->program,
                                    x->is.list->sides->job.build, w->size);
    bool there = path && access(path, X_OK) == 0;

    free(path);
    return there;
}

/* What is not there is told by its row and keeps nothing else from running. */
static void mark_missing(validate_args *x)
{
    const workload_list *w = &x->is.workloads.is;

    for (size_t i = 0; i < w->count; i++) {
        const workload *is = &w->list[i];
        const char *from, *why;

        if (!is->program || is_there(x, is))
            continue;
        from = is->program->from;
        why =
            arena_printf(x->is.mem, "the program is missing; it comes from %s",
                         from ? from
                              : "somewhere that its file does not "
                                "tell (key from)");
        compare_unbuilt(x->is.list, x->is.count, i, why);
    }
}

static bool build_programs(validate_args *x)
{
    const compare_args *c = &x->is;
    suite_job job = c->list->sides->job;
    const char *why;

    job.skip_build = false;
    for (size_t i = 0; i < x->truth.count; i++)
        if (!suite_build(x->truth.list[i]->suite, &job, c->mem, &why)) {
            fprintf(stderr, "heddle validate: cannot build %s:\n%s\n",
                    x->truth.list[i]->path, why);
            return false;
        }
    return cli_workloads_build(&c->workloads, &c->list->sides->job, "validate",
                               compare_not_built, &x->is);
}

/* ---- Probes ---- */

/* One probe on one GPU. */
typedef struct probe_job {
    unsigned gpu;
    const probe_kind *kind;
    probe_found found;
    bool done;
} probe_job;

typedef struct probe_jobs {
    validate_args *args;
    probe_job *list;
    size_t count;
} probe_jobs;

static probe_job *probe_of(const probe_jobs *p, const truth_row *r)
{
    unsigned on = gpu_of(p->args, r);

    for (size_t i = 0; i < p->count; i++)
        if (p->list[i].gpu == on && !strcmp(p->list[i].kind->name, r->probe))
            return &p->list[i];
    return NULL;
}

static void take_probes(probe_jobs *p)
{
    const validate *v = &p->args->v;

    p->list = ARENA_ARRAY(v->mem, probe_job, v->count + 1);
    for (size_t i = 0; i < v->count; i++) {
        const truth_row *r = v->rows[i].is;

        if (r->probe && !probe_of(p, r))
            p->list[p->count++] = (probe_job){.gpu = gpu_of(p->args, r),
                                              .kind = probe_find(r->probe)};
    }
}

static void run_probe(void *arg, size_t i)
{
    const probe_jobs *p = arg;
    const compare_args *c = &p->args->is;
    probe_job *job = &p->list[i];
    bool wanted[64] = {false};
    diag *dg = diag_new();
    const rt_options how = {.threads = c->machine.sim.rt.threads};
    probe_device *d = probe_device_new(c->list[job->gpu].sides->gpus[0].cfg,
                                       &how, signals_stop(), dg);

    probe_found_init(&job->found);
    wanted[job->kind - probe_table] = true;
    if (d && probe_fits(job->kind, probe_device_machine(d)->family))
        job->done =
            probe_suite(&(probe_options){.machine = probe_device_machine(d),
                                         .wanted = wanted},
                        &job->found, dg) == ST_OK;
    probe_device_free(d);
    diag_free(dg);
}

static void run_probes(validate_args *x)
{
    probe_jobs p = {.args = x};

    take_probes(&p);
    jobs_run(p.count, x->is.jobs, run_probe, &p);
    for (size_t i = 0; i < x->v.count; i++) {
        validate_row *r = &x->v.rows[i];
        const probe_job *job = r->is->probe ? probe_of(&p, r->is) : NULL;

        if (job)
            validate_take_probe(r, job->done ? &job->found : NULL, x->v.mem);
    }
    for (size_t i = 0; i < p.count; i++)
        probe_found_fini(&p.list[i].found);
}

/* ---- All of it ---- */

static void take_runs(validate_args *x)
{
    for (size_t i = 0; i < x->v.count; i++) {
        validate_row *r = &x->v.rows[i];
        size_t w = workload_of(x, r->is);

        if (w != SIZE_MAX)
            validate_take_run(&x->v, r,
                              x->is.list[gpu_of(x, r->is)].workloads[w].runs);
    }
}

int validate_run(validate_args *x)
{
    double began = clock_s();

    signals_catch(&x->is.usual);
    if (!build_programs(x))
        return cli_exit_code(ST_MISMATCH);
    mark_missing(x);
    if (!compare_run_all(&x->is))
        return CLI_NO_DRIVER;
    if (x->hardware) {
        take_launches(x);
    } else {
        take_runs(x);
        run_probes(x);
    }
    x->v.interrupted = *signals_stop() != 0;
    x->v.cached = x->is.cached;
    x->v.seconds = clock_s() - began;
    validate_finish(&x->v);
    return 0;
}

/* ---- --list ---- */

static void put_list_row(const validate_args *x, const workload *w, FILE *to)
{
    const suite_program *p = w->program;
    suite_values v = suite_values_of(w->suite, p, x->is.list->sides->job.build);

    fprintf(to, "%-8s %s\n", is_there(x, w) ? "there" : "missing", p->name);
    if (p->from)
        fprintf(to, "         from: %s\n", p->from);
    fputs("         run:", to);
    for (size_t i = 0; i < p->run.count; i++)
        fprintf(to, " %s", suite_expand(x->is.mem, p->run.text[i], &v));
    fputc('\n', to);
    for (size_t i = 0; i < p->inputs.count; i++)
        fprintf(to, "         input: %s\n", p->inputs.text[i]);
    if (*p->about)
        fprintf(to, "         %s\n", p->about);
}

int validate_list(validate_args *x, FILE *to)
{
    const workload_list *w = &x->is.workloads.is;
    size_t missing = 0, programs = 0;

    for (size_t i = 0; i < w->count; i++)
        if (w->list[i].program) {
            put_list_row(x, &w->list[i], to);
            programs++;
            missing += !is_there(x, &w->list[i]);
        }
    fprintf(to, "%zu of %zu programs are there\n", programs - missing,
            programs);
    return missing ? cli_exit_code(ST_MISMATCH) : 0;
}
