#include "study/plan_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "replay/trace_list.h"
#include "study/replays.h"

const isa_program *plan_run_program(const plan_run *r)
{
    return r->module ? rt_module_program(r->module) : NULL;
}

status plan_run_load(plan_run *r, diag *dg)
{
    status st = ST_OK;

    r->replays = trace_list_is(r->plan->program);
    if (!r->replays && !r->module)
        st = rt_module_load(r->device, r->plan->program, dg, &r->module);
    return st == ST_OK ? plan_allocate(r->plan, r->device, dg) : st;
}

/* ---- What is kept ---- */

static void keep_launch(plan_run *r, const plan_launch *l, const isa_kernel *k,
                        const rt_result *res, sm_profile_row *profile)
{
    const isa_program *p = plan_run_program(r);

    launch_list_add(&r->launches, r->device, l,
                    &(report_launch){.kernel = k,
                                     .cfg = r->cfg,
                                     .functional = r->functional,
                                     .source = p,
                                     .sources = r->sources,
                                     .arch = p->arch,
                                     .stream = r->plan->stream[l->stream],
                                     .profile = profile,
                                     .series = r->power,
                                     .warps = r->warps},
                    res);
    r->power = (energy_series){.row = NULL};
    r->warps = (stats_series){.blocks = 0};
}

/* Samples of what is not kept. */
static void drop_samples(plan_run *r)
{
    energy_series_fini(&r->power);
    stats_series_fini(&r->warps);
}

static void take_power_sample(void *arg, const rt_sample *is)
{
    plan_run *r = arg;
    energy e;

    energy_compute(r->cfg, is->stats, is->totals, is->cycles, &e);
    energy_series_add(&r->power, is->start, &e);
    if (r->trace && is->cycles)
        trace_power(r->trace, is->start, energy_watts(&e, e.total_fj));
}

/* NULL: not wanted. */
static sm_profile_row *new_profile(const plan_run *r, const isa_kernel *k)
{
    return r->profile ? new0((size_t)k->code_count + 1, sizeof(sm_profile_row))
                      : NULL;
}

/* ---- One launch after the other ---- */

/* What is the same for all launches. */
static rt_launch launch_options(plan_run *r)
{
    rt_launch l = r->how;

    rt_launch_samples(&l, r->power_cycles, r->warps_cycles, take_power_sample,
                      r, &r->warps);
    return l;
}

static size_t launch_count(const plan *p)
{
    size_t n = 0;

    for (const plan_launch *l = p->launches; l; l = l->next)
        n += l->repeat;
    return n;
}

static void tell_begin(const plan_run *r, const rt_launch *l, size_t total)
{
    if (r->begins)
        r->begins(r->arg, r, l, total);
}

static status run_traced(plan_run *r, rt_launch *l, diag *dg, rt_result *out)
{
    trace_launch traced = {.number = r->launches.count + 1,
                           .kernel = l->kernel,
                           .arch = plan_run_program(r)->arch,
                           .cfg = r->cfg};
    status st;

    l->trace = r->trace ? trace_begin(r->trace, &traced) : NULL;
    st = rt_run(r->device, l, dg, out);
    if (l->trace) {
        trace_warps(r->trace, &r->warps);
        trace_end(r->trace, out->cycles);
    }
    return st;
}

static status run_once(plan_run *r, const plan_launch *l, rt_launch *launch,
                       diag *dg)
{
    const isa_kernel *k = launch->kernel;
    rt_result res = {0};

    launch->profile = new_profile(r, k);
    tell_begin(r, launch, r->kernels ? r->kernels : launch_count(r->plan));
    status st = run_traced(r, launch, dg, &res);
    bool kept = st == ST_OK || res.host_seconds > 0;
    if (kept)
        keep_launch(r, l, k, &res, launch->profile);
    else
        free(launch->profile);
    drop_samples(r);
    if (r->ended)
        r->ended(r->arg, r, &res, kept);
    return st;
}

/* As often as the plan says. */
static status run_launch(plan_run *r, const plan_launch *l, diag *dg)
{
    rt_launch launch = launch_options(r);
    void *params = NULL;
    status st;

    launch.module = r->module;
    launch.kernel = rt_module_kernel(r->module, l->kernel, dg);
    if (!launch.kernel)
        return ST_USAGE;
    st = plan_bind(l, r->module, dg);
    if (st == ST_OK)
        st = plan_arguments(r->plan, l, launch.kernel, dg, &params);
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    memcpy(launch.cga, l->cluster, sizeof launch.cga);
    launch.shared_bytes = l->shared_bytes;
    launch.params = params;
    for (uint32_t i = 0; i < l->repeat && st == ST_OK; i++)
        st = run_once(r, l, &launch, dg);
    free(params);
    return st;
}

/* ---- Launches of several streams ---- */

/* In the trace of launches in flight together their kernels are one. */
static void join_codes(plan_run *r)
{
    for (size_t i = 0; r->trace && i < r->list.count; i++) {
        rt_launch *l = &r->list.launch[i];

        l->trace_pc = trace_joint_code_add(&r->codes, l->kernel);
    }
    r->traced = (trace_launch){.kernel = &r->codes.kernel,
                               .codes = &r->codes,
                               .arch = plan_run_program(r)->arch,
                               .cfg = r->cfg};
}

static void begin_group(void *arg, const rt_launch *first)
{
    plan_run *r = arg;
    rt_launch *l = &r->list.launch[first - r->list.launch];

    tell_begin(r, l, 0);
    r->traced.number = r->launches.count + 1;
    l->trace = r->trace ? trace_begin(r->trace, &r->traced) : NULL;
}

static void end_group(void *arg, const rt_result *sum, const rt_part *part,
                      size_t n)
{
    plan_run *r = arg;
    const rt_launch *first = &r->list.launch[part[0].number];

    if (r->trace) {
        trace_warps(r->trace, &r->warps);
        trace_end(r->trace, sum->cycles);
    }
    keep_launch(r, r->list.of[part[0].number], first->kernel, sum,
                first->profile);
    if (n > 1)
        launch_list_join(&r->launches, r->plan, &r->list, sum, part, n);
    for (size_t i = 0; i < n; i++) /* they are the list's now */
        r->list.launch[part[i].number].profile = NULL;
    if (r->ended)
        r->ended(r->arg, r, sum, true);
}

static status run_streams(plan_run *r, diag *dg)
{
    const plan *p = r->plan;
    const rt_launch how = launch_options(r);
    status st = plan_list_make(p, r->module, &how, dg, &r->list);

    if (st != ST_OK)
        return st;
    for (size_t i = 0; i < r->list.count; i++)
        r->list.launch[i].profile = new_profile(r, r->list.launch[i].kernel);
    join_codes(r);
    st = rt_run_streams(
        &(rt_streams){
            .device = r->device,
            .launch = r->list.launch,
            .stream = r->list.stream,
            .count = r->list.count,
            .streams = p->streams,
            .group = {.begins = begin_group, .ended = end_group, .arg = r}},
        dg);
    for (size_t i = 0; i < r->list.count; i++)
        free(r->list.launch[i].profile); /* of what did not run */
    trace_joint_code_fini(&r->codes);
    plan_list_free(&r->list);
    return st;
}

/* ---- Traces of Accel-Sim ---- */

typedef struct replaying {
    plan_run *r;
    diag *dg;
} replaying;

/* A launch of the plan, for the report. */
static const plan_launch *launch_of(plan *p, const kernel_trace *k)
{
    plan_launch *l = plan_add_launch(p);

    memcpy(l->grid, k->grid, sizeof l->grid);
    memcpy(l->block, k->block, sizeof l->block);
    return l;
}

static status replay_launch(void *arg, rt_module *m, exec_front *front,
                            const kernel_trace *k)
{
    plan_run *r = ((replaying *)arg)->r;
    status st;

    r->module = m;
    r->how.front = front;
    st = run_launch(r, launch_of(r->plan, k), ((replaying *)arg)->dg);
    r->how.front = NULL;
    return st;
}

static status run_replays(plan_run *r, diag *dg)
{
    trace_list list = {0};
    replaying x = {r, dg};
    status st = trace_list_read(r->plan->program, dg, &list);

    r->kernels = list.kernels;
    if (st == ST_OK)
        st = replays_run(
            &(replays){.device = r->device,
                       .list = &list,
                       .how = {.folder = r->scratch, .stop = r->how.stop},
                       .launch = replay_launch,
                       .arg = &x},
            dg);
    trace_list_fini(&list);
    return st;
}

/* ---- All of them ---- */

/* Are they to be in flight together, or parts of them timed, which a flight
 * does? */
static bool wants_flight(const plan_run *r)
{
    return (r->plan->streams > 1 && r->cfg->gpu.concurrent > 1) ||
           r->how.sampled;
}

/* What is bound, all see that are in flight: flights bind nothing. */
static bool has_binds(const plan *p)
{
    for (const plan_launch *l = p->launches; l; l = l->next)
        if (l->binds)
            return true;
    return false;
}

status plan_run_launches(plan_run *r, diag *dg)
{
    status st = ST_OK;

    if (r->replays)
        return run_replays(r, dg);
    if (r->how.sampled && has_binds(r->plan)) {
        diag_error(dg, "launches that bind textures, surfaces or samplers are "
                       "timed whole: they do not go with sampling");
        return ST_USAGE;
    }
    if (wants_flight(r))
        return run_streams(r, dg);
    for (const plan_launch *l = r->plan->launches; l && st == ST_OK;
         l = l->next)
        st = run_launch(r, l, dg);
    return st;
}

/* ---- Results ---- */

static status expect(plan_run *r, const plan_output *o, diag *dg)
{
    plan_check c;
    status st = plan_compare(r->plan, o, r->device, dg, &c);

    if (st != ST_OK && st != ST_MISMATCH)
        return st;
    r->checks[r->check_count++] = (report_check){.buffer = o->buffer->name,
                                                 .file = o->file,
                                                 .count = c.count,
                                                 .differ = c.differ,
                                                 .worst = c.worst,
                                                 .tolerance = o->tolerance};
    if (st == ST_MISMATCH)
        diag_error(dg,
                   "buffer '%s' differs from '%s' in %llu of %llu elements; "
                   "the first is number %llu: %.9g instead of %.9g",
                   o->buffer->name, o->file, (unsigned long long)c.differ,
                   (unsigned long long)c.count, (unsigned long long)c.first,
                   c.got, c.want);
    return st;
}

status plan_run_expect(plan_run *r, diag *dg)
{
    status first = ST_OK;
    size_t n = 0;

    for (const plan_output *o = r->plan->expects; o; o = o->next)
        n++;
    free(r->checks);
    r->check_count = 0;
    r->checks = new0(n + 1, sizeof *r->checks);
    for (const plan_output *o = r->plan->expects; o; o = o->next) {
        status st = expect(r, o, dg);

        first = first == ST_OK ? st : first;
    }
    return first;
}

status plan_run_dump(plan_run *r, diag *dg)
{
    status first = ST_OK;

    for (const plan_output *o = r->plan->dumps; o; o = o->next) {
        status st = plan_dump(r->plan, o, r->device, dg);

        first = first == ST_OK ? st : first;
    }
    return first;
}

void plan_run_fini(plan_run *r)
{
    launch_list_fini(&r->launches);
    free(r->checks);
    r->checks = NULL;
    r->check_count = 0;
}
