#include "gpu/gpu.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/must.h"
#include "base/rng.h"
#include "gpu/cga_link.h"
#include "gpu/dependent.h"
#include "gpu/inspect.h"
#include "gpu/state.h"
#include "gpu/window.h"
#include "mem/sector.h"
#include "mem/spread.h"

static const stat_desc gpu_desc[] = {
#define STAT(id, unit, help) STAT_DESC(gpu_stats, id, unit, help),
#include "gpu/gpu_stats.def"
#undef STAT
};

const stats_block gpu_stats_block = {"gpu", "the chip", gpu_desc,
                                     COUNTOF(gpu_desc)};

/* Progress is looked at once in so many windows. */
enum { PROGRESS_WINDOWS = 32 };

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

static void build(gpu *g, mem_image *image, stats *reg)
{
    const config *cfg = g->cfg;

    for (unsigned i = 0; i < g->clusters; i++) {
        cluster *c =
            cluster_new(cfg, i * cfg->gpu.cluster.size, image, reg, g->mmu);

        g->cluster[i] = c;
        g->first_end[i] = g->ends;
        for (unsigned k = 0; k < cluster_sms(c); k++)
            add_end(g, i, cluster_end(c, k));
    }
    for (unsigned i = 0; i < g->partitions; i++) {
        partition *p = partition_new(cfg, i, image, reg);

        g->partition[i] = p;
        g->first_end[g->clusters + i] = g->ends;
        for (unsigned k = 0; k < partition_ends(p); k++)
            add_end(g, g->clusters + i, partition_end(p, k));
    }
    g->first_end[g->nodes] = g->ends;
    if (cfg->l2.partitions > 1)
        for (unsigned i = 0; i < g->partitions / 2; i++)
            partition_pair(g->partition[i],
                           g->partition[i + g->partitions / 2]);
}

/* The floating-point state of a thread that executes instructions. */
static void enter_thread(void)
{
    fenv_t ignored;

    exec_host_enter(&ignored);
}

static const exec_launch *launch_of(void *self, unsigned n)
{
    const gpu *g = self;

    return g->flight[n].launch;
}

static void count_ctas(void *self, uint64_t *all, uint64_t *begun)
{
    const gpu *g = self;

    *all = *begun = 0;
    for (unsigned i = 0; i < g->in_flight; i++) {
        *all += dispatch_total(g->dispatch, g->line[i]);
        *begun += dispatch_begun(g->dispatch, g->line[i]);
    }
}

gpu *gpu_new(const config *cfg, mem_image *image, stats *reg,
             const gpu_options *opt)
{
    gpu *g = new0(1, sizeof *g);

    g->cfg = cfg;
    g->opt = *opt;
    g->pace.no_skip = opt->no_skip;
    g->window = noc_window(cfg);
    g->clusters =
        (cfg->gpu.sms + cfg->gpu.cluster.size - 1) / cfg->gpu.cluster.size;
    g->partitions = cfg->dram.channels;
    g->nodes = g->clusters + g->partitions;
    g->cluster = new0(g->clusters, sizeof *g->cluster);
    g->partition = new0(g->partitions, sizeof *g->partition);
    g->end = new0(noc_ends(cfg), sizeof *g->end);
    g->first_end = new0(g->nodes + 1, sizeof *g->first_end);
    g->order = new0(g->nodes, sizeof *g->order);
    g->due = new0(g->nodes, sizeof *g->due);
    g->active = new0(g->nodes, sizeof *g->active);
    g->shuffled = new0(g->nodes, sizeof *g->shuffled);
    g->issued_by = new0(cfg->gpu.sms, sizeof *g->issued_by);
    g->flight = new0(cfg->gpu.concurrent, sizeof *g->flight);
    g->line = new0(cfg->gpu.concurrent, sizeof *g->line);
    g->dispatch = dispatch_new(cfg, reg);
    g->team = team_new(opt->threads ? opt->threads : 1, enter_thread);
    if (opt->profile_windows)
        g->profile = window_profile_new(g->clusters, g->partitions);
    g->mmu = mmu_new(cfg, reg);
    build(g, image, reg);
    if (cfg->gpu.cga.most)
        gpu_connect_cga(g);
    if (cfg->gpu.cluster.size > 1)
        g->cluster_policy =
            cluster_policy_new(cfg, g->cluster, g->clusters, g->dispatch);
    g->watch = gpu_watch_new(&(gpu_watched){.cfg = cfg,
                                            .cluster = g->cluster,
                                            .image = image,
                                            .launch = launch_of,
                                            .ctas = count_ctas,
                                            .self = g});
    stats_add(reg, "gpu", gpu_desc, COUNTOF(gpu_desc), &g->st);
    shuffle_nodes(g);
    return g;
}

void gpu_free(gpu *g)
{
    if (!g)
        return;
    team_free(g->team);
    window_profile_free(g->profile);
    gpu_watch_free(g->watch);
    for (unsigned i = 0; i < g->clusters; i++)
        cluster_free(g->cluster[i]);
    for (unsigned i = 0; i < g->partitions; i++)
        partition_free(g->partition[i]);
    mmu_free(g->mmu);
    cluster_policy_free(g->cluster_policy);
    dispatch_free(g->dispatch);
    event_merge_free(g->event_merge);
    free(g->cluster);
    free(g->partition);
    free(g->end);
    for (unsigned k = 0; k < CLUSTER_CGA_ENDS; k++)
        free(g->cga_end[k]);
    free(g->first_end);
    free(g->order);
    free(g->due);
    free(g->shuffled);
    free(g->active);
    free(g->issued_by);
    free(g->flight);
    free(g->line);
    free(g);
}

/* ---- Running ---- */

static void gather_sm(gpu *g, unsigned i)
{
    sm *s = gpu_nth_sm(g, i);
    uint64_t issued = sm_warp_insts(s);
    const sm_done *done;
    unsigned n = sm_finished(s, &done);

    for (unsigned k = 0; k < n; k++) {
        dispatch_done(g->dispatch, g->now, i, &done[k]);
        g->ctas_done += done[k].warp == SM_WHOLE_CTA;
    }
    if (g->cfg->gpu.cga.most)
        gpu_gather_cga(g, s);
    g->issued += issued - g->issued_by[i];
    g->issued_by[i] = issued;
}

/* What the SMs did in the last window. False: some SM stopped at a fault, of
 * launch *n. */
static bool gather(gpu *g, unsigned *n, gpu_result *out)
{
    unsigned per = g->cfg->gpu.cluster.size, sms = g->cfg->gpu.sms;
    bool good = true;

    for (unsigned k = 0; k < g->active_clusters; k++) {
        unsigned first = g->active[k] * per;

        for (unsigned i = first; i < first + per && i < sms; i++) {
            const exec_fault *f = sm_fault(gpu_nth_sm(g, i));

            gather_sm(g, i);
            if (f && good) {
                out->fault = *f;
                *n = sm_fault_launch(gpu_nth_sm(g, i));
                good = false;
            }
        }
    }
    dispatch_gathered(g->dispatch, g->now);
    return good;
}

/* Has launch `n` ended? Then *at is the first cycle after it. */
static bool has_ended(const gpu *g, unsigned n, uint64_t *at)
{
    *at = g->flight[n].start;
    if (dispatch_finished(g->dispatch, n) < dispatch_total(g->dispatch, n))
        return false;
    for (unsigned i = 0; i < g->cfg->gpu.sms; i++) {
        const sm *s = gpu_nth_sm(g, i);
        uint64_t t = sm_launch_idle_at(s, n);

        if (!sm_launch_idle(s, n))
            return false;
        *at = t > *at ? t : *at;
    }
    return true;
}

/* Of the launches that have ended, the one that did first. */
static bool find_ended(const gpu *g, unsigned *n, uint64_t *at)
{
    bool found = false;

    for (unsigned i = 0; i < g->in_flight; i++) {
        unsigned one = g->line[i];
        uint64_t t;

        if (has_ended(g, one, &t) && (!found || t < *at)) {
            found = true;
            *n = one;
            *at = t;
        }
    }
    return found;
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
    return g->st.messages + g->ctas_done + g->issued;
}

static void report(const gpu *g, const gpu_run *run)
{
    if (!run->progress || g->windows % PROGRESS_WINDOWS)
        return;
    gpu_progress is = gpu_progress_now(g);
    run->progress(run->progress_arg, &is);
}

/* Charges the SMs' time before `end`, that of other blocks before `now`. */
static void settle_blocks(gpu *g, uint64_t end, uint64_t now)
{
    for (unsigned i = 0; i < g->clusters; i++)
        cluster_settle(g->cluster[i], end, now);
    for (unsigned i = 0; i < g->partitions; i++)
        partition_settle(g->partition[i], now);
    dispatch_settle(g->dispatch, end);
}

void gpu_settle(gpu *g) { settle_blocks(g, g->now, g->now); }

/* In whole windows, so that a sample falls between two of them. */
static uint64_t sample_step(const gpu *g, const gpu_run *run)
{
    return (run->sample_cycles + g->window - 1) / g->window * g->window;
}

/* Nothing happens from the end of the last window until now. */
static void take_samples(gpu *g, const gpu_run *run)
{
    for (; g->sample_at <= g->now; g->sample_at += sample_step(g, run)) {
        settle_blocks(g, g->sample_at, g->sample_at);
        run->sample(run->sample_arg, g->sample_at - g->group.start);
    }
}

/* Some launch has run for too long. */
static bool over_limit(const gpu *g, const gpu_run *run)
{
    for (unsigned i = 0; run->max_cycles && i < g->in_flight; i++)
        if (g->now - g->flight[g->line[i]].start >= run->max_cycles)
            return true;
    return false;
}

/* Nothing has moved for so long that nothing ever will. */
static bool hangs(gpu *g)
{
    gpu_group *p = &g->group;
    uint64_t seen = activity(g);

    p->still = seen == p->seen ? p->still + g->window : 0;
    p->seen = seen;
    return p->still > g->cfg->gpu.hang_cycles;
}

/* True, and time is there, if nothing happens before the window in which the
 * caller wants to be asked. */
static bool pause_at(gpu *g, const gpu_run *run, uint64_t next)
{
    uint64_t w = g->window, at = (run->until + w - 1) / w * w;

    if (!run->until || next < at)
        return false;
    g->now = at > g->now ? at : g->now;
    return true;
}

/* The cycle in which over_limit first holds; NEVER. */
static uint64_t limit_of(const gpu *g, const gpu_run *run)
{
    uint64_t first = NEVER;

    for (unsigned i = 0; run->max_cycles && i < g->in_flight; i++)
        if (g->flight[g->line[i]].start < first)
            first = g->flight[g->line[i]].start;
    return first == NEVER ? NEVER : first + run->max_cycles;
}

/* Nothing happens before `next`. True: nor will it ever after. */
static bool spins(gpu *g, const gpu_run *run, uint64_t next)
{
    gpu_moment m = {.now = g->now,
                    .next = next,
                    .issued = g->issued,
                    .limit = limit_of(g, run),
                    .alone = run->alone && !run->until,
                    .asked = g->linger_s > 0};
    uint64_t at;

    if (run->unwatched || !gpu_watch_turn(g->watch, &m, &at))
        return false;
    g->now = at;
    return true;
}

/* Somebody has asked the run to stop. True: it goes on for a while. */
static bool lingers(gpu *g, const gpu_run *run)
{
    static const double MOST_S = 0.5;

    if (!run->linger || gpu_watch_knows(g->watch))
        return false;
    if (!(g->linger_s > 0))
        g->linger_s = clock_s() + MOST_S;
    return clock_s() < g->linger_s;
}

/* Somebody looks at the machine as it is now, and in each cycle that he names
 * of those in which nothing happens, which is before `next`. True: nothing ever
 * will. Time takes the same way as without him. */
static bool be_looked_at(gpu *g, const gpu_run *run, uint64_t next)
{
    uint64_t w = g->window, last = next == NEVER ? g->now : next;

    if (run->until && (run->until + w - 1) / w * w < last)
        last = (run->until + w - 1) / w * w;
    for (;;) {
        uint64_t at = run->look(run->look_arg, g, ST_OK);

        at = (at + w - 1) / w * w;
        if (at <= g->now || at > last)
            return false;
        if (spins(g, run, at))
            return true;
        g->now = at;
        take_samples(g, run);
    }
}

static status run_until_ended(gpu *g, const gpu_run *run, unsigned *n,
                              gpu_result *out)
{
    if (find_ended(g, n, &out->end)) /* in the window before */
        return ST_OK;
    for (;;) {
        if (g->cluster_policy)
            cluster_policy_update(g->cluster_policy, g->now, g->due);
        uint64_t next = next_work(g);

        if (__builtin_expect(run->look != NULL, 0) &&
            be_looked_at(g, run, next))
            return ST_HANG;
        if (next == NEVER)
            return ST_HANG;
        if ((out->paused = pause_at(g, run, next)))
            return ST_OK;
        if (next > g->now)
            next -= next % g->window;
        if (spins(g, run, next > g->now ? next : g->now))
            return ST_HANG;
        if (next > g->now)
            g->now = next;
        take_samples(g, run);
        gpu_window(g, g->now);
        if (__builtin_expect(g->event_merge != NULL, 0))
            event_merge_deliver(g->event_merge, g->now, false);
        if (!gather(g, n, out))
            return ST_FAULT;
        if (find_ended(g, n, &out->end))
            return ST_OK;
        if ((out->paused = out->lets_go = gpu_find_let_go(g, n)))
            return ST_OK;
        if (run->stop && __atomic_load_n(run->stop, __ATOMIC_RELAXED) &&
            !lingers(g, run))
            return ST_INTERRUPTED;
        if (over_limit(g, run))
            return ST_LIMIT;
        if (hangs(g))
            return ST_HANG;
        report(g, run);
    }
}

/* ---- Groups ---- */

static void begin_trace(gpu *g, const gpu_trace *ask)
{
    g->event_merge = event_merge_new(g->cfg, ask, g->now, g->nodes);
    for (unsigned i = 0; i < g->clusters; i++)
        event_merge_add(
            g->event_merge,
            cluster_trace(g->cluster[i], event_merge_filter(g->event_merge)));
    for (unsigned i = 0; i < g->partitions; i++)
        event_merge_add(g->event_merge, partition_trace(g->partition[i]));
}

static void end_trace(gpu *g)
{
    if (!g->event_merge)
        return;
    event_merge_deliver(g->event_merge, g->now, true);
    for (unsigned i = 0; i < g->clusters; i++)
        cluster_trace_end(g->cluster[i]);
    for (unsigned i = 0; i < g->partitions; i++)
        partition_trace_end(g->partition[i]);
    event_merge_free(g->event_merge);
    g->event_merge = NULL;
}

/* The machine is idle, and a launch is about to begin. */
static void begin_group(gpu *g)
{
    g->group = (gpu_group){.start = g->now,
                           .end = g->now,
                           .ctas_before = g->ctas_done,
                           .issued_before = g->issued};
    g->linger_s = 0;
    gpu_watch_group(g->watch, g->now, g->issued);
    bool keep = places_begin(&g->places, g->repeats) &&
                (g->cfg->sm.fetch.keep || g->repeats);
    for (unsigned i = 0; i < g->clusters; i++)
        cluster_clear(g->cluster[i], keep);
    g->repeats = false;
}

void gpu_copied(gpu *g, uint64_t addr, uint64_t bytes)
{
    uint64_t end = addr + bytes;
    mem_route route;

    MUST(!g->in_flight);
    mem_route_init(&route, g->cfg);
    for (uint64_t line = addr / MEM_LINE * MEM_LINE; line < end;
         line += MEM_LINE) {
        uint64_t from = line < addr ? (addr - line) / MEM_SECTOR : 0;
        uint64_t to = end - line < MEM_LINE
                          ? bits_div_up(end - line, MEM_SECTOR)
                          : MEM_LINE / MEM_SECTOR;
        uint32_t slice = mem_route_slice(&route, line);

        partition_copied(g->partition[slice / route.per_channel],
                         slice % route.per_channel, line,
                         (uint8_t)((1u << to) - (1u << from)));
    }
}

void gpu_touched(gpu *g, const gpu_touch *touch, size_t count)
{
    mem_route route;

    mem_route_init(&route, g->cfg);
    for (const gpu_touch *t = touch; t < touch + count; t++) {
        uint32_t slice = mem_route_slice(&route, t->line);

        partition_touched(g->partition[slice / route.per_channel],
                          slice % route.per_channel, t->line, t->sectors,
                          t->store);
    }
}

void gpu_repeat(gpu *g)
{
    MUST(!g->in_flight);
    g->repeats = true;
}

/* All launches that are ready together have begun: the shared memory of an SM
 * is what the neediest of them can use. */
static void open_group(gpu *g, const gpu_run *run)
{
    sm_resources have = sm_resources_of(g->cfg);
    uint64_t most = 0;

    for (unsigned i = 0; i < g->in_flight; i++) {
        uint64_t its = sm_shared_wanted(g->cfg, g->flight[g->line[i]].launch);

        most = its > most ? its : most;
    }
    config_carve carve = config_l1_carve(g->cfg, most);
    for (unsigned i = 0; i < g->clusters; i++)
        cluster_carve(g->cluster[i], &carve);
    have.shared_bytes = carve.shared;
    dispatch_clear(g->dispatch, &have, g->now);
    g->sample_at = run->sample ? g->now + sample_step(g, run) : NEVER;
    g->group.open = true;
    if (run->trace)
        begin_trace(g, run->trace);
}

/* Counters are settled up to the end of the last launch, or up to now if that
 * was none. */
static void end_group(gpu *g, uint64_t end)
{
    gpu_watch_stop(g->watch, g->now);
    settle_blocks(g, end, g->now);
    for (unsigned i = 0; i < g->in_flight; i++) {
        flight *f = &g->flight[g->line[i]];

        for (unsigned k = 0; f->profile && k < g->cfg->gpu.sms; k++)
            sm_profile_end(gpu_nth_sm(g, k), g->line[i], f->profile);
    }
    end_trace(g);
    dispatch_end(g->dispatch, end);
    g->st.cycles += end - g->group.start;
    g->group.open = false;
}

/* ---- Launches ---- */

bool gpu_has_room(const gpu *g, const exec_launch *l)
{
    sm_resources need = sm_cta_needs(g->cfg, l);

    return g->in_flight < g->cfg->gpu.concurrent &&
           (!g->group.open || sm_has_room(dispatch_offer(g->dispatch), &need));
}

unsigned gpu_begin(gpu *g, const exec_launch *l, sm_profile_row *profile)
{
    sm_resources need = sm_cta_needs(g->cfg, l);
    unsigned at = 0;

    MUST(gpu_has_room(g, l));
    if (!g->in_flight)
        begin_group(g);
    while (g->flight[at].launch)
        at++;
    g->flight[at] = (flight){.launch = l,
                             .profile = profile,
                             .start = g->now,
                             .lets_go = gpu_lets_go(l->kernel)};
    g->line[g->in_flight++] = at;
    sm_place place =
        places_take(&g->places, l->kernel, l->arch, sm_local_bytes(g->cfg, l));
    for (unsigned i = 0; i < g->clusters; i++)
        cluster_launch(g->cluster[i], at, l, &place, g->now,
                       i ? gpu_nth_sm(g, 0) : NULL);
    if (profile && g->group.open)
        settle_blocks(g, g->now, g->now);
    for (unsigned i = 0; profile && i < g->cfg->gpu.sms; i++)
        sm_profile_begin(gpu_nth_sm(g, i), at);
    dispatch_start(g->dispatch, at, l->grid, &need, g->now);
    dispatch_kernel(g->dispatch, at, place.code);
    if (g->cfg->gpu.cga.most)
        dispatch_cga(g->dispatch, at, l->cga);
    if (g->cluster_policy)
        cluster_policy_launch(g->cluster_policy, at, l);
    g->group.ctas += dispatch_total(g->dispatch, at);
    g->group.launches++;
    return at;
}

void gpu_inspect(const gpu *g, unsigned n, gpu_result *out)
{
    out->end = g->now;
    out->warp_insts = 0;
    out->start = g->flight[n].start;
    out->ctas = dispatch_finished(g->dispatch, n);
    out->ctas_begun = dispatch_begun(g->dispatch, n);
    for (unsigned i = 0; i < g->cfg->gpu.sms; i++)
        out->warp_insts += sm_launch_insts(gpu_nth_sm(g, i), n);
}

static void remove_launch(gpu *g, unsigned n)
{
    unsigned i = 0;

    while (g->line[i] != n)
        i++;
    g->in_flight--;
    memmove(&g->line[i], &g->line[i + 1], (g->in_flight - i) * sizeof *g->line);
    g->flight[n].launch = NULL;
    for (i = g->cfg->gpu.sms; i-- > 0;) /* twins before the first */
        sm_launch_end(gpu_nth_sm(g, i), n);
}

static void end_launch(gpu *g, unsigned n, gpu_result *out)
{
    const flight *f = &g->flight[n];
    uint64_t end = out->end;

    gpu_inspect(g, n, out);
    out->end = end;
    g->group.end = out->end > g->group.end ? out->end : g->group.end;
    g->st.launches++;
    g->st.ctas += out->ctas - dispatch_skipped(g->dispatch, n);
    out->idle = g->in_flight == 1;
    out->launches = g->group.launches;
    if (out->idle) {
        end_group(g, g->group.end);
        out->group = g->group.end - g->group.start;
    } else if (f->profile) {
        settle_blocks(g, g->now, g->now);
        for (unsigned i = 0; i < g->cfg->gpu.sms; i++)
            sm_profile_end(gpu_nth_sm(g, i), n, f->profile);
    }
    gpu_free_dependents(g, n);
    remove_launch(g, n);
}

void gpu_fail(gpu *g, status st, unsigned n, gpu_result *out)
{
    gpu_inspect(g, n, out);
    out->idle = true;
    out->launches = g->group.launches;
    out->group = g->now - g->group.start;
    end_group(g, g->now);
    if (st != ST_FAULT)
        gpu_watch_waits(g->watch);
    for (unsigned i = 0; i < g->in_flight; i++)
        g->st.ctas += dispatch_finished(g->dispatch, g->line[i]) -
                      dispatch_skipped(g->dispatch, g->line[i]);
    g->st.launches += g->in_flight;
}

status gpu_advance(gpu *g, const gpu_run *run, unsigned *n, gpu_result *out)
{
    fenv_t host;

    MUST(g->in_flight);
    memset(out, 0, sizeof *out);
    *n = g->line[0];
    if (!g->group.open)
        open_group(g, run);
    exec_host_enter(&host);
    if (g->profile)
        window_profile_resume(g->profile);
    status st = run_until_ended(g, run, n, out);
    exec_host_leave(&host);
    if (st != ST_OK && run->look)
        run->look(run->look_arg, g, st);
    if (st != ST_OK)
        gpu_fail(g, st, *n, out);
    else if (!out->paused)
        end_launch(g, *n, out);
    return st;
}

status gpu_launch(gpu *g, const exec_launch *l, const gpu_run *run,
                  sm_profile_row *profile, gpu_result *out)
{
    unsigned n = gpu_begin(g, l, profile);
    status st;

    do {
        st = gpu_advance(g, run, &n, out);
    } while (st == ST_OK && out->lets_go); /* none depends on it */
    return st;
}

uint64_t gpu_now(const gpu *g) { return g->now; }

const window_sums *gpu_windows(const gpu *g)
{
    return g->profile ? window_profile_sums(g->profile) : NULL;
}

const exec_spins *gpu_spins(const gpu *g) { return gpu_watch_found(g->watch); }

void gpu_dump(const gpu *g, FILE *f)
{
    fprintf(f, "cycle %" PRIu64 ": %" PRIu64 " of %" PRIu64 " CTAs done\n",
            g->now, g->ctas_done - g->group.ctas_before, g->group.ctas);
    for (unsigned i = 0; i < g->clusters; i++)
        cluster_dump(g->cluster[i], f);
    for (unsigned i = 0; i < g->partitions; i++)
        partition_dump(g->partition[i], f);
}
