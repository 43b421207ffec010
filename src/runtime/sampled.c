#include "runtime/sampled.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "exec/cga.h"
#include "exec/functional.h"
#include "exec/plan.h"
#include "isa/program.h"
#include "runtime/internal.h"
#include "runtime/sampled_rate.h"
#include "sm/forward.h"
#include "sm/sm.h"

/* Generations that a launch has at least, and looks in each of them. Of one
 * that has fewer, or few that are longer than so many slices, or others that
 * are much longer: cycles of a slice, how often they may differ before they are
 * made longer, windows that a gap may take, and gaps one after the other that
 * were not worth it, behind which there is no other. */
enum {
    LEAST = 8,
    FEW = 12, /* chosen on `copy` and `sgemm`, docs/sampling.md */
    LOOKS = 32,
    FIRST_LOOK = 512,
    LONG = 4,
    VERY_LONG = 16,
    SLICE = 4096,
    SLICES_DIFFER = 4,
    DRAIN_WINDOWS = 1000,
    POOR_MOST = 3
};

struct rt_sampled {
    rt_device *d;
    const exec_launch *e;
    unsigned n; /* on the machine */
    bool over;  /* there is no other gap */
    sampled_rate rate;
    uint64_t look_at, step; /* cycles */
    uint64_t generation_at; /* when one ended last */
    uint64_t total, gaps;   /* CTAs: of it, and in gaps */
    mem_view *view;
    exec_grid *grid; /* of a gap that has not ended; NULL: all have */
    struct {         /* of slices */
        sm_forward f;
        uint64_t from, wanted; /* cycle, warp instructions */
        unsigned windows;      /* so far */
        bool drains;           /* SMs run empty */
        unsigned differ;       /* slices, one after the other */
        unsigned poor;         /* gaps, likewise, shorter than a slice */
    } slice;
    exec_limits limits;
    exec_totals now, all; /* of that gap, and of those before */
    exec_fault fault;
};

/* ---- Which launches ---- */

static bool is_ordered(const isa_inst *in)
{
    return (isa_table[in->op].mods >> MOD_ORDER & 1 &&
            ISA_GET(in, ORDER) != ORDER_WEAK) ||
           (isa_table[in->op].mods >> MOD_CACHE & 1 &&
            ISA_GET(in, CACHE) == CACHE_CV);
}

/* May it be part of how one CTA waits for another, or show in which order CTAs
 * come? Atomics that add are neither, for they commute; locks are taken by
 * those that compare or exchange. */
static bool tells_order(const isa_inst *in)
{
    unsigned flags = isa_table[in->op].flags;

    switch (in->op) {
    case ISA_PRINT:
    case ISA_MALLOC:
    case ISA_FREE:
    case ISA_PREEXIT:
    case ISA_ACQBULK:
        return true;
    default:
        break;
    }
    if (flags & ISA_F_ATOMIC && flags & ISA_F_LOAD &&
        flags & (ISA_F_GLOBAL | ISA_F_VARIABLE) && !(flags & ISA_F_SHARED) &&
        (isa_atom_compares(ISA_GET(in, ATOMOP)) ||
         ISA_GET(in, ATOMOP) == ATOM_EXCH))
        return true;
    return flags & ISA_F_LOAD && !(flags & ISA_F_ATOMIC) &&
           flags & ISA_F_GLOBAL && is_ordered(in);
}

static bool is_suited(const rt_device *d, const exec_launch *e,
                      const rt_launch *l)
{
    const isa_kernel *k = e->kernel;

    if (!l->sampled || l->cooperative || l->profile || l->trace ||
        l->sample_cycles || l->front || exec_cga_size(e) > 1 ||
        d->cfg->gpu.cluster.size > 1 || d->opt.warm)
        return false;
    for (uint32_t i = 0; i < k->code_count; i++)
        if (tells_order(&k->code[i]))
            return false;
    return true;
}

/* Forwarding needs a plan of the code. */
static bool can_forward(const rt_device *d, const exec_launch *e)
{
    return exec_plan_suits(e) && gpu_can_forward(d->gpu);
}

static bool asked_to_stop(void *arg)
{
    const volatile sig_atomic_t *flag = arg;

    return __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

static void begin_slices(rt_sampled *s, uint64_t now)
{
    sampled_rate_init_slices(&s->rate, SLICE, now);
    s->look_at = now + SLICE;
}

rt_sampled *rt_sampled_new(rt_device *d, const exec_launch *e,
                           const rt_launch *l, unsigned n)
{
    uint64_t most = (uint64_t)d->cfg->gpu.sms * sm_most_ctas(d->cfg, e);
    uint64_t total = (uint64_t)e->grid[0] * e->grid[1] * e->grid[2];
    rt_sampled *s;

    bool slices = total < LEAST * most;

    if (!most || !is_suited(d, e, l) || (slices && !can_forward(d, e)))
        return NULL;
    s = new0(1, sizeof *s);
    s->d = d;
    s->e = e;
    s->n = n;
    s->total = total;
    s->step = FIRST_LOOK;
    s->generation_at = gpu_now(d->gpu);
    sampled_rate_init(&s->rate, most, s->generation_at);
    s->look_at = s->generation_at + s->step;
    if (slices)
        begin_slices(s, s->generation_at);
    s->limits = (exec_limits){.ctas = most,
                              .stop = l->stop ? asked_to_stop : NULL,
                              .arg = (void *)l->stop,
                              .seen = rt_device_warming(d)};
    s->view = mem_view_new(d->seen, true);
    return s;
}

void rt_sampled_free(rt_sampled *s)
{
    if (!s)
        return;
    exec_grid_free(s->grid);
    exec_plan_free(s->slice.f.plan);
    mem_view_free(s->view);
    free(s);
}

void rt_sampled_stop(rt_sampled *s) { s->over = true; }

/* ---- Gaps ---- */

static void add_totals(exec_totals *to, const exec_totals *from)
{
    to->warp_instructions += from->warp_instructions;
    to->thread_instructions += from->thread_instructions;
}

/* What was computed has been in the L2. */
static void tell_l2(rt_sampled *s)
{
    if (s->limits.seen)
        rt_warming_tell(s->d->warming, s->d->gpu);
}

/* Until it has ended, or may wait for CTAs that are timed. `alone`: there are
 * none. */
static status run_gap(rt_sampled *s, bool alone)
{
    bool ended = false;
    status st;

    s->limits.alone = alone;
    do {
        st = exec_grid_run(s->grid, &ended);
    } while (alone && st == ST_OK && !ended);
    tell_l2(s);
    if (st != ST_OK || !ended)
        return st;
    add_totals(&s->all, &s->now);
    exec_grid_free(s->grid);
    s->grid = NULL;
    return st;
}

/* Leaves out the next `ctas` CTAs in cycle `now`. */
static status leave_out(rt_sampled *s, uint64_t now, const gpu_result *at,
                        uint64_t ctas)
{
    uint64_t before = s->all.warp_instructions;
    status st;

    if (!gpu_skip(s->d->gpu, s->n, ctas))
        return ST_OK;
    s->gaps += ctas;
    s->limits.first = at->ctas_begun;
    s->limits.last = at->ctas_begun + ctas;
    s->now = (exec_totals){0};
    s->grid = exec_grid_new(s->e, s->view, &s->limits, &s->fault, &s->now);
    st = run_gap(s, false);
    /* One that waits for CTAs on the machine goes on later, and what it
     * executes then is waiting: it says nothing of the rate. */
    s->over |= s->grid != NULL;
    sampled_rate_gap(&s->rate, now, now, at->ctas - (s->gaps - ctas),
                     at->warp_insts,
                     s->all.warp_instructions - before +
                         (s->grid ? s->now.warp_instructions : 0));
    return st;
}

/* ---- Gaps behind a slice ---- */

/* Warps are to go on by what they would execute in so many cycles. */
static void begin_drain(rt_sampled *s, uint64_t now, uint64_t cycles, bool last)
{
    uint64_t warps = gpu_warps(s->d->gpu);

    gpu_stop_issue(s->d->gpu);
    if (!s->slice.f.plan)
        s->slice.f.plan = sm_forward_plan(s->e, s->view);
    s->slice.wanted = (uint64_t)((double)cycles * s->rate.mean);
    s->slice.f = (sm_forward){.plan = s->slice.f.plan,
                              .view = s->view,
                              .last = last,
                              .fault = &s->fault,
                              .seen = s->limits.seen,
                              .share = warps ? s->slice.wanted / warps + 1 : 0};
    s->slice.from = now;
    s->slice.windows = 0;
    s->slice.drains = true;
    s->look_at = now + 1;
}

/* SMs that have run empty go on; when all have, the gap is over. It ends before
 * those CTAs behind which there is no other: the end of the launch is timed. */
static status drain(rt_sampled *s, uint64_t now)
{
    sm_forward *f = &s->slice.f;
    unsigned left;
    gpu_result at;

    s->look_at = now + 1;
    if (!gpu_forward(s->d->gpu, s->n, f, &left))
        return ST_FAULT;
    tell_l2(s);
    gpu_inspect(s->d->gpu, s->n, &at);
    if (left && ++s->slice.windows < DRAIN_WINDOWS && !s->over &&
        (f->last || at.ctas_begun < s->total))
        return ST_OK;
    gpu_forward(s->d->gpu, s->n, NULL, &left);
    s->slice.drains = false;
    gpu_inspect(s->d->gpu, s->n, &at);
    sampled_rate_gap(&s->rate, s->slice.from, now, now, at.warp_insts,
                     f->warp_insts);
    s->all.warp_instructions += f->warp_insts;
    s->all.thread_instructions += f->thread_insts;
    if ((double)f->warp_insts >= s->rate.mean * (double)s->rate.generation)
        s->slice.poor = 0;
    else if (++s->slice.poor == POOR_MOST)
        s->over = true;
    s->look_at = now + s->rate.generation;
    return ST_OK;
}

/* A slice is over. */
static void look_slice(rt_sampled *s, uint64_t now)
{
    gpu_result at;

    gpu_inspect(s->d->gpu, s->n, &at);
    uint64_t cycles = sampled_rate_look(&s->rate, now, now, at.warp_insts,
                                        UINT64_MAX / 2, gpu_warps(s->d->gpu));

    s->look_at = now + s->rate.generation;
    if (cycles && !gpu_is_watched(s->d->gpu)) {
        s->slice.differ = 0;
        begin_drain(s, now, cycles, at.ctas_begun == s->total);
    } else if (!cycles && s->rate.since > 2 &&
               ++s->slice.differ == SLICES_DIFFER) {
        s->slice.differ = 0;
        s->rate.generation *= 2;
    }
}

/* A generation that has begun is long already. */
static bool wants_slices(const rt_sampled *s, uint64_t now)
{
    bool few = s->total < FEW * s->rate.generation;

    return !s->rate.since &&
           now - s->generation_at > (few ? LONG : VERY_LONG) * SLICE &&
           can_forward(s->d, s->e);
}

/* The machine stands still in cycle `now`. */
static status look(rt_sampled *s, uint64_t now)
{
    uint64_t left, ctas;
    gpu_result at;

    if (s->slice.drains)
        return drain(s, now);
    if (s->rate.slices) {
        look_slice(s, now);
        return ST_OK;
    }
    if (s->grid)
        return run_gap(s, false);
    gpu_inspect(s->d->gpu, s->n, &at);
    left = s->total - at.ctas_begun;
    ctas = sampled_rate_look(&s->rate, now, at.ctas - s->gaps, at.warp_insts,
                             left, 0);
    if (s->rate.cycle == now && now > s->generation_at) {
        s->step = (now - s->generation_at) / LOOKS + 1;
        s->generation_at = now;
    }
    s->look_at = now + s->step;
    if (wants_slices(s, now)) {
        begin_slices(s, now);
        return ST_OK;
    }
    s->over |= sampled_rate_over(&s->rate, left);
    return ctas && !s->over ? leave_out(s, now, &at, ctas) : ST_OK;
}

/* A launch of which a gap has failed is lost with the machine. */
static status fail_gap(rt_sampled *s, status st, unsigned *n, gpu_result *out)
{
    *n = s->n;
    gpu_lose(s->d->gpu, s->n, out);
    out->fault = s->fault;
    return st;
}

status rt_sampled_advance(rt_sampled *s, gpu_run *run, unsigned *n,
                          gpu_result *out)
{
    uint64_t until = run->until;
    unsigned left;
    status st;

    do {
        bool looks = !s->over || s->grid || s->slice.drains;

        run->until =
            looks && (!until || s->look_at < until) ? s->look_at : until;
        st = gpu_advance(s->d->gpu, run, n, out);
        run->until = until;
        if (st != ST_OK || !out->paused || out->lets_go)
            break;
        if (looks && (st = look(s, gpu_now(s->d->gpu))) != ST_OK)
            return fail_gap(s, st, n, out);
    } while (!until || gpu_now(s->d->gpu) < until);
    if (st == ST_OK && !out->paused && s->slice.drains)
        gpu_forward(s->d->gpu, s->n, NULL, &left);
    if (st == ST_OK && !out->paused && s->grid &&
        (st = run_gap(s, true)) != ST_OK)
        out->fault = s->fault;
    return st;
}

void rt_sampled_add(const rt_sampled *s, launch_outcome *to)
{
    sampled_cycles guess = sampled_rate_guess(&s->rate);

    to->warp_insts += s->all.warp_instructions;
    to->thread_insts += s->all.thread_instructions;
    to->estimated += (uint64_t)(guess.cycles + 0.5);
    to->estimated_spread += (uint64_t)(guess.spread + 0.5);
    to->estimated_error += (uint64_t)(guess.error + 0.5);
}
