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
    c->shared = c->mode == CFG_COLLECT_UNITS && !cfg->sm.rf.per_scheduler;
    for (unsigned s = 0; s < COLLECT_GROUPS; s++)
        c->group_of[s] =
            cfg->sm.rf.per_scheduler || c->mode == CFG_COLLECT_FIXED ? s : 0;
}

void sm_collect_launch(sm_collect *c)
{
    memset(c->factors, 0, sizeof c->factors);
}

/* The last read slot used, if reads start in slot `first` or later. */
static inline uint64_t read_all(const sm_collect *c, uint64_t *bank,
                                unsigned warp, const sm_inst *si,
                                unsigned reads, uint64_t first)
{
    unsigned offset = c->offset[warp];
    uint64_t last = first;

    for (unsigned i = 0; i < reads; i++) {
        unsigned b = si->bank[i] + offset;
        if (b >= c->banks)
            b -= c->banks;
        uint64_t slot = bank[b] > first ? bank[b] : first;

        bank[b] = slot + 1;
        if (slot > last)
            last = slot;
    }
    return last;
}

/* Registers of `si` to read: not those that its tensor cores hold since the
 * instruction before, if that was the warp's own. */
static unsigned registers(sm_collect *c, unsigned sched, unsigned warp,
                          const sm_inst *si)
{
    const sm_inst *last = c->factors[sched];
    bool holds = last && last + 1 == si && c->factors_of[sched] == warp;

    c->factors[sched] = si;
    c->factors_of[sched] = warp;
    return holds ? si->reads - si->kept : si->reads;
}

unsigned sm_collect_read(sm_collect *c, unsigned sched, unsigned warp,
                         const sm_inst *si, uint64_t now, unsigned *held)
{
    unsigned g = c->group_of[sched];

    *held = 0;
    if (c->mode == CFG_COLLECT_NONE)
        return 0;
    while (*held + 1 < c->collectors && c->unit[g][*held] > now)
        ++*held;
    if (!si->reads)
        return 0;
    unsigned reads = si->class == ISA_CLASS_TENSOR
                         ? registers(c, sched, warp, si)
                         : si->reads;
    uint64_t last = read_all(c, c->bank[g], warp, si, reads, now * c->ports);
    if (c->ports > 1)
        last /= c->ports;
    uint64_t due = now + c->window;
    return last >= due ? (unsigned)(last + 1 - due) : 0;
}

void sm_collect_release(sm_collect *c, unsigned sched, unsigned held,
                        uint64_t when)
{
    unsigned g = c->group_of[sched];
    uint64_t *unit = c->unit[g], first = when;

    if (c->mode == CFG_COLLECT_NONE)
        return;
    unit[held] = when;
    for (unsigned i = 0; i < c->collectors; i++)
        first = unit[i] < first ? unit[i] : first;
    c->first[g] = first;
}
