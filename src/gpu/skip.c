/* src/gpu/skip.c - CTAs that others compute, and launches that they give up. */
#include "gpu/state.h"

bool gpu_skip(gpu *g, unsigned n, uint64_t ctas)
{
    if (!dispatch_skip(g->dispatch, n, ctas))
        return false;
    g->ctas_done += ctas;
    return true;
}

void gpu_lose(gpu *g, unsigned n, gpu_result *out)
{
    *out = (gpu_result){0};
    gpu_fail(g, ST_FAULT, n, out);
}
