/* src/sm/memory/lsu_fence.c - warps that wait at fences, see lsu.h. */
#include "base/bits.h"
#include "sm/state.h"

/* The fence of a warp follows what it fences to the L1. */
SM_COLD void sm_lsu_send_fence(sm *s)
{
    mem_msg m = {.kind = MEM_FENCE,
                 .client = CLIENT_LSU,
                 .warp = (uint8_t)bits_ctz64(s->lsu.fences)};

    if (mem_port_push(s->port.to_l1, s->now, &m))
        s->lsu.fences &= s->lsu.fences - 1;
}

void sm_lsu_end_fence(sm *s, unsigned w, uint64_t due)
{
    s->warp[w].outstanding++;
    sm_event_at(s, due, EVENT_WAKE, w, 0, 0);
    s->warp[w].fence = FENCE_OVER;
}

void sm_lsu_fence(sm *s, unsigned w)
{
    sm_warp *p = &s->warp[w];

    if (p->queued || p->fence >= FENCE_L1)
        return;
    uint64_t due = s->now + 1;
    if (p->fence == SCOPE_CTA && s->port.l1_reorders &&
        (p->stores || p->loads)) {
        p->fence = FENCE_L1;
        s->lsu.fences |= BIT(w);
        return;
    }
    if (p->fence != SCOPE_CTA) {
        if (p->stores || p->loads)
            return;
        if (due < s->window_end)
            due = s->window_end;
    }
    sm_lsu_end_fence(s, w, due);
}
