/* src/sm/hazard/scoreboard.h - a bit per register and warp: set from issue to
 * write back. RAW and WAW both wait for the bit to clear. Of pending registers
 * it remembers which await memory, to name the stall. For the files of this
 * folder. */
#ifndef SM_HAZARD_SCOREBOARD_H
#define SM_HAZARD_SCOREBOARD_H

#include "base/must.h"
#include "sm/hazard/hazard.h"
#include "sm/hazard/pending.h"
#include "sm/limits.h"

typedef struct sm_scoreboard {
    sm_hazard base;
    pending_preds preds[SM_WARPS]; /* by warp */
    pending_row row[SM_WARPS] __attribute__((aligned(64)));
} sm_scoreboard;

extern const sm_hazard_ops sm_scoreboard_ops;

static inline sm_why sm_scoreboard_check(sm_hazard *h, unsigned warp,
                                         const sm_inst *si)
{
    const sm_scoreboard *sb = (const sm_scoreboard *)h;

    return pending_check(&sb->row[warp], sb->preds[warp], si);
}

static inline void sm_scoreboard_reserve(sm_hazard *h, unsigned warp,
                                         const sm_inst *si)
{
    sm_scoreboard *sb = (sm_scoreboard *)h;
    const isa_inst *in = si->in;
    pending_preds *p = &sb->preds[warp];

    MUST_CHECK(!in->dst_regs ||
               !(sb->row[warp].word[in->dst / 64].reg & si->result));
    MUST_CHECK(!(p->pred & in->pwrite));
    pending_set(&sb->row[warp], si);
    p->pred |= in->pwrite;
    p->guard |= in->pwrite;
}

static inline void sm_scoreboard_release(sm_hazard *h, unsigned warp,
                                         const sm_inst *si)
{
    sm_scoreboard *sb = (sm_scoreboard *)h;
    const isa_inst *in = si->in;

    MUST_CHECK(!in->dst_regs ||
               !(~sb->row[warp].word[in->dst / 64].reg & si->result));
    MUST_CHECK((sb->preds[warp].pred & in->pwrite) == in->pwrite);
    pending_clear(&sb->row[warp], si);
    sb->preds[warp].pred &= (uint8_t)~in->pwrite;
}

static inline void sm_scoreboard_release_guard(sm_hazard *h, unsigned warp,
                                               const sm_inst *si)
{
    ((sm_scoreboard *)h)->preds[warp].guard &= (uint8_t)~si->in->pwrite;
}

#endif
