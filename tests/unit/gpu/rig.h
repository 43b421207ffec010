/* tests/unit/gpu/rig.h - a dispatcher without a machine: what it hands out and
 * when, to SMs that a test says CTAs end on. */
#ifndef GPU_RIG_H
#define GPU_RIG_H

#include "gpu/dispatch/dispatch.h"
#include "gpu/dispatch/dispatch_state.h"
#include "test.h"

typedef struct rig {
    config cfg; /* may be changed until rig_begin() */
    stats *reg;
    dispatch *d;
} rig;

/* Windows are longer than any test. */
static inline rig *rig_new(unsigned sms, cfg_dispatch how)
{
    rig *r = calloc(1, sizeof *r);

    CHECK(r != NULL);
    config_defaults(&r->cfg);
    r->cfg.gpu.sms = sms;
    r->cfg.gpu.dispatch = how;
    r->cfg.noc.latency = 1000;
    return r;
}

/* SMs have all that the configuration gives them. */
static inline void rig_begin(rig *r)
{
    r->reg = stats_new();
    r->d = dispatch_new(&r->cfg, r->reg);
    CHECK(r->d != NULL);
    dispatch_clear(r->d, dispatch_offer(r->d), 0);
}

static inline void rig_free(rig *r)
{
    dispatch_free(r->d);
    stats_free(r->reg);
    free(r);
}

/* CTA `number` of launch `n` has ended on SM `on` before cycle `now`; `given`
 * of its warps had told before. */
static inline void rig_cta_ends(rig *r, uint64_t now, unsigned on, unsigned n,
                                uint64_t number, unsigned given)
{
    const sm_done c = {.number = number,
                       .cycle = now - 1,
                       .launch = n,
                       .warp = SM_WHOLE_CTA,
                       .given = given};

    dispatch_done(r->d, now, on, &c);
}

static inline uint64_t rig_count(rig *r, const char *name)
{
    char path[64];
    uint64_t v;

    dispatch_settle(r->d, r->d->charged);
    snprintf(path, sizeof path, "dispatch.%s", name);
    CHECK(stats_find(r->reg, NULL, path, &v));
    return v;
}

#endif
