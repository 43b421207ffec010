/* src/runtime/untimed.c - launches that are computed only. */
#include <signal.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "exec/functional.h"
#include "exec/grid_parts.h"
#include "gpu/team.h"
#include "runtime/internal.h"
#include "sm/sm.h"

enum { LOOK = 4 }; /* warp instructions for a cycle of gpu.hang_cycles */

struct rt_untimed {
    rt_device *d;
    const rt_launch *launch;
    uint64_t ctas;
    uint32_t insts; /* of the kernel's code */
    mem_view *view;
    exec_limits limits;
    exec_totals totals;
    exec_grid *grid;
    bool begun;
    trace_out *trace; /* NULL: it is not written */
    double seconds;   /* that the host took */
};

static bool asked_to_stop(void *arg)
{
    const volatile sig_atomic_t *flag = arg;

    return __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

static void report_untimed_progress(void *arg, const exec_totals *sofar)
{
    const rt_untimed *u = arg;
    gpu_progress p = {.ctas_done = sofar->ctas,
                      .ctas = u->ctas,
                      .warp_insts = sofar->warp_instructions};

    exec_spins_short(exec_grid_spins(u->grid), p.spin, sizeof p.spin);
    u->launch->progress(u->launch->progress_arg, &p);
}

static void untimed_free(rt_untimed *u)
{
    exec_grid_free(u->grid);
    trace_out_drop(u->trace);
    mem_view_free(u->view);
    free(u->totals.insts);
    free(u);
}

rt_untimed *rt_untimed_new(rt_device *d, const exec_launch *e,
                           const rt_launch *l, exec_fault *fault)
{
    rt_untimed *u = new0(1, sizeof *u);

    u->d = d;
    u->launch = l;
    exec_spins_fini(&d->spun);
    u->ctas = (uint64_t)e->grid[0] * e->grid[1] * e->grid[2];
    u->insts = e->kernel->code_count;
    u->limits = (exec_limits){
        .progress = l->progress ? report_untimed_progress : NULL,
        .progress_arg = u,
        .warp_instructions = l->max_cycles,
        .ctas = (uint64_t)d->cfg->gpu.sms * sm_most_ctas(d->cfg, e),
        .look_first = LOOK * d->cfg->gpu.hang_cycles,
        .stop = l->stop ? asked_to_stop : NULL,
        .arg = (void *)l->stop};
    if (l->profile)
        u->totals.insts = new0(u->insts, sizeof *u->totals.insts);
    if (d->traces && (u->trace = trace_out_new(d->traces, e)))
        u->limits.watcher = trace_out_watcher(u->trace);
    if (l->sampled)
        u->limits.seen = rt_device_warming(d);
    u->view = mem_view_new(d->seen, true);
    u->grid = exec_grid_new(e, u->view, &u->limits, fault, &u->totals);
    return u;
}

/* The launch goes on, or has ended. */
static status end_trace(rt_untimed *u, bool ended)
{
    if (u->trace && ended) {
        trace_out_end(u->trace);
        u->trace = NULL;
    }
    return trace_folder_error(u->d->traces) ? ST_IO : ST_OK;
}

static void work_part(void *parts, unsigned i) { exec_parts_work(parts, i); }

/* What of it threads can do beside each other; the rest goes on as usual. */
static status run_parts(rt_untimed *u)
{
    rt_device *d = u->d;
    unsigned threads = d->opt.threads;
    exec_parts *p = threads > 1 ? exec_parts_new(u->grid, threads) : NULL;

    if (!p)
        return ST_OK;
    if (!d->crew)
        d->crew = team_new(threads, NULL);
    if (d->crew)
        team_run(d->crew, work_part, p, threads, false);
    return exec_parts_end(p);
}

status rt_untimed_run(rt_untimed *u, bool alone, bool *ended)
{
    double began = clock_s();
    status st = ST_OK;

    u->limits.alone = alone && u->launch->alone;
    *ended = false;
    if (!u->begun)
        st = run_parts(u);
    u->begun = true;
    if (st == ST_OK)
        st = exec_grid_run(u->grid, ended);
    if (st == ST_OK && u->d->traces)
        st = end_trace(u, *ended);
    u->seconds += clock_s() - began;
    if (st != ST_OK) {
        exec_spins_fini(&u->d->spun);
        exec_spins_copy(&u->d->spun, exec_grid_spins(u->grid));
    }
    return st;
}

void rt_untimed_end(rt_untimed *u, rt_result *out)
{
    for (uint32_t i = 0; u->totals.insts && i < u->insts; i++) {
        u->launch->profile[i].insts += u->totals.insts[i].insts;
        u->launch->profile[i].lanes += u->totals.insts[i].lanes;
        u->launch->profile[i].diverged += u->totals.insts[i].diverged;
    }
    out->warp_insts += u->totals.warp_instructions;
    out->thread_insts += u->totals.thread_instructions;
    out->ctas += u->totals.ctas;
    out->host_seconds += u->seconds;
    untimed_free(u);
}
