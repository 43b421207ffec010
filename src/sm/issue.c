#include "sm/issue.h"

#include "base/bits.h"
#include "base/must.h"
#include "sm/barrier.h"
#include "sm/cta.h"
#include "sm/mbarrier.h"
#include "sm/slot.h"
#include "sm/slots.h"
#include "sm/state.h"

/* Brings the registers of an instruction that will soon issue into the cache
 * of the host; changes nothing in the simulated machine. */
static inline void fetch_rows(const exec_warp *x, const sm_inst *si)
{
    for (unsigned i = 0; i < si->reads; i++) {
        __builtin_prefetch(x->reg[si->read[i]]);
        __builtin_prefetch(x->reg[si->read[i]] + 16);
    }
    if (si->in->dst_regs) {
        __builtin_prefetch(x->reg[si->in->dst], 1);
        __builtin_prefetch(x->reg[si->in->dst] + 16, 1);
    }
}

/* Which of its uniform operands `si` waits for. */
static __attribute__((noinline)) sm_why uniform_why(sm *s, unsigned w,
                                                    const sm_inst *si)
{
    sm_why why = WHY_READY;

    if (s->hazards.uniform_waits)
        why = sm_uniform_check(s->hazards.uniform, w, si->in);
    s->st.uniform_waits += why != WHY_READY;
    return why;
}

/* What its head, which the buffer has, waits for. */
static inline __attribute__((always_inline)) sm_why head_why(sm *s, unsigned w,
                                                             const sm_inst *si)
{
    sm_warp *p = &s->warp[w];
    uint64_t bit = BIT(w);
    sm_why why = sm_hazard_check(s->hazards.policy, w, si);

    if (__builtin_expect(si->flags & INST_UNIFORM, 0) && why == WHY_READY)
        why = uniform_why(s, w, si);
    /* A slot that is lacking does not keep constants from being looked up. */
    if ((why == WHY_READY || why == WHY_TABLE) &&
        (si->flags & s->issue.looks_up) && !sm_constant_ready(s, w, si))
        why = WHY_CONSTANT;
    if (why == WHY_READY) {
        fetch_rows(&s->x[w], si);
        s->heads[p->unit] &= ~bit;
        p->unit = si->unit;
        s->heads[p->unit] |= bit;
        if (si->flags & INST_MEM)
            s->mem_heads |= bit;
        else
            s->mem_heads &= ~bit;
    }
    return why;
}

/* The cycle from which on `w` may issue, whatever its operands do. */
static inline uint64_t issue_not_before(const sm *s, unsigned w)
{
    uint64_t when = 0, also = 0;

    if (s->issue.gates & GATE_HAZARD)
        when = s->hazards.policy->ops->not_before(s->hazards.policy, w);
    if (s->issue.gates & GATE_CODES)
        also = sm_dual_not_before(s->issue.dual, w, s->now);
    return when > also ? when : also;
}

/* The state of `w` where policies besides that of hazards decide, too. Until
 * `when`, the first cycle in which it may issue, it mostly does not matter
 * whether its operands are ready. */
static __attribute__((noinline)) void
set_gated(sm *s, unsigned w, const sm_inst *si, uint64_t when)
{
    bool early = when > s->now;
    sm_why why = WHY_CODE;

    if (!early || !s->hazards.policy->ops->pure ||
        (si->flags & (INST_CONST | INST_LDC)))
        why = head_why(s, w, si);
    if (early) {
        why = WHY_CODE;
        sm_event_at(s, when, EVENT_BRANCH, w, 0, 0);
    } else if (s->table_stage.stage && why == WHY_READY) {
        why = WHY_TURN; /* its turn at the hazard table */
    } else if (s->front_end->gate) {
        why = s->front_end->gate(s, w, si, why);
    }
    sm_warp_set(s, w, why);
}

/* The buffer of `w` is empty. */
static __attribute__((noinline)) void no_head(sm *s, unsigned w, uint32_t pc)
{
    if (pc >= sm_code_count(s, w)) {
        exec_fault f = {.kind = FAULT_PC, .pc = pc, .warp = s->x[w].index};
        for (unsigned i = 0; i < 3; i++)
            f.cta[i] = s->x[w].cta->id[i];
        sm_stop(s, w, &f);
    }
    sm_warp_set(s, w, sm_fetch_why(&s->fetch, w));
}

/* sm_warp_head(), inlined where every instruction comes by. */
static inline __attribute__((always_inline)) void set_head(sm *s, unsigned w)
{
    uint32_t pc = s->x[w].simt.pc;

    if (!sm_fetch_has(&s->fetch, w)) {
        no_head(s, w, pc);
        return;
    }
    const sm_inst *si = sm_inst_at(s, w, pc);
    s->warp[w].head = si;
    s->st.hazard_checks++;
    s->st.hazard_operands += si->reads + !!(si->flags & INST_RESULT);
    if (__builtin_expect(s->issue.gates, 0)) {
        uint64_t when = issue_not_before(s, w);
        if (when > s->now || s->issue.gates & GATE_STATE) {
            set_gated(s, w, si, when);
            return;
        }
    }
    sm_warp_set(s, w, head_why(s, w, si));
}

void sm_warp_head(sm *s, unsigned w) { set_head(s, w); }

/* ---- choosing ---- */

sm_slot sm_slot_at(sm *s, unsigned n, uint64_t t)
{
    sm_slot slot;

    slot.warps = sm_slot_find(s, n, t, &slot);
    return slot;
}

/* ---- issuing ---- */

static __attribute__((noinline)) void count_uniform(sm *s, const isa_inst *in)
{
    unsigned n;

    isa_uaddr(in, &n);
    for (unsigned i = 0; i < 3; i++)
        n += in->usrc_regs[i];
    s->st.uniform_reads += n;
    s->st.uniform_writes += in->udst_regs;
}

static inline void count_hazard(sm *s, const sm_inst *si)
{
    s->st.hazard_writes += !!(si->flags & INST_RESULT);
    s->st.hazard_regs += si->in->dst_regs;
    if (__builtin_expect(si->flags & INST_UNIFORM, 0))
        count_uniform(s, si->in);
}

static inline __attribute__((always_inline)) void
count_lanes(sm *s, const sm_inst *si, uint32_t lanes)
{
    s->st.warp_insts++;
    s->st.class[si->class]++;
    s->st.reg_reads += si->reads;
    s->st.bank_reads += si->reads;
    s->st.reg_writes += si->in->dst_regs;
    if (lanes == UINT32_MAX) {
        s->st.lanes[HIST_LANES - 1]++;
        s->st.thread_insts += 32;
        s->st.lane[si->class] += 32;
        if (si->class == ISA_CLASS_TENSOR)
            s->st.lane[si->class] += 32u * si->more;
        return;
    }
    unsigned n = bits_popcount32(lanes);
    s->st.thread_insts += n;
    s->st.lane[si->class] += n;
    s->st.lanes[bins_lanes(n)]++;
}

/* Operands by where dispatch ports, or those behind the stage, got them. */
static inline void count_operands(sm *s)
{
    s->st.operand_reads += s->collect.read;
    s->st.operand_hits += s->collect.hit;
    s->st.bank_reads -= s->collect.hit;
}

/* Control codes wait until `si` has read its registers: with the load/store
 * unit when it takes them. */
static void note_read(sm *s, unsigned w, const sm_inst *si, unsigned delay)
{
    unsigned more = si->class == ISA_CLASS_MEM ? s->cfg->sm.lsu.latency : 0;

    if ((si->in->ctl >> CTL_READ_BAR & 7) == 7)
        return;
    s->warp[w].outstanding++;
    sm_event_at(s, s->now + 1 + sm_collect_time(&s->collect) + delay + more,
                EVENT_READ, w, sm_pc_of(s, w, si), 0);
}

/* The oracle and the hazard policy learn that `si` issues. Its operands come
 * `delay` cycles later than without bank conflicts, and then it waits for its
 * unit for `wait` cycles. */
static SM_COLD void notify(sm *s, unsigned w, const sm_inst *si, unsigned delay,
                           unsigned wait)
{
    if (s->hazards.oracle)
        sm_oracle_read(s->hazards.oracle, w, si,
                       s->now + sm_collect_time(&s->collect) + delay);
    if (s->collect.mode == CFG_COLLECT_UNITS)
        delay += wait;
    else if (s->collect.mode == CFG_COLLECT_PORTS || s->collect.staged)
        delay = s->collect.after;
    if (s->hazards.policy->ops->issued)
        s->hazards.policy->ops->issued(s->hazards.policy, w, si, delay);
    if (s->hazards.policy->ops->read)
        note_read(s, w, si, delay);
}

/* From when on `si`, whose operands come `late` cycles late, takes its unit. A
 * tensor core that is busy with a product for longer than its operands take
 * has those of the next read meanwhile: an A100 reaches 99 % of its peak
 * [LUO:table-tensor]. */
static inline uint64_t unit_from(const sm *s, const sm_inst *si, unsigned late)
{
    bool hides = si->class == ISA_CLASS_TENSOR &&
                 s->collect.window + late <= si->interval;

    return s->now + (hides ? 0 : late);
}

/* dispatch() where the registers have a stage or a cache in front of them. */
static __attribute__((noinline)) unsigned
dispatch_staged(sm *s, unsigned n, unsigned w, const sm_inst *si, bool tells)
{
    sm_collect *c = &s->collect;
    unsigned late = sm_collect_stage(c, n, w, si, s->now);
    unsigned wait = sm_units_take(&s->units, n, si->unit,
                                  unit_from(s, si, late), si->interval);

    if (!tells)
        return c->after;
    s->st.bank_waits += late;
    s->st.stage_waits += c->late;
    s->st.operand_stale += c->stale;
    count_operands(s);
    s->st.unit_waits += wait;
    if (s->issue.notifies)
        notify(s, w, si, late, wait);
    return c->after;
}

/* Books collector, banks and unit. Returns the cycles by which they delay the
 * instruction. tells: it is counted, and who wants to know of it is told. */
static inline __attribute__((always_inline)) unsigned
dispatch(sm *s, unsigned n, unsigned w, const sm_inst *si, bool fast,
         bool tells)
{
    unsigned held, delay, late, wait;

    if (s->collect.staged)
        return dispatch_staged(s, n, w, si, tells);
    late = delay = sm_collect_read(&s->collect, n, w, si, s->now, &held);
    wait = !fast && s->issue.policy->own_unit_first
               ? sm_units_take_own(&s->units, n, si->unit, s->now + delay,
                                   si->interval)
               : sm_units_take(&s->units, n, si->unit, s->now + delay,
                               si->interval);
    if (!fast && s->collect.mode == CFG_COLLECT_PORTS) {
        late = s->collect.late;
        delay = s->collect.after;
        if (tells)
            count_operands(s);
    }
    if (tells) {
        s->st.bank_waits += late;
        s->st.unit_waits += wait;
    }
    if (!fast && tells && s->issue.notifies)
        notify(s, w, si, late, wait);
    if (s->collect.mode == CFG_COLLECT_UNITS) /* it waits in the collector */
        delay += wait;
    sm_collect_release(&s->collect, n, held, s->now + 1 + delay);
    return delay;
}

static inline __attribute__((always_inline)) void
pend(sm *s, unsigned w, const sm_inst *si, bool fast)
{
    if (fast)
        sm_hazard_reserve(s->hazards.policy, w, si);
    else
        sm_pend(s, w, si);
    sm_pend_uniform(s, w, si);
}

/* Results that need no load unit become visible later. Those of constants do
 * not come in the same cycle in all members of a cluster, so they book none
 * there, as those of loads: result_due() of sm.c. */
static inline __attribute__((always_inline)) void
book_result(sm *s, unsigned w, const sm_inst *si, uint32_t pc, unsigned latency,
            bool fast)
{
    uint64_t due = s->now + latency + s->hazards.release;

    if (fast || !s->front_end->shared || !(si->flags & INST_LATE))
        due = sm_result_at(s, w, due);
    if (!fast && s->hazards.policy->ops->delayed)
        s->hazards.policy->ops->delayed(s->hazards.policy, w,
                                        due - s->now - latency);
    unsigned guard = s->cfg->sm.issue.predicate;

    pend(s, w, si, fast);
    s->warp[w].outstanding++;
    sm_event_at(s, due, EVENT_WRITE, w, pc, 0);
    if (guard && si->in->pwrite) {
        s->warp[w].outstanding++;
        sm_event_at(s, due + guard, EVENT_GUARD, w, pc, 0);
    }
}

static void count_branch(sm *s, const sm_inst *si, uint32_t before, bool taken,
                         const simt *now)
{
    s->st.branches++;
    s->st.branches_taken += taken;
    if (si->in->op == ISA_BRA || si->in->op == ISA_BRX)
        s->st.branches_diverged += (before & ~now->active) != 0;
}

/* `si` of warp `w` has executed: the program counter was `pc` before it, the
 * active lanes `before`. Other members of the cluster are `lag` cycles behind.
 */
static inline __attribute__((always_inline)) void
advance(sm *s, unsigned w, const sm_inst *si, uint32_t pc, uint32_t before,
        unsigned lag, bool fast)
{
    bool fetches = fast || s->front_end->fetches;
    bool taken = s->x[w].simt.pc != pc + 1;
    bool branch = si->flags & INST_BRANCH;

    if (branch)
        count_branch(s, si, before, taken, &s->x[w].simt);
    if (fetches) {
        s->constant.found[w] = 0;
        if (taken)
            sm_fetch_flush(s, w);
        else
            sm_fetch_pop(s, w);
    }
    bool resolves = branch || (taken && fetches);
    bool known = !taken && si->latency <= 1 && (fast || !s->front_end->shared);
    if (!resolves || known) {
        if (fast)
            set_head(s, w);
        else
            sm_warp_resume(s, w);
        return;
    }
    sm_warp_set(s, w, WHY_BRANCH);
    sm_event_at(
        s, s->now + lag + si->latency + (taken ? s->cfg->sm.issue.branch : 0),
        EVENT_BRANCH, w, 0, 0);
}

static void sleep(sm *s, unsigned w, uint32_t ns)
{
    uint64_t cycles = (uint64_t)ns * s->cfg->gpu.clock_khz / 1000000;

    sm_warp_set(s, w, WHY_SLEEP);
    s->warp[w].outstanding++;
    sm_event_at(s, s->now + (cycles ? cycles : 1), EVENT_WAKE, w, 0, 0);
}

/* In a trace other lanes of the warp may go on elsewhere meanwhile. */
static SM_COLD void follow_trace(sm *s, unsigned w, uint32_t next)
{
    uint32_t pc = s->x[w].simt.pc;

    if (pc == next)
        return;
    sm_fetch_flush(s, w);
    sm_fetch_redirect(s, w, pc);
}

/* Waits that begin with an instruction, at `pc`, behind which the warp stands
 * now. */
static void wait_for(sm *s, unsigned w, const sm_inst *si, uint32_t pc,
                     exec_result r)
{
    if (s->front_end->fetches) {
        if (__builtin_expect(s->table_stage.stage, 0) &&
            (si->flags & INST_RESULT))
            sm_table_stage_drop(s, w, si);
        s->constant.found[w] = 0;
        sm_fetch_pop(s, w);
        if (__builtin_expect(!s->x[w].code_count, 0))
            follow_trace(s, w, pc + 1);
    }
    if (r == EXEC_BARRIER) {
        sm_barrier_arrive(s, w);
    } else if (r == EXEC_SLEEP && s->bar[w].mbarrier) {
        sm_mbarrier_wait(s, w);
    } else if (r == EXEC_SLEEP && si->in->op == ISA_MBWAIT) {
        sm_mbarrier_look(s, w);
    } else if (r == EXEC_SLEEP) {
        sleep(s, w, s->bar[w].count);
    } else if (r == EXEC_COPIES && si->in->op >= ISA_WGCOMMIT &&
               si->in->op <= ISA_WGWAIT) {
        sm_warp_group_wait(s, w, si);
    } else if (r == EXEC_COPIES &&
               (si->in->op == ISA_UTMACMDFLUSH || si->in->op == ISA_UTMAWAIT)) {
        sm_tma_wait(s, w, si);
    } else if (r == EXEC_COPIES) {
        sm_async_copy_wait(s, w, si);
    } else {
        s->st.fences++;
        s->warp[w].fence = (uint8_t)ISA_GET(si->in, SCOPE);
        sm_warp_set(s, w, WHY_FENCE);
        sm_lsu_fence(s, w);
    }
}

/* The head of `w`, at `pc`, has been executed with what came of it. */
static SM_COLD void watch(sm *s, unsigned w, uint32_t pc, uint32_t before,
                          exec_result r, unsigned delay)
{
    const sm_inst *si = s->warp[w].head;

    if (s->observe.profile)
        sm_profile_issue(s, w, si, pc, before);
    if (s->observe.trace)
        sm_trace_issue(s, w, si, pc, r, delay);
    if (s->observe.spin)
        sm_spin_issue(s, w, pc, r);
}

/* The oracle finds that a register of `si` is still pending. */
static inline bool comes_early(sm *s, unsigned w, const sm_inst *si,
                               uint32_t pc)
{
    bool early =
        s->hazards.oracle &&
        (!sm_oracle_allows(s->hazards.oracle, w, si, s->now) ||
         (si->flags & INST_UNIFORM &&
          sm_uniform_check(s->hazards.uniform, w, si->in) != WHY_READY));

    return early && sm_hazard_fault(s, FAULT_HAZARD, w, pc);
}

/* The oracle finds that the register cache had an old value. */
static inline bool took_old(sm *s, unsigned w, uint32_t pc)
{
    bool old = s->hazards.oracle && s->collect.stale;

    return old && sm_hazard_fault(s, FAULT_HAZARD, w, pc);
}

/* From issue to the result, if nothing delays it. */
static inline __attribute__((always_inline)) unsigned
latency_of(sm *s, unsigned w, const sm_inst *si, uint32_t pc, bool fast)
{
    if (!(si->flags & INST_LDC))
        return si->latency;
    return fast || !s->front_end->load_constants
               ? sm_constant_load(s, w, si)
               : s->front_end->load_constants(s, w, si, pc);
}

/* Executes the head of warp `w` in the slot of scheduler `n`; it was issued in
 * cycle `when`. The one path of all instructions, compiled twice: `fast` leaves
 * out what the policies of most machines do not need. */
static inline __attribute__((always_inline)) void
execute(sm *s, unsigned n, unsigned w, uint64_t when, const bool fast)
{
    const sm_front_end *front = s->front_end;
    exec_warp *x = &s->x[w];
    const sm_inst *si = s->warp[w].head;
    uint32_t pc = x->simt.pc, before = x->simt.active;
    exec_mem *m = si->flags & INST_MEM ? sm_lsu_next(&s->lsu) : NULL;
    unsigned lag = 0;
    exec_fault fault;

    if (!fast && comes_early(s, w, si, pc))
        return;
    if (si->flags & INST_TIMED)
        x->clock = when;
    unsigned latency = latency_of(s, w, si, pc, fast);
    unsigned delay = dispatch(s, n, w, si, fast, true);
    if (!fast && took_old(s, w, pc))
        return;
    exec_result r = fast || !front->step ? exec_step(x, m, &s->bar[w], &fault)
                                         : front->step(s, w, m, &fault);
    if (fast || front->fetches)
        count_hazard(s, si);
    count_lanes(s, si, x->ran);
    if (!fast && front->executed)
        lag = front->executed(s, n, w, si, pc, r);
    delay += lag;
    if (__builtin_expect(s->observe.any, 0))
        watch(s, w, pc, before, r, delay);
    switch (r) {
    case EXEC_MEM:
        if (si->flags & INST_RESULT)
            pend(s, w, si, fast);
        sm_lsu_add(s, w, si, pc, s->now + s->cfg->sm.lsu.latency - 1 + delay);
        break;
    case EXEC_DONE:
        if ((si->flags & INST_RESULT) &&
            (fast || !front->defers_result || !front->defers_result(s, w, si)))
            book_result(s, w, si, pc, latency + delay, fast);
        break;
    case EXEC_GROUP:
        book_result(s, w, si, pc, sm_warp_group_product(s, n, w, si) + delay,
                    fast);
        break;
    case EXEC_BARRIER:
    case EXEC_SLEEP:
    case EXEC_FENCE:
    case EXEC_COPIES:
        wait_for(s, w, si, pc, r);
        return;
    case EXEC_BLOCKED:
        sm_warp_set(s, w, WHY_CONVERGE);
        return;
    case EXEC_EXIT:
        if (fast || !front->outlives_exit || !front->outlives_exit(s, w))
            sm_warp_end(s, w);
        return;
    case EXEC_FAULT:
        sm_stop(s, w, &fault);
        return;
    }
    MUST(r == EXEC_MEM || r == EXEC_DONE || r == EXEC_GROUP);
    advance(s, w, si, pc, before, lag, fast);
}

void sm_issue_pass(sm *s, unsigned n, unsigned w, const sm_inst *si)
{
    unsigned delay = dispatch(s, n, w, si, false, false);

    if ((si->flags & INST_RESULT) && !(si->flags & INST_LATE))
        sm_result_at(s, w, s->now + si->latency + delay + s->hazards.release);
}

void sm_issue_count_empty(sm *s, unsigned n, unsigned w, const sm_inst *si)
{
    count_lanes(s, si, 0);
    sm_issue_pass(s, n, w, si);
}

/* Warp `w` takes the slot of scheduler `n` in this cycle. */
static inline void take_slot(sm *s, unsigned n, unsigned w)
{
    s->issue.scheduler[n].last = w;
    sm_slots_issue(s, n, s->now);
    if (s->collect.shared)
        sm_slots_reopen(s);
}

/* This and the next stay apart from looking for warps, which mostly finds none
 * and has to be quick. */
static __attribute__((noinline)) void issue_fast(sm *s, unsigned n, unsigned w)
{
    take_slot(s, n, w);
    execute(s, n, w, s->now, true);
}

/* What the master of the cluster issued has its slot already. */
__attribute__((noinline)) void sm_issue_execute(sm *s, unsigned n, unsigned w,
                                                uint64_t when)
{
    bool own = s->front_end->fetches;

    if (own)
        take_slot(s, n, w);
    if (own && s->issue.yields)
        s->issue.scheduler[n].rests =
            s->warp[w].head->in->ctl >> CTL_YIELD & 1 ? s->now + 1 : 0;
    execute(s, n, w, when, false);
    if (s->table_stage.stage && own)
        sm_table_stage_issued(s, n);
}

static inline void issue_from(sm *s, unsigned n, unsigned w)
{
    if (s->fast_path)
        issue_fast(s, n, w);
    else
        sm_issue_execute(s, n, w, s->now);
}

void sm_issue_warp(sm *s, unsigned n, unsigned w, bool again)
{
    if (again)
        sm_slots_again(s, n);
    s->collect.second = again;
    issue_from(s, n, w);
}

/* Under sm.constant.hold: are the constant operands of warp `w` there, which is
 * to issue? If not, it and scheduler `n` wait. */
static __attribute__((noinline)) bool has_constants(sm *s, unsigned n,
                                                    unsigned w)
{
    sm_scheduler *q = &s->issue.scheduler[n];
    const sm_inst *si = s->warp[w].head;

    q->held_until = 0;
    if (!s->issue.hold || !(si->flags & INST_CONST) ||
        sm_constant_ready(s, w, si))
        return true;
    q->held = w;
    q->held_until = s->now + s->issue.hold;
    s->st.const_holds++;
    sm_warp_set(s, w, WHY_CONSTANT);
    return false;
}

uint64_t sm_slot_find_limited(sm *s, unsigned n, uint64_t t, sm_slot *slot)
{
    return sm_slot_search(s, n, t, slot, true);
}

/* Issues from the best warp whose unit is free, or waits. */
static inline __attribute__((always_inline)) void schedule(sm *s, unsigned n,
                                                           const bool limited)
{
    sm_slot slot;
    uint64_t warps = limited ? sm_slot_find_limited(s, n, s->now, &slot)
                             : sm_slot_search(s, n, s->now, &slot, false);

    if (warps) {
        unsigned w =
            sm_scheduler_pick(&s->issue.scheduler[n], warps, &s->issue.ages);

        if (!limited || has_constants(s, n, w)) {
            issue_from(s, n, w);
            return;
        }
        slot = sm_slot_at(s, n, s->now);
    }
    s->issue.retry[n] = slot.retry;
    sm_slots_wait(s, n, s->now, slot.why);
}

void sm_issue_schedule(sm *s, unsigned n)
{
    if (s->issue.limits)
        schedule(s, n, true);
    else
        schedule(s, n, false);
}

#ifdef HEDDLE_CHECKS
/* Scheduler `n` was left out: its stall is still the one that it had last. */
static void check_closed(sm *s, unsigned n)
{
    sm_slot slot = sm_slot_at(s, n, s->now);

    MUST(!slot.warps && slot.why == s->issue.charge[n].why);
}
#endif

/* Compiled twice, as sm_slot_search() is. */
static inline __attribute__((always_inline)) void tick(sm *s,
                                                       const bool limited)
{
    /* A shared unit goes to the scheduler that is first, so they take turns. */
    unsigned n = (unsigned)(s->now % s->issue.schedulers);

    for (unsigned i = 0; i < s->issue.schedulers; i++) {
        if (sm_slot_open(s, n, s->now))
            schedule(s, n, limited);
#ifdef HEDDLE_CHECKS
        else
            check_closed(s, n);
#endif
        n = n + 1 < s->issue.schedulers ? n + 1 : 0;
    }
}

static __attribute__((noinline)) void tick_limited(sm *s)
{
    if (s->owner.saturated)
        sm_owner_turn(s);
    tick(s, true);
}

void sm_issue_tick(sm *s)
{
    if (__builtin_expect(s->issue.limits, 0))
        tick_limited(s);
    else
        tick(s, false);
}

const sm_issue_policy sm_issue_single = {.tick = NULL};
