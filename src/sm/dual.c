#include "sm/dual.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "sm/slot.h"
#include "sm/slots.h"
#include "sm/state.h"

enum { GROUP = 7, PLAIN = 0x20 };

/* The schedulers that share an instance of that kind with scheduler `n`, a bit
 * each; its own among them. */
static unsigned sharers(const sm_units *u, unsigned n, unsigned kind)
{
    const sm_unit_use *mine = &u->use[n][kind];
    unsigned set = 0;

    for (unsigned m = 0; m < SM_SCHEDULERS; m++) {
        const sm_unit_use *use = &u->use[m][kind];
        for (unsigned i = 0; i < mine->count; i++)
            for (unsigned j = 0; j < use->count; j++)
                if (mine->instance[i] == use->instance[j])
                    set |= 1u << m;
    }
    return set;
}

sm_dual *sm_dual_new(const config *cfg, const sm_units *units)
{
    sm_dual *d;

    if (!cfg->sm.dual.codes)
        return NULL;
    d = new0(1, sizeof *d);
    d->alternates = cfg->sm.dual.arbiter == CFG_ARBITER_ALTERNATE;
    d->turns = cfg->sm.issue.scheduler == CFG_SCHEDULER_TURN;
    for (unsigned n = 0; n < SM_SCHEDULERS; n++)
        d->turn[n] = DUAL_NOBODY;
    for (unsigned n = 0; n < SM_SCHEDULERS; n++)
        for (unsigned kind = 0; kind < UNIT_KINDS; kind++)
            d->shares[n][kind] = (uint8_t)sharers(units, n, kind);
    return d;
}

void sm_dual_free(sm_dual *d) { free(d); }

/* ---- What codes say ---- */

static unsigned code_of(const isa_inst *in)
{
    return in->ctl >> CTL_HAS & 1 ? in->ctl >> CTL_CODE & 0xff : PLAIN;
}

static bool asks_pair(const config *cfg, const isa_inst *in)
{
    return code_of(in) == cfg->sm.dual.pair;
}

/* Such codes stand on the second of a pair. */
static bool is_tail(const config *cfg, const isa_inst *in)
{
    enum { TAILS = 3 };

    return code_of(in) - cfg->sm.dual.tail < TAILS;
}

/* Cycles to the warp's next issue, but for codes of pairs [PPOPP:figure-2]:
 * throughput and latency of instructions that all carry the same code. */
static unsigned wait_of(const config *cfg, unsigned code)
{
    unsigned n = code & ((1u << cfg->sm.dual.bits) - 1);

    if (code == 0x00)
        return cfg->sm.dual.zero;
    if (code < 0x20)
        return 1;
    if (code >= 0x80 && code < 0xe0)
        n = 2 * (code & 15);
    return n >= cfg->sm.dual.saturates ? cfg->sm.dual.longest : n + 1;
}

static bool is_control(const isa_inst *in)
{
    return in->flags & ISA_F_BRANCH || in->class == ISA_CLASS_BRANCH ||
           in->class == ISA_CLASS_BARRIER;
}

/* Does `b` need what `a`, right before it, gives? */
static bool depends(const sm_inst *a, const sm_inst *b)
{
    const isa_inst *in = a->in;

    for (unsigned r = in->dst; r < (unsigned)in->dst + in->dst_regs; r++)
        if (b->touch[r / 64] >> (r % 64) & 1)
            return true;
    return in->pwrite & (b->preds | b->guard);
}

/* How instruction `pc` issues if its code asks for a pair. */
static void load_head(const config *cfg, sm_inst *si, uint32_t pc, bool last)
{
    const sm_inst *next = si + 1;
    unsigned slot = pc % GROUP + 1;

    si->alone = 1;
    if (slot == GROUP || last || asks_pair(cfg, next->in) ||
        depends(si, next)) {
        si->alone = (uint8_t)cfg->sm.dual.refused;
        si->refused = true;
        return;
    }
    si->heads = cfg->sm.issue.width > 1 && (slot > 1 || cfg->sm.dual.first) &&
                !is_control(si->in) && !is_control(next->in);
}

void sm_dual_load(const config *cfg, sm_inst *inst, uint32_t count)
{
    bool waits = cfg->sm.dual.waits;

    for (uint32_t pc = 0; pc < count; pc++) {
        sm_inst *si = &inst[pc];
        bool last = pc + 1 == count;

        si->second = waits ? (uint8_t)wait_of(cfg, code_of(si->in)) : 1;
        si->alone = si->second;
        if (asks_pair(cfg, si->in))
            load_head(cfg, si, pc, last);
        else if (is_tail(cfg, si->in) && !last && is_tail(cfg, inst[pc + 1].in))
            si->alone = (uint8_t)cfg->sm.dual.tails;
        si->turn_ends =
            si->flags & INST_BRANCH ||
            (cfg->sm.dual.line && (pc + 1) % cfg->sm.dual.line == 0);
        si->opens = pc % GROUP == 0;
    }
}

/* ---- Choosing ---- */

unsigned sm_dual_current(const sm *s, unsigned n)
{
    return s->issue.dual->turns ? s->issue.dual->turn[n]
                                : s->issue.scheduler[n].last;
}

static inline unsigned longest_ago(const sm_dual *d, uint64_t set)
{
    unsigned best = bits_ctz64(set);

    while (set &= set - 1)
        if (d->stamp[bits_ctz64(set)] < d->stamp[best])
            best = bits_ctz64(set);
    return best;
}

static inline unsigned choose(const sm *s, unsigned n, uint64_t warps)
{
    const sm_dual *d = s->issue.dual;

    if (!d->turns)
        return sm_scheduler_pick(&s->issue.scheduler[n], warps, &s->issue.ages);
    if (d->turn[n] != DUAL_NOBODY && warps >> d->turn[n] & 1)
        return d->turn[n];
    return longest_ago(d, warps);
}

/* Instances of a kind that scheduler `n` could start on now. */
static unsigned free_units(const sm *s, unsigned n, unsigned kind)
{
    const sm_unit_use *use = &s->units.use[n][kind];
    unsigned free = 0;

    for (unsigned i = 0; i < use->count; i++)
        free += s->units.free[use->instance[i]] <= s->now;
    return free;
}

/* Whether the constants of the one behind the head are there. */
static bool constants_ready(sm *s, unsigned w, const sm_inst *si)
{
    uint32_t found = s->constant.found[w];
    bool ready;

    if (si->flags & INST_LDC)
        return false;
    if (!(si->flags & INST_CONST))
        return true;
    s->constant.found[w] = 0;
    ready = sm_constant_ready(s, w, si);
    s->constant.found[w] = found;
    return ready;
}

/* Its check is counted where it fails: where it does not, the second is checked
 * as the head that it then is. */
static bool operands_ready(sm *s, unsigned w, const sm_inst *si, bool counted)
{
    const sm_inst *next = si + 1;
    sm_why why = sm_hazard_second(s->hazards.policy, w, si, counted);

    if (counted && why != WHY_READY) {
        s->st.hazard_checks++;
        s->st.hazard_operands += next->reads + !!(next->flags & INST_RESULT);
    }
    return why == WHY_READY;
}

/* Has the load unit an entry for the second, behind one for the first? */
static bool entry_left(const sm *s, const sm_inst *si)
{
    unsigned before = s->lsu.count + !!(si->flags & INST_MEM);

    return !(si[1].flags & INST_MEM) || before < s->lsu.limit;
}

/* The head of `w`, the first of a pair, can issue: can the next one do so with
 * it, but for what two schedulers share and for its operands' entry? `own`:
 * it does so now, in scheduler `n`. */
static bool pairs(sm *s, unsigned n, unsigned w, bool own)
{
    const sm_inst *si = s->warp[w].head, *next = si + 1;

    if (s->fetch.warp[w].count < 2)
        return false;
    if (si->unit == next->unit) {
        if (s->units.use[n][si->unit].count < 2)
            return false;
    } else if (!free_units(s, n, next->unit)) {
        return false;
    }
    if (!entry_left(s, si))
        return false;
    return operands_ready(s, w, si, own) && constants_ready(s, w, next);
}

/* ---- The unit that two schedulers share ---- */

static inline bool shares(const sm *s, unsigned n, unsigned m, unsigned kind)
{
    return s->issue.dual->shares[n][kind] >> m & 1;
}

static bool goes_first(const sm *s, unsigned m, unsigned n)
{
    return s->issue.dual->alternates && s->now & 1 ? m > n : m < n;
}

/* Would scheduler `m`, whose go is still to come, issue a pair of that kind? */
static bool wants(sm *s, unsigned m, unsigned kind)
{
    sm_slot slot = sm_slot_at(s, m, s->now);

    if (!slot.warps)
        return false;
    unsigned w = choose(s, m, slot.warps);
    const sm_inst *si = s->warp[w].head;
    return si->heads && si->unit == kind && si[1].unit == kind &&
           pairs(s, m, w, false) &&
           (!si[1].reads || s->collect.mode != CFG_COLLECT_PORTS ||
            sm_collect_second(&s->collect, m) <= s->now);
}

/* Does scheduler `n` get two units of that kind in this cycle? */
static bool gets_both(sm *s, unsigned n, unsigned kind)
{
    if (free_units(s, n, kind) < 2)
        return false;
    for (unsigned m = 0; m < s->issue.schedulers; m++)
        if (m != n && !(s->issue.dual->done >> m & 1) && goes_first(s, m, n) &&
            shares(s, n, m, kind) && wants(s, m, kind))
            return false;
    return true;
}

static void note_owner(sm *s, unsigned n, unsigned kind)
{
    uint8_t me = (uint8_t)(n + 1);

    if (s->issue.dual->owner[n] != me)
        s->st.shared_turns += s->issue.dual->owner[n] != 0;
    for (unsigned m = 0; m < SM_SCHEDULERS; m++)
        if (shares(s, n, m, kind))
            s->issue.dual->owner[m] = me;
}

/* ---- Issuing ---- */

/* Where scheduler `n` begins a group, seen from the one before it: of orders
 * that alternate at the shared cores this does not change any more. */
static void note_phase(sm *s, unsigned n)
{
    uint64_t *opened = s->issue.dual->opened;

    opened[n] = s->now;
    if (n && opened[n - 1] && shares(s, n, n - 1, CFG_UNIT_FMA))
        s->st.phase[(s->now - opened[n - 1]) % HIST_FOUR]++;
}

static void issue(sm *s, unsigned n, unsigned w, bool again)
{
    if (s->warp[w].head->opens)
        note_phase(s, n);
    s->st.scheduler[n]++;
    sm_issue_warp(s, n, w, again);
}

/* What keeps the pair at the head of `w` from issuing; READY: nothing. A port
 * comes before the shared unit, whoever has that. */
static sm_why refusal(sm *s, unsigned n, unsigned w)
{
    const sm_inst *si = s->warp[w].head, *next = si + 1;

    if (s->collect.mode == CFG_COLLECT_PORTS && next->reads &&
        sm_collect_second(&s->collect, n) > s->now)
        return WHY_COLLECTOR;
    if (si->unit == next->unit && !gets_both(s, n, si->unit))
        return WHY_SHARED;
    return WHY_READY;
}

static void issue_pair(sm *s, unsigned n, unsigned w)
{
    const sm_inst *si = s->warp[w].head, *next = si + 1;
    bool alike = si->unit == next->unit;

    s->issue.dual->when[w] = s->now;
    issue(s, n, w, false);
    if (s->fault.kind)
        return;
    MUST(s->warp[w].why == WHY_READY && s->warp[w].head == next);
    s->issue.dual->when[w] = s->now + next->second;
    issue(s, n, w, true);
    s->st.pairs_alike += alike;
    s->st.pairs_mixed += !alike;
    if (alike)
        note_owner(s, n, si->unit);
}

static void issue_alone(sm *s, unsigned n, unsigned w)
{
    const sm_inst *si = s->warp[w].head;

    s->st.pairs_late += si->heads;
    s->st.pairs_refused += si->refused;
    s->issue.dual->when[w] = s->now + si->alone;
    issue(s, n, w, false);
}

/* Whose turn it is after `last` of `w` has issued. */
static void end_turn(sm *s, unsigned n, unsigned w, const sm_inst *last)
{
    sm_dual *d = s->issue.dual;

    d->stamp[w] = s->now + 1;
    d->turn[n] = last->turn_ends ? DUAL_NOBODY : (uint8_t)w;
}

static void schedule(sm *s, unsigned n)
{
    sm_slot slot;
    uint64_t warps = sm_slot_find(s, n, s->now, &slot);

    if (!warps) {
        s->issue.retry[n] = slot.retry;
        sm_slots_wait(s, n, s->now, slot.why);
        return;
    }
    unsigned w = choose(s, n, warps);
    const sm_inst *si = s->warp[w].head;
    if (!si->heads || !pairs(s, n, w, true)) {
        issue_alone(s, n, w);
        end_turn(s, n, w, si);
        return;
    }
    sm_why why = refusal(s, n, w);
    if (why != WHY_READY) {
        s->issue.retry[n] = s->now + 1;
        sm_slots_wait(s, n, s->now, why);
        return;
    }
    issue_pair(s, n, w);
    end_turn(s, n, w, si + 1);
}

static void dual_tick(sm *s)
{
    unsigned n = (unsigned)(s->now % s->issue.schedulers);

    s->issue.dual->issuing = true;
    s->issue.dual->done = 0;
    for (unsigned i = 0; i < s->issue.schedulers; i++) {
        if (sm_slot_open(s, n, s->now))
            schedule(s, n);
        s->issue.dual->done |= (uint8_t)(1u << n);
        n = n + 1 < s->issue.schedulers ? n + 1 : 0;
    }
    s->issue.dual->issuing = false;
}

/* What it waited for does not concern the next warp in its place. */
static void warp_ended(sm *s, unsigned w) { s->issue.dual->when[w] = 0; }

const sm_issue_policy sm_issue_dual = {
    .tick = dual_tick,
    .fetch = sm_fetch_tick_dual,
    .warp_ended = warp_ended,
    .own_unit_first = true,
};
