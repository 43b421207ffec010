/* src/gpu/dispatch/gpc.c - see gpc.h. */
#include "gpu/dispatch/gpc.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "mem/gpc.h"

unsigned gpc_largest(const config *cfg)
{
    unsigned sms = mem_gpc_sms(cfg, 0);

    return sms < cfg->gpu.sms ? sms : cfg->gpu.sms;
}

void gpcs_init(gpcs *g, const config *cfg)
{
    *g = (gpcs){NULL, 0, NULL};
    if (!cfg->gpu.cga.most)
        return;
    g->of = new0(cfg->gpu.sms, sizeof *g->of);
    g->list = new0(cfg->gpu.sms, sizeof *g->list);
    for (unsigned i = 0; i < cfg->gpu.sms; g->count++) {
        gpc *to = &g->list[g->count];

        *to = (gpc){.first = i};
        for (unsigned all = mem_gpc_sms(cfg, g->count);
             to->sms < all && i < cfg->gpu.sms; i++, to->sms++)
            g->of[i] = (uint16_t)g->count;
    }
}

void gpcs_fini(gpcs *g)
{
    free(g->of);
    free(g->list);
}

/* CTAs that need `need` and fit `free`. */
static uint64_t fits(const sm_resources *free, const sm_resources *need)
{
    uint64_t most = UINT64_MAX;

#define RESOURCE(id, type, name)                                               \
    if (need->id && (uint64_t)free->id / need->id < most)                      \
        most = (uint64_t)free->id / need->id;
#include "sm/resource.def"
#undef RESOURCE
    return most;
}

unsigned gpc_room(const gpc *g, const sm_resources *free, const bool *off,
                  const sm_resources *need, unsigned most)
{
    uint64_t n = 0;

    for (unsigned i = g->first; i < g->first + g->sms && n < most; i++)
        n += off[i] ? 0 : fits(&free[i], need);
    return n < most ? (unsigned)n : most;
}

unsigned gpc_choose(const gpc *g, const sm_resources *free, const bool *off,
                    const sm_resources *need)
{
    unsigned best = g->first;
    uint64_t most = 0;

    for (unsigned i = g->first; i < g->first + g->sms; i++) {
        uint64_t n = off[i] ? 0 : fits(&free[i], need);

        if (n > most) {
            most = n;
            best = i;
        }
    }
    MUST(most);
    return best;
}
