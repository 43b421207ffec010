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
#include "study/launch_list.h"
#include "study/measure.h"
#include "study/replays.h"

typedef struct measure_launching {
    const measure_side *side;
    plan *plan;
    rt_device *device;
    rt_module *module;
    diag *dg;
    launch_list launches;
    report_process process;
    energy_series series; /* of the launch that runs */
    stats_series warps;   /* the same */
    plan_list list;       /* launches of several streams */
    sources *sources;     /* of the module, with profiles; NULL: none */
    exec_front *front;    /* of a kernel of a trace; NULL: it is none */
} launching;

static void keep_launch_result(launching *x, const plan_launch *l,
                               const isa_kernel *k, const rt_result *r,
                               sm_profile_row *profile)
{
    const isa_program *p = rt_module_program(x->module);

    launch_list_add(&x->launches, x->device, l,
                    &(report_launch){.kernel = k,
                                     .cfg = x->side->gpus[0].cfg,
                                     .functional = !r->totals,
                                     .source = p,
                                     .sources = x->sources,
                                     .arch = p->arch,
                                     .profile = profile,
                                     .series = x->series,
                                     .warps = x->warps},
                    r);
    x->series = (energy_series){.row = NULL};
    x->warps = (stats_series){.blocks = 0};
}

static void take_energy_sample(void *arg, const rt_sample *is)
{
    launching *x = arg;
    energy e;

    energy_compute(x->side->gpus[0].cfg, is->stats, is->totals, is->cycles, &e);
    energy_series_add(&x->series, is->start, &e);
}

/* Rows by instruction and one more, if they are wanted; else NULL. */
static sm_profile_row *new_profile(const launching *x, const isa_kernel *k)
{
    return x->side->job.setup->profile
               ? new0((size_t)k->code_count + 1, sizeof(sm_profile_row))
               : NULL;
}

/* What is the same for all launches. */
static rt_launch options(launching *x)
{
    const session_setup *setup = x->side->job.setup;

    rt_launch l = {.max_cycles = setup->max_cycles,
                   .stop = x->side->job.stop,
                   .front = x->front};

    session_setup_samples(setup, take_energy_sample, x, &x->warps, &l);
    return l;
}

static status run_plan_launch(launching *x, const plan_launch *l)
{
    const isa_kernel *k = rt_module_kernel(x->module, l->kernel, x->dg);
    void *params = NULL;
    status st;

    if (!k)
        return ST_USAGE;
    st = plan_bind(l, x->module, x->dg);
    if (st == ST_OK)
        st = plan_arguments(x->plan, l, k, x->dg, &params);
    for (uint32_t i = 0; i < l->repeat && st == ST_OK; i++) {
        rt_launch how = options(x);
        rt_result r = {0};

        how.module = x->module;
        how.kernel = k;
        memcpy(how.grid, l->grid, sizeof how.grid);
        memcpy(how.block, l->block, sizeof how.block);
        memcpy(how.cga, l->cluster, sizeof how.cga);
        how.shared_bytes = l->shared_bytes;
        how.params = params;
        how.profile = new_profile(x, k);
        st = rt_run(x->device, &how, x->dg, &r);
        if (st == ST_OK)
            keep_launch_result(x, l, k, &r, how.profile);
        else
            free(how.profile);
        energy_series_fini(&x->series); /* of a launch that is not kept */
        stats_series_fini(&x->warps);
    }
    free(params);
    return st;
}

static void keep_group(void *arg, const rt_result *sum, const rt_part *part,
                       size_t n)
{
    launching *x = arg;
    size_t first = part[0].number;

    if (sum->status == ST_OK) {
        keep_launch_result(x, x->list.of[first], x->list.launch[first].kernel,
                           sum, x->list.launch[first].profile);
        if (n > 1)
            launch_list_join(&x->launches, x->plan, &x->list, sum, part, n);
        for (size_t i = 0; i < n; i++) /* the list owns them now */
            x->list.launch[part[i].number].profile = NULL;
    }
    energy_series_fini(&x->series); /* of a group that is not kept */
    stats_series_fini(&x->warps);
}

static status run_streams(launching *x)
{
    const rt_launch how = options(x);
    status st = plan_list_make(x->plan, x->module, &how, x->dg, &x->list);

    if (st != ST_OK)
        return st;
    for (size_t i = 0; i < x->list.count; i++)
        x->list.launch[i].profile = new_profile(x, x->list.launch[i].kernel);
    st = rt_run_streams(&(rt_streams){.device = x->device,
                                      .launch = x->list.launch,
                                      .stream = x->list.stream,
                                      .count = x->list.count,
                                      .streams = x->plan->streams,
                                      .group = {.ended = keep_group, .arg = x}},
                        x->dg);
    for (size_t i = 0; i < x->list.count; i++)
        free(x->list.launch[i].profile); /* of what did not run */
    plan_list_free(&x->list);
    return st;
}

static status run_launches(launching *x)
{
    status st = ST_OK;

    if (x->plan->streams > 1 && x->side->gpus[0].cfg->gpu.concurrent > 1)
        return run_streams(x);
    for (const plan_launch *l = x->plan->launches; l && st == ST_OK;
         l = l->next)
        st = run_plan_launch(x, l);
    return st;
}

static status expectations(launching *x)
{
    status st = ST_OK;

    for (const plan_output *o = x->plan->expects; o && st == ST_OK;
         o = o->next) {
        plan_check c;

        st = plan_compare(x->plan, o, x->device, x->dg, &c);
        if (st == ST_MISMATCH)
            diag_error(x->dg, "buffer '%s' is not as expected",
                       o->buffer->name);
    }
    return st;
}

/* Of all buffers and images. */
static status hash_memory(launching *x)
{
    status st = plan_hash(x->plan, x->device, &x->process.memory_hash);

    x->process.has_hash = st == ST_OK;
    return st;
}

static status read_workload(launching *x, const workload *w)
{
    status st;

    if (w->launch_file)
        return plan_read(x->plan, w->launch_file, x->dg);
    st = plan_add_line(x->plan, w->launch, x->dg);
    x->plan->program = w->launch->program;
    return st == ST_OK ? plan_add_outputs(x->plan, w->launch, x->dg) : st;
}

static status launch_replay(void *arg, rt_module *m, exec_front *front,
                            const kernel_trace *k)
{
    launching *x = arg;
    plan_launch *l = plan_add_launch(x->plan);
    status st;

    memcpy(l->grid, k->grid, sizeof l->grid);
    memcpy(l->block, k->block, sizeof l->block);
    x->module = m;
    x->front = front;
    st = run_plan_launch(x, l);
    x->front = NULL;
    return st;
}

static status run_trace(launching *x, const char *path)
{
    trace_list list = {0};
    status st = trace_list_read(path, x->dg, &list);

    x->device =
        rt_device_new(x->side->gpus[0].cfg, &x->side->job.setup->rt, x->dg);
    if (st == ST_OK && !x->device)
        st = ST_NOMEM;
    if (st == ST_OK)
        st = replays_run(&(replays){.device = x->device,
                                    .list = &list,
                                    .how = {.folder = getenv("TMPDIR"),
                                            .stop = x->side->job.stop},
                                    .launch = launch_replay,
                                    .arg = x},
                         x->dg);
    trace_list_fini(&list);
    return st == ST_OK ? hash_memory(x) : st; /* which it has none of */
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

static status run_launch_file(launching *x, const workload *w)
{
    const session_setup *setup = x->side->job.setup;
    rt_options how = setup->rt;
    status st;

    if (w->launch_file && trace_list_is(w->launch_file))
        return run_trace(x, w->launch_file);
    st = read_workload(x, w);
    if (st != ST_OK)
        return st;
    if (!x->plan->program) {
        diag_error(x->dg, "%s names no program", w->launch_file);
        return ST_CONFIG;
    }
    how.kernels = plan_kernels(x->plan);
    how.partial = true;
    how.lenient = setup->lenient_kernels;
    x->device = rt_device_new(x->side->gpus[0].cfg, &how, x->dg);
    if (!x->device)
        return ST_NOMEM;
    st = rt_module_load(x->device, x->plan->program, x->dg, &x->module);
    if (st == ST_OK && setup->sources)
        x->sources = sources_of(x->module, x->plan->program);
    if (st == ST_OK)
        st = plan_allocate(x->plan, x->device, x->dg);
    if (st == ST_OK)
        st = run_launches(x);
    if (st == ST_OK)
        st = expectations(x);
    if (st == ST_OK)
        st = hash_memory(x);
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
    x->process.launches = x->launches.row;
    x->process.launch_count = x->launches.count;
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
    launch_list_fini(&x->launches);
    sources_free(x->sources);
    rt_device_free(x->device);
    plan_free(x->plan);
    diag_free(x->dg);
    free(x);
}
