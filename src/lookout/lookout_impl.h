/* src/lookout/lookout_impl.h - a lookout, for the files of this folder. */
#ifndef LOOKOUT_LOOKOUT_IMPL_H
#define LOOKOUT_LOOKOUT_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "lookout/lookout.h"
#include "report/figure.h"
#include "sm/observe/inspect.h"

enum {
    LOOKOUT_POINTS = 240, /* of a chart; even */
    LOOKOUT_SLOTS = 64,   /* for warps, of an SM */
};

/* What was seen between two looks, as shares. */
typedef struct lookout_point {
    uint64_t to, cycles;  /* of the machine's time: until when, how many */
    double issued;        /* of the issue slots */
    double level[LEVELS]; /* of the peak bandwidth */
} lookout_point;

/* Of the whole run: the older it is, the more cycles a point has. */
typedef struct lookout_history {
    lookout_point is[LOOKOUT_POINTS];
    unsigned count;
    lookout_point open; /* not full yet: `held` of `every` looks */
    unsigned held, every;
} lookout_history;

void lookout_history_add(lookout_history *h, const lookout_point *p);
/* Point `i` <= count; that is the open one, which may have no cycles. */
const lookout_point *lookout_history_at(const lookout_history *h, unsigned i);

/* Since when a warp has executed nothing. */
typedef struct lookout_mark {
    bool there;
    uint32_t life;
    uint64_t executed, since; /* cycle */
} lookout_mark;

struct lookout {
    lookout_options how;
    char *program;            /* copy */
    char *file, *source_text; /* a source file and its text; NULL: none */
    uint64_t source_id;

    size_t number, total; /* of launches */
    bool begun;           /* the launch has been looked at */
    uint64_t start;       /* its cycle */

    /* What was asked. */
    uint64_t taken, done; /* number of the last command, and of the last that
                             is performed */
    bool standing;        /* nothing is simulated before somebody says so */
    uint64_t until;       /* a step: stand still from that cycle on; 0: none */
    status failed;        /* why it stands still; ST_OK: it may go on */
    lookout_ask wanted;   /* a warp, if it inspects */

    double stood_s;   /* seconds that it stood still, in all, */
    double stands_s;  /* and since when it does; 0: it does not */
    double launch_s;  /* and seconds that were simulated when the launch */
    double first_s;   /* and the first one began; < 0: not yet */
    double next_s;    /* when to look again */
    uint64_t *totals; /* at the last look; NULL: none yet */
    size_t total_count;
    uint64_t *insts;     /* by SM: issued at the last look, */
    double *ipc;         /* and in a cycle before it */
    uint64_t seen;       /* cycle of the last look, */
    double seen_s;       /* when it was, in seconds simulated, */
    double cycles_s;     /* and cycles a second up to it; NAN: unknown */
    figures now, all;    /* since the look before; since the launch began */
    uint64_t now_cycles; /* of `now` */
    lookout_history history;
    lookout_mark *marks; /* LOOKOUT_SLOTS of each SM */
};

/* Seconds that were simulated. */
double lookout_ran(const lookout *m);

/* ---- snapshot.c ---- */

/* Works out what happened since the last look. */
void lookout_measure(lookout *m, rt_device *d, const gpu *g);
/* JSON of the machine, malloced. */
char *lookout_snapshot(lookout *m, const gpu *g);

/* ---- warp_state.c ---- */

/* JSON of the warp that is wanted, malloced; an object with `error` if there is
 * none. */
char *lookout_warp(const lookout *m, const gpu *g);
/* One instruction of a kernel as members of an open JSON object. */
struct json;
void lookout_put_place(struct json *j, const exec_launch *l, uint32_t pc);

#endif
