/* src/cli/sweep_slurm.h - heddle sweep --slurm: submits the points of a sweep,
 * watches and merges. */
#ifndef CLI_SWEEP_SLURM_H
#define CLI_SWEEP_SLURM_H

#include "cli/cached.h"
#include "cli/cli.h"
#include "lab/slurm_sweep.h"

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
/* The exit code. *done: nobody runs points any more, and the results are
 * merged; the caller tells what the folder has. */
int sweep_slurm_run(sweep_slurm *x, sweep_folder *f, bool *done);

/* Rows of cli_command.options. */
#define SLURM_OPTIONS                                                          \
    {"slurm", 0, NULL,                                                         \
     "run the points as job arrays of Slurm; submits again what nodes lose"},  \
        {"slurm-write", 0, NULL, "only write the scripts of --slurm"},         \
        {"no-wait", 0, NULL,                                                   \
         "--slurm: submit, and let a last job merge the results"},             \
        {"array", 0, "N",                                                      \
         "--slurm: at most N tasks; default is what it "                       \
         "allows"},                                                            \
        {"slurm-partition", 0, "NAME", "--slurm: partition of the jobs"},      \
        {"slurm-time", 0, "TIME", "--slurm: time limit of a task, 1:30:00"},   \
        {"slurm-mem", 0, "SIZE", "--slurm: memory of a task, 4G"},             \
        {"slurm-option", 0, "OPTION",                                          \
         "--slurm: any other option of sbatch, such as --qos=low; "            \
         "repeatable"},                                                        \
    {                                                                          \
        "slurm-tries", 0, "N",                                                 \
            "--slurm: give a point up whose task ended N times while it "      \
            "ran; default 3"                                                   \
    }

#endif
