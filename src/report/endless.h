/* src/report/endless.h - what the warps of a launch that did not end spun on,
 * in a report. */
#ifndef REPORT_ENDLESS_H
#define REPORT_ENDLESS_H

#include <stdio.h>

#include "exec/spins.h"
#include "text/json.h"

/* A paragraph, each line behind `indent`, or nothing. */
void spin_text(const exec_spins *s, const char *indent, FILE *to);
/* A member "spins" of the object that is open; nothing of none. */
void spin_json(json *j, const exec_spins *s);

#endif
