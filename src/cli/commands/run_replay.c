/* heddle run with a trace of Accel-Sim in the place of a program. */
#include <stdlib.h>
#include <string.h>

#include "cli/commands/run.h"
#include "cli/signals.h"
#include "study/replays.h"

int run_replay_check(const run_args *r, const cli_args *a)
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

/* A launch of the plan, for the report. */
static plan_launch *launch_of(plan *p, const kernel_trace *k)
{
    plan_launch *l = plan_add_launch(p);

    memcpy(l->grid, k->grid, sizeof l->grid);
    memcpy(l->block, k->block, sizeof l->block);
    return l;
}

typedef struct run_replaying {
    run_state *s;
    rt_device *d;
    diag *dg;
} replaying;

static status launch(void *arg, rt_module *m, exec_front *front,
                     const kernel_trace *k)
{
    replaying *r = arg;
    run_state *s = r->s;
    status st;

    cli_report(r->dg); /* warnings, before what may take long */
    s->program = rt_module_program(m);
    s->front = front;
    st = run_launch(s, r->d, m, launch_of(s->args->plan, k), r->dg);
    s->front = NULL;
    return st;
}

status run_replay(run_state *s, rt_device *d, diag *dg)
{
    trace_list list = {0};
    replaying r = {s, d, dg};
    status st = trace_list_read(s->args->plan->program, dg, &list);

    s->kernels = list.kernels;
    if (st == ST_OK)
        st = replays_run(&(replays){.device = d,
                                    .list = &list,
                                    .how = {.folder = getenv("TMPDIR"),
                                            .stop = signals_stop()},
                                    .launch = launch,
                                    .arg = &r},
                         dg);
    trace_list_fini(&list);
    return st;
}
