/* src/launchfile/plan_list.c - the launches of a plan with streams, see plan.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "launchfile/plan.h"

static bool make_list_room(const plan *p, plan_list *out, diag *dg)
{
    uint64_t count = 0;

    for (const plan_launch *l = p->launches; l; l = l->next) {
        count += l->repeat;
        out->param_count++;
    }
    if (count > PLAN_LIST_MAX) {
        diag_error(dg, "launches of several streams are at most %d, not %llu",
                   PLAN_LIST_MAX, (unsigned long long)count);
        return false;
    }
    out->launch = new0(count + 1, sizeof *out->launch);
    out->stream = new0(count + 1, sizeof *out->stream);
    out->of = new0(count + 1, sizeof *out->of);
    out->params = new0(out->param_count + 1, sizeof *out->params);
    return true;
}

static void add_plan_launch(plan_list *out, const plan_launch *l,
                            const rt_launch *how)
{
    for (uint32_t i = 0; i < l->repeat; i++) {
        rt_launch *to = &out->launch[out->count];

        *to = *how;
        memcpy(to->grid, l->grid, sizeof to->grid);
        memcpy(to->block, l->block, sizeof to->block);
        memcpy(to->cga, l->cluster, sizeof to->cga);
        to->shared_bytes = l->shared_bytes;
        out->stream[out->count] = l->stream;
        out->of[out->count++] = l;
    }
}

status plan_list_make(const plan *p, rt_module *m, const rt_launch *how,
                      diag *dg, plan_list *out)
{
    status st = ST_OK;
    size_t n = 0;

    *out = (plan_list){.count = 0};
    if (!make_list_room(p, out, dg))
        st = ST_USAGE;
    for (const plan_launch *l = p->launches; l && st == ST_OK; l = l->next) {
        rt_launch own = *how;

        own.module = m;
        own.kernel = rt_module_kernel(m, l->kernel, dg);
        st = own.kernel ? plan_arguments(p, l, own.kernel, dg, &out->params[n])
                        : ST_USAGE;
        own.params = out->params[n++];
        if (st == ST_OK)
            add_plan_launch(out, l, &own);
    }
    if (st != ST_OK)
        plan_list_free(out);
    return st;
}

void plan_list_free(plan_list *l)
{
    for (size_t i = 0; l->params && i < l->param_count; i++)
        free(l->params[i]);
    free(l->params);
    free(l->launch);
    free(l->stream);
    free(l->of);
    *l = (plan_list){.count = 0};
}
