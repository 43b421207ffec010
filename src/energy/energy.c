#include "energy/energy.h"

#include <math.h>
#include <string.h>

#include "config/param.h"
#include "cost/cost.h"

const energy_part_desc energy_part_table[ENERGY_PARTS] = {
#define PART(id, name, kind, help) {name, help, ENERGY_##kind},
#include "energy/part.def"
#undef PART
};

energy_part energy_part_find(const char *name)
{
    unsigned i = 0;

    while (i < ENERGY_PARTS && strcmp(energy_part_table[i].name, name) != 0)
        i++;
    return (energy_part)i;
}

/* ---- Events ---- */

static const struct {
    const char *id, *counter, *formula, *help;
    energy_part part;
    bool by_bits;
} event_table[ENERGY_EVENTS] = {
#define EVENT(id, part, counter)                                               \
    {#id, counter, NULL, NULL, ENERGY_##part, false},
#define ACCESS(id, part, counter, cost, help)                                  \
    {#id, counter, #cost, help, ENERGY_##part, true},
#define DERIVED(id, part, counter, cost, help)                                 \
    {#id, counter, #cost, help, ENERGY_##part, false},
#include "energy/event.def"
#undef EVENT
#undef ACCESS
#undef DERIVED
};

typedef __typeof__(((config *)0)->energy.bit) bit_costs;

/* What each access costs, in aJ if `bit` is; 0 for other events. */
static void access_costs(const uint64_t term[COST_TERMS], bit_costs bit,
                         uint64_t out[ENERGY_EVENTS])
{
#define TERM(id, value, source, help)                                          \
    const uint64_t id __attribute__((unused)) = term[COST_TERM_##id];
#define PLACE(id, name, count)
#include "cost/term.def"
#undef TERM
#undef PLACE
    unsigned n = 0;

#define EVENT(id, part, counter)               out[n++] = 0;
#define ACCESS(id, part, counter, cost, help)  out[n++] = cost;
#define DERIVED(id, part, counter, cost, help) out[n++] = 0;
#include "energy/event.def"
#undef EVENT
#undef ACCESS
#undef DERIVED
}

/* What a state draws in a cycle, in fJ. */
typedef struct leakage {
#define STATE(id, part, time) int64_t id;
#include "energy/power_state.def"
#undef STATE
} leakage;

static leakage leakage_of(const config *cfg)
{
    return (leakage){
#define STATE(id, part, time)                                                  \
    .id = (int64_t)energy_cycle_fj(cfg, cfg->energy.power.id),
#include "energy/power_state.def"
#undef STATE
    };
}

typedef __typeof__(((config *)0)->energy.event) own_costs;

/* So many percent of each of the costs that a section of numbers is. */
static void scale_costs(void *section, size_t bytes, unsigned percent)
{
    for (size_t i = 0; i < bytes; i += sizeof(unsigned)) {
        unsigned cost;

        memcpy(&cost, (char *)section + i, sizeof cost);
        cost = (unsigned)(((uint64_t)cost * percent + 50) / 100);
        memcpy((char *)section + i, &cost, sizeof cost);
    }
}

/* What a front end spends on an instruction if all that it fetches issues.
 * Without caches of the schedulers each fetch is also a look-up in the SM's. */
static int64_t instruction_fj(const config *cfg, const own_costs *event)
{
    int64_t fetch = event->fetch;

    if (!cfg->sm.l0i.bytes)
        fetch += event->l1i;
    return fetch / cfg->sm.fetch.width + event->decode + event->schedule;
}

/* What lies behind the SMs: other circuits, which another process, and another
 * memory, changes in another way. */
static bool is_far(energy_part part)
{
    return part == ENERGY_NOC || part == ENERGY_L2 || part == ENERGY_DRAM;
}

/* A formula may come out below 0 if parameters do not go together. */
static uint64_t not_negative(int64_t fj) { return fj > 0 ? (uint64_t)fj : 0; }

/* In fJ; an access is rounded once, to nearest. */
static void event_costs(const config *cfg, const uint64_t term[COST_TERMS],
                        uint64_t fj[ENERGY_EVENTS])
{
    own_costs event = cfg->energy.event, far = event;
    bit_costs bit = cfg->energy.bit;
    const __typeof__(cfg->energy.gate) gate = cfg->energy.gate;
    const leakage leak = leakage_of(cfg);
    const int64_t port =
        cfg->gpu.cluster.size > 1 && cfg->gpu.cluster.load_port;
    unsigned n = 0;

    scale_costs(&event, sizeof event, cfg->energy.scale);
    scale_costs(&far, sizeof far, cfg->energy.memory_scale);
    scale_costs(&bit, sizeof bit, cfg->energy.scale);
    const int64_t inst = instruction_fj(cfg, &event);
    access_costs(term, bit, fj);
#define EVENT(id, part, counter)                                               \
    fj[n++] = is_far(ENERGY_##part) ? far.id : event.id;
#define ACCESS(id, part, counter, cost, help)                                  \
    fj[n] = (fj[n] + 500) / 1000;                                              \
    n++;
#define DERIVED(id, part, counter, cost, help) fj[n++] = not_negative(cost);
#include "energy/event.def"
#undef EVENT
#undef ACCESS
#undef DERIVED
}

/* An access costs what its bits do, so bits are what it costs if one kind of
 * them costs 1. */
static void count_bits(const uint64_t term[COST_TERMS],
                       energy_row row[ENERGY_EVENTS])
{
    for (unsigned k = 0; k < ENERGY_BITS; k++) {
        unsigned one[ENERGY_BITS] = {0};
        uint64_t bits[ENERGY_EVENTS];
        bit_costs bit;

        one[k] = 1;
        memcpy(&bit, one, sizeof bit);
        access_costs(term, bit, bits);
        for (unsigned i = 0; i < ENERGY_EVENTS; i++)
            row[i].bits[k] = bits[i];
    }
}

const char *energy_bit_name(unsigned i)
{
    static const char section[] = "energy.bit.";

    for (size_t p = 0; p < config_param_count(); p++) {
        const config_param *is = config_param_get(p);

        if (!strncmp(is->path, section, sizeof section - 1) && !i--)
            return is->id;
    }
    return NULL;
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

static void state_rows(const config *cfg, const stats *st,
                       const uint64_t *totals, uint64_t cycles,
                       state_row row[ENERGY_STATES])
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
#include "energy/power_state.def"
#undef STATE
}

/* uW * (cycles / kHz) is in nJ; a nJ is 10^6 fJ. */
uint64_t energy_cycle_fj(const config *cfg, unsigned power_uw)
{
    uint64_t khz = cfg->gpu.clock_khz;

    return (power_uw * UINT64_C(1000000) + khz / 2) / khz;
}

/* ---- Sums ---- */

static void spend_events(energy *e, energy_part part, uint64_t count,
                         uint64_t fj)
{
    uint64_t product;

    e->overflow |= __builtin_mul_overflow(count, fj, &product);
    e->overflow |= __builtin_add_overflow(e->total_fj, product, &e->total_fj);
    e->part_fj[part] += product;
}

void energy_compute(const config *cfg, const stats *s, const uint64_t *totals,
                    uint64_t cycles, energy *out)
{
    uint64_t term[COST_TERMS], cost[ENERGY_EVENTS];
    state_row row[ENERGY_STATES];

    *out = (energy){.cycles = cycles, .clock_khz = cfg->gpu.clock_khz};
    cost_terms_of(cfg, term);
    event_costs(cfg, term, cost);
    for (size_t i = 0; i < ENERGY_EVENTS; i++)
        if (cost[i])
            spend_events(
                out, event_table[i].part,
                stats_total_sum(s, totals, event_table[i].counter, NULL),
                cost[i]);
    state_rows(cfg, s, totals, cycles, row);
    for (size_t i = 0; i < ENERGY_STATES; i++)
        spend_events(out, row[i].part, row[i].cycles,
                     energy_cycle_fj(cfg, row[i].uw));
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

void energy_rows(const config *cfg, const stats *s, const uint64_t *totals,
                 uint64_t cycles, energy_row out[ENERGY_ROWS])
{
    uint64_t term[COST_TERMS], cost[ENERGY_EVENTS];
    state_row state[ENERGY_STATES];

    cost_terms_of(cfg, term);
    event_costs(cfg, term, cost);
    state_rows(cfg, s, totals, cycles, state);
    for (size_t i = 0; i < ENERGY_EVENTS; i++)
        out[i] = (energy_row){
            .id = event_table[i].id,
            .counter = event_table[i].counter,
            .formula = event_table[i].formula,
            .by_bits = event_table[i].by_bits,
            .help = event_table[i].help,
            .part = event_table[i].part,
            .count = stats_total_sum(s, totals, event_table[i].counter, NULL),
            .each_fj = cost[i]};
    count_bits(term, out);
    for (size_t i = 0; i < ENERGY_STATES; i++)
        out[ENERGY_EVENTS + i] =
            (energy_row){.id = state[i].id,
                         .part = state[i].part,
                         .count = state[i].cycles,
                         .each_fj = energy_cycle_fj(cfg, state[i].uw)};
    for (size_t i = 0; i < ENERGY_ROWS; i++)
        out[i].fj = out[i].count * out[i].each_fj;
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

static bool is_called(unsigned part, const char *name)
{
    energy_kind kind = energy_part_table[part].kind;

    if (!strcmp(name, "all"))
        return true;
    if (!strcmp(name, "front_end"))
        return kind == ENERGY_FRONT || kind == ENERGY_STATIC_FRONT;
    if (!strcmp(name, "front_dynamic"))
        return kind == ENERGY_FRONT;
    if (!strcmp(name, "dynamic"))
        return kind == ENERGY_FRONT || kind == ENERGY_BACK;
    return !strcmp(name, energy_part_table[part].name);
}

bool energy_sum_fj(const uint64_t part_fj[ENERGY_PARTS], const char *name,
                   uint64_t *fj)
{
    bool any = false;

    *fj = 0;
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        bool counts = is_called(i, name);

        *fj += counts ? part_fj[i] : 0;
        any |= counts;
    }
    return any;
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
