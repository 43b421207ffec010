#include "sm/collect.h"

#include <string.h>

unsigned sm_collect_bank(const config *cfg, unsigned reg)
{
    unsigned banks = cfg->sm.rf.banks;

    if (cfg->sm.rf.bank_map == CFG_BANK_MAP_KEPLER) /* [PPOPP:Table 3] */
        return ((reg & 1) | (reg >> 1 & 2)) % banks;
    return reg % banks;
}

void sm_collect_init(sm_collect *c, const config *cfg)
{
    memset(c, 0, sizeof *c);
    c->mode = cfg->sm.rf.collect;
    c->banks = cfg->sm.rf.banks;
    if (cfg->sm.rf.bank_map == CFG_BANK_MAP_WARP)
        for (unsigned w = 0; w < COLLECT_WARPS; w++)
            c->offset[w] = (uint8_t)(w % c->banks);
    c->ports = cfg->sm.rf.read_ports;
    /* Collectors start at once; a fixed window hides its own length. */
    c->window = c->mode == CFG_COLLECT_FIXED ? cfg->sm.rf.read_window : 1;
    c->collectors = c->mode == CFG_COLLECT_UNITS ? cfg->sm.rf.collectors : 1;
    c->entries[0] = cfg->sm.rf.entries;
    c->entries[1] = cfg->sm.rf.second_entries;
    c->cache = cfg->sm.rf.operand_cache;
    c->reuse = cfg->sm.rf.reuse;
    c->shared = c->mode == CFG_COLLECT_UNITS && !cfg->sm.rf.per_scheduler;
    for (unsigned s = 0; s < COLLECT_GROUPS; s++)
        c->group_of[s] =
            cfg->sm.rf.per_scheduler || c->mode == CFG_COLLECT_FIXED ? s : 0;
}

void sm_collect_launch(sm_collect *c)
{
    memset(c->factors, 0, sizeof c->factors);
    for (unsigned s = 0; s < COLLECT_GROUPS; s++)
        c->gather[s].cached = 0;
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

/* True if the cache of the scheduler has the register; makes it the latest. */
static bool cached(sm_gather *g, unsigned room, uint8_t reg)
{
    unsigned at = 0;
    bool found;

    while (at < g->cached && g->reg[at] != reg)
        at++;
    found = at < g->cached;
    if (!found && g->cached < room)
        g->cached++;
    if (!found && at == room)
        at = room - 1;
    for (; at > 0; at--)
        g->reg[at] = g->reg[at - 1];
    g->reg[0] = reg;
    return found;
}

/* The registers of a result are not what was gathered any more. */
static void forget(sm_gather *g, unsigned first, unsigned n)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < g->cached; i++)
        if (g->reg[i] - first >= n)
            g->reg[kept++] = g->reg[i];
    g->cached = kept;
}

static void enter(const sm_collect *c, sm_gather *g, unsigned port,
                  uint64_t now, uint64_t until)
{
    uint64_t *entry = g->entry[port], first = until;
    unsigned n = c->entries[port], at = 0;

    while (at + 1 < n && entry[at] > now)
        at++;
    entry[at] = until;
    for (unsigned i = 0; i < n; i++)
        first = entry[i] < first ? entry[i] : first;
    g->first[port] = first;
}

/* The cycle in which an operand comes: with a read of it that still waits for
 * its bank, from the cache, or in the first cycle in which its bank is free. */
static uint64_t read_at(sm_collect *c, sm_gather *g, uint8_t reg,
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

/* Cycles by which a result comes late: its operands do, or registers are still
 * to be read that it must not overwrite. */
static uint32_t result_after(const sm_gather *g, const sm_inst *si,
                             uint32_t late, uint64_t now)
{
    uint64_t due = now + si->latency + late;

    if (si->flags & INST_LATE || due > g->until)
        return late;
    return late + (uint32_t)(g->until + 1 - due);
}

void sm_collect_gather(sm_collect *c, unsigned sched, unsigned warp,
                       const sm_inst *si, uint64_t now)
{
    sm_gather *g = &c->gather[sched];
    uint64_t last = now;

    if (g->warp != warp)
        g->cached = 0;
    g->warp = warp;
    c->read = 0;
    for (unsigned i = 0; i < si->reads; i++) {
        uint64_t *bank = &c->bank[sched][si->bank[i]];
        uint64_t at = read_at(c, g, si->read[i], bank, now);

        last = at > last ? at : last;
    }
    c->hit = si->reads - c->read;
    c->late = (uint32_t)(last - now);
    g->until = last > g->until ? last : g->until;
    c->after = result_after(g, si, c->late, now);
    if (si->reads)
        enter(c, g, c->second, now, last + 1);
    forget(g, si->in->dst, si->in->dst_regs);
    if (si->in->op == ISA_EXIT)
        g->cached = 0; /* the next warp there is another */
    c->first[sched] = g->first[0];
}

void sm_collect_release(sm_collect *c, unsigned sched, unsigned held,
                        uint64_t when)
{
    unsigned g = c->group_of[sched];
    uint64_t *unit = c->unit[g], first = when;

    if (c->mode < CFG_COLLECT_UNITS)
        return;
    unit[held] = when;
    for (unsigned i = 0; i < c->collectors; i++)
        first = unit[i] < first ? unit[i] : first;
    c->first[g] = first;
}
