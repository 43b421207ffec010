/* src/gpu/forward.c - warps that go on without time, SM by SM. */
#include "sm/forward.h"

#include "gpu/state.h"

/* Steps of a gap; it ends when one of so many warps has nothing to execute, or
 * has ended and no other came in its place in so many pauses. */
enum { STEPS = 16, IDLE = 16, WAITS = 16 };

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

/* Step by step, so that none goes far ahead of others. Where warps come to
 * their end, SMs go on for a while (*left is not 0), so that they exit and
 * others come. */
static bool forward(gpu *g, unsigned n, sm_forward *f, unsigned *left)
{
    bool ok = true;

    if (!f->step)
        f->warps = gpu_warps(g);
    if (!f->last && gpu_warps(g) < f->warps - f->warps / IDLE) {
        *left = f->waits++ < WAITS;
        return true;
    }
    f->waits = 0;
    while (ok && f->step < STEPS && !*left) {
        f->idle = f->ends = 0;
        for (unsigned i = 0; ok && i < g->cfg->gpu.sms; i++)
            ok = sm_forward_run(gpu_nth_sm(g, i), g->now, n,
                                f->share / STEPS + 1, f);
        f->step++;
        if (!f->last)
            *left = (unsigned)f->ends;
        if (f->idle - *left > f->warps / IDLE) {
            *left = 0;
            break;
        }
    }
    return ok;
}

bool gpu_forward(gpu *g, unsigned n, sm_forward *f, unsigned *left)
{
    bool ok = true;

    *left = f ? not_drained(g) : 0;
    if (*left)
        return true;
    if (f && !gpu_is_watched(g))
        ok = forward(g, n, f, left);
    for (unsigned i = 0; i < g->cfg->gpu.sms; i++) {
        if (!ok || !*left)
            sm_stop_issue(gpu_nth_sm(g, i), g->now, false);
        wake(g, i);
    }
    return ok;
}
