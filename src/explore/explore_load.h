/* src/explore/explore_load.h - the points of studies in a results file. */
#ifndef EXPLORE_EXPLORE_LOAD_H
#define EXPLORE_EXPLORE_LOAD_H

#include "explore/explore.h"
#include "store/store.h"

typedef struct explore_study {
    int64_t study;
    const char *uid, *kind, *name, *about, *command, *created;
    const char *plan; /* of a sweep: the whole file; or NULL */
    size_t points;
} explore_study;

typedef struct explore_source {
    /* Numbers, names or beginnings of uids of the studies to join; none: the
     * only sweep or comparison of the file. */
    const char *const *studies;
    size_t study_count;
    /* Figures: NAME=FORMULA or FORMULA. */
    const char *const *show;
    size_t show_count;
    /* Part of the energy; NULL: what the plan of the first study names. */
    const char *part;
} explore_source;

/* Not finished yet; lives in `mem`. `studies` are those that were taken. A
 * factor that a study does not vary is filled in from the configurations of its
 * runs, if another varies it. ST_USAGE: no such study, or a wrong figure;
 * ST_IO: the file is damaged; one error is in `dg`. */
status explore_load(store *s, arena *mem, const explore_source *from, diag *dg,
                    explore **out, explore_study **studies, size_t *count);

#endif
