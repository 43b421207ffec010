/* src/sm/observe/profile.h - counters by instruction of the program: where
 * slots and warps spend their time, and what each instruction asks of the
 * memory. Kept only while a launch asks for it.
 *
 * An empty slot is charged to the instruction of one warp that waits for the
 * slot's reason, the one that the scheduler would pick; the cycles of a warp
 * to its own instruction. That is the next instruction, but for warps that
 * wait inside of one they have issued (a barrier, a fence, a branch, sleep,
 * the end): then it is that one. */
#ifndef SM_OBSERVE_PROFILE_H
#define SM_OBSERVE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/limits.h"
#include "sm/stats.h"
#include "stats/stats.h"

struct sm;
struct sm_inst;

typedef struct sm_profile_row {
    uint64_t stall[WHY_STALLS]; /* issue slots, by why they stayed empty */
    uint64_t wait[WHY_COUNT];   /* cycles of warps, by what they waited for */
#define STAT(id, unit, help) uint64_t id;
#include "sm/observe/profile.def"
#undef STAT
} sm_profile_row;

/* The fields of profile.def; `path` is empty. */
extern const stats_block sm_profile_block;

/* Adds `from` to `to`. */
void sm_profile_sum(sm_profile_row *to, const sm_profile_row *from);

/* Rows of instructions belong to the launch, see sm_grid. */
typedef struct sm_profile {
    sm_profile_row none;              /* what belongs to no instruction */
    sm_profile_row *at[SM_WARPS];     /* of each warp: what its cycles go to */
    sm_profile_row *issued[SM_WARPS]; /* of each warp: its last instruction */
    uint64_t since[SM_WARPS]; /* of each warp: first cycle not charged yet */
    unsigned launches;        /* that are counted */
} sm_profile;

/* After sm_launch for launch `n`, before its first CTA, while the SM's counters
 * are settled. All launches in flight have a profile, or none has. */
void sm_profile_begin(struct sm *s, unsigned n);

/* Before sm_launch_end, while the counters are settled: adds a row for each
 * instruction to `to` and forgets them. One more has what belongs to none: the
 * launch that ends first takes it. Nothing if none was begun. */
void sm_profile_end(struct sm *s, unsigned n, sm_profile_row *to);

/* ---- for the files of this folder; only while there is a profile ---- */

/* Warp `w` has executed `si` at `pc`; `before` were its active lanes. */
void sm_profile_issue(struct sm *s, unsigned w, const struct sm_inst *si,
                      uint32_t pc, uint32_t before);
/* Warp `w` is about to wait for `why`. */
void sm_profile_warp(struct sm *s, unsigned w, sm_why why);
/* The warps of `set` began in cycle `now`. */
void sm_profile_begin_warps(struct sm *s, uint64_t set, uint64_t now);
/* The slots of scheduler `n` up to `when` go to what they are charged to. */
void sm_profile_slots(struct sm *s, unsigned n, uint64_t when);
/* The instruction that an empty slot of scheduler `n` is charged to. */
sm_profile_row *sm_profile_blame(const struct sm *s, unsigned n, sm_why why);
/* The row of instruction `pc` of the kernel that warp `w` runs. */
sm_profile_row *sm_profile_at(const struct sm *s, unsigned w, uint32_t pc);

#endif
