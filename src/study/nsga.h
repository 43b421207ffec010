/* src/study/nsga.h - the front of a space that is too large to enumerate:
 * NSGA-II [NSGA2] over axes of discrete values. It asks for places of the
 * space, a generation at a time, and is told what they are worth; which it asks
 * for depends on its seed and on what it was told, on nothing else. None is
 * asked for twice. Owns its memory, borrows the space. */
#ifndef STUDY_NSGA_H
#define STUDY_NSGA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nsga_space {
    const size_t *values; /* of each axis: how many, 1 at least */
    const bool *ordered;  /* of each axis: neighbours are alike */
    size_t axes;
    size_t goals; /* PARETO_GOALS at most */
    /* May this place be? NULL: all may. */
    bool (*allowed)(void *arg, const size_t *at);
    void *arg;
} nsga_space;

typedef struct nsga_options {
    uint64_t seed;
    size_t population; /* places of a generation, 2 at least */
    bool random;       /* draw all, for comparison */
} nsga_options;

typedef struct nsga nsga;

/* `first`: the first place to ask for, if it is allowed; NULL: none in
 * particular. */
nsga *nsga_new(const nsga_space *space, const nsga_options *o,
               const size_t *first);
void nsga_free(nsga *n); /* NULL is fine */

/* Asks for the next generation, at most `most` places; how many: 0: there is
 * none that it has not asked for, as far as it can see. All that were asked for
 * before must have been told. Fewer because of `most` are the first of those
 * that would have been asked for. */
size_t nsga_ask(nsga *n, size_t most);
size_t nsga_count(const nsga *n); /* asked for in all */
/* The i-th place that was asked for, from 0 on: a value of each axis. */
const size_t *nsga_place(const nsga *n, size_t i);
/* What it is worth: goals, less is better; a NAN: it failed. */
void nsga_tell(nsga *n, size_t i, const double *goals);

/* on[i]: is the i-th on the front of all that were told? How many are. */
size_t nsga_front(const nsga *n, bool *on);

/* ---- Its parts ---- */

/* Ranks of `count` times `goals` numbers: 0 is the front, 1 that of the others,
 * ...; those with a NAN are behind all. */
void nsga_rank(const double *x, size_t goals, size_t count, size_t *rank);
/* How far apart the neighbours of each of `members` are, summed over goals,
 * each over its range among them; HUGE_VAL at an end of a goal. */
void nsga_crowding(const double *x, size_t goals, const size_t *members,
                   size_t count, double *distance);

#endif
