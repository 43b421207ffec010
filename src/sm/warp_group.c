#include "sm/warp_group.h"

#include "base/alloc.h"
#include "base/bits.h"
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
    uint64_t *done = &g->done[w][s->x[w].groups % WARP_GROUPS];
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

/* The warps of the group of `w` that have not ended. */
static uint64_t group_slots(const sm *s, unsigned w)
{
    const sm_cta *c = &s->ctas.cta[s->warp[w].cta];
    unsigned number = s->x[w].index / EXEC_GROUP_WARPS;
    uint64_t group = 0;

    for (uint64_t left = c->warps; left; left &= left - 1) {
        unsigned i = bits_ctz64(left);

        if (!s->warp[i].ended && s->x[i].index / EXEC_GROUP_WARPS == number)
            group |= left & -left;
    }
    return group;
}

/* The cycle in which the groups below `wanted` are complete in each warp. */
static uint64_t complete_at(const sm *s, const sm_warp_groups *g,
                            uint64_t group, uint32_t wanted)
{
    uint64_t when = s->now + 1;

    for (; group; group &= group - 1) {
        unsigned w = bits_ctz64(group);
        uint32_t closed = s->x[w].groups;

        for (uint32_t i = 1; i < WARP_GROUPS && i <= closed; i++) {
            uint64_t done = g->done[w][(closed - i) % WARP_GROUPS];

            if (closed - i < wanted && done > when)
                when = done;
        }
    }
    return when;
}

/* Those of `group` go on for which all have issued what they wait for. */
static void go_on(sm *s, sm_warp_groups *g, uint64_t group)
{
    uint64_t over = exec_products_over(&g->waits, s->x, group);

    for (; over; over &= over - 1) {
        unsigned w = bits_ctz64(over);

        sm_event_at(s, complete_at(s, g, group, g->waits.wanted[w]), EVENT_WAKE,
                    w, 0, 0);
    }
}

void sm_warp_group_wait(sm *s, unsigned w, const sm_inst *si)
{
    sm_warp_groups *g = groups_of(s);

    sm_warp_set(s, w, WHY_FENCE);
    s->warp[w].fence = FENCE_OVER;
    s->warp[w].outstanding++;
    if (si->in->op == ISA_WGCOMMIT) {
        /* its place is to be used again */
        uint64_t done = g->done[w][s->x[w].groups % WARP_GROUPS];

        sm_event_at(s, done > s->now + 1 ? done : s->now + 1, EVENT_WAKE, w, 0,
                    0);
    } else {
        exec_products_await(&g->waits, w, &s->x[w], si->in->lut);
    }
    go_on(s, g, group_slots(s, w));
}

void sm_warp_group_leave(sm *s, unsigned w)
{
    if (s->groups && s->groups->waits.waiting)
        go_on(s, s->groups, group_slots(s, w));
}
