/* src/sweep/sweep_impl.h - what the files that read plans share. */
#ifndef SWEEP_SWEEP_IMPL_H
#define SWEEP_SWEEP_IMPL_H

#include "base/map.h"
#include "config/yml_reader.h"
#include "sweep/sweep_plan.h"

typedef struct sweep_reader {
    yml_reader y;
    sweep_plan *p;
    config scratch; /* where values are tried */
    strmap *seen;   /* labels of the axis that is read */
} sweep_reader;

/* A text that is not empty; NULL after an error. */
const char *sweep_text(sweep_reader *r, const yml_node *n, const char *what);
/* A number, with K, M, G or T behind it if `bytes`. */
bool sweep_number(sweep_reader *r, const yml_node *n, bool bytes,
                  uint64_t least, uint64_t most, uint64_t *to);
/* true or false */
void sweep_flag(sweep_reader *r, const yml_node *n, bool *to);
/* Relative ones start at the plan's folder. */
const char *sweep_path(sweep_reader *r, const char *path);

/* Members `path: value` of a mapping. `what` names it in messages. */
void sweep_read_sets(sweep_reader *r, const yml_node *n, const char *what,
                     sweep_sets *to);

/* sweep_axes.c: `axes`, `zip`, `base`; the nodes may be NULL. */
void sweep_read_axes(sweep_reader *r, const yml_node *axes, const yml_node *zip,
                     const yml_node *base);
/* sweep_workloads.c */
void sweep_read_workloads(sweep_reader *r, const yml_node *n);

/* sweep_measures.c, after the axes */
void sweep_read_measures(sweep_reader *r, const yml_node *n);

/* sweep_filter.c: conditions, read after axes and workloads. */
typedef struct sweep_filter sweep_filter;
void sweep_read_filter(sweep_reader *r, const yml_node *n, bool except);
/* True if the point is in the plan. Conditions that are the same for all
 * workloads of a machine are looked at only once, with `of` SWEEP_NONE;
 * otherwise only the others are. */
bool sweep_filter_keeps(const sweep_plan *p, const sweep_machine *m,
                        const config *cfg, size_t of);

#endif
