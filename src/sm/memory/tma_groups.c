/* src/sm/memory/tma_groups.c - bulk stores of each warp in groups, and waits
 * for them. */
#include "sm/memory/async_copy.h"
#include "sm/memory/tma.h"
#include "sm/memory/tma_state.h"
#include "sm/state.h"

static bool is_store(unsigned op, uint32_t mod)
{
    const isa_inst in = {.mod = mod};

    if (op == ISA_UBLKRED)
        return ISA_GET(&in, TPATH) != TPATH_SS;
    if (op == ISA_UBLKCP)
        return ISA_GET(&in, TPATH) == TPATH_GS;
    return op == ISA_UTMASTG || op == ISA_UTMAREDG;
}

unsigned sm_tma_issue(sm *s, unsigned w, const sm_inst *si, unsigned lanes)
{
    tma_groups *g = &s->tma->groups[w];

    s->bulk = true;
    if (is_store(si->in->op, si->in->mod)) {
        g->left[g->open] += (uint16_t)lanes;
        g->reading[g->open] += (uint16_t)lanes;
    }
    return g->open;
}

static bool is_complete(const tma_groups *g)
{
    const uint16_t *left = g->read ? g->reading : g->left;

    if (g->older == 0) /* only the group that is to be used again */
        return !g->left[g->open];
    for (unsigned i = g->older; i < TMA_GROUPS; i++)
        if (left[(g->open + TMA_GROUPS - i) % TMA_GROUPS])
            return false;
    return true;
}

bool sm_tma_is_complete(const sm *s, unsigned w)
{
    return is_complete(&s->tma->groups[w]);
}

static void go_on_if_complete(sm *s, unsigned w)
{
    if (!sm_tma_is_complete(s, w))
        return;
    s->warp[w].outstanding++;
    s->warp[w].fence = FENCE_OVER;
    sm_event_at(s, s->now + 1, EVENT_WAKE, w, 0, 0);
}

static uint8_t older_than(unsigned latest)
{
    return (uint8_t)(latest < TMA_GROUPS ? 1 + latest : TMA_GROUPS);
}

void sm_tma_older(sm *s, unsigned w, unsigned latest)
{
    s->tma->groups[w].read = false;
    s->tma->groups[w].older = older_than(latest);
}

void sm_tma_wait(sm *s, unsigned w, const sm_inst *si)
{
    tma_groups *g = &s->tma->groups[w];

    g->read = ISA_GET(si->in, TREAD);
    if (si->in->op == ISA_UTMACMDFLUSH) {
        g->open = (uint8_t)((g->open + 1) % TMA_GROUPS);
        g->older = 0;
    } else {
        g->older = older_than(si->in->lut);
    }
    s->warp[w].fence = FENCE_BULK;
    sm_warp_set(s, w, WHY_FENCE);
    go_on_if_complete(s, w);
}

void sm_tma_group_changed(sm *s, unsigned w)
{
    if (s->warp[w].why != WHY_FENCE)
        return;
    if (s->warp[w].fence == FENCE_BULK)
        go_on_if_complete(s, w);
    else
        sm_async_copy_look(s, w);
}
