#include "gpu/gpu.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/rng.h"
#include "gpu/dispatch.h"
#include "gpu/node.h"
#include "gpu/team.h"

typedef struct gpu_stats {
#define STAT(id, unit, help) uint64_t id;
#include "gpu/gpu_stats.def"
#undef STAT
} gpu_stats;

static const stat_desc gpu_desc[] = {
#define STAT(id, unit, help) STAT_DESC(gpu_stats, id, unit, help),
#include "gpu/gpu_stats.def"
#undef STAT
};

const stats_block gpu_stats_block = {"gpu", "the chip", gpu_desc,
                                     COUNTOF(gpu_desc)};

/* Progress is looked at once in so many windows. */
enum { PROGRESS_WINDOWS = 32 };

struct gpu {
    const config *cfg;
    gpu_options opt;
    gpu_stats st;
    unsigned window; /* cycles */
    unsigned clusters, partitions, nodes, ends;
    cluster **cluster;
    partition **partition;
    noc_end **end;
    unsigned *first_end; /* per node, and one behind the last */
    unsigned *order;     /* of nodes in a window */
    uint64_t *due;       /* per node: next cycle with work */
    unsigned *active;    /* nodes with work in this window: clusters, then
                            partitions */
    unsigned active_count, active_clusters;
    unsigned *shuffled; /* the same in `order` */
    dispatch *dispatch;
    team *team;
    uint64_t now;      /* first cycle of the next window */
    uint64_t windows;  /* simulated; how many depends on the pace */
    uint64_t from, to; /* of the window that runs */
    node_pace pace;
    uint64_t *issued_by;    /* per SM: warp instructions so far, */
    uint64_t issued;        /* and of all */
    uint64_t issued_before; /* of earlier launches */
    uint64_t sample_at;     /* cycle of the next sample, or NEVER */
    tracer *tracer;         /* of this launch; NULL: none */
};

/* ---- Construction ---- */

static void shuffle_nodes(gpu *g)
{
    rng r;

    for (unsigned i = 0; i < g->nodes; i++)
        g->order[i] = i;
    if (!g->opt.shuffle)
        return;
    rng_init(&r, g->opt.shuffle, "gpu.order");
    for (unsigned i = g->nodes; i > 1; i--) {
        unsigned k = rng_below(&r, i), t = g->order[k];

        g->order[k] = g->order[i - 1];
        g->order[i - 1] = t;
    }
    g->pace.reverse = rng_below(&r, 2);
}

static void add_end(gpu *g, unsigned node, noc_end *e)
{
    g->due[node] = NEVER;
    noc_end_set_due(e, &g->due[node]);
    g->end[g->ends++] = e;
}

static bool build(gpu *g, mem_image *image, stats *reg)
{
    const config *cfg = g->cfg;

    for (unsigned i = 0; i < g->clusters; i++) {
        cluster *c = cluster_new(cfg, i * cfg->gpu.cluster, image, reg);

        if (!c)
            return false;
        g->cluster[i] = c;
        g->first_end[i] = g->ends;
        for (unsigned k = 0; k < cluster_sms(c); k++)
            add_end(g, i, cluster_end(c, k));
    }
    for (unsigned i = 0; i < g->partitions; i++) {
        partition *p = partition_new(cfg, i, image, reg);

        if (!p)
            return false;
        g->partition[i] = p;
        g->first_end[g->clusters + i] = g->ends;
        for (unsigned k = 0; k < partition_slices(p); k++)
            add_end(g, g->clusters + i, partition_end(p, k));
    }
    g->first_end[g->nodes] = g->ends;
    return true;
}

/* The floating-point state of a thread that executes instructions. */
static void enter_thread(void)
{
    fenv_t ignored;

    exec_host_enter(&ignored);
}

gpu *gpu_new(const config *cfg, mem_image *image, stats *reg,
             const gpu_options *opt)
{
    gpu *g = calloc(1, sizeof *g);

    if (!g)
        return NULL;
    g->cfg = cfg;
    g->opt = *opt;
    g->pace.no_skip = opt->no_skip;
    g->window = noc_window(cfg);
    g->clusters = (cfg->gpu.sms + cfg->gpu.cluster - 1) / cfg->gpu.cluster;
    g->partitions = cfg->dram.channels;
    g->nodes = g->clusters + g->partitions;
    g->cluster = calloc(g->clusters, sizeof *g->cluster);
    g->partition = calloc(g->partitions, sizeof *g->partition);
    g->end = calloc(cfg->gpu.sms + cfg->l2.slices, sizeof *g->end);
    g->first_end = calloc(g->nodes + 1, sizeof *g->first_end);
    g->order = calloc(g->nodes, sizeof *g->order);
    g->due = calloc(g->nodes, sizeof *g->due);
    g->active = calloc(g->nodes, sizeof *g->active);
    g->shuffled = calloc(g->nodes, sizeof *g->shuffled);
    g->issued_by = calloc(cfg->gpu.sms, sizeof *g->issued_by);
    g->dispatch = dispatch_new(cfg);
    g->team = team_new(opt->threads ? opt->threads : 1, enter_thread);
    if (!g->cluster || !g->partition || !g->end || !g->first_end || !g->order ||
        !g->due || !g->active || !g->shuffled || !g->issued_by ||
        !g->dispatch || !g->team || !build(g, image, reg)) {
        gpu_free(g);
        return NULL;
    }
    stats_add(reg, "gpu", gpu_desc, COUNTOF(gpu_desc), &g->st);
    shuffle_nodes(g);
    return g;
}

void gpu_free(gpu *g)
{
    if (!g)
        return;
    team_free(g->team);
    for (unsigned i = 0; g->cluster && i < g->clusters; i++)
        cluster_free(g->cluster[i]);
    for (unsigned i = 0; g->partition && i < g->partitions; i++)
        partition_free(g->partition[i]);
    dispatch_free(g->dispatch);
    tracer_free(g->tracer);
    free(g->cluster);
    free(g->partition);
    free(g->end);
    free(g->first_end);
    free(g->order);
    free(g->due);
    free(g->shuffled);
    free(g->active);
    free(g->issued_by);
    free(g);
}

/* ---- One window ---- */

static void run_node(void *arg, unsigned i)
{
    gpu *g = arg;
    unsigned n = g->opt.shuffle ? g->shuffled[i] : g->active[i];

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
        unsigned n = o.sm / g->cfg->gpu.cluster;

        cluster_order(g->cluster[n], &o, o.sm % g->cfg->gpu.cluster);
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

static void exchange(gpu *g)
{
    for (unsigned i = 0; i < g->active_count; i++) {
        unsigned n = g->active[i];

        for (unsigned e = g->first_end[n]; e < g->first_end[n + 1]; e++)
            g->st.messages +=
                noc_end_exchange(g->end[e], g->end, g->ends, g->to);
    }
}

static void run_window(gpu *g, uint64_t from)
{
    g->from = from;
    g->to = from + g->window;
    hand_out(g);
    choose_active(g);
    team_run(g->team, run_node, g, g->active_count);
    publish(g);
    exchange(g);
    g->windows++;
    g->now = g->to;
}

/* ---- A launch ---- */

static sm *nth_sm(const gpu *g, unsigned i)
{
    return cluster_sm(g->cluster[i / g->cfg->gpu.cluster],
                      i % g->cfg->gpu.cluster);
}

static void gather_sm(gpu *g, unsigned i)
{
    sm *s = nth_sm(g, i);
    uint64_t issued = sm_warp_insts(s);
    const sm_done *done;

    dispatch_done(g->dispatch, i, sm_finished(s, &done));
    g->issued += issued - g->issued_by[i];
    g->issued_by[i] = issued;
}

/* What the SMs did in the last window. False: some SM stopped at a fault. */
static bool gather(gpu *g, gpu_result *out)
{
    unsigned per = g->cfg->gpu.cluster, sms = g->cfg->gpu.sms;
    bool good = true;

    for (unsigned k = 0; k < g->active_clusters; k++) {
        unsigned first = g->active[k] * per;

        for (unsigned i = first; i < first + per && i < sms; i++) {
            const exec_fault *f = sm_fault(nth_sm(g, i));

            gather_sm(g, i);
            if (f && good) {
                out->fault = *f;
                good = false;
            }
        }
    }
    return good;
}

static bool finished(const gpu *g)
{
    if (dispatch_finished(g->dispatch) < dispatch_total(g->dispatch))
        return false;
    for (unsigned i = 0; i < g->clusters; i++)
        if (!cluster_idle(g->cluster[i]))
            return false;
    return true;
}

static uint64_t next_work(const gpu *g)
{
    uint64_t next = dispatch_wakes(g->dispatch, g->now);

    for (unsigned i = 0; i < g->nodes; i++)
        next = g->due[i] < next ? g->due[i] : next;
    return next > g->now ? next : g->now;
}

/* Something that changes whenever the machine gets on. */
static uint64_t activity(const gpu *g)
{
    return g->st.messages + dispatch_finished(g->dispatch) + g->issued;
}

static void report(const gpu *g, const gpu_run *run, uint64_t start)
{
    gpu_progress p = {.cycle = g->now - start,
                      .ctas_done = dispatch_finished(g->dispatch),
                      .ctas = dispatch_total(g->dispatch)};

    if (!run->progress || g->windows % PROGRESS_WINDOWS)
        return;
    p.warp_insts = g->issued - g->issued_before;
    run->progress(run->progress_arg, &p);
}

/* Charges the SMs' time before `end`, that of other blocks before `now`. */
static void settle(gpu *g, uint64_t end, uint64_t now)
{
    for (unsigned i = 0; i < g->clusters; i++)
        cluster_settle(g->cluster[i], end, now);
    for (unsigned i = 0; i < g->partitions; i++)
        partition_settle(g->partition[i], now);
}

void gpu_settle(gpu *g) { settle(g, g->now, g->now); }

/* In whole windows, so that a sample falls between two of them. */
static uint64_t sample_step(const gpu *g, const gpu_run *run)
{
    return (run->sample_cycles + g->window - 1) / g->window * g->window;
}

/* Nothing happens from the end of the last window until now. */
static void take_samples(gpu *g, const gpu_run *run, uint64_t start)
{
    for (; g->sample_at <= g->now; g->sample_at += sample_step(g, run)) {
        settle(g, g->sample_at, g->sample_at);
        run->sample(run->sample_arg, g->sample_at - start);
    }
}

static status run_grid(gpu *g, const gpu_run *run, gpu_result *out)
{
    uint64_t seen = activity(g), still = 0; /* cycles that moved nothing */

    for (;;) {
        uint64_t next = next_work(g);

        if (next == NEVER)
            return ST_HANG;
        if (next > g->now)
            next -= next % g->window;
        if (next > g->now)
            g->now = next;
        take_samples(g, run, out->start);
        run_window(g, g->now);
        if (__builtin_expect(g->tracer != NULL, 0))
            tracer_deliver(g->tracer, g->now, false);
        if (!gather(g, out))
            return ST_FAULT;
        if (finished(g))
            return ST_OK;
        if (run->stop && *run->stop)
            return ST_INTERRUPTED;
        if (run->max_cycles && g->now - out->start >= run->max_cycles)
            return ST_LIMIT;
        uint64_t now_seen = activity(g);
        still = now_seen == seen ? still + g->window : 0;
        seen = now_seen;
        if (still > g->cfg->gpu.hang_cycles)
            return ST_HANG;
        report(g, run, out->start);
    }
}

/* Ways the L1 keeps when the CTAs that fit an SM have their shared memory.
 * At least one stays: the LSU has no other way to the network. */
static unsigned l1_ways(const config *cfg, const exec_launch *l,
                        unsigned per_sm)
{
    uint64_t way_bytes = (uint64_t)cfg->l1.sets * cfg->l1.line;
    uint64_t shared = per_sm * sm_cta_needs(cfg, l).shared_bytes;
    uint64_t taken = (shared + way_bytes - 1) / way_bytes;

    if (cfg->l1.carveout == CFG_CARVEOUT_FIXED)
        return cfg->l1.ways;
    return taken < cfg->l1.ways ? cfg->l1.ways - (unsigned)taken : 1;
}

static bool begin_trace(gpu *g, const gpu_trace *ask)
{
    g->tracer = tracer_new(g->cfg, ask, g->now, g->nodes);
    if (!g->tracer)
        return false;
    for (unsigned i = 0; i < g->clusters; i++) {
        trace_log *l = cluster_trace(g->cluster[i], tracer_filter(g->tracer));

        if (!l)
            return false;
        tracer_add(g->tracer, l);
    }
    for (unsigned i = 0; i < g->partitions; i++)
        tracer_add(g->tracer, partition_trace(g->partition[i]));
    return true;
}

static void end_trace(gpu *g)
{
    if (!g->tracer)
        return;
    tracer_deliver(g->tracer, g->now, true);
    for (unsigned i = 0; i < g->clusters; i++)
        cluster_trace_end(g->cluster[i]);
    for (unsigned i = 0; i < g->partitions; i++)
        partition_trace_end(g->partition[i]);
    tracer_free(g->tracer);
    g->tracer = NULL;
}

/* What the launch asks for besides results. False: no memory. */
static bool begin_watching(gpu *g, const exec_launch *l, const gpu_run *run)
{
    for (unsigned i = 0; run->profile && i < g->cfg->gpu.sms; i++)
        if (!sm_profile_begin(nth_sm(g, i), l->kernel->code_count))
            return false;
    return !run->trace || begin_trace(g, run->trace);
}

status gpu_launch(gpu *g, const exec_launch *l, const gpu_run *run,
                  gpu_result *out)
{
    const config *cfg = g->cfg;
    unsigned per_sm = sm_occupancy(cfg, l, NULL, NULL, NULL);

    unsigned ways = l1_ways(cfg, l, per_sm);

    MUST(per_sm > 0);
    memset(out, 0, sizeof *out);
    out->start = out->end = g->now;
    g->issued_before = g->issued;
    g->sample_at = run->sample ? g->now + sample_step(g, run) : NEVER;
    if (!begin_watching(g, l, run))
        return ST_NOMEM;
    for (unsigned i = 0; i < g->clusters; i++)
        if (!cluster_launch(g->cluster[i], l, ways, g->now,
                            i ? nth_sm(g, 0) : NULL))
            return ST_NOMEM;
    dispatch_start(g->dispatch, l->grid, per_sm,
                   g->now + cfg->gpu.launch_latency);
    fenv_t host;

    exec_host_enter(&host);
    status st = run_grid(g, run, out);
    exec_host_leave(&host);
    out->end = g->now;
    if (st == ST_OK) {
        out->end = out->start;
        for (unsigned i = 0; i < g->clusters; i++) {
            uint64_t at = cluster_idle_at(g->cluster[i]);
            out->end = at > out->end ? at : out->end;
        }
    }
    settle(g, out->end, g->now);
    for (unsigned i = 0; run->profile && i < g->cfg->gpu.sms; i++)
        sm_profile_end(nth_sm(g, i), run->profile);
    end_trace(g);
    out->ctas = dispatch_finished(g->dispatch);
    g->st.launches++;
    g->st.ctas += out->ctas;
    g->st.cycles += out->end - out->start;
    return st;
}

uint64_t gpu_now(const gpu *g) { return g->now; }

void gpu_dump(const gpu *g, FILE *f)
{
    fprintf(f, "cycle %" PRIu64 ": %" PRIu64 " of %" PRIu64 " CTAs done\n",
            g->now, dispatch_finished(g->dispatch),
            dispatch_total(g->dispatch));
    for (unsigned i = 0; i < g->clusters; i++)
        cluster_dump(g->cluster[i], f);
    for (unsigned i = 0; i < g->partitions; i++)
        partition_dump(g->partition[i], f);
}
