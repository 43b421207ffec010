/* src/sweep/sweep_show.h - what a sweep's plan and folder have, as text, JSON
 * or CSV (a FORMAT_ of text/output.h). */
#ifndef SWEEP_SWEEP_SHOW_H
#define SWEEP_SWEEP_SHOW_H

#include <stdio.h>

#include "sweep/sweep_folder.h"

/* Counts and failures by cause. */
status sweep_show_status(const sweep_folder *f, int format, diag *dg, FILE *to);
/* Points with their ids, factors and states; `f` NULL: without states. */
void sweep_show_list(const sweep_plan *p, const sweep_folder *f, int format,
                     FILE *to);
/* The line that runs each point that is left. */
void sweep_show_commands(const sweep_folder *f, FILE *to);

#endif
