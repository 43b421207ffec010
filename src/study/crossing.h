/* src/study/crossing.h - where a line, given at some places, crosses a
 * level. */
#ifndef STUDY_CROSSING_H
#define STUDY_CROSSING_H

#include <stdbool.h>
#include <stddef.h>

/* Places in ascending order. A ratio that is NAN is unknown: the line goes
 * straight over it. */
typedef struct crossing_line {
    const double *x;
    const double *ratio; /* above 0 */
    size_t count;
    /* Straight in the logarithm of x, which is above 0; in x itself if false.
     */
    bool logarithmic;
} crossing_line;

/* On one side of the level at place `from`, on the other at place `to`, and
 * the level itself at those between, if any: all are known. */
typedef struct crossing {
    size_t from, to;
    bool rising;
    double at; /* where the line between them meets the level; of a stretch at
                  the level its middle */
    size_t unknown; /* places between them */
} crossing;

/* Puts the first `room` of them into `out` and gives how many there are. The
 * logarithm of the ratio is drawn straight, so that the place is the same for
 * the inverse ratios and the inverse level. */
size_t crossing_find(const crossing_line *l, double level, crossing *out,
                     size_t room);

/* The place whose ratio is nearest to the level, by their quotient, the first
 * of several; `count` if none is known. */
size_t crossing_nearest(const crossing_line *l, double level);

/* Do such places stand in equal ratios, or are they all powers of two? */
bool crossing_logarithmic(const double *x, size_t count);

#endif
