/* src/study/launch_list.h - launches of a plan that ran in this process, as
 * reports tell them (report/run.h). Owns what came out of them; borrows
 * kernels, configurations and names. */
#ifndef STUDY_LAUNCH_LIST_H
#define STUDY_LAUNCH_LIST_H

#include "launchfile/plan.h"
#include "report/run.h"
#include "runtime/streams.h"

typedef struct launch_list {
    report_launch *row;
    size_t count, room;
} launch_list;

/* One that has ended on `d`. `as` has its kernel and what else is known of it,
 * and gives away its profile and its series; the shape is that of `l`, what
 * came out is copied from `r`. */
void launch_list_add(launch_list *to, const rt_device *d, const plan_launch *l,
                     const report_launch *as, const rt_result *r);
/* Makes the last, which has what came out of a group and tells of its first
 * part, one of all `n` > 1 of them. It owns the profiles of their launches from
 * then on. */
void launch_list_join(launch_list *to, const plan *p, const plan_list *list,
                      const rt_result *sum, const rt_part *part, size_t n);
/* Moves the last to `to`, which is empty. */
void launch_list_move(launch_list *from, launch_list *to);
void launch_list_fini(launch_list *to);

#endif
