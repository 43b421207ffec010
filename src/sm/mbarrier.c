/* src/sm/mbarrier.c - see mbarrier.h. */
#include "sm/mbarrier.h"

#include "base/bits.h"
#include "exec/mbarrier.h"
#include "sm/state.h"

void sm_mbarrier_wait(sm *s, unsigned w)
{
    sm_cta *c = &s->ctas.cta[s->warp[w].cta];
    uint64_t cycles =
        (uint64_t)s->bar[w].count * s->cfg->gpu.clock_khz / 1000000;

    if (!cycles)
        cycles = s->cfg->sm.mbarrier_wait;
    s->cga.st.mbarrier_waits++;
    c->at_mbarrier |= BIT(w);
    sm_warp_set(s, w, WHY_SLEEP);
    s->warp[w].wait = ++s->ctas.waits;
    sm_event_at(s, s->now + cycles, EVENT_LIMIT, w, 0, s->warp[w].wait);
}

/* A look at the word takes as long as a load of it. */
static void go_on_later(sm *s, unsigned w)
{
    s->warp[w].outstanding++;
    sm_event_at(s, s->now + s->cfg->sm.lsu.latency + s->cfg->sm.shared.latency,
                EVENT_WAKE, w, 0, 0);
}

void sm_mbarrier_look(sm *s, unsigned w)
{
    sm_warp_set(s, w, WHY_SLEEP);
    go_on_later(s, w);
}

static void wake(sm *s, unsigned w)
{
    s->ctas.cta[s->warp[w].cta].at_mbarrier &= ~BIT(w);
    s->warp[w].wait = 0;
    exec_mbarrier_went_on(&s->x[w], &s->bar[w]);
    go_on_later(s, w);
}

void sm_mbarrier_arrived(sm *s, unsigned cta)
{
    const sm_cta *c = &s->ctas.cta[cta];

    for (uint64_t set = c->at_mbarrier; set; set &= set - 1) {
        unsigned w = bits_ctz64(set);
        const exec_bar *b = &s->bar[w];

        if (!exec_mbarrier_holds(&c->x, b->at, b->phase))
            wake(s, w);
    }
}

void sm_mbarrier_late(sm *s, unsigned w, uint32_t n)
{
    if (s->warp[w].wait != n)
        return;
    s->cga.st.mbarrier_limits++;
    wake(s, w);
}
