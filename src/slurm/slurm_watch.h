/* src/slurm/slurm_watch.h - goes on with a sweep on a cluster until its points
 * have ended: asks Slurm, submits again what nodes lost, merges now and then.
 */
#ifndef SLURM_SLURM_WATCH_H
#define SLURM_SLURM_WATCH_H

#include <signal.h>

#include "slurm/slurm_sweep.h"

typedef struct slurm_watch {
    sweep_folder *folder;
    slurm_sweep *slurm;
    const volatile sig_atomic_t *stop; /* not 0: go on no more */
    /* Something happened, one line without an end. */
    void (*say)(void *arg, const char *line);
    /* How it stands, once a second; `silent`: Slurm does not answer. */
    void (*show)(void *arg, const slurm_sums *sums, bool silent, double now_s);
    void *arg; /* of both */
} slurm_watch;

/* Writes the next array and submits it. */
status slurm_watch_submit(slurm_sweep *s, diag *dg);

/* Until nobody is left who could run a point. ST_INTERRUPTED: `stop`. */
status slurm_watch_run(const slurm_watch *is, diag *dg);

#endif
