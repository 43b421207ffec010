/* src/compare/diff.h - any two results side by side: runs of results files,
 * JSON that other commands wrote, runs that just ended. Each is a side;
 * workloads of the same name are compared (compare.h), with sides that differ
 * in everything. Plain data in an arena that the caller owns. */
#ifndef COMPARE_DIFF_H
#define COMPARE_DIFF_H

#include "compare/compare.h"

typedef struct diff_entry {
    const char *name, *size; /* of the workload; size NULL: none */
    measure_run run;         /* its texts live as long as the arena */
} diff_entry;

typedef struct diff_side {
    const char *from;    /* the word that named it: "old.db:3" */
    const char *label;   /* NULL: diff_join makes one */
    const char *gpu;     /* as it was asked for */
    const char *side;    /* of a comparison; NULL: none, or several */
    const char *version; /* of Heddle; NULL: this one */
    const config *cfg;
    bool guessed; /* the configuration is that of the preset of that name, not
                     what was simulated */
    diff_entry *entries;
    size_t count;
} diff_side;

/* Does the word name a results file or JSON, with a choice or not? A word that
 * only looks so, "none.db", does. */
bool diff_is_result(const char *word);

/* FILE, FILE:RUN or FILE:NAME=VALUE,... Names: run, study, workload, size,
 * side, gpu, status and what was varied, as l1.ways. ST_USAGE: the choice is
 * wrong or leaves several runs of a workload; ST_IO, ST_CONFIG: the file is not
 * there, damaged or something else: one error is in `dg`. */
status diff_load(const char *word, arena *mem, diag *dg, diff_side *out);

/* Sides against the first one; labels are made where there are none. *out is
 * finished. ST_MISMATCH: nothing is in common; the error is in `dg`. */
status diff_join(diff_side *sides, size_t count, arena *mem, diag *dg,
                 compare *out);

/* ---- For the files of this folder ---- */

/* JSON of `heddle run` or `heddle exec` (diff_json.c). */
status diff_load_json(const char *path, const char *text, size_t size,
                      arena *mem, diag *dg, diff_side *out);

/* The end of a path. */
const char *diff_base_name(const char *path);

#endif
