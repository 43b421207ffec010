/* src/lab/explore_plan.h - what the plan of a sweep knows about its points. */
#ifndef LAB_EXPLORE_PLAN_H
#define LAB_EXPLORE_PLAN_H

#include "lab/explore.h"
#include "lab/sweep_plan.h"

/* Adds all points of the plan, which is expanded, as missing: those that were
 * loaded, or are added later, stand above that. */
void explore_expect(explore *e, const sweep_plan *p);

/* What the plan names as base; their number. They borrow the plan. */
size_t explore_plan_base(const sweep_plan *p, explore_factor *out, size_t most);

#endif
