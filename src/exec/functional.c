/* src/exec/functional.c */
#include "exec/functional.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "exec/fault.h"

enum {
    QUANTUM = 256, /* instructions of a warp before the next warp's turn */
    WARPS_MAX = 64,
    BARRIERS = 16,
    CHECKS = 64, /* of the limits between two words about progress */
    /* Instructions of each warp that can run before the next CTA's turn. At
     * first so many that CTAs which wait for no other end in their first turn,
     * and so run one by one. Each that does not halves them: it may wait, and
     * what it executes meanwhile is for nothing. */
    PATIENCE = 1 << 17,
    PATIENCE_LEAST = QUANTUM,
};

typedef struct cta_barrier {
    uint64_t waiting; /* warps */
    uint32_t arrived; /* warps, those that do not wait included */
    uint32_t count;   /* threads to wait for, 0: all that live */
    uint32_t threads, trues;
} cta_barrier;

/* What a CTA in flight has; the next CTA takes it over. */
typedef struct place {
    struct place *next; /* in its queue */
    exec_cta cta;
    exec_warp *warps;
    exec_bar *bars; /* the barrier each warp waits at */
    uint32_t (*reg)[ISA_WARP];
    simt_entry *deep; /* of all warps; NULL: Volta */
    uint8_t *local, *shared;
    cta_barrier barrier[BARRIERS];
    uint64_t runnable, live; /* warps */
} place;

typedef struct runner {
    const exec_launch *l;
    mem_view *view;
    const exec_limits *limits;
    exec_fault *fault;
    exec_totals *totals;
    uint64_t begun;      /* CTAs, in this order: */
    uint32_t id[3];      /* the next */
    place *spare;        /* nobody's */
    place *aside, *last; /* of CTAs that wait for their turn, the next first */
    uint64_t in_flight;
    uint32_t patience;
    unsigned checks; /* of the limits */
} runner;

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

static void barrier_arrive(place *p, unsigned warp)
{
    const exec_bar *bar = &p->bars[warp];
    cta_barrier *b = &p->barrier[bar->number];

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

static void warp_ended(place *p, unsigned warp)
{
    p->runnable &= ~((uint64_t)1 << warp);
    p->live &= ~((uint64_t)1 << warp);
    p->cta.live_warps--;
    for (unsigned n = 0; n < BARRIERS; n++)
        if (!p->barrier[n].count)
            barrier_check(p, &p->barrier[n]);
}

/* `w` has executed the instruction at `pc`; `before` were its active lanes. */
static void count_inst(runner *r, const exec_warp *w, uint32_t pc,
                       uint32_t before)
{
    exec_inst_total *t = &r->totals->insts[pc];
    unsigned op = w->code[pc].op;

    t->insts++;
    t->lanes += bits_popcount32(w->ran);
    if (op == ISA_BRA || op == ISA_BRX)
        t->diverged += (before & ~w->simt.active) != 0;
}

/* One turn of a warp. */
static status warp_run(runner *r, place *p, unsigned warp)
{
    exec_warp *w = &p->warps[warp];
    exec_mem mem;

    for (unsigned n = 0; n < QUANTUM; n++) {
        uint32_t pc = w->simt.pc, before = w->simt.active;
        w->clock = r->totals->warp_instructions;
        exec_result what = exec_step(w, &mem, &p->bars[warp], r->fault);

        r->totals->warp_instructions++;
        r->totals->thread_instructions += bits_popcount32(w->ran);
        if (r->totals->insts)
            count_inst(r, w, pc, before);
        switch (what) {
        case EXEC_DONE:
        case EXEC_FENCE:
        case EXEC_COPIES:
            break;
        case EXEC_MEM:
            if (!exec_mem_perform(w, &mem, (1u << EXEC_SPACES) - 1, r->view,
                                  r->fault))
                return ST_FAULT;
            break;
        case EXEC_BARRIER:
            barrier_arrive(p, warp);
            if (!(p->runnable >> warp & 1))
                return ST_OK;
            break;
        case EXEC_SLEEP:
            return ST_OK;
        case EXEC_BLOCKED:
            *r->fault = exec_fault_at(w, FAULT_DEADLOCK, w->simt.live);
            return ST_HANG;
        case EXEC_EXIT:
            warp_ended(p, warp);
            return ST_OK;
        case EXEC_FAULT:
            return ST_FAULT;
        }
    }
    return ST_OK;
}

static status check_limits(runner *r)
{
    const exec_limits *lim = r->limits;

    if (!lim)
        return ST_OK;
    if (lim->progress && !(++r->checks % CHECKS))
        lim->progress(lim->progress_arg, r->totals);
    if (lim->warp_instructions &&
        r->totals->warp_instructions >= lim->warp_instructions)
        return ST_LIMIT;
    return lim->stop && lim->stop(lim->arg) ? ST_INTERRUPTED : ST_OK;
}

static void place_free(place *p)
{
    if (!p)
        return;
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
        place_free(p);
    }
}

/* Memory of the kernel's is zero, registers are cleared when a warp starts.
 * NULL if memory runs out. */
static place *place_new(const exec_launch *l)
{
    size_t rows = (size_t)l->kernel->registers * l->warps;
    size_t local = exec_local_room(l) * ISA_WARP * l->warps;
    size_t shared = exec_shared_room(l);
    bool stack = l->arch != ARCH_VOLTA;
    place *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->warps = calloc(l->warps, sizeof *p->warps);
    p->bars = calloc(l->warps, sizeof *p->bars);
    p->reg = malloc((rows ? rows : 1) * sizeof *p->reg);
    p->local = calloc(local ? local : 1, 1);
    p->shared = calloc(shared ? shared : 1, 1);
    if (stack)
        p->deep = calloc((size_t)l->warps * SIMT_DEEP, sizeof *p->deep);
    if (p->warps && p->bars && p->reg && p->local && p->shared &&
        (p->deep || !stack))
        return p;
    place_free(p);
    return NULL;
}

/* Takes over the place of a CTA that has ended, or makes one. */
static place *place_take(runner *r)
{
    const exec_launch *l = r->l;
    place *p = r->spare;

    if (!p)
        return place_new(l);
    r->spare = p->next;
    memset(p->shared, 0, exec_shared_room(l));

    memset(p->local, 0, exec_local_room(l) * ISA_WARP * l->warps);
    memset(p->barrier, 0, sizeof p->barrier);
    return p;
}

/* The CTA whose number and id are set. */
static void cta_start(runner *r, place *p)
{
    const exec_launch *l = r->l;
    size_t local = exec_local_room(l) * ISA_WARP;

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
    }
    r->totals->warps += p->cta.live_warps;
}

/* Starts the next CTA of the grid. NULL if memory runs out. */
static place *cta_begin(runner *r)
{
    place *p = place_take(r);

    if (!p)
        return NULL;
    p->cta.number = r->begun++;
    memcpy(p->cta.id, r->id, sizeof r->id);
    for (unsigned i = 0; i < 3 && ++r->id[i] == r->l->grid[i]; i++)
        r->id[i] = 0;
    r->in_flight++;
    cta_start(r, p);
    return p;
}

/* One turn of a CTA: until it has ended, or patience has. */
static status cta_run(runner *r, place *p)
{
    const uint64_t *insts = &r->totals->warp_instructions;
    uint64_t until =
        *insts + (uint64_t)r->patience * bits_popcount64(p->runnable);

    while (p->live) {
        status st = check_limits(r);

        if (st == ST_OK && !p->runnable) {
            unsigned i = bits_ctz64(p->live);

            *r->fault = exec_fault_at(&p->warps[i], FAULT_DEADLOCK,
                                      p->warps[i].simt.live);
            st = ST_HANG;
        }
        for (uint64_t left = p->runnable; left && st == ST_OK; left &= left - 1)
            if (p->runnable & left & -left)
                st = warp_run(r, p, bits_ctz64(left));
        if (st != ST_OK)
            return st;
        if (*insts >= until)
            break;
    }
    return ST_OK;
}

/* The CTA has ended. */
static void cta_end(runner *r, place *p)
{
    r->totals->ctas++;
    r->in_flight--;
    p->next = r->spare;
    r->spare = p;
}

/* It has not: it waits until all others have had a turn. */
static void cta_set_aside(runner *r, place *p)
{
    if (r->aside)
        r->last->next = p;
    else
        r->aside = p;
    r->last = p;
    p->next = NULL;
    r->patience /= 2;
    if (r->patience < PATIENCE_LEAST)
        r->patience = PATIENCE_LEAST;
}

/* The CTA that has waited longest. */
static place *cta_resume(runner *r)
{
    place *p = r->aside;

    r->aside = p->next;
    return p;
}

static status grid_run(runner *r)
{
    const uint32_t *grid = r->l->grid;
    uint64_t ctas = (uint64_t)grid[0] * grid[1] * grid[2];
    uint64_t most = r->limits ? r->limits->ctas : 0;

    while (r->begun < ctas || r->in_flight) {
        bool more = r->begun < ctas && (!most || r->in_flight < most);
        place *p = more ? cta_begin(r) : cta_resume(r);

        if (!p)
            return ST_NOMEM;
        status st = cta_run(r, p);
        if (p->live)
            cta_set_aside(r, p);
        else
            cta_end(r, p);
        if (st != ST_OK)
            return st;
    }
    return ST_OK;
}

status exec_run_grid(const exec_launch *l, mem_view *view,
                     const exec_limits *limits, exec_fault *fault,
                     exec_totals *totals)
{
    exec_totals own = {0};
    runner r = {
        .l = l,
        .view = view,
        .limits = limits,
        .fault = fault,
        .totals = totals ? totals : &own,
        .patience = PATIENCE,
    };
    fenv_t saved;

    if (l->warps < 1 || l->warps > WARPS_MAX)
        return ST_USAGE;
    *r.totals = (exec_totals){.insts = r.totals->insts};
    exec_host_enter(&saved);
    status st = grid_run(&r);
    exec_host_leave(&saved);
    places_free(r.aside);
    places_free(r.spare);
    return st;
}
