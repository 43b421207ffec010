/* src/explore/explore_text.h - what an exploration says, for people (as wide as
 * it says), as JSON and as CSV. */
#ifndef EXPLORE_EXPLORE_TEXT_H
#define EXPLORE_EXPLORE_TEXT_H

#include <stdio.h>

#include "base/strbuf.h"
#include "explore/explore.h"
#include "explore/explore_load.h"

typedef struct explore_view {
    const explore_study *studies; /* for the heading */
    size_t study_count;
    const explore_order *order;  /* NULL: by number if all rows are shown, else
                                    by speed-up */
    const explore_limit *limits; /* of the configurations that are shown */
    size_t limit_count;
    size_t rows;      /* of each table at most; 0: all */
    bool by_workload; /* fronts of each workload, too */
    bool plots;
} explore_view;

void explore_text(const explore *e, const explore_view *v, FILE *to);
void explore_json(const explore *e, const explore_view *v, FILE *to);
/* A line for each configuration that is shown and workload. */
void explore_csv(const explore *e, const explore_view *v, FILE *to);
/* A line for each effect of a value or of two together. */
void explore_contrasts_csv(const explore *e, FILE *to);

/* ---- Parts of it ---- */

unsigned explore_width(const explore *e); /* columns */

/* Configurations within the limits, in order; `unknown`: how many were left out
 * because a figure is unknown. */
size_t *explore_shown(const explore *e, const explore_view *v, size_t *count,
                      size_t *unknown);
/* "sets=64 sched=gto", of the axes that vary but for two (EXPLORE_NONE);
 * "-" if there are none. In the arena. */
const char *explore_label(const explore *e, const explore_config *c, size_t but,
                          size_t and_but);
/* "1.234 x", "-" */
const char *explore_times(const explore *e, double ratio);

void explore_fronts_text(const explore *e, const explore_view *v, FILE *to);
void explore_effects_text(const explore *e, const explore_view *v, FILE *to);
void explore_contrasts_text(const explore *e, const explore_view *v, FILE *to);
/* "crosses at 91.3 in [64, 128], up", or how near it comes. */
void explore_cross_put(const explore *e, const explore_cross *c, strbuf *out);
void explore_crosses_text(const explore *e, FILE *to);

#endif
