/* src/sweep/explore_plan.h - the points of a sweep, from its plan.
 */
#ifndef SWEEP_EXPLORE_PLAN_H
#define SWEEP_EXPLORE_PLAN_H

#include "explore/explore.h"
#include "sweep/sweep_plan.h"

/* Adds all points of the plan, which is expanded, as missing: those that were
 * loaded, or are added later, stand above that. */
void explore_expect(explore *e, const sweep_plan *p);

/* What the plan says of the base, fronts and crossovers, where `o` says
 * nothing. They borrow the plan. */
void explore_plan_options(const sweep_plan *p, arena *mem, explore_options *o);

/* The same of the base and the fronts, from the text of a plan whose files may
 * be elsewhere. What is wrong with it is passed over. */
void explore_text_options(const char *text, arena *mem, explore_options *o);

#endif
