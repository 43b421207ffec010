/* src/study/measure_launch.c - launch files and lone launches as workloads:
 * they run in this process, with what they expect and a hash of their buffers;
 * see measure.h. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/must.h"
#include "launchfile/plan_line.h"
#include "replay/trace_list.h"
#include "study/measure.h"
#include "study/plan_run.h"

typedef struct measure_launching {
    const measure_side *side;
    plan *plan;
    plan_run run;
    diag *dg;
    report_process process;
    sources *sources; /* of the module, with profiles; NULL: none */
} launching;

static status read_workload(launching *x, const workload *w)
{
    status st;

    if (w->launch_file)
        return plan_read(x->plan, w->launch_file, x->dg);
    st = plan_add_line(x->plan, w->launch, x->dg);
    x->plan->program = w->launch->program;
    return st == ST_OK ? plan_add_outputs(x->plan, w->launch, x->dg) : st;
}

static bool is_ptx(const char *path)
{
    size_t n = strlen(path);

    return n > 4 && !strcmp(path + n - 4, ".ptx");
}

/* Texts of the files that its lines come from, and its own if it is PTX. */
static sources *sources_of(const rt_module *m, const char *path)
{
    const isa_program *p = rt_module_program(m);
    sources *s = sources_new(p->files, p->file_count, path);
    diag *quiet = diag_new();
    char *text = NULL;
    size_t size = 0;

    if (is_ptx(path) && file_read(path, quiet, &text, &size) == ST_OK)
        sources_put_program(s, text, size);
    free(text);
    diag_free(quiet);
    return s;
}

/* A trace of Accel-Sim is its own program. */
static status read_program(launching *x, const workload *w)
{
    status st;

    if (w->launch_file && trace_list_is(w->launch_file)) {
        x->plan->program = w->launch_file;
        return ST_OK;
    }
    st = read_workload(x, w);
    if (st == ST_OK && !x->plan->program) {
        diag_error(x->dg, "%s names no program", w->launch_file);
        return ST_CONFIG;
    }
    return st;
}

/* On a device of its own. */
static status make_run(launching *x)
{
    const session_setup *setup = x->side->job.setup;
    const config *cfg = x->side->gpus[0].cfg;
    rt_options how = setup->rt;

    how.kernels = plan_kernels(x->plan);
    how.partial = true;
    how.lenient = setup->lenient_kernels;
    x->run = (plan_run){
        .plan = x->plan,
        .device = rt_device_new(cfg, &how, x->dg),
        .cfg = cfg,
        .functional = how.functional,
        .profile = setup->profile,
        .how = {.max_cycles = setup->max_cycles, .stop = x->side->job.stop},
        .power_cycles = setup->sample_cycles,
        .warps_cycles = setup->warps_cycles,
        .scratch = getenv("TMPDIR")};
    return x->run.device ? ST_OK : ST_NOMEM;
}

static status run_launch_file(launching *x, const workload *w)
{
    plan_run *r = &x->run;
    status st = read_program(x, w);

    if (st == ST_OK)
        st = make_run(x);
    if (st == ST_OK)
        st = plan_run_load(r, x->dg);
    if (st == ST_OK && !r->replays && x->side->job.setup->sources)
        r->sources = x->sources = sources_of(r->module, x->plan->program);
    if (st == ST_OK)
        st = plan_run_launches(r, x->dg);
    if (st == ST_OK)
        st = plan_run_expect(r, x->dg);
    if (st == ST_OK)
        st = plan_hash(x->plan, r->device, &x->process.memory_hash);
    x->process.has_hash = st == ST_OK;
    return st;
}

static const char *first_error_message(const diag *dg, arena *mem)
{
    for (size_t i = 0; i < diag_count(dg); i++)
        if (diag_get(dg, i)->level == DIAG_ERROR)
            return arena_strdup(mem, diag_get(dg, i)->text);
    return "it failed";
}

static suite_verdict launch_verdict(status st)
{
    switch (st) {
    case ST_OK:
        return SUITE_PASS;
    case ST_INTERRUPTED:
        return SUITE_STOPPED;
    case ST_MISMATCH:
        return SUITE_WRONG;
    case ST_USAGE:
    case ST_CONFIG:
    case ST_PROGRAM:
    case ST_FAULT:
    case ST_HANG:
    case ST_LIMIT:
    case ST_NOMEM:
    case ST_IO:
    case ST_INPUT:
    case ST_INTERNAL:
        return SUITE_FAIL;
    }
    MUST(!"every value is above");
}

measure_launching *measure_launches(const workload *w, const measure_side *side,
                                    measure_run *out, report_program *all)
{
    launching *x = new0(1, sizeof *x);
    double began = clock_s();
    status st;

    *x = (launching){.side = side, .plan = plan_new(), .dg = diag_new()};
    out->result = (suite_result){.mem = arena_new(), .tail = ""};
    st = run_launch_file(x, w);
    x->process.launches = x->run.launches.row;
    x->process.launch_count = x->run.launches.count;
    *all = (report_program){.command = w->name,
                            .gpus = side->gpus,
                            .gpu_count = 1,
                            .processes = &x->process,
                            .process_count = 1};
    measure_add(&out->sum, out->mem, all);
    suite_result_outside(&out->result, all);
    out->result.verdict = launch_verdict(st);
    if (st != ST_OK)
        out->result.why = first_error_message(x->dg, out->result.mem);
    out->result.host_s = all->seconds = clock_s() - began;
    return x;
}

void measure_launches_free(measure_launching *x)
{
    plan_run_fini(&x->run);
    sources_free(x->sources);
    rt_device_free(x->run.device);
    plan_free(x->plan);
    diag_free(x->dg);
    free(x);
}
