#include "gpu/dependent.h"

#include "gpu/state.h"
#include "sm/let_go.h"

bool gpu_lets_go(const isa_kernel *k)
{
    for (uint32_t pc = 0; pc < k->code_count; pc++)
        if (k->code[pc].op == ISA_PREEXIT)
            return true;
    return false;
}

bool gpu_find_let_go(gpu *g, unsigned *n)
{
    for (unsigned i = 0; i < g->in_flight; i++) {
        flight *f = &g->flight[g->line[i]];
        uint64_t ctas = 0;

        for (unsigned k = 0; f->lets_go && k < g->cfg->gpu.sms; k++)
            ctas += sm_dependent_let_go(gpu_nth_sm(g, k), g->line[i]);
        if (!f->lets_go || ctas < dispatch_total(g->dispatch, g->line[i]))
            continue;
        f->lets_go = false;
        *n = g->line[i];
        return true;
    }
    return false;
}

void gpu_hold(gpu *g, unsigned n, unsigned before)
{
    g->flight[n].after = before + 1;
    for (unsigned i = 0; i < g->cfg->gpu.sms; i++)
        sm_dependent_hold(gpu_nth_sm(g, i), n);
}

void gpu_free_dependents(gpu *g, unsigned n)
{
    for (unsigned i = 0; i < g->in_flight; i++) {
        flight *f = &g->flight[g->line[i]];

        if (f->after != n + 1)
            continue;
        f->after = 0;
        for (unsigned k = 0; k < g->clusters; k++) {
            cluster_dependent_free(g->cluster[k], g->line[i], g->now);
            g->due[k] = cluster_next(g->cluster[k]);
        }
    }
}
