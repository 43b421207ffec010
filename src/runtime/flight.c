#include "runtime/flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "runtime/internal.h"

typedef struct flight_launch { /* a launch in flight, or prepared */
    bool taken;
    const rt_launch *launch;
    exec_launch e;
    rt_banks banks;
    rt_part part;
    rt_untimed *untimed; /* NULL: it is timed */
    exec_fault fault;    /* of one that is not */
    bool waits;          /* perhaps for another: it has not ended in its turn */
} flight_launch;

struct rt_flight {
    rt_device *d;
    rt_group calls;
    flight_launch **slot;   /* most + 1 of them, NULL: not needed yet */
    flight_launch **by_gpu; /* by the machine's number */
    unsigned most, in_flight;
    bool functional;      /* what is in flight is not timed, */
    unsigned turn;        /* and which of it has had the last turn */
    flight_launch *ready; /* prepared; NULL: none */
    rt_launch first;      /* of the group, */
    char *name;           /* its kernel's */
    rt_timed timed;       /* it, */
    rt_result sum;        /* what came out of it, */
    rt_part *part;        /* the launches of it that have ended, */
    size_t parts, part_room;
    exec_line *line; /* and what they printed */
    size_t lines, line_room;
    exec_strays strays; /* of all of them */
};

rt_flight *rt_flight_new(rt_device *d, const rt_group *calls)
{
    rt_flight *f = new0(1, sizeof *f);

    f->d = d;
    f->calls = *calls;
    f->most = d->cfg->gpu.concurrent;
    f->slot = new0(f->most + 1, sizeof *f->slot);
    f->by_gpu = new0(f->most, sizeof *f->by_gpu);
    return f;
}

static void end_untimed(flight_launch *is, rt_result *out)
{
    rt_untimed_end(is->untimed, out);
    is->untimed = NULL;
}

static void drop_lines(rt_flight *f)
{
    for (size_t i = 0; i < f->lines; i++)
        free(f->line[i].text);
    f->lines = 0;
}

/* What is not timed is given up. */
static void drop_untimed(rt_flight *f)
{
    for (unsigned n = 0; f->by_gpu && n < f->most; n++)
        if (f->by_gpu[n] && f->by_gpu[n]->untimed)
            end_untimed(f->by_gpu[n], &(rt_result){0});
}

void rt_flight_free(rt_flight *f)
{
    if (!f)
        return;
    drop_untimed(f);
    for (unsigned i = 0; f->slot && i <= f->most; i++) {
        if (f->slot[i])
            rt_banks_fini(f->d, &f->slot[i]->banks);
        free(f->slot[i]);
    }
    drop_lines(f);
    exec_strays_fini(&f->strays);
    free(f->line);
    free(f->name);
    free(f->slot);
    free(f->by_gpu);
    free(f->part);
    free(f);
}

void rt_flight_forget(rt_flight *f)
{
    if (f->in_flight && !f->functional)
        f->d->broken = true;
    drop_untimed(f);
    for (unsigned i = 0; i <= f->most; i++)
        if (f->slot[i])
            f->slot[i]->taken = false;
    memset(f->by_gpu, 0, f->most * sizeof *f->by_gpu);
    f->in_flight = 0;
    f->ready = NULL;
}

/* ---- Beginning ---- */

static flight_launch *take_place(rt_flight *f)
{
    unsigned i = 0;

    while (f->slot[i] && f->slot[i]->taken)
        i++;
    if (!f->slot[i])
        f->slot[i] = new0(1, sizeof *f->slot[i]);
    return f->slot[i];
}

status rt_flight_prepare(rt_flight *f, const rt_launch *l, size_t number,
                         diag *dg)
{
    flight_launch *is = take_place(f);
    rt_result known;

    MUST(!f->ready);
    status st = rt_prepare(f->d, l, &is->banks, &is->e, dg, &known);
    if (st != ST_OK)
        return st;
    is->taken = true;
    is->waits = false;
    is->launch = l;
    is->part = (rt_part){.number = number,
                         .ctas_per_sm = known.ctas_per_sm,
                         .limiter = known.limiter};
    f->ready = is;
    return ST_OK;
}

bool rt_flight_prepared(const rt_flight *f) { return f->ready != NULL; }

/* One that is not timed has the device to itself, unless it waits. */
static bool untimed_room(const rt_flight *f)
{
    for (unsigned n = 0; n < f->most; n++)
        if (f->by_gpu[n] && !f->by_gpu[n]->waits)
            return false;
    return f->in_flight < f->most;
}

bool rt_flight_room(const rt_flight *f)
{
    bool functional = rt_is_functional(f->d, f->ready->launch);

    if (!f->in_flight)
        return true;
    if (functional != f->functional)
        return false;
    return functional ? untimed_room(f) : gpu_has_room(f->d->gpu, &f->ready->e);
}

static void begin_timed_group(rt_flight *f)
{
    rt_warm_up(f->d, &f->ready->e, f->ready->launch);
    f->sum.start = rt_flight_now(f);
    rt_timed_begin(&f->timed, f->d, &f->first);
}

static void begin_launch_group(rt_flight *f)
{
    f->functional = rt_is_functional(f->d, f->ready->launch);
    if (!f->functional)
        rt_prepare_machine(f->d);
    drop_lines(f);
    exec_strays_fini(&f->strays);
    f->parts = 0;
    if (f->calls.begins)
        f->calls.begins(f->calls.arg, f->ready->launch);
    f->first = *f->ready->launch;
    free(f->name);
    f->name = new_text(f->first.kernel->name);
    f->sum = (rt_result){0};
    if (!f->functional)
        begin_timed_group(f);
}

static void begin_untimed(rt_flight *f, flight_launch *is, unsigned *n)
{
    is->untimed = rt_untimed_new(f->d, &is->e, is->launch, &is->fault);
    for (*n = 0; f->by_gpu[*n];)
        ++*n;
}

void rt_flight_begin(rt_flight *f)
{
    flight_launch *is = f->ready;
    unsigned n;
    must_hook before = rt_run_begins(f->d, is->e.kernel->name,
                                     rt_is_functional(f->d, is->launch));

    if (!f->in_flight)
        begin_launch_group(f);
    if (f->functional)
        begin_untimed(f, is, &n);
    else
        n = gpu_begin(f->d->gpu, &is->e, is->launch->profile);
    rt_run_ends(f->d, before);
    f->by_gpu[n] = is;
    f->in_flight++;
    f->d->launches++;
    f->ready = NULL;
}

unsigned rt_flight_count(const rt_flight *f) { return f->in_flight; }

uint64_t rt_flight_now(const rt_flight *f)
{
    return f->d->cycles_before + (f->d->gpu ? gpu_now(f->d->gpu) : 0);
}

/* ---- Ending ---- */

/* Its part, of which the figures are still to be filled in. */
static rt_part *note_part(rt_flight *f, flight_launch *is, status st)
{
    GROW(f->part, f->parts + 1, f->part_room);
    exec_strays strays = rt_take_strays(f->d, &is->e);
    exec_strays_add(&f->strays, &strays);
    exec_strays_fini(&strays);
    rt_part *p = &f->part[f->parts++];
    *p = is->part;
    p->status = st;
    return p;
}

static void note_timed(rt_flight *f, flight_launch *is, status st,
                       const gpu_result *g)
{
    rt_part *p = note_part(f, is, st);

    p->start = f->d->cycles_before + g->start;
    p->cycles = g->end - g->start;
    p->ctas = g->ctas;
    p->warp_insts = g->warp_insts;
    f->sum.ctas += g->ctas;
}

static void note_untimed(rt_flight *f, flight_launch *is, status st)
{
    rt_part *p = note_part(f, is, st);
    rt_result r = {0};

    end_untimed(is, &r);
    p->ctas = r.ctas;
    p->warp_insts = r.warp_insts;
    f->sum.ctas += r.ctas;
    f->sum.warp_insts += r.warp_insts;
    f->sum.thread_insts += r.thread_insts;
    f->sum.host_seconds += r.host_seconds;
}

/* Takes what was printed until now, which the run-time keeps only until the
 * next call. */
static void take_printed_lines(rt_flight *f, diag *dg)
{
    rt_result r = {0};

    rt_take_lines(f->d, f->name, dg, &r);
    f->sum.lines_lost += r.lines_lost;
    for (size_t i = 0; i < r.line_count; i++) {
        GROW(f->line, f->lines + 1, f->line_room);
        exec_line *to = &f->line[f->lines++];
        *to = r.lines[i];
        to->text = new_array((size_t)to->length + 1, 1);
        memcpy(to->text, r.lines[i].text, (size_t)to->length + 1);
    }
}

static void end_group(rt_flight *f, status st, uint64_t cycles)
{
    rt_result *sum = &f->sum;

    if (!f->functional)
        rt_timed_end(&f->timed, cycles, sum);
    sum->status = st;
    sum->spins = rt_spins(f->d, f->functional, st);
    sum->lines = f->line;
    sum->line_count = f->lines;
    sum->strays = f->strays;
    if (f->parts == 1) {
        sum->ctas_per_sm = f->part[0].ctas_per_sm;
        sum->limiter = f->part[0].limiter;
    }
    f->calls.ended(f->calls.arg, sum, f->part, f->parts);
}

/* Launch `n` has ended, and been noted. */
static void end_one(rt_flight *f, unsigned n, bool idle, uint64_t cycles)
{
    f->by_gpu[n]->taken = false;
    f->by_gpu[n] = NULL;
    f->in_flight--;
    if (idle)
        end_group(f, ST_OK, cycles);
}

/* Launches that never had room while `is`, which may wait for them, held it. */
static void note_waiting(const rt_flight *f, const flight_launch *is, diag *dg)
{
    const char *name = is->e.kernel->name;

    for (unsigned n = 0; n < f->most && !f->functional; n++) {
        const flight_launch *other = f->by_gpu[n];
        gpu_result g;

        if (!other || other == is)
            continue;
        gpu_inspect(f->d->gpu, n, &g);
        if (!g.ctas_begun)
            diag_add(dg, DIAG_NOTE, NULL, 0, 0, 0,
                     "kernel '%s' has had no room for a CTA; if '%s' waits for "
                     "it, neither ever ends: launch '%s' first, or let '%s' "
                     "leave room (fewer CTAs, less shared memory)",
                     other->e.kernel->name, name, other->e.kernel->name, name);
    }
    if (f->ready && f->in_flight == f->most)
        diag_add(dg, DIAG_NOTE, NULL, 0, 0, 0,
                 "kernel '%s' has not begun, as %u launch%s in flight "
                 "(gpu.concurrent); if '%s' waits for it, neither ever ends",
                 f->ready->e.kernel->name, f->most,
                 f->most > 1 ? "es are" : " is", name);
}

/* What else was in flight is lost. */
static void note_others(rt_flight *f, const flight_launch *but)
{
    for (unsigned n = 0; n < f->most; n++) {
        flight_launch *is = f->by_gpu[n];
        gpu_result g;

        if (!is || is == but)
            continue;
        if (f->functional) {
            note_untimed(f, is, ST_INTERRUPTED);
            continue;
        }
        gpu_inspect(f->d->gpu, n, &g);
        note_timed(f, is, ST_INTERRUPTED, &g);
    }
}

/* Launch `n` failed, and with it what else was in flight. `g`: NULL if it is
 * not timed. */
static void fail_group(rt_flight *f, status st, unsigned n, const gpu_result *g,
                       diag *dg)
{
    flight_launch *is = f->by_gpu[n], *ready = f->ready;
    unsigned others = f->in_flight - 1;

    if (st == ST_FAULT)
        is->part.fault = f->sum.fault = g ? g->fault : is->fault;
    rt_describe(f->d, &is->e, st, &is->part.fault, is->launch, dg);
    if (others && st != ST_INTERRUPTED)
        diag_add(dg, DIAG_NOTE, NULL, 0, 0, 0,
                 "%u other launch%s in flight with it did not end", others,
                 others > 1 ? "es that were" : " that was");
    if (st == ST_LIMIT || st == ST_HANG || st == ST_INTERRUPTED)
        note_waiting(f, is, dg);
    if (g)
        note_timed(f, is, st, g);
    else
        note_untimed(f, is, st);
    note_others(f, is);
    end_group(f, st, g ? g->group : 0);
    rt_flight_forget(f);
    f->ready = ready;
    if (ready)
        ready->taken = true;
}

/* The next launch to get a turn: one that has not had any has the device to
 * itself. */
static unsigned next_turn(const rt_flight *f)
{
    unsigned n = f->turn;

    for (unsigned k = 0; k < f->most; k++)
        if (f->by_gpu[k] && !f->by_gpu[k]->waits)
            return k;
    do
        n = (n + 1) % f->most;
    while (!f->by_gpu[n]);
    return n;
}

static status advance_untimed(rt_flight *f, rt_event *out, diag *dg)
{
    size_t lines = f->lines, at = f->parts;
    unsigned n = f->turn = next_turn(f);
    flight_launch *is = f->by_gpu[n];
    bool ended;

    must_hook before = rt_run_begins(f->d, is->e.kernel->name, true);
    status st =
        rt_untimed_run(is->untimed, f->in_flight == 1 && !f->ready, &ended);
    rt_run_ends(f->d, before);
    *out = (rt_event){.paused = st == ST_OK && !ended};
    is->waits = out->paused;
    if (out->paused)
        return st;
    take_printed_lines(f, dg);
    out->idle = st != ST_OK || f->in_flight == 1;
    if (st == ST_OK) {
        note_untimed(f, is, st);
        end_one(f, n, out->idle, 0);
    } else {
        fail_group(f, st, n, NULL, dg);
    }
    out->part = f->part[at];
    out->line_count = f->lines - lines;
    out->lines = out->line_count ? f->line + lines : NULL;
    return st;
}

status rt_flight_advance(rt_flight *f, uint64_t until, rt_event *out, diag *dg)
{
    size_t lines = f->lines, at = f->parts;
    gpu_result g;
    unsigned n;

    if (f->functional)
        return advance_untimed(f, out, dg);
    f->timed.run.until = 0;
    if (until)
        f->timed.run.until = until - f->d->cycles_before;
    must_hook before = rt_run_begins(f->d, f->name, false);
    status st = gpu_advance(f->d->gpu, &f->timed.run, &n, &g);
    rt_run_ends(f->d, before);
    *out = (rt_event){.paused = st == ST_OK && g.paused};
    if (out->paused)
        return st;
    take_printed_lines(f, dg);
    if (st == ST_OK) {
        note_timed(f, f->by_gpu[n], ST_OK, &g);
        end_one(f, n, g.idle, g.group);
    } else {
        fail_group(f, st, n, &g, dg);
    }
    out->part = f->part[at];
    out->idle = g.idle;
    out->group = g.group;
    out->line_count = f->lines - lines;
    out->lines = out->line_count ? f->line + lines : NULL;
    return st;
}
