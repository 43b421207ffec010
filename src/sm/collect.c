#include "sm/collect.h"

#include <string.h>

#include "base/bits.h"

unsigned sm_collect_bank(const config *cfg, unsigned reg)
{
    unsigned banks = cfg->sm.rf.banks;

    if (cfg->sm.rf.bank_map == CFG_BANK_MAP_KEPLER) /* [PPOPP:Table 3] */
        return ((reg & 1) | (reg >> 1 & 2)) % banks;
    return reg % banks;
}

static inline void empty(sm_gather *g)
{
    g->cached = 0;
    g->fill++;
}

void sm_collect_init(sm_collect *c, const config *cfg)
{
    c->mode = cfg->sm.rf.collect;
    c->banks = cfg->sm.rf.banks;
    if (cfg->sm.rf.bank_map == CFG_BANK_MAP_WARP)
        for (unsigned w = 0; w < SM_WARPS; w++)
            c->offset[w] = (uint8_t)(w % c->banks);
    c->ports = cfg->sm.rf.read_ports;
    /* Collectors start at once; a fixed window hides its own length. */
    c->window = c->mode >= CFG_COLLECT_FIXED ? cfg->sm.rf.read_window : 1;
    c->collectors = c->mode == CFG_COLLECT_UNITS ? cfg->sm.rf.collectors : 1;
    c->entries[0] = cfg->sm.rf.entries;
    c->entries[1] = cfg->sm.rf.second_entries;
    c->cache = cfg->sm.rf.operand_cache;
    c->reuse = cfg->sm.rf.reuse;
    for (unsigned s = 0; s < COLLECT_GROUPS; s++)
        empty(&c->gather[s]);
    c->shared = c->mode == CFG_COLLECT_UNITS && !cfg->sm.rf.per_scheduler;
    for (unsigned s = 0; s < COLLECT_GROUPS; s++)
        c->group_of[s] =
            cfg->sm.rf.per_scheduler || c->mode >= CFG_COLLECT_FIXED ? s : 0;
    c->keeps = cfg->sm.rf.cache == CFG_RF_CACHE_REUSE;
    c->staged = c->keeps || c->mode == CFG_COLLECT_ALLOCATE;
}

void sm_collect_launch(sm_collect *c)
{
    memset(c->factors, 0, sizeof c->factors);
    c->frees = c->mode >= CFG_COLLECT_UNITS && !c->staged;
    memset(c->kept, 0, sizeof c->kept);
    for (unsigned s = 0; s < COLLECT_GROUPS; s++)
        empty(&c->gather[s]);
}

unsigned sm_collect_kept(sm_collect *c, unsigned sched, unsigned warp,
                         const sm_inst *si)
{
    const sm_inst *last = c->factors[sched];
    bool holds = last && last + 1 == si && c->factors_of[sched] == warp;

    c->factors[sched] = si;
    c->factors_of[sched] = warp;
    return holds ? si->reads - si->kept : si->reads;
}

/* ---- Dispatch ports ---- */

static inline uint8_t *ring_at(sm_gather *g, unsigned i)
{
    return &g->reg[(g->oldest + i) % COLLECT_CACHE];
}

/* Takes a register that is there out of the ring: mostly one of the latest. */
static inline void take_out(sm_gather *g, uint8_t reg)
{
    unsigned i = --g->cached;
    uint8_t later = *ring_at(g, i);

    while (later != reg) {
        uint8_t *at = ring_at(g, --i), here = *at;

        *at = later;
        later = here;
    }
}

/* The register is the latest now. True if the cache of the scheduler had it. */
static inline bool cached(sm_gather *g, unsigned room, uint8_t reg)
{
    uint64_t fill = g->fill, *mark = &g->mark[reg];
    bool found = *mark == fill;

    *mark = fill;
    if (found) {
        take_out(g, reg);
    } else if (g->cached == room) {
        g->mark[*ring_at(g, 0)] = 0;
        g->oldest++;
        g->cached--;
    }
    *ring_at(g, g->cached++) = reg;
    return found;
}

/* The registers of a result are not what was gathered any more. */
static inline void forget_registers(sm_gather *g, unsigned first, unsigned n)
{
    for (unsigned reg = first; reg < first + n; reg++)
        if (g->mark[reg] == g->fill) {
            g->mark[reg] = 0;
            take_out(g, (uint8_t)reg);
        }
}

/* Takes an entry of a port for longer than this cycle. */
static __attribute__((noinline)) void enter(sm_collect *c, unsigned sched,
                                            uint64_t now, uint64_t until)
{
    sm_gather *g = &c->gather[sched];
    unsigned port = c->second, n = c->entries[port], at = 0;
    uint64_t *entry = g->entry[port], first = until;

    while (at + 1 < n && entry[at] > now)
        at++;
    entry[at] = until;
    for (unsigned i = 0; i < n; i++)
        first = entry[i] < first ? entry[i] : first;
    g->first[port] = first;
    c->first[sched] = g->first[0];
    if (g->until < until - 1)
        g->until = until - 1;
}

/* The cycle in which an operand comes: with a read of it that still waits for
 * its bank, from the cache, or in the first cycle in which its bank is free. */
static inline uint64_t read_at(sm_collect *c, sm_gather *g, uint8_t reg,
                               uint64_t *bank, uint64_t now)
{
    bool found = c->cache && cached(g, c->cache, reg);

    if (found && g->at[reg] >= now)
        return g->at[reg];
    if (found && g->at[reg] + c->reuse <= now)
        return now;
    uint64_t at = *bank > now ? *bank : now;
    *bank = at + 1;
    c->read++;
    if (!found)
        g->at[reg] = at;
    return at;
}

/* Cycles by which a result comes late: its operands do by `late`, or registers
 * are still to be read, to the cycle `until`, that it must not overwrite. */
static inline uint32_t result_after(uint64_t until, const sm_inst *si,
                                    uint32_t late, uint64_t now)
{
    uint64_t due = now + si->latency + late;

    if (si->flags & INST_LATE || due > until)
        return late;
    return late + (uint32_t)(until + 1 - due);
}

void sm_collect_gather(sm_collect *c, unsigned sched, unsigned warp,
                       const sm_inst *si, uint64_t now)
{
    sm_gather *g = &c->gather[sched];
    uint64_t *bank = c->bank[sched], last = now;
    unsigned reads = si->reads;

    if (g->warp != warp)
        empty(g);
    g->warp = warp;
    c->read = 0;
    for (unsigned i = 0; i < reads; i++) {
        uint64_t at = read_at(c, g, si->read[i], &bank[si->bank[i]], now);

        last = at > last ? at : last;
    }
    c->hit = reads - c->read;
    c->late = (uint32_t)(last - now);
    if (last > now)
        enter(c, sched, now, last + 1);
    c->after = result_after(g->until, si, c->late, now);
    forget_registers(g, si->in->dst, si->in->dst_regs);
    if (si->in->op == ISA_EXIT)
        empty(g); /* the next warp there is another */
}

void sm_collect_release(sm_collect *c, unsigned sched, unsigned held,
                        uint64_t when)
{
    unsigned g = c->group_of[sched];
    uint64_t *unit = c->unit[g], first = when;

    if (!c->frees)
        return;
    unit[held] = when;
    for (unsigned i = 0; i < c->collectors; i++)
        first = unit[i] < first ? unit[i] : first;
    c->first[g] = first;
}

/* ---- the Allocate stage, and the register cache ---- */

/* The last cycle in which one of the operands `need`, a bit each of si->read,
 * is read, if banks can from `first` on. */
static inline uint64_t book(sm_collect *c, unsigned sched, const uint8_t *bank,
                            uint32_t need, uint64_t first)
{
    uint64_t from = first * c->ports, last = from;

    for (; need; need &= need - 1) {
        uint64_t *next = &c->bank[sched][bank[bits_ctz32(need)]];
        uint64_t slot = *next > from ? *next : from;

        *next = slot + 1;
        last = slot > last ? slot : last;
    }
    return c->ports > 1 ? last / c->ports : last;
}

/* Operands that have to be read: not those that the tensor cores or the cache
 * hold. */
static inline uint32_t operands(sm_collect *c, unsigned sched, unsigned warp,
                                const sm_inst *si, const uint8_t *bank,
                                bool fixed)
{
    bool tensor = si->class == ISA_CLASS_TENSOR;
    unsigned n = tensor ? sm_collect_kept(c, sched, warp, si) : si->reads;
    uint32_t all = (1u << n) - 1, found = 0;
    sm_register_cache *kept = &c->kept[sched];

    c->stale = 0;
    if (c->keeps && !sm_register_cache_rests(kept, si->in)) {
        if (fixed)
            found = sm_register_cache_read(kept, warp, si, bank, &c->stale);
        if (tensor) /* it empties entries, and takes nothing from them */
            found = c->stale = 0;
        sm_register_cache_write(kept, warp, si->in);
    }
    found &= all;
    c->hit = found ? (uint32_t)bits_popcount32(found) : 0;
    c->read = n - c->hit;
    return all & ~found;
}

/* The banks of what `si` reads, those of the warp put in `own` if it has an
 * offset. */
static inline const uint8_t *banks_of(const sm_collect *c, unsigned warp,
                                      const sm_inst *si,
                                      uint8_t own[INST_READS])
{
    unsigned offset = c->offset[warp];

    if (!offset)
        return si->bank;
    for (unsigned i = 0; i < si->reads; i++) {
        unsigned b = si->bank[i] + offset;

        own[i] = (uint8_t)(b >= c->banks ? b - c->banks : b);
    }
    return own;
}

/* sm_collect_stage(); compiled with the stage and without it. */
static inline __attribute__((always_inline)) unsigned
stage(sm_collect *c, unsigned sched, unsigned warp, const sm_inst *si,
      uint64_t now, const bool allocate)
{
    /* Others wait in queues and read past the cache [PTXAS13:reuse]. */
    bool fixed = !(si->flags & INST_LATE || si->in->flags & ISA_F_VARIABLE);
    uint64_t from = now, at;
    uint8_t own[INST_READS];
    const uint8_t *bank = banks_of(c, warp, si, own);
    uint32_t need = operands(c, sched, warp, si, bank, fixed);

    if (allocate && fixed && c->stage[sched] > now)
        from = c->stage[sched];
    c->late = (uint32_t)(from - now);
    uint64_t last = book(c, sched, bank, need, from);
    at = last >= from + c->window ? last + 1 - c->window : from;
    if (allocate && fixed)
        c->stage[sched] = at + 1;
    /* Control holds one instruction until the stage behind it is free. */
    c->first[sched] = (allocate ? from : at) + 1;
    c->after = result_after(c->until[sched], si, (uint32_t)(at - now), now);
    if (last > c->until[sched] && need)
        c->until[sched] = last;
    return (unsigned)(at - now);
}

unsigned sm_collect_stage(sm_collect *c, unsigned sched, unsigned warp,
                          const sm_inst *si, uint64_t now)
{
    return c->mode == CFG_COLLECT_ALLOCATE
               ? stage(c, sched, warp, si, now, true)
               : stage(c, sched, warp, si, now, false);
}
