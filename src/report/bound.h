/* src/report/bound.h - what bounds a launch, worked out from its counters: the
 * speed of light of each unit, what warps wait for, and which of these it is.
 * Shares are from 0 to 1; NAN: there is no such unit, or nothing was timed. */
#ifndef REPORT_BOUND_H
#define REPORT_BOUND_H

#include "report/figure.h"
#include "text/json.h"

typedef enum bound_unit {
#define UNIT(id, name, what) BOUND_##id,
#include "report/bound.def"
    BOUND_UNITS
} bound_unit;

typedef enum bound_wait {
#define WAIT(id, name, means) BOUND_WAIT_##id,
#include "report/bound.def"
    BOUND_WAITS
} bound_wait;

typedef enum bound_kind {
    BOUND_NOTHING, /* nothing was timed */
    BOUND_LAUNCH,  /* cycles before the first CTA */
    BOUND_SMALL,   /* SMs without a warp: the grid does not fill them */
    BOUND_TAIL,    /* SMs without a warp: others still have CTAs */
    BOUND_UNIT,    /* a unit gives what it can */
    BOUND_WAIT,    /* none does: warps wait */
} bound_kind;

/* How sure that is: how much more of the time it has than what comes next. */
typedef enum bound_sure {
    BOUND_CLEARLY, /* 60 % and more, and twice what comes next */
    BOUND_MOSTLY,  /* 40 % and more */
    BOUND_PARTLY
} bound_sure;

typedef struct bound {
    bound_kind kind;
    unsigned which; /* bound_unit or bound_wait */
    double share;   /* launch, SMs: of the slots of the launch; units: of what
                       they can; waits: of the slots with warps */
} bound;

typedef struct bounds {
    double speed[BOUND_UNITS]; /* while SMs had warps; beyond the crossbar from
                                  the first CTA on */
    double wait[BOUND_WAITS];  /* of the slots of SMs with warps */
    double launching, idle;    /* of the slots: before the first CTA; on SMs
                                  without a warp later */
    bound first, next;         /* next: the strongest other one */
    bound_sure sure;
} bounds;

void bounds_compute(const report_launch *l, const figures *f, bounds *out);

const char *bound_unit_name(unsigned unit);
const char *bound_wait_means(unsigned wait); /* a clause: what warps wait for */

/* "DRAM", "memory latency", "the launch itself": what stands behind "bound
 * by". Constant. */
const char *bound_name(const bound *b);
/* "clearly", ... */
const char *bound_sure_name(bound_sure s);
/* The share with what it is of: "87.3 % of its peak". At most 80 bytes. */
typedef struct bound_text {
    char s[96];
} bound_text;
bound_text bound_figure(const bound *b);

/* Two lines or three, below the issue slots; nothing where nothing was
 * timed. */
void bounds_text(const bounds *b, FILE *to);
void bounds_json(json *j, const bounds *b);

#endif
