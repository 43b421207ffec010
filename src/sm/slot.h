/* src/sm/slot.h - what a scheduler can do in a cycle: inline, as issue policies
 * need it in each one. Other files call sm_slot_at(). Owns nothing. */
#ifndef SM_SLOT_H
#define SM_SLOT_H

#include "base/bits.h"
#include "sm/issue.h"
#include "sm/state.h"

/* What the warps of scheduler `n`, none of which is ready, wait for: the first
 * in the order of stall.def. */
static inline sm_why sm_slot_reason(const sm *s, unsigned n)
{
    uint64_t mask = s->issue.scheduler[n].mask;
    unsigned why = WHY_COLLECTOR + 1;

    while (why < WHY_NO_WARP && !(s->wait[why] & mask))
        why++;
    return (sm_why)why;
}

/* Warps that two-level scheduling takes out of the active set. */
static inline uint64_t sm_slot_slow(const sm *s)
{
    uint64_t fast = s->wait[WHY_READY] | s->wait[WHY_RAW_ALU] |
                    s->wait[WHY_RAW_PRED] | s->wait[WHY_WAW] |
                    s->wait[WHY_BRANCH] | s->wait[WHY_FETCH];
    return ~fast;
}

/* The same where ready warps may be left out in cycle `t`. */
static inline sm_why sm_slot_left_out(const sm *s, unsigned n, uint64_t t)
{
    const sm_scheduler *q = &s->issue.scheduler[n];
    bool ready = s->wait[WHY_READY] & q->mask;

    if (ready && q->held_until > t)
        return WHY_CONSTANT;
    return ready && q->rests == t ? WHY_CODE : sm_slot_reason(s, n);
}

/* Those of `warps` that find their unit free at `t`; of others *retry is when
 * the first does. Collectors wait for units by themselves. */
static inline uint64_t sm_slot_with_unit(const sm *s, unsigned n,
                                         uint64_t warps, uint64_t t,
                                         uint64_t *retry)
{
    uint64_t found = 0;

    if (s->collect.mode == CFG_COLLECT_UNITS)
        return warps;
    while (warps) {
        unsigned kind = s->warp[bits_ctz64(warps)].unit;
        uint64_t same = warps & s->heads[kind];
        uint64_t when = sm_units_when(&s->units, n, kind);

        warps &= ~same;
        if (when <= t)
            found |= same;
        else if (when < *retry)
            *retry = when;
    }
    return found;
}

/* Those of `warps` that exit, which is all that issues while issue is
 * stopped. */
static inline uint64_t sm_slot_exits(const sm *s, uint64_t warps)
{
    uint64_t exits = 0;

    for (uint64_t set = warps; set; set &= set - 1)
        if (sm_exits_next(s, bits_ctz64(set)))
            exits |= set & -set;
    return exits;
}

/* sm_slot_find(), compiled twice: `limited` where not every ready warp may
 * issue. */
static inline __attribute__((always_inline)) uint64_t
sm_slot_search(sm *s, unsigned n, uint64_t t, sm_slot *slot, const bool limited)
{
    sm_scheduler *q = &s->issue.scheduler[n];
    uint64_t warps = s->wait[WHY_READY] & q->mask, when;

    slot->retry = NEVER;
    if (limited && s->issue.stopped)
        warps = sm_slot_exits(s, warps);
    if (limited && warps && s->issue.chooses) {
        warps = sm_scheduler_eligible(q, warps, sm_slot_slow(s), t);
        slot->retry = sm_scheduler_until(q, t);
    }
    if (!warps) {
        slot->why = limited ? sm_slot_left_out(s, n, t) : sm_slot_reason(s, n);
        return 0;
    }
    when = sm_collect_when(&s->collect, n);
    if (when > t) {
        slot->why = WHY_COLLECTOR;
        slot->retry = when;
        return 0;
    }
    slot->why = WHY_LSU;
    if (sm_lsu_full(&s->lsu) && !(warps &= ~s->mem_heads)) {
        slot->why = s->lsu.limit ? WHY_LSU : WHY_CREDIT;
        return 0;
    }
    if (limited && s->owner.saturated && !(warps = sm_owner_eligible(s, warps)))
        return 0;
    slot->why = WHY_UNIT;
    return sm_slot_with_unit(s, n, warps, t, &slot->retry);
}

uint64_t sm_slot_find_limited(sm *s, unsigned n, uint64_t t, sm_slot *slot);

/* The warps of scheduler `n` that can issue in cycle `t`; if there are none,
 * `slot` says why. */
static inline __attribute__((always_inline)) uint64_t
sm_slot_find(sm *s, unsigned n, uint64_t t, sm_slot *slot)
{
    if (__builtin_expect(s->issue.limits, 0))
        return sm_slot_find_limited(s, n, t, slot);
    return sm_slot_search(s, n, t, slot, false);
}

#endif
