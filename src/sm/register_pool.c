#include "sm/register_pool.h"

#include "base/bits.h"
#include "exec/pool.h"
#include "sm/state.h"

static void serve(sm *s, unsigned w)
{
    if (!exec_pool_settle(&s->x[w]))
        return;
    s->ctas.cta[s->warp[w].cta].wanting &= ~BIT(w);
    s->warp[w].outstanding++;
    sm_event_at(s, s->now + s->ctas.barrier_latency, EVENT_WAKE, w, 0, 0);
}

void sm_register_pool_meet(sm *s, unsigned w)
{
    sm_cta *c = &s->ctas.cta[s->warp[w].cta];

    sm_warp_set(s, w, WHY_REGISTERS);
    c->wanting |= BIT(w);
    serve(s, w);
    for (uint64_t left = c->wanting; left; left &= left - 1)
        serve(s, bits_ctz64(left));
}
