/* src/suite/suite_report.h - what came out of a suite, as a table for people,
 * as JSON or CSV. */
#ifndef SUITE_SUITE_REPORT_H
#define SUITE_SUITE_REPORT_H

#include <stdio.h>

#include "suite/suite_run.h"

typedef struct suite_report {
    const suite *suite;
    const char *size;
    const char *const *gpus; /* names */
    size_t gpu_count;
    const suite_result *results; /* of programs that were chosen */
    size_t count;
    double seconds; /* of the host, all together */
} suite_report;

/* The table: its head, a line for each result, with remarks where needed, the
 * sums. */
void suite_report_head(const suite_report *r, FILE *to);
void suite_report_row(const suite_report *r, const suite_result *x, FILE *to);
void suite_report_sum(const suite_report *r, FILE *to);

/* The lines of a tail, each behind `indent` and a bar. */
void suite_report_tail(const char *tail, const char *indent, FILE *to);
/* Of suite_result.outside; NULL: nothing. */
void suite_report_outside(const char *lines, FILE *to);

void suite_report_json(const suite_report *r, FILE *to);
void suite_report_csv(const suite_report *r, FILE *to);

/* Programs of the suite, without running them. */
void suite_report_list(const suite *s, const suite_program *const *chosen,
                       size_t count, FILE *to);

#endif
