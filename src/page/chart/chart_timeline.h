/* src/page/chart/chart_timeline.h - what happened when: a lane for each stream,
 * with a bar for all that took time there, over the use of the SMs. Readable as
 * it is; src/page/timeline.js zooms. Plain data. */
#ifndef PAGE_CHART_CHART_TIMELINE_H
#define PAGE_CHART_CHART_TIMELINE_H

#include "page/chart/chart.h"
#include "page/chart/lanes.h"

typedef struct timeline_lane {
    const char *name;
    bool use;  /* steps, no bars */
    bool thin; /* bars are low, without names */
} timeline_lane;

/* What bars are of. */
typedef struct timeline_what {
    const char *name;  /* "saxpy", "copy, host to device" */
    const char *about; /* "grid 8x1x1, block 256x1x1"; "": nothing */
    const char *unit;  /* of the bars' values: "cycles", "B"; "": they have
                          none */
    const char *place; /* where a launch without a row leads; NULL: nowhere */
    unsigned colour;
} timeline_what;

/* A flag of bars, in words. */
enum { TIMELINE_FLAGS = 3 };

typedef struct timeline_view {
    chart_title is;
    uint64_t end; /* ns; from 0 */
    const timeline_lane *lanes;
    size_t lane_count;
    const timeline_what *whats;
    size_t what_count;
    lanes_bar *bars; /* sorted, packed and merged here */
    size_t bar_count;
    lanes_step *steps; /* likewise */
    size_t step_count;
    const char *flags[TIMELINE_FLAGS]; /* "failed" of bit 0, ... */
    const char *place; /* launch 3 is at #<place>3, up to `placed` */
    uint64_t placed;
    /* The legend. */
    const char *const *keys;
    const unsigned *key_colours;
    size_t key_count;
} timeline_view;

/* Behind it stands what page_table to page_table_end makes, then chart_end. */
void chart_timeline(page *p, const timeline_view *v);

#endif
