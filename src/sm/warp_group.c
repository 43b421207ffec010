#include "sm/warp_group.h"

#include "base/alloc.h"
#include "sm/state.h"

static sm_warp_groups *groups_of(sm *s)
{
    if (!s->groups)
        s->groups = new0(1, sizeof *s->groups);
    return s->groups;
}

/* The cycle in which the bytes are there, if they are asked for now. */
static uint64_t book_bytes(sm *s, sm_warp_groups *g, unsigned bytes)
{
    unsigned rate = s->cfg->sm.tensor.group_bytes;

    if (g->bytes < s->now * rate)
        g->bytes = s->now * rate;
    g->bytes += bytes;
    return (g->bytes + rate - 1) / rate;
}

unsigned sm_warp_group_product(sm *s, unsigned sched, unsigned w,
                               const sm_inst *si)
{
    sm_warp_groups *g = groups_of(s);
    uint64_t *done = &g->done[w][g->open[w]];
    unsigned work = 256 * (1u + si->more);
    unsigned rate = s->cfg->sm.tensor.group_rate;
    unsigned cycles = (work + rate - 1) / rate;
    uint64_t from = book_bytes(s, g, si->shared_bytes), due;

    due = from + sm_units_take(&s->units, sched, CFG_UNIT_TENSOR, from, cycles);
    due += cycles + s->cfg->sm.tensor.group_latency;
    if (*done < due)
        *done = due;
    return (unsigned)(due - s->now);
}

void sm_warp_group_wait(sm *s, unsigned w, const sm_inst *si)
{
    sm_warp_groups *g = groups_of(s);
    unsigned older;
    uint64_t when = s->now + 1;

    if (si->in->op == ISA_WGCOMMIT) {
        g->open[w] = (uint8_t)((g->open[w] + 1) % WARP_GROUPS);
        older = WARP_GROUPS; /* whose place is to be used again */
    } else {
        older = 1u + si->in->lut;
    }
    if (older == WARP_GROUPS) {
        if (g->done[w][g->open[w]] > when)
            when = g->done[w][g->open[w]];
    }
    for (unsigned i = older; i < WARP_GROUPS; i++) {
        uint64_t done =
            g->done[w][(g->open[w] + WARP_GROUPS - i) % WARP_GROUPS];
        if (done > when)
            when = done;
    }
    sm_warp_set(s, w, WHY_FENCE);
    s->warp[w].fence = FENCE_OVER;
    s->warp[w].outstanding++;
    sm_event_at(s, when, EVENT_WAKE, w, 0, 0);
}
