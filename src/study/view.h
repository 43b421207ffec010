/* src/study/view.h - figures of a comparison besides speed: values computed
 * from counters, some of which are parts of a whole. Parts are shown as shares
 * of the whole of the base, so that sides can be compared. Plain data. */
#ifndef STUDY_VIEW_H
#define STUDY_VIEW_H

#include <stddef.h>

#include "base/arena.h"

enum { VIEW_ITEMS = 24 };

typedef enum view_kind {
    VIEW_PART,   /* of the whole */
    VIEW_BESIDE, /* a share of the base's whole, too, but no part of it */
    VIEW_FIGURE, /* shown as it is */
} view_kind;

typedef struct view_item {
    view_kind kind;
    const char *name;    /* at most 8 letters */
    const char *formula; /* see study/formula.h; over names as below */
    const char *help;    /* NULL: none */
} view_item;

typedef struct view {
    const char *title;           /* what the whole is */
    view_item items[VIEW_ITEMS]; /* a name NULL at the end if there are fewer;
                                    parts, then those beside, then figures */
    const char *note;            /* what to set beside them; NULL: nothing */
} view;

/* What a name in a formula stands for. */
typedef enum view_name {
    VIEW_COUNTER,
    VIEW_MEAN, /* "mean(H)": of a histogram, each bin with its least value */
    VIEW_JAIN, /* "jain(H)": Jain's index of its bins that are not empty: 1 if
                  all have as much, 1 / n if one of n has nearly all */
    VIEW_BASE, /* "base(x)": x of the base; a counter, an energy, a parameter */
    VIEW_ENERGY, /* "energy.front_end": fJ, see energy_sum_fj() */
    VIEW_PARAM,  /* "gpu.cluster.size": of the side's first GPU */
} view_name;

/* *of is the name of what it is of, in the arena or `name` itself. */
view_name view_name_of(const char *name, arena *mem, const char **of);

size_t view_count(const view *v);
size_t view_count_of(const view *v, view_kind kind);
/* The first of a kind; those of a kind follow each other. */
size_t view_first(const view *v, view_kind kind);

#endif
