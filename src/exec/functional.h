/* src/exec/functional.h - runs a grid without timing: the functional mode, and
 * the reference that timed runs are compared with. Borrows all it is given,
 * owns nothing between calls. Deterministic. */
#ifndef EXEC_FUNCTIONAL_H
#define EXEC_FUNCTIONAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "exec/exec.h"

struct exec_totals;

typedef struct exec_limits {
    uint64_t warp_instructions; /* of the grid, 0: no limit */
    bool (*stop)(void *arg);    /* asked now and then; NULL: never stop */
    void *arg;
    /* Told every now and then how far it is; NULL: nobody wants to know. */
    void (*progress)(void *arg, const struct exec_totals *sofar);
    void *progress_arg;
} exec_limits;

typedef struct exec_totals {
    uint64_t ctas, warps;
    uint64_t warp_instructions;
    uint64_t thread_instructions;  /* lanes whose guard was true */
    struct exec_inst_total *insts; /* NULL, or one for each instruction */
} exec_totals;

typedef struct exec_inst_total {
    uint64_t insts, lanes;
    uint64_t diverged; /* times it split the warp */
} exec_inst_total;

/* CTAs one after the other, x fastest; the warps of a CTA in turn.
 * `view`: direct, see mem/view.h. `limits` and `totals` may be NULL.
 * ST_FAULT and ST_HANG (a deadlock) fill *fault; ST_LIMIT, ST_INTERRUPTED,
 * ST_NOMEM, and ST_USAGE for a CTA of no thread or more than 2048. */
status exec_run_grid(const exec_launch *l, mem_view *view,
                     const exec_limits *limits, exec_fault *fault,
                     exec_totals *totals);

#endif
