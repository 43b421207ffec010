/* src/gpu/dispatch/dispatch_match.h - which SMs have room for the heads of
 * queues: all resources are compared whenever one of an SM or the head changes.
 */
#ifndef GPU_DISPATCH_DISPATCH_MATCH_H
#define GPU_DISPATCH_DISPATCH_MATCH_H

#include "gpu/dispatch/dispatch_state.h"

/* What SM `i` lacks for CTAs of launch `n` that need `need`, a bit of each
 * `lack`; 0: they fit. */
unsigned match_lacks(const dispatch *d, unsigned i, unsigned n,
                     const sm_resources *need);

/* The cluster that SM `i` belongs to; NULL: they are of one SM. */
static inline group *match_group(const dispatch *d, unsigned i)
{
    return d->group ? &d->group[i / d->cfg->gpu.cluster.size] : NULL;
}

/* CTAs of `l` that are left and can go in rows. */
static inline uint64_t match_left(const queued *l)
{
    uint64_t end = l->lone ? l->total : l->alike;

    return l->requested < end ? end - l->requested : 0;
}

/* CTAs of the next row of `l` for `g`: one for each member, or, if fewer are
 * left that have equally many warps, for the first so many; 0: none. */
static inline unsigned match_row(const queued *l, const group *g)
{
    uint64_t left = match_left(l), alike = l->alike - l->requested;

    if (l->requested >= l->alike)
        return left != 0;
    return alike < g->members ? (unsigned)alike : g->members;
}

/* Something of SM `i` has changed. */
void match_sm(dispatch *d, unsigned i);
/* The head of `q` is one of another launch, or of a block of another size, or
 * there is none. */
void match_line(dispatch *d, line *q);

#endif
