/* src/sm/warp_group.h - products of warp groups under way. HGMMA is handed to
 * the tensor core of the warp's scheduler, which takes one after the other;
 * the warp goes on. What a product reads of shared memory takes its turn there:
 * B once for the four warps of a group, a quarter by each; A, if it is there,
 * with the first step. Owns what a warp waits for, in groups that WGCOMMIT
 * closes; a group is complete when it is for all four warps. */
#ifndef SM_WARP_GROUP_H
#define SM_WARP_GROUP_H

#include <stdint.h>

#include "exec/products.h"
#include "sm/decode.h"
#include "sm/limits.h"

struct sm;

/* Groups of a warp that can be under way, the open one included [guess]. */
enum { WARP_GROUPS = 8 };

typedef struct sm_warp_groups {
    /* Cycle of the last result of a group, by its number; HGMMA joins the one
     * that exec_warp.groups tells. */
    uint64_t done[SM_WARPS][WARP_GROUPS];
    exec_products waits; /* for warps that have not issued theirs yet */
    uint64_t bytes; /* of shared memory booked so far, as if from cycle 0 on
                       some were read in each */
} sm_warp_groups;

/* A step issues in this cycle; the cycles until its result. */
unsigned sm_warp_group_product(struct sm *s, unsigned sched, unsigned w,
                               const sm_inst *si);

/* Warp `w` has issued WGCOMMIT or WGWAIT: it goes on when its groups are
 * complete. */
void sm_warp_group_wait(struct sm *s, unsigned w, const sm_inst *si);

/* Warp `w` has ended: nobody waits for its products. */
void sm_warp_group_leave(struct sm *s, unsigned w);

#endif
