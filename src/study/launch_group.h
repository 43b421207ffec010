/* src/study/launch_group.h - launches of a plan that were in flight together,
 * as reports tell them (report/group.h). */
#ifndef STUDY_LAUNCH_GROUP_H
#define STUDY_LAUNCH_GROUP_H

#include "launchfile/plan.h"
#include "report/run.h"
#include "runtime/streams.h"

/* Makes `out`, which has what came out of the group and tells of its first
 * part, one of all `n` > 1 of them. It owns the profiles of their launches from
 * then on, and group_drop is due. */
void group_make(report_launch *out, const plan *p, const plan_list *list,
                const rt_result *sum, const rt_part *part, size_t n);
/* Nothing if it is of no group. */
void group_drop(report_launch *l);

#endif
