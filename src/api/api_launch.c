/* Launches: one in flight of a simulation, from begin to end. */
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/alloc.h"

/* ---- Beginning ---- */

static uint64_t grid_ctas(const rt_launch *l)
{
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

/* Callbacks may come and go while the launch is in flight. */
static void report_progress(void *arg, const gpu_progress *p)
{
    heddle_sim *sim = arg;

    if (!sim->calls.progress)
        return;
    const heddle_progress is = {.cycles = p->cycle,
                                .ctas_done = p->ctas_done,
                                .ctas = grid_ctas(&sim->launch),
                                .warp_insts = p->warp_insts,
                                .running = 1};

    if (sim->calls.progress(sim->calls.arg, &is))
        heddle_cancel(sim);
}

void api_launch_begins(const heddle_sim *sim)
{
    const rt_launch *l = &sim->launch;
    heddle_begin_info b = {.kernel = l->kernel->name,
                           .functional = sim->opt.functional || l->functional};

    memcpy(b.grid, l->grid, sizeof b.grid);
    memcpy(b.block, l->block, sizeof b.block);
    if (sim->calls.begin)
        sim->calls.begin(sim->calls.arg, &b);
}

/* Sizes; 0 in y and z is 1. */
static void copy_sizes(uint32_t to[3], const uint32_t from[3])
{
    to[0] = from[0];
    to[1] = from[1] ? from[1] : 1;
    to[2] = from[2] ? from[2] : 1;
}

rt_launch api_launch_how(heddle_sim *sim, uint32_t flags, uint64_t max_cycles)
{
    return (rt_launch){.functional = flags & HEDDLE_FUNCTIONAL,
                       .counters = flags & HEDDLE_PER_BLOCK,
                       .sampled = flags & HEDDLE_SAMPLE,
                       .max_cycles = max_cycles,
                       .stop = &sim->stop,
                       .progress = report_progress,
                       .progress_arg = sim,
                       .alone = true};
}

static rt_launch make_launch(heddle_sim *sim, const heddle_kernel *k,
                             const heddle_launch *l, const void *params)
{
    rt_launch out = api_launch_how(sim, l->flags, l->max_cycles);

    out.module = k->module->is;
    out.kernel = k->is;
    out.shared_bytes = l->shared_bytes;
    out.params = params;
    copy_sizes(out.grid, l->grid);
    copy_sizes(out.block, l->block);
    if (l->cluster[0])
        copy_sizes(out.cga, l->cluster);
    else
        memcpy(out.cga, l->cluster, sizeof out.cga);
    return out;
}

heddle_code api_launch_flags(heddle_sim *sim, uint32_t flags, const char *where)
{
    const uint32_t known =
        HEDDLE_FUNCTIONAL | HEDDLE_PER_BLOCK | HEDDLE_PROFILE | HEDDLE_SAMPLE;

    if (flags & ~known)
        return api_wrong(sim, "%s has a flag that this library does not know",
                         where);
    if (flags & HEDDLE_SAMPLE &&
        (flags & HEDDLE_FUNCTIONAL || sim->opt.functional))
        return api_wrong(sim, "HEDDLE_SAMPLE leaves parts of a launch untimed: "
                              "with HEDDLE_FUNCTIONAL all is");
    return HEDDLE_OK;
}

static heddle_code check_launch(heddle_sim *sim, const heddle_launch *from,
                                heddle_launch *l)
{
    if (sim->in_flight) {
        api_wrong(sim, "a launch is in flight: heddle_advance ends it");
        return HEDDLE_BUSY;
    }
    if (!from)
        return api_wrong(sim, "`launch` is NULL");
    if (!api_take_struct(l, sizeof *l, from, sizeof *l))
        return api_wrong(sim, "heddle_launch.size is none that this library "
                              "knows: begin with HEDDLE_LAUNCH_INIT");
    if (l->reserved)
        return api_wrong(sim, "heddle_launch.reserved is not 0");
    return api_launch_flags(sim, l->flags, "heddle_launch");
}

static void drop_profile(heddle_sim *sim)
{
    free(sim->launch.profile);
    sim->launch.profile = NULL;
}

static heddle_code begin(heddle_kernel *k, const heddle_launch *from)
{
    heddle_sim *sim = k->module->sim;
    heddle_launch l;
    void *params = NULL;
    heddle_code code = check_launch(sim, from, &l);

    if (code == HEDDLE_OK)
        code = api_arguments(k, &l, &params);
    if (code != HEDDLE_OK)
        return code;
    sim->launch = make_launch(sim, k, &l, params);
    if (l.flags & HEDDLE_PROFILE)
        sim->launch.profile =
            new0((size_t)k->is->code_count + 1, sizeof(sm_profile_row));
    __atomic_store_n(&sim->stop, 0, __ATOMIC_RELAXED);
    code = api_code(rt_flight_prepare(sim->flight, &sim->launch, 0, sim->dg));
    if (code != HEDDLE_OK) {
        free(params);
        drop_profile(sim);
        return code;
    }
    sim->params = params;
    sim->running = k->module;
    sim->in_flight = true;
    sim->ended = false;
    api_launch_begins(sim);
    rt_flight_begin(sim->flight);
    return HEDDLE_OK;
}

heddle_code heddle_begin(heddle_kernel *kernel, const heddle_launch *launch)
{
    API_BEGIN(kernel ? kernel->module->sim : NULL);
    return api_end(&call, begin(kernel, launch));
}

/* ---- Advancing ---- */

/* Of one in flight. */
static void look_at_progress(heddle_sim *sim, heddle_progress *p)
{
    rt_result r;

    *p = (heddle_progress){.ctas = grid_ctas(&sim->launch), .running = 1};
    if (!rt_flight_sofar(sim->flight, &r))
        return;
    p->cycles = r.cycles;
    p->ctas_done = r.ctas;
    p->warp_insts = r.warp_insts;
}

void api_launch_ended(heddle_sim *sim, heddle_result *r)
{
    const report_launch *l = r->list.row;
    heddle_line line;

    api_tell(sim);
    for (size_t i = 0; sim->calls.line && i < l->line_count; i++) {
        heddle_result_line(r, i, &line);
        sim->calls.line(sim->calls.arg, &line);
    }
    if (sim->calls.end)
        sim->calls.end(sim->calls.arg, r);
}

static void end_launch(heddle_sim *sim, heddle_code code,
                       heddle_progress *progress, heddle_result **out)
{
    heddle_result *r = sim->result;
    const report_launch *l = r->list.row;

    sim->result = NULL;
    sim->in_flight = false;
    sim->running = NULL;
    free(sim->params);
    sim->params = NULL;
    api_result_end(r, code);
    api_counters_know(sim);
    api_totals_add(sim, l->totals);
    if (progress)
        *progress = (heddle_progress){.cycles = l->cycles,
                                      .ctas_done = l->ctas,
                                      .ctas = grid_ctas(&sim->launch),
                                      .warp_insts = l->warp_insts};
    if (out)
        *out = r;
    api_launch_ended(sim, r);
}

/* To that cycle of the device; 0: to the end. */
static status advance_to(heddle_sim *sim, uint64_t until)
{
    rt_event e;
    status st;

    do {
        st = rt_flight_advance(sim->flight, until, &e, sim->dg);
    } while (st == ST_OK && e.paused &&
             (!until || rt_flight_now(sim->flight) < until));
    return st;
}

static heddle_code advance(heddle_sim *sim, uint64_t cycles,
                           heddle_progress *progress, heddle_result **out)
{
    uint64_t until = 0;

    if (!sim->in_flight) {
        api_wrong(sim, "no launch is in flight: heddle_begin begins one");
        return HEDDLE_NOT_FOUND;
    }
    if (cycles && cycles != HEDDLE_TO_THE_END &&
        !(sim->opt.functional || sim->launch.functional) &&
        __builtin_add_overflow(rt_flight_now(sim->flight), cycles, &until))
        until = 0;
    heddle_code code = cycles ? api_code(advance_to(sim, until)) : HEDDLE_OK;
    if (sim->ended)
        end_launch(sim, code, progress, out);
    else if (progress)
        look_at_progress(sim, progress);
    return code;
}

static heddle_code advance_checked(heddle_sim *sim, uint64_t cycles,
                                   heddle_progress *progress,
                                   heddle_result **out)
{
    if (!out)
        return api_wrong(sim, "heddle_advance: `result` is NULL");
    return advance(sim, cycles, progress, out);
}

heddle_code heddle_advance(heddle_sim *sim, uint64_t cycles,
                           heddle_progress *progress, heddle_result **result)
{
    API_NO(result);
    API_BEGIN(sim);
    return api_end(&call, advance_checked(sim, cycles, progress, result));
}

static heddle_code run(heddle_kernel *k, const heddle_launch *launch,
                       heddle_result **out)
{
    heddle_code code = begin(k, launch);

    if (code != HEDDLE_OK)
        return code;
    return advance(k->module->sim, HEDDLE_TO_THE_END, NULL, out);
}

heddle_code heddle_run(heddle_kernel *kernel, const heddle_launch *launch,
                       heddle_result **result)
{
    API_NO(result);
    API_BEGIN(kernel ? kernel->module->sim : NULL);
    return api_end(&call, run(kernel, launch, result));
}

void heddle_cancel(heddle_sim *sim)
{
    if (sim)
        __atomic_store_n(&sim->stop, 1, __ATOMIC_RELAXED);
}

static heddle_code look(heddle_sim *sim, heddle_result **out)
{
    rt_result r;

    if (!out)
        return api_wrong(sim, "heddle_look: `result` is NULL");
    if (!sim->in_flight || !rt_flight_sofar(sim->flight, &r)) {
        api_wrong(sim, "no launch that is timed is in flight");
        return HEDDLE_NOT_FOUND;
    }
    *out = api_result_new(sim, &r, NULL);
    api_counters_know(sim);
    return HEDDLE_OK;
}

heddle_code heddle_look(heddle_sim *sim, heddle_result **result)
{
    API_NO(result);
    API_BEGIN(sim);
    return api_end(&call, look(sim, result));
}

void api_launch_drop(heddle_sim *sim)
{
    if (!sim->in_flight)
        return;
    rt_flight_forget(sim->flight);
    free(sim->params);
    drop_profile(sim);
    sim->in_flight = false;
}
