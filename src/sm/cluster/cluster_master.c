/* src/sm/cluster/cluster_master.c - the SM of a cluster that issues. */
#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "sm/cluster/cluster_impl.h"
#include "sm/cta.h"
#include "sm/slots.h"

/* ---- words to slaves ---- */

static void send_word(sm *s, sm_link *l, uint64_t now, sm_word word)
{
    word.sent = now;
    word.when = now + s->cluster->broadcast;
    sm_link_send(l, &word);
}

void sm_cluster_send_all(sm *s, uint64_t now, sm_word word)
{
    for (unsigned k = 1; k < s->cluster->members; k++)
        send_word(s, s->cluster->control[k], now, word);
}

/* To those that have a CTA in its slot. */
static void send_row(sm *s, uint64_t now, sm_word word)
{
    sm_cluster *h = s->cluster;

    for (unsigned k = 1; k < h->members; k++)
        if (!(h->empty[word.cta] >> k & 1))
            send_word(s, h->control[k], now, word);
}

static void set_credits(sm *s)
{
    sm_cluster *h = s->cluster;
    bool open = true;

    for (unsigned k = 1; k < h->members; k++)
        open = open && h->credits[k];
    if (open == (s->lsu.limit != 0))
        return;
    s->lsu.limit = open ? s->cfg->sm.lsu.queue : 0;
    sm_slots_reopen(s);
}

/* All that the head of warp `w`, which waits for memory, waits for is other
 * members. */
static bool awaits_members(const sm *s, unsigned w, const sm_inst *si)
{
    const sm_cluster *h = s->cluster;

    for (uint16_t i = h->first_late[w]; i; i = h->late[i].next) {
        const isa_inst *in = sm_inst_at(s, w, h->late[i].pc)->in;

        if (h->late[i].have & 1)
            continue;
        if ((si->touch[in->dst / 64] & pending_part(in, 0, in->dst_regs)) ||
            (in->pwrite & (si->preds | si->guard)))
            return false;
    }
    return true;
}

/* ---- results land ---- */

static void complete(sm *s, const sm_late *l)
{
    s->st.slip[bins_cycles(s->now - l->first)]++;
}

/* It is in this member, too. True: it is in all of them. */
static bool mark_arrived(sm *s, sm_late *l, unsigned member)
{
    MUST(!(l->have >> member & 1));
    if (!l->first)
        l->first = s->now;
    l->have |= (uint8_t)(1u << member);
    if (l->have == sm_cluster_all(s->cluster)) {
        complete(s, l);
        return true;
    }
    return false;
}

static bool takes_result(sm *s, const sm_event *e)
{
    sm_cluster *h = s->cluster;
    unsigned w = e->warp;
    uint16_t *at;

    if (e->kind == EVENT_GUARD || e->arg ||
        !sm_cluster_is_late(sm_inst_at(s, w, e->pc)) ||
        !(at = sm_cluster_find_late(h, w, e->pc)))
        return false;
    if (mark_arrived(s, &h->late[*at], 0)) {
        sm_cluster_drop_late(h, at);
        return false;
    }
    if (s->warp[w].why == WHY_RAW_MEM && awaits_members(s, w, s->warp[w].head))
        sm_warp_set(s, w, WHY_ACK);
    return true;
}

/* The CTA in `slot` has ended in a member. True: it has in all. */
bool sm_cluster_ended_in(sm *s, unsigned slot, unsigned member)
{
    sm_cluster *h = s->cluster;

    h->cta_ended[slot] |= (uint8_t)(1u << member);
    if (h->cta_ended[slot] != sm_cluster_all(h) || h->mode != CLUSTER_SHARED)
        return false;
    send_row(s, s->now, (sm_word){.kind = WORD_RELEASE, .cta = (uint8_t)slot});
    return true;
}

/* ---- dissolving ---- */

static void dissolve(sm *s, uint64_t now, sm_dissolve_cause cause)
{
    sm_cluster *h = s->cluster;

    if (h->mode != CLUSTER_SHARED)
        return;
    s->st.parted[cause]++;
    sm_cluster_set_mode(s, now, CLUSTER_DISSOLVING);
    h->awake = 1;
    for (uint64_t set = s->wait[WHY_READY]; set; set &= set - 1)
        sm_warp_set(s, bits_ctz64(set), WHY_SWITCH);
    sm_cluster_send_all(s, now, (sm_word){.kind = WORD_DISSOLVE});
}

/* Volta: where lanes meet, warps whose lanes are all together go on. */
static bool groups_are_awaited(const sm *s, unsigned w, const isa_inst *in)
{
    bool meets = in->flags & (ISA_F_BARRIER | ISA_F_CONVERGE);

    return meets ? s->cluster->grouped[w] || s->cluster->laneless[w]
                 : in->flags & ISA_F_BRANCH;
}

/* Does it depend on lanes where the warp goes on, or when? */
static bool is_awaited(const sm *s, unsigned w, const sm_inst *si)
{
    const isa_inst *in = si->in;

    if ((in->flags & ISA_F_BARRIER) && si->reads) /* of which threads */
        return true;
    if (in->op == ISA_MEMBAR || in->op == ISA_NANOSLEEP ||
        in->op == ISA_LDGDEPBAR || in->op == ISA_DEPBAR ||
        (in->guard != ISA_PT && (in->flags & (ISA_F_BARRIER | ISA_F_CONVERGE))))
        return true;
    return sm_cluster_has_groups(s) ? groups_are_awaited(s, w, in)
                                    : si->flags & INST_BRANCH;
}

static void set_bit(uint8_t *bits, unsigned k, bool on)
{
    *bits = (uint8_t)((*bits & ~(1u << k)) | (unsigned)on << k);
}

/* Member `k` has come to where it says in `o`. */
static void note_lanes(sm_cluster *h, unsigned w, unsigned k, bool laneless,
                       unsigned groups)
{
    set_bit(&h->laneless[w], k, laneless);
    set_bit(&h->grouped[w], k, groups);
}

/* The master has executed `si`: so do all others. */
static unsigned executed(sm *s, unsigned sched, unsigned w, const sm_inst *si,
                         uint32_t pc, exec_result r)
{
    sm_cluster *h = s->cluster;
    sm_word word = {.kind = WORD_ISSUE,
                    .pc = pc,
                    .warp = (uint8_t)w,
                    .sched = (uint8_t)sched};
    uint8_t empty = sm_cluster_empty(s, w);
    sm_dissolve_cause cause;

    MUST(h->mode == CLUSTER_SHARED);
    word.reports =
        is_awaited(s, w, si) || (h->laneless[w] && pc + 1 == h->meets[w]);
    for (unsigned k = 1; k < h->members; k++) {
        word.pass = empty >> k & 1 ? si : NULL;
        send_word(s, h->insts[k], s->now, word);
        if (word.pass)
            continue;
        s->st.broadcasts++;
        if (si->flags & INST_MEM)
            h->credits[k]--;
    }
    if (si->flags & INST_MEM)
        set_credits(s);
    if (sm_cluster_is_late(si))
        sm_cluster_add_late(h, w, pc, empty);
    if (word.reports) {
        sm_cluster_note_outcome(s, &h->outcome[w], w, pc, r);
        note_lanes(h, w, 0, h->outcome[w].laneless, h->outcome[w].depth);
        h->outcome[w].awaited =
            sm_cluster_all(h) & ~1 & ~h->warp_ended[w] & ~empty;
    }
    if (sm_cluster_is_union(s) && sm_cluster_cannot_follow(s, w, si, &cause))
        dissolve(s, s->now, cause);
    return h->lag;
}

/* Results that only other members kept pending are there for the master. */
static void land_kept(sm *s)
{
    sm_cluster *h = s->cluster;

    for (unsigned w = 0; w < SM_WARPS; w++) {
        while (h->first_late[w]) {
            uint16_t *at = &h->first_late[w];
            sm_late l = h->late[*at];

            sm_cluster_drop_late(h, at);
            if (l.have & 1)
                sm_result_lands(s, &(sm_event){.kind = EVENT_WRITE,
                                               .warp = (uint8_t)w,
                                               .pc = l.pc});
        }
    }
}

void sm_cluster_count_slip(sm *s, uint64_t now)
{
    sm_cluster *h = s->cluster;

    if (h->slipping && now > h->slip_seen) {
        h->slip += (unsigned)(now - h->slip_seen);
        s->st.slip_cycles += now - h->slip_seen;
    }
    if (now > h->slip_seen)
        h->slip_seen = now;
}

void sm_cluster_leave(sm *s, uint64_t warps)
{
    uint64_t set = s->cluster->leaving & warps;

    s->cluster->leaving &= ~warps;
    for (; set; set &= set - 1)
        sm_warp_leave(s, bits_ctz64(set));
}

static void master_goes_alone(sm *s)
{
    sm_cluster *h = s->cluster;

    sm_cluster_count_slip(s, s->now);
    sm_cluster_set_mode(s, s->now, CLUSTER_ALONE);
    sm_cluster_set_front_end(s, &sm_front_private);
    s->lsu.limit = s->cfg->sm.lsu.queue;
    h->windows = h->slipping = false;
    memset(h->outcome, 0, sizeof h->outcome);
    land_kept(s);
    sm_cluster_end_union(s);
    sm_cluster_leave(s, UINT64_MAX);
    uint64_t set = s->wait[WHY_SWITCH] | s->wait[WHY_ACK];
    for (; set; set &= set - 1)
        if (!sm_table_stage_goes_on(s, bits_ctz64(set)))
            sm_warp_head(s, bits_ctz64(set));
    sm_cluster_release_all(s);
}

/* ---- waiting for others ---- */

static void open_window(sm *s)
{
    sm_cluster *h = s->cluster;

    h->windows = true;
    h->slip = 0;
    h->slip_from = s->now;
    sm_event_at(s, s->now + s->cfg->gpu.cluster.slip_window, EVENT_CLUSTER, 0,
                0, DUE_WINDOW);
}

void sm_cluster_end_window(sm *s)
{
    sm_cluster *h = s->cluster;
    unsigned limit = s->cfg->gpu.cluster.slip;
    unsigned window = s->cfg->gpu.cluster.slip_window;

    if (!h->windows || s->now != h->slip_from + window)
        return; /* of another time of cluster_policy */
    sm_cluster_count_slip(s, s->now);
    h->windows = false;
    if (limit && (uint64_t)h->slip * 100 > (uint64_t)limit * window)
        dissolve(s, s->now, DISSOLVE_SLIP);
}

/* ---- answers ---- */

static bool is_indirect(const sm *s, unsigned w, uint32_t pc)
{
    isa_op op = sm_inst_at(s, w, pc)->in->op;

    return op == ISA_BRX || op == ISA_CALLX || op == ISA_RET;
}

static sm_dissolve_cause cause_of(const sm *s, unsigned w, const sm_outcome *o,
                                  const sm_word *a)
{
    if (o->ended != a->ended)
        return DISSOLVE_EXIT;
    return is_indirect(s, w, o->at) ? DISSOLVE_INDIRECT : DISSOLVE_BRANCH;
}

/* All members have reported where warp `w` goes. */
static void decide(sm *s, unsigned w)
{
    sm_cluster *h = s->cluster;
    sm_outcome *o = &h->outcome[w];

    if (!o->differs && !sm_cluster_has_groups(s) && is_indirect(s, w, o->at) &&
        o->depth > h->was[w].depth) {
        o->differs = true; /* the sides that wait are in no report */
        o->cause = DISSOLVE_INDIRECT;
    }
    bool apart = o->differs || (sm_cluster_has_groups(s) && h->laneless[w]);
    bool one = h->mode == CLUSTER_SHARED && apart && sm_cluster_is_union(s);

    if (one && !sm_cluster_unite(s, w)) {
        dissolve(s, s->now, o->cause);
        one = false;
    }
    if (h->laneless[w] && h->mode == CLUSTER_SHARED)
        sm_cluster_find_meeting(s, w); /* else they may run already */
    bool here = (s->resident >> w & 1) && !s->warp[w].ended;
    o->over = here && !s->x[w].simt.live && !one;
    if (s->warp[w].why == WHY_ACK)
        sm_cluster_proceed(s, w);
    sm_cluster_leave(s, BIT(w));
}

static bool goes_elsewhere(const sm *s, const sm_outcome *o, const sm_word *a)
{
    return a->pc != o->pc ||
           (a->depth != o->depth && !sm_cluster_has_groups(s));
}

static void receive_outcome(sm *s, unsigned member, const sm_word *a)
{
    unsigned w = a->warp;
    sm_outcome *o = &s->cluster->outcome[w];

    MUST(o->awaited >> member & 1);
    o->awaited &= (uint8_t) ~(1u << member);
    note_lanes(s->cluster, w, member, a->laneless, a->depth);
    if (a->ended != o->ended || (!o->ended && goes_elsewhere(s, o, a))) {
        o->differs = true;
        o->cause = cause_of(s, w, o, a);
    }
    if (a->barrier != o->barrier)
        dissolve(s, s->now, DISSOLVE_BRANCH);
    if (o->differs && !sm_cluster_is_union(s))
        dissolve(s, s->now, o->cause);
    if (!o->awaited)
        decide(s, w);
}

static void receive_ack(sm *s, unsigned member, const sm_word *a)
{
    sm_cluster *h = s->cluster;
    uint16_t *at = sm_cluster_find_late(h, a->warp, a->pc);

    MUST(at);
    if (!mark_arrived(s, &h->late[*at], member))
        return;
    sm_cluster_drop_late(h, at);
    sm_result_lands(s, &(sm_event){.when = s->now,
                                   .kind = EVENT_WRITE,
                                   .warp = a->warp,
                                   .pc = a->pc});
}

static void receive_word(sm *s, unsigned member, const sm_word *a)
{
    sm_cluster *h = s->cluster;

    switch ((sm_word_kind)a->kind) {
    case WORD_ACK:
        receive_ack(s, member, a);
        break;
    case WORD_OUTCOME:
        receive_outcome(s, member, a);
        break;
    case WORD_CREDIT:
        h->credits[member]++;
        if (h->mode == CLUSTER_SHARED)
            set_credits(s);
        break;
    case WORD_ENDED:
        if (sm_cluster_ended_in(s, a->cta, member))
            sm_cta_release(s, a->cta);
        break;
    case WORD_AWAKE:
        h->awake |= (uint8_t)(1u << member);
        break;
    case WORD_FORM:
    case WORD_ISSUE:
    case WORD_START:
    case WORD_RELEASE:
    case WORD_DISSOLVE:
    case WORD_UNITE:
        MUST(!"an answer");
    }
}

static void end_issue(sm *s)
{
    sm_cluster *h = s->cluster;

    sm_cluster_count_slip(s, s->now);
    bool idle = s->st.issued == h->issued;
    h->issued = s->st.issued;
    h->slipping = idle && s->wait[WHY_ACK];
    sm_cluster_count_slip(s, s->now + 1);
    h->slipping = s->wait[WHY_ACK] != 0;
    if (!h->windows && h->mode == CLUSTER_SHARED && !idle)
        open_window(s); /* none where nothing will ever happen */
}

static void receive(sm *s)
{
    sm_cluster *h = s->cluster;
    const sm_word *a;

    for (unsigned i = 0; i < 2 * (h->members - 1); i++) {
        unsigned k = i / 2 + 1;
        sm_link *from = i % 2 ? h->acks[k] : h->answer[k];

        while ((a = sm_link_peek(from, s->now))) {
            sm_word word = *a;

            sm_link_pop(from);
            receive_word(s, k, &word);
        }
    }
    if (h->mode == CLUSTER_DISSOLVING && h->awake == sm_cluster_all(h))
        master_goes_alone(s);
}

void sm_cluster_become_master(sm *s, uint64_t now)
{
    sm_cluster *h = s->cluster;

    sm_cluster_set_front_end(s, &sm_front_master);
    s->st.forms++;
    for (unsigned k = 1; k < h->members; k++)
        h->credits[k] = s->cfg->gpu.cluster.credits
                            ? s->cfg->gpu.cluster.credits
                            : s->cfg->sm.lsu.queue;
    h->issued = s->st.issued;
    h->slip_seen = now;
}

void sm_cluster_form(sm *s, uint64_t now)
{
    sm_cluster *h = s->cluster;

    MUST(h->mode == CLUSTER_ALONE && !h->self && h->members > 1 &&
         !s->ctas.count);
    sm_cluster_set_mode(s, now, CLUSTER_FORMING);
    for (unsigned k = 1; k < h->members; k++)
        sm_cluster_set_mode(h->member[k], now, CLUSTER_FORMING);
    sm_cluster_become_master(s, now);
    sm_cluster_send_all(s, now, (sm_word){.kind = WORD_FORM});
    sm_event_at(s, now + h->broadcast, EVENT_CLUSTER, 0, 0, DUE_FORMED);
    if (now < *h->wake)
        *h->wake = now;
}

void sm_cluster_dissolve(sm *s, uint64_t now, sm_dissolve_cause cause)
{
    sm_slots_account(s, now);
    dissolve(s, now, cause);
    if (now < *s->cluster->wake)
        *s->cluster->wake = now;
}

/* ---- its front end ---- */

static bool master_starts_cta(const sm *s)
{
    return s->cluster->mode == CLUSTER_SHARED;
}

static void place_cta(sm *s, uint64_t now, unsigned *slot, uint64_t *warps)
{
    sm_cluster *h = s->cluster;

    h->empty[*slot] = sm_cluster_all(h) & (uint8_t) ~((1u << h->row) - 1);
    h->cta_ended[*slot] = h->empty[*slot];
    for (uint64_t set = *warps; set; set &= set - 1)
        h->warp_ended[bits_ctz64(set)] = h->laneless[bits_ctz64(set)] =
            h->grouped[bits_ctz64(set)] = 0;
    send_row(
        s, now,
        (sm_word){.kind = WORD_START, .cta = (uint8_t)*slot, .mask = *warps});
}

static bool holds_cta(sm *s, unsigned slot)
{
    return !sm_cluster_ended_in(s, slot, 0);
}

static void leave_barriers(sm *s, unsigned w)
{
    sm_cluster *h = s->cluster;

    h->leaving |= BIT(w);
    if (h->empty[s->warp[w].cta] && !h->outcome[w].awaited)
        sm_cluster_leave(s, BIT(w)); /* it is in no other member */
}

static sm_why gate(const sm *s, unsigned w, const sm_inst *si, sm_why why)
{
    if (why == WHY_READY && s->cluster->mode != CLUSTER_SHARED)
        return WHY_SWITCH;
    return why == WHY_RAW_MEM && awaits_members(s, w, si) ? WHY_ACK : why;
}

void sm_master_resume(sm *s, unsigned w)
{
    if (s->cluster->outcome[w].awaited)
        sm_warp_set(s, w, WHY_ACK);
    else
        sm_cluster_proceed(s, w);
}

const sm_front_end sm_front_master = {
    .fetches = true,
    .shared = true,
    .starts_cta = master_starts_cta,
    .place_cta = place_cta,
    .holds_cta = holds_cta,
    .leave_barriers = leave_barriers,
    .gate = gate,
    .step = sm_cluster_step,
    .executed = executed,
    .outlives_exit = sm_cluster_outlives,
    .takes_result = takes_result,
    .resume = sm_master_resume,
    .receive = receive,
    .end_issue = end_issue,
    .settle = sm_cluster_count_slip,
};
