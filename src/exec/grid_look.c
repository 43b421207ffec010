/* src/exec/grid_look.c - what the CTAs of a grid spin on and wait for. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/grid_state.h"
#include "exec/spins.h"
#include "exec/waits.h"

enum { LOOK_WARPS = 1 << 13 }; /* observed at once, at most */

static const exec_launch *launch_of_grid(void *self, unsigned n)
{
    const exec_grid *g = self;

    (void)n;
    return g->l;
}

static const exec_writer *find_writer(void *self, uint64_t addr, unsigned size,
                                      bool shared, uint64_t cta, bool *may)
{
    const exec_grid *g = self;

    *may = true; /* stores are not kept */
    return exec_writers_find(&g->writers, addr, size, shared, cta);
}

static const exec_warp *find_warp(void *self, const exec_writer *by)
{
    const exec_grid *g = self;

    for (const place *p = g->aside; p; p = grid_next_aside(p))
        if (p->cta.number == by->cta && p->live >> by->warp & 1)
            return &p->warps[by->warp];
    return NULL;
}

/* The number of CTAs in flight to observe: all, up to a limit. */
static uint64_t looked_at(const exec_grid *g)
{
    uint64_t most = LOOK_WARPS / g->l->warps;
    uint64_t all = g->in_flight * exec_cga_size(g->l);

    return all < most ? all : most ? most : 1;
}

void grid_look_begin(exec_grid *g)
{
    uint64_t n = looked_at(g);

    for (place *p = g->aside; p && n; p = grid_next_aside(p), n--) {
        p->spin = new0(g->l->warps, sizeof *p->spin);
        for (uint32_t i = 0; i < g->l->warps; i++)
            exec_spin_begin(&p->spin[i], g->totals->warp_instructions);
    }
}

void grid_spins_free(const exec_grid *g, place *p)
{
    for (uint32_t i = 0; p->spin && i < g->l->warps; i++)
        exec_spin_end(&p->spin[i]);
    free(p->spin);
    p->spin = NULL;
}

/* What the warps of a CTA wait for. */
static void add_waits(const exec_grid *g, const place *p, exec_waits *to)
{
    exec_waits_cta c = {.cta = &p->cta,
                        .blocked = p->live & ~p->runnable,
                        .cga_arrived = p->at_cga.arrived};

    for (unsigned n = 0; n < BARRIERS; n++) {
        c.come[n] = p->barrier[n].arrived * ISA_WARP;
        c.need[n] = p->barrier[n].count;
    }
    for (uint32_t i = 0; i < g->l->warps; i++) {
        c.warp[i] = p->live >> i & 1 ? &p->warps[i] : NULL;
        c.bar[i] = &p->bars[i];
        c.spin[i] = p->spin ? &p->spin[i] : NULL;
    }
    exec_waits_add(to, &c);
}

void grid_take_waits(exec_grid *g)
{
    exec_waits *ws = exec_waits_new();

    for (const place *p = g->aside; p; p = grid_next_aside(p))
        add_waits(g, p, ws);
    g->found.waits = exec_waits_end(ws);
}

bool grid_look_end(exec_grid *g, uint64_t from)
{
    const exec_machine m = {.self = g,
                            .launch = launch_of_grid,
                            .find = find_writer,
                            .warp = find_warp,
                            .image = mem_view_image(g->view)};
    exec_gather *all = exec_gather_new(&m);
    exec_spins before = g->found;
    bool whole = true;

    for (place *p = g->aside; p; p = grid_next_aside(p)) {
        whole &= p->spin != NULL;
        for (uint64_t left = p->spin ? p->live : 0; left; left &= left - 1) {
            unsigned i = bits_ctz64(left);

            exec_gather_warp(all, &p->spin[i], &p->warps[i], 0,
                             !(p->runnable >> i & 1));
        }
    }
    bool still = whole && exec_gather_still(all, from);
    g->found = exec_gather_end(all);
    g->found.since = g->found.from = from;
    g->found.to = g->totals->warp_instructions;
    g->found.ctas = (uint64_t)g->l->grid[0] * g->l->grid[1] * g->l->grid[2];
    g->found.started = g->begun;
    if (before.count && g->found.count && before.is->pc == g->found.is->pc &&
        before.is->addr == g->found.is->addr)
        g->found.since = before.since;
    exec_spins_fini(&before);
    return still;
}
