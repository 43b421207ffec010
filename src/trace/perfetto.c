/* src/trace/perfetto.c - a trace for ui.perfetto.dev: of each SM its
 * schedulers, warps, units, load and store unit, memory requests and queues;
 * of the machine the queues of L2 and DRAM. A cycle is a nanosecond. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "sm/decode.h"
#include "sm/sm.h"
#include "sm/stats.h"
#include "trace/tracks.h"
#include "trace/writer.h"

enum {
    SLOTS = 64,       /* warps of an SM */
    UNITS = 16,       /* kinds */
    LANES = 64,       /* tracks side by side for slices that overlap */
    LAUNCH_GAP = 100, /* cycles drawn between two launches */
    ISSUES = 0xffff,  /* in place of TRACE_WAIT's b: the cycle of issue */
};

/* Slices that overlap take turns on tracks. */
typedef struct lanes {
    uint64_t track[LANES], busy[LANES]; /* busy until; NEVER: unknown */
    unsigned count;
} lanes;

typedef struct warp_view {
    uint64_t track;
    bool alive;
    uint64_t cta;
    unsigned why;
    uint32_t inst, pc;
    bool dirty; /* it has changed in this cycle, to: */
    unsigned new_why;
    uint32_t new_inst, new_pc;
    bool standing, waiting; /* slices of `inst` and `why` are open */
} warp_view;

typedef struct sm_view {
    uint64_t sm, cluster, schedulers, warps, units, memory, lsu, group;
    uint64_t scheduler[8];
    warp_view warp[SLOTS];
    lanes unit[UNITS], request;
    uint64_t queue_track, ctas_track, warps_track, level[2][2];
    uint64_t request_level; /* of the L1's request queues */
    uint64_t queued, resident;
    uint8_t cta_warps[SLOTS];
    unsigned ctas;
    bool in_lsu;
    bool staged; /* a slice of `cluster` is open */
} sm_view;

typedef struct perfetto {
    trace_writer is;
    tracks *t;
    const trace_launch *l;
    sm_decoded code;
    char **text, **line; /* by pc; NULL: not made yet */
    uint64_t root, machine, l2, dram, power;
    sm_view **sm;
    uint64_t *l2_level[2];   /* tracks, by slice */
    uint64_t *dram_level[2]; /* tracks, by channel */
    uint32_t *dram_held[2];
    uint32_t *dirty;
    size_t dirty_count;
    uint64_t base; /* time of cycle 0 */
} perfetto;

/* ---- Tracks ---- */

static uint64_t child_track(perfetto *p, uint64_t parent, const char *unit,
                            const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static uint64_t child_track(perfetto *p, uint64_t parent, const char *unit,
                            const char *fmt, ...)
{
    char name[160];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    return tracks_add(p->t, parent, name, unit);
}

static sm_view *view(perfetto *p, unsigned n)
{
    if (p->sm[n])
        return p->sm[n];
    sm_view *v = p->sm[n] = new0(1, sizeof *v);
    v->sm = child_track(p, p->root, NULL, "SM %u", n);
    v->ctas_track = child_track(p, v->sm, "CTAs", "CTAs");
    v->warps_track = child_track(p, v->sm, "warps", "warps resident");
    if (p->l->cfg->gpu.cluster.size > 1)
        v->cluster = child_track(p, v->sm, NULL, "cluster");
    v->schedulers = child_track(p, v->sm, NULL, "schedulers");
    for (unsigned i = 0; i < p->l->cfg->sm.issue.schedulers; i++)
        v->scheduler[i] =
            child_track(p, v->schedulers, NULL, "scheduler %u", i);
    v->warps = child_track(p, v->sm, NULL, "warps");
    v->units = child_track(p, v->sm, NULL, "units");
    v->memory = child_track(p, v->sm, NULL, "memory");
    v->lsu = child_track(p, v->memory, NULL, "load and store unit");
    v->queue_track = child_track(p, v->memory, "instructions", "LSU queue");
    for (unsigned ro = 0; ro < 2; ro++)
        for (unsigned q = 0; q < 2; q++)
            v->level[ro][q] =
                ro && !p->l->cfg->rocache.sets
                    ? 0
                    : child_track(p, v->memory, "entries", "%s %s",
                                  ro ? "read-only cache" : "L1",
                                  trace_queue_names[TRACE_QUEUE_L1_MSHR + q]);
    if (p->l->cfg->l1.queue != CFG_L1_QUEUE_FIFO)
        v->request_level =
            child_track(p, v->memory, "entries", "L1 %s",
                        trace_queue_names[TRACE_QUEUE_L1_REQUEST]);
    return v;
}

/* A track that is free now and until `until`. */
static uint64_t take_lane(perfetto *p, lanes *l, uint64_t parent,
                          uint64_t until, const char *name)
{
    uint64_t now = tracks_now(p->t);
    unsigned i = 0;

    while (i < l->count && l->busy[i] > now)
        i++;
    if (i == LANES)
        return 0; /* too many to look at */
    if (i == l->count) {
        l->count++;
        l->track[i] = child_track(p, parent, NULL, "%s %u", name, i);
    }
    l->busy[i] = until;
    return l->track[i];
}

static const char *text_of_inst(perfetto *p, uint32_t pc)
{
    strbuf b = {0};

    if (pc >= p->l->kernel->code_count)
        return "?";
    if (!p->text[pc]) {
        trace_text(p->l, pc, &b);
        p->text[pc] = b.text;
        b = (strbuf){0};
        if (trace_line(p->l, pc, &b))
            p->line[pc] = b.text;
    }
    return p->text[pc];
}

static const char *line_of(const perfetto *p, uint32_t pc)
{
    return pc < p->l->kernel->code_count ? p->line[pc] : NULL;
}

/* ---- Warps ---- */

/* What a warp is at, when the cycle is over. */
static void show_warp(perfetto *p, warp_view *w)
{
    bool moved = w->inst != w->new_inst || !w->standing;

    w->dirty = false;
    if (!w->alive || (!moved && w->why == w->new_why && w->waiting))
        return;
    if (w->waiting)
        tracks_end(p->t, w->track);
    if (moved && w->standing)
        tracks_end(p->t, w->track);
    w->inst = w->new_inst;
    w->pc = w->new_pc;
    w->why = w->new_why;
    if (moved) {
        const char *text =
            w->inst ? text_of_inst(p, w->pc) : "no instruction yet";

        tracks_begin(p->t, w->track, text,
                     &(tracks_note){.line = line_of(p, w->pc)});
    }
    tracks_begin(p->t, w->track,
                 w->why == ISSUES ? "issues" : trace_why(w->why), NULL);
    w->standing = w->waiting = true;
}

static void show_warps(perfetto *p)
{
    for (size_t i = 0; i < p->dirty_count; i++)
        show_warp(p, &p->sm[p->dirty[i] / SLOTS]->warp[p->dirty[i] % SLOTS]);
    p->dirty_count = 0;
}

static void set_warp(perfetto *p, const trace_event *e, unsigned why)
{
    warp_view *w = &view(p, e->sm)->warp[e->warp];

    if (!w->alive)
        return;
    w->new_why = why;
    w->new_inst = e->inst;
    w->new_pc = e->a;
    if (!w->dirty)
        p->dirty[p->dirty_count++] = (uint32_t)e->sm * SLOTS + e->warp;
    w->dirty = true;
}

static void close_warp(perfetto *p, warp_view *w)
{
    if (!w->alive)
        return;
    for (unsigned i = 0; i < 1u + w->standing + w->waiting; i++)
        tracks_end(p->t, w->track);
    w->alive = w->standing = w->waiting = false;
}

static void count_warps(perfetto *p, sm_view *v, unsigned cta, int by)
{
    unsigned before = v->cta_warps[cta % SLOTS], after;

    after = v->cta_warps[cta % SLOTS] = (uint8_t)((int)before + by);
    v->resident += (uint64_t)by;
    tracks_count(p->t, v->warps_track, v->resident);
    if (!before == !after)
        return;
    v->ctas += after ? 1u : -1u;
    tracks_count(p->t, v->ctas_track, v->ctas);
}

static void warp_life(perfetto *p, const trace_event *e)
{
    sm_view *v = view(p, e->sm);
    warp_view *w = &v->warp[e->warp];
    char name[64];

    if (e->kind == TRACE_WARP_END) {
        close_warp(p, w);
        count_warps(p, v, e->b, -1);
        return;
    }
    if (!w->track)
        w->track = child_track(p, v->warps, NULL, "warp %02u", e->warp);
    *w = (warp_view){.track = w->track, .alive = true, .cta = e->addr};
    snprintf(name, sizeof name, "CTA %" PRIu64 ", warp %u", e->addr, e->a);
    tracks_begin(p->t, w->track, name, NULL);
    count_warps(p, v, e->b, 1);
}

/* ---- Clusters ---- */

static void perfetto_stage(perfetto *p, const trace_event *e)
{
    static const char *const names[] = {[CLUSTER_ALONE] = "alone",
                                        [CLUSTER_FORMING] = "forming",
                                        [CLUSTER_SHARED] = "shared",
                                        [CLUSTER_DISSOLVING] = "dissolving"};
    sm_view *v = view(p, e->sm);

    if (!v->cluster)
        return;
    if (v->staged)
        tracks_end(p->t, v->cluster);
    tracks_begin(p->t, v->cluster, names[e->a % COUNTOF(names)], NULL);
    v->staged = true;
}

/* ---- Instructions ---- */

static uint64_t flow_of(const trace_inst *in)
{
    return (uint64_t)(in->sm + 1) << 40 | in->inst;
}

static void perfetto_issue(perfetto *p, const trace_event *e,
                           const trace_inst *in)
{
    bool mem = p->code.inst[in->pc].flags & INST_MEM;
    uint64_t track = view(p, e->sm)->scheduler[e->b % 8];

    set_warp(p, e, ISSUES);
    tracks_begin(
        p->t, track, text_of_inst(p, in->pc),
        &(tracks_note){.line = line_of(p, in->pc),
                       .lanes = (unsigned)__builtin_popcount(in->lanes),
                       .flow = mem ? flow_of(in) : 0});
    tracks_end_at(p->t, track, p->base + e->cycle + 1);
}

static void perfetto_execute(perfetto *p, const trace_event *e,
                             const trace_inst *in)
{
    sm_view *v = view(p, e->sm);
    uint64_t until = p->base + e->cycle + (e->a ? e->a : 1);
    uint64_t track =
        take_lane(p, &v->unit[e->b % UNITS], v->units, until, trace_unit(e->b));

    if (!track)
        return;
    tracks_begin(p->t, track, text_of_inst(p, in->pc), NULL);
    tracks_end_at(p->t, track, until);
}

static void load_store(perfetto *p, const trace_event *e, const trace_inst *in)
{
    sm_view *v = view(p, e->sm);

    if (e->kind == TRACE_LSU_QUEUE) {
        tracks_count(p->t, v->queue_track, ++v->queued);
    } else if (e->kind == TRACE_LSU_START) {
        tracks_begin(
            p->t, v->lsu, text_of_inst(p, in->pc),
            &(tracks_note){.line = line_of(p, in->pc), .flow = flow_of(in)});
        v->in_lsu = true;
    } else if (e->kind == TRACE_LSU_DONE) {
        if (v->in_lsu)
            tracks_end(p->t, v->lsu);
        v->in_lsu = false;
        if (v->queued)
            tracks_count(p->t, v->queue_track, --v->queued);
    }
}

/* ---- Requests ---- */

static void begin_request(perfetto *p, const trace_inst *in, trace_tx *t)
{
    static const char *const kinds[] = {"load", "store", "atomic"};
    sm_view *v = view(p, in->sm);

    t->own = take_lane(p, &v->request, v->memory, NEVER, "request");
    if (!t->own)
        return;
    tracks_begin(p->t, t->own, t->kind < 3 ? kinds[t->kind] : "?",
                 &(tracks_note){.text = text_of_inst(p, in->pc),
                                .line = line_of(p, in->pc),
                                .address = t->line,
                                .flow = flow_of(in)});
    tracks_begin(p->t, t->own, trace_places[t->place], NULL);
}

static void end_request(perfetto *p, const trace_inst *in, trace_tx *t)
{
    lanes *l = &view(p, in->sm)->request;

    if (!t->own)
        return;
    tracks_end(p->t, t->own);
    tracks_end(p->t, t->own);
    for (unsigned i = 0; i < l->count; i++)
        if (l->track[i] == t->own)
            l->busy[i] = tracks_now(p->t);
    t->own = 0;
}

static void perfetto_request(perfetto *p, const trace_event *e,
                             const trace_inst *in, trace_tx *t)
{
    if (e->kind == TRACE_REQUEST) {
        begin_request(p, in, t);
    } else if (e->kind == TRACE_REPLY) {
        end_request(p, in, t);
    } else if (t->own && e->kind != TRACE_L1_REFUSE &&
               e->kind != TRACE_L2_REFUSE) {
        tracks_end(p->t, t->own);
        tracks_begin(p->t, t->own, trace_places[t->place], NULL);
    }
}

/* ---- Queues ---- */

static uint64_t queue_track(perfetto *p, uint64_t *row, unsigned i,
                            uint64_t parent, const char *block,
                            const char *name)
{
    if (!row[i])
        row[i] = child_track(p, parent, "entries", "%s %u: %s", block, i, name);
    return row[i];
}

static void perfetto_level(perfetto *p, const trace_event *e)
{
    const char *name = trace_queue_names[e->b];
    unsigned q = e->b & 1;

    if (e->b == TRACE_QUEUE_L1_REQUEST) {
        tracks_count(p->t, view(p, e->unit / 2)->request_level, e->a);
    } else if (e->kind == TRACE_L1_LEVEL) {
        tracks_count(p->t, view(p, e->unit / 2)->level[e->unit & 1][q], e->a);
    } else if (e->kind == TRACE_L2_LEVEL) {
        tracks_count(
            p->t, queue_track(p, p->l2_level[q], e->unit, p->l2, "slice", name),
            e->a);
    } else {
        uint32_t *held = &p->dram_held[q][e->unit];

        *held += e->kind == TRACE_DRAM_ENTER ? e->a : -e->a;
        tracks_count(
            p->t,
            queue_track(p, p->dram_level[q], e->unit, p->dram, "channel", name),
            *held);
    }
}

/* ---- Events ---- */

static bool is_level(const trace_event *e) { return e->kind >= TRACE_L1_LEVEL; }

static void perfetto_event(void *arg, const trace_event *e, trace_inst *in,
                           trace_tx *t)
{
    perfetto *p = arg;
    uint64_t now = p->base + e->cycle;

    if (now > tracks_now(p->t))
        show_warps(p);
    tracks_time(p->t, now);
    if (is_level(e))
        perfetto_level(p, e);
    else if (e->kind == TRACE_WARP_BEGIN || e->kind == TRACE_WARP_END)
        warp_life(p, e);
    else if (e->kind == TRACE_WAIT)
        set_warp(p, e, e->b);
    else if (e->kind == TRACE_STAGE)
        perfetto_stage(p, e);
    else if (in && t)
        perfetto_request(p, e, in, t);
    else if (in && e->kind == TRACE_ISSUE)
        perfetto_issue(p, e, in);
    else if (in && e->kind == TRACE_EXECUTE)
        perfetto_execute(p, e, in);
    else if (in)
        load_store(p, e, in);
}

static void add_tracks(perfetto *p)
{
    const trace_launch *l = p->l;

    p->root =
        child_track(p, 0, NULL, "%s on %s, launch %" PRIu64 " (1 cycle = 1 ns)",
                    l->kernel->name, l->cfg->gpu.name, l->number);
    p->machine = child_track(p, p->root, NULL, "memory of the machine");
    p->l2 = child_track(p, p->machine, NULL, "L2 slices");
    p->dram = child_track(p, p->machine, NULL, "DRAM channels");
    p->power = 0;
}

static void perfetto_begin(trace_writer *w, const trace_launch *l)
{
    perfetto *p = (perfetto *)w;
    const config *cfg = l->cfg;

    p->l = l;
    p->base = tracks_now(p->t) ? tracks_now(p->t) + LAUNCH_GAP : 0;
    sm_decode_load(&p->code, cfg, l->kernel, l->arch, 0);
    p->text = new0(l->kernel->code_count, sizeof *p->text);
    p->line = new0(l->kernel->code_count, sizeof *p->line);
    p->sm = new0(cfg->gpu.sms, sizeof *p->sm);
    p->dirty = new0((size_t)cfg->gpu.sms * SLOTS, sizeof *p->dirty);
    for (unsigned q = 0; q < 2; q++) {
        p->l2_level[q] = new0(cfg->l2.slices, sizeof *p->l2_level[q]);
        p->dram_level[q] = new0(cfg->dram.channels, sizeof *p->dram_level[q]);
        p->dram_held[q] = new0(cfg->dram.channels, sizeof *p->dram_held[q]);
    }
    add_tracks(p);
}

static void close_slices(perfetto *p, const trace_flow *f)
{
    for (trace_inst *in = trace_flow_next(f, NULL); in;
         in = trace_flow_next(f, in))
        for (unsigned i = 0; i < in->tx_count; i++)
            end_request(p, in, &in->tx[i]);
    for (unsigned i = 0; i < p->l->cfg->gpu.sms; i++) {
        if (!p->sm[i])
            continue;
        if (p->sm[i]->in_lsu)
            tracks_end(p->t, p->sm[i]->lsu);
        if (p->sm[i]->staged)
            tracks_end(p->t, p->sm[i]->cluster);
        for (unsigned k = 0; k < SLOTS; k++)
            close_warp(p, &p->sm[i]->warp[k]);
    }
}

static void perfetto_end(trace_writer *w, const trace_flow *f, uint64_t cycle)
{
    perfetto *p = (perfetto *)w;
    uint32_t count = p->l->kernel->code_count;

    show_warps(p);
    tracks_time(p->t, p->base + cycle);
    tracks_close(p->t);
    close_slices(p, f);
    for (uint32_t i = 0; i < count; i++) {
        free(p->text[i]);
        free(p->line[i]);
    }
    free(p->text);
    free(p->line);
    for (unsigned i = 0; i < p->l->cfg->gpu.sms; i++)
        free(p->sm[i]);
    free(p->sm);
    free(p->dirty);
    for (unsigned q = 0; q < 2; q++) {
        free(p->l2_level[q]);
        free(p->dram_level[q]);
        free(p->dram_held[q]);
    }
}

void trace_perfetto_power(trace_writer *w, uint64_t start, double watts)
{
    perfetto *p = (perfetto *)w;

    if (!p->power)
        p->power = child_track(p, p->root, "W", "power, mean of each sample");
    tracks_sample(p->t, TRACKS_POWER, p->power, p->base + start, watts);
}

/* A value is written when it differs from the last one. */
void trace_perfetto_warps(trace_writer *w, const stats_series *warps)
{
    perfetto *p = (perfetto *)w;
    size_t n = warps->count ? warps->blocks : 0;
    uint64_t *track = new0(n + 1, sizeof *track), begin = 0;
    double *last = new0(n + 1, sizeof *last);

    if (n)
        track[n] =
            child_track(p, p->root, NULL, "resident warps, mean of each step");
    for (size_t i = 0; i < n; i++)
        track[i] = child_track(p, track[n], "warps", "SM %02zu", i);
    for (size_t k = 0; n && k <= warps->count; k++) {
        for (size_t i = 0; i < n; i++) {
            double v = 0; /* behind the last step */

            if (k < warps->count)
                v = (double)warps->value[k * n + i] /
                    (double)(warps->end[k] - begin);
            if (!k || v != last[i])
                tracks_sample(p->t, TRACKS_WARPS, track[i], p->base + begin, v);
            last[i] = v;
        }
        begin = k < warps->count ? warps->end[k] : begin;
    }
    free(track);
    free(last);
}

static void perfetto_free(trace_writer *w)
{
    perfetto *p = (perfetto *)w;

    sm_decode_fini(&p->code);
    tracks_free(p->t);
    free(p);
}

static const trace_writer_ops perfetto_ops = {perfetto_begin, perfetto_event,
                                              perfetto_end, perfetto_free};

trace_writer *trace_perfetto_new(FILE *f)
{
    perfetto *p = new0(1, sizeof *p);

    p->is.ops = &perfetto_ops;
    p->t = tracks_new(f);
    return &p->is;
}
