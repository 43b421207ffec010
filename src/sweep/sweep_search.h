/* src/sweep/sweep_search.h - the front of a plan's space without all of its
 * points: a search proposes machines, a generation at a time, which become
 * points of the plan behind those that are there. Which it proposes depends on
 * the plan, its options and on what came out, so a search that was interrupted
 * goes on by beginning again: what it asks for is finished already. */
#ifndef SWEEP_SWEEP_SEARCH_H
#define SWEEP_SWEEP_SEARCH_H

#include "store/store.h"
#include "sweep/sweep_plan.h"

typedef struct sweep_search_options {
    uint64_t seed;
    size_t population;  /* machines of a generation */
    size_t evaluations; /* machines in all, at most */
    bool random;        /* draw all of them, for comparison */
} sweep_search_options;

typedef struct sweep_search sweep_search;

/* Of a plan that was read and not expanded. The base, or the first value of
 * axes without one, is the first machine. Goals are those of the plan's first
 * front, or speed, energy and bits. Borrows the plan. ST_CONFIG: the base
 * cannot be, or there is nothing to search; one error is in `dg`. */
status sweep_search_new(sweep_plan *p, const sweep_search_options *o, diag *dg,
                        sweep_search **out);
void sweep_search_free(sweep_search *s); /* NULL is fine */

/* Machines of the space, before filters. */
uint64_t sweep_search_space(const sweep_search *s);
/* Adds the next generation to the plan; ids are not made. False: there is none,
 * or all evaluations are done. */
bool sweep_search_ask(sweep_search *s);
/* Takes what came out of all points that were asked for. ST_MISMATCH: the base
 * failed; ST_IO: the file is damaged. */
status sweep_search_tell(sweep_search *s, store *results, diag *dg);

/* The front of what was told. */
typedef struct sweep_search_found {
    size_t machines, generations;
    size_t failed;
    size_t front; /* machines on it, */
    size_t last;  /* of which the last was the how many-th machine */
    const explore_front *goals;
} sweep_search_found;

sweep_search_found sweep_search_result(const sweep_search *s);

/* What configurations are compared with in a search: its first machine. */
void sweep_search_base(const sweep_plan *p, arena *mem, explore_options *o);

#endif
