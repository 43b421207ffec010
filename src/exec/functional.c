#include "exec/functional.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/arrivals.h"
#include "exec/cga.h"
#include "exec/fault.h"
#include "exec/grid_state.h"
#include "exec/level.h"
#include "exec/mbarrier.h"
#include "exec/plan.h"
#include "exec/pool.h"
#include "exec/products.h"
#include "exec/watcher.h"

enum {
    QUANTUM = 256, /* instructions of a warp before the next warp's turn */
    WARPS_MAX = 64,
    CHECKS = 64, /* of the limits between two words about progress */
    /* Instructions of each warp that can run before the next CTA's turn. At
     * first so many that CTAs which wait for no other end in their first turn,
     * and so run one by one. Each that does not halves them: it may wait, and
     * what it executes meanwhile is for nothing. */
    PATIENCE = 1 << 17,
    PATIENCE_LEAST = QUANTUM,
    /* Whether what is in flight spins is looked at in turns of so many
     * instructions of each warp, of so many warps at most; then for one part of
     * so many. */
    LOOK_TURN = 1 << 13,
    LOOK_LEAST = 1 << 10,
    LOOK_ALL = 1 << 24,
    LOOK_SHARE = 64,
    ROW_ALIGN = 64, /* of registers: vectors of the host do not cross lines */
};

static uint32_t barrier_value(const cta_barrier *b, const exec_bar *bar)
{
    switch (bar->kind) {
    case 2:
        return b->trues == b->threads;
    case 3:
        return b->trues != 0;
    default:
        return b->trues;
    }
}

/* Lets the warps at `b` go if all it waits for have come. */
static void barrier_check(place *p, cta_barrier *b)
{
    uint32_t need = b->count ? b->count / ISA_WARP : p->cta.live_warps;

    if (!b->arrived || b->arrived < need)
        return;
    for (uint64_t left = b->waiting; left; left &= left - 1) {
        unsigned i = bits_ctz64(left);

        if (p->bars[i].kind >= 2)
            exec_bar_result(&p->warps[i], &p->bars[i],
                            barrier_value(b, &p->bars[i]));
    }
    p->runnable |= b->waiting;
    *b = (cta_barrier){0};
}

/* Lets the warps of a cluster go that wait at its barrier, if all that live
 * have come. */
static void cga_check(place *p)
{
    bool come = false;

    for (place *m = p->first; m; m = m->beside) {
        if (m->live && !exec_cga_complete(&m->at_cga, m->cta.live_warps))
            return;
        come |= m->live != 0;
    }
    for (place *m = come ? p->first : NULL; m; m = m->beside) {
        for (uint64_t left = m->at_cga.arrived; left; left &= left - 1)
            m->warps[bits_ctz64(left)].cga_lanes = 0;
        m->runnable |= m->at_cga.waiting;
        m->at_cga = (exec_cga_part){0};
    }
}

/* The warp has executed USETMAXREG; what it gives lets others go that wait. */
static void pool_meet(place *p, unsigned warp)
{
    if (!exec_pool_settle(&p->warps[warp]))
        p->runnable &= ~((uint64_t)1 << warp);
    for (uint64_t left = p->live & ~p->runnable; left; left &= left - 1) {
        unsigned i = bits_ctz64(left);

        if (p->bars[i].number == EXEC_POOL && exec_pool_settle(&p->warps[i]))
            p->runnable |= left & -left;
    }
}

static void barrier_arrive(place *p, unsigned warp)
{
    const exec_bar *bar = &p->bars[warp];
    cta_barrier *b = &p->barrier[bar->number % BARRIERS];

    if (bar->number > EXEC_POOL) /* launches run one after the other */
        return;
    if (bar->number == EXEC_POOL) {
        pool_meet(p, warp);
        return;
    }
    if (bar->number == EXEC_CGA_BARRIER) {
        if (exec_cga_meet(&p->at_cga, &p->warps[warp], warp, bar))
            p->runnable &= ~((uint64_t)1 << warp);
        cga_check(p);
        return;
    }

    b->arrived++;
    b->count = bar->count;
    b->threads += bits_popcount32(bar->lanes);
    b->trues += bits_popcount32(bar->pred);
    if (bar->kind != 1) {
        b->waiting |= (uint64_t)1 << warp;
        p->runnable &= ~((uint64_t)1 << warp);
    }
    barrier_check(p, b);
}

/* Lets those of a warp's group go that wait for its products. */
static void products_check(place *p, unsigned warp)
{
    unsigned first = warp - warp % EXEC_GROUP_WARPS;
    uint64_t group = (((uint64_t)1 << EXEC_GROUP_WARPS) - 1) << first;

    p->runnable |= exec_products_over(&p->products, p->warps, p->live & group);
}

/* `warp` has closed a group of copies or products, or is to wait for some:
 * copies are over at once. */
static void copies_meet(place *p, unsigned warp, const isa_inst *in)
{
    if (in->op == ISA_MBCOPIES)
        exec_mbarrier_behind_copies(&p->warps[warp], &p->bars[warp]);
    if (in->op != ISA_WGWAIT && in->op != ISA_WGCOMMIT)
        return;
    if (in->op == ISA_WGWAIT) {
        exec_products_await(&p->products, warp, &p->warps[warp], in->lut);
        p->runnable &= ~((uint64_t)1 << warp);
    }
    products_check(p, warp);
}

static void warp_ended(place *p, unsigned warp)
{
    p->runnable &= ~((uint64_t)1 << warp);
    p->live &= ~((uint64_t)1 << warp);
    p->cta.live_warps--;
    products_check(p, warp);
    for (unsigned n = 0; n < BARRIERS; n++)
        if (!p->barrier[n].count)
            barrier_check(p, &p->barrier[n]);
    p->at_cga.arrived &= ~((uint64_t)1 << warp);
    if (!p->live)
        p->first->cga.member[p->cta.rank] = NULL;
    cga_check(p);
}

/* `w` has executed the instruction at `pc`; `before` were its active lanes. */
static void count_inst(exec_grid *g, const exec_warp *w, uint32_t pc,
                       uint32_t before)
{
    exec_inst_total *t = &g->totals->insts[pc];
    unsigned op = w->code[pc].op;

    t->insts++;
    t->lanes += bits_popcount32(w->ran);
    if (op == ISA_BRA || op == ISA_BRX)
        t->diverged += (before & ~w->simt.active) != 0;
}

/* Performs an access, and reports it to `x`, the observer of the warp. */
static bool access_memory(exec_grid *g, exec_warp *w, exec_spin *x, exec_mem *m)
{
    static const unsigned ALL = (1u << EXEC_SPACES) - 1;
    uint64_t now = g->totals->warp_instructions;

    exec_see(g->seen, m);
    if (x)
        exec_spin_before(x, w, m, ALL, g->view, now);
    if (!exec_mem_perform(w, m, ALL, g->view, g->fault))
        return false;
    if (x)
        exec_spin_after(x, w, m, ALL, now);
    if (m->in->flags & ISA_F_ATOMIC)
        exec_writers_atomic(&g->writers, w, m, g->totals->warp_instructions);
    return true;
}

/* What an instruction of a warp, at `pc`, has come to. True: the turn of the
 * warp goes on; else *st says why it ends. */
static bool settle(exec_grid *g, place *p, unsigned warp, uint32_t pc,
                   exec_result what, exec_mem *mem, status *st)
{
    exec_warp *w = &p->warps[warp];

    *st = ST_OK;
    switch (what) {
    case EXEC_DONE:
    case EXEC_FENCE:
    case EXEC_GROUP:
        return true;
    case EXEC_COPIES:
        copies_meet(p, warp, &w->code[pc]);
        return p->runnable >> warp & 1;
    case EXEC_MEM:
        if (access_memory(g, w, p->spin ? &p->spin[warp] : NULL, mem))
            return true;
        *st = ST_FAULT;
        return false;
    case EXEC_BARRIER:
        barrier_arrive(p, warp);
        return p->runnable >> warp & 1;
    case EXEC_SLEEP:
        return false;
    case EXEC_BLOCKED:
        *g->fault = exec_fault_at(w, FAULT_DEADLOCK, w->simt.live);
        *st = ST_HANG;
        return false;
    case EXEC_EXIT:
        warp_ended(p, warp);
        return false;
    case EXEC_FAULT:
        *st = ST_FAULT;
    }
    return false;
}

/* One turn of a warp. */
static status warp_run(exec_grid *g, place *p, unsigned warp)
{
    exec_totals *sum = g->totals;
    exec_warp *w = &p->warps[warp];
    uint64_t end = sum->warp_instructions + QUANTUM;
    exec_mem mem;
    exec_turn t = {
        .view = g->view, .mem = &mem, .bar = &p->bars[warp], .fault = g->fault};
    status st = ST_OK;
    exec_result what;

    do {
        t.clock = sum->warp_instructions;
        t.most = (uint32_t)(end - t.clock);
        what = exec_run(w, &t);
        sum->warp_instructions += t.insts;
        sum->thread_instructions += t.lanes;
    } while (settle(g, p, warp, t.pc, what, &mem, &st) &&
             sum->warp_instructions < end);
    return st;
}

/* The same, for those who look at each instruction. */
static status warp_step(exec_grid *g, place *p, unsigned warp)
{
    exec_warp *w = &p->warps[warp];
    exec_spin *x = p->spin ? &p->spin[warp] : NULL;
    exec_mem mem;

    for (unsigned n = 0; n < QUANTUM; n++) {
        uint32_t pc = w->simt.pc, before = w->simt.active;
        status st;

        w->clock = g->totals->warp_instructions;
        exec_result what = exec_step(w, &mem, &p->bars[warp], g->fault);

        g->totals->warp_instructions++;
        g->totals->thread_instructions += bits_popcount32(w->ran);
        if (g->totals->insts)
            count_inst(g, w, pc, before);
        if (x || g->watcher)
            exec_watch_step(g->watcher, x, w, pc, what, &mem,
                            g->totals->warp_instructions);
        if (!settle(g, p, warp, pc, what, &mem, &st))
            return st;
    }
    return ST_OK;
}

static status check_limits(exec_grid *g)
{
    const exec_limits *lim = g->limits;

    if (!lim)
        return ST_OK;
    if (lim->progress && !(++g->checks % CHECKS))
        lim->progress(lim->progress_arg, g->totals);
    if (lim->warp_instructions &&
        g->totals->warp_instructions >= lim->warp_instructions)
        return ST_LIMIT;
    return lim->stop && lim->stop(lim->arg) ? ST_INTERRUPTED : ST_OK;
}

static void place_free(place *p)
{
    if (!p)
        return;
    exec_arrivals_free(&p->cta);
    free(p->deep);
    free(p->shared);
    free(p->local);
    free(p->reg);
    free(p->bars);
    free(p->warps);
    free(p);
}

static void places_free(place *first)
{
    for (place *p = first, *next; p; p = next) {
        next = p->next;
        for (place *m = p->first == p ? p->beside : NULL, *after; m;
             m = after) {
            after = m->beside;
            place_free(m);
        }
        place_free(p);
    }
}

/* Memory of the kernel's is zero, registers are cleared when a warp starts. */
static place *place_new(const exec_launch *l)
{
    size_t rows = (size_t)l->kernel->registers * l->warps;
    size_t local = exec_local_room(l) * ISA_WARP * l->warps;
    size_t shared = exec_shared_room(l);
    place *p = new0(1, sizeof *p);

    p->warps = new0(l->warps, sizeof *p->warps);
    p->bars = new0(l->warps, sizeof *p->bars);
    p->reg = new_aligned(ROW_ALIGN, (rows ? rows : 1) * sizeof *p->reg);
    p->local = new0(local ? local : 1, 1);
    p->shared = new0(shared ? shared : 1, 1);
    if (l->arch < ARCH_VOLTA)
        p->deep = new0((size_t)l->warps * SIMT_DEEP, sizeof *p->deep);
    return p;
}

/* Takes over the place of a CTA that has ended, or makes one. */
static place *place_take(exec_grid *g)
{
    const exec_launch *l = g->l;
    place *p = g->spare;

    if (!p)
        return place_new(l);
    g->spare = p->next;
    memset(p->shared, 0, exec_shared_room(l));
    memset(p->local, 0, exec_local_room(l) * ISA_WARP * l->warps);
    memset(p->barrier, 0, sizeof p->barrier);
    p->products.waiting = 0;
    return p;
}

/* The CTA whose number and id are set. */
static void cta_start(exec_grid *g, place *p)
{
    const exec_launch *l = g->l;
    size_t local = exec_local_room(l) * ISA_WARP;

    exec_arrivals_free(&p->cta);
    p->cta.launch = l;
    p->cta.shared = p->shared;
    p->live = p->runnable = exec_cta_start(&p->cta);
    for (uint64_t left = p->live; left; left &= left - 1) {
        unsigned i = bits_ctz64(left);
        exec_warp *w = &p->warps[i];

        w->reg = p->reg + (size_t)i * l->kernel->registers;
        w->local = p->local + i * local;
        w->cta = &p->cta;
        w->index = i;
        w->simt.deep = p->deep ? p->deep + (size_t)i * SIMT_DEEP : NULL;
        exec_warp_start(w);
        w->plan = g->plan;
    }
    g->totals->warps += p->cta.live_warps;
    exec_watch_begin(g->watcher, &p->cta);
}

/* Starts the next CTA of the grid, with the others of its cluster, if any: the
 * first of them stands for all. */
static place *cta_begin(exec_grid *g)
{
    unsigned size = exec_cga_size(g->l);
    place *first = place_take(g), *p = first;

    for (unsigned rank = 0;; rank++) {
        p->cta.rank = rank;
        p->first = first;
        p->beside = NULL;
        p->at_cga = (exec_cga_part){0};
        p->cta.number =
            exec_cga_id(g->l->cga, g->l->grid, g->begun++, p->cta.id);
        p->cta.cga = size > 1 ? &first->cga : NULL;
        first->cga.member[rank] = &p->cta;
        cta_start(g, p);
        if (rank + 1 == size)
            break;
        p = p->beside = place_take(g);
    }
    first->cga.size = size;
    g->in_flight++;
    return first;
}

/* Warps of a CTA and those of its cluster that live, and that can run. */
static void count_warps(const place *p, unsigned *live, unsigned *runnable)
{
    *live = *runnable = 0;
    for (p = p->first; p; p = p->beside) {
        *live += bits_popcount64(p->live);
        *runnable += bits_popcount64(p->runnable);
    }
}

static bool is_alive(const place *p)
{
    unsigned live, runnable;

    count_warps(p, &live, &runnable);
    return live != 0;
}

/* Nothing of `p` and its cluster can run. */
static status report_deadlock(exec_grid *g, const place *p)
{
    while (!p->live)
        p = p->beside;
    const exec_warp *w = &p->warps[bits_ctz64(p->live)];

    *g->fault = exec_fault_at(w, FAULT_DEADLOCK, w->simt.live);
    return ST_HANG;
}

/* One turn of each warp of a CTA and of its cluster. */
static status warps_run(exec_grid *g, place *p)
{
    bool seen = !g->plan || g->watcher || g->totals->insts;
    status st = ST_OK;

    for (; p && st == ST_OK; p = p->beside)
        for (uint64_t left = p->runnable; left && st == ST_OK; left &= left - 1)
            if (p->runnable & left & -left)
                st = (seen || p->spin ? warp_step : warp_run)(g, p,
                                                              bits_ctz64(left));
    return st;
}

/* One turn of a CTA, or a cluster: until it has ended, or patience has. */
static status cta_run(exec_grid *g, place *p)
{
    const uint64_t *insts = &g->totals->warp_instructions;
    unsigned live, runnable;

    count_warps(p, &live, &runnable);
    uint64_t until = *insts + (uint64_t)g->patience * runnable;

    while (live) {
        status st = check_limits(g);

        if (st == ST_OK)
            st = runnable ? warps_run(g, p) : report_deadlock(g, p);
        if (st != ST_OK)
            return st;
        count_warps(p, &live, &runnable);
        if (*insts >= until)
            break;
    }
    return ST_OK;
}

/* The CTA, with its cluster, has ended. */
static void cta_end(exec_grid *g, place *p)
{
    g->in_flight--;
    g->in_vain = 0;
    for (place *beside; p; p = beside) {
        beside = p->beside;
        p->beside = NULL;
        g->totals->ctas++;
        exec_watch_end(g->watcher, &p->cta);
        p->next = g->spare;
        g->spare = p;
    }
}

/* It has not: it waits until all others have had a turn. */
static void cta_set_aside(exec_grid *g, place *p)
{
    if (g->aside)
        g->last->next = p;
    else
        g->aside = p;
    g->last = p;
    p->next = NULL;
    g->patience /= 2;
    if (g->patience < PATIENCE_LEAST)
        g->patience = PATIENCE_LEAST;
}

/* The CTA that has waited longest. */
static place *cta_resume(exec_grid *g)
{
    place *p = g->aside;

    g->aside = p->next;
    return p;
}

/* Has each CTA in flight had its shortest turn without ending? */
static bool waits_for_other(const exec_grid *g)
{
    return g->in_flight && g->patience == PATIENCE_LEAST &&
           g->in_vain >= g->in_flight;
}

/* Gives all CTAs in flight, which seem to spin, one turn with observers.
 * ST_HANG: all of them spin, and nothing else can change the memory that they
 * read. */
static status watch_turn(exec_grid *g)
{
    uint64_t from = g->totals->warp_instructions, n = g->in_flight;
    uint64_t turn = LOOK_ALL / (n * exec_cga_size(g->l) * g->l->warps);
    uint32_t patience = g->patience;
    status st = ST_OK;

    grid_look_begin(g);
    g->patience = turn > LOOK_TURN    ? LOOK_TURN
                  : turn < LOOK_LEAST ? LOOK_LEAST
                                      : (uint32_t)turn;
    for (uint32_t least = g->patience; n && st == ST_OK; n--) {
        place *p = cta_resume(g);

        g->patience = least;
        st = cta_run(g, p);
        if (is_alive(p)) {
            cta_set_aside(g, p);
            continue;
        }
        for (place *m = p; m; m = m->beside)
            grid_spins_free(g, m);
        cta_end(g, p);
        break; /* something happens */
    }
    if (st == ST_OK && !n && grid_look_end(g, from) && g->limits &&
        g->limits->alone) {
        g->found.endless = true;
        grid_take_waits(g);
        st = ST_HANG;
    }
    for (place *p = g->aside; p; p = grid_next_aside(p))
        grid_spins_free(g, p);
    g->patience = patience;
    g->look_at = g->totals->warp_instructions +
                 LOOK_SHARE * (g->totals->warp_instructions - from);
    return st;
}

static bool look_is_due(const exec_grid *g)
{
    return waits_for_other(g) && g->totals->warp_instructions >= g->look_at;
}

const exec_spins *exec_grid_spins(const exec_grid *g) { return &g->found; }

static status grid_run(exec_grid *g, bool *ended)
{
    uint64_t ctas = g->end;
    uint64_t most = g->limits ? g->limits->ctas : 0;
    unsigned size = exec_cga_size(g->l);

    g->in_vain = 0;
    while (g->begun < ctas || g->in_flight) {
        bool more = g->begun < ctas && (!most || g->in_flight * size < most);
        place *p = more ? cta_begin(g) : cta_resume(g);

        g->in_vain = more ? 0 : g->in_vain + 1;
        status st = cta_run(g, p);
        if (is_alive(p))
            cta_set_aside(g, p);
        else
            cta_end(g, p);
        if (st == ST_OK && look_is_due(g))
            st = watch_turn(g);
        if (st != ST_OK || waits_for_other(g))
            return st;
    }
    *ended = g->begun == ctas && !g->in_flight;
    return ST_OK;
}

exec_grid *exec_grid_new(const exec_launch *l, mem_view *view,
                         const exec_limits *limits, exec_fault *fault,
                         exec_totals *totals)
{
    exec_grid *g = new0(1, sizeof *g);

    g->l = l;
    g->view = view;
    g->limits = limits;
    g->fault = fault;
    g->totals = totals ? totals : &g->own;
    g->patience = PATIENCE;
    g->watcher = limits ? limits->watcher : NULL;
    g->seen = limits ? limits->seen : NULL;
    g->look_at = limits ? limits->look_first : 0;
    g->begun = limits ? limits->first : 0;
    g->end = limits && limits->last
                 ? limits->last
                 : (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    *g->totals = (exec_totals){.insts = g->totals->insts};
    if (exec_plan_suits(l))
        g->plan = exec_plan_new(l, exec_ops_best(), view);
    if (g->plan && g->seen)
        exec_plan_tell(g->plan);
    return g;
}

void exec_grid_free(exec_grid *g)
{
    if (!g)
        return;
    places_free(g->aside);
    places_free(g->spare);
    exec_spins_fini(&g->found);
    exec_plan_free(g->plan);
    free(g);
}

status exec_grid_run(exec_grid *g, bool *ended)
{
    fenv_t saved;

    *ended = false;
    if (g->l->warps < 1 || g->l->warps > WARPS_MAX)
        return ST_USAGE;
    exec_host_enter(&saved);
    status st = grid_run(g, ended);
    if ((st == ST_HANG || st == ST_LIMIT || st == ST_INTERRUPTED) &&
        !g->found.waits)
        grid_take_waits(g);
    exec_host_leave(&saved);
    return st;
}

status exec_run_grid(const exec_launch *l, mem_view *view,
                     const exec_limits *limits, exec_fault *fault,
                     exec_totals *totals)
{
    exec_grid *g = exec_grid_new(l, view, limits, fault, totals);
    status st = ST_OK;

    for (bool ended = false; st == ST_OK && !ended;)
        st = exec_grid_run(g, &ended);
    exec_grid_free(g);
    return st;
}
