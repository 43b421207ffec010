#include "energy/energy.h"

#include <math.h>
#include <string.h>

#include "base/must.h"

const energy_part_desc energy_part_table[ENERGY_PARTS] = {
#define PART(id, name, kind, help) {name, help, ENERGY_##kind},
#include "energy/part.def"
#undef PART
};

/* ---- Events ---- */

static const struct {
    const char *id, *counter;
    energy_part part;
} event_table[] = {
#define EVENT(id, part, counter) {#id, counter, ENERGY_##part},
#include "energy/event.def"
#undef EVENT
};

/* In the order of the table. */
static void event_costs(const config *cfg, unsigned fj[COUNTOF(event_table)])
{
    unsigned n = 0;

#define EVENT(id, part, counter) fj[n++] = cfg->energy.event.id;
#include "energy/event.def"
#undef EVENT
    MUST(n == COUNTOF(event_table));
}

/* ---- States ---- */

typedef struct sm_time { /* cycles, summed over SMs */
    uint64_t all, active, gated_active, gated_idle;
} sm_time;

typedef struct state_row {
    const char *id;
    energy_part part;
    unsigned uw;
    uint64_t cycles;
} state_row;

enum {
    STATES = 0
#define STATE(id, part, time) +1
#include "energy/state.def"
#undef STATE
};

static void state_rows(const config *cfg, const stats *st,
                       const uint64_t *totals, uint64_t cycles,
                       state_row row[STATES])
{
    sm_time s = {
        .all = stats_total_sum(st, totals, "sm[*].cycles", NULL),
        .active = stats_total_sum(st, totals, "sm[*].active_cycles", NULL),
        .gated_active = stats_total_sum(st, totals, "sm[*].gated_active", NULL),
        .gated_idle = stats_total_sum(st, totals, "sm[*].gated_idle", NULL),
    };
    unsigned n = 0;

#define STATE(id, part, time)                                                  \
    row[n++] = (state_row){#id, ENERGY_##part, cfg->energy.power.id, time};
#include "energy/state.def"
#undef STATE
}

/* uW * (cycles / kHz) is in nJ; a nJ is 10^6 fJ. */
uint64_t energy_cycle_fj(const config *cfg, unsigned power_uw)
{
    uint64_t khz = cfg->gpu.clock_khz;

    return (power_uw * UINT64_C(1000000) + khz / 2) / khz;
}

/* ---- Sums ---- */

static void spend(energy *e, energy_part part, uint64_t count, uint64_t fj)
{
    uint64_t product;

    e->overflow |= __builtin_mul_overflow(count, fj, &product);
    e->overflow |= __builtin_add_overflow(e->total_fj, product, &e->total_fj);
    e->part_fj[part] += product;
}

void energy_compute(const config *cfg, const stats *s, const uint64_t *totals,
                    uint64_t cycles, energy *out)
{
    unsigned cost[COUNTOF(event_table)];
    state_row row[STATES];

    *out = (energy){.cycles = cycles, .clock_khz = cfg->gpu.clock_khz};
    event_costs(cfg, cost);
    for (size_t i = 0; i < COUNTOF(event_table); i++)
        if (cost[i])
            spend(out, event_table[i].part,
                  stats_total_sum(s, totals, event_table[i].counter, NULL),
                  cost[i]);
    state_rows(cfg, s, totals, cycles, row);
    for (size_t i = 0; i < STATES; i++)
        spend(out, row[i].part, row[i].cycles, energy_cycle_fj(cfg, row[i].uw));
}

void energy_add(energy *to, const energy *e)
{
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        to->part_fj[i] += e->part_fj[i];
    to->overflow |= e->overflow;
    to->overflow |=
        __builtin_add_overflow(to->total_fj, e->total_fj, &to->total_fj);
    to->clock_khz = e->clock_khz;
    to->cycles += e->cycles;
}

size_t energy_row_count(void) { return COUNTOF(event_table) + STATES; }

energy_row energy_row_get(const config *cfg, const stats *s,
                          const uint64_t *totals, uint64_t cycles, size_t i)
{
    unsigned cost[COUNTOF(event_table)];
    state_row state[STATES];
    energy_row r;

    MUST(i < energy_row_count());
    if (i < COUNTOF(event_table)) {
        event_costs(cfg, cost);
        r = (energy_row){
            .id = event_table[i].id,
            .counter = event_table[i].counter,
            .part = event_table[i].part,
            .count = stats_total_sum(s, totals, event_table[i].counter, NULL),
            .each_fj = cost[i]};
    } else {
        state_rows(cfg, s, totals, cycles, state);
        const state_row *t = &state[i - COUNTOF(event_table)];
        r = (energy_row){.id = t->id,
                         .part = t->part,
                         .count = t->cycles,
                         .each_fj = energy_cycle_fj(cfg, t->uw)};
    }
    r.fj = r.count * r.each_fj;
    return r;
}

/* ---- For printers ---- */

uint64_t energy_kind_fj(const energy *e, energy_kind kind)
{
    uint64_t fj = 0;

    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        if (energy_part_table[i].kind == kind)
            fj += e->part_fj[i];
    return fj;
}

double energy_joules(uint64_t fj) { return (double)fj * 1e-15; }

double energy_seconds(const energy *e)
{
    return e->cycles ? (double)e->cycles / (1e3 * e->clock_khz) : 0;
}

double energy_watts(const energy *e, uint64_t fj)
{
    double s = energy_seconds(e);

    return s > 0 ? energy_joules(fj) / s : NAN;
}

double energy_edp(const energy *e)
{
    return energy_joules(e->total_fj) * energy_seconds(e);
}

static double share(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : NAN;
}

double energy_front_of_dynamic(const energy *e)
{
    uint64_t front = energy_kind_fj(e, ENERGY_FRONT);

    return share(front, front + energy_kind_fj(e, ENERGY_BACK));
}

double energy_front_of_total(const energy *e)
{
    return share(energy_kind_fj(e, ENERGY_FRONT) +
                     energy_kind_fj(e, ENERGY_STATIC_FRONT),
                 e->total_fj);
}
