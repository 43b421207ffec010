/* src/sm/hazard/counting.h - a count of pending results per register. An
 * instruction waits for all of what it reads; its own result may follow others
 * of fixed latency that are not slower, as they leave the pipeline in order.
 * What awaits memory is neither followed nor overtaken. Predicates are as in a
 * scoreboard. For the files of this folder. */
#ifndef SM_HAZARD_COUNTING_H
#define SM_HAZARD_COUNTING_H

#include "base/must.h"
#include "sm/hazard/hazard.h"
#include "sm/hazard/pending.h"
#include "sm/limits.h"

typedef struct sm_tally {
    uint8_t results[256]; /* pending, of registers that await several */
    uint16_t slowest[256];
    uint64_t several[4]; /* those registers, a bit each */
} sm_tally;

typedef struct sm_counting {
    sm_hazard base;
    pending_preds preds[SM_WARPS]; /* by warp */
    pending_row row[SM_WARPS];     /* registers that await a result */
    sm_tally tally[SM_WARPS];
} sm_counting;

extern const sm_hazard_ops sm_counting_ops;

/* What `si` waits for, of what is pending: mostly nothing is. */
sm_why sm_counting_why(const sm_counting *c, unsigned warp, const sm_inst *si);
/* Its result follows others to the same registers. */
void sm_counting_follow(sm_counting *c, unsigned warp, const sm_inst *si);
/* One of several results of some of its registers is there. */
void sm_counting_one(sm_counting *c, unsigned warp, const sm_inst *si);

static inline sm_why sm_counting_check(sm_hazard *h, unsigned warp,
                                       const sm_inst *si)
{
    const sm_counting *c = (const sm_counting *)h;

    return pending_any(&c->row[warp], c->preds[warp], si)
               ? sm_counting_why(c, warp, si)
               : WHY_READY;
}

static inline __attribute__((always_inline)) void
sm_counting_reserve(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    sm_counting *c = (sm_counting *)h;
    unsigned first = si->in->dst, n = si->in->dst_regs;
    uint8_t preds = si->in->pwrite;
    uint16_t latency = si->latency;

    c->preds[warp].pred |= preds;
    c->preds[warp].guard |= preds;
    if (c->row[warp].word[first / 64].reg & si->result)
        sm_counting_follow(c, warp, si);
    else if (n == 1) /* mostly */
        c->tally[warp].slowest[first] = latency;
    else
        for (unsigned r = first; r < first + n; r++)
            c->tally[warp].slowest[r] = latency;
    pending_set(&c->row[warp], si);
}

static inline __attribute__((always_inline)) void
sm_counting_release(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    sm_counting *c = (sm_counting *)h;
    unsigned i = si->in->dst / 64;

    MUST_CHECK(!(~c->row[warp].word[i].reg & si->result));
    c->preds[warp].pred &= (uint8_t)~si->in->pwrite;
    if (c->tally[warp].several[i] & si->result)
        sm_counting_one(c, warp, si);
    else
        pending_clear(&c->row[warp], si);
}

static inline void sm_counting_release_guard(sm_hazard *h, unsigned warp,
                                             const sm_inst *si)
{
    ((sm_counting *)h)->preds[warp].guard &= (uint8_t)~si->in->pwrite;
}

#endif
