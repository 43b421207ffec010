#include "sm/sm.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "sm/cta.h"
#include "sm/mbarrier.h"
#include "sm/slot.h"
#include "sm/slots.h"
#include "sm/state.h"

static void deep_stacks(sm *s)
{
    if (s->cfg->gpu.arch >= CFG_ARCH_VOLTA)
        return;
    s->deep = new0((size_t)s->cfg->sm.warps * SIMT_DEEP, sizeof *s->deep);
    for (unsigned w = 0; w < s->cfg->sm.warps; w++)
        s->x[w].simt.deep = s->deep + (size_t)w * SIMT_DEEP;
}

static uint8_t gates(const sm *s)
{
    unsigned hazard = s->hazards.policy && s->hazards.policy->ops->not_before;
    unsigned codes = s->issue.policy == &sm_issue_dual;
    unsigned state = s->table_stage.stage || s->front_end->gate;

    return (uint8_t)(hazard * GATE_HAZARD | codes * GATE_CODES |
                     state * GATE_STATE);
}

void sm_policies(sm *s)
{
    const sm_front_end *f = s->front_end;
    const sm_hazard_ops *h = s->hazards.policy ? s->hazards.policy->ops : NULL;

    s->issue.policy = !f->fetches     ? &sm_issue_remote
                      : s->issue.dual ? &sm_issue_dual
                                      : &sm_issue_single;
    s->issue.gates = gates(s);
    s->issue.notifies = s->hazards.oracle || (h && h->issued);
    s->observe.results = s->hazards.oracle || s->observe.trace;
    s->hazards.reserves = !s->table_stage.stage && f->fetches;
    s->plain = !s->issue.gates && !(h && h->issued) && s->hazards.reserves &&
               s->issue.policy == &sm_issue_single && !f->shared &&
               s->collect.mode != CFG_COLLECT_PORTS && !s->issue.yields &&
               !s->table_stage.ports && !s->table_stage.table &&
               !s->table_stage.delays;
    s->fast_path = s->plain && !s->hazards.oracle;
}

static void limit_warps(sm *s)
{
    const config *cfg = s->cfg;
    cfg_scheduler policy = cfg->sm.issue.scheduler;

    s->issue.yields = policy == CFG_SCHEDULER_CGGTY;
    s->issue.hold = cfg->sm.constant.hold;
    s->issue.looks_up = s->issue.hold ? INST_LDC : INST_LDC | INST_CONST;
    s->issue.limits = s->issue.chooses =
        s->issue.yields || s->issue.hold ||
        (policy == CFG_SCHEDULER_TWO_LEVEL && !s->table_stage.stage);
}

static void init(sm *s)
{
    const config *cfg = s->cfg;
    s->issue.schedulers = cfg->sm.issue.schedulers;
    s->power.sleep_at = NEVER;
    s->ctas.barrier_latency = cfg->sm.op.barrier.latency;
    s->ctas.barriers =
        new0((size_t)cfg->sm.ctas * cfg->sm.barriers, sizeof *s->ctas.barriers);
    s->hazards.release = cfg->sm.issue.release == CFG_RELEASE_NEXT;
    s->wait[WHY_NO_WARP] = bits_mask64(cfg->sm.warps);
    for (unsigned w = 0; w < SM_WARPS; w++) {
        s->warp[w].why = WHY_NO_WARP;
        s->warp[w].sched = (uint8_t)(w % s->issue.schedulers);
    }
    for (unsigned n = 0; n < s->issue.schedulers; n++) {
        sm_scheduler_init(&s->issue.scheduler[n], cfg, n);
        s->issue.charge[n].why = WHY_NO_WARP;
    }
    sm_collect_init(&s->collect, cfg);
    sm_units_init(&s->units, cfg);
    s->hazards.policy = sm_hazard_new(cfg, &s->st);
    s->ctas.free = sm_resources_of(cfg);
    deep_stacks(s);
    sm_hazard_attach(s->hazards.policy, &s->now, sm_table_stage_room, s);
    s->front_end = &sm_front_private;
    s->hazards.oracle = sm_oracle_new(cfg);
    s->hazards.uniform = sm_uniform_new(cfg);
    s->hazards.uniform_waits = cfg->sm.issue.hazard != CFG_HAZARD_CODES &&
                               cfg->sm.issue.hazard != CFG_HAZARD_NONE;
    sm_table_stage_init(&s->table_stage, cfg);
    s->issue.dual = sm_dual_new(cfg, &s->units);
    limit_warps(s);
    sm_policies(s);
    sm_wheel_init(&s->wheel);
    sm_fetch_init(&s->fetch, cfg);
    sm_constant_init(&s->constant, cfg);
    sm_cluster_init(s);
    sm_lsu_init(&s->lsu, cfg);
}

sm *sm_new(const config *cfg, unsigned id, stats *reg, const char *name,
           const sm_ports *ports, mem_view *view)
{
    /* calloc leaves pages untouched until they are used. */
    void *block = new0(1, sizeof(sm) + 63);
    sm *s = (sm *)(((uintptr_t)block + 63) / 64 * 64);

    s->block = block;
    s->cfg = cfg;
    s->id = id;
    s->port = *ports;
    sm_cga_init(s, reg, name);
    sm_tma_init(s, reg, name);
    s->view = view;
    init(s);
    sm_lsu_observe(s);
    stats_add(reg, name, sm_stats_block.desc, sm_stats_block.count, &s->st);
    return s;
}

void sm_free(sm *s)
{
    if (!s)
        return;
    sm_trace_end(s);
    sm_spin_end(s);
    if (s->hazards.policy)
        s->hazards.policy->ops->free(s->hazards.policy);
    sm_oracle_free(s->hazards.oracle);
    sm_uniform_free(s->hazards.uniform);
    sm_dual_free(s->issue.dual);
    sm_table_stage_fini(&s->table_stage);
    sm_wheel_fini(&s->wheel);
    sm_fetch_fini(&s->fetch);
    sm_constant_fini(&s->constant);
    free(s->groups);
    sm_lsu_fini(&s->lsu);
    sm_grids_free(s);
    free(s->cga.word);
    sm_remote_free(s->remote);
    sm_tma_free(s->tma);
    sm_cluster_fini(s);
    free(s->observe.profile);
    free(s->ctas.barriers);
    free(s->deep);
    free(s->block);
}

void sm_set_window(sm *s, uint64_t end) { s->window_end = end; }

void sm_set_eager(sm *s, bool eager) { s->time.never_skips = eager; }

void sm_stop(sm *s, unsigned w, const exec_fault *f)
{
    if (s->fault.kind)
        return;
    s->fault = *f;
    s->fault_grid = s->warp[w].grid;
}

bool sm_hazard_fault(sm *s, enum exec_fault_kind kind, unsigned w, uint32_t pc)
{
    const isa_kernel *kernel = s->x[w].cta->launch->kernel;
    exec_fault f = {.kind = kind, .pc = pc, .warp = s->x[w].index};

    if (kernel->bank0 != BANK0_OWN && !s->cfg->sm.issue.oracle) {
        s->st.code_early++;
        return false;
    }
    for (unsigned i = 0; i < 3; i++)
        f.cta[i] = s->x[w].cta->id[i];
    sm_stop(s, w, &f);
    return true;
}

unsigned sm_fault_launch(const sm *s) { return s->fault_grid; }

const exec_fault *sm_fault(const sm *s)
{
    return s->fault.kind ? &s->fault : NULL;
}

bool sm_idle(const sm *s) { return !s->ctas.count && !s->lsu.stores; }

uint64_t sm_expects(const sm *s, uint64_t now)
{
    uint64_t next = now ? sm_wheel_next(&s->wheel, now - 1) : NEVER;

    if (s->bulk && now)
        next = mem_earlier(next, sm_tma_when(s, now - 1));
    return s->remote && now ? mem_earlier(next, sm_remote_when(s, now - 1))
                            : next;
}

uint64_t sm_warp_insts(const sm *s) { return s->st.warp_insts; }

/* ---- a cycle ---- */

/* A result of `w` is visible: it may have been what the warp waited for. */
static void recheck(sm *s, unsigned w)
{
    switch (s->warp[w].why) {
    case WHY_RAW_ALU:
    case WHY_RAW_PRED:
    case WHY_RAW_MEM:
    case WHY_WAW:
    case WHY_TABLE:
        sm_warp_head(s, w);
        break;
    case WHY_ACK:
        sm_master_resume(s, w);
        break;
    default:
        sm_warp_drain(s, w);
    }
}

/* Observers see that `n` registers of the result of `si`, from the `first` on,
 * become visible. */
static SM_COLD void watch_result(sm *s, unsigned w, const sm_inst *si,
                                 unsigned first, unsigned n)
{
    if (s->observe.trace && first + n == si->in->dst_regs)
        sm_trace_written(s, w, sm_pc_of(s, w, si));
    if (s->hazards.oracle &&
        !sm_oracle_write(s->hazards.oracle, w, si, first, n, s->now))
        sm_hazard_fault(s, FAULT_OVERWRITE, w, sm_pc_of(s, w, si));
}

/* The uniform results of `si` are visible on the uniform datapath, and to other
 * units when they see them. */
static __attribute__((noinline)) void uniform_written(sm *s, unsigned w,
                                                      const sm_inst *si)
{
    for (uniform_view v = VIEW_UNIFORM; v < UNIFORM_VIEWS; v++) {
        unsigned delay = sm_uniform_delay(s->cfg, si->in, v);

        if (!delay) {
            sm_uniform_release(s->hazards.uniform, w, si->in, v);
            continue;
        }
        s->warp[w].outstanding++;
        sm_event_at(s, s->now + delay, EVENT_UNIFORM, w, sm_pc_of(s, w, si), v);
    }
}

static void uniform_seen(sm *s, const sm_event *e)
{
    const sm_inst *si = sm_inst_at(s, e->warp, e->pc);

    s->warp[e->warp].outstanding--;
    sm_uniform_release(s->hazards.uniform, e->warp, si->in,
                       (uniform_view)e->arg);
    recheck(s, e->warp);
}

static void registers_read(sm *s, const sm_event *e)
{
    sm_hazard *h = s->hazards.policy;

    s->warp[e->warp].outstanding--;
    h->ops->read(h, e->warp, sm_inst_at(s, e->warp, e->pc));
    recheck(s, e->warp);
}

/* The results of `si` are visible, but to guards. */
static void written(sm *s, unsigned w, const sm_inst *si)
{
    if (__builtin_expect(s->observe.results, 0))
        watch_result(s, w, si, 0, si->in->dst_regs);
    sm_hazard_release(s->hazards.policy, w, si);
    if (__builtin_expect(si->flags & INST_UNIFORM, 0))
        uniform_written(s, w, si);
}

/* And to guards. */
static void guarded(sm *s, unsigned w, const sm_inst *si)
{
    sm_hazard_release_guard(s->hazards.policy, w, si);
    if (__builtin_expect(s->hazards.oracle != NULL, 0))
        sm_oracle_guard(s->hazards.oracle, w, si);
}

void sm_write_back(sm *s, sm_event_kind kind, unsigned w, uint32_t pc)
{
    const sm_inst *si = sm_inst_at(s, w, pc);

    s->warp[w].outstanding--;
    if (si->flags & INST_RESULT) {
        if (kind == EVENT_WRITE)
            written(s, w, si);
        if (kind == EVENT_GUARD || !s->cfg->sm.issue.predicate ||
            (si->flags & INST_LATE))
            guarded(s, w, si);
    }
    recheck(s, w);
}

void sm_write_part(sm *s, unsigned w, uint32_t pc, unsigned first, unsigned n)
{
    const sm_inst *si = sm_inst_at(s, w, pc);
    bool last = first + n == si->in->dst_regs;

    s->warp[w].outstanding -= last;
    s->st.hazard_parts += !last;
    if (s->observe.results)
        watch_result(s, w, si, first, n);
    s->hazards.policy->ops->release_part(s->hazards.policy, w, si, first, n);
    if (last && (!s->cfg->sm.issue.predicate || (si->flags & INST_LATE)))
        guarded(s, w, si);
    recheck(s, w);
}

static void resolve_branch(sm *s, unsigned w)
{
    if (s->front_end->fetches && (s->fetch.redirect >> w & 1))
        sm_fetch_redirect(s, w, s->x[w].simt.pc);
    sm_warp_resume(s, w);
}

void sm_result_lands(sm *s, const sm_event *e)
{
    if (!s->table_stage.delays || !sm_table_stage_delays(s, e))
        sm_write_back(s, e->kind, e->warp, e->pc);
}

/* A result that other members may have in another cycle has booked nothing: it
 * takes what those of fixed latency have left of the bus. */
static bool waits_for_bus(sm *s, const sm_event *e)
{
    if (s->cfg->gpu.cluster.load_port || e->kind != EVENT_WRITE || e->arg ||
        !(sm_inst_at(s, e->warp, e->pc)->flags & INST_LATE) ||
        sm_units_result_now(&s->units, s->warp[e->warp].sched, s->now))
        return false;
    s->st.result_waits++;
    sm_event_at(s, s->now + 1, EVENT_WRITE, e->warp, e->pc, 0);
    return true;
}

/* A result is due in this cycle. */
static void result_due(sm *s, const sm_event *e)
{
    if (s->front_end->shared && waits_for_bus(s, e))
        return;
    if (!s->front_end->takes_result || !s->front_end->takes_result(s, e))
        sm_result_lands(s, e);
}

static inline __attribute__((always_inline)) void run_events(sm *s, bool fast)
{
    uint32_t list = sm_wheel_take(&s->wheel, s->now);

    while (list) {
        sm_event e = sm_wheel_pop(&s->wheel, &list);
        switch ((sm_event_kind)e.kind) {
        case EVENT_WRITE:
        case EVENT_LATE:
        case EVENT_GUARD:
            if (fast)
                sm_write_back(s, e.kind, e.warp, e.pc);
            else
                result_due(s, &e);
            break;
        case EVENT_UNIFORM:
            uniform_seen(s, &e);
            break;
        case EVENT_READ:
            registers_read(s, &e);
            break;
        case EVENT_FETCH:
            sm_fetch_decoded(s, e.arg);
            break;
        case EVENT_IFILL:
            sm_fetch_filled(s, e.arg);
            break;
        case EVENT_CFILL:
            sm_constant_filled(s, e.arg);
            break;
        case EVENT_BRANCH:
            resolve_branch(s, e.warp);
            break;
        case EVENT_COPY:
            if (s->observe.trace)
                sm_trace_written(s, e.warp, e.pc);
            s->warp[e.warp].outstanding--;
            sm_async_copy_done(s, e.warp, e.arg);
            sm_warp_drain(s, e.warp);
            break;
        case EVENT_WAKE:
            s->warp[e.warp].outstanding--;
            sm_warp_resume(s, e.warp);
            break;
        case EVENT_ROOM:
            sm_table_stage_room(s, BIT(e.warp));
            break;
        case EVENT_LIMIT:
            sm_mbarrier_late(s, e.warp, e.arg);
            break;
        case EVENT_CGA:
            sm_cga_land(s, e.arg);
            break;
        case EVENT_TMA:
            sm_tma_land(s, e.arg);
            break;
        case EVENT_CLUSTER:
            sm_cluster_event(s, &e);
            break;
        }
    }
}

static inline __attribute__((always_inline)) void take_data(sm *s,
                                                            mem_port *from)
{
    mem_msg *m;

    while ((m = mem_port_peek(from, s->now))) {
        sm_lsu_reply(s, m);
        mem_port_pop(from, s->now);
    }
}

static void take_replies(sm *s)
{
    mem_msg *m;

    take_data(s, s->port.from_l1);
    if (s->port.from_ro)
        take_data(s, s->port.from_ro);
    if (__builtin_expect(s->remote != NULL, 0))
        sm_remote_replies(s);
    while ((m = mem_port_peek(s->port.from_net_i, s->now))) {
        sm_fetch_reply(s, m);
        mem_port_pop(s->port.from_net_i, s->now);
    }
    while ((m = mem_port_peek(s->port.from_net_c, s->now))) {
        sm_constant_reply(s, m);
        mem_port_pop(s->port.from_net_c, s->now);
    }
}

static void at_most(uint64_t *when, uint64_t t)
{
    if (t < *when)
        *when = t;
}

/* The next cycle in which something but a transaction changes; `when` is that
 * of the front end. */
static uint64_t next_change(sm *s, uint64_t when)
{
    for (unsigned n = 0; s->wait[WHY_READY] && n < s->issue.schedulers; n++) {
        if (!(s->wait[WHY_READY] & s->issue.scheduler[n].mask))
            continue;
        if (!sm_slot_open(s, n, s->now + 1)) {
            at_most(&when, s->issue.retry[n]);
            continue;
        }
        if (s->observe.trace && s->issue.retry[n] == s->now + 1)
            return s->now + 1; /* what is waited for is another thing then */
        sm_slot slot;
        if (sm_slot_find(s, n, s->now + 1, &slot))
            return s->now + 1;
        at_most(&when, slot.retry);
    }
    at_most(&when, sm_wheel_next(&s->wheel, s->now));
    if (__builtin_expect(s->owner.saturated, 0) && sm_owner_due(s))
        at_most(&when, s->now + 1);
    if (__builtin_expect(s->issue.stopped, 0)) /* somebody comes back then */
        at_most(&when, s->window_end);
    return when;
}

static uint64_t next_work(const sm *s)
{
    uint64_t when = s->time.change;

    if (when > s->now + 1)
        at_most(&when, sm_lsu_when(s));
    if (__builtin_expect(s->remote != NULL, 0))
        at_most(&when, sm_remote_when(s, s->now));
    if (__builtin_expect(s->bulk, 0))
        at_most(&when, sm_tma_when(s, s->now));
    return when;
}

/* Takes the replies of this cycle as long as none completes anything. True if
 * all that can happen now is that transactions come and go, none of them the
 * last of its instruction: then no warp, slot or buffer changes, and the cycle
 * is charged later like a skipped one. */
static bool count_down(sm *s, mem_port *from)
{
    mem_msg *m;

    while ((m = mem_port_peek(from, s->now))) {
        if (!sm_lsu_counts_down(s, m))
            return false;
        mem_port_pop(from, s->now);
    }
    return true;
}

static bool only_transactions(sm *s)
{
    if (s->now >= s->time.change || s->time.never_skips || s->fault.kind ||
        s->observe.any || mem_port_peek(s->port.from_net_i, s->now) ||
        mem_port_peek(s->port.from_net_c, s->now) || !sm_lsu_goes_on(s) ||
        (s->remote && sm_remote_busy(s)) || (s->bulk && sm_tma_busy(s)))
        return false;
    return count_down(s, s->port.from_l1) &&
           (!s->port.from_ro || count_down(s, s->port.from_ro));
}

void sm_watch_warp(sm *s, unsigned w, sm_why why)
{
    if (s->observe.profile)
        sm_profile_warp(s, w, why);
    if (s->observe.trace)
        sm_trace_warp(s, w, why);
}

/* The issue stage and the front end behind it: the next cycle in which the
 * front end has work. */
static inline __attribute__((always_inline)) uint64_t issue_and_fetch(sm *s,
                                                                      bool fast)
{
    if (!fast && s->issue.policy->tick)
        s->issue.policy->tick(s);
    else
        sm_issue_tick(s);
    if (!fast && s->table_stage.stage)
        sm_table_stage_poll(s);
    if (!fast && s->front_end->end_issue)
        s->front_end->end_issue(s);
    return !fast && s->issue.policy->fetch ? s->issue.policy->fetch(s)
                                           : sm_fetch_tick(s);
}

/* A whole cycle, last stage first, so that nothing moves through two stages in
 * one: results land, hazards are released, the load unit works, schedulers
 * issue, warps fetch. There is one copy of it, so that its stages are inlined.
 */
static inline __attribute__((always_inline)) void whole_tick(sm *s)
{
    const bool fast =
        __builtin_expect(s->fast_path, 1); /* as the cycle begins */

    sm_slots_account(s, s->now);
    if (!fast && s->table_stage.stage)
        sm_table_stage_skip(s, s->now);
    s->time.ticked = s->now + 1;
    take_replies(s);
    if (!fast && s->front_end->receive)
        s->front_end->receive(s);
    sm_fetch_arrive(s);
    run_events(s, fast);
    if (!fast && s->table_stage.ports)
        sm_table_stage_write_back(s);
    sm_lsu_tick(s);
    if (s->fault.kind)
        return;
    uint64_t when = issue_and_fetch(s, fast);
    at_most(&when, sm_constant_tick(s));
    if (!fast && s->table_stage.table)
        at_most(&when, sm_table_stage_when(s));
    s->time.change = next_change(s, when);
#ifdef HEDDLE_CHECKS
    sm_slots_check(s);
#endif
}

uint64_t sm_tick(sm *s, uint64_t now)
{
    s->now = now;
    s->launches.untouched = false;
    if (s->fault.kind)
        return NEVER;
    if (only_transactions(s))
        sm_lsu_tick(s);
    else
        whole_tick(s);
    return s->fault.kind ? NEVER : next_work(s);
}
