/* src/probe/groups.h - loops of Kepler's groups of seven instructions, some of
 * which issue in pairs. */
#ifndef PROBE_GROUPS_H
#define PROBE_GROUPS_H

#include "probe/loop.h"

enum {
    GROUP_SIZE = 7,   /* instructions behind a control word */
    GROUP_BLOCKS = 85 /* in a loop [PPOPP:method] */
};

/* Codes that were found, else those published [PPOPP:control-codes]. */
unsigned probe_code_pair(const probe_run *r);
unsigned probe_code_second(const probe_run *r);

typedef struct probe_groups {
    const char *order;         /* "1221": FFMAs that issue alone, in pairs */
    unsigned before;           /* code of the one before the filler */
    const uint8_t (*reads)[3]; /* registers of each FFMA; NULL: one of all */
    unsigned place;            /* instructions that the loop is shifted */
} probe_groups;

/* What a loop of these costs: a group has as many FFMAs as `order` says, and a
 * filler if there is room. */
typedef struct probe_groups_cost {
    double rate;  /* lanes in a cycle */
    double group; /* cycles of a group of every scheduler's warp */
} probe_groups_cost;

status probe_groups_time(probe_run *r, const probe_groups *g, unsigned warps,
                         probe_groups_cost *cost);

/* Appends the loop; how many FFMAs it has. */
unsigned probe_groups_put(const probe_run *r, const probe_groups *g,
                          strbuf *out);

#endif
