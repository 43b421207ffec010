/* src/report/counters.h - every counter there is, without a machine. */
#ifndef REPORT_COUNTERS_H
#define REPORT_COUNTERS_H

#include <stdio.h>

#include "base/strbuf.h"
#include "stats/stats.h"

enum { REPORT_BLOCKS = 8 };

/* The blocks in the order in which a request passes them; paths are those of
 * kinds, "sm[*].l1". */
void report_counter_blocks(stats_block out[REPORT_BLOCKS]);

/* path, unit and meaning, a line each. */
void report_counter_list(FILE *to);

/* The text of docs/stats.md. */
void report_counter_doc(strbuf *out);

#endif
