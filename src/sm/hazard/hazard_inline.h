/* src/sm/hazard/hazard_inline.h - the interface of sm/hazard/hazard.h without
 * its indirect calls: every instruction goes through these four functions, so
 * the two policies that most machines have, the scoreboard and the counts, are
 * inlined into the pipeline. The only place that knows which policies are worth
 * that; the results are those of calls through `ops`. */
#ifndef SM_HAZARD_HAZARD_INLINE_H
#define SM_HAZARD_HAZARD_INLINE_H

#include "sm/hazard/counting.h"
#include "sm/hazard/hazard.h"
#include "sm/hazard/scoreboard.h"

static inline bool hazard_is_scoreboard(const sm_hazard *h)
{
    return __builtin_expect(h->ops == &sm_scoreboard_ops, 1);
}

static inline bool hazard_is_counting(const sm_hazard *h)
{
    return h->ops == &sm_counting_ops;
}

static inline sm_why sm_hazard_check(sm_hazard *h, unsigned warp,
                                     const sm_inst *si)
{
    if (hazard_is_scoreboard(h))
        return sm_scoreboard_check(h, warp, si);
    return hazard_is_counting(h) ? sm_counting_check(h, warp, si)
                                 : h->ops->check(h, warp, si);
}

static inline void sm_hazard_reserve(sm_hazard *h, unsigned warp,
                                     const sm_inst *si)
{
    if (hazard_is_scoreboard(h))
        sm_scoreboard_reserve(h, warp, si);
    else if (hazard_is_counting(h))
        sm_counting_reserve(h, warp, si);
    else
        h->ops->reserve(h, warp, si);
}

static inline void sm_hazard_release(sm_hazard *h, unsigned warp,
                                     const sm_inst *si)
{
    if (hazard_is_scoreboard(h))
        sm_scoreboard_release(h, warp, si);
    else if (hazard_is_counting(h))
        sm_counting_release(h, warp, si);
    else
        h->ops->release(h, warp, si);
}

static inline void sm_hazard_release_guard(sm_hazard *h, unsigned warp,
                                           const sm_inst *si)
{
    if (hazard_is_scoreboard(h))
        sm_scoreboard_release_guard(h, warp, si);
    else if (hazard_is_counting(h))
        sm_counting_release_guard(h, warp, si);
    else
        h->ops->release_guard(h, warp, si);
}

#endif
