#include "exec/arrivals.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "exec/async.h"
#include "exec/mbarrier.h"

static exec_arrived *place_of(const exec_cta *c, uint32_t at)
{
    return &c->arrivals->is[at / 8 % ARRIVALS];
}

void exec_arrivals_note(exec_cta *c, uint32_t at, uint64_t was, uint64_t now,
                        uint64_t by, uint32_t rank, unsigned warp)
{
    int32_t bytes = (int32_t)(by >> 32);
    exec_arrived *a;

    if (c->async)
        exec_async_arrival(c, at, was >> ARRIVE_PHASE != now >> ARRIVE_PHASE,
                           by, rank, warp);
    if (!c->arrivals)
        c->arrivals = new0(1, sizeof *c->arrivals);
    a = place_of(c, at);
    if (!a->taken || a->at != at)
        *a = (exec_arrived){.at = at, .taken = true};
    if (bytes > 0)
        a->announced += (uint32_t)bytes;
    else
        a->came += (uint64_t) - (int64_t)bytes;
    if (by & bits_mask64(ARRIVE_BITS)) {
        if (rank != c->rank) {
            a->ranks |= 1u << rank;
        } else {
            a->warps |= (uint64_t)1 << warp;
            a->ever |= a->warps;
        }
    }
    if (was >> ARRIVE_PHASE == now >> ARRIVE_PHASE)
        return;
    a->phases++;
    a->warps = a->announced = a->came = 0;
    a->ranks = 0;
}

const exec_arrived *exec_arrivals_at(const exec_cta *c, uint32_t at)
{
    const exec_arrived *a = c->arrivals ? place_of(c, at) : NULL;

    return a && a->taken && a->at == at ? a : NULL;
}

void exec_arrivals_free(exec_cta *c)
{
    exec_async_free(c);
    free(c->arrivals);
    c->arrivals = NULL;
}
