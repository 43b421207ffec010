#include "study/launch_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

static report_part tell(const plan *p, const plan_list *list,
                        const rt_result *sum, const rt_part *part)
{
    const rt_launch *l = &list->launch[part->number];
    report_part out = {
        .kernel = l->kernel,
        .stream = p->stream[list->stream[part->number]],
        .shared_bytes = l->shared_bytes,
        .outcome = part->outcome,
        .profile = l->profile,
    };

    out.start -= sum->start;
    memcpy(out.grid, l->grid, sizeof out.grid);
    memcpy(out.block, l->block, sizeof out.block);
    return out;
}

void group_make(report_launch *out, const plan *p, const plan_list *list,
                const rt_result *sum, const rt_part *part, size_t n)
{
    report_part *told = calloc(n, sizeof *told);

    MUST(told != NULL);
    for (size_t i = 0; i < n; i++)
        told[i] = tell(p, list, sum, &part[i]);
    MUST(report_launch_join(out, told, n));
    free(told);
}

void group_drop(report_launch *l)
{
    report_group_free((report_group *)l->group);
    l->group = NULL;
}
