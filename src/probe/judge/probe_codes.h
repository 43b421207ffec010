/* src/probe/judge/probe_codes.h - the sweep over all control codes as a table:
 * codes that were found alike, and are published alike, in a row. */
#ifndef PROBE_JUDGE_PROBE_CODES_H
#define PROBE_JUDGE_PROBE_CODES_H

#include "config/config.h"
#include "probe/found.h"

enum { PROBE_CODES = 256 };

typedef struct probe_code_row {
    const char *codes;           /* "0x23 43 63 e3" */
    unsigned first, many;        /* the least of them; how many */
    double rate, rate_published; /* lanes in a cycle; NAN: unknown */
    double wait, wait_published; /* cycles of a dependent */
} probe_code_row;

/* Rows, by their first code; 0: codes were not looked at. */
size_t probe_code_rows(const probe_found *f, const config *cfg, arena *mem,
                       probe_code_row rows[PROBE_CODES]);

/* How much of the table follows: "throughput: 235 of 256 codes within 2 % of
 * what is published; not 0x2a ...". */
const char *probe_code_summary(const probe_found *f, const config *cfg,
                               arena *mem, const char *what);

#endif
