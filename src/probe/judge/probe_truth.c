#include "probe/judge/probe_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/path.h"
#include "mem/tags.h"

/* ---- Configured ---- */

/* Behind "prefix." of an id; NULL: it does not begin so. */
static const char *behind(const char *id, const char *prefix)
{
    size_t n = strlen(prefix);

    return !strncmp(id, prefix, n) ? id + n : NULL;
}

static double class_latency(const config *c, const char *class)
{
    config_op op;

    if (!strcmp(class, "ldc"))
        return config_path_constant(c);
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
    double starts = fmin(units / op.interval, schedulers);

    if (!strcmp(class, "ldc")) /* of one address */
        starts = fmin(starts, 1.0 / c->sm.constant.pass);
    return 32 * starts;
}

static double read_only(const config *c, double v)
{
    return config_has_read_only(c) ? v : NAN;
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

/* What is there to be seen only if control codes are obeyed, ... */
static double if_codes_wait(const config *c, double v)
{
    return c->sm.dual.codes && c->sm.dual.waits ? v : NAN;
}

static double tailed(const config *c, double v)
{
    return c->sm.dual.codes && c->sm.dual.tails > 1 ? v : NAN;
}

static double paired(const config *c, double v)
{
    return c->sm.dual.codes && c->sm.issue.width > 1 ? v : NAN;
}

/* ... if dispatch ports gather operands, and if warps have turns. */
static double ported(const config *c, double v)
{
    return c->sm.rf.collect == CFG_COLLECT_PORTS ? v : NAN;
}

static double turned(const config *c, double v)
{
    return c->sm.issue.scheduler == CFG_SCHEDULER_TURN ? v : NAN;
}

static double fma_lanes(const config *c)
{
    return 32.0 * (c->sm.unit.fma.private * c->sm.issue.schedulers +
                   c->sm.unit.fma.shared);
}

/* Beside CTAs without shared memory. */
static double l1_size(const config *c)
{
    config_carve kept = config_l1_carve(c, 0);

    return (double)kept.sets * kept.ways * c->l1.line;
}

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
static double configured_number(const config *c, const char *id)
{
#define TRUE(name, expression)                                                 \
    if (!strcmp(id, name))                                                     \
        return expression;
#include "probe/judge/probe_truth.def"
#undef TRUE
    return NAN;
}

double probe_truth(const config *cfg, const char *id)
{
    const char *class;

    if ((class = behind(id, "latency.")))
        return class_latency(cfg, class);
    if ((class = behind(id, "throughput.")))
        return throughput_of(cfg, class);
    return configured_number(cfg, id);
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

/* Which of four schedulers share a second unit. */
static const char *unit_sharers(const config *c)
{
    if (!c->sm.dual.codes || c->sm.issue.width < 2 ||
        c->sm.issue.schedulers != 4)
        return NULL;
    switch (c->sm.unit.fma.shared) {
    case 1:
        return "0+1 0+2 0+3 1+2 1+3 2+3";
    case 2:
        return "0+1 2+3";
    default:
        return c->sm.unit.fma.shared % 4 ? NULL : "none";
    }
}

static const char *arbiter(const config *c)
{
    if (!unit_sharers(c) || c->sm.unit.fma.shared % 4 == 0)
        return NULL;
    return c->sm.dual.arbiter == CFG_ARBITER_FIXED ? "fixed" : "alternate";
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
    if (!strcmp(id, "codes.wait"))
        return cfg->sm.dual.codes && cfg->sm.dual.waits ? "yes" : "no";
    if (!strcmp(id, "codes.no_pair"))
        return isnan(paired(cfg, 1)) ? NULL : cfg->sm.dual.first ? "7" : "1 7";
    if (!strcmp(id, "pairs.share"))
        return unit_sharers(cfg);
    if (!strcmp(id, "pairs.arbiter"))
        return arbiter(cfg);
    if (n > end && !strcmp(id + n - end, ".replacement"))
        return MEM_TAGS_REPLACEMENT;
    return NULL;
}

/* ---- Published ---- */

static const probe_published table[] = {
#define PUBLISHED(arch, id, value, source)                                     \
    {CFG_ARCH_##arch, id, value, NULL, source},
#define PUBLISHED_WORD(arch, id, word, source)                                 \
    {CFG_ARCH_##arch, id, NAN, word, source},
#include "probe/judge/probe_published.def"
#undef PUBLISHED
#undef PUBLISHED_WORD
};

const char *probe_real(const config *cfg)
{
    static const char *const real[] = {[CFG_ARCH_FERMI] = "GTX 480",
                                       [CFG_ARCH_KEPLER] = "Tesla K20",
                                       [CFG_ARCH_VOLTA] = "Tesla V100",
                                       [CFG_ARCH_AMPERE] = "A100",
                                       [CFG_ARCH_HOPPER] = "H100"};

    return real[cfg->gpu.arch];
}

typedef struct code_range {
    unsigned first, last;
    probe_published rate, wait;
} code_range;

static const code_range codes[] = {
#define CODE(first, last, rate, wait)                                          \
    {first,                                                                    \
     last,                                                                     \
     {CFG_ARCH_KEPLER, NULL, rate, NULL, "[PPOPP:control-codes]"},             \
     {CFG_ARCH_KEPLER, NULL, wait, NULL, "[PPOPP:control-codes]"}},
#include "probe/judge/probe_codes.def"
#undef CODE
};

/* The code below 0x40 that does the same [PPOPP:control-codes]. */
static unsigned plain_code(unsigned code)
{
    enum { LONGEST = 0x35 }; /* as all from there on */

    if (code < 0x40)
        return code;
    if (code < 0x80 || code >= 0xe0)
        return 0x20 | (code & 31);
    code = 0x20 + 2 * (code & 15);
    return code < LONGEST ? code : LONGEST;
}

/* Of code.XX.throughput and code.XX.latency; NULL: it is another number. */
static const probe_published *find_code(const char *id)
{
    const char *number = behind(id, "code.");
    char *what;

    if (!number)
        return NULL;
    unsigned code = plain_code((unsigned)strtoul(number, &what, 16));
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (code >= codes[i].first && code <= codes[i].last)
            return !strcmp(what, ".throughput") ? &codes[i].rate
                   : !strcmp(what, ".latency")  ? &codes[i].wait
                                                : NULL;
    return NULL;
}

const probe_published *probe_published_find(const config *cfg, const char *id)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].arch == cfg->gpu.arch && !strcmp(table[i].id, id))
            return &table[i];
    return cfg->gpu.arch == CFG_ARCH_KEPLER ? find_code(id) : NULL;
}
