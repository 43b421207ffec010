/* src/gpu/forward.c - warps that go on without time, SM by SM. */
#include "sm/forward.h"

#include "gpu/state.h"

/* Steps of a gap; it ends when one of so many warps has nothing to execute,
 * unless warps are alike: differ by one of so many instructions at most. */
enum { STEPS = 16, IDLE = 16, ALIKE = 32 };

static void wake(gpu *g, unsigned i)
{
    unsigned size = g->cfg->gpu.cluster.size;
    uint64_t *due = &g->due[i / size];

    cluster_wake(g->cluster[i / size], i % size, g->now);
    *due = g->now < *due ? g->now : *due;
}

bool gpu_can_forward(const gpu *g)
{
    for (unsigned i = 0; i < g->cfg->gpu.sms; i++)
        if (!sm_can_forward(gpu_nth_sm(g, i)))
            return false;
    return true;
}

bool gpu_is_watched(const gpu *g)
{
    for (unsigned i = 0; i < g->cfg->gpu.sms; i++)
        if (sm_is_watched(gpu_nth_sm(g, i)))
            return true;
    return false;
}

uint64_t gpu_warps(const gpu *g)
{
    uint64_t warps = 0;

    for (unsigned i = 0; i < g->cfg->gpu.sms; i++)
        warps += sm_warps(gpu_nth_sm(g, i));
    return warps;
}

void gpu_stop_issue(gpu *g)
{
    for (unsigned i = 0; i < g->cfg->gpu.sms; i++) {
        sm_stop_issue(gpu_nth_sm(g, i), g->now, true);
        wake(g, i);
    }
}

/* SMs that have not run empty; 0 if somebody watches: there is no gap. */
static unsigned not_drained(const gpu *g)
{
    unsigned left = 0;

    for (unsigned i = 0; i < g->cfg->gpu.sms; i++)
        left += !sm_is_drained(gpu_nth_sm(g, i));
    return gpu_is_watched(g) ? 0 : left;
}

/* Warps that ended so far executed as many instructions. */
static bool are_alike(const gpu *g, unsigned n)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (unsigned i = 0; i < g->cfg->gpu.sms; i++)
        sm_warp_lengths(gpu_nth_sm(g, i), n, &least, &most);
    return most && most - least <= most / ALIKE;
}

/* Step by step, so that none goes far ahead where others have ended. */
static bool forward(gpu *g, unsigned n, sm_forward *f)
{
    uint64_t most = are_alike(g, n) ? UINT64_MAX : gpu_warps(g) / IDLE;
    bool ok = true;

    for (unsigned step = 0; ok && step < STEPS; step++) {
        f->idle = 0;
        for (unsigned i = 0; ok && i < g->cfg->gpu.sms; i++)
            ok = sm_forward_run(gpu_nth_sm(g, i), g->now, n,
                                f->share / STEPS + 1, f);
        if (f->idle > most)
            break;
    }
    return ok;
}

bool gpu_forward(gpu *g, unsigned n, sm_forward *f, unsigned *left)
{
    *left = f ? not_drained(g) : 0;
    if (*left)
        return true;
    bool ok = !f || gpu_is_watched(g) || forward(g, n, f);

    for (unsigned i = 0; i < g->cfg->gpu.sms; i++) {
        sm_stop_issue(gpu_nth_sm(g, i), g->now, false);
        wake(g, i);
    }
    return ok;
}
