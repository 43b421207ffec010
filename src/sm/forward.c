#include "sm/forward.h"

#include "base/bits.h"
#include "base/must.h"
#include "exec/level.h"
#include "exec/plan.h"
#include "exec/watcher.h"
#include "sm/barrier.h"
#include "sm/slots.h"
#include "sm/state.h"

/* ---- what stops a warp ---- */

static bool is_cta_barrier(const isa_inst *in)
{
    return in->op >= ISA_BARSYNC && in->op <= ISA_BARPOPC;
}

/* Copies in the background are over at once, so there is nothing to wait for.
 */
static bool counts_copies(const isa_inst *in)
{
    return in->op == ISA_LDGDEPBAR ||
           (in->op == ISA_DEPBAR && !ISA_GET(in, TBULK));
}

static bool needs_time(const isa_inst *in)
{
    const unsigned stops = ISA_F_EXIT | ISA_F_BARRIER | ISA_F_FENCE;
    unsigned flags = isa_table[in->op].flags;

    switch (in->op) {
    case ISA_S2R:
    case ISA_S2UR:
    case ISA_CS2R: /* also of zero, to clear registers */
    case ISA_CS2R32:
        return in->lut >= SR_CLOCKLO && in->lut <= SR_TIMERHI;
    case ISA_NANOSLEEP:
    case ISA_MBINIT:
    case ISA_MBTEST:
    case ISA_MBARRIVE:
    case ISA_MBWAIT:
    case ISA_HGMMA:
    case ISA_PRINT:
    case ISA_MALLOC:
    case ISA_FREE:
        return true;
    default:
        break;
    }
    if (flags & ISA_F_ATOMIC && flags & ISA_F_GLOBAL)
        return true;
    return isa_is_bulk(in->op) || (flags & stops && !counts_copies(in));
}

exec_plan *sm_forward_plan(const exec_launch *l, const mem_view *view)
{
    exec_plan *p = exec_plan_new_stopped(l, exec_ops_best(), view, needs_time);

    exec_plan_tell(p);
    return p;
}

/* ---- a warp ---- */

/* The warps of a CTA that go on. */
typedef struct run {
    sm *s;
    sm_forward *f;
    uint64_t going; /* they can execute the next instruction now */
    uint64_t moved;
    uint64_t left[SM_WARPS]; /* of the share */
} run;

static void count(run *r, unsigned w, uint64_t insts, uint64_t lanes)
{
    r->f->warp_insts += insts;
    r->f->thread_insts += lanes;
    r->left[w] -= insts;
    r->s->x[w].executed -= insts; /* those are what was issued */
    if (insts)
        r->moved |= BIT(w);
}

/* The warp stands at a barrier of its CTA. False: a fault. */
static bool pass_barrier(run *r, unsigned w)
{
    exec_warp *x = &r->s->x[w];
    exec_plan *plan = x->plan;

    x->plan = NULL;
    exec_result what = exec_step(x, NULL, &r->s->bar[w], r->f->fault);
    x->plan = plan;
    count(r, w, 1, bits_popcount32(x->ran));
    if (what == EXEC_BARRIER) {
        r->going &= ~BIT(w);
        r->going |= sm_barrier_pass(r->s, w);
    }
    return what != EXEC_FAULT;
}

/* Performs what it came to. False: a fault. */
static bool settle(run *r, unsigned w, exec_result what, exec_mem *m)
{
    static const unsigned ALL = (1u << EXEC_SPACES) - 1;
    const exec_warp *x = &r->s->x[w];
    uint32_t pc = x->simt.pc;

    switch (what) {
    case EXEC_DONE:
    case EXEC_COPIES:
        return true;
    case EXEC_MEM:
        exec_see(r->f->seen, m);
        return exec_mem_perform(&r->s->x[w], m, ALL, r->f->view, r->f->fault);
    case EXEC_BLOCKED:
        if (x->simt.active && pc < x->code_count &&
            is_cta_barrier(&x->code[pc]))
            return pass_barrier(r, w);
        r->going &= ~BIT(w);
        return true;
    case EXEC_BARRIER:
    case EXEC_FENCE:
    case EXEC_GROUP:
    case EXEC_SLEEP:
    case EXEC_EXIT: /* its plan stops before any of them */
        MUST(false);
        break;
    case EXEC_FAULT:
        break;
    }
    return false;
}

/* Until its share is used up, or it waits. False: a fault. */
static bool run_warp(run *r, unsigned w)
{
    exec_warp *x = &r->s->x[w];
    exec_plan *plan = x->plan;
    exec_mem m;
    exec_turn t = {.view = r->f->view,
                   .mem = &m,
                   .bar = &r->s->bar[w],
                   .fault = r->f->fault};
    bool ok = true;

    x->plan = r->f->plan;
    while (ok && r->going >> w & 1 && r->left[w]) {
        t.clock = x->clock;
        t.most = r->left[w] < UINT32_MAX ? (uint32_t)r->left[w] : UINT32_MAX;
        exec_result what = exec_run(x, &t);

        if (what == EXEC_BLOCKED) { /* it has executed one less */
            t.insts--;
            t.lanes -= bits_popcount32(x->ran);
            x->executed -= x->simt.active != 0;
        }
        count(r, w, t.insts, t.lanes);
        ok = settle(r, w, what, &m);
    }
    x->plan = plan;
    return ok;
}

/* ---- a CTA ---- */

static bool can_go(const sm *s, unsigned w)
{
    unsigned why = s->warp[w].why;

    return why == WHY_READY || why == WHY_FETCH || why == WHY_ICACHE ||
           why == WHY_CONSTANT;
}

/* It fetches where it stands now. */
static void redirect(sm *s, unsigned w)
{
    s->constant.found[w] = 0;
    s->cold_constants &= ~BIT(w);
    sm_fetch_flush(s, w);
    sm_fetch_redirect(s, w, s->x[w].simt.pc);
}

/* It waits there for other warps. */
static bool at_barrier(const sm *s, unsigned w)
{
    const sm_cta *c = &s->ctas.cta[s->warp[w].cta];
    uint64_t waiting = 0;

    for (uint64_t all = c->arrived; all; all &= all - 1)
        waiting |= c->barrier[bits_ctz64(all)].waiting;
    return waiting >> w & 1;
}

static void resume(run *r, uint64_t set)
{
    for (; set; set &= set - 1) {
        unsigned w = bits_ctz64(set);
        bool waits = at_barrier(r->s, w);

        if (waits && !(r->moved >> w & 1))
            continue;
        redirect(r->s, w);
        if (waits)
            sm_warp_set(r->s, w, WHY_BARRIER);
        else
            sm_warp_head(r->s, w);
    }
}

static bool run_cta(sm *s, sm_cta *c, uint64_t share, sm_forward *f)
{
    run r = {.s = s, .f = f};
    uint64_t all = 0;
    bool ok = true;

    for (uint64_t set = c->warps; set; set &= set - 1) {
        unsigned w = bits_ctz64(set);

        r.left[w] = share;
        if (s->warp[w].ended ||
            (!can_go(s, w) && s->warp[w].why != WHY_BARRIER))
            continue;
        all |= BIT(w);
        r.going |= can_go(s, w) ? BIT(w) : 0;
    }
    for (bool works = true; ok && works;) {
        works = false;
        for (uint64_t set = r.going; ok && set; set &= set - 1) {
            unsigned w = bits_ctz64(set);

            works |= r.left[w] > 0;
            ok = run_warp(&r, w);
        }
    }
    for (uint64_t set = c->warps; set; set &= set - 1) {
        unsigned w = bits_ctz64(set);

        if (r.going >> w & 1 || s->warp[w].ended || at_barrier(s, w))
            continue;
        f->idle++;
        f->ends += sm_exits_next(s, w);
    }
    resume(&r, all);
    return ok;
}

/* ---- an SM ---- */

bool sm_can_forward(const sm *s)
{
    return s->plain && !s->remote && !s->bulk && !s->lsu.turns.wanted &&
           !s->groups;
}

bool sm_is_drained(const sm *s)
{
    if (s->lsu.count || s->lsu.stores || s->fault.kind)
        return false;
    for (uint64_t set = s->resident; set; set &= set - 1) {
        const sm_warp *p = &s->warp[bits_ctz64(set)];

        if (p->outstanding || p->loads || p->why == WHY_BRANCH)
            return false;
    }
    return true;
}

/* What happens in front of cycle `now` belongs to it. */
static void reach(sm *s, uint64_t now)
{
    if (!s->resident)
        return;
    sm_slots_account(s, now);
    sm_slots_count_cycles(s, now);
    s->time.change = now;
}

void sm_stop_issue(sm *s, uint64_t now, bool stop)
{
    reach(s, now);
    s->issue.stopped = stop;
    sm_limit_issue(s);
    sm_slots_reopen(s);
}

bool sm_is_watched(const sm *s) { return s->observe.any; }

unsigned sm_warps(const sm *s) { return s->residents; }

bool sm_has_stopped(const sm *s) { return s->issue.stopped; }

bool sm_forward_run(sm *s, uint64_t now, unsigned n, uint64_t share,
                    sm_forward *f)
{
    bool ok = true;

    reach(s, now);
    for (unsigned c = 0; ok && c < SM_WARPS; c++)
        if (s->ctas.cta[c].taken && s->ctas.cta[c].grid == n)
            ok = run_cta(s, &s->ctas.cta[c], share, f);
    return ok;
}
