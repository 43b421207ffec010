#include "sm/table_stage.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "sm/slots.h"
#include "sm/state.h"

void sm_table_stage_init(sm_table_stage *c, const config *cfg)
{
    *c = (sm_table_stage){.width = cfg->sm.rf.write_width,
                          .delays = cfg->sm.rf.write_width != 0};
    if (cfg->sm.issue.hazard != CFG_HAZARD_TABLE)
        return;
    c->serial = cfg->sm.table.mode == CFG_TABLE_MODE_SERIAL;
    c->depth = (unsigned)cfg->sm.table.ready;
    c->ports = (unsigned)cfg->sm.table.ports;
    c->buffer = (unsigned)cfg->sm.table.buffer;
    if (c->serial) { /* what is checked has to stay somewhere */
        c->ports = 1;
        c->depth = c->depth ? c->depth : 1;
    }
    c->stage = c->depth != 0;
    c->delays = c->delays || c->ports;
    if (c->stage || c->ports)
        c->table = new0(SM_SCHEDULERS, sizeof *c->table);
}

void sm_table_stage_fini(sm_table_stage *c) { free(c->table); }

/* ---- write-backs ---- */

/* Registers that are written together, of `in`'s from `first` on. */
static unsigned together(const sm_table_stage *c, const isa_inst *in,
                         unsigned first)
{
    unsigned left = in->dst_regs - first;

    return c->width && c->width < left ? c->width : left;
}

static void write_back(sm *s, unsigned w, uint32_t pc, unsigned first,
                       unsigned n)
{
    if (n == sm_inst_at(s, w, pc)->in->dst_regs)
        sm_write_back(s, EVENT_WRITE, w, pc);
    else
        sm_write_part(s, w, pc, first, n);
}

/* Guards see predicates after the whole result is there. */
static bool delays_guard(sm *s, const sm_event *e)
{
    sm_table_stage *c = &s->table_stage;
    unsigned regs = sm_inst_at(s, e->warp, e->pc)->in->dst_regs, later = 0;

    if (c->width && !e->arg)
        later = (regs ? regs - 1 : 0) / c->width;
    if (!later && c->late[e->warp])
        later = 1;
    if (later)
        sm_event_at(s, s->now + later, EVENT_GUARD, e->warp, e->pc, 1);
    return later;
}

/* Registers `first` to first + n - 1 want to be written. False: there is no
 * room where they would await that. */
static bool enters(sm *s, const sm_event *e, unsigned first, unsigned n)
{
    sm_table_stage *c = &s->table_stage;
    sm_scheduler_table *t;

    if (!c->ports) {
        sm_write_part(s, e->warp, e->pc, first, n);
        return true;
    }
    t = &c->table[s->warp[e->warp].sched];
    c->late[e->warp] += e->kind == EVENT_WRITE && !first;
    if (t->writes == c->buffer)
        return false;
    t->write[(t->first + t->writes++) % TABLE_WRITES] =
        (sm_table_write){.pc = e->pc,
                         .warp = e->warp,
                         .first = (uint8_t)first,
                         .count = (uint8_t)n};
    return true;
}

bool sm_table_stage_delays(sm *s, const sm_event *e)
{
    const isa_inst *in = sm_inst_at(s, e->warp, e->pc)->in;
    unsigned first = e->arg, n = together(&s->table_stage, in, first);

    if (e->kind == EVENT_GUARD)
        return delays_guard(s, e);
    if (!in->dst_regs || (!s->table_stage.ports && n == in->dst_regs))
        return false;
    if (!enters(s, e, first, n)) {
        s->st.table_write_waits++;
        sm_event_at(s, s->now + 1, EVENT_LATE, e->warp, e->pc, first);
    } else if (first + n < in->dst_regs) { /* the next in the next cycle */
        sm_event_at(s, s->now + 1, EVENT_WRITE, e->warp, e->pc, first + n);
    }
    return true;
}

void sm_table_stage_write_back(sm *s)
{
    sm_table_stage *c = &s->table_stage;

    for (unsigned n = 0; n < s->issue.schedulers; n++) {
        sm_scheduler_table *t = &c->table[n];

        if (t->writes) {
            t->busy = s->now;
            s->st.poll_cycles_wb++;
        }
        for (unsigned i = 0; i < c->ports && t->writes; i++) {
            sm_table_write b = t->write[t->first];
            unsigned regs = sm_inst_at(s, b.warp, b.pc)->in->dst_regs;

            t->first = (t->first + 1) % TABLE_WRITES;
            t->writes--;
            c->late[b.warp] -= b.first + b.count == regs;
            write_back(s, b.warp, b.pc, b.first, b.count);
        }
    }
}

/* ---- checks ---- */

static unsigned first_from(uint64_t warps, unsigned from)
{
    uint64_t behind = from < 64 ? warps >> from << from : 0;

    return bits_ctz64(behind ? behind : warps);
}

/* Warps of scheduler `n` that would pass if they were checked. */
static uint64_t waiting(const sm *s, unsigned n)
{
    return s->wait[WHY_TURN] & s->issue.scheduler[n].mask &
           ~s->table_stage.table[n].queued;
}

/* Warp `w` is the first of those that passed. */
static void first_in(sm *s, unsigned w)
{
    sm_why why = WHY_READY;

    if (s->front_end->gate)
        why = s->front_end->gate(s, w, s->warp[w].head, why);
    sm_warp_set(s, w, why);
}

static void take_in(sm *s, sm_scheduler_table *t, unsigned w)
{
    const sm_inst *si = s->warp[w].head;

    if (si->flags & INST_RESULT)
        s->hazards.policy->ops->reserve(s->hazards.policy, w, si);
    t->ready[(t->head + t->count) % SM_WARPS] = (uint8_t)w;
    t->queued |= BIT(w);
    if (!t->count++)
        first_in(s, w);
}

bool sm_table_stage_goes_on(sm *s, unsigned w)
{
    if (!s->table_stage.stage ||
        !(s->table_stage.table[s->warp[w].sched].queued >> w & 1))
        return false;
    sm_warp_set(s, w, WHY_READY);
    return true;
}

void sm_table_stage_forget(sm *s, unsigned w)
{
    const sm_inst *si = s->warp[w].head;

    if (!s->table_stage.stage ||
        !(s->table_stage.table[s->warp[w].sched].queued >> w & 1))
        return;
    sm_scheduler_table *t = &s->table_stage.table[s->warp[w].sched];
    unsigned kept = 0;

    if (si->flags & INST_RESULT)
        sm_table_stage_drop(s, w, si);
    for (unsigned i = 0; i < t->count; i++) {
        uint8_t one = t->ready[(t->head + i) % SM_WARPS];

        if (one != w)
            t->ready[(t->head + kept++) % SM_WARPS] = one;
    }
    t->count = kept;
    t->queued &= ~BIT(w);
    if (kept)
        first_in(s, t->ready[t->head]);
}

void sm_table_stage_issued(sm *s, unsigned n)
{
    sm_scheduler_table *t = &s->table_stage.table[n];

    MUST(t->count);
    t->queued &= ~BIT(t->ready[t->head]);
    t->head = (t->head + 1) % SM_WARPS;
    if (--t->count)
        sm_warp_set(s, t->ready[t->head], WHY_READY);
}

void sm_table_stage_drop(sm *s, unsigned w, const sm_inst *si)
{
    if (s->observe.trace)
        sm_trace_written(s, w, sm_pc_of(s, w, si));
    s->hazards.policy->ops->release(s->hazards.policy, w, si);
    s->hazards.policy->ops->release_guard(s->hazards.policy, w, si);
}

/* A write-back has the table of scheduler `n` in this cycle: what its warps
 * wait for, if they wait for their turn. */
static void taken(sm *s, unsigned n)
{
    const sm_charge *c = &s->issue.charge[n];

    if (c->why == WHY_TURN && c->since <= s->now)
        sm_slots_wait(s, n, s->now, WHY_WRITES);
    s->issue.retry[n] = 0; /* the next cycle is another matter */
}

void sm_table_stage_poll(sm *s)
{
    sm_table_stage *c = &s->table_stage;

    for (unsigned n = 0; n < s->issue.schedulers; n++) {
        sm_scheduler_table *t = &c->table[n];
        uint64_t pass = waiting(s, n);

        if (c->serial && t->busy == s->now) {
            taken(s, n);
            continue;
        }
        uint64_t poll =
            c->serial ? s->resident & s->issue.scheduler[n].mask : pass;

        if (!poll || t->count == c->depth)
            continue;
        unsigned w = first_from(poll, t->next);

        s->st.poll_cycles_check++;
        t->next = w + 1;
        if (pass >> w & 1)
            take_in(s, t, w);
    }
    c->polled = s->now + 1;
}

/* ---- slots that change hands ---- */

void sm_table_stage_room(void *of, uint64_t warps)
{
    struct sm *s = of;
    uint64_t asked = s->wait[WHY_TABLE] | s->wait[WHY_TURN];

    if (!s->table_stage.stage) /* else they have their slots */
        asked |= s->wait[WHY_READY];
    for (uint64_t left = warps & asked; left; left &= left - 1)
        sm_warp_head(s, bits_ctz64(left));
}

/* ---- idle cycles ---- */

void sm_table_stage_skip(sm *s, uint64_t now)
{
    sm_table_stage *c = &s->table_stage;
    uint64_t cycles = now > c->polled ? now - c->polled : 0;

    c->polled += cycles;
    for (unsigned n = 0; cycles && c->serial && n < s->issue.schedulers; n++) {
        sm_scheduler_table *t = &c->table[n];
        uint64_t poll = s->resident & s->issue.scheduler[n].mask;

        MUST(!t->writes);
        if (!poll || t->count == c->depth)
            continue;
        s->st.poll_cycles_check += cycles;
        /* Where the turn is repeats after each round. */
        unsigned turns = (unsigned)((cycles - 1) % bits_popcount64(poll)) + 1;
        for (unsigned i = 0; i < turns; i++)
            t->next = first_from(poll, t->next) + 1;
    }
}

/* Cycles until the turn of one that passes. */
static unsigned turns(const sm *s, unsigned n, uint64_t pass)
{
    uint64_t poll = s->resident & s->issue.scheduler[n].mask;
    unsigned next = s->table_stage.table[n].next;

    for (unsigned i = 1;; i++) {
        unsigned w = first_from(poll, next);

        if (pass >> w & 1)
            return i;
        next = w + 1;
    }
}

uint64_t sm_table_stage_when(const sm *s)
{
    const sm_table_stage *c = &s->table_stage;
    uint64_t when = NEVER;

    for (unsigned n = 0; n < s->issue.schedulers; n++) {
        const sm_scheduler_table *t = &c->table[n];
        uint64_t pass = waiting(s, n), at;

        if (t->writes)
            return s->now + 1;
        if (!pass || t->count == c->depth)
            continue;
        at = s->now + (c->serial ? turns(s, n, pass) : 1);
        when = at < when ? at : when;
    }
    return when;
}
