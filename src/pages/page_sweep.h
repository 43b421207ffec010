/* src/pages/page_sweep.h - a design space as a page for people. */
#ifndef PAGES_PAGE_SWEEP_H
#define PAGES_PAGE_SWEEP_H

#include "explore/explore.h"
#include "pages/page_run.h"
#include "sweep/sweep_plan.h"

/* Appends to `p`. `planned`: what points there should be; NULL: those of the
 * file. ST_IO, ST_USAGE: errors are in y->dg. */
status page_sweep(page *p, const page_study *y, const sweep_plan *planned);

/* ---- For the files of this folder ---- */

/* "latency=20 ways=4" */
const char *page_sweep_label(const explore *e, size_t config);
/* Cells: its value on each axis that varies. */
void page_sweep_values(page *p, const explore *e, const explore_config *c);
void page_sweep_fronts(page *p, const explore *e);
void page_sweep_tables(page *p, const explore *e);

#endif
