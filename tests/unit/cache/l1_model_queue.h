/* tests/unit/cache/l1_model_queue.h - which request an L1 performs next, by the
 * rules of request queues: fifo, reod, mrpb.
 *
 * model_step looks at the ports as the L1 is about to, changes nothing but the
 * model, and leaves in it what the L1 has to do in this cycle. */
#ifndef L1_MODEL_QUEUE_H
#define L1_MODEL_QUEUE_H

#include "base/must.h"
#include "l1_model.h"

static const mem_msg *model_arrival(const model *b)
{
    return port_at(b->port->from_lsu, b->now, b->taken);
}

/* What keeps `m` back; a request is counted once for each cause. */
static model_cause model_try(model *b, const mem_msg *m, model_what *what)
{
    model_cause cause = model_outcome(b, m, what);

    b->refused[m->tag] |= 1u << cause;
    return cause;
}

/* The oldest arrival is performed from the port, or it is not. */
static model_cause model_try_arrival(model *b, const mem_msg *m)
{
    model_what what;
    model_cause cause = model_try(b, m, &what);

    if (!cause) {
        model_perform(b, m, what);
        b->taken++;
    }
    return cause;
}

/* -- fifo ----------------------------------------------------------------- */

/* One queue: the port. */
static model_cause model_fifo(model *b)
{
    for (unsigned i = 0; i < b->cfg->l1.tag_ports; i++) {
        const mem_msg *m = model_arrival(b);
        model_cause cause = m ? model_try_arrival(b, m) : CAUSE_NONE;

        if (!m || cause)
            return i ? CAUSE_NONE : cause;
    }
    return CAUSE_NONE;
}

/* -- queues --------------------------------------------------------------- */

static unsigned model_queues(const model *b)
{
    return b->cfg->l1.queue == CFG_L1_QUEUE_REOD ? b->cfg->l1.reod.queues
                                                 : b->cfg->l1.mrpb.queues;
}

static unsigned model_depth(const model *b)
{
    return b->cfg->l1.queue == CFG_L1_QUEUE_REOD ? b->cfg->l1.reod.depth
                                                 : b->cfg->l1.mrpb.depth;
}

static unsigned model_depth_bin(uint64_t v)
{
    return v <= 16 ? (unsigned)v : v < 32 ? 17 : v < 64 ? 18 : 19;
}

/* Request `turn`, of queue i, has been performed. */
static void model_granted(model *b, unsigned i, uint64_t turn)
{
    uint64_t place = b->granted++;

    b->st.grants[i % 32]++;
    b->st.early[model_depth_bin(turn > place ? turn - place : 0)]++;
    b->st.late[model_depth_bin(turn < place ? place - turn : 0)]++;
}

static void model_pop(model *b, unsigned i)
{
    model_queue *q = &b->queue[i];

    model_granted(b, i, q->at[0].turn);
    memmove(&q->at[0], &q->at[1], --q->count * sizeof q->at[0]);
}

static model_cause model_push(model *b, unsigned i, const mem_msg *m)
{
    model_queue *q = &b->queue[i];

    if (q->count == model_depth(b))
        return CAUSE_QF;
    q->at[q->count].m = *m;
    q->at[q->count].turn = b->turns++;
    q->at[q->count++].waited = 0;
    if (q->count > b->most)
        b->most = q->count;
    b->st.entered++;
    b->taken++;
    return CAUSE_NONE;
}

static bool model_warp_waits(const model *b, unsigned warp)
{
    for (unsigned i = 0; i < model_queues(b); i++)
        for (unsigned k = 0; k < b->queue[i].count; k++)
            if (b->queue[i].at[k].m.warp == warp)
                return true;
    return false;
}

/* A fence leaves the port at once, and is answered, one in a cycle, when its
 * warp has nothing in the queues. */
static void model_take_fence(model *b, const mem_msg *m)
{
    b->fence[m->warp] = *m;
    b->taken++;
}

static void model_answer_fence(model *b)
{
    if (port_room(b->port->to_lsu, b->now) <= b->replies)
        return;
    for (unsigned w = 0; w < 64; w++) {
        mem_msg *m = &b->fence[w];

        if (m->kind != MEM_FENCE || model_warp_waits(b, w))
            continue;
        b->reply[b->replies++] =
            (mem_msg){.kind = MEM_FENCE, .client = CLIENT_LSU, .tag = m->tag};
        m->kind = MEM_READ;
        return;
    }
}

static unsigned model_fences(const model *b)
{
    unsigned n = 0;

    for (unsigned w = 0; w < 64; w++)
        n += b->fence[w].kind == MEM_FENCE;
    return n;
}

/* -- reod ----------------------------------------------------------------- */

static unsigned model_queue_of(const model *b, uint64_t addr)
{
    unsigned set = model_set(b, addr), queues = b->cfg->l1.reod.queues;

    if (b->cfg->l1.reod.map == CFG_REOD_MAP_MOD)
        return set % queues;
    return set * queues / b->cfg->l1.sets;
}

/* It goes to the L2 and enters no queue. */
static bool model_passes(const model *b, const mem_msg *m)
{
    return m->kind == MEM_ATOMIC || m->kind == MEM_REDUCE ||
           (m->kind == MEM_READ && model_past(b, m));
}

static bool model_must_wait(const model *b, const mem_msg *m)
{
    bool ordered = m->ordered || m->kind == MEM_ATOMIC || m->kind == MEM_REDUCE;

    if (ordered && model_warp_waits(b, m->warp))
        return true;
    for (unsigned i = 0; i < model_queues(b); i++)
        for (unsigned k = 0; k < b->queue[i].count; k++)
            if (model_passes(b, m) && b->queue[i].at[k].m.addr == m->addr)
                return true;
    return false;
}

static void model_turn(model *b, unsigned i)
{
    b->first = (i + 1) % b->cfg->l1.reod.queues;
}

/* Queue i gets the cache; heads that could have had it wait one grant more. */
static void model_serve_head(model *b, unsigned i, model_what what)
{
    model_queue *q = &b->queue[i];
    model_what other;

    for (unsigned k = 0; k < b->cfg->l1.reod.queues; k++) {
        model_queue *o = &b->queue[k];

        if (k == i || !o->count)
            continue;
        bool could = !model_outcome(b, &o->at[0].m, &other);
        o->at[0].waited = could ? o->at[0].waited + 1 : 0;
        if (o->at[0].waited > b->longest)
            b->longest = o->at[0].waited;
    }
    model_perform(b, &q->at[0].m, what);
    model_pop(b, i);
    model_turn(b, i);
}

/* The oldest arrival has its chance when heads have not used the port. */
static model_cause model_front(model *b)
{
    const mem_msg *m = model_arrival(b);

    if (!m || m->kind == MEM_FENCE)
        return CAUSE_NONE;
    unsigned i = model_queue_of(b, m->addr);
    bool passes = model_passes(b, m);
    if (!passes && (!b->cfg->l1.reod.bypass_empty || b->queue[i].count))
        return CAUSE_NONE;
    model_cause cause = CAUSE_ORDER;
    if (model_must_wait(b, m))
        b->refused[m->tag] |= 1u << CAUSE_ORDER;
    else
        cause = model_try_arrival(b, m);
    b->input = cause;
    if (cause)
        return cause;
    b->st.passed += passes;
    if (!passes) {
        b->st.bypassed++;
        model_granted(b, i, b->turns++);
        model_turn(b, i);
    }
    return CAUSE_NONE;
}

/* True: a request was performed. Else *cause is what kept the first head. */
static bool model_serve(model *b, model_cause *cause)
{
    unsigned queues = b->cfg->l1.reod.queues, from = b->first;
    unsigned acts = b->acts;
    cfg_reod_select select = b->cfg->l1.reod.select;
    model_what what;

    for (unsigned k = 0; k < queues; k++) {
        unsigned i = (from + k) % queues;
        model_queue *q = &b->queue[i];

        if (!q->count)
            continue;
        model_cause why = CAUSE_CSF;
        bool skip = select == CFG_REOD_SELECT_SETBIT &&
                    model_reserved(b, model_set(b, q->at[0].m.addr)) == b->ways;
        if (skip)
            b->refused[q->at[0].m.tag] |= 1u << CAUSE_CSF;
        else
            why = model_try(b, &q->at[0].m, &what);
        if (!why) {
            model_serve_head(b, i, what);
            return true;
        }
        b->heads[why]++;
        q->at[0].waited = 0;
        *cause = *cause ? *cause : why;
        if (select == CFG_REOD_SELECT_BLIND)
            b->first = (i + 1) % queues;
        if (select != CFG_REOD_SELECT_AWARE && !skip)
            return false;
    }
    model_cause front = model_front(b);
    *cause = *cause ? *cause : front;
    return b->acts > acts;
}

static model_cause model_serves(model *b)
{
    bool blind = b->cfg->l1.reod.select == CFG_REOD_SELECT_BLIND;
    model_cause first = CAUSE_NONE;

    for (unsigned i = 0; i < b->cfg->l1.tag_ports; i++) {
        model_cause cause = CAUSE_NONE;

        if (!blind)
            memset(b->heads, 0, sizeof b->heads);
        bool served = model_serve(b, &cause);
        first = first ? first : cause;
        if (!served && !blind)
            break;
    }
    return b->acts ? CAUSE_NONE : first;
}

static model_cause model_enter(model *b, const mem_msg *m)
{
    if (model_passes(b, m))
        return b->input ? b->input : CAUSE_ORDER;
    if (model_must_wait(b, m))
        return CAUSE_ORDER;
    return model_push(b, model_queue_of(b, m->addr), m);
}

static void model_accept(model *b)
{
    const mem_msg *m;

    for (unsigned n = 0; n < b->cfg->l1.tag_ports; n++) {
        if (!(m = model_arrival(b)))
            return;
        if (m->kind == MEM_FENCE) {
            model_take_fence(b, m);
            continue;
        }
        model_cause why = model_enter(b, m);
        if (!why)
            continue;
        if (!model_passes(b, m))
            b->refused[m->tag] |= 1u << why;
        b->input = why;
        return;
    }
}

static model_cause model_reod(model *b)
{
    model_cause cause = model_serves(b);

    model_accept(b);
    model_answer_fence(b);
    return cause;
}

/* -- mrpb ----------------------------------------------------------------- */

/* Two requests of a line are performed in their order, whatever their
 * queues. */
static bool model_older_waits(const model *b, unsigned i)
{
    for (unsigned k = 0; k < model_queues(b); k++)
        for (unsigned n = 0; n < b->queue[k].count; n++)
            if (b->queue[k].at[n].m.addr == b->queue[i].at[0].m.addr &&
                b->queue[k].at[n].turn < b->queue[i].at[0].turn)
                return true;
    return false;
}

/* A smaller one goes first. */
static unsigned model_rank(const model *b, unsigned i)
{
    unsigned queues = model_queues(b);

    switch (b->cfg->l1.mrpb.drain) {
    case CFG_MRPB_DRAIN_LONGEST:
        return MODEL_DEPTH - b->queue[i].count;
    case CFG_MRPB_DRAIN_GREEDY:
        return (i + queues - b->first) % queues;
    case CFG_MRPB_DRAIN_FIXED:
        return i;
    }
    MUST(!"every value is above");
}

static unsigned model_choose(const model *b)
{
    unsigned best = MODEL_QUEUES;

    for (unsigned i = 0; i < model_queues(b); i++)
        if (b->queue[i].count && !model_older_waits(b, i) &&
            (best == MODEL_QUEUES || model_rank(b, i) < model_rank(b, best)))
            best = i;
    return best;
}

/* False: nothing was performed, *cause says why. */
static bool model_drain(model *b, model_cause *cause)
{
    unsigned i = model_choose(b);
    model_what what;

    if (i == MODEL_QUEUES)
        return false;
    mem_msg *m = &b->queue[i].at[0].m;
    *cause = model_outcome(b, m, &what);
    if (*cause == CAUSE_CSF && m->kind == MEM_READ && b->cfg->l1.mrpb.bypass) {
        what = DO_PASS;
        *cause = model_queue_full(b, 1) ? CAUSE_MQF : CAUSE_NONE;
        b->st.around += !*cause;
    }
    b->refused[m->tag] |= 1u << *cause;
    memset(b->heads, 0, sizeof b->heads);
    b->heads[*cause]++;
    if (*cause)
        return false;
    model_perform(b, m, what);
    model_pop(b, i);
    b->first = i;
    return true;
}

static model_cause model_mrpb(model *b)
{
    model_cause cause = CAUSE_NONE;
    const mem_msg *m;
    unsigned n = 0;

    while (n < b->cfg->l1.tag_ports && model_drain(b, &cause))
        n++;
    for (n = 0; n < b->cfg->l1.tag_ports && (m = model_arrival(b)); n++) {
        bool by_cta = b->cfg->l1.mrpb.signature == CFG_MRPB_SIGNATURE_CTA;
        unsigned of = by_cta ? m->cta : m->warp;

        if (m->kind == MEM_FENCE) {
            model_take_fence(b, m);
            continue;
        }
        b->input = model_push(b, of % model_queues(b), m);
        b->refused[m->tag] |= 1u << b->input;
        if (b->input)
            break;
    }
    model_answer_fence(b);
    return b->acts ? CAUSE_NONE : cause;
}

/* -- a cycle -------------------------------------------------------------- */

static void model_charge_heads(model *b)
{
    b->st.heads_set_full += b->heads[CAUSE_CSF];
    b->st.heads_mshr_entry += b->heads[CAUSE_ENTRY];
    b->st.heads_mshr_merge += b->heads[CAUSE_MERGE];
    b->st.heads_miss_queue += b->heads[CAUSE_MQF];
    b->st.heads_data_port += b->heads[CAUSE_DATA];
    b->st.heads_reply += b->heads[CAUSE_REPLY];
}

static void model_charge(model *b, bool arrival)
{
    uint64_t *const of[CAUSES] = {
        [CAUSE_CSF] = &b->st.stall_set_full,
        [CAUSE_ENTRY] = &b->st.stall_mshr_entry,
        [CAUSE_MERGE] = &b->st.stall_mshr_merge,
        [CAUSE_MQF] = &b->st.stall_miss_queue,
        [CAUSE_DATA] = &b->st.stall_data_port,
        [CAUSE_REPLY] = &b->st.stall_reply,
    };

    if (b->cause) {
        b->st.blocked_cycles++;
        ++*of[b->cause];
        model_charge_heads(b);
    }
    if (arrival && !b->taken) {
        b->st.input_blocked++;
        b->st.stall_queue_full += b->input == CAUSE_QF;
        b->st.stall_order += b->input == CAUSE_ORDER;
    }
    b->st.mshr_occupancy += model_entries(b);
    b->st.miss_queue_occupancy += b->misses.count;
}

static void model_step(model *b, uint64_t now)
{
    b->now = now;
    b->taken = b->acts = b->sends = b->replies = 0;
    b->received = false;
    b->input = CAUSE_NONE;
    memset(b->heads, 0, sizeof b->heads);
    bool arrival = model_arrival(b) != NULL;
    model_replies(b);
    model_fills(b);
    model_departures(b);
    switch (b->cfg->l1.queue) {
    case CFG_L1_QUEUE_FIFO:
        b->cause = model_fifo(b);
        break;
    case CFG_L1_QUEUE_REOD:
        b->cause = model_reod(b);
        break;
    case CFG_L1_QUEUE_MRPB:
        b->cause = model_mrpb(b);
        break;
    case CFG_L1_QUEUE_MASCAR: /* see test_l1_rivals.c */
        MUST(!"has no model");
    }
    for (unsigned i = 0; i < model_queues(b); i++) {
        b->st.held[model_depth_bin(b->queue[i].count)]++;
        b->st.held_by[i % 32] += b->queue[i].count;
    }
    model_charge(b, arrival);
}

/* Requests that were refused at least once for each cause. */
static void model_count_refused(model *b, unsigned requests)
{
    uint64_t *const of[CAUSES] = {
        [CAUSE_CSF] = &b->st.refused_set_full,
        [CAUSE_ENTRY] = &b->st.refused_mshr_entry,
        [CAUSE_MERGE] = &b->st.refused_mshr_merge,
        [CAUSE_MQF] = &b->st.refused_miss_queue,
        [CAUSE_DATA] = &b->st.refused_data_port,
        [CAUSE_REPLY] = &b->st.refused_reply,
        [CAUSE_QF] = &b->st.refused_queue_full,
        [CAUSE_ORDER] = &b->st.refused_order,
    };

    for (unsigned i = 0; i < requests; i++)
        for (unsigned cause = 1; cause < CAUSES; cause++)
            *of[cause] += b->refused[i] >> cause & 1;
}

#endif
