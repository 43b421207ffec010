/* src/gpu/dispatch/cta_limit.h - how many CTAs of each launch an SM takes:
 * gpu.cta.limit=lazy [LCS:lazy]. An SM takes what fits until its first CTA of
 * the launch has ended. A greedy scheduler has served that one first, and the
 * others have filled the cycles in which it could not issue: as often as its
 * instructions go into all that the SM has issued of the launch by then,
 * rounded up, so many CTAs does the SM need. From then on it takes one only
 * while it holds fewer. Owns its counts. */
#ifndef GPU_DISPATCH_CTA_LIMIT_H
#define GPU_DISPATCH_CTA_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/sm.h"

typedef struct cta_count {
    uint16_t held;  /* CTAs of the launch that are there or on their way */
    uint16_t limit; /* 0: none has ended yet */
} cta_count;

typedef struct cta_limit {
    unsigned sms, launches;
    uint16_t most;    /* CTA slots of an SM */
    cta_count *count; /* by launch and SM */
} cta_limit;

void cta_limit_init(cta_limit *l, const config *cfg);
void cta_limit_fini(cta_limit *l); /* zeroed is fine */
/* Launch `n`, of which no CTA is left, is another one. */
void cta_limit_start(cta_limit *l, unsigned n);

/* SM `i` gets a CTA of launch `n`. */
void cta_limit_take(cta_limit *l, unsigned i, unsigned n);
/* One has ended there: the first of them sets the limit. */
void cta_limit_give(cta_limit *l, unsigned i, const sm_done *c);

static inline const cta_count *cta_limit_of(const cta_limit *l, unsigned i,
                                            unsigned n)
{
    return &l->count[(size_t)n * l->sms + i];
}

/* SM `i` takes no more CTAs of launch `n` until one of them ends. */
static inline bool cta_limit_reached(const cta_limit *l, unsigned i, unsigned n)
{
    const cta_count *c = cta_limit_of(l, i, n);

    return c->limit && c->held >= c->limit;
}

#endif
