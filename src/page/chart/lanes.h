/* src/page/chart/lanes.h - where the bars of a timeline lie: those of a lane
 * that overlap come below each other, and neighbours that are too short to be
 * told apart become one mark that says how many it stands for. Times are
 * nanoseconds of any size. Plain data. */
#ifndef PAGE_CHART_LANES_H
#define PAGE_CHART_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lanes_bar {
    uint64_t begin, end; /* not before it; equal: it took no time */
    unsigned lane;       /* from 0 */
    unsigned row;        /* of the lane: lanes_pack says which */
    unsigned what;       /* of several: of the longest */
    unsigned flags;      /* of several: those of any */
    uint64_t value;      /* of several: their sum, at most UINT64_MAX */
    uint64_t number;     /* of a launch, from 1; 0: it is none */
    unsigned part;       /* of the launch, from 1; 0: it is all of it */
    uint64_t last;       /* of several: the last number */
    uint64_t count;      /* of bars that it stands for: 1 */
    uint64_t busy;       /* of several: their times, summed, */
    uint64_t longest;    /* and the longest one */
    bool mixed;          /* of several: what they are differs */
} lanes_bar;

/* A bar of its own, in row 0. */
lanes_bar lanes_one(uint64_t begin, uint64_t end, unsigned lane, unsigned what);

enum { LANES_ROWS = 8 }; /* of a lane, at most */

/* Sorts bars by lane, row and time, and gives those of a lane that overlap
 * rows of their own, as few as do; `rows` gets how many each lane has, 1 at
 * least. What overlaps more than LANES_ROWS lies over each other. */
void lanes_pack(lanes_bar *bar, size_t n, unsigned *rows, size_t lanes);

/* Packed bars shorter than `pixel` become one with those of their row that are,
 * too, and less than that apart. Returns how many are left; in place. */
size_t lanes_merge(lanes_bar *bar, size_t n, uint64_t pixel);

/* Merges no more than it takes to have at most `most` bars, if that can be;
 * returns how many are left. */
size_t lanes_thin(lanes_bar *bar, size_t n, size_t most);

/* ---- Shares over time ---- */

typedef struct lanes_step { /* means over a time */
    uint64_t begin, end;    /* after it */
    unsigned lane;
    double sms, warps; /* shares */
} lanes_step;

/* Sorts by lane and time, and joins neighbours so that at most `most` are left,
 * if that can be; their means stay. Returns how many are left. */
size_t lanes_join(lanes_step *step, size_t n, size_t most);

/* Means over equal columns from 0 to `end`; where nothing is known of a lane,
 * 0. `sms` and `warps` have `columns` zeroed places. */
void lanes_means(const lanes_step *step, size_t n, unsigned lane, uint64_t end,
                 size_t columns, double *sms, double *warps);

#endif
