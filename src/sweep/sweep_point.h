/* src/sweep/sweep_point.h - one point of a sweep, run in this process; its
 * results go into the sweep's folder. */
#ifndef SWEEP_SWEEP_POINT_H
#define SWEEP_SWEEP_POINT_H

#include "sweep/sweep_folder.h"

/* What the command passes down, because the library does not have it.
 * Borrowed. */
typedef struct sweep_host {
    const char *driver;     /* of OpenCL, NULL: there is none */
    const char *const *env; /* of the loader, see suite_job */
    const char *tmp;        /* where folders for single runs are made */
    const char *compiler;   /* of Heddle, and the kind of build */
    const sigset_t *usual;  /* as in session_request */
    const volatile sig_atomic_t *stop;
} sweep_host;

/* Runs the point of that id and finishes it; its lock is held by the caller.
 * ST_OK: it ran, and *passed or not. ST_INTERRUPTED: nothing was written;
 * ST_CONFIG: it is not what it was when the sweep was planned; ST_IO. */
status sweep_point_run(const char *dir, const char *id, const sweep_host *h,
                       diag *dg, bool *passed);

/* Finishes a point that could not do it itself: as one that failed, with
 * `status` ("timeout", "memory", "crash") and why. `seconds` it took. */
status sweep_point_fail(sweep_folder *f, size_t point, const char *compiler,
                        const char *how, const char *why, int exit_code,
                        int number, double seconds, diag *dg);

#endif
