#include "sm/collect.h"

#include <string.h>

void sm_collect_init(sm_collect *c, const config *cfg)
{
    memset(c, 0, sizeof *c);
    c->mode = cfg->sm.rf.collect;
    c->map = cfg->sm.rf.bank_map;
    c->banks = cfg->sm.rf.banks;
    if (c->map == CFG_BANK_MAP_KEPLER && c->banks > 4)
        c->banks = 4;
    c->ports = cfg->sm.rf.read_ports;
    /* Collectors start at once; a fixed window hides its own length. */
    c->window = c->mode == CFG_COLLECT_FIXED ? cfg->sm.rf.read_window : 1;
    c->collectors = c->mode == CFG_COLLECT_UNITS ? cfg->sm.rf.collectors : 1;
    for (unsigned s = 0; s < COLLECT_GROUPS; s++)
        c->group_of[s] =
            cfg->sm.rf.per_scheduler || c->mode == CFG_COLLECT_FIXED ? s : 0;
}

uint64_t sm_collect_when(const sm_collect *c, unsigned sched)
{
    const uint64_t *unit = c->unit[c->group_of[sched]];
    uint64_t when = unit[0];

    for (unsigned i = 1; i < c->collectors; i++)
        if (unit[i] < when)
            when = unit[i];
    return when;
}

static inline unsigned bank_of(const sm_collect *c, unsigned reg, unsigned warp)
{
    switch (c->map) {
    case CFG_BANK_MAP_WARP:
        return (reg + warp) % c->banks;
    case CFG_BANK_MAP_KEPLER: /* [PPOPP:Table 3] */
        return ((reg & 1) | (reg >> 1 & 2)) & (c->banks - 1);
    case CFG_BANK_MAP_MOD:
        break;
    }
    return reg % c->banks;
}

/* The cycle after the last read, if all start at `now` or later. */
static uint64_t read_all(sm_collect *c, uint64_t *bank, unsigned warp,
                         const sm_inst *si, uint64_t now)
{
    uint64_t first = now * c->ports, last = first;

    for (unsigned i = 0; i < si->reads; i++) {
        uint64_t *next = &bank[bank_of(c, si->read[i], warp)];
        uint64_t slot = *next > first ? *next : first;

        *next = slot + 1;
        if (slot > last)
            last = slot;
    }
    return (c->ports == 1 ? last : last / c->ports) + 1;
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
    uint64_t end = read_all(c, c->bank[g], warp, si, now);
    uint64_t due = now + c->window;
    return end > due ? (unsigned)(end - due) : 0;
}

void sm_collect_release(sm_collect *c, unsigned sched, unsigned held,
                        uint64_t when)
{
    c->unit[c->group_of[sched]][held] = when;
}
