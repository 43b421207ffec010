/* src/study/pareto.h - which of many are beaten in nothing: Pareto fronts. */
#ifndef STUDY_PARETO_H
#define STUDY_PARETO_H

#include <stdbool.h>
#include <stddef.h>

enum { PARETO_GOALS = 4 }; /* at most */

/* `x` has `goals` numbers for each of `count`, less is better. One beats
 * another if it is worse in none and better in one; the front is those that
 * none beats, so equal ones are all on it or none is. One with a NAN is not on
 * the front and beats none. Returns the number on the front. */
size_t pareto_front(const double *x, size_t goals, size_t count, bool *on);

/* A number at nine significant digits, so that what differs by the rounding of
 * logarithms is equal, on every host. */
double pareto_round(double x);

#endif
