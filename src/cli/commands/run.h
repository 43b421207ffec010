/* src/cli/commands/run.h - what the files of `heddle run` share. */
#ifndef CLI_COMMANDS_RUN_H
#define CLI_COMMANDS_RUN_H

#include "cli/cli.h"
#include "cli/commands/watch.h"
#include "cli/keep.h"
#include "cli/launch_options.h"
#include "cli/progress.h"
#include "cli/simulation.h"
#include "cli/tracing.h"
#include "launchfile/plan.h"
#include "report/run.h"
#include "study/launch_list.h"

typedef struct run_args {
    cli_gpu gpu;
    cli_simulation sim;
    plan *plan;
    plan_line line; /* the launch of the command line, if it has one */
    const char *launch_file;
    bool sample;         /* of long launches time parts */
    const char *command; /* "run", "watch" */
    watching *watched;   /* by a browser; NULL: it is not */
    cli_keep keep;
    const char *html; /* a page goes there; NULL: none */
    cli_tracing tracing;
    char *trace_folder; /* of --accelsim, its whole name */
    const char *gpu_name;
    const config_sheet *sheet;
} run_args;

typedef struct run_state {
    run_args *args;
    report_run report;
    const isa_program *program;
    launch_list launches;
    report_check *checks;
    energy_series series; /* of the launch that runs */
    stats_series warps;   /* the same */
    rt_device *device;
    plan_list list;         /* launches of several streams */
    trace_joint_code codes; /* of them, */
    trace_launch traced;    /* and what is traced */
    trace_set *trace;       /* NULL: not wanted */
    exec_front *front;      /* of the kernel of a trace; NULL: it is none */
    size_t kernels;         /* of the trace */
    progress *progress;
    lookout *lookout; /* NULL: nobody watches */
    double began;     /* since 1970 */
    uint64_t memory_hash;
    bool has_memory_hash;
    bool unkept; /* it could not be added to the results file */
} run_state;

/* Runs a launch of the plan as often as it says, and keeps what came of it. */
status run_launch(run_state *s, rt_device *d, rt_module *m,
                  const plan_launch *l, diag *dg);

/* ---- Traces (run_replay.c) ---- */

/* 0, or 2 and a message: what does not go with a trace. */
int run_replay_check(const run_args *r, const cli_args *a);
/* The kernels of the trace that is the program, one after the other. */
status run_replay(run_state *s, rt_device *d, diag *dg);

#endif
