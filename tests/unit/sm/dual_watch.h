/* tests/unit/sm/dual_watch.h - a hazard policy between an SM and its own that
 * hears of each instruction as it issues, and knows the rules of dual issue by
 * itself: what may issue together, how long codes make warps wait, when ports,
 * banks, units and sources are free. What it says of a program is independent
 * of the tables of sm/dual.c and sm/collect.c. */
#ifndef SM_DUAL_WATCH_H
#define SM_DUAL_WATCH_H

#include "rig.h"
#include "sm/hazard/hazard.h"
#include "sm/state.h"

enum {
    DW_SCHEDULERS = 4,
    DW_WARPS = 64,
    DW_GROUP = 7,
    DW_LINE = 14,
    DW_CACHE = 6,
    DW_PCS = 4096,
    DW_REDIRECT = 8,
    DW_FLOAT = 9,
    DW_ENTRIES = 4,
    DW_REUSE = 8,
    DW_NOBODY = DW_WARPS
};

typedef struct dw_warp {
    uint64_t id;          /* of the warp that had the slot last, plus one */
    uint64_t next;        /* its next issue, at the soonest */
    uint64_t stamp;       /* the cycle after its last one */
    uint32_t pc;          /* of that */
    uint64_t ready[256];  /* registers of fixed latency, at the soonest */
    uint64_t timely[256]; /* the same if banks delay nothing */
    uint8_t pending[256];
    uint64_t pready[8];
} dw_warp;

typedef struct dw_operand {
    uint8_t reg;
    uint64_t at; /* read from its bank */
} dw_operand;

typedef struct dw_scheduler {
    unsigned issued; /* in this cycle */
    unsigned warp;
    uint32_t pc;                   /* of the first */
    unsigned floats;               /* for the shared kind of unit */
    unsigned turn;                 /* warp or DW_NOBODY */
    uint64_t entry[2][DW_ENTRIES]; /* of the ports: free from */
    uint64_t bank[4];              /* free from */
    uint64_t until;                /* the last read so far */
    unsigned cached, owner;
    dw_operand reg[DW_CACHE]; /* the latest first */
} dw_scheduler;

typedef struct dual_watch {
    sm_hazard base;
    sm_hazard *real;
    sm *s;
    uint64_t cycle;  /* of what `scheduler` holds */
    bool wide;       /* pairs are on */
    bool units;      /* there are shared ones */
    bool alternates; /* who has them first */
    dw_warp warp[DW_WARPS];
    dw_scheduler scheduler[DW_SCHEDULERS];
    uint64_t insts, pairs, alike, floats, reads, hits, late, cycles;
    uint64_t by[DW_SCHEDULERS]; /* instructions */
    uint64_t opened[DW_SCHEDULERS], phase[4];
    uint64_t log; /* hash of cycle, warp, pc of each issue */
    /* The same by scheduler, of those from `from` on, as if all had been
     * `shift` cycles earlier. */
    uint64_t of[DW_SCHEDULERS], shift;
    uint32_t from;
    uint64_t at[DW_PCS]; /* instructions by pc */
    const char *broken;
} dual_watch;

static inline void dw_say(dual_watch *w, const char *what)
{
    if (!w->broken)
        w->broken = what;
}

static inline void dw_mix(uint64_t *hash, uint64_t v)
{
    *hash = (*hash ^ v) * 0x100000001b3u;
}

static inline unsigned dw_code(const sm_inst *si)
{
    return si->in->ctl >> CTL_HAS & 1 ? si->in->ctl >> CTL_CODE & 0xff : 0x20;
}

static inline bool dw_tail(const sm_inst *si)
{
    return dw_code(si) >= 5 && dw_code(si) <= 7;
}

/* The published sweep: throughput is 128 * min(1, 4 / distance). */
static inline unsigned dw_distance(unsigned code)
{
    unsigned k = code % 16, n = code % 32;

    if (code < 0x20)
        return code == 0 ? 16 : 1;
    if (code >= 0x80 && code < 0xe0)
        return k <= 10 ? 2 * k + 1 : 32;
    return n <= 20 ? n + 1 : 32;
}

static inline bool dw_control(const sm_inst *si)
{
    return si->class == ISA_CLASS_BRANCH || si->class == ISA_CLASS_BARRIER ||
           (si->in->flags & ISA_F_BRANCH);
}

/* Distinct registers that `in` reads. */
static inline unsigned dw_sources(const isa_inst *in, uint8_t reg[16])
{
    unsigned n = 0;

    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < in->src_regs[i]; j++) {
            unsigned r = in->src[i] + j, k = 0;

            while (k < n && reg[k] != r)
                k++;
            if (r < ISA_RZ && k == n)
                reg[n++] = (uint8_t)r;
        }
    return n;
}

static inline bool dw_needs(const isa_inst *b, const isa_inst *a)
{
    uint8_t reg[16];
    unsigned n = dw_sources(b, reg);

    for (unsigned i = 0; i < n; i++)
        if (reg[i] - (unsigned)a->dst < a->dst_regs)
            return true;
    for (unsigned i = 0; i < b->dst_regs; i++)
        if (b->dst + i - (unsigned)a->dst < a->dst_regs)
            return true;
    return a->pwrite & (b->pread | b->pwrite);
}

/* C3: it can never be the first of a pair. */
static inline bool dw_refused(const dual_watch *w, unsigned warp,
                              const sm_inst *si, uint32_t pc)
{
    return pc % DW_GROUP == DW_GROUP - 1 ||
           pc + 1 >= w->s->fetch.warp[warp].insts || dw_code(si + 1) == 4 ||
           dw_needs(si[1].in, si->in);
}

static inline unsigned dw_alone(const dual_watch *w, unsigned warp,
                                const sm_inst *si, uint32_t pc)
{
    bool last = pc + 1 >= w->s->fetch.warp[warp].insts;

    if (dw_code(si) == 4)
        return dw_refused(w, warp, si, pc) ? 32 : 1;
    if (dw_tail(si) && !last && dw_tail(si + 1))
        return 6;
    return dw_distance(dw_code(si));
}

/* ---- After each cycle ---- */

static inline void dw_end_cycle(dual_watch *w)
{
    for (unsigned n = 0; n < DW_SCHEDULERS; n += 2) {
        dw_scheduler *a = &w->scheduler[n], *b = a + 1;
        unsigned most = w->units ? 2 : 1;

        if (a->floats > most || b->floats > most)
            dw_say(w, "a scheduler has more than its units");
        if (a->floats + b->floats > most + 1)
            dw_say(w, "the shared unit serves two schedulers at once");
        for (unsigned i = 0; i < 2; i++)
            if (a[i].issued > (w->wide ? 2 : 1))
                dw_say(w, "a scheduler issues too much at once");
        a->issued = b->issued = a->floats = b->floats = 0;
    }
}

/* ---- Parts of an issue ---- */

/* The slot of the warp may have gone to another one. */
static inline void dw_meet(dual_watch *w, unsigned warp)
{
    const exec_warp *x = &w->s->x[warp];
    dw_warp *p = &w->warp[warp];
    uint64_t id = 1 + x->cta->number * DW_WARPS + x->index;
    uint64_t stamp = p->stamp;

    if (p->id == id)
        return;
    *p = (dw_warp){.id = id, .stamp = stamp};
}

/* The second of a pair, right behind the first. */
static inline void dw_second(dual_watch *w, unsigned n, unsigned warp,
                             const sm_inst *si, uint32_t pc)
{
    const dw_scheduler *q = &w->scheduler[n];
    const sm_inst *first = si - 1;

    if (q->warp != warp || q->pc + 1 != pc || pc % DW_GROUP == 0)
        dw_say(w, "a pair is not of neighbours in a group");
    else if (dw_code(first) != 4 || dw_refused(w, warp, first, pc - 1))
        dw_say(w, "a pair that no code asks for");
    else if ((pc - 1) % DW_GROUP == 0)
        dw_say(w, "the first of a group is the first of a pair");
    else if (dw_control(first) || dw_control(si))
        dw_say(w, "what jumps or waits is in a pair");
    w->warp[warp].next = w->s->now + dw_distance(dw_code(si));
    w->pairs++;
    w->alike += si->unit == first->unit;
}

static inline void dw_first(dual_watch *w, unsigned n, unsigned warp,
                            const sm_inst *si, uint32_t pc)
{
    dw_warp *p = &w->warp[warp];

    if (w->s->now < p->next)
        dw_say(w, "issued sooner than its code says");
    if (p->stamp && p->id && pc != p->pc + 1 && pc != p->pc &&
        w->s->now < p->stamp + DW_REDIRECT)
        dw_say(w, "issued before its branch was resolved");
    p->next = w->s->now + dw_alone(w, warp, si, pc);
    w->scheduler[n].warp = warp;
    w->scheduler[n].pc = pc;
}

static inline void dw_ready(dual_watch *w, unsigned warp, const sm_inst *si)
{
    const isa_inst *in = si->in;
    dw_warp *p = &w->warp[warp];
    uint64_t timely = w->s->now + si->latency;
    uint64_t due = timely + w->s->collect.late;
    uint64_t until = w->scheduler[warp % DW_SCHEDULERS].until;
    uint8_t reg[16];
    unsigned n = dw_sources(in, reg);

    for (unsigned i = 0; i < n; i++)
        if (p->ready[reg[i]] > w->s->now || p->pending[reg[i]])
            dw_say(w, "issued before its sources were ready");
    for (unsigned i = 0; i < 8; i++)
        if (in->pread >> i & 1 && p->pready[i] > w->s->now)
            dw_say(w, "issued before its predicates were ready");
    if (in->class == ISA_CLASS_FP32 && !si->consts && si->latency != DW_FLOAT)
        dw_say(w, "floats take another time");
    if (si->flags & INST_LATE)
        return;
    for (unsigned i = 0; i < in->dst_regs; i++) {
        unsigned r = in->dst + i;

        if (p->timely[r] > timely || p->pending[r])
            dw_say(w, "a result overtakes one before it");
        p->timely[r] = timely;
        if (due <= until) /* something older still reads */
            due = until + 1;
        if (due > p->ready[r])
            p->ready[r] = due;
    }
    for (unsigned i = 0; i < 8; i++)
        if (in->pwrite >> i & 1)
            p->pready[i] = due;
}

/* ---- R1 and R2 ---- */

/* What the cache has of `reg`, its latest now; at: NEVER if it had nothing. */
static inline dw_operand *dw_cached(dw_scheduler *q, uint8_t reg)
{
    dw_operand o = {reg, NEVER};
    unsigned i = 0;

    while (i < q->cached && q->reg[i].reg != reg)
        i++;
    if (i < q->cached)
        o = q->reg[i];
    else
        i = q->cached < DW_CACHE ? q->cached++ : DW_CACHE - 1;
    memmove(q->reg + 1, q->reg, i * sizeof *q->reg);
    q->reg[0] = o;
    return q->reg;
}

static inline void dw_written(dw_scheduler *q, const isa_inst *in)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < q->cached; i++)
        if (q->reg[i].reg < in->dst || q->reg[i].reg >= in->dst + in->dst_regs)
            q->reg[kept++] = q->reg[i];
    q->cached = in->op == ISA_EXIT ? 0 : kept;
}

/* An entry that is free, or the one that is so first. */
static inline uint64_t *dw_entry(dw_scheduler *q, bool second)
{
    uint64_t *first = q->entry[second];

    for (unsigned i = 0; i < DW_ENTRIES; i++)
        if (q->entry[second][i] < *first)
            first = &q->entry[second][i];
    return first;
}

/* The cycle in which an operand comes; adds to *hits if that takes no read. */
static inline uint64_t dw_operand_at(dw_scheduler *q, uint8_t reg, uint64_t now,
                                     unsigned *hits)
{
    uint64_t *bank = &q->bank[(reg & 1) + (reg >> 1 & 2)];
    dw_operand *o = dw_cached(q, reg);

    if (o->at != NEVER && (o->at >= now || o->at + DW_REUSE <= now)) {
        ++*hits;
        return o->at > now ? o->at : now;
    }
    uint64_t at = *bank > now ? *bank : now;
    *bank = at + 1;
    if (o->at == NEVER)
        o->at = at;
    return at;
}

static inline void dw_operands(dual_watch *w, unsigned n, unsigned warp,
                               const sm_inst *si, bool second)
{
    const sm_collect *c = &w->s->collect;
    dw_scheduler *q = &w->scheduler[n];
    uint64_t now = w->s->now, last = now;
    uint8_t reg[16];
    unsigned count = dw_sources(si->in, reg), hits = 0;

    if (q->owner != warp)
        q->cached = 0;
    q->owner = warp;
    for (unsigned i = 0; i < count; i++) {
        uint64_t at = dw_operand_at(q, reg[i], now, &hits);

        last = at > last ? at : last;
    }
    if ((!second || count) && *dw_entry(q, second) > now)
        dw_say(w, "issued without an entry of its port");
    if (count)
        *dw_entry(q, second) = last + 1;
    for (unsigned b = 0; b < 4; b++)
        if (c->bank[n][b] > now && c->bank[n][b] != q->bank[b])
            dw_say(w, "a bank reads at other times");
    if (c->hit != hits || c->read + c->hit != count)
        dw_say(w, "reads and hits are not the operands");
    if (c->late != last - now)
        dw_say(w, "operands come at another time");
    dw_written(q, si->in);
    w->reads += count - hits;
    w->hits += hits;
    w->late += last - now;
    q->until = last > q->until ? last : q->until;
}

/* ---- F1 ---- */

static inline bool dw_issuable(const dual_watch *w, unsigned n, unsigned warp)
{
    const sm *s = w->s;
    const sm_inst *si = s->warp[warp].head;

    return s->wait[WHY_READY] >> warp & 1 &&
           sm_units_when(&s->units, n, si->unit) <= s->now &&
           !(si->flags & INST_MEM && sm_lsu_full(&s->lsu));
}

/* Was it the turn of `warp`? Others are still as they were. */
static inline void dw_turn(dual_watch *w, unsigned n, unsigned warp)
{
    const dw_scheduler *q = &w->scheduler[n];

    for (unsigned v = n; v < w->s->cfg->sm.warps; v += DW_SCHEDULERS) {
        if (v == warp || q->turn == warp || !dw_issuable(w, n, v))
            continue;
        if (q->turn == v)
            dw_say(w, "a warp lost its turn");
        else if (w->warp[v].stamp < w->warp[warp].stamp)
            dw_say(w, "another warp issued longer ago");
    }
}

static inline void dw_end_turn(dual_watch *w, unsigned n, unsigned warp,
                               const sm_inst *si, uint32_t pc)
{
    bool ends = si->in->flags & ISA_F_BRANCH || (pc + 1) % DW_LINE == 0;

    w->scheduler[n].turn = ends ? DW_NOBODY : warp;
    w->warp[warp].stamp = w->s->now + 1;
    w->warp[warp].pc = pc;
}

/* ---- The policy ---- */

static inline void dw_issued(sm_hazard *h, unsigned warp, const sm_inst *issued,
                             uint64_t delay)
{
    (void)issued, (void)delay;
    dual_watch *w = (dual_watch *)h;
    const sm_inst *si = w->s->warp[warp].head;
    uint32_t pc = sm_pc_of(w->s, warp, si);
    unsigned n = warp % DW_SCHEDULERS;
    dw_scheduler *q = &w->scheduler[n];

    if (w->s->now != w->cycle)
        dw_end_cycle(w);
    w->cycle = w->s->now;
    dw_meet(w, warp);
    bool second = q->issued++ > 0;
    if (second)
        dw_second(w, n, warp, si, pc);
    else
        dw_first(w, n, warp, si, pc);
    if (!second)
        dw_turn(w, n, warp);
    dw_ready(w, warp, si);
    dw_operands(w, n, warp, si, second);
    dw_end_turn(w, n, warp, si, pc);
    q->floats += si->unit == CFG_UNIT_FMA;
    w->floats += si->unit == CFG_UNIT_FMA;
    w->insts++;
    w->by[n]++;
    if (pc % DW_GROUP == 0)
        w->opened[n] = w->s->now;
    if (pc % DW_GROUP == 0 && w->units && n % 2 && w->opened[n - 1])
        w->phase[(w->s->now - w->opened[n - 1]) % 4]++;
    w->at[pc % DW_PCS]++;
    dw_mix(&w->log, w->s->now);
    dw_mix(&w->log, warp << 16 | pc);
    if (pc >= w->from) {
        dw_mix(&w->of[n], w->s->now - w->shift);
        dw_mix(&w->of[n], warp / DW_SCHEDULERS << 16 | pc);
    }
}

static inline sm_why dw_check(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    dual_watch *w = (dual_watch *)h;

    return w->real->ops->check(w->real, warp, si);
}

static inline sm_why dw_both(sm_hazard *h, unsigned warp, const sm_inst *si,
                             bool counted)
{
    return sm_hazard_second(((dual_watch *)h)->real, warp, si, counted);
}

static inline void dw_reserve(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    dual_watch *w = (dual_watch *)h;

    if (si->flags & INST_LATE)
        for (unsigned i = 0; i < si->in->dst_regs; i++)
            w->warp[warp].pending[si->in->dst + i]++;
    w->real->ops->reserve(w->real, warp, si);
}

static inline void dw_release(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    dual_watch *w = (dual_watch *)h;

    if (si->flags & INST_LATE)
        for (unsigned i = 0; i < si->in->dst_regs; i++)
            w->warp[warp].pending[si->in->dst + i]--;
    w->real->ops->release(w->real, warp, si);
}

static inline void dw_guard(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    dual_watch *w = (dual_watch *)h;

    w->real->ops->release_guard(w->real, warp, si);
}

static inline bool dw_idle(const sm_hazard *h, unsigned warp)
{
    const dual_watch *w = (const dual_watch *)h;

    return w->real->ops->idle(w->real, warp);
}

static inline void dw_free(sm_hazard *h)
{
    dual_watch *w = (dual_watch *)h;

    w->real->ops->free(w->real);
}

/* Puts `w` before the policy of the rig's SM, which it is until that is
 * freed. */
static inline void dual_watch_start(dual_watch *w, rig *r)
{
    static const sm_hazard_ops ops = {.free = dw_free,
                                      .check = dw_check,
                                      .second = dw_both,
                                      .issued = dw_issued,
                                      .reserve = dw_reserve,
                                      .release = dw_release,
                                      .release_guard = dw_guard,
                                      .idle = dw_idle};
    const config *cfg = config_sheet_values(r->sheet);

    *w =
        (dual_watch){.base.ops = &ops, .real = r->s->hazards.policy, .s = r->s};
    w->wide = cfg->sm.issue.width > 1;
    w->units = cfg->sm.unit.fma.shared > 0;
    w->alternates = cfg->sm.dual.arbiter == CFG_ARBITER_ALTERNATE;
    for (unsigned n = 0; n < DW_SCHEDULERS; n++)
        w->scheduler[n].turn = DW_NOBODY;
    r->s->hazards.policy = &w->base;
}

/* ---- F2, seen from one cycle to the next ---- */

typedef struct dw_buffers {
    uint32_t pc[DW_WARPS];
    uint16_t epoch[DW_WARPS];
    uint64_t redirect;
} dw_buffers;

static inline void dw_look(const sm *s, dw_buffers *b)
{
    for (unsigned w = 0; w < DW_WARPS; w++) {
        b->pc[w] = s->fetch.warp[w].pc;
        b->epoch[w] = s->fetch.warp[w].epoch;
    }
    b->redirect = s->fetch.redirect;
}

/* What warp `v` has been given since: NULL or what is wrong with it. */
static inline const char *dw_decoded(const sm *s, unsigned v, uint32_t before)
{
    const sm_fetch_warp *f = &s->fetch.warp[v];
    unsigned slot = before % DW_GROUP, n = f->pc - before;

    if (n != 1 && !(n == 2 && slot % 2 == 1))
        return "decoded across aligned pairs of words";
    if (n == 1 && slot % 2 == 1 && f->pc < f->insts)
        return "decoded half a pair of words";
    if ((unsigned)f->count + f->flight > 4)
        return "more in the buffer than it has room for";
    return NULL;
}

/* After a cycle: who lost the shared unit had not the right to it. */
static inline void dw_priority(dual_watch *w, uint64_t now)
{
    bool odd_first = w->alternates && now % 2;

    if (w->cycle != now)
        return;
    for (unsigned n = 0; n < DW_SCHEDULERS; n++)
        if (!w->scheduler[n].issued &&
            w->s->issue.charge[n].why == WHY_SHARED && n % 2 == odd_first &&
            w->scheduler[n ^ 1].floats > 1)
            dw_say(w, "the shared unit goes to the wrong scheduler");
}

/* Who waits for an entry of a port finds none. */
static inline void dw_waits(dual_watch *w, uint64_t now)
{
    if (w->s->time.ticked != now + 1)
        return; /* nobody was asked */
    for (unsigned n = 0; n < DW_SCHEDULERS; n++) {
        dw_scheduler *q = &w->scheduler[n];

        if (w->s->issue.charge[n].why == WHY_COLLECTOR &&
            w->s->issue.charge[n].since <= now && *dw_entry(q, false) <= now &&
            *dw_entry(q, true) <= now)
            dw_say(w, "waits for an entry although one is free");
    }
}

static inline void dw_compare(dual_watch *w, const dw_buffers *b)
{
    unsigned decodes[DW_SCHEDULERS] = {0};
    const sm *s = w->s;

    for (unsigned v = 0; v < s->cfg->sm.warps; v++) {
        const sm_fetch_warp *f = &s->fetch.warp[v];

        if (!(s->resident >> v & 1) || f->epoch != b->epoch[v] ||
            f->pc == b->pc[v] || (b->redirect >> v & 1))
            continue;
        const char *wrong = dw_decoded(s, v, b->pc[v]);
        if (wrong)
            dw_say(w, wrong);
        if (++decodes[v % DW_SCHEDULERS] > 1)
            dw_say(w, "a scheduler decodes for two warps at once");
        for (unsigned u = v % DW_SCHEDULERS; u < DW_WARPS; u += DW_SCHEDULERS)
            if (b->redirect & s->fetch.redirect & BIT(u))
                dw_say(w, "decoded what is not on the wrong path");
    }
}

#endif
