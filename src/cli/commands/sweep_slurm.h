/* src/cli/commands/sweep_slurm.h - heddle sweep --slurm: submits the points of
 * a sweep, watches and merges. */
#ifndef CLI_COMMANDS_SWEEP_SLURM_H
#define CLI_COMMANDS_SWEEP_SLURM_H

#include "cli/cached.h"
#include "cli/cli.h"
#include "slurm/slurm_sweep.h"

typedef struct sweep_slurm {
    bool wanted;     /* --slurm, or one of the options that mean it */
    bool write_only; /* scripts only */
    bool no_wait;    /* submits, and leaves the rest to the cluster */
    bool quiet, verbose;
    cached *cache; /* what it has is not submitted; borrowed */
    slurm_options options;
} sweep_slurm;

void sweep_slurm_init(sweep_slurm *x);
void sweep_slurm_fini(sweep_slurm *x);
/* True if the option was one of them. */
bool sweep_slurm_option(sweep_slurm *x, cli_args *a);
/* The exit code. *done: no task runs points any more, and the results are
 * merged; the caller prints the state of the folder. */
int sweep_slurm_run(sweep_slurm *x, sweep_folder *f, bool *done);

/* Rows of cli_command.options. */
/* clang-format off */
#define SLURM_OPTIONS                                                          \
    {"slurm", 0, NULL,                                                         \
     "run the points as job arrays of Slurm; submits again what nodes lose",   \
     CLI_SLURM},                                                               \
    {"slurm-write", 0, NULL, "only write the scripts of --slurm", CLI_SLURM},  \
    {"no-wait", 0, NULL,                                                       \
     "submit, and let a last job merge the results", CLI_SLURM},               \
    {"array", 0, "N",                                                          \
     "at most N tasks; default is what Slurm allows", CLI_SLURM},              \
    {"slurm-partition", 0, "NAME", "partition of the jobs", CLI_SLURM},        \
    {"slurm-time", 0, "TIME", "time limit of a task, 1:30:00", CLI_SLURM},     \
    {"slurm-mem", 0, "SIZE", "memory of a task, 4G", CLI_SLURM},               \
    {"slurm-option", 0, "OPTION",                                              \
     "any other option of sbatch, such as --qos=low; repeatable", CLI_SLURM},  \
    {"slurm-tries", 0, "N",                                                    \
     "give a point up whose task ended N times while it ran; default 3",       \
     CLI_SLURM}
/* clang-format on */

#endif
