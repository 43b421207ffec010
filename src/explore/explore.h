/* src/explore/explore.h - results of the points of a design space: speed-up,
 * energy and bits of every configuration against a base, Pareto fronts, what
 * each axis does, where one variant overtakes another. docs/explore.md has the
 * formulas.
 *
 * Points are added, from a results file (explore_load.h) or by hand, then
 * explore_finish works out the rest. Plain data in an arena that the caller
 * owns; nothing depends on the order in which points were added. */
#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "study/band.h"
#include "study/crossing.h"
#include "study/mean.h"

#define EXPLORE_NONE     SIZE_MAX
#define EXPLORE_NO_POINT UINT64_MAX
#define EXPLORE_BASE     "base"

typedef struct explore_factor {
    const char *name, *value;
} explore_factor;

/* ---- Points ---- */

/* A point as it comes: one workload on one configuration. */
typedef struct explore_fact {
    uint64_t number; /* its place in the study */
    const char *workload;
    const char *status; /* "pass" counts; "missing": not there (yet) */
    const char *why;    /* one sentence if it does not, or NULL */
    const char *tail;   /* what the program wrote last if it failed, or NULL */
    double time_s, cycles, energy_j, bits; /* NAN: unknown */
    double part_j, part_bits;      /* of explore.part; 0 or NAN: unknown */
    const explore_factor *factors; /* without the workload */
    size_t factor_count;
    const double *figures; /* of each that explore_begin names; NULL: NANs */
} explore_fact;

/* Factors that always change together (a zip) are one axis of several parts,
 * with names and values joined by '+'. */
typedef struct explore_axis {
    const char *name; /* "l1.sets" */
    const char *tag;  /* its end, as long as no other axis has the same */
    /* Numbers in ascending order; others as they come in the study. */
    const char **values;
    double *numbers; /* of the first part that has them; NULL: none has */
    size_t count;    /* 1: it does not vary */
    bool logarithmic;
    const char **parts; /* their names */
    size_t part_count;
    const char **part_values; /* of value v, part p: [v * part_count + p] */
} explore_axis;

/* What a configuration can be good at; the first ones are ratios to the
 * base. */
typedef enum explore_goal {
    EXPLORE_BY_SPEEDUP,   /* time of the base over that of the variant */
    EXPLORE_BY_ENERGY,    /* of the variant over that of the base */
    EXPLORE_BY_EDP,       /* energy times time, likewise */
    EXPLORE_BY_PART,      /* as energy, but of explore.part alone */
    EXPLORE_BY_BITS,      /* of storage */
    EXPLORE_BY_PART_BITS, /* of explore.part alone */
    EXPLORE_GOALS
} explore_goal;

enum { EXPLORE_RATIOS = EXPLORE_BY_BITS };

typedef struct explore_cell {
    uint64_t number;    /* EXPLORE_NO_POINT: there is none */
    const char *status; /* "not planned" if there is none */
    const char *why, *tail;
    bool counts; /* it passed, and has a time */
    double time_s, cycles, energy_j, bits, part_j, part_bits;
    const double *figures;
    double ratio[EXPLORE_RATIOS]; /* NAN: it does not count, or the base's */
} explore_cell;

typedef struct explore_config {
    uint64_t number;     /* the least of its points */
    const char *label;   /* of the side of a comparison, or NULL */
    size_t *at;          /* its value on each axis */
    explore_cell *cells; /* of each workload */
    size_t base;         /* the configuration it is compared with; EXPLORE_NONE:
                            none */
    double bits;         /* of storage; NAN: unknown */
    double part_bits;    /* NAN: unknown, or no such structure */
    size_t holes;        /* workloads without a speed-up */
    /* Energy and EDP are of all workloads with a speed-up or of none. */
    mean mean[EXPLORE_RATIOS];
    unsigned fronts; /* a bit for each of explore.fronts that it is on */
} explore_config;

/* Points that do not count, by their status. */
typedef struct explore_cause {
    const char *status;
    const char *why, *tail; /* of the first one, or NULL */
    size_t count;
    size_t config, workload; /* the first one */
} explore_cause;

/* ---- What follows ---- */

enum { EXPLORE_FRONT_GOALS = 4, EXPLORE_FRONTS_MOST = 8 };
enum { EXPLORE_CROSSES = 10 }; /* shown if they are requested */

typedef struct explore_front {
    char letter; /* in tables */
    const char *name;
    explore_goal goals[EXPLORE_FRONT_GOALS];
    size_t goal_count;
    size_t *members; /* configurations, the fastest first */
    size_t count;
    size_t unknown; /* configurations without one of the figures */
} explore_front;

/* Neighbouring values of an axis, or its base's and another, all else equal:
 * ratios of the second to the first, over all workloads. */
typedef struct explore_step {
    size_t from, to; /* values */
    mean speedup, energy;
    size_t holes; /* pairs without a ratio */
} explore_step;

typedef struct explore_effect {
    size_t axis;
    explore_step *steps;
    size_t step_count;
    size_t pairs, holes;
    /* exp(mean of |ln ratio|) over all pairs: how much a step changes, up or
     * down. NAN: of none. */
    double speed, energy;
    /* Of an axis of numbers: the least value from which to the last one no more
     * than the fade is gained in all; EXPLORE_NONE: unknown. */
    size_t enough;
} explore_effect;

/* What a value of an axis does in place of the base's, or values of two axes
 * together beyond what each does: ratios that are geometric means over all
 * settings of the other axes for which the space has every corner, and then
 * over workloads. Bands are over workloads: these are draws of all that there
 * could be, so a band holds what others would say, and is never that of noise.
 */
typedef struct explore_contrast {
    size_t group;    /* GPU: value of that axis; EXPLORE_NONE: there is one */
    size_t axis[2];  /* [1] EXPLORE_NONE: of one axis */
    size_t value[2]; /* none is the base's */
    /* Settings of the other axes. 0: the space has none that allows it. */
    size_t corners;
    size_t holes; /* workloads without all corners */
    /* Speed with over without; of two axes that with both over the product of
     * those with each. 1: nothing; of two: what each does is multiplied. */
    band speed, energy; /* energy: less is better */
    band alone;         /* of one axis: speed where all others are the base's */
} explore_contrast;

/* The speed-up of one value of an axis over another, along a third. */
typedef struct explore_cross {
    size_t along;             /* axis of the places */
    size_t between, from, to; /* axis and its values; EXPLORE_NONE: over the
                                 base */
    size_t config;            /* the first on the line, for the other axes */
    size_t workload;          /* EXPLORE_NONE: geometric mean of all */
    crossing_line line;
    size_t *places;   /* value of `along` at each of its places */
    crossing *events; /* the level itself */
    size_t event_count;
    crossing *fades; /* 1 + fade */
    size_t fade_count;
    size_t nearest;     /* place; line.count: nothing is known */
    double least, most; /* of the line; NAN: nothing is known */
    /* What the wrong choice costs: the loss, where it is largest, of always
     * taking the variant that is better elsewhere; the lesser one of most/level
     * and level/least. 1 of a line that does not cross. */
    double effect;
} explore_cross;

typedef struct explore_options {
    /* Letter, name and goals of the fronts to find; none: the usual ones. */
    const explore_front *fronts;
    size_t front_count; /* EXPLORE_FRONTS_MOST at most */
    /* A configuration's base has these values, and its own of all other axes.
     * None: the base of all is the first one, of a comparison its first side.
     */
    const explore_factor *base;
    size_t base_count;
    bool allow_missing;
    double level; /* of crossovers; 0: 1 */
    double fade;  /* 0: 0.01 */
    /* Names of axes; NULL: all. EXPLORE_BASE: crossovers of each line with the
     * base, which is one configuration, not between values of an axis. */
    const char *along, *between;
    bool all_pairs;   /* crossovers of any two values, not only of the base's
                         with others */
    bool by_workload; /* crossovers of each workload, too */
    bool contrasts;   /* effects of values and of pairs of them, with bands */
    /* How many crossovers are shown, by effect: 0: only that there are some;
     * EXPLORE_NONE: all. */
    size_t crossovers;
} explore_options;

typedef struct explore {
    arena *mem;
    const char *const *figures; /* names of requested figures */
    size_t figure_count;
    bool planned; /* what is missing was added as such */
    /* Part of the energy that is shown besides the total; NULL: none. Without
     * one EXPLORE_BY_PART and EXPLORE_BY_PART_BITS are unknown. */
    const char *part;

    /* Made by explore_finish. */
    explore_options options;
    unsigned width;     /* of text; 0: TABLE_WIDTH */
    explore_axis *axes; /* those that vary, then the others, each by name */
    size_t axis_count, varying;
    const char **workloads; /* in order of their first points */
    size_t workload_count;
    explore_config *configs; /* by number */
    size_t config_count;
    size_t *base_at; /* value that the base has on each axis; EXPLORE_NONE: that
                        of the configuration being compared */
    /* Of a comparison without a named base: the first side. Each configuration
     * is compared with that on its GPU. NULL: not so. */
    const char *base_side;
    /* The configuration that fronts are relative to: the base, or if there are
     * several that of the first configuration. The fronts themselves do not
     * depend on it. */
    size_t reference;
    size_t base; /* of all; EXPLORE_NONE: there are several, or none */
    size_t points, counting; /* all; those that passed */
    explore_cause *causes;   /* the most frequent first */
    size_t cause_count;
    explore_front *fronts;
    size_t front_count;
    explore_effect *effects; /* of axes that vary, the largest first */
    size_t effect_count;
    /* By GPU: single axes in their order, then pairs, the largest first. */
    explore_contrast *contrasts;
    size_t contrast_count;
    explore_cross *crosses; /* the largest effect first */
    size_t cross_count;

    struct explore_heap *heap; /* its own */
} explore;

/* `figures` are borrowed. */
explore *explore_begin(arena *mem, const char *const *figures, size_t count);
/* Copies the point. */
void explore_add(explore *e, const explore_fact *fact);
/* ST_USAGE: the base or an axis is not there; ST_MISMATCH: a point was added
 * twice with different results; one error is in `dg`. */
status explore_finish(explore *e, const explore_options *o, diag *dg);

/* ---- Queries ---- */

/* Is its mean allowed? If not, workloads are missing, and no option allows
 * that. */
bool explore_complete(const explore *e, const explore_config *c);
/* A figure of a configuration for one workload, or EXPLORE_NONE: the mean; NAN:
 * unknown, or refused. */
double explore_figure(const explore *e, const explore_config *c,
                      explore_goal goal, size_t workload);
/* The same against explore.reference. */
double explore_against(const explore *e, const explore_config *c,
                       explore_goal goal, size_t workload);
/* Likewise of a requested figure; the mean is arithmetic. */
double explore_wanted_figure(const explore *e, const explore_config *c,
                             size_t figure, size_t workload);
/* The configuration at these values; EXPLORE_NONE. */
size_t explore_at(const explore *e, const size_t *at);
/* "64", "1.5", "48K"; NAN: no number. */
double explore_number(const char *text);
/* The axis of that name or tag, or with such a part; EXPLORE_NONE. */
size_t explore_axis_find(const explore *e, const char *name);

const char *explore_goal_name(explore_goal g); /* "speedup" */
bool explore_goal_is_bits(explore_goal g);     /* a number, no ratio */
bool explore_goal_is_part(explore_goal g);
/* Is the goal the same for all configurations? Then it decides nothing. */
bool explore_goal_is_idle(const explore *e, explore_goal g, size_t workload);
/* Are there two goals at least that decide, and a configuration that has all
 * of them? */
bool explore_front_has_trade(const explore *e, const explore_front *f,
                             size_t workload);
/* Why not: "bits are the same for all". In the arena. */
const char *explore_front_why_none(const explore *e, const explore_front *f,
                                   size_t workload);
/* "speedup against bits" */
const char *explore_front_name(const explore_front *f, arena *mem);

/* ---- The parts of explore_finish ---- */

status explore_make_space(explore *e, diag *dg);
void explore_make_fronts(explore *e);
void explore_make_effects(explore *e);
void explore_make_contrasts(explore *e);
status explore_make_crosses(explore *e, diag *dg);

/* Does it cross the level, or the fade? */
bool explore_cross_happens(const explore_cross *c);
/* How many of all do. */
size_t explore_crosses_happen(const explore *e);

/* ---- Contrasts ---- */

/* "queue=reod", "queue=reod * front=shared"; in the arena. */
const char *explore_contrast_name(const explore *e, const explore_contrast *x);
/* Of its first or second axis: "queue=reod". */
const char *explore_contrast_part(const explore *e, const explore_contrast *x,
                                  unsigned i);
/* Its GPU, or NULL. */
const char *explore_contrast_group(const explore *e, const explore_contrast *x);
/* "faster", "no difference"; of `two` axes "more together", "as each alone". Of
 * ratios of speed. */
const char *explore_contrast_verdict(const band *b, bool two);

/* The fronts of one workload, as explore.fronts of the means. */
explore_front *explore_workload_fronts(const explore *e, size_t workload);

/* ---- Constraints: bits<=40000, energy<1.1, l1.sets=64, ipc>=2 ---- */

typedef struct explore_limit {
    const char *text, *name;
    char what[3]; /* < <= > >= = */
    double number;
    const char *value; /* as text */
} explore_limit;

/* ST_USAGE: one error is in `dg`. */
status explore_limit_parse(const explore *e, const char *text, diag *dg,
                           explore_limit *out);
/* False also if the figure is unknown: then *unknown is set. */
bool explore_within(const explore *e, const explore_config *c,
                    const explore_limit *l, bool *unknown);

typedef struct explore_order {
    explore_goal goal;
    size_t figure; /* EXPLORE_NONE: the goal counts; else the highest first */
    bool by_number;
} explore_order;

/* "speedup", "energy", "edp", "bits", "number" or the name of a figure. */
status explore_order_parse(const explore *e, const char *text, diag *dg,
                           explore_order *out);
/* All configurations, the best first, the unknown last, the equal by number. */
size_t *explore_sorted(const explore *e, const explore_order *o);

#endif
