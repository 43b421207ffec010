#include "sm/observe/spin.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "sm/observe/inspect.h"
#include "sm/slots.h"
#include "sm/state.h"

struct sm_spin {
    uint64_t last; /* cycle in which something happened */
    exec_spin warp[SM_WARPS];
};

void sm_spin_begin(sm *s, uint64_t now)
{
    s->observe.spin = new0(1, sizeof *s->observe.spin);
    s->observe.spin->last = now;
    for (unsigned w = 0; w < SM_WARPS; w++)
        exec_spin_begin(&s->observe.spin->warp[w], now);
    s->observe.any = true;
    sm_slots_observe(s);
}

void sm_spin_end(sm *s)
{
    for (unsigned w = 0; s->observe.spin && w < SM_WARPS; w++)
        exec_spin_end(&s->observe.spin->warp[w]);
    free(s->observe.spin);
    s->observe.spin = NULL;
    s->observe.any = s->observe.profile || s->observe.trace;
    sm_slots_observe(s);
}

/* Until others let it go, for as long as that takes. */
static bool is_blocked(const sm *s, unsigned w)
{
    sm_why why = s->warp[w].why;

    return why == WHY_BARRIER || why == WHY_REGISTERS || why == WHY_DEPENDENT;
}

void sm_spin_gather(sm *s, exec_gather *g, uint64_t *last)
{
    if (s->observe.spin->last > *last)
        *last = s->observe.spin->last;
    for (unsigned c = 0; c < SM_WARPS; c++) {
        if (!s->ctas.cta[c].taken)
            continue;
        for (uint64_t set = s->ctas.cta[c].warps & s->resident; set;
             set &= set - 1) {
            unsigned w = bits_ctz64(set);

            if (!s->warp[w].ended)
                exec_gather_warp(g, &s->observe.spin->warp[w], &s->x[w],
                                 s->ctas.cta[c].grid, is_blocked(s, w));
        }
    }
}

void sm_waits(const sm *s, exec_waits *to)
{
    for (unsigned i = 0; i < SM_WARPS; i++) {
        const sm_cta *cta = &s->ctas.cta[i];
        exec_waits_cta c = {.cta = &cta->x, .launch = cta->grid};

        if (!cta->taken)
            continue;
        for (unsigned n = 0; n < s->cfg->sm.barriers; n++) {
            c.come[n] = cta->barrier[n].arrived;
            c.need[n] = cta->barrier[n].expected;
        }
        for (uint64_t set = cta->warps & s->resident; set; set &= set - 1) {
            unsigned w = bits_ctz64(set), at = s->x[w].index;

            if (s->warp[w].ended)
                continue;
            c.warp[at] = &s->x[w];
            c.bar[at] = &s->bar[w];
            c.spin[at] = s->observe.spin ? &s->observe.spin->warp[w] : NULL;
            c.blocked |= (uint64_t)(is_blocked(s, w) && !sm_is_let_go(s, w))
                         << at;
            c.cga_arrived |= (uint64_t)(cta->at_cga.arrived >> w & 1) << at;
        }
        exec_waits_add(to, &c);
    }
}

unsigned sm_stores(const sm *s) { return s->lsu.stores + sm_tma_count(s); }

const exec_writers *sm_writers(const sm *s) { return &s->launches.writers; }

const exec_warp *sm_warp_of(const sm *s, unsigned n, uint64_t cta,
                            unsigned warp)
{
    for (uint64_t set = s->resident; set; set &= set - 1) {
        unsigned w = bits_ctz64(set);

        if (s->warp[w].grid == n && s->x[w].cta->number == cta &&
            s->x[w].index == warp)
            return &s->x[w];
    }
    return NULL;
}

/* ---- while warps are watched ---- */

static void notice(sm *s, const exec_spin *x)
{
    if (x->quiet > s->observe.spin->last)
        s->observe.spin->last = x->quiet;
}

void sm_spin_issue(sm *s, unsigned w, uint32_t pc, exec_result r)
{
    exec_spin *x = &s->observe.spin->warp[w];

    exec_spin_step(x, &s->x[w], pc, r, s->now);
    notice(s, x);
}

void sm_spin_start(sm *s, unsigned w)
{
    exec_spin_end(&s->observe.spin->warp[w]);
    exec_spin_begin(&s->observe.spin->warp[w], s->now);
    s->observe.spin->last = s->now;
}

void sm_spin_before(sm *s, const sm_lsu_entry *e, unsigned spaces)
{
    exec_spin *x = &s->observe.spin->warp[e->warp];

    exec_spin_before(x, &s->x[e->warp], e->m, spaces, s->view, s->now);
    notice(s, x);
}

/* ---- who wrote ---- */

static exec_writer writer_of(const sm *s, const sm_lsu_entry *e)
{
    const exec_warp *x = &s->x[e->warp];

    return (exec_writer){.when = s->now,
                         .cta = x->cta->number,
                         .pc = e->pc,
                         .launch = s->warp[e->warp].grid,
                         .warp = (uint8_t)x->index,
                         .lane = ISA_WARP,
                         .taken = true};
}

void sm_note_store(sm *s, const sm_lsu_entry *e, const sm_tx *t)
{
    exec_writer by = writer_of(s, e);

    by.addr = t->line;
    exec_writers_store(&s->launches.writers, &by, t->bytes);
}

void sm_spin_after(sm *s, const sm_lsu_entry *e, unsigned spaces)
{
    uint32_t shared = e->m->space[EXEC_SHARED];

    if (shared && (e->m->in->flags & ISA_F_ATOMIC)) {
        exec_writer by = writer_of(s, e);

        by.shared = true;
        exec_writers_atom(&s->launches.writers, &by, e->m->changed & shared,
                          e->m->addr);
    }
    if (s->observe.spin) {
        exec_spin *x = &s->observe.spin->warp[e->warp];

        exec_spin_after(x, &s->x[e->warp], e->m, spaces, s->now);
        notice(s, x);
    }
}

void sm_note_atom(const sm *s, const sm_lsu_entry *e, mem_atom *a)
{
    a->cta = s->x[e->warp].cta->number;
    a->pc = e->pc;
    a->launch = s->warp[e->warp].grid;
    a->warp = (uint8_t)s->x[e->warp].index;
}

void sm_note_change(sm *s, const mem_atom *a)
{
    exec_writer by = {.when = a->when,
                      .cta = a->cta,
                      .pc = a->pc,
                      .launch = a->launch,
                      .warp = a->warp,
                      .taken = true};

    if (a->changed)
        exec_writers_atom(&s->launches.writers, &by, a->changed, a->addr);
}

void sm_spin_atom(sm *s, unsigned w, const mem_atom *a)
{
    sm_note_change(s, a);
    if (s->observe.spin) {
        exec_spin *x = &s->observe.spin->warp[w];

        exec_spin_atom(x, &s->x[w], a->pc, a, s->now);
        notice(s, x);
    }
}
