#include "config/path.h"

/* Between load unit, L1, crossbar and slice: the ports take a cycle each that
 * no other latency covers. */
enum { PORTS = 3 };

double config_core_cycles(const config *cfg, unsigned clock_khz, double cycles)
{
    config_ratio r = config_clock_ratio(cfg, clock_khz);

    return cycles * r.den / r.num;
}

/* The load unit's part of every path. */
static double to_unit(const config *cfg)
{
    return cfg->sm.lsu.latency + cfg->sm.lsu.write_back;
}

double config_path_shared(const config *cfg)
{
    return to_unit(cfg) + cfg->sm.shared.latency;
}

double config_path_constant(const config *cfg)
{
    return to_unit(cfg) + cfg->sm.constant.l1.latency;
}

double config_path_l1(const config *cfg)
{
    return to_unit(cfg) + cfg->l1.latency;
}

double config_path_l2(const config *cfg)
{
    return to_unit(cfg) + cfg->l1.miss_latency + 2 * cfg->noc.latency +
           config_core_cycles(cfg, cfg->l2.clock_khz, cfg->l2.latency) +
           cfg->l1.fill_latency + PORTS;
}

double config_path_atomic(const config *cfg)
{
    return config_path_l2(cfg) +
           config_core_cycles(cfg, cfg->l2.clock_khz, cfg->l2.atomic_latency);
}

double config_path_shared_atomic(const config *cfg)
{
    return config_path_shared(cfg) + cfg->sm.shared.atomic;
}

double config_path_texture(const config *cfg)
{
    unsigned cache = cfg->rocache.sets ? cfg->rocache.latency : cfg->l1.latency;

    return to_unit(cfg) + cache + cfg->sm.op.tex.latency;
}

bool config_has_read_only(const config *cfg)
{
    return cfg->rocache.sets && cfg->rocache.nc;
}
