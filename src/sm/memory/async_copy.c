#include "sm/memory/async_copy.h"

#include "sm/state.h"

unsigned sm_async_copy_add(sm *s, unsigned w)
{
    sm_async_copies *c = &s->copies[w];

    c->left[c->open]++;
    return c->open;
}

static bool is_complete(const sm_async_copies *c)
{
    if (c->older == 0) /* only the group that is to be used again */
        return !c->left[c->open];
    for (unsigned i = c->older; i < COPY_GROUPS; i++)
        if (c->left[(c->open + COPY_GROUPS - i) % COPY_GROUPS])
            return false;
    return true;
}

static void go_on_if_complete(sm *s, unsigned w)
{
    if (!is_complete(&s->copies[w]))
        return;
    s->warp[w].outstanding++;
    s->warp[w].fence = FENCE_OVER;
    sm_event_at(s, s->now + 1, EVENT_WAKE, w, 0, 0);
}

void sm_async_copy_done(sm *s, unsigned w, unsigned group)
{
    s->copies[w].left[group]--;
    if (s->warp[w].why == WHY_FENCE && s->warp[w].fence == FENCE_COPIES)
        go_on_if_complete(s, w);
}

/* LDGDEPBAR opens the next group, which must be complete by then; DEPBAR waits
 * for the closed ones but the latest. */
void sm_async_copy_wait(sm *s, unsigned w, const sm_inst *si)
{
    sm_async_copies *c = &s->copies[w];

    if (si->in->op == ISA_LDGDEPBAR) {
        c->open = (uint8_t)((c->open + 1) % COPY_GROUPS);
        c->older = 0;
    } else {
        c->older = (uint8_t)(si->in->lut < COPY_GROUPS ? 1 + si->in->lut
                                                       : COPY_GROUPS);
    }
    s->warp[w].fence = FENCE_COPIES;
    sm_warp_set(s, w, WHY_FENCE);
    go_on_if_complete(s, w);
}
