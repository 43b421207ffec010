/* src/lab/explore_plan.c - see explore_plan.h. */
#include "lab/explore_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

static void expect(explore *e, uint64_t number, const sweep_factor *from,
                   size_t count, explore_factor *room)
{
    explore_fact f = {.number = number,
                      .status = "missing",
                      .time_s = NAN,
                      .cycles = NAN,
                      .energy_j = NAN,
                      .bits = NAN,
                      .factors = room};
    const char *size = NULL;

    for (size_t i = 0; i < count; i++) {
        if (!strcmp(from[i].name, "workload"))
            f.workload = from[i].value;
        else if (!strcmp(from[i].name, "size"))
            size = from[i].value;
        else
            room[f.factor_count++] =
                (explore_factor){from[i].name, from[i].value};
    }
    if (size)
        f.workload = arena_printf(e->mem, "%s/%s", f.workload, size);
    explore_add(e, &f);
}

void explore_expect(explore *e, const sweep_plan *p)
{
    size_t most = p->axis_count + 3;
    sweep_factor *from = calloc(most, sizeof *from);
    explore_factor *room = calloc(most, sizeof *room);

    MUST(from && room);
    for (size_t i = 0; i < p->count; i++)
        expect(e, i, from, sweep_plan_factors(p, i, from), room);
    e->planned = true;
    free(room);
    free(from);
}

size_t explore_plan_base(const sweep_plan *p, explore_factor *out, size_t most)
{
    size_t n = 0;

    if (p->base_gpu != SWEEP_NONE && n < most)
        out[n++] = (explore_factor){"gpu", p->gpus[p->base_gpu].name};
    for (size_t i = 0; i < p->axis_count && n < most; i++) {
        const sweep_axis *a = &p->axes[i];

        if (a->base != SWEEP_NONE)
            out[n++] = (explore_factor){a->name, a->values[a->base].label};
    }
    return n;
}
