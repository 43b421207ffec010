/* src/stats/series.h - one counter of every block of a kind over the time of a
 * launch: what it counted from step to step. When there are more steps than
 * wanted, each two become one, so that a series has a bounded size however long
 * the launch is. Owns its tables. */
#ifndef STATS_SERIES_H
#define STATS_SERIES_H

#include "stats/stats.h"

enum { SERIES_STEPS = 256 }; /* never more */

typedef struct stats_series {
    size_t blocks;   /* 0: nothing was sampled */
    size_t count;    /* steps */
    uint64_t step;   /* cycles of each, at least; the last may have fewer */
    uint64_t *end;   /* of each step: cycle since the launch */
    uint64_t *value; /* step by step, of each block */
    /* The rest is of series.c. */
    size_t *number;    /* of the counter of each block */
    uint64_t *counted; /* what it had when the last sample was taken */
} stats_series;

/* The counters that match `pattern` count from here on; in steps of `step`
 * cycles for as long as there are few. What the series had is gone; a new one
 * is zeroed. */
void stats_series_begin(stats_series *s, const stats *reg, const char *pattern,
                        uint64_t step);
/* A sample at cycle `end` of the launch, behind all those before. */
void stats_series_add(stats_series *s, const stats *reg, uint64_t end);
/* As stats_series_add, with `blocks` values that the caller has. False: too
 * many steps. */
bool stats_series_put(stats_series *s, size_t blocks, uint64_t end,
                      const uint64_t *values);
void stats_series_fini(stats_series *s);

#endif
