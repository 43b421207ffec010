/* tests/fuzz/fuzz_sweep.c - plans of sweeps: read, and expanded if they are
 * small; every point is told. */
#include "fuzz.h"

#include "sweep/sweep_plan.h"

enum { SMALL = 500 };

static bool is_small(const sweep_plan *p)
{
    uint64_t all = p->gpu_count * p->workload_count;

    for (size_t i = 0; i < p->axis_count && all <= SMALL; i++)
        all *= p->axes[i].count ? p->axes[i].count : 1;
    return all <= SMALL;
}

static void look(const sweep_plan *p)
{
    for (size_t i = 0; i < p->count; i++)
        sweep_plan_label(p, i);
    if (p->machine_count)
        config_sheet_free(sweep_plan_sheet(p, &p->machines[0]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag *dg = diag_new();
    sweep_plan *p = NULL;

    if (sweep_plan_read_text("fuzz.yaml", "/nowhere", (const char *)data, size,
                             dg, &p) == ST_OK &&
        is_small(p) && sweep_plan_expand(p, dg) == ST_OK)
        look(p);
    sweep_plan_free(p);
    diag_free(dg);
    return 0;
}
