#include "sm/units.h"

#include <string.h>

#include "base/must.h"

static void give(sm_units *u, unsigned sched, unsigned kind, unsigned instance)
{
    unsigned n = u->use[sched][kind].count;

    if (n == UNIT_PER_SCHEDULER)
        return; /* more than one scheduler can keep busy */
    u->use[sched][kind].instance[n] = (uint16_t)instance;
    u->use[sched][kind].count++;
}

/* The last of each scheduler's own instances of fma: what any of them can do
 * goes to the first that is free, so to this one last. */
static void give_heavy(sm_units *u, const config *cfg)
{
    unsigned own = cfg->sm.unit.fma.private;

    for (unsigned s = 0; s < cfg->sm.issue.schedulers && own; s++)
        give(u, s, CFG_UNIT_FMA_HEAVY,
             u->use[s][CFG_UNIT_FMA].instance[own - 1]);
}

void sm_units_init(sm_units *u, const config *cfg)
{
    unsigned schedulers = cfg->sm.issue.schedulers, next = 0;

    memset(u, 0, sizeof *u);
    u->results = cfg->sm.rf.results;
    for (unsigned s = 0; s < schedulers; s++)
        u->bus_of[s] = cfg->sm.rf.per_scheduler ? (uint8_t)s : 0;
    for (unsigned kind = 0; kind < UNIT_KINDS; kind++) {
        config_unit n = config_unit_get(cfg, (cfg_unit)kind);

        if (kind == CFG_UNIT_FMA_HEAVY)
            continue;
        for (unsigned s = 0; s < schedulers; s++)
            for (unsigned i = 0; i < n.private; i++)
                give(u, s, kind, next++);
        for (unsigned i = 0; i < n.shared; i++, next++) {
            unsigned from = i * schedulers / n.shared;
            unsigned to = (i + 1) * schedulers / n.shared;

            give(u, from, kind, next);
            for (unsigned s = from + 1; s < to; s++)
                give(u, s, kind, next);
        }
    }
    give_heavy(u, cfg);
    MUST(next <= COUNTOF(u->free));
}

bool sm_units_result_now(sm_units *u, unsigned sched, uint64_t now)
{
    sm_bus *b = sm_units_bus(u, sched, now);

    if (b->full & 1)
        return false;
    sm_units_book(u, b, 0);
    return true;
}
