/* src/slurm/slurm_sweep.h - a sweep as job arrays of Slurm. The state is in the
 * folder `slurm` of the sweep's folder, so that the process that watches may be
 * killed at any moment and another may go on:
 *
 *   array-N.points  of the Nth array: its number of tasks T; ids of its points,
 *                   a line each, of which task k runs k, k + T, ... from 0
 *   array-N.sh      its script
 *   array-N.job     number that Slurm gave it
 *   logs/           what the tasks wrote
 *   token           compared by tasks, to make sure that they see this folder
 *   lock            held by the process that watches
 *
 * Points of tasks that ended without having run them go into the next array.
 * Not thread-safe; borrows the folder and the options. */
#ifndef SLURM_SLURM_SWEEP_H
#define SLURM_SLURM_SWEEP_H

#include "slurm/slurm.h"
#include "sweep/sweep_folder.h"

typedef struct slurm_options {
    const char *heddle; /* path of this command on the nodes */
    const char *partition, *time, *memory; /* NULL: Slurm's */
    const char *const *options;            /* more of sbatch's */
    size_t option_count;
    unsigned tasks;     /* of an array at most; 0: as many as Slurm allows */
    unsigned tries;     /* of a point, whose tasks end while it runs */
    const char *worker; /* an option of the tasks' command; NULL: none */
    /* What happened, one line without an end. */
    void (*say)(void *arg, const char *line);
    void *arg;
} slurm_options;

typedef struct slurm_sweep slurm_sweep;

/* Reads the folder. ST_CONFIG: another process watches, or Slurm cannot handle
 * such a path. */
status slurm_sweep_open(sweep_folder *f, const slurm_options *o, diag *dg,
                        slurm_sweep **out);
void slurm_sweep_close(slurm_sweep *s); /* NULL is fine */

/* Queries Slurm for the states of the tasks. Then, and whenever points may be
 * finished, slurm_sweep_account finds the points that no task runs any more;
 * the folder was scanned with locks before. `now_s` is any clock that goes on.
 * ST_IO, ST_PROGRAM: it makes no sense to go on. */
status slurm_sweep_look(slurm_sweep *s, diag *dg);
status slurm_sweep_account(slurm_sweep *s, double now_s, diag *dg);
/* For tests: states of tasks as if from Slurm. */
void slurm_sweep_update(slurm_sweep *s, const slurm_task *tasks, size_t count);

/* Writes the next array with all points that are to be submitted; the path of
 * its script lives as long as `s`. */
status slurm_sweep_write(slurm_sweep *s, diag *dg, const char **script);
/* Submits what was written last. If it is refused, its points are still to be
 * submitted. */
status slurm_sweep_submit(slurm_sweep *s, diag *dg);
/* Writes and submits a job that merges the sweep when all others have ended. */
status slurm_sweep_merge_job(slurm_sweep *s, diag *dg);
/* All jobs. */
void slurm_sweep_cancel(slurm_sweep *s);

typedef struct slurm_sums {
    size_t left; /* points to be submitted */
    size_t held; /* points that tasks have which wait or run */
    size_t given_up, cancelled;
    size_t waiting, running; /* tasks */
    const char *why;         /* what tasks wait for, NULL: none waits */
    size_t resubmitted;
    size_t causes[SLURM_STATES]; /* of that */
} slurm_sums;
slurm_sums slurm_sweep_sums(const slurm_sweep *s);

/* Numbers of jobs that may be alive, "12 13" if they are to be separated by a
 * space. */
void slurm_sweep_jobs(const slurm_sweep *s, char separator, strbuf *to);

#endif
