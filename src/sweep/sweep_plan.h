/* src/sweep/sweep_plan.h - a plan of a sweep: machines and workloads, all of
 * them written down before anything runs. docs/sweep.md describes the file. A
 * point is one workload on one machine; points are numbered from 0 in an order
 * that only the plan decides: GPUs, then the axes, of which the last goes
 * fastest, then workloads. Plain data in one arena. */
#ifndef SWEEP_SWEEP_PLAN_H
#define SWEEP_SWEEP_PLAN_H

#include <stdint.h>

#include "base/strbuf.h"
#include "config/sheet.h"
#include "config/yml.h"
#include "explore/explore.h"
#include "study/measure.h"
#include "study/point_id.h"

#define SWEEP_NONE SIZE_MAX

/* ---- What the file says ---- */

typedef struct sweep_set {
    const config_param *param;
    const char *assignment; /* "l1.sets=64" */
    const char *value;      /* "64" */
} sweep_set;

typedef struct sweep_sets {
    sweep_set *set;
    size_t count;
} sweep_sets;

typedef struct sweep_value {
    const char *label; /* "64", or the name of a variant */
    sweep_sets sets;
    yml_place at;
} sweep_value;

typedef struct sweep_axis {
    const char *name;          /* of its parameter, or one of its own */
    const config_param *param; /* NULL: its values are variants with names */
    sweep_value *values;
    size_t count;
    size_t group; /* axes of the same one go together, value by value */
    size_t base;  /* value that speed-ups refer to; SWEEP_NONE: the point's */
    yml_place at;
} sweep_axis;

typedef struct sweep_gpu {
    const char *name;    /* as written */
    const char *from;    /* preset, or path of a file */
    config_sheet *sheet; /* with what the plan sets for all */
    yml_place at;
} sweep_gpu;

typedef struct sweep_workload {
    workload is;         /* its label is its name in the plan */
    const char **inputs; /* files besides those of its command */
    size_t input_count;
    point_hash content;  /* made by sweep_plan_identify */
    const char *missing; /* a file that it needs; NULL: none */
    yml_place at;
} sweep_workload;

/* What is to be shown of the results; 0 or NULL: the default of the command. */
typedef struct sweep_measures {
    const char *part; /* of the energy */
    explore_front *fronts;
    size_t front_count;
    bool effects;                /* of values and pairs of them, with bands */
    bool crossover;              /* crossovers are wanted */
    const char *along, *between; /* names of axes */
    double level, fade;
} sweep_measures;

typedef struct sweep_limits {
    unsigned time_s; /* of a point, 0: none */
    uint64_t memory; /* bytes of all its processes, 0: none */
} sweep_limits;

/* A machine: a GPU and a value of each axis. */
typedef struct sweep_machine {
    size_t gpu;
    uint64_t combination; /* of values; see sweep_plan_value */
    point_hash content;   /* of its configuration */
} sweep_machine;

typedef struct sweep_point {
    size_t machine, workload;
    char id[POINT_ID_SIZE]; /* "" before sweep_plan_identify */
} sweep_point;

struct sweep_filter;

typedef struct sweep_plan {
    arena *mem;
    const char *path, *folder; /* folder: absolute; relative paths start here */
    const char *text;          /* of the whole file */
    size_t text_size;
    const char *name, *about;
    sweep_gpu *gpus;
    size_t gpu_count;
    sweep_sets set; /* of all machines */
    sweep_axis *axes;
    size_t axis_count;
    size_t group_count;
    size_t base_gpu; /* as the base of an axis */
    sweep_workload *workloads;
    size_t workload_count;
    suite **suites; /* that workloads are of */
    size_t suite_count;
    struct sweep_filter *filters;
    sweep_limits limits;
    session_setup setup; /* what is the same for all points */
    uint64_t keep_stats; /* launches of a run whose own counters are kept */
    bool skip_invalid;
    sweep_measures measures;

    /* Made by sweep_plan_expand, or by sweep_plan_add. */
    sweep_machine *machines;
    size_t machine_count, machine_room;
    sweep_point *points;
    size_t count, point_room;
    size_t filtered; /* points that filters leave out */
    size_t invalid;  /* points whose machine cannot be, and are left out */
} sweep_plan;

/* Reads `path`. On ST_OK the caller frees *out; otherwise every error, with its
 * place, is in `dg`. Expands nothing. */
status sweep_plan_read(const char *path, diag *dg, sweep_plan **out);
/* The same of a text; relative paths start at `folder`. */
status sweep_plan_read_text(const char *path, const char *folder,
                            const char *text, size_t size, diag *dg,
                            sweep_plan **out);
void sweep_plan_free(sweep_plan *p); /* NULL is fine */

/* Makes machines and points. ST_CONFIG: machines that cannot be, with the
 * assignments that make them, are in `dg`; or there are no points, or too
 * many. */
status sweep_plan_expand(sweep_plan *p, diag *dg);

/* ---- Machine by machine, in place of expanding all (sweep_search.h) ---- */

/* How many values the axes of a group have: they go together. */
size_t sweep_plan_group(const sweep_plan *p, size_t group);
/* The combination of these values of each group. */
uint64_t sweep_plan_combination(const sweep_plan *p, const size_t *values);
/* Do the filters let it in with all workloads, and does it break no rule? */
bool sweep_plan_allows(const sweep_plan *p, sweep_machine m, diag *scratch);
/* Adds its points, behind all others. */
void sweep_plan_add(sweep_plan *p, sweep_machine m);

/* Reads what the points are made of and gives them their ids. `build` is what
 * {build} stands for, `driver` the path of the OpenCL driver, which may be NULL
 * if no workload is a program. ST_CONFIG: something is missing. */
status sweep_plan_identify(sweep_plan *p, const char *build, const char *driver,
                           diag *dg);
/* Is a workload a program, which needs the driver? */
bool sweep_plan_programs(const sweep_plan *p);

/* The same of one point, for the process that runs it. */
status sweep_plan_identify_one(sweep_plan *p, size_t point, const char *build,
                               const char *driver, diag *dg);

/* ---- Of a point ---- */

/* The value of an axis on a machine: an index of its values. */
size_t sweep_plan_value(const sweep_plan *p, const sweep_machine *m,
                        size_t axis);
/* The GPU with all that the plan and the axes set; the caller frees it. */
config_sheet *sweep_plan_sheet(const sweep_plan *p, const sweep_machine *m);

/* Factors of a point: "workload", "gpu", "size" if the plan has several, and
 * the axes. At most 3 + axis_count are filled in; their number. */
typedef struct sweep_factor {
    const char *name, *value;
} sweep_factor;
size_t sweep_plan_factors(const sweep_plan *p, size_t point, sweep_factor *out);

/* "gtx480 l1.sets=64 sgemm", for people: appended, or in the plan's arena. */
void sweep_plan_put_point(const sweep_plan *p, size_t point, strbuf *to);
const char *sweep_plan_label(const sweep_plan *p, size_t point);

#endif
