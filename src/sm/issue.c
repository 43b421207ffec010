#include "sm/issue.h"

#include "base/bits.h"
#include "base/must.h"
#include "sm/barrier.h"
#include "sm/cta.h"
#include "sm/hazard/control_codes.h"
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

/* What its head, which the buffer has, waits for. */
static inline __attribute__((always_inline)) sm_why head_why(sm *s, unsigned w,
                                                             const sm_inst *si)
{
    sm_warp *p = &s->warp[w];
    uint64_t bit = BIT(w);
    sm_why why = sm_hazard_check(s->hazard, w, si);

    /* A slot that is lacking does not keep constants from being looked up. */
    if ((why == WHY_READY || why == WHY_TABLE) &&
        (si->flags & (INST_CONST | INST_LDC)) && !sm_constant_ready(s, w, si))
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

/* The cycle from which on control codes let `w` issue; 0: the next. */
static inline uint64_t code_when(const sm *s, unsigned w)
{
    if (s->codes)
        return sm_codes_when(s->codes, w);
    return s->dual ? sm_dual_when(s->dual, w, s->now) : 0;
}

/* Policies that are asked more than whether its operands are ready: true if
 * they have set its state. */
static bool asked_more(sm *s, unsigned w, sm_why why)
{
    if (s->check.stage && why == WHY_READY) {
        sm_check_passes(s, w);
        return true;
    }
    if (s->role != ROLE_MASTER)
        return false;
    if (why == WHY_READY && s->share->mode != CLUSTER_SHARED) {
        sm_warp_set(s, w, WHY_SWITCH);
        return true;
    }
    if (why == WHY_RAW_MEM && sm_share_waits(s, w, s->warp[w].head)) {
        sm_warp_set(s, w, WHY_ACK);
        return true;
    }
    return false;
}

/* The state of `w` where more than its head has a say: until its code lets it
 * issue, at `when`, it mostly does not matter whether its operands are ready.
 */
static __attribute__((noinline)) void ask(sm *s, unsigned w, const sm_inst *si,
                                          uint64_t when)
{
    bool waits = when > s->now;
    sm_why why = WHY_CODE;

    if (!waits || !s->hazard->ops->pure ||
        (si->flags & (INST_CONST | INST_LDC)))
        why = head_why(s, w, si);
    if (waits) {
        sm_warp_set(s, w, WHY_CODE);
        sm_event_at(s, when, EVENT_BRANCH, w, 0, 0);
    } else if (!asked_more(s, w, why)) {
        sm_warp_set(s, w, why);
    }
}

/* The buffer of `w` is empty. */
static __attribute__((noinline)) void no_head(sm *s, unsigned w, uint32_t pc)
{
    if (pc >= s->x[w].code_count) {
        exec_fault f = {.kind = FAULT_PC, .pc = pc, .warp = s->x[w].index};
        for (unsigned i = 0; i < 3; i++)
            f.cta[i] = s->x[w].cta->id[i];
        sm_stop(s, w, &f);
    }
    sm_warp_set(s, w, sm_fetch_why(&s->fetch, w));
}

void sm_warp_head(sm *s, unsigned w)
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
    if (__builtin_expect(s->asks, 0)) {
        uint64_t when = code_when(s, w);
        if (when > s->now || s->asks_more) {
            ask(s, w, si, when);
            return;
        }
    }
    sm_warp_set(s, w, head_why(s, w, si));
}

/* ---- choosing ---- */

sm_slot sm_slot_at(sm *s, unsigned n, uint64_t t)
{
    sm_slot slot;

    slot.warps = sm_slot_find(s, n, t, &slot);
    return slot;
}

/* ---- issuing ---- */

static void count_hazard(sm *s, const sm_inst *si)
{
    s->st.hazard_writes += !!(si->flags & INST_RESULT);
    s->st.hazard_regs += si->in->dst_regs;
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
        return;
    }
    unsigned n = bits_popcount32(lanes);
    s->st.thread_insts += n;
    s->st.lane[si->class] += n;
    s->st.lanes[bins_lanes(n)]++;
}

/* Dispatch ports have gathered operands: by how many cycles these came late. */
static inline unsigned gathered(sm *s)
{
    s->st.bank_waits += s->collect.late;
    s->st.operand_reads += s->collect.read;
    s->st.operand_hits += s->collect.hit;
    s->st.bank_reads -= s->collect.hit;
    return s->collect.late;
}

/* Those who have to know that `si` issues: it has its operands `delay` cycles
 * later than it should, and then waits for its unit. */
static SM_COLD void tell(sm *s, unsigned w, const sm_inst *si, unsigned delay,
                         unsigned wait)
{
    if (s->oracle)
        sm_oracle_read(s->oracle, w, si,
                       s->now + sm_collect_time(&s->collect) + delay);
    if (s->collect.mode == CFG_COLLECT_UNITS)
        delay += wait;
    if (s->codes)
        sm_codes_issue(s->codes, w, si, s->now, delay);
    if (s->hazard->ops->issued)
        s->hazard->ops->issued(s->hazard, w);
}

/* Books collector, banks and unit. Returns the cycles by which they delay the
 * instruction. */
static inline __attribute__((always_inline)) unsigned
dispatch(sm *s, unsigned n, unsigned w, const sm_inst *si, bool plain)
{
    unsigned held, delay, wait;

    delay = sm_collect_read(&s->collect, n, w, si, s->now, &held);
    s->st.bank_waits += delay;
    wait = !plain && s->dual ? sm_units_take_own(&s->units, n, si->unit,
                                                 s->now + delay, si->interval)
                             : sm_units_take(&s->units, n, si->unit,
                                             s->now + delay, si->interval);
    s->st.unit_waits += wait;
    if (!plain && s->collect.mode == CFG_COLLECT_PORTS)
        delay = gathered(s);
    if (!plain && s->told)
        tell(s, w, si, delay, wait);
    if (!plain && s->collect.mode == CFG_COLLECT_PORTS)
        delay = s->collect.after;
    if (s->collect.mode == CFG_COLLECT_UNITS) /* it waits in the collector */
        delay += wait;
    sm_collect_release(&s->collect, n, held, s->now + 1 + delay);
    return delay;
}

static inline void pend(sm *s, unsigned w, const sm_inst *si, bool plain)
{
    if (plain)
        sm_hazard_reserve(s->hazard, w, si);
    else
        sm_pend(s, w, si);
}

/* Results that need no load unit become visible later. Those of constants do
 * not come in the same cycle in all members of a cluster, so they have a write
 * port of their own there, as those of loads. */
static inline __attribute__((always_inline)) void
book_result(sm *s, unsigned w, const sm_inst *si, uint32_t pc, unsigned latency,
            bool plain)
{
    uint64_t due = s->now + latency + s->release;

    if (plain || !s->role || !(si->flags & INST_LATE))
        due = sm_result_at(s, w, due);
    if (!plain && s->codes)
        sm_codes_late(s->codes, w, due - s->now - latency);
    unsigned guard = s->cfg->sm.issue.predicate;

    pend(s, w, si, plain);
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

/* The cycle in which a branch that issues now is resolved. */
static uint64_t resolved_at(const sm *s, const sm_inst *si, bool taken)
{
    uint64_t lag = s->role == ROLE_MASTER ? s->share->lag : 0;

    return s->now + lag + si->latency + (taken ? s->cfg->sm.issue.branch : 0);
}

/* The program counter of `w` was `pc` before `si`. */
static void go_on(sm *s, unsigned w, const sm_inst *si, uint32_t pc,
                  uint32_t before)
{
    bool taken = s->x[w].simt.pc != pc + 1;
    bool resolves = taken || (si->flags & INST_BRANCH);

    if (si->flags & INST_BRANCH)
        count_branch(s, si, before, taken, &s->x[w].simt);
    s->constant.found[w] = 0;
    if (taken)
        sm_fetch_flush(s, w);
    else
        sm_fetch_pop(s, w);
    if (!resolves || (!taken && si->latency <= 1 && !s->role)) {
        sm_warp_resume(s, w);
        return;
    }
    sm_warp_set(s, w, WHY_BRANCH);
    sm_event_at(s, resolved_at(s, si, taken), EVENT_BRANCH, w, 0, 0);
}

static void sleep(sm *s, unsigned w, uint32_t ns)
{
    uint64_t cycles = (uint64_t)ns * s->cfg->gpu.clock_khz / 1000000;

    sm_warp_set(s, w, WHY_SLEEP);
    s->warp[w].outstanding++;
    sm_event_at(s, s->now + (cycles ? cycles : 1), EVENT_WAKE, w, 0, 0);
}

/* Waits that begin with an instruction whose pc has advanced. */
static void wait_for(sm *s, unsigned w, const sm_inst *si, exec_result r)
{
    if (__builtin_expect(s->check.stage, 0) && (si->flags & INST_RESULT))
        sm_check_drop(s, w, si);
    s->constant.found[w] = 0;
    sm_fetch_pop(s, w);
    if (r == EXEC_BARRIER) {
        sm_barrier_arrive(s, w);
    } else if (r == EXEC_SLEEP) {
        sleep(s, w, s->bar[w].count);
    } else if (r == EXEC_COPIES) {
        sm_copies_wait(s, w, si);
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

    if (s->profile)
        sm_profile_issue(s, w, si, pc, before);
    if (s->trace)
        sm_trace_issue(s, w, si, pc, r, delay);
    if (s->spin)
        sm_spin_issue(s, w, pc, r);
}

static inline exec_result step(sm *s, unsigned w, bool mem, exec_fault *fault,
                               bool plain)
{
    exec_mem *m = mem ? sm_lsu_next(&s->lsu) : NULL;

    if (!plain && s->role)
        return sm_share_step(s, w, m, fault);
    return exec_step(&s->x[w], m, &s->bar[w], fault);
}

/* Written once, called once: gcc leaves it out of line otherwise. */
static inline __attribute__((always_inline)) void issue(sm *s, unsigned n,
                                                        unsigned w)
{
    const bool plain = __builtin_expect(s->plain, 1);
    exec_warp *x = &s->x[w];
    const sm_inst *si = s->warp[w].head;
    uint32_t pc = x->simt.pc, before = x->simt.active;
    bool mem = si->flags & INST_MEM;
    exec_fault fault;

    if (!plain && s->oracle && !sm_oracle_allows(s->oracle, w, si, s->now)) {
        sm_hazard_fault(s, FAULT_HAZARD, w, pc);
        return;
    }
    if (si->flags & INST_TIMED)
        x->clock = s->now;
    unsigned latency =
        si->flags & INST_LDC ? sm_constant_load(s, w, si) : si->latency;
    unsigned delay = dispatch(s, n, w, si, plain);
    exec_result r = step(s, w, mem, &fault, plain);
    count_hazard(s, si);
    count_lanes(s, si, x->ran);
    if (!plain && s->role)
        delay += sm_share_issued(s, n, w, si, pc);
    if (__builtin_expect(s->watched, 0))
        watch(s, w, pc, before, r, delay);
    switch (r) {
    case EXEC_MEM:
        if (si->flags & INST_RESULT)
            pend(s, w, si, plain);
        sm_lsu_add(s, w, si, pc, s->now + s->cfg->sm.lsu.latency - 1 + delay);
        go_on(s, w, si, pc, before);
        return;
    case EXEC_DONE:
        if (si->flags & INST_RESULT)
            book_result(s, w, si, pc, latency + delay, plain);
        go_on(s, w, si, pc, before);
        return;
    case EXEC_BARRIER:
    case EXEC_SLEEP:
    case EXEC_FENCE:
    case EXEC_COPIES:
        wait_for(s, w, si, r);
        return;
    case EXEC_BLOCKED:
        sm_warp_set(s, w, WHY_CONVERGE);
        return;
    case EXEC_EXIT:
        if (plain || !s->role || !sm_share_outlives(s, w))
            sm_warp_end(s, w);
        return;
    case EXEC_FAULT:
        sm_stop(s, w, &fault);
        return;
    }
    MUST(!"exec_step returns one of these");
}

/* Apart from looking for warps, which mostly finds none and has to be quick. */
static __attribute__((noinline)) void issue_from(sm *s, unsigned n, unsigned w)
{
    s->scheduler[n].last = w;
    sm_slots_issue(s, n, s->now);
    issue(s, n, w);
    if (s->collect.shared)
        sm_slots_reopen(s);
    if (__builtin_expect(s->check.stage, 0))
        sm_check_issued(s, n);
}

void sm_issue_warp(sm *s, unsigned n, unsigned w, bool again)
{
    if (again)
        sm_slots_again(s, n);
    s->collect.second = again;
    issue_from(s, n, w);
}

/* Issues from the best warp whose unit is free, or waits. */
static inline void schedule(sm *s, unsigned n)
{
    sm_slot slot;
    uint64_t warps = sm_slot_find(s, n, s->now, &slot);

    if (warps) {
        issue_from(s, n, sm_scheduler_pick(&s->scheduler[n], warps, &s->ages));
        return;
    }
    s->retry[n] = slot.retry;
    sm_slots_wait(s, n, s->now, slot.why);
}

/* ---- another SM of the cluster issues ---- */

/* Where `w` goes from `pc`, and what others are told of that. */
static void follow_on(sm *s, unsigned w, const sm_inst *si, uint32_t pc,
                      uint32_t before)
{
    bool taken = s->x[w].simt.pc != pc + 1;

    sm_warp_set(s, w, WHY_FOLLOW);
    if (!(si->flags & INST_BRANCH))
        return;
    count_branch(s, si, before, taken, &s->x[w].simt);
    sm_warp_set(s, w, WHY_BRANCH);
    sm_event_at(s, resolved_at(s, si, taken), EVENT_BRANCH, w, 0, 0);
}

static void follow_wait(sm *s, unsigned w, exec_result r)
{
    if (r == EXEC_BARRIER) {
        sm_barrier_arrive(s, w);
        return;
    }
    if (r == EXEC_SLEEP) {
        sleep(s, w, s->bar[w].count);
        return;
    }
    MUST(r == EXEC_FENCE);
    s->st.fences++;
    s->warp[w].fence = (uint8_t)ISA_GET(s->warp[w].head->in, SCOPE);
    sm_warp_set(s, w, WHY_FENCE);
    sm_lsu_fence(s, w);
}

/* What issue() does, without a front end: nobody has to be asked, as the one
 * who issues knows. */
static void follow(sm *s, const sm_word *m)
{
    unsigned n = m->sched, w = m->warp;
    exec_warp *x = &s->x[w];
    const sm_inst *si = sm_inst_at(s, w, m->pc);
    uint32_t pc = x->simt.pc, before = x->simt.active;
    bool mem = si->flags & INST_MEM;
    exec_fault fault;

    MUST(pc == m->pc && s->role == ROLE_SLAVE);
    MUST_CHECK(s->warp[w].why == WHY_FOLLOW);
    s->warp[w].head = si;
    if (s->oracle && !sm_oracle_allows(s->oracle, w, si, s->now)) {
        sm_hazard_fault(s, FAULT_HAZARD, w, pc);
        return;
    }
    if (si->flags & INST_TIMED)
        x->clock = m->sent;
    unsigned latency =
        si->flags & INST_LDC ? sm_constant_load(s, w, si) : si->latency;
    unsigned wanted =
        si->flags & INST_LDC ? sm_share_constants(s, w, si, pc, latency) : 0;
    unsigned delay = dispatch(s, n, w, si, false);
    exec_result r = step(s, w, mem, &fault, false);
    count_lanes(s, si, x->ran);
    if (m->tells)
        sm_share_leads(s, w, r);
    if (s->watched)
        watch(s, w, pc, before, r, delay);
    if (si->flags & INST_RESULT && (r == EXEC_MEM || r == EXEC_DONE))
        sm_share_pend(s, w, si, pc);
    if (mem && r != EXEC_MEM)
        sm_share_unload(s);
    switch (r) {
    case EXEC_MEM:
        if (si->flags & INST_RESULT)
            sm_pend(s, w, si);
        sm_lsu_add(s, w, si, pc, s->now + s->cfg->sm.lsu.latency - 1 + delay);
        sm_warp_set(s, w, WHY_FOLLOW);
        break;
    case EXEC_DONE:
        if (wanted)
            sm_share_await(s, w, si);
        else if (si->flags & INST_RESULT)
            book_result(s, w, si, pc, latency + delay, false);
        follow_on(s, w, si, pc, before);
        break;
    case EXEC_EXIT:
        sm_warp_end(s, w);
        break;
    case EXEC_FAULT:
        sm_stop(s, w, &fault);
        break;
    case EXEC_BARRIER:
    case EXEC_FENCE:
    case EXEC_SLEEP:
    case EXEC_COPIES:
    case EXEC_BLOCKED:
        follow_wait(s, w, r);
        break;
    }
}

/* Executes what was issued for it. No warp of its own is ready. */
static SM_COLD void follow_tick(sm *s)
{
    const sm_word *m;
    unsigned used = 0;

    while ((m = sm_share_told(s)) && !s->fault.kind) {
        sm_word word = *m;

        sm_share_take(s);
        used |= 1u << word.sched;
        sm_slots_follow(s, word.sched, s->now);
        if (sm_share_outlived(s, &word))
            count_lanes(s, sm_inst_at(s, word.warp, word.pc), 0);
        else
            follow(s, &word);
    }
    for (unsigned n = 0; n < s->schedulers; n++)
        if (!(used >> n & 1) && sm_slot_open(s, n, s->now))
            schedule(s, n);
}

#ifdef HEDDLE_CHECKS
/* Scheduler `n` was not asked: it would have said what it said last. */
static void check_closed(sm *s, unsigned n)
{
    sm_slot slot = sm_slot_at(s, n, s->now);

    MUST(!slot.warps && slot.why == s->charge[n].why);
}
#endif

void sm_issue_tick(sm *s)
{
    if (__builtin_expect(s->role == ROLE_SLAVE, 0)) {
        follow_tick(s);
        return;
    }
    /* A shared unit goes to the scheduler that is first, so they take turns. */
    unsigned n = (unsigned)(s->now % s->schedulers);
    for (unsigned i = 0; i < s->schedulers; i++) {
        if (sm_slot_open(s, n, s->now))
            schedule(s, n);
#ifdef HEDDLE_CHECKS
        else
            check_closed(s, n);
#endif
        n = n + 1 < s->schedulers ? n + 1 : 0;
    }
}
