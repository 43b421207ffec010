/* src/study/plan_run.h - a plan, run on a device of this process: what `heddle
 * run` does, comparisons with launch files, and the library with them.
 *
 *     plan_run r = {.plan = p, .device = d, .cfg = cfg, .how = {...}};
 *     st = plan_run_load(&r, dg);
 *     if (st == ST_OK)
 *         st = plan_run_launches(&r, dg);
 *     if (st == ST_OK)
 *         st = plan_run_expect(&r, dg);
 *     plan_run_fini(&r);
 *
 * Launches of one stream run one after the other; where the plan has several,
 * and the machine room for more than one launch, in groups
 * (runtime/streams.h). A plan whose program is a trace of Accel-Sim gets its
 * launches from there. Messages are in `dg`, status of the first failure. */
#ifndef STUDY_PLAN_RUN_H
#define STUDY_PLAN_RUN_H

#include "launchfile/plan.h"
#include "study/launch_list.h"
#include "trace/joint_code.h"
#include "trace/trace.h"

typedef struct plan_run {
    /* Set by the caller; borrowed. */
    plan *plan;
    rt_device *device;
    const config *cfg; /* the device's */
    bool functional;   /* as the device's options have it */
    bool profile;      /* count by instruction */
    rt_launch how;     /* what is the same for all launches */
    /* Cycles between two samples of power, and of the warps that SMs hold; 0:
     * none. If both are given, the first is meant. */
    uint64_t power_cycles, warps_cycles;
    trace_set *trace;       /* NULL: nothing is traced */
    const char *scratch;    /* folder for files while a trace of Accel-Sim is
                               read; NULL: the usual one */
    const sources *sources; /* texts for what is kept; NULL: none. They may be
                               set once it is loaded */

    /* A launch, or a group that begins with it, is about to begin, one of
     * `total`, 0: unknown. NULL: not called. */
    void (*begins)(void *arg, const struct plan_run *r, const rt_launch *l,
                   size_t total);
    /* It has ended, or failed. The last of r->launches is what is kept of it if
     * `kept`: all is, but what could not begin. NULL: not called. */
    void (*ended)(void *arg, struct plan_run *r, const rt_result *result,
                  bool kept);
    void *arg;

    /* What came of it; plan_run_fini frees it. */
    launch_list launches;
    rt_module *module; /* the device's; of a trace the last kernel's */
    bool replays;      /* it is a trace */
    report_check *checks;
    size_t check_count;

    /* Its own. */
    energy_series power; /* of the launch that runs, or the group */
    stats_series warps;
    plan_list list; /* launches of several streams */
    trace_joint_code codes;
    trace_launch traced;
    size_t kernels; /* of the trace of Accel-Sim */
} plan_run;

/* Loads the program, unless r->module has it, and allocates and fills the
 * buffers. */
status plan_run_load(plan_run *r, diag *dg);
status plan_run_launches(plan_run *r, diag *dg);
/* Compares buffers with what the plan expects. ST_MISMATCH: one differs, and
 * the message has where; r->checks has all. */
status plan_run_expect(plan_run *r, diag *dg);
/* Writes the files of the plan's dumps. */
status plan_run_dump(plan_run *r, diag *dg);
/* What the module's program is; NULL: nothing is loaded. */
const isa_program *plan_run_program(const plan_run *r);
void plan_run_fini(plan_run *r);

#endif
