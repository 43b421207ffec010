/* src/gpu/dispatch/start_skew.c - see start_skew.h. */
#include "gpu/dispatch/start_skew.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/rng.h"

void start_skew_init(start_skew *s, const config *cfg)
{
    unsigned sms = cfg->gpu.sms;
    rng r;

    *s = (start_skew){NULL, NULL};
    if (!cfg->gpu.cta.skew)
        return;
    s->late = new0(sms, sizeof *s->late);
    s->last = new0(sms, sizeof *s->last);
    rng_init(&r, cfg->gpu.seed, "gpu.cta.skew");
    for (unsigned i = 0; i < sms; i++)
        s->late[i] = rng_below(&r, (uint32_t)cfg->gpu.cta.skew + 1);
    for (unsigned i = 0; i < sms; i++)
        s->late[i] = s->late[i - i % cfg->gpu.cluster.size];
}

void start_skew_fini(start_skew *s)
{
    free(s->late);
    free(s->last);
}

uint64_t start_skew_when(start_skew *s, unsigned sm, uint64_t when, bool empty)
{
    if (!s->late)
        return when;
    when += empty ? s->late[sm] : 0;
    s->last[sm] = when > s->last[sm] ? when : s->last[sm];
    return s->last[sm];
}
