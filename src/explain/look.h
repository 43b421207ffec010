/* src/explain/look.h - what is known of one kernel of a run: all its timed
 * launches on one GPU together. Plain data in an arena; of the run it borrows
 * the configuration alone. */
#ifndef EXPLAIN_LOOK_H
#define EXPLAIN_LOOK_H

#include "base/arena.h"
#include "explain/look_code.h"
#include "report/bound.h"
#include "report/kernels.h"

/* A source line, or, where none is known, an instruction. */
typedef struct look_line {
    const char *place; /* "saxpy.cu:12" */
    const char *text;  /* "y[i] = a * x[i] + y[i];"; "" if it is not known */
    uint16_t file;     /* of the program, from 1; 0: unknown */
    uint32_t number;   /* of the line, from 1; 0: unknown */
    uint32_t insts;    /* machine instructions */
    double share;      /* of the issue slots of the kernel */
    double waits;      /* of the cycles of its warps */
    sm_profile_row sum;
    double reason;     /* share of those slots that were lost for `stall` */
    const char *stall; /* the largest reason; NULL: none was lost */
} look_line;

/* Arithmetic of one kind, which has units of its own. */
typedef struct look_work {
    const char *name; /* "FP32", "tensor" */
    double ops;       /* a multiply-add is two */
    double peak;      /* operations per second of the chip */
} look_work;

enum { LOOK_WORKS = 5 };

/* What would let an SM hold more CTAs: 0: not by that. */
typedef struct look_step {
    unsigned ctas;      /* then */
    unsigned registers; /* of a thread, at most */
    uint64_t shared;    /* bytes of a CTA, at most */
} look_step;

/* CTAs of an SM by what a thread or CTA takes of one thing: points in order,
 * where something changes and at both ends. */
typedef struct look_curve {
    double *x, *ctas;
    size_t count;
    double now;
} look_curve;

typedef struct look {
    const char *name;
    unsigned device;
    const config *cfg;
    uint64_t launches, cycles;
    double time_s;
    double share;               /* of the timed cycles of the run */
    uint32_t grid[3], block[3]; /* [0] is 0: of several sizes */
    unsigned registers;         /* of a thread */
    uint64_t shared_bytes;      /* of a CTA */
    unsigned spill_bytes;       /* of a thread */
    unsigned ctas, warps;       /* of an SM; of a CTA. 0: of several sizes */
    const char *limiter;
    look_step step;
    look_curve by_registers, by_shared; /* no points: it has no say */
    double lanes;                       /* share of the lanes that execute */
    bounds b;
    figures f;
    look_work work[LOOK_WORKS]; /* those with `ops` first */
    double state[WHY_COUNT];    /* shares of the cycles of warps */
    double issuing;             /* the same, while they issue */
    sm_profile_row all;
    look_line *line; /* in order of their slots */
    size_t line_count;
    look_code code;
} look;

/* The kernels of `p` that were timed, those first that took longest; *count of
 * them. Launches need profiles. */
look *looks_make(const report_program *p, arena *mem, size_t *count);

/* Operations per byte that moved at a level; NAN if none did. */
double look_intensity(const look *k, const look_work *w, unsigned level);
/* What of `w` the level lets through per second, or the units' peak. */
double look_roof(const look *k, const look_work *w, unsigned level);

/* The line with most of `of`; NULL: none has any. */
const look_line *look_worst(const look *k,
                            uint64_t (*of)(const sm_profile_row *));

#endif
