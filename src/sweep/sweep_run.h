/* src/sweep/sweep_run.h - the points of a sweep's folder run by child processes
 * of this one, several at once, each within the plan's limits. Other processes
 * may do the same in the same folder. One thread. */
#ifndef SWEEP_SWEEP_RUN_H
#define SWEEP_SWEEP_RUN_H

#include <signal.h>

#include "sweep/sweep_folder.h"

/* A point that runs. */
typedef struct sweep_child {
    size_t point;
    double seconds;  /* since it began */
    uint64_t memory; /* of its processes, if that is limited or wanted */
} sweep_child;

typedef struct sweep_now {
    size_t done, failed, left; /* of the folder, by the last scan */
    size_t here, elsewhere;    /* running: by us, by others */
    size_t finished;           /* by us, since we began */
    size_t cached;             /* of those that were finished: taken */
    double seconds;            /* since we began */
    const sweep_child *children;
    size_t child_count;
} sweep_now;

typedef struct sweep_run_options {
    unsigned jobs;
    bool merge; /* also bring results into results.db */
    /* The parent (Slurm) ends processes that take too much memory by SIGKILL:
     * such a point has not failed, and the run ends with ST_LIMIT. */
    bool leave_killed;
    const char *compiler; /* as in sweep_host */
    const volatile sig_atomic_t *stop;
    /* Only these points; NULL: all. */
    const size_t *points;
    size_t point_count;
    /* Results from elsewhere: false if there are none. NULL: not called. */
    bool (*get)(void *arg, const char *id, const char *to);
    void (*put)(void *arg, const char *id, const char *from);
    /* About ten times a second. */
    void (*progress)(void *arg, const sweep_now *now);
    /* A point ended; `why` NULL: it passed. */
    void (*ended)(void *arg, size_t point, const char *how, const char *why,
                  double seconds);
    void *arg;
} sweep_run_options;

/* Exit codes of a child (heddle sweep point). */
enum {
    SWEEP_CHILD_PASSED = 0,
    SWEEP_CHILD_FAILED = 1,  /* and that is written */
    SWEEP_CHILD_CHANGED = 3, /* the point is not what was planned */
    SWEEP_CHILD_IO = 74,     /* results could not be written */
    SWEEP_CHILD_STOPPED = 130,
};

/* ST_OK: all points are finished, also those that others had taken.
 * ST_INTERRUPTED: stopped; ST_IO, ST_CONFIG, ST_LIMIT: it made no sense to go
 * on, one error is in `dg`. */
status sweep_run(sweep_folder *f, const sweep_run_options *o, diag *dg);

#endif
