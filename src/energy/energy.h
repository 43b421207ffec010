/* src/energy/energy.h - energy of a launch, from its counters and the
 * configuration alone: events times what one costs, and cycles in a state times
 * what a cycle costs. Sums of integers, in femtojoules, so that parts make the
 * total exactly, launches a program, and intervals a launch, whatever the host
 * and its threads. Plain data; borrows everything. */
#ifndef ENERGY_ENERGY_H
#define ENERGY_ENERGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "stats/stats.h"

typedef enum energy_part {
#define PART(id, name, kind, help) ENERGY_##id,
#include "energy/part.def"
#undef PART
    ENERGY_PARTS
} energy_part;

typedef enum energy_kind {
    ENERGY_FRONT,
    ENERGY_BACK,
    ENERGY_STATIC_FRONT,
    ENERGY_STATIC
} energy_kind;

typedef struct energy_part_desc {
    const char *name, *help;
    energy_kind kind;
} energy_part_desc;

extern const energy_part_desc energy_part_table[ENERGY_PARTS];

/* By its name, ENERGY_PARTS: there is none. */
energy_part energy_part_find(const char *name);

typedef struct energy {
    uint64_t part_fj[ENERGY_PARTS];
    uint64_t total_fj;  /* their sum */
    uint64_t cycles;    /* in which it was spent */
    unsigned clock_khz; /* of them */
    bool overflow;      /* more than 18 kJ: the numbers mean nothing */
} energy;

/* Of `totals` (see stats_totals: the difference over a launch or a part of
 * one), spent in so many cycles of the core. */
void energy_compute(const config *cfg, const stats *s, const uint64_t *totals,
                    uint64_t cycles, energy *out);
/* Both of one GPU; `to` may be all 0. */
void energy_add(energy *to, const energy *e);

/* The table behind it: every event, then every state. */
enum {
    ENERGY_EVENTS = 0
#define EVENT(id, part, counter)               +1
#define ACCESS(id, part, counter, cost, help)  +1
#define DERIVED(id, part, counter, cost, help) +1
#include "energy/event.def"
#undef EVENT
#undef ACCESS
#undef DERIVED
    ,
    ENERGY_STATES = 0
#define STATE(id, part, time) +1
#include "energy/power_state.def"
#undef STATE
    ,
    ENERGY_ROWS = ENERGY_EVENTS + ENERGY_STATES,
    /* Parameters of energy.bit. */
    ENERGY_BITS = sizeof(((config *)0)->energy.bit) / sizeof(unsigned)
};

typedef struct energy_row {
    const char *id;      /* energy.event.<id>, energy.power.<id>, or its own */
    const char *counter; /* NULL: a state */
    const char *formula; /* what one costs; NULL: it is a parameter */
    const char *help;    /* if there is a formula */
    energy_part part;
    bool by_bits;     /* the formula is over energy.bit: an access */
    uint64_t count;   /* events, or cycles in the state */
    uint64_t each_fj; /* an event, or a cycle */
    uint64_t fj;      /* their product */
    /* Of an access: how many bits are read, selected, compared and so on, in
     * the order of energy.bit. */
    uint64_t bits[ENERGY_BITS];
} energy_row;

void energy_rows(const config *cfg, const stats *s, const uint64_t *totals,
                 uint64_t cycles, energy_row out[ENERGY_ROWS]);
const char *energy_bit_name(unsigned i); /* "read" */

/* What a power costs in a cycle of the core, rounded to nearest. */
uint64_t energy_cycle_fj(const config *cfg, unsigned power_uw);

/* ---- For printers ---- */

uint64_t energy_kind_fj(const energy *e, energy_kind kind); /* sum of parts */
/* Of the parts called `name`: one of them, "front_end" with its leakage,
 * "front_dynamic" without, "dynamic" or "all". False: nothing is called so. */
bool energy_sum_fj(const uint64_t part_fj[ENERGY_PARTS], const char *name,
                   uint64_t *fj);
double energy_joules(uint64_t fj);
double energy_seconds(const energy *e);
double energy_watts(const energy *e, uint64_t fj); /* NAN in no time */
double energy_edp(const energy *e);                /* joule-seconds */
/* The front end's share of what is spent by events, and of all; NAN of 0. */
double energy_front_of_dynamic(const energy *e);
double energy_front_of_total(const energy *e);

#endif
