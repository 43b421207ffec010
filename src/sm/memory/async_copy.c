#include "sm/memory/async_copy.h"

#include "exec/mbarrier.h"
#include "sm/mbarrier.h"
#include "sm/memory/tma.h"
#include "sm/state.h"

unsigned sm_async_copy_add(sm *s, unsigned w)
{
    sm_async_copies *c = &s->copies[w];

    c->left[c->open]++;
    return c->open;
}

static bool is_complete(const sm_async_copies *c)
{
    if ((c->older == 0 || c->arrives) && c->left[c->open])
        return false; /* the group that is to be used again */
    for (unsigned i = c->older; c->older && i < COPY_GROUPS; i++)
        if (c->left[(c->open + COPY_GROUPS - i) % COPY_GROUPS])
            return false;
    return true;
}

void sm_async_copy_look(sm *s, unsigned w)
{
    sm_async_copies *c = &s->copies[w];
    unsigned fence = s->warp[w].fence;

    if (s->warp[w].why != WHY_FENCE ||
        (fence != FENCE_COPIES && fence != FENCE_COPIES_BULK) ||
        !is_complete(c))
        return;
    if (fence == FENCE_COPIES_BULK && s->tma && !sm_tma_is_complete(s, w))
        return;
    if (c->arrives) {
        c->arrives = false;
        exec_mbarrier_behind_copies(&s->x[w], &s->bar[w]);
        sm_mbarrier_arrived(s, s->warp[w].cta);
    }
    s->warp[w].outstanding++;
    s->warp[w].fence = FENCE_OVER;
    sm_event_at(s, s->now + 1, EVENT_WAKE, w, 0, 0);
}

void sm_async_copy_done(sm *s, unsigned w, unsigned group)
{
    s->copies[w].left[group]--;
    sm_async_copy_look(s, w);
}

/* LDGDEPBAR opens the next group, which must be complete by then; DEPBAR waits
 * for the closed ones but the latest, MBCOPIES for all. */
void sm_async_copy_wait(sm *s, unsigned w, const sm_inst *si)
{
    const isa_inst *in = si->in;
    sm_async_copies *c = &s->copies[w];
    bool bulk = in->op == ISA_DEPBAR && ISA_GET(in, TBULK);

    c->arrives = in->op == ISA_MBCOPIES;
    if (in->op != ISA_DEPBAR)
        c->open = (uint8_t)((c->open + 1) % COPY_GROUPS);
    c->older = in->op == ISA_LDGDEPBAR ? 0
               : c->arrives            ? 1
               : in->lut < COPY_GROUPS ? (uint8_t)(1 + in->lut)
                                       : COPY_GROUPS;
    if (bulk && s->tma)
        sm_tma_older(s, w, in->lut);
    s->warp[w].fence = bulk ? FENCE_COPIES_BULK : FENCE_COPIES;
    sm_warp_set(s, w, WHY_FENCE);
    sm_async_copy_look(s, w);
}
