/* src/report/storage.h - what the structures of machines cost (cost/cost.h), of
 * one or several beside each other, as text, JSON or CSV. Plain data filled by
 * the caller, borrowed while it is written. */
#ifndef REPORT_STORAGE_H
#define REPORT_STORAGE_H

#include <stdio.h>

#include "cost/cost.h"

enum { REPORT_AXES = 2 };

/* "l1.ways=2,4,8" */
typedef struct report_axis {
    char *path;
    char **values;
    unsigned count;
} report_axis;

typedef struct report_machine {
    const char *gpu;
    const char *value[REPORT_AXES]; /* NULL: no such axis */
    char *wrong; /* why it cannot be simulated, NULL: it can */
    cost_item item[COST_STRUCTURES];
    cost_sum sum;
} report_machine;

typedef struct report_storage {
    unsigned gpu_count;
    report_axis axes[REPORT_AXES];
    unsigned axis_count;
    bool wanted[COST_STRUCTURES], some; /* only these; some: any is wanted */
    report_machine
        *machines; /* GPUs, values of the first axis, of the second */
    size_t count;
} report_storage;

/* Sums over a chip. */
typedef enum storage_total {
    STORAGE_CONTROL,
    STORAGE_DATA,
    STORAGE_ALL,
    STORAGE_COMPARED,
    STORAGE_TOTALS
} storage_total;

uint64_t report_storage_total(const report_machine *p, storage_total t);
/* Of all instances of a structure. */
uint64_t report_storage_bits(const report_machine *p, size_t i);

void report_storage_text(const report_storage *x, FILE *to);
void report_storage_json(const report_storage *x, FILE *to);
void report_storage_csv(const report_storage *x, FILE *to);

#endif
