/* src/sm/units.h - execution units: instances private to a scheduler and
 * instances shared by neighbouring ones, each with an input that an instruction
 * occupies for its class's interval. Owns their times. */
#ifndef SM_UNITS_H
#define SM_UNITS_H

#include <stdint.h>

#include "base/bits.h"
#include "config/config.h"

enum {
    UNIT_KINDS = CFG_UNIT_FMA_HEAVY + 1,
    UNIT_SCHEDULERS = 4,
    UNIT_PER_SCHEDULER = 12, /* instances of a kind a scheduler can use */
    UNIT_RESULTS = 64,       /* cycles the result bus is planned ahead: as many
                                as a word has bits */
    UNIT_INSTANCES = UNIT_KINDS * (8 * UNIT_SCHEDULERS + 32),
};

typedef struct sm_unit_use {
    uint16_t count;
    uint16_t instance[UNIT_PER_SCHEDULER + 3]; /* 32 bytes in all */
} sm_unit_use;

/* Results that leave in the cycles from `base` on: bit i is cycle base + i. */
typedef struct sm_bus {
    uint64_t base;
    uint64_t some; /* cycles with a result, whose `count` is valid, */
    uint64_t full; /* and with as many as there can be */
    uint8_t count[UNIT_RESULTS]; /* by cycle modulo UNIT_RESULTS */
} sm_bus;

typedef struct sm_units {
    unsigned results; /* a cycle, of the SM or of each scheduler */
    uint8_t bus_of[UNIT_SCHEDULERS];
    sm_bus bus[UNIT_SCHEDULERS];
    uint64_t free[UNIT_INSTANCES]; /* input of the instance, from this cycle */
    sm_unit_use use[UNIT_SCHEDULERS][UNIT_KINDS];
} sm_units;

void sm_units_init(sm_units *u, const config *cfg);

/* Of the instances that `sched` can use, the one that is free first. */
static inline unsigned sm_units_first(const sm_units *u, unsigned sched,
                                      unsigned kind)
{
    const sm_unit_use *use = &u->use[sched][kind];
    unsigned best = use->instance[0];

    if (use->count == 1)
        return best;
    for (unsigned i = 1; i < use->count; i++)
        if (u->free[use->instance[i]] < u->free[best])
            best = use->instance[i];
    return best;
}

/* The cycle from which `sched` can start on a unit of that kind. */
static inline uint64_t sm_units_when(const sm_units *u, unsigned sched,
                                     unsigned kind)
{
    return u->free[sm_units_first(u, sched, kind)];
}

/* Occupies an instance for `interval` cycles from `now` or when the first gets
 * free. Returns the cycles waited. */
static inline unsigned sm_units_take(sm_units *u, unsigned sched, unsigned kind,
                                     uint64_t now, unsigned interval)
{
    uint64_t *free = &u->free[sm_units_first(u, sched, kind)];
    uint64_t start = *free > now ? *free : now;

    *free = start + interval;
    return (unsigned)(start - now);
}

/* The same, but an instance of the scheduler's own goes first if it is free,
 * and not the one that has been for longest. */
static inline unsigned sm_units_take_own(sm_units *u, unsigned sched,
                                         unsigned kind, uint64_t now,
                                         unsigned interval)
{
    uint64_t *own = &u->free[u->use[sched][kind].instance[0]];

    if (*own > now)
        return sm_units_take(u, sched, kind, now, interval);
    *own = now + interval;
    return 0;
}

/* The bus of scheduler `sched`, planned from cycle `now` on. */
static inline sm_bus *sm_units_bus(sm_units *u, unsigned sched, uint64_t now)
{
    sm_bus *b = &u->bus[u->bus_of[sched]];
    uint64_t passed = now - b->base;

    b->some = passed < UNIT_RESULTS ? b->some >> passed : 0;
    b->full = passed < UNIT_RESULTS ? b->full >> passed : 0;
    b->base = now;
    return b;
}

/* One more result leaves `ahead` cycles after the first that is planned. */
static inline void sm_units_book(const sm_units *u, sm_bus *b, unsigned ahead)
{
    uint64_t bit = (uint64_t)1 << ahead;
    uint8_t *count = &b->count[(b->base + ahead) % UNIT_RESULTS];

    *count = (uint8_t)(b->some & bit ? *count + 1 : 1);
    b->some |= bit;
    if (*count >= u->results)
        b->full |= bit;
}

/* Books the result bus for a result of scheduler `sched` due at `when`; returns
 * the cycle it gets. Results further ahead than the bus is planned get theirs
 * at once. */
static inline uint64_t sm_units_result(sm_units *u, unsigned sched,
                                       uint64_t now, uint64_t when)
{
    sm_bus *b = sm_units_bus(u, sched, now);

    if (when - now >= UNIT_RESULTS)
        return when;
    uint64_t free = ~b->full >> (when - now);
    if (!free)
        return now + UNIT_RESULTS;
    when += bits_ctz64(free);
    sm_units_book(u, b, (unsigned)(when - now));
    return when;
}

/* The same for a result that is there in this cycle and may wait: false, if
 * others have booked all of it. */
bool sm_units_result_now(sm_units *u, unsigned sched, uint64_t now);

#endif
