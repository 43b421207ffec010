#include "gpu/inspect.h"

#include "exec/waits.h"
#include "gpu/state.h"
#include "sm/observe/spin.h"

gpu_progress gpu_progress_now(const gpu *g)
{
    const gpu_group *p = &g->group;
    gpu_progress is = {.cycle = g->now - p->start,
                       .ctas_done = g->ctas_done - p->ctas_before,
                       .ctas = p->ctas,
                       .warp_insts = g->issued - p->issued_before};

    exec_spins_short(gpu_watch_found(g->watch), is.spin, sizeof is.spin);
    return is;
}

unsigned gpu_in_flight(const gpu *g) { return g->in_flight; }

gpu_launch_state gpu_launch_now(const gpu *g, unsigned i)
{
    unsigned n = g->line[i];

    return (gpu_launch_state){.launch = g->flight[n].launch,
                              .start = g->flight[n].start,
                              .ctas = dispatch_total(g->dispatch, n),
                              .begun = dispatch_begun(g->dispatch, n),
                              .ended = dispatch_finished(g->dispatch, n)};
}

const sm *gpu_sm(const gpu *g, unsigned i)
{
    unsigned per = g->cfg->gpu.cluster.size;

    return cluster_sm(g->cluster[i / per], i % per);
}

char *gpu_waits_now(const gpu *g)
{
    exec_waits *ws = exec_waits_new();

    for (unsigned i = 0; i < g->cfg->gpu.sms; i++)
        sm_waits(gpu_sm(g, i), ws);
    return exec_waits_end(ws);
}
