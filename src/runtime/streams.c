#include "runtime/streams.h"

#include <stdlib.h>

#include "base/must.h"
#include "runtime/internal.h"

#define NONE ((size_t)-1)

typedef struct flying { /* a launch in flight, or prepared */
    bool taken;
    exec_launch e;
    rt_banks banks;
    rt_part part;
} flying;

typedef struct running {
    const rt_streams *of;
    rt_device *d;
    diag *dg;
    size_t *next;    /* per launch: the next of its stream, or NONE */
    size_t *head;    /* per stream: the first that has not ended, or NONE */
    bool *busy;      /* per stream: that one is in flight */
    flying **flying; /* most + 1 of them, NULL: not needed yet */
    flying **by_gpu; /* by the machine's number */
    unsigned most, in_flight;
    status wrong;   /* a launch that cannot begin; then no more do */
    flying *ready;  /* waits for room; NULL: none */
    rt_timed timed; /* of the group, */
    rt_result sum;  /* what came out of it, */
    rt_part *part;  /* and the launches of it that have ended */
    size_t parts;
} running;

static bool init(running *r)
{
    const rt_streams *of = r->of;

    r->most = r->d->cfg->gpu.concurrent;
    r->next = calloc(of->count + 1, sizeof *r->next);
    r->head = calloc(of->streams + 1, sizeof *r->head);
    r->busy = calloc(of->streams + 1, sizeof *r->busy);
    r->flying = calloc(r->most + 1, sizeof *r->flying);
    r->by_gpu = calloc(r->most, sizeof *r->by_gpu);
    r->part = calloc(of->count + 1, sizeof *r->part);
    if (!r->next || !r->head || !r->busy || !r->flying || !r->by_gpu ||
        !r->part)
        return false;
    for (unsigned i = 0; i < of->streams; i++)
        r->head[i] = NONE;
    for (size_t i = of->count; i-- > 0;) {
        MUST(of->stream[i] < of->streams);
        r->next[i] = r->head[of->stream[i]];
        r->head[of->stream[i]] = i;
    }
    return true;
}

static void fini(running *r)
{
    for (unsigned i = 0; r->flying && i <= r->most; i++) {
        if (r->flying[i])
            free(r->flying[i]->banks.bytes);
        free(r->flying[i]);
    }
    free(r->flying);
    free(r->by_gpu);
    free(r->next);
    free(r->head);
    free(r->busy);
    free(r->part);
}

/* ---- Beginning ---- */

/* The first of the list that waits for nothing but room; NONE. */
static size_t first_ready(const running *r)
{
    size_t first = NONE;

    for (unsigned i = 0; i < r->of->streams; i++)
        if (!r->busy[i] && r->head[i] < first)
            first = r->head[i];
    return first;
}

/* NULL if memory runs out. */
static flying *take_place(running *r)
{
    unsigned i = 0;

    while (r->flying[i] && r->flying[i]->taken)
        i++;
    if (!r->flying[i])
        r->flying[i] = calloc(1, sizeof *r->flying[i]);
    if (r->flying[i])
        r->flying[i]->taken = true;
    return r->flying[i];
}

/* Makes the next launch ready; there may be none. */
static status prepare(running *r)
{
    size_t n = first_ready(r);
    rt_result known;

    if (r->ready || n == NONE)
        return ST_OK;
    flying *f = take_place(r);
    if (!f) {
        diag_error(r->dg, "out of memory");
        return ST_NOMEM;
    }
    status st =
        rt_prepare(r->d, &r->of->launch[n], &f->banks, &f->e, r->dg, &known);
    if (st != ST_OK) {
        f->taken = false;
        return st;
    }
    f->part = (rt_part){.number = n,
                        .ctas_per_sm = known.ctas_per_sm,
                        .limiter = known.limiter};
    r->ready = f;
    return ST_OK;
}

static status begin_group(running *r, const rt_launch *first)
{
    if (!rt_prepare_machine(r->d, r->dg))
        return ST_NOMEM;
    r->parts = 0;
    r->sum = (rt_result){.start = r->d->cycles_before + gpu_now(r->d->gpu)};
    rt_timed_begin(&r->timed, r->d, first);
    if (r->of->begins)
        r->of->begins(r->of->arg, first);
    return ST_OK;
}

static status begin(running *r, flying *f)
{
    const rt_launch *l = &r->of->launch[f->part.number];
    status st = r->in_flight ? ST_OK : begin_group(r, l);
    unsigned n;

    if (st != ST_OK)
        return st;
    st = gpu_begin(r->d->gpu, &f->e, l->profile, &n);
    if (st != ST_OK) {
        rt_describe(r->d, &f->e, st, NULL, l, r->dg);
        return st;
    }
    r->by_gpu[n] = f;
    r->in_flight++;
    r->busy[r->of->stream[f->part.number]] = true;
    r->d->launches++;
    r->ready = NULL;
    return ST_OK;
}

/* All that are ready and have room, in the order of the list. */
static status begin_all(running *r)
{
    status st = ST_OK;

    while (st == ST_OK && r->wrong == ST_OK) {
        r->wrong = prepare(r);
        if (r->wrong != ST_OK || !r->ready ||
            (r->in_flight && !gpu_has_room(r->d->gpu, &r->ready->e)))
            break;
        st = begin(r, r->ready);
    }
    return st;
}

/* ---- Ending ---- */

static void note(running *r, flying *f, status st, const gpu_result *g)
{
    rt_part *p = &r->part[r->parts++];

    *p = f->part;
    p->status = st;
    p->start = r->d->cycles_before + g->start;
    p->cycles = g->end - g->start;
    p->ctas = g->ctas;
    p->warp_insts = g->warp_insts;
    r->sum.ctas += g->ctas;
}

static void end_group(running *r, status st, uint64_t cycles)
{
    rt_result *sum = &r->sum;

    rt_timed_end(&r->timed, cycles, sum);
    sum->status = st;
    if (r->parts == 1) {
        sum->ctas_per_sm = r->part[0].ctas_per_sm;
        sum->limiter = r->part[0].limiter;
    }
    rt_take_lines(r->d, r->of->launch[r->part[0].number].kernel->name, r->dg,
                  sum);
    r->of->ended(r->of->arg, sum, r->part, r->parts);
}

static void end_one(running *r, unsigned n, const gpu_result *g)
{
    flying *f = r->by_gpu[n];
    size_t number = f->part.number;
    unsigned stream = r->of->stream[number];

    note(r, f, ST_OK, g);
    f->taken = false;
    r->by_gpu[n] = NULL;
    r->in_flight--;
    r->busy[stream] = false;
    r->head[stream] = r->next[number];
    if (g->idle)
        end_group(r, ST_OK, g->group);
}

/* What else was in flight is lost. */
static void note_others(running *r, const flying *but)
{
    for (unsigned n = 0; n < r->most; n++) {
        flying *f = r->by_gpu[n];
        gpu_result g;

        if (!f || f == but)
            continue;
        gpu_inspect(r->d->gpu, n, &g);
        note(r, f, ST_INTERRUPTED, &g);
    }
}

/* Launch `n` failed, and with it what else was in flight. */
static status fail(running *r, status st, unsigned n, const gpu_result *g)
{
    flying *f = r->by_gpu[n];

    r->d->broken = true;
    note(r, f, st, g);
    note_others(r, f);
    end_group(r, st, g->group);
    rt_describe(r->d, &f->e, st, &g->fault, &r->of->launch[f->part.number],
                r->dg);
    if (r->in_flight > 1)
        diag_add(r->dg, DIAG_NOTE, NULL, 0, 0, 0,
                 "%u other launch%s in flight with it did not end",
                 r->in_flight - 1,
                 r->in_flight > 2 ? "es that were" : " that was");
    return st;
}

static status run_timed(running *r)
{
    status st;

    while ((st = begin_all(r)) == ST_OK && r->in_flight) {
        unsigned n;
        gpu_result g;

        st = gpu_advance(r->d->gpu, &r->timed.run, &n, &g);
        if (st != ST_OK)
            return fail(r, st, n, &g);
        end_one(r, n, &g);
    }
    if (st != ST_OK)
        r->d->broken = true;
    return st != ST_OK ? st : r->wrong;
}

/* Without time there is no order but that of the list. */
static status run_functional(const rt_streams *s, diag *dg)
{
    status st = ST_OK;

    for (size_t i = 0; i < s->count && st == ST_OK; i++) {
        rt_result one;
        rt_part part = {.number = i};

        if (s->begins)
            s->begins(s->arg, &s->launch[i]);
        st = rt_run(s->device, &s->launch[i], dg, &one);
        part.status = st;
        part.ctas = one.ctas;
        part.warp_insts = one.warp_insts;
        part.ctas_per_sm = one.ctas_per_sm;
        part.limiter = one.limiter;
        s->ended(s->arg, &one, &part, 1);
    }
    return st;
}

status rt_run_streams(const rt_streams *s, diag *dg)
{
    running r = {.of = s, .d = s->device, .dg = dg};
    status st = ST_NOMEM;

    if (s->device->opt.functional)
        return run_functional(s, dg);
    if (init(&r))
        st = run_timed(&r);
    else
        diag_error(dg, "out of memory");
    fini(&r);
    return st;
}
