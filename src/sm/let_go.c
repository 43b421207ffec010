#include "sm/let_go.h"

#include "base/bits.h"
#include "base/must.h"
#include "sm/state.h"

void sm_dependent_let(sm *s, sm_cta *c)
{
    s->launches.grid[c->grid].let_go += !c->let_go;
    c->let_go = true;
}

void sm_dependent_go(sm *s, unsigned w)
{
    sm_dependent_let(s, &s->ctas.cta[s->warp[w].cta]);
    sm_warp_resume(s, w);
}

void sm_dependent_wait(sm *s, unsigned w)
{
    if (s->launches.grid[s->warp[w].grid].held)
        sm_warp_set(s, w, WHY_DEPENDENT);
    else
        sm_warp_resume(s, w);
}

uint64_t sm_dependent_let_go(const sm *s, unsigned n)
{
    return s->launches.grid[n].let_go;
}

void sm_dependent_hold(sm *s, unsigned n) { s->launches.grid[n].held = true; }

void sm_dependent_free(sm *s, unsigned n, uint64_t when)
{
    MUST(s->launches.grid[n].held);
    s->launches.grid[n].held = false;
    for (uint64_t left = s->resident; left; left &= left - 1) {
        unsigned w = bits_ctz64(left);

        if (s->warp[w].grid != n || s->warp[w].why != WHY_DEPENDENT)
            continue;
        MUST(when > s->now);
        s->warp[w].outstanding++;
        sm_event_at(s, when, EVENT_WAKE, w, 0, 0);
        if (when < s->time.change)
            s->time.change = when;
    }
}
