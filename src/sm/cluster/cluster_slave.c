/* src/sm/cluster/cluster_slave.c - the SMs of a cluster that another one issues
 * for. */

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "sm/cluster/cluster_impl.h"
#include "sm/cta.h"
#include "sm/slots.h"

void sm_cluster_answer(sm *s, sm_word word)
{
    word.sent = s->now;
    word.when = s->now + s->cluster->ack;
    sm_link_send(s->cluster->answer[0], &word);
}

void sm_cluster_acknowledge(sm *s, sm_word word)
{
    sm_cluster *h = s->cluster;

    if (h->acked < s->now)
        h->acked = s->now;
    word.sent = h->acked++;
    word.when = word.sent + h->ack;
    sm_link_send(h->acks[0], &word);
}

static SM_COLD void ask_oracle(sm *s, const sm_event *e, const sm_inst *si)
{
    bool guards = e->kind == EVENT_GUARD || !s->cfg->sm.issue.predicate ||
                  (si->flags & INST_LATE);

    if (e->kind != EVENT_GUARD &&
        !sm_oracle_write(s->hazards.oracle, e->warp, si, 0, si->in->dst_regs,
                         s->now))
        sm_hazard_fault(s, FAULT_OVERWRITE, e->warp, e->pc);
    if (guards)
        sm_oracle_guard(s->hazards.oracle, e->warp, si);
}

static bool takes_result(sm *s, const sm_event *e)
{
    sm_cluster *h = s->cluster;
    const sm_inst *si = sm_inst_at(s, e->warp, e->pc);

    s->warp[e->warp].outstanding--;
    if (s->observe.trace && e->kind == EVENT_WRITE)
        sm_trace_written(s, e->warp, e->pc);
    if (si->flags & INST_RESULT) {
        if (s->hazards.oracle)
            ask_oracle(s, e, si);
        if (sm_cluster_is_late(si)) {
            uint16_t *at = sm_cluster_find_late(h, e->warp, e->pc);

            MUST(at && e->kind == EVENT_WRITE);
            sm_cluster_drop_late(h, at);
            s->st.acks++;
            sm_cluster_acknowledge(
                s, (sm_word){.kind = WORD_ACK, .warp = e->warp, .pc = e->pc});
        } else {
            h->fixed--;
        }
    }
    sm_warp_drain(s, e->warp);
    return true;
}

/* The oracle, which has seen every instruction, awaits the same of warp `w`. */
static SM_COLD void check_pending(const sm *s, unsigned w)
{
    const sm_cluster *h = s->cluster;
    uint64_t reg[4] = {0};

    for (uint16_t i = h->first_late[w]; i; i = h->late[i].next) {
        const isa_inst *in = sm_inst_at(s, w, h->late[i].pc)->in;

        for (unsigned r = in->dst; r < in->dst + in->dst_regs; r++)
            reg[r / 64] |= BIT(r % 64);
    }
    MUST(sm_oracle_awaits(s->hazards.oracle, w, reg));
    MUST(s->hazards.policy->ops->idle(s->hazards.policy, w));
}

/* The slave's policy takes over what it still awaits. */
static void take_over(sm *s)
{
    sm_cluster *h = s->cluster;

    for (unsigned w = 0; w < SM_WARPS; w++) {
        if (s->hazards.oracle)
            check_pending(s, w);
        while (h->first_late[w]) {
            uint16_t *at = &h->first_late[w];
            const sm_inst *si = sm_inst_at(s, w, h->late[*at].pc);

            sm_hazard_reserve(s->hazards.policy, w, si);
            s->st.hazard_writes++;
            s->st.hazard_regs += si->in->dst_regs;
            sm_cluster_drop_late(h, at);
        }
    }
}

static void fetch_again(sm *s)
{
    for (uint64_t set = s->resident; set; set &= set - 1) {
        unsigned w = bits_ctz64(set);

        wide_warp_leave(&s->x[w].simt);
        if (s->warp[w].ended || s->warp[w].why == WHY_BRANCH)
            continue;
        sm_fetch_redirect(s, w, s->x[w].simt.pc);
        if (s->warp[w].why == WHY_FOLLOW)
            sm_warp_head(s, w);
    }
}

void sm_cluster_slave_leaves(sm *s)
{
    sm_cluster *h = s->cluster;

    MUST(!h->fixed && !h->insts[0]->count);
    h->waking = h->loading = false;
    h->reporting = 0;
    sm_cluster_acknowledge(
        s, (sm_word){.kind = WORD_AWAKE}); /* behind all others */
    sm_cluster_set_mode(s, s->now, CLUSTER_ALONE);
    sm_cluster_set_front_end(s, &sm_front_private);
    take_over(s);
    fetch_again(s);
    sm_cluster_release_all(s);
}

/* A slave that wakes: its pipelines have to be empty, then it takes over the
 * state of one warp a cycle. */
static void end_issue(sm *s)
{
    sm_cluster *h = s->cluster;

    if (!h->waking || h->loading || h->fixed || s->now < h->awake_at)
        return;
    h->loading = true;
    sm_event_at(s, s->now + 1 + s->residents, EVENT_CLUSTER, 0, 0, DUE_LOADED);
}

/* ---- a slave ---- */

static void send_outcome(sm *s, unsigned w)
{
    const sm_outcome *o = &s->cluster->own_outcome[w];

    s->st.outcomes++;
    sm_cluster_answer(s, (sm_word){.kind = WORD_OUTCOME,
                                   .warp = (uint8_t)w,
                                   .pc = o->pc,
                                   .depth = o->depth,
                                   .ended = o->ended,
                                   .laneless = o->laneless,
                                   .barrier = o->barrier});
}

/* The master awaits the outcome of what warp `w` has executed. It is sent when
 * the warp resumes, or now if it did not wait. */
static void report(sm *s, unsigned w, exec_result r)
{
    sm_cluster *h = s->cluster;
    bool resumes = r == EXEC_FENCE || r == EXEC_SLEEP || r == EXEC_COPIES ||
                   (r == EXEC_DONE && (s->warp[w].head->flags & INST_BRANCH));

    sm_cluster_note_outcome(s, &h->own_outcome[w], w, h->was[w].pc, r);
    if (resumes)
        h->reporting |= BIT(w);
    else
        send_outcome(s, w);
}

static void lsu_done(sm *s)
{
    s->st.credits++;
    sm_cluster_answer(s, (sm_word){.kind = WORD_CREDIT});
}

static unsigned executed(sm *s, unsigned sched, unsigned w, const sm_inst *si,
                         uint32_t pc, exec_result r)
{
    sm_cluster *h = s->cluster;

    (void)sched;
    if (h->reports)
        report(s, w, r);
    if (si->flags & INST_RESULT && (r == EXEC_MEM || r == EXEC_DONE)) {
        if (sm_cluster_is_late(si))
            sm_cluster_add_late(h, w, pc, 0);
        else
            h->fixed += 1 + (s->cfg->sm.issue.predicate && si->in->pwrite);
    }
    if (si->flags & INST_MEM && r != EXEC_MEM)
        lsu_done(s);
    return 0;
}

/* Executes an instruction of the master. */
static void execute(sm *s, const sm_word *m)
{
    unsigned w = m->warp;

    MUST(s->x[w].simt.pc == m->pc);
    MUST_CHECK(s->warp[w].why == WHY_FOLLOW);
    s->warp[w].head = sm_inst_at(s, w, m->pc);
    s->cluster->reports = m->reports;
    sm_issue_execute(s, m->sched, w, m->sent);
}

/* Executes what the master issued for this cycle. No warp of the SM is ever
 * ready, so schedulers without an instruction only charge a stall. */
static void slave_tick(sm *s)
{
    sm_link *insts = s->cluster->insts[0];
    const sm_word *m;
    unsigned used = 0;

    while ((m = sm_link_peek(insts, s->now)) && !s->fault.kind) {
        sm_word word = *m;

        sm_link_pop(insts);
        if (word.pass) {
            sm_issue_pass(s, word.sched, word.warp, word.pass);
            continue;
        }
        used |= 1u << word.sched;
        sm_slots_issue_remote(s, word.sched, s->now);
        if (sm_cluster_outlived(s, &word))
            sm_issue_count_empty(s, word.sched, word.warp,
                                 sm_inst_at(s, word.warp, word.pc));
        else
            execute(s, &word);
    }
    for (unsigned n = 0; n < s->issue.schedulers; n++)
        if (!(used >> n & 1) && sm_slot_open(s, n, s->now))
            sm_issue_schedule(s, n);
}

const sm_issue_policy sm_issue_remote = {.tick = slave_tick};

/* ---- power, and orders of the master ---- */

/* The front end loses its power `gpu.cluster.sleep` cycles from now. */
void sm_cluster_sleep(sm *s, uint64_t now)
{
    sm_cluster *h = s->cluster;

    h->sleep_at = now + s->cfg->gpu.cluster.sleep;
    if (h->sleep_at == now)
        sm_power_set(s, now, false);
    else
        sm_event_at(s, h->sleep_at, EVENT_CLUSTER, 0, 0, DUE_ASLEEP);
}

static void follow_from_now(sm *s, uint64_t now)
{
    MUST(s->front_end == &sm_front_private && !s->ctas.count);
    sm_cluster_set_mode(s, now, CLUSTER_SHARED);
    sm_cluster_set_front_end(s, &sm_front_slave);
    sm_cluster_sleep(s, now);
}

static void begin_to_wake(sm *s, uint64_t now)
{
    sm_cluster *h = s->cluster;

    sm_cluster_set_mode(s, now, CLUSTER_DISSOLVING);
    sm_power_set(s, now, true);
    h->waking = true;
    h->awake_at = now + s->cfg->gpu.cluster.wake;
    if (h->awake_at > now)
        sm_event_at(s, h->awake_at, EVENT_CLUSTER, 0, 0, DUE_AWAKE);
}

void sm_cluster_take_order(sm *s, uint64_t now, const sm_word *word)
{
    sm_cluster *h = s->cluster;

    switch ((sm_word_kind)word->kind) {
    case WORD_FORM:
        follow_from_now(s, now);
        break;
    case WORD_START:
        h->start = *word;
        h->starting = true;
        break;
    case WORD_RELEASE:
        if (s->front_end == &sm_front_slave)
            sm_cta_release(s, word->cta);
        break;
    case WORD_DISSOLVE:
        begin_to_wake(s, now);
        break;
    case WORD_UNITE: /* the master has seen to it */
        break;
    case WORD_ISSUE:
    case WORD_ACK:
    case WORD_OUTCOME:
    case WORD_CREDIT:
    case WORD_ENDED:
    case WORD_AWAKE:
        MUST(!"an order");
    }
}

/* ---- constants that slaves load ---- */

/* Notes the lines that are not here: the result comes with the last of them.
 * That counts once defers_result() says so. */
static unsigned load_constants(sm *s, unsigned w, const sm_inst *si,
                               uint32_t pc)
{
    unsigned latency = sm_constant_load(s, w, si);
    sm_cluster *h = s->cluster;

    GROW(h->ldc, h->ldcs + 1, h->ldc_room);
    sm_ldc *l = &h->ldc[h->ldcs];
    *l = (sm_ldc){.pc = pc, .warp = (uint8_t)w, .latency = latency};
    l->lines = (uint8_t)sm_constant_lines(s, w, si, l->line);
    return latency;
}

static bool defers_result(sm *s, unsigned w, const sm_inst *si)
{
    sm_cluster *h = s->cluster;

    if (!(si->flags & INST_LDC) || !h->ldc[h->ldcs].lines)
        return false;
    h->ldcs++;
    s->warp[w].outstanding++;
    sm_pend(s, w, si);
    return true;
}

void sm_cluster_filled(sm *s)
{
    sm_cluster *h = s->cluster;

    for (uint32_t i = 0; i < h->ldcs;) {
        sm_ldc *l = &h->ldc[i];

        for (unsigned k = 0; k < l->lines;)
            if (sm_constant_has(s, l->warp, l->line[k]))
                l->line[k] = l->line[--l->lines];
            else
                k++;
        if (l->lines) {
            i++;
            continue;
        }
        sm_event_at(s, s->now + l->latency, EVENT_WRITE, l->warp, l->pc, 0);
        *l = h->ldc[--h->ldcs];
    }
}

/* ---- its front end ---- */

static bool slave_starts_cta(const sm *s) { return s->cluster->starting; }

static void place_cta(sm *s, uint64_t now, unsigned *slot, uint64_t *warps)
{
    sm_cluster *h = s->cluster;

    (void)now;
    MUST(h->starting);
    h->starting = false;
    *slot = h->start.cta;
    *warps = h->start.mask;
}

static bool holds_cta(sm *s, unsigned slot)
{
    sm_cluster_answer(s, (sm_word){.kind = WORD_ENDED, .cta = (uint8_t)slot});
    return true;
}

static void resume(sm *s, unsigned w)
{
    sm_cluster *h = s->cluster;

    sm_warp_set(s, w, WHY_FOLLOW);
    if (h->reporting >> w & 1) {
        h->reporting &= ~BIT(w);
        send_outcome(s, w);
    }
}

const sm_front_end sm_front_slave = {
    .shared = true,
    .starts_cta = slave_starts_cta,
    .place_cta = place_cta,
    .holds_cta = holds_cta,
    .leave_barriers = sm_warp_leave,
    .step = sm_cluster_step,
    .load_constants = load_constants,
    .executed = executed,
    .defers_result = defers_result,
    .takes_result = takes_result,
    .resume = resume,
    .lsu_done = lsu_done,
    .end_issue = end_issue,
};
