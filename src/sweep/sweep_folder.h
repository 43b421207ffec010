/* src/sweep/sweep_folder.h - the folder of a sweep: its points, which are
 * finished, and which process runs which. Several processes, on several
 * machines that share the folder, may use it at once; each may be killed at any
 * moment.
 *
 *   plan.yaml       a copy, for people
 *   points.txt      where the plan was, what {build} is, the points with
 *                   their ids in order, the plan
 *   results.db      finished points, merged
 *   points/ID.db    a point that passed, ID.bad one that failed: results files
 *                   with one run, not merged yet
 *   points/ID.tmp   being written
 *   points/ID.lock  a file lock is held by the process that runs the point
 *   logs/ID.txt     what it wrote, of points that failed
 *   lock            held while points.txt changes or points are merged
 *
 * Merging is optional: a point counts as finished as soon as its file has its
 * name, and its file goes only when results.db has it. */
#ifndef SWEEP_SWEEP_FOLDER_H
#define SWEEP_SWEEP_FOLDER_H

#include <stdbool.h>

#include "store/store.h"
#include "sweep/sweep_plan.h"

typedef enum sweep_state {
    SWEEP_LEFT,
    SWEEP_RUNNING, /* a process holds its lock */
    SWEEP_DONE,
    SWEEP_FAILED, /* it ran, and did not pass */
    SWEEP_STATES
} sweep_state;

const char *sweep_state_text(sweep_state s); /* "left" */

typedef struct sweep_folder sweep_folder;

/* Writes the plan, which has ids, into `dir`, which is made if it is not there.
 * What is finished stays. Borrows the plan. `build` as in sweep_plan_identify.
 * ST_IO, ST_CONFIG (something else is there). */
status sweep_folder_make(const char *dir, sweep_plan *p, const char *build,
                         diag *dg, sweep_folder **out);
/* Reads the folder as it is: the plan is read and expanded, the ids are those
 * that were written. Owns its plan. */
status sweep_folder_open(const char *dir, diag *dg, sweep_folder **out);
/* The same as if it had only one point, number 0 here; for the process that
 * runs it. */
status sweep_folder_open_point(const char *dir, const char *id, diag *dg,
                               sweep_folder **out);
void sweep_folder_close(sweep_folder *f); /* NULL is fine */

const char *sweep_folder_path(const sweep_folder *f); /* absolute */
const sweep_plan *sweep_folder_plan(const sweep_folder *f);
const char *sweep_folder_build(const sweep_folder *f);
/* Of its study in results.db: the same until the plan changes. */
const char *sweep_folder_uid(const sweep_folder *f);
/* True once the folder has another plan. */
bool sweep_folder_changed(const sweep_folder *f);

/* ---- States ---- */

/* Looks at all points; cheap enough to be called every few seconds. Locks are
 * looked at only if `locks`. */
status sweep_folder_scan(sweep_folder *f, bool locks, diag *dg);
/* As of the last scan or change. */
sweep_state sweep_folder_state(const sweep_folder *f, size_t point);
size_t sweep_folder_count(const sweep_folder *f, sweep_state s);

/* ---- Running ---- */

typedef enum sweep_claim {
    SWEEP_MINE,
    SWEEP_TAKEN,    /* another process runs it */
    SWEEP_FINISHED, /* another process has run it; its state is up to date */
    SWEEP_LOST      /* the folder cannot be written to: errno */
} sweep_claim;

/* Takes a point. SWEEP_MINE: *fd holds the lock, also in children that inherit
 * it, until all have closed it. */
sweep_claim sweep_folder_claim(sweep_folder *f, size_t point, int *fd);
/* Gives it back; its state is looked at. */
void sweep_folder_release(sweep_folder *f, size_t point, int fd);

/* Where the results of a point go while it runs; in `mem`. */
const char *sweep_folder_tmp(const sweep_folder *f, size_t point, arena *mem);
const char *sweep_folder_log(const sweep_folder *f, size_t point, arena *mem);
/* Where they are when it has passed, until they are merged. */
const char *sweep_folder_file(const sweep_folder *f, size_t point, arena *mem);
/* The file at sweep_folder_tmp is complete: it reaches the disk and gets its
 * name. Called by the holder of the lock. */
status sweep_folder_finish(sweep_folder *f, size_t point, bool passed,
                           diag *dg);

/* Points that failed are left again; their results are gone. */
status sweep_folder_forget_failed(sweep_folder *f, diag *dg);

/* ---- Merging ---- */

/* Brings finished points into results.db, in transactions of many, gives them
 * their places in the study, and removes their files. Returns ST_OK without
 * having done anything if another process does it and `wait` is false. */
status sweep_folder_merge(sweep_folder *f, bool wait, diag *dg);

/* What is merged, for reading; NULL: nothing is yet. The caller closes it. */
status sweep_folder_results(const sweep_folder *f, diag *dg, store **out);

#endif
