/* src/report/counters.h - every counter there is, without a machine. */
#ifndef REPORT_COUNTERS_H
#define REPORT_COUNTERS_H

#include <stdio.h>

#include "base/strbuf.h"

/* path, unit and meaning, a line each. */
void report_counter_list(FILE *to);

/* The text of docs/stats.md. */
void report_counter_doc(strbuf *out);

#endif
