/* src/config/config.c - default values, and what blocks derive from values. */
#include "config/config.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "config/param.h"

void config_defaults(config *cfg)
{
    memset(cfg, 0, sizeof *cfg);
#define SECTION(path, id, help)
#define END(id)
#define INT(sec, id, def, min, max, unit, source, help)  cfg->sec.id = (def);
#define POW2(sec, id, def, min, max, unit, source, help) cfg->sec.id = (def);
#define SIZE(sec, id, def, min, max, unit, source, help) cfg->sec.id = (def);
#define BOOL(sec, id, def, source, help)                 cfg->sec.id = (def);
#define ENUM(sec, id, type, def, source, help)           cfg->sec.id = CFG_##def;
#define TEXT(sec, id, def, source, help)                                       \
    snprintf(cfg->sec.id, sizeof cfg->sec.id, "%s", def);
#include "config/params.def"
#undef SECTION
#undef END
#undef INT
#undef POW2
#undef SIZE
#undef BOOL
#undef ENUM
#undef TEXT
}

/* The number of parameter `group`.`name`.`id`. */
static bool row_number(const config *cfg, const char *group, const char *name,
                       const char *id, unsigned *out)
{
    char path[96];
    const config_param *p;

    snprintf(path, sizeof path, "%s.%s.%s", group, name, id);
    p = config_param_find(path);
    if (p)
        *out = (unsigned)config_number(cfg, p);
    return p != NULL;
}

bool config_op_find(const config *cfg, const char *name, config_op *out)
{
    config_op op;
    unsigned unit;

    if (!row_number(cfg, "sm.op", name, "unit", &unit) ||
        !row_number(cfg, "sm.op", name, "interval", &op.interval) ||
        !row_number(cfg, "sm.op", name, "latency", &op.latency))
        return false;
    op.unit = (cfg_unit)unit;
    *out = op;
    return true;
}

config_unit config_unit_get(const config *cfg, cfg_unit unit)
{
#define ROW(ID, id)                                                            \
    case CFG_UNIT_##ID:                                                        \
        return (config_unit){cfg->sm.unit.id.private, cfg->sm.unit.id.shared};
    switch (unit) { /* called for every SM, so not searched by name */
        ROW(FMA, fma)
        ROW(ALU, alu)
        ROW(MUL, mul)
        ROW(FP64, fp64)
        ROW(HALF, half)
        ROW(XU, xu)
        ROW(LSU, lsu)
        ROW(TEX, tex)
        ROW(CTL, ctl)
        ROW(TENSOR, tensor)
        ROW(UNIFORM, uniform)
    case CFG_UNIT_FMA_HEAVY:
        return (config_unit){cfg->sm.unit.fma.private > 0, 0};
    }
#undef ROW
    MUST(!"one of these");
    return (config_unit){0};
}

static unsigned gcd(unsigned a, unsigned b)
{
    while (b) {
        unsigned t = a % b;

        a = b;
        b = t;
    }
    return a;
}

config_ratio config_clock_ratio(const config *cfg, unsigned clock_khz)
{
    unsigned core = cfg->gpu.clock_khz, own = clock_khz ? clock_khz : core;
    unsigned g = gcd(own, core);

    return (config_ratio){own / g, core / g};
}

/* Reads up to nine digits. */
static bool read_digits(const char **at, unsigned *out)
{
    size_t digits = strspn(*at, "0123456789");

    *out = 0;
    for (size_t i = 0; i < digits && i < 9; i++)
        *out = *out * 10 + (unsigned)(*(*at)++ - '0');
    return digits && digits <= 9;
}

/* "3" or "4-7", and the comma behind it if another follows. */
static bool read_range(const char **at, unsigned *first, unsigned *last)
{
    if (!read_digits(at, first))
        return false;
    *last = *first;
    if (**at == '-') {
        ++*at;
        if (!read_digits(at, last) || *last < *first)
            return false;
    }
    if (**at == ',' && (*at)[1])
        ++*at;
    else if (**at)
        return false;
    return true;
}

bool config_list_good(const char *list)
{
    unsigned first, last;

    while (*list)
        if (!read_range(&list, &first, &last))
            return false;
    return true;
}

bool config_listed(const char *list, unsigned n)
{
    unsigned first, last;

    while (*list && read_range(&list, &first, &last))
        if (n >= first && n <= last)
            return true;
    return false;
}

uint64_t config_l1_bytes(const config *cfg)
{
    return (uint64_t)cfg->l1.sets * cfg->l1.ways * cfg->l1.line;
}

/* The smallest size listed in l1.carveouts that holds so many bytes; else all
 * that there is. */
static uint64_t listed_carveout(const config *cfg, uint64_t shared)
{
    uint64_t most = cfg->sm.shared_bytes >> 10;

    for (uint64_t kb = bits_div_up(shared, 1 << 10); kb < most; kb++)
        if (config_listed(cfg->l1.carveouts, (unsigned)kb))
            return kb << 10;
    return most << 10;
}

config_carve config_l1_carve(const config *cfg, uint64_t shared)
{
    config_carve c = {cfg->l1.sets, cfg->l1.ways, cfg->sm.shared_bytes};
    uint64_t set_bytes = (uint64_t)cfg->l1.ways * cfg->l1.line;
    uint64_t way_bytes = (uint64_t)cfg->l1.sets * cfg->l1.line;
    uint64_t unit = cfg->l1.carveout_unit;
    uint64_t taken = 0;

    switch (cfg->l1.carveout) {
    case CFG_CARVEOUT_FIXED:
        return c;
    case CFG_CARVEOUT_WAYS:
        taken = bits_div_up(shared, way_bytes);
        c.ways = taken < c.ways ? c.ways - (unsigned)taken : 1;
        taken = c.ways == 1 ? c.shared : taken * way_bytes;
        break;
    case CFG_CARVEOUT_SETS:
        taken = shared ? bits_div_up(shared, unit) * unit : unit;
        if (*cfg->l1.carveouts)
            taken = listed_carveout(cfg, shared);
        c.sets = taken / set_bytes < c.sets
                     ? c.sets - (unsigned)(taken / set_bytes)
                     : 1;
        break;
    }
    if (taken < c.shared)
        c.shared = taken;
    return c;
}

uint64_t config_l2_bytes(const config *cfg)
{
    return (uint64_t)cfg->l2.slices * cfg->l2.sets * cfg->l2.ways *
           cfg->l2.line;
}
