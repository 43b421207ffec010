#include "gpu/dispatch/cta_limit.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"

void cta_limit_init(cta_limit *l, const config *cfg)
{
    l->sms = cfg->gpu.sms;
    l->launches = cfg->gpu.concurrent;
    l->most = (uint16_t)cfg->sm.ctas;
    l->count = new0((size_t)l->sms * l->launches, sizeof *l->count);
}

void cta_limit_fini(cta_limit *l) { free(l->count); }

static cta_count *count_of(cta_limit *l, unsigned i, unsigned n)
{
    return &l->count[(size_t)n * l->sms + i];
}

void cta_limit_start(cta_limit *l, unsigned n)
{
    for (unsigned i = 0; i < l->sms; i++)
        *count_of(l, i, n) = (cta_count){0};
}

void cta_limit_take(cta_limit *l, unsigned i, unsigned n)
{
    count_of(l, i, n)->held++;
}

void cta_limit_give(cta_limit *l, unsigned i, const sm_done *c)
{
    cta_count *to = count_of(l, i, c->launch);

    MUST(to->held);
    to->held--;
    if (to->limit)
        return;
    MUST(c->insts && c->insts <= c->launch_insts);
    uint64_t need = bits_div_up(c->launch_insts, c->insts);
    to->limit = need < l->most ? (uint16_t)need : l->most;
}
