#include "energy/sharing.h"

#include <math.h>

bool energy_sharing_of(const config *cfg, const stats *s,
                       const uint64_t *totals, const energy *e,
                       energy_sharing *out)
{
    unsigned size = cfg->gpu.cluster.size;
    uint64_t active, shared, all;

    if (size == 1 || e->overflow)
        return false;
    active = stats_total_sum(s, totals, "sm[*].active_cycles", NULL);
    shared = stats_total_sum(s, totals, "sm[*].shared_active", NULL);
    energy_sum_fj(e->part_fj, "front_end", &all);

    double f = active ? (double)shared / (double)active : NAN;
    double g = cfg->energy.gate.gated / 100.0;
    double formula = f * g * (size - 1) / size;
    double spent = (double)(e->part_fj[ENERGY_LINK] + e->part_fj[ENERGY_WAKE]);
    /* What is left of what they would spend is 1 - formula of it. */
    double would = ((double)all - spent) / (1 - formula);
    double overhead = would > 0 ? spent / would : NAN;
    double others = (double)e->total_fj - (double)all;

    *out = (energy_sharing){.size = size,
                            .shared = f,
                            .gated = g,
                            .formula = formula,
                            .overhead = overhead,
                            .saved = formula - overhead,
                            .of_all = (would - (double)all) / (others + would)};
    return true;
}
