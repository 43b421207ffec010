#include "gpu/watch.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "sm/observe/spin.h"

enum {
    FIRST_INSTS = 1 << 22, /* before which nobody has waited for long */
    LEAST_CYCLES = 1 << 15,
    LEAST_INSTS = 1 << 16,
    MOST_CYCLES = 1 << 24,
    SHARE = 64,    /* one part of so many is looked at */
    LONGEST = 256, /* times as long where nothing happens at all */
};

struct gpu_watch {
    gpu_watched m;
    unsigned window; /* cycles */
    bool on, known;
    bool clean;                  /* no store was under way when it began */
    uint64_t cycles;             /* how long to look, */
    uint64_t insts;              /* or for how many instructions, until */
    uint64_t begin, end;         /* of this time */
    uint64_t begin_insts;        /* issued by then */
    uint64_t start, start_insts; /* of the group */
    uint64_t first_insts;        /* when to look first, by instructions, */
    uint64_t at;                 /* and by cycles */
    unsigned times;              /* as long as usual, this time */
    bool alone;                  /* as the last moment had it */
    exec_spins found;
};

gpu_watch *gpu_watch_new(const gpu_watched *m)
{
    gpu_watch *w = new0(1, sizeof *w);

    w->m = *m;
    w->window = noc_window(m->cfg);
    return w;
}

static sm *nth_sm(const gpu_watch *w, unsigned i)
{
    unsigned per = w->m.cfg->gpu.cluster.size;

    return cluster_sm(w->m.cluster[i / per], i % per);
}

static void end_all(gpu_watch *w)
{
    for (unsigned i = 0; w->on && i < w->m.cfg->gpu.sms; i++)
        sm_spin_end(nth_sm(w, i));
    w->on = false;
}

void gpu_watch_free(gpu_watch *w)
{
    if (!w)
        return;
    exec_spins_fini(&w->found);
    free(w);
}

void gpu_watch_group(gpu_watch *w, uint64_t now, uint64_t issued)
{
    end_all(w);
    exec_spins_fini(&w->found);
    w->known = false;
    w->start = now;
    w->start_insts = issued;
    w->cycles = LEAST_CYCLES;
    w->insts = LEAST_INSTS;
    w->at = now + w->m.cfg->gpu.hang_cycles;
    w->first_insts = issued + FIRST_INSTS;
}

/* ---- What is seen ---- */

static const exec_launch *launch_of(void *self, unsigned n)
{
    const gpu_watch *w = self;

    return w->m.launch(w->m.self, n);
}

/* Of all SMs the one that wrote last, where two did in one cycle the lowest. */
static const exec_writer *find_last_writer(void *self, uint64_t addr,
                                           unsigned size, bool shared,
                                           uint64_t cta, bool *may)
{
    const gpu_watch *w = self;
    const exec_writer *best = NULL;

    *may = shared;
    for (unsigned i = 0; i < w->m.cfg->gpu.sms; i++) {
        const exec_writers *of = sm_writers(nth_sm(w, i));
        const exec_writer *x = exec_writers_find(of, addr, size, shared, cta);

        *may |= exec_writers_may(of, addr);
        if (x && (!best || x->when > best->when))
            best = x;
    }
    return best;
}

static const exec_warp *warp_of(void *self, const exec_writer *by)
{
    const gpu_watch *w = self;
    const exec_warp *x = NULL;

    for (unsigned i = 0; i < w->m.cfg->gpu.sms && !x; i++)
        x = sm_warp_of(nth_sm(w, i), by->launch, by->cta, by->warp);
    return x;
}

static uint64_t stores(const gpu_watch *w)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < w->m.cfg->gpu.sms; i++)
        n += sm_stores(nth_sm(w, i));
    return n;
}

static bool same_place(const exec_spins *a, const exec_spins *b)
{
    return a->count && b->count && a->is->pc == b->is->pc &&
           a->is->addr == b->is->addr && a->is->shared == b->is->shared;
}

void gpu_watch_waits(gpu_watch *w)
{
    exec_waits *ws;

    if (w->found.waits)
        return;
    ws = exec_waits_new();
    for (unsigned i = 0; i < w->m.cfg->gpu.sms; i++)
        sm_waits(nth_sm(w, i), ws);
    w->found.waits = exec_waits_end(ws);
}

/* Takes what was seen until `now`. False: there is nothing to be seen but
 * warps that go round in circles, and some that do not get their turn: it is
 * worth to look for longer. */
static bool take(gpu_watch *w, uint64_t now)
{
    const exec_machine m = {.self = w,
                            .launch = launch_of,
                            .find = find_last_writer,
                            .warp = warp_of,
                            .image = w->m.image,
                            .timed = true};
    exec_gather *g = exec_gather_new(&m);
    uint64_t last = 0;

    for (unsigned i = 0; i < w->m.cfg->gpu.sms; i++)
        sm_spin_gather(nth_sm(w, i), g, &last);
    bool endless = w->alone && w->clean && last <= w->begin && !stores(w) &&
                   w->m.cfg->gpu.cluster.size == 1 &&
                   exec_gather_still(g, w->begin);
    bool slow = exec_gather_slow(g, w->begin);
    bool more = slow && last <= w->begin && exec_gather_circles(g);
    if (slow && !more && w->cycles < MOST_CYCLES) {
        w->cycles *= 2;
        w->insts *= 2;
    }
    exec_spins is = exec_gather_end(g);
    is.from = is.since = w->begin - w->start;
    is.to = now - w->start;
    is.endless = endless;
    if (same_place(&is, &w->found))
        is.since = w->found.since;
    w->m.ctas(w->m.self, &is.ctas, &is.started);
    exec_spins_fini(&w->found);
    w->found = is;
    w->known = true;
    if (endless)
        gpu_watch_waits(w);
    return !more;
}

/* ---- When ---- */

static void begin(gpu_watch *w, uint64_t at, uint64_t issued)
{
    for (unsigned i = 0; i < w->m.cfg->gpu.sms; i++)
        sm_spin_begin(nth_sm(w, i), at);
    w->on = true;
    w->times = 1;
    w->clean = !stores(w);
    w->begin = at;
    w->begin_insts = issued;
    w->end = at + (w->cycles + w->window - 1) / w->window * w->window;
}

/* In cycle `at`; goes on where that may be worth it. */
static void end(gpu_watch *w, uint64_t at)
{
    w->first_insts = 0;
    if (!take(w, at) && w->times < LONGEST) {
        w->times *= 2;
        w->end = w->begin + w->times * ((w->cycles + w->window - 1) /
                                        w->window * w->window);
        return;
    }
    end_all(w);
    w->at = at + SHARE * (at - w->begin);
}

/* So long before the run is cut off that it is known then what happens. */
static uint64_t before_limit(const gpu_watch *w, uint64_t limit)
{
    uint64_t all = limit == NEVER ? 0 : limit - w->start;

    if (limit == NEVER)
        return NEVER;
    return limit - (all / 2 < w->cycles ? all / 2 : w->cycles);
}

/* The first window in which to look, given that nothing happens before the
 * next; NEVER: not yet. */
static uint64_t begins(const gpu_watch *w, const gpu_moment *m)
{
    uint64_t at = w->at, cut = before_limit(w, m->limit);

    if (m->asked || (w->first_insts && m->issued >= w->first_insts))
        return m->now;
    if (cut >= w->begin + w->cycles || !w->known)
        at = cut < at ? cut : at;
    if (at > m->next)
        return NEVER;
    at = (at + w->window - 1) / w->window * w->window;
    return at > m->now ? at : m->now;
}

/* It has looked for long enough by cycles, or, where it would take too long,
 * by instructions. */
static bool is_due(const gpu_watch *w, const gpu_moment *m)
{
    uint64_t insts = m->issued - w->begin_insts;

    return m->next >= w->end ||
           (insts >= w->times * w->insts &&
            insts * SHARE >= w->times * (m->issued - w->start_insts));
}

bool gpu_watch_turn(gpu_watch *w, const gpu_moment *m, uint64_t *at)
{
    w->alone = m->alone;
    if (w->on && is_due(w, m)) {
        *at = m->now > w->end || m->next < w->end ? m->now : w->end;
        end(w, *at);
        if (w->found.endless)
            return true;
    }
    if (!w->on) {
        uint64_t from = begins(w, m);

        if (from != NEVER)
            begin(w, from, m->issued);
    }
    return false;
}

void gpu_watch_stop(gpu_watch *w, uint64_t now)
{
    if (w->on && (!w->known || now - w->begin >= w->cycles / 2))
        take(w, now);
    end_all(w);
}

bool gpu_watch_knows(const gpu_watch *w) { return w->known; }

const exec_spins *gpu_watch_found(const gpu_watch *w) { return &w->found; }
