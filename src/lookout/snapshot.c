/* src/lookout/snapshot.c - how the machine is, as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "gpu/inspect.h"
#include "lookout/lookout_impl.h"
#include "report/run.h"
#include "text/json.h"

enum { WAITING = 20 }; /* warps that wait longest */

/* ---- What happened since the last look ---- */

static report_launch launch_of(const lookout *m, const stats *s,
                               const uint64_t *totals, uint64_t cycles)
{
    return (report_launch){
        .cfg = m->how.cfg,
        .stats = s,
        .totals = totals,
        .cycles = cycles,
        .warp_insts = stats_total_sum(s, totals, "sm[*].warp_insts", NULL),
        .thread_insts = stats_total_sum(s, totals, "sm[*].thread_insts", NULL)};
}

static double share_of(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : NAN;
}

static void measure_sms(lookout *m, const gpu *g, uint64_t cycles)
{
    for (unsigned i = 0; i < m->how.cfg->gpu.sms; i++) {
        uint64_t insts = sm_warp_insts(gpu_sm(g, i));

        m->ipc[i] = share_of(insts - m->insts[i], cycles);
        m->insts[i] = insts;
    }
}

static void add_point(lookout *m, uint64_t now)
{
    const figures *f = &m->now;
    lookout_point p = {.to = now,
                       .cycles = m->now_cycles,
                       .issued = share_of(f->issued, f->slots)};

    for (unsigned i = 0; i < LEVELS; i++)
        p.level[i] =
            f->level[i].peak > 0 ? f->level[i].bandwidth / f->level[i].peak : 0;
    lookout_history_add(&m->history, &p);
}

/* Warps that have executed something since are marked anew. */
static void mark_warps(lookout *m, const gpu *g, uint64_t now)
{
    for (unsigned i = 0; i < m->how.cfg->gpu.sms; i++) {
        const sm *s = gpu_sm(g, i);
        lookout_mark *marks = &m->marks[i * LOOKOUT_SLOTS];

        for (unsigned w = 0; w < LOOKOUT_SLOTS; w++) {
            if (!(sm_resident(s) >> w & 1)) {
                marks[w].there = false;
                continue;
            }
            sm_warp_state is = sm_inspect(s, w);
            if (!marks[w].there || marks[w].life != is.life ||
                marks[w].executed != is.x->executed)
                marks[w] = (lookout_mark){.there = true,
                                          .life = is.life,
                                          .executed = is.x->executed,
                                          .since = now};
        }
    }
}

void lookout_measure(lookout *m, rt_device *d, const gpu *g)
{
    uint64_t now = gpu_now(g), cycles = now - m->seen;
    const uint64_t *totals = rt_totals_now(d);
    const stats *s = rt_stats(d);
    size_t n = stats_total_count(s);
    double ran = lookout_ran(m);

    report_launch l = launch_of(m, s, totals, now - m->start);
    figures_compute(&l, &m->all);
    mark_warps(m, g, now);
    if (!m->totals) {
        m->totals = new0(n, sizeof *m->totals);
        m->total_count = n;
    }
    if (!cycles)
        return;
    for (size_t i = 0; i < n; i++) /* what was added, */
        m->totals[i] = totals[i] - m->totals[i];
    l = launch_of(m, s, m->totals, cycles);
    figures_compute(&l, &m->now);
    memcpy(m->totals, totals, n * sizeof *totals); /* and what to add to */
    m->now_cycles = cycles;
    m->cycles_s = ran - m->seen_s > 1e-3 ? (double)cycles / (ran - m->seen_s)
                                         : m->cycles_s;
    measure_sms(m, g, cycles);
    add_point(m, now);
    m->seen = now;
    m->seen_s = ran;
}

/* ---- Parts of the JSON ---- */

static void put_triple(json *j, const char *key, const uint32_t t[3])
{
    json_open(j, key, '[');
    for (unsigned i = 0; i < 3; i++)
        json_u64(j, NULL, t[i]);
    json_close(j, '[');
}

static void put_launches(json *j, const gpu *g)
{
    json_open(j, "launches", '[');
    for (unsigned i = 0; i < gpu_in_flight(g); i++) {
        gpu_launch_state is = gpu_launch_now(g, i);
        const exec_launch *l = is.launch;

        json_open(j, NULL, '{');
        json_text(j, "kernel", l->kernel->name);
        put_triple(j, "grid", l->grid);
        put_triple(j, "block", l->block);
        json_u64(j, "registers", l->kernel->registers);
        json_u64(j, "shared_bytes", l->shared_bytes);
        json_u64(j, "cycles", gpu_now(g) - is.start);
        json_u64(j, "ctas", is.ctas);
        json_u64(j, "ctas_begun", is.begun);
        json_u64(j, "ctas_ended", is.ended);
        json_close(j, '{');
    }
    json_close(j, '[');
}

/* Seconds of the host, those that it stood still left out. */
static void put_host(json *j, const lookout *m, const gpu_progress *is)
{
    double ran = lookout_ran(m);
    double launch_s = ran - m->launch_s;

    json_open(j, "host", '{');
    json_real(j, "launch_s", launch_s);
    json_real(j, "all_s", ran - m->first_s);
    json_real(j, "cycles_per_s", m->cycles_s);
    json_real(j, "insts_per_s",
              launch_s > 0 ? (double)is->warp_insts / launch_s : NAN);
    json_close(j, '{');
}

/* Shares of the slots: those that issued, and each reason why not. */
static void put_slots(json *j, const char *key, const figures *f)
{
    json_open(j, key, '{');
    json_real(j, "issued", share_of(f->issued, f->slots));
    json_real(j, "ipc", f->ipc);
    json_open(j, "stalls", '{');
    for (unsigned i = 0; i < f->stall_count; i++)
        if (f->stalls[i].slots)
            json_real(j, f->stalls[i].name,
                      share_of(f->stalls[i].slots, f->slots));
    json_close(j, '{');
    json_close(j, '{');
}

static void put_levels(json *j, const lookout *m)
{
    json_open(j, "levels", '[');
    for (unsigned i = 0; i < LEVELS; i++) {
        if (!figure_has_level(i, m->how.cfg))
            continue;
        json_open(j, NULL, '{');
        json_text(j, "id", figure_level_id(i));
        json_text(j, "name", figure_level_name(i));
        json_real(j, "peak", m->all.level[i].peak);
        json_real(j, "now", m->now.level[i].bandwidth);
        json_real(j, "mean", m->all.level[i].bandwidth);
        json_real(j, "hit_rate", m->now.level[i].hit_rate);
        json_u64(j, "bytes", m->all.level[i].bytes);
        json_close(j, '{');
    }
    json_close(j, '[');
}

/* Four digits are enough to draw. */
static void put_share(json *j, double share)
{
    json_real(j, NULL, round(share * 1e4) / 1e4);
}

static void put_history(json *j, const lookout *m)
{
    const lookout_history *h = &m->history;
    unsigned n = h->count + (h->held > 0);

    json_open(j, "history", '{');
    json_open(j, "cycle", '[');
    for (unsigned i = 0; i < n; i++)
        json_u64(j, NULL, lookout_history_at(h, i)->to);
    json_close(j, '[');
    json_open(j, "issued", '[');
    for (unsigned i = 0; i < n; i++)
        put_share(j, lookout_history_at(h, i)->issued);
    json_close(j, '[');
    for (unsigned k = 0; k < LEVELS; k++) {
        if (!figure_has_level(k, m->how.cfg))
            continue;
        json_open(j, figure_level_id(k), '[');
        for (unsigned i = 0; i < n; i++)
            put_share(j, lookout_history_at(h, i)->level[k]);
        json_close(j, '[');
    }
    json_close(j, '{');
}

/* A letter for each slot: the number of its reason, '.' if it is free. */
static void put_sms(json *j, const lookout *m, const gpu *g)
{
    json_open(j, "sms", '[');
    for (unsigned i = 0; i < m->how.cfg->gpu.sms; i++) {
        const sm *s = gpu_sm(g, i);
        char states[LOOKOUT_SLOTS + 1] = "";
        unsigned n = m->how.cfg->sm.warps;

        for (unsigned w = 0; w < n && w < LOOKOUT_SLOTS; w++) {
            unsigned why =
                sm_resident(s) >> w & 1 ? sm_inspect(s, w).why : WHY_COUNT;

            states[w] = (char)(why == WHY_COUNT ? '.'
                               : why < 26       ? 'A' + why
                                                : 'a' + why - 26);
        }
        json_open(j, NULL, '{');
        json_u64(j, "ctas", sm_resident_ctas(s));
        json_u64(j, "warps", bits_popcount64(sm_resident(s)));
        json_real(j, "ipc", m->ipc[i]);
        json_text(j, "states", states);
        json_close(j, '{');
    }
    json_close(j, '[');
}

/* ---- Warps that wait longest ---- */

typedef struct waiting {
    uint64_t since;
    unsigned sm, slot;
} waiting;

static int by_since(const void *a, const void *b)
{
    const waiting *x = a, *y = b;

    if (x->since != y->since)
        return x->since < y->since ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static void put_waiting(json *j, const gpu *g, const waiting *is)
{
    const sm *s = gpu_sm(g, is->sm);
    sm_warp_state w = sm_inspect(s, is->slot);
    char *words = NULL;
    size_t size;
    FILE *f = open_memstream(&words, &size);

    ALLOC_MUST(f);
    sm_put_wait(s, is->slot, f);
    fclose(f);
    json_open(j, NULL, '{');
    json_u64(j, "sm", is->sm);
    json_u64(j, "slot", is->slot);
    json_u64(j, "cta", w.x->cta->number);
    json_u64(j, "warp", w.x->index);
    json_text(j, "kernel", w.x->cta->launch->kernel->name);
    json_u64(j, "cycles", gpu_now(g) - is->since);
    json_text(j, "why", sm_why_names[w.why]);
    json_text(j, "words", words);
    lookout_put_place(j, w.x->cta->launch, w.pc);
    json_close(j, '{');
    free(words);
}

static void put_longest(json *j, const lookout *m, const gpu *g)
{
    unsigned sms = m->how.cfg->gpu.sms;
    waiting *all = new_array((size_t)sms * LOOKOUT_SLOTS, sizeof *all);
    size_t n = 0;

    for (unsigned i = 0; i < sms; i++)
        for (unsigned w = 0; w < LOOKOUT_SLOTS; w++) {
            const lookout_mark *mark = &m->marks[i * LOOKOUT_SLOTS + w];

            if (mark->there && (mark->since < gpu_now(g) || m->failed != ST_OK))
                all[n++] = (waiting){mark->since, i, w};
        }
    qsort(all, n, sizeof *all, by_since);
    json_open(j, "waiting", '[');
    for (size_t i = 0; i < n && i < WAITING; i++)
        put_waiting(j, g, &all[i]);
    json_close(j, '[');
    free(all);
}

/* ---- All of it ---- */

static void put_control(json *j, const lookout *m)
{
    json_bool(j, "paused", m->standing);
    json_u64(j, "until", m->until);
    json_text(j, "failed",
              m->failed == ST_OK ? NULL : report_status(m->failed));
}

char *lookout_snapshot(lookout *m, const gpu *g)
{
    gpu_progress is = gpu_progress_now(g);
    char *waits = m->standing ? gpu_waits_now(g) : NULL;
    json_memory text;
    json *j = json_memory_begin(&text);

    put_control(j, m);
    json_u64(j, "launch", m->number + 1);
    json_u64(j, "launches_all", m->total);
    json_u64(j, "now", gpu_now(g));
    json_u64(j, "cycle", gpu_now(g) - m->start);
    json_u64(j, "ctas", is.ctas);
    json_u64(j, "ctas_ended", is.ctas_done);
    json_u64(j, "warp_insts", is.warp_insts);
    json_text(j, "spin", is.spin[0] ? is.spin : NULL);
    json_text(j, "waits", waits);
    put_launches(j, g);
    put_host(j, m, &is);
    put_slots(j, "slots_now", &m->now);
    put_slots(j, "slots_all", &m->all);
    put_levels(j, m);
    put_history(j, m);
    put_sms(j, m, g);
    put_longest(j, m, g);
    free(waits);
    return json_memory_end(&text);
}
