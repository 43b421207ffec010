#include "gpu/window.h"

#include "gpu/cga_link.h"
#include "gpu/window_profile.h"

enum { SHARED_NODES = 16 }; /* with so many, steps behind them are shared */

/* The i-th that is taken. */
static unsigned nth_node(const gpu *g, unsigned i)
{
    return g->opt.shuffle ? g->shuffled[i] : g->active[i];
}

static void run_node(void *arg, unsigned i)
{
    gpu *g = arg;
    unsigned n = nth_node(g, i);

    if (n < g->clusters) {
        cluster_run(g->cluster[n], g->from, g->to, g->pace);
        g->due[n] = cluster_next(g->cluster[n]);
    } else {
        partition *p = g->partition[n - g->clusters];

        partition_run(p, g->from, g->to, g->pace);
        g->due[n] = partition_next(p);
    }
}

static void hand_out(gpu *g)
{
    dispatch_order o;

    while (dispatch_next(g->dispatch, g->from, g->to, &o)) {
        unsigned n = o.sm / g->cfg->gpu.cluster.size;

        cluster_order(g->cluster[n], &o, o.sm % g->cfg->gpu.cluster.size);
        g->due[n] = o.when < g->due[n] ? o.when : g->due[n];
    }
}

/* The nodes with work in this window; a small grid leaves most without. */
static void choose_active(gpu *g)
{
    g->active_count = g->active_clusters = 0;
    for (unsigned n = 0; n < g->nodes; n++) {
        if (g->due[n] >= g->to && !g->pace.no_skip)
            continue;
        g->active[g->active_count++] = n;
        g->active_clusters += n < g->clusters;
    }
    if (!g->opt.shuffle)
        return;
    for (unsigned i = 0, k = 0; i < g->nodes; i++)
        if (g->due[g->order[i]] < g->to || g->pace.no_skip)
            g->shuffled[k++] = g->order[i];
}

/* Atomics first: a plain store that replaces what an atomic of the same
 * window left (the release of a lock) comes later in every order that a
 * program can rely on. */
static void publish(gpu *g)
{
    for (unsigned i = g->active_clusters; i < g->active_count; i++)
        mem_view_commit(
            partition_view(g->partition[g->active[i] - g->clusters]));
    for (unsigned i = 0; i < g->active_clusters; i++)
        mem_view_commit(cluster_view(g->cluster[g->active[i]]));
}

/* Does the end send to SMs? The first of each slice does. */
static bool sends_down(const gpu *g, unsigned n, unsigned e)
{
    unsigned per_slice = g->cfg->l2.partitions > 1 ? 1 + NOC_LINKS : 1;

    return n >= g->clusters && (e - g->first_end[n]) % per_slice == 0;
}

/* Hands over what ends sent to SMs, or what they sent to slices and over links
 * of those. Both can run at once: of an end one takes what it sent, the other
 * adds to what it is to receive. Returns the number of messages. */
static uint64_t exchange(gpu *g, bool down)
{
    uint64_t moved = 0;

    for (unsigned i = 0; i < g->active_count; i++) {
        unsigned n = g->active[i];

        for (unsigned e = g->first_end[n]; e < g->first_end[n + 1]; e++)
            if (sends_down(g, n, e) == down)
                moved += noc_end_exchange(g->end[e], g->end, g->ends, g->to);
    }
    return moved;
}

/* What SMs lacked of translations, and when they have it. */
static void translate(gpu *g)
{
    for (unsigned i = 0; i < g->active_clusters; i++)
        cluster_ask(g->cluster[g->active[i]], g->mmu);
    if (!mmu_serve(g->mmu, g->to))
        return;
    for (unsigned i = 0; i < g->active_clusters; i++)
        g->due[g->active[i]] = cluster_answered(g->cluster[g->active[i]]);
}

/* The window begins: CTAs are handed out. */
static void prepare(gpu *g)
{
    if (g->mmu)
        mmu_land(g->mmu, g->from);
    hand_out(g);
    choose_active(g);
}

/* ---- Between nodes of two windows ---- */

/* Steps that touch nothing of each other's. */
enum { SIDE_COMMIT, SIDE_UP, SIDE_DOWN, SIDES };

static const window_part side_part[SIDES] = {WINDOW_COMMIT, WINDOW_UP,
                                             WINDOW_DOWN};

static void run_side(void *arg, unsigned i)
{
    gpu *g = arg;

    if (i == SIDE_COMMIT)
        publish(g);
    else
        g->moved[i == SIDE_DOWN] = exchange(g, i == SIDE_DOWN);
}

/* Is it worth while to meet for that? */
static bool sides_are_shared(const gpu *g)
{
    return g->active_count >= SHARED_NODES;
}

static void finish(gpu *g)
{
    g->st.messages += g->moved[0] + g->moved[1];
    if (g->cga_end[0])
        gpu_exchange_cga(g);
}

/* Every second window goes through the nodes backwards, so that it begins with
 * those whose state is still in the host's caches: going round always the same
 * way, each node would find that the others have pushed it out. */
static bool goes_back(const gpu *g) { return g->windows & 1; }

static void run_profiled(gpu *g)
{
    window_profile *p = g->profile;

    window_profile_part(p, WINDOW_GATHER); /* of the window before */
    prepare(g);
    window_profile_part(p, WINDOW_DISPATCH);
    for (unsigned i = 0; i < g->active_count; i++) {
        unsigned k = goes_back(g) ? g->active_count - 1 - i : i;

        run_node(g, k);
        window_profile_node(p, nth_node(g, k));
    }
    if (g->mmu)
        translate(g);
    window_profile_part(p, WINDOW_TRANSLATE);
    for (unsigned i = 0; i < SIDES; i++) {
        run_side(g, i);
        if (sides_are_shared(g))
            window_profile_side(p, side_part[i]);
        else
            window_profile_part(p, side_part[i]);
    }
    finish(g);
    window_profile_part(p, WINDOW_GATHER);
    window_profile_window(p, g->window);
}

static void run(gpu *g)
{
    prepare(g);
    team_run(g->team, run_node, g, g->active_count, goes_back(g));
    if (g->mmu) /* before messages lower what is due */
        translate(g);
    if (sides_are_shared(g))
        team_run(g->team, run_side, g, SIDES, false);
    else
        for (unsigned i = 0; i < SIDES; i++)
            run_side(g, i);
    finish(g);
}

void gpu_window(gpu *g, uint64_t from)
{
    g->from = from;
    g->to = from + g->window;
    if (__builtin_expect(g->profile != NULL, 0))
        run_profiled(g);
    else
        run(g);
    g->windows++;
    g->now = g->to;
}
