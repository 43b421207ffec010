/* tests/unit/sm/watch.h - a hazard policy between an SM and the one that it
 * has: passes everything on, remembers when what became pending, and checks
 * the entries of a table after each change. A second policy of the same kind
 * hears of one warp only and has to answer the same. */
#ifndef SM_WATCH_H
#define SM_WATCH_H

#include "base/bits.h"
#include "rig.h"
#include "sm/hazard/hazard.h"
#include "sm/hazard/table.h"
#include "sm/state.h"

enum { WATCH_CTAS = 8, WATCH_WARPS = 4, WATCH_ALONE = 1 };

typedef struct watch {
    sm_hazard base;
    sm_hazard *real, *alone;
    sm_stats other; /* of `alone` */
    const sm *s;
    unsigned slots;      /* that a warp has at most; 0: it is no table */
    unsigned group, row; /* warps that divide theirs; slots of one */
    uint64_t running;    /* warps */
    bool full;           /* all slots had one before the first of them ended */
    bool ended;          /* one has; the log is up to there with `to_end` */
    uint64_t to_end;
    uint64_t log;   /* hash of cycle, warp and instruction of each reserve */
    uint64_t fulls; /* times that somebody had to wait for a slot */
    unsigned most;  /* slots of a warp used at once */
    int live[64];   /* reserved and not released slots, by warp */
    /* hash of the instructions of each warp, in the order of reserves */
    uint64_t order[WATCH_CTAS][WATCH_WARPS];
    const char *broken;
} watch;

static inline void watch_mix(uint64_t *hash, uint64_t v)
{
    *hash = (*hash ^ v) * 0x100000001b3u;
}

static inline void watch_note(watch *w, unsigned warp, uint64_t pc)
{
    const exec_warp *x = &w->s->x[warp];

    if (!w->ended) {
        watch_mix(&w->to_end, w->s->now);
        watch_mix(&w->to_end, warp);
        watch_mix(&w->to_end, pc);
    }

    watch_mix(&w->log, w->s->now);
    watch_mix(&w->log, warp);
    watch_mix(&w->log, pc);
    watch_mix(&w->order[x->cta->number % WATCH_CTAS][x->index % WATCH_WARPS],
              pc);
}

/* A warp that is in order says the same in every run. */
static inline uint64_t watch_order(const watch *w)
{
    uint64_t hash = 0;

    for (unsigned c = 0; c < WATCH_CTAS; c++)
        for (unsigned i = 0; i < WATCH_WARPS; i++)
            watch_mix(&hash, w->order[c][i]);
    return hash;
}

/* Who is due the row of `home`, said once more: it itself, or as the rows of
 * those that do not run are dealt out in turn. */
static inline unsigned watch_due(const watch *w, unsigned home)
{
    unsigned apart = w->s->cfg->sm.warps / w->group, turn = 0, players = 0;
    unsigned player[64];

    for (unsigned v = home % apart; v < w->s->cfg->sm.warps; v += apart)
        if (w->running >> v & 1)
            player[players++] = v;
    for (unsigned v = home % apart; v < home; v += apart)
        turn += !(w->running >> v & 1);
    if (w->running >> home & 1)
        return home;
    return players ? player[turn % players] : 64;
}

/* Slots for further results. */
static inline unsigned watch_room(const watch *w, unsigned warp)
{
    unsigned apart = w->s->cfg->sm.warps / w->group, room = 0;

    if (w->group == 1)
        return w->slots - sm_table_used(w->real, warp);
    for (unsigned i = 0; i < w->group; i++) {
        unsigned home = warp % apart + i * apart;

        if (sm_table_owner(w->real, home) != warp || watch_due(w, home) != warp)
            continue;
        for (unsigned k = 0; k < w->row; k++) {
            uint8_t rid;
            room += !sm_table_slot(w->real, warp, i * w->row + k, &rid);
        }
    }
    return room;
}

/* What is in use lies in rows that are the warp's. */
static inline void watch_rows(watch *w, unsigned warp)
{
    unsigned apart = w->s->cfg->sm.warps / w->group;

    for (unsigned i = 0; w->group > 1 && i < w->slots; i++) {
        unsigned home = warp % apart + i / w->row * apart;
        uint8_t rid;

        if (sm_table_slot(w->real, warp, i, &rid) &&
            sm_table_owner(w->real, home) != warp)
            w->broken = "a result lies in a row of another warp";
    }
    if (watch_room(w, warp) != sm_table_room(w->real, warp))
        w->broken = "room is not what is free of the rows that it is due";
}

/* Conservation; valid slots are disjoint and within the registers; as many
 * are used as the entry says. */
static inline void watch_entry(watch *w, unsigned warp)
{
    bool covered[256] = {false};
    unsigned used = 0;

    if (!w->slots)
        return;
    for (unsigned i = 0; i < w->slots; i++) {
        uint8_t rid;
        uint32_t bits = sm_table_slot(w->real, warp, i, &rid);

        used += bits != 0;
        for (unsigned r = rid; bits; r++, bits >>= 1) {
            if (!(bits & 1))
                continue;
            if (r > 254)
                w->broken = "a slot reaches past the registers";
            else if (covered[r])
                w->broken = "two slots stand for one register";
            else
                covered[r] = true;
        }
    }
    if (used != sm_table_used(w->real, warp))
        w->broken = "the count of used slots is wrong";
    if ((int)used != w->live[warp])
        w->broken = "allocations are not releases and live slots";
    if (used > w->most)
        w->most = used;
    watch_rows(w, warp);
}

static inline sm_why watch_check(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    watch *w = (watch *)h;
    sm_why why = w->real->ops->check(w->real, warp, si);
    unsigned need = sm_table_needs(w->s->cfg, si->in);

    if (warp == WATCH_ALONE && w->alone &&
        w->alone->ops->check(w->alone, warp, si) != why)
        w->broken = "other warps change the answer";
    if (why == WHY_TABLE)
        w->fulls++;
    if (w->slots && why == WHY_READY && need > watch_room(w, warp))
        w->broken = "passed without room";
    if (w->slots && why == WHY_TABLE && !w->s->cfg->sm.table.full_blocks &&
        need <= watch_room(w, warp))
        w->broken = "waits although there is room";
    return why;
}

static inline sm_why watch_second(sm_hazard *h, unsigned warp,
                                  const sm_inst *si, bool counted)
{
    watch *w = (watch *)h;
    sm_why why = sm_hazard_second(w->real, warp, si, counted);
    unsigned need =
        sm_table_needs(w->s->cfg, si->in) + sm_table_needs(w->s->cfg, si[1].in);

    if (warp == WATCH_ALONE && w->alone &&
        sm_hazard_second(w->alone, warp, si, counted) != why)
        w->broken = "other warps change the answer about a second";
    w->fulls += why == WHY_TABLE;
    if (w->slots && why == WHY_READY && need > watch_room(w, warp))
        w->broken = "a pair passed without room";
    return why;
}

static inline void watch_reserve(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    watch *w = (watch *)h;

    watch_note(w, warp, sm_pc_of(w->s, warp, si));
    w->real->ops->reserve(w->real, warp, si);
    if (warp == WATCH_ALONE && w->alone)
        w->alone->ops->reserve(w->alone, warp, si);
    w->live[warp] += (int)sm_table_needs(w->s->cfg, si->in);
    watch_entry(w, warp);
}

static inline void watch_release(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    watch *w = (watch *)h;

    w->real->ops->release(w->real, warp, si);
    if (warp == WATCH_ALONE && w->alone)
        w->alone->ops->release(w->alone, warp, si);
    w->live[warp] -= (int)sm_table_needs(w->s->cfg, si->in);
    watch_entry(w, warp);
}

/* A slot is free with the last of its registers. */
static inline void watch_part(sm_hazard *h, unsigned warp, const sm_inst *si,
                              unsigned first, unsigned n)
{
    watch *w = (watch *)h;
    unsigned most = 1u << w->s->cfg->sm.table.offset_bits;

    w->real->ops->release_part(w->real, warp, si, first, n);
    if (warp == WATCH_ALONE && w->alone)
        w->alone->ops->release_part(w->alone, warp, si, first, n);
    for (unsigned r = first; r < first + n; r++)
        w->live[warp] -= (r + 1) % most == 0 || r + 1u == si->in->dst_regs;
    watch_entry(w, warp);
}

static inline void watch_issued(sm_hazard *h, unsigned warp, const sm_inst *si,
                                uint64_t delay)
{
    watch *w = (watch *)h;

    if (w->real->ops->issued)
        w->real->ops->issued(w->real, warp, si, delay);
    if (w->real->ops->issued && warp == WATCH_ALONE && w->alone)
        w->alone->ops->issued(w->alone, warp, si, delay);
}

static inline void watch_delayed(sm_hazard *h, unsigned warp, uint64_t delay)
{
    watch *w = (watch *)h;

    if (w->real->ops->delayed)
        w->real->ops->delayed(w->real, warp, delay);
}

static inline uint64_t watch_not_before(const sm_hazard *h, unsigned warp)
{
    const watch *w = (const watch *)h;

    return w->real->ops->not_before ? w->real->ops->not_before(w->real, warp)
                                    : 0;
}

static inline uint64_t watch_begin(sm_hazard *h, unsigned warp)
{
    watch *w = (watch *)h;

    w->running |= (uint64_t)1 << warp;
    return w->real->ops->begin ? w->real->ops->begin(w->real, warp) : 0;
}

static inline uint64_t watch_end(sm_hazard *h, unsigned warp)
{
    watch *w = (watch *)h;

    if (!w->ended)
        w->full = w->running == bits_mask64(w->s->cfg->sm.warps);
    w->running &= ~((uint64_t)1 << warp);
    w->ended = true;
    return w->real->ops->end ? w->real->ops->end(w->real, warp) : 0;
}

static inline bool watch_idle(const sm_hazard *h, unsigned warp)
{
    const watch *w = (const watch *)h;

    return w->real->ops->idle(w->real, warp);
}

static inline void watch_settle(sm_hazard *h, uint64_t now)
{
    watch *w = (watch *)h;

    if (w->real->ops->settle)
        w->real->ops->settle(w->real, now);
}

static inline void watch_guard(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    watch *w = (watch *)h;

    w->real->ops->release_guard(w->real, warp, si);
    if (warp == WATCH_ALONE && w->alone)
        w->alone->ops->release_guard(w->alone, warp, si);
}

static inline void watch_free(sm_hazard *h)
{
    watch *w = (watch *)h;

    w->real->ops->free(w->real);
    if (w->alone)
        w->alone->ops->free(w->alone);
}

/* Puts `w` before the policy of the rig's SM, which it is until that is
 * freed. */
static inline void watch_start(watch *w, rig *r)
{
    static const sm_hazard_ops ops = {.free = watch_free,
                                      .check = watch_check,
                                      .second = watch_second,
                                      .reserve = watch_reserve,
                                      .issued = watch_issued,
                                      .delayed = watch_delayed,
                                      .not_before = watch_not_before,
                                      .begin = watch_begin,
                                      .end = watch_end,
                                      .release = watch_release,
                                      .release_part = watch_part,
                                      .idle = watch_idle,
                                      .settle = watch_settle,
                                      .release_guard = watch_guard};
    const config *cfg = config_sheet_values(r->sheet);

    *w = (watch){.base.ops = &ops, .real = r->s->hazards.policy, .s = r->s};
    w->group = 1;
    if (cfg->sm.issue.hazard == CFG_HAZARD_TABLE) {
        w->group = cfg->sm.table.group;
        w->row = cfg->sm.table.slots;
        w->slots = w->row * w->group;
    }
    /* What others do matters to a group; stall counts need a clock. */
    if (w->group == 1 && cfg->sm.issue.hazard != CFG_HAZARD_CODES)
        w->alone = sm_hazard_new(cfg, &w->other);
    if (cfg->sm.issue.hazard == CFG_HAZARD_UNLIMITED)
        w->slots = TABLE_SLOTS;
    r->s->hazards.policy = &w->base;
}

#endif
