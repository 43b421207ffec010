/* heddle run with a trace of Accel-Sim in the place of a program. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/commands/run.h"
#include "cli/signals.h"
#include "codegen/codegen.h"
#include "replay/trace_list.h"
#include "replay/warps.h"

int run_replay_check(const run_args *r, const cli_args *a)
{
    const plan *p = r->plan;

    if (r->tracing.accelsim)
        return cli_usage(a->command, "a trace is not written again: --accelsim "
                                     "is for programs");
    if (r->sim.rt.functional)
        return cli_usage(a->command, "a trace has no values to compute with: "
                                     "--functional does not go with it");
    if (r->launch_file || r->line.launches || p->dumps || p->expects)
        return cli_usage(a->command, "a trace has its launches: nothing else "
                                     "describes them, and it computes nothing "
                                     "to be dumped or expected");
    return 0;
}

/* What the replay leaves out or adds, where it is not as traces usually are. */
static void warn(const kernel_trace *k, const char *path, diag *dg)
{
    uint64_t fetches = 0;

    for (uint32_t i = 0; i < k->code.count; i++)
        if (k->code.inst[i].in.op == ISA_TXQ)
            fetches += k->code.inst[i].executed;
    if (fetches)
        diag_add(dg, DIAG_WARNING, path, 0, 0, 0,
                 "%" PRIu64 " accesses to textures and surfaces take the time "
                 "of their unit alone: the trace has no addresses of them",
                 fetches);
    if (k->unended)
        diag_add(dg, DIAG_WARNING, path, 0, 0, 0,
                 "%" PRIu64 " warp%s not end with EXIT: one was added to each, "
                 "and counts as an instruction",
                 k->unended, k->unended == 1 ? " does" : "s do");
}

/* A launch of the plan, for the report. */
static plan_launch *launch_of(plan *p, const kernel_trace *k)
{
    plan_launch *l = plan_add_launch(p);

    memcpy(l->grid, k->grid, sizeof l->grid);
    memcpy(l->block, k->block, sizeof l->block);
    return l;
}

/* The kernels that were launched: one that comes again, which traces tell by
 * its name and code, is in the caches still. Their modules live as long as the
 * device, for the report. */
typedef struct replayed {
    rt_module **module;
    size_t count, room;
} replayed;

static isa_kernel *kernel_of(const rt_module *m)
{
    return &rt_module_program(m)->kernels[0];
}

static rt_module *find_module(const replayed *all, const isa_kernel *k)
{
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(kernel_of(all->module[i])->name, k->name) &&
            replay_code_merge(kernel_of(all->module[i]), k))
            return all->module[i];
    return NULL;
}

static status take_module(replayed *all, rt_device *d, replay_warps *w,
                          diag *dg, rt_module **out)
{
    isa_program *p = replay_warps_program(w);
    status st;

    if ((*out = find_module(all, &p->kernels[0]))) {
        isa_program_free(p);
        return ST_OK;
    }
    st = rt_module_new(d, p, dg, out);
    if (st != ST_OK) {
        isa_program_free(p);
        return st;
    }
    GROW(all->module, all->count + 1, all->room);
    all->module[all->count++] = *out;
    return ST_OK;
}

static status run_kernel(run_state *s, rt_device *d, const char *path,
                         replayed *all, diag *dg)
{
    kernel_trace *k;
    rt_module *m;
    const kernel_trace_how how = {.folder = getenv("TMPDIR"),
                                  .stop = signals_stop()};
    status st = kernel_trace_read(path, &how, dg, &k);

    if (st != ST_OK)
        return st;
    warn(k, path, dg);
    cli_report(dg);
    replay_warps *w = replay_warps_new(k, cg_arch_of(rt_device_config(d)));
    st = take_module(all, d, w, dg, &m);
    if (st == ST_OK) {
        s->program = rt_module_program(m);
        s->front = replay_warps_front(w);
        st = run_launch(s, d, m, launch_of(s->args->plan, k), dg);
        s->front = NULL;
    }
    if (st == ST_OK && replay_warps_failed(w)) {
        diag_error(dg, "the temporary file of '%s' could not be read again",
                   path);
        st = ST_INPUT;
    }
    replay_warps_free(w);
    kernel_trace_free(k);
    return st;
}

status run_replay(run_state *s, rt_device *d, diag *dg)
{
    trace_list list = {0};
    replayed all = {0};
    status st = trace_list_read(s->args->plan->program, dg, &list);

    s->kernels = list.kernels;
    for (size_t i = 0; i < list.count && st == ST_OK; i++) {
        const trace_step *step = &list.step[i];

        if (step->path)
            st = run_kernel(s, d, step->path, &all, dg);
        else
            rt_copied(d, replay_address(step->addr), step->bytes);
    }
    trace_list_fini(&list);
    free(all.module);
    return st;
}
