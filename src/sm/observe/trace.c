#include "sm/observe/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "sm/slots.h"
#include "sm/state.h"

enum { TRACE_RING = 32 }; /* at least sm.fetch.buffer and one more */

typedef struct inst_ref {
    uint32_t inst, pc; /* inst 0: none */
    uint8_t warp;
    bool started; /* as the head of the LSU's queue */
} inst_ref;

typedef struct warp_trace {
    /* Fetched and not issued, oldest first. The first may be one that is only
     * expected: the warp waits for its fetch. */
    inst_ref ring[TRACE_RING];
    unsigned head, count;
    unsigned decoded; /* of them */
    bool expected;    /* the only one there is has not been fetched */
    inst_ref issued;  /* last */
    bool open;        /* it has no result and has not retired */
    bool inside;      /* the warp waits inside of it */
    uint64_t done;    /* when it retires otherwise */
    uint64_t since;   /* first cycle that does not belong to its issue */
    inst_ref waits;
    unsigned why; /* as TRACE_WAIT's b */
    uint64_t cta;
    uint16_t slot, index;
    uint32_t first_pc; /* of its kernel, in events */
    bool alive;
    inst_ref *flying; /* issued, with a result to come, oldest first */
    unsigned flying_count, flying_room;
} warp_trace;

struct sm_trace {
    event_log *log;
    bool begun;    /* the first cycle to be recorded has come */
    uint32_t next; /* number of the next instruction */
    warp_trace warp[SM_WARPS];
    inst_ref *queue;   /* of the LSU, by slot */
    inst_ref *pending; /* by tag */
    uint32_t stage;    /* sm_cluster_mode; a trace begins when it is alone */
};

void sm_trace_begin(sm *s, event_log *log)
{
    sm_trace *t = new0(1, sizeof *t);

    MUST(!s->observe.trace && !s->residents);
    MUST(s->fetch.buffer < TRACE_RING);
    t->log = log;
    t->next = 1;
    t->queue = new0(s->lsu.room, sizeof *t->queue);
    t->pending = new0(s->lsu.pending_room, sizeof *t->pending);
    s->observe.trace = t;
    s->observe.any = true;
    sm_policies(s);
    sm_slots_observe(s);
}

void sm_trace_end(sm *s)
{
    sm_trace *t = s->observe.trace;

    if (!t)
        return;
    for (unsigned w = 0; w < SM_WARPS; w++)
        free(t->warp[w].flying);
    free(t->queue);
    free(t->pending);
    free(t);
    s->observe.trace = NULL;
    s->observe.any = s->observe.profile || s->observe.spin;
    sm_policies(s);
    sm_slots_observe(s);
}

/* ---- Recording ---- */

/* Its `a` is a pc. */
static bool has_pc(uint8_t kind)
{
    return kind == TRACE_FETCH || kind == TRACE_ISSUE || kind == TRACE_WAIT ||
           kind == TRACE_FLYING;
}

/* Adds an event of warp `w` if it is wanted in cycle `now`. */
static void put(sm *s, unsigned w, uint64_t now, trace_event e)
{
    event_log *l = s->observe.trace->log;

    if (!event_log_covers(l, now) || !(l->filter.warps >> w & 1))
        return;
    if (has_pc(e.kind))
        e.a += s->observe.trace->warp[w].first_pc;
    e.warp = (uint8_t)w;
    e.unit = e.sm = (uint16_t)s->id;
    event_log_add(l, &e);
}

#define PUT(s, w, kind_, at, ...)                                              \
    put(s, w, (s)->now,                                                        \
        (trace_event){.kind = TRACE_##kind_, .cycle = (at), __VA_ARGS__})

static inst_ref *nth(warp_trace *p, unsigned i)
{
    return &p->ring[(p->head + i) % TRACE_RING];
}

/* What was there when the first recorded cycle began: the state that the hooks
 * have noted, since no hook of that cycle has changed it. */
static void put_state(sm *s, unsigned w, uint64_t at)
{
    warp_trace *p = &s->observe.trace->warp[w];

    put(s, w, at,
        (trace_event){.kind = TRACE_WARP_BEGIN,
                      .cycle = at,
                      .addr = p->cta,
                      .a = p->index,
                      .b = p->slot});
    for (unsigned i = p->expected; i < p->count; i++) {
        const inst_ref *r = nth(p, i);
        trace_event e = {
            .kind = TRACE_FETCH, .cycle = at, .inst = r->inst, .a = r->pc};

        put(s, w, at, e);
        e.kind = TRACE_DECODE;
        if (i < p->decoded)
            put(s, w, at, e);
    }
    put(s, w, at,
        (trace_event){.kind = TRACE_WAIT,
                      .cycle = at,
                      .inst = p->waits.inst,
                      .a = p->waits.pc,
                      .b = (uint16_t)p->why});
}

static void put_flying(sm *s, const inst_ref *r, uint64_t at, unsigned where)
{
    if (r->inst)
        put(s, r->warp, at,
            (trace_event){.kind = TRACE_FLYING,
                          .cycle = at,
                          .inst = r->inst,
                          .a = r->pc,
                          .b = (uint16_t)where});
}

static void put_stage(sm *s, uint64_t at)
{
    if (s->cluster)
        event_log_add(s->observe.trace->log,
                      &(trace_event){.kind = TRACE_STAGE,
                                     .cycle = at,
                                     .unit = (uint16_t)s->id,
                                     .sm = (uint16_t)s->id,
                                     .a = s->observe.trace->stage});
}

/* Before a hook changes anything in cycle `now`. */
static void enter(sm *s, uint64_t now)
{
    sm_trace *t = s->observe.trace;
    uint64_t from = t->log->filter.from;

    if (t->begun || now < from)
        return;
    t->begun = true;
    put_stage(s, from);
    for (uint32_t i = 0; i < s->lsu.room; i++)
        put_flying(s, &t->queue[i], from, 0);
    for (uint32_t i = 0; i < s->lsu.pending_room; i++)
        put_flying(s, &t->pending[i], from, 1);
    for (unsigned w = 0; w < SM_WARPS; w++)
        if (t->warp[w].alive)
            put_state(s, w, from);
}

void sm_trace_stage(sm *s, uint64_t now, unsigned mode)
{
    sm_trace *t = s->observe.trace;

    if (now > t->log->filter.from)
        enter(s, now);
    bool known = t->begun;
    t->stage = mode;
    enter(s, now); /* the trace may begin with it */
    if (known && event_log_covers(t->log, now))
        put_stage(s, now);
}

/* ---- The front end ---- */

/* Numbers an instruction; the caller has checked that there is room. */
static inst_ref *push(sm *s, unsigned w, uint32_t pc)
{
    warp_trace *p = &s->observe.trace->warp[w];
    inst_ref *r = nth(p, p->count);

    MUST(p->count < TRACE_RING);
    p->count++;
    *r = (inst_ref){
        .inst = s->observe.trace->next++, .pc = pc, .warp = (uint8_t)w};
    return r;
}

/* `n` instructions from `pc` on were fetched in cycle `at`. */
static void fetched(sm *s, unsigned w, uint32_t pc, unsigned n, uint64_t at)
{
    warp_trace *p = &s->observe.trace->warp[w];

    for (unsigned i = 0; i < n; i++) {
        const inst_ref *r = p->expected ? nth(p, 0) : push(s, w, pc + i);

        MUST(r->pc == pc + i);
        p->expected = false;
        PUT(s, w, FETCH, at, .inst = r->inst, .a = pc + i);
    }
}

void sm_trace_decode(sm *s, unsigned w, unsigned n)
{
    const sm_fetch_warp *b = &s->fetch.warp[w];
    warp_trace *p = &s->observe.trace->warp[w];

    enter(s, s->now);
    fetched(s, w, b->pc - b->flight, n, s->now - s->fetch.delay);
    for (unsigned i = 0; i < n; i++, p->decoded++)
        PUT(s, w, DECODE, s->now, .inst = nth(p, p->decoded)->inst);
}

/* What is on its way to the buffer of `w`, in the order of its arrival. */
static void fetched_flying(sm *s, unsigned w)
{
    const sm_fetch *f = &s->fetch;
    const sm_fetch_warp *b = &f->warp[w];
    uint32_t pc = b->pc - b->flight;

    for (uint64_t t = s->now; f->delay < FETCH_RING && t <= s->now + f->delay;
         t++) {
        for (unsigned i = 0; i < f->hits[t % FETCH_RING]; i++) {
            uint32_t hit = f->hit[t % FETCH_RING][i] & ~(FETCH_TRACED << 16);
            unsigned n = hit >> 8 & 0xff;

            if ((hit & 0xff) != w || hit >> 16 != b->epoch)
                continue;
            fetched(s, w, pc, n, t - f->delay);
            pc += n;
        }
    }
}

void sm_trace_flush(sm *s, unsigned w)
{
    warp_trace *p = &s->observe.trace->warp[w];

    enter(s, s->now);
    fetched_flying(s, w);
    for (unsigned i = 0; i < p->count; i++)
        PUT(s, w, FLUSH, s->now, .inst = nth(p, i)->inst);
    p->count = p->decoded = 0;
    p->expected = false;
}

/* ---- Warps ---- */

/* The instruction that is waited at. One that is not fetched yet gets its
 * number here. */
static inst_ref waited_at(sm *s, unsigned w, sm_why why)
{
    warp_trace *p = &s->observe.trace->warp[w];
    uint32_t pc = s->x[w].simt.pc;

    if (sm_why_is_inside(why))
        return p->issued;
    if (!p->count && pc < sm_code_count(s, w)) {
        push(s, w, pc);
        p->expected = true;
    }
    return p->count ? *nth(p, 0) : (inst_ref){.pc = pc, .warp = (uint8_t)w};
}

static void note(sm *s, unsigned w, unsigned why, inst_ref r, uint64_t at)
{
    warp_trace *p = &s->observe.trace->warp[w];

    if (p->why == why && p->waits.inst == r.inst)
        return;
    p->why = why;
    p->waits = r;
    PUT(s, w, WAIT, at, .inst = r.inst, .a = r.pc, .b = (uint16_t)why);
}

/* What keeps the ready warp `w` from issuing at `t`, but for the choice of its
 * scheduler; `full`: the LSU's queue. As TRACE_WAIT has it. */
static unsigned held_by(const sm *s, unsigned w, uint64_t t, bool full)
{
    unsigned n = s->warp[w].sched, by = WHY_READY;

    if (s->collect.mode != CFG_COLLECT_NONE &&
        sm_collect_when(&s->collect, n) > t)
        by = WHY_COLLECTOR;
    else if (full && (s->mem_heads >> w & 1))
        by = s->lsu.limit ? WHY_LSU : WHY_CREDIT;
    else if (s->collect.mode != CFG_COLLECT_UNITS &&
             sm_units_when(&s->units, n, s->warp[w].unit) > t)
        by = WHY_UNIT;
    return WHY_READY | (by == WHY_READY ? 0 : by + 1) << 8;
}

void sm_trace_warps(sm *s, uint64_t set, uint64_t now)
{
    enter(s, now);
    for (; set; set &= set - 1) {
        unsigned w = bits_ctz64(set);
        warp_trace *p = &s->observe.trace->warp[w];
        const exec_cta *cta = s->x[w].cta;

        p->cta = cta->number;
        p->slot = s->warp[w].cta;
        p->first_pc = cta->launch->trace_pc;
        p->index = (uint16_t)s->x[w].index;
        p->since = now;
        p->open = p->inside = false;
        p->issued = (inst_ref){.warp = (uint8_t)w};
        p->why = s->warp[w].why; /* to be fetched, or fetched by another SM */
        p->waits = waited_at(s, w, (sm_why)p->why);
        p->alive = true;
        if (event_log_covers(s->observe.trace->log, now))
            put_state(s, w, now);
    }
}

/* What `w` issued last and has no result retires, unless the warp is about to
 * wait inside of it. */
static void close_issued(sm *s, unsigned w, sm_why why, uint64_t at)
{
    warp_trace *p = &s->observe.trace->warp[w];

    if (!p->open)
        return;
    if (sm_why_is_inside(why)) {
        p->inside = true;
        return;
    }
    PUT(s, w, RETIRE, p->inside ? at : p->done, .inst = p->issued.inst);
    p->open = false;
}

void sm_trace_warp(sm *s, unsigned w, sm_why why)
{
    warp_trace *p = &s->observe.trace->warp[w];
    uint64_t at = s->now < p->since ? p->since : s->now;

    if (s->warp[w].why == WHY_NO_WARP)
        return; /* it begins: sm_trace_warps */
    enter(s, s->now);
    close_issued(s, w, why, at);
    if (why == WHY_NO_WARP) {
        /* In the cycle of its last issue it does not count as resident. */
        PUT(s, w, WARP_END, s->now, .addr = p->cta, .a = p->index,
            .b = p->slot);
        p->alive = false;
        return;
    }
    unsigned held =
        why == WHY_READY ? held_by(s, w, at, sm_lsu_full(&s->lsu)) : why;
    note(s, w, held, waited_at(s, w, why), at);
}

void sm_trace_slot(sm *s, unsigned n)
{
    bool full = sm_lsu_full(&s->lsu);
    uint64_t set = s->wait[WHY_READY] & s->issue.scheduler[n].mask;

    enter(s, s->now);
    for (; set; set &= set - 1) {
        unsigned w = bits_ctz64(set);

        note(s, w, held_by(s, w, s->now, full), s->observe.trace->warp[w].waits,
             s->now);
    }
}

/* ---- Issue and results ---- */

/* Warp `w` issues an instruction for `unit`. What kept the others from issuing
 * in this cycle; and what will in the next, if they could have in this one:
 * the next cycle may be skipped. What ends later is noted when it does, in a
 * cycle that is not skipped. */
static void note_others(sm *s, unsigned n, unsigned w, unsigned unit, bool mem)
{
    bool full = s->lsu.count + mem >= s->lsu.limit;
    uint64_t set = s->wait[WHY_READY] & ~BIT(w);
    const unsigned free = WHY_READY;

    for (; set; set &= set - 1) {
        unsigned u = bits_ctz64(set);
        warp_trace *p = &s->observe.trace->warp[u];

        if (s->warp[u].sched == n) {
            /* There was a collector, and such a unit, a moment ago. */
            unsigned why = held_by(s, u, s->now, sm_lsu_full(&s->lsu));
            unsigned by = why >> 8;

            if (by == WHY_COLLECTOR + 1 ||
                (by == WHY_UNIT + 1 && s->warp[u].unit == unit))
                why = free;
            note(s, u, why, p->waits, s->now);
        }
        if (p->why == free)
            note(s, u, held_by(s, u, s->now + 1, full), p->waits, s->now + 1);
    }
}

static void add_flying(warp_trace *p)
{
    GROW(p->flying, p->flying_count + 1, p->flying_room);
    p->flying[p->flying_count++] = p->issued;
}

void sm_trace_issue(sm *s, unsigned w, const sm_inst *si, uint32_t pc,
                    exec_result r, unsigned delay)
{
    sm_trace *t = s->observe.trace;
    warp_trace *p = &t->warp[w];
    uint64_t now = s->now;
    unsigned n = s->warp[w].sched;
    unsigned latency = si->latency > 1 ? si->latency : 1;

    enter(s, now);
    if (!s->front_end->fetches) { /* another SM did */
        fetched(s, w, pc, 1, now);
        PUT(s, w, DECODE, now, .inst = nth(p, p->decoded++)->inst);
        note(s, w, WHY_READY, *nth(p, 0), now);
    }
    note_others(s, n, w, si->unit, r == EXEC_MEM);
    MUST(p->count && p->decoded && nth(p, 0)->pc == pc);
    p->issued = *nth(p, 0);
    p->head = (p->head + 1) % TRACE_RING;
    p->count--;
    p->decoded--;
    p->since = now + 1;
    p->inside = false;
    p->open = r != EXEC_MEM && !(r == EXEC_DONE && (si->flags & INST_RESULT));
    p->done = now + latency;
    uint32_t inst = p->issued.inst;
    PUT(s, w, ISSUE, now, .inst = inst, .a = pc, .b = (uint16_t)n,
        .addr = s->x[w].ran);
    if (delay)
        PUT(s, w, COLLECT, now + 1, .inst = inst, .a = delay);
    PUT(s, w, EXECUTE, now + 1 + delay, .inst = inst, .a = si->interval,
        .b = si->unit, .addr = si->latency);
    if (!p->open && (si->flags & (INST_RESULT | INST_COPY)))
        add_flying(p);
    if (r != EXEC_MEM)
        return;
    uint32_t at = s->lsu.head + s->lsu.count; /* it is added next */
    t->queue[at < s->lsu.room ? at : at - s->lsu.room] = p->issued;
    PUT(s, w, LSU_QUEUE, now + 1, .inst = inst);
}

void sm_trace_written(sm *s, unsigned w, uint32_t pc)
{
    warp_trace *p = &s->observe.trace->warp[w];
    unsigned i = 0;

    enter(s, s->now);
    while (i < p->flying_count && p->flying[i].pc != pc)
        i++;
    if (i == p->flying_count)
        return;
    PUT(s, w, RETIRE, s->now, .inst = p->flying[i].inst);
    p->flying_count--;
    memmove(&p->flying[i], &p->flying[i + 1],
            (p->flying_count - i) * sizeof p->flying[0]);
}

/* ---- Memory ---- */

static inst_ref *head_of(sm *s)
{
    return &s->observe.trace->queue[s->lsu.head];
}

void sm_trace_block(sm *s, unsigned block)
{
    inst_ref *r = head_of(s);

    enter(s, s->now);
    PUT(s, r->warp, LSU_BLOCK, s->now, .inst = r->inst, .b = (uint16_t)block);
}

/* The head takes effect, unless it has before. */
static inst_ref *start_head(sm *s, const sm_lsu_entry *e)
{
    inst_ref *r = head_of(s);

    enter(s, s->now);
    if (!r->started)
        PUT(s, r->warp, LSU_START, s->now, .inst = r->inst,
            .a = s->lsu.txs.count, .addr = e->m->lanes);
    r->started = true;
    return r;
}

/* The LSU is free for another one from cycle `at` on. */
static void end_head(sm *s, const sm_lsu_entry *e, uint64_t at)
{
    inst_ref *r = head_of(s);
    bool result = e->inst->flags & (INST_RESULT | INST_COPY) || s->lsu.has_tag;

    PUT(s, r->warp, LSU_DONE, at, .inst = r->inst);
    if (!result) /* nothing comes back that the warp waits for */
        PUT(s, r->warp, RETIRE, at, .inst = r->inst);
    r->inst = 0;
    r->started = false;
}

void sm_trace_empty(sm *s, const sm_lsu_entry *e)
{
    start_head(s, e);
    end_head(s, e, s->now + 1);
}

void sm_trace_shared(sm *s, const sm_lsu_entry *e, unsigned passes,
                     unsigned conflicts)
{
    inst_ref *r = start_head(s, e);

    PUT(s, r->warp, SHARED, s->now, .inst = r->inst, .a = passes,
        .b = (uint16_t)conflicts);
    if (!s->lsu.txs.count)
        end_head(s, e, s->now + passes);
}

void sm_trace_tx(sm *s, const sm_lsu_entry *e, const sm_tx *t, mem_port *to)
{
    unsigned flags = e->inst->in->flags;
    mem_kind kind = flags & ISA_F_ATOMIC  ? MEM_ATOMIC
                    : s->lsu.has_tag      ? MEM_READ
                    : flags & ISA_F_STORE ? MEM_WRITE
                                          : MEM_READ;
    inst_ref *r = start_head(s, e);
    mem_msg *sent = &to->ring[(to->head + to->count - 1) & to->mask];

    sent->traced = s->observe.trace->log->filter.warps >> r->warp & 1;
    if (s->lsu.has_tag)
        s->observe.trace->pending[s->lsu.tag] = *r;
    PUT(s, r->warp, REQUEST, s->now, .inst = r->inst, .addr = t->line,
        .a = t->sectors, .b = (uint16_t)kind);
    if (s->lsu.sent + 1 == s->lsu.txs.count)
        end_head(s, e, s->now + 1);
}

static void put_reply(sm *s, unsigned w, uint32_t inst, const mem_msg *m)
{
    if (m->traced)
        PUT(s, w, REPLY, s->now, .inst = inst, .addr = m->addr,
            .a = (uint32_t)(s->now - m->born), .b = m->hit);
}

void sm_trace_reply(sm *s, const mem_msg *m, bool last)
{
    enter(s, s->now);
    if (m->kind == MEM_ACK) {
        put_reply(s, m->tag & 0xff, 0, m);
        return;
    }
    inst_ref *r = &s->observe.trace->pending[m->tag];
    put_reply(s, r->warp, r->inst, m);
    if (!last)
        return;
    PUT(s, r->warp, WRITE, s->now, .inst = r->inst);
    if (!(sm_inst_at(s, r->warp, r->pc)->flags & (INST_RESULT | INST_COPY)))
        PUT(s, r->warp, RETIRE, s->now + s->cfg->sm.lsu.write_back,
            .inst = r->inst);
    r->inst = 0;
}
