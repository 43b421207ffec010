/* src/sm/hazard/scoreboard.h - a bit per register and warp: set from issue to
 * write back. RAW and WAW both wait for the bit to clear. Of pending registers
 * it remembers which await memory, to name the stall. It is the policy of most
 * machines and asked for every instruction, so that calls through the interface
 * go straight to it where it is the policy. For the files of this folder. */
#ifndef SM_HAZARD_SCOREBOARD_H
#define SM_HAZARD_SCOREBOARD_H

#include "base/must.h"
#include "sm/hazard/counting.h"
#include "sm/hazard/hazard.h"
#include "sm/hazard/pending.h"

typedef struct sm_scoreboard {
    sm_hazard base;
    pending_preds preds[64]; /* by warp */
    pending_row row[64] __attribute__((aligned(64)));
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

/* ---- The interface, whatever the policy ---- */

static inline bool sm_is_scoreboard(const sm_hazard *h)
{
    return __builtin_expect(h->ops == &sm_scoreboard_ops, 1);
}

static inline bool sm_is_counted(const sm_hazard *h)
{
    return h->ops == &sm_counted_ops;
}

static inline sm_why sm_hazard_check(sm_hazard *h, unsigned warp,
                                     const sm_inst *si)
{
    if (sm_is_scoreboard(h))
        return sm_scoreboard_check(h, warp, si);
    return sm_is_counted(h) ? sm_counted_check(h, warp, si)
                            : h->ops->check(h, warp, si);
}

static inline void sm_hazard_reserve(sm_hazard *h, unsigned warp,
                                     const sm_inst *si)
{
    if (sm_is_scoreboard(h))
        sm_scoreboard_reserve(h, warp, si);
    else if (sm_is_counted(h))
        sm_counted_reserve(h, warp, si);
    else
        h->ops->reserve(h, warp, si);
}

static inline void sm_hazard_release(sm_hazard *h, unsigned warp,
                                     const sm_inst *si)
{
    if (sm_is_scoreboard(h))
        sm_scoreboard_release(h, warp, si);
    else if (sm_is_counted(h))
        sm_counted_release(h, warp, si);
    else
        h->ops->release(h, warp, si);
}

static inline void sm_hazard_release_guard(sm_hazard *h, unsigned warp,
                                           const sm_inst *si)
{
    if (sm_is_scoreboard(h))
        sm_scoreboard_release_guard(h, warp, si);
    else if (sm_is_counted(h))
        sm_counted_release_guard(h, warp, si);
    else
        h->ops->release_guard(h, warp, si);
}

#endif
