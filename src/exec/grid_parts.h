/* src/exec/grid_parts.h - the CTAs of a grid on several host threads: each
 * takes some of them, in order, until none is left. Only for grids whose CTAs
 * cannot tell in which order they run, as long as none reads what another
 * writes: then memory, counts and messages are those of one thread. Owns what
 * the threads have, borrows the grid. */
#ifndef EXEC_GRID_PARTS_H
#define EXEC_GRID_PARTS_H

#include "exec/functional.h"

typedef struct exec_parts exec_parts;

/* For `n` threads and a grid that has not begun. NULL: its CTAs run in order,
 * on one; because of what its code does, because somebody looks on, or as there
 * is a limit to its instructions. */
exec_parts *exec_parts_new(exec_grid *g, unsigned n);

/* What thread i < n does; once for each, at any time. */
void exec_parts_work(exec_parts *p, unsigned i);

/* All have returned: what came of it goes to the grid, and is as exec_grid_run
 * says. What has not ended, with ST_OK, goes on there. Frees `p`. */
status exec_parts_end(exec_parts *p);

#endif
