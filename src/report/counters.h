/* src/report/counters.h - every counter there is, without a machine. */
#ifndef REPORT_COUNTERS_H
#define REPORT_COUNTERS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "stats/stats.h"

enum { REPORT_BLOCKS = 17 };

/* The blocks in the order in which a request passes them; paths are those of
 * kinds, "sm[*].l1". */
void report_counter_blocks(stats_block out[REPORT_BLOCKS]);

/* Is it the whole name of one, no bin of a histogram? If not, and `near` is not
 * NULL, *near is the path of a block or the name of a counter like it, or NULL;
 * the caller frees it. */
bool report_counter_known(const char *name, char **near);

/* Is it the whole name of a histogram? */
bool report_histogram_known(const char *name);

/* path, unit and meaning, a line each. */
void report_counter_list(FILE *to);

/* The text of docs/stats.md. */
void report_counter_doc(strbuf *out);

#endif
