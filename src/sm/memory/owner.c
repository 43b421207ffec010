#include "sm/memory/owner.h"

#include "base/bits.h"
#include "sm/slot.h"
#include "sm/state.h"

/* Those whose next instruction may access what the L1 is for. */
static uint64_t asks_memory(const sm *s, uint64_t warps)
{
    uint64_t found = 0;

    for (uint64_t left = warps & s->mem_heads; left; left &= left - 1) {
        unsigned w = bits_ctz64(left);

        if (s->warp[w].head->in->flags & (ISA_F_GLOBAL | ISA_F_LOCAL))
            found |= BIT(w);
    }
    return found;
}

/* The first warp that wants to access memory, of the scheduler whose turn it
 * is. */
static bool choose_owner(sm *s)
{
    unsigned n = (unsigned)(s->now % s->issue.schedulers);

    for (unsigned i = 0; i < s->issue.schedulers; i++) {
        const sm_scheduler *q = &s->issue.scheduler[n];
        uint64_t ask = asks_memory(s, s->wait[WHY_READY] & q->mask);

        if (ask) {
            s->owner.warp = (uint8_t)sm_scheduler_pick(q, ask, &s->issue.ages);
            return true;
        }
        n = n + 1 < s->issue.schedulers ? n + 1 : 0;
    }
    return false;
}

/* Nobody is, or who is waits for something long. */
static bool has_no_owner(const sm *s)
{
    return !s->owner.chosen || sm_slot_slow(s) >> s->owner.warp & 1;
}

bool sm_owner_due(const sm *s)
{
    return has_no_owner(s) && asks_memory(s, s->wait[WHY_READY]);
}

void sm_owner_turn(sm *s)
{
    if (!has_no_owner(s) || !choose_owner(s))
        return;
    s->owner.chosen = true;
    s->st.owners++;
    sm_slots_reopen(s);
}

void sm_owner_saturated(sm *s, bool saturated)
{
    s->owner.saturated = saturated;
    sm_limit_issue(s);
    s->owner.chosen = false;
    sm_slots_reopen(s);
}

uint64_t sm_owner_eligible(const sm *s, uint64_t warps)
{
    uint64_t ask = asks_memory(s, warps), compute = warps & ~ask;

    if (compute || !s->owner.chosen)
        return compute;
    return warps & BIT(s->owner.warp);
}
