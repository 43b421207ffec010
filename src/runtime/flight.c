#include "runtime/flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "runtime/internal.h"

typedef struct flying { /* a launch in flight, or prepared */
    bool taken;
    const rt_launch *launch;
    exec_launch e;
    rt_banks banks;
    rt_part part;
} flying;

struct rt_flight {
    rt_device *d;
    rt_group calls;
    flying **flying; /* most + 1 of them, NULL: not needed yet */
    flying **by_gpu; /* by the machine's number */
    unsigned most, in_flight;
    flying *ready;   /* prepared; NULL: none */
    rt_launch first; /* of the group, */
    char *name;      /* its kernel's */
    rt_timed timed;  /* it, */
    rt_result sum;   /* what came out of it, */
    rt_part *part;   /* the launches of it that have ended, */
    size_t parts, part_room;
    exec_line *line; /* and what they printed */
    size_t lines, line_room;
    exec_strays strays; /* of all of them */
};

rt_flight *rt_flight_new(rt_device *d, const rt_group *calls)
{
    rt_flight *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->d = d;
    f->calls = *calls;
    f->most = d->cfg->gpu.concurrent;
    f->flying = calloc(f->most + 1, sizeof *f->flying);
    f->by_gpu = calloc(f->most, sizeof *f->by_gpu);
    if (f->flying && f->by_gpu)
        return f;
    rt_flight_free(f);
    return NULL;
}

static void drop_lines(rt_flight *f)
{
    for (size_t i = 0; i < f->lines; i++)
        free(f->line[i].text);
    f->lines = 0;
}

void rt_flight_free(rt_flight *f)
{
    if (!f)
        return;
    for (unsigned i = 0; f->flying && i <= f->most; i++) {
        if (f->flying[i])
            rt_banks_fini(&f->flying[i]->banks);
        free(f->flying[i]);
    }
    drop_lines(f);
    exec_strays_fini(&f->strays);
    free(f->line);
    free(f->name);
    free(f->flying);
    free(f->by_gpu);
    free(f->part);
    free(f);
}

void rt_flight_forget(rt_flight *f)
{
    if (f->in_flight)
        f->d->broken = true;
    for (unsigned i = 0; i <= f->most; i++)
        if (f->flying[i])
            f->flying[i]->taken = false;
    memset(f->by_gpu, 0, f->most * sizeof *f->by_gpu);
    f->in_flight = 0;
    f->ready = NULL;
}

/* ---- Beginning ---- */

/* NULL if memory runs out. */
static flying *take_place(rt_flight *f)
{
    unsigned i = 0;

    while (f->flying[i] && f->flying[i]->taken)
        i++;
    if (!f->flying[i])
        f->flying[i] = calloc(1, sizeof *f->flying[i]);
    return f->flying[i];
}

status rt_flight_prepare(rt_flight *f, const rt_launch *l, size_t number,
                         diag *dg)
{
    flying *is = take_place(f);
    rt_result known;

    MUST(!f->ready);
    if (!is) {
        diag_error(dg, "out of memory");
        return ST_NOMEM;
    }
    status st = rt_prepare(f->d, l, &is->banks, &is->e, dg, &known);
    if (st != ST_OK)
        return st;
    is->taken = true;
    is->launch = l;
    is->part = (rt_part){.number = number,
                         .ctas_per_sm = known.ctas_per_sm,
                         .limiter = known.limiter};
    f->ready = is;
    return ST_OK;
}

bool rt_flight_prepared(const rt_flight *f) { return f->ready != NULL; }

bool rt_flight_room(const rt_flight *f)
{
    return !f->in_flight || gpu_has_room(f->d->gpu, &f->ready->e);
}

static status begin_group(rt_flight *f, diag *dg)
{
    if (!rt_prepare_machine(f->d, dg))
        return ST_NOMEM;
    drop_lines(f);
    exec_strays_fini(&f->strays);
    f->parts = 0;
    if (f->calls.begins)
        f->calls.begins(f->calls.arg, f->ready->launch);
    if (!rt_warm_up(f->d, &f->ready->e, f->ready->launch, dg))
        return ST_NOMEM;
    f->first = *f->ready->launch;
    free(f->name);
    f->name = strdup(f->first.kernel->name);
    MUST(f->name != NULL);
    f->sum = (rt_result){.start = rt_flight_now(f)};
    rt_timed_begin(&f->timed, f->d, &f->first);
    return ST_OK;
}

status rt_flight_begin(rt_flight *f, diag *dg)
{
    flying *is = f->ready;
    status st = f->in_flight ? ST_OK : begin_group(f, dg);
    unsigned n;

    if (st == ST_OK)
        st = gpu_begin(f->d->gpu, &is->e, is->launch->profile, &n);
    if (st != ST_OK) {
        rt_describe(f->d, &is->e, st, NULL, is->launch, dg);
        f->d->broken = true;
        rt_flight_forget(f);
        return st;
    }
    f->by_gpu[n] = is;
    f->in_flight++;
    f->d->launches++;
    f->ready = NULL;
    return ST_OK;
}

unsigned rt_flight_count(const rt_flight *f) { return f->in_flight; }

uint64_t rt_flight_now(const rt_flight *f)
{
    return f->d->cycles_before + (f->d->gpu ? gpu_now(f->d->gpu) : 0);
}

/* ---- Ending ---- */

static void note(rt_flight *f, flying *is, status st, const gpu_result *g)
{
    if (f->parts == f->part_room) {
        f->part_room = f->part_room ? 2 * f->part_room : 16;
        f->part = realloc(f->part, f->part_room * sizeof *f->part);
        MUST(f->part != NULL);
    }
    rt_part *p = &f->part[f->parts++];
    *p = is->part;
    p->status = st;
    p->start = f->d->cycles_before + g->start;
    p->cycles = g->end - g->start;
    p->ctas = g->ctas;
    p->warp_insts = g->warp_insts;
    f->sum.ctas += g->ctas;
    exec_strays strays = rt_take_strays(f->d, &is->e);
    exec_strays_add(&f->strays, &strays);
    exec_strays_fini(&strays);
}

/* What was printed until now: the run-time keeps it only until it is asked
 * again. */
static void take_lines(rt_flight *f, diag *dg)
{
    rt_result r = {0};

    rt_take_lines(f->d, f->name, dg, &r);
    f->sum.lines_lost += r.lines_lost;
    for (size_t i = 0; i < r.line_count; i++) {
        if (f->lines == f->line_room) {
            f->line_room = f->line_room ? 2 * f->line_room : 16;
            f->line = realloc(f->line, f->line_room * sizeof *f->line);
            MUST(f->line != NULL);
        }
        exec_line *to = &f->line[f->lines++];
        *to = r.lines[i];
        to->text = malloc((size_t)to->length + 1);
        MUST(to->text != NULL);
        memcpy(to->text, r.lines[i].text, (size_t)to->length + 1);
    }
}

static void end_group(rt_flight *f, status st, uint64_t cycles)
{
    rt_result *sum = &f->sum;

    rt_timed_end(&f->timed, cycles, sum);
    sum->status = st;
    sum->spins = rt_spins(f->d, st);
    sum->lines = f->line;
    sum->line_count = f->lines;
    sum->strays = f->strays;
    if (f->parts == 1) {
        sum->ctas_per_sm = f->part[0].ctas_per_sm;
        sum->limiter = f->part[0].limiter;
    }
    f->calls.ended(f->calls.arg, sum, f->part, f->parts);
}

static void end_one(rt_flight *f, unsigned n, const gpu_result *g)
{
    flying *is = f->by_gpu[n];

    note(f, is, ST_OK, g);
    is->taken = false;
    f->by_gpu[n] = NULL;
    f->in_flight--;
    if (g->idle)
        end_group(f, ST_OK, g->group);
}

/* Launches that never had room while `is`, which may wait for them, held it. */
static void note_waiting(const rt_flight *f, const flying *is, diag *dg)
{
    const char *name = is->e.kernel->name;

    for (unsigned n = 0; n < f->most; n++) {
        const flying *other = f->by_gpu[n];
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
static void note_others(rt_flight *f, const flying *but)
{
    for (unsigned n = 0; n < f->most; n++) {
        flying *is = f->by_gpu[n];
        gpu_result g;

        if (!is || is == but)
            continue;
        gpu_inspect(f->d->gpu, n, &g);
        note(f, is, ST_INTERRUPTED, &g);
    }
}

/* Launch `n` failed, and with it what else was in flight. */
static void fail(rt_flight *f, status st, unsigned n, const gpu_result *g,
                 diag *dg)
{
    flying *is = f->by_gpu[n], *ready = f->ready;
    unsigned others = f->in_flight - 1;

    rt_describe(f->d, &is->e, st, &g->fault, is->launch, dg);
    if (others && st != ST_INTERRUPTED)
        diag_add(dg, DIAG_NOTE, NULL, 0, 0, 0,
                 "%u other launch%s in flight with it did not end", others,
                 others > 1 ? "es that were" : " that was");
    if (st == ST_LIMIT || st == ST_HANG || st == ST_INTERRUPTED)
        note_waiting(f, is, dg);
    note(f, is, st, g);
    note_others(f, is);
    end_group(f, st, g->group);
    rt_flight_forget(f);
    f->ready = ready;
    if (ready)
        ready->taken = true;
}

status rt_flight_advance(rt_flight *f, uint64_t until, rt_event *out, diag *dg)
{
    size_t lines = f->lines, at = f->parts;
    gpu_result g;
    unsigned n;

    f->timed.run.until = 0;
    if (until)
        f->timed.run.until = until - f->d->cycles_before;
    status st = gpu_advance(f->d->gpu, &f->timed.run, &n, &g);
    *out = (rt_event){.paused = st == ST_OK && g.paused};
    if (out->paused)
        return st;
    take_lines(f, dg);
    if (st == ST_OK)
        end_one(f, n, &g);
    else
        fail(f, st, n, &g, dg);
    out->part = f->part[at];
    out->idle = g.idle;
    out->group = g.group;
    out->line_count = f->lines - lines;
    out->lines = out->line_count ? f->line + lines : NULL;
    return st;
}
