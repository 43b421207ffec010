#include "lab/probe_truth.h"

#include <math.h>
#include <string.h>

/* ---- Configured ---- */

/* Behind "prefix." of an id; NULL: it does not begin so. */
static const char *behind(const char *id, const char *prefix)
{
    size_t n = strlen(prefix);

    return !strncmp(id, prefix, n) ? id + n : NULL;
}

static double load_path(const config *c)
{
    return c->sm.lsu.latency + c->sm.lsu.write_back;
}

static double latency_of(const config *c, const char *class)
{
    config_op op;

    if (!strcmp(class, "ldc"))
        return load_path(c) + c->sm.constant.l1.latency;
    return config_op_find(c, class, &op) ? op.latency : NAN;
}

/* Lanes in a cycle: as many as units take, and schedulers issue. */
static double throughput_of(const config *c, const char *class)
{
    unsigned schedulers = c->sm.issue.schedulers;
    config_op op;

    if (!config_op_find(c, class, &op))
        return NAN;
    config_unit u = config_unit_get(c, op.unit);
    if (op.unit == CFG_UNIT_ALU && !u.private && !u.shared)
        u = config_unit_get(c, CFG_UNIT_FMA);
    double units = (double)u.private * schedulers + u.shared;

    return 32 * fmin(units / op.interval, schedulers);
}

/* Cycles of the core that `cycles` of another clock last. */
static double core_cycles(const config *c, unsigned clock_khz, double cycles)
{
    config_ratio r = config_clock_ratio(c, clock_khz);

    return cycles * r.den / r.num;
}

static double to_l1(const config *c) { return load_path(c) + c->l1.latency; }

/* The ports between load unit, L1, crossbar and slice take a cycle each that
 * no other latency covers. */
static double to_l2(const config *c)
{
    return load_path(c) + c->l1.miss_latency + 2 * c->noc.latency +
           core_cycles(c, c->l2.clock_khz, c->l2.latency) + c->l1.fill_latency +
           3;
}

static double to_read_only(const config *c)
{
    return c->rocache.sets && c->rocache.nc
               ? load_path(c) + c->rocache.latency + c->sm.op.tex.latency
               : NAN;
}

static double to_constant(const config *c)
{
    return load_path(c) + c->sm.constant.l1.latency;
}

static double globals_in_l1(const config *c, double v)
{
    return c->l1.globals ? v : NAN;
}

/* Sizes of the levels that there are. */
static double icache(const config *c, unsigned number)
{
    const uint64_t bytes[] = {c->sm.l0i.bytes, c->sm.l1i.bytes,
                              c->sm.l15.bytes};

    for (size_t i = 0; i < 3; i++)
        if (bytes[i] && !number--)
            return (double)bytes[i];
    return NAN;
}

static double first_icache(const config *c) { return icache(c, 0); }
static double second_icache(const config *c) { return icache(c, 1); }

/* GB/s that the data bus moves. */
static double memory_peak(const config *c)
{
    unsigned khz = c->dram.clock_khz ? c->dram.clock_khz : c->gpu.clock_khz;

    return (double)c->dram.channels * c->dram.bus_bytes * c->dram.data_rate *
           khz / 1e6;
}

static double l2_peak(const config *c)
{
    unsigned khz = c->l2.clock_khz ? c->l2.clock_khz : c->gpu.clock_khz;

    return (double)c->l2.slices * c->l2.data_bytes * khz / 1e6;
}

/* A row for each number that follows from the configuration: `expression` of
 * the configuration `c`. */
static double number(const config *c, const char *id)
{
#define TRUE(name, expression)                                                 \
    if (!strcmp(id, name))                                                     \
        return expression;
#include "lab/probe_truth.def"
#undef TRUE
    return NAN;
}

double probe_truth(const config *cfg, const char *id)
{
    const char *class;

    if ((class = behind(id, "latency.")))
        return latency_of(cfg, class);
    if ((class = behind(id, "throughput.")))
        return throughput_of(cfg, class);
    return number(cfg, id);
}

/* Of the modulo maps as many bits as there are banks; the warp is the same in
 * all of a kernel's registers. */
static const char *bank_bits(const config *c)
{
    static const char *const low[] = {"bits", "bits 0", "bits 0 1",
                                      "bits 0 1 2", "bits 0 1 2 3"};

    if (c->sm.rf.bank_map == CFG_BANK_MAP_KEPLER)
        return c->sm.rf.banks == 4 ? "bits 0 2" : NULL;
    for (unsigned i = 0; i < sizeof low / sizeof *low; i++)
        if (c->sm.rf.banks == 1u << i)
            return low[i];
    return NULL;
}

const char *probe_truth_word(const config *cfg, const char *id)
{
    const size_t n = strlen(id), end = strlen(".replacement");

    if (!strcmp(id, "l1.globals"))
        return cfg->l1.globals ? "yes" : "no";
    if (!strcmp(id, "rocache.nc"))
        return cfg->rocache.sets && cfg->rocache.nc ? "yes" : "no";
    if (!strcmp(id, "banks.map"))
        return bank_bits(cfg);
    if (n > end && !strcmp(id + n - end, ".replacement"))
        return "lru"; /* mem/tags.h */
    return NULL;
}

/* ---- Published ---- */

static const probe_published table[] = {
#define PUBLISHED(arch, id, value, source) {CFG_ARCH_##arch, id, value, source},
#include "lab/probe_published.def"
#undef PUBLISHED
};

const char *probe_real(const config *cfg)
{
    return cfg->gpu.arch == CFG_ARCH_FERMI    ? "GTX 480"
           : cfg->gpu.arch == CFG_ARCH_KEPLER ? "Tesla K20"
                                              : "Tesla V100";
}

const probe_published *probe_published_find(const config *cfg, const char *id)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].arch == cfg->gpu.arch && !strcmp(table[i].id, id))
            return &table[i];
    return NULL;
}
