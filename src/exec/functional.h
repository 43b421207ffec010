/* src/exec/functional.h - runs a grid without timing: the functional mode, and
 * the reference that timed runs are compared with. Deterministic. */
#ifndef EXEC_FUNCTIONAL_H
#define EXEC_FUNCTIONAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "exec/exec.h"
#include "exec/spins.h"

struct exec_totals;

typedef struct exec_limits {
    uint64_t warp_instructions; /* of the grid, 0: no limit */
    uint64_t ctas;              /* in flight at most, 0: no limit */
    uint64_t first, last;       /* only CTAs from first to last - 1; last 0:
                                   to that of the grid */
    uint64_t look_first;        /* instructions before the first check for
                                   spinning */
    bool alone;                 /* nothing else writes to the memory, so
                                   spinning for ever is a hang */
    bool (*stop)(void *arg);    /* polled now and then; NULL: never stop */
    void *arg;
    /* Called now and then with the progress; NULL: not called. */
    void (*progress)(void *arg, const struct exec_totals *sofar);
    void *progress_arg;
    exec_watcher *watcher; /* NULL: none */
    const exec_seen *seen; /* likewise */
} exec_limits;

typedef struct exec_totals {
    uint64_t ctas;  /* that have ended */
    uint64_t warps; /* that have begun */
    uint64_t warp_instructions;
    uint64_t thread_instructions;  /* lanes whose guard was true */
    struct exec_inst_total *insts; /* NULL, or one for each instruction */
} exec_totals;

typedef struct exec_inst_total {
    uint64_t insts, lanes;
    uint64_t diverged; /* times it split the warp */
} exec_inst_total;

/* A grid in flight. */
typedef struct exec_grid exec_grid;

/* CTAs begin in order, x fastest, each when the one before has ended. One that
 * executes so many instructions that it may wait for another is set aside: the
 * next begin, as many as may be in flight, and those set aside have their turns
 * meanwhile. So a CTA that waits for another ends if it ends on a machine that
 * holds `limits->ctas` at once. The warps of a CTA take turns, too. `view`:
 * direct, see mem/view.h. `limits` and `totals` may be NULL. All is borrowed
 * until the grid is freed. */
exec_grid *exec_grid_new(const exec_launch *l, mem_view *view,
                         const exec_limits *limits, exec_fault *fault,
                         exec_totals *totals);
void exec_grid_free(exec_grid *g); /* NULL is fine */

/* Runs until the grid has ended (*ended), or may wait for another grid: no CTA
 * can begin, and each in flight has had a turn without ending. ST_FAULT and
 * ST_HANG (a deadlock) fill *fault, for an ST_HANG by spinning see
 * exec_grid_spins; ST_LIMIT, ST_INTERRUPTED, and ST_USAGE for a CTA
 * of no thread or more than 2048: then it is not to be called again. */
status exec_grid_run(exec_grid *g, bool *ended);

/* What its lanes were seen to spin on last, in warp instructions of the grid;
 * no places: on nothing. Until it runs on or is freed. */
const exec_spins *exec_grid_spins(const exec_grid *g);

/* All of it, alone. */
status exec_run_grid(const exec_launch *l, mem_view *view,
                     const exec_limits *limits, exec_fault *fault,
                     exec_totals *totals);

#endif
