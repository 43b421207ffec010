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
};

typedef struct cta_barrier {
    uint64_t waiting; /* warps */
    uint32_t arrived; /* warps, those that do not wait included */
    uint32_t count;   /* threads to wait for, 0: all that live */
    uint32_t threads, trues;
} cta_barrier;

typedef struct runner {
    const exec_launch *l;
    mem_view *view;
    const exec_limits *limits;
    exec_fault *fault;
    exec_totals *totals;
    exec_cta cta;
    exec_warp *warps;
    exec_bar *bars; /* the barrier each warp waits at */
    uint32_t (*reg)[ISA_WARP];
    simt_entry *deep; /* of all warps; NULL: Volta */
    uint8_t *local, *shared;
    cta_barrier barrier[BARRIERS];
    uint64_t runnable, live; /* warps */
    unsigned checks;         /* of the limits */
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
static void barrier_check(runner *r, cta_barrier *b)
{
    uint32_t need = b->count ? b->count / ISA_WARP : r->cta.live_warps;

    if (!b->arrived || b->arrived < need)
        return;
    for (uint64_t left = b->waiting; left; left &= left - 1) {
        unsigned i = bits_ctz64(left);

        if (r->bars[i].kind >= 2)
            exec_bar_result(&r->warps[i], &r->bars[i],
                            barrier_value(b, &r->bars[i]));
    }
    r->runnable |= b->waiting;
    *b = (cta_barrier){0};
}

static void barrier_arrive(runner *r, unsigned warp)
{
    const exec_bar *bar = &r->bars[warp];
    cta_barrier *b = &r->barrier[bar->number];

    b->arrived++;
    b->count = bar->count;
    b->threads += bits_popcount32(bar->lanes);
    b->trues += bits_popcount32(bar->pred);
    if (bar->kind != 1) {
        b->waiting |= (uint64_t)1 << warp;
        r->runnable &= ~((uint64_t)1 << warp);
    }
    barrier_check(r, b);
}

static void warp_ended(runner *r, unsigned warp)
{
    r->runnable &= ~((uint64_t)1 << warp);
    r->live &= ~((uint64_t)1 << warp);
    r->cta.live_warps--;
    for (unsigned n = 0; n < BARRIERS; n++)
        if (!r->barrier[n].count)
            barrier_check(r, &r->barrier[n]);
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
static status warp_run(runner *r, unsigned warp)
{
    exec_warp *w = &r->warps[warp];
    exec_mem mem;

    for (unsigned n = 0; n < QUANTUM; n++) {
        uint32_t pc = w->simt.pc, before = w->simt.active;
        w->clock = r->totals->warp_instructions;
        exec_result what = exec_step(w, &mem, &r->bars[warp], r->fault);

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
            barrier_arrive(r, warp);
            if (!(r->runnable >> warp & 1))
                return ST_OK;
            break;
        case EXEC_SLEEP:
            return ST_OK;
        case EXEC_BLOCKED:
            *r->fault = exec_fault_at(w, FAULT_DEADLOCK, w->simt.live);
            return ST_HANG;
        case EXEC_EXIT:
            warp_ended(r, warp);
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

static void cta_start(runner *r)
{
    const exec_launch *l = r->l;
    size_t local = exec_local_room(l) * ISA_WARP;

    memset(r->shared, 0, exec_shared_room(l));
    memset(r->local, 0, local * l->warps);
    memset(r->barrier, 0, sizeof r->barrier);
    r->live = r->runnable = exec_cta_start(&r->cta);
    for (uint64_t left = r->live; left; left &= left - 1) {
        unsigned i = bits_ctz64(left);
        exec_warp *w = &r->warps[i];

        w->reg = r->reg + (size_t)i * l->kernel->registers;
        w->local = r->local + i * local;
        w->cta = &r->cta;
        w->index = i;
        w->simt.deep = r->deep ? r->deep + (size_t)i * SIMT_DEEP : NULL;
        exec_warp_start(w);
    }
    r->totals->ctas++;
    r->totals->warps += r->cta.live_warps;
}

static status cta_run(runner *r)
{
    cta_start(r);
    while (r->live) {
        status st = check_limits(r);

        if (st == ST_OK && !r->runnable) {
            unsigned i = bits_ctz64(r->live);

            *r->fault = exec_fault_at(&r->warps[i], FAULT_DEADLOCK,
                                      r->warps[i].simt.live);
            st = ST_HANG;
        }
        for (uint64_t left = r->runnable; left && st == ST_OK; left &= left - 1)
            if (r->runnable & left & -left)
                st = warp_run(r, bits_ctz64(left));
        if (st != ST_OK)
            return st;
    }
    return ST_OK;
}

static status grid_run(runner *r)
{
    const uint32_t *grid = r->l->grid;
    exec_cta *c = &r->cta;

    for (uint32_t z = 0; z < grid[2]; z++)
        for (uint32_t y = 0; y < grid[1]; y++)
            for (uint32_t x = 0; x < grid[0]; x++) {
                c->id[0] = x;
                c->id[1] = y;
                c->id[2] = z;
                status st = cta_run(r);
                if (st != ST_OK)
                    return st;
                c->number++;
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
        .cta = {.launch = l},
    };
    size_t rows = (size_t)l->kernel->registers * l->warps;
    size_t local = exec_local_room(l) * ISA_WARP * l->warps;
    size_t shared = exec_shared_room(l);
    status st = ST_NOMEM;
    fenv_t saved;

    if (l->warps < 1 || l->warps > WARPS_MAX)
        return ST_USAGE;
    *r.totals = (exec_totals){.insts = r.totals->insts};
    r.warps = calloc(l->warps, sizeof *r.warps);
    r.bars = calloc(l->warps, sizeof *r.bars);
    r.reg = malloc((rows ? rows : 1) * sizeof *r.reg); /* every CTA clears */
    r.local = malloc(local ? local : 1);
    r.shared = malloc(shared ? shared : 1);
    if (l->arch != ARCH_VOLTA)
        r.deep = calloc((size_t)l->warps * SIMT_DEEP, sizeof *r.deep);
    r.cta.shared = r.shared;
    exec_host_enter(&saved);
    if (r.warps && r.bars && r.reg && r.local && r.shared &&
        (r.deep || l->arch == ARCH_VOLTA))
        st = grid_run(&r);
    exec_host_leave(&saved);
    free(r.deep);
    free(r.shared);
    free(r.local);
    free(r.reg);
    free(r.bars);
    free(r.warps);
    return st;
}
