/* src/gpu/persist.c - lines of the L2 that are to stay, between launches. */
#include "base/must.h"
#include "gpu/state.h"

void gpu_persist(gpu *g, uint64_t bytes)
{
    MUST(!g->in_flight);
    for (unsigned i = 0; i < g->partitions; i++)
        partition_persist(g->partition[i], bytes);
}

void gpu_persist_no_more(gpu *g)
{
    MUST(!g->in_flight);
    for (unsigned i = 0; i < g->partitions; i++)
        partition_persist_no_more(g->partition[i]);
}
