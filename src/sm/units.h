/* src/sm/units.h - execution units: instances private to a scheduler and
 * instances shared by neighbouring ones, each with an input that an instruction
 * occupies for its class's interval. Owns their times. */
#ifndef SM_UNITS_H
#define SM_UNITS_H

#include <stdint.h>

#include "config/config.h"

enum {
    UNIT_KINDS = CFG_UNIT_TENSOR + 1,
    UNIT_SCHEDULERS = 4,
    UNIT_PER_SCHEDULER = 12, /* instances of a kind a scheduler can use */
    UNIT_RESULTS = 1024,     /* cycles the result bus is planned ahead */
    UNIT_INSTANCES = UNIT_KINDS * (8 * UNIT_SCHEDULERS + 32),
};

typedef struct sm_units {
    unsigned results; /* a cycle, of the SM or of each scheduler */
    uint8_t bus_of[UNIT_SCHEDULERS];
    struct {
        uint8_t count;
        uint16_t instance[UNIT_PER_SCHEDULER];
    } use[UNIT_SCHEDULERS][UNIT_KINDS];
    uint64_t free[UNIT_INSTANCES]; /* by instance: input free from this cycle */
    /* Results in a cycle, by its remainder: cycle / UNIT_RESULTS << 8 | count;
     * so old counts need no clearing. */
    uint32_t bus[UNIT_SCHEDULERS][UNIT_RESULTS];
} sm_units;

void sm_units_init(sm_units *u, const config *cfg);

/* The cycle from which scheduler `sched` can start on a unit of that kind. */
static inline uint64_t sm_units_when(const sm_units *u, unsigned sched,
                                     unsigned kind)
{
    const uint16_t *inst = u->use[sched][kind].instance;
    uint64_t when = u->free[inst[0]];

    for (unsigned i = 1; i < u->use[sched][kind].count; i++)
        if (u->free[inst[i]] < when)
            when = u->free[inst[i]];
    return when;
}

/* Occupies the instance that is free first for `interval` cycles from `now` or
 * when it gets free. Returns the cycles waited. */
unsigned sm_units_take(sm_units *u, unsigned sched, unsigned kind, uint64_t now,
                       unsigned interval);

/* Books the result bus for a result of scheduler `sched` due at `when`; returns
 * the cycle it gets. */
uint64_t sm_units_result(sm_units *u, unsigned sched, uint64_t when);

#endif
