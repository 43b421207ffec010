#include "sm/barrier.h"

#include "base/bits.h"
#include "base/must.h"
#include "exec/dependent.h"
#include "exec/pool.h"
#include "sm/let_go.h"
#include "sm/register_pool.h"
#include "sm/state.h"

enum { KIND_SYNC, KIND_ARRIVE, KIND_AND, KIND_OR, KIND_POPC };

static uint32_t reduce(const sm_barrier *b, unsigned kind)
{
    switch (kind) {
    case KIND_AND:
        return b->count == b->lanes;
    case KIND_OR:
        return b->count != 0;
    default:
        return b->count;
    }
}

/* All have arrived: results are handed out. Those that have waited. */
static uint64_t open_barrier(sm *s, sm_cta *c, sm_barrier *b)
{
    uint64_t waiting = b->waiting;

    for (uint64_t set = waiting; set; set &= set - 1) {
        unsigned w = bits_ctz64(set);
        const exec_bar *bar = &s->bar[w];

        if (bar->kind >= KIND_AND)
            exec_bar_result(&s->x[w], bar, reduce(b, bar->kind));
    }
    *b = (sm_barrier){0};
    c->arrived &= ~BIT(b - c->barrier);
    return waiting;
}

/* The same; warps wake after the latency of the class. */
static void complete(sm *s, sm_cta *c, sm_barrier *b)
{
    for (uint64_t set = open_barrier(s, c, b); set; set &= set - 1) {
        unsigned w = bits_ctz64(set);

        s->warp[w].outstanding++;
        sm_event_at(s, s->now + s->ctas.barrier_latency, EVENT_WAKE, w, 0, 0);
    }
}

static bool is_complete(const sm_cta *c, const sm_barrier *b)
{
    uint32_t all = c->x.live_warps * ISA_WARP;

    return b->arrived && b->arrived >= (b->expected ? b->expected : all);
}

/* `w` is there, and waits unless it only arrives. */
static sm_barrier *meet(sm *s, sm_cta *c, unsigned w)
{
    const exec_bar *bar = &s->bar[w];
    sm_barrier *b = &c->barrier[bar->number];

    MUST(bar->number < s->cfg->sm.barriers);
    c->arrived |= BIT(bar->number);
    b->arrived += ISA_WARP;
    b->expected = (uint32_t)bits_align_up(bar->count, ISA_WARP);
    b->lanes += bits_popcount32(bar->lanes);
    b->count += bits_popcount32(bar->lanes & bar->pred);
    if (bar->kind != KIND_ARRIVE)
        b->waiting |= BIT(w);
    return b;
}

void sm_barrier_arrive(sm *s, unsigned w)
{
    sm_cta *c = &s->ctas.cta[s->warp[w].cta];
    const exec_bar *bar = &s->bar[w];

    if (bar->number == EXEC_PREEXIT || bar->number == EXEC_ACQBULK) {
        if (bar->number == EXEC_PREEXIT)
            sm_dependent_go(s, w);
        else
            sm_dependent_wait(s, w);
        return;
    }
    if (bar->number == EXEC_POOL) {
        sm_register_pool_meet(s, w);
        return;
    }
    if (bar->number == EXEC_CGA_BARRIER) {
        sm_cga_meet(s, w);
        return;
    }
    sm_barrier *b = meet(s, c, w);

    s->st.barriers++;
    if (bar->kind == KIND_ARRIVE)
        sm_warp_resume(s, w);
    else
        sm_warp_set(s, w, WHY_BARRIER);
    if (is_complete(c, b))
        complete(s, c, b);
}

uint64_t sm_barrier_pass(sm *s, unsigned w)
{
    sm_cta *c = &s->ctas.cta[s->warp[w].cta];
    sm_barrier *b = meet(s, c, w);
    uint64_t go = BIT(w) & ~b->waiting;

    return is_complete(c, b) ? go | open_barrier(s, c, b) : go;
}

void sm_barrier_leave(sm *s, unsigned cta)
{
    sm_cta *c = &s->ctas.cta[cta];

    for (uint64_t set = c->arrived; set; set &= set - 1) {
        sm_barrier *b = &c->barrier[bits_ctz64(set)];
        if (is_complete(c, b))
            complete(s, c, b);
    }
}
